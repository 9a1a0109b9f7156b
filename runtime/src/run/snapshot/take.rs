//! Takes the state out of a session whose workers have ended.

use std::sync::atomic::Ordering;

use hasse_model::event::ObjectRecord;
use hasse_model::id::EventId;
use hasse_model::snapshot::{ActionState, ErrorState, ObjectState, Snapshot};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_request::options::RuntimeError;
use hasse_request::report::{RunError, SeenValue};
use hasse_store::instance::{Instance, SharedObject};
use hasse_store::port::PortQueue;
use thin_vec::ThinVec;

use crate::fire::as_data::{self, untakeable, value_of};
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
    // An entry of the matching store is an instance of which less is kept.
    session.registry.promote_all(session.program.plan, session.instrumentation, |_| true);
    let actions = session.registry.instances();
    let actions = actions.iter().map(|instance| action(session, instance));
    whole(session, actions.collect::<Result<_, _>>()?, n_events)
}

/// The state of a run with these actions, while nothing is executed.
///
/// # Errors
/// A parameter is no value.
pub(crate) fn whole<M: Instrumentation>(
    session: &Session<'_, M>,
    mut actions: Vec<ActionState>,
    n_events: u64,
) -> Result<Snapshot, RuntimeError> {
    let plan = session.program.plan;
    let [templates, shared, calls] = labels(plan);
    let params = plan.params().iter().zip(&session.program.params).map(|(param, held)| {
        Ok((param.name.clone(), value_of(held, || format!("parameter `{}`", param.name))?))
    });
    let mut graphs: Vec<_> = session.registry.graphs().iter().filter_map(|graph| graph.record()).collect();
    graphs.sort_unstable_by_key(|graph| graph.graph);
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
    as_data::action(session, instance, &core)
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
