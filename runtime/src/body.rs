//! What runs inside a node: Rhai scripts, and the native functions that they call.

pub use script::functions;

/// Evaluation beside bodies.
pub(crate) mod aside;
/// Values as the interpreter holds them.
pub mod convert;
/// What bodies leave, checked against declared types.
pub(crate) mod edge;
/// What is to be known of the functions.
pub mod library;
/// Calls of what does not exist.
pub(crate) mod misuse;
/// Functions written in Rust that bodies may call.
pub mod native;
/// Text of values.
pub(crate) mod print;
/// Rhai scripts.
pub(crate) mod script;
/// The statements of a script with their places.
pub(crate) mod statements;
/// Values of struct types.
pub mod structs;
