//! The matching store: where integers for indexed instances wait for their partners, as values with tags do in the matching
//! unit of a dataflow machine (Gurd, Kirkham and Watson 1985, "The Manchester prototype dataflow computer").
//!
//! Many programs create an instance for each tag, execute it once or twice, and never come back to it. What there is to know of
//! such an instance between two executions is a few bytes: its id, how often it has executed, and what waits on its ports.
//! The store keeps these entries in blocks of tags that are close to each other, because neighbors are sent to one after
//! another, and because a block is let go of as a whole. An entry becomes an [`Instance`] as soon as anything about it is out of
//! the ordinary: it is promoted, and stays so.

use std::hash::Hasher;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashTable;
use hasse_model::id::{ActionId, Index, TemplateId};
use parking_lot::Mutex;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use crate::brief::{Brief, BriefGuard};
use crate::instrumentation::Instrumentation;

/// Entries that become instances.
mod promote;

pub(crate) use promote::delivery;

/// Most index numbers of an instance that the store can hold,
pub(crate) const MAX_NUMBERS: usize = 3;
/// and most input ports.
pub(crate) const MAX_PORTS: usize = 8;
/// A block is for so many tags.
const BLOCK: usize = 64;
/// An instance stands for a tag that has no entry.
const INSTANCE: u8 = u8::MAX;
/// Number of independently locked parts, where there is more than one worker.
const N_SHARDS: usize = 64;

/// Index numbers; those that there are not are 0. They are looked at one by one everywhere: to move or compare the whole,
/// just after its parts have been written, would stall the processor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbers(pub(crate) i64, pub(crate) i64, pub(crate) i64);

impl Numbers {
    fn of(index: &[i64]) -> Self {
        let number = |nth: usize| index.get(nth).copied().unwrap_or_default();
        Self(number(0), number(1), number(2))
    }

    fn map(self, change: impl Fn(i64) -> i64) -> Self {
        Self(change(self.0), change(self.1), change(self.2))
    }

    /// From the outermost on.
    #[inline(always)]
    pub(crate) fn each(self) -> impl Iterator<Item = i64> {
        [self.0, self.1, self.2].into_iter()
    }

    #[inline(always)]
    fn is(&self, other: &Self) -> bool {
        self.0 == other.0 && self.1 == other.1 && self.2 == other.2
    }
}

/// How tags are told apart: by the last bits of each number the place in a block, by the others the block.
#[derive(Clone, Copy)]
struct Split {
    n_numbers: usize,
    /// How many bits of each number tell the place.
    bits: u32,
    /// By number, which bits these are; none where there is no such number.
    masks: (i64, i64, i64),
}

impl Split {
    fn new(n_numbers: usize) -> Self {
        let bits = match n_numbers {
            1 => 6,
            2 => 3,
            _ => 2,
        };
        let mask = |nth: usize| if nth < n_numbers { (1 << bits) - 1 } else { 0 };
        Self { n_numbers, bits, masks: (mask(0), mask(1), mask(2)) }
    }

    #[inline(always)]
    fn corner(self, numbers: Numbers) -> Numbers {
        Numbers(numbers.0 >> self.bits, numbers.1 >> self.bits, numbers.2 >> self.bits)
    }

    #[inline(always)]
    fn place(self, Numbers(first, second, third): Numbers) -> u8 {
        let places = (first & self.masks.0, second & self.masks.1, third & self.masks.2);
        // Where a number is missing, so is its part.
        (places.0 | places.1 << self.bits | places.2 << (2 * self.bits)) as u8
    }

    #[inline(always)]
    fn numbers(self, corner: Numbers, place: u8) -> Numbers {
        let place = i64::from(place);
        Numbers(
            corner.0 << self.bits | place & self.masks.0,
            corner.1 << self.bits | place >> self.bits & self.masks.1,
            corner.2 << self.bits | place >> (2 * self.bits) & self.masks.2,
        )
    }
}

/// Entries of one template of the main graph.
pub(crate) struct Store<M: Instrumentation> {
    split: Split,
    shards: Vec<Brief<Shard<M>>>,
}

/// A part of a store.
pub(crate) struct Shard<M: Instrumentation> {
    split: Split,
    n_ports: usize,
    /// All ports, as bits.
    all_ports: u8,
    /// Positions of blocks, by their corners.
    table: HashTable<u32>,
    blocks: Vec<Block<M>>,
    /// Positions of blocks that are not in use.
    free: Vec<u32>,
    /// The block that was looked up last.
    last: u32,
}

/// Entries of tags that are close to each other.
struct Block<M: Instrumentation> {
    /// What the tags have in common: their numbers without the last few bits of each.
    corner: Numbers,
    is_used: bool,
    /// By the place of a tag in its block: the position of its entry, counted from 1, or 0; or [`INSTANCE`].
    places: [u8; BLOCK],
    entries: Vec<Entry>,
    /// What waits, by entry and port, where the port is filled.
    numbers: Vec<i64>,
    stamps: Vec<M::Stamp>,
}

