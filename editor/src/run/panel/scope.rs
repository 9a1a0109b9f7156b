//! Instances of nodes and calls, and the one of a call that is looked at.

use std::collections::BTreeMap;

use crate::calls::{CallScope, call_instance};
use crate::marks::{ActionMark, Dot};
use crate::run::snapshot::mark_of;

use super::RunPanel;

impl RunPanel {
    /// The instances of a call at the last rest, in the order of their paths, each with the state of its most urgent
    /// action. Of nodes with many instances those that a snapshot lists are looked at.
    pub fn call_instances(&self, graph: &str, call: &str) -> Vec<Dot> {
        let (Some(facts), Some(snapshot)) = (&self.facts, &self.snapshot) else { return Vec::new() };
        let mut found: BTreeMap<&str, ActionMark> = BTreeMap::new();
        for action in snapshot.templates.iter().flat_map(|count| &count.first).chain(&snapshot.stopped) {
            if let Some(path) = call_instance(&action.path, &facts.main, &facts.calls, graph, call) {
                let mark = mark_of(action);
                found.entry(path).and_modify(|held| *held = mark.min(*held)).or_insert(mark);
            }
        }
        let scope = self.scope.as_ref().map(|scope| scope.path.as_str());
        let dot = |(path, mark): (&str, ActionMark)| Dot {
            path: path.to_owned(),
            mark,
            is_selected: scope == Some(path),
        };
        found.into_iter().map(dot).collect()
    }

    /// The instance of a call that is looked at; `None` for all of them.
    pub fn scope(&self) -> Option<&CallScope> {
        self.scope.as_ref()
    }

    /// Looks at one instance of a call, or at all. The action under debug is then one within it, a stopped one if there is.
    pub fn set_scope(&mut self, scope: Option<CallScope>) {
        self.scope = scope;
        self.version += 1;
        let (Some(scope), Some(snapshot)) = (&self.scope, &self.snapshot) else { return };
        let is_there = self.selected.as_deref().is_some_and(|path| scope.holds(path));
        let all = snapshot.stopped.iter().chain(snapshot.templates.iter().flat_map(|count| &count.first));
        let within = all.filter(|action| scope.holds(&action.path));
        let first = within.min_by_key(|action| mark_of(action)).map(|action| action.path.clone());
        if let Some(first) = first.filter(|_| !is_there) {
            self.select(Some(&first));
        }
    }
}
