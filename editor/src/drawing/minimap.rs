//! The whole picture, small: where boxes are and what the window shows of it.

use super::geometry::{Point, Rect};
use super::scene::Scene;

/// How the picture is scaled into a small rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimap {
    /// The part of the world that is shown.
    world: Rect,
    /// Map pixels for a world unit.
    scale: f64,
    /// Where the world's upper left corner is on the map.
    offset: Point,
}

impl Minimap {
    /// A map of all of a scene and of what the window shows, in the middle of a rectangle, in map pixels.
    pub fn new(scene: &Scene, visible: Rect, map: Rect) -> Self {
        let world = scene.bounds().map_or(visible, |bounds| bounds.union(visible));
        let [width, height] = [world.width(), world.height()].map(|extent| extent.max(1.0));
        let scale = (map.width() / width).min(map.height() / height).max(f64::MIN_POSITIVE);
        let left_over = [map.width() - world.width() * scale, map.height() - world.height() * scale];
        let offset = Point::new(map.min.x + left_over[0] / 2.0, map.min.y + left_over[1] / 2.0);
        Self { world, scale, offset }
    }

    /// Where a world point is on the map.
    pub fn map_from_world(&self, world: Point) -> Point {
        let from_corner = Point::new(world.x - self.world.min.x, world.y - self.world.min.y);
        Point::new(from_corner.x * self.scale, from_corner.y * self.scale).shifted(self.offset)
    }

    /// The world point at a place of the map: what is to be in the middle of the window when a person clicks there.
    pub fn world_from_map(&self, map: Point) -> Point {
        let from_corner = Point::new(map.x - self.offset.x, map.y - self.offset.y);
        Point::new(from_corner.x / self.scale, from_corner.y / self.scale).shifted(self.world.min)
    }

    /// A world rectangle on the map: a box, a frame, or what the window shows.
    pub fn map_rect_from_world(&self, world: Rect) -> Rect {
        Rect { min: self.map_from_world(world.min), max: self.map_from_world(world.max) }
    }

    /// All boxes of a scene on the map, in their order.
    pub fn boxes(&self, scene: &Scene) -> Vec<Rect> {
        scene.boxes.iter().map(|node| self.map_rect_from_world(node.area)).collect()
    }
}
