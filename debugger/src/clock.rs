//! Vector clocks over what is checked.
//!
//! Each event has a clock that sums up its causal past: a number for each slot, the largest that
//! any event before it has set. What a slot stands for is the caller's: one slot for each checked
//! action, holding the count of its last event in the past, gives vector clocks post-restricted to
//! the checked actions (Hyder 1994, section 6.5.2, after Mattern 1989); one slot for each checked
//! *set* of events, holding 1, tells whether any of them is in the past, at a size that does not
//! grow with the number of actions. We differ from the source in that slots are added when an
//! action first appears, clocks are shared until they differ, and the clock of an event is kept
//! only while values that it sent are under way. Beside the clocks themselves, an action takes 16 bytes; clocks that are
//! the same are one in memory wherever one of the two that were merged held all.

use std::sync::Arc;

use hasse_model::event::EventRecord;
use hasse_model::plan::Access;
use hasse_model::table::IdTable;
use hasse_model::trace::RecordingMode;

use crate::carry::Carry;
pub use crate::carry::TakenTooOften;

/// A number for each slot; slots behind its end are 0. Copies share memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Option<Arc<Vec<u64>>>);

impl Clock {
    /// The number in a slot.
    pub fn get(&self, slot: usize) -> u64 {
        self.as_slice().get(slot).copied().unwrap_or(0)
    }

    /// Raises a slot to a number.
    pub fn raise(&mut self, slot: usize, number: u64) {
        if self.get(slot) >= number {
            return;
        }
        let slots = Arc::make_mut(self.0.get_or_insert_default());
        if slots.len() <= slot {
            slots.resize(slot + 1, 0);
        }
        slots[slot] = number;
    }

    /// Raises every slot to what it is in `other`. Where one of the two has nothing to add, no
    /// memory is written.
    pub fn merge(&mut self, other: &Clock) {
        let (Some(own), Some(others)) = (&self.0, &other.0) else {
            if self.0.is_none() {
                self.0.clone_from(&other.0);
            }
            return;
        };
        if Arc::ptr_eq(own, others) {
            return;
        }
        match compare(own, others) {
            Compared::HoldsAll => {}
            Compared::HasNothingToAdd => self.0.clone_from(&other.0),
            Compared::Differs => {
                let own = Arc::make_mut(self.0.get_or_insert_default());
                if own.len() < others.len() {
                    own.resize(others.len(), 0);
                }
                own.iter_mut().zip(others.iter()).for_each(|(own, &other)| *own = other.max(*own));
            }
        }
    }

    fn as_slice(&self) -> &[u64] {
        self.0.as_ref().map_or(&[], |slots| slots.as_slice())
    }
}

/// What one clock is beside another.
enum Compared {
    HoldsAll,
    HasNothingToAdd,
    Differs,
}

/// Compares in one pass, by blocks without branches.
fn compare(own: &[u64], others: &[u64]) -> Compared {
    const BLOCK: usize = 8;
    let n_common = own.len().min(others.len());
    let (mut is_more, mut is_less) =
        (own[n_common..].iter().any(|&slot| slot > 0), others[n_common..].iter().any(|&slot| slot > 0));
    for (own, others) in own[..n_common].chunks(BLOCK).zip(others[..n_common].chunks(BLOCK)) {
        for (own, other) in own.iter().zip(others) {
            is_more |= own > other;
            is_less |= own < other;
        }
        if is_more && is_less {
            return Compared::Differs;
        }
    }
    if is_less { Compared::HasNothingToAdd } else { Compared::HoldsAll }
}

/// The clock of an object: of its last writer, and of all that read it since.
#[derive(Clone, Debug, Default)]
struct ObjectClocks {
    writer: Clock,
    readers: Clock,
}

/// Clocks of the events delivered so far, as far as later events can meet them.
#[derive(Debug, Default)]
pub struct Clocks {
    events: Carry<Clock>,
    objects: IdTable<ObjectClocks>,
}

impl Clocks {
    /// No events yet, of a record that lists all predecessors.
    pub fn new() -> Self {
        Self::default()
    }

