//! The time-line: events by worker or instance against the clock, what workers did at each moment, and where the time went.
//!
//! The lanes are a [`Chart`](crate::views::chart::Chart) along time; a record without times is shown along its levels, as the
//! logical report counts each event as one unit. The figures are those of `hasse perf`, measured in the background.

use hasse_model::quantity::counted;
use std::sync::Arc;

use hasse_debugger::perf::{PerfError, PerfOptions, Report, measure};

use super::chart::Chart;
use super::pixels::{Pixels, Rgba, Text, Theme, mixed};
use super::record::arrays::Record;
use super::record::{LoadError, Opened, RecordSource, facts_nanos};
use super::task::{Task, Wake};

/// Figures as tables.
mod table;

pub use super::table::Table;

/// A performance report, with what the pictures need of it.
#[derive(Debug)]
pub struct Performance {
    /// The report, by node.
    pub report: Report,
    /// Events of the critical path, ascending.
    pub path: Arc<Vec<u32>>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum PerformanceError {
    /// The record cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It cannot be measured.
    #[error(transparent)]
    Measure(#[from] PerfError),
}

/// Measures a record in the background.
pub fn measured(
    source: RecordSource,
    record: Arc<Record>,
    wake: Wake,
) -> Task<Result<Performance, PerformanceError>> {
    Task::start(wake, move |_| {
        let opened = Opened::new(&source)?;
        let program = record.program().plan().map(|plan| (plan, &record.header().params[..]));
        let options = PerfOptions { program, n_steps: usize::MAX, ..PerfOptions::default() };
        let (report, _) = measure(opened, &options)?;
        let instances = record.instances_by_path();
        let steps = report.path.steps.iter();
        let mut path: Vec<u32> =
            steps.filter_map(|step| record.event_named(&instances, &step.event)).collect();
        path.sort_unstable();
        Ok(Performance { report, path: Arc::new(path) })
    })
}

impl Performance {
    /// How many workers were busy, or in a record without times how many events have each level, over the time that a
    /// chart shows, as a picture below the lanes, as wide as the chart. Heights are averages over what is measured together.
    pub fn draw_utilization(&self, chart: &Chart, height: usize, theme: Theme) -> (Pixels, Vec<Text>) {
        let palette = theme.palette();
        let width = chart.width();
        let mut pixels = Pixels::filled(Pixels::default(), width, height, palette.paper);
        let (curve, most, unit) = self.curve();
        let (first, last) =
            self.report.times.as_ref().map_or((0, curve.len() as u64), |times| (times.first, times.last));
        let is_timed = self.report.times.is_some();
        let span = (last - first).max(1) as f64;
        let fill: Rgba = mixed(palette.paper, palette.cause, 0.55);
        let x_start = chart.x_of(chart.place_at(0.0).max(0.0)).max(130.0) as usize;
        let share_at = |column: usize| {
            let place = chart.place_at(column as f64);
            let nanos = if is_timed { chart.lanes().nanos_at(place) } else { place };
            (nanos - first as f64) / span
        };
        for column in x_start..width {
            let share = share_at(column);
            if !(0.0..1.0).contains(&share) {
                continue;
            }
            // Of all that a column stands for, the most: what was computed for an instant only is seen, too.
            let begin = (share * curve.len() as f64) as usize;
            let end = ((share_at(column + 1) * curve.len() as f64) as usize)
                .clamp(begin + 1, curve.len().max(begin + 1));
            let values = curve.get(begin..end.min(curve.len())).unwrap_or(&[]);
            let value = values.iter().copied().fold(0.0, f64::max) / most.max(1e-9);
            let top = height as f64 - value.clamp(0.0, 1.0) * (height as f64 - 4.0);
            pixels.rect((column as i64, column as i64 + 1), (top as i64, height as i64), fill);
        }
        pixels.rect((0, width as i64), (0, 1), palette.dimmed);
        let text = |y: f32, string: String| Text {
            x: 6.0,
            y,
            width: 118.0,
            size: 10.0,
            color: palette.faint_ink,
            string,
        };
        let texts = vec![text(10.0, format!("{most:.0} {unit}")), text(height as f32 - 8.0, "0".to_owned())];
        (pixels, texts)
    }

    /// How long exactly so many events computed at once, as a bar for each number from left to right; in a record without
    /// times how many levels have so many events.
    pub fn draw_concurrency(&self, width: usize, height: usize, theme: Theme) -> (Pixels, Vec<Text>) {
        let palette = theme.palette();
        let mut pixels = Pixels::filled(Pixels::default(), width, height, palette.paper);
        pixels.rect((0, width as i64), (0, 1), palette.dimmed);
        let bars = self.concurrency();
        let most_n = bars.iter().map(|bar| bar.0).max().unwrap_or(0);
        let most = bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1) as f64;
        // Room for the title above and the numbers below.
        let (top, bottom) = (20.0, height as f64 - 16.0);
        let step = (width as f64 - 16.0) / (most_n + 1) as f64;
        let fill: Rgba = mixed(palette.paper, palette.cause, 0.55);
        let text = |x: f32, y: f32, width: f32, string: String| Text {
            x,
            y,
            width,
            size: 10.0,
            color: palette.faint_ink,
            string,
        };
        let title = match &self.report.times {
            Some(_) => "Time with so many workers busy",
            None => "Levels with so many events",
        };
        let mut texts = vec![text(8.0, 10.0, width as f32 - 16.0, title.to_owned())];
        // Numbers that do not touch each other.
        let every = (26.0 / step.max(0.01)).ceil().max(1.0) as u64;
        for (n, amount, _) in bars {
            let x = 8.0 + n as f64 * step;
            let tall = (bottom - top) * amount as f64 / most;
            let columns = (x as i64, ((x + step - 1.0) as i64).max(x as i64 + 1));
            if amount > 0 {
                pixels.rect(columns, ((bottom - tall.max(1.0)) as i64, bottom as i64), fill);
            }
            if n % every == 0 {
                texts.push(text(x as f32, bottom as f32 + 8.0, 26.0, n.to_string()));
            }
        }
        (pixels, texts)
    }

    /// Heights from left to right, the greatest height that there can be, and what they count.
    fn curve(&self) -> (Vec<f64>, f64, &'static str) {
        match &self.report.times {
            Some(times) => {
                let bin = (times.last - times.first) as f64 / times.bins.len().max(1) as f64;
                let curve = times.bins.iter().map(|&busy| busy as f64 / bin.max(1e-9)).collect();
                (curve, times.workers.len().max(1) as f64, "workers busy")
            }
            None => {
                let curve: Vec<f64> = self.report.levels.iter().map(|&n| n as f64).collect();
                let most = curve.iter().copied().fold(1.0, f64::max);
                (curve, most, "concurrent")
            }
        }
    }

    /// How long exactly so many events computed at once, by their number; in a record without times how many levels have
    /// so many events. With a text for each.
    pub fn concurrency(&self) -> Vec<(u64, u64, String)> {
        match &self.report.times {
            Some(times) => {
                let profile = (0..).zip(&times.profile);
                profile
                    .map(|(n, &nanos)| (n, nanos, format!("{n} at once for {}", facts_nanos(nanos))))
                    .collect()
            }
            None => {
                let mut n_levels = std::collections::BTreeMap::new();
                self.report.levels.iter().for_each(|&n| *n_levels.entry(n).or_insert(0_u64) += 1);
                let text =
                    |(n, levels)| (n, levels, format!("{n} concurrent at {}", counted(levels, "level")));
                n_levels.into_iter().map(text).collect()
            }
        }
    }
}
