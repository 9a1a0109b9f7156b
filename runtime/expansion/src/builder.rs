//! The worklist of instances. An instance is looked at whenever a port gets its first value, and each of its firing rules is
//! followed once, as soon as all ports that it needs have one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use hasse_model::id::{ArcId, CallId, GraphId, SharedId, TemplateId};
use hasse_model::plan::{
    Access, BinaryOp, Code, Expr, FiringRule, Loop, Plan, RoutingRule, Send, SlotKind, Source, Take,
};
use rhai::Dynamic;
use rustc_hash::FxHashMap;

use crate::evaluator::{Evaluator, Known, Names, truth};
use crate::hidden;
use crate::possible::PartialIndex;

/// Maximum number of lines between instances, for each instance.
const LINES_PER_INSTANCE: usize = 16;
/// Maximum number of calls around an instance.
const MAX_DEPTH: usize = 256;
/// In a brief expansion: maximum number of levels of one call within itself, and of instances of one node in a graph instance,
/// where more come to be only under a condition that depends on values.
const MAX_BRIEF_LEVELS: usize = 3;
const MAX_BRIEF_INSTANCES: usize = 24;

/// A graph instance under construction.
pub(crate) struct GraphNode {
    pub(crate) graph: GraphId,
    pub(crate) call: Option<(usize, CallId, PartialIndex)>,
    pub(crate) params: Arc<[Known]>,
    /// True if it represents more than one instance.
    is_vague: bool,
    /// Number of calls around it.
    depth: usize,
}

/// An instance under construction.
pub(crate) struct InstanceNode {
    pub(crate) template: TemplateId,
    pub(crate) graph: usize,
    pub(crate) index: PartialIndex,
    /// Ports on which a value may come.
    has_value: Vec<bool>,
    /// Firing rules that were followed; the last one stands for the first execution of a start node.
    is_followed: Vec<bool>,
    is_queued: bool,
}

/// Builds an expansion.
pub(crate) struct Builder<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) evaluator: Evaluator<'p>,
    pub(crate) max_instances: usize,
    pub(crate) graphs: Vec<GraphNode>,
    graph_by_key: FxHashMap<(usize, CallId, PartialIndex), usize>,
    pub(crate) instances: Vec<InstanceNode>,
    instance_by_key: FxHashMap<(usize, TemplateId, PartialIndex), usize>,
    /// Instances by template.
    members: Vec<Vec<usize>>,
    /// By template, where one of its instances stands for more than one: ports on which a value may come to any of them.
    /// Those of one node may then be the same instance.
    vague: Vec<Option<Vec<bool>>>,
    pub(crate) objects: Vec<(SharedId, usize, PartialIndex)>,
    pub(crate) object_by_key: FxHashMap<(SharedId, usize, PartialIndex), usize>,
    /// Arcs and whether values go only under a condition, by sender and receiver.
    pub(crate) flows: BTreeMap<(usize, usize), (BTreeSet<ArcId>, bool)>,
    pub(crate) accesses: BTreeSet<(usize, usize, Access)>,
    /// Arcs by graph, source and port.
    pub(crate) arcs_from: FxHashMap<(GraphId, Source, usize), Vec<ArcId>>,
    /// By template: slots whose values a body does not change.
    kept: Vec<Vec<bool>>,
    open: VecDeque<usize>,
    pub(crate) notes: Vec<String>,
    /// Limits that were reached.
    pub(crate) limits: Vec<String>,
    /// True if one of them ends the expansion, not only a branch of it.
    is_over: bool,
    /// True if instances that depend on values are cut after the first few.
    is_brief: bool,
    /// Number of instances by graph instance and template.
    n_instances_of: FxHashMap<(usize, TemplateId), usize>,
}

/// A sender while one of its firing rules is followed.
pub(crate) struct Sender {
    pub(crate) instance: usize,
    pub(crate) template: TemplateId,
    /// True if its graph instance and index are known.
    pub(crate) is_known: bool,
}

/// A routing rule while it is followed for a sender.
struct Routed<'p, 's> {
    sender: &'s Sender,
    rule: &'p RoutingRule,
    send: &'p Send,
    slots: &'s [Known],
}

