//! A part of the events: from a position on, up to a number of them, or those of a time window.
//!
//! The events of an action that belong to the part follow one another, so that two counts an action say of any event
//! whether it belongs. An event of the part keeps of its predecessors those that belong to the part.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId};

use crate::perf::Window;

/// Which events are exported; by default all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Number of events that are left out at the beginning.
    pub n_skipped: u64,
    /// Maximum number of events after these.
    pub most: Option<u64>,
    /// Only events that went on in this stretch; the numbers above count these alone.
    pub window: Option<Window>,
}

/// Takes a part out of events that come in causal order.
pub(super) struct Cut {
    part: Part,
    n_seen: u64,
    /// Counts of the first and the last event of each action that belong to the part so far.
    given: FxHashMap<ActionId, (u64, u64)>,
}

impl Cut {
    pub(super) fn new(part: Part) -> Self {
        Self { part, n_seen: 0, given: FxHashMap::default() }
    }

    /// The event as the part has it; `None` where it does not belong to the part.
    pub(super) fn take<'e>(&mut self, event: &'e EventRecord) -> Option<Cow<'e, EventRecord>> {
        let Part { n_skipped, most, window } = self.part;
        if self.part == Part::default() {
            return Some(Cow::Borrowed(event));
        }
        let is_in =
            |window: Window| event.timing.is_some_and(|timing| window.meets(timing.start, timing.end));
        if !window.is_none_or(is_in) {
            return None;
        }
        self.n_seen += 1;
        let is_late = |most: u64| self.n_seen - n_skipped > most;
        if self.n_seen <= n_skipped || most.is_some_and(is_late) {
            return None;
        }
        let has = |id: &EventId| {
            self.given.get(&id.action).is_some_and(|&(first, last)| (first..=last).contains(&id.count))
        };
        let mut own = event.clone();
        own.flow.retain(|sender| has(sender));
        own.relayed.retain(|relayed| has(&relayed.event));
        for access in &mut own.shared {
            access.writer = access.writer.filter(has);
        }
        let count = event.id.count;
        self.given.entry(event.id.action).or_insert((count, count)).1 = count;
        Some(Cow::Owned(own))
    }
}
