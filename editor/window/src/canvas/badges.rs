//! Badges of wires: breakpoints, verdicts, queued values and values that passed.

use hasse_editor::drawing::geometry::Point;
use hasse_editor::drawing::measure::text_width;
use hasse_editor::marks::{BreakpointMark, CheckMark, Highlight};
use hasse_editor::state::picture::{ErrorMark, WireBadge};
use hasse_ui::LabelItem;
use slint::Color;

use super::colors::{accent, highlight_color, inks, refused, warning};

/// Zoom below which values that went along a wire are not counted.
const COUNT_ZOOM: f64 = 0.6;

/// Counts of a wire in words, the longest first: `5 queued, 14×`. Passed values give way first, and never cover anything.
fn badge_counts(badge: &WireBadge, zoom: f64) -> Vec<String> {
    let is_shown = zoom >= COUNT_ZOOM && !badge.is_crowded;
    let passed = badge.n_passed.filter(|_| is_shown).map(|n_passed| format!("{n_passed}\u{d7}"));
    let Some(n_queued) = badge.n_queued.filter(|n_queued| *n_queued > 0) else {
        return passed.into_iter().collect();
    };
    let both = passed.map(|passed| format!("{n_queued} queued, {passed}"));
    let alone = (!badge.is_crowded).then(|| format!("{n_queued} queued"));
    both.into_iter().chain(alone).chain([n_queued.to_string()]).collect()
}

/// Badge at the middle of a wire; `None` if it would be empty.
pub(super) fn badge_label(badge: &WireBadge, zoom: f64, is_dark: bool) -> Option<LabelItem> {
    let [_, dim, paper] = inks(is_dark);
    let clear = Color::from_argb_u8(0, 0, 0, 0);
    let size = 10.5 * zoom.clamp(0.8, 1.2);
    let mut said = Vec::new();
    said.extend(badge.check.map(|check| {
        let sign = match check {
            CheckMark::Violated => "✗",
            CheckMark::Unknown => "?",
            CheckMark::Holds => "✓",
        };
        sign.to_owned()
    }));
    let fits = |counts: &String| text_width(counts, size) <= badge.area.width().max(24.0);
    said.extend(badge_counts(badge, zoom).into_iter().find(fits));
    let (shown, background) = if badge.error != ErrorMark::default() {
        said.push("!".to_owned());
        (paper, refused(is_dark))
    } else if let Some(breakpoint) = badge.breakpoint {
        let (sign, shown) = match breakpoint {
            BreakpointMark::Off => ("○", dim),
            BreakpointMark::Conditional => ("◉", refused(is_dark)),
            BreakpointMark::LogPoint => ("■", refused(is_dark)),
            BreakpointMark::Enabled => ("●", refused(is_dark)),
            BreakpointMark::Hit => ("●", highlight_color(Highlight::Path, is_dark)),
        };
        said.insert(0, sign.to_owned());
        (shown, clear)
    } else if let Some(check) = badge.check {
        (check_color(check, is_dark), clear)
    } else if badge.n_queued.is_some_and(|n_queued| n_queued > 0) {
        (fill_color(badge.fill, is_dark), clear)
    } else {
        (dim, clear)
    };
    let said = said.join(" ");
    if said.is_empty() {
        return None;
    }
    // Counts of one digit would be far from their wire in the middle of a place for three.
    let width = text_width(&said, size) + 10.0;
    let room = (badge.area.width() - width).max(0.0);
    let center = badge.area.center().shifted(Point::new((badge.hug - 0.5) * room, 0.0));
    Some(LabelItem {
        x: (center.x - width / 2.0) as f32,
        y: (center.y - 0.75 * size) as f32,
        width: width as f32,
        height: (1.5 * size) as f32,
        text: said.into(),
        color: shown,
        background,
        size: size as f32,
        align: 0,
    })
}

/// Color of the number of queued values: by the fill of the port, where that has a bound.
fn fill_color(fill: Option<u8>, is_dark: bool) -> Color {
    match fill {
        Some(86..) => refused(is_dark),
        Some(61..=85) => warning(is_dark),
        Some(_) | None => accent(is_dark),
    }
}

fn check_color(check: CheckMark, is_dark: bool) -> Color {
    match check {
        CheckMark::Violated => refused(is_dark),
        CheckMark::Unknown => inks(is_dark)[1],
        CheckMark::Holds => highlight_color(Highlight::Animated, is_dark),
    }
}
