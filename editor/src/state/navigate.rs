//! Which graph is shown, how one came there, and which part of it: each graph keeps its own view.

/// Graphs on the way to the one that is shown.
pub(super) mod crumb;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hasse_compiler::NodeKind;

use super::editor::Editor;
use super::request::Request;
use super::selection::selected::Selection;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::minimap::Minimap;
use crate::drawing::scene::{BoxKind, NodeBox};
use crate::drawing::view::View;
use crate::marks::ActionMark;
use crate::target::{Part, Target};
pub use crumb::Crumb;

/// Room around what is fitted into the canvas, in pixels.
pub(super) const MARGIN: f64 = 40.0;
/// Least zoom of a view that the editor chooses itself: below it, names of boxes cannot be read.
const LEAST_LEGIBLE: f64 = 0.4;

impl Editor {
    /// The graph that is shown; empty where the program has none.
    pub fn graph(&self) -> &str {
        &self.graph
    }

    /// The calls by which one came to the shown graph, itself last.
    pub fn crumbs(&self) -> &[Crumb] {
        &self.crumbs
    }

    /// The part of the shown graph that is seen.
    pub fn view(&self) -> View {
        self.views.get(&self.graph).copied().unwrap_or_default()
    }

    pub(super) fn set_view(&mut self, view: View) {
        if view != self.view() {
            self.views.insert(self.graph.clone(), view);
            self.unfitted.remove(&self.graph);
            self.fitted = None;
            self.changed();
        }
    }

    /// The graph that the program begins with, else the first one.
    pub(super) fn main_graph(&self) -> Option<String> {
        let graphs = self.drawn.graphs();
        let main = graphs.iter().find(|graph| graph.is_main).or(graphs.first());
        main.map(|graph| graph.name.clone())
    }

    pub(super) fn go_to_main(&mut self) {
        let graph = self.main_graph().unwrap_or_default();
        self.show_path(vec![Crumb { graph, call: None }]);
    }

    /// Shows a graph: in the tab that has it, else by the shortest way of calls from the main one, else by itself.
    pub fn show_graph(&mut self, graph: &str) {
        if self.graph == graph {
            return;
        }
        if let Some(tab) = self.tabs.position(graph) {
            self.choose_tab(tab);
        } else if self.drawn.graph(graph).is_some() {
            let crumbs = self.way_to(graph);
            self.show_path(crumbs);
        }
    }

    fn way_to(&self, graph: &str) -> Vec<Crumb> {
        let mut ways: VecDeque<Vec<Crumb>> = VecDeque::new();
        let mut seen = BTreeSet::new();
        if let Some(main) = self.main_graph() {
            seen.insert(main.clone());
            ways.push_back(vec![Crumb { graph: main, call: None }]);
        }
        while let Some(way) = ways.pop_front() {
            let Some(last) = way.last() else { continue };
            if last.graph == graph {
                return way;
            }
            let nodes = self.drawn.graph(&last.graph).map_or(&[][..], |outline| &outline.nodes);
            for node in nodes {
                let NodeKind::Call(called) = &node.kind else { continue };
                if seen.insert(called.clone()) {
                    let crumb = Crumb { graph: called.clone(), call: Some(node.name.clone()) };
                    ways.push_back(way.iter().cloned().chain([crumb]).collect());
                }
            }
        }
        vec![Crumb { graph: graph.to_owned(), call: None }]
    }

    pub(super) fn show_path(&mut self, crumbs: Vec<Crumb>) {
        let graph = crumbs.last().map(|crumb| crumb.graph.clone()).unwrap_or_default();
        self.cancel();
        self.crumbs = crumbs;
        if graph != self.graph {
            self.graph = graph;
            self.selection = Selection::default();
            self.hover = None;
        }
        self.changed();
        self.draw();
        if !self.views.contains_key(&self.graph) {
            self.unfitted.insert(self.graph.clone());
            self.fit_new();
        }
    }

    /// Gives a graph that is shown for the first time a view of all of it, once the canvas has a size, and again when that
    /// changes before anything else does: windows get their size in steps.
    pub(super) fn fit_new(&mut self) {
        let now = (self.graph.clone(), self.document.revision());
        if self.unfitted.contains(&self.graph) || self.fitted.as_ref() == Some(&now) {
            self.fit_whole();
        }
    }

