//! A picture of events in lanes: the event history (Hyder 1994, figure 6-5) and the time-line.
//!
//! Where events are large enough, each is a box with its name, and the orderings between them are lines. Where they are
//! not, each pixel says how many events fall into it, and only the orderings of the event that is selected or under the
//! cursor are drawn. Both follow from what is visible alone.

use std::sync::Arc;

use super::lanes::{Axis, Lanes, LanesBy, Window};
use super::overlay::Overlay;
use super::record::arrays::Record;
use super::task::{Task, Wake};

/// What a picture is drawn on.
mod canvas;
/// Boxes and lines.
mod detail;
/// Drawing.
mod draw;
/// Texts around the lanes.
mod labels;
/// Going around in the picture.
mod moves;

/// Most events that are drawn one by one.
const MOST_DETAILED: usize = 2_000;
/// Least width and height of a box, in pixels.
const LEAST_BOX: f64 = 8.0;
/// Width of the names of lanes, in pixels.
const GUTTER: f64 = 130.0;
/// Height of the axis above the lanes, in pixels.
const HEADER: f64 = 20.0;
/// Pixels from an event within which it is hit.
const REACH: f64 = 3.0;

/// What is visible, and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The place of the axis at the left edge of the lanes.
    pub left: f64,
    /// Pixels for a unit of the axis.
    pub scale: f64,
    /// Pixels of lanes above the upper edge.
    pub top: f64,
    /// Pixels of a lane.
    pub lane_height: f64,
}

/// How events are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChartOptions {
    /// What has a lane.
    pub by: LanesBy,
    /// What places from left to right say.
    pub axis: Axis,
    /// Whether instances that a restriction leaves out have no lanes, rather than faint ones.
    pub hides_others: bool,
}

/// A picture of events in lanes.
pub struct Chart {
    record: Arc<Record>,
    options: ChartOptions,
    lanes: Arc<Lanes>,
    /// Lanes for `options`, under way.
    coming: Option<Task<Option<Lanes>>>,
    wake: Wake,
    width: usize,
    height: usize,
    view: Viewport,
    /// Whether the picture is to show everything once there are lanes.
    fits: bool,
    hovered: Option<u32>,
    version: u64,
}

impl Chart {
    /// A picture of a record that shows all of it. Lanes come from a thread; until then it is empty.
    pub fn new(record: Arc<Record>, options: ChartOptions, wake: Wake) -> Self {
        let (width, height) = (800, 400);
        let empty = Arc::new(Lanes::empty());
        let view = Viewport { left: 0.0, scale: 1.0, top: 0.0, lane_height: 20.0 };
        let mut chart = Self {
            record,
            options,
            lanes: empty,
            coming: None,
            wake,
            width,
            height,
            view,
            fits: true,
            hovered: None,
            version: 1,
        };
        chart.lay_out(None);
        chart
    }

    /// The record.
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// How events are laid out.
    pub fn options(&self) -> ChartOptions {
        self.options
    }

    /// The lanes that are shown.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// What is visible.
    pub fn viewport(&self) -> Viewport {
        self.view
    }

    /// Changes with everything that the picture depends on, but for the overlay.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Lays events out in another way, and shows all of them.
    pub fn set_options(&mut self, options: ChartOptions, overlay: &Overlay) {
        if options != self.options {
            self.fits = true;
            self.options = options;
            self.lay_out(overlay.kept.as_ref());
        }
    }

    /// Takes up another state of a restriction.
    pub fn set_restriction(&mut self, overlay: &Overlay) {
        self.version += 1;
        if self.options.hides_others {
            self.fits = true;
            self.lay_out(overlay.kept.as_ref());
        }
    }

    /// Takes up a record that has grown. What is visible stays, unless the picture showed everything.
    pub fn set_record(&mut self, record: Arc<Record>, overlay: &Overlay) {
        let all = self.fitting();
        let showed_all = self.view.scale <= all.scale * 1.01;
        self.fits |= showed_all;
        self.record = record;
        self.lay_out(overlay.kept.as_ref());
    }

    fn lay_out(&mut self, kept: Option<&Arc<Vec<bool>>>) {
        let (record, options) = (Arc::clone(&self.record), self.options);
        let kept = kept.filter(|_| options.hides_others).cloned();
        self.coming = Some(Task::start(Arc::clone(&self.wake), move |control| {
            let kept = kept.as_ref().map(|kept| &kept[..]);
            Lanes::new(&record, options.by, options.axis, kept, Some(control))
        }));
        self.version += 1;
    }

