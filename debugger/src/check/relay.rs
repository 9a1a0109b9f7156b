//! Post-restriction to the events that a check is about: which of them are immediately before an event.
//!
//! An event that is not selected hands on the list of selected events that reached it, one for each action (the
//! most recent); a selected one hands on itself alone (Hyder 1994, table 3-1 and section 6.3.1). What arrives
//! at a selected event are its *relayed* predecessors. Those of them that are not before another one in the list
//! are its immediate predecessors in the restricted pomset: an event that is immediately before it there is the
//! last of its action in the past, and nothing selected comes between, so that it is relayed. Which relayed event is before
//! which is told by the clocks of the selected actions.

use std::sync::Arc;

use hasse_model::event::EventRecord;
use hasse_model::id::EventId;
use hasse_model::trace::RecordingMode;

use super::summary::{Carried, Summary};
use crate::clock::Clock;

/// A selected event as later ones see it.
#[derive(Debug)]
pub(super) struct Seen<P> {
    pub(super) event: EventId,
    /// Slot of its action in the clocks.
    slot: usize,
    /// The clock of its past, itself included.
    clock: Clock,
    /// What the check wants to know of it.
    pub(super) payload: P,
}

impl<P> Seen<P> {
    fn is_before(&self, other: &Self) -> bool {
        self.event != other.event && other.clock.get(self.slot) >= self.event.count
    }
}

/// The selected events that reached something: one of each action, ascending by action.
#[derive(Debug)]
pub(super) struct Relays<P>(Option<Arc<Vec<Arc<Seen<P>>>>>);

impl<P> Clone for Relays<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P> Default for Relays<P> {
    fn default() -> Self {
        Self(None)
    }
}

impl<P> Relays<P> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Seen<P>>> {
        self.0.iter().flat_map(|seen| seen.iter())
    }

    /// The merged clocks of all of them: the clock of an event that they reached, itself not included.
    pub(super) fn clock(&self) -> Clock {
        self.iter().fold(Clock::default(), |mut clock, seen| {
            clock.merge(&seen.clock);
            clock
        })
    }

    /// Those that are not before another one, in the order of the list. Cost: quadratic in the list.
    pub(super) fn maximal(&self) -> Vec<&Arc<Seen<P>>> {
        self.iter().filter(|seen| !self.iter().any(|other| seen.is_before(other))).collect()
    }
}

impl<P> Summary for Relays<P> {
    fn merge(&mut self, other: &Self) {
        let (Some(own), Some(others)) = (&self.0, &other.0) else {
            if self.0.is_none() {
                self.0.clone_from(&other.0);
            }
            return;
        };
        if Arc::ptr_eq(own, others) {
            return;
        }
        let mut merged: Vec<Arc<Seen<P>>> = Vec::with_capacity(own.len().max(others.len()));
        let (mut own, mut others) = (own.iter().peekable(), others.iter().peekable());
        loop {
            let next = match (own.peek(), others.peek()) {
                (None, None) => break,
                (Some(_), None) => own.next(),
                (None, Some(_)) => others.next(),
                (Some(left), Some(right)) => match left.event.action.cmp(&right.event.action) {
                    std::cmp::Ordering::Less => own.next(),
                    std::cmp::Ordering::Greater => others.next(),
                    std::cmp::Ordering::Equal => {
                        own.next().into_iter().chain(others.next()).max_by_key(|seen| seen.event.count)
                    }
                },
            };
            merged.extend(next.cloned());
        }
        self.0 = Some(Arc::new(merged));
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// Hands on relay lists.
#[derive(Debug, Default)]
pub(super) struct Restriction<P> {
    carried: Carried<Relays<P>>,
}

impl<P> Restriction<P> {
    pub(super) fn new() -> Self {
        Self { carried: Carried::default() }
    }

    /// What goes by shared objects is not handed on. The clocks of the events must not know of it either: see
    /// [`Relays::clock`].
    pub(super) fn by_values() -> Self {
        Self { carried: Carried::by_values() }
    }

    /// The selected events that reached an event; followed by `pass` or `leave`.
    pub(super) fn arrive(&mut self, event: &EventRecord) -> Relays<P> {
        self.carried.arrive(event)
    }

    /// Hands on what reached an event that is not selected.
    pub(super) fn pass(&mut self, event: &EventRecord, relays: Relays<P>) {
        self.carried.leave(event, relays);
    }

    /// Hands on a selected event, with the slot of its action and the clock of its past, itself included.
    pub(super) fn leave(
        &mut self,
        event: &EventRecord,
        slot: usize,
        clock: Clock,
        payload: P,
    ) -> Arc<Seen<P>> {
        let seen = Arc::new(Seen { event: event.id, slot, clock, payload });
        self.carried.leave(event, Relays(Some(Arc::new(vec![Arc::clone(&seen)]))));
        seen
    }

    /// The selected events of which something is still under way to others, ascending, without repetition.
    pub(super) fn under_way(&self) -> Vec<EventId> {
        let mut events: Vec<EventId> =
            self.carried.under_way().flat_map(|relays| relays.iter().map(|seen| seen.event)).collect();
        events.sort_unstable();
        events.dedup();
        events
    }

    /// Learns how events are recorded.
    pub(super) fn expect_mode(&mut self, mode: RecordingMode) {
        self.carried.expect_mode(mode);
    }
}
