//! What is wrong with the program, at what is drawn: a node, an arc, a line of a body.
//!
//! The compiler points at lines and columns; [`Places`](crate::places::Places) tells what stands there. A call shows also
//! what is wrong within the graph that it calls, and in those that that one calls.

use std::collections::{BTreeMap, BTreeSet};

use hasse_compiler::{GraphOutline, NodeKind, compile, outline};
use hasse_model::diagnostic::{Diagnostic, Location, Severity};
use hasse_model::function::FunctionTable;

use crate::fixes::{Fix, fix_of};
use crate::places::Places;
use crate::target::{Part, Target};

/// A finding of the compiler, with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code, such as `E0101`.
    pub code: &'static str,
    /// One sentence in the user's terms.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
    /// The edit that does it, where there is one.
    pub fix: Option<Fix>,
    /// Where in the file.
    pub at: Location,
    /// What it is about.
    pub target: Target,
    /// Other places that belong to it, with what is to be said there; may be empty.
    pub related: Vec<Related>,
}

/// A place that a problem points at besides the main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where in the file.
    pub at: Location,
    /// What stands there.
    pub target: Target,
    /// What, in a few words; may be empty.
    pub text: String,
}

/// How many problems there are, for a badge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors of the thing itself.
    pub n_errors: usize,
    /// Warnings of the thing itself.
    pub n_warnings: usize,
    /// Errors within the graphs that it calls, directly or not, each graph once.
    pub n_errors_inside: usize,
    /// Warnings within the graphs that it calls.
    pub n_warnings_inside: usize,
}

impl Counts {
    /// Whether there is nothing to show.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.n_errors += 1,
            Severity::Warning => self.n_warnings += 1,
        }
    }

    fn add_inside(&mut self, inner: Self) {
        self.n_errors_inside += inner.n_errors;
        self.n_warnings_inside += inner.n_warnings;
    }
}

/// All that is wrong with a text.
#[derive(Clone, Debug)]
pub struct Problems {
    list: Vec<Problem>,
    /// Counts of things by themselves: nodes, arcs, share lines; of a call with what is inside.
    counts: BTreeMap<(String, Part), Counts>,
    /// Counts of all things within a graph.
    of_graphs: BTreeMap<String, Counts>,
    places: Places,
}

impl Problems {
    /// Compiles a text; `functions` lists what bodies may call.
    pub fn of(text: &str, functions: &FunctionTable) -> Self {
        let places = Places::of(text);
        let diagnostics = compile(text, functions).diagnostics;
        let mut list: Vec<Problem> =
            diagnostics.into_iter().map(|diagnostic| problem(diagnostic, &places)).collect();
        // Of one place, what the compiler takes for the cause stays first.
        list.sort_by_key(|problem| problem.at.start);
        let mut problems = Self { list, counts: BTreeMap::new(), of_graphs: BTreeMap::new(), places };
        problems.count(&outline(text).unwrap_or_default());
        problems
    }

    /// Adds what others than the compiler have found in the same text. Cost: reads the whole text.
    pub fn add(&mut self, findings: &[Diagnostic]) {
        let new = findings.iter().map(|finding| problem(finding.clone(), &self.places));
        let new: Vec<Problem> = new.filter(|new| !self.list.contains(new)).collect();
        self.list.extend(new);
        self.list.sort_by_key(|problem| problem.at.start);
        self.counts.clear();
        self.of_graphs.clear();
        self.count(&outline(self.places.text()).unwrap_or_default());
    }

    /// Leaves problems out of the list and the counts. Cost: reads the whole text.
    pub fn hide(&mut self, is_hidden: impl Fn(&Problem) -> bool) {
        self.list.retain(|problem| !is_hidden(problem));
        self.counts.clear();
        self.of_graphs.clear();
        self.count(&outline(self.places.text()).unwrap_or_default());
    }

    /// All problems in the order of the file.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// Where things stand in the text that was compiled.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Counts for a node, an arc or a share line: those of all its attributes, and for a call of what it calls. For a
    /// graph: of all that is in it.
    pub fn counts(&self, target: &Target) -> Counts {
        if target.part == Part::Graph {
            return self.of_graphs.get(&target.graph).copied().unwrap_or_default();
        }
        self.counts.get(&(target.graph.clone(), target.part.clone())).copied().unwrap_or_default()
    }

    /// The problems of a thing and its attributes, in the order of the file.
    pub fn of_target<'p>(&'p self, target: &'p Target) -> impl Iterator<Item = &'p Problem> {
        let is_of = |held: &Target| {
            held.graph == target.graph
                && held.part == target.part
                && target.attribute.as_ref().is_none_or(|wanted| {
                    held.attribute.as_ref().is_some_and(|held| {
                        held.key == wanted.key
                            && (wanted.entry.is_none() || held.entry == wanted.entry)
                            && (wanted.row.is_none() || held.row == wanted.row)
                            && (wanted.line.is_none() || held.line == wanted.line)
                    })
                })
        };
        self.list.iter().filter(move |problem| is_of(&problem.target))
    }

    fn count(&mut self, graphs: &[GraphOutline]) {
        for problem in &self.list {
            let Target { graph, part, .. } = &problem.target;
            self.counts.entry((graph.clone(), part.clone())).or_default().add(problem.severity);
            if *part != Part::Program {
                self.of_graphs.entry(graph.clone()).or_default().add(problem.severity);
            }
        }
        for graph in graphs {
            for node in &graph.nodes {
                let NodeKind::Call(called) = &node.kind else { continue };
                let mut inside = Counts::default();
                for name in reached(graphs, called) {
                    inside.add_inside(self.of_graphs.get(name).copied().unwrap_or_default());
                }
                if !inside.is_empty() {
                    let key = (graph.name.clone(), Part::Node(node.name.clone()));
                    let counts = self.counts.entry(key).or_default();
                    counts.n_errors_inside = inside.n_errors_inside;
                    counts.n_warnings_inside = inside.n_warnings_inside;
                }
            }
        }
    }
}

/// A graph and all that it calls, directly or not.
fn reached<'g>(graphs: &'g [GraphOutline], name: &'g str) -> BTreeSet<&'g str> {
    let mut found = BTreeSet::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        let Some(graph) = graphs.iter().find(|graph| graph.name == name) else { continue };
        if found.insert(name) {
            open.extend(graph.nodes.iter().filter_map(|node| match &node.kind {
                NodeKind::Call(called) => Some(called.as_str()),
                _ => None,
            }));
        }
    }
    found
}

fn problem(diagnostic: Diagnostic, places: &Places) -> Problem {
    let at = diagnostic.at();
    let target = |at: Location| places.target(at.start as usize);
    let related = diagnostic.labels.iter().skip(1).map(|label| Related {
        at: label.at,
        target: target(label.at),
        text: label.text.clone(),
    });
    let problem = Problem {
        severity: diagnostic.severity,
        code: diagnostic.code,
        related: related.collect(),
        message: diagnostic.message,
        help: diagnostic.help,
        fix: None,
        at,
        target: target(at),
    };
    let fix = fix_of(places.text(), &problem);
    Problem { fix, ..problem }
}
