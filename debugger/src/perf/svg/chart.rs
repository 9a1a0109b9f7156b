//! Charts: utilization over time, how many events computed at once, what the critical path consists of.

use hasse_model::quantity::counted;
use std::fmt::Write as _;

use super::color::{Colors, class};
use super::picture::{LEFT, PLOT_WIDTH, Picture, number, shortened, ticks};
use super::timeline::Scale;
use crate::perf::figure::{percent, time};
use crate::perf::report::{Report, Times};
use crate::perf::sweep::sum;

/// Columns of a chart.
const MOST_COLUMNS: usize = 120;

/// The share of the workers that was busy, over time.
pub(super) fn utilization(picture: &mut Picture, times: &Times) {
    const HEIGHT: f64 = 90.0;
    let wall = times.last - times.first;
    let n_workers = times.workers.len().max(1);
    let busy = sum(times.workers.iter().map(|worker| worker.busy));
    let share = percent(busy, wall.saturating_mul(n_workers as u64));
    picture.section("Utilization", &format!("{share} of {}", counted(times.workers.len(), "worker")));
    let (top, bottom) = (picture.top, picture.top + HEIGHT);
    let scale = Scale::new(times);
    put_frame(picture, [top, PLOT_WIDTH, HEIGHT], &["100 %", "50 %", "0"]);
    let width = PLOT_WIDTH / times.bins.len().max(1) as f64;
    let full = (wall as f64 / times.bins.len().max(1) as f64 * n_workers as f64).max(1.0);
    let mut course = format!("M{} {}", number(LEFT), number(bottom));
    for (bin, &busy) in times.bins.iter().enumerate() {
        let y = bottom - HEIGHT * (busy as f64 / full).min(1.0);
        let _ = write!(course, "V{}H{}", number(y), number(LEFT + width * (bin + 1) as f64));
    }
    let _ = write!(course, "V{}z", number(bottom));
    picture.path("busy", &course);
    for (at, text) in ticks(times.first, times.last) {
        picture.text("quiet middle", scale.x(at), bottom + 13.0, &text);
    }
    picture.top = bottom + 18.0;
}

/// For what share of the time how many events computed at once.
pub(super) fn concurrency(picture: &mut Picture, times: &Times) {
    let wall = (times.last - times.first).max(1) as f64;
    let shares: Vec<f64> = times.profile.iter().map(|&nanos| nanos as f64 / wall).collect();
    let n_each = shares.len().div_ceil(MOST_COLUMNS).max(1);
    let columns: Vec<(String, f64)> = shares
        .chunks(n_each)
        .enumerate()
        .map(|(at, chunk)| (range(at * n_each, chunk.len()), chunk.iter().sum()))
        .collect();
    picture.section("Concurrency", "share of the time in which so many events computed at once");
    let most = columns.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    let most = if most > 0.0 { most } else { 1.0 };
    let scale = [format!("{:.0} %", most * 100.0), format!("{:.0} %", most * 50.0), "0".to_owned()];
    put_columns(picture, &columns, most, &scale);
}

/// How many events are at each distance from the beginning, where each takes one unit of time.
pub(super) fn levels(picture: &mut Picture, levels: &[u64]) {
    let n_each = levels.len().div_ceil(MOST_COLUMNS).max(1);
    let columns: Vec<(String, f64)> = levels
        .chunks(n_each)
        .enumerate()
        .map(|(at, chunk)| {
            let mean = chunk.iter().sum::<u64>() as f64 / chunk.len() as f64;
            (range(at * n_each + 1, chunk.len()), mean)
        })
        .collect();
    picture.section(
        "Concurrency",
        "events that could execute at once, step by step, if each took the same time",
    );
    let most = columns.iter().map(|(_, mean)| *mean).fold(0.0, f64::max).max(1.0);
    put_columns(picture, &columns, most, &[format!("{most:.0}"), String::new(), "0".to_owned()]);
}

fn range(first: usize, n: usize) -> String {
    if n <= 1 { first.to_string() } else { format!("{first}-{}", first + n - 1) }
}

