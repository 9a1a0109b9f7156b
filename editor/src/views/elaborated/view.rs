//! The view of the elaborated graph: what is visible, pages, and what is under the cursor.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::graph::{Dependence, Elaborated, PAGE, Thing};
use crate::drawing::geometry::Point;
use crate::drawing::view::View;
use crate::views::record::arrays::Record;
use crate::views::task::{Task, Wake};

/// A picture of the elaborated graph.
pub struct ElaboratedView {
    /// The record that the graph is of; `None` for a preview, which is of no run.
    pub(super) record: Option<Arc<Record>>,
    pub(super) graph: Arc<Elaborated>,
    coming: Option<Task<Elaborated>>,
    wake: Wake,
    /// The first instance shown of groups that do not begin with their first one, by title.
    pages: BTreeMap<String, usize>,
    pub(super) view: View,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Whether everything is shown, whatever comes and whatever the size is: until somebody moves the picture.
    fits: bool,
    is_shown: bool,
    /// Whether the record has grown since the graph was made, or begun to be.
    is_outdated: bool,
    pub(super) hovered: Option<usize>,
    version: u64,
}

impl ElaboratedView {
    /// The elaborated graph of a record. It comes from a thread; until then it is empty.
    pub fn new(record: Arc<Record>, wake: Wake) -> Self {
        let mut own = Self::without_record(wake);
        own.record = Some(record);
        own.lay_out();
        own
    }

    /// A picture for graphs before a run, which are [shown](Self::show) as they are made elsewhere.
    pub fn without_record(wake: Wake) -> Self {
        Self {
            record: None,
            graph: Arc::default(),
            coming: None,
            wake,
            pages: BTreeMap::new(),
            view: View::default(),
            width: 800,
            height: 400,
            fits: true,
            is_shown: true,
            is_outdated: false,
            hovered: None,
            version: 1,
        }
    }

    fn lay_out(&mut self) {
        self.is_outdated = false;
        let Some(record) = self.record.clone() else { return };
        let pages = self.pages.clone();
        self.coming = Some(Task::start(Arc::clone(&self.wake), move |_| Elaborated::of(&record, &pages)));
        self.version += 1;
    }

    /// The graph that is shown.
    pub fn graph(&self) -> &Elaborated {
        &self.graph
    }

    /// Changes with everything that the picture depends on, but for the overlay.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What is visible.
    pub fn view(&self) -> View {
        self.view
    }

    /// Whether a graph is being made.
    pub fn is_busy(&self) -> bool {
        self.coming.as_ref().is_some_and(|coming| !coming.is_lost())
    }

    /// Takes up a record that has grown. A graph that is being made is finished first, and what nobody sees is not made
    /// anew: a layout costs more than events come in meanwhile.
    pub fn set_record(&mut self, record: Arc<Record>) {
        self.record = Some(record);
        self.is_outdated = true;
        self.catch_up();
    }

    /// Says whether the picture is seen.
    pub fn set_shown(&mut self, is_shown: bool) {
        self.is_shown = is_shown;
        self.catch_up();
    }

    fn catch_up(&mut self) {
        if self.is_outdated && self.is_shown && !self.is_busy() {
            self.lay_out();
        }
    }

    /// Takes up a graph that has been made; whether there is a new one.
    pub fn poll(&mut self) -> bool {
        let Some(graph) = self.coming.as_ref().and_then(Task::poll) else { return false };
        self.take(graph);
        true
    }

    /// Waits until the graph is made.
    pub fn wait(&mut self) {
        if let Some(graph) = self.coming.take().and_then(|coming| coming.wait()) {
            self.take(graph);
        }
    }

    fn take(&mut self, graph: Elaborated) {
        self.coming = None;
        self.show(graph);
        self.catch_up();
    }

    /// Shows a graph.
    pub fn show(&mut self, graph: Elaborated) {
        self.graph = Arc::new(graph);
        self.hovered = None;
        if self.fits {
            self.fit();
        }
        self.version += 1;
    }

    /// Shows the next page of a group, by position, or the one before.
    pub fn turn(&mut self, group: usize, is_forward: bool) {
        let Some(group) = self.graph.groups.get(group) else { return };
        let first =
            if is_forward { group.first + group.n_shown.max(1) } else { group.first.saturating_sub(PAGE) };
        if first < group.n_all && first != group.first {
            self.pages.insert(group.title.clone(), first);
            self.lay_out();
        }
    }

    /// Turns to the page that an instance is on; whether it is another one.
    pub fn turn_to(&mut self, instance: u32) -> bool {
        if self.graph.box_of(Thing::Action(instance)).is_some() {
            return false;
        }
        let Some(record) = self.record.clone() else { return false };
        let key = |instance: u32| {
            let known = record.instances().get(instance as usize)?;
            Some((known.template, record.names().graph_of(known.id)))
        };
        let own = key(instance);
        let mut members = record.ranked().iter().filter(|&&other| key(other) == own);
        let Some(place) = members.position(|&other| other == instance) else { return false };
        let group = self.graph.groups.iter().find(|group| {
            own.is_some_and(|(template, graph)| {
                let path = graph.map(|graph| record.names().graph_path(graph).to_string());
                let path = path.filter(|path| !path.is_empty());
                let end = path.map_or_else(String::new, |path| format!(" in {path}"));
                group.title == format!("{}{end}", record.template_label(template))
            })
        });
        let Some(group) = group else { return false };
        self.pages.insert(group.title.clone(), place / PAGE * PAGE);
        self.lay_out();
        true
    }