impl<'p> Builder<'p> {
    pub(crate) fn new(plan: &'p Plan, max_instances: usize, params: Arc<[Known]>, is_brief: bool) -> Self {
        let mut arcs_from: FxHashMap<_, Vec<ArcId>> = FxHashMap::default();
        for (arc_idx, arc) in plan.arcs.iter().enumerate() {
            let key = (arc.graph, arc.source, arc.source_port);
            arcs_from.entry(key).or_default().push(ArcId::from_idx(arc_idx));
        }
        let main = GraphNode { graph: plan.main, call: None, params, is_vague: false, depth: 0 };
        Self {
            plan,
            evaluator: Evaluator::new(plan),
            max_instances,
            graphs: vec![main],
            graph_by_key: FxHashMap::default(),
            instances: Vec::new(),
            instance_by_key: FxHashMap::default(),
            members: vec![Vec::new(); plan.templates.len()],
            vague: vec![None; plan.templates.len()],
            objects: Vec::new(),
            object_by_key: FxHashMap::default(),
            flows: BTreeMap::new(),
            accesses: BTreeSet::new(),
            arcs_from,
            kept: plan.templates.iter().map(|template| hidden::kept_slots(plan, template)).collect(),
            open: VecDeque::new(),
            notes: Vec::new(),
            limits: Vec::new(),
            is_over: false,
            is_brief,
            n_instances_of: FxHashMap::default(),
        }
    }

    /// Follows all values from the start nodes on.
    pub(crate) fn run(&mut self) {
        for (template_idx, template) in self.plan.templates.iter().enumerate() {
            if template.is_start && template.graph == self.plan.main {
                self.instance(0, TemplateId::from_idx(template_idx), PartialIndex::default(), false);
            }
        }
        while !self.is_over
            && let Some(instance) = self.open.pop_front()
        {
            self.look(instance);
        }
    }

