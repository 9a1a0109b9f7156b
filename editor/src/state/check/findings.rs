//! The compiler beside, and what it found last.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hasse_model::diagnostic::Diagnostic;

use super::super::config::Config;
use crate::checker::Checker;
use crate::problems::{Counts, Problem, Problems};

/// The compiler beside, and what it found last.
pub(in super::super) struct Check {
    pub(super) checker: Checker<Option<Problems>>,
    /// Numbers texts over all programs that are opened, as the checker wants them.
    n_submitted: u64,
    /// The last text of the program before.
    n_before: u64,
    /// The revision of the text handed in last, and its number.
    pub(super) submitted: Option<(u64, u64)>,
    /// The revision since when, by the clock of ticks.
    pub(super) seen: Option<(u64, Duration)>,
    pub(super) is_waiting: bool,
    pub(super) problems: Option<Problems>,
    /// What others than the compiler have found, with the text that it is about.
    pub(super) found: Option<(Arc<str>, Vec<Diagnostic>)>,
    /// The problem that was shown last, for the next one.
    pub(super) shown_idx: Option<usize>,
    /// Another number for each result.
    pub(in super::super) version: u64,
    pub(super) marks: CachedMarks,
}

/// Error marks, with the versions of the scene and of the problems that they are made of.
pub(in super::super) type CachedMarks = Option<((u64, u64), ErrorMarks)>;

/// What is wrong with what, in a scene.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct ErrorMarks {
    pub(in super::super) boxes: Vec<ErrorMark>,
    pub(in super::super) links: Vec<ErrorMark>,
}

/// What is wrong with a thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorMark {
    /// How many problems, by themselves and within what is called.
    pub counts: Counts,
    /// The message of the first one of the thing itself, else of the first one inside; empty without any.
    pub message: String,
}

impl Check {
    pub(in super::super) fn new(config: &Config) -> Self {
        let (functions, wake) = (config.functions.clone(), config.wake.clone());
        let checker = Checker::with(move |text| {
            // A result in any case, so that nobody waits for it.
            let problems = catch_unwind(AssertUnwindSafe(|| Problems::of(text, &functions))).ok();
            wake();
            problems
        });
        Self {
            checker,
            n_submitted: 0,
            n_before: 0,
            submitted: None,
            seen: None,
            is_waiting: false,
            problems: None,
            found: None,
            shown_idx: None,
            version: 0,
            marks: None,
        }
    }

    /// Forgets what was found, as another program is open.
    pub(in super::super) fn restart(&mut self) {
        self.n_before = self.n_submitted;
        self.submitted = None;
        self.seen = None;
        self.problems = None;
        self.found = None;
        self.shown_idx = None;
        self.version += 1;
    }

    /// Has the same text compiled again.
    pub(in super::super) fn again(&mut self) {
        self.submitted = None;
        self.seen = None;
    }

    pub(in super::super) fn problems(&self) -> Option<&Problems> {
        self.problems.as_ref()
    }

    /// Exchanges the marks of the shown scene for those of another one.
    pub(in super::super) fn swap_marks(&mut self, marks: &mut CachedMarks) {
        std::mem::swap(&mut self.marks, marks);
    }

    /// Leaves problems out until the next result.
    pub(in super::super) fn hide(&mut self, is_hidden: impl Fn(&Problem) -> bool) {
        if let Some(problems) = &mut self.problems {
            problems.hide(is_hidden);
            self.version += 1;
        }
    }

    /// Whether a text waits to be compiled, or a result is awaited.
    pub(in super::super) fn is_busy(&self, revision: u64) -> bool {
        self.is_waiting || self.submitted.is_none_or(|(held, _)| held != revision)
    }

    pub(super) fn hand_in(&mut self, revision: u64, text: &str) {
        self.n_submitted += 1;
        self.submitted = Some((revision, self.n_submitted));
        self.is_waiting = true;
        self.checker.submit(self.n_submitted, text);
    }

    /// Takes in a result; tells whether there was one.
    pub(super) fn take(&mut self, done: Option<(u64, Option<Problems>)>) -> bool {
        let Some((number, problems)) = done.filter(|(number, _)| *number > self.n_before) else {
            return false;
        };
        let Some((_, submitted)) = self.submitted else { return false };
        self.is_waiting = number < submitted;
        if let Some(problems) = problems {
            self.problems = Some(problems);
            self.version += 1;
            self.add_found();
        }
        true
    }

    /// Puts what others have found among the problems, if it is about the same text.
    pub(super) fn add_found(&mut self) {
        if let (Some((text, findings)), Some(problems)) = (&self.found, &mut self.problems)
            && problems.places().text() == &**text
            && !findings.is_empty()
        {
            problems.add(findings);
            self.version += 1;
        }
    }
}
