//! Puts the state of a run into a session in which nothing has happened.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hasse_body::convert::dynamic_from_value;
use hasse_code::graph::GraphInstance;
use hasse_model::id::{ActionId, EventId, GraphInstanceId};
use hasse_model::plan::Port;
use hasse_model::snapshot::{ActionState, ErrorState, ObjectState, SentValue, Snapshot};
use hasse_model::value::Value;
use hasse_record::event::ObjectPlace;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;
use hasse_record::stamp::{Directive, Version};
use hasse_request::codes::CODES;
use hasse_request::options::RuntimeError;
use hasse_request::report::{RunError, SeenValue};
use hasse_runtime_plan::bounds::bound_of;
use hasse_store::bounded::HeldBack;
use hasse_store::instance::{Ready, SharedObject, Vars};
use hasse_store::token::{Delivery, Token};
use rhai::Engine;
use rustc_hash::FxHashMap;

/// Values on ports that the record says were dropped later.
mod dropped;

use self::dropped::{DroppedLater, by_event};
use crate::fire::session::Session;
use crate::run::snapshot::{Orders, needs_past, unfit};

/// Puts the state of a snapshot, which has the ids of the session's plan, into the session. Schedules all actions: most of them
/// find nothing to do.
///
/// # Errors
/// The program lacks a part that the snapshot names, or the mode of recording needs more than a snapshot has.
pub(crate) fn restore<M: Instrumentation>(
    session: &Session<'_, M>,
    engine: &Engine,
    snapshot: &Snapshot,
) -> Result<(), RuntimeError> {
    let mut orders = Orders::default();
    let mut graphs: FxHashMap<GraphInstanceId, Arc<GraphInstance>> = FxHashMap::default();
    graphs.insert(GraphInstanceId::MAIN, Arc::clone(&session.main));
    for record in &snapshot.graphs {
        let parent = graphs.get(&record.parent).ok_or_else(|| unfit("a graph instance has no parent"))?;
        let graph = session.enter(parent, record.call, record.index.clone(), engine);
        let graph = graph.map_err(|error| RuntimeError::Initial {
            what: "a parameter of a call".to_owned(),
            message: error.message,
        })?;
        graphs.insert(record.graph, graph);
    }
    let graph_of = |graph: GraphInstanceId| {
        graphs.get(&graph).ok_or_else(|| unfit("it names a graph instance that is not in it"))
    };
    for object in &snapshot.objects {
        put_object(session, graph_of(object.record.graph)?, object, &mut orders)?;
    }
    let mut instances = Vec::with_capacity(snapshot.actions.len());
    let mut surplus = Surplus::of(session, snapshot);
    let dropped = DroppedLater::of(session, snapshot);
    for action in &snapshot.actions {
        let graph = graph_of(action.record.graph)?;
        instances.push(put_action(session, engine, graph, action, (&mut orders, &mut surplus, &dropped))?);
    }
    let by_action = snapshot.actions.iter().map(|action| action.record.action).zip(&instances).collect();
    surplus.return_to(&by_action, session.instrumentation.column_order());
    session.registry.set_n_created(snapshot.n_actions);
    session.registry.reclaim.resume(snapshot.n_reclaimed, &snapshot.reclaimed);
    session.results.resume(&snapshot.results);
    let errors = snapshot.errors.iter().map(run_error).collect::<Result<Vec<_>, _>>()?;
    *session.errors.lock() = errors;
    session.output.resume(&snapshot.output, session.replays());
    // A replay executes what the record tells, and its fast path serves no run that has ended: see `carry_out`.
    session.has_ended.store(snapshot.has_ended && !session.replays(), Ordering::Relaxed);
    if session.has_bounds {
        instances.iter().for_each(|instance| note_on_ports(session, instance));
    }
    instances.into_iter().for_each(|instance| session.schedule(instance));
    Ok(())
}

