//! Scheduling: the next instance to be served, and the sleep of workers that have none.
//!
//! May know `store` and what is below it, but reads no values.

/// The interface of scheduling policies.
pub(crate) mod policy;
/// Sleep and wake-up of workers, and the end of a run.
pub(crate) mod pool;
/// The next instance to be served, by one of three policies.
pub(crate) mod scheduler;
