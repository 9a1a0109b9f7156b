//! Drawing the elaborated graph.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{InstanceBox, Thing};
use super::view::ElaboratedView;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::measure::text_width;
use crate::views::overlay::Overlay;
use crate::views::pixels::{Palette, Pixels, Rgba, Text, Theme, mixed};
use crate::views::select::Relation;

/// Most lines that are drawn where nothing is selected.
const MOST_LINES: usize = 3_000;
/// Most lines at what is selected or under the cursor.
const MOST_MARKED: usize = 2_000;
/// Least height of a box with a name, in pixels.
const LEAST_NAMED: f64 = 13.0;
/// Lengths of the dashes of a line and of the gaps between them, in pixels.
const DASH: f64 = 5.0;
const GAP: f64 = 4.0;
/// Share of a node's color in the boxes of a record, and of a preview.
const FILLED: f64 = 0.75;
const PREVIEWED: f64 = 0.25;

/// A picture under way.
struct Canvas<'c> {
    of: &'c ElaboratedView,
    overlay: &'c Overlay,
    theme: Theme,
    palette: Palette,
    related: BTreeMap<u32, Relation>,
    found: BTreeSet<u32>,
    last: Option<u32>,
    pixels: Pixels,
    texts: Vec<Text>,
}

impl ElaboratedView {
    /// Draws the picture. `reused` is an older picture whose memory is not needed any more.
    pub fn draw(&self, overlay: &Overlay, theme: Theme, reused: Pixels) -> (Pixels, Vec<Text>) {
        let palette = theme.palette();
        let record = self.record.as_deref();
        let events = overlay.found.iter();
        let found = record.map(|record| events.map(|&event| record.instance_of(event)).collect());
        let last = overlay.position.and_then(|position| position.checked_sub(1));
        let mut canvas = Canvas {
            of: self,
            overlay,
            theme,
            palette,
            related: record.map(|record| overlay.related.instances(record)).unwrap_or_default(),
            found: found.unwrap_or_default(),
            last: record.zip(last).map(|(record, last)| record.instance_of(last)),
            pixels: Pixels::filled(reused, self.width, self.height, palette.paper),
            texts: Vec::new(),
        };
        canvas.groups();
        canvas.lines();
        self.graph.boxes.iter().enumerate().for_each(|(at, node)| canvas.node(at, node));
        if record.is_none() && !self.graph.boxes.is_empty() {
            canvas.texts.push(Text {
                x: 10.0,
                y: 12.0,
                width: self.width as f32 - 20.0,
                size: 11.0,
                color: palette.faint_ink,
                string: "Preview: what may come to be in a run".to_owned(),
            });
        }
        (canvas.pixels, canvas.texts)
    }
}

