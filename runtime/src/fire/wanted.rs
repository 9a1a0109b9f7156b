//! Values that a firing rule wants, in order of removal.

use hasse_model::id::Index;
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

/// The values before one that are wanted from the same queue, nearest first.
pub(crate) fn earlier_of(wanted: &[Wanted], wanted_idx: usize) -> impl Iterator<Item = &Wanted> {
    std::iter::successors(wanted[wanted_idx].previous, |&previous| wanted[previous].previous)
        .map(|previous| &wanted[previous])
}
