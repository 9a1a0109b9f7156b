//! Actions and graph instances by number: those that exist, and those that a value could create.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_code::partial::{Known, Numbers, Params, Scalar, eval_over_params};
use hasse_model::id::{CallId, GraphId, GraphInstanceId, Index, TemplateId};
use hasse_model::key;
use hasse_model::plan::{Code, Plan, SlotKind};
use hasse_model::value::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of an action: the existing ones come first.
pub type ActionIdx = u32;

/// Number of a graph instance; that of the main graph is 0.
pub(crate) type GraphIdx = u32;

/// Maximum number of actions of one node, and of graph instances of one call, that are imagined with their index. All
/// others are one action or graph instance without known index, so that every search ends.
const MAX_UNCREATED: u32 = 1000;

/// Maximum number of graph instances that are imagined: calls may nest exponentially.
const MAX_UNCREATED_GRAPHS: usize = 10_000;

/// An action that exists.
pub struct ExistingAction {
    /// Its graph instance.
    pub graph: GraphIdx,
    /// Its template.
    pub template: TemplateId,
    /// Its index.
    pub index: Index,
}

/// An action that a value could create.
struct UncreatedAction {
    graph: GraphIdx,
    template: TemplateId,
    index: Numbers,
}

/// A graph instance.
struct Scope {
    graph: GraphId,
    /// The call that it stands for, and the graph instance of the caller; `None` for the main graph.
    place: Option<(GraphIdx, CallId, Numbers)>,
    /// `None` if it does not exist.
    instance: Option<Arc<GraphInstance>>,
    /// Of an uncreated instance: its parameters as far as they are known; empty if none is.
    params: Vec<Option<Scalar>>,
    /// Whether it stands for more than one instance.
    is_vague: bool,
}

/// All actions and graph instances that a search has met.
pub struct Population<'p> {
    /// The plan.
    pub plan: &'p Plan,
    scopes: Vec<Scope>,
    children: FxHashMap<(GraphIdx, CallId), BTreeMap<Index, GraphIdx>>,
    uncreated_children: FxHashMap<(GraphIdx, CallId, Numbers), GraphIdx>,
    n_uncreated_children: FxHashMap<(GraphIdx, CallId), u32>,
    /// Existing actions, by graph instance, template and index.
    existing: Vec<ExistingAction>,
    ranges: FxHashMap<(GraphIdx, TemplateId), Range<u32>>,
    uncreated: Vec<UncreatedAction>,
    uncreated_by_key: FxHashMap<(GraphIdx, TemplateId, Numbers), ActionIdx>,
    n_uncreated_of: FxHashMap<(GraphIdx, TemplateId), u32>,
    /// Calls of which it is known whether they lead back to themselves.
    recursive: FxHashMap<CallId, bool>,
    graph_idx_of: FxHashMap<GraphInstanceId, GraphIdx>,
}

impl<'p> Population<'p> {
    /// The graph instances of a run, that of the main graph first and callers before the called, and its actions by
    /// graph instance, template and index.
    pub fn new(
        plan: &'p Plan,
        graphs: Vec<Arc<GraphInstance>>,
        existing: Vec<ExistingAction>,
        graph_idx_of: FxHashMap<GraphInstanceId, GraphIdx>,
    ) -> Self {
        let mut children: FxHashMap<_, BTreeMap<_, _>> = FxHashMap::default();
        let mut scopes = Vec::with_capacity(graphs.len());
        for (graph_idx, instance) in (0..).zip(graphs) {
            let place = instance.call.as_ref().map(|place| {
                let parent = graph_idx_of.get(&place.parent.id).copied().unwrap_or_default();
                children
                    .entry((parent, place.call))
                    .or_insert_with(BTreeMap::new)
                    .insert(place.index.clone(), graph_idx);
                (parent, place.call, exactly(&place.index))
            });
            let graph = instance.graph;
            let (instance, params) = (Some(instance), Vec::new());
            scopes.push(Scope { graph, place, instance, params, is_vague: false });
        }
        let mut ranges: FxHashMap<_, Range<u32>> = FxHashMap::default();
        for (action_idx, action) in (0..).zip(&existing) {
            let range = ranges.entry((action.graph, action.template)).or_insert(action_idx..action_idx);
            range.end = action_idx + 1;
        }
        Self {
            plan,
            scopes,
            children,
            uncreated_children: FxHashMap::default(),
            n_uncreated_children: FxHashMap::default(),
            existing,
            ranges,
            uncreated: Vec::new(),
            uncreated_by_key: FxHashMap::default(),
            n_uncreated_of: FxHashMap::default(),
            recursive: FxHashMap::default(),
            graph_idx_of,
        }
    }

