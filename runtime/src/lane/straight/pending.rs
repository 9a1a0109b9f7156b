//! Integers on their way to instances that index numbers tell.

use hasse_model::id::{ArcId, Index, TemplateId};
use hasse_model::value::Value;

use crate::instance::{Instance, port_bit};
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::token::{Delivery, Directive, Token};
use crate::worker::Ready;

/// An integer for an instance that index numbers tell.
pub(crate) struct Pending {
    pub(super) arc: ArcId,
    pub(super) target: TemplateId,
    pub(super) port: usize,
    pub(super) index: Index,
    pub(super) number: i64,
}

/// Puts integers into the inboxes of the instances that they are for.
pub(in super::super) fn deliver_pending<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    session: &Session<'_, M, K, S>,
    scheduled: &mut S::Local,
    instance: &Instance<M, K>,
    pending: &mut Vec<Pending>,
    stamp: &M::Stamp,
    known: &K,
) {
    let (plan, notes) = (session.program.plan, session.instrumentation);
    for Pending { arc, target, port, index, number } in pending.drain(..) {
        let (target, _) = session.registry.instance(plan, notes, &instance.graph, target, index);
        let directive = M::Directive::of(false);
        let (stamp, known) = (M::via(stamp, arc), known.clone());
        let token = Token { value: Value::Int(number), stamp, known, directive };
        let mut inbox = target.inbox.lock();
        inbox.put(Delivery { port, elements: Index::none(), token });
        let is_due = inbox.schedule(port_bit(port), session.needs(target.template));
        drop(inbox);
        if is_due {
            session.make_ready(scheduled, target);
        }
    }
}
