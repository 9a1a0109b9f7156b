//! Reports of runs that are over: outcome, results, errors, and the actions that wait.

use std::time::Duration;

use hasse_body::edge::MAX_VALUE;
use hasse_model::diagnostic::Location;
use hasse_model::digest::HistoryDigest;
use hasse_model::event::{ActionRecord, GraphRecord};
use hasse_model::value::{Value, brief};

use crate::decision::StoppedAt;

/// Length in bytes of an error's message.
pub const MAX_MESSAGE: usize = 1_100;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// The stop node executed, or a program without one ran out of work with nothing left over.
    Finished,
    /// At least one event failed, or two concurrent events set one result.
    Failed,
    /// Nothing could fire, and values were left on ports or the stop node was never executed.
    Quiescent,
    /// It was interrupted from outside, or stopped by its chooser: see [`RunReport::stopped_at`].
    Stopped,
}

impl RunOutcome {
    /// The name in `--json` and in traces.
    pub fn name(self) -> &'static str {
        match self {
            RunOutcome::Finished => "finished",
            RunOutcome::Failed => "failed",
            RunOutcome::Quiescent => "quiescent",
            RunOutcome::Stopped => "stopped",
        }
    }
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Named results, by name.
    pub results: Vec<(String, Value)>,
    /// Number of events.
    pub n_events: u64,
    /// Time from its start to the end of its last event; time during which the debugger held it included.
    pub duration: Duration,
    /// Number of actions created.
    pub n_actions: u64,
    /// Number of those that were let go of before the end, as they could never receive again.
    pub n_reclaimed: u64,
    /// Who waits for what, by path; empty unless the run went quiescent, or its chooser asked for it.
    pub quiescence: Vec<WaitingAction>,
    /// Number of waiting actions; `quiescence` holds the first thousand.
    pub n_waiting: u64,
    /// Waiting actions by class: those that wait alike.
    pub waiting_classes: Vec<WaitingClass>,
    /// Number of waiting actions in other classes.
    pub n_unclassed: u64,
    /// Likely causes of the waiting, but for `wait_cycle`.
    pub wait_causes: Vec<WaitCause>,
    /// Whether the program has a stop node.
    pub has_stop_node: bool,
    /// Actions each of which waits for the next, and the last for the first; empty where there is no
    /// such cycle that nothing else could have helped. Actions that do not exist may be among them.
    pub wait_cycle: Vec<String>,
    /// Failed events and conflicting results, by event path.
    pub errors: Vec<RunError>,
    /// Values that wait on ports, of a run that was ended before its end: the ports with the most first.
    pub waiting_values: Vec<WaitingValues>,
    /// Values that full ports have dropped, by node and port in the order of the program.
    pub dropped: Vec<DroppedValues>,
    /// Handled errors and retries, by node in the order of the program.
    pub handled: Vec<HandledErrors>,
    /// For a replay: the first event that went another way than recorded.
    pub divergence: Option<Divergence>,
    /// The point at which the run's [`Choose`](crate::decision::Choose) has stopped it.
    pub stopped_at: Option<StoppedAt>,
    /// The digest of all events, where choices are noted or followed.
    pub digest: Option<HistoryDigest>,
}

/// An error of the program, at one event.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// Stable code, such as `R0001`.
    pub code: &'static str,
    /// The event, as `/Mult[3]:2`.
    pub event: String,
    /// What went wrong.
    pub message: String,
    /// Where in the program file.
    pub at: Location,
    /// Names and values that the event saw, in the order of the scope.
    pub values: Vec<SeenValue>,
}

/// A value in the report of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenValue {
    /// Name in the scope of the event; of a result that was set concurrently, the event that set it.
    pub name: String,
    /// Its text; the beginning of a long one.
    pub text: String,
    /// The value itself; `None` where it is long, or no value of the language.
    pub value: Option<Value>,
}

impl SeenValue {
    /// A value as a report has it.
    pub fn new(name: &str, value: &Value) -> Self {
        let is_short = size_within(value, MAX_VALUE).is_some();
        Self { name: name.to_owned(), text: brief(value, MAX_VALUE), value: is_short.then(|| value.clone()) }
    }
}

/// What is left of `room` for scalars and bytes of text after those of a value; `None` where it has more.
fn size_within(value: &Value, room: usize) -> Option<usize> {
    let all = |items: &[Value]| items.iter().try_fold(room, |room, item| size_within(item, room));
    match value {
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => room.checked_sub(1),
        Value::String(text) => room.checked_sub(text.len()),
        Value::Bytes(bytes) => room.checked_sub(bytes.len()),
        Value::Vector(entries) => room.checked_sub(entries.len()),
        Value::Matrix(matrix) => room.checked_sub(matrix.entries().len()),
        Value::Array(items) => all(items),
        Value::Struct(held) => all(held.fields()),
        Value::Map(entries) => entries
            .iter()
            .try_fold(room, |room, (key, value)| size_within(value, room.checked_sub(key.len())?)),
    }
}

