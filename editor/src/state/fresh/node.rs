//! A node as it was added.

/// A node as it was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct FreshNode {
    pub(in super::super) graph: String,
    pub(in super::super) name: String,
    /// Text of its table.
    pub(super) text: String,
    /// Number of arcs and share lines at it.
    pub(super) n_links: usize,
}
