//! A host whose answers are given by hand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hasse_editor::run::{Ended, Facts, Host, Mode, Request, RunState, Snapshot, TemplateCount, Told};
use hasse_model::id::{Index, TemplateId};
use hasse_runtime::control::{ActionState, ActionSummary, StopPoint};
use hasse_runtime::report::RunOutcome;
use hasse_window::MakeHost;

use super::Driver;

/// What the window has asked for, and what it is told next.
#[derive(Clone, Default)]
pub(crate) struct Session(Arc<Mutex<Both>>);

#[derive(Default)]
struct Both {
    sent: Vec<Request>,
    told: VecDeque<Told>,
}

impl Session {
    /// A window with a program, and its session.
    pub(crate) fn open(text: &str) -> (Driver, Self) {
        let session = Self::default();
        let own = session.clone();
        let host: MakeHost = Box::new(move |_| Box::new(own));
        (Driver::with(Some(text), Some(host)), session)
    }

    /// Tells the window something, and lets it take it in.
    pub(crate) fn tell(&self, driver: &Driver, told: Told) {
        self.0.lock().unwrap().told.push_back(told);
        driver.opened.tick();
        driver.settle();
    }

    /// Lets a run begin and end.
    pub(crate) fn end(&self, driver: &Driver, ended: Ended) {
        self.tell(driver, Told::Begun(Mode::Full));
        self.tell(driver, Told::State(RunState::Running));
        let state = RunState::Over { is_open: true };
        let snapshot = Snapshot { state, ended: Some(ended), ..Snapshot::default() };
        self.tell(driver, Told::Rest(Arc::new(snapshot)));
    }

    /// What was sent since the last time.
    pub(crate) fn sent(&self) -> Vec<Request> {
        std::mem::take(&mut self.0.lock().unwrap().sent)
    }
}

impl Host for Session {
    fn send(&mut self, request: Request) {
        self.0.lock().unwrap().sent.push(request);
    }

    fn poll(&mut self) -> Option<Told> {
        self.0.lock().unwrap().told.pop_front()
    }
}

/// The facts of a program.
pub(crate) fn facts(text: &str) -> Arc<Facts> {
    let compiled = hasse_compiler::compile(text, &hasse_body::functions());
    let errors: Vec<_> = compiled.diagnostics.iter().map(|found| &found.message).collect();
    Arc::new(Facts::of(&compiled.plan.unwrap_or_else(|| panic!("{errors:?}")), text, false))
}

/// An instance of the unit `B`, of which nothing waits.
pub(crate) fn instance(number: i64, state: ActionState) -> ActionSummary {
    ActionSummary {
        path: format!("/B[{number}]"),
        template: TemplateId::from_idx(1),
        graph: String::new(),
        index: [number].into_iter().collect::<Index>(),
        count: 1,
        state,
        n_queued: 0,
    }
}

/// A run at rest: `B[1]` is stopped before its body.
pub(crate) fn rest() -> Told {
    let actions = [instance(0, ActionState::Idle), instance(1, ActionState::Stopped(StopPoint::Befcomp))];
    Told::Rest(Arc::new(Snapshot {
        state: RunState::Waiting,
        templates: vec![TemplateCount::of(1, actions.iter())],
        stopped: vec![actions[1].clone()],
        n_stopped: 1,
        ..Snapshot::default()
    }))
}

/// The end of a run that finished with nothing to tell.
pub(crate) fn finished() -> Ended {
    Ended {
        outcome: RunOutcome::Finished,
        reason: String::new(),
        n_events: 9,
        duration: Duration::from_micros(1_200),
        failures: Vec::new(),
        cycle: Vec::new(),
        waits: None,
        results: Arc::default(),
    }
}
