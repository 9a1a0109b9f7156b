//! What a replay follows: the recorded events, by action and count, in compact form.
//!
//! Ids of the record are kept: an instance that the record knows gets the id that it had, so that
//! predecessors compare without translation.

use std::cmp::Ordering;

use hasse_model::choices::Choices;
use hasse_model::event::{ActionRecord, Effect, EventRecord, GraphRecord, Outcome, SharedAccess};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

use crate::memory;
use crate::run::{MinimalRecord, ReplayRecord, RuntimeError};

/// The recorded events of a run. About 100 bytes an event.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Paths of what was recorded, with the plan's ids of templates and calls.
    pub(crate) names: Names,
    graphs: FxHashMap<(GraphInstanceId, CallId, Index), GraphInstanceId>,
    actions: FxHashMap<(TemplateId, GraphInstanceId, Index), ActionId>,
    objects: FxHashMap<(SharedId, GraphInstanceId, Index), ObjectId>,
    /// Invariant: the events of an action stand in order of count, and the counts are 1, 2, ... except in a
    /// minimal record.
    events_of: FxHashMap<ActionId, Vec<Compact>>,
    routes: Vec<u32>,
    flow: Vec<EventId>,
    shared: Vec<SharedAccess>,
    extras: Vec<Extra>,
    /// What a minimal record tells beside events.
    minimal: Option<MinimalRecord>,
    /// Minimal record: the last execution of actions that could have gone on.
    last_counts: FxHashMap<ActionId, u64>,
}

/// An event; the lists are ranges of the common columns.
#[derive(Debug)]
struct Compact {
    count: u64,
    rule: i32,
    outcome: Outcome,
    flow_successors: u64,
    routes: std::ops::Range<usize>,
    flow: std::ops::Range<usize>,
    shared: std::ops::Range<usize>,
    extra: Option<usize>,
}

#[derive(Debug)]
struct Extra {
    effects: Vec<Effect>,
    first_line: Option<u64>,
    most_bytes: Option<u64>,
    choices: Option<Box<Choices>>,
}

/// What the record says about one event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpectedEvent<'a> {
    pub(crate) rule: i32,
    pub(crate) outcome: Outcome,
    pub(crate) flow_successors: u64,
    pub(crate) routes: &'a [u32],
    pub(crate) flow: &'a [EventId],
    pub(crate) shared: &'a [SharedAccess],
    pub(crate) effects: &'a [Effect],
    pub(crate) first_line: Option<u64>,
    /// The memory limit, of an event that went over it.
    pub(crate) most_bytes: Option<u64>,
    /// What of the rest counts, in a minimal record.
    pub(crate) choices: Option<&'a Choices>,
}

impl Script {
    /// Takes in a record; finds templates and shared objects of the plan by name.
    pub(crate) fn load(record: &ReplayRecord, plan: &Plan) -> Result<Self, RuntimeError> {
        let broken = |message: String| RuntimeError::Record { message };
        let mut script = Self::default();
        let (templates, calls, shared) = (plan.template_labels(), plan.call_labels(), plan.shared_labels());
        script.minimal.clone_from(&record.minimal);
        script.names = Names::from_parts(templates.clone(), shared.clone(), calls.clone());
        for batch in &record.batches {
            for known in &batch.graphs {
                let name = record.calls.get(known.call.idx());
                let call = name.and_then(|name| calls.iter().position(|own| own == name));
                let call =
                    call.ok_or_else(|| broken(format!("the program has no call `{}`", shown(name))))?;
                let call = CallId::from_idx(call);
                script.graphs.insert((known.parent, call, known.index.clone()), known.graph);
                script.names.add_graph(&GraphRecord { call, ..known.clone() });
            }
            for known in &batch.actions {
                let name = record.templates.get(known.template.idx());
                let template = name.and_then(|name| templates.iter().position(|own| own == name));
                let template =
                    template.ok_or_else(|| broken(format!("the program has no node `{}`", shown(name))))?;
                let key = (TemplateId::from_idx(template), known.graph, known.index.clone());
                script.names.add_action(&ActionRecord { template: key.0, ..known.clone() });
                if script.actions.insert(key, known.action).is_some_and(|other| other != known.action) {
                    return Err(broken(format!("an instance of {} has two ids", shown(name))));
                }
            }
            for known in &batch.objects {
                let name = record.shared.get(known.shared.idx());
                let position = name.and_then(|name| shared.iter().position(|own| own == name));
                let position = position
                    .ok_or_else(|| broken(format!("the program has no shared object `{}`", shown(name))))?;
                let key = (SharedId::from_idx(position), known.graph, known.index.clone());
                script.objects.insert(key, known.object);
            }
            batch.events().for_each(|event| script.add(event));
        }
        let cut = record.minimal.iter().flat_map(|minimal| &minimal.cut);
        script.last_counts = cut.map(|last| (last.action, last.count)).collect();
        script.sort().map_err(broken)?;
        Ok(script)
    }

    fn add(&mut self, event: EventRecord) {
        let most_bytes = event.error.as_deref().and_then(memory::limit_of_excess);
        let has_extra = !event.effects.is_empty()
            || event.first_line.is_some()
            || most_bytes.is_some()
            || event.choices.is_some();
        let compact = Compact {
            count: event.id.count,
            rule: event.rule,
            outcome: event.outcome,
            flow_successors: event.flow_successors,
            routes: extend(&mut self.routes, &event.routes),
            flow: extend(&mut self.flow, &event.flow),
            shared: extend(&mut self.shared, &event.shared),
            extra: has_extra.then_some(self.extras.len()),
        };
        if compact.extra.is_some() {
            let EventRecord { effects, first_line, choices, .. } = event;
            self.extras.push(Extra { effects, first_line, most_bytes, choices });
        }
        self.events_of.entry(event.id.action).or_default().push(compact);
    }

