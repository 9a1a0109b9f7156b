//! Boxes in line: on the grid, aligned, at equal distances.

use super::geometry::Rect;
use crate::edit::place::Position;

/// Distance of the grid's lines, in world units.
pub const GRID: i64 = 10;

/// The point of the grid that is nearest to a world point.
pub fn snapped(x: f64, y: f64) -> Position {
    let on_grid = |value: f64| ((value / GRID as f64).round() as i64).saturating_mul(GRID);
    [on_grid(x), on_grid(y)]
}

/// What of boxes is to be in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Align {
    /// Left edges.
    Left,
    /// Middles, one above the other.
    Center,
    /// Right edges.
    Right,
    /// Upper edges.
    Top,
    /// Middles, side by side.
    Middle,
    /// Lower edges.
    Bottom,
}

impl Align {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Left, Self::Center, Self::Right, Self::Top, Self::Middle, Self::Bottom];
}

/// Where boxes go, in their order, when aligned within the rectangle around all: upper left corners, in whole units.
pub fn aligned(boxes: &[Rect], align: Align) -> Vec<Position> {
    let Some(all) = boxes.iter().copied().reduce(Rect::union) else { return Vec::new() };
    let corner = |area: &Rect| {
        let (x, y) = match align {
            Align::Left => (all.min.x, area.min.y),
            Align::Center => (all.center().x - area.width() / 2.0, area.min.y),
            Align::Right => (all.max.x - area.width(), area.min.y),
            Align::Top => (area.min.x, all.min.y),
            Align::Middle => (area.min.x, all.center().y - area.height() / 2.0),
            Align::Bottom => (area.min.x, all.max.y - area.height()),
        };
        [x.round() as i64, y.round() as i64]
    };
    boxes.iter().map(corner).collect()
}

/// In which direction boxes are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribute {
    /// From left to right.
    Horizontally,
    /// From top to bottom.
    Vertically,
}

/// Where boxes go, in their order, when the gaps between neighbors are made equal: upper left corners, in whole units.
/// The outermost stay; where there is not room enough, boxes overlap evenly.
pub fn distributed(boxes: &[Rect], direction: Distribute) -> Vec<Position> {
    let start = |area: &Rect| if direction == Distribute::Horizontally { area.min.x } else { area.min.y };
    let end = |area: &Rect| if direction == Distribute::Horizontally { area.max.x } else { area.max.y };
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&one, &other| {
        let center = |box_idx: usize| start(&boxes[box_idx]) + end(&boxes[box_idx]);
        center(one).total_cmp(&center(other)).then(one.cmp(&other))
    });
    let mut positions: Vec<Position> =
        boxes.iter().map(|area| [area.min.x.round() as i64, area.min.y.round() as i64]).collect();
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return positions };
    if order.len() < 3 {
        return positions;
    }
    let taken: f64 = boxes.iter().map(|area| end(area) - start(area)).sum();
    let gap = (end(&boxes[last]) - start(&boxes[first]) - taken) / (order.len() - 1) as f64;
    let mut next = end(&boxes[first]) + gap;
    for &box_idx in &order[1..order.len() - 1] {
        let axis = usize::from(direction == Distribute::Vertically);
        positions[box_idx][axis] = next.round() as i64;
        next += end(&boxes[box_idx]) - start(&boxes[box_idx]) + gap;
    }
    positions
}
