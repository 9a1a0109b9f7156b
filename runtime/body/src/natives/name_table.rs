//! Names of a template as native bodies look them up. A body looks up some for each event, so that a lookup takes a few
//! instructions.

use hasse_model::plan::{Access, SlotKind, Template};
use hasse_model::value::Type;

/// Slots by name: a hash table with open addressing that is half empty.
#[derive(Debug)]
pub struct NameTable {
    /// A power of two of them.
    entries: Box<[Entry]>,
    /// The names that their key does not tell, by slot.
    long_names: Box<[Option<Box<str>>]>,
}

/// A name with its slot; none where the key is zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    key: u64,
    slot_idx: u32,
    /// Scalars that a body may set it to without a check.
    sets: Sets,
}

/// Scalars of one type, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sets {
    /// No scalar.
    #[default]
    Nothing,
    /// Integers.
    Int,
    /// Reals.
    Real,
    /// Truth values.
    Bool,
}

/// Longest name that its key tells.
const MAX_KEY_BYTES: usize = 7;

/// A table is at most so many times doubled to be rid of collisions.
const MAX_DOUBLINGS: usize = 5;

/// The first four bytes of a name, its last three, and its length: all of a name of up to seven bytes.
#[inline(always)]
fn key_of(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let ends = match bytes {
        [] => 0,
        [one] => u64::from(*one),
        [a, b] => u64::from(*a) | u64::from(*b) << 8,
        [a, b, c] => u64::from(u32::from_le_bytes([*a, *b, *c, 0])),
        [a, b, c, d, ..] => {
            let last = bytes.last_chunk::<3>().map_or(0, |[x, y, z]| u32::from_le_bytes([*x, *y, *z, 0]));
            u64::from(u32::from_le_bytes([*a, *b, *c, *d])) | u64::from(last) << 32
        }
    };
    ends | (bytes.len() as u64) << 56
}

/// Well mixed in its upper bits (Fibonacci hashing: Knuth 1998, section 6.4).
#[inline(always)]
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

impl NameTable {
    /// Makes the table of a template's slots.
    pub fn of(template: &Template) -> Self {
        let mut keys: Vec<u64> = template.slots.iter().map(|slot| key_of(&slot.name)).collect();
        keys.sort_unstable();
        keys.dedup();
        // A table without collisions, unless it were large.
        let smallest = (2 * keys.len()).next_power_of_two();
        let sizes = (0..MAX_DOUBLINGS).map(|doublings| smallest << doublings);
        let has_no_collisions = |n_entries: &usize| {
            let mut places: Vec<usize> = keys.iter().map(|&key| hash(key) % n_entries).collect();
            places.sort_unstable();
            places.windows(2).all(|two| two[0] != two[1])
        };
        let n_entries = sizes.into_iter().find(has_no_collisions).unwrap_or(smallest);
        let mut entries = vec![Entry::default(); n_entries].into_boxed_slice();
        let mut long_names = vec![None; template.slots.len()].into_boxed_slice();
        let first_shared = template.slots_of(SlotKind::Shared).start;
        for (slot_idx, slot) in template.slots.iter().enumerate() {
            let is_writer = || template.shared[slot_idx - first_shared].access == Access::Write;
            let may_set = match slot.kind {
                SlotKind::Var | SlotKind::Let => true,
                SlotKind::Shared => is_writer(),
                _ => false,
            };
            let sets = match slot.ty {
                Type::Int if may_set => Sets::Int,
                Type::Real if may_set => Sets::Real,
                Type::Bool if may_set => Sets::Bool,
                _ => Sets::Nothing,
            };
            let key = key_of(&slot.name);
            if slot.name.len() > MAX_KEY_BYTES {
                long_names[slot_idx] = Some(slot.name.as_str().into());
            }
            let mut at = hash(key) % n_entries;
            while entries[at].key != 0 {
                at = (at + 1) % n_entries;
            }
            entries[at] = Entry { key, slot_idx: slot_idx as u32, sets };
        }
        Self { entries, long_names }
    }

    /// Returns the slot of a name. Of two slots with one name it is the first.
    #[inline(always)]
    pub fn find(&self, name: &str) -> Option<&Entry> {
        let key = key_of(name);
        let at = hash(key) & (self.entries.len() - 1);
        match self.entries.get(at) {
            Some(entry) if name.len() <= MAX_KEY_BYTES && entry.key == key => Some(entry),
            _ => self.find_further(name, key),
        }
    }

    #[inline(never)]
    fn find_further(&self, name: &str, key: u64) -> Option<&Entry> {
        let (front, back) = self.entries.split_at(hash(key) & (self.entries.len() - 1));
        let is_it = |entry: &&Entry| {
            let long_name = &self.long_names[entry.slot_idx as usize];
            entry.key == key && long_name.as_deref().is_none_or(|whole| whole == name)
        };
        back.iter().chain(front).take_while(|entry| entry.key != 0).find(is_it)
    }
}

impl Entry {
    /// Returns the index of the slot.
    #[inline(always)]
    pub fn slot_idx(&self) -> usize {
        self.slot_idx as usize
    }

    /// Returns the scalars that the name may be set to without a check.
    #[inline(always)]
    pub fn sets(&self) -> Sets {
        self.sets
    }
}
