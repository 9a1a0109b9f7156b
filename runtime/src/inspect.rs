//! Views of a run: stop points, stepping, and reports of what waits for what.
//!
//! May know `fire` and what is below it. All of it is off the hot path.

/// Positions of actions while nobody executes.
pub(crate) mod cut;
/// Looking at actions, and letting them go on.
pub(crate) mod desk;
/// Changes of queues.
pub(crate) mod edit;
/// Tiers of rules and bodies, with the reasons.
pub mod lowering;
/// Breakpoints and commands at a stop point of an execution.
pub(crate) mod point;
/// An action as expressions see it.
pub(crate) mod scene;
/// Requests of the debugger.
pub(crate) mod serve;
/// Stepping through bodies.
pub(crate) mod step;
/// Quiescence: actions that wait for each other.
pub(crate) mod waiting;
/// Explanations: why an action is not firing.
pub(crate) mod why;
