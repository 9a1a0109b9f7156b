//! Ways of plain lines between boxes: a curve where nothing is in its way, else level and upright lines around boxes, on lanes of
//! their own ([`router`](super::router)).

use super::course::{LinkEnd, leads_back, path};
use super::geometry::{Cubic, Path, Point, Rect, distance_to_segment};
use super::index::cells::Cells;
use super::router::{self, Lanes, Line, Obstacle};
use super::scene::parts::Edge;

/// Number of straight pieces that a curve is drawn with.
const N_PIECES: usize = 12;
/// Distance that curves keep from boxes.
const CLEARANCE: f64 = 2.0;

/// A line between two boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Position of the box where it begins, and the edge that it leaves.
    pub source: (usize, Edge),
    /// Position of the box where it ends, and the edge that it enters.
    pub target: (usize, Edge),
}

/// The ways of wires, each as the points of straight pieces. Wires are led in order; each keeps off the lanes of earlier
/// ones. A wire to which the router finds no way is a curve, whatever it crosses. Cost: linear in wires times boxes near them,
/// and a search for each wire that goes around boxes.
pub fn lead(boxes: &[Rect], wires: &[Wire]) -> Vec<Vec<Point>> {
    let mut near_boxes = Cells::new(boxes.len());
    boxes.iter().enumerate().for_each(|(at, area)| near_boxes.put(at, [*area]));
    let mut near_lanes = Cells::new(wires.len());
    let mut lanes: Vec<Vec<Line>> = vec![Vec::new(); wires.len()];
    let mut ways = Vec::with_capacity(wires.len());
    for (at, wire) in wires.iter().enumerate() {
        let (source, target) = (end(boxes, wire.source), end(boxes, wire.target));
        let curve = path(source, target, &[]);
        let is_in_the_way = |&idx: &usize| {
            let is_own = idx == wire.source.0 || idx == wire.target.0;
            // Curves touch the boxes at which they end.
            curve.meets(boxes[idx].grown(if is_own { -1.0 } else { CLEARANCE }))
        };
        let around = curve.bounds().unwrap_or_default().grown(CLEARANCE);
        if !leads_back(source, target) && !near_boxes.near(around).iter().any(is_in_the_way) {
            ways.push(pieces(&curve));
            continue;
        }
        let obstacles = |region: Rect| {
            let near = near_boxes.near(region).into_iter();
            near.map(|idx| Obstacle { area: boxes[idx], below: 0.0 }).collect()
        };
        let taken = |region: Rect| {
            let near = near_lanes.near(region).into_iter();
            near.flat_map(|other| lanes[other].iter().copied()).collect()
        };
        let Some(corners) = router::way(source, target, &obstacles, &taken, Lanes::NARROW) else {
            ways.push(pieces(&curve));
            continue;
        };
        lanes[at] = router::lines(&corners);
        let areas: Vec<Rect> = lanes[at].iter().map(Line::bounds).collect();
        near_lanes.put(at, areas);
        ways.push(pieces(&router::rounded(&corners)));
    }
    ways
}

fn end(boxes: &[Rect], (box_idx, edge): (usize, Edge)) -> LinkEnd {
    let area = boxes[box_idx];
    let middle = area.center();
    let anchor = match edge {
        Edge::Left => Point::new(area.min.x, middle.y),
        Edge::Right => Point::new(area.max.x, middle.y),
        Edge::Top => Point::new(middle.x, area.min.y),
        Edge::Bottom => Point::new(middle.x, area.max.y),
    };
    LinkEnd { anchor, edge, area }
}

/// The points of straight pieces that look like a path.
fn pieces(path: &Path) -> Vec<Point> {
    let mut points: Vec<Point> = path.curves.first().map(|curve| curve.from).into_iter().collect();
    for curve in &path.curves {
        let n_pieces = if is_straight(curve) { 1 } else { N_PIECES };
        points.extend((1..=n_pieces).map(|piece| curve.at(piece as f64 / n_pieces as f64)));
    }
    points
}

fn is_straight(curve: &Cubic) -> bool {
    [curve.first, curve.second].iter().all(|point| distance_to_segment(*point, curve.from, curve.to) < 0.01)
}
