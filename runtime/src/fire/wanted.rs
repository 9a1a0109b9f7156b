//! Values that a firing rule wants, in order of removal.

use hasse_model::diagnostic::Location;
use hasse_model::id::{ActionId, Index};
use hasse_model::value::Value;

/// One value that a firing rule wants.
pub(crate) struct Wanted {
    pub(crate) take_idx: usize,
    pub(crate) port: usize,
    pub(crate) elements: Index,
    pub(crate) target_elements: Index,
    /// Position in the queue before anything is removed.
    pub(crate) position: usize,
    /// The value before this one that is wanted from the same queue, by position in the list.
    pub(crate) previous: Option<usize>,
    /// Whether no other value is wanted from the same queue.
    pub(crate) is_alone: bool,
    /// Replay: the value that a person had added, which is not in the queue.
    pub(crate) by_hand: Option<Value>,
}

/// The value that a rule lacked when it was looked at last.
pub(crate) struct Shortage {
    pub(crate) action: ActionId,
    /// Executions of the action begun by then.
    pub(crate) count: u64,
    /// Place of the rule.
    pub(crate) at: Location,
    pub(crate) port: usize,
    pub(crate) elements: Index,
    /// Number of values on the port with which it is there.
    pub(crate) n_wanted: usize,
}

/// Number of values from which on it costs more to list those that a rule wants than to look for one that was missing.
pub(crate) const MANY_WANTED: usize = 8;
/// Maximum number of shortages that a worker remembers.
pub(crate) const MOST_SHORTAGES: usize = 16;

/// The values before one that are wanted from the same queue, nearest first.
pub(crate) fn earlier_of(wanted: &[Wanted], wanted_idx: usize) -> impl Iterator<Item = &Wanted> {
    std::iter::successors(wanted[wanted_idx].previous, |&previous| wanted[previous].previous)
        .map(|previous| &wanted[previous])
}
