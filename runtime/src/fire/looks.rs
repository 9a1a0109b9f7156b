//! Moments at which instances are looked at again, as their timed firing rules may be due.
//!
//! An instance has one moment at most. It is removed when the rule that it is for is no longer enabled, so that no run waits for it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hasse_model::id::ActionId;
use hasse_record::instrumentation::Instrumentation;
use hasse_store::instance::Ready;
use parking_lot::Mutex;

/// Instances by the moments at which they are looked at again, in nanoseconds.
pub(crate) struct LookTimes<M: Instrumentation> {
    held: Mutex<BTreeMap<(u64, ActionId), Ready<M>>>,
    /// The first moment; `u64::MAX` where there is none. It may be read without the lock.
    first: AtomicU64,
}

impl<M: Instrumentation> Default for LookTimes<M> {
    fn default() -> Self {
        Self { held: Mutex::default(), first: AtomicU64::new(u64::MAX) }
    }
}

impl<M: Instrumentation> LookTimes<M> {
    /// The first moment, in nanoseconds.
    #[inline]
    pub(crate) fn first(&self) -> Option<u64> {
        let first = self.first.load(Ordering::Acquire);
        (first != u64::MAX).then_some(first)
    }

    /// Replaces the moment of an instance. Returns true if the new one is now the first of all.
    pub(crate) fn replace(&self, instance: &Ready<M>, old: Option<u64>, new: Option<u64>) -> bool {
        let mut held = self.held.lock();
        let removed = old.and_then(|moment| held.remove(&(moment, instance.action)));
        if let Some(moment) = new {
            held.insert((moment, instance.action), Arc::clone(instance));
        }
        // Under the lock, so that whoever delivers counts in the same order.
        let mut inbox = instance.inbox.lock();
        inbox.n_looks -= u32::from(removed.is_some());
        inbox.n_looks += u32::from(new.is_some());
        drop(inbox);
        let first = held.first_key_value().map_or(u64::MAX, |((moment, _), _)| *moment);
        self.first.store(first, Ordering::Release);
        new.is_some_and(|moment| moment <= first)
    }

    /// Takes out up to `most` instances whose moments have come. `wake` is given those that nobody serves; whoever serves one looks again
    /// before it lets go of it.
    pub(crate) fn take_due(&self, now: u64, most: usize, mut wake: impl FnMut(Ready<M>)) {
        for _ in 0..most {
            let mut held = self.held.lock();
            let is_due = held.first_key_value().is_some_and(|((moment, _), _)| *moment <= now);
            let Some((_, instance)) = is_due.then(|| held.pop_first()).flatten() else { return };
            let first = held.first_key_value().map_or(u64::MAX, |((moment, _), _)| *moment);
            self.first.store(first, Ordering::Release);
            let mut inbox = instance.inbox.lock();
            inbox.n_looks -= 1;
            inbox.looks_again = inbox.is_scheduled;
            let was_scheduled = std::mem::replace(&mut inbox.is_scheduled, true);
            drop(inbox);
            drop(held);
            if !was_scheduled {
                wake(instance);
            }
        }
    }
}
