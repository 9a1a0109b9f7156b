//! Post-restriction: from a record to the record of selected actions (Hyder 1994, sections 3.3.2 and 6.3.1).
use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::event::{EventRecord, RelayedAccess};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::Access;
use hasse_model::record_options::RecordOption;
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

type List = Arc<BTreeMap<ActionId, u64>>;

/// Restricts events.
pub struct Restrictor<'a> {
    option_of: Box<dyn FnMut(ActionId, &Names) -> RecordOption + Send + 'a>,
    carried: FxHashMap<ActionId, List>,
    senders: FxHashMap<EventId, List>,
    objects: FxHashMap<ObjectId, (List, List)>,
}

fn union(list: &mut List, other: &List) {
    for (&action, &count) in other.iter() {
        let held = Arc::make_mut(list).entry(action).or_insert(count);
        *held = count.max(*held);
    }
}

impl<'a> Restrictor<'a> {
    /// A restrictor.
    pub fn new(option_of: impl FnMut(ActionId, &Names) -> RecordOption + Send + 'a) -> Self {
        Self {
            option_of: Box::new(option_of),
            carried: Default::default(),
            senders: Default::default(),
            objects: Default::default(),
        }
    }

    /// The next event.
    pub fn event(&mut self, event: &EventRecord, names: &Names) -> Option<EventRecord> {
        let option = (self.option_of)(event.id.action, names);
        let itself: List = Arc::new(BTreeMap::from([(event.id.action, event.id.count)]));
        let mut in_flow = List::default();
        for sender in &event.flow {
            if let Some(list) = self.senders.get(sender) {
                union(&mut in_flow, list);
            }
        }
        let mut in_shared = List::default();
        let mut relayed = Vec::new();
        for access in &event.shared {
            let left = self.objects.entry(access.object).or_default();
            let mut here = left.0.clone();
            if access.access == Access::Write {
                union(&mut here, &left.1);
            }
            relayed.extend(here.iter().map(|(&action, &count)| RelayedAccess {
                object: access.object,
                access: access.access,
                event: EventId { action, count },
            }));
            union(&mut in_shared, &here);
        }
        let carried = self.carried.entry(event.id.action).or_default();
        let (on_values, on_objects) = match option {
            RecordOption::Full => (itself.clone(), itself),
            RecordOption::Restrict => {
                union(carried, &in_shared);
                (itself, carried.clone())
            }
            RecordOption::Off => {
                union(carried, &in_shared);
                union(carried, &in_flow);
                (carried.clone(), carried.clone())
            }
        };
        for access in &event.shared {
            let left = self.objects.entry(access.object).or_default();
            match access.access {
                Access::Read => union(&mut left.1, &on_objects),
                Access::Write => *left = (on_objects.clone(), List::default()),
            }
        }
        self.senders.insert(event.id, on_values);
        if option == RecordOption::Off {
            return None;
        }
        let mut restricted = event.clone();
        restricted.flow = in_flow.iter().map(|(&action, &count)| EventId { action, count }).collect();
        restricted.shared.clear();
        restricted.relayed = if option == RecordOption::Full { relayed } else { Vec::new() };
        Some(restricted)
    }
}
