//! Arcs: both ends exist, carry as many index numbers as declared, and have types that fit.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::{CallId, TemplateId};
use hasse_model::plan::{Arc, Expr, Pattern, Source, Target};

use super::pattern::{Variables, check_arity, elements, patterns};
use crate::decl::{CallDecl, GraphDecl, Interface, Named, NodeDecl, PortDecl};
use crate::grammar::lines::{ArcLine, End, parse_arc};
use crate::rhai_front::structs;
use crate::session::Session;
use crate::suggest;
use crate::syntax::TIMER_PORT;
use crate::text::Excerpt;

/// A node as an arc names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NodeRef {
    /// A unit of computation, by position in its graph.
    Unit(usize),
    /// A call node, by position in its graph.
    Call(usize),
    /// The graph's own interface.
    Interface,
}

/// The arcs of a graph.
pub(crate) struct Arcs {
    /// Those that are right, in the order of the file.
    pub(crate) arcs: Vec<Arc>,
    /// Ports that some arc feeds, as nodes and positions of ports.
    pub(crate) fed: BTreeSet<(NodeRef, usize)>,
    /// Ports that some arc leaves, as nodes and positions of ports.
    pub(crate) left: BTreeSet<(NodeRef, usize)>,
    /// Whether the ends of all arcs are known; otherwise nothing follows from a missing arc.
    pub(crate) are_ends_known: bool,
}

/// Positions in the plan of a graph's first unit of computation and first call.
#[derive(Clone, Copy)]
pub(crate) struct Bases {
    pub(crate) template: usize,
    pub(crate) call: usize,
    pub(crate) shared: usize,
}

/// Checks and lowers all arcs of a graph.
pub(crate) fn check_arcs(
    graph: &GraphDecl<'_>,
    interfaces: &[Interface],
    bases: Bases,
    session: &mut Session<'_>,
) -> Arcs {
    let mut arcs =
        Arcs { arcs: Vec::new(), fed: BTreeSet::new(), left: BTreeSet::new(), are_ends_known: true };
    let nodes = Nodes { graph, interfaces, bases };
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
        let source = nodes.find_end(&line.source, Side::Source, session);
        let target = nodes.find_end(&line.target, Side::Target, session);
        arcs.left.extend(source);
        arcs.fed.extend(target);
        match (source, target) {
            (Some(source), Some(target)) => {
                arcs.arcs.extend(nodes.check_arc(&whole, &line, source, target, session));
            }
            _ => arcs.are_ends_known = false,
        }
    }
    for (node_idx, node) in graph.nodes.iter().enumerate() {
        let Some(timer) = &node.timer else { continue };
        arcs.left.insert((NodeRef::Unit(node_idx), timer.output));
        arcs.fed.insert((NodeRef::Unit(node_idx), timer.input));
        let template = TemplateId::from_idx(bases.template + node_idx);
        let n_indices = node.unit.index.len();
        arcs.arcs.push(Arc {
            graph: graph.id,
            source: Source::Unit(template),
            source_port: timer.output,
            source_index: (0..n_indices as u32).map(Pattern::Local).collect(),
            source_elements: Vec::new(),
            n_locals: n_indices,
            target: Target::Unit(template),
            target_port: timer.input,
            target_index: (0..n_indices as u32).map(Expr::Local).collect(),
            target_elements: Vec::new(),
            text: format!("{0}.{TIMER_PORT} -> {0}.{TIMER_PORT}", node.name()),
            at: timer.at,
        });
    }
    for (node_idx, node) in graph.nodes.iter().enumerate() {
        let Some(forwarded) = &node.forwarded else { continue };
        arcs.left.insert((NodeRef::Unit(node_idx), forwarded.port));
        arcs.fed.insert((NodeRef::Interface, forwarded.target_port));
        let index = &node.unit.index;
        let brackets = match index.is_empty() {
            true => String::new(),
            false => {
                format!("[{}]", index.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", "))
            }
        };
        let (from, to) =
            (&node.outputs[forwarded.port].port.name, &graph.outputs[forwarded.target_port].port.name);
        arcs.arcs.push(Arc {
            graph: graph.id,
            source: Source::Unit(TemplateId::from_idx(bases.template + node_idx)),
            source_port: forwarded.port,
            source_index: (0..index.len() as u32).map(Pattern::Local).collect(),
            source_elements: Vec::new(),
            n_locals: index.len(),
            target: Target::Interface,
            target_port: forwarded.target_port,
            target_index: Vec::new(),
            target_elements: Vec::new(),
            text: format!("{}{brackets}.{from} -> out.{to}", node.name()),
            at: forwarded.at,
        });
    }
    arcs
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Source,
    Target,
}

