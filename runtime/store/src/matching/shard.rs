//! Blocks of entries, and what happens to an entry while a shard is locked.

use hashbrown::HashTable;
use hasse_model::id::{ActionId, Index, TemplateId};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::entries::MAX_PORTS;

use crate::matching::tag::{Numbers, Split, Tag, hash_of};
use crate::matching::{AWAITED, Begun, Ended, Entry, FILLED, Put, SCHEDULED, Spot};

/// A block is for so many tags.
const BLOCK: usize = 64;
/// An instance stands for a tag that has no entry.
const INSTANCE: u8 = u8::MAX;

/// No tag has this one: the last bits are not there.
const NO_CORNER: Numbers = Numbers(i64::MAX, i64::MAX, i64::MAX);

/// A part of a store.
pub struct Shard<M: Instrumentation> {
    split: Split,
    pub(crate) n_ports: usize,
    /// All ports, as bits.
    all_ports: u32,
    /// Positions of blocks, by their corners.
    table: HashTable<u32>,
    pub(crate) blocks: Vec<Block<M>>,
    /// Positions of blocks that are not in use.
    free: Vec<u32>,
    /// The block that was looked up last.
    last: u32,
}

/// Entries of tags that are close to each other.
pub(crate) struct Block<M: Instrumentation> {
    /// What the tags have in common: their numbers without the last few bits of each.
    corner: Numbers,
    is_used: bool,
    /// By the place of a tag in its block: the position of its entry, counted from 1, or 0; or [`INSTANCE`].
    places: [u8; BLOCK],
    pub(crate) entries: Vec<Entry>,
    /// What waits, by entry and port, where the port is filled.
    pub(crate) numbers: Vec<i64>,
    pub(crate) stamps: Vec<M::Stamp>,
}

impl<M: Instrumentation> Shard<M> {
    pub(crate) fn new(split: Split, n_ports: usize) -> Self {
        let (table, blocks) = (HashTable::new(), Vec::new());
        let all_ports = FILLED >> (MAX_PORTS - n_ports);
        Self { split, n_ports, all_ports, table, blocks, free: Vec::new(), last: 0 }
    }

    /// The position of the block of a tag.
    #[inline(always)]
    fn find(&mut self, tag: &Tag) -> Option<u32> {
        let is_it = |block: &Block<M>| block.corner.is(&tag.corner);
        if self.blocks.get(self.last as usize).is_some_and(is_it) {
            return Some(self.last);
        }
        let found = *self
            .table
            .find(hash_of(tag.corner), |&block| self.blocks[block as usize].corner.is(&tag.corner))?;
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
        self.table
            .insert_unique(hash_of(tag.corner), position, |&other| hash_of(blocks[other as usize].corner));
        self.last = position;
        position
    }

    /// Puts an integer in; `create` gives the id of a new action.
    #[inline(always)]
    pub fn put(
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
        if entry.marks & bit != 0 {
            return Put::Full(spot, stamp);
        }
        entry.marks |= bit;
        let is_ready = entry.marks & (SCHEDULED | FILLED) == self.all_ports;
        if is_ready {
            entry.marks |= SCHEDULED;
        }
        let at = entry_idx * n_ports + port;
        block.numbers[at] = number;
        block.stamps[at] = stamp;
        if is_ready { Put::Ready(spot) } else { Put::Waits }
    }

