//! A host whose answers are given by hand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hasse_editor::run::{Facts, Host, Request, RunPanel, Subject, Told};
use hasse_model::id::{Index, TemplateId};
use hasse_runtime::control::{ActionState, ActionSummary, StopPoint};

/// What the panel has sent, and what it is told next.
#[derive(Clone, Default)]
pub(super) struct Fake(Arc<Mutex<Both>>);

#[derive(Default)]
struct Both {
    sent: Vec<Request>,
    told: VecDeque<Told>,
}

impl Fake {
    pub(super) fn tell(&self, told: Told) {
        self.0.lock().unwrap().told.push_back(told);
    }

    /// What was sent since the last time.
    pub(super) fn sent(&self) -> Vec<Request> {
        std::mem::take(&mut self.0.lock().unwrap().sent)
    }
}

impl Host for Fake {
    fn send(&mut self, request: Request) {
        self.0.lock().unwrap().sent.push(request);
    }

    fn poll(&mut self) -> Option<Told> {
        self.0.lock().unwrap().told.pop_front()
    }
}

/// Two nodes, a call of a graph with one, a shared object.
pub(super) const TEXT: &str = r#"
hasse = 1
main = "g"

[graph.g]
params = { n = "int = 4", name = "string = \"x\"", size = "int" }
arcs = [
  "A.b -> B[0].a",
  "B[i].c -> A.c",
  "A.s -> sub.x",
]
share = ["total -- B[i].total"]

[graph.g.shared.total]
type = "int"

[graph.g.uc.A]
in = { c = "int" }
out = { b = "int", s = "int" }
start = true
fire = ["c -> c"]
route = ["b <- 1, s <- 2"]

[graph.g.uc.B]
index = ["i"]
in = { a = "int" }
out = { c = "int" }
shared = { total = "write" }
fire = ["a -> a"]
route = ["c <- a"]

[graph.g.call.sub]
graph = "h"

[graph.h]
in = { x = "int" }
arcs = ["in.x -> C.x"]

[graph.h.uc.C]
in = { x = "int" }
fire = ["x -> x"]
"#;

/// The facts of [`TEXT`].
pub(super) fn facts() -> Arc<Facts> {
    let compiled = hasse_compiler::compile(TEXT, &hasse_body::functions());
    let errors: Vec<_> = compiled.diagnostics.iter().map(|found| &found.message).collect();
    Arc::new(Facts::of(&compiled.plan.unwrap_or_else(|| panic!("{errors:?}")), TEXT, false))
}

/// A panel on [`TEXT`], opened.
pub(super) fn panel() -> (RunPanel, Fake) {
    let fake = Fake::default();
    let mut panel = RunPanel::new(Box::new(fake.clone()));
    panel.set_subject(Subject::Program { path: None, text: Arc::from(TEXT) }, false);
    fake.tell(Told::Opened(facts()));
    panel.tick(std::time::Duration::ZERO);
    (panel, fake)
}

/// An action of the main graph.
pub(super) fn action(template: usize, name: &str, index: &[i64], state: ActionState) -> ActionSummary {
    let numbers: String = index.iter().map(|number| format!("[{number}]")).collect();
    ActionSummary {
        path: format!("/{name}{numbers}"),
        template: TemplateId::from_idx(template),
        graph: String::new(),
        index: index.iter().copied().collect::<Index>(),
        count: 1,
        state,
        n_queued: 0,
    }
}

pub(super) fn stopped() -> ActionState {
    ActionState::Stopped(StopPoint::Befcomp)
}