/// What the ends of arcs are looked up in.
struct Nodes<'g, 't> {
    graph: &'g GraphDecl<'t>,
    interfaces: &'g [Interface],
    bases: Bases,
}

impl<'g> Nodes<'g, '_> {
    /// The ports of a node that can be at the side, and those that cannot; `None` for a call of an
    /// unknown graph.
    fn ports(&self, node: NodeRef, side: Side) -> Option<(&'g [PortDecl], &'g [PortDecl])> {
        let (inputs, outputs) = match node {
            NodeRef::Unit(node_idx) => {
                let node = &self.graph.nodes[node_idx];
                (&node.inputs[..], &node.outputs[..])
            }
            NodeRef::Call(call_idx) => {
                let callee = self.graph.calls[call_idx].callee?;
                let interface = &self.interfaces[callee.idx()];
                (&interface.inputs[..], &interface.outputs[..])
            }
            // Seen from within, values come out of the graph's input ports.
            NodeRef::Interface => (&self.graph.outputs[..], &self.graph.inputs[..]),
        };
        Some(match side {
            Side::Source => (outputs, inputs),
            Side::Target => (inputs, outputs),
        })
    }

    /// The node and the position of the port that an end names.
    fn find_end(&self, end: &End<'_>, side: Side, session: &mut Session<'_>) -> Option<(NodeRef, usize)> {
        let (own_word, other_word) = match side {
            Side::Source => ("in", "out"),
            Side::Target => ("out", "in"),
        };
        let word = end.node.as_str();
        if word == other_word {
            let message = match side {
                Side::Source => "an arc cannot begin at `out`: values leave the graph there",
                Side::Target => "an arc cannot end at `in`: values enter the graph there",
            };
            let help =
                "write `in.p -> NODE.port` for what comes in and `NODE.port -> out.p` for what goes out";
            session.report(Diagnostic::error("E0305", message.to_owned(), end.node.at(), "").with_help(help));
            return None;
        }
        let node =
            if word == own_word { NodeRef::Interface } else { find_node(&end.node, self.graph, session)? };
        let (own, others) = self.ports(node, side)?;
        let direction = match (side, node) {
            (Side::Source, NodeRef::Interface) | (Side::Target, NodeRef::Unit(_) | NodeRef::Call(_)) => {
                "input"
            }
            _ => "output",
        };
        let holder = match node {
            NodeRef::Interface => format!("the graph `{}`", self.graph.name.text),
            _ => format!("`{word}`"),
        };
        let name = end.port.as_str();
        if let Some(port_idx) = own.iter().position(|port| port.port.name == name) {
            return Some((node, port_idx));
        }
        let diagnostic = match others.iter().find(|port| port.port.name == name) {
            Some(other) => {
                let message = format!("`{word}.{name}` is no {direction} port");
                Diagnostic::error("E0305", message, end.port.at(), "")
                    .with_label(other.port.at, "declared here")
                    .with_help("an arc runs from an output port to an input port")
            }
            None => {
                let message = format!("{holder} has no {direction} port `{name}`");
                let names = own.iter().map(|port| port.port.name.as_str());
                let help = suggest::help(name, &format!("{direction} ports"), names);
                Diagnostic::error("E0105", message, end.port.at(), "").with_help(help)
            }
        };
        session.report(diagnostic);
        None
    }

    fn check_arc(
        &self,
        whole: &Excerpt<'_>,
        line: &ArcLine<'_>,
        source: (NodeRef, usize),
        target: (NodeRef, usize),
        session: &mut Session<'_>,
    ) -> Option<Arc> {
        let source_port = &self.ports(source.0, Side::Source)?.0[source.1];
        let target_port = &self.ports(target.0, Side::Target)?.0[target.1];
        let fits_source = self.check_end_arity(&line.source, source.0, source_port, session);
        let fits_target = self.check_end_arity(&line.target, target.0, target_port, session);
        let fits_types = check_types(whole, source_port, target_port, session);
        let graph = self.graph;
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
        let template = |node_idx: usize| TemplateId::from_idx(self.bases.template + node_idx);
        let call = |call_idx: usize| CallId::from_idx(self.bases.call + call_idx);
        Some(Arc {
            graph: graph.id,
            source: match source.0 {
                NodeRef::Unit(node_idx) => Source::Unit(template(node_idx)),
                NodeRef::Call(call_idx) => Source::Call(call(call_idx)),
                NodeRef::Interface => Source::Interface,
            },
            source_port: source.1,
            source_index,
            source_elements,
            n_locals: variables.0.len(),
            target: match target.0 {
                NodeRef::Unit(node_idx) => Target::Unit(template(node_idx)),
                NodeRef::Call(call_idx) => Target::Call(call(call_idx)),
                NodeRef::Interface => Target::Interface,
            },
            target_port: target.1,
            target_index: target_index?,
            target_elements: target_elements?,
            text: whole.as_str().to_owned(),
            at: whole.at(),
        })
    }

    fn check_end_arity(
        &self,
        end: &End<'_>,
        node: NodeRef,
        port: &PortDecl,
        session: &mut Session<'_>,
    ) -> bool {
        let (node_what, index, name_at) = match node {
            NodeRef::Unit(node_idx) => {
                let unit = self.graph.nodes[node_idx].unit;
                (format!("node `{}`", unit.name.text), &unit.index[..], unit.name.at)
            }
            NodeRef::Call(call_idx) => {
                let call = self.graph.calls[call_idx].node;
                (format!("call `{}`", call.name.text), &call.index[..], call.name.at)
            }
            NodeRef::Interface => (format!("`{}`", end.node.as_str()), &[][..], self.graph.name.at),
        };
        let index_at = index.first().map_or(name_at, |name| name.at);
        let fits_node =
            check_arity("E0302", &node_what, index.len(), &end.index, end.node.at(), index_at, session);
        let port_what = format!("port `{}.{}`", end.node.as_str(), port.port.name);
        let (declared_at, n_indices) = (port.port.at, port.port.n_indices);
        let fits_port =
            check_arity("E0302", &port_what, n_indices, &end.elements, end.port.at(), declared_at, session);
        fits_node && fits_port
    }
}

/// The node that a word names.
pub(super) fn find_node(
    word: &Excerpt<'_>,
    graph: &GraphDecl<'_>,
    session: &mut Session<'_>,
) -> Option<NodeRef> {
    let name = word.as_str();
    let diagnostic = match graph.names.get(name) {
        Some(Named::Unit(node_idx)) => return Some(NodeRef::Unit(*node_idx)),
        Some(Named::Call(call_idx)) => return Some(NodeRef::Call(*call_idx)),
        Some(Named::Shared(shared_idx)) => {
            let object = &graph.shared[*shared_idx];
            let message = format!("`{name}` is a shared object, not a node");
            Diagnostic::error("E0104", message, word.at(), "")
                .with_label(object.name.at, "declared here")
                .with_help("shared objects are reached through `share` lines")
        }
        None => {
            let message = format!("the graph `{}` has no node `{name}`", graph.name.text);
            let names = graph.nodes.iter().map(NodeDecl::name);
            let names = names.chain(graph.calls.iter().map(CallDecl::name));
            Diagnostic::error("E0104", message, word.at(), "").with_help(suggest::help(name, "nodes", names))
        }
    };
    session.report(diagnostic);
    None
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
