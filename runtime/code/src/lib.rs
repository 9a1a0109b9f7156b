//! Code of a node: expressions, lowered scripts and bodies in Rust, and the values that their names have.
//!
//! May know the model, and the crates that run bodies and routines. It knows no instance and no run.

/// Lowered expressions as the fast path evaluates them.
pub mod calc;
/// Evaluation of lowered expressions.
pub mod eval;
/// Values of a template's names.
pub mod frame;
/// Instances of graphs.
pub mod graph;
/// Positions of the names of a template.
pub mod layout;
/// Functions and bodies that a user writes in Rust.
pub mod natives;
/// Evaluation over known and unknown names.
pub mod partial;
/// Reasons why a slower tier executes some code.
pub mod reason;
/// Lowered scripts as bodies and expressions.
pub mod routines;
