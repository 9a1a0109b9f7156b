//! A grid of cells, each with the numbers of what touches it.

use std::collections::HashMap;

use crate::drawing::geometry::Rect;

/// Width and height of a cell: about that of a box.
const CELL: f64 = 200.0;
/// Cells above which something is held apart and always looked at.
const MOST_CELLS: usize = 96;

type Cell = (i32, i32);

/// Numbered things by the cells that their rectangles touch. Equal things at equal places make it equal, in whatever order they
/// came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Cells {
    /// Numbers in each cell, ascending; none is empty.
    cells: HashMap<Cell, Vec<usize>>,
    /// Things in too many cells, ascending.
    large: Vec<usize>,
    /// The cells of each thing; `None` for what is in too many.
    of: Vec<Option<Vec<Cell>>>,
}

impl Cells {
    /// Room for a number of things, which are nowhere yet.
    pub(in super::super) fn new(n_things: usize) -> Self {
        Self { cells: HashMap::new(), large: Vec::new(), of: vec![Some(Vec::new()); n_things] }
    }

    /// Puts a thing at rectangles, in place of those where it was. Cost: linear in the cells, and what shares them.
    pub(in super::super) fn put(&mut self, thing: usize, areas: impl IntoIterator<Item = Rect>) {
        let Some(own) = self.of.get_mut(thing) else { return };
        match std::mem::take(own) {
            Some(cells) => {
                for cell in cells {
                    if let Some(held) = self.cells.get_mut(&cell) {
                        held.retain(|held| *held != thing);
                        if held.is_empty() {
                            self.cells.remove(&cell);
                        }
                    }
                }
            }
            None => self.large.retain(|held| *held != thing),
        }
        let cells = cells_of(areas);
        let insert = |held: &mut Vec<usize>| {
            let at = held.partition_point(|known| *known < thing);
            held.insert(at, thing);
        };
        match &cells {
            Some(cells) => cells.iter().for_each(|cell| insert(self.cells.entry(*cell).or_default())),
            None => insert(&mut self.large),
        }
        self.of[thing] = cells;
    }

    /// All things that touch one of some rectangles, and some others, ascending.
    pub(in super::super) fn near_any(&self, areas: &[Rect]) -> Vec<usize> {
        let mut near: Vec<usize> = areas.iter().flat_map(|area| self.near(*area)).collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    /// All things that touch a rectangle, and some others, ascending.
    pub(in super::super) fn near(&self, area: Rect) -> Vec<usize> {
        let (min, max) = (cell_of(area.min.x, area.min.y), cell_of(area.max.x, area.max.y));
        if n_cells(min, max) > self.of.len().max(MOST_CELLS) {
            // All of them are looked at sooner than all cells.
            return (0..self.of.len()).collect();
        }
        let mut near = self.large.clone();
        for cell in (min.0..=max.0).flat_map(|x| (min.1..=max.1).map(move |y| (x, y))) {
            if let Some(held) = self.cells.get(&cell) {
                near.extend_from_slice(held);
            }
        }
        near.sort_unstable();
        near.dedup();
        near
    }
}

/// Numbers beyond all cells become the last one.
fn cell_of(x: f64, y: f64) -> Cell {
    ((x / CELL).floor() as i32, (y / CELL).floor() as i32)
}

fn n_cells(min: Cell, max: Cell) -> usize {
    let extent = |min: i32, max: i32| usize::try_from(i64::from(max) - i64::from(min) + 1).unwrap_or(0);
    extent(min.0, max.0).saturating_mul(extent(min.1, max.1))
}

/// The cells that rectangles touch, each once; `None` where they are too many.
fn cells_of(areas: impl IntoIterator<Item = Rect>) -> Option<Vec<Cell>> {
    let mut cells: Vec<Cell> = Vec::new();
    for area in areas {
        let (min, max) = (cell_of(area.min.x, area.min.y), cell_of(area.max.x, area.max.y));
        if n_cells(min, max) > MOST_CELLS {
            return None;
        }
        for cell in (min.0..=max.0).flat_map(|x| (min.1..=max.1).map(move |y| (x, y))) {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        if cells.len() > MOST_CELLS {
            return None;
        }
    }
    Some(cells)
}
