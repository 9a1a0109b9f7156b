//! Receivers that the index numbers of a sender tell: they are the same for all its events.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::id::{ActionId, Index};
use hasse_model::plan::routine::Kind;

use crate::fire::lane::handover::Scheduled;
use crate::fire::lane::local::{LaneLocal, Out};
use crate::fire::session::Session;
use crate::plan::ports::port_bit;
use crate::plan::straight::{Sending, Straight};
use crate::record::instrumentation::Instrumentation;
use crate::store::instance::Instance;
use crate::store::matching::Put;

/// Sendings of the instance that is served to receivers that its index numbers tell.
#[derive(Default)]
pub(crate) struct Aimed {
    pub(crate) sends: Vec<Sending>,
    /// Rules by which the instance cannot send, as bits: no arc takes the value, or an index number overflows.
    pub(crate) unserved: u64,
    /// Whether an event can send two values to one port.
    pub(crate) sends_twice: bool,
    /// The instance, and the graph instance that it and its receivers are in.
    of: Option<(ActionId, Arc<GraphInstance>)>,
}

impl Aimed {
    fn is_of<M: Instrumentation>(&self, instance: &Instance<M>) -> bool {
        let is_it = |(action, graph): &(ActionId, Arc<GraphInstance>)| {
            *action == instance.action && Arc::ptr_eq(graph, &instance.graph)
        };
        self.of.as_ref().is_some_and(is_it)
    }

    /// The graph instance of the receivers.
    pub(crate) fn graph(&self) -> Option<&Arc<GraphInstance>> {
        self.of.as_ref().map(|(_, graph)| graph)
    }
}

impl<'s, M: Instrumentation> LaneLocal<'s, M> {
    /// Finds out to whom an instance sends by index numbers. Hands over what another one has sent.
    #[inline]
    pub(crate) fn aim(
        &mut self,
        instance: &Instance<M>,
        straight: &Straight,
        session: &'s Session<'_, M>,
        scheduled: Scheduled<'_, M>,
    ) {
        if straight.is_indexed() && !self.aimed.is_of(instance) {
            self.hand_over(session, scheduled);
            self.aim_anew(instance, straight);
        }
    }

    fn aim_anew(&mut self, instance: &Instance<M>, straight: &Straight) {
        let Self { aimed, outs, .. } = self;
        let numbers = instance.index.as_slice();
        (aimed.unserved, aimed.sends_twice) = (0, false);
        aimed.sends.clear();
        aimed.of = Some((instance.action, Arc::clone(&instance.graph)));
        outs.iter_mut().for_each(|out| out.aim = None);
        let mut position = 0;
        for send in &straight.indexed {
            let mut is_served = false;
            for way in &send.ways {
                let own_position = position;
                position += 1;
                if !way.matches(numbers) {
                    continue;
                }
                let Some(index) = way.index(numbers) else {
                    aimed.unserved |= send.bit;
                    continue;
                };
                is_served = true;
                let is_it = |out: &Out<'_, M>| {
                    (out.template, out.port) == (way.target, way.port) && out.aim.as_ref() == Some(&index)
                };
                let known = outs[..own_position].iter().position(is_it);
                aimed.sends_twice |= known.is_some();
                if known.is_none() {
                    outs[own_position].aim = Some(index);
                }
                let position = known.unwrap_or(own_position);
                aimed.sends.push(Sending { bit: send.bit, sent_idx: send.sent_idx, position, arc: way.arc });
            }
            if !is_served {
                aimed.unserved |= send.bit;
            }
        }
    }
}

impl<'s, M: Instrumentation> Out<'s, M> {
    /// Hands the values that wait over to the receiver, which is created if it does not exist. A single integer may become part
    /// of an entry of the matching store.
    pub(crate) fn hand_over_to(
        &mut self,
        (graph, index): (&Arc<GraphInstance>, &Index),
        session: &'s Session<'_, M>,
        scheduled: &mut Scheduled<'_, M>,
    ) {
        let (plan, notes, registry) = (session.program.plan, session.instrumentation, &session.registry);
        if self.values.len() == 1
            && let Some(store) = registry.store(self.template)
            && let Some(token) = self.values.pop_front()
        {
            let put = Kind::Int.word_of(&token.value).map(|word| {
                let tag = store.tag_of(index);
                let create = || {
                    registry.note_entries(1);
                    notes.indexed_action_id(self.template, || index.clone())
                };
                let mut shard = store.shard(tag.shard);
                shard.put(self.template, &tag, (self.port, word, token.stamp.clone()), create)
            });
            match put {
                Some(Put::Waits) => return,
                Some(Put::Ready(spot)) => {
                    scheduled.entries.push(spot);
                    return;
                }
                Some(Put::Promoted(_) | Put::Full(..)) | None => self.values.push_back(token),
            }
        }
        let (receiver, _) = registry.instance(plan, notes, graph, self.template, index.clone());
        let mut inbox = receiver.inbox.lock();
        inbox.put_all(self.port, &mut self.values);
        let is_due = inbox.schedule(port_bit(self.port), self.needs);
        drop(inbox);
        if is_due {
            session.make_ready(scheduled.instances, receiver);
        }
    }
}