/// What is known of an instance.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Executions begun so far.
    pub(crate) count: u64,
    pub(crate) action: ActionId,
    /// Ports on which an integer waits, as bits.
    filled: u8,
    place: u8,
    state: State,
    /// Somebody was to serve it when it was promoted: who has its spot is to make the instance ready.
    is_awaited: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// Somebody is to serve it, or does.
    Scheduled,
    /// An instance stands for it.
    Promoted,
}

impl Entry {
    pub(crate) fn is_promoted(self) -> bool {
        self.state == State::Promoted
    }

    pub(crate) fn is_scheduled(self) -> bool {
        self.state == State::Scheduled
    }

    /// Whether nothing waits, and nobody is to serve it.
    fn is_settled(self) -> bool {
        self.state != State::Scheduled && self.filled == 0 && !self.is_awaited
    }
}

/// Where the entry of a tag is, or is to be.
pub(crate) struct Tag {
    corner: Numbers,
    place: u8,
    hash: u64,
    pub(crate) shard: u32,
}

/// An entry. It stays where it is as long as something waits there or somebody is to serve it.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) template: TemplateId,
    pub(crate) shard: u32,
    block: u32,
    entry: u32,
}

/// What came of an integer that was put in.
pub(crate) enum Put<S> {
    Waits,
    /// All partners are there: somebody is to serve the entry now.
    Ready(Spot),
    /// It was not put in, as an instance stands for the entry,
    Promoted(S),
    /// or as one waits on the port already: an instance has to.
    Full(Spot, S),
}

/// What is known of an execution that begins.
pub(crate) struct Begun {
    pub(crate) action: ActionId,
    pub(crate) count: u64,
    pub(crate) numbers: Numbers,
}

/// What came of the end of an execution.
pub(crate) enum Ended {
    Idle,
    /// The next one is enabled.
    Again,
    /// An instance stands for the entry.
    Promoted,
}

impl<M: Instrumentation> Store<M> {
    /// For instances with so many index numbers and input ports, which so many workers serve.
    pub(crate) fn new(n_numbers: usize, n_ports: usize, n_workers: usize) -> Self {
        let n_shards = if n_workers == 1 { 1 } else { N_SHARDS };
        let split = Split::new(n_numbers);
        let shards = (0..n_shards).map(|_| Brief::new(Shard::new(split, n_ports))).collect();
        Self { split, shards }
    }

    #[inline(always)]
    pub(crate) fn tag(&self, numbers: Numbers) -> Tag {
        let corner = self.split.corner(numbers);
        let hash = hash_of(corner);
        // Others than those by which a shard is searched.
        let shard = (hash >> 32) as usize & (self.shards.len() - 1);
        Tag { corner, place: self.split.place(numbers), hash, shard: shard as u32 }
    }

    #[inline(always)]
    pub(crate) fn shard(&self, shard: u32) -> BriefGuard<'_, Shard<M>> {
        self.shards[shard as usize].lock()
    }

    /// The tag of an index.
    pub(crate) fn tag_of(&self, index: &Index) -> Tag {
        self.tag(Numbers::of(index.as_slice()))
    }

    /// Numbers as an index.
    #[inline(always)]
    pub(crate) fn index(&self, numbers: Numbers) -> Index {
        self.split.index(numbers)
    }

    /// Shows the index numbers of entries that somebody is to serve, in no order.
    pub(crate) fn each_scheduled(&self, mut look: impl FnMut(&[i64])) {
        for shard in &self.shards {
            let shard = shard.lock();
            for block in shard.blocks.iter().filter(|block| block.is_used) {
                for entry in block.entries.iter().filter(|entry| entry.is_scheduled()) {
                    look(self.split.index(self.split.numbers(block.corner, entry.place)).as_slice());
                }
            }
        }
    }

    /// Lets go of blocks in which nothing waits and nothing is to be served, unless `keeps` says of the least and the
    /// greatest numbers of a block that it is needed. Shows the entries that are gone.
    pub(crate) fn retain(&self, keeps: impl Fn(&[i64], &[i64]) -> bool, mut gone: impl FnMut(Entry)) {
        let Split { bits, .. } = self.split;
        for shard in &self.shards {
            let shard = &mut *shard.lock();
            for (position, block) in shard.blocks.iter_mut().enumerate() {
                if !block.is_used || !block.entries.iter().all(|entry| entry.is_settled()) {
                    continue;
                }
                let low = block.corner.map(|number| number << bits);
                let high = low.map(|number| number | ((1 << bits) - 1));
                if keeps(self.split.index(low).as_slice(), self.split.index(high).as_slice()) {
                    continue;
                }
                block.entries.iter().for_each(|entry| gone(*entry));
                let hash = hash_of(block.corner);
                if let Ok(found) = shard.table.find_entry(hash, |&other| other as usize == position) {
                    found.remove();
                }
                block.clear();
                shard.free.push(position as u32);
            }
        }
    }
}

