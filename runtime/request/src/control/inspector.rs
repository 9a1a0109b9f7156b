//! The questions and orders that a debugger may have for a run.

use hasse_breakpoint::expression::Expression;
use hasse_model::value::Value;

use crate::control::error::InspectError;
use crate::control::explanation::{CycleStep, Deadlock, Explanation};
use crate::control::state::{ActionSummary, ActionView, ChangedQueue, ObjectView, QueueCount, QueueOrder};
use crate::control::stepping::{BodyView, Step};

/// What a debugger can do with a run while it is asked for something.
pub trait Inspector {
    /// All actions, by graph instance, template and index.
    fn actions(&mut self) -> Vec<ActionSummary>;
    /// All that is known of an action.
    ///
    /// # Errors
    /// There is no such action, or a worker is serving it.
    fn action(&mut self, path: &str) -> Result<ActionView, InspectError>;
    /// The value of an expression in the context of an action.
    ///
    /// # Errors
    /// As for [`action`](Self::action); also that it has no value.
    fn evaluate(&mut self, path: &str, expression: &Expression) -> Result<Value, InspectError>;
    /// Gives a name of a stopped action another value, and notes that with the record of its event; returns the value
    /// as it was taken.
    ///
    /// # Errors
    /// As for [`evaluate`](Self::evaluate); also that the action is not stopped before or after its body, the name
    /// cannot be assigned, its type does not admit the value, or the run follows a record.
    fn assign(&mut self, path: &str, name: &str, value: &Expression) -> Result<Value, InspectError>;
    /// Drops, replaces or adds a value that waits on an input port of an action, such as `x` or `left[2]`, while the run is at
    /// rest. The change is recorded, and the action is looked at again when the run goes on.
    ///
    /// # Errors
    /// As for [`evaluate`](Self::evaluate); also that the run is not at rest or follows a record, that the action has failed
    /// or is stopped in its body, that there is no such port or no value at that position, or that the type of the port does
    /// not admit the value.
    fn edit_queue(
        &mut self,
        path: &str,
        port: &str,
        order: &QueueOrder,
    ) -> Result<ChangedQueue, InspectError>;
    /// All shared objects that actions have reached, by path.
    fn objects(&mut self) -> Vec<ObjectView>;
    /// Why an action is not firing, or has not been created; of a call into which nothing has been sent, who could.
    ///
    /// # Errors
    /// The program has no such node, or a worker is serving the action.
    fn explain(&mut self, path: &str) -> Result<Explanation, InspectError>;
    /// A shortest cycle of actions each of which waits for the next, and the last for the first, and that nothing else can
    /// help; empty where there is none. Actions that do not exist may be part of it.
    fn wait_cycle(&mut self) -> Vec<CycleStep> {
        self.deadlock(&|| false).unwrap_or_default().cycle
    }
    /// Why actions are blocked, while others may go on; `None` as soon as `is_interrupted` holds. Cost: linear in actions
    /// and in the arcs between them.
    fn deadlock(&mut self, is_interrupted: &dyn Fn() -> bool) -> Option<Deadlock>;
    /// Numbers of values that wait on the ports of all actions, by node, port and what is known of where they come from,
    /// in that order. Actions that a worker is serving are left out. Cost: linear in the values that wait.
    fn queues(&mut self) -> Vec<QueueCount>;
    /// Lets all stopped actions go on; with `next` as far as [`resume`](Self::resume) says. Returns their number.
    fn resume_all(&mut self, next: bool) -> usize;
    /// Lets a stopped action go on. With `next`, one that is stopped before its body or in it stops after it; another one has
    /// those that it sends to stop before their bodies, as they do where it is not stopped and sends next time.
    ///
    /// # Errors
    /// There is no such action; or it is not stopped, unless `next` is set; or all workers wait within bodies.
    fn resume(&mut self, path: &str, next: bool) -> Result<(), InspectError>;
    /// Lets an action that is stopped before its body or in it go on to the next statement, which may be in a function
    /// that the statement at which it is calls. Behind the last one it stops at `aftcomp`.
    ///
    /// While it is stopped there it keeps its worker. A stopped action needs another one to go on.
    ///
    /// # Errors
    /// There is no such action; it is not stopped, or behind its body; its body is native, or it has none; all workers
    /// wait within bodies.
    fn step(&mut self, path: &str) -> Result<(), InspectError> {
        self.advance(path, Step::Into(1))
    }
    /// As [`step`](Self::step), as far as `step` says.
    ///
    /// # Errors
    /// As for [`step`](Self::step).
    fn advance(&mut self, path: &str, step: Step) -> Result<(), InspectError>;
    /// The course of the body of a stopped action: its statements so far, as far as somebody has looked at them, and the calls under
    /// way.
    ///
    /// # Errors
    /// There is no such action, or it is not stopped.
    fn body(&mut self, path: &str) -> Result<BodyView, InspectError>;
}
