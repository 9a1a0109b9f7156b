//! What is drawn: a cluster for each graph, in it boxes and links with their texts.

use std::collections::HashMap;

use hasse_compiler::{EndOutline, GraphOutline, LinkKind, NodeKind, NodeOutline};

/// A picture, before anything has a place.
pub(crate) struct Scene {
    pub(crate) clusters: Vec<Cluster>,
}

/// A graph.
pub(crate) struct Cluster {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) boxes: Vec<Node>,
    pub(crate) links: Vec<Link>,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A unit of computation.
    Unit,
    /// A shared object.
    Shared,
    /// A call.
    Call,
    /// A formal port of the graph.
    Port,
    /// A node that does not exist.
    Missing,
}

/// A box.
pub(crate) struct Node {
    /// The node's name.
    pub(crate) name: String,
    /// The name with its index, `Mult[i]`.
    pub(crate) title: String,
    /// What else is to be said; may be empty.
    pub(crate) note: String,
    pub(crate) shape: Shape,
    pub(crate) is_start: bool,
    pub(crate) is_stop: bool,
}

/// How a link is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// An arc.
    Arc,
    /// Values that go only under a condition.
    Possible,
    /// A shared object that is used: from the object to its user.
    Read,
    /// A shared object that may be changed: both ways.
    Write,
}

/// A link between two boxes, given by their positions in the cluster.
pub(crate) struct Link {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// The ports; may be empty.
    pub(crate) label: String,
    pub(crate) stroke: Stroke,
}

impl Scene {
    /// The picture of graphs.
    pub(crate) fn new(graphs: &[GraphOutline]) -> Self {
        Self { clusters: graphs.iter().map(cluster).collect() }
    }
}

fn cluster(graph: &GraphOutline) -> Cluster {
    // Of two nodes of one name the first is meant, so that it is put in last.
    let places: HashMap<&str, usize> =
        graph.nodes.iter().enumerate().rev().map(|(place, node)| (node.name.as_str(), place)).collect();
    let place_of = |end: &EndOutline| places.get(end.node.as_str()).copied();
    let links = graph.links.iter().filter_map(|link| {
        let (source, target) = (place_of(&link.source)?, place_of(&link.target)?);
        let texts = [(&link.source, source), (&link.target, target)]
            .map(|(end, node_idx)| end_text(end, &graph.nodes[node_idx]));
        let (label, stroke) = match link.kind {
            LinkKind::Arc => (arc_label(&texts), Stroke::Arc),
            LinkKind::Share { is_write } => {
                let stroke = if is_write { Stroke::Write } else { Stroke::Read };
                (share_label(&link.source.node, &texts), stroke)
            }
        };
        Some(Link { source, target, label, stroke })
    });
    Cluster {
        name: graph.name.clone(),
        title: match (graph.label.is_empty(), graph.is_main) {
            (false, _) => graph.label.clone(),
            (true, true) => format!("{} (main)", graph.name),
            (true, false) => graph.name.clone(),
        },
        boxes: graph.nodes.iter().map(node).collect(),
        links: links.collect(),
    }
}

fn node(node: &NodeOutline) -> Node {
    let with = |what: &str, more: &str| format!("{what} {more}").trim().to_owned();
    let (shape, note) = match &node.kind {
        NodeKind::Unit { is_start: true, is_stop: true } => (Shape::Unit, "start, stop".to_owned()),
        NodeKind::Unit { is_start: true, .. } => (Shape::Unit, "start".to_owned()),
        NodeKind::Unit { is_stop: true, .. } => (Shape::Unit, "stop".to_owned()),
        NodeKind::Unit { .. } => (Shape::Unit, String::new()),
        NodeKind::Shared(ty) => (Shape::Shared, with("shared", ty)),
        NodeKind::Call(graph) => (Shape::Call, with("calls", graph)),
        NodeKind::Input(ty) | NodeKind::Output(ty) => (Shape::Port, ty.clone()),
        NodeKind::InOut(ty) => (Shape::Port, with("shared", ty)),
        NodeKind::Missing => (Shape::Missing, "missing".to_owned()),
    };
    let (is_start, is_stop) = match node.kind {
        NodeKind::Unit { is_start, is_stop } => (is_start, is_stop),
        _ => (false, false),
    };
    let title = format!("{}{}", node.shown_name(), brackets(&node.index));
    Node { name: node.name.clone(), title, note, shape, is_start, is_stop }
}

/// The port of an end, and its index where that is not just the node's.
fn end_text(end: &EndOutline, node: &NodeOutline) -> String {
    let port = format!("{}{}", end.port, brackets(&end.elements));
    if end.index == node.index {
        return port;
    }
    let index = brackets(&end.index);
    if port.is_empty() || index.is_empty() { format!("{index}{port}") } else { format!("{index}.{port}") }
}

fn arc_label([source, target]: &[String; 2]) -> String {
    match (source.is_empty(), target.is_empty()) {
        (false, false) if source == target => source.clone(),
        (false, false) => format!("{source} \u{2192} {target}"),
        _ => format!("{source}{target}"),
    }
}

/// Shared objects are often called the same everywhere: that need not be said.
fn share_label(object: &str, [source, target]: &[String; 2]) -> String {
    match (source.is_empty(), target == object) {
        (true, true) => String::new(),
        (true, false) => target.clone(),
        (false, _) => format!("{source} as {target}"),
    }
}

fn brackets(index: &[String]) -> String {
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) }
}
