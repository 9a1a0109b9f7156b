//! Vector clocks of actions that access shared objects (Hyder 1994, section 8.1.1 and table 8-1, after Mattern
//! 1989): which of their accesses are certain to come first in every replay.
//!
//! The clock of an execution holds, for each slot, up to which execution of the slot's action it is certain. A
//! clock that knows less than is true makes the record larger and never wrong, so that the number of slots is
//! bounded: actions beyond have none.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Slots that are given out: 2 KiB for a full clock.
const MAX_SLOTS: u32 = 256;

/// A number for each slot; slots behind its end are 0. Copies share memory until they differ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(Option<Arc<Vec<u64>>>);

/// A place in clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

/// Gives out slots.
#[derive(Debug, Default)]
pub(crate) struct Slots(AtomicU32);

impl Slots {
    /// A slot of its own, as long as there are any.
    #[inline]
    pub(crate) fn next(&self) -> Option<Slot> {
        if self.0.load(Ordering::Relaxed) >= MAX_SLOTS {
            return None;
        }
        let slot = self.0.fetch_add(1, Ordering::Relaxed);
        (slot < MAX_SLOTS).then_some(Slot(slot))
    }
}

impl Clock {
    /// Whether two clocks share memory, or both are empty.
    #[inline]
    pub(crate) fn is_same(&self, other: &Clock) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(own), Some(others)) => Arc::ptr_eq(own, others),
            _ => false,
        }
    }

    /// The number in a slot.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> u64 {
        self.as_slice().get(slot.0 as usize).copied().unwrap_or(0)
    }

    /// Raises a slot to a number.
    #[inline]
    pub(crate) fn raise(&mut self, slot: Slot, number: u64) {
        if self.get(slot) >= number {
            return;
        }
        let numbers = Arc::make_mut(self.0.get_or_insert_default());
        let slot_idx = slot.0 as usize;
        if numbers.len() <= slot_idx {
            numbers.resize(slot_idx + 1, 0);
        }
        numbers[slot_idx] = number;
    }

    /// Raises every slot to what it is in `other`; writes no memory where one of the two has nothing to add.
    #[inline]
    pub(crate) fn merge(&mut self, other: &Clock) {
        let (Some(own), Some(others)) = (&self.0, &other.0) else {
            if self.0.is_none() {
                self.0.clone_from(&other.0);
            }
            return;
        };
        if Arc::ptr_eq(own, others) || is_at_most(others, own) {
            return;
        }
        if is_at_most(own, others) {
            self.0.clone_from(&other.0);
            return;
        }
        let own = Arc::make_mut(self.0.get_or_insert_default());
        if own.len() < others.len() {
            own.resize(others.len(), 0);
        }
        own.iter_mut().zip(others.iter()).for_each(|(own, &other)| *own = other.max(*own));
    }

    #[inline]
    fn as_slice(&self) -> &[u64] {
        self.0.as_ref().map_or(&[], |numbers| numbers.as_slice())
    }
}

#[inline]
fn is_at_most(low: &[u64], high: &[u64]) -> bool {
    low.len() <= high.len() && low.iter().zip(high).all(|(low, high)| low <= high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_takes_the_larger_number_of_each_slot() {
        let clock = |numbers: &[u64]| {
            let mut clock = Clock::default();
            (0..).zip(numbers).for_each(|(slot, &number)| clock.raise(Slot(slot), number));
            clock
        };
        for (left, right) in [(&[1, 5][..], &[2, 3, 4][..]), (&[], &[2, 5, 4]), (&[2, 5, 4], &[2, 4])] {
            let mut merged = clock(left);
            merged.merge(&clock(right));
            assert_eq!([0, 1, 2, 3].map(|slot| merged.get(Slot(slot))), [2, 5, 4, 0]);
        }
    }

    #[test]
    fn slots_run_out() {
        let slots = Slots::default();
        assert!((0..MAX_SLOTS).all(|_| slots.next().is_some()));
        assert_eq!((slots.next(), slots.next()), (None, None));
    }
}
