//! A plan made ready to run: programs with their frame layouts, and the lowering of each template for the fast path.
//!
//! May know the model, code of nodes and requests. A program is computed once for a run and never changes in it.

/// Arcs to indexed instances.
pub mod arcs;
/// Templates that bounded ports concern.
pub mod bounds;
/// Limits of templates whose instances may be entries of the matching store.
pub mod entries;
/// Expressions of rules lowered to routines.
mod expression;
/// Forms of the values in columns.
pub mod form;
/// Choices that a plan leaves open.
pub mod freedom;
/// Arrays that firing rules fill from families of ports.
mod items;
/// Parameters that are the same in all instances of a graph.
mod known;
/// Templates as the fast path sees them.
pub mod lane;
/// The way from a plan to a program.
mod load;
/// Lowering of templates for the fast path, with the reason where one cannot be lowered.
mod lower;
/// Templates whose instances wait in the matching store.
pub mod matching;
/// Sets of ports.
pub mod ports;
/// A plan made ready to run.
pub mod program;
/// Expressions of rules whose loops are known.
mod resolve;
/// Firing and routing rules as the fast path has them.
pub mod rules;
/// Events that go on by themselves.
pub mod sources;
/// Events without side effects, laid out for loops.
pub mod straight;
/// Times of nodes.
pub mod times;
