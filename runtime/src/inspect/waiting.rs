//! Waiting: who waits for whom when nothing can fire any more, or while others go on.
//!
//! One definition serves the report at the end of a run, and `deadlock` and `why` of a debugger.
//!
//! - An action *waits* if it holds values that it cannot take alone and that must not be left, or is the stop node and has
//!   not executed.
//! - A value that it misses could be *sent* by any action, existing or not, from which an arc leads there.
//! - An action is *blocked* if it cannot fire whatever else happens: it failed, or for each rule whose guard holds some
//!   value is missing that only blocked actions could send (a greatest fixed point; guards name vars, which change only
//!   when the action fires, so that they are decided). The actions that are looked at are closed under "could send", so
//!   nothing outside can help a blocked one.
//! - A *circle* is a cycle of blocked actions each of which waits for the next (`circle` says when one does).
//!
//! This is the deadlock of the AND-OR model (Knapp 1987, "Deadlock detection in distributed databases", section 2), with
//! actions that do not exist yet as further senders.

use std::collections::BTreeMap;

use hasse_code::partial::Numbers;
use hasse_model::id::{ActionId, GraphInstanceId, TemplateId};
use hasse_model::plan::Target;
use hasse_record::instrumentation::Instrumentation;
use hasse_request::report::{
    FailedEvents, HeldValues, PossibleSender, WaitCause, WaitingAction, WaitingClass, WaitingRule,
};
use hasse_store::instance::Ready;
use hasse_waiting::circle::{Failure, Missed, Wait, circle, dead_ends, failures};
use hasse_waiting::classes::Classes;
use hasse_waiting::graph::{Kind, Need, Seen, SeenRule, Standing, WaitGraph, imagined_rules};
use hasse_waiting::population::{ActionIdx, ExistingAction, Population, shown};
use rustc_hash::FxHashMap;

use crate::fire::session::Session;
use crate::fire::worker::Worker;

/// What a debugger asks.
pub(crate) mod questions;
/// State of existing actions.
pub(crate) mod state;
/// Values beyond the bounds of ports, after a replay.
mod surplus;

use crate::inspect::waiting::state::waiting_action;
use crate::inspect::waiting::surplus::return_surplus;

/// Maximum number of waiting actions that are reported one by one.
const MAX_REPORTED: usize = 1000;
/// Maximum number of bytes of their paths: those of a deep recursion are long.
const MAX_PATH_BYTES: usize = 1 << 20;
/// Maximum number of causes of one kind.
const MAX_CAUSES: usize = 3;
/// Number of actions between two looks at whether the run is to be interrupted.
const ACTIONS_PER_LOOK: usize = 256;

/// What waits at the end of a run, and why.
#[derive(Default)]
pub(crate) struct Quiescence {
    /// The first ones, in the order of actions.
    pub(crate) waiting: Vec<WaitingAction>,
    pub(crate) n_waiting: u64,
    pub(crate) classes: Vec<WaitingClass>,
    /// Number of actions in other classes.
    pub(crate) n_unclassed: u64,
    /// Likely causes, the likeliest first.
    pub(crate) causes: Vec<WaitCause>,
    pub(crate) cycle: Vec<String>,
    /// Whether values were left that must not be.
    pub(crate) has_values: bool,
    /// Whether the run was interrupted meanwhile: the rest says nothing.
    pub(crate) is_interrupted: bool,
}

/// An existing action.
enum Kept<M: Instrumentation> {
    Instance(Ready<M>),
    /// An entry of the matching store, with its executions and the ports that hold a value, as bits.
    Entry {
        count: u64,
        filled: u32,
        is_scheduled: bool,
    },
}

