//! Tabs: graphs that are open at the same time, and the one that is shown in a second pane.
//!
//! The editor works on the graph of the current tab alone. The second pane shows the picture of another tab, which becomes the
//! current one when it is clicked.

/// The list of open graphs.
pub(super) mod list;

use std::mem::take;

use super::editor::Editor;
use super::gesture::phase::Gesture;
use super::navigate::MARGIN;
use super::navigate::crumb::Crumb;
use super::picture::items::Picture;
use super::selection::selected::Selection;
use crate::drawing::geometry::Point;
use crate::drawing::scene::BoxKind;
use crate::drawing::view::View;
use list::Tab;

impl Editor {
    /// The labels of all tabs, in order.
    pub fn tabs(&self) -> Vec<String> {
        let label = |(idx, tab): (usize, &Tab)| {
            let crumbs = if idx == self.tabs.current { &self.crumbs } else { &tab.crumbs };
            crumbs.last().map_or_else(String::new, Crumb::label)
        };
        self.tabs.list.iter().enumerate().map(label).collect()
    }

    /// The position of the current tab.
    pub fn current_tab(&self) -> usize {
        self.tabs.current
    }

    /// The position of the tab in the second pane; `None` where there is one pane.
    pub fn second_tab(&self) -> Option<usize> {
        self.tabs.second
    }

    /// The graph in the second pane.
    pub fn second_graph(&self) -> Option<&str> {
        Some(self.tabs.list.get(self.tabs.second?)?.graph())
    }

    /// Returns true if the second pane is the left one.
    pub fn is_second_left(&self) -> bool {
        self.tabs.is_second_left
    }

    fn leave_tab(&mut self) {
        let view = self.views.get(&self.graph).copied();
        let crumbs = self.crumbs.clone();
        if let Some(tab) = self.tabs.list.get_mut(self.tabs.current) {
            *tab = Tab { crumbs, view };
        }
    }

    /// Makes a tab the current one. That of the second pane changes roles with the current one, so that both stay where they
    /// are. Without effect for a position that is out of range.
    pub fn choose_tab(&mut self, idx: usize) {
        if idx == self.tabs.current || idx >= self.tabs.list.len() {
            return;
        }
        self.leave_tab();
        if self.tabs.second == Some(idx) {
            self.tabs.second = Some(self.tabs.current);
            self.tabs.is_second_left = !self.tabs.is_second_left;
        }
        self.tabs.current = idx;
        self.enter_tab();
    }

    fn enter_tab(&mut self) {
        let Tab { crumbs, view } = self.tabs.list[self.tabs.current].clone();
        let graph = crumbs.last().map(|crumb| crumb.graph.clone()).unwrap_or_default();
        if let Some(view) = view {
            self.views.insert(graph, view);
            self.fitted = None;
        }
        self.show_path(crumbs);
    }

    /// Opens the graph of the selected call, else the shown graph once more, in a tab after the current one.
    pub(super) fn open_tab(&mut self) {
        let tab = self.new_tab();
        self.leave_tab();
        let at = self.tabs.current + 1;
        self.insert_tab(at, tab);
        self.tabs.current = at;
        self.enter_tab();
    }

    fn insert_tab(&mut self, at: usize, tab: Tab) {
        self.tabs.list.insert(at, tab);
        self.tabs.second = self.tabs.second.map(|second| second + usize::from(second >= at));
    }

    fn new_tab(&self) -> Tab {
        let mut crumbs = self.crumbs.clone();
        let called = self.selected_called_graph();
        let view = if called.is_none() { self.views.get(&self.graph).copied() } else { None };
        crumbs.extend(called);
        Tab { crumbs, view }
    }

    /// The graph of the one call that is selected.
    fn selected_called_graph(&self) -> Option<Crumb> {
        let shown = self.drawn.shown()?;
        let [box_idx] = self.selected_boxes()[..] else { return None };
        let node = shown.scene.boxes.get(box_idx)?;
        let BoxKind::Call { graph: Some(graph) } = node.kind else { return None };
        let graph = self.drawn.graphs().get(graph)?;
        Some(Crumb { graph: graph.name.clone(), call: Some(node.name.clone()) })
    }

