//! A model as it is written.

use super::error::ModelError;
use crate::check::spec::Spec;

/// A model as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its name: `bts` for the table `[model.bts]`.
    pub name: String,
    /// The nodes selected: templates, or some of their actions.
    pub(super) nodes: Vec<Placed<Spec>>,
    pub(super) arcs: Vec<ModelArc>,
    pub(super) rules: Vec<NodeRules>,
    /// Whether orderings by shared objects count.
    pub(super) has_shared: bool,
}

/// Something with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed<T> {
    pub(super) inner: T,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl<T> Placed<T> {
    pub(super) fn error(&self, message: String, hint: String) -> ModelError {
        ModelError { line: self.line, column: self.column, message, hint }
    }
}

/// An expected dependence: `Mult[i] -> Solve if i == count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelArc {
    pub(super) source: End,
    pub(super) target: End,
    pub(super) guard: Option<Placed<String>>,
    /// As it was written.
    pub(super) text: Placed<String>,
}

/// One end of an arc: a node and, where it has brackets, what its index must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) name: Placed<String>,
    /// For each index number an expression, or a name that stands for it; empty for any index.
    pub(super) index: Vec<Placed<String>>,
}

/// `[model.bts.node.Solve]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeRules {
    pub(super) name: Placed<String>,
    pub(super) fire: Option<Vec<Rule>>,
    pub(super) route: Option<Vec<Rule>>,
}

/// A set of predecessors or successors that is expected: `Mult & X if count > 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// Empty for `none`.
    pub(super) terms: Vec<Term>,
    pub(super) guard: Option<Placed<String>>,
    /// As it was written.
    pub(super) text: Placed<String>,
}

/// Events of a node: `Mult`, `Mult[count]`, `Mult[count..n]`, `all Mult`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// Whether every action that fits must be there; else one.
    pub(super) is_all: bool,
    pub(super) name: Placed<String>,
    /// For each index number; empty for any index.
    pub(super) index: Vec<IndexText>,
}

/// What an index number must be in a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IndexText {
    /// A number.
    One(Placed<String>),
    /// Each number of a range, from the first to before the second.
    Range(Placed<String>, Placed<String>),
}
