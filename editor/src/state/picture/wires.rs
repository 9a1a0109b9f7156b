//! Wires of a picture, grouped by how they look, with labels, badges, bends and values on their way.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use hasse_compiler::LinkKind;

use super::super::editor::Editor;
use super::super::gesture::phase::Gesture;
use super::items::{Detail, Dot, Picture, WireBadge, WireGroup, WireLabel, WireStyle};
use crate::drawing::color::{Rgb, type_token};
use crate::drawing::geometry::{Cubic, Point, Rect};
use crate::drawing::hit::Hit;
use crate::drawing::scene::Link;
use crate::drawing::view::View;
use crate::marks::Highlight;

/// How far from 0 a coordinate is written, in pixels: nothing that far is seen.
const MOST_DISTANT: f64 = 1e6;
/// Length of the dashes of share lines, and of the gaps between them, in pixels.
const DASH: f64 = 5.0;
const DASH_GAP: f64 = 3.5;
/// Straight lines that stand for a curve of a wire where boxes are told as titles.
const N_LINES: usize = 8;

/// Look of the wires of a group. The last part tells wires apart that look the same; 0 where they are drawn together.
type Look = (WireStyle, bool, Rgb, Rgb, usize);

impl Editor {
    pub(super) fn add_wires(&self, picture: &mut Picture, links: &[usize], are_apart: bool) {
        let Some(shown) = self.drawn.shown() else { return };
        let view = self.view();
        let marks = self.marks.get(&self.graph);
        let compared = self.comparison().and_then(|comparison| comparison.graph(&self.graph));
        let (crossed, onto, replugged) = match &self.gesture {
            Gesture::Knife(points) => (self.crossed(points).into_iter().collect(), None, None),
            Gesture::Carry(carry) => (BTreeSet::new(), carry.onto, None),
            Gesture::Wire(wire) => (BTreeSet::new(), None, wire.replug.map(|(.., link_idx)| link_idx)),
            _ => (BTreeSet::new(), None, None),
        };
        let hovered = match self.hover {
            Some(Hit::Link(idx) | Hit::Bend { link_idx: idx, .. }) => Some(idx),
            _ => None,
        };
        let mut groups: BTreeMap<Look, Vec<usize>> = BTreeMap::new();
        for &link_idx in links {
            let link = &shown.scene.links[link_idx];
            let key = (link.list, link.row);
            let own = marks.and_then(|marks| marks.links.get(&key));
            let error = self.error_marks().and_then(|marks| marks.links.get(link_idx));
            let highlights = own.into_iter().flat_map(|own| own.highlights.iter().copied());
            let differs = compared.and_then(|compared| compared.links.get(&key).copied());
            let highlight = highlights.chain(differs).max();
            let is_bend_selected = self.selection.bends.range((key, 0)..=(key, usize::MAX)).next().is_some();
            let style = if crossed.contains(&link_idx) {
                WireStyle::Refused
            } else if replugged == Some(link_idx) {
                WireStyle::Dimmed
            } else if self.selection.links.contains(&key) || is_bend_selected {
                WireStyle::Selected
            } else if hovered == Some(link_idx) || onto == Some(link_idx) {
                WireStyle::Hovered
            } else if let Some(highlight) = highlight {
                WireStyle::Highlight(highlight)
            } else if error.is_some_and(|error| !error.counts.is_empty()) {
                WireStyle::Error
            } else if own.is_some_and(|own| own.is_dimmed) {
                WireStyle::Dimmed
            } else {
                WireStyle::Normal
            };
            let ty = shown.scene.port(link.source).map_or("", |port| &port.ty);
            let token = type_token(ty);
            let apart = if are_apart { link_idx + 1 } else { 0 };
            groups
                .entry((style, link.kind != LinkKind::Arc, token.light, token.dark, apart))
                .or_default()
                .push(link_idx);

            let is_asked_for = matches!(style, WireStyle::Selected | WireStyle::Hovered);
            if picture.detail == Detail::Full
                && let Some(area) = link.label_area
                && (is_asked_for || !link.is_label_crowded)
            {
                let area = view.screen_rect_from_world(area);
                picture.labels.push(WireLabel { key, text: link.label.clone(), area, style });
            }
            if is_asked_for {
                let bends = link.bends.iter().enumerate().map(|(bend_idx, bend)| Dot {
                    at: view.screen_from_world(*bend),
                    light: token.light,
                    dark: token.dark,
                    is_selected: self.selection.bends.contains(&(key, bend_idx)),
                });
                picture.bends.extend(bends);
            }
            let has_error = error.is_some_and(|error| !error.counts.is_empty());
            let has_badge = own.is_some_and(|own| {
                own.n_queued.is_some()
                    || own.n_passed.is_some()
                    || own.breakpoint.is_some()
                    || own.check.is_some()
            });
            // Alone, a breakpoint is on its wire.
            let is_breakpoint_alone = !has_error
                && own.is_some_and(|own| {
                    own.breakpoint.is_some()
                        && own.n_queued.is_none()
                        && own.n_passed.is_none()
                        && own.check.is_none()
                });
            let middle = link.path.at_share(0.5).filter(|_| is_breakpoint_alone);
            let on_wire = middle.map(|at| Rect::new(at.x, at.y, 0.0, 0.0));
            if let Some(area) = on_wire.or(link.badge_area).filter(|_| has_error || has_badge) {
                picture.badges.push(WireBadge {
                    key,
                    area: view.screen_rect_from_world(area),
                    hug: link.badge_hug,
                    is_crowded: link.is_badge_crowded && !is_asked_for && on_wire.is_none(),
                    n_queued: own.and_then(|own| own.n_queued),
                    fill: own.and_then(|own| own.fill),
                    n_passed: own.and_then(|own| own.n_passed),
                    breakpoint: own.and_then(|own| own.breakpoint),
                    check: own.and_then(|own| own.check),
                    error: error.cloned().unwrap_or_default(),
                });
            }
            if let Some(place) = own.and_then(|own| own.pulse)
                && let Some(at) = point_at(link, place)
            {
                let at = view.screen_from_world(at);
                picture.pulses.push(Dot { at, light: token.light, dark: token.dark, is_selected: false });
            }
        }
        leave_readable(&mut picture.labels);
        for ((style, is_share, light, dark, _), links) in groups {
            let links: Vec<&Link> = links.iter().map(|&idx| &shown.scene.links[idx]).collect();
            let look = WireLook { style, is_share, light, dark };
            picture.wires.push(group(&links, look, picture.detail, &view));
        }
    }

