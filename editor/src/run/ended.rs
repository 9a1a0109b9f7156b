//! The end of a run: outcome, cause, results.

use std::sync::Arc;
use std::time::Duration;

use hasse_model::show::{Limits, Shown};
use hasse_model::value::Value;
use hasse_runtime::report::RunOutcome;

/// Maximum number of failed events in an [`Ended`].
pub const MOST_FAILURES: usize = 100;
/// Most results that a headline names.
const MOST_NAMED: usize = 3;

/// Named results of a run, by name.
pub type Results = Arc<Vec<(String, Value)>>;

/// End of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Why, in one line: the first error, or who waits; empty where nothing is wrong.
    pub reason: String,
    /// Number of events.
    pub n_events: u64,
    /// Time from its start to its end; time during which it was stopped included.
    pub duration: Duration,
    /// Events that failed, the first of them.
    pub failures: Vec<Failure>,
    /// Paths of actions that wait for each other, each for the next; empty where there is no such cycle.
    pub cycle: Vec<String>,
    /// Path of an action that waits for values that nobody will send.
    pub waits: Option<String>,
    /// Its named results.
    pub results: Results,
}

/// A failed event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Path of the event, such as `/Mult[3]:2`.
    pub event: String,
    /// First line of the message.
    pub message: String,
    /// Line of the program's text, from 1.
    pub line: u32,
}

impl Failure {
    /// Path of the action.
    pub fn action(&self) -> &str {
        self.event.rsplit_once(':').map_or(self.event.as_str(), |(action, _)| action)
    }
}

/// Where the cause of an end is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause<'a> {
    /// A line of a body or a rule of the program's text, of the action that failed.
    Line(&'a str, u32),
    /// Actions that wait for each other.
    Cycle(&'a [String]),
    /// An action that waits.
    Action(&'a str),
}

impl Ended {
    /// The outcome in a word.
    pub fn name(&self) -> &'static str {
        match self.outcome {
            RunOutcome::Quiescent if !self.cycle.is_empty() => "deadlock",
            RunOutcome::Stopped => "ended",
            outcome => outcome.name(),
        }
    }

    /// The outcome as a sentence without its subject, for a title.
    pub fn title(&self) -> &'static str {
        match self.outcome {
            RunOutcome::Finished => "Finished",
            RunOutcome::Failed => "Failed",
            RunOutcome::Quiescent if !self.cycle.is_empty() => "Deadlock",
            RunOutcome::Quiescent => "Quiescent: values are left that nobody takes",
            RunOutcome::Stopped => "Ended by hand",
        }
    }

    /// One line below the title: the reason, or else the results.
    pub fn detail(&self) -> String {
        if !self.reason.is_empty() {
            return self.reason.clone();
        }
        let one = |(name, value): &(String, Value)| {
            let shown = Shown::new(value, &Limits::one_line());
            format!("{name} = {}", shown.lines().first().map_or("", String::as_str))
        };
        let mut named: Vec<String> = self.results.iter().take(MOST_NAMED).map(one).collect();
        if self.results.len() > MOST_NAMED {
            named.push(format!("{} more", self.results.len() - MOST_NAMED));
        }
        named.join(", ")
    }

    /// Duration and number of events.
    pub fn figures(&self) -> String {
        let events = match self.n_events {
            1 => "1 event".to_owned(),
            n_events => format!("{n_events} events"),
        };
        format!("{}, {events}", duration_text(self.duration))
    }

    /// Where the cause is seen; `None` where nothing is wrong.
    pub fn cause(&self) -> Option<Cause<'_>> {
        if let Some(failure) = self.failures.first() {
            return Some(Cause::Line(failure.action(), failure.line));
        }
        if !self.cycle.is_empty() {
            return Some(Cause::Cycle(&self.cycle));
        }
        self.waits.as_deref().map(Cause::Action)
    }
}

/// A duration with three digits: `873 µs`, `12.4 ms`, `3.02 s`, `2 min 05 s`.
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let digits = |value: f64, unit: &str| {
        let n_decimals = if value < 9.995 {
            2
        } else if value < 99.95 {
            1
        } else {
            0
        };
        format!("{value:.n_decimals$} {unit}")
    };
    if seconds < 999.5e-6 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 0.9995 {
        digits(seconds * 1e3, "ms")
    } else if seconds < 59.95 {
        digits(seconds, "s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        let text = |seconds: f64| duration_text(Duration::from_secs_f64(seconds));
        assert_eq!(text(0.0), "0 µs");
        assert_eq!(text(873e-6), "873 µs");
        assert_eq!(text(999.6e-6), "1.00 ms");
        assert_eq!(text(0.01237), "12.4 ms");
        assert_eq!(text(0.99951), "1.00 s");
        assert_eq!(text(59.94), "59.9 s");
        assert_eq!(text(59.96), "1 min 00 s");
        assert_eq!(text(125.2), "2 min 05 s");
    }
}
