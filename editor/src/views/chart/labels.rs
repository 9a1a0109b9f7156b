//! Texts around the lanes: places of the axis, and names.

use super::super::lanes::{Axis, LanesBy};
use super::super::pixels::Text;
use super::super::record::facts_nanos;
use super::canvas::Canvas;
use super::{GUTTER, HEADER};

/// Height of letters of lane names.
const LANE_TEXT: f64 = 11.0;
/// Least distance of texts at the axis.
const AXIS_STEP: f64 = 110.0;

impl Canvas<'_> {
    /// Texts along the axis.
    pub(super) fn header(&mut self) {
        let chart = self.chart;
        let (width, bottom) = (chart.width as i64, HEADER as i64);
        self.pixels.rect((0, width), (0, bottom), self.palette.stripe);
        self.pixels.rect((0, width), (bottom - 1, bottom), self.palette.dimmed);
        let (from, to) = chart.visible_places();
        let is_time = chart.lanes.axis() == Axis::Time;
        let unit = if is_time { chart.lanes.unit_nanos() } else { 1.0 };
        let offset = if is_time { chart.lanes.nanos_at(0.0) } else { 0.0 };
        let step = round_step(AXIS_STEP / chart.view.scale * unit).max(1.0);
        let mut at = ((from * unit + offset) / step).ceil() * step;
        while at <= to.min(chart.lanes.extent()) * unit + offset {
            let x = chart.x_of((at - offset) / unit);
            self.pixels.rect((x as i64, x as i64 + 1), (bottom - 5, bottom), self.palette.faint_ink);
            let string = if is_time { facts_nanos(at as u64) } else { format!("{}", at as u64 + 1) };
            let (x, y) = (x as f32 + 3.0, HEADER as f32 / 2.0 - 1.0);
            let width = AXIS_STEP as f32 - 6.0;
            self.texts.push(Text { x, y, width, size: 10.0, color: self.palette.faint_ink, string });
            at += step;
        }
    }

    /// Names of lanes.
    pub(super) fn names(&mut self) {
        let chart = self.chart;
        let rows = (HEADER as i64, chart.height as i64);
        self.pixels.rect((0, GUTTER as i64 - 1), rows, self.palette.stripe);
        let height = chart.view.lane_height;
        // Lanes that are too low for a name each have one together; the last ones go with those before them.
        let every = ((LANE_TEXT + 1.0) / height).ceil().max(1.0) as usize;
        let n_lanes = chart.lanes.n_lanes();
        let n_groups = (n_lanes / every).max(1);
        let seen = chart.visible_lanes();
        for group in seen.start / every..seen.end.div_ceil(every).min(n_groups) {
            let lane = group * every;
            let last = if group + 1 == n_groups { n_lanes - 1 } else { lane + every - 1 };
            let middle = (lane + last + 1) as f64 / 2.0 * height;
            let y = HEADER + middle - chart.view.top;
            if y < HEADER + LANE_TEXT / 2.0 - 2.0 || y + LANE_TEXT / 2.0 - 2.0 > chart.height as f64 {
                continue;
            }
            let name = chart.lanes.name(&chart.record, lane);
            let string = match chart.lanes.name(&chart.record, last) {
                other if last > lane => {
                    format!("{name} \u{2013} {}", other.rsplit('/').next().unwrap_or_default())
                }
                _ => name,
            };
            let instance = chart.lanes.key(lane).filter(|_| chart.lanes.by() == LanesBy::Action);
            let color = match instance {
                Some(instance) if self.is_selected(instance) => self.palette.selected,
                Some(instance) if !self.overlay.keeps(instance) => self.palette.faint_ink,
                _ => self.palette.ink,
            };
            self.texts.push(Text {
                x: 6.0,
                y: y as f32,
                width: GUTTER as f32 - 12.0,
                size: LANE_TEXT as f32,
                color,
                string,
            });
        }
    }

    /// A thumb at the right edge that shows which part of the lanes is seen; none where all are.
    pub(super) fn thumb(&mut self) {
        let chart = self.chart;
        let room = (chart.height as f64 - HEADER).max(0.0);
        let all = chart.lanes.n_lanes() as f64 * chart.view.lane_height;
        if all <= room + 1.0 {
            return;
        }
        let length = (room * room / all).max(16.0).min(room);
        let from = HEADER + (chart.view.top / (all - room)).clamp(0.0, 1.0) * (room - length);
        let right = chart.width as i64 - 2;
        self.pixels.rect((right - 4, right), (from as i64, (from + length) as i64), self.palette.faint_ink);
    }
}

/// The next one of 1, 2, 5, 10, 20, ...
fn round_step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= least)
        .unwrap_or(least)
}
