//! A graph as it is drawn: boxes with ports, links between them, comments and frames, all with their places.

use std::cell::Cell;
use std::collections::BTreeMap;

use hasse_compiler::{EndOutline, GraphOutline, LinkKind, LinkOutline, PortKind, link_ends};

use super::connect::PortName;
use super::course::{LinkEnd, leads_back, path};
use super::geometry::{Path, Point, Rect};
use super::index::Cells;
use super::measure::{Content, lay_out, text_area};
use super::router::{self, Line, Obstacle};
use super::tidy;
use crate::edit::link::LinkList;
use crate::edit::note::{Comment, FRAME_COLORS, Frame};
use crate::edit::place::Position;
use crate::edit::port::Side;
use crate::edit::route::Route;

/// Settling links after moves.
mod moved;
/// What a scene consists of.
mod parts;
/// Ports of boxes, as outlines have them and as links need them.
mod ports;

use moved::{Moves, Seen};
pub use parts::{BoxKind, CommentBox, Edge, FrameBox, Layout, Link, NodeBox, Port, PortPlace};
pub(crate) use ports::declared_ports;

/// Shares of a link's length at which its label may stand, the best first.
const LABEL_PLACES: [f64; 9] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
/// Room below a box for the states of its instances and a line about them.
const STATE_ROOM: f64 = 28.0;
/// Distances of a label from its link, the best first.
const LABEL_GAPS: [f64; 4] = [2.0, 9.0, 18.0, 30.0];
/// How much worse a covered unit of area is than a wire through a label.
const COVERED: f64 = 100.0;
/// Texts of the badge of a link, longest first: there is room for the longest one that covers nothing.
const BADGE_TEXTS: [&str; 2] = ["100 queued", "100\u{d7}"];
/// Room between a box, with the port marks at its edges, and a label.
const LABEL_ROOM: f64 = 7.0;

/// Greatest distance from the origin, in either direction; what the file has farther away is drawn there.
pub const MOST_DISTANT: i64 = 1_000_000;

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
    /// For each link the lines on which it is led around boxes; none where it is a curve.
    ways: Vec<Vec<Line>>,
    /// For each link rectangles that together hold it; none where it is not drawn yet.
    pieces: Vec<Vec<Rect>>,
    /// For each link the points along it next to which its texts may stand, the best first.
    stands: Vec<Vec<Point>>,
    /// For each link a rectangle that holds all boxes and ways on which its own way depends.
    looked_at: Vec<Rect>,
    /// Boxes, curves and texts by the cells of a grid.
    near: Nearness,
    /// Moves since all links were settled.
    moves: Moves,
}

/// Things of a scene by where they are.
#[derive(Clone, Debug, Default, PartialEq)]
struct Nearness {
    /// Boxes, with the room around them that texts leave free.
    boxes: Cells,
    /// Links by their curves.
    curves: Cells,
    /// Links by their texts.
    texts: Cells,
    /// Links by the rectangles within which their texts may stand.
    reaches: Cells,
}

impl Scene {
    /// The picture of a graph. `graphs` are all graphs of the program: ports of calls are the formal ports of what they
    /// call. Nodes without a position get one beside the others,
    /// which stay. Cost: linear, and that of [`tidy`](tidy::tidy) for nodes without a position.
    pub fn new(graph: &GraphOutline, graphs: &[GraphOutline], layout: &Layout) -> Self {
        let mut scene = Self::placed(graph, graphs, layout);
        scene.settle();
        scene
    }

