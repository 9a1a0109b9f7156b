//! The matching store: where integers for indexed instances wait for their partners, as values with tags do in the matching
//! unit of a dataflow machine (Gurd, Kirkham and Watson 1985, "The Manchester prototype dataflow computer").
//!
//! Many programs create an instance for each tag, execute it once or twice, and never come back to it. What there is to know of
//! such an instance between two executions is a few bytes: its id, how often it has executed, and what waits on its ports.
//! The store keeps these entries in blocks of tags that are close to each other, because neighbors are sent to one after
//! another, and because a block is let go of as a whole. An entry becomes an [`Instance`](crate::instance::Instance) as soon as anything about it is out of
//! the ordinary: it is promoted, and stays so.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use hasse_brief::{Brief, BriefGuard};
use hasse_model::id::{ActionId, Index, TemplateId};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::entries::{MAX_NUMBERS, ROWS};
use parking_lot::Mutex;

use crate::matching::tag::{Split, Tag};

/// Entries that become instances.
pub mod promote;
/// Blocks of entries.
pub mod shard;
/// Index numbers.
pub mod tag;
#[cfg(test)]
mod tests;

use crate::matching::shard::Shard;
use crate::matching::tag::{Numbers, Tags};

/// Least number of independently locked parts, where there is more than one worker,
const N_SHARDS: usize = 64;
/// and how many there are for each worker: so seldom do two of them want the same one.
const SHARDS_PER_WORKER: usize = 8;

/// Entries of one template of the main graph.
pub struct Store<M: Instrumentation> {
    split: Split,
    shards: Vec<CachePadded<Brief<Shard<M>>>>,
}

/// What is known of an instance.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Executions begun so far.
    pub count: u64,
    /// Id of the action.
    pub action: ActionId,
    /// Ports on which an integer waits, as bits; the place in the block; how it stands. In one number that is always read and
    /// written as a whole: to read at once what has just been written in parts would stall the processor.
    marks: u32,
}

/// Ports.
const FILLED: u32 = 0xff;
/// How far up the place stands.
const PLACE_SHIFT: u32 = 8;
/// Somebody is to serve it, or does.
const SCHEDULED: u32 = 1 << 16;
/// An instance stands for it.
const PROMOTED: u32 = 1 << 17;
/// Somebody was to serve it when it was promoted: who has its spot is to make the instance ready.
const AWAITED: u32 = 1 << 18;

impl Entry {
    fn new(place: u8, action: ActionId) -> Self {
        Self { count: 0, action, marks: u32::from(place) << PLACE_SHIFT }
    }

    /// Ports on which an integer waits, as bits.
    #[inline]
    pub fn filled(self) -> u32 {
        self.marks & FILLED
    }

    #[inline]
    fn place(self) -> u8 {
        (self.marks >> PLACE_SHIFT) as u8
    }

    #[inline]
    pub(crate) fn is_promoted(self) -> bool {
        self.marks & PROMOTED != 0
    }

    /// Returns true if a worker is to serve the entry, or does.
    #[inline]
    pub fn is_scheduled(self) -> bool {
        self.marks & SCHEDULED != 0
    }

    /// Whether nothing waits, and nobody is to serve it.
    #[inline]
    fn is_settled(self) -> bool {
        self.marks & (SCHEDULED | AWAITED | FILLED) == 0
    }
}

/// An entry. It stays where it is as long as something waits there or somebody is to serve it.
#[derive(Clone, Copy)]
pub struct Spot {
    /// Template of the entry.
    pub template: TemplateId,
    /// Position of the shard that holds it.
    pub shard: u32,
    block: u32,
    entry: u32,
}

/// What came of an integer that was put in.
pub enum Put<S> {
    /// It waits for its partners.
    Waits,
    /// All partners are there: somebody is to serve the entry now.
    Ready(Spot),
    /// It was not put in, as an instance stands for the entry,
    Promoted(S),
    /// or as one waits on the port already: an instance has to.
    Full(Spot, S),
}

/// What is known of an execution that begins.
pub struct Begun<'b, S> {
    /// Id of the action.
    pub action: ActionId,
    /// Number of this execution.
    pub count: u64,
    /// Index numbers.
    pub numbers: Numbers,
    /// What it takes, by port, and the stamps of that.
    pub taken: &'b [i64],
    /// Stamps of the values, by port.
    pub stamps: &'b [S],
}

