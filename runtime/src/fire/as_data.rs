//! The state of an action as data.

use hasse_body::convert::value_from_dynamic;
use hasse_model::id::Index;
use hasse_model::plan::Template;
use hasse_model::snapshot::{ActionState, QueueState, SentValue};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::stamp::Directive;
use hasse_request::options::RuntimeError;
use hasse_store::instance::{Core, Instance, Vars};
use hasse_store::token::Token;

use crate::fire::session::Session;

/// The state of an action that is not within an execution, without what is in its inbox.
///
/// # Errors
/// A var holds something that is no value.
pub(crate) fn action<M: Instrumentation>(
    session: &Session<'_, M>,
    instance: &Instance<M>,
    core: &Core<M>,
) -> Result<ActionState, RuntimeError> {
    let template = session.program.plan.template(instance.template);
    let mut state = ActionState {
        record: instance.record(),
        count: core.count,
        first_rule: core.first_rule,
        // The event of an `init` that fails is one of those to come.
        has_failed: core.has_failed && core.count > 0,
        must_start: core.must_start,
        vars: None,
        queues: Vec::new(),
        known: core.known.events(),
    };
    if core.is_initialized {
        state.vars = Some(vars(session, instance, template, &core.vars)?);
    }
    for (port, queue) in template.inputs.iter().zip(&core.ports) {
        queue.each_with_element(|elements, token| add(&mut state, &port.name, elements, sent_value(token)));
    }
    Ok(state)
}

/// Adds the values in the inbox of an action to its state.
pub(crate) fn add_inbox<M: Instrumentation>(
    session: &Session<'_, M>,
    instance: &Instance<M>,
    state: &mut ActionState,
) {
    let inputs = &session.program.plan.template(instance.template).inputs;
    instance.inbox.lock().each_with_element(|port, elements, token| {
        add(state, &inputs[port].name, elements, sent_value(token));
    });
}

/// Adds a value behind the others that wait for a port.
pub(crate) fn add(state: &mut ActionState, port: &str, elements: &Index, value: SentValue) {
    // Values for one element mostly come one after the other.
    let known = state.queues.iter_mut().rev().find(|queue| queue.port == port && queue.elements == *elements);
    match known {
        Some(queue) => queue.values.push(value),
        None => state.queues.push(QueueState {
            port: port.to_owned(),
            elements: Index::clone(elements),
            values: vec![value],
        }),
    }
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

/// A value that waits, with its sender.
pub(crate) fn sent_value<M: Instrumentation>(token: &Token<M>) -> SentValue {
    let sender = if token.directive.is_by_hand() { None } else { M::sender(&token.stamp) };
    SentValue { value: token.value.clone(), sender, known: token.known.events() }
}

/// The error of a state that cannot be written.
pub(crate) fn untakeable(message: String) -> RuntimeError {
    RuntimeError::Cut { message }
}

/// A value of the interpreter as one of the program.
///
/// # Errors
/// It is something else; `place` names it.
pub(crate) fn value_of(held: &rhai::Dynamic, place: impl Fn() -> String) -> Result<Value, RuntimeError> {
    value_from_dynamic(held)
        .map_err(|found| untakeable(format!("{} is a {found}, which has no form in bytes", place())))
}
