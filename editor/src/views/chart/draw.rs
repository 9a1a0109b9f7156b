//! Drawing events in lanes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::lanes::{Axis, LanesBy, Run};
use super::super::overlay::Overlay;
use super::super::pixels::{Palette, Pixels, Rgba, Text, Theme, mixed};
use super::super::select::Relation;
use super::canvas::Canvas;
use super::{Chart, GUTTER, HEADER, detail};

/// Most instances whose events are highlighted one by one where lanes are of workers or nodes.
const MOST_TRACED: usize = 256;

fn draw(chart: &Chart, overlay: &Overlay, theme: Theme, reused: Pixels) -> (Pixels, Vec<Text>) {
    let palette = theme.palette();
    let pixels = Pixels::filled(reused, chart.width, chart.height, palette.paper);
    let mut canvas = Canvas { chart, overlay, theme, palette, pixels, texts: Vec::new() };
    canvas.stripes();
    if chart.is_detailed() {
        canvas.detail();
    } else {
        canvas.density();
        canvas.highlights();
        canvas.marked_edges();
    }
    canvas.position();
    canvas.header();
    canvas.names();
    canvas.thumb();
    (canvas.pixels, canvas.texts)
}

impl Canvas<'_> {
    /// The rows of pixels of a row of merged lanes.
    pub(super) fn rows(&self, merge: usize, row: usize) -> (i64, i64) {
        let height = self.chart.view.lane_height * f64::from(1_u32 << (2 * merge));
        let at = |row: usize| (HEADER + row as f64 * height - self.chart.view.top).floor();
        let (from, to) = (at(row), at(row + 1));
        let gap = if height >= 4.0 { 1.0 } else { 0.0 };
        (from.max(HEADER) as i64, (to - gap) as i64)
    }

    fn visible_rows(&self, merge: usize) -> std::ops::Range<usize> {
        let lanes = self.chart.visible_lanes();
        if lanes.is_empty() {
            return 0..0;
        }
        let n_rows = self.chart.lanes.n_rows(merge);
        (lanes.start >> (2 * merge)).min(n_rows)..(((lanes.end - 1) >> (2 * merge)) + 1).min(n_rows)
    }

    fn stripes(&mut self) {
        if self.chart.view.lane_height < 6.0 {
            return;
        }
        for lane in self.chart.visible_lanes().filter(|lane| lane % 2 == 1) {
            let (y, y_end) = self.rows(0, lane);
            self.pixels.rect((GUTTER as i64, self.chart.width as i64), (y, y_end + 1), self.palette.stripe);
        }
    }

    /// Whether all of an instance's events are highlighted.
    pub(super) fn is_selected(&self, instance: u32) -> bool {
        self.overlay.related.actions.contains(&instance)
    }

    fn density(&mut self) {
        let chart = self.chart;
        let window = chart.window();
        let merge = chart.lanes.merge_for(chart.view.lane_height);
        let limit = self.overlay.position.filter(|_| chart.lanes.axis() == Axis::Order);
        for row in self.visible_rows(merge) {
            let rows = self.rows(merge, row);
            let rows = (rows.0, rows.1.max(rows.0 + 1));
            let lanes = (row << (2 * merge))..((row + 1) << (2 * merge)).min(chart.lanes.n_lanes());
            let fixed = self.row_color(lanes).map(|color| self.steps(color));
            let mut known: Option<(u32, [Rgba; 9])> = None;
            let (palette, paint) =
                (self.palette, Colors { theme: self.theme, overlay: self.overlay, palette: self.palette });
            let pixels = &mut self.pixels;
            chart.lanes.runs(merge, row, window, &mut |run: Run| {
                let steps = fixed.unwrap_or_else(|| {
                    let instance = chart.record.instance_of(run.event);
                    let template = chart.record.template_of_instance(instance);
                    let key = if paint.overlay.keeps(instance) { template } else { u32::MAX - 1 };
                    match known {
                        Some((known, steps)) if known == key => steps,
                        _ => {
                            let steps = paint.steps(paint.of(instance, template));
                            known = Some((key, steps));
                            steps
                        }
                    }
                });
                let strength = (32 - run.n_events.leading_zeros()).min(8) as usize;
                let is_later = limit.is_some_and(|limit| run.event >= limit);
                let color = if is_later { palette.dimmed } else { steps[strength] };
                pixels.rect((GUTTER as i64 + run.from, GUTTER as i64 + run.to), (rows.0, rows.0 + 1), color);
            });
            // All of its rows of pixels are alike.
            self.pixels.repeat_row(rows);
        }
    }

    fn colors(&self) -> Colors<'_> {
        Colors { theme: self.theme, overlay: self.overlay, palette: self.palette }
    }

    /// The color of an instance.
    pub(super) fn color(&self, instance: u32, template: u32) -> Rgba {
        self.colors().of(instance, template)
    }

    fn steps(&self, color: Rgba) -> [Rgba; 9] {
        self.colors().steps(color)
    }

    /// The color of lanes that have one.
    fn row_color(&self, lanes: std::ops::Range<usize>) -> Option<Rgba> {
        let chart = self.chart;
        let first = chart.lanes.key(lanes.start)?;
        match chart.lanes.by() {
            LanesBy::Worker => None,
            LanesBy::Template => self.overlay.kept.is_none().then(|| self.theme.template(first)),
            LanesBy::Action => {
                let mut keys = lanes.filter_map(|lane| chart.lanes.key(lane));
                if !self.overlay.related.actions.is_empty() && keys.clone().any(|key| self.is_selected(key)) {
                    return Some(self.palette.selected);
                }
                let shown = keys.find(|&key| self.overlay.keeps(key)).unwrap_or(first);
                Some(self.color(shown, chart.record.template_of_instance(shown)))
            }
        }
    }

    fn highlights(&mut self) {
        let chart = self.chart;
        if chart.lanes.by() != LanesBy::Action {
            let traced: Vec<u32> = self.overlay.related.actions.iter().copied().take(MOST_TRACED).collect();
            for instance in traced {
                self.trace(instance);
            }
        }
        let (path, found) = (Arc::clone(&self.overlay.path), Arc::clone(&self.overlay.found));
        self.marks(path.iter().copied(), self.palette.path, 0);
        self.marks(found.iter().copied(), self.palette.finding, 1);
        let matches = Arc::clone(&self.overlay.matches);
        self.marks(self.visible_of(&matches).iter().copied(), self.palette.matched, 1);
        let related = Arc::clone(&self.overlay.related);
        for relation in [
            Relation::EarlierCause,
            Relation::LaterEffect,
            Relation::Arc,
            Relation::Cause,
            Relation::Effect,
            Relation::Selected,
        ] {
            let grow = i64::from(relation == Relation::Selected) * 2;
            let own = related.of_relation(relation).iter().copied();
            self.marks(own, self.relation_color(relation), grow);
        }
    }

    /// The part of a list of events, ascending, in which all visible ones are.
    fn visible_of<'e>(&self, events: &'e [u32]) -> &'e [u32] {
        if self.chart.lanes.axis() != Axis::Order {
            return events;
        }
        let (from, to) = self.chart.visible_places();
        let first = events.partition_point(|&event| f64::from(event) + 1.0 < from);
        let last = events.partition_point(|&event| f64::from(event) <= to);
        &events[first..last.max(first)]
    }

    /// Highlights the events of an instance where lanes are not of instances.
    fn trace(&mut self, instance: u32) {
        let chart = self.chart;
        let events = chart.record.events_of(instance);
        if chart.lanes.by() == LanesBy::Worker {
            // They are on several; those to the left are passed over.
            let from = chart.visible_places().0 - 1.0;
            let first = events.partition_point(|&event| chart.lanes.place(&chart.record, event).1 < from);
            let last = chart.visible_places().1;
            let shown = events[first..].iter().copied();
            let shown = shown.take_while(|&event| chart.lanes.place(&chart.record, event).0 <= last);
            self.marks(shown.take(super::super::select::MOST_RELATED), self.palette.selected, 0);
            return;
        }
        let Some(lane) = events.first().and_then(|&event| chart.lanes.lane(&chart.record, event)) else {
            return;
        };
        let rows = self.mark_rows(lane as usize);
        let color = self.palette.selected;
        let pixels = &mut self.pixels;
        chart.lanes.runs_of(&chart.record, events, chart.window(), &mut |run| {
            pixels.rect((GUTTER as i64 + run.from, GUTTER as i64 + run.to), rows, color);
        });
    }

    pub(super) fn relation_color(&self, relation: Relation) -> Rgba {
        let faint = |color| mixed(self.palette.paper, color, 0.55);
        match relation {
            Relation::Selected | Relation::Arc => self.palette.selected,
            Relation::Cause => self.palette.cause,
            Relation::Effect => self.palette.effect,
            Relation::EarlierCause => faint(self.palette.cause),
            Relation::LaterEffect => faint(self.palette.effect),
        }
    }

    fn mark_rows(&self, lane: usize) -> (i64, i64) {
        let merge = self.chart.lanes.merge_for(self.chart.view.lane_height);
        let (y, y_end) = self.rows(merge, lane >> (2 * merge));
        (y, y_end.max(y + 2))
    }

    /// Marks events, each in its column.
    fn marks(&mut self, events: impl Iterator<Item = u32>, color: Rgba, grow: i64) {
        let chart = self.chart;
        let window = chart.window();
        for event in events {
            let Some(lane) = chart.lanes.lane(&chart.record, event) else { continue };
            let (start, end) = chart.lanes.place(&chart.record, event);
            let from = window.column(start);
            let to = window.column(end).max(from + 1).min(window.n_columns);
            if from >= window.n_columns || to <= 0 {
                continue;
            }
            let y = HEADER + f64::from(lane) * chart.view.lane_height - chart.view.top;
            if y > chart.height as f64 || y + chart.view.lane_height < HEADER {
                continue;
            }
            let (y, y_end) = self.mark_rows(lane as usize);
            let columns = (GUTTER as i64 + from.max(0) - grow, GUTTER as i64 + to + grow);
            self.pixels.rect(columns, (y - grow, y_end + grow), color);
        }
    }

    /// The orderings of what is selected or under the cursor.
    fn marked_edges(&mut self) {
        let marked: BTreeSet<u32> = detail::marked(self.chart, self.overlay);
        marked.into_iter().for_each(|event| self.edges_of(event));
    }

    /// Where playback is.
    fn position(&mut self) {
        let Some(position) = self.overlay.position else { return };
        let Some(place) = self.chart.place_of_position(position) else { return };
        let x = self.chart.x_of(place).round() as i64;
        if x >= GUTTER as i64 {
            self.pixels.rect((x - 1, x + 1), (0, self.chart.height as i64), self.palette.animated);
        }
    }
}

/// How instances are colored.
struct Colors<'c> {
    theme: Theme,
    overlay: &'c Overlay,
    palette: Palette,
}

impl Colors<'_> {
    fn of(&self, instance: u32, template: u32) -> Rgba {
        if self.overlay.keeps(instance) { self.theme.template(template) } else { self.palette.dimmed }
    }

    /// Colors by the number of events, doubled each time; the first is for one that goes on.
    fn steps(&self, color: Rgba) -> [Rgba; 9] {
        let share = |step: usize| match step {
            0 => 0.75,
            _ => 0.62 + 0.38 * (step - 1) as f64 / 7.0,
        };
        std::array::from_fn(|step| mixed(self.palette.paper, color, share(step)))
    }
}

impl Chart {
    /// Draws the picture. `reused` is an older picture whose memory is not needed any more.
    pub fn draw(&self, overlay: &Overlay, theme: Theme, reused: Pixels) -> (Pixels, Vec<Text>) {
        draw(self, overlay, theme, reused)
    }
}
