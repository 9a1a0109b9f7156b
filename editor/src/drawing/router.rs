//! Ways of links around boxes: level and upright lines, short, with few corners, each on a lane of its own.
//!
//! Source: Wybrow, Marriott and Stuckey, "Orthogonal Connector Routing" (Graph Drawing 2009): the search goes over a grid of
//! the coordinates that matter (sides of boxes with some clearance, and the ends), by A* with length and corners as cost.
//! In place of their nudging afterwards, a link whose way goes along that of an earlier one is led once more, with lanes beside
//! that way, of which those that others take are dear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::course::LinkEnd;
use super::geometry::{Cubic, Path, Point, Rect};
use super::scene::parts::Edge;

/// How far a link goes straight out of a port.
const STUB: f64 = 14.0;
/// How far a link keeps from boxes, and whether it leaves the room below them free; less where boxes are closer to each other.
const CLEARANCES: [(f64, bool); 4] = [(10.0, true), (10.0, false), (5.0, false), (2.0, false)];
/// Distance of lanes, and how many there are at each side of a way.
const LANE: f64 = 8.0;
const N_LANES: u32 = 4;
/// Distance of level lanes with room for one line of text between them.
const TEXT_LANE: f64 = 24.0;
/// Lengths that a corner, a crossing, and each unit on the lane of another link are worth.
const CORNER: u32 = 40;
const CROSSING: u32 = 20;
const SHARED: u32 = 6;
/// Radius of corners.
const RADIUS: f64 = 8.0;
/// How far around both ends boxes are looked at, first and where that is not enough.
const AROUND: [f64; 4] = [120.0, 480.0, 1_920.0, 2e6];
/// Most boxes that are looked at for one link; where there are more, the link is not led around any.
const MOST_BOXES: usize = 160;

/// A level or upright line of a link that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// Whether it is level.
    is_level: bool,
    /// The coordinate that its points share.
    at: f64,
    /// From where to where it goes along the other one, ascending.
    from: f64,
    to: f64,
}

impl Line {
    pub(super) fn bounds(&self) -> Rect {
        let [one, other] = [self.from, self.to].map(|place| match self.is_level {
            true => Point::new(place, self.at),
            false => Point::new(self.at, place),
        });
        Rect::spanned(one, other)
    }

    /// Returns whether another line overlaps with it at less than the distance of lanes.
    fn is_along(&self, other: &Self, lanes: Lanes) -> bool {
        self.is_level == other.is_level
            && (self.at - other.at).abs() < lanes.distance(self.is_level) - 0.5
            && self.from < other.to
            && other.from < self.to
    }
}

/// Distances that a link keeps from the lanes of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lanes {
    /// That of level lanes.
    level: f64,
}

impl Lanes {
    /// The smallest distance at which two lanes are seen as two.
    pub(super) const NARROW: Self = Self { level: LANE };
    /// Level lanes with room for the texts of links between them.
    pub(super) const WITH_TEXTS: Self = Self { level: TEXT_LANE };

    fn distance(self, is_level: bool) -> f64 {
        if is_level { self.level } else { LANE }
    }
}

/// The lines of a way through points, without those next to its ends, which all links of a port share.
pub(super) fn lines(points: &[Point]) -> Vec<Line> {
    let n_segments = points.len().saturating_sub(1);
    let segment = |idx: usize| {
        let (from, to) = (points[idx], points[idx + 1]);
        let is_level = from.y == to.y;
        let (at, start, end) = if is_level { (from.y, from.x, to.x) } else { (from.x, from.y, to.y) };
        let cut = |is_end: bool| if is_end { STUB } else { 0.0 };
        let (low, high) = (start.min(end), start.max(end));
        let (first, last) = (cut(idx == 0), cut(idx + 1 == n_segments));
        let (low_cut, high_cut) = if start <= end { (first, last) } else { (last, first) };
        Line { is_level, at, from: low + low_cut, to: high - high_cut }
    };
    (0..n_segments).map(segment).filter(|line| line.from < line.to).collect()
}

/// A box that ways go around, and room below it that they leave free where they can.
#[derive(Clone, Copy, Debug)]
pub(super) struct Obstacle {
    pub(super) area: Rect,
    pub(super) below: f64,
}

impl Obstacle {
    /// The box, with the room below it or without.
    fn whole(self, with_room: bool) -> Rect {
        let below = if with_room { self.below } else { 0.0 };
        Rect { max: Point::new(self.area.max.x, self.area.max.y + below), ..self.area }
    }
}

