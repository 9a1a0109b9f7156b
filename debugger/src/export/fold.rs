//! The elaborated graph and the program graph with their edges by kind: executions folded onto actions, actions onto
//! templates (Hyder 1994, section 3.3.1).
//!
//! Edges are counted as the event history has them: one for each value removed, one for each access that found what
//! another left, one for each execution behind another. Memory: 32 bytes for each action and 24 for each edge of the
//! elaborated graph.

use std::collections::BTreeMap;

use hasse_model::event::{EventRecord, Outcome};
use hasse_model::id::{ActionId, Index, TemplateId};
use hasse_model::trace::{Names, RecordingMode};

use super::edges::{EdgeKind, Edges};
use crate::carry::TakenTooOften;

/// What an action or a template has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of actions; 1 for an action.
    pub n_actions: u64,
    /// Number of events.
    pub n_events: u64,
    /// Number of events that failed.
    pub n_failed: u64,
    /// Number of events that were stopped.
    pub n_stopped: u64,
}

/// A node of a folded graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Path of the action, or label of the template.
    pub name: String,
    /// Label of the template.
    pub template: String,
    /// Graph instance of the action: empty for the main one, else such as `/dobts[2]`. Of a template, the graph that it
    /// is a node of, if it has another name than the main one's templates show.
    pub graph: String,
    /// Index of an action, such as `[3]`.
    pub index: String,
    /// What it has done.
    pub tally: Tally,
}

/// An edge of a folded graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedEdge {
    /// Position of the node where it begins.
    pub source: usize,
    /// Position of the node where it ends.
    pub target: usize,
    /// What it stands for.
    pub kind: EdgeKind,
    /// Number of edges of the event history that map to it.
    pub n_edges: u64,
}

/// A graph onto which the history is folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Nodes; actions by template, graph instance and index, templates in the order of the program.
    pub nodes: Vec<Node>,
    /// Edges by source, target and kind.
    pub edges: Vec<FoldedEdge>,
}

/// Folds events that come in causal order.
#[derive(Debug)]
pub struct Folding {
    edges: Edges,
    tallies: BTreeMap<ActionId, Tally>,
    n_edges: BTreeMap<(ActionId, ActionId, EdgeKind), u64>,
}

impl Folding {
    /// No events yet, of a record made in this mode.
    pub fn of_mode(mode: RecordingMode) -> Self {
        Self { edges: Edges::of_mode(mode), tallies: BTreeMap::new(), n_edges: BTreeMap::new() }
    }

    /// Takes in the next event in causal order.
    ///
    /// # Errors
    /// Where the event took a value that was not sent, or names an event that did not occur.
    pub fn event(&mut self, event: &EventRecord) -> Result<(), TakenTooOften> {
        let own = event.id.action;
        let tally = self.tallies.entry(own).or_default();
        tally.n_actions = 1;
        tally.n_events += 1;
        tally.n_failed += u64::from(event.outcome == Outcome::Failed);
        tally.n_stopped += u64::from(event.outcome == Outcome::Stopped);
        let (_, edges) = self.edges.event(event)?;
        for edge in edges {
            *self.n_edges.entry((edge.from.action, own, edge.kind)).or_default() += 1;
        }
        Ok(())
    }

    /// The graph of actions or, of any other level, of templates; templates without events are part of it.
    pub fn graph(&self, level: Level, names: &Names) -> Folded {
        match level {
            Level::Elaborated => self.elaborated(names),
            Level::Events | Level::Program => self.program(names),
        }
    }

    fn elaborated(&self, names: &Names) -> Folded {
        let mut actions: Vec<(ActionId, Tally)> =
            self.tallies.iter().map(|(&action, &tally)| (action, tally)).collect();
        actions.sort_by_cached_key(|&(action, _)| rank(action, names));
        let place: BTreeMap<ActionId, usize> =
            actions.iter().enumerate().map(|(at, &(action, _))| (action, at)).collect();
        let nodes = actions.iter().map(|&(action, tally)| Node {
            name: names.action(action).to_string(),
            template: label(names.template_of(action), names),
            graph: names.graph_of(action).map_or("?".into(), |graph| names.graph_path(graph).to_string()),
            index: names.index_of(action).map_or_else(String::new, Index::to_string),
            tally,
        });
        let mut edges: Vec<FoldedEdge> = self
            .n_edges
            .iter()
            .map(|(&(from, to, kind), &n_edges)| FoldedEdge {
                source: place[&from],
                target: place[&to],
                kind,
                n_edges,
            })
            .collect();
        edges.sort_by_key(|edge| (edge.source, edge.target, edge.kind));
        Folded { nodes: nodes.collect(), edges }
    }

    fn program(&self, names: &Names) -> Folded {
        let node = |name: &String| Node {
            name: name.clone(),
            template: name.clone(),
            graph: name.rsplit_once('.').map_or_else(String::new, |(graph, _)| graph.to_owned()),
            index: String::new(),
            tally: Tally::default(),
        };
        let mut nodes: Vec<Node> = names.templates().iter().map(node).collect();
        for (&action, tally) in &self.tallies {
            if let Some(node) = names.template_of(action).and_then(|template| nodes.get_mut(template.idx())) {
                node.tally.n_actions += 1;
                node.tally.n_events += tally.n_events;
                node.tally.n_failed += tally.n_failed;
                node.tally.n_stopped += tally.n_stopped;
            }
        }
        let mut n_edges: BTreeMap<(usize, usize, EdgeKind), u64> = BTreeMap::new();
        for (&(from, to, kind), n) in &self.n_edges {
            if let (Some(from), Some(to)) = (names.template_of(from), names.template_of(to)) {
                *n_edges.entry((from.idx(), to.idx(), kind)).or_default() += n;
            }
        }
        let edge = |((source, target, kind), n_edges)| FoldedEdge { source, target, kind, n_edges };
        let edges = n_edges.into_iter().map(edge).filter(|edge| edge.source.max(edge.target) < nodes.len());
        let edges = edges.collect();
        Folded { nodes, edges }
    }
}

fn label(template: Option<TemplateId>, names: &Names) -> String {
    template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned()
}

/// Where an action stands in what is shown.
fn rank(action: ActionId, names: &Names) -> impl Ord + use<> {
    let graph = names.graph_of(action).map(|graph| names.graph_path(graph).to_string());
    (names.template_of(action), graph, names.index_of(action).cloned(), action)
}

/// Which of the three graphs is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// The event history: events.
    #[default]
    Events,
    /// The elaborated graph: actions.
    Elaborated,
    /// The program graph: templates.
    Program,
}
