//! The last result-setting events before an event: those of the kept part, also where the order comes by way of a hole.
//!
//! A replay of the part tells by them which of two results is the later one.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::Access;
use std::collections::{HashMap, HashSet};

/// The last result-setting event of each action.
type Last = Option<Arc<BTreeMap<ActionId, u64>>>;

/// Pasts of the events of a record, which come in causal order. Empty where the program does not need them.
#[derive(Debug, Default)]
pub(super) struct Pasts {
    setters: HashSet<EventId>,
    of_events: HashMap<EventId, Last>,
    /// Of each object: that of the last writer, and of those that have read it since.
    of_objects: HashMap<ObjectId, (Last, Last)>,
}

impl Pasts {
    pub(super) fn new(setters: HashSet<EventId>) -> Self {
        Self { setters, ..Self::default() }
    }

    /// Takes in the next event.
    pub(super) fn add(&mut self, event: &EventRecord) {
        if self.setters.is_empty() {
            return;
        }
        let before = EventId { count: event.id.count.wrapping_sub(1), ..event.id };
        let mut own = self.of_events.get(&before).cloned().flatten();
        for sender in &event.flow {
            merge(&mut own, self.of_events.get(sender).and_then(Option::as_ref));
        }
        for access in &event.shared {
            let (by_writer, by_readers) = self.of_objects.entry(access.object).or_default();
            merge(&mut own, by_writer.as_ref());
            if access.access == Access::Write {
                merge(&mut own, by_readers.as_ref());
            }
        }
        if self.setters.contains(&event.id) {
            Arc::make_mut(own.get_or_insert_default()).insert(event.id.action, event.id.count);
        }
        for access in &event.shared {
            let of_object = self.of_objects.entry(access.object).or_default();
            match access.access {
                Access::Read => merge(&mut of_object.1, own.as_ref()),
                Access::Write => *of_object = (own.clone(), None),
            }
        }
        self.of_events.insert(event.id, own);
    }

    /// The past of an event that has been added, with itself.
    pub(super) fn of(&self, event: EventId) -> Vec<EventId> {
        let last = self.of_events.get(&event).and_then(Option::as_ref);
        let last = last.into_iter().flat_map(|last| last.iter());
        last.map(|(&action, &count)| EventId { action, count }).collect()
    }
}

fn merge(own: &mut Last, other: Option<&Arc<BTreeMap<ActionId, u64>>>) {
    let Some(other) = other else { return };
    let Some(known) = own else {
        *own = Some(Arc::clone(other));
        return;
    };
    if !Arc::ptr_eq(known, other) {
        let known = Arc::make_mut(known);
        for (&action, &count) in other.iter() {
            let last = known.entry(action).or_default();
            *last = count.max(*last);
        }
    }
}
