//! The report as SVG, for light and dark pages: sections below each other.
//!
//! What is smaller than a pixel is drawn together with its neighbors, so that the size of a picture does not grow with the
//! number of events.

use super::figure::{ratio, time};
use super::report::Report;
use color::{Colors, class};
use picture::{MARGIN, Picture, WIDTH, escaped, number, shortened};

impl Report {
    /// The report as a picture, for light and dark pages.
    pub fn to_svg(&self) -> String {
        draw(self)
    }
}

/// Utilization, concurrency, levels.
mod chart;
/// Colors.
mod color;
/// Who had what of whom.
mod matrix;
/// The picture under construction.
pub(super) mod picture;
/// Workers over time.
mod timeline;

const STYLE: &str = include_str!("svg/style.css");

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
