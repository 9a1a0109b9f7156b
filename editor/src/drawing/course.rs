//! The course of a link: cubic curves that leave ports straight outwards and go smoothly through bends. Links that lead
//! back go around the two boxes that they connect; [`router`](super::router) leads links around others.

use super::geometry::{Cubic, Path, Point, Rect};
use super::scene::parts::Edge;

/// Least and greatest length of the handle at a port.
const HANDLE_LIMITS: (f64, f64) = (30.0, 160.0);
/// How far a link that leads back keeps from the boxes that it goes around, above or below, and beside.
const CLEARANCE: (f64, f64) = (30.0, 40.0);
/// Distance to the right within which a target counts as lying behind.
const BACK: f64 = 20.0;

/// An end of a link: where, at which edge of its box, and that box.
#[derive(Clone, Copy)]
pub(super) struct LinkEnd {
    pub(super) anchor: Point,
    pub(super) edge: Edge,
    pub(super) area: Rect,
}

impl LinkEnd {
    /// The handle of a curve that leaves towards a point.
    fn handle(self, towards: Point) -> Point {
        let (dx, dy) = ((towards.x - self.anchor.x).abs(), (towards.y - self.anchor.y).abs());
        let limited = |length: f64| (length / 2.0).clamp(HANDLE_LIMITS.0, HANDLE_LIMITS.1);
        let by = match self.edge {
            Edge::Left => Point::new(-limited(dx), 0.0),
            Edge::Right => Point::new(limited(dx), 0.0),
            Edge::Top => Point::new(0.0, -limited(dy)),
            Edge::Bottom => Point::new(0.0, limited(dy)),
        };
        self.anchor.shifted(by)
    }
}

/// Whether a link without bends leads back, from the right of a box to the left of one that is not farther right.
pub(super) fn leads_back(source: LinkEnd, target: LinkEnd) -> bool {
    let is_across = source.edge == Edge::Right && target.edge == Edge::Left;
    is_across && target.anchor.x < source.anchor.x + BACK
}

/// The curves of a link as if no other box were there.
pub(super) fn path(source: LinkEnd, target: LinkEnd, bends: &[Point]) -> Path {
    if bends.is_empty() && leads_back(source, target) {
        return around(source, target);
    }
    let mut points = vec![source.anchor];
    points.extend(bends);
    points.push(target.anchor);
    let last = points.len() - 1;
    // Catmull-Rom: the direction in a bend is that from the point before to the one behind.
    let direction = |idx: usize| {
        let (before, behind) = (points[idx - 1], points[idx + 1]);
        Point::new((behind.x - before.x) / 6.0, (behind.y - before.y) / 6.0)
    };
    let curve = |idx: usize| {
        let (from, to) = (points[idx], points[idx + 1]);
        let first = if idx == 0 { source.handle(to) } else { from.shifted(direction(idx)) };
        let second = if idx + 1 == last {
            target.handle(from)
        } else {
            let by = direction(idx + 1);
            to.shifted(Point::new(-by.x, -by.y))
        };
        Cubic { from, first, second, to }
    };
    Path { curves: (0..last).map(curve).collect() }
}

/// From the right of a box back to the left of one that is not farther right: level between both where there is room,
/// else above or below them, by the shorter way.
fn around(source: LinkEnd, target: LinkEnd) -> Path {
    let (from, to) = (source.anchor, target.anchor);
    let (upper, lower) = if source.area.min.y <= target.area.min.y {
        (source.area, target.area)
    } else {
        (target.area, source.area)
    };
    let both = source.area.union(target.area);
    let (above, below) = (both.min.y - CLEARANCE.0, both.max.y + CLEARANCE.0);
    let way = |level: f64| (from.y - level).abs() + (to.y - level).abs();
    let level = if lower.min.y - upper.max.y >= CLEARANCE.0 {
        (lower.min.y + upper.max.y) / 2.0
    } else if way(above) <= way(below) {
        above
    } else {
        below
    };
    let (right, left) = (from.x + CLEARANCE.1, to.x - CLEARANCE.1);
    let turn = Cubic {
        from,
        first: Point::new(right, from.y),
        second: Point::new(right, level),
        to: Point::new(from.x, level),
    };
    let third = (to.x - from.x) / 3.0;
    let back = Cubic {
        from: turn.to,
        first: Point::new(from.x + third, level),
        second: Point::new(to.x - third, level),
        to: Point::new(to.x, level),
    };
    let turn_in = Cubic { from: back.to, first: Point::new(left, level), second: Point::new(left, to.y), to };
    Path { curves: vec![turn, back, turn_in] }
}