    /// The size of the picture in pixels.
    pub fn set_size(&mut self, width: usize, height: usize) {
        let size = (width.clamp(1, 16_384), height.clamp(1, 16_384));
        if size != (self.width, self.height) {
            (self.width, self.height) = size;
            if self.fits {
                self.fit();
            }
            self.version += 1;
        }
    }

    /// Shows everything.
    pub fn fit(&mut self) {
        if let Some(bounds) = self.graph.bounds() {
            self.view = View::fit(bounds, Point::new(self.width as f64, self.height as f64), 12.0);
        }
        self.fits = true;
        self.version += 1;
    }

    /// Moves the picture by pixels, as a hand does that holds it.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        self.view.pan(Point::new(dx, dy));
        self.fits = false;
        self.version += 1;
    }

    /// Multiplies the zoom; what is under the cursor stays there.
    pub fn zoom(&mut self, x: f64, y: f64, factor: f64) {
        self.view.zoom_at(Point::new(x, y), factor);
        self.fits = false;
        self.version += 1;
    }

    /// Moves the picture so that an instance is visible.
    pub fn reveal(&mut self, instance: u32) {
        let Some(at) = self.graph.box_of(Thing::Action(instance)) else { return };
        let area = self.graph.boxes[at].area;
        let canvas = Point::new(self.width as f64, self.height as f64);
        if !self.view.visible(canvas).contains_rect(area) {
            self.view.center_on(area.center(), canvas);
            self.fits = false;
        }
        self.version += 1;
    }

    /// The box at a point of the picture.
    pub fn hit(&self, x: f64, y: f64) -> Option<usize> {
        let at = self.view.world_from_screen(Point::new(x, y));
        // A box smaller than a few pixels is hit beside it.
        let margin = (2.0 / self.view.zoom()).min(6.0);
        let exact = self.graph.boxes.iter().rposition(|node| node.area.contains(at));
        exact.or_else(|| self.graph.boxes.iter().rposition(|node| node.area.grown(margin).contains(at)))
    }

    /// The group at a point of the picture.
    pub fn group_at(&self, x: f64, y: f64) -> Option<usize> {
        let at = self.view.world_from_screen(Point::new(x, y));
        self.graph.groups.iter().position(|group| group.area.is_some_and(|area| area.contains(at)))
    }

    /// The line nearest to a point of the picture, within four pixels.
    pub fn hit_line(&self, x: f64, y: f64) -> Option<usize> {
        let at = self.view.world_from_screen(Point::new(x, y));
        let mut best: Option<(f64, usize)> = None;
        for line_idx in 0..self.graph.lines.len() {
            let way = self.way(line_idx);
            let pieces = way.windows(2).map(|ends| distance(at, ends[0], ends[1]));
            let apart = pieces.fold(f64::INFINITY, f64::min) * self.view.zoom();
            if apart <= 4.0 && best.is_none_or(|(known, _)| apart < known) {
                best = Some((apart, line_idx));
            }
        }
        best.map(|(_, line)| line)
    }

    /// The points of the straight pieces of a line, in the world.
    pub(super) fn way(&self, line_idx: usize) -> Vec<Point> {
        match (self.graph.way(line_idx), self.graph.lines.get(line_idx)) {
            (way @ [_, _, ..], _) => way.to_vec(),
            (_, Some(line)) => self.ends(line).into(),
            (_, None) => Vec::new(),
        }
    }

    /// Where a straight line begins and ends, in the world.
    fn ends(&self, line: &Dependence) -> [Point; 2] {
        let (source, target) = (self.graph.boxes[line.source].area, self.graph.boxes[line.target].area);
        let middle = |area: crate::drawing::geometry::Rect| area.center().y;
        if source.max.x <= target.min.x {
            [Point::new(source.max.x, middle(source)), Point::new(target.min.x, middle(target))]
        } else if target.max.x <= source.min.x {
            [Point::new(source.min.x, middle(source)), Point::new(target.max.x, middle(target))]
        } else if source.max.y <= target.min.y {
            [Point::new(source.center().x, source.max.y), Point::new(target.center().x, target.min.y)]
        } else {
            [Point::new(source.center().x, source.min.y), Point::new(target.center().x, target.max.y)]
        }
    }

    /// Notes where the cursor is; whether the picture changes by it.
    pub fn hover(&mut self, at: Option<(f64, f64)>) -> bool {
        let hovered = at.and_then(|(x, y)| self.hit(x, y));
        let is_new = hovered != self.hovered;
        self.hovered = hovered;
        self.version += u64::from(is_new);
        is_new
    }
}

fn distance(at: Point, from: Point, to: Point) -> f64 {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx * dx + dy * dy;
    let share = if length > 0.0 { ((at.x - from.x) * dx + (at.y - from.y) * dy) / length } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    at.distance(Point::new(from.x + share * dx, from.y + share * dy))
}