impl Split {
    #[inline(always)]
    fn index(self, Numbers(first, second, third): Numbers) -> Index {
        Index(SmallVec::from_slice(&[first, second, third][..self.n_numbers]))
    }
}

#[inline(always)]
fn hash_of(corner: Numbers) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(corner.0 as u64);
    hasher.write_u64(corner.1 as u64);
    hasher.write_u64(corner.2 as u64);
    hasher.finish()
}

impl<M: Instrumentation> Shard<M> {
    fn new(split: Split, n_ports: usize) -> Self {
        let (table, blocks) = (HashTable::new(), Vec::new());
        let all_ports = u8::MAX >> (MAX_PORTS - n_ports);
        Self { split, n_ports, all_ports, table, blocks, free: Vec::new(), last: 0 }
    }

    /// The position of the block of a tag.
    #[inline(always)]
    fn find(&mut self, tag: &Tag) -> Option<u32> {
        let is_it = |block: &Block<M>| block.is_used && block.corner.is(&tag.corner);
        if self.blocks.get(self.last as usize).is_some_and(is_it) {
            return Some(self.last);
        }
        let found =
            *self.table.find(tag.hash, |&block| self.blocks[block as usize].corner.is(&tag.corner))?;
        self.last = found;
        Some(found)
    }

    #[cold]
    fn add_block(&mut self, tag: &Tag) -> u32 {
        let position = self.free.pop().unwrap_or(self.blocks.len() as u32);
        if position as usize == self.blocks.len() {
            self.blocks.push(Block::new());
        }
        let block = &mut self.blocks[position as usize];
        block.is_used = true;
        block.corner = tag.corner;
        let blocks = &self.blocks;
        self.table.insert_unique(tag.hash, position, |&other| hash_of(blocks[other as usize].corner));
        self.last = position;
        position
    }

    /// Puts an integer in; `create` gives the id of a new action.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        template: TemplateId,
        tag: &Tag,
        (port, number, stamp): (usize, i64, M::Stamp),
        create: impl FnOnce() -> ActionId,
    ) -> Put<M::Stamp> {
        let position = match self.find(tag) {
            Some(position) => position,
            None => self.add_block(tag),
        };
        let n_ports = self.n_ports;
        let block = &mut self.blocks[position as usize];
        let entry_idx = match block.places[tag.place as usize] {
            0 => block.add(tag.place, create(), n_ports, &stamp),
            INSTANCE => return Put::Promoted(stamp),
            known => known as usize - 1,
        };
        let entry = &mut block.entries[entry_idx];
        let spot = Spot { template, shard: tag.shard, block: position, entry: entry_idx as u32 };
        if entry.is_promoted() {
            return Put::Promoted(stamp);
        }
        let bit = 1 << port;
        if entry.filled & bit != 0 {
            return Put::Full(spot, stamp);
        }
        entry.filled |= bit;
        let at = entry_idx * n_ports + port;
        block.numbers[at] = number;
        block.stamps[at] = stamp;
        if entry.state == State::Idle && entry.filled == self.all_ports {
            entry.state = State::Scheduled;
            return Put::Ready(spot);
        }
        Put::Waits
    }

    /// The entry of a tag for which no instance stands yet; `None` where one does. If nothing has been heard of the tag, an
    /// instance is to be made that stands for it from now on: that is said, too.
    fn claim(&mut self, template: TemplateId, tag: &Tag) -> Option<Option<Spot>> {
        let position = match self.find(tag) {
            Some(position) => position,
            None => self.add_block(tag),
        };
        let block = &mut self.blocks[position as usize];
        let place = &mut block.places[tag.place as usize];
        if *place == 0 {
            *place = INSTANCE;
            return Some(None);
        }
        let entry_idx = (*place != INSTANCE).then(|| u32::from(*place) - 1)?;
        let spot = Spot { template, shard: tag.shard, block: position, entry: entry_idx };
        (!block.entries[entry_idx as usize].is_promoted()).then_some(Some(spot))
    }

    /// Entries that `is_wanted` picks and for which no instance stands.
    fn spots(&self, (template, shard): (TemplateId, u32), is_wanted: impl Fn(Entry) -> bool) -> Vec<Spot> {
        let mut spots = Vec::new();
        for (block_idx, block) in self.blocks.iter().enumerate().filter(|(_, block)| block.is_used) {
            for (entry_idx, entry) in block.entries.iter().enumerate() {
                if !entry.is_promoted() && is_wanted(*entry) {
                    spots.push(Spot { template, shard, block: block_idx as u32, entry: entry_idx as u32 });
                }
            }
        }
        spots
    }

    /// Begins an execution: shows what it takes, by port. `None` where an instance stands for the entry.
    #[inline(always)]
    pub(crate) fn take(&mut self, spot: Spot, mut show: impl FnMut(usize, i64, &M::Stamp)) -> Option<Begun> {
        let block = &mut self.blocks[spot.block as usize];
        let entry = &mut block.entries[spot.entry as usize];
        if entry.is_promoted() {
            entry.is_awaited = false;
            return None;
        }
        entry.filled = 0;
        entry.count += 1;
        let entry = *entry;
        let first = spot.entry as usize * self.n_ports;
        let waiting = block.numbers[first..][..self.n_ports].iter().zip(&block.stamps[first..]);
        waiting.enumerate().for_each(|(port, (&number, stamp))| show(port, number, stamp));
        let numbers = self.split.numbers(block.corner, entry.place);
        Some(Begun { action: entry.action, count: entry.count, numbers })
    }

    /// Ends an execution.
    #[inline(always)]
    pub(crate) fn end(&mut self, spot: Spot) -> Ended {
        let entry = &mut self.blocks[spot.block as usize].entries[spot.entry as usize];
        if entry.is_promoted() {
            entry.is_awaited = false;
            return Ended::Promoted;
        }
        if entry.filled == self.all_ports {
            return Ended::Again;
        }
        entry.state = State::Idle;
        Ended::Idle
    }

    /// Nobody is to serve the entry any more: what waits goes on waiting. True where an instance stands for it.
    pub(crate) fn leave(&mut self, spot: Spot) -> bool {
        let entry = &mut self.blocks[spot.block as usize].entries[spot.entry as usize];
        if entry.is_promoted() {
            entry.is_awaited = false;
            return true;
        }
        entry.state = State::Idle;
        false
    }

    /// The index of an entry.
    pub(crate) fn index(&self, spot: Spot) -> Index {
        let block = &self.blocks[spot.block as usize];
        self.split.index(self.split.numbers(block.corner, block.entries[spot.entry as usize].place))
    }
}

