//! Boxes with ports, comments and frames of a picture.

use hasse_compiler::Presence;

use super::super::check::findings::ErrorMark;
use super::super::editor::Editor;
use super::super::gesture::phase::Gesture;
use super::items::{CommentItem, Detail, FrameItem, NodeItem, NodeLook, Picture, PortItem, PortState};
use crate::drawing::color::type_token;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::hit::{Hit, Things};
use crate::drawing::measure::{TEXT_SIZE, text_width};
use crate::drawing::scene::{BoxKind, Edge, NodeBox, PortPlace, Scene};
use crate::marks::{Highlight, NodeMarks};

/// Look of a box; true for a start node, true for the stop node.
fn look(kind: &BoxKind) -> (NodeLook, bool, bool) {
    match kind {
        BoxKind::Unit { is_start, is_stop } => (NodeLook::Unit, *is_start, *is_stop),
        BoxKind::Shared => (NodeLook::Shared, false, false),
        BoxKind::Call { .. } => (NodeLook::Call, false, false),
        BoxKind::Input => (NodeLook::Input, false, false),
        BoxKind::Output => (NodeLook::Output, false, false),
        BoxKind::InOut => (NodeLook::InOut, false, false),
        BoxKind::Missing => (NodeLook::Missing, false, false),
    }
}

/// How far a port's label is from its middle, in world units.
const LABEL_DISTANCE: f64 = 10.0;

/// Distance of the rightmost port at the lower edge of a box from its left edge, in world units.
fn last_port_below(node: &NodeBox) -> Option<f64> {
    let below = node.ports.iter().filter(|port| port.edge == Edge::Bottom);
    below.map(|port| port.anchor.x - node.area.min.x).reduce(f64::max)
}

/// Areas of the boxes that are drawn over a box: those after it among `boxes`, which ascend.
fn areas_above(scene: &Scene, boxes: &[usize], box_idx: usize) -> Vec<Rect> {
    let own = scene.boxes[box_idx].area;
    let later = boxes.partition_point(|other| *other <= box_idx);
    boxes[later..].iter().map(|other| scene.boxes[*other].area).filter(|area| area.intersects(own)).collect()
}

/// The area of the label of a port, in world units, by where it is written.
fn label_area(label: &str, at: Point, edge: Edge) -> Rect {
    let width = text_width(label, TEXT_SIZE);
    let left = match edge {
        Edge::Left => at.x,
        Edge::Right => at.x - width,
        Edge::Top | Edge::Bottom => at.x - width / 2.0,
    };
    Rect::new(left, at.y - TEXT_SIZE / 2.0, width, TEXT_SIZE)
}

impl Editor {
    pub(super) fn add_notes(&self, picture: &mut Picture, things: &Things) {
        let Some(shown) = self.drawn.shown() else { return };
        let view = self.view();
        for &idx in &things.frames {
            let frame = &shown.scene.frames[idx];
            let is_hovered = matches!(
                self.hover,
                Some(Hit::FrameTitle(held) | Hit::FrameEdge { frame_idx: held, .. }) if held == idx
            );
            picture.frames.push(FrameItem {
                number: frame.number,
                title: frame.title.clone(),
                color: frame.color,
                area: view.screen_rect_from_world(frame.area),
                is_selected: self.selection.frames.contains(&frame.number),
                is_hovered,
            });
        }
        for &idx in &things.comments {
            let comment = &shown.scene.comments[idx];
            let is_block = picture.detail == Detail::Blocks;
            picture.comments.push(CommentItem {
                number: comment.number,
                text: if is_block { String::new() } else { comment.text.clone() },
                area: view.screen_rect_from_world(comment.area),
                is_selected: self.selection.comments.contains(&comment.number),
                is_hovered: self.hover == Some(Hit::Comment(idx)),
            });
        }
    }

    /// Boxes that another version has, where they are seen.
    pub(super) fn add_gone_boxes(&self, picture: &mut Picture) {
        let view = self.view();
        let seen = view.visible(self.size);
        let compared = self.comparison().and_then(|comparison| comparison.graph(&self.graph));
        let gone = compared.into_iter().flat_map(|compared| &compared.gone_boxes);
        for node in gone.filter(|node| node.area.overlap(seen) > 0.0) {
            let is_block = picture.detail == Detail::Blocks;
            let text = |text: String| if is_block { String::new() } else { text };
            let (look, is_start, is_stop) = look(&node.kind);
            picture.nodes.push(NodeItem {
                key: node.name.clone(),
                area: view.screen_rect_from_world(node.area),
                title: text(node.title()),
                note: text(node.note.clone()),
                doc: String::new(),
                look,
                is_start,
                is_stop,
                is_selected: false,
                is_hovered: false,
                last_port_below: None,
                error: ErrorMark::default(),
                marks: NodeMarks {
                    highlights: vec![Highlight::Removed],
                    is_dimmed: true,
                    note: Presence::Removed.name().to_owned(),
                    ..NodeMarks::default()
                },
            });
        }
    }

