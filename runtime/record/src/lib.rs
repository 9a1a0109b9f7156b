//! Recording: the modes as policies that the engine is compiled for, the collector, and records that a replay follows.
//!
//! May know programs, requests and what is below them. A recorder is given events; it knows neither queues nor instances.

/// One event alone.
pub mod alone;
/// Batches under way, and ids.
mod buffer;
/// From the workers' buffers to the sink.
pub mod collector;
/// Events as recorders get them.
pub mod event;
/// Full recording, also of a replay, and with times.
pub mod full;
/// The interface of recording modes.
pub mod instrumentation;
/// Minimal recording, also of a replay, and replay of a minimal record.
pub mod minimal;
/// Needs that a recording mode states before events are batched.
pub mod needs;
/// Recording off, and debugging off.
pub mod off;
/// The record that a replay follows.
pub mod replay;
/// Restricted recording, also of a replay.
pub mod restricted;
/// The order of result-setting events.
pub mod result_order;
/// Named results.
pub mod results;
/// Ids of new actions, many at a time.
pub mod spare;
/// Parts of stamps and marks that recording modes share.
pub mod stamp;
/// Times of events.
mod timer;
