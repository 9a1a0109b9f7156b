//! Names of what a run consists of, which are the same in every run of a program: positions in the program and index numbers,
//! with the text that a person reads. They are ordered by graph instance, then by position in the program, then by index.

use std::fmt;
use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::id::{CallId, Index, SharedId, TemplateId};
use hasse_model::plan::Plan;

/// An action.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionName {
    /// The calls from the main graph to the node's graph, outermost first, each with its index.
    pub calls: Arc<[(CallId, Index)]>,
    /// The node.
    pub template: TemplateId,
    /// Index of the action.
    pub index: Index,
    /// Its path, such as `/dobts/Mult[3]`.
    pub path: Arc<str>,
}

/// Writes the path.
impl fmt::Display for ActionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// An execution of an action.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventName {
    /// The action.
    pub action: ActionName,
    /// Number of the execution, from 1.
    pub count: u64,
}

/// Writes such as `/dobts/Mult[3]:2`.
impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.action, self.count)
    }
}

/// An input port of an action, or an element of a family of ports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortName {
    /// The action.
    pub action: ActionName,
    /// Position of the port among the node's input ports.
    pub port: usize,
    /// Index of the element; empty for a plain port.
    pub elements: Index,
    /// Name of the port in the program.
    pub name: Arc<str>,
}

/// Writes such as `/dobts/Mult[3].b` or `/Gather.part[2]`.
impl fmt::Display for PortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.action, self.name, self.elements)
    }
}

/// A shared object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// The calls from the main graph to the graph that declares it, outermost first, each with its index.
    pub calls: Arc<[(CallId, Index)]>,
    /// The declared shared object.
    pub shared: SharedId,
    /// Its index.
    pub index: Index,
    /// Its path, such as `/balance[2]`.
    pub path: Arc<str>,
}

/// Writes the path.
impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

impl ActionName {
    /// The name of an action.
    pub fn new(plan: &Plan, graph: &Arc<GraphInstance>, template: TemplateId, index: &Index) -> Self {
        let path = format!("{}/{}{index}", graph.path(plan), plan.template(template).name);
        Self { calls: calls(graph), template, index: index.clone(), path: path.into() }
    }
}

impl PortName {
    /// The name of an element of an input port.
    pub fn new(plan: &Plan, action: ActionName, port: usize, elements: &Index) -> Self {
        let name = plan.template(action.template).inputs[port].name.as_str().into();
        Self { action, port, elements: elements.clone(), name }
    }
}

impl ObjectName {
    /// The name of a shared object.
    pub fn new(plan: &Plan, graph: &Arc<GraphInstance>, shared: SharedId, index: &Index) -> Self {
        let path = format!("{}/{}{index}", graph.path(plan), plan.shared[shared.idx()].name);
        Self { calls: calls(graph), shared, index: index.clone(), path: path.into() }
    }
}

/// The calls around a graph instance, outermost first.
fn calls(graph: &Arc<GraphInstance>) -> Arc<[(CallId, Index)]> {
    let places = graph.outward().filter_map(|graph| graph.call.as_ref());
    let mut calls: Vec<_> = places.map(|place| (place.call, place.index.clone())).collect();
    calls.reverse();
    calls.into()
}
