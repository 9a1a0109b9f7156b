//! Interactive control: stopping, continuing and querying the actions of a run (Hyder 1994, chapter 7).
//!
//! A [`Control`](crate::control::Control) is shared by a debugger and a run. Workers look at it at the stop points of
//! each execution and put a stopped action aside without holding a thread. What the debugger asks for is carried out by
//! the thread that started the run, which can see all actions; so no worker waits for the debugger.

/// Breakpoints with their selectors looked up.
pub mod armed;
/// What the workers look at: commands and breakpoints.
pub mod board;
/// Commands of the debugger to one action and to all.
pub mod command;
/// Why a question or a command of the debugger was refused.
pub mod error;
/// Explanations.
pub mod explanation;
/// The questions and orders that a debugger may have for a run.
pub mod inspector;
/// What has happened, and what state a run is in.
pub mod news;
/// What is told of actions.
pub mod state;
/// Steps through bodies.
pub mod stepping;

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use hasse_model::plan::Plan;
use hasse_model::record_options::SelectorError;

use crate::control::board::Board;
pub use crate::control::board::Printer;
use crate::control::board::{ListedBreakpoint, NoRun};
use crate::control::command::ActionCommand;
pub use crate::control::error::InspectError;
pub use crate::control::explanation::{
    CycleStep, Deadlock, Explanation, MissingValue, RuleExplanation, Sender,
};
pub use crate::control::inspector::Inspector;
pub use crate::control::news::{GlobalState, News, Part, Printed, Said};
pub use crate::control::state::Why;
pub use crate::control::state::{
    ActionState, ActionSummary, ActionView, ChangedQueue, NamedValue, ObjectUse, ObjectView, PortView,
    QueueCount, QueueOrder, Queued, StopPoint,
};
pub use crate::control::stepping::{BodyView, Frame, Step};
pub use hasse_breakpoint::breakpoint::statement_line;
pub use hasse_breakpoint::{breakpoint, expression, grammar};

use crate::control::board::Request;
use crate::report::RunReport;
use hasse_breakpoint::breakpoint::Breakpoint;

/// A debugger's hold on the runs of a session; clones share it. Breakpoints outlive the runs.
#[derive(Clone, Debug, Default)]
pub struct Control {
    #[doc(hidden)]
    pub board: Arc<Board>,
}

impl Control {
    /// A control without breakpoints.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a breakpoint, in place of the one that has its number. In a run under way it counts from the next stop point
    /// of each action on.
    ///
    /// # Errors
    /// A selector that names what the program does not have.
    pub fn set_breakpoint(
        &self,
        plan: &Plan,
        number: u64,
        breakpoint: Breakpoint,
    ) -> Result<(), SelectorError> {
        self.board.add(plan, number, breakpoint)
    }

    /// Deletes a breakpoint; tells whether there was one.
    pub fn delete_breakpoint(&self, number: u64) -> bool {
        self.board.delete(number)
    }

    /// All breakpoints, by number.
    pub fn breakpoints(&self) -> Vec<ListedBreakpoint> {
        self.board.listed()
    }

    /// To be called before a run is started with this control: from here until [`end`](Self::end) it counts as running.
    pub fn begin(&self) {
        self.board.begin();
    }

    /// To be called when the call that carried out the run has returned, however it did.
    pub fn end(&self) {
        self.board.end();
    }

    /// Asks every action that is about to begin its computation to stop.
    pub fn stop(&self) {
        self.board.stop();
    }

    /// As [`stop`](Self::stop), for a person who waits: [`wait_for_stop`](Self::wait_for_stop) returns soon, even if a body
    /// goes on.
    pub fn interrupt(&self) {
        self.board.interrupt();
    }

    /// Asks an action to stop before its next computation; it need not exist yet. `path` is such as `/dobts/Mult[3]`.
    pub fn stop_action(&self, path: &str) {
        self.board.command(path, Some(ActionCommand::Stop));
    }

    /// The state of the run.
    pub fn state(&self) -> GlobalState {
        self.board.state()
    }

    /// Waits until nothing is executing any more, and tells the state then.
    pub fn wait_for_rest(&self) -> GlobalState {
        self.board.wait_for_rest()
    }

    /// Waits until nothing is executing any more, or for `patience` after an action has stopped while others go on that
    /// nobody has asked to stop; returns the state then.
    pub fn wait_for_stop(&self, patience: Duration) -> GlobalState {
        self.board.wait_for_stop(patience)
    }

    /// Waits until the number of stops and ends is another than the one seen last, and returns it.
    pub fn wait_for_change(&self, n_seen: u64) -> u64 {
        self.board.wait_for_change(n_seen)
    }

    /// Lets go on who [waits for a change](Self::wait_for_change).
    pub fn nudge(&self) {
        self.board.nudge();
    }

    /// Has what breakpoints say printed as it happens, in causal order with the output of the program, instead of kept as
    /// [news](Self::take_news). The printer is called while the output waits: it must not ask the run.
    pub fn set_printer(&self, printer: Option<Printer>) {
        self.board.set_printer(printer);
    }

    /// What has happened since this was called last, in the order of events' names.
    pub fn take_news(&self) -> Vec<News> {
        self.board.take_news()
    }

    /// The report of the run, once it is over.
    pub fn report(&self) -> Option<RunReport> {
        self.board.report()
    }

    /// Lets go of a run that is over and open to questions only. One that is not over has to be ended by its
    /// [`StopSignal`](hasse_body::interrupt::StopSignal) and [`wake`](Self::wake).
    pub fn release(&self) {
        self.board.release();
    }

    /// Lets all stopped actions go on, after the run's [`StopSignal`](hasse_body::interrupt::StopSignal) was set: they see it.
    pub fn wake(&self) {
        let _ = self.ask(|inspector| inspector.resume_all(false));
    }

    /// Has something asked of the run by the thread that can see all its actions, and waits for the answer.
    ///
    /// # Errors
    /// There is no such run, or it ended before it could be asked.
    pub fn ask<R: Send + 'static>(
        &self,
        question: impl FnOnce(&mut dyn Inspector) -> R + Send + 'static,
    ) -> Result<R, NoRun> {
        let (answer, answered) = sync_channel(1);
        let request: Request = Box::new(move |inspector| {
            // Whoever asked has gone away where this fails.
            let _ = answer.send(question(inspector));
        });
        self.board.request(request)?;
        answered.recv().map_err(|_| NoRun)
    }
}
