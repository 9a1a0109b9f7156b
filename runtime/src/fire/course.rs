//! The course of a body that is looked at: statements counted, and the one at which it is to stop.

use hasse_request::control::stepping::{BodyView, Frame, Step};

/// Where a body that goes on is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// After this number of statements.
    Statements(u64),
    /// At a statement with at most this number of calls around it.
    Level(usize),
}

impl Goal {
    /// The goal of a step from a statement with `level` calls around it; `None`: the end of the body.
    pub(crate) fn of(step: Step, level: usize) -> Option<Self> {
        match step {
            Step::Into(n_statements) => Some(Self::Statements(n_statements)),
            Step::Over => Some(Self::Level(level)),
            Step::Out => level.checked_sub(1).map(Self::Level),
        }
    }

    /// A statement begins; returns true if it is the one to stop at.
    pub(crate) fn reaches(&mut self, level: usize) -> bool {
        match self {
            Self::Statements(n_left) => {
                *n_left = n_left.saturating_sub(1);
                *n_left == 0
            }
            Self::Level(most) => level <= *most,
        }
    }
}

/// Statements that have begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    n_statements: u64,
    /// Of the statement that began last.
    previous: u64,
    /// By number of calls around it, the last statement so far; those of calls that have returned are dropped.
    last_at: Vec<u64>,
}

impl Course {
    /// A statement with `level` calls around it begins.
    pub(crate) fn begin(&mut self, level: usize) {
        self.n_statements += 1;
        self.last_at.resize(level + 1, 0);
        self.previous = self.last_at.iter().copied().max().unwrap_or_default();
        self.last_at[level] = self.n_statements;
    }

    /// The course at the statement that began last.
    pub(crate) fn view(&self, frames: Vec<Frame>) -> BodyView {
        BodyView { n_statements: self.n_statements, previous: self.previous, frames }
    }

    /// The course after the body.
    pub(crate) fn ended(&self) -> BodyView {
        let previous = self.last_at.first().copied().unwrap_or_default();
        BodyView { n_statements: self.n_statements, previous, frames: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_before_is_outside_of_returned_calls() {
        let mut course = Course::default();
        // Statement 2 calls a function with statements 3 and 4, and 5 comes after it.
        let previous = [0, 0, 1, 1, 0].map(|level| {
            course.begin(level);
            course.view(Vec::new()).previous
        });
        assert_eq!(previous, [0, 1, 2, 3, 2]);
        assert_eq!((course.ended().n_statements, course.ended().previous), (5, 5));
    }

    #[test]
    fn steps_end_where_they_say() {
        let mut three = Goal::of(Step::Into(3), 0).expect("a step has a goal");
        assert_eq!([0, 1, 0].map(|level| three.reaches(level)), [false, false, true]);
        let mut over = Goal::of(Step::Over, 1).expect("a step has a goal");
        assert_eq!([2, 1].map(|level| over.reaches(level)), [false, true]);
        assert_eq!(Goal::of(Step::Out, 2), Some(Goal::Level(1)));
        assert_eq!(Goal::of(Step::Out, 0), None);
    }
}