impl Canvas<'_> {
    /// Columns and rows of a place; `None` where it is not visible.
    fn area(&self, area: Rect) -> Option<((i64, i64), (i64, i64))> {
        let screen = self.of.view.screen_rect_from_world(area);
        let is_visible = screen.max.x >= 0.0
            && screen.max.y >= 0.0
            && screen.min.x < self.of.width as f64
            && screen.min.y < self.of.height as f64;
        is_visible.then(|| {
            let columns =
                (screen.min.x.floor() as i64, (screen.max.x.floor() as i64).max(screen.min.x as i64 + 1));
            (
                columns,
                (screen.min.y.floor() as i64, (screen.max.y.floor() as i64).max(screen.min.y as i64 + 1)),
            )
        })
    }

    fn groups(&mut self) {
        for group in &self.of.graph.groups {
            let Some((columns, rows)) = group.area.and_then(|area| self.area(area)) else { continue };
            self.pixels.rect(columns, rows, self.palette.stripe);
            self.pixels.frame(
                (columns.0 + 1, columns.1 - 1),
                (rows.0 + 1, rows.1 - 1),
                1,
                self.palette.dimmed,
            );
            let width = (columns.1 - columns.0.max(0)) as f32;
            if width < 40.0 || rows.1 < 12 {
                continue;
            }
            let page = match group.n_shown == group.n_all {
                true => format!("{} ({})", group.title, group.n_all),
                false => {
                    let (first, last) = (group.first + 1, group.first + group.n_shown);
                    format!("{} ({first} to {last} of {})", group.title, group.n_all)
                }
            };
            self.texts.push(Text {
                x: columns.0.max(0) as f32 + 6.0,
                y: rows.0.max(0) as f32 + 10.0,
                width: width - 8.0,
                size: 11.0,
                color: self.palette.faint_ink,
                string: page,
            });
        }
    }

    fn relation(&self, at: usize) -> Option<Relation> {
        let node = self.of.graph.boxes.get(at)?;
        match node.thing {
            Thing::Action(_) if self.of.record.is_none() => {
                self.overlay.related.templates.contains(&node.template).then_some(Relation::Selected)
            }
            Thing::Action(instance) => self.related.get(&instance).copied(),
            Thing::Object(_) => None,
        }
    }

    fn lines(&mut self) {
        let of = self.of;
        let graph = &of.graph;
        let (last, overlay) = (self.last, self.overlay);
        let is_last =
            |at: usize| matches!(graph.boxes[at].thing, Thing::Action(instance) if Some(instance) == last);
        if graph.lines.len() <= MOST_LINES {
            for (line_idx, line) in graph.lines.iter().enumerate() {
                let is_faint = [line.source, line.target].iter().any(|&end| self.is_faint(&graph.boxes[end]));
                let share = if is_faint { 0.3 } else { 1.0 };
                let color = mixed(self.palette.paper, self.palette.edge, share);
                self.line(line_idx, color, false);
            }
        }
        let selected = self.related.iter().filter(|(_, relation)| **relation == Relation::Selected);
        let instances = selected.map(|(&instance, _)| instance);
        let of_event = self.overlay.related.events.iter();
        let of_event = of_event.filter(|(_, relation)| **relation == Relation::Selected);
        let of_event =
            of.record.iter().flat_map(|record| of_event.clone().map(|(&event, _)| record.instance_of(event)));
        let boxes: BTreeSet<usize> = instances
            .chain(of_event)
            .filter_map(|instance| graph.box_of(Thing::Action(instance)))
            .chain(of.hovered)
            .collect();
        let mut n_drawn = 0;
        for at in boxes {
            for &line_idx in graph.lines_of(at).iter().take(MOST_MARKED - n_drawn.min(MOST_MARKED)) {
                let line = &graph.lines[line_idx as usize];
                let color = if line.target == at { self.palette.cause } else { self.palette.effect };
                self.line(line_idx as usize, color, true);
                n_drawn += 1;
            }
        }
        if !overlay.related.arcs.is_empty() {
            let lines = graph.lines.iter().enumerate();
            let along = |(_, line): &(usize, &super::Dependence)| {
                line.arcs.iter().any(|arc| overlay.related.arcs.contains(arc))
            };
            for (line_idx, _) in lines.filter(along).take(MOST_MARKED) {
                self.line(line_idx, self.palette.selected, true);
            }
        }
        // The values of the event shown last.
        let shown = self.overlay.position.and_then(|position| position.checked_sub(1));
        if let Some((record, event)) = of.record.as_deref().zip(shown) {
            let senders: BTreeSet<u32> =
                record.before(event).map(|before| record.instance_of(before.event)).collect();
            let own = graph.box_of(Thing::Action(record.instance_of(event))).filter(|&at| is_last(at));
            for &line_idx in own.map_or(&[][..], |own| graph.lines_of(own)) {
                let line = &graph.lines[line_idx as usize];
                let source = graph.boxes[line.source].thing;
                if Some(line.target) == own
                    && matches!(source, Thing::Action(instance) if senders.contains(&instance))
                {
                    self.line(line_idx as usize, self.palette.animated, true);
                }
            }
        }
    }

    fn line(&mut self, line_idx: usize, color: Rgba, is_strong: bool) {
        let of = self.of;
        let Some(line) = of.graph.lines.get(line_idx).filter(|line| line.source != line.target) else {
            return;
        };
        let way = of.way(line_idx).into_iter().map(|point| of.view.screen_from_world(point));
        let way: Vec<Point> = way.collect();
        let mut passed = 0.0;
        for ends in way.windows(2) {
            let (from, to) = (ends[0], ends[1]);
            if line.is_conditional {
                self.dashes(from, to, passed, color);
            } else {
                self.pixels.line((from.x, from.y), (to.x, to.y), 0.0, color);
            }
            if is_strong {
                // Next to it, whichever way it goes.
                let by = if (to.x - from.x).abs() >= (to.y - from.y).abs() { (0.0, 1.0) } else { (1.0, 0.0) };
                self.pixels.line((from.x + by.0, from.y + by.1), (to.x + by.0, to.y + by.1), 0.0, color);
            }
            passed += from.distance(to);
        }
        let Some(&to) = way.last() else { return };
        // The head points as the line comes in, however short its last piece is.
        let from = way.iter().rev().find(|point| point.distance(to) >= 4.0);
        if let Some(&from) = from.filter(|_| passed > 12.0) {
            let length = from.distance(to);
            let (ux, uy) = ((to.x - from.x) / length, (to.y - from.y) / length);
            for side in [-1.0, 1.0] {
                let back = (to.x - 7.0 * ux - side * 3.5 * uy, to.y - 7.0 * uy + side * 3.5 * ux);
                self.pixels.line((to.x, to.y), back, 0.0, color);
            }
        }
        if is_strong && passed > 60.0 && line.n_values > 0 && self.texts.len() < 2_000 {
            let middle = middle(&way, passed / 2.0);
            let (x, y) = (middle.x as f32, middle.y as f32 - 7.0);
            self.texts.push(Text { x, y, width: 60.0, size: 10.0, color, string: line.n_values.to_string() });
        }
    }

    /// Draws a dashed piece of a line that is so many pixels long before it.
    fn dashes(&mut self, from: Point, to: Point, passed: f64, color: Rgba) {
        let length = from.distance(to);
        let at =
            |part: f64| (from.x + (to.x - from.x) * part / length, from.y + (to.y - from.y) * part / length);
        let mut begin = -(passed % (DASH + GAP));
        // A piece far beyond the picture has no dashes to be seen.
        while begin < length && length < 20_000.0 {
            let end = (begin + DASH).min(length);
            if end > 0.0 {
                self.pixels.line(at(begin.max(0.0)), at(end), 0.0, color);
            }
            begin += DASH + GAP;
        }
    }

    fn is_faint(&self, node: &InstanceBox) -> bool {
        let Thing::Action(instance) = node.thing else { return false };
        let Some(record) = self.of.record.as_deref() else { return false };
        let Some(first) = record.events_of(instance).first() else { return true };
        let is_later = self.overlay.position.is_some_and(|position| *first >= position);
        is_later || !self.overlay.keeps(instance)
    }

    fn node(&mut self, at: usize, node: &InstanceBox) {
        let Some((columns, rows)) = self.area(node.area) else { return };
        let relation = self.relation(at);
        let is_faint = self.is_faint(node);
        let (own, is_found, is_last) = match node.thing {
            Thing::Action(instance) => (
                self.theme.template(node.template),
                self.found.contains(&instance),
                self.last == Some(instance),
            ),
            Thing::Object(_) => (self.palette.faint_ink, false, false),
        };
        let share = if self.of.record.is_some() { FILLED } else { PREVIEWED };
        let fill = if is_faint { self.palette.dimmed } else { mixed(self.palette.paper, own, share) };
        let edge = match relation {
            _ if is_last => self.palette.animated,
            Some(Relation::Selected | Relation::Arc) => self.palette.selected,
            Some(Relation::Cause | Relation::EarlierCause) => self.palette.cause,
            Some(Relation::Effect | Relation::LaterEffect) => self.palette.effect,
            None if is_found => self.palette.finding,
            None => mixed(self.palette.ink, own, 0.5),
        };
        let is_marked = relation.is_some() || is_found || is_last || self.of.hovered == Some(at);
        let height = rows.1 - rows.0;
        if height < 5 {
            self.pixels.rect(columns, rows, if is_marked { edge } else { fill });
            return;
        }
        match node.thing {
            Thing::Action(_) => self.pixels.rounded(columns, rows, fill, edge),
            Thing::Object(_) => {
                self.pixels.rect(columns, rows, fill);
                self.pixels.frame((columns.0 + 1, columns.1 - 1), (rows.0 + 1, rows.1 - 1), 1, edge);
            }
        }
        if is_marked {
            self.pixels.frame(columns, rows, 2, edge);
        }
        let width = (columns.1 - columns.0) as f64;
        if height as f64 >= LEAST_NAMED && width >= 24.0 {
            let size = (11.0 * self.of.view.zoom()).clamp(9.0, 13.0);
            let full = match (node.thing, self.of.record.as_deref()) {
                (Thing::Action(instance), Some(record)) => {
                    let events = record.events_of(instance);
                    let position = self.overlay.position.unwrap_or(u32::MAX);
                    let n_events = events.partition_point(|&event| event < position);
                    format!("{} ({n_events})", node.name)
                }
                (Thing::Action(_) | Thing::Object(_), _) => node.name.clone(),
            };
            let room = (width - 8.0) as f32;
            let string = fitted(&full, &node.name, size, f64::from(room));
            self.texts.push(Text {
                x: columns.0 as f32 + 4.0,
                y: (rows.0 + rows.1) as f32 / 2.0,
                width: room,
                size: size as f32,
                color: self.palette.ink,
                string,
            });
        }
    }
}

