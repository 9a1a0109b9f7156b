//! What may ever execute, and why the rest does not.
//!
//! A node is alive if it is a start node, or one of its firing rules may be the first one taken and
//! each port that the rule needs may be fed by something alive: the least fixed point over all graphs.
//! Calls and the formal ports of graphs pass values on, port by port.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::Expr;

use super::calls::reached;
use super::space::{Space, When, sends_on};
use super::summary::{ArcSummary, FireSummary, NodeKind, NodeSummary, Summary};

/// Why the rest does not execute.
mod waits;

use waits::{Cause, Waits};

/// Positions of graph and node, and of the port of a node that is no unit.
type Place = (usize, usize, usize);

/// What does not change while the fixed point is sought.
struct Facts<'s> {
    summary: &'s Summary,
    /// Why no value ever takes the arc, by graph and arc; `None` where one may.
    obstacles: Vec<Vec<Option<Cause>>>,
    /// Whether the guard may hold before the first execution, by graph, node and firing rule.
    may_be_first: Vec<Vec<Vec<bool>>>,
    /// Positions of the arcs that leave a node, by graph and node.
    leaving: Vec<Vec<Vec<usize>>>,
    /// Calls of a graph, as graph and node, by graph.
    calls: Vec<Vec<(usize, usize)>>,
    /// Graphs that the main graph reaches.
    reached: BTreeSet<usize>,
}

/// What may happen, as far as is known.
#[derive(Default, PartialEq)]
struct Live {
    /// Units that may execute.
    units: BTreeSet<(usize, usize)>,
    /// Input ports that may be fed: graph, node, port.
    fed: BTreeSet<Place>,
}

/// Reports what can never execute.
pub(super) fn check(summary: &Summary, found: &mut Vec<Diagnostic>) {
    let facts = Facts::new(summary);
    let live = Live::of(&facts);
    let waits = Waits::new(&facts, &live);
    waits.report(&facts, found);
}

impl<'s> Facts<'s> {
    fn new(summary: &'s Summary) -> Self {
        let mut facts = Self {
            summary,
            obstacles: Vec::new(),
            may_be_first: Vec::new(),
            leaving: Vec::new(),
            calls: vec![Vec::new(); summary.graphs.len()],
            reached: reached(summary),
        };
        for (graph_idx, graph) in summary.graphs.iter().enumerate() {
            let mut space = Space::new(graph);
            facts.obstacles.push(graph.arcs.iter().map(|arc| obstacle(arc, &mut space)).collect());
            let mut leaving = vec![Vec::new(); graph.nodes.len()];
            graph.arcs.iter().enumerate().for_each(|(arc_idx, arc)| leaving[arc.source.0].push(arc_idx));
            facts.leaving.push(leaving);
            let mut first_of = |node: &NodeSummary| -> Vec<bool> {
                (0..node.fire.len()).map(|rule_idx| space.may_hold(node, rule_idx, When::First)).collect()
            };
            facts.may_be_first.push(graph.nodes.iter().map(&mut first_of).collect());
            for (node_idx, node) in graph.nodes.iter().enumerate() {
                if let NodeKind::Call(callee_idx) = node.kind {
                    facts.calls[callee_idx].push((graph_idx, node_idx));
                }
            }
        }
        facts
    }

    fn node(&self, graph_idx: usize, node_idx: usize) -> &'s NodeSummary {
        &self.summary.graphs[graph_idx].nodes[node_idx]
    }

    /// Whether a graph is looked at as if all its ports were fed: the main graph does not reach it.
    fn is_loose(&self, graph_idx: usize) -> bool {
        !self.reached.contains(&graph_idx)
    }

    fn starts(&self, graph_idx: usize, node: &NodeSummary) -> bool {
        node.start.is_some() && (self.summary.graphs[graph_idx].is_main || self.is_loose(graph_idx))
    }

    /// The ports whose being fed makes a node that is no unit send on an output port.
    fn passed_on_from(&self, (graph_idx, node_idx, port_idx): Place) -> Vec<Place> {
        match self.node(graph_idx, node_idx).kind {
            NodeKind::Inputs => self.calls[graph_idx]
                .iter()
                .map(|(graph_idx, node_idx)| (*graph_idx, *node_idx, port_idx))
                .collect(),
            NodeKind::Call(callee_idx) => {
                let nodes = &self.summary.graphs[callee_idx].nodes;
                let outputs_idx = nodes.iter().position(|node| node.kind == NodeKind::Outputs);
                outputs_idx.map(|node_idx| (callee_idx, node_idx, port_idx)).into_iter().collect()
            }
            NodeKind::Unit | NodeKind::Outputs => Vec::new(),
        }
    }

    /// The nodes that may execute or pass something on because a port is fed.
    fn moved_by(&self, (graph_idx, node_idx, _): Place) -> Vec<(usize, usize)> {
        match self.node(graph_idx, node_idx).kind {
            NodeKind::Unit => vec![(graph_idx, node_idx)],
            NodeKind::Call(callee_idx) => {
                let nodes = &self.summary.graphs[callee_idx].nodes;
                let inputs_idx = nodes.iter().position(|node| node.kind == NodeKind::Inputs);
                inputs_idx.map(|node_idx| (callee_idx, node_idx)).into_iter().collect()
            }
            NodeKind::Outputs => self.calls[graph_idx].clone(),
            NodeKind::Inputs => Vec::new(),
        }
    }

    fn arcs_to(
        &self,
        graph_idx: usize,
        target: (usize, usize),
    ) -> impl Iterator<Item = (usize, &'s ArcSummary)> {
        let graph = &self.summary.graphs[graph_idx];
        let arcs = graph.arcs_to(target.0).iter().map(|&arc_idx| (arc_idx, &graph.arcs[arc_idx]));
        arcs.filter(move |(_, arc)| arc.target == target)
    }
}

