//! What the panel knows of a program: its nodes, links and parameters, by the positions that a session uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::id::GraphId;
use hasse_model::plan::Plan;
use hasse_model::record_options::RecordAnnotations;
use toml_edit::{Document, Item};

use crate::places::Places;
use crate::target::{Attribute, Target};

/// A unit of computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFact {
    /// Its graph.
    pub graph: String,
    /// Its name in the graph.
    pub node: String,
    /// How a selector names it: by its name, with its graph where several have the name.
    pub selector: String,
    /// Number of index numbers.
    pub n_indices: usize,
    /// Whether its body is a script, which can be stepped through.
    pub has_script: bool,
}

/// An arc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArcFact {
    /// Its graph.
    pub graph: String,
    /// Its text.
    pub text: String,
    /// How breakpoints name it: by its text, with its graph where that is not the main one.
    pub name: String,
    /// Its row among the arcs of its graph; `None` where the text is not the one that was compiled.
    pub row: Option<usize>,
}

/// A creation parameter of the main graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamFact {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Its default as it stands in the program; `None` where a value has to be given.
    pub default: Option<String>,
}

/// A program as a session sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Units of computation, by template id.
    pub templates: Vec<TemplateFact>,
    /// Arcs, by arc id.
    pub arcs: Vec<ArcFact>,
    /// Shared objects: graph and name, by id.
    pub shared: Vec<(String, String)>,
    /// Calls: the graph that holds them, their name, and the graph called.
    pub calls: Vec<(String, String, String)>,
    /// Parameters.
    pub params: Vec<ParamFact>,
    /// The main graph.
    pub main: String,
    /// How the program asks to be recorded.
    pub record: RecordAnnotations,
    /// The program, lowered; `None` where nothing is known of it.
    pub plan: Option<Arc<Plan>>,
    /// Whether it comes from a record.
    pub is_trace: bool,
    /// The text.
    pub text: Arc<str>,
}

impl Facts {
    /// The facts of a plan; `text` is what it was compiled from. Cost: one reading of the text.
    pub fn of(plan: &Plan, text: &str, is_trace: bool) -> Self {
        let written = Places::of(text).arcs();
        let row_at = |start: usize| {
            let before = written.partition_point(|(range, _)| range.start <= start);
            let (range, row) = written.get(before.checked_sub(1)?)?;
            (start < range.end).then_some(*row)
        };
        let mut n_written: BTreeMap<(GraphId, &str), usize> = BTreeMap::new();
        for arc in &plan.arcs {
            *n_written.entry((arc.graph, &arc.text)).or_default() += 1;
        }
        let graph = |idx: usize| plan.graphs.get(idx).map_or_else(String::new, |graph| graph.name.clone());
        let is_unique = |name: &str| plan.templates.iter().filter(|known| known.name == name).count() == 1;
        let templates = plan.templates.iter().map(|template| TemplateFact {
            graph: graph(template.graph.idx()),
            node: template.name.clone(),
            selector: if is_unique(&template.name) {
                template.name.clone()
            } else {
                plan.template_label(template)
            },
            n_indices: template.n_indices,
            has_script: template.body_script().is_some(),
        });
        let arcs = plan.arcs.iter().map(|arc| {
            let row = row_at(arc.at.start as usize);
            let is_told_apart = n_written.get(&(arc.graph, &*arc.text)) == Some(&1);
            let graph = graph(arc.graph.idx());
            let name = match arc.graph == plan.main && is_told_apart {
                true => arc.text.clone(),
                false => format!("{graph}.{}", arc.text),
            };
            ArcFact { graph, text: arc.text.clone(), name, row }
        });
        let main = graph(plan.main.idx());
        let defaults = Document::parse(text.to_owned()).ok();
        let params = plan.params().iter().map(|param| {
            let written = defaults.as_ref().and_then(|document| {
                let graph = document.get("graph")?.get(&main)?;
                graph.get("params")?.get(&param.name).and_then(Item::as_str)
            });
            let default = written.and_then(|written| written.split_once('=')).map(|(_, text)| unquoted(text));
            let default = default.or_else(|| param.default.is_some().then(String::new));
            ParamFact { name: param.name.clone(), ty: param.ty.to_string(), default }
        });
        Self {
            templates: templates.collect(),
            arcs: arcs.collect(),
            shared: plan
                .shared
                .iter()
                .map(|shared| (graph(shared.graph.idx()), shared.name.clone()))
                .collect(),
            calls: plan
                .calls
                .iter()
                .map(|call| (graph(call.owner.idx()), call.name.clone(), graph(call.graph.idx())))
                .collect(),
            params: params.collect(),
            main,
            record: plan.record.clone(),
            plan: Some(Arc::new(plan.clone())),
            is_trace,
            text: Arc::from(text),
        }
    }