    /// An existing action.
    pub fn existing(&mut self, graph: GraphInstanceId, template: TemplateId, index: &Index) -> ActionIdx {
        let graph = self.graph_idx_of.get(&graph).copied().unwrap_or_default();
        self.action(graph, template, &exactly(index))
    }

    /// Number of actions that exist.
    pub fn n_existing(&self) -> usize {
        self.existing.len()
    }

    /// Returns true if an action exists.
    pub fn is_existing(&self, action: ActionIdx) -> bool {
        (action as usize) < self.existing.len()
    }

    /// The template of an action.
    pub fn template_of(&self, action: ActionIdx) -> TemplateId {
        match self.existing.get(action as usize) {
            Some(known) => known.template,
            None => self.uncreated_action(action).template,
        }
    }

    /// The graph instance of an action.
    pub fn graph_of(&self, action: ActionIdx) -> GraphIdx {
        match self.existing.get(action as usize) {
            Some(known) => known.graph,
            None => self.uncreated_action(action).graph,
        }
    }

    /// The index of an action.
    pub fn index_of(&self, action: ActionIdx) -> Numbers {
        match self.existing.get(action as usize) {
            Some(known) => exactly(&known.index),
            None => self.uncreated_action(action).index.clone(),
        }
    }

    fn uncreated_action(&self, action: ActionIdx) -> &UncreatedAction {
        &self.uncreated[action as usize - self.existing.len()]
    }

    /// Whether some number of its index is not known.
    pub(crate) fn is_any(&self, action: ActionIdx) -> bool {
        !self.is_existing(action) && self.uncreated_action(action).index.contains(&None)
    }

    /// Whether it may stand for more than one action.
    pub fn is_vague(&self, action: ActionIdx) -> bool {
        self.is_any(action)
            || !self.is_existing(action) && self.is_vague_graph(self.uncreated_action(action).graph)
    }

    /// Whether it, or a graph instance around it, may stand for more than one.
    fn is_vague_graph(&self, graph: GraphIdx) -> bool {
        let mut scope = &self.scopes[graph as usize];
        loop {
            if scope.is_vague {
                return true;
            }
            match (&scope.place, &scope.instance) {
                // Those around an existing one exist.
                (Some((parent, ..)), None) => scope = &self.scopes[*parent as usize],
                _ => return false,
            }
        }
    }

    /// The existing actions of a node in a graph instance.
    pub(crate) fn members(&self, graph: GraphIdx, template: TemplateId) -> Range<u32> {
        self.ranges.get(&(graph, template)).cloned().unwrap_or_default()
    }

    /// The action of an index, which need not exist.
    pub fn action(&mut self, graph: GraphIdx, template: TemplateId, index: &[Option<i64>]) -> ActionIdx {
        if let Some(numbers) = index.iter().copied().collect::<Option<Index>>() {
            let range = self.members(graph, template);
            let members = &self.existing[range.start as usize..range.end as usize];
            if let Ok(position) = members.binary_search_by(|known| known.index.cmp(&numbers)) {
                return range.start + position as u32;
            }
        }
        let key = (graph, template, index.iter().copied().collect::<Numbers>());
        if let Some(&action) = self.uncreated_by_key.get(&key) {
            return action;
        }
        let n_uncreated = self.n_uncreated_of.entry((graph, template)).or_default();
        if *n_uncreated >= MAX_UNCREATED && index.iter().any(Option::is_some) {
            return self.action(graph, template, &vec![None; index.len()]);
        }
        *n_uncreated += 1;
        let action = (self.existing.len() + self.uncreated.len()) as u32;
        self.uncreated.push(UncreatedAction { graph, template, index: key.2.clone() });
        self.uncreated_by_key.insert(key, action);
        action
    }

    /// The existing graph instances that a call stands for, whose index fits.
    pub(crate) fn called(&self, graph: GraphIdx, call: CallId, index: &[Option<i64>]) -> Vec<GraphIdx> {
        let Some(children) = self.children.get(&(graph, call)) else { return Vec::new() };
        if let Some(numbers) = index.iter().copied().collect::<Option<Index>>() {
            return children.get(&numbers).copied().into_iter().collect();
        }
        let fits = |numbers: &Index| {
            index
                .iter()
                .zip(numbers.as_slice())
                .all(|(known, number)| known.is_none_or(|known| known == *number))
        };
        children.iter().filter(|(numbers, _)| fits(numbers)).map(|(_, &child)| child).collect()
    }

