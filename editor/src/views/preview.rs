//! The elaborated graph before a run: which instances may come to be with the parameters of the run form.
//!
//! A thread compiles the text, expands it and lays the graph out. A preview that is being made is finished before the next one
//! begins, and none is made while nobody sees it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_compiler::value_text::{Misread, read_value};
use hasse_model::function::FunctionTable;
use hasse_model::plan::Plan;
use hasse_model::quantity::counted;
use hasse_model::value::{Value, brief};
use hasse_runtime::expansion::{Expansion, ExpansionOptions, expand};

use super::elaborated::ElaboratedView;
use super::elaborated::graph::{Elaborated, Thing};
use super::overlay::Overlay;
use super::pixels::{Pixels, Text, Theme};
use super::select::Related;
use super::task::{Task, Wake};
use crate::target::Target;

/// Maximum number of characters of a parameter's value.
const MOST_SHOWN: usize = 40;

/// A program with the values of its parameters, as they are typed; what has no value takes its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreviewSource {
    /// Text of the program.
    pub text: Arc<str>,
    /// Parameters by name.
    pub params: BTreeMap<String, String>,
}

/// Result of a preview's thread: a graph, or why there is none and what to do.
type Made = Result<Box<Drawn>, String>;

/// A graph that may come to be.
struct Drawn {
    graph: Elaborated,
    /// Graph and name of each node, by template.
    nodes: Vec<(String, String)>,
    /// The same of each object, by position in the expansion.
    objects: Vec<(String, String)>,
    /// Summary in a sentence, followed by notes.
    summary: String,
}

/// The preview.
pub struct Preview {
    functions: Arc<FunctionTable>,
    wake: Wake,
    source: Option<PreviewSource>,
    coming: Option<Task<Made>>,
    /// Returns true if the source has changed since the last expansion was begun.
    is_outdated: bool,
    is_shown: bool,
    /// Picture of the graph.
    pub view: ElaboratedView,
    nodes: Vec<(String, String)>,
    objects: Vec<(String, String)>,
    summary: String,
    /// Why there is no graph; empty where there is one.
    problem: String,
    overlay: Overlay,
    version: u64,
}

impl Preview {
    /// No preview yet; `functions` lists what bodies may call.
    pub fn new(functions: Arc<FunctionTable>, wake: Wake) -> Self {
        Self {
            functions,
            view: ElaboratedView::without_record(Arc::clone(&wake)),
            wake,
            source: None,
            coming: None,
            is_outdated: false,
            is_shown: false,
            nodes: Vec::new(),
            objects: Vec::new(),
            summary: String::new(),
            problem: String::new(),
            overlay: Overlay::default(),
            version: 1,
        }
    }

    /// Sets the program and its parameters.
    pub fn set_source(&mut self, source: PreviewSource) {
        if self.source.as_ref() != Some(&source) {
            self.source = Some(source);
            self.is_outdated = true;
            self.catch_up();
        }
    }

    /// Says whether the preview is seen.
    pub fn set_shown(&mut self, is_shown: bool) {
        self.is_shown = is_shown;
        self.catch_up();
    }

    fn catch_up(&mut self) {
        let Some(source) =
            self.source.clone().filter(|_| self.is_outdated && self.is_shown && !self.is_busy())
        else {
            return;
        };
        self.is_outdated = false;
        let functions = Arc::clone(&self.functions);
        self.coming = Some(Task::start(Arc::clone(&self.wake), move |_| make(&source, &functions)));
        self.version += 1;
    }

    /// Returns whether a preview is being made.
    pub fn is_busy(&self) -> bool {
        self.coming.as_ref().is_some_and(|coming| !coming.is_lost())
    }

    /// Takes up a preview that has been made.
    pub fn poll(&mut self) {
        if let Some(made) = self.coming.as_ref().and_then(Task::poll) {
            self.take(made);
        }
    }

    /// Waits until the preview of the newest source is made, if it is seen.
    pub fn wait(&mut self) {
        while let Some(made) = self.coming.take().and_then(|coming| coming.wait()) {
            self.take(made);
        }
    }

    fn take(&mut self, made: Made) {
        self.coming = None;
        match made {
            Ok(drawn) => {
                let Drawn { graph, nodes, objects, summary } = *drawn;
                self.view.show(graph);
                (self.nodes, self.objects, self.summary) = (nodes, objects, summary);
                self.problem.clear();
            }
            Err(problem) => {
                self.view.show(Elaborated::default());
                (self.nodes, self.objects) = (Vec::new(), Vec::new());
                self.summary.clear();
                self.problem = problem;
            }
        }
        self.version += 1;
        self.catch_up();
    }

