//! A plan made ready to run: programs with their frame layouts, and the lowering of each template for the fast path.
//!
//! May know `code` and `request`. It is computed once for a run and never changes in it.

/// Arcs to indexed instances.
pub(crate) mod arcs;
/// Limits of templates whose instances may be entries of the matching store.
pub(crate) mod entries;
/// Which choices a plan leaves open.
pub(crate) mod freedom;
/// What the lane knows of a template.
pub(crate) mod lane;
/// Sets of ports.
pub(crate) mod ports;
/// A plan made ready to run.
pub(crate) mod program;