/// All actions of a run.
fn census<'p, M: Instrumentation>(worker: &Worker<'_, 'p, M>) -> (Population<'p>, Vec<Kept<M>>) {
    let session = worker.session;
    let plan = session.program.plan;
    let graphs = session.registry.graphs();
    let graph_idx_of: FxHashMap<GraphInstanceId, u32> =
        (0..).zip(&graphs).map(|(graph_idx, graph)| (graph.id, graph_idx)).collect();
    let instances = session.registry.instances();
    // Graph instances in the order of paths; the main graph is the first.
    let mut places: FxHashMap<GraphInstanceId, usize> = FxHashMap::default();
    places.insert(GraphInstanceId::MAIN, 0);
    for instance in &instances {
        let n_known = places.len();
        places.entry(instance.graph.id).or_insert(n_known);
    }
    let mut all: Vec<(usize, ExistingAction, Kept<M>)> = Vec::with_capacity(instances.len());
    for instance in instances {
        let graph = graph_idx_of.get(&instance.graph.id).copied().unwrap_or_default();
        let known = ExistingAction { graph, template: instance.template, index: instance.index.clone() };
        all.push((places[&instance.graph.id], known, Kept::Instance(instance)));
    }
    let n_instances = all.len();
    for (template, store) in session.registry.stores() {
        store.each_entry(|entry, index| {
            let (count, filled, is_scheduled) = (entry.count, entry.filled(), entry.is_scheduled());
            let known = ExistingAction { graph: 0, template, index };
            all.push((0, known, Kept::Entry { count, filled, is_scheduled }));
        });
    }
    if all.len() > n_instances {
        all.sort_unstable_by(|(left_place, left, _), (right_place, right, _)| {
            (left_place, left.template, &left.index).cmp(&(right_place, right.template, &right.index))
        });
    }
    let (mut existing, mut kept) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    for (_, known, action) in all {
        existing.push(known);
        kept.push(action);
    }
    (Population::new(plan, graphs, existing, graph_idx_of), kept)
}

/// State of an existing action.
fn look<M: Instrumentation>(worker: &mut Worker<'_, '_, M>, kept: &Kept<M>, template: TemplateId) -> Seen {
    match kept {
        Kept::Instance(instance) => state::seen(worker, instance),
        Kept::Entry { is_scheduled: true, .. } => Seen::only(Standing::Active),
        Kept::Entry { filled, .. } => {
            let template = worker.session.program.plan.template(template);
            let rule_of = |(rule, firing): (usize, &hasse_model::plan::FiringRule)| {
                let is_filled = |port: usize| filled >> port & 1 != 0;
                let missing = firing.takes.iter().filter(|take| !is_filled(take.port));
                let holds = |port: usize| is_filled(port) && !template.inputs[port].may_be_left;
                SeenRule {
                    rule,
                    missing: missing.map(|take| (take.port, Numbers::new())).collect(),
                    has_values: firing.takes.iter().any(|take| holds(take.port)),
                }
            };
            let rules = template.fire.iter().enumerate().map(rule_of).collect();
            Seen { rules, ..Seen::only(Standing::Waiting) }
        }
    }
}

/// What a report says of an entry that waits; its path is left empty.
fn waiting_entry(template: &hasse_model::plan::Template, count: u64, filled: u32) -> WaitingAction {
    let is_filled = |port: usize| filled >> port & 1 != 0;
    let ports = template.inputs.iter().enumerate().filter(|(port, _)| is_filled(*port));
    let rule_of = |(rule, firing): (usize, &hasse_model::plan::FiringRule)| {
        let missing = firing.takes.iter().filter(|take| !is_filled(take.port));
        WaitingRule {
            rule,
            text: firing.text.clone(),
            at: firing.at,
            guard: None,
            missing: missing.map(|take| template.inputs[take.port].name.clone()).collect(),
            n_more_missing: 0,
        }
    };
    WaitingAction {
        action: String::new(),
        n_executed: count,
        has_failed: false,
        queued: ports.map(|(_, port)| (port.name.clone(), 1)).collect(),
        n_more_queued: 0,
        held_back: Vec::new(),
        rules: template.fire.iter().enumerate().map(rule_of).collect(),
    }
}

