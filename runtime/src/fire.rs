//! The engine: workers that take events through their six phases.
//!
//! A worker gets the next batch of firings, takes their values, locks their shared objects, computes, routes, and commits.
//! May know `schedule` and what is below it.

/// Firing where the record of a replay tells choices alone.
pub(crate) mod choose;
/// The computation of an execution.
pub(crate) mod compute;
/// One execution.
pub(crate) mod execution;
/// First values of an instance.
pub(crate) mod initialize;
/// How most events are served.
pub(crate) mod lane;
/// Actions that are stopped in their bodies.
pub(crate) mod lines;
/// What is sent where.
pub(crate) mod route;
/// Which firing rule is taken.
pub(crate) mod select;
/// What all workers of one run share.
pub(crate) mod session;
/// A body that is looked at before each statement.
pub(crate) mod walk;
/// Values that a firing rule wants, in order of removal.
pub(crate) mod wanted;
/// Threads that serve ready instances.
pub(crate) mod worker;