    #[allow(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
    fn sort(&mut self) -> Result<(), String> {
        for (action, events) in &mut self.events_of {
            events.sort_by_key(|event| event.count);
            if self.minimal.is_some() {
                if let Some(pair) = events.windows(2).find(|pair| pair[0].count == pair[1].count) {
                    return Err(format!("event {} of action {} stands in it twice", pair[0].count, action.0));
                }
                continue;
            }
            let gap = events.iter().zip(1..).find(|(event, count)| event.count != *count);
            if let Some((event, count)) = gap {
                let fault = match event.count.cmp(&count) {
                    Ordering::Greater => "is missing",
                    Ordering::Less | Ordering::Equal => "stands in it twice",
                };
                return Err(format!("event {} of action {} {fault}", count.min(event.count), action.0));
            }
        }
        Ok(())
    }

    pub(crate) fn action_id(
        &self,
        template: TemplateId,
        graph: GraphInstanceId,
        index: &Index,
    ) -> Option<ActionId> {
        if self.actions.is_empty() {
            return None;
        }
        self.actions.get(&(template, graph, index.clone())).copied()
    }

    pub(crate) fn object_id(
        &self,
        shared: SharedId,
        graph: GraphInstanceId,
        index: &Index,
    ) -> Option<ObjectId> {
        if self.objects.is_empty() {
            return None;
        }
        self.objects.get(&(shared, graph, index.clone())).copied()
    }

    pub(crate) fn graph_id(
        &self,
        parent: GraphInstanceId,
        call: CallId,
        index: &Index,
    ) -> Option<GraphInstanceId> {
        if self.graphs.is_empty() {
            return None;
        }
        self.graphs.get(&(parent, call, index.clone())).copied()
    }

    /// The first id that no recorded graph instance has.
    pub(crate) fn first_free_graph(&self) -> u32 {
        self.graphs.values().map(|graph| graph.0.saturating_add(1)).max().unwrap_or(1)
    }

    /// The first id that no recorded action has.
    pub(crate) fn first_free_action(&self) -> u32 {
        self.actions.values().map(|action| action.0.saturating_add(1)).max().unwrap_or(0)
    }

    /// The first id that no recorded object has.
    pub(crate) fn first_free_object(&self) -> u32 {
        self.objects.values().map(|object| object.0.saturating_add(1)).max().unwrap_or(0)
    }

    pub(crate) fn expected(&self, id: EventId) -> Option<ExpectedEvent<'_>> {
        let events = self.events_of.get(&id.action)?;
        let event_idx = match self.minimal {
            None => usize::try_from(id.count.checked_sub(1)?).ok()?,
            Some(_) => events.binary_search_by_key(&id.count, |event| event.count).ok()?,
        };
        let event = events.get(event_idx)?;
        let extra = event.extra.map(|extra_idx| &self.extras[extra_idx]);
        Some(ExpectedEvent {
            rule: event.rule,
            outcome: event.outcome,
            flow_successors: event.flow_successors,
            routes: &self.routes[event.routes.clone()],
            flow: &self.flow[event.flow.clone()],
            shared: &self.shared[event.shared.clone()],
            effects: extra.map_or(&[], |extra| &extra.effects),
            first_line: extra.and_then(|extra| extra.first_line),
            most_bytes: extra.and_then(|extra| extra.most_bytes),
            choices: extra.and_then(|extra| extra.choices.as_deref()),
        })
    }

    /// Whether the record tells choices alone.
    pub(crate) fn is_minimal(&self) -> bool {
        self.minimal.is_some()
    }

    /// Minimal record: the last execution of an action, where it could have gone on.
    pub(crate) fn last_count(&self, action: ActionId) -> Option<u64> {
        if self.minimal.as_ref().is_some_and(|minimal| minimal.is_empty) {
            return Some(0);
        }
        self.last_counts.get(&action).copied()
    }

    /// Minimal record: the number of events of the recorded run, if that came to an end.
    pub(crate) fn n_executed(&self) -> Option<u64> {
        self.minimal.as_ref()?.n_executed
    }

    /// Minimal record: the first event of an action behind the first `n_executed` ones that the record tells
    /// something of, if only that it took place.
    pub(crate) fn told_behind(&self, action: ActionId, n_executed: u64) -> Option<EventId> {
        let events = self.events_of.get(&action).map_or(&[][..], Vec::as_slice);
        let told = events.iter().map(|event| event.count).find(|count| *count > n_executed);
        let last = self.last_count(action).filter(|last| *last > n_executed);
        told.or(last).map(|count| EventId { action, count })
    }

    /// All recorded actions that executed, by template, graph instance and index.
    pub(crate) fn actions(&self) -> Vec<(TemplateId, ActionId)> {
        let mut actions: Vec<_> = self.actions.iter().collect();
        actions.sort_unstable();
        actions.into_iter().map(|((template, ..), &action)| (*template, action)).collect()
    }
}

fn shown(name: Option<&String>) -> &str {
    name.map_or("?", String::as_str)
}

fn extend<T: Clone>(column: &mut Vec<T>, items: &[T]) -> std::ops::Range<usize> {
    let start = column.len();
    column.extend_from_slice(items);
    start..column.len()
}
