//! What a graph needs as a whole: somewhere to start, at most one place to stop, and ports that lead
//! somewhere.

use hasse_model::diagnostic::Diagnostic;

use super::check_arcs::Arcs;
use super::check_firing::Firing;
use super::check_routing::Routing;
use crate::decl::{GraphDecl, NodeDecl};
use crate::session::Session;

/// Checks start and stop nodes.
pub(crate) fn check_ends(graph: &GraphDecl<'_>, is_main: bool, session: &mut Session<'_>) {
    if is_main && !graph.nodes.iter().any(|node| node.unit.start.is_some()) {
        let message = format!("no node of the main graph `{}` is a start node", graph.name.text);
        let help = "add `start = true` to the node that executes first";
        session.report(Diagnostic::error("E0007", message, graph.name.at, "").with_help(help));
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
        if arcs.are_ends_known && !arcs.fed.contains(&(node_idx, port_idx)) {
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
        if arcs.are_ends_known && !arcs.left.contains(&(node_idx, port_idx)) {
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
