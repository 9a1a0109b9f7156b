//! What Ctrl-C does to a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hasse_runtime::control::{Control, GlobalState};
use hasse_runtime::run::StopSignal;

use crate::progress::Progress;

/// Longest time that a session that is to leave waits for its run.
const PATIENCE: Duration = Duration::from_secs(5);

/// A run under way, for Ctrl-C.
#[derive(Clone)]
pub(super) struct Underway {
    pub(super) stop: StopSignal,
    /// Where the mode has control.
    pub(super) control: Option<Control>,
    /// The line that shows how far it is.
    pub(super) progress: Progress,
    /// Says that it is being ended.
    pub(super) ending: &'static str,
    /// Set when the run has ended and its record is closed, where the mode has no control.
    pub(super) has_ended: Arc<AtomicBool>,
}

impl Underway {
    /// A replay or a search that answers a question: it is ended, and not stopped.
    pub(super) fn of_question(stop: StopSignal) -> Self {
        Self {
            stop,
            control: None,
            progress: Progress::silent(),
            ending: "ending the search for an answer; press Ctrl-C again to leave",
            has_ended: Arc::default(),
        }
    }

    /// Asks the actions to stop, or where they have been asked already or cannot be, the run to end. False where the run
    /// had been asked to end.
    ///
    /// `tell` gets a text for the user before anything is asked for, so that the text never follows what comes of it.
    pub(super) fn interrupt(&self, tell: impl FnOnce(&str)) -> bool {
        if self.stop.is_set() {
            return false;
        }
        let going = self
            .control
            .as_ref()
            .filter(|control| matches!(control.state(), GlobalState::Running | GlobalState::Nexting));
        match going {
            Some(control) => {
                tell("stopping the actions; press Ctrl-C again to end the run");
                control.interrupt();
            }
            None => {
                tell(self.ending);
                self.end();
            }
        }
        true
    }

    /// Ends the run.
    pub(super) fn end(&self) {
        self.stop.stop();
        if let Some(control) = &self.control {
            control.wake();
        }
    }

    /// Ends the run, and waits until its record is closed, but not for ever: a body in Rust may not end.
    pub(super) fn close(&self) {
        self.end();
        let until = Instant::now() + PATIENCE;
        let is_over = || {
            let is_finished = |control: &Control| control.state() == GlobalState::Finished;
            self.has_ended.load(Ordering::Acquire) || self.control.as_ref().is_some_and(is_finished)
        };
        while !is_over() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
    }
}
