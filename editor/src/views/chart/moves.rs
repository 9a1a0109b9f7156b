//! Panning, zooming, and what is under the cursor.

use super::{Chart, GUTTER, HEADER, REACH, Viewport};

/// Pixels of a unit at most: an event fills half a window.
const MOST_SCALE: f64 = 400.0;
/// Pixels of a lane at most.
const MOST_LANE_HEIGHT: f64 = 60.0;
/// Pixels of a lane where there is room.
const USUAL_LANE_HEIGHT: f64 = 22.0;

/// Pixels of a lane with a name.
const NAMED_LANE_HEIGHT: f64 = 12.0;
/// Number of lanes up to which each one has a name where all are shown.
const MOST_NAMED: f64 = 60.0;

impl Chart {
    fn room(&self) -> (f64, f64) {
        ((self.width as f64 - GUTTER).max(1.0), (self.height as f64 - HEADER).max(1.0))
    }

    pub(super) fn fitting(&self) -> Viewport {
        let (width, height) = self.room();
        let n_lanes = self.lanes.n_lanes().max(1) as f64;
        Viewport {
            left: 0.0,
            scale: (width / self.lanes.extent()).min(60.0),
            top: 0.0,
            // Lanes are as high as their names, and the others are scrolled to, unless there are very many of them.
            lane_height: match height / n_lanes {
                tight if n_lanes <= MOST_NAMED => tight.clamp(NAMED_LANE_HEIGHT, USUAL_LANE_HEIGHT),
                tight => tight.min(USUAL_LANE_HEIGHT),
            },
        }
    }

    /// Shows everything.
    pub fn fit(&mut self) {
        self.view = self.fitting();
        self.version += 1;
    }

    /// Shows everything from left to right; lanes stay as high as they are.
    pub fn fit_width(&mut self) {
        let all = self.fitting();
        (self.view.left, self.view.scale) = (all.left, all.scale);
        self.version += 1;
    }

    /// Moves the picture by pixels, as a hand does that holds it.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        if dx.is_finite() && dy.is_finite() {
            self.view.left -= dx / self.view.scale;
            self.view.top -= dy;
            self.limit();
        }
    }

    /// Multiplies widths; what is under the cursor stays there.
    pub fn zoom_x(&mut self, x: f64, factor: f64) {
        let held = self.place_at(x);
        let least = self.fitting().scale;
        let most = self.most_scale();
        self.view.scale = (self.view.scale * sane(factor)).clamp(least.min(most), most);
        self.view.left = held - (x - GUTTER) / self.view.scale;
        self.limit();
    }

    /// Multiplies the heights of lanes; what is under the cursor stays there.
    pub fn zoom_y(&mut self, y: f64, factor: f64) {
        let held = (self.view.top + y - HEADER) / self.view.lane_height;
        let (_, height) = self.room();
        let all = height / self.lanes.n_lanes().max(1) as f64;
        let least = self.fitting().lane_height.min(all).min(MOST_LANE_HEIGHT);
        self.view.lane_height = (self.view.lane_height * sane(factor)).clamp(least, MOST_LANE_HEIGHT);
        self.view.top = held * self.view.lane_height - (y - HEADER);
        self.limit();
    }

    /// Multiplies both.
    pub fn zoom(&mut self, x: f64, y: f64, factor: f64) {
        self.zoom_x(x, factor);
        self.zoom_y(y, factor);
    }

    /// Shows places from one to another.
    pub fn show_places(&mut self, from: f64, to: f64) {
        let (width, _) = self.room();
        let least = self.fitting().scale;
        let most = self.most_scale();
        self.view.scale = (width / (to - from).max(1e-9)).clamp(least.min(most), most);
        self.view.left = from;
        self.limit();
    }

    /// Moves the picture so that an event is visible; where it is not, to the middle.
    pub fn reveal(&mut self, event: u32) {
        let Some(lane) = self.lanes.lane(&self.record, event) else { return };
        let (width, height) = self.room();
        let (start, end) = self.lanes.place(&self.record, event);
        let (x, x_end) =
            ((start - self.view.left) * self.view.scale, (end - self.view.left) * self.view.scale);
        if x < 0.0 || x_end > width {
            self.view.left = (start + end) / 2.0 - width / 2.0 / self.view.scale;
        }
        let y = f64::from(lane) * self.view.lane_height - self.view.top;
        if y < 0.0 || y + self.view.lane_height > height {
            self.view.top = (f64::from(lane) + 0.5) * self.view.lane_height - height / 2.0;
        }
        self.limit();
    }

    /// Moves the picture so that a place of the axis is visible: when it is not, to three quarters of the width.
    pub fn follow(&mut self, place: f64) {
        let (from, to) = self.visible_places();
        if place < from || place > to {
            self.view.left = place - 0.75 * (to - from);
            self.limit();
        }
    }

    fn most_scale(&self) -> f64 {
        MOST_SCALE.max(self.fitting().scale)
    }

    pub(super) fn limit(&mut self) {
        let (width, height) = self.room();
        let most_left = (self.lanes.extent() - width / self.view.scale * 0.5).max(0.0);
        self.view.left = self.view.left.clamp(0.0, most_left);
        let all = self.lanes.n_lanes() as f64 * self.view.lane_height;
        self.view.top = self.view.top.clamp(0.0, (all - height).max(0.0));
        self.version += 1;
    }

    /// The place of the axis at a column of the picture.
    pub fn place_at(&self, x: f64) -> f64 {
        self.view.left + (x - GUTTER) / self.view.scale
    }

    /// The column of the picture at a place of the axis.
    pub fn x_of(&self, place: f64) -> f64 {
        GUTTER + (place - self.view.left) * self.view.scale
    }

    /// The lane at a row of the picture: the one that is drawn there, the last one of several.
    pub fn lane_at(&self, y: f64) -> Option<usize> {
        let lane = ((self.view.top + (y - HEADER).floor() + 1.0) / self.view.lane_height).ceil() - 1.0;
        (y >= HEADER && lane >= 0.0 && (lane as usize) < self.lanes.n_lanes()).then_some(lane as usize)
    }

    /// The event at a point of the picture: the nearest one of the lane, or of the lanes that share the pixel, as far as it
    /// is within three pixels.
    pub fn hit(&self, x: f64, y: f64) -> Option<u32> {
        let lane = self.lane_at(y)?;
        if x < GUTTER || x >= self.width as f64 {
            return None;
        }
        let merge = self.lanes.merge_for(self.view.lane_height);
        let row = lane >> (2 * merge);
        let place = self.place_at(x);
        let reach = REACH / self.view.scale;
        // What is less than a pixel wide is drawn as one.
        let pixel = 1.0 / self.view.scale;
        let near = self.lanes.events_in(merge, row, place - reach - pixel, place + reach);
        let apart = |event: u32| {
            let (start, end) = self.lanes.place(&self.record, event);
            let end = end.max(start + pixel);
            if place < start { start - place } else { (place - end).max(0.0) }
        };
        // The later one lies above.
        let nearest = near.iter().rev().map(|&event| (apart(event), event));
        let nearest = nearest.reduce(|one, other| if other.0 < one.0 { other } else { one })?;
        (nearest.0 <= reach).then_some(nearest.1)
    }
}

/// A factor that a hand can give.
fn sane(factor: f64) -> f64 {
    if factor.is_finite() && factor > 0.0 { factor.clamp(0.01, 100.0) } else { 1.0 }
}
