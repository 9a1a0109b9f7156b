//! Values beyond the bounds of ports, after a replay. A replay delivers them, as it has no bounds; in the recorded run they were
//! with their senders.

use std::sync::Arc;

use hasse_model::id::{ActionId, EventId, TemplateId};
use hasse_model::plan::{FullPolicy, Plan, Source, Target};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::bound_of;
use hasse_store::bounded::HeldBack;
use hasse_store::instance::Ready;
use hasse_store::port::PortQueue;
use hasse_store::token::Delivery;
use rustc_hash::FxHashMap;
use thin_vec::ThinVec;

use crate::fire::session::Session;

/// Gives values beyond the bounds of their ports back to their senders. These have executed nothing since, so that only values
/// of last events are given back, the latest first.
pub(crate) fn return_surplus<M: Instrumentation>(session: &Session<'_, M>) {
    let bounded = &session.program.bounded;
    if !bounded.is_any() {
        return;
    }
    let instances = session.registry.instances();
    let by_action: FxHashMap<_, &Ready<M>> =
        instances.iter().map(|instance| (instance.action, instance)).collect();
    for receiver in instances.iter().filter(|instance| bounded.receives(instance.template)) {
        for (sender, delivery) in surplus_of(session, receiver, &by_action) {
            let mut core = sender.core.lock();
            let columns = session.instrumentation.column_order();
            core.held_back
                .get_or_insert_with(|| Box::new(HeldBack::new(columns)))
                .push_first(receiver, delivery);
        }
    }
}

/// Values beyond the bounds of an action's ports, with their senders, the latest first.
fn surplus_of<'i, M: Instrumentation>(
    session: &Session<'_, M>,
    receiver: &Ready<M>,
    by_action: &FxHashMap<ActionId, &'i Ready<M>>,
) -> Vec<(&'i Ready<M>, Delivery<M>)> {
    let template = session.program.plan.template(receiver.template);
    let mut core = receiver.core.lock();
    core.open_ports(template);
    core.receive(receiver, &mut ThinVec::new());
    core.ports.iter_mut().for_each(PortQueue::leave_columns);
    let own_count = core.count;
    let mut found = Vec::new();
    let bounded = template.inputs.iter().enumerate().filter(|(_, port)| port.bound.is_some());
    for (port, declared) in bounded.filter(|(_, port)| port.full == FullPolicy::Wait) {
        let bound = bound_of(declared, &receiver.graph) as u64;
        for (elements, n_values) in core.ports[port].lengths() {
            let mut n_surplus = n_values.saturating_sub(bound);
            let Some(line) = core.ports[port].line(&elements) else { continue };
            let senders: Vec<Option<EventId>> = line.iter().map(|token| M::sender(&token.stamp)).collect();
            for (position, sent_by) in senders.into_iter().enumerate().rev() {
                if n_surplus == 0 {
                    break;
                }
                let Some((id, sender)) = sent_by.and_then(|id| Some((id, *by_action.get(&id.action)?)))
                else {
                    continue;
                };
                if is_delayed(session.program.plan, sender.template, (receiver.template, port)) {
                    continue;
                }
                let last = if Arc::ptr_eq(sender, receiver) { own_count } else { sender.core.lock().count };
                if id.count == last
                    && let Some(token) = core.ports[port].remove(&elements, position)
                {
                    found.push((sender, Delivery { port, elements: elements.clone(), token }));
                    n_surplus -= 1;
                }
            }
        }
    }
    found
}

/// Returns true if all that a node sends to a port, by arcs from one to the other, is delayed: such values do not wait for room.
fn is_delayed(plan: &Plan, sender: TemplateId, (receiver, port): (TemplateId, usize)) -> bool {
    let leads_there = |source_port: usize| {
        plan.arcs.iter().any(|arc| {
            (&arc.source, arc.source_port) == (&Source::Unit(sender), source_port)
                && (&arc.target, arc.target_port) == (&Target::Unit(receiver), port)
        })
    };
    let rules = plan.template(sender).route.iter();
    let mut sends = rules.flat_map(|rule| &rule.sends).filter(|send| leads_there(send.port)).peekable();
    sends.peek().is_some() && sends.all(|send| send.after.is_some())
}
