//! The parts of an expansion: instances, objects, flows and accesses that are possible.

use std::fmt;

use hasse_model::id::{ArcId, CallId, GraphId, SharedId, TemplateId};
use hasse_model::key;
use hasse_model::plan::Access;
use hasse_model::value::Value;

/// Maximum number of instances where nobody asks for another one.
pub const DEFAULT_MAX_INSTANCES: usize = 2_000;
/// Upper limit of [`ExpansionOptions::max_instances`].
pub const MOST_INSTANCES: usize = 100_000;

/// Parameters and limits of an expansion.
#[derive(Clone, Debug)]
pub struct ExpansionOptions {
    /// Values of creation parameters; the others take their defaults.
    pub params: Vec<(String, Value)>,
    /// Maximum number of instances, and of graph instances and shared objects.
    pub max_instances: usize,
}

impl Default for ExpansionOptions {
    fn default() -> Self {
        Self { params: Vec::new(), max_instances: DEFAULT_MAX_INSTANCES }
    }
}

/// Index numbers, of which those that depend on values are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartialIndex(pub Vec<Option<i64>>);

impl PartialIndex {
    /// Returns whether all numbers are known.
    pub fn is_known(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// Returns whether an index of a run is this one, or one of those that it stands for.
    pub fn covers(&self, numbers: &[i64]) -> bool {
        self.0.len() == numbers.len()
            && self.0.iter().zip(numbers).all(|(known, number)| known.is_none_or(|known| known == *number))
    }
}

/// Writes `[1][?]`, and nothing for an empty index.
impl fmt::Display for PartialIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|number| match number {
            Some(number) => write!(f, "[{}]", key::shown(*number)),
            None => write!(f, "[?]"),
        })
    }
}

/// An instance of a graph that may come to be.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleGraph {
    /// The graph.
    pub graph: GraphId,
    /// Position of the graph instance of the caller, with the call and its index; `None` for the main graph.
    pub call: Option<(usize, CallId, PartialIndex)>,
    /// Path, such as `/dobts[2]`; empty for the main graph.
    pub path: String,
}

/// An instance of a unit of computation that may come to be. One with an unknown index number stands for any number of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleInstance {
    /// The node.
    pub template: TemplateId,
    /// Position of its graph instance.
    pub graph: usize,
    /// Index.
    pub index: PartialIndex,
    /// Path, such as `/dobts[2]/Mult[?]`.
    pub path: String,
    /// True if it executes once without input.
    pub is_start: bool,
}

/// A shared object that an instance may reach.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleObject {
    /// The declared object.
    pub shared: SharedId,
    /// Position of the graph instance that it belongs to.
    pub graph: usize,
    /// Index.
    pub index: PartialIndex,
    /// Path, such as `/dobts[2]/total`.
    pub path: String,
}

/// Values that may go from one instance to another.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleFlow {
    /// Position of the sender.
    pub source: usize,
    /// Position of the receiver.
    pub target: usize,
    /// Arcs that the values travel along, ascending.
    pub arcs: Vec<ArcId>,
    /// True if a guard or an index that depends on values decides about it.
    pub is_conditional: bool,
}

/// Access of an instance to a shared object.
#[derive(Clone, Debug, PartialEq)]
pub struct PossibleAccess {
    /// Position of the instance.
    pub instance: usize,
    /// Position of the object.
    pub object: usize,
    /// Reader or writer.
    pub access: Access,
}

/// All that may come to be in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expansion {
    /// Graph instances, callers before the called; the main graph's is the first one.
    pub graphs: Vec<PossibleGraph>,
    /// Instances, by node, graph instance and index.
    pub instances: Vec<PossibleInstance>,
    /// Shared objects, by declaration, graph instance and index.
    pub objects: Vec<PossibleObject>,
    /// Flows, by sender and receiver.
    pub flows: Vec<PossibleFlow>,
    /// Accesses, by instance and object.
    pub accesses: Vec<PossibleAccess>,
    /// Values of the main graph's parameters, in the order of the file; `None` where a default could not be computed without
    /// a run.
    pub params: Vec<(String, Option<Value>)>,
    /// Notes for the reader: unknown indices, and where the expansion was cut.
    pub notes: Vec<String>,
    /// True if a limit was reached, so that there may be more.
    pub is_cut: bool,
}
