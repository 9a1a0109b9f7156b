//! Arcs: both ends exist, carry as many index numbers as declared, and have types that fit.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::TemplateId;
use hasse_model::plan::Arc;

use super::pattern::{Variables, check_arity, elements, patterns};
use crate::decl::{GraphDecl, NodeDecl, PortDecl};
use crate::grammar::lines::{ArcLine, End, parse_arc};
use crate::rhai_front::structs;
use crate::session::Session;
use crate::suggest;
use crate::text::Excerpt;

/// The arcs of a graph.
pub(crate) struct Arcs {
    /// Those that are right, in the order of the file.
    pub(crate) arcs: Vec<Arc>,
    /// Input ports that some arc feeds, as positions of node and port.
    pub(crate) fed: BTreeSet<(usize, usize)>,
    /// Output ports that some arc leaves, as positions of node and port.
    pub(crate) left: BTreeSet<(usize, usize)>,
    /// Whether the ends of all arcs are known; otherwise nothing follows from a missing arc.
    pub(crate) are_ends_known: bool,
}

/// Checks and lowers all arcs of a graph.
pub(crate) fn check_arcs(graph: &GraphDecl<'_>, session: &mut Session<'_>) -> Arcs {
    let mut arcs =
        Arcs { arcs: Vec::new(), fed: BTreeSet::new(), left: BTreeSet::new(), are_ends_known: true };
    for text in graph.arcs {
        let whole = text.all();
        let line = match parse_arc(&whole) {
            Ok(line) => line,
            Err(fault) => {
                session.fault("E0301", "arc", &whole, &fault);
                arcs.are_ends_known = false;
                continue;
            }
        };
        let source = find_end(&line.source, graph, Side::Source, session);
        let target = find_end(&line.target, graph, Side::Target, session);
        arcs.left.extend(source);
        arcs.fed.extend(target);
        match (source, target) {
            (Some(source), Some(target)) => {
                arcs.arcs.extend(check_arc(&whole, &line, source, target, graph, session));
            }
            _ => arcs.are_ends_known = false,
        }
    }
    arcs
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Source,
    Target,
}

/// Positions of the node and port that an end names.
fn find_end(
    end: &End<'_>,
    graph: &GraphDecl<'_>,
    side: Side,
    session: &mut Session<'_>,
) -> Option<(usize, usize)> {
    let node_idx = find_node(&end.node, graph, session)?;
    let node = &graph.nodes[node_idx];
    let (own, others, direction) = match side {
        Side::Source => (&node.outputs, &node.inputs, "output"),
        Side::Target => (&node.inputs, &node.outputs, "input"),
    };
    let name = end.port.as_str();
    if let Some(port_idx) = own.iter().position(|port| port.port.name == name) {
        return Some((node_idx, port_idx));
    }
    let diagnostic = match others.iter().find(|port| port.port.name == name) {
        Some(other) => {
            let message = format!("`{}.{name}` is no {direction} port", node.name());
            Diagnostic::error("E0305", message, end.port.at(), "")
                .with_label(other.port.at, "declared here")
                .with_help("an arc runs from an output port to an input port")
        }
        None => {
            let message = format!("`{}` has no {direction} port `{name}`", node.name());
            let names = own.iter().map(|port| port.port.name.as_str());
            let help = suggest::help(name, &format!("{direction} ports"), names);
            Diagnostic::error("E0105", message, end.port.at(), "").with_help(help)
        }
    };
    session.report(diagnostic);
    None
}

