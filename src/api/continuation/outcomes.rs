//! Outcomes of many runs from one moment, each of them once.

use std::io::{self, Write};

use hasse_debugger::json::serialize_named;
use hasse_model::quantity::counted;
use hasse_model::value::{Value, brief};
use hasse_runtime::report::{RunError, RunOutcome, RunReport};
use serde::Serialize;

use crate::api::order::Held;

/// Maximum length of a result in a table.
const MOST_BYTES: usize = 120;
/// Maximum number of waiting actions that an outcome lists.
const MOST_WAITING: usize = 24;

/// Outcomes of runs that begin at one moment. Serializes for other programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcomes {
    /// Number of events before the moment.
    pub position: u64,
    /// Number of events of the record that was forked.
    pub n_events: u64,
    /// The last event before the moment, in the order of the record.
    pub after: Option<String>,
    /// Number of runs.
    pub runs: u64,
    /// Outcomes, the most frequent first, then by their first seeds.
    pub outcomes: Vec<OutcomeOfRuns>,
}

/// An outcome of one run or more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutcomeOfRuns {
    /// Number of runs that ended so.
    pub runs: u64,
    /// Seed of the first one; `None` of a run without.
    pub seed: Option<u64>,
    /// The record of the first one; `None` where none was asked for.
    pub trace: Option<String>,
    /// `finished`, `failed`, `quiescent` or `stopped`.
    pub outcome: &'static str,
    /// Results, by name.
    #[serde(serialize_with = "serialize_named")]
    pub results: Vec<(String, Value)>,
    /// Errors, in the order of their events.
    pub errors: Vec<ForkError>,
    /// The first of the actions that wait, by path.
    pub waiting: Vec<String>,
    /// Number of actions that wait.
    pub n_waiting: u64,
    /// Events that an imposed order held where the run could not go on.
    pub order_unmet: Vec<Held>,
}

/// An error of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ForkError {
    /// The event, as `/Mult[3]:2`.
    pub event: String,
    /// Stable code, such as `R0001`.
    pub code: &'static str,
    /// The message.
    pub message: String,
}

impl OutcomeOfRuns {
    /// The outcome of one run.
    pub fn of(report: &RunReport, seed: Option<u64>, trace: Option<String>, order_unmet: Vec<Held>) -> Self {
        let error = |error: &RunError| ForkError {
            event: error.event.clone(),
            code: error.code,
            message: error.message.clone(),
        };
        let mut errors: Vec<ForkError> = report.errors.iter().map(error).collect();
        errors.sort();
        let mut waiting: Vec<String> =
            report.quiescence.iter().map(|waiting| waiting.action.clone()).collect();
        waiting.truncate(MOST_WAITING);
        Self {
            runs: 1,
            seed,
            trace,
            outcome: report.outcome.name(),
            results: report.results.clone(),
            errors,
            waiting,
            n_waiting: report.n_waiting,
            order_unmet,
        }
    }

    /// True if the other one differs in nothing but in who ended so.
    fn is_same(&self, other: &Self) -> bool {
        // By text: a real that is no number equals nothing.
        let results = |of: &Self| format!("{:?}", of.results);
        (self.outcome, &self.errors, &self.waiting, self.n_waiting, &self.order_unmet)
            == (other.outcome, &other.errors, &other.waiting, other.n_waiting, &other.order_unmet)
            && results(self) == results(other)
    }

    /// What the runs came to, in a line; empty where that is nothing.
    fn text(&self) -> String {
        let results =
            self.results.iter().map(|(name, value)| format!("{name} = {}", brief(value, MOST_BYTES)));
        let errors = self
            .errors
            .iter()
            .map(|ForkError { event, code, message }| format!("{code} at {event}: {message}"));
        let unmet =
            self.order_unmet.iter().map(|held| format!("{} waits for {}", held.event, held.waits_for));
        let parts: Vec<String> = results.chain(errors).chain(unmet).chain(self.waiting_text()).collect();
        parts.join("; ")
    }

    fn waiting_text(&self) -> Option<String> {
        let n_more = self.n_waiting.saturating_sub(self.waiting.len() as u64);
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        (!self.waiting.is_empty()).then(|| format!("waiting: {}{more}", self.waiting.join(", ")))
    }
}

impl Outcomes {
    /// No runs yet.
    pub fn new(fork: &super::Fork<'_>) -> Self {
        let after = fork.after().map(str::to_owned);
        Self { position: fork.position(), n_events: fork.n_events(), after, runs: 0, outcomes: Vec::new() }
    }

    /// Takes in the outcome of a run. Returns true if no earlier run has ended so.
    pub fn add(&mut self, found: OutcomeOfRuns) -> bool {
        self.runs += found.runs;
        match self.outcomes.iter_mut().find(|known| known.is_same(&found)) {
            Some(known) => {
                known.runs += found.runs;
                false
            }
            None => {
                self.outcomes.push(found);
                true
            }
        }
    }

    /// Puts the most frequent outcome first.
    pub fn sort(&mut self) {
        self.outcomes.sort_by_key(|outcome| (std::cmp::Reverse(outcome.runs), outcome.seed));
    }

    /// True if all runs have finished.
    pub fn are_finished(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.outcome == RunOutcome::Finished.name())
    }

    /// Writes a table for a person.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn write_text(&self, headline: &str, out: &mut dyn Write) -> io::Result<()> {
        let n_outcomes = counted(self.outcomes.len() as u64, "outcome");
        writeln!(out, "{} from {headline}: {n_outcomes}", counted(self.runs, "run"))?;
        for outcome in &self.outcomes {
            let (runs, text) = (counted(outcome.runs, "run"), outcome.text());
            let seed = outcome.seed.map_or_else(String::new, |seed| format!(" (seed {seed})"));
            let separator = if text.is_empty() { "" } else { ": " };
            writeln!(out, "  {runs} {}{seed}{separator}{text}", outcome.outcome)?;
            if let Some(trace) = &outcome.trace {
                writeln!(out, "    recorded in {trace}")?;
            }
        }
        Ok(())
    }
}
