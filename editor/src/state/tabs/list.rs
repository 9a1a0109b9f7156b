//! The list of open graphs.

use super::super::check::findings::CachedMarks;
use super::super::drawn::Shown;
use super::super::navigate::crumb::Crumb;
use crate::drawing::view::View;

/// An open graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Tab {
    /// The calls that lead to it. Out of date for the current tab: the editor has them.
    pub(super) crumbs: Vec<Crumb>,
    /// The part that was seen when the tab was left; `None` if it was never shown.
    pub(super) view: Option<View>,
}

impl Tab {
    pub(super) fn graph(&self) -> &str {
        self.crumbs.last().map_or("", |crumb| crumb.graph.as_str())
    }
}

/// Open graphs. Invariant: there is one at least, and both positions are in range.
pub(in super::super) struct Tabs {
    pub(super) list: Vec<Tab>,
    pub(super) current: usize,
    /// The tab in the second pane; never the current one.
    pub(super) second: Option<usize>,
    /// True if the second pane is the left one.
    pub(super) is_second_left: bool,
    /// The graph of the second pane as it was drawn last, and the revision of the program that it is of.
    pub(super) drawn: Option<(u64, Shown)>,
    pub(super) marks: CachedMarks,
}

impl Default for Tabs {
    fn default() -> Self {
        Self {
            list: vec![Tab::default()],
            current: 0,
            second: None,
            is_second_left: false,
            drawn: None,
            marks: None,
        }
    }
}

impl Tabs {
    pub(super) fn remove(&mut self, idx: usize) {
        self.list.remove(idx);
        self.current -= usize::from(self.current > idx);
        let kept = self.second.filter(|second| *second != idx);
        self.second = kept.map(|second| second - usize::from(second > idx));
        self.is_second_left &= self.second.is_some();
    }

    /// The position of a tab other than the current one that shows a graph; the one in the second pane before others.
    pub(in super::super) fn position(&self, graph: &str) -> Option<usize> {
        let is_wanted = |idx: &usize| *idx != self.current && self.list[*idx].graph() == graph;
        self.second.filter(is_wanted).or_else(|| (0..self.list.len()).find(is_wanted))
    }

    /// Renames a graph on the way to each tab.
    pub(in super::super) fn rename_graph(&mut self, name: &str, new: &str) {
        let crumbs = self.list.iter_mut().flat_map(|tab| &mut tab.crumbs);
        for crumb in crumbs.filter(|crumb| crumb.graph == name) {
            new.clone_into(&mut crumb.graph);
        }
    }

    /// Removes the tabs whose graph is gone, except the current one, for which the editor cares.
    pub(in super::super) fn retain(&mut self, is_graph: impl Fn(&str) -> bool) {
        for idx in (0..self.list.len()).rev() {
            if idx != self.current && !is_graph(self.list[idx].graph()) {
                self.remove(idx);
            }
        }
    }

    pub(in super::super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(in super::super) fn has_second(&self) -> bool {
        self.second.is_some()
    }
}
