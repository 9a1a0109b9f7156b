//! Locks: shared objects, for many readers or one writer.
//!
//! May know recording and what is below it. An object does not know who waits for it.

/// Shared objects (CREW).
pub mod shared;
