//! A plan made ready to run: programs with their frame layouts, and the lowering of each template for the fast path.
//!
//! May know `code` and `request`. It is computed once for a run and never changes in it.

/// Arcs to indexed instances.
pub(crate) mod arcs;
/// Limits of templates whose instances may be entries of the matching store.
pub(crate) mod entries;
/// Expressions of rules lowered to routines.
pub(crate) mod expression;
/// Forms of the values in columns.
pub(crate) mod form;
/// Choices that a plan leaves open.
pub(crate) mod freedom;
/// Templates as the fast path sees them.
pub(crate) mod lane;
/// The way from a plan to a program.
pub(crate) mod load;
/// Lowering of templates for the fast path, with the reason where one cannot be lowered.
pub(crate) mod lower;
/// Templates whose instances wait in the matching store.
pub(crate) mod matching;
/// Sets of ports.
pub(crate) mod ports;
/// A plan made ready to run.
pub(crate) mod program;
/// Firing and routing rules as the fast path has them.
pub(crate) mod rules;
/// Events without side effects, laid out for loops.
pub(crate) mod straight;
