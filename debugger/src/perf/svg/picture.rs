//! A picture with its sections below each other, and how texts and numbers are written in it.

use std::fmt::Write as _;

pub(super) const MARGIN: f64 = 24.0;

pub(super) const WIDTH: f64 = 1080.0;

/// Where plots begin, behind the names of their rows, and how wide they are.
pub(super) const LEFT: f64 = MARGIN + 76.0;

pub(in crate::perf) const PLOT_WIDTH: f64 = WIDTH - LEFT - MARGIN;

/// What has been drawn, from top to bottom.
pub(super) struct Picture {
    pub(super) body: String,
    pub(super) top: f64,
}

impl Picture {
    pub(super) fn rect(&mut self, class: &str, [x, y, width, height]: [f64; 4]) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(number);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        );
    }

    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let [x, y] = [x, y].map(number);
        let _ = writeln!(self.body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
    }

    pub(super) fn line(&mut self, [x1, y1, x2, y2]: [f64; 4]) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
        let _ = writeln!(self.body, "<path class=\"grid\" d=\"M{x1} {y1}L{x2} {y2}\"/>");
    }

    pub(super) fn path(&mut self, class: &str, course: &str) {
        if !course.is_empty() {
            let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{course}\"/>");
        }
    }

    /// The headline of a section, with a remark behind it.
    pub(super) fn section(&mut self, title: &str, remark: &str) {
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

/// Moments at which there are ticks, about eight of them, with their texts.
pub(super) fn ticks(first: u64, last: u64) -> Vec<(u64, String)> {
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
pub(super) fn shortened(name: &str, most: usize) -> String {
    let n_letters = name.chars().count();
    if n_letters <= most {
        return name.to_owned();
    }
    let end: String = name.chars().skip(n_letters + 1 - most).collect();
    format!("\u{2026}{end}")
}

/// A number with at most two digits behind the point.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

pub(super) fn escaped(text: &str) -> String {
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