fn put_columns(picture: &mut Picture, columns: &[(String, f64)], most: f64, scale: &[String; 3]) {
    const HEIGHT: f64 = 110.0;
    let (top, bottom) = (picture.top, picture.top + HEIGHT);
    let scale: Vec<&str> = scale.iter().map(String::as_str).collect();
    let pitch = (PLOT_WIDTH / columns.len().max(1) as f64).min(72.0);
    let width = (pitch * columns.len() as f64).max(PLOT_WIDTH / 4.0);
    put_frame(picture, [top, width, HEIGHT], &scale);
    let longest = columns.iter().map(|(text, _)| text.len()).max().unwrap_or(1);
    // Texts must not run into each other.
    let n_apart = ((7.0 * longest as f64 + 8.0) / pitch).ceil().max(1.0) as usize;
    for (column, (text, value)) in columns.iter().enumerate() {
        let x = LEFT + pitch * column as f64;
        let height = HEIGHT * value / most;
        picture.rect("busy", [x + pitch * 0.1, bottom - height, pitch * 0.8, height]);
        if column % n_apart == 0 {
            picture.text("quiet middle", x + pitch / 2.0, bottom + 13.0, text);
        }
    }
    picture.top = bottom + 18.0;
}

/// The ground of a chart, with the texts of its top, its middle and its bottom.
fn put_frame(picture: &mut Picture, [top, width, height]: [f64; 3], scale: &[&str]) {
    picture.rect("plot", [LEFT, top, width, height]);
    for (at, text) in scale.iter().enumerate() {
        let y = top + height * at as f64 / (scale.len() - 1) as f64;
        picture.line([LEFT, y, LEFT + width, y]);
        picture.text("right quiet", LEFT - 8.0, y + 4.0, text);
    }
}

/// What the critical path consists of, as one bar, with its names below.
pub(super) fn path(picture: &mut Picture, report: &Report, colors: &Colors) {
    let path = &report.path;
    if path.steps.is_empty() {
        return;
    }
    let waiting = path.waiting;
    let is_timed = report.times.is_some();
    let elapsed = path.span + waiting.total();
    let figure = |amount: u64| if is_timed { time(amount) } else { amount.to_string() };
    let remark = match is_timed {
        true => format!(
            "{}, {} from its beginning to its end: computing {}, waiting {}",
            counted(path.n_steps, "event"),
            time(elapsed),
            time(path.span),
            time(waiting.total())
        ),
        false => counted(path.span, "event"),
    };
    picture.section("Critical path", &remark);
    const HEIGHT: f64 = 22.0;
    let mut parts: Vec<(String, String, u64)> = Vec::new();
    let mut others = 0;
    for share in &path.groups {
        match colors.of(share.group) {
            color if color < super::color::N_COLORS => {
                parts.push((class(color), report.groups[share.group].clone(), share.adds));
            }
            _ => others += share.adds,
        }
    }
    parts.push((class(super::color::N_COLORS), "others".to_owned(), others));
    parts.push(("wait others".to_owned(), "waiting for other predecessors".to_owned(), waiting.depends));
    parts.push(("wait".to_owned(), "ready without a worker".to_owned(), waiting.queued));
    parts.push(("wait locks".to_owned(), "waiting for locks".to_owned(), waiting.locked));
    parts.retain(|(_, _, amount)| *amount > 0);
    let (top, mut x) = (picture.top, LEFT);
    for (class, _, amount) in &parts {
        let width = *amount as f64 / elapsed.max(1) as f64 * PLOT_WIDTH;
        picture.rect(class, [x, top, width, HEIGHT]);
        x += width;
    }
    picture.top = top + HEIGHT + 18.0;
    let mut x = LEFT;
    for (class, name, amount) in &parts {
        let text = format!("{} {} ({})", shortened(name, 32), figure(*amount), percent(*amount, elapsed));
        let width = 28.0 + 6.4 * text.chars().count() as f64;
        if x + width > LEFT + PLOT_WIDTH && x > LEFT {
            (x, picture.top) = (LEFT, picture.top + 18.0);
        }
        let y = picture.top;
        picture.rect(class, [x, y - 9.0, 11.0, 11.0]);
        picture.text("", x + 16.0, y, &text);
        x += width;
    }
    picture.top += 6.0;
}
