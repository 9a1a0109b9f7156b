//! Finding boxes and links near a place: a grid of cells, each with what touches it.
//!
//! Comments and frames are few, as people make them by hand; they are looked through.

/// A grid of cells, each with the numbers of what touches it.
pub(super) mod cells;

use super::geometry::Rect;
use super::measure::PORT_RADIUS;
use super::scene::Scene;
use cells::Cells;

/// Boxes and links that may be near a place, by position in the scene; in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Near {
    pub(super) boxes: Vec<usize>,
    pub(super) links: Vec<usize>,
}

/// Where the boxes and links of a scene are, for [`hit`](super::hit).
#[derive(Clone, Debug, Default)]
pub struct SpatialIndex {
    boxes: Cells,
    links: Cells,
}

impl SpatialIndex {
    /// The index of a scene. Cost: linear in boxes, links and the cells that they touch; some milliseconds for 2,000
    /// boxes.
    pub fn new(scene: &Scene) -> Self {
        let mut index = Self { boxes: Cells::new(scene.boxes.len()), links: Cells::new(scene.links.len()) };
        let (boxes, links): (Vec<usize>, Vec<usize>) =
            ((0..scene.boxes.len()).collect(), (0..scene.links.len()).collect());
        index.update(scene, &boxes, &links);
        index
    }

    /// Takes in that boxes are elsewhere; `links` are those at them, as
    /// [`Scene::move_boxes`](super::scene::Scene::move_boxes) gives them. Cost: linear in what is named, and what shares
    /// cells with it.
    pub fn update(&mut self, scene: &Scene, boxes: &[usize], links: &[usize]) {
        for &box_idx in boxes {
            if let Some(node) = scene.boxes.get(box_idx) {
                self.boxes.put(box_idx, [node.area.grown(PORT_RADIUS)]);
            }
        }
        for &link_idx in links {
            if let Some(link) = scene.links.get(link_idx) {
                self.links.put(link_idx, link.extents());
            }
        }
    }

    /// All boxes and links that touch a rectangle, and some others.
    pub(super) fn near(&self, area: Rect) -> Near {
        Near { boxes: self.boxes.near(area), links: self.links.near(area) }
    }
}
