//! The selected scope: the program, a call, an action or an event (Hyder 1994, section 4.5).
//!
//! A scope is a path of names with indices. It is looked up in the program, not among the instances that exist, so that
//! options and breakpoints can be given for actions that are yet to be created; an index that is left out stands for all.

use std::collections::BTreeSet;
use std::fmt;

use hasse_model::id::{GraphId, TemplateId};
use hasse_model::key;
use hasse_model::name::is_of_name;
use hasse_model::plan::Plan;
use hasse_model::quantity::counted;

use super::line::LineError;
use super::table::row::Context;
use crate::suggest;

const PATHS: &str = "a path is such as `/`, `..`, `Mult[3]`, `/dobts[2]/Mult[3]` or `Mult[3]:2`";

/// A scope. Displays as its path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// From the main graph inward. All but the last are calls.
    steps: Vec<Step>,
    /// Whether the last step is a unit of computation.
    is_action: bool,
    /// An execution; only with an action whose indices are all given.
    count: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    name: String,
    /// `None` where it is left out, and stands for all.
    index: Option<Vec<i64>>,
    /// How many numbers an index has.
    n_indices: usize,
    /// The graph inside, of a call; the graph around, of a unit.
    graph: GraphId,
}

impl Step {
    fn is_one(&self) -> bool {
        self.index.is_some() || self.n_indices == 0
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.index.iter().flatten().try_for_each(|number| write!(f, "[{}]", key::shown(*number)))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("/");
        }
        self.steps.iter().try_for_each(|step| write!(f, "/{step}"))?;
        self.count.iter().try_for_each(|count| write!(f, ":{count}"))
    }
}

impl Scope {
    /// What kind of thing it is.
    pub(super) fn context(&self) -> Context {
        match (&self.steps[..], self.count) {
            ([], _) => Context::Program,
            (_, Some(_)) => Context::Event,
            _ if self.is_action => Context::Action,
            _ => Context::Call,
        }
    }

    /// The path without an event: a selector of what is in it; `None` for the program.
    pub(super) fn selector(&self) -> Option<String> {
        let whole = Self { count: None, ..self.clone() };
        (!self.steps.is_empty()).then(|| whole.to_string())
    }

    /// The execution, of an event.
    pub(super) fn count(&self) -> Option<u64> {
        self.count
    }

    /// Whether all indices are given, so that it is one instance and not several.
    pub(super) fn is_one(&self) -> bool {
        self.steps.iter().all(Step::is_one)
    }

    /// The graph that names are looked up in: that of the call or program, or that around an action.
    pub(super) fn graph(&self, plan: &Plan) -> GraphId {
        self.steps.last().map_or(plan.main, |step| step.graph)
    }

    /// The template of an action or event.
    pub(super) fn template(&self, plan: &Plan) -> Option<TemplateId> {
        let step = self.steps.last().filter(|_| self.is_action)?;
        let is_it = |template: &hasse_model::plan::Template| {
            template.graph == step.graph && template.name == step.name
        };
        plan.templates.iter().position(is_it).map(TemplateId::from_idx)
    }

    /// The scope that a target leads to from here.
    pub(super) fn go(&self, target: &str, column: usize, plan: &Plan) -> Result<Self, LineError> {
        let (path, count) = match target.rsplit_once(':') {
            Some((path, count)) => {
                let at = column + path.chars().count() + 1;
                let number = count.parse().ok().filter(|&number: &u64| number > 0);
                let message = || format!("`{count}` is not the number of an execution, which is 1 or more");
                (path, Some(number.ok_or_else(|| LineError::new(at, message(), PATHS))?))
            }
            None => (target, None),
        };
        let mut scope = self.clone();
        if target.starts_with(':') || !path.is_empty() {
            // An event is left by all that goes on from its action.
            scope.count = if path == ".." { scope.count } else { None };
        }
        let mut at = column;
        let mut rest = path;
        if let Some(from_top) = rest.strip_prefix('/') {
            scope = Self::default();
            rest = from_top;
            at += 1;
        }
        let mut is_first = !path.starts_with('/');
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." => scope.up(plan),
                part => scope = scope.down(part, at, is_first, plan)?,
            }
            is_first = false;
            at += part.chars().count() + 1;
        }
        if count.is_some() {
            let what = match scope.context() {
                Context::Program | Context::Call => Some("a graph has no executions of its own"),
                Context::Action | Context::Event if !scope.is_one() => {
                    Some("an execution is one of a single action")
                }
                Context::Action | Context::Event => None,
            };
            if let Some(what) = what {
                let hint = "select an action with all of its indices, as in `cd Mult[3]:2`";
                return Err(LineError::new(column, what, hint));
            }
            scope.count = count;
        }
        Ok(scope)
    }

    fn up(&mut self, plan: &Plan) {
        if self.count.take().is_none() {
            self.steps.pop();
            self.is_action = false;
            debug_assert!(self.graph(plan).idx() < plan.graphs.len());
        }
    }

    fn down(mut self, part: &str, column: usize, is_first: bool, plan: &Plan) -> Result<Self, LineError> {
        let (name, index) = name_and_index(part, column)?;
        if self.is_action {
            // Nothing is inside an action: its neighbors are meant.
            self.up(plan);
        }
        self.count = None;
        let graph = self.graph(plan);
        if let Some((step, is_action)) = node(plan, graph, name) {
            self.enter(Step { index, ..step }, is_action, column)?;
            return Ok(self);
        }
        let elsewhere = if is_first { paths_to(plan, name) } else { Vec::new() };
        match &elsewhere[..] {
            [steps] => {
                let (last, around) = steps.split_last().expect("a path has a step");
                let mut scope =
                    Self { steps: around.iter().map(|(step, _)| step.clone()).collect(), ..Self::default() };
                scope.enter(Step { index, ..last.0.clone() }, last.1, column)?;
                Ok(scope)
            }
            [] => {
                let known = names_in(plan, graph);
                let list = known.iter().cloned().collect::<Vec<_>>().join(", ");
                let hint =
                    suggest::help(name, known.iter().map(String::as_str), &format!("there are: {list}"));
                let message = format!("graph {} has no node `{name}`", plan.graphs[graph.idx()].name);
                Err(LineError::new(column, message, hint))
            }
            several => {
                let paths: Vec<String> = several
                    .iter()
                    .map(|steps| steps.iter().map(|(step, _)| format!("/{step}")).collect())
                    .collect();
                let hint = format!("say which: {}", paths.join(", "));
                Err(LineError::new(column, format!("there are several nodes `{name}`"), hint))
            }
        }
    }

    fn enter(&mut self, step: Step, is_action: bool, column: usize) -> Result<(), LineError> {
        if let Some(index) = step.index.as_ref().filter(|index| index.len() != step.n_indices) {
            let message = format!(
                "an index of `{}` has {}, not {}",
                step.name,
                counted(step.n_indices, "number"),
                index.len()
            );
            return Err(LineError::new(column, message, PATHS));
        }
        self.steps.push(step);
        self.is_action = is_action;
        Ok(())
    }
}

