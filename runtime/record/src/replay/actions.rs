//! The ids that a record gives to instances.

use std::hash::Hasher;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use hashbrown::HashTable;
use hasse_model::event::ActionRecord;
use hasse_model::id::{ActionId, GraphInstanceId, Index, TemplateId};
use rustc_hash::FxHasher;

/// Where no action has an id.
const NO_TEMPLATE: TemplateId = TemplateId(u32::MAX);

/// Ids are dense if there are no more than so many for each action.
const MOST_IDS_PER_ACTION: usize = 4;

/// Actions of a record, by what they are instances of.
#[derive(Debug, Default)]
pub(crate) struct Actions {
    /// In the order of their ids: that in which they were created, more or less.
    records: Vec<ActionRecord>,
    table: Table,
    /// The one behind the one found last: mostly, actions are created again in the order in which they were.
    next: AtomicU32,
    /// Above all ids.
    first_free: u32,
}

/// Positions of records, with the hashes of what they are instances of: a table that grows looks at nothing else.
type Table = HashTable<(u32, u32)>;

impl Actions {
    /// Takes in lists of actions; of those with the same id the first one. Makes them known by what they are instances of.
    ///
    /// # Errors
    /// The template of an instance that has two ids.
    pub(crate) fn load(lists: Vec<Vec<ActionRecord>>) -> Result<Self, TemplateId> {
        let ids = lists.iter().flatten().map(|record| record.action.0.saturating_add(1));
        let first_free = ids.max().unwrap_or_default();
        let n_actions: usize = lists.iter().map(Vec::len).sum();
        let mut records = Vec::new();
        if first_free as usize <= MOST_IDS_PER_ACTION * n_actions {
            let nothing = |id| ActionRecord {
                action: ActionId(id),
                template: NO_TEMPLATE,
                graph: GraphInstanceId::MAIN,
                index: Index::none(),
            };
            records.extend((0..first_free).map(nothing));
            for record in lists.into_iter().flatten() {
                if let Some(place) = records.get_mut(record.action.idx())
                    && place.template == NO_TEMPLATE
                {
                    *place = record;
                }
            }
        } else {
            records.extend(lists.into_iter().flatten());
            records.sort_by_key(|record| record.action);
            records.dedup_by_key(|record| record.action);
        }
        let mut actions = Self { records, first_free, ..Self::default() };
        actions.index()?;
        Ok(actions)
    }

    /// The id of an instance, if the record has one.
    #[inline]
    pub(crate) fn id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> Option<ActionId> {
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

    fn index(&mut self) -> Result<(), TemplateId> {
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
    pub(crate) fn first_free(&self) -> u32 {
        self.first_free
    }

    /// All of them, in the order of their ids.
    pub(crate) fn records(&self) -> impl Iterator<Item = &ActionRecord> {
        self.records.iter().filter(|record| record.template != NO_TEMPLATE)
    }
}

#[inline]
fn is_instance(record: &ActionRecord, template: TemplateId, graph: GraphInstanceId, index: &Index) -> bool {
    let (one, other) = (record.index.as_slice(), index.as_slice());
    // Two numbers or so: a call would cost more than the comparison.
    let is_index = one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other);
    record.template == template && record.graph == graph && is_index
}

/// Half of the bits are enough for a table that holds less than 2^32. Where the good ones are is the hasher's business.
#[inline]
fn place_hash(template: TemplateId, graph: GraphInstanceId, index: &Index) -> u32 {
    let hash = instance_hash(graph, template, index);
    (hash ^ hash >> 32) as u32
}

/// What a table is searched by: it looks at the first and the last bits.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash) | u64::from(hash) << 32
}

/// Hash of an instance by its place.
#[inline]
pub fn instance_hash(graph: GraphInstanceId, template: TemplateId, index: &Index) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(graph.0) << 32 | u64::from(template.0));
    index.as_slice().iter().for_each(|&number| hasher.write_u64(number as u64));
    hasher.finish()
}
