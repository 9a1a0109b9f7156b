//! Alignment of two lists: items in both, removed, added, and replaced.

use std::hash::Hash;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A step of an alignment of two lists, by positions in the old and the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// An item of both lists.
    Same(usize, usize),
    /// An item of the old list alone.
    Removed(usize),
    /// An item of the new list alone.
    Added(usize),
    /// An item of the old list that one of the new list replaces.
    Changed(usize, usize),
}

/// Aligns two lists by Myers' algorithm. A run of removed items before a run of added ones becomes replacements, pair by
/// pair.
pub fn side_by_side<T: Eq + Hash + Ord>(old: &[T], new: &[T]) -> Vec<Side> {
    let mut sides = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (old, new) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            sides.extend(old.zip(new).map(|(from, to)| Side::Same(from, to)));
            continue;
        }
        let n_replaced = old.len().min(new.len());
        sides.extend(old.clone().zip(new.clone()).map(|(from, to)| Side::Changed(from, to)));
        sides.extend(old.skip(n_replaced).map(Side::Removed));
        sides.extend(new.skip(n_replaced).map(Side::Added));
    }
    sides
}
