//! Moving the picture while something is dragged at the border of the canvas, or beyond it.

use std::time::Duration;

use super::super::editor::Editor;
use super::super::input::Modifiers;
use super::phase::Gesture;
use crate::drawing::geometry::Point;

/// How near the border of the canvas a drag moves the picture, in pixels.
const BORDER: f64 = 24.0;
/// How fast it then does, in pixels in a second for each pixel beyond.
const BORDER_SPEED: f64 = 25.0;

impl Editor {
    /// How far beyond the border zone the mouse is while something is dragged, to the right and down.
    fn beyond_border(&self) -> Point {
        let is_drag = matches!(
            self.gesture,
            Gesture::Band { .. }
                | Gesture::Carry(_)
                | Gesture::Pull(_)
                | Gesture::Wire(_)
                | Gesture::Knife(_)
        );
        // A canvas without room in the middle does not move.
        let is_large = self.size.x > 3.0 * BORDER && self.size.y > 3.0 * BORDER;
        let Some(at) = self.cursor.filter(|_| is_drag && is_large) else { return Point::default() };
        let beyond = |value: f64, extent: f64| {
            (value - (extent - BORDER)).clamp(0.0, 3.0 * BORDER) - (BORDER - value).clamp(0.0, 3.0 * BORDER)
        };
        Point::new(beyond(at.x, self.size.x), beyond(at.y, self.size.y))
    }

    pub(in super::super) fn is_panning_at_border(&self) -> bool {
        self.beyond_border() != Point::default()
    }

    pub(in super::super) fn pan_at_border(&mut self, passed: Duration) {
        let beyond = self.beyond_border();
        let Some(at) = self.cursor.filter(|_| beyond != Point::default()) else { return };
        // After a pause, one step and no jump.
        let by = -BORDER_SPEED * passed.as_secs_f64().min(0.1);
        let mut view = self.view();
        view.pan(Point::new(beyond.x * by, beyond.y * by));
        self.set_view(view);
        self.go_on(at, Modifiers::NONE);
    }
}