    /// A graph instance that a call could create; `None` if too many are imagined. Within one that does not exist, a
    /// call of itself leads back to it: it stands for all levels of a recursion.
    pub(crate) fn imagine(
        &mut self,
        graph: GraphIdx,
        call: CallId,
        index: &[Option<i64>],
    ) -> Option<GraphIdx> {
        let mut around = graph;
        while self.scopes[around as usize].instance.is_none() {
            let Some((parent, known_call, _)) = &self.scopes[around as usize].place else { break };
            let (parent, is_same) = (*parent, *known_call == call);
            if is_same {
                self.scopes[around as usize].is_vague = true;
                return Some(around);
            }
            around = parent;
        }
        let key = (graph, call, index.iter().copied().collect::<Numbers>());
        if let Some(&child) = self.uncreated_children.get(&key) {
            return Some(child);
        }
        let n_uncreated = self.n_uncreated_children.entry((graph, call)).or_default();
        if *n_uncreated >= MAX_UNCREATED && index.iter().any(Option::is_some) {
            return self.imagine(graph, call, &vec![None; index.len()]);
        }
        *n_uncreated += 1;
        if self.uncreated_children.len() >= MAX_UNCREATED_GRAPHS {
            return None;
        }
        let child = self.scopes.len() as u32;
        let scope = Scope {
            graph: self.plan.call(call).graph,
            place: Some((graph, call, key.2.clone())),
            instance: None,
            params: self.params_given(graph, call, index),
            is_vague: index.contains(&None),
        };
        self.scopes.push(scope);
        self.uncreated_children.insert(key, child);
        Some(child)
    }

    pub(crate) fn graph(&self, graph: GraphIdx) -> GraphId {
        self.scopes[graph as usize].graph
    }

    /// The graph instance of the caller, the call and its index.
    pub(crate) fn place(&self, graph: GraphIdx) -> Option<(GraphIdx, CallId, Numbers)> {
        self.scopes[graph as usize].place.clone()
    }

    /// The parameters that a call would pass, as far as they are known. An instance of a recursive call stands for all
    /// levels of the recursion, each with its own parameters, so none is known.
    fn params_given(
        &mut self,
        graph: GraphIdx,
        call_id: CallId,
        index: &[Option<i64>],
    ) -> Vec<Option<Scalar>> {
        if self.is_recursive(call_id) {
            return Vec::new();
        }
        let call = self.plan.call(call_id);
        let declared = &self.plan.graphs[call.graph.idx()].params;
        let mut given = Vec::with_capacity(declared.len());
        for (param, arg) in declared.iter().zip(&call.args) {
            let value = match (arg.as_ref().map(|arg| &arg.code), &param.default) {
                (Some(Code::Expr(expr)), _) => eval_over_params(expr, index, self.params(graph)),
                (None, Some(Code::Expr(expr))) => eval_over_params(expr, &[], Params::Scalars(&given)),
                (Some(Code::Script(_)), _) | (None, Some(Code::Script(_))) => None,
                (None, None) => match param.ty {
                    Type::Int => Some(Scalar::Int(0)),
                    Type::Bool => Some(Scalar::Bool(false)),
                    _ => None,
                },
            };
            // An integer becomes a real where that is wanted.
            given.push(match (&param.ty, value) {
                (Type::Int, Some(Scalar::Int(_))) | (Type::Bool, Some(Scalar::Bool(_))) => value,
                _ => None,
            });
        }
        given
    }

    /// Whether calls lead from the graph called back to the call.
    fn is_recursive(&mut self, call: CallId) -> bool {
        if let Some(&known) = self.recursive.get(&call) {
            return known;
        }
        let owner = self.plan.call(call).owner;
        let mut met = FxHashSet::default();
        let mut open = vec![self.plan.call(call).graph];
        while let Some(graph) = open.pop() {
            if met.insert(graph) {
                open.extend(self.plan.calls.iter().filter(|call| call.owner == graph).map(|call| call.graph));
            }
        }
        let is_recursive = met.contains(&owner);
        self.recursive.insert(call, is_recursive);
        is_recursive
    }

