//! Delayed values, in the order of their times of delivery.
//!
//! Those of one sender for one place are delivered in the order sent: none overtakes an earlier one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Time of delivery in nanoseconds, and the number of the value among all delayed ones.
type Moment = (u64, u64);

/// Delayed values. `K` is a sender with a place, `T` a value with its receiver.
pub struct Delays<K, T> {
    /// Time of the first one in nanoseconds; `u64::MAX` where there is none. It may be read without the lock.
    first: AtomicU64,
    held: Mutex<Held<K, T>>,
    /// Held by whoever delivers, so that nothing overtakes.
    delivering: Mutex<()>,
}

struct Held<K, T> {
    heap: BinaryHeap<Reverse<Entry<K, T>>>,
    /// Moment of the last delayed value of each sender for each place.
    last_of: FxHashMap<K, Moment>,
    n_added: u64,
}

struct Entry<K, T> {
    moment: Moment,
    key: K,
    item: T,
}

impl<K, T> PartialEq for Entry<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.moment == other.moment
    }
}

impl<K, T> Eq for Entry<K, T> {}

impl<K, T> PartialOrd for Entry<K, T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K, T> Ord for Entry<K, T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.moment.cmp(&other.moment)
    }
}

impl<K: Hash + Eq + Clone, T> Default for Delays<K, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Hash + Eq + Clone, T> Delays<K, T> {
    /// No values.
    pub fn new() -> Self {
        let held = Held { heap: BinaryHeap::new(), last_of: FxHashMap::default(), n_added: 0 };
        Self { first: AtomicU64::new(u64::MAX), held: Mutex::new(held), delivering: Mutex::new(()) }
    }

    /// Time of the first value in nanoseconds; `None` where there is none.
    #[inline]
    pub fn first(&self) -> Option<u64> {
        let first = self.first.load(Ordering::Acquire);
        (first != u64::MAX).then_some(first)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.held.lock().heap.len()
    }

    /// Returns true if there is no value.
    pub fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    /// Returns true if a value of a sender for a place is delayed: a later one must not overtake it.
    pub fn has_any(&self, key: &K) -> bool {
        self.held.lock().last_of.contains_key(key)
    }

    /// Adds a value that is due at `nanos`, or after the earlier ones of its sender for its place. Returns true if it is now the first
    /// of all.
    pub fn add(&self, nanos: u64, key: K, item: T) -> bool {
        let mut held = self.held.lock();
        let last = held.last_of.get(&key).map_or(0, |(nanos, _)| *nanos);
        // `u64::MAX` means that there is none.
        let moment = (nanos.max(last).min(u64::MAX - 1), held.n_added);
        held.n_added += 1;
        held.last_of.insert(key.clone(), moment);
        held.heap.push(Reverse(Entry { moment, key, item }));
        let is_first = held.heap.peek().is_some_and(|first| first.0.moment == moment);
        if is_first {
            self.first.store(moment.0, Ordering::Release);
        }
        is_first
    }

    /// Shows all values, in the order of their delivery. Cost: that of sorting them.
    pub fn each(&self, mut look: impl FnMut(&T)) {
        let held = self.held.lock();
        let mut entries: Vec<&Entry<K, T>> = held.heap.iter().map(|Reverse(entry)| entry).collect();
        entries.sort_unstable();
        entries.into_iter().for_each(|entry| look(&entry.item));
    }

    /// Delivers up to `most` values that are due at `now`, in order. Nothing if another worker delivers.
    pub fn deliver(&self, now: u64, most: usize, mut deliver: impl FnMut(T)) {
        let Some(_delivering) = self.delivering.try_lock() else { return };
        for _ in 0..most {
            let mut held = self.held.lock();
            let is_due = held.heap.peek().is_some_and(|first| first.0.moment.0 <= now);
            let Some(Reverse(Entry { moment, key, item })) = is_due.then(|| held.heap.pop()).flatten() else {
                return;
            };
            drop(held);
            deliver(item);
            let mut held = self.held.lock();
            if held.last_of.get(&key) == Some(&moment) {
                held.last_of.remove(&key);
            }
            let first = held.heap.peek().map_or(u64::MAX, |first| first.0.moment.0);
            self.first.store(first, Ordering::Release);
        }
    }

    /// Takes all values out, in order.
    pub fn take_all(&self, mut take: impl FnMut(T)) {
        self.deliver(u64::MAX, usize::MAX, &mut take);
    }
}

#[cfg(test)]
mod tests {
    use super::Delays;

    #[test]
    fn values_come_in_the_order_of_their_times_and_none_overtakes_its_sender() {
        let delays = Delays::new();
        assert!(delays.add(20, 'a', 1));
        assert!(delays.add(10, 'b', 2));
        assert!(!delays.add(15, 'a', 3));
        assert!(!delays.add(20, 'b', 4));
        assert_eq!(delays.first(), Some(10));
        let mut come = Vec::new();
        delays.deliver(9, 10, |value| come.push(value));
        assert!(come.is_empty());
        delays.deliver(19, 10, |value| come.push(value));
        assert_eq!(come, [2]);
        assert!(delays.has_any(&'a') && delays.has_any(&'b'));
        delays.deliver(20, 2, |value| come.push(value));
        assert_eq!(come, [2, 1, 3]);
        assert!(!delays.has_any(&'a') && delays.has_any(&'b'));
        delays.take_all(|value| come.push(value));
        assert_eq!((come, delays.first()), (vec![2, 1, 3, 4], None));
    }
}
