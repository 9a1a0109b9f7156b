//! Recording options against a program: which rules could name which node, so that the effective option of an
//! instance is found in the few rules of its own node.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::selector::{Kind, Node, Selector, SelectorError, Side};
use super::settings::{RecordOption, RecordOptions};
use crate::id::{ActionId, CallId, GraphId, GraphInstanceId, Index, TemplateId};
use crate::plan::Plan;
use crate::trace::Names;

/// Recording options of a program's instances.
#[derive(Clone, Debug)]
pub struct ResolvedOptions {
    root: RecordOption,
    other_actions: RecordOption,
    /// By template; later rules win.
    units: Vec<Vec<Rule>>,
    /// By call; later rules win.
    calls: Vec<Vec<Rule>>,
}

/// What one selector says of the instances of one node.
#[derive(Clone, Debug)]
struct Rule {
    option: RecordOption,
    index: Option<Vec<Side>>,
    /// The calls around, outermost first; `None` for any.
    around: Option<Arc<[Step]>>,
}

#[derive(Clone, Debug)]
struct Step {
    /// Ascending.
    calls: Vec<CallId>,
    index: Option<Vec<Side>>,
}

/// The index of an instance takes part in a selection.
fn takes(sides: &Option<Vec<Side>>, index: &Index) -> bool {
    let numbers = index.as_slice();
    sides.as_ref().is_none_or(|sides| {
        sides.len() == numbers.len() && sides.iter().zip(numbers).all(|(side, &number)| side.takes(number))
    })
}

impl RecordOptions {
    /// Looks the selectors up in a program.
    ///
    /// # Errors
    /// The first selector that names what the program does not have.
    pub fn resolve(&self, plan: &Plan) -> Result<ResolvedOptions, SelectorError> {
        ResolvedOptions::new(self, plan)
    }
}

impl ResolvedOptions {
    /// Everything is recorded in full.
    pub fn full(plan: &Plan) -> Self {
        Self {
            root: RecordOption::Full,
            other_actions: RecordOption::Full,
            units: vec![Vec::new(); plan.templates.len()],
            calls: vec![Vec::new(); plan.calls.len()],
        }
    }

    pub(super) fn new(options: &RecordOptions, plan: &Plan) -> Result<Self, SelectorError> {
        let mut resolved =
            Self { root: options.root, other_actions: options.other_actions, ..Self::full(plan) };
        for (selector, option) in &options.settings {
            resolved.add(selector, *option, plan)?;
        }
        Ok(resolved)
    }

    /// The option of the main graph.
    pub fn root(&self) -> RecordOption {
        self.root
    }

    /// The effective option of a graph instance inside one with the effective option `parent`. `around` are
    /// the calls around it with their indices, innermost first. Cost: linear in the selectors that could name
    /// it, and in its depth where one is a path of its length.
    pub fn graph<'i>(
        &self,
        parent: RecordOption,
        call: CallId,
        index: &Index,
        around: impl Iterator<Item = (CallId, &'i Index)> + Clone,
    ) -> RecordOption {
        let rules = self.calls.get(call.idx());
        self.found(parent, rules, index, around, RecordOption::Restrict)
    }

    /// The effective option of an action; otherwise like [`graph`](Self::graph).
    pub fn action<'i>(
        &self,
        parent: RecordOption,
        template: TemplateId,
        index: &Index,
        around: impl Iterator<Item = (CallId, &'i Index)> + Clone,
    ) -> RecordOption {
        let rules = self.units.get(template.idx());
        self.found(parent, rules, index, around, self.other_actions)
    }

    fn found<'i>(
        &self,
        parent: RecordOption,
        rules: Option<&Vec<Rule>>,
        index: &Index,
        around: impl Iterator<Item = (CallId, &'i Index)> + Clone,
        other: RecordOption,
    ) -> RecordOption {
        if parent != RecordOption::Restrict {
            return parent;
        }
        let is_at = |steps: &Arc<[Step]>| {
            let mut around = around.clone();
            let mut inward = steps.iter().rev();
            loop {
                match (inward.next(), around.next()) {
                    (None, None) => return true,
                    (Some(step), Some((call, index)))
                        if step.calls.binary_search(&call).is_ok() && takes(&step.index, index) => {}
                    _ => return false,
                }
            }
        };
        let mut later_first = rules.into_iter().flatten().rev();
        let rule =
            later_first.find(|rule| takes(&rule.index, index) && rule.around.as_ref().is_none_or(is_at));
        rule.map_or(other, |rule| rule.option)
    }

