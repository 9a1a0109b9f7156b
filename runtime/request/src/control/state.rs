//! What is told of actions and shared objects, as plain data.

use hasse_breakpoint::expression::Expression;
use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, Index, TemplateId};
use hasse_model::value::Value;

/// Where in an execution an action may stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StopPoint {
    /// Values are taken and locks granted; the body has not begun.
    Befcomp,
    /// A statement of the body is about to begin.
    Line,
    /// The body has ended; nothing is routed yet.
    Aftcomp,
    /// The routing rules are evaluated; nothing is sent yet.
    Send,
    /// Something has failed.
    Failed,
}

impl StopPoint {
    /// The name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            StopPoint::Befcomp => "befcomp",
            StopPoint::Line => "line",
            StopPoint::Aftcomp => "aftcomp",
            StopPoint::Send => "send",
            StopPoint::Failed => "failed",
        }
    }
}

/// What an action is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionState {
    /// Nothing: no firing rule was enabled when it was looked at last.
    Idle,
    /// It is to be served, and waits for a worker.
    Ready,
    /// A worker is serving it.
    Running,
    /// It is stopped.
    Stopped(StopPoint),
    /// An execution waits for a lock on this object.
    WaitsFor(String),
    /// Values of its last event wait for room on this port of another action.
    WaitsForRoom(String),
    /// Its body waits for the world outside: a time, a line, a reply.
    WaitsForWorld,
    /// An execution failed: it executes no more.
    Failed,
    /// It does not exist: no value has been sent to it.
    NotCreated,
}

/// An action in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSummary {
    /// Its path, such as `/dobts[2]/Mult[3]`.
    pub path: String,
    /// Its template.
    pub template: TemplateId,
    /// The path of its graph instance; empty for the main graph.
    pub graph: String,
    /// Its index.
    pub index: Index,
    /// Executions begun.
    pub count: u64,
    /// What it is doing.
    pub state: ActionState,
    /// Number of values on its ports.
    pub n_queued: u64,
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    /// The name.
    pub name: String,
    /// What kind of name it is: `parameter`, `index`, `var`, `shared`, `bound`, `let`, or `rule` and `count` themselves.
    pub kind: &'static str,
    /// Its value, or the name of a type that is not one of the program language.
    pub value: Result<Value, String>,
}

/// An input port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortView {
    /// Its name, with the index of the element of a family.
    pub name: String,
    /// What waits on it, in order.
    pub queued: Vec<Queued>,
}

/// A value that waits on a port.
#[derive(Clone, Debug, PartialEq)]
pub struct Queued {
    /// The value.
    pub value: Value,
    /// The event that sent it, where the mode of recording knows it.
    pub sender: Option<String>,
    /// True if a person has added it.
    pub is_by_hand: bool,
}

/// A change of what waits on an element of an input port. Positions count from 0.
#[derive(Clone, Debug)]
pub enum QueueOrder {
    /// Drops the value at a position.
    Drop {
        /// The position.
        position: usize,
    },
    /// Replaces the value at a position.
    Replace {
        /// The position.
        position: usize,
        /// The new value, in the context of the action.
        value: Expression,
    },
    /// Adds a value after the others.
    Add {
        /// The value, in the context of the action.
        value: Expression,
    },
}

/// A queue that was changed by hand.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedQueue {
    /// The action and its port, such as `/Mult[3].left`.
    pub place: String,
    /// The value that was dropped or replaced.
    pub before: Option<Value>,
    /// The added value, or the replacement.
    pub after: Option<Value>,
    /// Number of values that wait there now.
    pub n_waiting: usize,
}

/// Values that wait on a port of a node's actions and came from the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueCount {
    /// The node.
    pub template: TemplateId,
    /// Position of the port.
    pub port: usize,
    /// The arc by which they came, where the mode of recording knows it.
    pub arc: Option<ArcId>,
    /// The node whose actions sent them, where the mode of recording knows it.
    pub sender: Option<TemplateId>,
    /// How many there are.
    pub n_values: u64,
    /// Fill of the port, in percent of its bound: that of the fullest one of all actions and elements. `None` where it has no bound.
    pub fill: Option<u8>,
}

/// A shared object as an action uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectUse {
    /// The name in the action.
    pub name: String,
    /// The path of the object.
    pub object: String,
    /// `read` or `write`.
    pub access: &'static str,
    /// Whether the action holds it.
    pub is_held: bool,
}

/// A shared object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectView {
    /// Its path.
    pub path: String,
    /// Its value.
    pub value: Value,
    /// Actions that hold it.
    pub holders: Vec<String>,
    /// Actions that wait for it.
    pub waiting: Vec<String>,
}

/// All that is known of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionView {
    /// Path, state and count.
    pub summary: ActionSummary,
    /// Its names with their values.
    pub names: Vec<NamedValue>,
    /// Its input ports that hold values.
    pub ports: Vec<PortView>,
    /// Its input ports without elements at which nothing waits.
    pub empty_ports: Vec<String>,
    /// Of an execution that has begun: the firing rule taken.
    pub rule: Option<i32>,
    /// Of an execution that has begun: its immediate predecessors, those whose values it took first.
    pub predecessors: Vec<String>,
    /// The shared objects that it uses.
    pub objects: Vec<ObjectUse>,
    /// Of an execution that is about to send: ports and values.
    pub sends: Vec<(String, Value)>,
    /// Why it stopped.
    pub reasons: Vec<crate::control::state::Why>,
    /// Of an action that is stopped in its body: where the statement begins that is to be executed next.
    pub at: Option<Location>,
    /// The line of the program file on which that statement begins, without what is blank around it.
    pub line_text: Option<String>,
}

/// Why an action stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// All were asked to.
    Everything,
    /// It was asked to.
    Command,
    /// It received a value from an action that was told `next`, or was told so itself.
    Next,
    /// It was told to step: to the next statement, or behind its body.
    Step,
    /// A breakpoint, by its number; with what else there is to say, such as the value that passes.
    Breakpoint {
        /// Its number.
        number: u64,
        /// Such as `the value 3 passes Dist.a -> Mult.a`; empty where there is nothing to add.
        detail: String,
    },
    /// The condition of a breakpoint could not be evaluated.
    Condition {
        /// Its number.
        number: u64,
        /// What is wrong.
        message: String,
    },
}