    /// Takes up lanes that have been made; whether there are new ones.
    pub fn poll(&mut self) -> bool {
        let lanes = self.coming.as_ref().and_then(Task::poll);
        let Some(lanes) = lanes else { return false };
        self.coming = None;
        let Some(lanes) = lanes else { return false };
        self.lanes = Arc::new(lanes);
        self.hovered = None;
        if std::mem::take(&mut self.fits) {
            self.fit();
        }
        self.version += 1;
        true
    }

    /// Waits until lanes are made.
    pub fn wait(&mut self) {
        if let Some(lanes) = self.coming.take().and_then(|coming| coming.wait()).flatten() {
            self.lanes = Arc::new(lanes);
            if std::mem::take(&mut self.fits) {
                self.fit();
            }
            self.version += 1;
        }
    }

    /// Whether lanes are being made.
    pub fn is_busy(&self) -> bool {
        self.coming.as_ref().is_some_and(|coming| !coming.is_lost())
    }

    /// Width of the picture in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The size of the picture in pixels, the names of lanes and the axis included.
    pub fn set_size(&mut self, width: usize, height: usize) {
        let size = (width.clamp(1, 16_384), height.clamp(1, 16_384));
        if size == (self.width, self.height) {
            return;
        }
        let all = self.fitting();
        let showed_all = (self.view.scale - all.scale).abs() <= all.scale * 0.01;
        (self.width, self.height) = size;
        self.version += 1;
        if showed_all { self.fit() } else { self.limit() }
    }

    fn window(&self) -> Window {
        let n_columns = (self.width as f64 - GUTTER).max(0.0) as i64;
        Window { left: self.view.left, scale: self.view.scale, n_columns }
    }

    /// Whether each visible event is drawn for itself.
    pub fn is_detailed(&self) -> bool {
        let is_wide = self.lanes.axis() == Axis::Time || self.view.scale >= LEAST_BOX;
        if !is_wide || self.view.lane_height < LEAST_BOX {
            return false;
        }
        self.n_visible(MOST_DETAILED + 1) <= MOST_DETAILED
    }

    /// The rows of lanes, not merged, that are visible.
    fn visible_lanes(&self) -> std::ops::Range<usize> {
        let first = (self.view.top / self.view.lane_height).floor().max(0.0) as usize;
        let room = (self.height as f64 - HEADER).max(0.0);
        let last = ((self.view.top + room) / self.view.lane_height).ceil().max(0.0) as usize;
        first.min(self.lanes.n_lanes())..last.min(self.lanes.n_lanes())
    }

    /// The places of the axis that are visible.
    pub fn visible_places(&self) -> (f64, f64) {
        (self.view.left, self.view.left + self.window().n_columns as f64 / self.view.scale)
    }

    /// Number of visible events, as far as to `most`.
    fn n_visible(&self, most: usize) -> usize {
        let (from, to) = self.visible_places();
        let mut n_visible = 0;
        for lane in self.visible_lanes() {
            n_visible += self.lanes.events_in(0, lane, from, to).len();
            if n_visible >= most {
                break;
            }
        }
        n_visible
    }

    /// The visible events, lane by lane, as far as to `most`.
    pub fn visible(&self, most: usize) -> Vec<u32> {
        let (from, to) = self.visible_places();
        let lanes = self.visible_lanes();
        lanes.flat_map(|lane| self.lanes.events_in(0, lane, from, to)).copied().take(most).collect()
    }

    /// The place of the axis behind so many events; `None` for the beginning where places are not positions.
    pub fn place_of_position(&self, position: u32) -> Option<f64> {
        match self.lanes.axis() {
            Axis::Order => Some(f64::from(position)),
            Axis::Level | Axis::Time => {
                let last = position.checked_sub(1).filter(|&last| last < self.record.n_events())?;
                Some(self.lanes.place(&self.record, last).1)
            }
        }
    }

    /// The event under the cursor, for its orderings and its name.
    pub fn hovered(&self) -> Option<u32> {
        self.hovered
    }

    /// Notes where the cursor is; whether the picture changes by it.
    pub fn hover(&mut self, at: Option<(f64, f64)>) -> bool {
        let hovered = at.and_then(|(x, y)| self.hit(x, y));
        let is_new = hovered != self.hovered;
        self.hovered = hovered;
        self.version += u64::from(is_new);
        is_new
    }
}
