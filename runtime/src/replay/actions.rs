//! The ids that a record gives to instances.

use std::hash::Hasher;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use hashbrown::HashTable;
use hasse_model::event::ActionRecord;
use hasse_model::id::{ActionId, GraphInstanceId, Index, TemplateId};
use hasse_model::trace::Names;
use rustc_hash::FxHasher;

/// Actions of a record, by what they are instances of: the names of the record tell that, so that 8 bytes are kept of each.
#[derive(Debug, Default)]
pub(super) struct Actions {
    /// With the hashes of what they are instances of: a table that grows looks at nothing else.
    ids: HashTable<(u32, ActionId)>,
    /// The one behind the one found last: mostly, actions are created again in the order in which they were.
    next: AtomicU32,
    /// Above all ids.
    first_free: u32,
}

impl Actions {
    /// Takes in an action and its name; false where an instance has two ids.
    pub(super) fn add(&mut self, names: &mut Names, known: &ActionRecord) -> bool {
        names.add_action(known);
        self.first_free = self.first_free.max(known.action.0.saturating_add(1));
        let (template, graph, index) = (known.template, known.graph, &known.index);
        let hash = place_hash(template, graph, index);
        let is_it =
            |&(other, id): &(u32, ActionId)| other == hash && names.is_action(id, template, graph, index);
        if let Some(&(_, other)) = self.ids.find(spread(hash), is_it) {
            return other == known.action;
        }
        self.ids.insert_unique(spread(hash), (hash, known.action), |&(other, _)| spread(other));
        true
    }

    /// Makes room for so many more.
    pub(super) fn reserve(&mut self, n_actions: usize) {
        self.ids.reserve(n_actions, |&(hash, _)| spread(hash));
    }

    /// The id of an instance, if the record has one.
    pub(super) fn id(
        &self,
        names: &Names,
        template: TemplateId,
        graph: GraphInstanceId,
        index: &Index,
    ) -> Option<ActionId> {
        if self.ids.is_empty() {
            return None;
        }
        let is_it = |id: ActionId| names.is_action(id, template, graph, index);
        let next = ActionId(self.next.load(Relaxed));
        let found = if is_it(next) {
            next
        } else {
            let hash = place_hash(template, graph, index);
            self.ids.find(spread(hash), |&(other, id)| other == hash && is_it(id))?.1
        };
        self.next.store(found.0.wrapping_add(1), Relaxed);
        Some(found)
    }

    /// The first id that no action has.
    pub(super) fn first_free(&self) -> u32 {
        self.first_free
    }

    /// All of them, in no order.
    pub(super) fn ids(&self) -> impl Iterator<Item = ActionId> {
        self.ids.iter().map(|(_, id)| *id)
    }
}

fn place_hash(template: TemplateId, graph: GraphInstanceId, index: &Index) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(graph.0) << 32 | u64::from(template.0));
    index.as_slice().iter().for_each(|&number| hasher.write_u64(number as u64));
    (hasher.finish() >> 32) as u32
}

/// What a table is searched by: it looks at the first and the last bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash) | u64::from(hash) << 32
}