    /// The same with boxes at their places, and links that are not drawn.
    pub(crate) fn placed(graph: &GraphOutline, graphs: &[GraphOutline], layout: &Layout) -> Self {
        let (boxes, ends) = ports::boxes(graph, graphs);
        let mut scene = Self {
            graph: graph.name.clone(),
            links_at: vec![Vec::new(); boxes.len()],
            boxes,
            links: Vec::new(),
            comments: layout.comments.iter().map(comment_box).collect(),
            frames: layout.frames.iter().map(frame_box).collect(),
            ways: Vec::new(),
            pieces: Vec::new(),
            stands: Vec::new(),
            looked_at: Vec::new(),
            near: Nearness::default(),
            moves: Moves::default(),
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
        scene
    }

    /// Draws all links anew. What is drawn depends on places alone, and not on the moves by which boxes came there. Cost:
    /// linear in links times boxes near them, and a search for each link that has to go around boxes.
    pub fn settle(&mut self) {
        self.ways.iter_mut().for_each(Vec::clear);
        self.pieces.iter_mut().for_each(Vec::clear);
        let n_links = self.links.len();
        self.near = Nearness {
            boxes: Cells::new(self.boxes.len()),
            curves: Cells::new(n_links),
            texts: Cells::new(n_links),
            reaches: Cells::new(n_links),
        };
        for (box_idx, node) in self.boxes.iter().enumerate() {
            self.near.boxes.put(box_idx, [room_of(node)]);
        }
        // Where the texts of later links were is free.
        for link in &mut self.links {
            (link.label_area, link.badge_area) = (None, None);
        }
        self.moves = Moves::default();
        (0..self.links.len()).for_each(|link_idx| self.lead(link_idx, Seen::Earlier));
        (0..self.links.len()).for_each(|link_idx| self.write(link_idx, Seen::Earlier));
    }

    fn add_link(&mut self, link: &LinkOutline, source: PortPlace, target: PortPlace, bends: &[Position]) {
        let link_idx = self.links.len();
        self.links_at[source.box_idx].push(link_idx);
        if target.box_idx != source.box_idx {
            self.links_at[target.box_idx].push(link_idx);
        }
        self.ways.push(Vec::new());
        self.pieces.push(Vec::new());
        self.stands.push(Vec::new());
        self.looked_at.push(Rect::default());
        self.links.push(Link {
            kind: link.kind,
            list: if link.kind == LinkKind::Arc { LinkList::Arcs } else { LinkList::Shares },
            row: link.row,
            source,
            target,
            label: label(link),
            label_area: None,
            is_label_crowded: false,
            badge_area: None,
            is_badge_crowded: false,
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

    /// Puts boxes elsewhere, as while they are dragged, and draws their links anew, and texts that may have to give way. Returns
    /// the links that changed, in order. Curves of other links stay as they are until [`settle`](Self::settle). Cost: linear in
    /// the boxes moved times the links, and that of leading the links at them.
    pub fn move_boxes(&mut self, moved: &[(usize, Position)]) -> Vec<usize> {
        let mut links = Vec::new();
        let mut areas = Vec::new();
        for (box_idx, position) in moved {
            if let Some(node) = self.boxes.get_mut(*box_idx) {
                self.moves.note_box(*box_idx, room_of(node));
                areas.push(node.area);
                put_at(node, *position);
                areas.push(node.area);
                self.near.boxes.put(*box_idx, [room_of(node)]);
                links.extend_from_slice(&self.links_at[*box_idx]);
            }
        }
        links.sort_unstable();
        links.dedup();
        let moved_links = links.clone();
        for area in areas {
            let near = self.near.reaches.near(area).into_iter();
            links.extend(near.filter(|&link_idx| {
                let reach = self.text_reach(link_idx, self.links[link_idx].longest_text());
                reach.iter().any(|reach| reach.intersects(area))
            }));
        }
        links.sort_unstable();
        links.dedup();
        links.iter().for_each(|&link_idx| self.note_link(link_idx));
        // Wires of others stay, so that a box can be dropped on one.
        moved_links.iter().for_each(|&link_idx| self.lead(link_idx, Seen::All));
        links.iter().for_each(|&link_idx| self.write(link_idx, Seen::All));
        links
    }

    /// Makes the curves of a link anew. It has no texts then.
    fn lead(&mut self, link_idx: usize, seen: Seen) {
        let link = &self.links[link_idx];
        let end = |place: PortPlace| {
            let node = &self.boxes[place.box_idx];
            let port = &node.ports[place.port_idx];
            LinkEnd { anchor: port.anchor, edge: port.edge, area: node.area }
        };
        let (source, target) = (end(link.source), end(link.target));
        let (way, looked_at) = self.way(link_idx, source, target, seen);
        self.looked_at[link_idx] = looked_at;
        let drawn = match &way {
            Some(points) => router::rounded(points),
            None => path(source, target, &link.bends),
        };
        self.ways[link_idx] = way.as_deref().map(router::lines).unwrap_or_default();
        let pieces: Vec<Rect> = drawn.piece_bounds().collect();
        self.near.curves.put(link_idx, pieces.iter().copied());
        self.pieces[link_idx] = pieces;
        self.stands[link_idx] = LABEL_PLACES.iter().filter_map(|place| drawn.at_share(*place)).collect();
        let link = &mut self.links[link_idx];
        (link.path, link.label_area, link.badge_area) = (drawn, None, None);
        let reach = self.text_reach(link_idx, self.links[link_idx].longest_text());
        self.near.reaches.put(link_idx, reach);
        self.near.texts.put(link_idx, []);
    }

    /// Puts the texts of a link where they leave curves free: to be called when all are led.
    fn write(&mut self, link_idx: usize, seen: Seen) {
        let link = &self.links[link_idx];
        let place = |text: &str, own| self.text_place(link_idx, text, own, seen);
        let label = (!link.label.is_empty()).then(|| place(&link.label, None)).flatten();
        let own = label.map(|(area, _)| area);
        let mut badge = None;
        for text in BADGE_TEXTS {
            badge = place(text, own);
            if badge.is_some_and(|(_, is_crowded)| !is_crowded) {
                break;
            }
        }
        let link = &mut self.links[link_idx];
        link.badge_area = badge.map(|(area, _)| area);
        link.is_badge_crowded = badge.is_some_and(|(_, is_crowded)| is_crowded);
        link.label_area = label.map(|(area, _)| area);
        link.is_label_crowded = label.is_some_and(|(_, is_crowded)| is_crowded);
        self.near.texts.put(link_idx, link.text_areas());
    }
}

impl Scene {
    /// The corners of the way of a link around boxes; `None` where it needs none, has bends, or there is no way. With it comes
    /// a rectangle that holds all boxes and ways on which that depends.
    fn way(
        &self,
        link_idx: usize,
        source: LinkEnd,
        target: LinkEnd,
        seen: Seen,
    ) -> (Option<Vec<Point>>, Rect) {
        let link = &self.links[link_idx];
        let ends = source.area.union(target.area);
        let Some((curve, bounds)) = Some(path(source, target, &[]))
            .filter(|_| link.bends.is_empty())
            .and_then(|curve| curve.bounds().map(|bounds| (curve, bounds)))
        else {
            return (None, ends);
        };
        let looked_at = Cell::new(bounds.grown(2.0));
        let is_own = |idx: usize| idx == link.source.box_idx || idx == link.target.box_idx;
        let is_in_the_way = |idx: usize| {
            // Curves touch the boxes at which they end.
            let area = self.boxes[idx].area.grown(if is_own(idx) { -1.0 } else { 2.0 });
            bounds.intersects(area) && curve.meets(area)
        };
        let mut near = self.near.boxes.near(bounds.grown(2.0)).into_iter();
        if !leads_back(source, target) && !near.any(is_in_the_way) {
            return (None, looked_at.get());
        }
        let obstacle = |idx: usize| {
            let area = self.boxes[idx].area;
            // A link from a port at the lower edge has to cross that room.
            let is_left_below =
                [source, target].iter().any(|end| end.edge == Edge::Bottom && end.area == area);
            Obstacle { area, below: if is_left_below { 0.0 } else { STATE_ROOM } }
        };
        let boxes = |region| {
            looked_at.set(looked_at.get().union(region));
            self.near.boxes.near(region).into_iter().map(obstacle).collect()
        };
        let taken = |region| {
            let others = self.near.curves.near(region).into_iter().filter(|&idx| seen.sees(link_idx, idx));
            others.flat_map(|idx| self.ways[idx].iter().copied()).collect()
        };
        (router::way(source, target, &boxes, &taken), looked_at.get())
    }

    /// Rectangles within which a text at a link may stand, around the places along it; none for a link that is not drawn.
    fn text_reach(&self, link_idx: usize, label: &str) -> Vec<Rect> {
        let text = text_area(Point::default(), label);
        let (across, down) =
            (text.width() + LABEL_GAPS[3] + LABEL_ROOM, text.height() + LABEL_GAPS[3] + LABEL_ROOM);
        let around = |point: &Point| Rect::new(point.x - across, point.y - down, 2.0 * across, 2.0 * down);
        self.stands[link_idx].iter().map(around).collect()
    }

    /// Where a text stands beside a link: at the middle of it, or at the first place along it that leaves boxes, wires, the
    /// texts of other links and `own` free. A text that has no such place covers as little as it can; with it comes whether
    /// it covers boxes or texts.
    fn text_place(
        &self,
        link_idx: usize,
        label: &str,
        own: Option<Rect>,
        seen: Seen,
    ) -> Option<(Rect, bool)> {
        let reach = self.text_reach(link_idx, label);
        let is_reached = |area: &Rect| reach.iter().any(|reach| reach.intersects(*area));
        let boxes = self.near.boxes.near_any(&reach).into_iter().map(|idx| room_of(&self.boxes[idx]));
        let others = self.near.texts.near_any(&reach).into_iter().filter(|&idx| seen.sees(link_idx, idx));
        let texts = others.map(|idx| &self.links[idx]);
        let texts = texts.flat_map(Link::text_areas);
        let near: Vec<Rect> = boxes.chain(texts).chain(own).filter(is_reached).collect();
        let curves = self.near.curves.near_any(&reach).into_iter();
        let wires: Vec<Rect> =
            curves.flat_map(|idx| self.pieces[idx].iter().copied()).filter(is_reached).collect();
        let size = text_area(Point::default(), label);
        let at = |center: Point| {
            size.shifted(Point::new(center.x - size.width() / 2.0, center.y - size.height() / 2.0))
        };
        let (across, down) = (size.width() / 2.0, size.height() / 2.0);
        let along = &self.stands[link_idx];
        let beside =
            |gap: f64| [(0.0, -down - gap), (0.0, down + gap), (across + gap, 0.0), (-across - gap, 0.0)];
        let candidates = LABEL_GAPS.iter().flat_map(|&gap| {
            along.iter().flat_map(move |point| beside(gap).map(|(x, y)| point.shifted(Point::new(x, y))))
        });
        let candidates = candidates.map(at);
        let mut best: Option<(f64, Rect, bool)> = None;
        for area in candidates {
            let covered = near.iter().map(|held| held.overlap(area)).sum::<f64>();
            // Crossed by a wire, a text can be read.
            let n_crossed =
                if covered > 0.0 { 0 } else { wires.iter().filter(|wire| wire.intersects(area)).count() };
            let amount = covered * COVERED + n_crossed as f64;
            if amount <= 0.0 {
                return Some((area, false));
            }
            if best.is_none_or(|(least, ..)| amount < least) {
                best = Some((amount, area, covered > 0.0));
            }
        }
        best.map(|(_, area, is_crowded)| (area, is_crowded))
    }
}

/// A box with the room around it that texts of links leave free.
fn room_of(node: &NodeBox) -> Rect {
    let area = node.area.grown(LABEL_ROOM);
    Rect { max: Point::new(area.max.x, node.area.max.y + STATE_ROOM), ..area }
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

/// The index map of a link as a person reads it: `i → i + 1`, `all → 0`, `i → part[i]`. A variable that the other end does
/// not use stands for all of its values. Elements of a port come with its name.
fn label(link: &LinkOutline) -> String {
    let is_arc = link.kind == LinkKind::Arc;
    let from = end_text(&link.source, Some(&link.target));
    // The target of an arc has expressions; a share line binds variables at both ends.
    let to = end_text(&link.target, Some(&link.source).filter(|_| !is_arc));
    match (is_arc, from.is_empty(), to.is_empty()) {
        (_, true, true) => String::new(),
        (true, ..) => format!("{from} \u{2192} {to}").trim().to_owned(),
        (false, false, false) => format!("{from} \u{2013} {to}"),
        (false, ..) => format!("{from}{to}"),
    }
}

/// Index and elements of an end. Variables that `other` does not name read `all`.
fn end_text(end: &EndOutline, other: Option<&EndOutline>) -> String {
    let text = |expression: &String| match other {
        Some(other) if is_variable(expression) && !names(other, expression) => "all".to_owned(),
        _ => expression.clone(),
    };
    let list = |expressions: &[String]| expressions.iter().map(text).collect::<Vec<_>>().join(", ");
    let elements = match end.elements.is_empty() {
        true => String::new(),
        false => format!("{}[{}]", end.port, list(&end.elements)),
    };
    match (end.index.is_empty(), elements.is_empty()) {
        (false, false) => format!("{} {elements}", list(&end.index)),
        _ => format!("{}{elements}", list(&end.index)),
    }
}

/// An index as it is written; nothing for none.
fn brackets(index: &[String]) -> String {
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) }
}

fn is_variable(expression: &str) -> bool {
    expression.chars().all(|character| character.is_alphanumeric() || character == '_')
        && expression.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Whether a variable occurs in the index or the elements of an end.
fn names(end: &EndOutline, variable: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut words = end.index.iter().chain(&end.elements).flat_map(|text| text.split(|c| !is_part(c)));
    words.any(|word| word == variable)
}
