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
use hasse_store::instance::Ready;
use hasse_store::matching::Spot;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Pauses of a run.
pub(crate) struct Rest<M: Instrumentation> {
    is_asked: CachePadded<AtomicBool>,
    pub(crate) aside: Mutex<Aside<M>>,
    /// By template, whether the states before its executions are kept; empty where no pauses are made.
    keeps: Vec<AtomicBool>,
    /// By worker: the state of its action before the execution under way, of those that are kept.
    begun: Vec<CachePadded<Mutex<Option<Box<ActionState>>>>>,
    /// The same of executions that wait.
    waiting: Mutex<FxHashMap<ActionId, Box<ActionState>>>,
}

/// Instances and entries that are ready and are not served in a pause.
pub(crate) struct Aside<M: Instrumentation> {
    /// True in a pause.
    pub(crate) is_open: bool,
    pub(crate) instances: Vec<Ready<M>>,
    pub(crate) spots: Vec<Spot>,
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

    /// Asks workers to begin no execution, or to begin some again.
    pub(crate) fn ask(&self, is_asked: bool) {
        self.is_asked.store(is_asked, Ordering::Release);
    }

    /// A worker begins an execution of an action in this state, if it is known.
    pub(crate) fn begin(&self, worker_idx: usize, state: Option<Box<ActionState>>) {
        if let Some(begun) = self.begun.get(worker_idx) {
            *begun.lock() = state;
        }
    }

    /// The execution of an action, under way with a worker, is put away.
    pub(crate) fn put_away(&self, worker_idx: usize, action: ActionId) {
        let begun = self.begun.get(worker_idx).and_then(|begun| begun.lock().take());
        if let Some(state) = begun.filter(|state| state.record.action == action) {
            self.waiting.lock().insert(action, state);
        }
    }

    /// The same execution goes on with a worker.
    pub(crate) fn take_up(&self, worker_idx: usize, action: ActionId) {
        let state = self.waiting.lock().remove(&action);
        self.begin(worker_idx, state);
    }
}
