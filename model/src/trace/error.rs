//! Errors of opening and reading traces.

use super::frame::FORMAT_VERSION;

/// Why a trace cannot be opened or read on.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Reading failed.
    #[error("cannot read the trace")]
    Io(#[from] std::io::Error),
    /// Writing what was recovered failed.
    #[error("cannot write what was recovered")]
    Write(#[source] std::io::Error),
    /// The first bytes are not those of a trace.
    #[error("not a Hasse trace")]
    NotATrace,
    /// Written by a newer Hasse.
    #[error("the trace has format version {found}; this Hasse reads version {FORMAT_VERSION}")]
    NewerVersion {
        /// The version that it has.
        found: u32,
    },
    /// Written by an older Hasse.
    #[error("the trace has format version {found}, which this Hasse no longer reads: record the run again")]
    OlderVersion {
        /// The version that it has.
        found: u32,
    },
    /// There is no telling what the events mean.
    #[error("the trace's header is damaged: {reason}")]
    HeaderDamaged {
        /// What is wrong with it.
        reason: &'static str,
    },
}
