//! Models of expected behavior: a drawn subgraph of the program, with what each of its events may follow and lead to.
//!
//! A model selects nodes of the program and says which dependences are expected among them, possibly transitive ones through nodes
//! that are not selected, with conditions on them; and for each node, by which sets of predecessors its events may come
//! about (`fire`) and what they may lead to (`route`). Events are restricted to the selected nodes ([`relay`](super::relay)), and each is
//! checked: an event is in error if an ordering with an immediate predecessor is none of the expected dependences, or its
//! predecessors or successors satisfy none of its rules (Hyder 1994, definitions 3-8 and 3-9).
//!
//! We differ from the source in two points. An ordering that follows from two others may be drawn or left out: what is immediately
//! before an event must be expected, and what is expected must have been relayed to it. And an action's own
//! event before it is always expected, because actions keep state.

use super::command::Spec;

mod bind;
mod closure;
mod grammar;
mod judge;
mod matching;
mod read;
#[cfg(test)]
mod tests;

pub(super) use judge::ModelCheck;
pub use read::parse;

/// What is wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}; {hint}")]
pub struct ModelError {
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// A model as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its name: `bts` for the table `[model.bts]`.
    pub name: String,
    /// The nodes selected: templates, or some of their actions.
    nodes: Vec<Placed<Spec>>,
    arcs: Vec<ModelArc>,
    rules: Vec<NodeRules>,
    /// Whether orderings by shared objects count.
    has_shared: bool,
}

/// Something with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Placed<T> {
    inner: T,
    line: usize,
    column: usize,
}

impl<T> Placed<T> {
    fn error(&self, message: String, hint: String) -> ModelError {
        ModelError { line: self.line, column: self.column, message, hint }
    }
}

/// An expected dependence: `Mult[i] -> Solve if i == count`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ModelArc {
    source: End,
    target: End,
    guard: Option<Placed<String>>,
    /// As it was written.
    text: Placed<String>,
}

/// One end of an arc: a node and, where it has brackets, what its index must be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct End {
    name: Placed<String>,
    /// For each index number an expression, or a name that stands for it; empty for any index.
    index: Vec<Placed<String>>,
}

/// `[model.bts.node.Solve]`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NodeRules {
    name: Placed<String>,
    fire: Option<Vec<Rule>>,
    route: Option<Vec<Rule>>,
}

/// A set of predecessors or successors that is expected: `Mult & X if count > 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    /// Empty for `none`.
    terms: Vec<Term>,
    guard: Option<Placed<String>>,
    /// As it was written.
    text: Placed<String>,
}

/// Events of a node: `Mult`, `Mult[count]`, `Mult[count..n]`, `all Mult`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    /// Whether every action that fits must be there; else one.
    is_all: bool,
    name: Placed<String>,
    /// For each index number; empty for any index.
    index: Vec<IndexText>,
}

/// What an index number must be in a term.
#[derive(Clone, Debug, PartialEq, Eq)]
enum IndexText {
    /// A number.
    One(Placed<String>),
    /// Each number of a range, from the first to before the second.
    Range(Placed<String>, Placed<String>),
}
