//! Ends or stops a run as soon as its events show that something is wrong (Hyder 1994, section 7.3).

use clap::ValueEnum;
use hasse_debugger::facility::Facilities;
use hasse_model::event::{EventBatch, Outcome};

/// A finding at which a run is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Finding {
    /// A check is violated
    Check,
    /// There is a race
    Race,
    /// An event has failed
    Failed,
}

/// A condition on what has been found so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// A check is violated: the one with this text, or any.
    Check(Option<String>),
    /// There is a race.
    Race,
    /// An event has failed.
    Failed,
}

impl From<Finding> for Condition {
    fn from(finding: Finding) -> Self {
        match finding {
            Finding::Check => Condition::Check(None),
            Finding::Race => Condition::Race,
            Finding::Failed => Condition::Failed,
        }
    }
}

impl Condition {
    /// Says what has been found; `None` where the condition is not met. `batch` has been given to the facilities.
    fn met(&self, facilities: &Facilities<'_>, batch: &EventBatch) -> Option<String> {
        match self {
            Condition::Check(text) => {
                let verdicts = facilities.verdicts();
                let is_asked = |commands: &[String]| {
                    text.as_ref().is_none_or(|text| commands.iter().any(|command| command == text))
                };
                let violated = verdicts
                    .iter()
                    .find(|verdict| verdict.n_violations > 0 && is_asked(&verdict.commands))?;
                Some(format!("violated: {}", violated.commands.join(", ")))
            }
            Condition::Race => facilities.has_race().then(|| "there is a race".to_owned()),
            Condition::Failed => {
                let has_failed = batch.rows().any(|event| event.outcome == Outcome::Failed);
                has_failed.then(|| "an event has failed".to_owned())
            }
        }
    }
}

/// Stops a run, and says why.
type Stop = Box<dyn FnOnce(&str) + Send>;

/// Stops a run at the first of some conditions.
pub(crate) struct Stops {
    conditions: Vec<Condition>,
    /// `None` once it was called.
    stop: Option<Stop>,
}

impl Stops {
    /// Has `stop` called with what was found.
    pub(crate) fn new(conditions: Vec<Condition>, stop: impl FnOnce(&str) + Send + 'static) -> Self {
        Self { conditions, stop: Some(Box::new(stop)) }
    }

    /// Looks at what a batch has shown. Time: that of the verdicts so far, for each batch.
    pub(super) fn look(&mut self, facilities: &Facilities<'_>, batch: &EventBatch) {
        if self.stop.is_none() {
            return;
        }
        let found = self.conditions.iter().find_map(|condition| condition.met(facilities, batch));
        if let Some((found, stop)) = found.and_then(|found| Some((found, self.stop.take()?))) {
            stop(&found);
        }
    }
}
