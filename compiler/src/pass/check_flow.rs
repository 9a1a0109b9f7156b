//! What a graph needs as a whole: somewhere to start, at most one place to stop, and ports that lead
//! somewhere.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::GraphId;
use hasse_model::plan::{Pattern, Plan, Source, Target};

use super::check_arcs::{Arcs, NodeRef};
use super::check_firing::Firing;
use super::check_routing::Routing;
use crate::decl::{GraphDecl, Interface, NodeDecl};
use crate::session::Session;

/// Checks start and stop nodes.
pub(crate) fn check_ends(graph: &GraphDecl<'_>, is_main: bool, session: &mut Session<'_>) {
    if is_main && !graph.nodes.iter().any(|node| node.unit.start.is_some()) {
        let message = format!("no node of the main graph `{}` is a start node", graph.name.text);
        let help = "add `start = true` to the node that executes first";
        session.report(Diagnostic::error("E0007", message, graph.name.at, "").with_help(help));
    }
    if !is_main {
        for node in &graph.nodes {
            if node.unit.is_initial {
                let message = format!(
                    "ports of `{}` cannot have initial values: it is not the main graph",
                    graph.name.text
                );
                let help = "send the values from the caller of the graph";
                session.report(Diagnostic::error("E0110", message, node.unit.name.at, "").with_help(help));
                continue;
            }
            let start = match (&node.unit.every, &node.unit.after) {
                (Some(_), _) => "every",
                (None, Some(_)) => "after",
                (None, None) => "start",
            };
            let marks = [(node.unit.start, start), (node.unit.stop, "stop")];
            for (at, what) in marks.into_iter().filter_map(|(at, what)| Some((at?, what))) {
                let message =
                    format!("`{what}` has no effect here: `{}` is not the main graph", graph.name.text);
                session.warning("W0701", message, at);
            }
        }
    }
    let mut first_stop = None;
    for node in &graph.nodes {
        let has_index = !node.unit.index.is_empty();
        if let Some(at) = node.unit.start.filter(|_| has_index) {
            let message = format!("the start node `{}` has an index", node.name());
            let help = "which of its instances would start? Start a node without index that sends to them";
            session.report(Diagnostic::error("E0008", message, at, "").with_help(help));
        }
        let Some(at) = node.unit.stop else { continue };
        if has_index {
            let message = format!("the stop node `{}` has an index", node.name());
            let help = "gather what its instances send in a stop node without index";
            session.report(Diagnostic::error("E0010", message, at, "").with_help(help));
        }
        match first_stop {
            Some(first) => {
                let message = "more than one node is a stop node".to_owned();
                let diagnostic =
                    Diagnostic::error("E0009", message, at, "").with_label(first, "the first one is here");
                session.report(diagnostic);
            }
            None => first_stop = Some(at),
        }
    }
}

/// Checks the ports and rules of one node.
pub(crate) fn check_ports(
    node_idx: usize,
    node: &NodeDecl<'_>,
    arcs: &Arcs,
    firing: &Firing,
    routing: &Routing,
    session: &mut Session<'_>,
) {
    let name = node.name();
    if node.unit.fire.is_empty() && node.unit.start.is_none() {
        let message = format!("`{name}` can never execute: it has no firing rules and is no start node");
        let help = "add a firing rule such as `fire = [\"port -> name\"]`, or `start = true`";
        session.report(Diagnostic::error("E0011", message, node.unit.name.at, "").with_help(help));
    }
    for (port_idx, port) in node.inputs.iter().enumerate() {
        let port_name = &port.port.name;
        if arcs.are_ends_known && !arcs.fed.contains(&(NodeRef::Unit(node_idx), port_idx)) {
            session.warning(
                "W0301",
                format!("no arc feeds the input port `{name}.{port_name}`"),
                port.port.at,
            );
        }
        // Values that cancel need not be taken.
        if firing.are_ports_known && !firing.is_named[port_idx] && node.cancel != Some(port_idx) {
            let message = format!("no firing rule takes from the input port `{name}.{port_name}`");
            session.warning("W0302", message, port.port.at);
        }
    }
    for (port_idx, port) in node.outputs.iter().enumerate() {
        let port_name = &port.port.name;
        let named_at = routing.named_at[port_idx];
        if arcs.are_ends_known && !arcs.left.contains(&(NodeRef::Unit(node_idx), port_idx)) {
            match named_at {
                Some(at) => {
                    let message = format!("this sends on `{name}.{port_name}`, which no arc leaves");
                    let help = format!("add an arc such as `{name}.{port_name} -> NODE.PORT`");
                    session.report(Diagnostic::error("E0306", message, at, "").with_help(help));
                }
                None => {
                    let message = format!("no arc leaves the output port `{name}.{port_name}`");
                    session.warning("W0303", message, port.port.at);
                }
            }
        }
        if routing.are_ports_known && named_at.is_none() {
            let message = format!("no routing rule sends on the output port `{name}.{port_name}`");
            session.warning("W0304", message, port.port.at);
        }
    }
}