    /// Gives the graph a view of all of it, and again when the size of the canvas changes before anything else does. Where all of it
    /// would be too small to read, the view shows the part that matters: see [`matters`](Self::matters).
    pub(super) fn fit_whole(&mut self) {
        if self.size.x > 0.0 && self.size.y > 0.0 {
            self.fit(None);
            if self.view().zoom() < LEAST_LEGIBLE {
                let part = self.matters();
                let corner =
                    self.drawn.shown().and_then(|shown| shown.scene.bounds()).unwrap_or_default().min;
                let margin = MARGIN / LEAST_LEGIBLE;
                let mut view = View::new(Point::new(corner.x - margin, corner.y - margin), LEAST_LEGIBLE);
                if let Some(part) = part {
                    view.center_on(part.center(), self.size);
                }
                self.set_view(view);
            }
            self.fitted = Some((self.graph.clone(), self.document.revision()));
        }
    }

    /// The part of a graph that is shown where not all of it can be: the selection, or the nodes in which something is stopped or
    /// has failed; `None` for the upper left corner.
    fn matters(&self) -> Option<Rect> {
        let is_urgent = |node: &NodeBox| {
            let state = self.node_marks(&node.name).and_then(|marks| marks.state);
            matches!(state, Some(ActionMark::Failed | ActionMark::Stopped))
        };
        self.selection_bounds().or_else(|| {
            let boxes = &self.drawn.shown()?.scene.boxes;
            boxes.iter().find(|node| is_urgent(node)).map(|node| node.area)
        })
    }

    /// Makes the view fit a part of the world, or all.
    pub(super) fn fit(&mut self, part: Option<Rect>) {
        let bounds = part.or_else(|| self.drawn.shown()?.scene.bounds());
        let view = match bounds {
            Some(bounds) => View::fit(bounds, self.size, MARGIN),
            None => View::new(Point::new(-self.size.x / 2.0, -self.size.y / 2.0), 1.0),
        };
        self.set_view(view);
        self.unfitted.remove(&self.graph);
    }

    /// Keeps what is shown a graph of the program: after an edit, the nearest of the path that is still there.
    pub(super) fn stay_in_program(&mut self) {
        let drawn = &self.drawn;
        self.tabs.retain(|graph| drawn.graph(graph).is_some());
        let is_valid = |crumbs: &[Crumb], drawn: &super::drawn::Drawn| {
            crumbs.last().is_some_and(|last| drawn.graph(&last.graph).is_some())
        };
        if is_valid(&self.crumbs, &self.drawn) {
            return;
        }
        let mut crumbs = self.crumbs.clone();
        while !crumbs.is_empty() && !is_valid(&crumbs, &self.drawn) {
            crumbs.pop();
        }
        if crumbs.is_empty() {
            let graph = self.main_graph().unwrap_or_default();
            crumbs.push(Crumb { graph, call: None });
        }
        self.graph = crumbs.last().map(|crumb| crumb.graph.clone()).unwrap_or_default();
        self.crumbs = crumbs;
        self.selection = Selection::default();
        if !self.views.contains_key(&self.graph) {
            self.unfitted.insert(self.graph.clone());
        }
    }

    /// Shows the graph that a call calls.
    pub fn enter(&mut self, call: &str) {
        let called = self.drawn.shown().and_then(|shown| {
            let box_idx = shown.scene.box_named(call)?;
            match shown.scene.boxes[box_idx].kind {
                BoxKind::Call { graph } => Some(graph),
                _ => None,
            }
        });
        match called.map(|graph| graph.and_then(|idx| self.drawn.graphs().get(idx))) {
            Some(Some(graph)) => {
                let crumb = Crumb { graph: graph.name.clone(), call: Some(call.to_owned()) };
                let mut crumbs = self.crumbs.clone();
                crumbs.push(crumb);
                self.show_path(crumbs);
            }
            Some(None) => self.refuse(format!("`{call}` calls a graph that is not there.")),
            None => {}
        }
    }

