//! Items of nodes that have a priority: above 0 before all others, below 0 after all others.
//!
//! All other items, of priority 0, are with the [`Scheduler`](crate::scheduler::Scheduler). Priorities are strict: an item of lower
//! priority is served only where a worker finds none of higher priority. They say who is served next, not who is interrupted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// Items by priority, those of one priority in the order in which they were made ready.
pub struct Ranks<T> {
    held: Mutex<BTreeMap<i32, VecDeque<T>>>,
    /// Numbers of items above and below 0; they may be read without the lock.
    n_urgent: AtomicUsize,
    n_patient: AtomicUsize,
}

impl<T> Default for Ranks<T> {
    fn default() -> Self {
        let held = Mutex::default();
        Self { held, n_urgent: AtomicUsize::new(0), n_patient: AtomicUsize::new(0) }
    }
}

impl<T> Ranks<T> {
    fn counter(&self, priority: i32) -> &AtomicUsize {
        if priority > 0 { &self.n_urgent } else { &self.n_patient }
    }

    /// Makes an item ready.
    pub fn push(&self, priority: i32, item: T) {
        let mut held = self.held.lock();
        held.entry(priority).or_default().push_back(item);
        self.counter(priority).fetch_add(1, Ordering::Release);
    }

    /// Takes out the first item of the highest priority above 0.
    pub fn pop_urgent(&self) -> Option<T> {
        self.has_urgent().then(|| self.pop(true))?
    }

    /// Takes out the first item of the highest priority below 0.
    pub fn pop_patient(&self) -> Option<T> {
        (self.n_patient.load(Ordering::Acquire) > 0).then(|| self.pop(false))?
    }

    fn pop(&self, is_urgent: bool) -> Option<T> {
        let mut held = self.held.lock();
        let (&priority, items) = match is_urgent {
            true => held.range_mut(1..).next_back(),
            false => held.range_mut(..0).next_back(),
        }?;
        let item = items.pop_front();
        if items.is_empty() {
            held.remove(&priority);
        }
        self.counter(priority).fetch_sub(1, Ordering::Release);
        item
    }

    /// Returns true if an item of a priority above 0 is ready.
    #[inline]
    pub fn has_urgent(&self) -> bool {
        self.n_urgent.load(Ordering::Acquire) > 0
    }

    /// Returns true if an item is ready that goes before those of a priority.
    pub fn has_above(&self, priority: i32) -> bool {
        self.has_any() && self.held.lock().range(priority.saturating_add(1)..).next().is_some()
    }

    /// Returns true if any item is ready.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.has_urgent() || self.n_patient.load(Ordering::Acquire) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;

    #[test]
    fn higher_priorities_come_first_and_equal_ones_in_order() {
        let ranks = Ranks::default();
        for (priority, item) in [(1, 'a'), (-1, 'b'), (2, 'c'), (1, 'd'), (-2, 'e')] {
            ranks.push(priority, item);
        }
        assert!(ranks.has_above(1) && !ranks.has_above(2) && ranks.has_above(-1));
        let urgent: Vec<_> = std::iter::from_fn(|| ranks.pop_urgent()).collect();
        let patient: Vec<_> = std::iter::from_fn(|| ranks.pop_patient()).collect();
        assert_eq!((urgent, patient), (vec!['c', 'a', 'd'], vec!['b', 'e']));
        assert!(!ranks.has_any());
    }
}
