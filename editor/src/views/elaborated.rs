//! The elaborated graph: instances, the objects that they use, and what passed between them (Hyder 1994, section 3.3.1).
//!
//! Up to [`MOST_LAYERED`] boxes are in layers along the values, and lines between a few hundred go around boxes; beyond that each group, the instances of a node
//! in one graph instance, is a block of its own, with rows and columns by index. A group shows a page of its
//! instances, and says which.
//!
//! [`MOST_LAYERED`]: crate::views::elaborated::MOST_LAYERED

/// Drawing and hitting.
mod draw;
/// Boxes, lines and groups of the graph.
pub(super) mod graph;
/// Where boxes are.
mod place;
/// The graph that may come to be, before a run.
mod possible;
/// The graph of a record.
mod recorded;
/// The view.
mod view;
/// Ways of lines around boxes.
mod ways;

pub use graph::{Dependence, Elaborated, Group, InstanceBox, MOST_BOXES, MOST_LAYERED, PAGE, Thing};
pub use view::ElaboratedView;
