//! Reactions as soon as the events of a run show that something is wrong (Hyder 1994, section 7.3).

use clap::ValueEnum;
use hasse_debugger::check::Verdict;
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
    fn met(&self, verdicts: &[Verdict], facilities: &Facilities<'_>, batch: &EventBatch) -> Option<String> {
        match self {
            Condition::Check(text) => {
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

/// Takes what was found, and the verdicts so far.
type React = Box<dyn FnOnce(&str, &[Verdict]) + Send>;

/// Reactions to conditions that are met for the first time.
#[derive(Default)]
pub(crate) struct Stops {
    /// Those that have not been met.
    reactions: Vec<(Condition, React)>,
}

impl Stops {
    /// The same, with `react` called when a condition is met.
    pub(crate) fn on(
        mut self,
        condition: Condition,
        react: impl FnOnce(&str, &[Verdict]) + Send + 'static,
    ) -> Self {
        self.reactions.push((condition, Box::new(react)));
        self
    }

    /// Whether nothing is waited for.
    pub(crate) fn is_empty(&self) -> bool {
        self.reactions.is_empty()
    }

    /// Looks at what a batch has shown. Time: that of the verdicts so far, for each batch.
    pub(super) fn look(&mut self, facilities: &Facilities<'_>, batch: &EventBatch) {
        if self.reactions.is_empty() {
            return;
        }
        let verdicts = facilities.verdicts();
        for (condition, react) in std::mem::take(&mut self.reactions) {
            match condition.met(&verdicts, facilities, batch) {
                Some(found) => react(&found, &verdicts),
                None => self.reactions.push((condition, react)),
            }
        }
    }
}