fn put_object<M: Instrumentation>(
    session: &Session<'_, M>,
    graph: &Arc<GraphInstance>,
    state: &ObjectState,
    orders: &mut Orders,
) -> Result<(), RuntimeError> {
    let plan = session.program.plan;
    let declared = &plan.shared[state.record.shared.idx()];
    let ty = &declared.ty;
    let value = ty.admit(state.value.clone()).ok_or_else(|| {
        let (label, index) = (&plan.shared_labels()[state.record.shared.idx()], &state.record.index);
        unfit(format!(
            "shared object `{label}{index}` is of type {ty} and cannot hold a value of type {}",
            state.value.type_name()
        ))
    })?;
    let version = Version { writer: state.writer, readers: state.n_readers };
    let mark = M::mark_of(version).ok_or_else(needs_past)?;
    let known = (orders.of(&state.known_by_writer), orders.of(&state.known_by_readers));
    let (shared, index) = (state.record.shared, state.record.index.clone());
    session.registry.object(graph.id, shared, index, |index| {
        let id = session.instrumentation.object_id(shared, graph.id, &index);
        let place = ObjectPlace { id, shared, graph: Arc::clone(graph), index };
        let object = SharedObject::new(place, ty.clone(), value, session.replays());
        object.resume(mark, known);
        Ok::<_, RuntimeError>(object)
    })?;
    Ok(())
}

fn put_action<M: Instrumentation>(
    session: &Session<'_, M>,
    engine: &Engine,
    graph: &Arc<GraphInstance>,
    state: &ActionState,
    (orders, surplus, dropped): (&mut Orders, &mut Surplus<M>, &DroppedLater),
) -> Result<Ready<M>, RuntimeError> {
    let (plan, notes) = (session.program.plan, session.instrumentation);
    let template = plan.template(state.record.template);
    let layout = &session.program.layouts[state.record.template.idx()];
    let label = || format!("`{}{}`", plan.template_label(template), state.record.index);
    let (n_indices, n_given) = (template.n_indices, state.record.index.as_slice().len());
    if template.graph != graph.graph || n_indices != n_given {
        return Err(unfit(format!("the program has no action {}", label())));
    }
    let (instance, _) =
        session.registry.instance(plan, notes, graph, state.record.template, state.record.index.clone());
    let mut core = instance.core.lock();
    core.count = state.count;
    core.first_rule = state.first_rule.min(template.fire.len().saturating_sub(1) as u32);
    core.has_failed = state.has_failed;
    core.must_start = state.must_start;
    core.known = orders.of(&state.known);
    if let Some(vars) = &state.vars {
        let slots = &template.slots[layout.vars.clone()];
        let held = slots.iter().map(|slot| {
            let (_, value) = vars
                .iter()
                .find(|(name, _)| *name == slot.name)
                .ok_or_else(|| unfit(format!("it has no var `{}` of {}", slot.name, label())))?;
            let admitted = slot.ty.admit(value.clone()).ok_or_else(|| {
                let (name, ty, found) = (&slot.name, &slot.ty, value.type_name());
                unfit(format!(
                    "var `{name}` of {} is of type {ty} and cannot hold a value of type {found}",
                    label()
                ))
            })?;
            Ok(dynamic_from_value(admitted))
        });
        core.vars = Vars::Held(held.collect::<Result<_, RuntimeError>>()?);
        core.locks = session
            .find_locks(engine, &instance)
            .map_err(|error| RuntimeError::Initial { what: label(), message: error.message })?
            .into();
        core.is_initialized = true;
    }
    core.open_ports(template);
    for queue in &state.queues {
        let port = template
            .inputs
            .iter()
            .position(|port| port.name == queue.port)
            .ok_or_else(|| unfit(format!("{} has no input port `{}`", label(), queue.port)))?;
        let (n_indices, n_given) = (template.inputs[port].n_indices, queue.elements.as_slice().len());
        if n_indices != n_given {
            return Err(unfit(format!("port `{}` of {} has {n_indices} indices", queue.port, label())));
        }
        let is_surplus = surplus.among(&queue.values, &template.inputs[port], graph);
        let is_dropped = dropped.among(session, &instance, (port, &queue.elements), &queue.values);
        let fates = is_surplus.into_iter().zip(is_dropped);
        let values: Vec<(&SentValue, _)> = queue.values.iter().zip(fates).collect();
        let values = if template.inputs[port].full.drops() { by_event(values) } else { values };
        for (sent, (is_surplus, is_dropped)) in values {
            if is_dropped {
                session.dropped.add(instance.template, port, 1);
                continue;
            }
            let ty = &template.inputs[port].ty;
            let value = ty.admit(sent.value.clone()).ok_or_else(|| {
                let (name, found) = (&queue.port, sent.value.type_name());
                unfit(format!(
                    "port `{name}` of {} is of type {ty} and cannot hold a value of type {found}",
                    label()
                ))
            })?;
            let token = token(value, sent, orders)?;
            match sent.sender.filter(|_| is_surplus) {
                Some(sender) => {
                    let delivery = Delivery { port, elements: queue.elements.clone(), token };
                    surplus.values.push((sender.action, Arc::clone(&instance), delivery));
                }
                None => core.ports[port].push(&queue.elements, token),
            }
        }
    }
    let filled = core.filled();
    instance.inbox.lock().filled = filled;
    drop(core);
    Ok(instance)
}

