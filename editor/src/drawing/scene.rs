//! A graph as it is drawn: boxes with ports, links between them, comments and frames, all with their places.

use std::collections::BTreeMap;

use hasse_compiler::{EndOutline, GraphOutline, LinkKind, LinkOutline, PortKind, link_ends};
use toml_edit::DocumentMut;

use super::connect::PortName;
use super::course::{LinkEnd, path};
use super::geometry::{Path, Point, Rect};
use super::measure::{Content, lay_out, text_area};
use super::tidy;
use crate::edit::link::LinkList;
use crate::edit::note::{self, Comment, FRAME_COLORS, Frame};
use crate::edit::place::{self, Position};
use crate::edit::port::Side;
use crate::edit::route::{self, Route};

/// Ports of boxes, as outlines have them and as links need them.
mod ports;

pub(crate) use ports::declared_ports;

/// Greatest distance from the origin, in either direction; what the file has farther away is drawn there.
pub const MOST_DISTANT: i64 = 1_000_000;

/// What a file says about where a graph is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Upper left corners of nodes, by name.
    pub positions: Vec<(String, Position)>,
    /// Bends of links.
    pub routes: Vec<Route>,
    /// Comments.
    pub comments: Vec<Comment>,
    /// Frames.
    pub frames: Vec<Frame>,
}

impl Layout {
    /// What the tables of a file say about a graph.
    pub fn read(document: &DocumentMut, graph: &str) -> Self {
        Self {
            positions: place::positions(document, graph),
            routes: route::routes(document, graph),
            comments: note::comments(document, graph),
            frames: note::frames(document, graph),
        }
    }
}

/// What a box stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoxKind {
    /// A unit of computation.
    Unit {
        /// Whether it is a start node.
        is_start: bool,
        /// Whether it is the stop node.
        is_stop: bool,
    },
    /// A shared object.
    Shared,
    /// A call.
    Call {
        /// Position of the called graph among all; `None` where there is no such graph.
        graph: Option<usize>,
    },
    /// A formal input port of the graph.
    Input,
    /// A formal output port of the graph.
    Output,
    /// A formal shared object of the graph.
    InOut,
    /// Nothing that the graph has: an arc or share line names it.
    Missing,
}

impl BoxKind {
    /// Whether it is an object that share lines begin at.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Shared | Self::InOut)
    }
}

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeBox {
    /// The node's name; that of a formal port is written as in arcs, `in.a`.
    pub name: String,
    /// What it stands for.
    pub kind: BoxKind,
    /// Its index as it is written, `[i, j]`; empty without one.
    pub index: String,
    /// What stands below the title: a type, or the name of the called graph; may be empty.
    pub note: String,
    /// Its `doc`; empty without one.
    pub doc: String,
    /// Where it is.
    pub area: Rect,
    /// Whether the file says where; otherwise it stands where there was room.
    pub is_placed: bool,
    /// Its ports, each kind in the order of the file; last those that only links name.
    pub ports: Vec<Port>,
}

impl NodeBox {
    /// Name and index, `Mult[i]`.
    pub fn title(&self) -> String {
        format!("{}{}", self.name, self.index)
    }
}

/// The edge of a box at which a port is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// Where values come in.
    Left,
    /// Where values go out.
    Right,
    /// Where a shared object is used from.
    Top,
    /// Where names for shared objects are.
    Bottom,
}

/// A place of a box where links end.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// What it is for, seen from the links of this graph: a formal input port is an output here.
    pub kind: PortKind,
    /// Its name, without brackets; empty where the node is a port itself.
    pub name: String,
    /// Index names of a family of ports; none for a single port.
    pub elements: Vec<String>,
    /// Its type as it is written, of a name for a shared object that of the object; empty where it is not said.
    pub ty: String,
    /// Whether the port is declared; otherwise a link names it.
    pub is_declared: bool,
    /// What is written at it: `p`, `p[i]`, or nothing.
    pub label: String,
    /// The edge it is at.
    pub edge: Edge,
    /// Where links end.
    pub anchor: Point,
}

impl Port {
    /// Whether it is a family.
    pub fn is_family(&self) -> bool {
        !self.elements.is_empty()
    }
}

/// A port of a box, by positions in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortPlace {
    /// Position of the box.
    pub box_idx: usize,
    /// Position of the port in it.
    pub port_idx: usize,
}

/// An arc or share line.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What it is.
    pub kind: LinkKind,
    /// The list of lines that it is in.
    pub list: LinkList,
    /// Its position there.
    pub row: usize,
    /// Where it begins.
    pub source: PortPlace,
    /// Where it ends.
    pub target: PortPlace,
    /// Its index map, `[i] → [i + 1]`; empty without one. Behind a dot stands what belongs to the port: `[i] → .[i]`.
    pub label: String,
    /// Where the label stands; `None` without one.
    pub label_area: Option<Rect>,
    /// Points of the file that it goes through.
    pub bends: Vec<Point>,
    /// Its curves, from the source to the target.
    pub path: Path,
}

