//! Accesses to objects that later ones are compared with.

use super::past::{Mark, Past};
use hasse_model::id::{EventId, TemplateId};
use hasse_model::plan::Access;

/// An access that later ones are compared with.
#[derive(Clone, Debug)]
pub(super) struct Accessor {
    pub(super) end: RaceEnd,
    /// Its place in causal order.
    pub(super) mark: Mark,
    /// Its place in the order of flow and sequence, where orderings are asked for.
    pub(super) program_mark: Option<Mark>,
    /// What is before it, itself included.
    pub(super) past: Past,
}

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceEnd {
    /// The event that accesses the object.
    pub event: EventId,
    /// What its action is an instance of; `None` where that is not known.
    pub template: Option<TemplateId>,
    /// Reader or writer.
    pub access: Access,
}