/// Why no value ever takes an arc.
fn obstacle(arc: &ArcSummary, space: &mut Space<'_>) -> Option<Cause> {
    if !space.is_vain(arc) {
        return None;
    }
    let source = &space.graph.nodes[arc.source.0];
    if !space.leaving(arc.source).is_empty() {
        return Some(Cause::VainArc(arc.at));
    }
    let port = &source.outputs[arc.source.1];
    let rule = sends_on(source, arc.source.1).first().map(|(rule_idx, _)| source.route[*rule_idx].rule.at);
    Some(Cause::Silence(rule.unwrap_or(port.at), format!("{}.{}", source.name, port.name)))
}

/// Ports that a rule needs whatever the values of vars and parameters are.
fn needed_ports(fire: &FireSummary) -> impl Iterator<Item = usize> {
    let takes = fire.rule.takes.iter().filter(|take| {
        take.loops.iter().all(
            |looped| matches!((&looped.low, &looped.high), (Expr::Int(low), Expr::Int(high)) if low < high),
        )
    });
    takes.map(|take| take.port)
}

impl Live {
    /// The least fixed point. A node is looked at again when one of its ports is fed, so that a long chain takes linear time.
    fn of(facts: &Facts<'_>) -> Self {
        let mut live = Self::default();
        let graphs = facts.summary.graphs.iter().enumerate();
        let mut open: Vec<(usize, usize)> = graphs
            .flat_map(|(graph_idx, graph)| (0..graph.nodes.len()).map(move |node_idx| (graph_idx, node_idx)))
            .collect();
        while let Some(place) = open.pop() {
            live.look_at(place, facts, &mut open);
        }
        live
    }

    /// Adds what follows for a node, and for the ports that it feeds; notes who is to be looked at again.
    fn look_at(
        &mut self,
        (graph_idx, node_idx): (usize, usize),
        facts: &Facts<'_>,
        open: &mut Vec<(usize, usize)>,
    ) {
        let node = facts.node(graph_idx, node_idx);
        if node.is_unit() {
            let is_first = &facts.may_be_first[graph_idx][node_idx];
            let mut rules = node.fire.iter().zip(is_first).filter(|(_, may_be_first)| **may_be_first);
            let is_enabled = rules.any(|(fire, _)| {
                needed_ports(fire).all(|port| self.fed.contains(&(graph_idx, node_idx, port)))
            });
            let is_alive = is_enabled || facts.starts(graph_idx, node);
            if !is_alive || !self.units.insert((graph_idx, node_idx)) {
                return;
            }
        }
        for &arc_idx in &facts.leaving[graph_idx][node_idx] {
            let arc = &facts.summary.graphs[graph_idx].arcs[arc_idx];
            let source = (graph_idx, arc.source.0, arc.source.1);
            let target = (graph_idx, arc.target.0, arc.target.1);
            let is_taken = facts.obstacles[graph_idx][arc_idx].is_none() && self.may_send(source, facts);
            if is_taken && self.fed.insert(target) {
                open.extend(facts.moved_by(target));
            }
        }
    }

    fn may_send(&self, source: Place, facts: &Facts<'_>) -> bool {
        let (graph_idx, node_idx, _) = source;
        match facts.node(graph_idx, node_idx).kind {
            NodeKind::Unit => self.units.contains(&(graph_idx, node_idx)),
            NodeKind::Inputs if facts.is_loose(graph_idx) => true,
            _ => facts.passed_on_from(source).iter().any(|port| self.fed.contains(port)),
        }
    }
}
