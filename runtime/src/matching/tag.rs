//! Tags: index numbers, and how those that are close to each other come together.

use std::hash::Hasher;

use hasse_model::id::Index;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::MAX_NUMBERS;

/// Index numbers; those that there are not are 0. They are looked at one by one everywhere: to move or compare the whole,
/// just after its parts have been written, would stall the processor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbers(pub(crate) i64, pub(crate) i64, pub(crate) i64);

impl Numbers {
    pub(super) fn of(index: &[i64]) -> Self {
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
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0 == other.0 && self.1 == other.1 && self.2 == other.2
    }
}

/// How tags are told apart: by the last bits of each number the place in a block, by the others the block.
#[derive(Clone, Copy)]
pub(super) struct Split {
    n_numbers: usize,
    /// How many bits of each number tell the place.
    bits: u32,
    /// By number, which bits these are; none where there is no such number.
    masks: (i64, i64, i64),
}

impl Split {
    pub(super) fn new(n_numbers: usize) -> Self {
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
    pub(super) fn numbers(self, corner: Numbers, place: u8) -> Numbers {
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
pub(crate) struct Tag {
    pub(super) corner: Numbers,
    pub(super) place: u8,
    pub(crate) shard: u32,
}

impl Tag {
    #[inline(always)]
    pub(super) fn new(split: Split, numbers: Numbers, n_shards: usize) -> Self {
        let corner = split.corner(numbers);
        // By other bits than those by which a shard is searched.
        let shard = if n_shards == 1 { 0 } else { (hash_of(corner) >> 32) as usize & (n_shards - 1) };
        Self { corner, place: split.place(numbers), shard: shard as u32 }
    }
}

impl Split {
    /// The least and the greatest numbers of a block.
    pub(super) fn ends(self, corner: Numbers) -> [Numbers; 2] {
        let low = corner.map(|number| number << self.bits);
        [low, low.map(|number| number | ((1 << self.bits) - 1))]
    }

    #[inline(always)]
    pub(super) fn index(self, Numbers(first, second, third): Numbers) -> Index {
        Index(SmallVec::from_slice(&[first, second, third][..self.n_numbers]))
    }
}

#[inline(always)]
pub(super) fn hash_of(corner: Numbers) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(corner.0 as u64);
    hasher.write_u64(corner.1 as u64);
    hasher.write_u64(corner.2 as u64);
    hasher.finish()
}
