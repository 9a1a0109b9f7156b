//! Events one by one: boxes with names, and lines for orderings.

use std::collections::BTreeSet;

use super::super::overlay::Overlay;
use super::super::pixels::{Rgba, Text, mixed};
use super::super::record::{Before, Via};
use super::super::select::Relation;
use super::canvas::Canvas;
use super::{Chart, GUTTER, HEADER, MOST_DETAILED};

/// Most lines that are drawn where no event is selected, and their most pixels.
const MOST_EDGES: usize = 4_000;
const MOST_EDGE_PIXELS: f64 = 250_000.0;
/// Most orderings of one event that are drawn.
const MOST_OF_EVENT: usize = 500;
/// Least width of a box with a name.
const LEAST_NAMED: f64 = 26.0;

/// The events whose orderings are drawn anyway.
pub(super) fn marked(chart: &Chart, overlay: &Overlay) -> BTreeSet<u32> {
    let selected = overlay.related.events.iter().filter(|(_, relation)| **relation == Relation::Selected);
    selected.map(|(&event, _)| event).chain(chart.hovered).collect()
}

/// The immediate predecessors of an event that are drawn: those of the restriction, where there is one.
fn before(chart: &Chart, overlay: &Overlay, event: u32) -> Vec<Before> {
    match &overlay.restricted {
        Some(restriction) if overlay.keeps(chart.record.instance_of(event)) => restriction.before(event),
        _ => chart.record.before(event).collect(),
    }
}