    /// No events yet, of a restricted record. What an event sent is passed on by others any number of times, so that the
    /// clock of each event is kept.
    pub fn keeping() -> Self {
        Self { events: Carry::new(true), objects: IdTable::new() }
    }

    /// No events yet, of a record made in this mode.
    pub fn of_mode(mode: RecordingMode) -> Self {
        match mode {
            RecordingMode::Restricted => Self::keeping(),
            RecordingMode::Full | RecordingMode::Minimal | RecordingMode::Perf | RecordingMode::Holes => {
                Self::new()
            }
        }
    }

    /// The clock of an event's strict past: the merged clocks of all that is immediately before it.
    /// Events must come in causal order, and each is followed by [`leave`](Self::leave). Cost: for each immediate
    /// predecessor constant where the two clocks are the same, else linear in their slots.
    ///
    /// # Errors
    /// Where the event took a value that was not sent, or names an event that did not occur.
    pub fn arrive(&mut self, event: &EventRecord) -> Result<Clock, TakenTooOften> {
        let error = |sender| TakenTooOften { event: event.id, sender };
        let mut clock =
            if event.id.count > 1 { self.events.of_action(event.id.action) } else { Clock::default() };
        for &sender in &event.flow {
            let sent = self.events.take(sender).ok_or(error(sender))?;
            if clock.0.is_none() {
                clock = sent;
            } else {
                clock.merge(&sent);
            }
        }
        for relayed in &event.relayed {
            clock.merge(&self.events.peek(relayed.event).ok_or(error(relayed.event))?);
        }
        for access in &event.shared {
            if let Some(object) = self.objects.get(access.object.0) {
                clock.merge(&object.writer);
                if access.access == Access::Write {
                    clock.merge(&object.readers);
                }
            }
        }
        Ok(clock)
    }

    /// Takes in the clock of an event, itself included, for those that will come after it.
    pub fn leave(&mut self, event: &EventRecord, clock: Clock) {
        for access in &event.shared {
            let object = self.objects.slot(access.object.0);
            match access.access {
                Access::Read => object.readers.merge(&clock),
                Access::Write => {
                    *object = ObjectClocks { writer: clock.clone(), readers: Clock::default() };
                }
            }
        }
        self.events.leave(event, clock);
    }

    /// Number of events whose clocks are kept for those whom their values, or what was passed on of them, may yet reach.
    pub fn n_senders(&self) -> usize {
        self.events.n_kept()
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::id::{ActionId, EventId};

    use super::*;

    fn clock(slots: &[u64]) -> Clock {
        let mut clock = Clock::default();
        slots.iter().enumerate().for_each(|(slot, &number)| clock.raise(slot, number));
        clock
    }

    fn merged(mut own: Clock, other: &Clock) -> Clock {
        own.merge(other);
        own
    }

    #[test]
    fn merging_takes_the_larger_number_of_each_slot() {
        let found = merged(clock(&[1, 5]), &clock(&[2, 3, 4]));
        assert_eq!([0, 1, 2, 3].map(|slot| found.get(slot)), [2, 5, 4, 0]);
    }

    #[test]
    fn merging_shares_memory_where_one_side_holds_all() {
        let (low, high) = (clock(&[1, 2]), clock(&[1, 3]));
        for found in [merged(low.clone(), &high), merged(high.clone(), &low)] {
            assert!(found.0.zip(high.0.clone()).is_some_and(|(found, high)| Arc::ptr_eq(&found, &high)));
        }
    }

    #[test]
    fn a_value_is_taken_once() {
        let id = |action, count| EventId { action: ActionId(action), count };
        let mut clocks = Clocks::new();
        let mut sender = EventRecord::new(id(0, 1));
        sender.flow_successors = 1;
        clocks.leave(&sender, clock(&[1]));
        assert_eq!(clocks.n_senders(), 1);
        let mut taker = EventRecord::new(id(1, 1));
        taker.flow = vec![sender.id];
        assert_eq!(clocks.arrive(&taker), Ok(clock(&[1])));
        assert_eq!(clocks.n_senders(), 0);
        let error = TakenTooOften { event: taker.id, sender: sender.id };
        assert_eq!(clocks.arrive(&taker), Err(error));
    }
}