    pub(super) fn add_boxes(&self, picture: &mut Picture, boxes: &[usize]) {
        let Some(shown) = self.drawn.shown() else { return };
        let view = self.view();
        let marks = self.marks.get(&self.graph);
        let compared = self.comparison().and_then(|comparison| comparison.graph(&self.graph));
        let hovered = match self.hover {
            Some(Hit::Title(idx) | Hit::Box(idx)) => Some(idx),
            _ => None,
        };
        let is_block = picture.detail == Detail::Blocks;
        for &box_idx in boxes {
            let node = &shown.scene.boxes[box_idx];
            let (look, is_start, is_stop) = look(&node.kind);
            let error = self.error_marks().and_then(|marks| marks.boxes.get(box_idx)).cloned();
            let text = |text: &str| if is_block { String::new() } else { text.to_owned() };
            let mut marks = marks.and_then(|marks| marks.nodes.get(&node.name)).cloned().unwrap_or_default();
            if let Some((highlight, note)) = compared.and_then(|compared| compared.nodes.get(&node.name)) {
                marks.highlights.push(*highlight);
                marks.note.clone_from(note);
            }
            picture.nodes.push(NodeItem {
                key: node.name.clone(),
                area: view.screen_rect_from_world(node.area),
                title: if is_block { String::new() } else { node.title() },
                note: text(&node.note),
                doc: text(&node.doc),
                look,
                is_start,
                is_stop,
                is_selected: self.selection.nodes.contains(&node.name),
                is_hovered: hovered == Some(box_idx),
                last_port_below: last_port_below(node).map(|x| x * view.zoom()),
                error: error.unwrap_or_default(),
                marks,
            });
        }
    }

    pub(super) fn add_ports(&mut self, picture: &mut Picture, boxes: &[usize]) {
        let view = self.view();
        let is_wiring = self.is_wiring();
        let hovered_link = match self.hover {
            Some(Hit::Link(idx) | Hit::Bend { link_idx: idx, .. }) => Some(idx),
            _ => None,
        };
        // Boxes that are gone come first.
        let n_gone = picture.nodes.len() - boxes.len();
        for (idx, &box_idx) in boxes.iter().enumerate() {
            let node_idx = n_gone + idx;
            let Some(shown) = self.drawn.shown() else { return };
            let n_ports = shown.scene.boxes[box_idx].ports.len();
            let above = areas_above(&shown.scene, boxes, box_idx);
            let mut is_connected = vec![false; n_ports];
            let mut is_hovered = vec![false; n_ports];
            for &link_idx in shown.scene.links_of(box_idx) {
                let link = &shown.scene.links[link_idx];
                for end in [link.source, link.target].iter().filter(|end| end.box_idx == box_idx) {
                    is_connected[end.port_idx] = true;
                    is_hovered[end.port_idx] |= hovered_link == Some(link_idx);
                }
            }
            for port_idx in 0..n_ports {
                let place = PortPlace { box_idx, port_idx };
                let state = if is_wiring { self.port_state(place) } else { PortState::Normal };
                let Some(port) = self.drawn.shown().and_then(|shown| shown.scene.port(place)) else {
                    continue;
                };
                let by = match port.edge {
                    Edge::Left => Point::new(LABEL_DISTANCE, 0.0),
                    Edge::Right => Point::new(-LABEL_DISTANCE, 0.0),
                    Edge::Top => Point::new(0.0, LABEL_DISTANCE),
                    Edge::Bottom => Point::new(0.0, -LABEL_DISTANCE),
                };
                let label_at = port.anchor.shifted(by);
                let label = label_area(&port.label, label_at, port.edge);
                picture.ports.push(PortItem {
                    node_idx,
                    at: view.screen_from_world(port.anchor),
                    token: type_token(&port.ty),
                    ty: port.ty.clone(),
                    label: port.label.clone(),
                    label_at: view.screen_from_world(label_at),
                    edge: port.edge,
                    is_declared: port.is_declared,
                    is_connected: is_connected[port_idx],
                    is_hovered: is_hovered[port_idx] || self.hover == Some(Hit::Port(place)),
                    is_covered: above.iter().any(|area| area.contains(port.anchor)),
                    is_label_covered: above.iter().any(|area| area.intersects(label)),
                    state,
                });
            }
        }
    }

    fn port_state(&mut self, place: PortPlace) -> PortState {
        match &self.gesture {
            Gesture::Wire(wire) => {
                if place == wire.from {
                    return PortState::Begin;
                }
                if let Some(over) = wire.over.as_ref().filter(|over| over.place == place) {
                    return if over.line.is_ok() { PortState::Chosen } else { PortState::Refused };
                }
            }
            Gesture::Keys(wire) => {
                return if wire.from == Some(place) {
                    PortState::Begin
                } else if wire.chosen() == Some(place) {
                    PortState::Chosen
                } else if wire.places.contains(&place) {
                    PortState::Candidate
                } else {
                    PortState::Normal
                };
            }
            _ => return PortState::Normal,
        }
        match self.is_candidate(place) {
            Some(true) => PortState::Candidate,
            Some(false) => PortState::Refused,
            None => PortState::Normal,
        }
    }
}
