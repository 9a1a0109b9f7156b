//! What the analyses look at: graphs as nodes with ports and rules, arcs with patterns, and uses of
//! shared objects; plain data without text that would have to be parsed again.
//!
//! The formal ports of a graph are two nodes of it, one that sends what comes in and one that takes
//! what goes out, so that arcs run between nodes only. A call is a node whose ports are those formal
//! ports.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Location;
use hasse_model::plan::{Access, Expr, FiringRule, Pattern, RoutingRule, Slot};
use hasse_model::value::Type;

/// All graphs of a file.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) graphs: Vec<GraphSummary>,
}

/// A graph.
#[derive(Debug)]
pub(crate) struct GraphSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    pub(crate) is_main: bool,
    pub(crate) params: Vec<ParamSummary>,
    pub(crate) nodes: Vec<NodeSummary>,
    pub(crate) arcs: Vec<ArcSummary>,
    /// Positions of the arcs that leave each node, and of those that lead to it, in order.
    pub(crate) arcs_of: Vec<[Vec<usize>; 2]>,
    pub(crate) objects: Vec<ObjectSummary>,
    pub(crate) formals: Vec<FormalSummary>,
}

impl GraphSummary {
    /// Positions of the arcs that leave a node.
    pub(crate) fn arcs_from(&self, node_idx: usize) -> &[usize] {
        &self.arcs_of[node_idx][0]
    }

    /// Arcs that leave a port.
    pub(crate) fn arcs_from_port(&self, source: (usize, usize)) -> impl Iterator<Item = &ArcSummary> {
        let arcs = self.arcs_from(source.0).iter().map(|&arc_idx| &self.arcs[arc_idx]);
        arcs.filter(move |arc| arc.source == source)
    }

    /// Positions of the arcs that lead to a node.
    pub(crate) fn arcs_to(&self, node_idx: usize) -> &[usize] {
        &self.arcs_of[node_idx][1]
    }

    /// Arcs that lead to a node.
    pub(crate) fn arcs_into(&self, node_idx: usize) -> impl Iterator<Item = &ArcSummary> {
        self.arcs_to(node_idx).iter().map(|&arc_idx| &self.arcs[arc_idx])
    }

    /// Arcs that lead to a port.
    pub(crate) fn arcs_into_port(&self, target: (usize, usize)) -> impl Iterator<Item = &ArcSummary> {
        self.arcs_into(target.0).filter(move |arc| arc.target == target)
    }
}

/// A creation parameter.
#[derive(Debug)]
pub(crate) struct ParamSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    pub(crate) ty: Type,
    /// Its default, where that is a number over the parameters before it.
    pub(crate) default: Option<Expr>,
    /// Whether any text of the graph names it.
    pub(crate) is_named: bool,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// A unit of computation.
    Unit,
    /// A call of the graph at that position.
    Call(usize),
    /// Sends what comes into the graph.
    Inputs,
    /// Takes what goes out of the graph.
    Outputs,
}

/// A node.
#[derive(Debug)]
pub(crate) struct NodeSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    pub(crate) kind: NodeKind,
    pub(crate) n_indices: usize,
    pub(crate) inputs: Vec<PortSummary>,
    pub(crate) outputs: Vec<PortSummary>,
    /// All names that rules see, as in the plan's template; empty for a node that is no unit.
    pub(crate) slots: Vec<Slot>,
    /// Vars, in the order of their slots.
    pub(crate) vars: Vec<VarSummary>,
    /// Names bound for one execution.
    pub(crate) bound: Vec<BoundSummary>,
    pub(crate) shared: Vec<SharedSummary>,
    pub(crate) fire: Vec<FireSummary>,
    pub(crate) route: Vec<RouteSummary>,
    /// True if its firing rules are in the order of preference.
    pub(crate) prefers: bool,
    /// Where it is said to be a start node.
    pub(crate) start: Option<Location>,
    /// Where it is said to be the stop node.
    pub(crate) stop: Option<Location>,
}

