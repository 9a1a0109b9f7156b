//! Runs a plan on worker threads, records its events and replays them.
//!
//! In goes a [`Plan`](hasse_model::plan::Plan) with options; out come a [`report::RunReport`] and,
//! where asked for, batches of event records. The crate does not know program text, files of traces
//! or checks. What bodies are made of is in the crate [`hasse_body`].
//!
//! The modules are layers. Each may import those above it in this list and nothing below; `tests/imports/layers.rs` holds it:
//!
//! | module | knows |
//! |---|---|
//! | `fire` | the six phases of an event: next batch, take, lock, compute, route, commit |
//! | `inspect` | stop points, stepping, quiescence, explanations |
//! | `run` | entry points |
//!
//! Below these layers are crates, which depend on each other one way, too:
//!
//! | crate | knows |
//! |---|---|
//! | [`hasse_code`] | expressions, bodies, and the values of names |
//! | [`hasse_request`] | options, errors, control; on top of [`hasse_breakpoint`] |
//! | [`hasse_waiting`], [`hasse_expansion`] | the graph of waiting, the instances that may come to be |
//! | [`hasse_brief`] | locks for a few instructions |
//! | [`hasse_runtime_plan`] | programs, and the lowering of templates |
//! | [`hasse_record`] | recording modes, the collector, records that a replay follows |
//! | [`hasse_lock`] | shared objects |
//! | [`hasse_store`] | queues, instances, registries, the matching store, reclaiming |
//! | [`hasse_schedule`] | the next instance to be served |
//!
//! Recording is below the store, as a queued value holds the stamp of its recording mode. Shared objects are below the store, as
//! an instance holds its locks. Scheduling is below `fire`, as a worker owns its part of the scheduler.
//!
//! Start reading at `fire`: the life of one event.

pub use hasse_body::structs;

pub use crate::inspect::lowering;
pub use crate::run::isolate;
pub use hasse_code::natives;
pub use hasse_expansion as expansion;
pub use hasse_request::{capture, codes, control, decision, report};

/// Limits of memory, which are part of the options.
pub mod memory {
    pub use hasse_body::memory::{MemoryLimit, Meter, RunLimit};
}
/// File and environment access of bodies, which is part of the options.
pub mod sandbox {
    pub use hasse_body::live_params::LiveParams;
    pub use hasse_body::sandbox::Sandbox;
}

mod fire;
mod inspect;
pub mod run;
