//! A digest of a run that is computed while the run goes on: equal for two runs if they had the same events with the same
//! predecessors, and different otherwise but for accidents.
//!
//! Each event has a hash that is made of the hash of the action's event before, the firing rule, the hashes of the events
//! that sent what it took, in the order of taking, and those of the events that wrote the objects that it accessed. So the
//! hash of an event stands for everything before it in causal order, as in a tree of hashes (Merkle 1987), and no names are
//! needed but those of actions. The hashes, each with what the event sent and how it ended, are added up: neither the order in
//! which concurrent events end nor the ids of a run matter. Time: a few multiplications for each event and predecessor; memory: eight bytes
//! with each value, object and action.

use std::fmt;

use crate::event::Outcome;
use crate::plan::Access;

/// Stands for an event, or before the first one for its action, and for everything before it in causal order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History(u64);

impl History {
    /// The beginning of an action; `key` is a hash of its path that is the same in every run.
    pub fn of_action(key: u64) -> Self {
        Self(mix(key))
    }

    /// The action's next event, by this firing rule.
    #[inline]
    #[must_use]
    pub fn next_event(self, rule: i32) -> Self {
        self.then(rule.cast_unsigned().into())
    }

    /// The event after it has taken a value of `sender`.
    #[inline]
    #[must_use]
    pub fn after_taking(self, sender: History) -> Self {
        self.then(sender.0)
    }

    /// The event after it was granted an object that `writer` wrote last (the default where nobody had), and that `n_readers`
    /// events have read since.
    #[inline]
    #[must_use]
    pub fn after_access(self, access: Access, writer: History, n_readers: u64) -> Self {
        let kind = match access {
            Access::Read => 0,
            Access::Write => 1 + n_readers,
        };
        self.then(writer.0).then(kind)
    }

    /// One multiplication, as in FxHash: what is added to a digest is mixed once more.
    #[inline]
    fn then(self, part: u64) -> Self {
        Self((self.0.rotate_left(26) ^ part.wrapping_add(STEP)).wrapping_mul(FACTOR))
    }
}

/// What tells 0 from nothing, and an odd number with bits everywhere (both of SplitMix64).
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const FACTOR: u64 = 0xBF58_476D_1CE4_E5B9;

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(FACTOR);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The events of a run, or of a part of it, in any order. Displays as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HistoryDigest(u64);

impl HistoryDigest {
    /// A digest that was stored.
    pub fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The digest as it is stored.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// Adds an event that has ended, with the routing rules that held and the number of values sent.
    #[inline]
    pub fn add(&mut self, event: History, routes: &[u32], n_values: u64, outcome: Outcome) {
        let ended = routes.iter().fold(event, |event, &route| event.then(route.into()));
        let ended = ended.then(n_values).then(match outcome {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Stopped => 2,
        });
        self.0 = self.0.wrapping_add(mix(ended.0));
    }

    /// Adds the events of another part of the run.
    pub fn merge(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl fmt::Display for HistoryDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(events: &[History]) -> HistoryDigest {
        let mut digest = HistoryDigest::default();
        events.iter().for_each(|event| digest.add(*event, &[0], 1, Outcome::Done));
        digest
    }

    #[test]
    fn the_order_of_taking_counts_and_that_of_ending_does_not() {
        let [receiver, left, right] = [1, 2, 3].map(History::of_action);
        let (left, right) = (left.next_event(-1), right.next_event(-1));
        let takes = |first: History, second: History| {
            let first = receiver.next_event(0).after_taking(first);
            [first, first.next_event(0).after_taking(second)]
        };
        let [[a, b], [c, d]] = [takes(left, right), takes(right, left)];
        assert_eq!(digest(&[left, right, a, b]), digest(&[b, right, a, left]));
        assert_ne!(digest(&[left, right, a, b]), digest(&[left, right, c, d]));
    }

    #[test]
    fn what_an_event_is_made_of_counts() {
        let event = History::of_action(1).next_event(0);
        let writer = History::of_action(2).next_event(0);
        let others = [
            event.after_taking(writer),
            event.after_access(Access::Read, writer, 0),
            event.after_access(Access::Write, writer, 0),
            event.after_access(Access::Write, writer, 1),
            event.after_access(Access::Write, History::default(), 0),
            event.next_event(0),
            History::of_action(1).next_event(-1),
            writer,
        ];
        for (nth, one) in others.iter().enumerate() {
            assert_ne!(*one, event);
            assert!(others[nth + 1..].iter().all(|other| other != one), "{nth}");
        }
        let added = |routes: &[u32], n_values, outcome| {
            let mut digest = HistoryDigest::default();
            digest.add(event, routes, n_values, outcome);
            digest
        };
        let usual = added(&[0], 1, Outcome::Done);
        let others =
            [added(&[1], 1, Outcome::Done), added(&[0], 2, Outcome::Done), added(&[0], 1, Outcome::Failed)];
        assert!(others.iter().all(|other| *other != usual));
    }

    /// Records hold it: another number means another `FORMAT_VERSION`.
    #[test]
    fn digests_are_the_same_in_every_version() {
        let event = History::of_action(7).next_event(2).after_taking(History::of_action(8));
        assert_eq!(digest(&[event, event.next_event(0)]).to_string(), "32984c117f3b5ca9");
    }
}
