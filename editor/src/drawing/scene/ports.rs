//! Boxes of an outline with their ports: those that are declared, and those that only links name.

use std::collections::{BTreeMap, HashMap};

use hasse_compiler::{EndOutline, GraphOutline, LinkKind, NodeKind, NodeOutline, PortKind};

use super::parts::{BoxKind, Edge, NodeBox, Port, PortPlace};
use super::size::{Content, lay_out};
use crate::drawing::geometry::{Point, Rect};

/// The ends of a link; `None` where the outline has no such node.
pub(super) type Ends = (Option<PortPlace>, Option<PortPlace>);

/// The boxes of a graph, all at the origin, and the ends of its links in their order.
pub(super) fn boxes(graph: &GraphOutline, graphs: &[GraphOutline]) -> (Vec<NodeBox>, Vec<Ends>) {
    let graph_idx: BTreeMap<&str, usize> =
        graphs.iter().enumerate().map(|(idx, graph)| (&*graph.name, idx)).collect();
    let mut boxes: Vec<NodeBox> = graph
        .nodes
        .iter()
        .map(|node| node_box(node, graphs, |called| graph_idx.get(called).copied()))
        .collect();
    let mut known = Known::default();
    for (box_idx, node) in boxes.iter().enumerate() {
        known.boxes.entry(node.name.clone()).or_insert(box_idx);
        for (port_idx, port) in node.ports.iter().enumerate() {
            let key = (box_idx, rank(port.kind), port.name.clone());
            known.ports.entry(key).or_insert(port_idx);
        }
    }
    let links = graph.links.iter().map(|link| match link.kind {
        LinkKind::Arc => (
            known.place(&link.source, PortKind::Output, &mut boxes),
            known.place(&link.target, PortKind::Input, &mut boxes),
        ),
        LinkKind::Share { is_write } => (
            known.place(&link.source, PortKind::Shared { is_write: true }, &mut boxes),
            known.place(&link.target, PortKind::Shared { is_write }, &mut boxes),
        ),
    });
    let ends: Vec<Ends> = links.collect();
    for (source, target) in ends.iter().filter_map(|(source, target)| Some(((*source)?, (*target)?))) {
        // A unit's name for a shared object has the type of the object.
        let ty = boxes[source.box_idx].ports[source.port_idx].ty.clone();
        let port = &mut boxes[target.box_idx].ports[target.port_idx];
        if matches!(port.kind, PortKind::Shared { .. }) && port.ty.is_empty() {
            port.ty = ty;
        }
    }
    for node in &mut boxes {
        let is_port = !matches!(node.kind, BoxKind::Unit { .. } | BoxKind::Call { .. } | BoxKind::Missing);
        let title = node.title();
        node.area = lay_out(&Content { title: &title, note: &node.note, is_port }, &mut node.ports);
    }
    (boxes, ends)
}

fn rank(kind: PortKind) -> u8 {
    match kind {
        PortKind::Input => 0,
        PortKind::Output => 1,
        PortKind::Shared { .. } => 2,
    }
}

/// What is found by name.
#[derive(Default)]
struct Known {
    boxes: HashMap<String, usize>,
    ports: HashMap<(usize, u8, String), usize>,
}

impl Known {
    /// The port where a link ends; made where none is declared.
    fn place(&mut self, end: &EndOutline, kind: PortKind, boxes: &mut [NodeBox]) -> Option<PortPlace> {
        let box_idx = *self.boxes.get(&end.node)?;
        let node = &mut boxes[box_idx];
        let key = (box_idx, rank(kind), end.port.clone());
        let port_idx = *self.ports.entry(key).or_insert_with(|| {
            let elements = end.elements.clone();
            let made = port(kind, &end.port, elements, "", node.kind.is_shared());
            node.ports.push(Port { is_declared: false, ..made });
            node.ports.len() - 1
        });
        Some(PortPlace { box_idx, port_idx })
    }
}

/// A declared port; `is_object` where it is that of a shared object.
fn port(kind: PortKind, name: &str, elements: Vec<String>, ty: &str, is_object: bool) -> Port {
    let edge = match kind {
        PortKind::Input => Edge::Left,
        PortKind::Output => Edge::Right,
        PortKind::Shared { .. } if is_object => Edge::Top,
        PortKind::Shared { .. } => Edge::Bottom,
    };
    Port {
        kind,
        label: format!("{name}{}", brackets(&elements)),
        name: name.to_owned(),
        elements,
        ty: ty.to_owned(),
        is_declared: true,
        edge,
        anchor: Point::default(),
    }
}

/// The ports that a node declares, seen from the links of its graph.
pub(crate) fn declared_ports(node: &NodeOutline, graphs: &[GraphOutline]) -> Vec<Port> {
    node_box(node, graphs, |called| graphs.iter().position(|graph| graph.name == called)).ports
}

fn node_box(
    node: &NodeOutline,
    graphs: &[GraphOutline],
    graph_named: impl Fn(&str) -> Option<usize>,
) -> NodeBox {
    let own = |kind: PortKind, ty: &str| {
        let made = port(kind, "", node.index.clone(), ty, true);
        vec![Port { label: String::new(), ..made }]
    };
    let (kind, note, ports) = match &node.kind {
        NodeKind::Unit { is_start, is_stop } => {
            let kind = BoxKind::Unit { is_start: *is_start, is_stop: *is_stop };
            let declared = node.ports.iter();
            let ports =
                declared.map(|held| port(held.kind, &held.name, held.elements.clone(), &held.ty, false));
            (kind, String::new(), ports.collect())
        }
        NodeKind::Call(called) => {
            let called_idx = graph_named(called);
            let ports = called_idx.map(|idx| formal_ports(&graphs[idx])).unwrap_or_default();
            (BoxKind::Call { graph: called_idx }, called.clone(), ports)
        }
        NodeKind::Shared(ty) => (BoxKind::Shared, ty.clone(), own(PortKind::Shared { is_write: true }, ty)),
        NodeKind::InOut(ty) => (BoxKind::InOut, ty.clone(), own(PortKind::Shared { is_write: true }, ty)),
        // Seen from within, values come out of the graph's input ports.
        NodeKind::Input(ty) => (BoxKind::Input, ty.clone(), own(PortKind::Output, ty)),
        NodeKind::Output(ty) => (BoxKind::Output, ty.clone(), own(PortKind::Input, ty)),
        NodeKind::Missing => (BoxKind::Missing, String::new(), Vec::new()),
    };
    NodeBox {
        name: node.name.clone(),
        kind,
        index: brackets(&node.index),
        note,
        doc: node.doc.clone(),
        label: node.label.clone(),
        area: Rect::default(),
        is_placed: false,
        ports,
    }
}

/// The ports of a call: the formal ports of what it calls.
fn formal_ports(called: &GraphOutline) -> Vec<Port> {
    let ports = called.nodes.iter().filter_map(|node| {
        let (kind, ty) = match &node.kind {
            NodeKind::Input(ty) => (PortKind::Input, ty),
            NodeKind::Output(ty) => (PortKind::Output, ty),
            NodeKind::InOut(ty) => (PortKind::Shared { is_write: true }, ty),
            NodeKind::Unit { .. } | NodeKind::Shared(_) | NodeKind::Call(_) | NodeKind::Missing => {
                return None;
            }
        };
        let name = node.name.split_once('.').map_or(&*node.name, |(_, name)| name);
        Some(port(kind, name, node.index.clone(), ty, false))
    });
    ports.collect()
}

/// An index as it is written; nothing for none.
pub(super) fn brackets(index: &[String]) -> String {
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) }
}
