//! The plot: for each workload a row of bars on a logarithmic axis, time for a unit beside oneTBB on one thread.

use std::fmt::Write as _;

use crate::ours::{Bodies, Mode};
use crate::race::{Race, System};
use crate::report::figure;
use crate::rust::Library;

const WIDTH: f64 = 900.0;
/// Where bars begin and end.
const LEFT: f64 = 300.0;
const RIGHT: f64 = 840.0;
const BAR_HEIGHT: f64 = 13.0;
const ROW_HEIGHT: f64 = 16.0;
/// Of the title of a workload.
const TITLE_HEIGHT: f64 = 26.0;
/// Of the heading above everything.
const TOP: f64 = 64.0;
/// Ratios at the ends of the axis.
const LEAST: f64 = 0.01;
const MOST: f64 = 100.0;

/// Contestants that are drawn, with their colors; on one thread unless they choose for themselves.
const DRAWN: [(System, &str); 10] = [
    (System::Tbb, "#8a8f98"),
    (System::Hasse(Bodies::Native, Mode::Off), "#1f6fb4"),
    (System::Hasse(Bodies::Native, Mode::Full), "#4b93cf"),
    (System::Hasse(Bodies::Native, Mode::Minimal), "#7fb3de"),
    (System::Hasse(Bodies::Native, Mode::Replay), "#b1d0ea"),
    (System::Hasse(Bodies::Compiled, Mode::Off), "#3f9a6b"),
    (System::Hasse(Bodies::Rhai, Mode::Off), "#c77c11"),
    (System::Library(Library::Rayon), "#b9bcc2"),
    (System::Library(Library::Crossbeam), "#b9bcc2"),
    (System::Library(Library::Timely), "#b9bcc2"),
];

/// The plot as SVG; `None` without oneTBB, as there is nothing to compare with.
pub(crate) fn svg(races: &[Race]) -> Option<String> {
    let (mut marks, mut y) = (String::new(), TOP);
    for race in races {
        let base = race.base()?.nanos_a_unit()?.median;
        y += TITLE_HEIGHT;
        let (workload, (unit, nanos)) = (race.workload, race.workload.time_unit());
        let title =
            format!("{} (oneTBB: {} {unit} a {})", workload.title(), figure(base / nanos), workload.unit());
        text(&mut marks, 16.0, y - 8.0, "start", "title", &title);
        for (system, color) in DRAWN {
            let own_line =
                race.lines.iter().find(|line| line.contestant.system == system && !line.samples.is_empty());
            let Some(line) = own_line else { continue };
            let Some(ratio) = race.base().and_then(|base| line.ratio_to(base)) else { continue };
            let (begin, end) = (x_of(LEAST), x_of(ratio.median));
            let name = match line.contestant.n_threads {
                1 => line.contestant.name(),
                n_threads => format!("{}, {n_threads} threads", line.contestant.name()),
            };
            text(&mut marks, LEFT - 8.0, y + 10.5, "end", "name", &name);
            let _ = writeln!(
                marks,
                "<rect x=\"{begin:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{BAR_HEIGHT}\" fill=\"{color}\"/>",
                end - begin
            );
            text(&mut marks, end + 5.0, y + 10.5, "start", "name", &figure(ratio.median));
            y += ROW_HEIGHT;
        }
    }
    let bottom = y + 8.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {:.0}\" font-family=\"sans-serif\">\n\
         <style>.title {{ font-size: 13px; font-weight: 600 }} .name {{ font-size: 11px }} text {{ fill: #222 }}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        bottom + 12.0
    );
    text(
        &mut out,
        16.0,
        24.0,
        "start",
        "title",
        "Time for a unit of each workload, divided by oneTBB's on one thread",
    );
    for ratio in [0.01, 0.1, 1.0, 10.0, 100.0] {
        let x = x_of(ratio);
        let color = if ratio == 1.0 { "#888888" } else { "#dddddd" };
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"{color}\"/>",
            TOP - 6.0
        );
        text(&mut out, x, TOP - 12.0, "middle", "name", &ratio.to_string());
    }
    out += &marks;
    out += "</svg>\n";
    Some(out)
}

/// Place of a ratio on the axis; what is beyond its ends is at them.
fn x_of(ratio: f64) -> f64 {
    let part = (ratio.clamp(LEAST, MOST) / LEAST).log10() / (MOST / LEAST).log10();
    LEFT + part * (RIGHT - LEFT)
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
    );
}
