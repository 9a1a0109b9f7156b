//! The course of a link: cubic curves that leave ports straight outwards and go smoothly through bends.

use super::geometry::{Cubic, Path, Point, Rect};
use super::scene::Edge;

/// Least and greatest length of the handle at a port.
const HANDLE_LIMITS: (f64, f64) = (30.0, 160.0);
/// How far a link from a box to itself goes above it.
const LOOP_HEIGHT: f64 = 30.0;
/// How far such a link goes beside it.
const LOOP_WIDTH: f64 = 40.0;

/// An end of a link: where, and at which edge of its box.
#[derive(Clone, Copy)]
pub(super) struct LinkEnd {
    pub(super) anchor: Point,
    pub(super) edge: Edge,
}

impl LinkEnd {
    /// The handle of a curve that leaves towards a point.
    fn handle(self, towards: Point) -> Point {
        let length = (self.anchor.distance(towards) * 0.4).clamp(HANDLE_LIMITS.0, HANDLE_LIMITS.1);
        let by = match self.edge {
            Edge::Left => Point::new(-length, 0.0),
            Edge::Right => Point::new(length, 0.0),
            Edge::Top => Point::new(0.0, -length),
            Edge::Bottom => Point::new(0.0, length),
        };
        self.anchor.shifted(by)
    }
}

/// The curves of a link. `own` is the box where both ends are at one.
pub(super) fn path(source: LinkEnd, target: LinkEnd, bends: &[Point], own: Option<Rect>) -> Path {
    let is_across = source.edge == Edge::Right && target.edge == Edge::Left;
    if let (Some(area), true, true) = (own, bends.is_empty(), is_across) {
        return around(source.anchor, target.anchor, area);
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

/// From the right of a box over its upper edge to its left.
fn around(from: Point, to: Point, area: Rect) -> Path {
    let (center, top) = (area.center().x, area.min.y - LOOP_HEIGHT);
    let middle = Point::new(center, top);
    let there = Cubic {
        from,
        first: Point::new(from.x + LOOP_WIDTH, from.y),
        second: Point::new(area.max.x + LOOP_WIDTH, top),
        to: middle,
    };
    let back = Cubic {
        from: middle,
        first: Point::new(area.min.x - LOOP_WIDTH, top),
        second: Point::new(to.x - LOOP_WIDTH, to.y),
        to,
    };
    Path { curves: vec![there, back] }
}
