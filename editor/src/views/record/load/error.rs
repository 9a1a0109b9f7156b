//! Why a record cannot be loaded.

use std::io::{self};

use hasse_debugger::clock::TakenTooOften;
use hasse_debugger::read::ReadError;
use hasse_model::trace::TraceError;

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be opened.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The events cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The trace contradicts itself.
    #[error("{event}: {source}")]
    Inconsistent {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: TakenTooOften,
    },
    /// The record has choices only.
    #[error("a minimal record has no events until it is replayed: replay it and record that in full")]
    Minimal,
    /// It was given up.
    #[error("loading was given up")]
    Cancelled,
}

impl From<TraceError> for LoadError {
    fn from(error: TraceError) -> Self {
        Self::Read(ReadError::Trace(error))
    }
}
