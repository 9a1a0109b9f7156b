//! The passes, in the order in which they run.

/// What firing rules bind: completes the names of every node.
pub(crate) mod bind;
/// Arcs.
pub(crate) mod check_arcs;
/// `init` and `do`.
pub(crate) mod check_bodies;
/// Bounds of input ports.
pub(crate) mod check_bounds;
/// Call nodes.
pub(crate) mod check_calls;
/// Defaults of parameters and vars, contents of shared objects.
pub(crate) mod check_defaults;
/// Delayed values, and ports that drop values.
pub(crate) mod check_delays;
/// Firing rules.
pub(crate) mod check_firing;
/// What a graph needs as a whole.
pub(crate) mod check_flow;
/// Native bodies.
mod check_native;
/// Ways from interface to interface.
pub(crate) mod check_passages;
/// How the program asks to be recorded.
pub(crate) mod check_record;
/// Routing rules.
pub(crate) mod check_routing;
/// Bodies in Rust.
mod check_rust;
/// Share lines.
pub(crate) mod check_shares;
/// Struct types.
pub(crate) mod check_structs;
/// Times of nodes: periods of timers, times of start nodes, deadlines and pauses between retries.
pub(crate) mod check_times;
/// Values that are on ports when the program starts.
mod initial;
/// Everything together: the plan.
pub(crate) mod lower;
/// Bodies and expressions that run without the interpreter.
mod lower_routines;
/// The two sides of arcs and share lines.
mod pattern;
/// TOML to the program as it is written.
pub(crate) mod read;
/// Reading of single TOML items.
mod read_item;
/// Declared names and types of a graph.
pub(crate) mod resolve;
/// Ports, elements and loops of rules.
mod rule_parts;
/// Where the mistake is in a file that is not readable TOML.
mod toml_fault;
