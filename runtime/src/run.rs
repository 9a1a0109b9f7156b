//! Entry points: runs, replays, runs from a snapshot, and the execution of one event alone.
//!
//! May import every other module.

/// A run that goes on from a cut.
pub(crate) mod at_cut;
/// Checkpoints.
pub(crate) mod checkpoint;
/// The end of a run.
pub(crate) mod end;
/// Entry points.
pub(crate) mod entry;
/// One event executed alone.
pub mod isolate;
/// The state of a run at a cut.
pub(crate) mod snapshot;
/// The thread that looks after what waits to be handed over.
pub(crate) mod watch;
/// Worker threads of a run.
pub(crate) mod workers;

pub use crate::run::at_cut::{LoadedRecord, Run, stay_at, stay_with_part};
pub use crate::run::entry::{
    Leave, minimize, param_values, params_line, replay, replay_or_leave, replay_restricted,
    replay_restricted_or_leave, run, run_or_leave,
};
pub use crate::run::snapshot::relabel;
pub use hasse_body::interrupt::StopSignal;
pub use hasse_body::output::Output;
pub use hasse_code::routines::ScriptTiers;
pub use hasse_request::checkpoint::{Checkpoint, Checkpoints};
pub use hasse_request::options::{
    DEFAULT_RECLAIM_ABOVE, EventSink, MinimalRecord, Recording, ReplayRecord, RunOptions, RuntimeError,
};
pub use hasse_request::report::Idle;
