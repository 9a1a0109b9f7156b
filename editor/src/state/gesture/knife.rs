//! Cutting wires: a line drawn across them removes them.

use super::super::drawn::Shown;
use super::super::editor::Editor;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::hit::{Band, banded};
use crate::edit::link::{self, LinkList};

impl Editor {
    /// The links that a line drawn over the picture crosses, by position.
    pub(in super::super) fn crossed(&self, points: &[Point]) -> Vec<usize> {
        let Some(shown) = self.drawn.shown() else { return Vec::new() };
        let Some(bounds) = Rect::around(points.iter().copied()) else { return Vec::new() };
        let near = banded(&shown.scene, &shown.index, bounds, Band::Touch).links;
        near.into_iter().filter(|&link_idx| is_crossed(shown, link_idx, points)).collect()
    }

    pub(super) fn cut(&mut self, points: &[Point]) {
        let crossed = self.crossed(points);
        let Some(shown) = self.drawn.shown() else { return };
        let mut rows: Vec<(LinkList, usize)> =
            crossed.iter().map(|&idx| (shown.scene.links[idx].list, shown.scene.links[idx].row)).collect();
        rows.sort_unstable();
        let label = match rows.len() {
            0 => return,
            1 => "cut a wire".to_owned(),
            n_rows => format!("cut {n_rows} wires"),
        };
        self.edit_graph(&label, |tables, graph| {
            // From the last row on: the others keep theirs.
            rows.iter().rev().try_for_each(|(list, row)| link::remove(tables, graph, *list, *row))
        });
    }
}

fn is_crossed(shown: &Shown, link_idx: usize, points: &[Point]) -> bool {
    let lines: Vec<Vec<Point>> =
        shown.scene.links[link_idx].path.curves.iter().map(|curve| curve.points().collect()).collect();
    points.windows(2).any(|cut| {
        lines.iter().any(|line| line.windows(2).any(|piece| do_cross(cut[0], cut[1], piece[0], piece[1])))
    })
}

/// Whether two straight lines have a point in common; those that run along each other do not.
fn do_cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side = |from: Point, to: Point, at: Point| {
        (to.x - from.x) * (at.y - from.y) - (to.y - from.y) * (at.x - from.x)
    };
    let (first, second) = (side(a, b, c), side(a, b, d));
    let (third, fourth) = (side(c, d, a), side(c, d, b));
    (first > 0.0) != (second > 0.0) && (third > 0.0) != (fourth > 0.0)
}
