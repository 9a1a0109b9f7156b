//! Recording: the modes as policies that the engine is compiled for, the collector, and records that a replay follows.
//!
//! May know `plan` and what is below it. A recorder is given events; it knows neither queues nor instances.

/// One event alone.
pub(crate) mod alone;
/// Batches under way, and ids.
pub(crate) mod buffer;
/// From the workers' buffers to the sink.
pub(crate) mod collector;
/// Events as recorders get them.
pub(crate) mod event;
/// Full recording, also of a replay, and with times.
pub(crate) mod full;
/// The interface of recording modes.
pub(crate) mod instrumentation;
/// Minimal recording, also of a replay, and replay of a minimal record.
pub(crate) mod minimal;
/// Needs that a recording mode states before events are batched.
pub(crate) mod needs;
/// Recording off, and debugging off.
pub(crate) mod off;
/// The record that a replay follows.
pub(crate) mod replay;
/// Restricted recording, also of a replay.
pub(crate) mod restricted;
/// The order of result-setting events.
pub(crate) mod result_order;
/// Named results.
pub(crate) mod results;
/// Ids of new actions, many at a time.
pub(crate) mod spare;
/// Parts of stamps and marks that recording modes share.
pub(crate) mod stamp;
/// Times of events.
pub(crate) mod timer;
