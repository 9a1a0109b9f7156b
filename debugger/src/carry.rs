//! What events leave for those after them: one value an event, for its action's next event and for the
//! takers of what it sent.
//!
//! Vector clocks and relay lists travel alike: along values, and from an action's event to its next.
//! Most values are taken before their sender executes again, so that the action's place, found by
//! position, serves both ways; only what an event left for takers that come after its action's next
//! event goes to a hash map. In a full record the number of takers is known, and what no taker will come for is
//! dropped (Hyder 1994, section 6.3.2). In a restricted record senders are named any number of times by
//! those to whom others passed them on, and everything is kept.

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId};
use hasse_model::table::IdTable;

/// An event took a value that its sender, by its own record, did not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the trace contradicts itself: an event took more values of another than that one sent")]
pub struct TakenTooOften {
    /// The event that took the value.
    pub event: EventId,
    /// The event that is said to have sent it.
    pub sender: EventId,
}

/// What the last event of an action left: 16 bytes for a value of 8.
#[derive(Clone, Debug, Default)]
struct Last<T> {
    value: T,
    /// Its count; 0 where there is none, or where it does not fit and what it left is among `earlier`.
    count: u32,
    /// How many takers may still come.
    n_takers: u32,
}

/// What the events so far have left, as far as later ones can meet it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carry<T> {
    actions: IdTable<Last<T>>,
    /// What events before the last one of their action left, and how many takers may still come; never 0.
    earlier: FxHashMap<EventId, (T, u64)>,
    keeps_all: bool,
    /// Number of last events with takers to come.
    n_last: usize,
}

impl<T: Clone + Default> Carry<T> {
    /// Nothing so far. `keeps_all`: takers are not counted.
    pub(crate) fn new(keeps_all: bool) -> Self {
        Self { keeps_all, ..Self::default() }
    }

    /// What the last event of an action left; the default where it has had none.
    #[inline]
    pub(crate) fn of_action(&self, action: ActionId) -> T {
        self.actions.get(action.0).map_or_else(T::default, |last| last.value.clone())
    }

    /// What a sender left for an event that took a value of it. `None` where it left nothing or all takers have come.
    #[inline]
    pub(crate) fn take(&mut self, sender: EventId) -> Option<T> {
        if self.keeps_all {
            return self.peek(sender);
        }
        if self.actions.get(sender.action.0).is_some_and(|last| is_of(last, sender)) {
            let last = self.actions.slot(sender.action.0);
            last.n_takers -= 1;
            self.n_last -= usize::from(last.n_takers == 0);
            return Some(last.value.clone());
        }
        let (value, n_takers) = self.earlier.get_mut(&sender)?;
        *n_takers -= 1;
        if *n_takers > 0 {
            return Some(value.clone());
        }
        self.earlier.remove(&sender).map(|(value, _)| value)
    }

    /// What an event left, for anyone.
    pub(crate) fn peek(&self, event: EventId) -> Option<T> {
        match self.actions.get(event.action.0) {
            Some(last) if is_of(last, event) => Some(last.value.clone()),
            _ => self.earlier.get(&event).map(|(value, _)| value.clone()),
        }
    }

    /// Takes in what an event leaves. Events of an action come in order.
    #[inline]
    pub(crate) fn leave(&mut self, event: &EventRecord, value: T) {
        let id = event.id;
        let n_takers = if self.keeps_all { 1 } else { event.flow_successors };
        let last = self.actions.slot(id.action.0);
        if last.n_takers > 0 {
            let before = EventId { action: id.action, count: u64::from(last.count) };
            self.earlier.insert(before, (std::mem::take(&mut last.value), u64::from(last.n_takers)));
            last.n_takers = 0;
            self.n_last -= 1;
        }
        match (u32::try_from(id.count), u32::try_from(n_takers)) {
            (Ok(count), Ok(n_takers)) => {
                *last = Last { value, count, n_takers };
                self.n_last += usize::from(n_takers > 0);
            }
            _ => {
                if n_takers > 0 {
                    self.earlier.insert(id, (value.clone(), n_takers));
                }
                *last = Last { value, count: 0, n_takers: 0 };
            }
        }
    }

    /// Number of events whose takers have not all come.
    pub(crate) fn n_kept(&self) -> usize {
        self.earlier.len() + self.n_last
    }
}

fn is_of<T>(last: &Last<T>, event: EventId) -> bool {
    last.n_takers > 0 && u64::from(last.count) == event.count
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn sent(action: u32, count: u64, flow_successors: u64) -> EventRecord {
        let mut event = EventRecord::new(EventId { action: ActionId(action), count });
        event.flow_successors = flow_successors;
        event
    }

    proptest! {
        /// Against a map from events to what they left; two of the counts and numbers do not fit in 32 bits.
        #[test]
        fn is_a_counted_map(
            steps in prop::collection::vec((0..3_u32, 0..4_u64, any::<bool>(), any::<prop::sample::Index>()), 1..80),
            base in prop_oneof![Just(0), Just(u64::from(u32::MAX) - 2)],
            keeps_all in any::<bool>(),
        ) {
            let mut carry = Carry::<usize>::new(keeps_all);
            let mut map: HashMap<EventId, (usize, u64)> = HashMap::new();
            let mut events: Vec<EventId> = Vec::new();
            let mut n_executed = [base; 3];
            for (step, (action, n_takers, takes, which)) in steps.into_iter().enumerate() {
                if takes && !events.is_empty() {
                    let sender = events[which.index(events.len())];
                    let expected = map.get_mut(&sender).filter(|(_, n)| *n > 0).map(|(value, n)| {
                        *n -= u64::from(!keeps_all);
                        *value
                    });
                    prop_assert_eq!(carry.peek(sender), expected);
                    prop_assert_eq!(carry.take(sender), expected);
                } else {
                    n_executed[action as usize] += 1;
                    let n_takers = if n_takers == 3 { u64::MAX } else { n_takers };
                    let event = sent(action, n_executed[action as usize], n_takers);
                    carry.leave(&event, step);
                    prop_assert_eq!(carry.of_action(event.id.action), step);
                    map.insert(event.id, (step, if keeps_all { 1 } else { n_takers }));
                    events.push(event.id);
                }
                prop_assert_eq!(carry.n_kept(), map.values().filter(|(_, n)| *n > 0).count());
            }
        }
    }
}
