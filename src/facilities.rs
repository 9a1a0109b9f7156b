//! The facilities of a run, a replay or a trace: what was asked for, where it goes, and what was found.
//!
//! On line they work on the thread that collects batches: the workers wait only when it is behind.

/// What was found.
mod findings;
/// What is asked for on the command line.
mod options;
/// Requests to the facilities.
mod requested;
/// What takes batches.
mod sink;
/// Findings that stop a run.
mod stop_on;

pub(crate) use findings::{findings_text, has_offence, print, put_json};
pub(crate) use options::{FacilityArgs, commands, parse_check, read_models, set_of};
pub(crate) use sink::{Nowhere, OnlineSink, Shared, Show, Streams, Tap, conclude, open};

pub(crate) use stop_on::{Condition, Stops};

pub(crate) use requested::{Requested, checker};