/// What a report says of an action that does not exist; its path is left empty.
fn waiting_imagined(population: &Population<'_>, action: ActionIdx) -> WaitingAction {
    let template = population.plan.template(population.template_of(action));
    let rules = template.fire.iter().zip(imagined_rules(population, action));
    let rules = rules.map(|(firing, (rule, may_hold))| {
        let name = |(port, elements): &(usize, Numbers)| {
            format!("{}{}", template.inputs[*port].name, shown(elements))
        };
        WaitingRule {
            rule: rule.rule,
            text: firing.text.clone(),
            at: firing.at,
            guard: (!may_hold).then_some(Ok(false)),
            missing: rule.missing.iter().take(state::MAX_LISTED).map(name).collect(),
            n_more_missing: rule.missing.len().saturating_sub(state::MAX_LISTED) as u64,
        }
    });
    WaitingAction {
        action: String::new(),
        n_executed: 0,
        has_failed: false,
        queued: Vec::new(),
        n_more_queued: 0,
        held_back: Vec::new(),
        rules: rules.collect(),
    }
}

/// The stop node of a program.
fn stop_node(plan: &hasse_model::plan::Plan) -> Option<TemplateId> {
    let is_stop = |template: &hasse_model::plan::Template| template.is_stop && template.graph == plan.main;
    plan.templates.iter().position(is_stop).map(TemplateId::from_idx)
}

/// Whether an action holds values that must not be left, and whether it failed.
fn holds_values<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    kept: &Kept<M>,
    template: TemplateId,
) -> (bool, bool) {
    let plan = worker.session.program.plan;
    match kept {
        Kept::Instance(instance) => {
            let Some(mut core) = instance.core.try_lock() else { return (false, false) };
            if core.pending.is_some() {
                return (false, false);
            }
            if core.held_back.is_some() {
                return (true, core.has_failed);
            }
            // Most actions are idle: their ports are not made for this.
            if core.ports.iter().all(|port| port.is_empty()) && instance.inbox.lock().is_empty() {
                return (false, core.has_failed);
            }
            worker.collect(instance, &mut core);
            (state::has_values(plan.template(template), &core), core.has_failed)
        }
        Kept::Entry { filled, .. } => {
            let template = plan.template(template);
            let mut ports = template.inputs.iter().enumerate();
            (ports.any(|(port, declared)| filled >> port & 1 != 0 && !declared.may_be_left), false)
        }
    }
}

/// Actions that wait, and those among them that have not failed; `None` if the run was interrupted. With them whether
/// any holds values that must not be left.
type Waiting = (Vec<ActionIdx>, Vec<ActionIdx>, bool);

fn waiting_actions<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    population: &mut Population<'_>,
    kept: &[Kept<M>],
    is_interrupted: &dyn Fn() -> bool,
) -> Option<Waiting> {
    let stop_node = stop_node(worker.session.program.plan);
    let (mut waiting, mut roots, mut has_values) = (Vec::new(), Vec::new(), false);
    for (action, known) in (0..).zip(kept) {
        if (action as usize).is_multiple_of(ACTIONS_PER_LOOK) && is_interrupted() {
            return None;
        }
        let template = population.template_of(action);
        let (holds, has_failed) = holds_values(worker, known, template);
        has_values |= holds;
        if holds || Some(template) == stop_node && !has_failed {
            waiting.push(action);
            roots.extend((!has_failed).then_some(action));
        }
    }
    // A stop node that nothing was sent to waits as well.
    if let Some(stop_node) = stop_node {
        let action = population.action(0, stop_node, &[]);
        if !population.is_existing(action) {
            waiting.push(action);
            roots.push(action);
        }
    }
    Some((waiting, roots, has_values))
}

/// Looks at all actions of a run that is over. Cost: linear in actions and in the arcs between them, but for sorting.
pub(crate) fn quiescence<M: Instrumentation>(worker: &mut Worker<'_, '_, M>) -> Quiescence {
    let session = worker.session;
    if session.replays() {
        return_surplus(session);
    }
    let (mut population, kept) = census(worker);
    let Some((waiting, roots, has_values)) =
        waiting_actions(worker, &mut population, &kept, &|| session.stop.is_set())
    else {
        return Quiescence { is_interrupted: true, ..Quiescence::default() };
    };
    let mut found = Quiescence { has_values, ..Quiescence::default() };
    if waiting.is_empty() {
        return found;
    }
    found.n_waiting = waiting.len() as u64;
    let is_described = describe(worker, &mut population, &kept, &waiting, &mut found);
    if !is_described || explain(worker, population, &kept, &roots, &mut found).is_none() {
        found.is_interrupted = true;
    }
    found
}

