//! Finding boxes and links near a place: a grid of cells, each with what touches it.
//!
//! Comments and frames are few, as people make them by hand; they are looked through.

use std::collections::HashMap;

use super::geometry::Rect;
use super::measure::PORT_RADIUS;
use super::scene::Scene;

/// Width and height of a cell: about that of a box.
const CELL: f64 = 200.0;
/// Cells above which something is held apart and always looked at.
const MOST_CELLS: usize = 96;

type Cell = (i32, i32);

/// Boxes and links that may be near a place, by position in the scene; in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Near {
    pub(super) boxes: Vec<usize>,
    pub(super) links: Vec<usize>,
}

/// Where the boxes and links of a scene are, for [`hit`](super::hit).
#[derive(Clone, Debug, Default)]
pub struct SpatialIndex {
    cells: HashMap<Cell, Near>,
    /// What is in too many cells.
    large: Near,
    /// For each box and link its cells; `None` for what is in too many.
    box_cells: Vec<Option<Vec<Cell>>>,
    link_cells: Vec<Option<Vec<Cell>>>,
}

impl SpatialIndex {
    /// The index of a scene. Cost: linear in boxes, links and the cells that they touch; some milliseconds for 2,000
    /// boxes.
    pub fn new(scene: &Scene) -> Self {
        let mut index = Self::default();
        index.box_cells = (0..scene.boxes.len()).map(|idx| index.add_box(scene, idx)).collect();
        index.link_cells = (0..scene.links.len()).map(|idx| index.add_link(scene, idx)).collect();
        index
    }

    /// Takes in that boxes are elsewhere; `links` are those at them, as
    /// [`Scene::move_boxes`](super::scene::Scene::move_boxes) gives them. Cost: linear in what is named, and what shares
    /// cells with it.
    pub fn update(&mut self, scene: &Scene, boxes: &[usize], links: &[usize]) {
        for &box_idx in boxes.iter().filter(|&&idx| idx < scene.boxes.len()) {
            match self.box_cells.get(box_idx).cloned().flatten() {
                Some(cells) => {
                    for cell in cells {
                        self.cells.entry(cell).or_default().boxes.retain(|held| *held != box_idx);
                    }
                }
                None => self.large.boxes.retain(|held| *held != box_idx),
            }
            let cells = self.add_box(scene, box_idx);
            if let Some(held) = self.box_cells.get_mut(box_idx) {
                *held = cells;
            }
        }
        for &link_idx in links.iter().filter(|&&idx| idx < scene.links.len()) {
            match self.link_cells.get(link_idx).cloned().flatten() {
                Some(cells) => {
                    for cell in cells {
                        self.cells.entry(cell).or_default().links.retain(|held| *held != link_idx);
                    }
                }
                None => self.large.links.retain(|held| *held != link_idx),
            }
            let cells = self.add_link(scene, link_idx);
            if let Some(held) = self.link_cells.get_mut(link_idx) {
                *held = cells;
            }
        }
    }

    fn add_box(&mut self, scene: &Scene, box_idx: usize) -> Option<Vec<Cell>> {
        let cells = cells_of([scene.boxes[box_idx].area.grown(PORT_RADIUS)]);
        match &cells {
            Some(cells) => {
                cells.iter().for_each(|cell| self.cells.entry(*cell).or_default().boxes.push(box_idx));
            }
            None => self.large.boxes.push(box_idx),
        }
        cells
    }

    fn add_link(&mut self, scene: &Scene, link_idx: usize) -> Option<Vec<Cell>> {
        let cells = cells_of(scene.links[link_idx].extents());
        match &cells {
            Some(cells) => {
                cells.iter().for_each(|cell| self.cells.entry(*cell).or_default().links.push(link_idx));
            }
            None => self.large.links.push(link_idx),
        }
        cells
    }

    /// All boxes and links that touch a rectangle, and some others.
    pub(super) fn near(&self, area: Rect) -> Near {
        let n_things = self.box_cells.len() + self.link_cells.len();
        let (min, max) = (cell_of(area.min.x, area.min.y), cell_of(area.max.x, area.max.y));
        let n_cells = n_cells(min, max);
        if n_cells > n_things.max(MOST_CELLS) {
            // All of them are looked at sooner than all cells.
            let (boxes, links) = (0..self.box_cells.len(), 0..self.link_cells.len());
            return Near { boxes: boxes.collect(), links: links.collect() };
        }
        let mut near = self.large.clone();
        for cell in (min.0..=max.0).flat_map(|x| (min.1..=max.1).map(move |y| (x, y))) {
            if let Some(held) = self.cells.get(&cell) {
                near.boxes.extend_from_slice(&held.boxes);
                near.links.extend_from_slice(&held.links);
            }
        }
        for found in [&mut near.boxes, &mut near.links] {
            found.sort_unstable();
            found.dedup();
        }
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
