//! Dots and badges of the picture that can be clicked, with their places.

use hasse_editor::drawing::geometry::Rect;
use hasse_editor::drawing::measure::text_width;
use hasse_editor::state::picture::{Detail, ErrorMark, NodeItem, Picture};
use hasse_editor::target::Target;

use super::badges::badge_label;
use super::dots::{caption_inset, dots_of, foot};

/// How far a badge of a box reaches over its corner, in pixels.
const BADGE: f64 = 9.0;

/// Something beside boxes and wires that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The breakpoints of a node or an arc.
    Breakpoint(Target),
    /// Verdict of a node or an arc.
    Check(Target),
    /// Problem of a node or an arc.
    Problem(Target),
    /// An instance of a node of the shown graph.
    Instance {
        /// The node.
        node: String,
        /// The instance's path.
        path: String,
    },
    /// The caption below a node of the shown graph that says how many values wait.
    Waiting(String),
}

/// Size of the letters of a caption.
const LETTERS: f64 = 10.5;

/// Area of the caption below a box.
fn caption_area(node: &NodeItem, zoom: f64) -> Rect {
    let size = LETTERS * zoom;
    let most = (node.area.width() * 1.6).max(120.0 * zoom);
    let width = text_width(&node.marks.note, size);
    let n_lines = (width / most).ceil().max(1.0);
    let top = node.area.max.y + (foot(node, zoom) + 2.0).max(3.0);
    Rect::new(node.area.min.x + caption_inset(node, zoom), top, width.min(most), size * 1.3 * n_lines)
}

/// All of them, those on top last.
pub(super) fn spots(picture: &Picture, is_dark: bool) -> Vec<(Rect, Spot)> {
    let mut spots = Vec::new();
    for badge in &picture.badges {
        let target = Target::of_link(&picture.graph, badge.key.0, badge.key.1);
        let spot = match (badge.breakpoint, badge.check) {
            _ if badge.error != ErrorMark::default() => Spot::Problem(target),
            (Some(_), _) => Spot::Breakpoint(target),
            (None, Some(_)) => Spot::Check(target),
            (None, None) => continue,
        };
        if let Some(label) = badge_label(badge, picture.zoom, is_dark) {
            let corner = [label.x, label.y].map(f64::from);
            let size = [label.width, label.height].map(f64::from);
            spots.push((Rect::new(corner[0], corner[1], size[0], size[1]), spot));
        }
    }
    for node in &picture.nodes {
        let target = || Target::of_node(&picture.graph, &node.key);
        let around = |x: f64, y: f64| Rect::new(x - BADGE, y - BADGE, 2.0 * BADGE, 2.0 * BADGE);
        if picture.detail == Detail::Full {
            if node.marks.note.ends_with("waiting") {
                spots.push((caption_area(node, picture.zoom), Spot::Waiting(node.key.clone())));
            }
            // A dot is small: the room between dots belongs to them.
            spots.extend(dots_of(node, picture.zoom).map(|(area, dot)| {
                let spot = Spot::Instance { node: node.key.clone(), path: dot.path.clone() };
                (area.grown(1.0), spot)
            }));
        }
        if node.marks.breakpoint.is_some() {
            spots.push((around(node.area.min.x, node.area.min.y), Spot::Breakpoint(target())));
        }
        if node.error != ErrorMark::default() {
            spots.push((around(node.area.max.x, node.area.min.y), Spot::Problem(target())));
        }
        if node.marks.check.is_some() {
            spots.push((around(node.area.min.x - 5.0, node.area.max.y), Spot::Check(target())));
        }
    }
    spots
}
