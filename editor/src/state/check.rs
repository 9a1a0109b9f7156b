//! Compiling beside the window, and what is wrong as the picture shows it.

/// The compiler beside, and what it found last.
pub(super) mod findings;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hasse_model::diagnostic::{Diagnostic, Severity};

use super::drawn::Shown;
use super::editor::Editor;
use crate::problems::{Problem, Problems};
use crate::target::{Part, Target};
use findings::{ErrorMark, ErrorMarks};

/// How long the program has to stay as it is before it is compiled.
const PAUSE: Duration = Duration::from_millis(120);

impl Editor {
    pub(super) fn poll_check(&mut self) {
        let revision = self.document.revision();
        let check = &mut self.check;
        if check.submitted.is_none_or(|(held, _)| held != revision) {
            match check.seen {
                // The first text of a program need not settle.
                _ if check.submitted.is_none() => check.hand_in(revision, self.document.text()),
                Some((held, since)) if held == revision => {
                    if self.now.saturating_sub(since) >= PAUSE {
                        check.hand_in(revision, self.document.text());
                    }
                }
                _ => check.seen = Some((revision, self.now)),
            }
        }
        let done = self.check.checker.poll();
        if self.check.take(done) {
            self.hide_fresh();
            self.changed();
        }
    }

    /// Compiles the text as it is now and waits for what is wrong with it; before a run, and in tests.
    pub fn check_now(&mut self) -> Option<&Problems> {
        let revision = self.document.revision();
        if self.check.submitted.is_none_or(|(held, _)| held != revision) {
            self.check.hand_in(revision, self.document.text());
        }
        let done = self.check.checker.wait();
        if self.check.take(done) {
            self.hide_fresh();
            self.changed();
        }
        self.check.is_waiting = false;
        self.check.problems()
    }

    /// Takes in what others than the compiler have found in a text: it is shown while the program is this text.
    pub fn add_problems(&mut self, text: Arc<str>, findings: Vec<Diagnostic>) {
        self.check.found = Some((text, findings));
        self.check.add_found();
        self.changed();
    }

    /// Shows the next problem of the program, or the one before.
    pub(super) fn step_problem(&mut self, is_forward: bool) {
        let n_problems = self.problems().map_or(0, |problems| problems.list().len());
        if n_problems == 0 {
            self.say("No problems are known.");
            return;
        }
        let problem_idx = match self.check.shown_idx {
            None if is_forward => 0,
            None => n_problems - 1,
            Some(idx) if is_forward => (idx + 1) % n_problems,
            Some(idx) => idx.checked_sub(1).unwrap_or(n_problems - 1).min(n_problems - 1),
        };
        self.check.shown_idx = Some(problem_idx);
        let Some(problem) = self.problems().and_then(|problems| problems.list().get(problem_idx)) else {
            return;
        };
        let (target, is_error) = (problem.target.clone(), problem.severity == Severity::Error);
        let text = format!("{} of {n_problems}: {} ({})", problem_idx + 1, problem.message, problem.code);
        self.show(&target);
        if is_error { self.refuse(text) } else { self.say(text) }
    }

    /// How many errors and warnings the program has, as far as is known.
    pub fn problem_counts(&self) -> [usize; 2] {
        let problems = self.problems().map_or(&[][..], Problems::list);
        let n_errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        [n_errors, problems.len() - n_errors]
    }

    /// Brings the error marks of the shown scene up to date.
    pub(super) fn mark_errors(&mut self) {
        let Some(shown) = self.drawn.shown() else { return };
        let version = (shown.version, self.check.version);
        if self.check.marks.as_ref().is_some_and(|(held, _)| *held == version) {
            return;
        }
        let marks = self.check.problems.as_ref().map(|problems| error_marks(shown, problems));
        self.check.marks = Some((version, marks.unwrap_or_default()));
    }

    /// What is wrong in the shown scene, as of the last [`mark_errors`](Self::mark_errors).
    pub(super) fn error_marks(&self) -> Option<&ErrorMarks> {
        self.check.marks.as_ref().map(|(_, marks)| marks)
    }
}

/// Cost: linear in the scene and the problems.
fn error_marks(shown: &Shown, problems: &Problems) -> ErrorMarks {
    let graph = &shown.scene.graph;
    // The first error of each thing, else the first warning; and of each graph.
    let mut worst: BTreeMap<&Part, &Problem> = BTreeMap::new();
    let mut worst_of: BTreeMap<&str, &Problem> = BTreeMap::new();
    let is_worse =
        |held: &Problem, new: &Problem| held.severity == Severity::Warning && new.severity == Severity::Error;
    for problem in problems.list() {
        let held = worst_of.entry(&problem.target.graph).or_insert(problem);
        if is_worse(held, problem) {
            *held = problem;
        }
        if problem.target.graph == *graph {
            let held = worst.entry(&problem.target.part).or_insert(problem);
            if is_worse(held, problem) {
                *held = problem;
            }
        }
    }
    let mark = |target: Target, called: Option<&str>| {
        let counts = problems.counts(&target);
        if counts.is_empty() {
            return ErrorMark::default();
        }
        let own = worst.get(&target.part).copied();
        let inside = || worst_of.get(called?).copied();
        let message = own.or_else(inside).map(|problem| problem.message.clone());
        let message = message.unwrap_or_else(|| "There are problems within what it calls.".to_owned());
        ErrorMark { counts, message }
    };
    let scene = &shown.scene;
    ErrorMarks {
        boxes: (scene.boxes.iter())
            .map(|node| mark(Target::of_node(graph, &node.name), Some(&node.note)))
            .collect(),
        links: (scene.links.iter())
            .map(|link| mark(Target::of_link(graph, link.list, link.row), None))
            .collect(),
    }
}