    /// Shows the graph from which one came, with the call selected.
    pub fn go_up(&mut self) {
        if self.crumbs.len() > 1 {
            self.go_to_crumb(self.crumbs.len() - 2);
        }
    }

    /// Shows a graph of the path, by its place in [`crumbs`](Self::crumbs).
    pub fn go_to_crumb(&mut self, crumb_idx: usize) {
        if crumb_idx + 1 >= self.crumbs.len() {
            return;
        }
        let call = self.crumbs[crumb_idx + 1].call.clone();
        self.show_path(self.crumbs[..=crumb_idx].to_vec());
        let nodes = call.into_iter().collect();
        self.select(Selection { nodes, ..Selection::default() });
    }

    /// Shows what a problem or a finding is about: the graph, with the thing selected and in sight. The inspector is
    /// asked to show the field.
    pub fn show(&mut self, target: &Target) {
        if !target.graph.is_empty() {
            self.show_graph(&target.graph);
        }
        if target.graph == self.graph && !self.graph.is_empty() {
            let mut selection = Selection::default();
            match &target.part {
                Part::Node(name) => {
                    selection.nodes.insert(name.clone());
                }
                Part::Link(list, row) => {
                    selection.links.insert((*list, *row));
                }
                Part::Program | Part::Type(_) | Part::Graph => {}
            }
            self.select(selection);
            self.reveal();
        }
        self.requests.push(Request::Show(target.clone()));
        self.changed();
    }

    /// Moves the view so that what is selected is seen.
    pub(super) fn reveal(&mut self) {
        let Some(bounds) = self.selection_bounds() else { return };
        let mut view = self.view();
        let on_screen = view.screen_rect_from_world(bounds);
        if self.canvas().contains_rect(on_screen) && view.zoom() > 0.45 {
            return;
        }
        let (width, height) = (bounds.width() * view.zoom(), bounds.height() * view.zoom());
        if view.zoom() <= 0.45 || width > self.size.x || height > self.size.y {
            view = View::fit(bounds, self.size, MARGIN);
        }
        view.center_on(bounds.center(), self.size);
        self.set_view(view);
    }

    /// The rectangle around what is selected.
    pub(super) fn selection_bounds(&self) -> Option<Rect> {
        let scene = &self.drawn.shown()?.scene;
        let selection = &self.selection;
        let boxes = scene.boxes.iter().filter(|node| selection.nodes.contains(&node.name));
        let links = scene.links.iter().filter(|link| selection.links.contains(&(link.list, link.row)));
        let comments = scene.comments.iter().filter(|held| selection.comments.contains(&held.number));
        let frames = scene.frames.iter().filter(|held| selection.frames.contains(&held.number));
        let areas = boxes.map(|node| node.area).chain(links.filter_map(|link| link.path.bounds()));
        let areas = areas.chain(comments.map(|held| held.area)).chain(frames.map(|held| held.area));
        areas.reduce(Rect::union)
    }

    /// Zooms by a factor around the middle of the canvas.
    pub(super) fn zoom_by(&mut self, factor: f64) {
        let mut view = self.view();
        view.zoom_at(self.canvas().center(), factor);
        self.set_view(view);
    }

    /// Sets the zoom, 1 for the picture's own size, around the middle of the canvas.
    pub fn set_zoom(&mut self, zoom: f64) {
        let mut view = self.view();
        view.set_zoom_at(self.canvas().center(), zoom);
        self.set_view(view);
    }

    /// Puts what is at a place of the minimap, drawn in a rectangle of this size, into the middle of the canvas.
    pub fn pointer_on_minimap(&mut self, at: Point, size: Point) {
        let Some(shown) = self.drawn.shown() else { return };
        let mut view = self.view();
        let map = Minimap::new(&shown.scene, view.visible(self.size), Rect::new(0.0, 0.0, size.x, size.y));
        let world = map.world_from_map(at);
        if world.x.is_finite() && world.y.is_finite() {
            view.center_on(world, self.size);
            self.set_view(view);
        }
    }

    /// All views that were looked at, by graph; to be kept between sessions.
    pub fn views(&self) -> &BTreeMap<String, View> {
        &self.views
    }
}
