//! Explanations: why an action is not firing, and which actions wait for each other.

use hasse_model::diagnostic::Location;

use crate::control::state::{ActionState, Why};
use crate::report::{HeldValues, WaitCause};

/// Why an action is not firing.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Its path.
    pub action: String,
    /// What it is doing.
    pub state: ActionState,
    /// Executions begun.
    pub count: u64,
    /// Why it stopped, if it is stopped.
    pub reasons: Vec<Why>,
    /// If it waits for a lock: the actions that hold the object.
    pub holders: Vec<String>,
    /// Ports (elements of families by index) that hold values, and how many.
    pub queued: Vec<(String, u64)>,
    /// Values of its last event that wait for room on ports of others.
    pub held_back: Vec<HeldValues>,
    /// Number of delayed values that it will receive.
    pub n_delayed: u64,
    /// Its firing rules, each with what keeps it from being taken.
    pub rules: Vec<RuleExplanation>,
    /// Of a call that nothing has been sent into: its input ports, with who could send there.
    pub inputs: Vec<MissingValue>,
}

/// Obstacle to a firing rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleExplanation {
    /// Position of the rule.
    pub rule: usize,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub at: Location,
    /// Its guard: holds, does not hold, or fails with this message. `None` where it has none.
    pub guard: Option<Result<bool, String>>,
    /// The names that the rule mentions, with their values.
    pub values: Vec<(String, String)>,
    /// What it misses.
    pub missing: Vec<MissingValue>,
    /// True if its values must have waited for some time (`a -> a after 200ms`).
    pub is_timed: bool,
}

/// A value that a firing rule misses.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingValue {
    /// The port, with the index of the element of a family.
    pub port: String,
    /// Who could send it: the first hundred.
    pub senders: Vec<Sender>,
    /// Arcs that lead to the port, in the order of the file.
    pub arcs: Vec<String>,
}

/// An action that could send a value that another one misses.
#[derive(Clone, Debug, PartialEq)]
pub struct Sender {
    /// Its path.
    pub action: String,
    /// The arc by which the value would arrive.
    pub arc: String,
    /// What it is doing.
    pub state: ActionState,
    /// Executions begun.
    pub count: u64,
}

/// A step of a cycle of waiting.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleStep {
    /// The action that waits.
    pub action: String,
    /// The port on which it misses a value; of the next action the one that is full, if it waits for room.
    pub port: String,
    /// The arc by which the next action of the cycle could send it, or along which its own value comes.
    pub arc: String,
    /// True if it waits for room, and not for a value.
    pub is_full: bool,
}

/// Why actions are blocked: they wait for each other or for events that failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deadlock {
    /// A shortest cycle of actions each of which waits for the next, and the last for the first, and that nothing else can
    /// help; empty where there is none. Actions that do not exist may be part of it.
    pub cycle: Vec<CycleStep>,
    /// Failed events that blocked actions wait for, the nearest first; at most three.
    pub failed: Vec<WaitCause>,
}
