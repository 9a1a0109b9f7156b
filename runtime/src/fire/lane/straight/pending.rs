//! Scalars on their way to instances that index numbers tell.

use hasse_model::id::{ArcId, Index, TemplateId};
use hasse_model::plan::routine::Kind;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;
use hasse_runtime_plan::ports::port_bit;
use hasse_schedule::scheduler::Local;
use hasse_store::instance::{Instance, Ready};
use hasse_store::matching::{Put, Spot};
use hasse_store::token::{Delivery, Token};

use crate::fire::session::Session;

/// A scalar for an instance that index numbers tell.
pub(crate) struct Pending {
    pub(crate) arc: ArcId,
    pub(crate) target: TemplateId,
    pub(crate) port: usize,
    pub(crate) index: Index,
    pub(crate) scalar: (Kind, i64),
}

/// Puts scalars into the inboxes of the instances that they are for, or into the matching store. `ready` are entries of that
/// which are to be served.
pub(crate) fn deliver_pending<M: Instrumentation>(
    session: &Session<'_, M>,
    (scheduled, ready): (&mut Local<Ready<M>>, &mut Vec<Spot>),
    instance: &Instance<M>,
    pending: &mut Vec<Pending>,
    stamp: &M::Stamp,
    known: &ResultOrder,
) {
    let (plan, notes, registry) = (session.program.plan, session.instrumentation, &session.registry);
    for Pending { arc, target, port, index, scalar } in pending.drain(..) {
        let stamp = M::via(stamp, arc);
        let (kind, word) = scalar;
        if kind == Kind::Int
            && let Some(store) = registry.store(target)
        {
            let tag = store.tag_of(&index);
            let create = || {
                registry.note_entries(1);
                notes.indexed_action_id(target, || index.clone())
            };
            match store.shard(tag.shard).put(target, &tag, (port, word, stamp.clone()), create) {
                Put::Waits => continue,
                Put::Ready(spot) => {
                    ready.push(spot);
                    continue;
                }
                Put::Promoted(_) | Put::Full(..) => {}
            }
        }
        let (target, _) = registry.instance(plan, notes, &instance.graph, target, index);
        let (known, directive) = (known.clone(), M::Directive::of(false));
        let token = Token { value: kind.value_of(word), stamp, known, directive };
        let mut inbox = target.inbox.lock();
        inbox.put(Delivery { port, elements: Index::none(), token });
        let is_due = inbox.schedule(port_bit(port), session.needs(target.template));
        drop(inbox);
        if is_due {
            session.make_ready(scheduled, target);
        }
    }
}