/// The position of the node that a word names.
pub(super) fn find_node(
    word: &Excerpt<'_>,
    graph: &GraphDecl<'_>,
    session: &mut Session<'_>,
) -> Option<usize> {
    let name = word.as_str();
    if let Some(node_idx) = graph.nodes.iter().position(|node| node.name() == name) {
        return Some(node_idx);
    }
    if graph.refused.iter().any(|refused| refused.text == name) {
        return None;
    }
    if matches!(name, "in" | "out") {
        let message = "ports of graphs are not supported in this version".to_owned();
        session.error("E0903", message, word.at());
        return None;
    }
    let diagnostic = match graph.shared.iter().find(|object| object.name.text == name) {
        Some(object) => {
            let message = format!("`{name}` is a shared object, not a node");
            Diagnostic::error("E0104", message, word.at(), "")
                .with_label(object.name.at, "declared here")
                .with_help("shared objects are reached through `share` lines")
        }
        None => {
            let message = format!("the graph `{}` has no node `{name}`", graph.name.text);
            let names = graph.nodes.iter().map(NodeDecl::name);
            Diagnostic::error("E0104", message, word.at(), "").with_help(suggest::help(name, "nodes", names))
        }
    };
    session.report(diagnostic);
    None
}

fn check_arc(
    whole: &Excerpt<'_>,
    line: &ArcLine<'_>,
    source: (usize, usize),
    target: (usize, usize),
    graph: &GraphDecl<'_>,
    session: &mut Session<'_>,
) -> Option<Arc> {
    let source_port = &graph.nodes[source.0].outputs[source.1];
    let target_port = &graph.nodes[target.0].inputs[target.1];
    let fits_source = check_end_arity(&line.source, &graph.nodes[source.0], source_port, session);
    let fits_target = check_end_arity(&line.target, &graph.nodes[target.0], target_port, session);
    let fits_types = check_types(whole, source_port, target_port, session);
    let mut variables = Variables::default();
    let source_index = patterns(&line.source.index, graph, &mut variables, "E0301", session);
    let source_elements = patterns(&line.source.elements, graph, &mut variables, "E0301", session);
    // Unknown variables on the left would make those on the right look unbound.
    let (source_index, source_elements) = (source_index?, source_elements?);
    let target_index = elements(&line.target.index, graph, &variables, session);
    let target_elements = elements(&line.target.elements, graph, &variables, session);
    if !(fits_source && fits_target && fits_types) {
        return None;
    }
    Some(Arc {
        source: TemplateId::from_idx(source.0),
        source_port: source.1,
        source_index,
        source_elements,
        n_locals: variables.0.len(),
        target: TemplateId::from_idx(target.0),
        target_port: target.1,
        target_index: target_index?,
        target_elements: target_elements?,
        text: whole.as_str().to_owned(),
        at: whole.at(),
    })
}

fn check_end_arity(end: &End<'_>, node: &NodeDecl<'_>, port: &PortDecl, session: &mut Session<'_>) -> bool {
    let index = &node.unit.index;
    let node_what = format!("node `{}`", node.name());
    let fits_node = check_arity(
        "E0302",
        &node_what,
        index.len(),
        &end.index,
        end.node.at(),
        index.first().map_or(node.unit.name.at, |name| name.at),
        session,
    );
    let port_what = format!("port `{}.{}`", node.name(), port.port.name);
    let declared_at = port.port.at;
    let n_indices = port.port.n_indices;
    let fits_port =
        check_arity("E0302", &port_what, n_indices, &end.elements, end.port.at(), declared_at, session);
    fits_node && fits_port
}

fn check_types(whole: &Excerpt<'_>, source: &PortDecl, target: &PortDecl, session: &mut Session<'_>) -> bool {
    let fits = target.port.ty.accepts(&source.port.ty);
    if fits || !source.is_sound || !target.is_sound {
        return fits;
    }
    let message = format!("this arc carries `{}` to a port of `{}`", source.port.ty, target.port.ty);
    let mut diagnostic = Diagnostic::error("E0203", message, whole.at(), "")
        .with_label(source.port.at, format!("sends `{}`", source.port.ty))
        .with_label(target.port.at, format!("takes `{}`", target.port.ty));
    if source.port.ty == hasse_model::value::Type::Any {
        let conversion = structs::conversion(&target.port.ty);
        diagnostic = diagnostic.with_help(format!(
            "convert where the value is sent: declare the source port as `{}` and send `{conversion}(..)`, \
             or declare the target port as `any` and use `{conversion}` behind it",
            target.port.ty
        ));
    }
    session.report(diagnostic);
    false
}
