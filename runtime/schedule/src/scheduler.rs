//! Scheduling: who is served next, and which of several enabled firing rules is taken.
//!
//! A policy is a [`Schedule`](crate::policy::Schedule): given what could go on, it says what goes on. There are three. `Free` is work stealing,
//! `Seeded` draws every choice at random, and [`ByChoice`](crate::scheduler::by_choice::ByChoice) has every choice taken from outside, on one thread. The policy is a
//! value of an enum, not a type parameter and not a trait object: events are served in batches, so the branch is rare, and the
//! runtime is compiled once for all three.

use hasse_request::decision::Chooser;

use crate::policy::Schedule;
use crate::scheduler::by_choice::ByChoice;
use crate::scheduler::free::Free;
use crate::scheduler::seeded::Seeded;

/// Decisions from outside, on one thread.
pub mod by_choice;
/// Work stealing, for speed.
pub(crate) mod free;
/// From a seed: reproducible with one worker, noise with many.
pub(crate) mod seeded;

/// The policy of a run.
pub enum Scheduler<T> {
    /// Every choice as it is quickest.
    Free(Free<T>),
    /// In a run with a seed.
    Seeded(Seeded<T>),
    /// In a run with a chooser.
    ByChoice(ByChoice<T>),
}

/// The kind of scheduler that a run asks for.
pub enum Policy {
    /// Speed.
    Free,
    /// Choices from this seed.
    Seeded(u64),
    /// Choices from outside.
    ByChoice(Chooser),
}

/// Scheduling state of one worker, of each policy.
pub struct Local<T> {
    free: free::Local<T>,
    seeded: seeded::Local,
    by_choice: (),
}

/// Calls a method of the policy of a run with the worker's state for it.
macro_rules! ask {
    ($scheduler:expr, $method:ident($($argument:expr),*)) => {
        match $scheduler {
            Scheduler::Free(policy) => policy.$method($($argument),*),
            Scheduler::Seeded(policy) => policy.$method($($argument),*),
            Scheduler::ByChoice(policy) => policy.$method($($argument),*),
        }
    };
    ($scheduler:expr, $local:ident => $method:ident($($argument:expr),*)) => {
        match $scheduler {
            Scheduler::Free(policy) => policy.$method(&mut $local.free, $($argument),*),
            Scheduler::Seeded(policy) => policy.$method(&mut $local.seeded, $($argument),*),
            Scheduler::ByChoice(policy) => policy.$method(&mut $local.by_choice, $($argument),*),
        }
    };
}

impl<T: Send> Scheduler<T> {
    /// A scheduler for `n_workers` workers. The locals beyond these only push items, which changes none of the choices drawn
    /// from a seed.
    pub fn new(n_workers: usize, n_locals: usize, policy: Policy) -> (Self, Vec<Local<T>>) {
        let (free, free_locals) = Free::new(n_locals);
        let (scheduler, seed) = match policy {
            Policy::Free => (Self::Free(free), 0),
            Policy::Seeded(seed) => (Self::Seeded(Seeded::new(n_workers)), seed),
            Policy::ByChoice(chooser) => (Self::ByChoice(ByChoice::new(chooser)), 0),
        };
        let locals = free_locals.into_iter().zip(seeded::locals(n_locals, seed));
        let locals = locals.map(|(free, seeded)| Local { free, seeded, by_choice: () });
        (scheduler, locals.collect())
    }

    /// The decisions of the run, where they come from outside.
    #[inline]
    pub fn by_choice(&self) -> Option<&ByChoice<T>> {
        match self {
            Scheduler::ByChoice(by_choice) => Some(by_choice),
            Scheduler::Free(_) | Scheduler::Seeded(_) => None,
        }
    }

    /// See [`Schedule::HAS_CLOCK`].
    #[inline]
    pub fn has_clock(&self) -> bool {
        match self {
            Scheduler::Free(_) => <Free<T> as Schedule<T>>::HAS_CLOCK,
            Scheduler::Seeded(_) => <Seeded<T> as Schedule<T>>::HAS_CLOCK,
            Scheduler::ByChoice(_) => <ByChoice<T> as Schedule<T>>::HAS_CLOCK,
        }
    }

    /// See [`Schedule::inject`].
    pub fn inject(&self, item: T) {
        ask!(self, inject(item));
    }

    /// See [`Schedule::push`].
    #[inline]
    pub fn push(&self, local: &mut Local<T>, item: T) {
        ask!(self, local => push(item));
    }

    /// See [`Schedule::requeue`].
    #[inline]
    pub fn requeue(&self, local: &mut Local<T>, item: T) {
        ask!(self, local => requeue(item));
    }

    /// See [`Schedule::pop`].
    #[inline]
    pub fn pop(&self, local: &mut Local<T>) -> Option<T> {
        ask!(self, local => pop())
    }

    /// See [`Schedule::has_work`].
    pub fn has_work(&self) -> bool {
        ask!(self, has_work())
    }

    /// See [`Schedule::has_surplus`].
    #[inline]
    pub fn has_surplus(&self, local: &Local<T>) -> bool {
        match self {
            Scheduler::Free(policy) => policy.has_surplus(&local.free),
            Scheduler::Seeded(policy) => policy.has_surplus(&local.seeded),
            Scheduler::ByChoice(policy) => policy.has_surplus(&local.by_choice),
        }
    }

    /// See [`Schedule::has_other`].
    #[inline]
    pub fn has_other(&self, local: &Local<T>) -> bool {
        match self {
            Scheduler::Free(policy) => policy.has_other(&local.free),
            Scheduler::Seeded(policy) => policy.has_other(&local.seeded),
            Scheduler::ByChoice(policy) => policy.has_other(&local.by_choice),
        }
    }

    /// See [`Schedule::may_go_on`].
    #[inline]
    pub fn may_go_on(&self, local: &mut Local<T>) -> bool {
        ask!(self, local => may_go_on())
    }

    /// See [`Schedule::share`].
    pub fn share(&self, local: &mut Local<T>) {
        ask!(self, local => share());
    }

    /// See [`Schedule::choose`].
    pub fn choose(&self, local: &mut Local<T>, n_choices: usize) -> usize {
        ask!(self, local => choose(n_choices))
    }

    /// See [`Schedule::batch_size`].
    #[inline]
    pub fn batch_size(&self, local: &mut Local<T>) -> usize {
        ask!(self, local => batch_size())
    }

    /// See [`Schedule::pause`].
    #[inline]
    pub fn pause(&self, local: &mut Local<T>) {
        ask!(self, local => pause());
    }
}