/// An action that holds values, or could have, when nothing could fire.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingAction {
    /// Its path.
    pub action: String,
    /// How often it has executed.
    pub n_executed: u64,
    /// Whether it was stopped by an error.
    pub has_failed: bool,
    /// Ports (elements of families by index) that hold values, and how many: the first hundred.
    pub queued: Vec<(String, u64)>,
    /// Number of values on other elements of ports.
    pub n_more_queued: u64,
    /// Values of its last event that wait for room on bounded ports: the first hundred ports. It executes nothing meanwhile.
    pub held_back: Vec<HeldValues>,
    /// Its firing rules, each with what keeps it from being taken; none of a failed action.
    pub rules: Vec<WaitingRule>,
}

/// Values that wait for room on a bounded port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldValues {
    /// The receiver and its port, with the element of a family: `/Mux.video`.
    pub port: String,
    /// Number of values.
    pub n_values: u64,
    /// Maximum number of values that wait on the port.
    pub bound: u64,
    /// The arc along which they come.
    pub arc: String,
}

/// Values that a port of all actions of a node has dropped, as it was full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedValues {
    /// Node and port, as `Show.sample`.
    pub port: String,
    /// Number of values.
    pub n_values: u64,
}

/// Handled errors and retries of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct HandledErrors {
    /// Label of the node.
    pub node: String,
    /// Number of failed events.
    pub n_events: u64,
    /// Number of retries of failing bodies.
    pub n_retries: u64,
    /// The first of the failed events, by instance and number of the execution.
    pub first: Option<RunError>,
}

/// Values that wait on a port of all actions of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingValues {
    /// Node and port, as `Mult.x`.
    pub port: String,
    /// Number of values.
    pub n_values: u64,
    /// Number of actions that hold them.
    pub n_actions: u64,
    /// An action that holds the most, by path.
    pub most_at: String,
    /// Number of values there.
    pub n_most: u64,
}

/// Actions of a node that wait alike: for the same ports, with values on the same ones.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingClass {
    /// Label of the node.
    pub node: String,
    /// Number of actions.
    pub n_actions: u64,
    /// Paths of the first ones.
    pub examples: Vec<String>,
    /// Fewest and most executions of an action.
    pub n_executed: (u64, u64),
    /// Fewest and most values of an action on each of the ports that `first` lists.
    pub n_values: Vec<(u64, u64)>,
    /// How the first one waits, without its path.
    pub first: WaitingAction,
}

/// A likely cause of waiting.
#[derive(Clone, Debug, PartialEq)]
pub enum WaitCause {
    /// An action waits for a value that would have come from a failed event, or over others from there.
    Failed {
        /// The event that failed.
        event: String,
        /// An action that waits.
        action: String,
        /// The port on which it misses a value; of the failed action the one that is full, if it waits for room.
        port: String,
        /// True if it waits for room, and not for a value.
        is_full: bool,
        /// Number of other failed actions for which actions wait.
        n_others: u64,
    },
    /// An action waits for a value to which nothing leads that waits itself.
    NoSender {
        /// The action.
        action: String,
        /// The port on which it misses a value.
        port: String,
        /// The first actions from which an arc leads there.
        senders: Vec<PossibleSender>,
    },
    /// An action waits for room on a bounded port, and nothing takes a value from there any more. With a larger bound the run
    /// could go on.
    Full {
        /// The action.
        action: String,
        /// The values that wait.
        held: HeldValues,
    },
}

/// An action from which a value could have come.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleSender {
    /// Its path.
    pub action: String,
    /// The arc by which the value would have come.
    pub arc: String,
    /// How often it executed; `None` if it was never created.
    pub n_executed: Option<u64>,
    /// Its events that failed, where the node handles errors, and so goes on.
    pub failed: Option<FailedEvents>,
}

/// Failed events of an action that went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedEvents {
    /// The first one: its path and count.
    pub first: String,
    /// Number of all.
    pub n_events: u64,
}

/// A firing rule that could not be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingRule {
    /// Position of the rule.
    pub rule: usize,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub at: Location,
    /// Its guard: holds, does not hold, or fails with this message. `None` where it has none.
    pub guard: Option<Result<bool, String>>,
    /// Ports (elements of families by index) on which a value is missing: the first hundred.
    pub missing: Vec<String>,
    /// Number of others.
    pub n_more_missing: u64,
}

/// A replay that did not go as recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The first event in causal order that differs, as `/Mult[3]:2`.
    pub event: String,
    /// What the record says.
    pub expected: String,
    /// What the replay did.
    pub found: String,
    /// Where in the program file.
    pub at: Location,
}

/// What was created and never executed.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    /// Graph instances that the actions belong to, and those around them, outermost first.
    pub graphs: Vec<GraphRecord>,
    /// Actions, in the order of their paths.
    pub actions: Vec<ActionRecord>,
}

/// Why an event does not take place on these values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The guard of the rule does not hold.
    Guard {
        /// Position of the rule.
        rule: usize,
        /// Positions of the rules that could be taken instead, ascending.
        others: Vec<usize>,
    },
    /// The rule takes a value of which there is none.
    Missing {
        /// Position of the rule.
        rule: usize,
        /// The port, or the element of a family, such as `diag[2]`.
        port: String,
    },
    /// The rule takes fewer values than there are.
    Left {
        /// Position of the rule.
        rule: usize,
        /// How many are left on the ports.
        n_left: usize,
    },
    /// The node has no firing rule at this position, or is no start node.
    NoRule {
        /// The position asked for.
        rule: i32,
    },
}
