//! Exporters: what makes something of events that come in causal order.

use std::io;

use hasse_model::event::EventRecord;
use hasse_model::trace::Names;

use crate::clock::TakenTooOften;
use crate::read::{ReadError, Summary};

/// Why an export did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trace cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The events contradict each other.
    #[error("{event}: {source}")]
    Inconsistent {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: TakenTooOften,
    },
    /// Writing failed.
    #[error("cannot write the export")]
    Write(#[from] io::Error),
}

impl ExportError {
    pub(super) fn inconsistent(names: &Names) -> impl Fn(TakenTooOften) -> Self {
        |source| Self::Inconsistent { event: names.event(source.event).to_string(), source }
    }
}

/// Makes something of events that come in causal order.
pub trait Exporter {
    /// Whether all events must be shown to [`ahead`](Self::ahead) before the first is given to
    /// [`event`](Self::event).
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Sees an event before the export begins.
    ///
    /// # Errors
    /// Where the events contradict each other.
    fn ahead(&mut self, _event: &EventRecord, _names: &Names) -> Result<(), ExportError> {
        Ok(())
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// Where the events contradict each other, or what is made of them cannot be written.
    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError>;

    /// Writes what belongs behind the last event; called once. What this does not return of is not complete.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn finish(&mut self, summary: &Summary) -> Result<(), ExportError>;
}
