//! Calls: graphs that the main graph never reaches, and recursion that nothing can end.
//!
//! Recursion has no end where an instance of a graph is certain to create another one of the same
//! graph. What is certain to happen is a least fixed point within each graph, on the assumption that
//! all of its ports are fed: a unit whose firing rule has no guard and takes from plain ports that are
//! fed executes, its routing rules without guard and loops send, and arcs whose index numbers are all
//! variables carry. A cycle of calls whose ports are all certain to be fed is reported.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Expr, Loop, Pattern};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef};

use super::summary::{ArcSummary, FireSummary, GraphSummary, NodeKind, NodeSummary, Summary};

/// Checks the calls of all graphs.
pub(super) fn check(summary: &Summary, found: &mut Vec<Diagnostic>) {
    report_never_called(summary, found);
    report_endless(summary, found);
}

/// Calls of a graph: positions of call node and graph called.
fn calls_of(graph: &GraphSummary) -> impl Iterator<Item = (usize, usize)> {
    graph.nodes.iter().enumerate().filter_map(|(node_idx, node)| match node.kind {
        NodeKind::Call(callee_idx) => Some((node_idx, callee_idx)),
        _ => None,
    })
}

/// Positions of the graphs that the main graph reaches through calls, its own included; all of them
/// where there is no main graph.
pub(super) fn reached(summary: &Summary) -> BTreeSet<usize> {
    let mut calls: DiGraph<(), ()> = DiGraph::new();
    summary.graphs.iter().for_each(|_| {
        calls.add_node(());
    });
    for (graph_idx, graph) in summary.graphs.iter().enumerate() {
        for (_, callee_idx) in calls_of(graph) {
            calls.add_edge(NodeIndex::new(graph_idx), NodeIndex::new(callee_idx), ());
        }
    }
    let Some(main_idx) = summary.graphs.iter().position(|graph| graph.is_main) else {
        return (0..summary.graphs.len()).collect();
    };
    let mut search = Dfs::new(&calls, NodeIndex::new(main_idx));
    let mut reached = BTreeSet::new();
    while let Some(node) = search.next(&calls) {
        reached.insert(node.index());
    }
    reached
}

fn report_never_called(summary: &Summary, found: &mut Vec<Diagnostic>) {
    let reached = reached(summary);
    for (_, graph) in summary.graphs.iter().enumerate().filter(|(graph_idx, _)| !reached.contains(graph_idx))
    {
        let message = format!("no call leads from the main graph to the graph `{}`", graph.name);
        let help = format!("add a call with `graph = \"{}\"`, or remove the graph", graph.name);
        found.push(Diagnostic::error("W0004", message, graph.at, "").as_warning().with_help(help));
    }
}

fn report_endless(summary: &Summary, found: &mut Vec<Diagnostic>) {
    // An edge is a call that every instance of the calling graph is certain to make, by its node.
    let mut certain: DiGraph<usize, usize> = DiGraph::new();
    for graph_idx in 0..summary.graphs.len() {
        certain.add_node(graph_idx);
    }
    for (graph_idx, graph) in summary.graphs.iter().enumerate() {
        let fed = certainly_fed(graph);
        for (node_idx, callee_idx) in calls_of(graph) {
            let n_ports = graph.nodes[node_idx].inputs.len();
            if n_ports > 0 && (0..n_ports).all(|port_idx| fed.contains(&(node_idx, port_idx))) {
                certain.add_edge(NodeIndex::new(graph_idx), NodeIndex::new(callee_idx), node_idx);
            }
        }
    }
    for component in tarjan_scc(&certain) {
        let mut calls: Vec<_> = component
            .iter()
            .flat_map(|graph| certain.edges(*graph))
            .filter(|edge| component.contains(&edge.target()))
            .map(|edge| (edge.source().index(), *edge.weight()))
            .collect();
        calls.sort_unstable();
        let Some(((graph_idx, node_idx), others)) = calls.split_first() else { continue };
        let (graph, call) = (&summary.graphs[*graph_idx], &summary.graphs[*graph_idx].nodes[*node_idx]);
        let message = format!(
            "every instance of `{}` creates another one through the call `{}`: the recursion has no end",
            graph.name, call.name
        );
        let help =
            "let a guard of a firing or routing rule on the way to the call decide whether it goes deeper";
        let mut diagnostic = Diagnostic::error("W0005", message, call.at, "").as_warning().with_help(help);
        for (graph_idx, node_idx) in others {
            let at = summary.graphs[*graph_idx].nodes[*node_idx].at;
            diagnostic = diagnostic.with_label(at, "part of the same recursion");
        }
        for arc in graph.arcs_into(*node_idx).take(3) {
            diagnostic = diagnostic.with_label(arc.at, "always feeds the call");
        }
        found.push(diagnostic);
    }
}

/// Input ports, by node and port, that are certain to be fed in every instance whose own ports all are.
fn certainly_fed(graph: &GraphSummary) -> BTreeSet<(usize, usize)> {
    let mut fed: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut to_look_at: Vec<usize> = (0..graph.arcs.len()).collect();
    while let Some(arc_idx) = to_look_at.pop() {
        let arc = &graph.arcs[arc_idx];
        let source = &graph.nodes[arc.source.0];
        let sends = match source.kind {
            _ if !carries_all(arc) => false,
            NodeKind::Inputs => true,
            NodeKind::Unit => {
                certainly_executes(arc.source.0, source, &fed) && certainly_sends(source, arc.source.1)
            }
            NodeKind::Call(_) | NodeKind::Outputs => false,
        };
        // What a node sends depends on what it is fed.
        if sends && fed.insert(arc.target) {
            to_look_at.extend(graph.arcs_from(arc.target.0));
        }
    }
    fed
}

/// Whether an arc takes every value of its port.
fn carries_all(arc: &ArcSummary) -> bool {
    let mut seen = BTreeSet::new();
    arc.source_index.iter().chain(&arc.source_elements).all(|pattern| match pattern {
        Pattern::Local(local) => seen.insert(*local),
        Pattern::Int(_) | Pattern::Param(_) => false,
    })
}

fn certainly_executes(node_idx: usize, node: &NodeSummary, fed: &BTreeSet<(usize, usize)>) -> bool {
    let is_certain = |fire: &FireSummary| {
        let takes = &fire.rule.takes;
        // Values on two ports of a node with an index may be those of different instances.
        let is_one_instance = node.n_indices == 0 || takes.len() == 1;
        let are_fed = takes.iter().all(|take| {
            take.loops.is_empty()
                && node.inputs[take.port].n_indices == 0
                && fed.contains(&(node_idx, take.port))
        });
        fire.rule.guard.is_none() && is_one_instance && are_fed
    };
    node.fire.iter().any(is_certain)
}

fn certainly_sends(node: &NodeSummary, port_idx: usize) -> bool {
    let rules = node.route.iter().filter(|route| route.rule.guard.is_none() && !route.rule.on_error);
    let mut sends = rules.flat_map(|route| &route.rule.sends);
    sends.any(|send| send.port == port_idx && send.loops.iter().all(has_rounds))
}

fn has_rounds(looped: &Loop<hasse_model::plan::Code>) -> bool {
    use hasse_model::plan::Code;
    matches!((&looped.low, &looped.high), (Code::Expr(Expr::Int(low)), Code::Expr(Expr::Int(high))) if low < high)
}