    fn add(&mut self, selector: &Selector, option: RecordOption, plan: &Plan) -> Result<(), SelectorError> {
        match &selector.kind {
            Kind::Root => self.root = option,
            Kind::Anywhere { graph, node } => {
                let graphs = match graph {
                    None => (0..plan.graphs.len()).map(GraphId::from_idx).collect(),
                    Some((name, column)) => {
                        let found = plan.graphs.iter().position(|graph| graph.name == *name);
                        let found = found.ok_or_else(|| SelectorError::Unknown {
                            text: selector.to_string(),
                            column: *column,
                            place: "the program".to_owned(),
                            what: "graph",
                            name: name.clone(),
                            known: plan.graphs.iter().map(|graph| graph.name.clone()).collect(),
                        })?;
                        BTreeSet::from([GraphId::from_idx(found)])
                    }
                };
                self.add_nodes(selector, node, &graphs, None, option, plan)?;
            }
            Kind::Path(nodes) => {
                let mut graphs = BTreeSet::from([plan.main]);
                let mut steps = Vec::new();
                let (last, calls) = nodes.split_last().expect("a path has a node");
                for node in calls {
                    let found = calls_of(selector, node, &graphs, plan)?;
                    graphs = found.iter().map(|call| plan.call(*call).graph).collect();
                    steps.push(Step { calls: found, index: node.index.clone() });
                }
                self.add_nodes(selector, last, &graphs, Some(steps.into()), option, plan)?;
            }
        }
        Ok(())
    }

    /// Adds a rule to each unit and each call that a last step names in some graphs.
    fn add_nodes(
        &mut self,
        selector: &Selector,
        node: &Node,
        graphs: &BTreeSet<GraphId>,
        around: Option<Arc<[Step]>>,
        option: RecordOption,
        plan: &Plan,
    ) -> Result<(), SelectorError> {
        let rule = || Rule { option, index: node.index.clone(), around: around.clone() };
        let mut near = Near::new(node);
        for (template_idx, template) in plan.templates.iter().enumerate() {
            if graphs.contains(&template.graph) && near.takes(&template.name, template.n_indices) {
                self.units[template_idx].push(rule());
            }
        }
        for (call_idx, call) in plan.calls.iter().enumerate() {
            if graphs.contains(&call.owner) && near.takes(&call.name, call.index_names.len()) {
                self.calls[call_idx].push(rule());
            }
        }
        near.check(selector, node, graphs, "node", plan)
    }
}

impl Selector {
    /// The templates whose instances it may name, ascending: those of the nodes that it names, and of the graphs,
    /// at any depth, that are called by the calls that it names. `/` names all.
    ///
    /// # Errors
    /// It names what the program does not have.
    pub fn templates(&self, plan: &Plan) -> Result<Vec<TemplateId>, SelectorError> {
        let all = || (0..plan.templates.len()).map(TemplateId::from_idx);
        if self.kind == Kind::Root {
            return Ok(all().collect());
        }
        let mut named = ResolvedOptions::full(plan);
        named.add(self, RecordOption::Full, plan)?;
        let mut graphs = BTreeSet::new();
        let mut calls: Vec<CallId> = (0..plan.calls.len()).map(CallId::from_idx).collect();
        calls.retain(|call| !named.calls[call.idx()].is_empty());
        while let Some(call) = calls.pop() {
            let graph = plan.call(call).graph;
            if graphs.insert(graph) {
                let inner = (0..plan.calls.len()).map(CallId::from_idx);
                calls.extend(inner.filter(|inner| plan.call(*inner).owner == graph));
            }
        }
        let is_named = |template: &TemplateId| {
            !named.units[template.idx()].is_empty() || graphs.contains(&plan.template(*template).graph)
        };
        Ok(all().filter(is_named).collect())
    }
}

