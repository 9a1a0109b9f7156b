//! The ids that a record gives to instances.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use hashbrown::HashTable;
use hasse_model::event::ActionRecord;
use hasse_model::id::{ActionId, GraphInstanceId, Index, TemplateId};
use hasse_model::table::IdTable;

use crate::registry::instance_hash;

/// Of what is no instance of anything: its id is another one's.
const NO_TEMPLATE: TemplateId = TemplateId(u32::MAX);

/// Actions of a record, by what they are instances of.
#[derive(Debug, Default)]
pub(super) struct Actions {
    /// In the order of their ids, once all are known: that in which they were created, more or less.
    records: Vec<ActionRecord>,
    table: Table,
    /// The one behind the one found last: mostly, actions are created again in the order in which they were.
    next: AtomicU32,
    /// Ids, as bits.
    seen: IdTable<u64>,
    /// Above all ids.
    first_free: u32,
}

/// Positions of records, with the hashes of what they are instances of: a table that grows looks at nothing else.
type Table = HashTable<(u32, u32)>;

impl Actions {
    /// Takes in actions; of those with the same id the first one.
    pub(super) fn add(&mut self, actions: &mut Vec<ActionRecord>) {
        for ActionRecord { action, template, .. } in &mut *actions {
            self.first_free = self.first_free.max(action.0.saturating_add(1));
            let (seen, bit) = (self.seen.slot(action.0 / u64::BITS), 1 << (action.0 % u64::BITS));
            if *seen & bit != 0 {
                *template = NO_TEMPLATE;
            }
            *seen |= bit;
        }
        self.records.append(actions);
    }

    /// Makes room for so many more.
    pub(super) fn reserve(&mut self, n_actions: usize) {
        self.records.reserve_exact(n_actions);
    }

    /// The id of an instance, if the record has one.
    pub(super) fn id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> Option<ActionId> {
        let is_it = |record: &ActionRecord| is_instance(record, template, graph, index);
        let next = self.next.load(Relaxed);
        let position = if self.records.get(next as usize).is_some_and(is_it) {
            next
        } else {
            let hash = place_hash(template, graph, index);
            let is_found =
                |&(other, position): &(u32, u32)| other == hash && is_it(&self.records[position as usize]);
            self.table.find(spread(hash), is_found)?.1
        };
        self.next.store(position + 1, Relaxed);
        Some(self.records[position as usize].action)
    }

    /// Makes all of them known by what they are instances of.
    ///
    /// # Errors
    /// The template of an instance that has two ids.
    pub(super) fn index(&mut self) -> Result<(), TemplateId> {
        self.records.sort_by_key(|record| record.action);
        let mut table = Table::with_capacity(self.records.len());
        for (position, ActionRecord { template, graph, index, .. }) in self.records.iter().enumerate() {
            if *template == NO_TEMPLATE {
                continue;
            }
            let hash = place_hash(*template, *graph, index);
            let is_it = |&(other, position): &(u32, u32)| {
                other == hash && is_instance(&self.records[position as usize], *template, *graph, index)
            };
            if table.find(spread(hash), is_it).is_some() {
                return Err(*template);
            }
            table.insert_unique(spread(hash), (hash, position as u32), |&(other, _)| spread(other));
        }
        self.table = table;
        Ok(())
    }

    /// The first id that no action has.
    pub(super) fn first_free(&self) -> u32 {
        self.first_free
    }

    /// All of them.
    pub(super) fn records(&self) -> &[ActionRecord] {
        &self.records
    }
}

fn is_instance(record: &ActionRecord, template: TemplateId, graph: GraphInstanceId, index: &Index) -> bool {
    let (one, other) = (record.index.as_slice(), index.as_slice());
    // Two numbers or so: a call would cost more than the comparison.
    let is_index = one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other);
    record.template == template && record.graph == graph && is_index
}

/// Half of the bits are enough for a table that holds less than 2^32. Where the good ones are is the hasher's business.
fn place_hash(template: TemplateId, graph: GraphInstanceId, index: &Index) -> u32 {
    let hash = instance_hash(graph, template, index);
    (hash ^ hash >> 32) as u32
}

/// What a table is searched by: it looks at the first and the last bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash) | u64::from(hash) << 32
}
