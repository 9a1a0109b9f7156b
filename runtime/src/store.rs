//! The state of a run: values that wait, instances of templates and graphs, and what reclaims them.
//!
//! May know `lock` and what is below it. Nothing here chooses or executes.

/// Executions.
pub(crate) mod execution;
/// Queues.
pub(crate) mod fifo;
/// Instances, their inboxes and ports, and the registry.
pub(crate) mod instance;
/// The matching store: values for indexed instances.
pub(crate) mod matching;
/// Values that an event is about to send.
pub(crate) mod outgoing;
/// Values that wait for a plain port.
pub(crate) mod queue;
/// Instances that can never receive again.
pub(crate) mod reclaim;
/// All instances, graph instances and shared objects of a run.
pub(crate) mod registry;
/// Values on their way.
pub(crate) mod token;
