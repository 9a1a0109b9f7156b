//! Nodes that were added and not edited since: nothing is reported about them yet. A node that was connected is edited.

/// A node as it was added.
pub(super) mod node;

use hasse_compiler::{GraphOutline, NodeKind, NodeOutline};
use hasse_model::diagnostic::Severity;
use toml_edit::{DocumentMut, Item};

use super::editor::Editor;
use crate::problems::Problem;
use crate::target::Part;
use node::FreshNode;

/// Code of a program whose main graph has no start node.
const NO_START_NODE: &str = "E0007";

/// Text of a node's table; `None` of a formal port and of a node that is not there.
fn node_text(tables: &DocumentMut, graph: &str, name: &str) -> Option<String> {
    let graph = tables.get("graph")?.get(graph)?;
    let node = ["uc", "call", "shared"].into_iter().find_map(|section| graph.get(section)?.get(name))?;
    Some(node.to_string())
}

/// Names of the nodes of a graph.
fn node_names(tables: &DocumentMut, graph: &str) -> Vec<String> {
    let Some(graph) = tables.get("graph").and_then(|graphs| graphs.get(graph)) else { return Vec::new() };
    let sections =
        ["uc", "call", "shared"].into_iter().filter_map(|section| graph.get(section)?.as_table_like());
    sections.flat_map(|nodes| nodes.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()).collect()
}

impl Editor {
    /// Notes that a node of the shown graph was just added.
    pub(super) fn note_fresh(&mut self, name: &str) {
        let graph = self.graph.clone();
        if let Some(text) = node_text(self.drawn.tables(), &graph, name) {
            let n_links = self.n_links(&graph, name);
            self.fresh.push(FreshNode { graph, name: name.to_owned(), text, n_links });
        }
    }

    /// Forgets nodes that were edited or removed; one that was renamed is known by its text.
    pub(super) fn keep_fresh(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        let tables = self.drawn.tables();
        let mut kept: Vec<FreshNode> = Vec::new();
        for node in std::mem::take(&mut self.fresh) {
            let is_as_added = |name: &str| node_text(tables, &node.graph, name).as_ref() == Some(&node.text);
            let name = match node_text(tables, &node.graph, &node.name) {
                Some(text) => (text == node.text).then(|| node.name.clone()),
                None => node_names(tables, &node.graph).into_iter().find(|name| {
                    is_as_added(name)
                        && !kept.iter().any(|held| held.graph == node.graph && held.name == *name)
                }),
            };
            if let Some(name) = name {
                kept.push(FreshNode { name, ..node });
            }
        }
        // A call has no more to be edited than its arcs.
        kept.retain(|node| {
            self.n_links(&node.graph, &node.name) == node.n_links && !self.is_linked_call(node)
        });
        self.fresh = kept;
    }

    /// Number of arcs and share lines at a node.
    fn n_links(&self, graph: &str, node: &str) -> usize {
        let links = self.drawn.graph(graph).map_or(&[][..], |graph| &graph.links);
        links.iter().filter(|link| link.source.node == node || link.target.node == node).count()
    }

    fn is_linked_call(&self, node: &FreshNode) -> bool {
        let known = self.drawn.graph(&node.graph);
        let found = known.and_then(|graph| graph.nodes.iter().find(|held| held.name == node.name));
        node.n_links > 0 && found.is_some_and(|found| matches!(found.kind, NodeKind::Call(_)))
    }

    /// Shows warnings, or hides them: a half-drawn program of the tour has some at each step.
    pub fn set_warns(&mut self, warns: bool) {
        if self.warns != warns {
            self.warns = warns;
            self.check.again();
            self.changed();
        }
    }

    /// Takes out of what the compiler says what a person could not have mended yet.
    pub(super) fn hide_fresh(&mut self) {
        if !self.warns {
            self.check.hide(|problem| problem.severity == Severity::Warning);
        }
        let is_untouched = self.is_untouched();
        let fresh = &self.fresh;
        let is_fresh = |problem: &Problem| match &problem.target.part {
            Part::Node(name) => {
                fresh.iter().any(|node| node.graph == problem.target.graph && node.name == *name)
            }
            _ => false,
        };
        if is_untouched || !fresh.is_empty() {
            // Mistakes that were typed as text are reported in any case.
            let is_early =
                |problem: &Problem| problem.severity == Severity::Warning || problem.code == NO_START_NODE;
            self.check.hide(|problem| is_fresh(problem) || (is_untouched && is_early(problem)));
        }
    }

    /// Whether the program has no nodes but those that were added and not edited since.
    fn is_untouched(&self) -> bool {
        let graphs = self.drawn.graphs();
        let is_fresh = |graph: &str, node: &NodeOutline| {
            self.fresh.iter().any(|fresh| fresh.graph == graph && fresh.name == node.name)
        };
        // The graph of a call that was just added came with it.
        let is_called = |called: &GraphOutline| {
            let is_call = |node: &NodeOutline| node.kind == NodeKind::Call(called.name.clone());
            let is_fresh_call = |graph: &GraphOutline| {
                graph.nodes.iter().any(|node| is_call(node) && is_fresh(&graph.name, node))
            };
            !called.is_main && graphs.iter().any(is_fresh_call)
        };
        let is_as_added = |graph: &GraphOutline| {
            is_called(graph) || graph.nodes.iter().all(|node| is_fresh(&graph.name, node))
        };
        let has_graphs = self.drawn.tables().get("graph").is_some_and(Item::is_table_like);
        self.drawn.is_readable() && has_graphs && graphs.iter().all(is_as_added)
    }
}
