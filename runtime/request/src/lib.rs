//! Requests to runs: options, signals, sinks, errors, decisions from outside, and the debugger's control.
//!
//! May know the model, code of nodes and the language of breakpoints. All of it is data that a run and its caller share.

/// Values that are kept with event records.
pub mod capture;
/// Every code of an error of a run.
pub mod checkpoint;
/// Codes of errors.
pub mod codes;
/// Stopping, continuing and querying actions.
pub mod control;
/// Decisions about all that a run leaves open, taken from outside.
pub mod decision;
/// Requests and their parts.
pub mod options;
/// Reports of runs.
pub mod report;
