//! Clicks at one place.

use std::time::{Duration, Instant};

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::input::Button;

/// Longest time between the clicks of a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// Longest way between them, in logical pixels.
const DOUBLE_CLICK_WAY: f64 = 5.0;

/// Counts clicks at one place.
#[derive(Default)]
pub(crate) struct Clicks(Option<(Instant, Button, Point, u8)>);

impl Clicks {
    pub(super) fn press(&mut self, at: Point, button: Button) -> u8 {
        let now = Instant::now();
        let n_clicks = match self.0 {
            Some((then, held, place, n_clicks))
                if held == button
                    && now.duration_since(then) < DOUBLE_CLICK
                    && place.distance(at) < DOUBLE_CLICK_WAY =>
            {
                n_clicks % 2 + 1
            }
            _ => 1,
        };
        self.0 = Some((now, button, at, n_clicks));
        n_clicks
    }
}
