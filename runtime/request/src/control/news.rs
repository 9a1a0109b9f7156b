//! What a controlled run tells: its state, and what happened at stop points.

use hasse_model::diagnostic::Location;
use hasse_model::value::Value;

use crate::control::state::{StopPoint, Why};

/// The state of a run as a whole (Hyder 1994, section 7.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlobalState {
    /// Nothing executes or is ready: before the first run, after breakpoints, or because values are missing.
    #[default]
    Waiting,
    /// Actions are executing or ready to.
    Running,
    /// Actions are asked to stop before their next computation.
    Stopping,
    /// The receivers of everything that is sent are asked to stop before their next computation.
    Nexting,
    /// Nothing executes, as the user has asked for.
    Stopped,
    /// The run is over: its stop node has executed, or it had none and nothing was left to do, or it was ended.
    Finished,
}

impl GlobalState {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            GlobalState::Waiting => "waiting",
            GlobalState::Running => "running",
            GlobalState::Stopping => "stopping",
            GlobalState::Nexting => "nexting",
            GlobalState::Stopped => "stopped",
            GlobalState::Finished => "finished",
        }
    }

    /// Whether something may be executing.
    pub fn is_busy(self) -> bool {
        matches!(self, GlobalState::Running | GlobalState::Stopping | GlobalState::Nexting)
    }
}

/// Something that happened at a stop point of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    /// The event, such as `/Mult[3]:2`.
    pub event: String,
    /// Where it was.
    pub point: StopPoint,
    /// Within a body: where the statement begins that is to be executed next.
    pub at: Option<Location>,
    /// What happened.
    pub said: Said,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// The action stopped.
    Stopped(Vec<Why>),
    /// A breakpoint printed something.
    Printed {
        /// Its number.
        breakpoint: u64,
        /// What it printed.
        printed: Printed,
    },
}

/// What a command at a breakpoint printed.
#[derive(Clone, Debug, PartialEq)]
pub enum Printed {
    /// The value of an expression, or why there is none.
    Value {
        /// The expression.
        expression: String,
        /// Its value.
        value: Result<Value, String>,
    },
    /// All names.
    Names(Vec<crate::control::state::NamedValue>),
    /// A text with values in it.
    Log(Vec<Part>),
    /// A name was given a value.
    Assigned {
        /// The name.
        name: String,
        /// Its value, or why it was not assigned.
        value: Result<Value, String>,
    },
    /// Where the action is.
    Where,
    /// A watched value has changed.
    Changed {
        /// The expression.
        expression: String,
        /// What it was; `None` at the first hit.
        before: Option<Value>,
        /// What it is, or why there is no value.
        value: Result<Value, String>,
    },
}

/// A part of a log text.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// As it stands.
    Text(String),
    /// A value, or why there is none.
    Value(Result<Value, String>),
}
