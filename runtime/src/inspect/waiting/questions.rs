//! Questions of a debugger: circular waits, waits for failed events, possible senders of a value, and nodes that nothing was
//! sent to.

use hasse_code::partial::Numbers;
use hasse_model::id::TemplateId;
use hasse_model::plan::Target;
use hasse_record::instrumentation::Instrumentation;
use hasse_request::report::{WaitCause, WaitingRule};
use hasse_store::instance::{Instance, Ready};
use hasse_waiting::circle::{Step, Wait, circle};
use hasse_waiting::graph::{Need, Room, Seen, Standing, Vertex, WaitGraph, imagined_rules};
use hasse_waiting::population::{ActionIdx, Found, exactly, shown};

use crate::fire::worker::Worker;
use crate::inspect::waiting::{
    Kept, census, failed_causes, look, shown_port, shown_room, state, waiting_actions,
};

/// An action of a circle of waiting.
pub(crate) struct Waiter {
    pub(crate) action: String,
    /// The port on which it misses a value, or the one of the next action that is full.
    pub(crate) port: String,
    /// The text of the arc by which the next action of the circle could send it, or along which its own value comes.
    pub(crate) arc: String,
    /// True if it waits for room.
    pub(crate) is_full: bool,
}

/// Why actions are blocked, while others may go on.
#[derive(Default)]
pub(crate) struct Blocked {
    /// A circle of blocked actions.
    pub(crate) circle: Vec<Waiter>,
    /// Failed events that blocked actions wait for, the nearest first.
    pub(crate) failed: Vec<WaitCause>,
}

/// A circle of blocked actions and the failed events that others wait for; `None` if the search was interrupted.
pub(crate) fn blocked<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    is_interrupted: &dyn Fn() -> bool,
) -> Option<Blocked> {
    let session = worker.session;
    let plan = session.program.plan;
    let (mut population, kept) = census(worker);
    let (_, roots, _) = waiting_actions(worker, &mut population, &kept, is_interrupted)?;
    let templates: Vec<TemplateId> =
        (0..population.n_existing()).map(|action| population.template_of(action as u32)).collect();
    let mut look = |action: ActionIdx| look(worker, &kept[action as usize], templates[action as usize]);
    let mut graph = WaitGraph::new(population, &mut look);
    graph.explore(&roots, is_interrupted)?;
    let failed = failed_causes(&graph, &kept, &roots).0;
    if is_interrupted() {
        return None;
    }
    let steps = circle(&graph);
    let waiter = |step: &Step| {
        let (port, arc) = match step.wait {
            Wait::Value { need, arc } => {
                (shown_port(plan, &graph.needs[need as usize]), plan.arcs[arc as usize].text.clone())
            }
            Wait::Room(room) => {
                let Room { receiver, port, .. } = graph.rooms[room as usize];
                let template = |action| graph.population.template_of(action);
                let arc = state::arc_into(plan, template(step.action), template(receiver), port);
                (shown_room(&graph, room), arc)
            }
        };
        let is_full = matches!(step.wait, Wait::Room(_));
        Waiter { action: graph.population.path(step.action), port, arc, is_full }
    };
    Some(Blocked { circle: steps.iter().map(waiter).collect(), failed })
}

/// An action that could send a value.
pub(crate) struct SenderOf<M: Instrumentation> {
    pub(crate) path: String,
    pub(crate) arc: String,
    /// `None` where it does not exist.
    pub(crate) instance: Option<Ready<M>>,
}

/// Who could send values that an action misses, of the elements of its ports that are asked for.
pub(crate) fn senders_to<M: Instrumentation>(
    worker: &mut Worker<'_, '_, M>,
    receiver: &Instance<M>,
    elements: &[state::Element],
    n_most: usize,
) -> Vec<Vec<SenderOf<M>>> {
    let (population, kept) = census(worker);
    let graph_idx = (0..kept.len() as u32).find(|action| match &kept[*action as usize] {
        Kept::Instance(instance) => instance.action == receiver.action,
        Kept::Entry { .. } => false,
    });
    let Some(action) = graph_idx else { return elements.iter().map(|_| Vec::new()).collect() };
    let graph = population.graph_of(action);
    let target = Target::Unit(receiver.template);
    let index = exactly(&receiver.index);
    // The state of actions is not asked for.
    let mut look = |_| Seen::only(Standing::Waiting);
    let mut waits = WaitGraph::new(population, &mut look);
    let mut found = Vec::new();
    for (port, elements) in elements {
        let need = Need { graph, target, port: *port, index: index.clone(), elements: exactly(elements) };
        let vertex = waits.explore_need(need);
        found.push(named(&waits, &kept, vertex, n_most));
    }
    found
}