    /// Summary of the preview, or why there is none and what to do.
    pub fn message(&self) -> &str {
        if self.problem.is_empty() { &self.summary } else { &self.problem }
    }

    /// Returns whether there is a graph to be seen.
    pub fn has_graph(&self) -> bool {
        !self.view.graph().boxes.is_empty()
    }

    /// Changes with everything that is shown.
    pub fn version(&self) -> u64 {
        self.version + self.view.version()
    }

    /// The node of the program at a point of the picture.
    pub fn target_at(&self, x: f64, y: f64) -> Option<Target> {
        let node = self.view.graph().boxes.get(self.view.hit(x, y)?)?;
        let (graph, name) = match node.thing {
            Thing::Action(_) => self.nodes.get(node.template as usize)?,
            Thing::Object(object) => self.objects.get(object.0 as usize)?,
        };
        Some(Target::of_node(graph, name))
    }

    /// Marks the instances of nodes of a graph, by their names.
    pub fn mark(&mut self, graph: &str, nodes: &[&str]) {
        let is_marked = |known: &(String, String)| known.0 == graph && nodes.contains(&known.1.as_str());
        let known = (0..).zip(&self.nodes).filter(|(_, known)| is_marked(known));
        let templates = known.map(|(template, _)| template).collect();
        if self.overlay.related.templates != templates {
            let mut related = Related::default();
            related.templates = templates;
            self.overlay.related = Arc::new(related);
            self.version += 1;
        }
    }

    /// Draws the picture. `reused` is an older picture whose memory is not needed any more.
    pub fn draw(&self, theme: Theme, reused: Pixels) -> (Pixels, Vec<Text>) {
        self.view.draw(&self.overlay, theme, reused)
    }
}

/// Expands a program and lays its graph out.
fn make(source: &PreviewSource, functions: &FunctionTable) -> Made {
    let Some(plan) = hasse_compiler::compile(&source.text, functions).plan else {
        return Err("The program has errors: see Problems. Without them, this shows the instances that a run may create."
            .to_owned());
    };
    let params = params(&plan, &source.params)?;
    let options = ExpansionOptions { params, ..ExpansionOptions::default() };
    let expansion = expand(&plan, &options).map_err(|error| format!("{error}. See Options."))?;
    let graph = Elaborated::possible(&plan, &expansion);
    let name = |graph: hasse_model::id::GraphId| plan.graphs[graph.idx()].name.clone();
    let nodes = plan.templates.iter().map(|template| (name(template.graph), template.name.clone())).collect();
    let objects = expansion.objects.iter().map(|object| &plan.shared[object.shared.idx()]);
    let objects = objects.map(|shared| (name(shared.graph), shared.name.clone())).collect();
    let summary = summary(&expansion);
    Ok(Box::new(Drawn { graph, nodes, objects, summary }))
}

/// The values of parameters as they are typed.
fn params(plan: &Plan, typed: &BTreeMap<String, String>) -> Result<Vec<(String, Value)>, String> {
    let mut values = Vec::new();
    for param in plan.params() {
        let Some(text) = typed.get(&param.name) else { continue };
        let value = read_value(&param.ty, text, &param.name).map_err(|misread| match misread {
            Misread::NotOfType => {
                format!(
                    "Parameter `{}` is of type {}, which `{text}` is not. See Options.",
                    param.name, param.ty
                )
            }
            Misread::Json(why) => format!("Parameter `{}`: {why}. See Options.", param.name),
        })?;
        values.push((param.name.clone(), value));
    }
    Ok(values)
}

fn summary(expansion: &Expansion) -> String {
    let params = expansion.params.iter().map(|(name, value)| match value {
        Some(value) => format!("{name} = {}", brief(value, MOST_SHOWN)),
        None => format!("{name} = ?"),
    });
    let params: Vec<String> = params.collect();
    let with = if params.is_empty() { String::new() } else { format!(" with {}", params.join(", ")) };
    let n_instances = counted(expansion.instances.len() as u64, "instance");
    let summary = format!("Before a run: {n_instances} may come to be{with}");
    std::iter::once(summary).chain(expansion.notes.iter().cloned()).collect::<Vec<_>>().join(". ")
}