impl NodeSummary {
    /// A node without anything.
    pub(crate) fn bare(name: &str, at: Location, kind: NodeKind) -> Self {
        Self {
            name: name.to_owned(),
            at,
            kind,
            n_indices: 0,
            inputs: Vec::new(),
            outputs: Vec::new(),
            slots: Vec::new(),
            vars: Vec::new(),
            bound: Vec::new(),
            shared: Vec::new(),
            fire: Vec::new(),
            route: Vec::new(),
            prefers: false,
            start: None,
            stop: None,
        }
    }

    /// Whether it computes.
    pub(crate) fn is_unit(&self) -> bool {
        self.kind == NodeKind::Unit
    }
}

/// A port.
#[derive(Debug)]
pub(crate) struct PortSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    pub(crate) n_indices: usize,
    /// True if values may be left on it.
    pub(crate) may_be_left: bool,
    /// Maximum number of values that wait on it, or on each of its elements.
    pub(crate) bound: Option<Expr>,
}

/// A var.
#[derive(Debug)]
pub(crate) struct VarSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    /// Position of its slot.
    pub(crate) slot_idx: usize,
    pub(crate) has_default: bool,
    /// Its value before the first execution, where that is certain.
    pub(crate) initial: Option<Expr>,
    pub(crate) is_read: bool,
    /// Whether a body, `init` or a firing rule may give it a value.
    pub(crate) is_assigned: bool,
}

/// A name that firing rules bind and that is not a var.
#[derive(Debug)]
pub(crate) struct BoundSummary {
    pub(crate) name: String,
    /// Where it is bound first.
    pub(crate) at: Location,
    pub(crate) is_read: bool,
    /// Positions of the input ports whose values it takes.
    pub(crate) ports: BTreeSet<usize>,
}

/// A local name of a shared object.
#[derive(Debug)]
pub(crate) struct SharedSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    pub(crate) access: Access,
    /// Whether anything names it.
    pub(crate) is_named: bool,
    /// Whether the body may change it.
    pub(crate) is_written: bool,
    /// Whether the body certainly changes it through a function.
    pub(crate) is_changed_in_place: bool,
    /// Positions of the objects that it may stand for.
    pub(crate) objects: BTreeSet<usize>,
}

/// A shared object.
#[derive(Debug)]
pub(crate) struct ObjectSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    pub(crate) has_init: bool,
    /// Whether more than the nodes of this graph may reach it.
    pub(crate) is_handed_on: bool,
}

/// A formal shared object of a graph.
#[derive(Debug)]
pub(crate) struct FormalSummary {
    pub(crate) name: String,
    pub(crate) at: Location,
    /// Whether some share line of the graph leads to it.
    pub(crate) is_used: bool,
}

/// A firing rule.
#[derive(Debug)]
pub(crate) struct FireSummary {
    pub(crate) rule: FiringRule,
    /// What it takes, binds aside, and its guard: two rules with the same are enabled together.
    pub(crate) takes_text: Vec<String>,
    pub(crate) guard_text: String,
    /// What it takes and binds.
    pub(crate) binds_text: Vec<String>,
}

/// A routing rule.
#[derive(Debug)]
pub(crate) struct RouteSummary {
    pub(crate) rule: RoutingRule,
    pub(crate) guard_text: String,
    pub(crate) sends: Vec<SendSummary>,
}

/// What the text of one sending says beside the plan's `Send`.
#[derive(Debug)]
pub(crate) struct SendSummary {
    /// The sending without white space.
    pub(crate) text: String,
    pub(crate) at: Location,
    /// Whether its value says nothing but that it came: a constant, a parameter or an index number.
    pub(crate) is_signal: bool,
}

/// An arc.
#[derive(Debug)]
pub(crate) struct ArcSummary {
    /// Positions of node and output port.
    pub(crate) source: (usize, usize),
    pub(crate) source_index: Vec<Pattern>,
    pub(crate) source_elements: Vec<Pattern>,
    /// Positions of node and input port.
    pub(crate) target: (usize, usize),
    pub(crate) target_index: Vec<Expr>,
    pub(crate) target_elements: Vec<Expr>,
    pub(crate) at: Location,
}
