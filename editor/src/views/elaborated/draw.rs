//! Drawing the elaborated graph.

use std::collections::{BTreeMap, BTreeSet};

use super::{ElaboratedView, InstanceBox, Thing};
use crate::drawing::geometry::Rect;
use crate::views::overlay::Overlay;
use crate::views::pixels::{Palette, Pixels, Rgba, Text, Theme, mixed};
use crate::views::select::Relation;

/// Most lines that are drawn where nothing is selected.
const MOST_LINES: usize = 3_000;
/// Most lines at what is selected or under the cursor.
const MOST_MARKED: usize = 2_000;
/// Least height of a box with a name, in pixels.
const LEAST_NAMED: f64 = 13.0;

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
        let record = &self.record;
        let found = overlay.found.iter().map(|&event| record.instance_of(event)).collect();
        let last = overlay.position.and_then(|position| position.checked_sub(1));
        let mut canvas = Canvas {
            of: self,
            overlay,
            theme,
            palette,
            related: overlay.related.instances(record),
            found,
            last: last.map(|last| record.instance_of(last)),
            pixels: Pixels::filled(reused, self.width, self.height, palette.paper),
            texts: Vec::new(),
        };
        canvas.groups();
        canvas.lines();
        self.graph.boxes.iter().enumerate().for_each(|(at, node)| canvas.node(at, node));
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
        match self.of.graph.boxes.get(at)?.thing {
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
            for line in &graph.lines {
                let is_faint = [line.source, line.target].iter().any(|&end| self.is_faint(&graph.boxes[end]));
                let share = if is_faint { 0.3 } else { 1.0 };
                let color = mixed(self.palette.paper, self.palette.edge, share);
                self.line(line, color, false);
            }
        }
        let selected = self.related.iter().filter(|(_, relation)| **relation == Relation::Selected);
        let of_event = self.overlay.related.events.iter();
        let of_event = of_event.filter(|(_, relation)| **relation == Relation::Selected);
        let instances = selected.map(|(&instance, _)| instance);
        let instances = instances.chain(of_event.map(|(&event, _)| of.record.instance_of(event)));
        let boxes: BTreeSet<usize> = instances
            .filter_map(|instance| graph.box_of(Thing::Action(instance)))
            .chain(of.hovered)
            .collect();
        let mut n_drawn = 0;
        for at in boxes {
            for &line in graph.lines_of(at).iter().take(MOST_MARKED - n_drawn.min(MOST_MARKED)) {
                let line = &graph.lines[line as usize];
                let color = if line.target == at { self.palette.cause } else { self.palette.effect };
                self.line(line, color, true);
                n_drawn += 1;
            }
        }
        if !overlay.related.arcs.is_empty() {
            let along =
                |line: &&super::Dependence| line.arcs.iter().any(|arc| overlay.related.arcs.contains(arc));
            for line in graph.lines.iter().filter(along).take(MOST_MARKED) {
                self.line(line, self.palette.selected, true);
            }
        }
        // The values of the event shown last.
        if let Some(event) = self.overlay.position.and_then(|position| position.checked_sub(1)) {
            let senders: BTreeSet<u32> =
                of.record.before(event).map(|before| of.record.instance_of(before.event)).collect();
            let own = graph.box_of(Thing::Action(of.record.instance_of(event))).filter(|&at| is_last(at));
            let lines = own.map_or(&[][..], |own| graph.lines_of(own)).iter();
            for line in lines.map(|&line| &graph.lines[line as usize]) {
                let source = graph.boxes[line.source].thing;
                if Some(line.target) == own
                    && matches!(source, Thing::Action(instance) if senders.contains(&instance))
                {
                    self.line(line, self.palette.animated, true);
                }
            }
        }
    }

    fn line(&mut self, line: &super::Dependence, color: Rgba, is_strong: bool) {
        let of = self.of;
        if line.source == line.target {
            return;
        }
        let (from, to) = of.ends(line);
        let (from, to) = (of.view.screen_from_world(from), of.view.screen_from_world(to));
        self.pixels.line((from.x, from.y), (to.x, to.y), 0.0, color);
        if is_strong {
            self.pixels.line((from.x, from.y + 1.0), (to.x, to.y + 1.0), 0.0, color);
        }
        let length = (to.x - from.x).hypot(to.y - from.y);
        if length > 12.0 {
            // An arrow's head.
            let (ux, uy) = ((to.x - from.x) / length, (to.y - from.y) / length);
            for side in [-1.0, 1.0] {
                let back = (to.x - 7.0 * ux - side * 3.5 * uy, to.y - 7.0 * uy + side * 3.5 * ux);
                self.pixels.line((to.x, to.y), back, 0.0, color);
            }
        }
        if is_strong && length > 60.0 && self.texts.len() < 2_000 {
            let (x, y) = ((from.x + to.x) / 2.0, (from.y + to.y) / 2.0);
            let (x, y) = (x as f32, y as f32 - 7.0);
            self.texts.push(Text { x, y, width: 60.0, size: 10.0, color, string: line.n_values.to_string() });
        }
    }

    fn is_faint(&self, node: &InstanceBox) -> bool {
        let Thing::Action(instance) = node.thing else { return false };
        let first = self.of.record.events_of(instance).first();
        let is_later = self.overlay.position.zip(first).is_some_and(|(position, &first)| first >= position);
        is_later || !self.overlay.keeps(instance)
    }

    fn node(&mut self, at: usize, node: &InstanceBox) {
        let Some((columns, rows)) = self.area(node.area) else { return };
        let relation = self.relation(at);
        let is_faint = self.is_faint(node);
        let (own, is_found, is_last) = match node.thing {
            Thing::Action(instance) => {
                let template = self.of.record.template_of_instance(instance);
                (self.theme.template(template), self.found.contains(&instance), self.last == Some(instance))
            }
            Thing::Object(_) => (self.palette.faint_ink, false, false),
        };
        let fill = if is_faint { self.palette.dimmed } else { mixed(self.palette.paper, own, 0.75) };
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
            let string = match node.thing {
                Thing::Action(instance) => {
                    let events = self.of.record.events_of(instance);
                    let position = self.overlay.position.unwrap_or(u32::MAX);
                    let n_events = events.partition_point(|&event| event < position);
                    format!("{} ({n_events})", node.name)
                }
                Thing::Object(_) => node.name.clone(),
            };
            let room = (width - 8.0) as f32;
            self.texts.push(Text {
                x: columns.0 as f32 + 4.0,
                y: (rows.0 + rows.1) as f32 / 2.0,
                width: room,
                size: (11.0 * self.of.view.zoom()).clamp(9.0, 13.0) as f32,
                color: self.palette.ink,
                string,
            });
        }
    }
}
