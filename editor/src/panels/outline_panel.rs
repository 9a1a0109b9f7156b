//! The tree of graphs: what the main graph calls, what those call, and apart from it what nothing reaches.
//!
//! A graph is unfolded where it first stands; where it is called again it stands as a leaf that is marked, so that the
//! tree is no larger than the program, and ends for recursion, too.

use std::collections::BTreeSet;

use hasse_compiler::{GraphOutline, NodeKind, NodeOutline, outline};

use crate::edit::{EditError, graph};
use crate::panels::program::Program;
use crate::problems::{Counts, Problems};
use crate::target::Target;

/// What a line of the tree is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// A graph.
    Graph,
    /// A unit of computation.
    Unit {
        /// Whether it is a start node.
        is_start: bool,
        /// Whether it is the stop node.
        is_stop: bool,
    },
    /// A call of a graph.
    Call,
    /// A shared object.
    Shared,
    /// A formal port.
    Formal,
    /// The line above the graphs that nothing reaches.
    Unreachable,
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineRow {
    /// How far it is indented, from 0.
    pub depth: usize,
    /// What it is.
    pub kind: OutlineKind,
    /// What is shown.
    pub label: String,
    /// More about it: the type, the graph called, the index; may be empty.
    pub detail: String,
    /// The graph, or the one that the node is in; empty of the line above what nothing reaches.
    pub graph: String,
    /// The node; `None` of a graph.
    pub node: Option<String>,
    /// How much is wrong with it.
    pub counts: Counts,
    /// Whether there is anything below it to fold away.
    pub is_foldable: bool,
    /// Whether what is below it is shown.
    pub is_open: bool,
    /// Of a graph: whether its nodes are shown.
    pub has_nodes_shown: bool,
    /// Whether the program begins with it.
    pub is_main: bool,
    /// Whether it is called by itself, directly or not, at this place.
    pub is_recursion: bool,
    /// Whether it stands above already, where it can be unfolded.
    pub is_repeated: bool,
    /// Whether it is the one on the canvas.
    pub is_shown: bool,
    /// Whether it is called, but not there.
    pub is_missing: bool,
}

/// The state of the tree.
#[derive(Clone, Debug, Default)]
pub struct OutlinePanel {
    rows: Vec<OutlineRow>,
    /// Graphs whose calls are folded away.
    folded: BTreeSet<String>,
    /// Graphs whose nodes are shown.
    with_nodes: BTreeSet<String>,
    version: u64,
}

impl OutlinePanel {
    /// A tree of which all graphs and no nodes are shown.
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines, from top to bottom.
    pub fn rows(&self) -> &[OutlineRow] {
        &self.rows
    }

    /// Another number whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes in the program, what is wrong with it, and which graph is on the canvas; tells whether the tree has changed.
    /// A program that is no TOML leaves the tree as it was. Cost: reads the whole text.
    pub fn refresh<'p>(
        &mut self,
        document: &impl Program,
        problems: impl Into<Option<&'p Problems>>,
        shown: Option<&str>,
    ) -> bool {
        let problems = problems.into();
        let Ok(graphs) = outline(document.text()) else { return false };
        let mut tree =
            Tree { graphs: &graphs, problems, shown, panel: self, rows: Vec::new(), seen: BTreeSet::new() };
        let main = graphs.iter().find(|graph| graph.is_main);
        if let Some(main) = main {
            tree.graph(&main.name, 0, &mut Vec::new());
        }
        let mut placed = main.map(|main| reached(&graphs, &main.name)).unwrap_or_default();
        let apart: Vec<&GraphOutline> =
            graphs.iter().filter(|graph| !placed.contains(graph.name.as_str())).collect();
        if !apart.is_empty() {
            let label = if main.is_some() { "Not reached from the main graph" } else { "No main graph" };
            let row = OutlineRow { label: label.to_owned(), ..blank(0, OutlineKind::Unreachable, "") };
            tree.rows.push(row);
        }
        // Those that nothing calls first, as roots; what is left calls itself.
        let called = |name: &str| {
            apart.iter().any(|graph| calls(graph).any(|called| called == name && graph.name != name))
        };
        let (roots, others): (Vec<&GraphOutline>, Vec<_>) =
            apart.iter().partition(|graph| !called(&graph.name));
        for graph in roots.into_iter().chain(others) {
            if !placed.contains(graph.name.as_str()) {
                placed.append(&mut reached(&graphs, &graph.name));
                tree.graph(&graph.name, 1, &mut Vec::new());
            }
        }
        let rows = tree.rows;
        let is_changed = rows != self.rows;
        self.rows = rows;
        self.version += u64::from(is_changed);
        is_changed
    }

    /// Folds the calls of a graph away, or unfolds them; refresh then.
    pub fn toggle(&mut self, graph: &str) {
        if !self.folded.remove(graph) {
            self.folded.insert(graph.to_owned());
        }
    }

    /// Shows the nodes of a graph, or hides them; refresh then.
    pub fn toggle_nodes(&mut self, graph: &str) {
        if !self.with_nodes.remove(graph) {
            self.with_nodes.insert(graph.to_owned());
        }
    }

    /// Adds an empty graph, called `wanted` or with a number behind it; gives its name.
    ///
    /// # Errors
    /// The text cannot be read, or the name cannot be one.
    pub fn add_graph(&mut self, document: &mut impl Program, wanted: &str) -> Result<String, EditError> {
        let graphs = outline(document.text()).map_err(|_| EditError::NotReadable)?;
        let is_free = |name: &String| graphs.iter().all(|graph| graph.name != *name);
        let numbered = (2_u64..).map(|number| format!("{wanted}{number}"));
        let name = std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
        document.edit("add a graph", |tables| graph::add(tables, &name))?;
        Ok(name)
    }

    /// Renames a graph with its calls; how it is folded stays.
    ///
    /// # Errors
    /// As for [`graph::rename`].
    pub fn rename_graph(
        &mut self,
        document: &mut impl Program,
        name: &str,
        new: &str,
    ) -> Result<(), EditError> {
        let new = new.trim();
        document.edit("rename a graph", |tables| graph::rename(tables, name, new))?;
        for set in [&mut self.folded, &mut self.with_nodes] {
            if set.remove(name) {
                set.insert(new.to_owned());
            }
        }
        Ok(())
    }

    /// Removes a graph; calls of it stay, and are told as problems.
    ///
    /// # Errors
    /// The graph is not there, or the text cannot be read.
    pub fn remove_graph(&mut self, document: &mut impl Program, name: &str) -> Result<(), EditError> {
        document.edit("remove a graph", |tables| graph::remove(tables, name)).map(drop)
    }
}