/// The calls that a step of a path names, ascending.
fn calls_of(
    selector: &Selector,
    node: &Node,
    graphs: &BTreeSet<GraphId>,
    plan: &Plan,
) -> Result<Vec<CallId>, SelectorError> {
    let mut near = Near::new(node);
    let mut found = Vec::new();
    for (call_idx, call) in plan.calls.iter().enumerate() {
        if graphs.contains(&call.owner) && near.takes(&call.name, call.index_names.len()) {
            found.push(CallId::from_idx(call_idx));
        }
    }
    near.check(selector, node, graphs, "call", plan)?;
    Ok(found)
}

/// Compares nodes of the program with a step, and remembers why none was it.
struct Near<'n> {
    node: &'n Node,
    has_match: bool,
    /// Number of index numbers of a node with the name and another number of them.
    other_arity: Option<usize>,
    known: BTreeSet<String>,
}

impl<'n> Near<'n> {
    fn new(node: &'n Node) -> Self {
        Self { node, has_match: false, other_arity: None, known: BTreeSet::new() }
    }

    fn takes(&mut self, name: &str, n_indices: usize) -> bool {
        self.known.insert(name.to_owned());
        if self.node.name.as_ref().is_some_and(|wanted| wanted != name) {
            return false;
        }
        let fits = self.node.index.as_ref().is_none_or(|sides| sides.len() == n_indices);
        if fits {
            self.has_match = true;
        } else {
            self.other_arity = Some(n_indices);
        }
        fits
    }

    fn check(
        self,
        selector: &Selector,
        node: &Node,
        graphs: &BTreeSet<GraphId>,
        what: &'static str,
        plan: &Plan,
    ) -> Result<(), SelectorError> {
        let (text, column) = (selector.to_string(), node.column);
        let name = node.name.clone().unwrap_or_else(|| "*".to_owned());
        if self.has_match {
            return Ok(());
        }
        if let (Some(expected), Some(sides)) = (self.other_arity, &node.index) {
            return Err(SelectorError::Arity { text, column, name, expected, found: sides.len() });
        }
        let mut in_graphs = graphs.iter().map(|graph| plan.graphs[graph.idx()].name.as_str());
        let place = match (in_graphs.next(), in_graphs.next()) {
            (Some(graph), None) => format!("graph {graph}"),
            _ => "the program".to_owned(),
        };
        Err(SelectorError::Unknown {
            text,
            column,
            place,
            what,
            name,
            known: self.known.into_iter().collect(),
        })
    }
}

/// Effective options of the actions of a record, by their names.
#[derive(Clone, Debug)]
pub struct NamedOptions {
    options: ResolvedOptions,
    graphs: FxHashMap<GraphInstanceId, RecordOption>,
}

impl NamedOptions {
    /// Options for a record of the program that they were resolved against.
    pub fn new(options: ResolvedOptions) -> Self {
        let graphs = FxHashMap::from_iter([(GraphInstanceId::MAIN, options.root())]);
        Self { options, graphs }
    }

    /// The effective option of an action that has been announced; `Off` for one that has not. Cost: as for
    /// [`ResolvedOptions::action`], and once for each graph instance around it.
    pub fn action(&mut self, action: ActionId, names: &Names) -> RecordOption {
        let (Some(template), Some(graph), Some(index)) =
            (names.template_of(action), names.graph_of(action), names.index_of(action))
        else {
            return RecordOption::Off;
        };
        let parent = self.graph(graph, names);
        self.options.action(parent, template, index, around(graph, names))
    }

    fn graph(&mut self, graph: GraphInstanceId, names: &Names) -> RecordOption {
        let mut unknown = Vec::new();
        let mut at = graph;
        let mut option = loop {
            if let Some(&known) = self.graphs.get(&at) {
                break known;
            }
            let Some(record) = names.graph(at) else { break RecordOption::Off };
            unknown.push(record);
            at = record.parent;
        };
        for record in unknown.into_iter().rev() {
            option = self.options.graph(option, record.call, &record.index, around(record.parent, names));
            self.graphs.insert(record.graph, option);
        }
        option
    }
}

/// The calls around what a graph instance holds, innermost first.
fn around(graph: GraphInstanceId, names: &Names) -> impl Iterator<Item = (CallId, &Index)> + Clone {
    let outward = std::iter::successors(names.graph(graph), |inner| names.graph(inner.parent));
    outward.map(|record| (record.call, &record.index))
}