/// Finds the corners of a way from one end to another, both included, that meets no box inside and keeps off the lanes of
/// other links as far as that is worth it; `None` where there is none, or where it would take too long to look. `boxes` and
/// `taken` list what touches a region, and may list more. Cost: that of A* on a grid of a few lines for each box near the ends.
pub(super) fn way(
    source: LinkEnd,
    target: LinkEnd,
    boxes: &impl Fn(Rect) -> Vec<Obstacle>,
    taken: &impl Fn(Rect) -> Vec<Line>,
    lanes: Lanes,
) -> Option<Vec<Point>> {
    let ends = source.area.union(target.area);
    // The nearest boxes first; where those close the ends in, more of them, as long as they are not too many.
    for around in AROUND {
        let region = ends.grown(around);
        let inside: Vec<Obstacle> =
            boxes(region).into_iter().filter(|held| held.whole(true).intersects(region)).collect();
        if inside.len() > MOST_BOXES {
            return None;
        }
        let near: Vec<Line> =
            taken(region).into_iter().filter(|line| line.bounds().intersects(region)).collect();
        for (clearance, with_room) in CLEARANCES {
            let inside: Vec<Rect> = inside.iter().map(|held| held.whole(with_room)).collect();
            let search = |beside: &[Line], taken: &[Line]| {
                let traffic = Traffic { beside, taken, lanes };
                let grid = Grid::new(source, target, &inside, region, clearance, &traffic);
                grid.and_then(|grid| grid.search())
            };
            let Some(found) = search(&[], &[]) else { continue };
            // Lanes beside all boxes would make the grid many times as large: those beside the shortest way will do.
            let own = lines(&found);
            let is_free = own.iter().all(|own| !near.iter().any(|line| line.is_along(own, lanes)));
            return if is_free { Some(found) } else { search(&own, &near).or(Some(found)) };
        }
    }
    None
}

/// The curves of a way through corners: straight, with round corners.
pub(super) fn rounded(points: &[Point]) -> Path {
    let straight = |from: Point, to: Point| {
        let third = |part: f64| Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
        Cubic { from, first: third(1.0 / 3.0), second: third(2.0 / 3.0), to }
    };
    let mut curves = Vec::new();
    let Some((&first, &last)) = points.first().zip(points.last()) else { return Path::default() };
    let mut at = first;
    for corner in points.windows(3) {
        let [before, corner, behind] = [corner[0], corner[1], corner[2]];
        let room = before.distance(corner).min(corner.distance(behind)) / 2.0;
        let radius = RADIUS.min(room);
        let towards = |to: Point| {
            let share = radius / corner.distance(to).max(f64::MIN_POSITIVE);
            Point::new(corner.x + (to.x - corner.x) * share, corner.y + (to.y - corner.y) * share)
        };
        let (enters, leaves) = (towards(before), towards(behind));
        if at != enters {
            curves.push(straight(at, enters));
        }
        curves.push(Cubic { from: enters, first: corner, second: corner, to: leaves });
        at = leaves;
    }
    if at != last || curves.is_empty() {
        curves.push(straight(at, last));
    }
    Path { curves }
}

/// The point straight out of a port.
fn stub(end: LinkEnd, length: f64) -> Point {
    end.anchor.shifted(match end.edge {
        Edge::Left => Point::new(-length, 0.0),
        Edge::Right => Point::new(length, 0.0),
        Edge::Top => Point::new(0.0, -length),
        Edge::Bottom => Point::new(0.0, length),
    })
}

fn is_level(edge: Edge) -> bool {
    matches!(edge, Edge::Left | Edge::Right)
}

/// Lanes of other links, and those that a link may take instead.
struct Traffic<'l> {
    /// Lines next to which there are lanes.
    beside: &'l [Line],
    /// Lines of other links.
    taken: &'l [Line],
    lanes: Lanes,
}

/// The lines on which a way may lie, and where each is blocked.
struct Grid {
    xs: Vec<f64>,
    ys: Vec<f64>,
    /// For the piece from each crossing to the right, and down: what passing it costs beyond its length, for each unit of
    /// length; `None` where a box is in the way.
    right: Vec<Option<u32>>,
    down: Vec<Option<u32>>,
    /// Number of lines of other links through each crossing: level, and upright.
    crossed: [Vec<u8>; 2],
    source: LinkEnd,
    target: LinkEnd,
    begins: (usize, usize),
    ends: (usize, usize),
}

