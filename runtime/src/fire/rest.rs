//! Pauses in which the state of a run is taken while it goes on.
//!
//! For a pause no execution begins, and those under way end: whoever is ready is put aside. An execution that lasts, or that
//! waits for an answer, keeps no pause from coming: of its action the state before it is kept, which is part of the state of the
//! run, as nothing of an execution can be seen before it ends. Such states are kept for the nodes whose executions have delayed a pause,
//! and for those that may wait for answers.

use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_utils::CachePadded;
use hasse_model::id::{ActionId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::snapshot::ActionState;
use hasse_record::collector::shelf::UnderWay;
use hasse_record::instrumentation::Instrumentation;
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::matching::Spot;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::fire::as_data;
use crate::fire::session::Session;
use crate::fire::worker::Worker;

/// Pauses of a run.
pub(crate) struct Rest<M: Instrumentation> {
    is_asked: CachePadded<AtomicBool>,
    aside: Mutex<Aside<M>>,
    /// By template, whether the states before its executions are kept; empty where no pauses are made.
    keeps: Vec<AtomicBool>,
    /// By worker: the state of its action before the execution under way, of those that are kept.
    begun: Vec<CachePadded<Mutex<Option<Box<ActionState>>>>>,
    /// The same of executions that wait.
    waiting: Mutex<FxHashMap<ActionId, Box<ActionState>>>,
}

/// Instances and entries that are ready and are not served in a pause.
struct Aside<M: Instrumentation> {
    is_open: bool,
    instances: Vec<Ready<M>>,
    spots: Vec<Spot>,
}

impl<M: Instrumentation> Rest<M> {
    /// For a run of a plan, with pauses if `is_wanted`.
    pub(crate) fn new(plan: &Plan, n_workers: usize, is_wanted: bool) -> Self {
        let keeps = plan.templates.iter().filter(|_| is_wanted);
        let keeps = keeps.map(|template| AtomicBool::new(template.may_wait)).collect();
        Self {
            is_asked: CachePadded::default(),
            aside: Mutex::new(Aside { is_open: false, instances: Vec::new(), spots: Vec::new() }),
            keeps,
            begun: (0..n_workers).map(|_| CachePadded::default()).collect(),
            waiting: Mutex::default(),
        }
    }

    /// Returns true while no execution is to begin.
    #[inline]
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Acquire)
    }

    /// Returns true if the states before executions of a template are kept.
    #[inline]
    pub(crate) fn keeps(&self, template: TemplateId) -> bool {
        self.keeps.get(template.idx()).is_some_and(|keeps| keeps.load(Ordering::Relaxed))
    }

    /// Keeps the states before executions of a template from now on.
    pub(crate) fn keep(&self, template: TemplateId) {
        if let Some(keeps) = self.keeps.get(template.idx()) {
            keeps.store(true, Ordering::Relaxed);
        }
    }

    /// The state before the execution that a worker is in; `None` where it was not kept.
    pub(crate) fn begun(&self, worker_idx: usize, body: &UnderWay) -> Option<ActionState> {
        let begun = self.begun.get(worker_idx)?.lock();
        let state = begun.as_ref().filter(|state| state.record.action == body.action)?;
        (state.count == body.n_ended).then(|| ActionState::clone(state))
    }

    /// The state before an execution that waits; `None` where it was not kept.
    pub(crate) fn waiting(&self, action: ActionId) -> Option<ActionState> {
        self.waiting.lock().get(&action).map(|state| ActionState::clone(state))
    }
}

impl<M: Instrumentation> Session<'_, M> {
    /// Begins a pause.
    pub(crate) fn begin_pause(&self) {
        self.rest.aside.lock().is_open = true;
        self.rest.is_asked.store(true, Ordering::Release);
    }

    /// Ends a pause: what was put aside is ready again.
    pub(crate) fn end_pause(&self) {
        let mut aside = self.rest.aside.lock();
        // Work is there before the pause is over: a worker that falls asleep meanwhile would end the run.
        aside.instances.drain(..).for_each(|instance| self.inject(instance));
        if !aside.spots.is_empty() {
            self.offered.add(aside.spots.drain(..));
        }
        aside.is_open = false;
        self.rest.is_asked.store(false, Ordering::Release);
        drop(aside);
        self.pool.wake_all();
    }
}

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// In a pause: goes on with an execution under way, or puts aside what is ready; false if there is nothing.
    #[cold]
    pub(crate) fn activate_in_pause(&mut self) -> bool {
        self.give_up_next();
        let session = self.session;
        session.offered.take(&mut self.matches.ready);
        if !self.matches.ready.is_empty() {
            let mut aside = session.rest.aside.lock();
            if !aside.is_open {
                return true;
            }
            aside.spots.append(&mut self.matches.ready);
        }
        let Some(instance) = session.pop(&mut self.local) else { return false };
        let has_begun = {
            let core = instance.core.lock();
            core.pending.is_some() || core.is_granted
        };
        if !has_begun {
            let mut aside = session.rest.aside.lock();
            if aside.is_open {
                aside.instances.push(instance);
            } else {
                drop(aside);
                session.requeue(&mut self.local, instance);
            }
            return true;
        }
        let served = self.serve_once(&instance, &mut instance.core.lock());
        self.leave_served(served, instance);
        true
    }

    /// Keeps the state of an action before its next execution, with all that has come; returns false where it cannot be taken.
    pub(crate) fn keep_state(&mut self, instance: &Instance<M>, core: &mut Core<M>) -> bool {
        self.collect(instance, core);
        let state = as_data::action(self.session, instance, core).ok().map(Box::new);
        let is_kept = state.is_some();
        if let Some(begun) = self.session.rest.begun.get(self.worker_idx) {
            *begun.lock() = state;
        }
        is_kept
    }

    /// An execution is put away that waits: its state is kept with others.
    pub(crate) fn put_state_away(&self, instance: &Instance<M>) {
        if !self.session.rest.keeps(instance.template) {
            return;
        }
        let begun = self.session.rest.begun.get(self.worker_idx).and_then(|begun| begun.lock().take());
        if let Some(state) = begun.filter(|state| state.record.action == instance.action) {
            self.session.rest.waiting.lock().insert(instance.action, state);
        }
    }

    /// The same execution goes on with this worker.
    pub(crate) fn take_state_up(&self, instance: &Instance<M>) {
        if !self.session.rest.keeps(instance.template) {
            return;
        }
        let state = self.session.rest.waiting.lock().remove(&instance.action);
        if let Some(begun) = self.session.rest.begun.get(self.worker_idx) {
            *begun.lock() = state;
        }
    }
}