    /// Arcs and share lines that another version has.
    pub(super) fn add_gone_wires(&self, picture: &mut Picture) {
        let compared = self.comparison().and_then(|comparison| comparison.graph(&self.graph));
        let gone = compared.map_or(&[][..], |compared| &compared.gone_links);
        if gone.is_empty() {
            return;
        }
        let (links, token): (Vec<&Link>, _) = (gone.iter().collect(), type_token(""));
        let style = WireStyle::Highlight(Highlight::Removed);
        // Dashed as share lines are: nothing goes along them any more.
        let look = WireLook { style, is_share: true, light: token.light, dark: token.dark };
        picture.wires.insert(0, group(&links, look, picture.detail, &self.view()));
    }
}

/// Look of the wires of a group, without what tells them apart.
#[derive(Clone, Copy)]
struct WireLook {
    style: WireStyle,
    is_share: bool,
    light: Rgb,
    dark: Rgb,
}

/// Wires that look the same.
fn group(links: &[&Link], look: WireLook, detail: Detail, view: &View) -> WireGroup {
    let curves = links.iter().flat_map(|link| {
        let curves = link.path.curves.iter().enumerate();
        curves.map(|(idx, curve)| (idx == 0, *curve))
    });
    let n_lines = match detail {
        Detail::Full => 0,
        Detail::Titles => N_LINES,
        Detail::Blocks => 1,
    };
    let (area, commands) = match (detail == Detail::Full, look.is_share) {
        (true, false) => {
            let ends = links.iter().filter_map(|link| link.path.curves.last());
            commands(curves, ends, view)
        }
        (true, true) => dashes(links.iter().map(|link| &link.path.curves[..]), view),
        (false, _) => Default::default(),
    };
    let curves = links.iter().flat_map(|link| link.path.curves.iter());
    let segments = curves.flat_map(|curve| {
        let at = |line: usize| curve.at(line as f64 / n_lines as f64);
        (0..n_lines).map(move |line| [at(line), at(line + 1)].map(|at| view.screen_from_world(at)))
    });
    let segments = segments.collect();
    let WireLook { style, is_share, light, dark } = look;
    WireGroup { light, dark, is_share, style, area, commands, segments }
}

