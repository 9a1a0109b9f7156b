//! The request for a run: options, signals, sinks, errors, decisions from outside, and the debugger's control.
//!
//! May know the model and `code`. All of it is data that a run and its caller share.

/// Which values are kept with event records.
pub mod capture;
/// Every code of an error of a run.
pub mod codes;
/// Stopping, continuing and querying actions.
pub mod control;
/// Decisions about all that a run leaves open, taken from outside.
pub mod decision;
/// Requests and their parts.
pub(crate) mod options;
/// What a run reports.
pub mod report;