/// Says how actions wait: the first ones, and all by class. False if that was interrupted.
fn describe<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    population: &mut Population<'_>,
    kept: &[Kept<M>],
    waiting: &[ActionIdx],
    found: &mut Quiescence,
) -> bool {
    let session = worker.session;
    let plan = session.program.plan;
    let labels = plan.template_labels();
    let mut classes = Classes::default();
    // Entries that wait alike, of which there may be millions, are counted at once.
    let mut entries: BTreeMap<(TemplateId, u32, u64), (ActionIdx, u64)> = BTreeMap::new();
    let mut path_bytes = 0;
    for (position, &action) in waiting.iter().enumerate() {
        if position.is_multiple_of(ACTIONS_PER_LOOK) && session.stop.is_set() {
            return false;
        }
        let template = population.template_of(action);
        let is_listed = found.waiting.len() < MAX_REPORTED && path_bytes < MAX_PATH_BYTES;
        let mut described = match kept.get(action as usize) {
            Some(Kept::Instance(instance)) => {
                let mut core = instance.core.lock();
                worker.inspect(instance, &mut core, |worker, core| waiting_action(worker, instance, core))
            }
            Some(Kept::Entry { count, filled, .. }) => {
                entries.entry((template, *filled, *count)).or_insert((action, 0)).1 += 1;
                if !is_listed {
                    continue;
                }
                waiting_entry(plan.template(template), *count, *filled)
            }
            None => waiting_imagined(population, action),
        };
        if !matches!(kept.get(action as usize), Some(Kept::Entry { .. })) {
            let label = (template, labels[template.idx()].as_str());
            classes.add(label, &described, 1, &|| population.path(action));
        }
        if is_listed {
            described.action = population.path(action);
            path_bytes += described.action.len();
            found.waiting.push(described);
        }
    }
    for ((template, filled, count), (first, n_entries)) in entries {
        let label = (template, labels[template.idx()].as_str());
        let described = waiting_entry(plan.template(template), count, filled);
        classes.add(label, &described, n_entries, &|| population.path(first));
    }
    (found.classes, found.n_unclassed) = classes.finish();
    true
}

