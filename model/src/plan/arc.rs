//! Arcs: where values come from, where they go, and how index numbers are mapped on the way.

use super::code::Expr;
use crate::diagnostic::Location;
use crate::id::{CallId, GraphId, TemplateId};

/// An arc.
#[derive(Clone, Debug, PartialEq)]
pub struct Arc {
    /// The graph that it belongs to.
    pub graph: GraphId,
    /// Where values come from.
    pub source: Source,
    /// Position of the port at the source.
    pub source_port: usize,
    /// Matched against the index of the sending instance or call.
    pub source_index: Vec<Pattern>,
    /// Matched against the index of the element of the source's family.
    pub source_elements: Vec<Pattern>,
    /// Number of variables that the patterns bind.
    pub n_locals: usize,
    /// Where values go.
    pub target: Target,
    /// Position of the port at the target.
    pub target_port: usize,
    /// Index of the receiving instance or call.
    pub target_index: Vec<Expr>,
    /// Index of the element of the target's family.
    pub target_elements: Vec<Expr>,
    /// Text of the arc.
    pub text: String,
    /// Where it stands.
    pub at: Location,
}

/// Where an arc begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// At an output port of a unit of computation.
    Unit(TemplateId),
    /// At an output port of the graph that a node calls.
    Call(CallId),
    /// At a formal input port of its own graph.
    Interface,
}

/// Where an arc ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// At an input port of a unit of computation.
    Unit(TemplateId),
    /// At an input port of the graph that a node calls.
    Call(CallId),
    /// At a formal output port of its own graph.
    Interface,
}

/// One index number on the matching side of an arc or share line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Binds the variable at its first occurrence and must equal it at later ones.
    Local(u32),
    /// Must equal the number.
    Int(i64),
    /// Must equal the parameter, by position.
    Param(u32),
}