/// What came of the end of an execution.
pub enum Ended {
    /// Nothing is enabled.
    Idle,
    /// The next one is enabled.
    Again,
    /// An instance stands for the entry.
    Promoted,
}

impl<M: Instrumentation> Store<M> {
    /// For instances with so many index numbers and input ports, which so many workers serve.
    pub fn new(n_numbers: usize, n_ports: usize, n_workers: usize) -> Self {
        let n_shards = match n_workers {
            0 | 1 => 1,
            _ => N_SHARDS.max((SHARDS_PER_WORKER * n_workers).next_power_of_two()),
        };
        let split = Split::new(n_numbers);
        let shards =
            (0..n_shards).map(|_| CachePadded::new(Brief::new(Shard::new(split, n_ports)))).collect();
        Self { split, shards }
    }

    #[inline(always)]
    pub(crate) fn tag(&self, numbers: Numbers) -> Tag {
        Tag::new(self.split, numbers, self.shards.len())
    }

    /// Tags of many entries, by index numbers that stand in columns and what is added to them.
    pub fn tags(&self, n_rows: usize, columns: [(&[Cell<i64>; ROWS], i64); MAX_NUMBERS], tags: &mut Tags) {
        tags.fill(self.split, n_rows, columns);
    }

    /// The tag of an entry, of those that have been worked out.
    #[inline(always)]
    pub fn tag_at(&self, tags: &Tags, row: usize) -> Tag {
        tags.at(row, self.shards.len())
    }

    /// Locks a shard.
    #[inline(always)]
    pub fn shard(&self, shard: u32) -> BriefGuard<'_, Shard<M>> {
        self.shards[shard as usize].lock()
    }

    /// The tag of an index.
    pub fn tag_of(&self, index: &Index) -> Tag {
        self.tag(Numbers::of(index.as_slice()))
    }

    /// The index of a tag.
    pub fn index_of(&self, tag: &Tag) -> Index {
        self.index(self.split.numbers(tag.corner, tag.place))
    }

    /// Numbers as an index.
    #[inline(always)]
    pub fn index(&self, numbers: Numbers) -> Index {
        self.split.index(numbers)
    }

    /// Shows boxes that hold the index numbers of entries that somebody is to serve, or of all that hold a value, and few
    /// others: the least and the greatest of those in each block, in no order.
    pub(crate) fn each_due(&self, are_all_with_values: bool, mut look: impl FnMut(&[i64], &[i64])) {
        self.shards.iter().for_each(|shard| shard.lock().each_due(are_all_with_values, &mut look));
    }

    /// Shows all entries for which no instance stands, with their index, in no order.
    pub fn each_entry(&self, mut look: impl FnMut(Entry, Index)) {
        self.shards.iter().for_each(|shard| shard.lock().each_entry(&mut look));
    }

    /// Lets go of blocks in which nothing waits and nothing is to be served, unless `keeps` says of the least and the
    /// greatest numbers of a block that it is needed. Shows the entries that are gone.
    pub(crate) fn retain(&self, keeps: impl Fn(&[i64], &[i64]) -> bool, mut gone: impl FnMut(Entry)) {
        self.shards.iter().for_each(|shard| shard.lock().retain(&keeps, &mut gone));
    }
}

/// Entries that are to be served by whoever has nothing else to do.
#[derive(Default)]
pub struct Offered {
    spots: Mutex<Vec<Spot>>,
    /// Written under the lock; read without it to see whether a look is worth it.
    n_spots: AtomicUsize,
}

impl Offered {
    /// Whether there are any.
    #[inline]
    pub fn is_any(&self) -> bool {
        self.n_spots.load(Ordering::Relaxed) > 0
    }

    /// Adds entries.
    pub fn add(&self, added: impl Iterator<Item = Spot>) {
        let mut spots = self.spots.lock();
        spots.extend(added);
        self.n_spots.store(spots.len(), Ordering::Relaxed);
    }

    /// Moves all of them to a list; false where there are none.
    #[inline]
    pub fn take(&self, to: &mut Vec<Spot>) -> bool {
        if !self.is_any() {
            return false;
        }
        let mut spots = self.spots.lock();
        self.n_spots.store(0, Ordering::Relaxed);
        to.append(&mut spots);
        !to.is_empty()
    }
}
