//! Code of a node: expressions, lowered scripts and bodies in Rust, and the values that their names have.
//!
//! May know the model, and the crates that run bodies and routines. It knows no instance and no run.

/// Expressions.
pub(crate) mod calc;
/// Lowered expressions.
pub(crate) mod eval;
/// Values of a template's names.
pub(crate) mod frame;
/// Instances of graphs.
pub(crate) mod graph;
/// Frame layouts.
pub(crate) mod layout;
/// Functions and bodies that a user writes in Rust.
pub mod natives;
/// Why events are served in a slower way.
pub(crate) mod reason;
/// Lowered scripts.
pub(crate) mod routines;
