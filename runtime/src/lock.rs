//! Locks: shared objects, for many readers or one writer.
//!
//! May know `record` and what is below it. An object does not know who waits for it.

/// Shared objects (CREW).
pub(crate) mod shared;
