//! Questions about moments of a record that wait for answers.

use std::path::{Path, PathBuf};

/// A question about the moments of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Asked {
    /// The moment after a number of events.
    Position(u64),
    /// A hit of a breakpoint.
    Hit { is_back: bool },
    /// A run from the moment on.
    Fork,
}

/// A question and its record.
#[derive(Clone, Debug)]
pub(in super::super) struct Open {
    pub(in super::super) record: PathBuf,
    pub(in super::super) asked: Asked,
}

impl Open {
    pub(super) fn is(&self, record: &Path, asked: Asked) -> bool {
        self.record == record && self.asked == asked
    }
}

/// The session's record, and the questions about its moments.
#[derive(Debug, Default)]
pub(in super::super) struct Travel {
    /// Record whose events the session has.
    pub(super) record: Option<PathBuf>,
    /// Record that the session was opened on to show its moments.
    pub(super) opened: Option<PathBuf>,
    /// Question whose answer is awaited.
    pub(super) open: Option<Open>,
    /// Newest position that was asked for since.
    pub(super) next: Option<Open>,
    /// Hit or fork that was asked for since; it comes after the position.
    pub(super) later: Option<Open>,
    /// Record that has no moments.
    pub(super) refused: Option<PathBuf>,
    /// Why the last question was refused; empty if it was not.
    pub(super) problem: String,
    /// Moment to which the session has gone by itself.
    pub(super) sought: Option<u64>,
}

impl Travel {
    pub(super) fn is_refused(&self, record: &Path) -> bool {
        self.refused.as_deref() == Some(record)
    }

    /// Forgets the session's record, as another session begins.
    pub(in super::super) fn leave_session(&mut self) {
        self.record = None;
    }

    /// Forgets the open questions, as a run begins or the session is gone.
    pub(in super::super) fn leave_moment(&mut self) {
        (self.open, self.next, self.later, self.sought) = (None, None, None, None);
        self.problem.clear();
    }
}
