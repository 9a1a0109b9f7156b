//! Ways of the lines between boxes in layers, around other boxes.

use super::graph::{Elaborated, Thing};
use crate::drawing::geometry::Rect;
use crate::drawing::scene::Edge;
use crate::drawing::wiring::{Wire, lead};

/// Maximum number of boxes, and of lines, that are led around boxes; beyond that lines are straight.
const MOST_BOXES: usize = 300;
const MOST_LINES: usize = 600;

/// Leads lines around boxes.
pub(super) fn lead_lines(graph: &mut Elaborated) {
    if graph.boxes.len() > MOST_BOXES || graph.lines.len() > MOST_LINES {
        return;
    }
    let boxes: Vec<Rect> = graph.boxes.iter().map(|node| node.area).collect();
    let wires = graph.lines.iter().map(|line| {
        let is_object = |at: usize| matches!(graph.boxes[at].thing, Thing::Object(_));
        let (source, target) = match is_object(line.source) || is_object(line.target) {
            true => sides(boxes[line.source], boxes[line.target]),
            // Values enter at the left and leave at the right, as on the program's picture.
            false => (Edge::Right, Edge::Left),
        };
        Wire { source: (line.source, source), target: (line.target, target) }
    });
    let wires: Vec<Wire> = wires.collect();
    graph.ways = lead(&boxes, &wires);
}

/// The edges of two boxes that face each other.
fn sides(source: Rect, target: Rect) -> (Edge, Edge) {
    if source.max.y <= target.min.y {
        (Edge::Bottom, Edge::Top)
    } else if target.max.y <= source.min.y {
        (Edge::Top, Edge::Bottom)
    } else if source.max.x <= target.min.x {
        (Edge::Right, Edge::Left)
    } else {
        (Edge::Left, Edge::Right)
    }
}