    /// The entry of a tag for which no instance stands yet; `None` where one does. If nothing has been heard of the tag, an
    /// instance is to be made that stands for it from now on: that is said, too.
    pub(crate) fn claim(&mut self, template: TemplateId, tag: &Tag) -> Option<Option<Spot>> {
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
    pub(crate) fn spots(
        &self,
        (template, shard): (TemplateId, u32),
        is_wanted: impl Fn(Entry) -> bool,
    ) -> Vec<Spot> {
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

    /// Shows the entries for which no instance stands.
    pub(crate) fn each_entry(&self, look: &mut impl FnMut(Entry, Index)) {
        for block in self.blocks.iter().filter(|block| block.is_used) {
            for entry in block.entries.iter().filter(|entry| !entry.is_promoted()) {
                look(*entry, self.split.index(self.split.numbers(block.corner, entry.place())));
            }
        }
    }

    pub(crate) fn each_due(&self, are_all_with_values: bool, look: &mut impl FnMut(&[i64], &[i64])) {
        let is_due = |entry: &&Entry| entry.is_scheduled() || are_all_with_values && entry.filled() != 0;
        for block in self.blocks.iter().filter(|block| block.is_used) {
            let due = block.entries.iter().filter(is_due);
            let numbers = due.map(|entry| self.split.numbers(block.corner, entry.place()));
            let ends = numbers.fold(None, |ends: Option<[Numbers; 2]>, numbers| {
                let [low, high] = ends.unwrap_or([numbers; 2]);
                Some([low.with(numbers, i64::min), high.with(numbers, i64::max)])
            });
            if let Some(ends) = ends {
                let [low, high] = ends.map(|numbers| self.split.index(numbers));
                look(low.as_slice(), high.as_slice());
            }
        }
    }

    pub(crate) fn retain(&mut self, keeps: &impl Fn(&[i64], &[i64]) -> bool, gone: &mut impl FnMut(Entry)) {
        for (position, block) in self.blocks.iter_mut().enumerate() {
            if !block.is_used || !block.entries.iter().all(|entry| entry.is_settled()) {
                continue;
            }
            let [low, high] = self.split.ends(block.corner).map(|numbers| self.split.index(numbers));
            if keeps(low.as_slice(), high.as_slice()) {
                continue;
            }
            block.entries.iter().for_each(|entry| gone(*entry));
            let found = self.table.find_entry(hash_of(block.corner), |&other| other as usize == position);
            if let Ok(found) = found {
                found.remove();
            }
            block.clear();
            self.free.push(position as u32);
        }
    }

    /// Begins an execution; `None` where an instance stands for the entry.
    #[inline(always)]
    pub fn take(&mut self, spot: Spot) -> Option<Begun<'_, M::Stamp>> {
        let block = &mut self.blocks[spot.block as usize];
        let entry = &mut block.entries[spot.entry as usize];
        if entry.is_promoted() {
            entry.marks &= !AWAITED;
            return None;
        }
        entry.marks &= !FILLED;
        entry.count += 1;
        let Entry { action, count, .. } = *entry;
        let numbers = self.split.numbers(block.corner, entry.place());
        let first = spot.entry as usize * self.n_ports;
        let ports = first..first + self.n_ports;
        let (taken, stamps) = (&block.numbers[ports.clone()], &block.stamps[ports]);
        Some(Begun { action, count, numbers, taken, stamps })
    }

    /// Ends an execution.
    #[inline(always)]
    pub fn end(&mut self, spot: Spot) -> Ended {
        let entry = &mut self.blocks[spot.block as usize].entries[spot.entry as usize];
        if entry.is_promoted() {
            entry.marks &= !AWAITED;
            return Ended::Promoted;
        }
        if entry.filled() == self.all_ports {
            return Ended::Again;
        }
        entry.marks &= !SCHEDULED;
        Ended::Idle
    }

    /// Nobody is to serve the entry any more: what waits goes on waiting. True where an instance stands for it.
    pub fn leave(&mut self, spot: Spot) -> bool {
        let entry = &mut self.blocks[spot.block as usize].entries[spot.entry as usize];
        if entry.is_promoted() {
            entry.marks &= !AWAITED;
            return true;
        }
        entry.marks &= !SCHEDULED;
        false
    }

    /// The index of an entry.
    pub fn index(&self, spot: Spot) -> Index {
        let block = &self.blocks[spot.block as usize];
        self.split.index(self.split.numbers(block.corner, block.entries[spot.entry as usize].place()))
    }
}

impl<M: Instrumentation> Block<M> {
    fn new() -> Self {
        let corner = NO_CORNER;
        let (entries, numbers, stamps) = (Vec::new(), Vec::new(), Vec::new());
        Self { corner, is_used: false, places: [0; BLOCK], entries, numbers, stamps }
    }

    /// What is cleared keeps its room: as many entries come again as have gone.
    fn clear(&mut self) {
        self.is_used = false;
        self.corner = NO_CORNER;
        self.places = [0; BLOCK];
        self.entries.clear();
    }

    /// Makes room for more entries, and for what waits on their ports.
    #[cold]
    fn grow(&mut self, n_ports: usize, stamp: &M::Stamp) {
        // One to begin with, as there may be no neighbors, then a row of them, then all.
        let n_entries = match self.entries.len() {
            0 => 1,
            1 => 8,
            _ => BLOCK,
        };
        self.entries.reserve_exact(n_entries - self.entries.len());
        self.numbers.reserve_exact(n_entries * n_ports - self.numbers.len());
        self.numbers.resize(n_entries * n_ports, 0);
        self.stamps.reserve_exact(n_entries * n_ports - self.stamps.len());
        self.stamps.resize(n_entries * n_ports, stamp.clone());
    }

    /// Adds an entry; the stamp stands for those of ports on which nothing waits.
    #[inline]
    fn add(&mut self, place: u8, action: ActionId, n_ports: usize, stamp: &M::Stamp) -> usize {
        if self.entries.len() == self.entries.capacity() {
            self.grow(n_ports, stamp);
        }
        self.entries.push(Entry::new(place, action));
        self.places[place as usize] = self.entries.len() as u8;
        self.entries.len() - 1
    }
}
