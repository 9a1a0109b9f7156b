//! What part of the picture a window shows, and how large.
//!
//! World units are those of the picture at its own size; screen pixels count from the upper left corner of the canvas.

use super::geometry::{Point, Rect};

/// Least zoom.
pub const MIN_ZOOM: f64 = 0.05;
/// Greatest zoom.
pub const MAX_ZOOM: f64 = 4.0;
/// Zoom above which [`View::fit`] does not go: a small graph is not blown up.
pub const MAX_FIT_ZOOM: f64 = 1.0;

/// Where the canvas is over the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The world point in the upper left corner of the canvas.
    origin: Point,
    /// Screen pixels for a world unit; from [`MIN_ZOOM`] to [`MAX_ZOOM`].
    zoom: f64,
}

impl Default for View {
    fn default() -> Self {
        Self { origin: Point::new(0.0, 0.0), zoom: 1.0 }
    }
}

fn limited(zoom: f64) -> f64 {
    if zoom.is_finite() { zoom.clamp(MIN_ZOOM, MAX_ZOOM) } else { 1.0 }
}

impl View {
    /// A view with a world point in the upper left corner; the zoom is kept within its limits.
    pub fn new(origin: Point, zoom: f64) -> Self {
        Self { origin, zoom: limited(zoom) }
    }

    /// Screen pixels for a world unit.
    pub fn zoom(&self) -> f64 {
        self.zoom
    }

    /// The world point in the upper left corner of the canvas.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// Where a world point is on the canvas.
    pub fn screen_from_world(&self, world: Point) -> Point {
        Point::new((world.x - self.origin.x) * self.zoom, (world.y - self.origin.y) * self.zoom)
    }

    /// The world point at a place of the canvas.
    pub fn world_from_screen(&self, screen: Point) -> Point {
        Point::new(screen.x / self.zoom + self.origin.x, screen.y / self.zoom + self.origin.y)
    }

    /// Where a world rectangle is on the canvas.
    pub fn screen_rect_from_world(&self, world: Rect) -> Rect {
        Rect { min: self.screen_from_world(world.min), max: self.screen_from_world(world.max) }
    }

    /// The part of the world that a canvas of a size shows.
    pub fn visible(&self, canvas: Point) -> Rect {
        Rect { min: self.origin, max: self.world_from_screen(canvas) }
    }

    /// Moves the picture by screen pixels, as a hand does that holds it.
    pub fn pan(&mut self, by_screen: Point) {
        self.origin.x -= by_screen.x / self.zoom;
        self.origin.y -= by_screen.y / self.zoom;
    }

    /// Multiplies the zoom; the world point under the cursor stays there. For a wheel, a factor of `1.0015^pixels` of
    /// its delta feels even, however many events a notch is cut into.
    pub fn zoom_at(&mut self, cursor: Point, factor: f64) {
        self.set_zoom_at(cursor, self.zoom * factor);
    }

    /// Sets the zoom; the world point under the cursor stays there.
    pub fn set_zoom_at(&mut self, cursor: Point, zoom: f64) {
        let held = self.world_from_screen(cursor);
        self.zoom = limited(zoom);
        self.origin = Point::new(held.x - cursor.x / self.zoom, held.y - cursor.y / self.zoom);
    }

    /// Puts a world point in the middle of a canvas.
    pub fn center_on(&mut self, world: Point, canvas: Point) {
        self.origin = Point::new(world.x - canvas.x / 2.0 / self.zoom, world.y - canvas.y / 2.0 / self.zoom);
    }

    /// The view that shows a rectangle whole and in the middle, with a margin in screen pixels, as large as limits
    /// allow; where the least zoom is too large for that, its middle.
    pub fn fit(bounds: Rect, canvas: Point, margin: f64) -> Self {
        let room = |whole: f64| (whole - 2.0 * margin).max(1.0);
        let scale = |extent: f64, room: f64| if extent > 0.0 { room / extent } else { f64::MAX };
        let zoom = scale(bounds.width(), room(canvas.x)).min(scale(bounds.height(), room(canvas.y)));
        let mut view = Self { origin: bounds.min, zoom: limited(zoom.min(MAX_FIT_ZOOM)) };
        view.center_on(bounds.center(), canvas);
        view
    }
}
