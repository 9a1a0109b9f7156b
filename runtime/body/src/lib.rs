//! Interpreter, library functions and effects of node bodies.
//!
//! A body is a script in Rhai that calls functions written in Rust. Its values come from the runtime as
//! [`Value`](hasse_model::value::Value)s and return to it as such; what it asks of the world goes through an
//! [`effects::EventContext`]. The crate knows nothing of instances, schedulers and recordings. Start reading at
//! [`script`], then [`builtin`] and [`effects`].

pub use script::functions;

/// Addresses of servers.
mod addresses;
/// Library functions, written in Rust.
pub mod builtin;
/// Time of a run.
pub mod clock;
/// Conversions between values and the interpreter's form of them.
pub mod convert;
/// SQL databases.
mod databases;
/// Type checks of the values that a body leaves.
pub mod edge;
/// Questions to the world, random numbers, printed lines and results.
pub mod effects;
/// HTTP.
mod http;
/// Interruption of long native functions, and the signal that ends a run.
pub mod interrupt;
/// Documentation of the library functions.
pub mod library;
/// Parameters that are read again.
pub mod live_params;
/// Memory budgets of events.
pub mod memory;
/// Functions that a user writes in Rust.
pub mod natives;
/// Struct values within the interpreter.
pub mod object;
/// Evaluation of the debugger's expressions, apart from bodies.
pub mod out_of_band;
/// Order of the program's output lines.
pub mod output;
/// Functions for the debugger's expressions: parts of values, elements of ports.
pub mod part;
/// Where compiled bodies print.
pub mod print;
/// Questions of compiled bodies that are executed for many events together.
pub mod rows;
/// File and environment access that a user grants to bodies.
pub mod sandbox;
/// Set-up of the interpreter, compilation and execution of scripts.
pub mod script;
/// Seeds of random numbers.
pub mod seed;
/// WebSockets.
mod sockets;
/// Positions of statements in a script.
pub mod statements;
/// Streams that bodies have open.
mod streams;
/// Encrypted connections.
mod tls;
/// Topics of MQTT brokers.
mod topics;
/// Answers that are not there yet.
pub mod waiting;

/// Errors of code.
mod code_error;
/// Messages for calls of functions that do not exist.
mod misuse;
/// Text of values.
mod print_text;
