//! Both ends of the boundary in one process, as Miri can watch them: bodies on the guest's types, called for scripted
//! executions.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

/// Every type in both directions, and all that a context has.
mod crossing;
/// Errors of the context and of bodies.
mod errors;
/// Random values.
mod laws;
/// Bytes and values that are none.
mod malformed;
/// Panics on both sides.
mod panics;
/// Structs of Rust.
mod structs;
/// Scripted executions.
mod support;
