//! Runs a plan on worker threads, records its events and replays them.
//!
//! In goes a [`Plan`](hasse_model::plan::Plan) with options; out come a [`report::RunReport`] and,
//! where asked for, batches of event records. The crate does not know program text, files of traces
//! or checks. Start reading at [`run`], then `worker`, `select`, `execution` and `route`: the life
//! of one event. What bodies are made of is in the crate [`hasse_body`].

pub use hasse_body::structs;

/// Which values are kept with event records.
pub mod capture;
/// Every code of an error of a run.
pub mod codes;
/// Stopping, continuing and querying actions.
pub mod control;
/// Decisions about all that a run leaves open, taken from outside.
pub mod decision;
/// The instances that may come to be in a run.
pub mod expansion;
/// One event executed alone.
pub mod isolate;
/// Limits of memory, which are part of the options.
pub mod memory {
    pub use hasse_body::memory::{MemoryLimit, Meter, RunLimit};
}
/// Tiers of rules and bodies, with the reasons.
pub mod lowering;
/// Functions and bodies that a user writes in Rust.
pub mod natives;
/// What a run reports.
pub mod report;
/// Entry points.
pub mod run;
/// File and environment access of bodies, which is part of the options.
pub mod sandbox {
    pub use hasse_body::sandbox::Sandbox;
}

/// Locks for few instructions.
mod brief;
/// Firing where the record of a replay tells choices alone.
mod choose;
/// From the workers' buffers to the sink.
mod collector;
/// The computation of an execution.
mod compute;
/// Where actions stand while nobody executes.
mod cut;
/// The end of a run.
mod end;
/// Lowered expressions.
mod eval;
/// One execution.
mod execution;
/// Queues.
mod fifo;
/// Values of a template's names.
mod frame;
/// Which choices a plan leaves open.
mod freedom;
/// Instances of graphs.
mod graph;
/// First values of an instance.
mod initialize;
/// Instances, their inboxes and ports, and the registry.
mod instance;
/// What is noted of each execution.
mod instrumentation;
/// How most events are served.
mod lane;
/// Where values for indexed instances wait.
mod matching;
/// Sleep and wake-up of workers, and the end of a run.
mod pool;
/// A plan made ready to run.
mod program;
/// Values that wait for a plain port.
mod queue;
/// Instances that can never receive again.
mod reclaim;
/// All instances, graph instances and shared objects of a run.
mod registry;
/// What a replay follows.
mod replay;
/// Named results.
mod results;
/// What is sent where.
mod route;
/// Lowered scripts.
mod routines;
/// Who is served next.
mod scheduler;
/// Which firing rule is taken.
mod select;
/// What all workers of one run share.
mod session;
/// Shared objects (CREW).
mod shared;
/// The state of a run at a cut.
mod snapshot;
/// Values on their way.
mod token;
/// Who waits for whom.
mod waiting;
/// The thread that looks after what waits to be handed over.
mod watch;
/// Threads that serve ready instances.
mod worker;