    /// Closes a tab; the last one stays.
    pub fn close_tab(&mut self, idx: usize) {
        if self.tabs.list.len() < 2 || idx >= self.tabs.list.len() {
            return;
        }
        if idx == self.tabs.current {
            let next = self.tabs.second.unwrap_or(if idx > 0 { idx - 1 } else { 1 });
            self.choose_tab(next);
        }
        self.tabs.remove(idx);
        self.changed();
    }

    pub(super) fn close_current_tab(&mut self) {
        self.close_tab(self.tabs.current);
    }

    pub(super) fn step_tab(&mut self, is_forward: bool) {
        let n_tabs = self.tabs.list.len();
        let by = if is_forward { 1 } else { n_tabs - 1 };
        self.choose_tab((self.tabs.current + by) % n_tabs);
    }

    /// Shows another tab in a second pane, or one pane again. Without another tab, one is opened.
    pub(super) fn toggle_second(&mut self) {
        // A graph that is seen whole stays so when the pane is narrower or wider.
        let is_whole = self.sees_all();
        if is_whole {
            self.unfitted.insert(self.graph.clone());
        }
        if self.tabs.second.take().is_some() {
            self.tabs.is_second_left = false;
            self.tabs.drawn = None;
            return self.changed();
        }
        let current = self.tabs.current;
        if self.selected_called_graph().is_some() || self.tabs.list.len() < 2 {
            let tab = self.new_tab();
            self.insert_tab(current + 1, Tab { view: tab.view.filter(|_| !is_whole), ..tab });
            self.tabs.second = Some(current + 1);
        } else {
            let next = current + 1;
            self.tabs.second = Some(if next < self.tabs.list.len() { next } else { current - 1 });
        }
        self.changed();
    }

    pub(super) fn sees_all(&self) -> bool {
        let bounds = self.drawn.shown().and_then(|shown| shown.scene.bounds());
        bounds.is_some_and(|bounds| self.view().visible(self.size).contains_rect(bounds))
    }

    /// Draws the graph of the second pane for a size; `None` where there is one pane. Cost: linear in what is seen, and in
    /// the graph after the program has changed.
    pub fn second_picture(&mut self, size: Point) -> Option<Picture> {
        let second = self.tabs.second?;
        let graph = self.tabs.list[second].graph().to_owned();
        let revision = self.document.revision();
        let drawn = match self.tabs.drawn.take() {
            Some((held, shown)) if held == revision && shown.is_of(&graph) => Some(shown),
            last => self.drawn.draw_apart(&graph, last.map(|(_, shown)| shown)),
        };
        let shown = self.drawn.replace_shown(drawn);
        let view = self.tabs.list[second].view.or_else(|| {
            let bounds = self.drawn.shown()?.scene.bounds()?;
            Some(View::fit(bounds, size, MARGIN))
        });
        self.tabs.list[second].view = view;

        let own_graph = std::mem::replace(&mut self.graph, graph.clone());
        let own_size = std::mem::replace(&mut self.size, size);
        let (selection, hover): (Selection, _) = (take(&mut self.selection), self.hover.take());
        let gesture = std::mem::replace(&mut self.gesture, Gesture::None);
        let own_view = self.views.get(&graph).copied();
        self.views.extend(view.map(|view| (graph.clone(), view)));
        self.swap_marks();
        let picture = self.drawn_picture(false);
        self.swap_marks();
        match own_view {
            Some(view) => drop(self.views.insert(graph, view)),
            None => drop(self.views.remove(&graph)),
        }
        (self.graph, self.size) = (own_graph, own_size);
        (self.selection, self.hover, self.gesture) = (selection, hover, gesture);
        let drawn = self.drawn.replace_shown(shown);
        self.tabs.drawn = drawn.map(|shown| (revision, shown));
        Some(Picture { version: 0, ..picture })
    }

    fn swap_marks(&mut self) {
        self.check.swap_marks(&mut self.tabs.marks);
    }
}
