//! Programs, runs and records, as a user of the library has them.

/// Checks, races and restrictions.
pub(crate) mod analysis;
/// Programs made in Rust.
pub mod build;
/// Checkpoints beside a trace.
#[cfg(feature = "cli")]
pub(crate) mod checkpoint;
/// Runs that go on from a moment.
pub mod continuation;
/// What can go wrong.
pub(crate) mod error;
/// One event of a record.
pub mod event;
/// Forks of a program's own records.
mod fork;
/// Records with holes.
pub mod holes;
/// The moments of a recorded run.
pub mod moment;
/// What a run is asked to do.
pub(crate) mod options;
/// An imposed order of events.
pub mod order;
/// Programs that have been compiled.
pub(crate) mod program;
/// Recording into a file.
mod record_file;
/// Going on with a run that ended early.
pub(crate) mod resume;
/// What came of a run.
pub(crate) mod run;
/// The state of a recorded run.
mod snapshot;
/// Records of runs.
pub(crate) mod trace;
