//! Serving others on the session's thread while it waits for a run.

use super::Session;
use hasse_runtime::control::GlobalState;

/// Serves others on the session's thread while it waits for a run.
pub(in super::super) trait Waiter {
    /// Returns when the run is at rest or over.
    fn wait(&self, session: &mut Session<'_, '_>);
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Phase {
    /// No run is under way or open.
    Ready,
    /// A run is under way; without control it has no state.
    UnderWay(Option<GlobalState>),
    /// The run is over and open to questions.
    Open,
}
