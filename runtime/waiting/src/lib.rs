//! The graph of actions that wait for each other: from the actions of a run at rest and its plan, as plain data.
//!
//! May know the model, code of nodes and reports. It knows no run: whoever asks says which actions there are and what waits.

/// Circles of waiting, and failed events that others wait for.
pub mod circle;
/// Waiting actions that are alike.
pub mod classes;
/// The graph of waiting.
pub mod graph;
/// Origins of values by index numbers.
pub mod origin;
/// All actions that exist, and those that could.
pub mod population;
/// Sends of a template.
pub mod sending;