/// A tree under way.
struct Tree<'t> {
    graphs: &'t [GraphOutline],
    problems: Option<&'t Problems>,
    shown: Option<&'t str>,
    panel: &'t OutlinePanel,
    rows: Vec<OutlineRow>,
    /// Graphs that stand in the tree.
    seen: BTreeSet<String>,
}

impl Tree<'_> {
    fn graph(&mut self, name: &str, depth: usize, way: &mut Vec<String>) {
        let found = self.graphs.iter().find(|graph| graph.name == name);
        let is_recursion = way.iter().any(|above| above == name);
        let is_repeated = !self.seen.insert(name.to_owned());
        let called = found.map(called).unwrap_or_default();
        let has_nodes_shown = self.panel.with_nodes.contains(name) && !is_repeated;
        let is_foldable = !called.is_empty() && !is_repeated;
        let is_open = is_foldable && !self.panel.folded.contains(name);
        self.rows.push(OutlineRow {
            label: name.to_owned(),
            counts: self.counts(&Target::of_graph(name)),
            is_foldable,
            is_open,
            has_nodes_shown,
            is_main: found.is_some_and(|graph| graph.is_main),
            is_recursion,
            is_repeated,
            is_shown: self.shown == Some(name),
            is_missing: found.is_none(),
            ..blank(depth, OutlineKind::Graph, name)
        });
        let Some(found) = found.filter(|_| !is_repeated) else { return };
        if has_nodes_shown {
            let rows = found.nodes.iter().filter_map(|node| self.node(name, node, depth + 1));
            let rows: Vec<OutlineRow> = rows.collect();
            self.rows.extend(rows);
        }
        // What is folded away here is unfolded where it is called elsewhere.
        if is_open {
            way.push(name.to_owned());
            for called in called {
                self.graph(called, depth + 1, way);
            }
            way.pop();
        }
    }

    fn counts(&self, target: &Target) -> Counts {
        self.problems.map(|problems| problems.counts(target)).unwrap_or_default()
    }

    fn node(&self, graph: &str, node: &NodeOutline, depth: usize) -> Option<OutlineRow> {
        let (kind, detail) = match &node.kind {
            NodeKind::Unit { is_start, is_stop } => {
                (OutlineKind::Unit { is_start: *is_start, is_stop: *is_stop }, String::new())
            }
            NodeKind::Call(called) => (OutlineKind::Call, called.clone()),
            NodeKind::Shared(ty) => (OutlineKind::Shared, ty.clone()),
            NodeKind::Input(ty) | NodeKind::Output(ty) | NodeKind::InOut(ty) => {
                (OutlineKind::Formal, ty.clone())
            }
            NodeKind::Missing => return None,
        };
        let index =
            if node.index.is_empty() { String::new() } else { format!("[{}]", node.index.join(", ")) };
        Some(OutlineRow {
            label: format!("{}{index}", node.name),
            detail,
            node: Some(node.name.clone()),
            counts: self.counts(&Target::of_node(graph, &node.name)),
            ..blank(depth, kind, graph)
        })
    }
}

/// All that a graph calls, directly or not, and itself.
fn reached<'g>(graphs: &'g [GraphOutline], name: &'g str) -> BTreeSet<&'g str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        let found = graphs.iter().find(|graph| graph.name == name);
        if reached.insert(name) {
            open.extend(found.into_iter().flat_map(calls));
        }
    }
    reached
}

/// The names of graphs that a graph calls, once for each call.
fn calls(graph: &GraphOutline) -> impl Iterator<Item = &str> {
    graph.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Call(called) if !called.is_empty() => Some(called.as_str()),
        _ => None,
    })
}

/// The names of graphs that a graph calls, each once, in the order of the file.
fn called(graph: &GraphOutline) -> Vec<&str> {
    let mut once = Vec::new();
    for called in calls(graph) {
        if !once.contains(&called) {
            once.push(called);
        }
    }
    once
}

fn blank(depth: usize, kind: OutlineKind, graph: &str) -> OutlineRow {
    OutlineRow {
        depth,
        kind,
        label: String::new(),
        detail: String::new(),
        graph: graph.to_owned(),
        node: None,
        counts: Counts::default(),
        is_foldable: false,
        is_open: false,
        has_nodes_shown: false,
        is_main: false,
        is_recursion: false,
        is_repeated: false,
        is_shown: false,
        is_missing: false,
    }
}