impl Grid {
    /// The grid within a region of lines at a clearance from boxes, at the ends, and of lanes beside some lines; `None` where
    /// an end is closed in.
    fn new(
        source: LinkEnd,
        target: LinkEnd,
        boxes: &[Rect],
        region: Rect,
        clearance: f64,
        traffic: &Traffic<'_>,
    ) -> Option<Self> {
        let length = STUB.min(clearance + 4.0);
        let (begin, end) = (stub(source, length), stub(target, length));
        // Half a unit less, so that a line along the clearance is free.
        let blocked: Vec<Rect> = boxes.iter().map(|held| held.grown(clearance - 0.5)).collect();
        if blocked.iter().any(|area| area.contains(begin) || area.contains(end)) {
            return None;
        }
        let mut xs = vec![begin.x, end.x, f64::midpoint(begin.x, end.x)];
        let mut ys = vec![begin.y, end.y, f64::midpoint(begin.y, end.y)];
        for held in boxes {
            xs.extend([held.min.x - clearance, held.max.x + clearance]);
            ys.extend([held.min.y - clearance, held.max.y + clearance]);
        }
        let lanes = traffic.lanes;
        for line in traffic.beside {
            let places = if line.is_level { &mut ys } else { &mut xs };
            let distance = lanes.distance(line.is_level);
            let beside = (1..=N_LANES).map(|lane| distance * f64::from(lane));
            places.extend(beside.flat_map(|by| [line.at - by, line.at + by]));
        }
        let settle = |places: &mut Vec<f64>, low: f64, high: f64| {
            places.retain(|place| (low..=high).contains(place));
            places.sort_by(f64::total_cmp);
            places.dedup();
        };
        settle(&mut xs, region.min.x, region.max.x);
        settle(&mut ys, region.min.y, region.max.y);
        let find = |places: &[f64], place: f64| places.iter().position(|known| *known == place);
        let begins = (find(&xs, begin.x)?, find(&ys, begin.y)?);
        let ends = (find(&xs, end.x)?, find(&ys, end.y)?);
        let n_crossings = xs.len() * ys.len();
        let mut grid = Self {
            xs,
            ys,
            right: vec![Some(0); n_crossings],
            down: vec![Some(0); n_crossings],
            crossed: [vec![0; n_crossings], vec![0; n_crossings]],
            source,
            target,
            begins,
            ends,
        };
        blocked.into_iter().for_each(|area| grid.block(area));
        traffic.taken.iter().for_each(|line| grid.take(line, lanes));
        Some(grid)
    }

    fn at(&self, column: usize, row: usize) -> usize {
        row * self.xs.len() + column
    }

    /// Blocks all pieces that have a point within an area.
    fn block(&mut self, area: Rect) {
        let within = |places: &[f64], low: f64, high: f64| {
            let first = places.partition_point(|place| *place <= low);
            let last = places.partition_point(|place| *place < high);
            first..last
        };
        let columns = within(&self.xs, area.min.x, area.max.x);
        let rows = within(&self.ys, area.min.y, area.max.y);
        // The piece that enters begins one crossing earlier.
        for row in rows.clone() {
            for column in columns.start.saturating_sub(1)..columns.end.max(columns.start) {
                let at = self.at(column, row);
                self.right[at] = None;
            }
        }
        for column in columns {
            for row in rows.start.saturating_sub(1)..rows.end.max(rows.start) {
                let at = self.at(column, row);
                self.down[at] = None;
            }
        }
    }

    /// Makes the lane of another link dear, and crossing it a little.
    fn take(&mut self, line: &Line, lanes: Lanes) {
        let (along, across) = if line.is_level { (&self.xs, &self.ys) } else { (&self.ys, &self.xs) };
        let distance = lanes.distance(line.is_level) - 0.5;
        let lanes: Vec<usize> =
            (0..across.len()).filter(|&lane| (across[lane] - line.at).abs() < distance).collect();
        let first = along.partition_point(|place| *place < line.from);
        let last = along.partition_point(|place| *place <= line.to);
        let pieces = first.saturating_sub(1)..last;
        for &lane in &lanes {
            for piece in pieces.clone() {
                let (column, row) = if line.is_level { (piece, lane) } else { (lane, piece) };
                if column >= self.xs.len() || row >= self.ys.len() {
                    continue;
                }
                let at = self.at(column, row);
                let costs = if line.is_level { &mut self.right } else { &mut self.down };
                costs[at] = costs[at].map(|_| SHARED);
            }
        }
        let near = across.iter().position(|place| (place - line.at).abs() < LANE / 2.0);
        if let Some(lane) = near {
            for piece in first..last {
                let (column, row) = if line.is_level { (piece, lane) } else { (lane, piece) };
                let at = self.at(column, row);
                let held = &mut self.crossed[usize::from(!line.is_level)][at];
                *held = held.saturating_add(1);
            }
        }
    }