/// Values beyond the bounds of ports. They were sent by last events, and wait with their senders until there is room: a snapshot
/// is that of a replay, which has no bounds.
struct Surplus<M: Instrumentation> {
    /// Number of executions of each action; none where there are no bounds.
    counts: FxHashMap<ActionId, u64>,
    /// Sender, receiver and value, in the order of sending.
    values: Vec<(ActionId, Ready<M>, Delivery<M>)>,
}

impl<M: Instrumentation> Surplus<M> {
    fn of(session: &Session<'_, M>, snapshot: &Snapshot) -> Self {
        let actions = snapshot.actions.iter().filter(|_| session.has_bounds);
        let counts = actions.map(|action| (action.record.action, action.count)).collect();
        Self { counts, values: Vec::new() }
    }

    /// For each value on a port, true if it is one that has no room there.
    fn among(&self, values: &[SentValue], port: &Port, graph: &GraphInstance) -> Vec<bool> {
        let has_none = self.counts.is_empty() || port.full.drops();
        let bound = if has_none { usize::MAX } else { bound_of(port, graph) };
        let mut n_left = values.len().saturating_sub(bound);
        let is_last =
            |sender: EventId| self.counts.get(&sender.action).is_some_and(|&count| count == sender.count);
        let mut is_surplus = vec![false; values.len()];
        for (value, is_surplus) in values.iter().zip(&mut is_surplus).rev() {
            *is_surplus = n_left > 0 && value.sender.is_some_and(is_last);
            n_left -= usize::from(*is_surplus);
        }
        is_surplus
    }

    fn return_to(self, by_action: &FxHashMap<ActionId, &Ready<M>>, columns: ColumnOrder) {
        for (sender, receiver, delivery) in self.values {
            let Some(sender) = by_action.get(&sender) else { continue };
            let held_back = &mut sender.core.lock().held_back;
            held_back.get_or_insert_with(|| Box::new(HeldBack::new(columns))).push(&receiver, delivery);
        }
    }
}

/// Counts the values on bounded ports: they take room there.
fn note_on_ports<M: Instrumentation>(session: &Session<'_, M>, instance: &Ready<M>) {
    let core = instance.core.lock();
    let inputs = &session.program.plan.template(instance.template).inputs;
    for (port, (declared, queue)) in inputs.iter().zip(&core.ports).enumerate() {
        if declared.bound.is_none() {
            continue;
        }
        for (elements, n_values) in queue.lengths() {
            let bound = bound_of(declared, &instance.graph);
            instance.inbox.lock().note_on_port((port, &elements), bound, n_values as usize);
        }
    }
}

fn token<M: Instrumentation>(
    value: Value,
    sent: &SentValue,
    orders: &mut Orders,
) -> Result<Token<M>, RuntimeError> {
    let Some(sender) = sent.sender else { return Ok(Token::by_hand(value)) };
    let stamp = M::stamp_of(sender).ok_or_else(needs_past)?;
    Ok(Token { value, stamp, known: orders.of(&sent.known), directive: M::Directive::of(false) })
}

fn run_error(state: &ErrorState) -> Result<RunError, RuntimeError> {
    let (code, _) = CODES
        .iter()
        .find(|(code, _)| *code == state.code)
        .ok_or_else(|| unfit(format!("it has an error with the unknown code `{}`", state.code)))?;
    let values = state.values.iter().map(|(name, text, value): &(String, String, Option<Value>)| SeenValue {
        name: name.clone(),
        text: text.clone(),
        value: value.clone(),
    });
    Ok(RunError {
        code,
        event: state.event.clone(),
        message: state.message.clone(),
        at: state.at,
        values: values.collect(),
    })
}