impl Link {
    /// Rectangles that together hold the link and its label.
    pub fn extents(&self) -> impl Iterator<Item = Rect> + '_ {
        self.path.piece_bounds().chain(self.label_area)
    }
}

/// A comment.
#[derive(Clone, Debug, PartialEq)]
pub struct CommentBox {
    /// Its number in the file.
    pub number: u64,
    /// What it says.
    pub text: String,
    /// Where it is.
    pub area: Rect,
}

/// A frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameBox {
    /// Its number in the file.
    pub number: u64,
    /// What stands below its upper edge; may be empty.
    pub title: String,
    /// One of [`FRAME_COLORS`].
    pub color: &'static str,
    /// Where it is.
    pub area: Rect,
}

/// A graph as it is drawn. Later boxes and links are drawn above earlier ones; boxes above links, links above comments,
/// those above frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The graph's name.
    pub graph: String,
    /// Nodes, in the order of the outline.
    pub boxes: Vec<NodeBox>,
    /// Arcs, then share lines.
    pub links: Vec<Link>,
    /// Comments.
    pub comments: Vec<CommentBox>,
    /// Frames.
    pub frames: Vec<FrameBox>,
    /// For each box the links at it, in order, each once.
    links_at: Vec<Vec<usize>>,
}

impl Scene {
    /// The picture of a graph. `graphs` are all graphs of the program: ports of calls are the formal ports of what they
    /// call. Nodes without a position get one beside the others,
    /// which stay. Cost: linear, and that of [`tidy`](tidy::tidy) for nodes without a position.
    pub fn new(graph: &GraphOutline, graphs: &[GraphOutline], layout: &Layout) -> Self {
        let (boxes, ends) = ports::boxes(graph, graphs);
        let mut scene = Self {
            graph: graph.name.clone(),
            links_at: vec![Vec::new(); boxes.len()],
            boxes,
            links: Vec::new(),
            comments: layout.comments.iter().map(comment_box).collect(),
            frames: layout.frames.iter().map(frame_box).collect(),
        };
        let positions: BTreeMap<&str, Position> =
            layout.positions.iter().map(|(name, position)| (&**name, *position)).collect();
        for node in &mut scene.boxes {
            if let Some(position) = positions.get(&*node.name) {
                node.is_placed = true;
                put_at(node, *position);
            }
        }
        let routes: BTreeMap<String, &Route> =
            layout.routes.iter().rev().filter_map(|route| Some((route_key(route)?, route))).collect();
        for (link, (source, target)) in graph.links.iter().zip(ends) {
            if let (Some(source), Some(target)) = (source, target) {
                let route = routes.get(&link_key(link.kind == LinkKind::Arc, &link.source, &link.target));
                let bends = route.map_or(&[][..], |route| &route.bends);
                scene.add_link(link, source, target, bends);
            }
        }
        let loose: Vec<usize> = (0..scene.boxes.len()).filter(|&idx| !scene.boxes[idx].is_placed).collect();
        for (box_idx, position) in tidy::beside(&scene, &loose) {
            put_at(&mut scene.boxes[box_idx], position);
        }
        (0..scene.links.len()).for_each(|link_idx| scene.draw(link_idx));
        scene
    }

    fn add_link(&mut self, link: &LinkOutline, source: PortPlace, target: PortPlace, bends: &[Position]) {
        let link_idx = self.links.len();
        self.links_at[source.box_idx].push(link_idx);
        if target.box_idx != source.box_idx {
            self.links_at[target.box_idx].push(link_idx);
        }
        self.links.push(Link {
            kind: link.kind,
            list: if link.kind == LinkKind::Arc { LinkList::Arcs } else { LinkList::Shares },
            row: link.row,
            source,
            target,
            label: label(link),
            label_area: None,
            bends: bends.iter().map(|bend| limited(*bend)).collect(),
            path: Path::default(),
        });
    }

    /// The smallest rectangle around all that is drawn; nothing for an empty graph.
    pub fn bounds(&self) -> Option<Rect> {
        let notes = self.comments.iter().map(|comment| comment.area);
        let notes = notes.chain(self.frames.iter().map(|frame| frame.area));
        let boxes = self.boxes.iter().map(|node| node.area);
        let links = self.links.iter().flat_map(Link::extents);
        boxes.chain(links).chain(notes).reduce(Rect::union)
    }

    /// Position of the box of a node.
    pub fn box_named(&self, name: &str) -> Option<usize> {
        self.boxes.iter().position(|node| node.name == name)
    }

    /// Position of a link by its line.
    pub fn link_at_row(&self, list: LinkList, row: usize) -> Option<usize> {
        self.links.iter().position(|link| link.list == list && link.row == row)
    }

    /// The links at a box, each once.
    pub fn links_of(&self, box_idx: usize) -> &[usize] {
        self.links_at.get(box_idx).map_or(&[], |links| links)
    }

    /// A port.
    pub fn port(&self, place: PortPlace) -> Option<&Port> {
        self.boxes.get(place.box_idx)?.ports.get(place.port_idx)
    }

