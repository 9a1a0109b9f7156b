//! The report as SVG, for light and dark pages: sections below each other.
//!
//! What is smaller than a pixel is drawn together with its neighbors, so that the size of a picture does not grow with the
//! number of events.

use std::fmt::Write as _;

use super::figure::{ratio, time};
use super::report::Report;

/// Utilization, concurrency, levels.
mod chart;
/// Who had what of whom.
mod matrix;
/// Workers over time.
mod timeline;

const STYLE: &str = include_str!("svg/style.css");
const MARGIN: f64 = 24.0;
const WIDTH: f64 = 1080.0;
/// Where plots begin, behind the names of their rows, and how wide they are.
const LEFT: f64 = MARGIN + 76.0;
pub(super) const PLOT_WIDTH: f64 = WIDTH - LEFT - MARGIN;
/// Groups with a color of their own.
const N_COLORS: usize = 8;

/// Draws the report.
pub(super) fn draw(report: &Report) -> String {
    let mut picture = Picture { body: String::new(), top: MARGIN };
    let colors = Colors::new(report);
    put_head(&mut picture, report);
    if let Some(times) = &report.times {
        put_legend(&mut picture, report, &colors);
        timeline::draw(&mut picture, report, times, &colors);
        chart::utilization(&mut picture, times);
        chart::concurrency(&mut picture, times);
        chart::path(&mut picture, report, &colors);
    } else {
        chart::levels(&mut picture, &report.levels);
        chart::path(&mut picture, report, &colors);
    }
    matrix::draw(&mut picture, report);
    let [width, height] = [WIDTH, picture.top].map(number);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>performance of {}</title>\n<style>\n{STYLE}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{}</svg>\n",
        escaped(&report.program),
        picture.body
    )
}

/// What has been drawn, from top to bottom.
struct Picture {
    body: String,
    top: f64,
}

impl Picture {
    fn rect(&mut self, class: &str, [x, y, width, height]: [f64; 4]) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(number);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        );
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let [x, y] = [x, y].map(number);
        let _ = writeln!(self.body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
    }

    fn line(&mut self, [x1, y1, x2, y2]: [f64; 4]) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
        let _ = writeln!(self.body, "<path class=\"grid\" d=\"M{x1} {y1}L{x2} {y2}\"/>");
    }

    fn path(&mut self, class: &str, course: &str) {
        if !course.is_empty() {
            let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{course}\"/>");
        }
    }

    /// The headline of a section, with a remark behind it.
    fn section(&mut self, title: &str, remark: &str) {
        self.top += 28.0;
        let [x, y] = [MARGIN, self.top].map(number);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\"><tspan class=\"head\">{}</tspan><tspan class=\"quiet\" dx=\"10\">{}</tspan></text>",
            escaped(title),
            escaped(remark)
        );
        self.top += 12.0;
    }
}

/// Colors of groups: the largest ones have their own.
struct Colors {
    /// For each group its color; `N_COLORS` for all others.
    color_of: Vec<usize>,
    /// Groups by color.
    colored: Vec<usize>,
    has_others: bool,
}

impl Colors {
    fn new(report: &Report) -> Self {
        let mut order: Vec<usize> = (0..report.groups.len()).collect();
        let weight = |group: &usize| {
            let load = &report.loads[*group];
            if report.times.is_some() { load.computing } else { load.n_events }
        };
        order.sort_by_key(|group| (std::cmp::Reverse(weight(group)), *group));
        let mut color_of = vec![N_COLORS; order.len()];
        let has_others = order.len() > N_COLORS;
        order.truncate(N_COLORS);
        // Neighbors in the program have neighboring colors, whatever they weigh.
        order.sort_unstable();
        order.iter().enumerate().for_each(|(color, &group)| color_of[group] = color);
        Self { color_of, colored: order, has_others }
    }

    fn of(&self, group: usize) -> usize {
        self.color_of.get(group).copied().unwrap_or(N_COLORS)
    }
}

/// The class of a color.
fn class(color: usize) -> String {
    if color < N_COLORS { format!("g{color}") } else { "gx".to_owned() }
}

fn put_head(picture: &mut Picture, report: &Report) {
    picture.top += 12.0;
    picture.text("title", MARGIN, picture.top, &report.program);
    let span = &report.path;
    let told = match &report.times {
        Some(times) => format!(
            "{} events in {} · work {} · average parallelism {} · critical path {} · most speed-up {}",
            report.n_events,
            time(report.wall()),
            time(times.work),
            ratio(if report.wall() == 0 { 0.0 } else { times.work as f64 / report.wall() as f64 }),
            time(span.span),
            ratio(report.most_speed_up())
        ),
        None => format!(
            "{} events without times · critical path {} events · average parallelism {}",
            report.n_events,
            span.span,
            ratio(report.most_speed_up())
        ),
    };
    picture.top += 20.0;
    picture.text("quiet", MARGIN, picture.top, &told);
    picture.top += 2.0;
}

fn put_legend(picture: &mut Picture, report: &Report, colors: &Colors) {
    picture.top += 22.0;
    let mut x = MARGIN;
    let others = colors.has_others.then_some("others");
    let named = colors.colored.iter().map(|&group| &*report.groups[group]).chain(others);
    for (color, name) in named.enumerate() {
        let shown = shortened(name, 32);
        let width = 24.0 + 6.6 * shown.chars().count() as f64;
        if x + width > WIDTH - MARGIN && x > MARGIN {
            (x, picture.top) = (MARGIN, picture.top + 18.0);
        }
        picture.rect(&class(color), [x, picture.top - 9.0, 11.0, 11.0]);
        picture.text("", x + 16.0, picture.top, &shown);
        x += width;
    }
}

/// Moments at which there are ticks, about eight of them, with their texts.
fn ticks(first: u64, last: u64) -> Vec<(u64, String)> {
    let about = ((last - first) / 8).max(1);
    let power = 10_u64.pow(about.ilog10());
    let step =
        [1, 2, 5, 10].map(|factor| power.saturating_mul(factor)).into_iter().find(|step| *step >= about);
    let step = step.unwrap_or(about);
    let (unit, name) = match last {
        0..10_000 => (1, "ns"),
        10_000..10_000_000 => (1_000, "us"),
        10_000_000..10_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let n_digits = if step >= unit { 0 } else { unit.ilog10() - step.ilog10() } as usize;
    let text = |at: u64| format!("{:.n_digits$} {name}", at as f64 / unit as f64);
    let start = first.div_ceil(step);
    (start..=last / step).map(|n| (n * step, text(n * step))).collect()
}

/// The end of a long name says most.
fn shortened(name: &str, most: usize) -> String {
    let n_letters = name.chars().count();
    if n_letters <= most {
        return name.to_owned();
    }
    let end: String = name.chars().skip(n_letters + 1 - most).collect();
    format!("\u{2026}{end}")
}

/// A number with at most two digits behind the point.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let texts = |first, last| ticks(first, last).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(
            texts(0, 800),
            ["0 ns", "100 ns", "200 ns", "300 ns", "400 ns", "500 ns", "600 ns", "700 ns", "800 ns"]
        );
        assert_eq!(texts(123_456, 323_456), ["150 us", "200 us", "250 us", "300 us"]);
        assert_eq!(texts(12_000_000, 12_002_000)[..2], ["12.0000 ms", "12.0005 ms"]);
        assert_eq!(texts(7, 7), ["7 ns"]);
        assert!(texts(0, u64::MAX).len() < 20);
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(shortened("/call[2]/Mult[3]", 8), "\u{2026}Mult[3]");
        assert_eq!(shortened("Mult", 8), "Mult");
    }
}