    /// The cheapest way, by A* (Hart, Nilsson and Raphael 1968) over crossings and the direction in which each is left.
    fn search(&self) -> Option<Vec<Point>> {
        let n_columns = self.xs.len();
        let n_states = 2 * n_columns * self.ys.len();
        let state = |column: usize, row: usize, level: bool| 2 * self.at(column, row) + usize::from(level);
        let rest = |column: usize, row: usize| {
            let (x, y) = (self.xs[column] - self.xs[self.ends.0], self.ys[row] - self.ys[self.ends.1]);
            (x.abs() + y.abs()) as u32
        };
        let mut costs = vec![u32::MAX; n_states];
        let mut before = vec![u32::MAX; n_states];
        let mut open = BinaryHeap::new();
        let first = state(self.begins.0, self.begins.1, is_level(self.source.edge));
        costs[first] = 0;
        open.push(Reverse((rest(self.begins.0, self.begins.1), first)));
        let arrives = is_level(self.target.edge);
        let goal = state(self.ends.0, self.ends.1, arrives);
        while let Some(Reverse((estimate, at))) = open.pop() {
            if at == goal {
                return Some(self.corners(&before, first, goal));
            }
            let (level, crossing) = (at % 2 == 1, at / 2);
            let (column, row) = (crossing % n_columns, crossing / n_columns);
            let cost = costs[at];
            if estimate > cost.saturating_add(rest(column, row)) {
                continue;
            }
            let mut reach = |next: usize, column: usize, row: usize, by: u32| {
                let total = cost.saturating_add(by);
                if total < costs[next] {
                    costs[next] = total;
                    before[next] = at as u32;
                    open.push(Reverse((total.saturating_add(rest(column, row)), next)));
                }
            };
            // Turn here.
            reach(state(column, row, !level), column, row, CORNER);
            // Or go on in the same direction, either way.
            let steps: [Option<(usize, usize, usize)>; 2] = if level {
                [
                    (column + 1 < n_columns).then(|| (column + 1, row, self.at(column, row))),
                    column.checked_sub(1).map(|left| (left, row, self.at(left, row))),
                ]
            } else {
                [
                    (row + 1 < self.ys.len()).then(|| (column, row + 1, self.at(column, row))),
                    row.checked_sub(1).map(|up| (column, up, self.at(column, up))),
                ]
            };
            for (to_column, to_row, piece) in steps.into_iter().flatten() {
                let Some(extra) = (if level { self.right[piece] } else { self.down[piece] }) else {
                    continue;
                };
                let length = if level {
                    (self.xs[to_column] - self.xs[column]).abs()
                } else {
                    (self.ys[to_row] - self.ys[row]).abs()
                };
                let crossed = u32::from(self.crossed[usize::from(level)][self.at(to_column, to_row)]);
                let by = length.ceil() as u32 * (1 + extra) + crossed * CROSSING;
                // Back over what it came along is never cheaper.
                reach(state(to_column, to_row, level), to_column, to_row, by.max(1));
            }
        }
        None
    }

    /// The corners of the way that was found, from anchor to anchor.
    fn corners(&self, before: &[u32], first: usize, goal: usize) -> Vec<Point> {
        let n_columns = self.xs.len();
        let place = |state: usize| {
            let crossing = state / 2;
            Point::new(self.xs[crossing % n_columns], self.ys[crossing / n_columns])
        };
        let mut points = vec![self.target.anchor, place(goal)];
        let mut at = goal;
        while at != first {
            at = before[at] as usize;
            points.push(place(at));
        }
        points.push(self.source.anchor);
        points.reverse();
        points.dedup();
        let mut corners: Vec<Point> = Vec::new();
        for point in points {
            if let [.., one, other] = corners.as_slice() {
                let is_straight =
                    one.x == other.x && other.x == point.x || one.y == other.y && other.y == point.y;
                if is_straight {
                    corners.pop();
                }
            }
            corners.push(point);
        }
        corners
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