impl Canvas<'_> {
    /// Columns and rows of an event's box; `None` where it has no lane.
    fn area(&self, event: u32) -> Option<((i64, i64), (i64, i64))> {
        let chart = self.chart;
        let lane = chart.lanes.lane(&chart.record, event)?;
        let (start, end) = chart.lanes.place(&chart.record, event);
        let (x, x_end) = (chart.x_of(start), chart.x_of(end));
        let gap = if x_end - x >= 6.0 { 1.0 } else { 0.0 };
        let y = HEADER + f64::from(lane) * chart.view.lane_height - chart.view.top;
        let inset = (chart.view.lane_height * 0.14).round();
        let columns = ((x + gap).floor() as i64, ((x_end - gap).floor() as i64).max(x.floor() as i64 + 1));
        Some((columns, ((y + inset).floor() as i64, (y + chart.view.lane_height - inset).floor() as i64)))
    }

    pub(super) fn detail(&mut self) {
        let chart = self.chart;
        let events = chart.visible(MOST_DETAILED);
        let visible: BTreeSet<u32> = events.iter().copied().collect();
        let lists: Vec<(u32, Vec<Before>)> =
            events.iter().map(|&event| (event, before(chart, self.overlay, event))).collect();
        let mut edges: Vec<(u32, u32, Via)> = Vec::new();
        for (event, list) in &lists {
            edges.extend(list.iter().map(|before| (before.event, *event, before.via)));
            let after = chart.record.after(*event).iter().take(MOST_OF_EVENT);
            let onward = after.filter(|later| self.overlay.restricted.is_none() && !visible.contains(later));
            edges.extend(onward.map(|&later| (*event, later, Via::Value(None))));
        }
        if edges.len() <= MOST_EDGES {
            let lengths = edges.iter().filter_map(|&(earlier, later, _)| {
                let (from, to) = self.ends(earlier, later)?;
                Some(self.pixels.line_length(from, to, GUTTER))
            });
            if lengths.sum::<f64>() <= MOST_EDGE_PIXELS {
                edges.into_iter().for_each(|(earlier, later, via)| self.edge(earlier, later, via, false));
            }
        }
        events.iter().for_each(|&event| self.event(event));
        for event in marked(chart, self.overlay) {
            self.edges_of(event);
            if let Some((columns, rows)) = self.area(event) {
                self.pixels.frame(columns, rows, 2, self.palette.selected);
            }
        }
    }

    fn event(&mut self, event: u32) {
        let chart = self.chart;
        let Some((columns, rows)) = self.area(event) else { return };
        let instance = chart.record.instance_of(event);
        let own = self.color(instance, chart.record.template_of_instance(instance));
        let position = self.overlay.position;
        let is_later = position.is_some_and(|position| event >= position);
        let is_last = position.is_some_and(|position| event + 1 == position);
        let is_faint = is_later || !self.overlay.keeps(instance);
        let relation = self.overlay.related.events.get(&event).copied();
        let relation = relation.or_else(|| self.is_selected(instance).then_some(Relation::Selected));
        let is_found = self.overlay.found.contains(&event);
        let is_matched = self.overlay.matches.binary_search(&event).is_ok();
        let is_on_path = self.overlay.path.binary_search(&event).is_ok();
        let fill = if is_faint { self.palette.dimmed } else { mixed(self.palette.paper, own, 0.8) };
        let edge: Rgba = match relation {
            _ if is_last => self.palette.animated,
            Some(relation) => self.relation_color(relation),
            None if is_found => self.palette.finding,
            None if is_matched => self.palette.matched,
            None if is_on_path => self.palette.path,
            None if is_faint => self.palette.dimmed,
            None => mixed(self.palette.ink, own, 0.5),
        };
        let is_marked = relation.is_some() || is_found || is_matched || is_on_path || is_last;
        if columns.1 - columns.0 >= 6 {
            self.pixels.rounded(columns, rows, fill, edge);
            if is_marked {
                self.pixels.frame((columns.0 + 2, columns.1 - 2), (rows.0 + 2, rows.1 - 2), 2, edge);
            }
        } else {
            self.pixels.rect(columns, rows, if is_marked { edge } else { fill });
        }
        let left = (columns.0 as f64).max(GUTTER);
        let room = columns.1 as f64 - left;
        if room >= LEAST_NAMED && rows.1 - rows.0 >= 10 && rows.0 >= HEADER as i64 - 4 {
            let full = format!("{}:{}", chart.record.short_name(instance), chart.record.count(event));
            let fits = full.chars().count() as f64 * 6.2 <= room - 4.0;
            let string = if fits { full } else { format!(":{}", chart.record.count(event)) };
            let (x, width) = (left as f32 + 3.0, room as f32 - 4.0);
            let y = (rows.0 + rows.1) as f32 / 2.0;
            self.texts.push(Text { x, y, width, size: 10.0, color: self.palette.ink, string });
        }
    }

    /// The orderings from and to an event, strong.
    pub(super) fn edges_of(&mut self, event: u32) {
        for before in before(self.chart, self.overlay, event).into_iter().take(MOST_OF_EVENT) {
            self.edge(before.event, event, before.via, true);
        }
        if self.overlay.restricted.is_none() {
            for &later in self.chart.record.after(event).iter().take(MOST_OF_EVENT) {
                self.edge(event, later, Via::Value(None), true);
            }
        }
    }

    /// From the end of an event to the beginning of a later one; `None` where one has no lane.
    fn ends(&self, earlier: u32, later: u32) -> Option<((f64, f64), (f64, f64))> {
        let chart = self.chart;
        let y = |event: u32| {
            let lane = chart.lanes.lane(&chart.record, event)?;
            Some(HEADER + (f64::from(lane) + 0.5) * chart.view.lane_height - chart.view.top)
        };
        let (_, end) = chart.lanes.place(&chart.record, earlier);
        let (start, _) = chart.lanes.place(&chart.record, later);
        Some(((chart.x_of(end), y(earlier)?), (chart.x_of(start), y(later)?)))
    }

    /// A line from the end of an event to the beginning of a later one.
    fn edge(&mut self, earlier: u32, later: u32, via: Via, is_marked: bool) {
        let chart = self.chart;
        let Some((from, to)) = self.ends(earlier, later) else { return };
        let is_cause = chart.hovered == Some(later)
            || self.overlay.related.events.get(&later) == Some(&Relation::Selected);
        let color = match (is_marked, via) {
            (true, _) if is_cause => self.palette.cause,
            (true, _) => self.palette.effect,
            (false, Via::Sequence) => mixed(self.palette.paper, self.palette.edge, 0.35),
            (false, Via::Value(_)) => self.palette.edge,
            (false, _) => mixed(self.palette.finding, self.palette.edge, 0.5),
        };
        self.pixels.line(from, to, GUTTER, color);
        if is_marked {
            self.pixels.line((from.0, from.1 + 1.0), (to.0, to.1 + 1.0), GUTTER, color);
        }
    }
}