/// A node of a graph by its name, as a step without an index.
fn node(plan: &Plan, graph: GraphId, name: &str) -> Option<(Step, bool)> {
    let step = |n_indices, graph| Step { name: name.to_owned(), index: None, n_indices, graph };
    let unit = plan.templates.iter().find(|unit| unit.graph == graph && unit.name == name);
    let call = plan.calls.iter().find(|call| call.owner == graph && call.name == name);
    match (unit, call) {
        (Some(unit), _) => Some((step(unit.n_indices, graph), true)),
        (None, Some(call)) => Some((step(call.index_names.len(), call.graph), false)),
        (None, None) => None,
    }
}

/// Names of the nodes of a graph.
fn names_in(plan: &Plan, graph: GraphId) -> BTreeSet<String> {
    let units = plan.templates.iter().filter(|unit| unit.graph == graph).map(|unit| unit.name.clone());
    let calls = plan.calls.iter().filter(|call| call.owner == graph).map(|call| call.name.clone());
    units.chain(calls).collect()
}

/// The paths to nodes of a name, or of a graph's and a node's name with a dot, through each graph once.
fn paths_to(plan: &Plan, name: &str) -> Vec<Vec<(Step, bool)>> {
    let (in_graph, name) = match name.split_once('.') {
        Some((graph, name)) => (Some(graph), name),
        None => (None, name),
    };
    let mut found = Vec::new();
    let mut open: Vec<Vec<(Step, bool)>> = vec![Vec::new()];
    while let Some(path) = open.pop() {
        let graph = path.last().map_or(plan.main, |(step, _)| step.graph);
        if in_graph.is_none_or(|wanted| plan.graphs[graph.idx()].name == wanted)
            && let Some(last) = node(plan, graph, name)
        {
            found.push(path.iter().cloned().chain([last]).collect());
        }
        let inner = plan.calls.iter().filter(|call| call.owner == graph).rev();
        for call in inner
            .filter(|call| call.graph != plan.main && path.iter().all(|(step, _)| step.graph != call.graph))
        {
            let (step, _) = node(plan, graph, &call.name).expect("the call is one of the graph's nodes");
            open.push(path.iter().cloned().chain([(step, false)]).collect());
        }
    }
    found
}

/// `Mult[1][2]` or `Mult[1, 2]` taken apart.
fn name_and_index(part: &str, column: usize) -> Result<(&str, Option<Vec<i64>>), LineError> {
    let end = part.find('[').unwrap_or(part.len());
    let (name, mut rest) = part.split_at(end);
    let here = |rest: &str| column + part.chars().count() - rest.chars().count();
    let is_name = |letter: char| is_of_name(letter) || letter == '.';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(LineError::new(column, format!("`{name}` is not the name of a node"), PATHS));
    }
    let mut index = Vec::new();
    while !rest.is_empty() {
        let Some((inside, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
            return Err(LineError::new(here(rest), "an index in square brackets is expected", PATHS));
        };
        for number in inside.split(',').map(str::trim).filter(|number| !number.is_empty()) {
            let wrong =
                || LineError::new(here(rest) + 1, format!("`{number}` is not an index number"), PATHS);
            index.push(key::parse(number).ok_or_else(wrong)?);
        }
        rest = behind;
    }
    Ok((name, (end < part.len()).then_some(index)))
}

/// All that a completion of a scope may be, from the main graph through each graph once.
pub(super) fn all_paths(plan: &Plan) -> Vec<String> {
    let mut names: BTreeSet<&str> = plan.templates.iter().map(|unit| unit.name.as_str()).collect();
    names.extend(plan.calls.iter().map(|call| call.name.as_str()));
    let paths = names.into_iter().flat_map(|name| paths_to(plan, name));
    paths.map(|steps| steps.iter().map(|(step, _)| format!("/{step}")).collect()).collect()
}
