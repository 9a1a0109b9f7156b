//! What a run reports when it is over: outcome, results, errors, who waits for what.

use hasse_model::diagnostic::Location;
use hasse_model::digest::HistoryDigest;
use hasse_model::value::Value;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// The stop node executed, or a program without one ran out of work with nothing left over.
    Finished,
    /// At least one event failed, or two concurrent events set one result.
    Failed,
    /// Nothing could fire, and values were left on ports or the stop node was never executed.
    Quiescent,
    /// It was interrupted from outside.
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
    /// Number of actions created.
    pub n_actions: u64,
    /// Number of those that were let go of before the end, as they could never receive again.
    pub n_reclaimed: u64,
    /// Who waits for what, by path; empty unless the run went quiescent.
    pub quiescence: Vec<WaitingAction>,
    /// Number of waiting actions; `quiescence` holds the first thousand.
    pub n_waiting: u64,
    /// Actions each of which waits for the next, and the last for the first; empty where there is no
    /// such cycle.
    pub wait_cycle: Vec<String>,
    /// Failed events and conflicting results, by event path.
    pub errors: Vec<RunError>,
    /// For a replay: the first event that went another way than recorded.
    pub divergence: Option<Divergence>,
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
    pub values: Vec<(String, String)>,
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
    /// Ports (elements of families by index) that hold values, and how many.
    pub queued: Vec<(String, u64)>,
    /// Its firing rules, each with what keeps it from being taken.
    pub rules: Vec<WaitingRule>,
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
    /// Ports (elements of families by index) on which a value is missing.
    pub missing: Vec<String>,
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
