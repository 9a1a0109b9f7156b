//! Executions that wait for an answer of the world outside, by a number.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hasse_body::waiting::Pending;
use hasse_record::instrumentation::Instrumentation;
use hasse_schedule::delays::Delays;
use hasse_schedule::pool::Pool;
use hasse_store::instance::Ready;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Maximum number of executions that are woken at a time because of their times.
const MOST_AT_ONCE: usize = 1_000;

/// Executions that wait.
pub(crate) struct Waits<M: Instrumentation> {
    held: Mutex<Held<M>>,
    /// Length of `held`, which may be read without the lock.
    n_held: AtomicUsize,
    /// Those that wait for a time.
    timers: Delays<u64, u64>,
    come: Arc<Come>,
    /// In a controlled run: a global stop holds the actions that wait.
    pub(crate) is_held: AtomicBool,
}

struct Held<M: Instrumentation> {
    actions: FxHashMap<u64, Ready<M>>,
    next: u64,
}

/// Numbers of executions whose answers have come, written by those who answer.
struct Come {
    numbers: Mutex<Vec<u64>>,
    is_any: AtomicBool,
    pool: Arc<Pool>,
}

impl Come {
    fn note(&self, number: u64) {
        self.numbers.lock().push(number);
        self.is_any.store(true, Ordering::Release);
        self.pool.wake_all();
    }
}

impl<M: Instrumentation> Waits<M> {
    pub(crate) fn new(pool: Arc<Pool>) -> Self {
        Self {
            held: Mutex::new(Held { actions: FxHashMap::default(), next: 0 }),
            n_held: AtomicUsize::new(0),
            timers: Delays::new(),
            come: Arc::new(Come { numbers: Mutex::default(), is_any: AtomicBool::new(false), pool }),
            is_held: AtomicBool::new(false),
        }
    }

    /// The time of the first execution that waits for one, in nanoseconds.
    pub(crate) fn first_moment(&self) -> Option<u64> {
        self.timers.first()
    }

    /// Suspends an action until its answer has come.
    pub(crate) fn hold(&self, action: Ready<M>, pending: &Pending) {
        let mut held = self.held.lock();
        let number = held.next;
        held.next += 1;
        held.actions.insert(number, action);
        self.n_held.store(held.actions.len(), Ordering::Release);
        drop(held);
        match pending {
            Pending::At(nanos) => {
                if self.timers.add(*nanos, number, number) && self.come.pool.has_sleeper() {
                    // Sleepers may wait for a later timer.
                    self.come.pool.wake_one();
                }
            }
            Pending::Promised(promised) => {
                let come = Arc::clone(&self.come);
                promised.when_come(move || come.note(number));
            }
        }
    }

    fn take(&self, number: u64) -> Option<Ready<M>> {
        let mut held = self.held.lock();
        let action = held.actions.remove(&number);
        self.n_held.store(held.actions.len(), Ordering::Release);
        action
    }

    /// Takes all actions out, in the order in which they began to wait.
    pub(crate) fn take_all(&self) -> Vec<Ready<M>> {
        self.timers.take_all(|_| ());
        let mut held = self.held.lock();
        let mut actions: Vec<_> = held.actions.drain().collect();
        self.n_held.store(0, Ordering::Release);
        drop(held);
        actions.sort_unstable_by_key(|(number, _)| *number);
        actions.into_iter().map(|(_, action)| action).collect()
    }

    pub(crate) fn is_any_held(&self) -> bool {
        self.n_held.load(Ordering::Acquire) > 0
    }

    /// Number of executions that wait for another thread.
    pub(crate) fn n_promised(&self) -> usize {
        self.n_held.load(Ordering::Acquire).saturating_sub(self.timers.len())
    }

    /// Returns true if an answer has come that nobody has been woken for.
    pub(crate) fn has_come(&self) -> bool {
        self.come.is_any.load(Ordering::Acquire)
    }

    /// Takes the actions out whose answers have come; those that wait for a time up to `now`, in nanoseconds.
    pub(crate) fn take_come(&self, now: u64, mut wake: impl FnMut(Ready<M>)) {
        if self.come.is_any.swap(false, Ordering::AcqRel) {
            let numbers = std::mem::take(&mut *self.come.numbers.lock());
            numbers.into_iter().filter_map(|number| self.take(number)).for_each(&mut wake);
        }
        self.timers.deliver(now, MOST_AT_ONCE, |number| self.take(number).into_iter().for_each(&mut wake));
    }
}
