//! What Ctrl-C does to a run.

use hasse_runtime::control::{Control, GlobalState};
use hasse_runtime::run::StopSignal;

use crate::progress::Progress;

/// A run under way, for Ctrl-C.
pub(in super::super) struct Underway {
    pub(in super::super) stop: StopSignal,
    /// Where the mode has control.
    pub(in super::super) control: Option<Control>,
    /// The line that shows how far it is.
    pub(in super::super) progress: Progress,
}

impl Underway {
    /// A replay that answers a question: it is ended, and not stopped.
    pub(in super::super) fn of_question(stop: StopSignal) -> Self {
        Self { stop, control: None, progress: Progress::silent() }
    }

    /// Asks the actions to stop, or where they have been asked already or cannot be, the run to end. Tells what it did;
    /// `None` where the run had been asked to end.
    pub(in super::super) fn interrupt(&self) -> Option<&'static str> {
        if self.stop.is_set() {
            return None;
        }
        if let Some(control) = &self.control {
            let is_going = matches!(control.state(), GlobalState::Running | GlobalState::Nexting);
            if is_going {
                control.stop();
                return Some("stopping the actions; press Ctrl-C again to end the run");
            }
        }
        self.end();
        Some("ending the run; press Ctrl-C again to leave")
    }

    /// Ends the run.
    pub(in super::super) fn end(&self) {
        self.stop.stop();
        if let Some(control) = &self.control {
            control.wake();
        }
    }
}