impl<M: Instrumentation> Block<M> {
    fn new() -> Self {
        let corner = Numbers(0, 0, 0);
        let (entries, numbers, stamps) = (Vec::new(), Vec::new(), Vec::new());
        Self { corner, is_used: false, places: [0; BLOCK], entries, numbers, stamps }
    }

    /// What is cleared keeps its memory: as many entries come again as have gone.
    fn clear(&mut self) {
        self.is_used = false;
        self.places = [0; BLOCK];
        self.entries.clear();
        self.numbers.clear();
        self.stamps.clear();
    }

    /// Adds an entry; the stamp stands for those of ports on which nothing waits.
    #[inline]
    fn add(&mut self, place: u8, action: ActionId, n_ports: usize, stamp: &M::Stamp) -> usize {
        if self.entries.len() == self.entries.capacity() {
            // One to begin with, as there may be no neighbors, then a row of them.
            let n_more = if self.entries.is_empty() { 1 } else { (2 * self.entries.len()).clamp(7, BLOCK) };
            self.entries.reserve_exact(n_more);
            self.numbers.reserve_exact(n_more * n_ports);
            self.stamps.reserve_exact(n_more * n_ports);
        }
        self.entries.push(Entry {
            count: 0,
            action,
            filled: 0,
            place,
            state: State::Idle,
            is_awaited: false,
        });
        self.numbers.resize(self.entries.len() * n_ports, 0);
        self.stamps.resize(self.entries.len() * n_ports, stamp.clone());
        self.places[place as usize] = self.entries.len() as u8;
        self.entries.len() - 1
    }
}

/// Entries that are to be served by whoever has nothing else to do.
#[derive(Default)]
pub(crate) struct Offered {
    spots: Mutex<Vec<Spot>>,
    /// Written under the lock; read without it to see whether a look is worth it.
    n_spots: AtomicUsize,
}

impl Offered {
    /// Whether there are any.
    #[inline]
    pub(crate) fn is_any(&self) -> bool {
        self.n_spots.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn add(&self, added: impl Iterator<Item = Spot>) {
        let mut spots = self.spots.lock();
        spots.extend(added);
        self.n_spots.store(spots.len(), Ordering::Relaxed);
    }

    /// Moves all of them to a list; false where there are none.
    #[inline]
    pub(crate) fn take(&self, to: &mut Vec<Spot>) -> bool {
        if !self.is_any() {
            return false;
        }
        let mut spots = self.spots.lock();
        self.n_spots.store(0, Ordering::Relaxed);
        to.append(&mut spots);
        !to.is_empty()
    }
}
