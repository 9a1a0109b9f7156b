//! Takes the state out of a session whose workers have ended.

use std::sync::atomic::Ordering;

use hasse_body::convert::value_from_dynamic;
use hasse_model::event::ObjectRecord;
use hasse_model::id::{EventId, Index};
use hasse_model::plan::Template;
use hasse_model::snapshot::{ActionState, ErrorState, ObjectState, QueueState, SentValue, Snapshot};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;
use hasse_request::options::RuntimeError;
use hasse_request::report::{RunError, SeenValue};
use hasse_store::instance::{Instance, SharedObject, Vars};
use hasse_store::port::PortQueue;
use hasse_store::token::Token;
use thin_vec::ThinVec;

use crate::fire::session::Session;
use crate::run::snapshot::labels;

/// Takes the state of a run that is at rest and has executed `n_events` events.
///
/// # Errors
/// An action is within an execution, or holds something that is no value.
pub(crate) fn take<M: Instrumentation>(
    session: &Session<'_, M>,
    n_events: u64,
) -> Result<Snapshot, RuntimeError> {
    let plan = session.program.plan;
    // An entry of the matching store is an instance of which less is kept.
    session.registry.promote_all(plan, session.instrumentation, |_| true);
    let [templates, shared, calls] = labels(plan);
    let params = plan.params().iter().zip(&session.program.params).map(|(param, held)| {
        Ok((param.name.clone(), value_of(held, || format!("parameter `{}`", param.name))?))
    });
    let mut graphs: Vec<_> = session.registry.graphs().iter().filter_map(|graph| graph.record()).collect();
    graphs.sort_unstable_by_key(|graph| graph.graph);
    let actions = session.registry.instances();
    let actions = actions.iter().map(|instance| action(session, instance));
    let mut actions = actions.collect::<Result<Vec<_>, RuntimeError>>()?;
    actions.sort_unstable_by_key(|action| action.record.action);
    let mut objects: Vec<_> = session.registry.objects().iter().map(|shared| object(shared)).collect();
    objects.sort_unstable_by_key(|object: &ObjectState| object.record.object);
    Ok(Snapshot {
        params: params.collect::<Result<_, RuntimeError>>()?,
        random_seed: session.random_seed,
        n_events,
        n_actions: session.registry.n_actions(),
        n_reclaimed: session.registry.reclaim.n_reclaimed(),
        has_ended: session.has_ended.load(Ordering::Relaxed),
        templates,
        shared,
        calls,
        graphs,
        actions,
        reclaimed: session.registry.reclaim.counts(),
        objects,
        first_free: session.instrumentation.first_free(),
        results: session.results.state(),
        errors: session.errors.lock().iter().map(error_state).collect(),
        output: session.output.state(),
    })
}

fn action<M: Instrumentation>(
    session: &Session<'_, M>,
    instance: &Instance<M>,
) -> Result<ActionState, RuntimeError> {
    let template = session.program.plan.template(instance.template);
    let mut core = instance.core.lock();
    if core.pending.is_some() {
        return Err(untakeable(format!("{} is within an execution", session.path(instance))));
    }
    core.open_ports(template);
    core.receive(instance, &mut ThinVec::new());
    core.ports.iter_mut().for_each(PortQueue::join);
    let vars = if core.is_initialized { Some(vars(session, instance, template, &core.vars)?) } else { None };
    let mut queues = Vec::new();
    for (port, queue) in template.inputs.iter().zip(&core.ports) {
        let mut of_port: Vec<QueueState> = Vec::new();
        queue.each_with_element(|elements, token| {
            let value = sent_value(token);
            match of_port.last_mut() {
                Some(queue) if queue.elements == *elements => queue.values.push(value),
                _ => of_port.push(QueueState {
                    port: port.name.clone(),
                    elements: Index::clone(elements),
                    values: vec![value],
                }),
            }
        });
        queues.append(&mut of_port);
    }
    Ok(ActionState {
        record: instance.record(),
        count: core.count,
        first_rule: core.first_rule,
        // The event of an `init` that fails is one of those to come.
        has_failed: core.has_failed && core.count > 0,
        must_start: core.must_start,
        vars,
        queues,
        known: core.known.events(),
    })
}

fn vars<M: Instrumentation>(
    session: &Session<'_, M>,
    instance: &Instance<M>,
    template: &Template,
    vars: &Vars,
) -> Result<Vec<(String, Value)>, RuntimeError> {
    let layout = &session.program.layouts[instance.template.idx()];
    let slots = template.slots[layout.vars.clone()].iter();
    match vars {
        Vars::Held(held) => {
            let named = slots.zip(held).map(|(slot, held)| {
                let place = || format!("var `{}` of {}", slot.name, session.path(instance));
                Ok((slot.name.clone(), value_of(held, place)?))
            });
            named.collect()
        }
        Vars::Values(values) => {
            Ok(slots.zip(values).map(|(slot, value)| (slot.name.clone(), value.clone())).collect())
        }
    }
}

fn untakeable(message: String) -> RuntimeError {
    RuntimeError::Cut { message }
}

fn value_of(held: &rhai::Dynamic, place: impl Fn() -> String) -> Result<Value, RuntimeError> {
    value_from_dynamic(held)
        .map_err(|found| untakeable(format!("{} is a {found}, which has no form in bytes", place())))
}

fn sent_value<M: Instrumentation>(token: &Token<M>) -> SentValue {
    let sender = if token.directive.is_by_hand() { None } else { M::sender(&token.stamp) };
    SentValue { value: token.value.clone(), sender, known: token.known.events() }
}

fn error_state(error: &RunError) -> ErrorState {
    let RunError { code, event, message, at, values } = error;
    let values =
        values.iter().map(|SeenValue { name, text, value }| (name.clone(), text.clone(), value.clone()));
    ErrorState {
        code: (*code).to_owned(),
        event: event.clone(),
        message: message.clone(),
        at: *at,
        values: values.collect(),
    }
}

fn object<M: Instrumentation>(shared: &SharedObject<M>) -> ObjectState {
    let record = ObjectRecord {
        object: shared.place.id,
        shared: shared.place.shared,
        graph: shared.place.graph.id,
        index: shared.place.index.clone(),
    };
    shared.look(|value, mark, by_writer, by_readers| {
        let version = M::version(mark);
        let known = |order: &ResultOrder| -> Vec<EventId> { order.events() };
        ObjectState {
            record,
            value: value.clone(),
            writer: version.writer,
            n_readers: version.readers,
            known_by_writer: known(by_writer),
            known_by_readers: known(by_readers),
        }
    })
}