    /// Ends the expansion at a limit.
    pub(crate) fn cut(&mut self, limit: String) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.limits.push(limit);
        }
    }

    /// Ends a branch of the expansion at a limit.
    fn prune(&mut self, limit: String) {
        if !self.limits.contains(&limit) {
            self.limits.push(limit);
        }
    }

    /// Takes steps from the budget; returns whether to go on.
    pub(crate) fn step(&mut self) -> bool {
        if !self.evaluator.step(1) {
            self.cut("it takes too many steps".to_owned());
        }
        !self.is_over
    }

    pub(crate) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The graph instance of a call, which need not exist yet; `None` where there are too many.
    pub(crate) fn called(
        &mut self,
        graph: usize,
        call: CallId,
        index: PartialIndex,
        is_conditional: bool,
    ) -> Option<usize> {
        let key = (graph, call, index);
        if let Some(&known) = self.graph_by_key.get(&key) {
            return Some(known);
        }
        if self.graphs.len() > self.max_instances {
            self.cut(format!("there are more than {} graph instances", self.max_instances));
            return None;
        }
        let called = self.plan.call(call);
        let depth = self.graphs[graph].depth + 1;
        if depth > MAX_DEPTH {
            self.prune(format!("calls nest deeper than {MAX_DEPTH} levels"));
            return None;
        }
        if self.is_brief && is_conditional && self.n_levels(graph, call) >= MAX_BRIEF_LEVELS {
            let name = &self.plan.call_labels()[call.idx()];
            self.prune(format!(
                "{MAX_BRIEF_LEVELS} levels of `{name}` are shown; how deep it nests depends on values"
            ));
            return None;
        }
        let owner = &self.plan.graphs[called.owner.idx()];
        let outer = &self.graphs[graph];
        let params = self.evaluator.call_params(called, (owner, &outer.params), &key.2.0);
        let is_vague = outer.is_vague || !key.2.is_known();
        let new = self.graphs.len();
        let call = Some((graph, call, key.2.clone()));
        self.graphs.push(GraphNode { graph: called.graph, call, params: params.into(), is_vague, depth });
        self.graph_by_key.insert(key, new);
        Some(new)
    }

    /// Number of graph instances around, and itself, that are of one call.
    fn n_levels(&self, graph: usize, call: CallId) -> usize {
        let calls = std::iter::successors(self.graphs[graph].call.as_ref(), |(outer, ..)| {
            self.graphs[*outer].call.as_ref()
        });
        calls.filter(|(_, known, _)| *known == call).count()
    }

    /// The instance of an index, which need not exist yet; `None` where there are too many.
    pub(crate) fn instance(
        &mut self,
        graph: usize,
        template_id: TemplateId,
        index: PartialIndex,
        is_conditional: bool,
    ) -> Option<usize> {
        let key = (graph, template_id, index);
        if let Some(&known) = self.instance_by_key.get(&key) {
            return Some(known);
        }
        if self.instances.len() >= self.max_instances {
            self.cut(format!("there are more than {} instances", self.max_instances));
            return None;
        }
        let template = self.plan.template(template_id);
        let n_known = self.n_instances_of.entry((graph, template_id)).or_default();
        if self.is_brief && is_conditional && *n_known >= MAX_BRIEF_INSTANCES {
            let label = self.plan.template_label(template);
            self.prune(format!(
                "{MAX_BRIEF_INSTANCES} instances of `{label}` are shown; how many there are depends on values"
            ));
            return None;
        }
        *n_known += 1;
        let new = self.instances.len();
        let is_vague = self.graphs[graph].is_vague || !key.2.is_known();
        self.instances.push(InstanceNode {
            template: template_id,
            graph,
            index: key.2.clone(),
            has_value: vec![false; template.inputs.len()],
            is_followed: vec![false; template.fire.len() + 1],
            is_queued: false,
        });
        self.instance_by_key.insert(key, new);
        self.members[template_id.idx()].push(new);
        if is_vague && self.vague[template_id.idx()].is_none() {
            let mut all = vec![false; template.inputs.len()];
            for &member in &self.members[template_id.idx()] {
                let own = &self.instances[member].has_value;
                all.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
            }
            self.vague[template_id.idx()] = Some(all);
            self.members[template_id.idx()].clone().into_iter().for_each(|member| self.queue(member));
        }
        self.queue(new);
        self.share(new);
        Some(new)
    }

    fn queue(&mut self, instance: usize) {
        if !std::mem::replace(&mut self.instances[instance].is_queued, true) {
            self.open.push_back(instance);
        }
    }

    /// Notes that a value may come on a port of an instance.
    pub(crate) fn receive(&mut self, instance: usize, port: usize) {
        let template = self.instances[instance].template;
        let is_new = self.instances[instance]
            .has_value
            .get_mut(port)
            .is_some_and(|has_value| !std::mem::replace(has_value, true));
        if !is_new {
            return;
        }
        let vague = self.vague[template.idx()].as_mut();
        match vague.map(|all| std::mem::replace(&mut all[port], true)) {
            None | Some(true) => self.queue(instance),
            Some(false) => {
                self.members[template.idx()].clone().into_iter().for_each(|member| self.queue(member));
            }
        }
    }

    /// Counts a flow from a sender to a receiver.
    pub(crate) fn flow(&mut self, source: usize, target: usize, arcs: &[ArcId], is_conditional: bool) {
        if !self.flows.contains_key(&(source, target))
            && self.flows.len() >= LINES_PER_INSTANCE * self.max_instances
        {
            let most = LINES_PER_INSTANCE * self.max_instances;
            self.cut(format!("there are more than {most} lines between instances"));
            return;
        }
        let (known, is_always_conditional) =
            self.flows.entry((source, target)).or_insert_with(|| (BTreeSet::new(), true));
        known.extend(arcs);
        *is_always_conditional &= is_conditional;
    }

    /// Follows the firing rules that can be taken now and could not be before.
    fn look(&mut self, instance: usize) {
        self.instances[instance].is_queued = false;
        let template_id = self.instances[instance].template;
        let template = self.plan.template(template_id);
        let n_rules = template.fire.len();
        let is_start = template.is_start && self.instances[instance].graph == 0;
        for rule in 0..=n_rules {
            if self.is_over || self.instances[instance].is_followed[rule] {
                continue;
            }
            let is_enabled = match template.fire.get(rule) {
                Some(rule) => {
                    let slots = self.slots(instance, None);
                    self.may_be_enabled(instance, rule, &slots)
                }
                None => is_start,
            };
            if is_enabled {
                self.instances[instance].is_followed[rule] = true;
                let number = if rule == n_rules { -1 } else { i64::try_from(rule).unwrap_or(i64::MAX) };
                let slots = self.slots(instance, Some(number));
                self.follow_rule(instance, template_id, &slots);
            }
        }
    }

    /// Values of a template's names as firing rules see them, or as routing rules do in an execution by a rule.
    fn slots(&self, instance: usize, rule: Option<i64>) -> Vec<Known> {
        let node = &self.instances[instance];
        let template = self.plan.template(node.template);
        let params = &self.graphs[node.graph].params;
        let param_start = template.slots_of(SlotKind::Param).start;
        let index_start = template.slots_of(SlotKind::Index).start;
        let value = |(slot_idx, kind): (usize, SlotKind)| match kind {
            SlotKind::Param => params.get(slot_idx - param_start).cloned().flatten(),
            SlotKind::Index => {
                node.index.0.get(slot_idx - index_start).copied().flatten().map(Dynamic::from_int)
            }
            SlotKind::Rule => rule.map(Dynamic::from_int),
            // A start node takes no rule in its first execution alone.
            SlotKind::Count => (rule == Some(-1)).then(|| Dynamic::from_int(1)),
            SlotKind::Var | SlotKind::Shared | SlotKind::Bound | SlotKind::Let => None,
        };
        let kinds = template.slots.iter().map(|slot| slot.kind).enumerate();
        let kept = &self.kept[node.template.idx()];
        kinds.zip(kept).map(|(slot, &is_kept)| if is_kept { value(slot) } else { None }).collect()
    }

    /// Returns whether a firing rule may be enabled.
    fn may_be_enabled(&mut self, instance: usize, rule: &FiringRule, slots: &[Known]) -> bool {
        let node = &self.instances[instance];
        let template = self.plan.template(node.template);
        let has_value = self.vague[node.template.idx()].as_ref().unwrap_or(&node.has_value);
        // Without a number in its range, a replicated binding takes nothing.
        let has_numbers = |range: &Loop<Expr>| {
            let bounds = (range.low.clone().into(), range.high.clone().into());
            truth(&Expr::Binary(BinaryOp::Less, bounds.0, bounds.1), slots) == Some(true)
        };
        let is_missing = |take: &Take| !has_value[take.port] && take.loops.iter().all(has_numbers);
        if rule.takes.iter().any(is_missing) {
            return false;
        }
        let names = Names { slots: (&template.slots, slots), ..Names::default() };
        rule.guard.as_ref().is_none_or(|guard| self.evaluator.flag(guard, &names) != Some(false))
    }

    /// Follows the routing rules of an execution.
    fn follow_rule(&mut self, instance: usize, template_id: TemplateId, slots: &[Known]) {
        let template = self.plan.template(template_id);
        let node = &self.instances[instance];
        let is_known = node.index.is_known() && !self.graphs[node.graph].is_vague;
        let sender = Sender { instance, template: template_id, is_known };
        for rule in &template.route {
            let names = Names { slots: (&template.slots, slots), ..Names::default() };
            let is_conditional = match rule.guard.as_ref().filter(|_| !rule.guards_elements) {
                None => rule.on_error,
                Some(guard) => match self.evaluator.flag(guard, &names) {
                    Some(false) => continue,
                    Some(true) => rule.on_error,
                    None => true,
                },
            };
            for send in &rule.sends {
                let routed = Routed { sender: &sender, rule, send, slots };
                self.follow_loops(&routed, &mut (Vec::new(), Vec::new()), is_conditional);
                if self.is_over {
                    return;
                }
            }
        }
    }

    /// Goes through the loops of a sending, outermost first. Returns whether nothing else needs to be looked at: all values for a
    /// plain port go the same ways.
    fn follow_loops(
        &mut self,
        routed: &Routed<'p, '_>,
        locals: &mut (Vec<&'p str>, Vec<Option<i64>>),
        is_conditional: bool,
    ) -> bool {
        if !self.step() {
            return true;
        }
        if let Some(range) = routed.send.loops.get(locals.1.len()) {
            return self.follow_loop(routed, range, locals, is_conditional);
        }
        let template = self.plan.template(routed.sender.template);
        let names = Names {
            slots: (&template.slots, routed.slots),
            locals: (&locals.0, &locals.1),
            ..Names::default()
        };
        let mut is_conditional = is_conditional;
        if let Some(guard) = routed.rule.guard.as_ref().filter(|_| routed.rule.guards_elements) {
            match self.evaluator.flag(guard, &names) {
                Some(false) => return false,
                Some(true) => {}
                None => is_conditional = true,
            }
        }
        let elements = &routed.send.elements;
        let elements: Vec<_> = elements.iter().map(|code| self.evaluator.int(code, &names)).collect();
        if elements.contains(&None) {
            is_conditional = true;
            if routed.sender.is_known {
                self.note_unknown(routed);
            }
        }
        let is_plain = elements.is_empty();
        self.send(routed.sender, routed.send.port, PartialIndex(elements), is_conditional);
        is_plain
    }

    fn follow_loop(
        &mut self,
        routed: &Routed<'p, '_>,
        range: &'p Loop<Code>,
        locals: &mut (Vec<&'p str>, Vec<Option<i64>>),
        is_conditional: bool,
    ) -> bool {
        let template = self.plan.template(routed.sender.template);
        let bounds = {
            let names = Names {
                slots: (&template.slots, routed.slots),
                locals: (&locals.0, &locals.1),
                ..Names::default()
            };
            let low = self.evaluator.int(&range.low, &names);
            low.zip(self.evaluator.int(&range.high, &names))
        };
        locals.0.push(&range.name);
        let mut is_done = false;
        match bounds {
            Some((low, high)) => {
                for number in low..high {
                    locals.1.push(Some(number));
                    is_done = self.follow_loops(routed, locals, is_conditional);
                    locals.1.pop();
                    if is_done || self.is_over {
                        break;
                    }
                }
            }
            None => {
                locals.1.push(None);
                is_done = self.follow_loops(routed, locals, true);
                locals.1.pop();
            }
        }
        locals.0.pop();
        is_done
    }

    fn note_unknown(&mut self, routed: &Routed<'_, '_>) {
        let label = self.plan.template_label(self.plan.template(routed.sender.template));
        let (text, line) = (routed.rule.text.trim(), routed.rule.at.line);
        self.note(format!(
            "`{text}` of {label} (line {line}): an index depends on values, and is written `?`"
        ));
    }
}