/// Checks the formal ports of a graph that is called.
pub(crate) fn check_interface_ports(graph: &GraphDecl<'_>, arcs: &Arcs, session: &mut Session<'_>) {
    if !arcs.are_ends_known {
        return;
    }
    let name = &graph.name.text;
    for (port_idx, port) in graph.inputs.iter().enumerate() {
        if !arcs.left.contains(&(NodeRef::Interface, port_idx)) {
            let message =
                format!("no arc leaves the input port `in.{}` of the graph `{name}`", port.port.name);
            session.warning("W0305", message, port.port.at);
        }
    }
    for (port_idx, port) in graph.outputs.iter().enumerate() {
        if !arcs.fed.contains(&(NodeRef::Interface, port_idx)) {
            let message =
                format!("no arc feeds the output port `out.{}` of the graph `{name}`", port.port.name);
            session.warning("W0306", message, port.port.at);
        }
    }
}

/// Reports the formal ports of a main graph that nothing calls: no value comes in, and what goes out is lost.
pub(crate) fn check_main_ports(graph: &GraphDecl<'_>, session: &mut Session<'_>) {
    for port in &graph.inputs {
        let name = &port.port.name;
        let message = format!("nothing sends to the input port `in.{name}` of the main graph");
        let help = format!(
            "a value from outside is a parameter, such as `params = {{ {name} = \"int\" }}`: a start node sends it"
        );
        session.report(Diagnostic::error("W0314", message, port.port.at, "").with_help(help).as_warning());
    }
    for port in &graph.outputs {
        let name = &port.port.name;
        let message = format!("the output port `out.{name}` of the main graph leads nowhere");
        let help = format!("a result is set in a body: `result(\"{name}\", VALUE)`");
        session.report(Diagnostic::error("W0314", message, port.port.at, "").with_help(help).as_warning());
    }
}

/// Checks the input ports of a graph's calls.
pub(crate) fn check_call_inputs(
    graph: &GraphDecl<'_>,
    interfaces: &[Interface],
    arcs: &Arcs,
    session: &mut Session<'_>,
) {
    if !arcs.are_ends_known {
        return;
    }
    for (call_idx, call) in graph.calls.iter().enumerate() {
        let Some(callee) = call.callee else { continue };
        for (port_idx, port) in interfaces[callee.idx()].inputs.iter().enumerate() {
            if !arcs.fed.contains(&(NodeRef::Call(call_idx), port_idx)) {
                let message =
                    format!("no arc feeds the port `{}` of the call `{}`", port.port.name, call.name());
                session.warning("W0307", message, call.node.name.at);
            }
        }
    }
}

/// Checks that an arc leaves each output port of a call, and says where a routing rule within the graph called sends there.
/// `left` has for each graph the ports that arcs leave, `None` where they are not known.
pub(crate) fn check_call_outputs(
    graphs: &[GraphDecl<'_>],
    interfaces: &[Interface],
    left: &[Option<BTreeSet<(NodeRef, usize)>>],
    plan: &Plan,
    session: &mut Session<'_>,
) {
    let sent = sent_outputs(plan);
    for (graph, left) in graphs.iter().zip(left) {
        let Some(left) = left else { continue };
        for (call_idx, call) in graph.calls.iter().enumerate() {
            let Some(callee) = call.callee else { continue };
            for (port_idx, port) in interfaces[callee.idx()].outputs.iter().enumerate() {
                if left.contains(&(NodeRef::Call(call_idx), port_idx)) {
                    continue;
                }
                let (name, port) = (call.name(), &port.port.name);
                let help = format!("add an arc such as `{name}.{port} -> NODE.PORT`");
                let what = format!("no arc leaves the port `{port}` of the call `{name}`");
                // Whether a rule's guard ever holds is not known: what fails is the event that sends.
                let message = if sent.contains(&(callee, port_idx)) {
                    let within = &graphs[callee.idx()].name.text;
                    format!("{what}, and `{within}` sends there: the event that does fails")
                } else {
                    what
                };
                let diagnostic = Diagnostic::error("W0308", message, call.node.name.at, "").as_warning();
                session.report(diagnostic.with_help(help));
            }
        }
    }
}

/// Output ports of graphs on which a routing rule within them sends, by way of arcs that take all its values.
fn sent_outputs(plan: &Plan) -> BTreeSet<(GraphId, usize)> {
    let takes_all = |patterns: &[Pattern]| patterns.iter().all(|held| matches!(held, Pattern::Local(_)));
    let outward = plan.arcs.iter().filter(|arc| {
        arc.target == Target::Interface && takes_all(&arc.source_index) && takes_all(&arc.source_elements)
    });
    let outward: Vec<_> = outward.collect();
    let mut sent = BTreeSet::new();
    loop {
        let n_before = sent.len();
        for arc in &outward {
            let is_sent = match arc.source {
                Source::Unit(template) => {
                    let rules = plan.templates.get(template.idx()).map_or(&[][..], |held| &held.route);
                    rules.iter().flat_map(|rule| &rule.sends).any(|send| send.port == arc.source_port)
                }
                Source::Call(call) => {
                    let called = plan.calls.get(call.idx()).map(|call| call.graph);
                    called.is_some_and(|called| sent.contains(&(called, arc.source_port)))
                }
                Source::Interface => false,
            };
            if is_sent {
                sent.insert((arc.graph, arc.target_port));
            }
        }
        if sent.len() == n_before {
            return sent;
        }
    }
}