    /// A port by its name, as [`may_connect`](super::connect::may_connect) and edits want it.
    pub fn port_name(&self, place: PortPlace) -> Option<PortName> {
        let port = self.port(place)?;
        let side = match port.kind {
            PortKind::Input => Side::Input,
            PortKind::Output => Side::Output,
            PortKind::Shared { .. } => Side::Shared,
        };
        Some(PortName { node: self.boxes[place.box_idx].name.clone(), side, port: port.name.clone() })
    }

    /// The boxes that stand in a frame as a whole: what moves with it.
    pub fn boxes_in(&self, frame_idx: usize) -> Vec<usize> {
        let Some(frame) = self.frames.get(frame_idx) else { return Vec::new() };
        (0..self.boxes.len()).filter(|&idx| frame.area.contains_rect(self.boxes[idx].area)).collect()
    }

    /// Puts boxes elsewhere, as while they are dragged, and draws their links anew; those are given back, in order.
    /// Cost: linear in the boxes moved and their links.
    pub fn move_boxes(&mut self, moved: &[(usize, Position)]) -> Vec<usize> {
        let mut links = Vec::new();
        for (box_idx, position) in moved {
            if let Some(node) = self.boxes.get_mut(*box_idx) {
                put_at(node, *position);
                links.extend_from_slice(&self.links_at[*box_idx]);
            }
        }
        links.sort_unstable();
        links.dedup();
        links.iter().for_each(|link_idx| self.draw(*link_idx));
        links
    }

    /// Makes the curves of a link anew.
    fn draw(&mut self, link_idx: usize) {
        let link = &self.links[link_idx];
        let end = |place: PortPlace| {
            let node = &self.boxes[place.box_idx];
            let port = &node.ports[place.port_idx];
            LinkEnd { anchor: port.anchor, edge: port.edge, area: node.area }
        };
        let drawn = path(end(link.source), end(link.target), &link.bends);
        let middle = drawn.middle().filter(|_| !link.label.is_empty());
        let label_area = middle.map(|middle| {
            let text = text_area(middle, &link.label);
            text.shifted(Point::new(-text.width() / 2.0, -text.height() / 2.0))
        });
        let link = &mut self.links[link_idx];
        (link.path, link.label_area) = (drawn, label_area);
    }
}

/// A position as a point, not too far away.
fn limited([x, y]: Position) -> Point {
    let [x, y] = [x, y].map(|value| value.clamp(-MOST_DISTANT, MOST_DISTANT) as f64);
    Point::new(x, y)
}

fn put_at(node: &mut NodeBox, position: Position) {
    let to = limited(position);
    let by = Point::new(to.x - node.area.min.x, to.y - node.area.min.y);
    node.area = node.area.shifted(by);
    for port in &mut node.ports {
        port.anchor = port.anchor.shifted(by);
    }
}

fn comment_box(comment: &Comment) -> CommentBox {
    let area = text_area(limited(comment.at), &comment.text);
    CommentBox { number: comment.number, text: comment.text.clone(), area }
}

fn frame_box(frame: &Frame) -> FrameBox {
    let color = FRAME_COLORS.into_iter().find(|known| *known == frame.color).unwrap_or(FRAME_COLORS[0]);
    let (at, size) = (limited(frame.at), limited(frame.size));
    let area = Rect::new(at.x, at.y, size.x, size.y);
    FrameBox { number: frame.number, title: frame.title.clone(), color, area }
}

/// By what a link and the route of its line are found: the ends, without spacing.
fn link_key(is_arc: bool, source: &EndOutline, target: &EndOutline) -> String {
    let end = |end: &EndOutline| {
        let (index, elements) = (end.index.join(","), end.elements.join(","));
        format!("{}[{index}].{}[{elements}]", end.node, end.port).replace(char::is_whitespace, "")
    };
    format!("{}{}{}", end(source), if is_arc { "->" } else { "--" }, end(target))
}

fn route_key(route: &Route) -> Option<String> {
    let (source, target) = link_ends(&route.line)?;
    Some(link_key(route.line.contains("->"), &source, &target))
}

/// The index map of a link, `[i].[j] → [j].[i]`: the dot is before what belongs to the port, whose name stands at it. What
/// is the same at both ends is said once.
fn label(link: &LinkOutline) -> String {
    let [from, to] = [&link.source, &link.target].map(|end| {
        let dot = if end.elements.is_empty() { "" } else { "." };
        format!("{}{dot}{}", brackets(&end.index), brackets(&end.elements))
    });
    let sign = if link.kind == LinkKind::Arc { '\u{2192}' } else { '\u{2013}' };
    match (from.is_empty(), to.is_empty()) {
        (true, true) => String::new(),
        (false, false) if from == to => from,
        _ => format!("{from} {sign} {to}").trim().to_owned(),
    }
}

/// An index as it is written; nothing for none.
fn brackets(index: &[String]) -> String {
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) }
}