/// The longest text for a box that there is room for: with the count, the name, and the name cut short before its index, which
/// tells it from others.
fn fitted(full: &str, name: &str, size: f64, room: f64) -> String {
    if let Some(text) = [full, name].into_iter().find(|text| text_width(text, size) <= room) {
        return text.to_owned();
    }
    let (node, index) = name.split_at(name.find('[').unwrap_or(name.len()));
    let letters: Vec<char> = node.chars().collect();
    let cut = |n_letters: usize| format!("{}…{index}", letters[..n_letters].iter().collect::<String>());
    let fits = (1..letters.len()).rev().map(cut).find(|text| text_width(text, size) <= room);
    match fits {
        Some(text) => text,
        None if index.is_empty() => name.to_owned(),
        None => index.to_owned(),
    }
}

/// The point of a way that is so far from its beginning.
fn middle(way: &[Point], mut far: f64) -> Point {
    for ends in way.windows(2) {
        let length = ends[0].distance(ends[1]);
        if length >= far && length > 0.0 {
            let part = far / length;
            let (dx, dy) = (ends[1].x - ends[0].x, ends[1].y - ends[0].y);
            return Point::new(ends[0].x + dx * part, ends[0].y + dy * part);
        }
        far -= length;
    }
    way.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_of_an_instance_is_never_cut_off() {
        let text = |room: f64| fitted("Philosopher[3] (12)", "Philosopher[3]", 10.0, room);
        assert_eq!(text(500.0), "Philosopher[3] (12)");
        assert_eq!(text(text_width("Philosopher[3]", 10.0)), "Philosopher[3]");
        assert_eq!(text(text_width("Phil…[3]", 10.0)), "Phil…[3]");
        assert_eq!(text(text_width("P…[3]", 10.0)), "P…[3]");
        assert_eq!(text(1.0), "[3]");
        assert_eq!(fitted("Waiter (1)", "Waiter", 10.0, text_width("Wa…", 10.0)), "Wa…");
        assert_eq!(fitted("Waiter (1)", "Waiter", 10.0, 1.0), "Waiter");
    }
}