/// Says why actions wait; `None` if that was interrupted.
fn explain<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    population: Population<'_>,
    kept: &[Kept<M>],
    roots: &[ActionIdx],
    found: &mut Quiescence,
) -> Option<()> {
    let session = worker.session;
    let plan = session.program.plan;
    let templates: Vec<TemplateId> =
        (0..population.n_existing()).map(|action| population.template_of(action as u32)).collect();
    let held_back: Vec<(ActionIdx, Vec<HeldValues>)> = roots
        .iter()
        .filter_map(|root| {
            let Some(Kept::Instance(instance)) = kept.get(*root as usize) else { return None };
            let held = state::held_values(worker, instance, &*instance.core.lock());
            (!held.is_empty()).then_some((*root, held))
        })
        .collect();
    let mut look = |action: ActionIdx| look(worker, &kept[action as usize], templates[action as usize]);
    let mut graph = WaitGraph::new(population, &mut look);
    graph.explore(roots, &|| session.stop.is_set())?;
    let n_failed;
    (found.causes, n_failed) = failed_causes(&graph, kept, roots);
    let steps = circle(&graph);
    let mut path_bytes = 0;
    for step in &steps {
        let path = graph.population.path(step.action);
        path_bytes += path.len();
        if path_bytes > MAX_PATH_BYTES {
            break;
        }
        found.cycle.push(path);
    }
    if n_failed > 0 || !steps.is_empty() {
        let full = steps.iter().filter_map(|step| {
            let Wait::Room(room) = step.wait else { return None };
            let port = shown_room(&graph, room);
            let (_, held) = held_back.iter().find(|(action, _)| *action == step.action)?;
            let held = held.iter().find(|held| held.port == port)?.clone();
            Some(WaitCause::Full { action: graph.population.path(step.action), held })
        });
        found.causes.extend(full.take(MAX_CAUSES));
        return Some(());
    }
    if !held_back.is_empty() {
        let full = held_back.into_iter().filter_map(|(action, held)| {
            Some(WaitCause::Full { action: graph.population.path(action), held: held.into_iter().next()? })
        });
        found.causes.extend(full.take(MAX_CAUSES));
        return Some(());
    }
    for (action, need) in dead_ends(&graph, roots, MAX_CAUSES) {
        let Kind::Need(position) = graph.kinds[need as usize] else { continue };
        let senders = graph.senders_of(need, MAX_CAUSES + 1);
        let senders = senders.into_iter().filter(|(sender, _)| !graph.population.is_vague(*sender));
        let senders: Vec<PossibleSender> = senders
            .map(|(sender, arc)| PossibleSender {
                action: graph.population.path(sender),
                failed: match kept.get(sender as usize) {
                    Some(Kept::Instance(instance)) => failed_events(session, &graph, sender, instance.action),
                    _ => None,
                },
                arc: plan.arcs[arc as usize].text.clone(),
                n_executed: match kept.get(sender as usize) {
                    Some(Kept::Instance(instance)) => Some(instance.core.lock().count),
                    Some(Kept::Entry { count, .. }) => Some(*count),
                    None => None,
                },
            })
            .collect();
        found.causes.push(WaitCause::NoSender {
            action: graph.population.path(action),
            port: shown_port(plan, &graph.needs[position as usize]),
            senders,
        });
    }
    Some(())
}

/// Failed events of an action that went on.
fn failed_events<M: Instrumentation>(
    session: &Session<'_, M>,
    graph: &WaitGraph<'_, '_>,
    sender: ActionIdx,
    action: ActionId,
) -> Option<FailedEvents> {
    let (n_events, first) = session.handled.of_action(graph.population.template_of(sender), action)?;
    Some(FailedEvents { first: format!("{}:{first}", graph.population.path(sender)), n_events })
}

/// The nearest failed events that blocked actions wait for, and the number of all.
fn failed_causes<M: Instrumentation>(
    graph: &WaitGraph<'_, '_>,
    kept: &[Kept<M>],
    roots: &[ActionIdx],
) -> (Vec<WaitCause>, usize) {
    let plan = graph.population.plan;
    let failed = failures(graph, roots);
    let n_failed = failed.len();
    let cause = |failure: Failure| {
        let count = match &kept[failure.failed as usize] {
            Kept::Instance(instance) => instance.core.lock().count,
            Kept::Entry { count, .. } => *count,
        };
        WaitCause::Failed {
            event: format!("{}:{count}", graph.population.path(failure.failed)),
            action: graph.population.path(failure.waiting),
            port: match failure.missed {
                Missed::Value(need) => shown_port(plan, &graph.needs[need as usize]),
                Missed::Room(room) => shown_room(graph, room),
            },
            is_full: matches!(failure.missed, Missed::Room(_)),
            n_others: (n_failed - 1) as u64,
        }
    };
    (failed.into_iter().take(MAX_CAUSES).map(cause).collect(), n_failed)
}

/// A full port, with its action.
fn shown_room(graph: &WaitGraph<'_, '_>, room: u32) -> String {
    let room = &graph.rooms[room as usize];
    let template = graph.population.plan.template(graph.population.template_of(room.receiver));
    format!("{}.{}{}", graph.population.path(room.receiver), template.inputs[room.port].name, room.elements)
}

/// A port with its element, as far as it is known.
fn shown_port(plan: &hasse_model::plan::Plan, need: &Need) -> String {
    match need.target {
        Target::Unit(template) => {
            let name = &plan.template(template).inputs[need.port].name;
            format!("{name}{}", shown(&need.elements))
        }
        Target::Call(call) => plan.graphs[plan.call(call).graph.idx()].inputs[need.port].name.clone(),
        Target::Interface => String::new(),
    }
}
