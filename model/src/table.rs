//! Tables by dense id: a position instead of a hash, for ids that a trace may have made up.
//!
//! A run hands out ids in order of creation, so that a plain vector by id has no holes to speak of. A
//! damaged or hostile trace may name any 32-bit id; what lies far beyond the ids used so far goes to an
//! ordered map instead, so that memory stays in proportion to what has arrived. Pages keep a growing
//! table from being copied.

use std::collections::BTreeMap;

/// Ids on one page.
const PAGE_IDS: usize = 1 << 12;

/// How many ids the dense part may cover for each slot that was asked for.
const MOST_IDS_PER_USE: u64 = 8;

/// A value for each id; [`Default`] where none was set.
///
/// ```
/// use hasse_model::table::IdTable;
///
/// let mut counts: IdTable<u64> = IdTable::new();
/// *counts.slot(7) += 1;
/// *counts.slot(u32::MAX) += 2;
/// assert_eq!([counts.get(7), counts.get(u32::MAX), counts.get(8)].map(|n| n.copied().unwrap_or(0)), [1, 2, 0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct IdTable<T> {
    /// Pages of `PAGE_IDS` values: ids below `pages.len() * PAGE_IDS` are here and nowhere else.
    pages: Vec<Box<[T]>>,
    /// The other ids.
    sparse: BTreeMap<u32, T>,
    n_uses: u64,
}

impl<T: Default> IdTable<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of an id; `None` where it was never asked for by [`slot`](Self::slot), and the default
    /// value where a neighbor was. Cost: two memory accesses; logarithmic for an id out of the dense part.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&T> {
        match self.pages.get(id as usize / PAGE_IDS) {
            Some(page) => Some(&page[id as usize % PAGE_IDS]),
            None if self.sparse.is_empty() => None,
            None => self.sparse.get(&id),
        }
    }

    /// The ids that are there, ascending, with their values: those that were asked for, and their neighbors.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let paged = self.pages.iter().flat_map(|page| page.iter()).zip(0..).map(|(value, id)| (id, value));
        paged.chain(self.sparse.iter().map(|(&id, value)| (id, value)))
    }

    /// The place of an id; holds the default value at first. Cost: constant on average over the slots of
    /// a run; logarithmic for an id out of the dense part.
    #[inline]
    pub fn slot(&mut self, id: u32) -> &mut T {
        self.n_uses += 1;
        let page = id as usize / PAGE_IDS;
        if page >= self.pages.len() && !self.grow(page) {
            return self.sparse.entry(id).or_default();
        }
        &mut self.pages[page][id as usize % PAGE_IDS]
    }

    /// Extends the dense part to a page, where as many slots were used as pay for that.
    #[cold]
    fn grow(&mut self, page: usize) -> bool {
        let n_ids = (page as u64 + 1) * PAGE_IDS as u64;
        if n_ids > self.n_uses.saturating_mul(MOST_IDS_PER_USE) + 2 * PAGE_IDS as u64 {
            return false;
        }
        while self.pages.len() <= page {
            self.pages.push(std::iter::repeat_with(T::default).take(PAGE_IDS).collect());
        }
        while let Some(entry) = self.sparse.first_entry() {
            if u64::from(*entry.key()) >= n_ids {
                break;
            }
            let (id, value) = entry.remove_entry();
            self.pages[id as usize / PAGE_IDS][id as usize % PAGE_IDS] = value;
        }
        true
    }
}

#[cfg(test)]
mod tests {

    use proptest::prelude::*;

    use super::*;

    fn ids() -> impl Strategy<Value = u32> {
        prop_oneof![4 => 0..200_u32, 2 => 0..100_000_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
    }

    proptest! {
        #[test]
        fn is_a_map(steps in prop::collection::vec((ids(), any::<u32>()), 0..400)) {
            let (mut table, mut map) = (IdTable::<u32>::new(), BTreeMap::new());
            for (id, value) in steps {
                let slot = table.slot(id);
                prop_assert_eq!(*slot, map.get(&id).copied().unwrap_or(0));
                *slot = value;
                map.insert(id, value);
            }
            for (&id, value) in &map {
                prop_assert_eq!(table.get(id), Some(value));
            }
        }
    }

    #[test]
    fn memory_follows_what_was_used() {
        let mut table = IdTable::<u64>::new();
        for id in (0..1000).map(|step| u32::MAX - step * 1_000_000) {
            *table.slot(id) = u64::from(id);
        }
        assert!(table.pages.len() <= 4, "{} pages for 1000 ids", table.pages.len());
        assert_eq!(table.get(u32::MAX - 5_000_000), Some(&u64::from(u32::MAX - 5_000_000)));
    }

    #[test]
    fn ids_in_order_are_dense() {
        let mut table = IdTable::<u64>::new();
        (0..100_000).rev().for_each(|id| *table.slot(id) += 1);
        (0..100_000).for_each(|id| *table.slot(id) += 1);
        assert!(table.sparse.is_empty());
        assert!((0..100_000).all(|id| table.get(id) == Some(&2)));
    }
}
