//! A record as views need it: its events in causal order, in compact arrays.
//!
//! The position of an event in causal order is its name here, a `u32` from 0: every event before it has a smaller one. All
//! that a view asks often (instance, level, time, predecessors, successors) is an array lookup; names are made on demand.
//! Instances are numbered in the order of their first event, so that numbers stay when a record grows. An event takes some
//! 60 to 120 bytes.

/// The arrays of a record.
pub(super) mod arrays;
/// Taking in events.
mod build;
/// How events are ordered.
pub(super) mod edges;
/// What is told of an event.
mod facts;
/// From where to where, by position.
mod flows;
/// Growing beside a run.
mod live;
/// Loading in the background.
mod load;
/// The event in which two records part.
mod parting;

pub use edges::{Before, Via};
pub use facts::Fact;
pub use flows::Flows;
pub use hasse_debugger::parting::Parting;
pub use live::{Live, Over};
pub use load::error::LoadError;
pub use load::{AskedRecord, DEFAULT_BYTES, LoadOptions, RecordSource, header_of, load, load_now};
pub use parting::parted;

pub use arrays::{Instance, Record};
pub(super) use build::Builder;
pub(super) use edges::Grouped;
pub(super) use facts::nanos as facts_nanos;
pub(super) use load::{Next, Opened};