/// A straight wire of a size, as wires are drawn at their own size.
pub(super) fn sample_wire(size: Point, is_share: bool) -> (Rect, String) {
    let (from, to) = (Point::new(0.0, size.y / 2.0), Point::new(size.x, size.y / 2.0));
    let third = |number: f64| Point::new(size.x * number / 3.0, from.y);
    let curve = Cubic { from, first: third(1.0), second: third(2.0), to };
    let view = View::default();
    match is_share {
        true => dashes([&[curve][..]].into_iter(), &view),
        false => commands([(true, curve)].into_iter(), [&curve].into_iter(), &view),
    }
}

/// Takes out labels that would stand on others; the more conspicuous ones stay, of equal ones the first.
fn leave_readable(labels: &mut Vec<WireLabel>) {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|&idx| Reverse(labels[idx].style));
    let mut kept: Vec<usize> = Vec::new();
    for idx in order {
        let area = labels[idx].area;
        if !kept.iter().any(|&held| labels[held].area.overlap(area) > 0.0) {
            kept.push(idx);
        }
    }
    kept.sort_unstable();
    let mut all: Vec<Option<WireLabel>> = labels.drain(..).map(Some).collect();
    labels.extend(kept.into_iter().filter_map(|idx| all[idx].take()));
}

/// The point of a link at a place from 0 at its source to 1 at its target.
fn point_at(link: &Link, place: f32) -> Option<Point> {
    let n_curves = link.path.curves.len();
    let place = if place.is_finite() { f64::from(place).clamp(0.0, 1.0) } else { 0.0 };
    let along = place * n_curves as f64;
    let curve_idx = (along as usize).min(n_curves.checked_sub(1)?);
    Some(link.path.curves.get(curve_idx)?.at(along - curve_idx as f64))
}

/// A point of the picture, in pixels.
fn on_screen(point: Point, view: &View) -> Point {
    let at = view.screen_from_world(point);
    Point::new(at.x.clamp(-MOST_DISTANT, MOST_DISTANT), at.y.clamp(-MOST_DISTANT, MOST_DISTANT))
}

/// Margin of a wire's rectangle, in pixels: a stroke outside of the rectangle is clipped.
const STROKE_ROOM: f64 = 4.0;

/// Strokes as commands of a path, in pixels from the upper left corner of the rectangle that holds them.
struct Pen {
    area: Rect,
    text: String,
}

impl Pen {
    /// For strokes all of whose points are among these.
    fn new(points: impl Iterator<Item = Point>) -> Self {
        let area = Rect::around(points).map(|area| area.grown(STROKE_ROOM));
        Self { area: area.unwrap_or_default(), text: String::new() }
    }

    fn put(&mut self, sign: char, points: &[Point]) {
        self.text.push(sign);
        for point in points {
            push_number(&mut self.text, point.x - self.area.min.x);
            push_number(&mut self.text, point.y - self.area.min.y);
        }
    }

    fn line(&mut self, points: &[Point]) {
        for (at, point) in points.iter().enumerate() {
            self.put(if at == 0 { 'M' } else { 'L' }, &[*point]);
        }
    }
}

