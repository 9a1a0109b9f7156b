//! Workers over time, with the critical path.

use hasse_model::quantity::counted;
use std::fmt::Write as _;

use super::color::{Colors, N_COLORS, class};
use super::picture::{LEFT, MARGIN, PLOT_WIDTH, Picture, number, ticks};
use crate::perf::report::{Bar, Report, Times, WorkerLoad};

/// Workers that are drawn.
const MOST_LANES: usize = 64;
/// Heights in which a column of a pixel is drawn: eighths of a lane.
const N_HEIGHTS: usize = 8;

/// Where moments stand.
pub(super) struct Scale {
    first: u64,
    wall: f64,
}

impl Scale {
    pub(super) fn new(times: &Times) -> Self {
        Self { first: times.first, wall: (times.last - times.first).max(1) as f64 }
    }

    /// The distance of a moment from the left end of the plot.
    fn offset(&self, at: u64) -> f64 {
        self.width(at.saturating_sub(self.first))
    }

    /// The width of a stretch.
    fn width(&self, nanos: u64) -> f64 {
        nanos as f64 / self.wall * PLOT_WIDTH
    }

    pub(super) fn x(&self, at: u64) -> f64 {
        LEFT + self.offset(at)
    }
}

/// Draws a lane for each worker.
pub(super) fn draw(picture: &mut Picture, report: &Report, times: &Times, colors: &Colors) {
    let n_lanes = times.workers.len().min(MOST_LANES);
    let pitch = if n_lanes <= 16 { 26.0 } else { 14.0 };
    let height = pitch - 6.0;
    let remark = match times.workers.len() - n_lanes {
        0 => "colors: what computed; red: the critical path".to_owned(),
        n_more => {
            format!(
                "colors: what computed; red: the critical path; not drawn: {}",
                counted(n_more, "more worker")
            )
        }
    };
    picture.section("Workers", &remark);
    let scale = Scale::new(times);
    let top = picture.top;
    let bottom = top + pitch * n_lanes as f64;
    for (at, text) in ticks(times.first, times.last) {
        let x = scale.x(at);
        picture.line([x, top, x, bottom]);
        picture.text("quiet middle", x, bottom + 13.0, &text);
    }
    for (lane, worker) in times.workers.iter().take(n_lanes).enumerate() {
        let y = top + pitch * lane as f64;
        picture.text("right quiet", LEFT - 8.0, y + height / 2.0 + 4.0, &format!("worker {}", worker.worker));
        picture.rect("plot", [LEFT, y, PLOT_WIDTH, height]);
        put_lane(picture, worker, &scale, colors, (y, height));
    }
    put_path(picture, report, &times.workers[..n_lanes], &scale, (top + height, pitch));
    picture.top = bottom + 18.0;
}

/// The events of a worker: those of a pixel and more one by one, the others together.
fn put_lane(
    picture: &mut Picture,
    worker: &WorkerLoad,
    scale: &Scale,
    colors: &Colors,
    (top, height): (f64, f64),
) {
    let mut columns = vec![[0.0; N_COLORS + 1]; PLOT_WIDTH as usize + 1];
    let mut single: Vec<(&Bar, f64)> = Vec::new();
    for bar in &worker.lane {
        single.push((bar, scale.offset(bar.to) - scale.offset(bar.from)));
    }
    for short in &worker.columns {
        let column = (short.column as usize).min(columns.len() - 1);
        columns[column][colors.of(short.group as usize)] += scale.width(short.nanos);
    }
    put_columns(picture, &columns, (top, height));
    for (bar, width) in single {
        let color = colors.of(bar.group as usize);
        // Neighbors of one color stay apart.
        let shown = if width >= 4.0 { width - 0.6 } else { width };
        picture.rect(&class(color), [scale.x(bar.from), top, shown, height]);
    }
}

/// Columns of a pixel, as high as they were busy, in the color of what was most; equal neighbors in one.
fn put_columns(picture: &mut Picture, columns: &[[f64; N_COLORS + 1]], (top, height): (f64, f64)) {
    let looks: Vec<Option<(usize, usize)>> = columns
        .iter()
        .map(|busy| {
            let all: f64 = busy.iter().sum();
            let most = busy.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1))?;
            let n_heights = (all.min(1.0) * N_HEIGHTS as f64).ceil() as usize;
            (all > 0.0).then_some((most.0, n_heights.max(1)))
        })
        .collect();
    let mut at = 0;
    for run in looks.chunk_by(|one, other| one == other) {
        if let Some((color, n_heights)) = run[0] {
            let shown = height * n_heights as f64 / N_HEIGHTS as f64;
            let area = [LEFT + at as f64, top + height - shown, run.len() as f64, shown];
            picture.rect(&class(color), area);
        }
        at += run.len();
    }
}

/// The critical path as a line below the lanes that it is on.
fn put_path(
    picture: &mut Picture,
    report: &Report,
    workers: &[WorkerLoad],
    scale: &Scale,
    (below, pitch): (f64, f64),
) {
    /// Beyond, a step from lane to lane could not be told from the next one.
    const MOST_HOPS: usize = 1500;
    // From where to where, on which lane; steps that are less than half a pixel apart are one.
    let mut marks: Vec<(f64, f64, usize)> = Vec::new();
    for mark in &report.path.course {
        let Some(lane) = workers.iter().position(|worker| worker.worker == mark.worker) else { continue };
        let (from, to) = (scale.x(mark.from), scale.x(mark.to));
        match marks.last_mut() {
            Some(last) if last.2 == lane && from - last.1 < 0.5 => last.1 = to,
            _ => marks.push((from, to, lane)),
        }
    }
    let y = |lane: usize| below + 1.5 + pitch * lane as f64;
    let (mut course, mut hops) = (String::new(), String::new());
    let mut drawn = vec![MARGIN; workers.len()];
    for &(from, to, lane) in &marks {
        // Marks on one lane come from left to right.
        if to - drawn[lane] >= 0.5 {
            let _ = write!(course, "M{} {}H{}", number(from), number(y(lane)), number(to.max(from + 1.0)));
            drawn[lane] = to;
        }
    }
    if marks.len() <= MOST_HOPS {
        for pair in marks.windows(2) {
            let ((_, from, one), (to, _, other)) = (pair[0], pair[1]);
            let _ = write!(hops, "M{} {}L{} {}", number(from), number(y(one)), number(to), number(y(other)));
        }
    }
    picture.path("hop", &hops);
    picture.path("path", &course);
}
