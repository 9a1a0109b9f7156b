//! Declarations: a graph with its names resolved to types and positions. What rules, arcs and bodies
//! say is not looked at yet.

use std::collections::HashMap;

use hasse_model::diagnostic::Location;
use hasse_model::id::{GraphId, SlotId};
use hasse_model::plan::{Access, Expr, Port, Slot, SlotKind, TimeSpan};
use hasse_model::value::Type;

use crate::syntax::{CallNode, Name, Unit};
use crate::text::{Excerpt, Text};

/// A graph.
pub(crate) struct GraphDecl<'t> {
    pub(crate) id: GraphId,
    pub(crate) name: &'t Name,
    pub(crate) params: Vec<ParamDecl<'t>>,
    pub(crate) nodes: Vec<NodeDecl<'t>>,
    pub(crate) shared: Vec<SharedDecl<'t>>,
    pub(crate) arcs: &'t [Text],
    pub(crate) shares: &'t [Text],
    pub(crate) calls: Vec<CallDecl<'t>>,
    pub(crate) inputs: Vec<PortDecl>,
    pub(crate) outputs: Vec<PortDecl>,
    pub(crate) formals: Vec<PortDecl>,
    /// Meaning of each name; the first of several declarations of one name.
    pub(crate) names: HashMap<&'t str, Named>,
}

/// A declaration by its position among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Unit(usize),
    Call(usize),
    Shared(usize),
}

impl<'t> GraphDecl<'t> {
    /// Finds out what each name means: units come first, then calls, then shared objects.
    pub(crate) fn with_names(mut self) -> Self {
        let units = self.nodes.iter().enumerate().map(|(idx, node)| (&node.unit.name, Named::Unit(idx)));
        let calls = self.calls.iter().enumerate().map(|(idx, call)| (&call.node.name, Named::Call(idx)));
        let shared = self.shared.iter().enumerate().map(|(idx, object)| (object.name, Named::Shared(idx)));
        let mut names: HashMap<&'t str, Named> = HashMap::new();
        for (name, named) in units.chain(calls).chain(shared) {
            names.entry(name.text.as_str()).or_insert(named);
        }
        self.names = names;
        self
    }
}

impl GraphDecl<'_> {
    /// Position of a parameter.
    pub(crate) fn param_idx(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| param.name.text == name)
    }
}

/// What callers need to know of a graph.
#[derive(Clone)]
pub(crate) struct Interface {
    pub(crate) name: Name,
    pub(crate) params: Vec<ParamFacts>,
    pub(crate) inputs: Vec<PortDecl>,
    pub(crate) outputs: Vec<PortDecl>,
    pub(crate) formals: Vec<PortDecl>,
}

/// What callers need to know of a creation parameter.
#[derive(Clone)]
pub(crate) struct ParamFacts {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) has_default: bool,
}

impl GraphDecl<'_> {
    /// What callers need to know.
    pub(crate) fn interface(&self) -> Interface {
        let facts = |param: &ParamDecl<'_>| ParamFacts {
            name: param.name.clone(),
            ty: param.ty.clone(),
            has_default: param.default.is_some(),
        };
        Interface {
            name: self.name.clone(),
            params: self.params.iter().map(facts).collect(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            formals: self.formals.clone(),
        }
    }
}

/// A call node.
pub(crate) struct CallDecl<'t> {
    pub(crate) node: &'t CallNode,
    /// The graph called; `None` where there is none of the name, which has been reported.
    pub(crate) callee: Option<GraphId>,
}

impl CallDecl<'_> {
    pub(crate) fn name(&self) -> &str {
        &self.node.name.text
    }
}

/// A creation parameter.
pub(crate) struct ParamDecl<'t> {
    pub(crate) name: &'t Name,
    pub(crate) ty: Type,
    pub(crate) default: Option<Excerpt<'t>>,
}

/// A shared object.
pub(crate) struct SharedDecl<'t> {
    pub(crate) name: &'t Name,
    pub(crate) index: &'t [Name],
    pub(crate) ty: Type,
    pub(crate) init: Option<&'t Text>,
}

/// A unit of computation.
pub(crate) struct NodeDecl<'t> {
    pub(crate) unit: &'t Unit,
    pub(crate) inputs: Vec<PortDecl>,
    pub(crate) outputs: Vec<PortDecl>,
    /// Parameters, indices, vars and shared names; pass `bind` adds the others.
    pub(crate) slots: Vec<Slot>,
    /// Defaults of the vars, in the order of their slots.
    pub(crate) var_defaults: Vec<Option<Excerpt<'t>>>,
    /// Shared names, in the order of their slots.
    pub(crate) shared: Vec<LocalShared<'t>>,
    /// Maximum number of its instances that execute at a time.
    pub(crate) at_once: Option<Expr>,
    /// Maximum number of retries of a failing body.
    pub(crate) retry: Option<Expr>,
    /// Time before the first retry.
    pub(crate) backoff: Option<TimeSpan>,
    /// Maximum time that a body waits.
    pub(crate) deadline: Option<TimeSpan>,
    /// Input port whose values cancel an event that waits, by position.
    pub(crate) cancel: Option<usize>,
    /// Period of a timer.
    pub(crate) every: Option<TimeSpan>,
    /// Time at which a start node executes.
    pub(crate) start_after: Option<TimeSpan>,
    /// The ports of a timer, by which it sends to itself.
    pub(crate) timer: Option<Timer>,
    /// The slot of the error in routing rules of failed events.
    pub(crate) error: Option<SlotId>,
    /// The way of its errors to an output port of its graph, where the graph has one for them, and the node no policy.
    pub(crate) forwarded: Option<Forwarded>,
}

impl NodeDecl<'_> {
    pub(crate) fn name(&self) -> &str {
        &self.unit.name.text
    }

    /// Position of a shared name.
    pub(crate) fn shared_idx(&self, name: &str) -> Option<usize> {
        self.shared.iter().position(|local| local.name.text == name)
    }

    /// The slots of one kind.
    pub(crate) fn slots_of(&self, kind: SlotKind) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(move |slot| slot.kind == kind)
    }
}

/// Ports of a timer (`every = "100ms"`), by position.
#[derive(Clone, Copy)]
pub(crate) struct Timer {
    /// Input port.
    pub(crate) input: usize,
    /// Output port.
    pub(crate) output: usize,
    /// Location of the period.
    pub(crate) at: Location,
}

/// Way of the errors of a node to an output port of its graph.
pub(crate) struct Forwarded {
    /// Output port of the node, by position.
    pub(crate) port: usize,
    /// Output port of the graph, by position.
    pub(crate) target_port: usize,
    /// Location of the name of that port.
    pub(crate) at: Location,
}

/// A port.
#[derive(Clone)]
pub(crate) struct PortDecl {
    pub(crate) port: Port,
    /// Whether its type could be read; what depends on a type that could not is not reported again.
    pub(crate) is_sound: bool,
}

/// A local name of a shared object.
pub(crate) struct LocalShared<'t> {
    pub(crate) name: &'t Name,
    pub(crate) access: Access,
    pub(crate) at: Location,
}