    /// Of a program of which nothing is known.
    pub(super) fn none() -> Self {
        Self {
            templates: Vec::new(),
            arcs: Vec::new(),
            shared: Vec::new(),
            calls: Vec::new(),
            params: Vec::new(),
            main: String::new(),
            record: RecordAnnotations::default(),
            plan: None,
            is_trace: false,
            text: Arc::from(""),
        }
    }

    /// The arc that stands in a row of a graph.
    pub fn arc_of_row(&self, graph: &str, row: usize) -> Option<usize> {
        self.arcs.iter().position(|arc| arc.graph == graph && arc.row == Some(row))
    }

    /// The template of a node.
    pub fn template_of(&self, graph: &str, node: &str) -> Option<usize> {
        self.templates.iter().position(|known| known.graph == graph && known.node == node)
    }

    /// The unit whose body has a line of the program file, and which line of the body that is, from 1: of a text in Rhai or
    /// Rust.
    pub fn unit_of_line(&self, line: u32) -> Option<Target> {
        let plan = self.plan.as_ref()?;
        let mut units = plan.templates.iter().zip(&self.templates);
        units.find_map(|(template, fact)| {
            let (at, text) = match template.body_rust() {
                Some((_, held)) => (held.lines.iter().position(|begin| begin.line == line)?, &held.text),
                None => {
                    let script = plan.scripts.get(template.body_script()?.idx())?;
                    (line.checked_sub(script.at.line)? as usize, &script.text)
                }
            };
            let n_lines = text.lines().count().max(1);
            let held = Attribute { line: Some(at + 1), ..Attribute::of("do") };
            (at < n_lines).then(|| Target::of_node(&fact.graph, &fact.node).with(held))
        })
    }

    /// The selector of a call: its name, with the graph where other nodes or calls have the name.
    pub(super) fn call_selector(&self, graph: &str, call: &str) -> String {
        let n_units = self.templates.iter().filter(|known| known.node == call).count();
        let n_calls = self.calls.iter().filter(|known| known.1 == call).count();
        if n_units + n_calls == 1 { call.to_owned() } else { format!("{graph}.{call}") }
    }

    /// The nodes that a selector or path such as `Mult[3]`, `bts.Mult` or `/dobts[2]/Mult` names: units, calls and
    /// shared objects of its last name, in the graph to which the calls before it lead.
    pub fn nodes_of(&self, selector: &str) -> Vec<Target> {
        let bare: Vec<&str> = selector.trim_start_matches('/').split('/').map(without_index).collect();
        let Some((name, around)) = bare.split_last() else { return Vec::new() };
        let (label_graph, name) = match name.split_once('.') {
            Some((graph, name)) => (Some(graph), name),
            None => (None, *name),
        };
        let mut graph = if selector.starts_with('/') { Some(self.main.as_str()) } else { label_graph };
        for step in around {
            let leads = |call: &&(String, String, String)| {
                call.1 == *step && graph.is_none_or(|graph| call.0 == graph)
            };
            match self.calls.iter().find(leads) {
                Some(call) => graph = Some(call.2.as_str()),
                None => return Vec::new(),
            }
        }
        let is_here = |known: &str| graph.is_none_or(|graph| known == graph);
        let units = self.templates.iter().map(|known| (&known.graph, &known.node));
        let calls = self.calls.iter().map(|call| (&call.0, &call.1));
        let shared = self.shared.iter().map(|(graph, name)| (graph, name));
        units
            .chain(calls)
            .chain(shared)
            .filter(|(known, node)| is_here(known) && (*node == name || name == "*"))
            .map(|(graph, node)| Target::of_node(graph, node))
            .collect()
    }
}

/// A name without index numbers.
fn without_index(step: &str) -> &str {
    step.split('[').next().unwrap_or(step)
}

/// A default as it is typed into a field: of a string, without its quotes.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains(['"', '\\'])).unwrap_or(text).to_owned()
}
