//! A graph as it is drawn: boxes with ports, links between them, comments and frames, all with their places.

use std::cell::Cell;

use hasse_compiler::PortKind;

use super::connect::name::PortName;
use super::course::{LinkEnd, leads_back, path};
use super::geometry::{Point, Rect};
use super::index::cells::Cells;
use super::router::{self, Lanes, Line, Obstacle};
use crate::edit::link::LinkList;
use crate::edit::place::Position;
use crate::edit::port::Side;

/// The scene of an outline and its layout in the file.
mod building;
/// Placement of the texts at links.
mod labels;
/// Geometry from before moves.
mod moves;
/// What a scene consists of.
pub(super) mod parts;
/// Ports of boxes, as outlines have them and as links need them.
pub(super) mod ports;
/// Incremental routing after moves.
mod rerouting;
/// Room around boxes.
mod room;
/// Sizes of boxes.
mod size;

use moves::{Avoided, Displaced};
pub use parts::{BoxKind, CommentBox, Edge, FrameBox, Layout, Link, NodeBox, Port, PortPlace};
use room::{STATE_ROOM, room_of};

/// Number of [`LABEL_PLACES`] of a link that does not lead back: more of them would take room that others need.
const N_USUAL_PLACES: usize = 9;
/// Shares of a link's length at which its label may stand, the best first.
const LABEL_PLACES: [f64; 21] = [
    0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.46, 0.54, 0.38, 0.62, 0.3, 0.7, 0.22, 0.78, 0.14,
    0.86, 0.1, 0.9,
];

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
    /// For each link the area of the boxes and lanes that its route depends on.
    route_areas: Vec<Rect>,
    /// Boxes, curves and texts by the cells of a grid.
    near: Nearness,
    /// Displaced since all links were settled.
    moves: Displaced,
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
        self.moves = Displaced::default();
        (0..self.links.len()).for_each(|link_idx| self.lead(link_idx, Avoided::Earlier));
        (0..self.links.len()).for_each(|link_idx| self.write(link_idx, Avoided::Earlier));
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
        links.iter().for_each(|&link_idx| self.keep_settled_link(link_idx));
        // Wires of others stay, so that a box can be dropped on one.
        moved_links.iter().for_each(|&link_idx| self.lead(link_idx, Avoided::All));
        links.iter().for_each(|&link_idx| self.write(link_idx, Avoided::All));
        links
    }

    /// Makes the curves of a link anew. It has no texts then.
    fn lead(&mut self, link_idx: usize, avoided: Avoided) {
        let link = &self.links[link_idx];
        let end = |place: PortPlace| {
            let node = &self.boxes[place.box_idx];
            let port = &node.ports[place.port_idx];
            LinkEnd { anchor: port.anchor, edge: port.edge, area: node.area }
        };
        let (source, target) = (end(link.source), end(link.target));
        let (way, route_area) = self.way(link_idx, source, target, avoided);
        self.route_areas[link_idx] = route_area;
        let drawn = match &way {
            Some(points) => router::rounded(points),
            None => path(source, target, &link.bends),
        };
        self.ways[link_idx] = way.as_deref().map(router::lines).unwrap_or_default();
        let pieces: Vec<Rect> = drawn.piece_bounds().collect();
        self.near.curves.put(link_idx, pieces.iter().copied());
        self.pieces[link_idx] = pieces;
        let n_places = if leads_back(source, target) { LABEL_PLACES.len() } else { N_USUAL_PLACES };
        let places = LABEL_PLACES[..n_places].iter();
        self.stands[link_idx] = places.filter_map(|place| drawn.at_share(*place)).collect();
        let link = &mut self.links[link_idx];
        (link.path, link.label_area, link.badge_area) = (drawn, None, None);
        let reach = self.text_reach(link_idx, self.links[link_idx].longest_text());
        self.near.reaches.put(link_idx, reach);
        self.near.texts.put(link_idx, []);
    }
}

impl Scene {
    /// The corners of the way of a link around boxes, or `None` where it needs none, has bends, or there is no way; and the
    /// area of the boxes and lanes that this depends on.
    fn way(
        &self,
        link_idx: usize,
        source: LinkEnd,
        target: LinkEnd,
        avoided: Avoided,
    ) -> (Option<Vec<Point>>, Rect) {
        let link = &self.links[link_idx];
        let ends = source.area.union(target.area);
        let Some((curve, bounds)) = Some(path(source, target, &[]))
            .filter(|_| link.bends.is_empty())
            .and_then(|curve| curve.bounds().map(|bounds| (curve, bounds)))
        else {
            return (None, ends);
        };
        let route_area = Cell::new(bounds.grown(2.0));
        let is_own = |idx: usize| idx == link.source.box_idx || idx == link.target.box_idx;
        let is_in_the_way = |idx: usize| {
            // Curves touch the boxes at which they end.
            let area = self.boxes[idx].area.grown(if is_own(idx) { -1.0 } else { 2.0 });
            bounds.intersects(area) && curve.meets(area)
        };
        let mut near = self.near.boxes.near(bounds.grown(2.0)).into_iter();
        if !leads_back(source, target) && !near.any(is_in_the_way) {
            return (None, route_area.get());
        }
        let obstacle = |idx: usize| {
            let area = self.boxes[idx].area;
            // A link from a port at the lower edge has to cross that room.
            let is_left_below =
                [source, target].iter().any(|end| end.edge == Edge::Bottom && end.area == area);
            Obstacle { area, below: if is_left_below { 0.0 } else { STATE_ROOM } }
        };
        let boxes = |region| {
            route_area.set(route_area.get().union(region));
            self.near.boxes.near(region).into_iter().map(obstacle).collect()
        };
        let taken = |region| {
            let others =
                self.near.curves.near(region).into_iter().filter(|&idx| avoided.includes(link_idx, idx));
            others.flat_map(|idx| self.ways[idx].iter().copied()).collect()
        };
        (router::way(source, target, &boxes, &taken, Lanes::WITH_TEXTS), route_area.get())
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
