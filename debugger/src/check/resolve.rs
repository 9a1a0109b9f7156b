//! From the names in a command to the program's templates.

use hasse_model::id::{ActionId, CallId, GraphInstanceId, Index, TemplateId};
use hasse_model::plan::{Call, Plan, Template};
use hasse_model::quantity::counted;
use hasse_model::trace::Names;

use super::bindings::Place;
use super::model::error::ModelError;
use super::spec::Spec;

/// Why a command cannot be checked on a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The program has no node of this name.
    #[error("column {column}: the program has no node `{name}`; {}", likely_of(nearest.as_deref(), nodes))]
    UnknownNode {
        /// Column in the command, from 1.
        column: usize,
        /// The name.
        name: String,
        /// The node that it most likely stands for.
        nearest: Option<String>,
        /// All nodes, by name.
        nodes: Vec<String>,
    },
    /// The program has no call of this name there.
    #[error("column {column}: the graph `{graph}` has no call `{name}`{}", did_you_mean(suggestions))]
    UnknownCall {
        /// Column in the command, from 1.
        column: usize,
        /// The graph that the path has come to.
        graph: String,
        /// The name.
        name: String,
        /// The calls that it has.
        suggestions: Vec<String>,
    },
    /// The name is that of a call, and checks are about nodes.
    #[error("column {column}: `{name}` is a call of the graph `{graph}`{}", in_it(nodes))]
    IsCall {
        /// Column in the command, from 1.
        column: usize,
        /// The name.
        name: String,
        /// The graph that is called.
        graph: String,
        /// Its nodes as the command may name them.
        nodes: Vec<String>,
    },
    /// Several graphs have a node of this name.
    #[error("column {column}: several graphs have a node `{name}`; name one of {}", listed(labels))]
    Ambiguous {
        /// Column in the command, from 1.
        column: usize,
        /// The name.
        name: String,
        /// The names that tell them apart.
        labels: Vec<String>,
    },
    /// The node has another number of index numbers.
    #[error("column {column}: `{name}` has {}, not {found}", counted(*expected, "index number"))]
    WrongIndex {
        /// Column in the command, from 1.
        column: usize,
        /// The name.
        name: String,
        /// How many it has.
        expected: usize,
        /// How many the command gives.
        found: usize,
    },
    /// A condition asks for a port or var that the node does not have.
    #[error("column {column}: `{node}` has no {kind} `{name}`{}", or_none(known))]
    UnknownValue {
        /// Column in the command, from 1.
        column: usize,
        /// The node.
        node: String,
        /// `input port`, `output port` or `var`.
        kind: &'static str,
        /// The name.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// A condition asks for an index number that the node does not have.
    #[error("column {column}: `{node}` has {}, so that there is no `{asked}`", counted(*n_indices, "index number"))]
    NoIndexNumber {
        /// Column in the command, from 1.
        column: usize,
        /// The node.
        node: String,
        /// How many it has.
        n_indices: usize,
        /// As the condition writes it.
        asked: String,
    },
    /// A condition of the command is none on this program.
    #[error("column {column}: {message}; {hint}")]
    BadCondition {
        /// Column in the command, from 1.
        column: usize,
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// A model does not fit the program.
    #[error("{command}: {reason}")]
    Model {
        /// The model and its file.
        command: String,
        /// What is wrong with it.
        reason: ModelError,
    },
}

fn in_it(nodes: &[String]) -> String {
    if nodes.is_empty() {
        "; checks are about nodes".to_owned()
    } else {
        format!("; checks are about nodes: name one in it, such as {}", listed(nodes))
    }
}

fn or_none(suggestions: &[String]) -> String {
    if suggestions.is_empty() { "; it has none".to_owned() } else { did_you_mean(suggestions) }
}

/// `did you mean `x`?`, and all there are.
fn likely_of(nearest: Option<&str>, known: &[String]) -> String {
    const MAX_NAMES: usize = 40;
    let shown = listed(&known[..known.len().min(MAX_NAMES)]);
    let more = if known.len() > MAX_NAMES { ", ..." } else { "" };
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`? it has {shown}{more}"),
        None => format!("it has {shown}{more}"),
    }
}

fn did_you_mean(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        _ => format!("; it has {}", listed(suggestions)),
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Events of the program that a command is about.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// As the command names it.
    pub(super) text: String,
    pub(super) template: TemplateId,
    /// The calls from the main graph to its graph instance, if a path was given.
    calls: Option<Vec<(CallId, Option<Index>)>>,
    pub(super) index: Option<Index>,
    pub(super) count: Option<u64>,
    /// Whether it stands for one action.
    pub(super) is_single: bool,
    /// Number of events that were it.
    pub(super) n_occurred: u64,
}

impl Target {
    /// Whether an action's events may be it.
    pub(super) fn fits_action(&self, action: ActionId, names: &Names) -> bool {
        names.template_of(action) == Some(self.template)
            && self.index.as_ref().is_none_or(|own| names.index_of(action) == Some(own))
            && self.calls.as_ref().is_none_or(|calls| {
                let mut graph = names.graph_of(action);
                let fits = calls.iter().rev().all(|(call, index)| {
                    let record = graph.and_then(|graph| names.graph(graph));
                    graph = record.map(|record| record.parent);
                    record.is_some_and(|record| {
                        record.call == *call && index.as_ref().is_none_or(|index| *index == record.index)
                    })
                });
                fits && graph == Some(GraphInstanceId::MAIN)
            })
    }

    /// Where the actions are whose events may be it.
    pub(super) fn place(&self) -> Place {
        (self.template, self.index.clone())
    }

    /// Whether one of its actions' events is it.
    pub(super) fn fits_count(&self, count: u64) -> bool {
        self.count.is_none_or(|own| own == count)
    }

    /// The note that none of its events has come.
    pub(super) fn absence(&self) -> String {
        format!("no event of {} occurred", self.text)
    }

    /// Whether it stands for the same events.
    pub(super) fn is_same(&self, other: &Target) -> bool {
        (self.template, &self.calls, &self.index, self.count)
            == (other.template, &other.calls, &other.index, other.count)
    }
}

/// Whether a name is that of a node: `Mult` in any graph, or `DoBTS.Mult`, also with the name of the main graph.
pub fn names_template(name: &str, template: &Template, plan: &Plan) -> bool {
    match name.split_once('.') {
        Some((graph, node)) => node == template.name && plan.graphs[template.graph.idx()].name == graph,
        None => name == template.name,
    }
}

/// Finds what a spec stands for.
pub(super) fn resolve(spec: &Spec, plan: &Plan) -> Result<Target, ResolveError> {
    let (column, name) = (spec.column, spec.name.clone());
    let check_index = |name: &str, index: &Option<Index>, expected: usize| match index {
        Some(index) if index.as_slice().len() != expected => {
            let (name, found) = (name.to_owned(), index.as_slice().len());
            Err(ResolveError::WrongIndex { column, name, expected, found })
        }
        _ => Ok(()),
    };
    let mut calls = Vec::new();
    let mut graph = plan.main;
    for step in spec.calls.iter().flatten() {
        let here = || plan.calls.iter().enumerate().filter(|(_, call)| call.owner == graph);
        let Some((call_idx, call)) = here().find(|(_, call)| call.name == step.name) else {
            return Err(ResolveError::UnknownCall {
                column,
                graph: plan.graphs[graph.idx()].name.clone(),
                name: step.name.clone(),
                suggestions: here().map(|(_, call)| call.name.clone()).collect(),
            });
        };
        check_index(&step.name, &step.index, call.index_names.len())?;
        calls.push((CallId::from_idx(call_idx), step.index.clone()));
        graph = call.graph;
    }
    let has_path = spec.calls.is_some();
    let is_meant = |template: &Template| match has_path {
        true => template.graph == graph && template.name == name,
        false => names_template(&name, template, plan),
    };
    let meant: Vec<usize> = (0..plan.templates.len()).filter(|&idx| is_meant(&plan.templates[idx])).collect();
    let position = match meant[..] {
        [] => {
            let is_it = |call: &&Call| call.name == name && (!has_path || call.owner == graph);
            if let Some(call) = plan.calls.iter().find(is_it) {
                return Err(is_call(spec, call, plan));
            }
            let mut nodes: Vec<String> =
                plan.templates.iter().map(|template| plan.template_label(template)).collect();
            nodes.sort();
            // Nodes of graphs that are called are written with their graph, and are missed without it.
            let label_of = |near: &str| {
                let meant = plan.templates.iter().find(|template| template.name == near);
                meant.map_or_else(|| near.to_owned(), |template| plan.template_label(template))
            };
            let names = plan.templates.iter().map(|template| template.name.as_str());
            let nearest = nearest(&name, names.chain(nodes.iter().map(String::as_str))).map(label_of);
            return Err(ResolveError::UnknownNode { column, name, nearest, nodes });
        }
        [position] => position,
        _ => {
            let label = |idx: &usize| {
                let template = &plan.templates[*idx];
                format!("{}.{}", plan.graphs[template.graph.idx()].name, template.name)
            };
            return Err(ResolveError::Ambiguous { column, name, labels: meant.iter().map(label).collect() });
        }
    };
    let template = &plan.templates[position];
    check_index(&spec.name, &spec.index, template.n_indices)?;
    let is_whole = |index: &Option<Index>, n_indices: usize| index.is_some() || n_indices == 0;
    let is_one_graph = match has_path {
        true => calls.iter().all(|(call, index)| is_whole(index, plan.call(*call).index_names.len())),
        false => template.graph == plan.main && plan.calls.iter().all(|call| call.graph != plan.main),
    };
    Ok(Target {
        text: spec.to_string(),
        template: TemplateId::from_idx(position),
        calls: has_path.then_some(calls),
        index: spec.index.clone(),
        count: spec.count,
        is_single: is_one_graph && is_whole(&spec.index, template.n_indices),
        n_occurred: 0,
    })
}

/// The error that a spec names a call, with nodes of the graph that is called.
fn is_call(spec: &Spec, call: &Call, plan: &Plan) -> ResolveError {
    const MOST: usize = 3;
    let inside = plan.templates.iter().filter(|template| template.graph == call.graph).take(MOST);
    let node = |template: &Template| match spec.calls.is_some() {
        true => format!("{}/{}", Spec { count: None, ..spec.clone() }, template.name),
        false => plan.template_label(template),
    };
    ResolveError::IsCall {
        column: spec.column,
        name: spec.name.clone(),
        graph: plan.graphs[call.graph.idx()].name.clone(),
        nodes: inside.map(node).collect(),
    }
}

/// The name that a misspelt one most likely stands for, if any is near.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let near =
        known.map(|known| (edit_distance(&wanted, &known.to_lowercase().chars().collect::<Vec<_>>()), known));
    near.min()
        .filter(|(distance, _)| *distance <= wanted.len().div_ceil(3) && *distance < wanted.len())
        .map(|(_, known)| known)
}

/// Fewest insertions, deletions and replacements from one text to the other (Levenshtein, 1966).
fn edit_distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (from_idx, from_char) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = from_idx + 1;
        for (to_idx, to_char) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from_char != to_char);
            diagonal = row[to_idx + 1];
            row[to_idx + 1] = replaced.min(row[to_idx] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
