//! What a graph needs as a whole: somewhere to start, at most one place to stop, and ports that lead
//! somewhere.

use hasse_model::diagnostic::Diagnostic;

use super::check_arcs::{Arcs, NodeRef};
use super::check_firing::Firing;
use super::check_routing::Routing;
use crate::decl::{GraphDecl, Interface, NodeDecl, PortDecl};
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
            let marks = [(node.unit.start, "start"), (node.unit.stop, "stop")];
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
        if firing.are_ports_known && !firing.is_named[port_idx] {
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

/// Checks the formal ports of a graph and the ports of its calls.
pub(crate) fn check_interface_ports(
    graph: &GraphDecl<'_>,
    interfaces: &[Interface],
    arcs: &Arcs,
    session: &mut Session<'_>,
) {
    if !arcs.are_ends_known {
        return;
    }
    let mut report =
        |code, node: NodeRef, ports: &[PortDecl], is_target: bool, message: &dyn Fn(&str) -> String| {
            let joined = if is_target { &arcs.fed } else { &arcs.left };
            for (port_idx, port) in ports.iter().enumerate() {
                if !joined.contains(&(node, port_idx)) {
                    let at = match node {
                        NodeRef::Call(call_idx) => graph.calls[call_idx].node.name.at,
                        NodeRef::Unit(_) | NodeRef::Interface => port.port.at,
                    };
                    session.warning(code, message(&port.port.name), at);
                }
            }
        };
    let name = &graph.name.text;
    report("W0305", NodeRef::Interface, &graph.inputs, false, &|port| {
        format!("no arc leaves the input port `in.{port}` of the graph `{name}`")
    });
    report("W0306", NodeRef::Interface, &graph.outputs, true, &|port| {
        format!("no arc feeds the output port `out.{port}` of the graph `{name}`")
    });
    for (call_idx, call) in graph.calls.iter().enumerate() {
        let Some(callee) = call.callee else { continue };
        let interface = &interfaces[callee.idx()];
        report("W0307", NodeRef::Call(call_idx), &interface.inputs, true, &|port| {
            format!("no arc feeds the port `{port}` of the call `{}`", call.name())
        });
        report("W0308", NodeRef::Call(call_idx), &interface.outputs, false, &|port| {
            format!("no arc leaves the port `{port}` of the call `{}`", call.name())
        });
    }
}
