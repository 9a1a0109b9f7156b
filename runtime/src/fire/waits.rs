//! Executions that wait for an answer of the world outside, by a number.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use hasse_body::waiting::Pending;
use hasse_model::id::ActionId;
use hasse_record::instrumentation::Instrumentation;
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
    /// Number of those that wait for another thread.
    n_promised: AtomicUsize,
    /// The first time that is waited for; `u64::MAX` where there is none.
    first: AtomicU64,
    come: Arc<Come>,
    /// In a controlled run: a global stop holds the actions that wait.
    pub(crate) is_held: AtomicBool,
}

struct Held<M: Instrumentation> {
    actions: FxHashMap<u64, Waiting<M>>,
    /// Numbers of those whose events can be cancelled.
    by_action: FxHashMap<ActionId, u64>,
    /// Times with the numbers of those who wait for them.
    timers: BTreeSet<(u64, u64)>,
    next: u64,
}

/// An execution that waits for an answer, for a time, or for whichever comes first.
struct Waiting<M: Instrumentation> {
    action: Ready<M>,
    is_promised: bool,
    /// Time in nanoseconds.
    moment: Option<u64>,
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
            held: Mutex::new(Held {
                actions: FxHashMap::default(),
                by_action: FxHashMap::default(),
                timers: BTreeSet::new(),
                next: 0,
            }),
            n_held: AtomicUsize::new(0),
            n_promised: AtomicUsize::new(0),
            first: AtomicU64::new(u64::MAX),
            come: Arc::new(Come { numbers: Mutex::default(), is_any: AtomicBool::new(false), pool }),
            is_held: AtomicBool::new(false),
        }
    }

    /// The time of the first execution that waits for one, in nanoseconds.
    pub(crate) fn first_moment(&self) -> Option<u64> {
        let first = self.first.load(Ordering::Acquire);
        (first != u64::MAX).then_some(first)
    }

    /// Notes what may be read without the lock.
    fn note(&self, held: &Held<M>) {
        self.n_held.store(held.actions.len(), Ordering::Release);
        self.first.store(held.timers.first().map_or(u64::MAX, |(moment, _)| *moment), Ordering::Release);
    }

    /// Suspends an action until its answer has come, or until `deadline` in nanoseconds.
    pub(crate) fn hold(
        &self,
        action: Ready<M>,
        pending: &Pending,
        deadline: Option<u64>,
        can_be_cancelled: bool,
    ) {
        let (is_promised, due) = match pending {
            Pending::At(nanos) => (false, Some(*nanos)),
            Pending::Promised(_) => (true, None),
        };
        // `u64::MAX` means that there is none.
        let moment = due.into_iter().chain(deadline).min().map(|nanos| nanos.min(u64::MAX - 1));
        let mut held = self.held.lock();
        let number = held.next;
        held.next += 1;
        held.timers.extend(moment.map(|moment| (moment, number)));
        let is_first = moment.is_some() && held.timers.first().is_some_and(|(_, first)| *first == number);
        if can_be_cancelled {
            held.by_action.insert(action.action, number);
        }
        held.actions.insert(number, Waiting { action, is_promised, moment });
        self.n_promised.fetch_add(usize::from(is_promised), Ordering::Release);
        self.note(&held);
        drop(held);
        if is_first && self.come.pool.has_sleeper() {
            // Sleepers may wait for a later timer.
            self.come.pool.wake_one();
        }
        if let Pending::Promised(promised) = pending {
            let come = Arc::clone(&self.come);
            promised.when_come(move || come.note(number));
        }
    }

    fn take(&self, held: &mut Held<M>, number: u64) -> Option<Ready<M>> {
        let Waiting { action, is_promised, moment } = held.actions.remove(&number)?;
        if let Some(moment) = moment {
            held.timers.remove(&(moment, number));
        }
        self.n_promised.fetch_sub(usize::from(is_promised), Ordering::Release);
        if held.by_action.get(&action.action) == Some(&number) {
            held.by_action.remove(&action.action);
        }
        Some(action)
    }

    /// Forgets an action that has been woken as its event is cancelled.
    pub(crate) fn forget(&self, action: ActionId) {
        let mut held = self.held.lock();
        if let Some(number) = held.by_action.get(&action).copied() {
            self.take(&mut held, number);
            self.note(&held);
        }
    }

    /// Takes all actions out, in the order in which they began to wait.
    pub(crate) fn take_all(&self) -> Vec<Ready<M>> {
        let mut held = self.held.lock();
        let mut numbers: Vec<_> = held.actions.keys().copied().collect();
        numbers.sort_unstable();
        let actions = numbers.into_iter().filter_map(|number| self.take(&mut held, number)).collect();
        self.note(&held);
        actions
    }

    pub(crate) fn is_any_held(&self) -> bool {
        self.n_held.load(Ordering::Acquire) > 0
    }

    /// Number of executions that wait for another thread.
    pub(crate) fn n_promised(&self) -> usize {
        self.n_promised.load(Ordering::Acquire)
    }

    /// Returns true if an answer has come that nobody has been woken for.
    pub(crate) fn has_come(&self) -> bool {
        self.come.is_any.load(Ordering::Acquire)
    }

    /// Takes the actions out whose answers have come; those that wait for a time up to `now`, in nanoseconds.
    pub(crate) fn take_come(&self, now: u64, wake: impl FnMut(Ready<M>)) {
        let mut come = Vec::new();
        if self.come.is_any.swap(false, Ordering::AcqRel) {
            come = std::mem::take(&mut *self.come.numbers.lock());
        }
        let mut held = self.held.lock();
        let due = held.timers.iter().take(MOST_AT_ONCE).take_while(|(moment, _)| *moment <= now);
        come.extend(due.map(|(_, number)| *number));
        let woken: Vec<_> = come.into_iter().filter_map(|number| self.take(&mut held, number)).collect();
        self.note(&held);
        drop(held);
        woken.into_iter().for_each(wake);
    }
}
