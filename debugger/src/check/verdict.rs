//! What became of an expectation.

use super::evidence::Evidence;
use super::history::Step;

/// What became of one expectation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The command; for `pred` all alternatives on the same events.
    pub commands: Vec<String>,
    /// Whether the expectation was met: for `pred` by every event, for `parall` by some events.
    pub holds: bool,
    /// Why it cannot be said whether it holds; then `holds` is false.
    pub error: Option<String>,
    /// Whether the run goes on and its further events decide it; then `holds` is false.
    pub is_open: bool,
    /// Number of events that the expectation is about.
    pub n_events: u64,
    /// For `forall` with several variables: number of combinations that are as `where` says.
    pub n_combinations: Option<u64>,
    /// Number of events or combinations that offend.
    pub n_violations: u64,
    /// Number of combinations or events of which only later events can say whether they offend; 0 when the run is over.
    pub n_undecided: u64,
    /// The first offending ones, in causal order.
    pub violations: Vec<Violation>,
    /// Events that show that it holds, such as for `parall` concurrent ones in the order of the command; empty
    /// where there are none, or where it is of another kind.
    pub witness: Vec<String>,
    /// What else the user should know.
    pub notes: Vec<String>,
}

impl Verdict {
    /// A verdict on commands that does not hold and says nothing else.
    pub fn of(commands: Vec<String>) -> Self {
        Self { commands, ..Self::default() }
    }

    /// Whether the run's events show that the expectation is not met.
    pub fn is_violated(&self) -> bool {
        !self.holds && !self.is_open && self.error.is_none()
    }

    /// The verdict in words: `holds`, `does not hold`, `undecided so far` or `cannot be decided`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict { error: Some(_), .. } => "cannot be decided",
            Verdict { is_open: true, .. } => "undecided so far",
            Verdict { holds: true, .. } => "holds",
            Verdict { holds: false, .. } => "does not hold",
        }
    }

    /// Leaves it to the events to come, unless those that came have decided it for good: by a violation, or by the
    /// events that an existential check looks for.
    pub(super) fn open(&mut self) {
        if self.error.is_none() && self.n_violations == 0 && self.witness.is_empty() {
            (self.holds, self.is_open) = (false, true);
        }
    }
}

/// An event, or events together, that are not as expected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Violation {
    /// Path and count of the event; of several the one that came last.
    pub event: String,
    /// Name of its template.
    pub template: String,
    /// The events by the variables of a predicate; empty for other kinds.
    pub events: Vec<Bound>,
    /// What is so that should not be, or is not so that should; a line each.
    pub reasons: Vec<String>,
    /// For each alternative of `pred`, in the order of the commands: what is not before the event.
    pub missing: Vec<Vec<Missing>>,
    /// How its immediate predecessors reached it.
    pub evidence: Vec<Evidence>,
    /// The smallest part of the history that shows it, in causal order; empty where the evidence does.
    pub history: Vec<Step>,
}

impl Violation {
    /// A violation by an event, of which nothing else is said.
    pub fn of(event: String, template: String) -> Self {
        Self { event, template, ..Self::default() }
    }
}

/// A variable of a predicate and the event that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Name of the variable.
    pub variable: String,
    /// Path and count of the event.
    pub event: String,
    /// Name of its template.
    pub template: String,
}

/// Something that is not before an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// As the command names it.
    pub spec: String,
    /// Whether it occurred at all.
    pub occurred: bool,
}

/// Number of violations that a verdict spells out.
pub const MOST_VIOLATIONS: usize = 10;
