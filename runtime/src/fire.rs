//! The engine: workers that take events through their six phases.
//!
//! | phase | slow path | fast path |
//! |---|---|---|
//! | next batch | `worker`, `select`, in a replay `choose` | `lane/batch`, `lane/matched`, in a replay `lane/follow` |
//! | take | `select`, `wanted` | `lane/takes`, `lane/event` |
//! | lock | `execution` | `lane/batch` |
//! | compute | `compute` | `lane/straight/columns`, `lane/straight/single`, `lane/event`, `lane/scripted` |
//! | route | `route` | `lane/event`, `lane/straight`, `lane/aim` |
//! | commit | `execution/ending`, `route` | `lane/handover`, `lane/straight/alike` |
//!
//! Whatever is out of the ordinary leaves the fast path at `lane/general` and goes on in the slow one, with the same state.
//! May know the crates below the runtime. `worker` and `session` hold the state; each other module adds one phase to the
//! worker.

/// The state of an action as data.
pub(crate) mod as_data;
/// Bounds of the number of instances that execute at a time.
pub(crate) mod at_once;
/// Choices that a minimal record does not tell.
pub(crate) mod choose;
/// The computation of an execution.
pub(crate) mod compute;
/// Courses of bodies that are looked at.
pub(crate) mod course;
/// Delayed values.
pub(crate) mod delayed;
/// Numbers of values that full ports have dropped.
pub(crate) mod dropped;
/// One execution.
pub(crate) mod execution;
/// Handled errors.
pub(crate) mod failure;
/// Numbers of handled errors.
pub(crate) mod handled;
/// First values of an instance.
pub(crate) mod initialize;
/// The fast path.
pub(crate) mod lane;
/// Actions that are stopped in their bodies.
pub(crate) mod lines;
/// Moments at which instances are looked at again.
pub(crate) mod looks;
/// Workers in a pause.
pub(crate) mod pause;
/// Instances that are ready, in the order of their priorities.
pub(crate) mod ready;
/// Pauses in which the state of a run is taken.
pub(crate) mod rest;
/// Routing.
pub(crate) mod route;
/// Selection of a firing rule.
pub(crate) mod select;
/// State that all workers of one run share.
pub(crate) mod session;
/// Executions that wait for answers of the world outside.
pub(crate) mod waits;
/// A body that is looked at before each statement.
pub(crate) mod walk;
/// Values that a firing rule wants, in order of removal.
pub(crate) mod wanted;
/// Threads that serve ready instances.
pub(crate) mod worker;
