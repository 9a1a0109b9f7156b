//! Finding the receivers that follow from an instance, and handing values over to them.

use std::sync::Arc;

use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, Index};
use hasse_model::plan::Template;
use hasse_model::plan::routine::Kind;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::ports::port_bit;
use hasse_runtime_plan::rules::ReceivingPort;
use hasse_runtime_plan::straight::{IndexedSend, IndexedTo, Sending, Straight};
use hasse_store::instance::{Instance, Ready};
use hasse_store::matching::Put;
use hasse_store::outgoing::Receiver;
use hasse_store::queue::Queue;

use crate::fire::lane::handover::Scheduled;
use crate::fire::lane::local::{LaneLocal, Out};
use crate::fire::lane::straight::aimed::Aim;
use crate::fire::session::Session;
use crate::fire::worker::Worker;

impl<'s, M: Instrumentation> LaneLocal<'s, M> {
    /// Finds out to whom an instance sends, as far as arcs within its graph instance tell. Hands over what another one has sent.
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
            self.aim_anew(instance, straight, session);
        }
    }

    fn aim_anew(&mut self, instance: &Instance<M>, straight: &Straight, session: &'s Session<'_, M>) {
        let aimed = &mut self.aimed;
        (aimed.dead, aimed.awaiting, aimed.sends_twice, aimed.n_receivers) = (0, 0, false, 0);
        aimed.sends.clear();
        aimed.send_idxs.clear();
        aimed.of = Some((instance.action, Arc::clone(&instance.graph)));
        let numbers = instance.index.as_slice();
        for (send_idx, send) in straight.indexed.iter().enumerate() {
            let IndexedTo::Ways(ways) = &send.to else {
                self.aimed.awaiting |= send.bit;
                continue;
            };
            let mut is_served = false;
            for way in ways.iter().filter(|way| way.matches(numbers)) {
                let Some(index) = way.index(numbers) else {
                    self.aimed.dead |= send.bit;
                    continue;
                };
                is_served = true;
                let aim = Aim { graph: Arc::clone(&instance.graph), index };
                let port = ReceivingPort { template: way.target, port: way.port, elements: Index::none() };
                self.add_receiver((send_idx, send), way.arc, port, aim, session);
            }
            if !is_served {
                self.aimed.dead |= send.bit;
            }
        }
    }

    /// Adds a receiver of what is sent, if it is not known already.
    fn add_receiver(
        &mut self,
        (send_idx, send): (usize, &IndexedSend),
        arc: ArcId,
        ReceivingPort { template, port, elements }: ReceivingPort,
        aim: Aim,
        session: &'s Session<'_, M>,
    ) {
        let Self { aimed, outs, .. } = self;
        let is_it = |out: &Out<'_, M>| {
            let is_same = |known: &Aim| known.index == aim.index && Arc::ptr_eq(&known.graph, &aim.graph);
            (out.template, out.port, &out.elements) == (template, port, &elements)
                && out.aim.as_ref().is_some_and(is_same)
        };
        let known = outs[..aimed.n_receivers].iter().position(is_it);
        aimed.sends_twice |= known.is_some();
        let position = known.unwrap_or(aimed.n_receivers);
        let at = aimed.send_idxs.partition_point(|&earlier| earlier <= send_idx);
        aimed.send_idxs.insert(at, send_idx);
        aimed.sends.insert(at, Sending { bit: send.bit, sent_idx: send.sent_idx, position, arc });
        if known.is_some() {
            return;
        }
        aimed.n_receivers += 1;
        let (needs, is_bounded) = (session.needs(template), session.is_bounded(template, port));
        match outs.get_mut(position) {
            Some(out) => {
                (out.template, out.port, out.elements) = (template, port, elements);
                (out.needs, out.aim, out.is_bounded) = (needs, Some(aim), is_bounded);
            }
            None => {
                let values = Queue::new(session.instrumentation.column_order());
                outs.push(Out {
                    template,
                    port,
                    elements,
                    needs,
                    receiver: None,
                    aim: Some(aim),
                    values,
                    is_bounded,
                    n_reserved: 0,
                    room: None,
                });
            }
        }
    }
}

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// Finds out to whom an instance sends by rules, as bits, over the bounds of graphs and to elements of families. The next
    /// event sends by these rules.
    #[cold]
    pub(crate) fn aim_generally(
        &mut self,
        instance: &Ready<M>,
        (template, straight): (&Template, &Straight),
        local: &mut LaneLocal<'s, M>,
        rules: u64,
    ) {
        local.aimed.awaiting &= !rules;
        let sends = straight.indexed.iter().enumerate();
        for (send_idx, send) in sends.filter(|(_, send)| send.bit & rules != 0) {
            let IndexedTo::Port(port, elements) = &send.to else { continue };
            let elements: Option<Index> =
                elements.iter().map(|element| element.int(&local.names.values, &send.locals)).collect();
            self.outgoing.clear();
            let found = elements.and_then(|elements| {
                // The general way reports the error of an event that fails to send.
                self.send(instance, template, *port, elements, Value::Unit, Location::default()).ok()
            });
            if found.is_none() {
                local.aimed.dead |= send.bit;
            }
            for outgoing in self.outgoing.drain(..) {
                let (graph, template, index) = match outgoing.target {
                    Receiver::Elsewhere(graph, template, index) => (graph, template, index),
                    Receiver::Instance(template, index) | Receiver::Entry(template, index) => {
                        (Arc::clone(&instance.graph), template, index)
                    }
                };
                let (port, elements) = (outgoing.port, outgoing.elements);
                local.add_receiver(
                    (send_idx, send),
                    outgoing.arc,
                    ReceivingPort { template, port, elements },
                    Aim { graph, index },
                    self.session,
                );
            }
        }
    }
}

impl<'s, M: Instrumentation> Out<'s, M> {
    /// Hands the values that wait over to the receiver, which is created if it does not exist. A single integer may become part
    /// of an entry of the matching store.
    pub(crate) fn hand_over_to(
        &mut self,
        Aim { graph, index }: &Aim,
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
        inbox.put_all(plan.template(self.template), (self.port, &self.elements), &mut self.values);
        let is_due = inbox.schedule(port_bit(self.port), self.needs);
        drop(inbox);
        if is_due {
            session.make_ready(scheduled.instances, receiver);
        }
    }
}