/// Curves, each with whether it begins a wire, and an arrow head at each of `ends`.
pub(super) fn commands<'c>(
    curves: impl Iterator<Item = (bool, Cubic)> + Clone,
    ends: impl Iterator<Item = &'c Cubic>,
    view: &View,
) -> (Rect, String) {
    let screen = |point: Point| on_screen(point, view);
    let heads: Vec<[Point; 3]> = ends.filter_map(|end| arrow_head(end, view)).collect();
    let corners = curves.clone().flat_map(|(_, curve)| [curve.from, curve.first, curve.second, curve.to]);
    let mut pen = Pen::new(corners.map(screen).chain(heads.iter().flatten().copied()));
    for (is_first, curve) in curves {
        if is_first {
            pen.put('M', &[screen(curve.from)]);
        }
        pen.put('C', &[screen(curve.first), screen(curve.second), screen(curve.to)]);
    }
    heads.iter().for_each(|head| pen.line(head));
    (pen.area, pen.text)
}

/// Wing, tip, wing of the arrow head of a wire, just before the mark of the port.
fn arrow_head(end: &Cubic, view: &View) -> Option<[Point; 3]> {
    let zoom = view.zoom();
    let (length, width, gap) = (6.5 * zoom, 4.0 * zoom, 6.0 * zoom);
    let to = on_screen(end.to, view);
    let from = [end.second, end.first, end.from].map(|point| on_screen(point, view));
    let from = from.into_iter().find(|from| (to.x - from.x).hypot(to.y - from.y) > 1.0)?;
    let distance = (to.x - from.x).hypot(to.y - from.y);
    let (x, y) = ((to.x - from.x) / distance, (to.y - from.y) / distance);
    let tip = Point::new(to.x - x * gap, to.y - y * gap);
    let back = Point::new(tip.x - x * length, tip.y - y * length);
    Some([
        Point::new(back.x - y * width, back.y + x * width),
        tip,
        Point::new(back.x + y * width, back.y - x * width),
    ])
}

/// Dashes along wires: share lines carry nothing.
fn dashes<'c>(wires: impl Iterator<Item = &'c [Cubic]>, view: &View) -> (Rect, String) {
    let mut strokes: Vec<[Point; 2]> = Vec::new();
    for wire in wires {
        // Where the next dash or gap ends, from the start of the wire.
        let (mut along, mut next, mut is_dash) = (0.0, DASH, true);
        let mut begun = wire.first().map(|curve| on_screen(curve.from, view)).unwrap_or_default();
        let mut last = begun;
        for curve in wire {
            let reach = curve.from.distance(curve.to) * view.zoom();
            // Steps are shorter than dashes; of what is long, few dashes are seen.
            let n_steps = ((reach * 1.6 / 3.0).ceil() as usize).clamp(4, 400);
            for step in 1..=n_steps {
                let at = on_screen(curve.at(step as f64 / n_steps as f64), view);
                along += last.distance(at);
                last = at;
                if along >= next {
                    if is_dash {
                        strokes.push([begun, at]);
                    }
                    begun = at;
                    is_dash = !is_dash;
                    next = along + if is_dash { DASH } else { DASH_GAP };
                }
            }
        }
        if is_dash {
            strokes.push([begun, last]);
        }
    }
    let mut pen = Pen::new(strokes.iter().flatten().copied());
    strokes.iter().for_each(|stroke| pen.line(stroke));
    (pen.area, pen.text)
}

/// Writes a number that is not below 0 with one decimal, and a space behind it.
fn push_number(text: &mut String, number: f64) {
    let tenths = (number * 10.0).round().max(0.0) as u64;
    let mut digits = [0_u8; 20];
    let mut rest = tenths / 10;
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    text.extend(digits[start..].iter().map(|digit| char::from(*digit)));
    if !tenths.is_multiple_of(10) {
        text.push('.');
        text.push(char::from(b'0' + (tenths % 10) as u8));
    }
    text.push(' ');
}
