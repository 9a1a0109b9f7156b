//! The static expansion of a plan: which instances may come to be for given creation parameters, and by which arcs values
//! may go between them.
//!
//! Instances are created by the first value sent to them, so that only a run knows them all. The expansion follows all values
//! from the start nodes on without a run. Parameters, index numbers and the firing rule are known, vars and values are not:
//! a guard over them may hold, and an index over them stands for any number. This is an abstract interpretation (Cousot and
//! Cousot 1977) over index numbers that are known or not.
//!
//! An expansion that is not cut is sound: it covers every instance, every arc used and every shared object accessed in any
//! run with these parameters. It may hold instances that no run creates.

/// The worklist of instances and the limits on it.
mod builder;
/// Evaluation of code of which some names are unknown.
mod evaluator;
/// The expansion of a plan.
mod expand;
/// Names that a body may change for its routing rules.
mod hidden;
/// The order in which the expansion lists its parts.
mod ordered;
/// The parts of an expansion.
mod possible;
/// Arcs from a sender to its receivers.
mod routing;
/// Shared objects that instances reach.
mod sharing;

pub use expand::expand;
pub use possible::{
    DEFAULT_MAX_INSTANCES, Expansion, ExpansionOptions, MOST_INSTANCES, PartialIndex, PossibleAccess,
    PossibleFlow, PossibleGraph, PossibleInstance, PossibleObject,
};
