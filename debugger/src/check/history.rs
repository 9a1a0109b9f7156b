//! The part of a history that shows something: events with the immediate predecessors that matter.

use super::evidence::Evidence;

/// An event of a part of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Path and count of the event.
    pub event: String,
    /// Name of its template.
    pub template: String,
    /// How events of this part are immediately before it.
    pub before: Vec<Evidence>,
}
