//! Executions that wait for an answer of the world outside, by a number.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use hasse_body::effects::EventContext;
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
    /// Number of those for which a run that drains does not wait.
    n_ending: AtomicUsize,
    /// The first time that is waited for; `u64::MAX` where there is none.
    first: AtomicU64,
    come: Arc<Come>,
    /// The order of answers is to depend on the program alone, as far as it can: they are taken one at a time, when there is nothing else to do.
    in_turn: bool,
    n_looks: AtomicUsize,
    /// In a controlled run: a global stop holds the actions that wait.
    pub(crate) is_held: AtomicBool,
}

struct Held<M: Instrumentation> {
    actions: FxHashMap<u64, Waiting<M>>,
    /// Numbers of those whose events can be cancelled.
    by_action: FxHashMap<ActionId, u64>,
    /// Numbers of those that wait for an answer which is no input, and so will come.
    asked: BTreeSet<u64>,
    /// Times with the numbers of those who wait for them.
    timers: BTreeSet<(u64, u64)>,
    next: u64,
}

/// An execution that waits for an answer, for a time, or for whichever comes first.
struct Waiting<M: Instrumentation> {
    action: Ready<M>,
    is_promised: bool,
    ends_with_drain: bool,
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
    pub(crate) fn new(pool: Arc<Pool>, in_turn: bool) -> Self {
        Self {
            held: Mutex::new(Held {
                actions: FxHashMap::default(),
                by_action: FxHashMap::default(),
                asked: BTreeSet::new(),
                timers: BTreeSet::new(),
                next: 0,
            }),
            n_held: AtomicUsize::new(0),
            n_promised: AtomicUsize::new(0),
            n_ending: AtomicUsize::new(0),
            first: AtomicU64::new(u64::MAX),
            come: Arc::new(Come { numbers: Mutex::default(), is_any: AtomicBool::new(false), pool }),
            in_turn,
            n_looks: AtomicUsize::new(0),
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

    /// Suspends an action until its answer has come, or until the deadline of its event.
    pub(crate) fn hold(&self, action: Ready<M>, context: &EventContext, can_be_cancelled: bool) {
        let Some(pending) = context.pending() else { return };
        let (deadline, ends_with_drain) = (context.deadline(), context.is_stopped_by_drain());
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
        if is_promised && !pending.is_input() {
            held.asked.insert(number);
        }
        held.actions.insert(number, Waiting { action, is_promised, ends_with_drain, moment });
        self.n_promised.fetch_add(usize::from(is_promised), Ordering::Release);
        self.n_ending.fetch_add(usize::from(ends_with_drain), Ordering::Release);
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
        let Waiting { action, is_promised, ends_with_drain, moment } = held.actions.remove(&number)?;
        held.asked.remove(&number);
        if let Some(moment) = moment {
            held.timers.remove(&(moment, number));
        }
        self.n_promised.fetch_sub(usize::from(is_promised), Ordering::Release);
        self.n_ending.fetch_sub(usize::from(ends_with_drain), Ordering::Release);
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

    /// Takes actions out, in the order in which they began to wait: all, or `of_drain` those for which a run that drains does not wait.
    pub(crate) fn take_out(&self, of_drain: bool) -> Vec<Ready<M>> {
        let mut held = self.held.lock();
        let is_meant = |waiting: &Waiting<M>| !of_drain || waiting.ends_with_drain;
        let meant = held.actions.iter().filter(|(_, waiting)| is_meant(waiting));
        let mut numbers: Vec<_> = meant.map(|(number, _)| *number).collect();
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

    /// Returns true if a run that drains does not wait for one of them.
    pub(crate) fn is_any_ending(&self) -> bool {
        self.n_ending.load(Ordering::Acquire) > 0
    }

    /// Returns true if an execution is to go on, as its answer has come, or its time has: `now`, in nanoseconds.
    pub(crate) fn is_any_due(&self, now: impl Fn() -> u64, is_idle: impl Fn() -> bool) -> bool {
        if !self.in_turn {
            return self.come.is_any.load(Ordering::Acquire)
                || self.first_moment().is_some_and(|first| first <= now());
        }
        // Also beside a node that goes on for ever.
        let is_its_turn =
            is_idle() || self.n_looks.fetch_add(1, Ordering::Relaxed).is_multiple_of(MOST_AT_ONCE);
        is_its_turn && next_in_turn(&self.held.lock(), &self.come.numbers.lock(), now()).is_some()
    }

    /// Returns true if the next answer is one that will come, and that times do not overtake.
    pub(crate) fn is_one_awaited(&self) -> bool {
        self.in_turn && !self.held.lock().asked.is_empty()
    }

    /// Takes the actions out whose answers have come; those that wait for a time up to `now`, in nanoseconds.
    pub(crate) fn take_come(&self, now: u64, wake: impl FnMut(Ready<M>)) {
        if self.in_turn {
            let mut held = self.held.lock();
            let mut come = self.come.numbers.lock();
            let next = next_in_turn(&held, &come, now);
            come.retain(|number| Some(*number) != next);
            drop(come);
            let woken = next.and_then(|number| self.take(&mut held, number));
            self.note(&held);
            drop(held);
            return woken.into_iter().for_each(wake);
        }
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

/// The execution that goes on next where answers are taken in turn: the one that has asked first for an answer that will come, as soon as
/// it has come or the event's deadline has; then inputs; then the first time, if it has come.
fn next_in_turn<M: Instrumentation>(held: &Held<M>, come: &[u64], now: u64) -> Option<u64> {
    if let Some(first) = held.asked.first() {
        let deadline = held.actions.get(first).and_then(|waiting| waiting.moment);
        return (come.contains(first) || deadline.is_some_and(|moment| moment <= now)).then_some(*first);
    }
    let of_time = || held.timers.first().filter(|(moment, _)| *moment <= now).map(|(_, number)| *number);
    come.iter().min().copied().or_else(of_time)
}
