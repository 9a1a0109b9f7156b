//! The scene of an outline and its layout in the file.

use std::collections::BTreeMap;

use hasse_compiler::{EndOutline, GraphOutline, LinkKind, LinkOutline, link_ends};
use hasse_model::name::{begins_name, is_of_name};

use super::moves::Displaced;
use super::parts::{CommentBox, FrameBox, Layout, Link, PortPlace};
use super::{Nearness, Scene, limited, ports, put_at};
use crate::drawing::geometry::{Path, Rect};
use crate::drawing::measure::text_area;
use crate::drawing::tidy;
use crate::edit::link::LinkList;
use crate::edit::note::{Comment, FRAME_COLORS, Frame};
use crate::edit::place::Position;
use crate::edit::route::Route;

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
            route_areas: Vec::new(),
            near: Nearness::default(),
            moves: Displaced::default(),
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

    fn add_link(&mut self, link: &LinkOutline, source: PortPlace, target: PortPlace, bends: &[Position]) {
        let link_idx = self.links.len();
        self.links_at[source.box_idx].push(link_idx);
        if target.box_idx != source.box_idx {
            self.links_at[target.box_idx].push(link_idx);
        }
        self.ways.push(Vec::new());
        self.pieces.push(Vec::new());
        self.stands.push(Vec::new());
        self.route_areas.push(Rect::default());
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
            badge_hug: 0.5,
            is_badge_crowded: false,
            bends: bends.iter().map(|bend| limited(*bend)).collect(),
            path: Path::default(),
        });
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
pub(super) fn label(link: &LinkOutline) -> String {
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

fn is_variable(expression: &str) -> bool {
    expression.chars().all(is_of_name) && expression.starts_with(begins_name)
}

/// Whether a variable occurs in the index or the elements of an end.
fn names(end: &EndOutline, variable: &str) -> bool {
    let is_part = is_of_name;
    let mut words = end.index.iter().chain(&end.elements).flat_map(|text| text.split(|c| !is_part(c)));
    words.any(|word| word == variable)
}
