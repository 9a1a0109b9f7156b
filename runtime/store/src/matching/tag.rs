//! Tags: index numbers, and how those that are close to each other come together.

use std::cell::Cell;
use std::hash::Hasher;

use hasse_model::id::Index;
use hasse_runtime_plan::entries::{MAX_NUMBERS, ROWS};
use rustc_hash::FxHasher;

/// Index numbers; those that there are not are 0. They are looked at one by one everywhere: to move or compare the whole,
/// just after its parts have been written, would stall the processor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Numbers(pub i64, pub i64, pub i64);

impl Numbers {
    #[inline]
    pub(crate) fn of(index: &[i64]) -> Self {
        let number = |nth: usize| index.get(nth).copied().unwrap_or_default();
        Self(number(0), number(1), number(2))
    }

    fn map(self, change: impl Fn(i64) -> i64) -> Self {
        Self(change(self.0), change(self.1), change(self.2))
    }

    /// One by one with those of another one.
    pub(crate) fn with(self, other: Self, combine: impl Fn(i64, i64) -> i64) -> Self {
        Self(combine(self.0, other.0), combine(self.1, other.1), combine(self.2, other.2))
    }

    #[inline(always)]
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0 == other.0 && self.1 == other.1 && self.2 == other.2
    }
}

/// How tags are told apart: by the last bits of each number the place in a block, by the others the block.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    n_numbers: usize,
    /// How many bits of each number tell the place.
    bits: u32,
    /// By number, which bits these are; none where there is no such number.
    masks: (i64, i64, i64),
}

impl Split {
    pub(crate) fn new(n_numbers: usize) -> Self {
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
        if self.n_numbers < MAX_NUMBERS {
            return Numbers(numbers.0 >> self.bits, numbers.1 >> self.bits, 0);
        }
        Numbers(numbers.0 >> self.bits, numbers.1 >> self.bits, numbers.2 >> self.bits)
    }

    #[inline(always)]
    fn place(self, Numbers(first, second, third): Numbers) -> u8 {
        // Where a number is missing, so is its part.
        let place = first & self.masks.0 | (second & self.masks.1) << self.bits;
        match self.n_numbers {
            MAX_NUMBERS => (place | (third & self.masks.2) << (2 * self.bits)) as u8,
            _ => place as u8,
        }
    }

    #[inline(always)]
    pub(crate) fn numbers(self, corner: Numbers, place: u8) -> Numbers {
        let place = i64::from(place);
        let first = corner.0 << self.bits | place & self.masks.0;
        let second = corner.1 << self.bits | place >> self.bits & self.masks.1;
        match self.n_numbers {
            MAX_NUMBERS => {
                Numbers(first, second, corner.2 << self.bits | place >> (2 * self.bits) & self.masks.2)
            }
            _ => Numbers(first, second, 0),
        }
    }
}

/// Where the entry of a tag is, or is to be.
pub struct Tag {
    pub(crate) corner: Numbers,
    pub(crate) place: u8,
    /// Position of the shard.
    pub shard: u32,
}

impl Tag {
    #[inline(always)]
    pub(crate) fn new(split: Split, numbers: Numbers, n_shards: usize) -> Self {
        let corner = split.corner(numbers);
        Self { corner, place: split.place(numbers), shard: shard_of(corner, n_shards) }
    }
}

/// Tags of many entries, in columns.
#[derive(Debug)]
pub struct Tags {
    first: [i64; ROWS],
    second: [i64; ROWS],
    third: [i64; ROWS],
    places: [u8; ROWS],
}

impl Default for Tags {
    #[inline]
    fn default() -> Self {
        Self { first: [0; ROWS], second: [0; ROWS], third: [0; ROWS], places: [0; ROWS] }
    }
}

impl Tags {
    /// Works out so many tags, of index numbers that stand in columns, to each of which a number of its own is added.
    #[inline]
    pub(crate) fn fill(
        &mut self,
        split: Split,
        n_rows: usize,
        columns: [(&[Cell<i64>; ROWS], i64); MAX_NUMBERS],
    ) {
        let [first, second, third] = columns;
        let number =
            |(column, offset): (&[Cell<i64>; ROWS], i64), row: usize| column[row].get().wrapping_add(offset);
        for row in 0..n_rows.min(ROWS) {
            let numbers = Numbers(number(first, row), number(second, row), 0);
            self.first[row] = numbers.0 >> split.bits;
            self.second[row] = numbers.1 >> split.bits;
            self.places[row] = (numbers.0 & split.masks.0 | (numbers.1 & split.masks.1) << split.bits) as u8;
        }
        if split.n_numbers < MAX_NUMBERS {
            self.third.fill(0);
        } else {
            for row in 0..n_rows.min(ROWS) {
                let number = number(third, row);
                self.third[row] = number >> split.bits;
                self.places[row] |= ((number & split.masks.2) << (2 * split.bits)) as u8;
            }
        }
    }

    /// A tag, for so many shards.
    #[inline(always)]
    pub(crate) fn at(&self, row: usize, n_shards: usize) -> Tag {
        let row = row % ROWS;
        let corner = Numbers(self.first[row], self.second[row], self.third[row]);
        Tag { corner, place: self.places[row], shard: shard_of(corner, n_shards) }
    }
}

/// By other bits than those by which a shard is searched.
#[inline(always)]
fn shard_of(corner: Numbers, n_shards: usize) -> u32 {
    if n_shards == 1 { 0 } else { ((hash_of(corner) >> 32) as usize & (n_shards - 1)) as u32 }
}

impl Split {
    /// The least and the greatest numbers of a block.
    #[inline]
    pub(crate) fn ends(self, corner: Numbers) -> [Numbers; 2] {
        let low = corner.map(|number| number << self.bits);
        [low, low.map(|number| number | ((1 << self.bits) - 1))]
    }

    #[inline(always)]
    pub(crate) fn index(self, Numbers(first, second, third): Numbers) -> Index {
        Index::from(&[first, second, third][..self.n_numbers])
    }
}

#[inline(always)]
pub(crate) fn hash_of(corner: Numbers) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(corner.0 as u64);
    hasher.write_u64(corner.1 as u64);
    hasher.write_u64(corner.2 as u64);
    hasher.finish()
}
