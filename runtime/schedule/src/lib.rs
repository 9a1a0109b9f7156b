//! Scheduling: the next instance to be served, and the sleep of workers that have none.
//!
//! May know requests. What it schedules is a type parameter: it knows no instances, and reads no values.

/// Delayed values.
pub mod delays;
/// The interface of scheduling policies.
pub mod policy;
/// Sleep and wake-up of workers, and the end of a run.
pub mod pool;
/// Items of nodes that have a priority.
pub mod ranks;
/// The next instance to be served, by one of three policies.
pub mod scheduler;