    /// Whether a graph instance exists.
    pub(crate) fn is_existing_graph(&self, graph: GraphIdx) -> bool {
        self.scopes[graph as usize].instance.is_some()
    }

    /// Values of the creation parameters, as far as they are known.
    pub(crate) fn params(&self, graph: GraphIdx) -> Params<'_> {
        let scope = &self.scopes[graph as usize];
        match &scope.instance {
            Some(instance) => Params::Values(&instance.params),
            None => Params::Scalars(&scope.params),
        }
    }

    /// What is known before an execution of an action by a firing rule: parameters, index numbers, and the rule.
    pub(crate) fn known_of(&self, action: ActionIdx, rule: usize) -> Known<'_> {
        let template = self.plan.template(self.template_of(action));
        Known {
            template,
            params: self.params(self.graph_of(action)),
            index: self.index_of(action),
            index_start: template.slots_of(SlotKind::Index).start,
            rule: Some(rule as i64),
            has_begun: true,
        }
    }

    /// Its path; an index number that is not known is `_`.
    pub fn path(&self, action: ActionIdx) -> String {
        let name = &self.plan.template(self.template_of(action)).name;
        let graph = self.graph_path(self.graph_of(action));
        format!("{graph}/{name}{}", shown(&self.index_of(action)))
    }

    /// The path of a graph instance.
    pub fn graph_path(&self, graph: GraphIdx) -> String {
        let mut steps = Vec::new();
        let mut scope = &self.scopes[graph as usize];
        while let Some((parent, call, index)) = &scope.place {
            steps.push(format!("/{}{}", self.plan.call(*call).name, shown(index)));
            scope = &self.scopes[*parent as usize];
        }
        steps.reverse();
        steps.concat()
    }

    /// The graph instance and the step that a path leads to; index numbers may be left out. `None` where the program has
    /// no such node.
    pub fn find(&mut self, path: &str) -> Option<Found> {
        let mut graph = 0;
        let mut steps = path.strip_prefix('/')?.split('/').peekable();
        while let Some(step) = steps.next() {
            let (name, index) = name_and_index(step)?;
            let owner = self.graph(graph);
            let plan = self.plan;
            let calls = plan.calls.iter().position(|call| call.owner == owner && call.name == name);
            let units = plan.templates.iter().position(|unit| unit.graph == owner && unit.name == name);
            let fitted = |n_indices: usize| match index.len() {
                0 => Some(Numbers::from_elem(None, n_indices)),
                n_numbers => (n_numbers == n_indices).then(|| index.clone()),
            };
            match (units, calls) {
                (Some(template_idx), _) if steps.peek().is_none() => {
                    let index = fitted(plan.templates[template_idx].n_indices)?;
                    return Some(Found::Action(self.action(
                        graph,
                        TemplateId::from_idx(template_idx),
                        &index,
                    )));
                }
                (None, Some(call_idx)) => {
                    let call = CallId::from_idx(call_idx);
                    let index = fitted(plan.calls[call_idx].index_names.len())?;
                    if steps.peek().is_none() {
                        return Some(Found::Call { graph, call, index });
                    }
                    graph = match self.called(graph, call, &index).first() {
                        Some(&child) => child,
                        None => self.imagine(graph, call, &index)?,
                    };
                }
                _ => return None,
            }
        }
        None
    }
}

/// A node that a path leads to.
pub enum Found {
    /// An action.
    Action(ActionIdx),
    /// A call that nothing was sent into.
    Call {
        /// The graph instance with the call.
        graph: GraphIdx,
        /// The call.
        call: CallId,
        /// Its index.
        index: Numbers,
    },
}

fn name_and_index(step: &str) -> Option<(&str, Numbers)> {
    let Some((name, rest)) = step.split_once('[') else { return Some((step, Numbers::new())) };
    let numbers = rest.strip_suffix(']')?.split("][");
    Some((name, numbers.map(|number| number.parse().ok().map(Some)).collect::<Option<Numbers>>()?))
}

/// An index as numbers that are all known.
pub fn exactly(index: &Index) -> Numbers {
    index.as_slice().iter().copied().map(Some).collect()
}

/// An index as it is written in a path; nothing where no number is known.
pub fn shown(index: &[Option<i64>]) -> String {
    let number =
        |number: &Option<i64>| number.map_or("[_]".to_owned(), |number| format!("[{}]", key::shown(number)));
    if index.iter().all(Option::is_none) { String::new() } else { index.iter().map(number).collect() }
}
