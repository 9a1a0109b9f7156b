//! The stops of a run, as far as they were seen.

use std::collections::BTreeSet;

use hasse_runtime::control::StopPoint;

use crate::target::Target;

/// A stopped action: its path, number of executions and stop point.
pub(super) type Stopped = (String, u64, Option<StopPoint>);

/// Stops of the run under way.
#[derive(Debug, Default)]
pub(in super::super) struct Stops {
    /// Number of stops since the window was opened.
    pub(super) n_stops: u64,
    /// Action that the last stop was shown by.
    pub(super) action: Option<String>,
    /// Actions that were stopped at the last rest.
    pub(super) known: BTreeSet<Stopped>,
    /// True if something was executed since the last rest.
    pub(super) has_gone_on: bool,
    /// Node whose actions are preferred.
    pub(super) preferred: Option<Target>,
}

impl Stops {
    /// Forgets the stops of the last run.
    pub(in super::super) fn leave_run(&mut self) {
        self.known.clear();
        self.action = None;
        self.has_gone_on = true;
    }
}