fn named<M: Instrumentation>(
    waits: &WaitGraph<'_, '_>,
    kept: &[Kept<M>],
    need: Vertex,
    n_most: usize,
) -> Vec<SenderOf<M>> {
    let population = &waits.population;
    let senders = waits.senders_of(need, n_most + 1).into_iter();
    let mut senders: Vec<(ActionIdx, u32)> = senders.collect();
    // Those of an unknown index are named where there is nobody else.
    let has_certain = senders.iter().any(|(sender, _)| !population.is_vague(*sender));
    senders.retain(|(sender, _)| !has_certain || !population.is_vague(*sender));
    senders.sort_by_key(|(sender, _)| *sender);
    senders.truncate(n_most);
    let named = senders.into_iter().map(|(sender, arc)| SenderOf {
        path: population.path(sender),
        arc: population.plan.arcs[arc as usize].text.clone(),
        instance: match kept.get(sender as usize) {
            Some(Kept::Instance(instance)) => Some(std::sync::Arc::clone(instance)),
            _ => None,
        },
    });
    named.collect()
}

/// Actions that could send to a port.
type Senders<M> = Vec<SenderOf<M>>;

/// What is known of a node or a call that no value has reached.
pub(crate) struct Uncreated<M: Instrumentation> {
    pub(crate) path: String,
    /// Firing rules, with what they miss and who could send it; none of a call.
    pub(crate) rules: Vec<(WaitingRule, Vec<Senders<M>>)>,
    /// Of a call: its input ports, and who could send there.
    pub(crate) inputs: Vec<(String, Senders<M>)>,
}

/// What is known of the node or the call at a path; `None` where the program has none.
pub(crate) fn uncreated<M: Instrumentation>(
    worker: &Worker<'_, '_, M>,
    path: &str,
    n_most: usize,
) -> Option<Uncreated<M>> {
    let plan = worker.session.program.plan;
    let (mut population, kept) = census(worker);
    let found = population.find(path)?;
    let mut look = |_| Seen::only(Standing::Waiting);
    let mut waits = WaitGraph::new(population, &mut look);
    match found {
        Found::Call { graph, call, index } => {
            let mut inputs = Vec::new();
            for (port, declared) in plan.graphs[plan.call(call).graph.idx()].inputs.iter().enumerate() {
                let elements = Numbers::from_elem(None, declared.n_indices);
                let need = Need { graph, target: Target::Call(call), port, index: index.clone(), elements };
                let vertex = waits.explore_need(need);
                inputs.push((declared.name.clone(), named(&waits, &kept, vertex, n_most)));
            }
            let path =
                format!("{}/{}{}", waits.population.graph_path(graph), plan.call(call).name, shown(&index));
            Some(Uncreated { path, rules: Vec::new(), inputs })
        }
        Found::Action(action) => {
            let template = plan.template(waits.population.template_of(action));
            let imagined = imagined_rules(&waits.population, action);
            let (graph, index) = (waits.population.graph_of(action), waits.population.index_of(action));
            let target = Target::Unit(waits.population.template_of(action));
            let mut rules = Vec::new();
            for (firing, (rule, may_hold)) in template.fire.iter().zip(imagined) {
                let missing = &rule.missing[..rule.missing.len().min(state::MAX_LISTED)];
                let mut senders = Vec::new();
                for (port, elements) in missing {
                    let (index, elements) = (index.clone(), elements.clone());
                    let vertex = waits.explore_need(Need { graph, target, port: *port, index, elements });
                    senders.push(named(&waits, &kept, vertex, n_most));
                }
                let names = missing
                    .iter()
                    .map(|(port, elements)| format!("{}{}", template.inputs[*port].name, shown(elements)));
                let guard = if may_hold { None } else { Some(Ok(false)) };
                let (text, at, missing) = (firing.text.clone(), firing.at, names.collect());
                rules.push((
                    WaitingRule { rule: rule.rule, text, at, guard, missing, n_more_missing: 0 },
                    senders,
                ));
            }
            Some(Uncreated { path: waits.population.path(action), rules, inputs: Vec::new() })
        }
    }
}
