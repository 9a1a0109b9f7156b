//! The state of a run: values that wait, instances of templates and graphs, and what reclaims them.
//!
//! May know shared objects and what is below them. Nothing here chooses or executes.

/// Bounded ports, and values that wait for room on them.
pub mod bounded;
/// Executions.
pub mod execution;
/// Values that wait for a family of ports.
pub mod family;
/// Queues.
pub mod fifo;
/// Instances, their inboxes and ports, and the registry.
pub mod instance;
/// The matching store: values for indexed instances.
pub mod matching;
/// Values that an event is about to send.
pub mod outgoing;
/// Values that full ports drop.
pub mod overflow;
/// Values that wait on input ports.
pub mod port;
/// Values that wait for a plain port.
pub mod queue;
/// Instances that can never receive again.
pub mod reclaim;
/// All instances, graph instances and shared objects of a run.
pub mod registry;
/// Values on their way.
pub mod token;
