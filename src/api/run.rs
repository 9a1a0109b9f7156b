//! What came of a run.

use hasse_model::value::Value;
use hasse_runtime::natives::FromValue;
use hasse_runtime::report::{RunOutcome, RunReport};

use super::error::{Error, RunFailure};

/// A run that is over, however it ended.
#[derive(Clone, Debug)]
pub struct Run {
    pub(crate) program: String,
    pub(crate) report: RunReport,
}

impl Run {
    /// How it ended.
    pub fn outcome(&self) -> RunOutcome {
        self.report.outcome
    }

    /// Everything that it reports: errors, who waits for what, numbers of events and actions.
    pub fn report(&self) -> &RunReport {
        &self.report
    }

    /// The run itself, if it finished.
    ///
    /// # Errors
    /// [`Error::Run`] where it ended in another way, or a replay left its record.
    pub fn finished(self) -> Result<Self, Error> {
        if self.report.outcome == RunOutcome::Finished && self.report.divergence.is_none() {
            return Ok(self);
        }
        Err(Box::new(RunFailure { program: self.program, report: self.report }).into())
    }

    /// A named result as a Rust type.
    ///
    /// # Errors
    /// There is none of the name, or it is of another type.
    pub fn result<T: FromValue>(&self, name: &str) -> Result<T, Error> {
        let Some((_, value)) = self.report.results.iter().find(|(known, _)| known == name) else {
            let known = self.report.results.iter().map(|(known, _)| known.clone()).collect();
            return Err(Error::NoResult { name: name.to_owned(), known });
        };
        let typed = T::from_value(value.clone());
        typed.map_err(|source| Error::ResultType { name: name.to_owned(), source })
    }

    /// All results, by name.
    pub fn results(&self) -> &[(String, Value)] {
        &self.report.results
    }
}
