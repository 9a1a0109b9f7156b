//! One value on its way through actions that only map what comes: where a single value is in flight, as in a ring, nothing
//! is gained by loops over many events, and what counts is how little is done for one.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hasse_body::natives::{put_int, put_word};
use hasse_brief::BriefGuard;
use hasse_code::natives::node::BodyContext;
use hasse_model::id::{EventId, TemplateId};
use hasse_model::plan::routine::Kind;
use hasse_record::event::{Answers, Done, EventRun};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_runtime_plan::form::Form;
use hasse_runtime_plan::ports::port_bit;
use hasse_runtime_plan::straight::StraightTake;
use hasse_store::instance::Core;
use hasse_store::port::PortQueue;

use crate::fire::lane::clock::SERVICES_PER_LOOK;
use crate::fire::lane::event::Under;
use crate::fire::lane::follow::is_relayed;
use crate::fire::lane::local::{LaneLocal, Next, Step};
use crate::fire::lane::straight::Ran;
use crate::fire::worker::{Served, TURN, Worker};

pub(crate) use hasse_code::natives::scope::BodyScope;

/// The clock is read once in so many steps.
const STEPS_PER_LOOK: u32 = 16;

/// So many instances are served in a row before the worker looks at the world: what it looks for is not urgent.
const MAX_RELAYS: usize = 16;

/// A scalar on its way, and who sent it.
struct Moving<M: Instrumentation> {
    scalar: (Kind, i64),
    stamp: M::Stamp,
    sender: TemplateId,
}

/// What came of it.
enum Relayed<'s, M: Instrumentation> {
    /// The instance is to be served in another way, from where it stands.
    Not,
    /// It has been left.
    Done,
    /// It has been left, and the next one is to be served.
    To(Next<'s, M>),
}

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    /// Serves the next instance, and those that it makes ready, as far as each takes one value and sends one. Gives back the
    /// one that is to be served in another way.
    pub(crate) fn relay(&mut self, mut next: Next<'s, M>) -> Option<Next<'s, M>> {
        for _ in 0..MAX_RELAYS {
            match self.relay_once(&next) {
                Relayed::Not => return Some(next),
                Relayed::Done => return None,
                Relayed::To(further)
                    if self.session.may_go_on(&mut self.local, further.instance.template) =>
                {
                    next = further;
                }
                Relayed::To(further) => {
                    self.give_up(&further);
                    return None;
                }
            }
        }
        self.next = Some(next);
        None
    }

    fn relay_once(&mut self, next: &Next<'s, M>) -> Relayed<'s, M> {
        let (session, instance) = (self.session, next.instance);
        let both = [next.sender.idx(), instance.template.idx()];
        let Ok([Some(sender), Some(local)]) = self.lane_locals.get_disjoint_mut(both) else {
            return Relayed::Not;
        };
        let LaneLocal { batch: Some(batch), n_services, outs, names, columns, is_slow, .. } = &mut **local
        else {
            return Relayed::Not;
        };
        let (lane, layout) = (batch.lane, batch.layout);
        let Some(straight) = batch.straight(M::RECORDS).filter(|straight| straight.is_relay) else {
            return Relayed::Not;
        };
        if M::RECORDS && batch.body.as_ref().is_some_and(|body| body.native.asks) {
            return Relayed::Not;
        }
        let ([StraightTake { port, slot_idx, form: Form::Word(kind), .. }], [sent], [out]) =
            (&straight.takes[..], &straight.sent[..], &mut outs[..])
        else {
            return Relayed::Not;
        };
        let Form::Word(sent_kind) = sent.form else { return Relayed::Not };
        let values = &mut sender.outs[next.out_idx].values;
        let is_single = values.only_form() == Some(Form::Word(*kind));
        let column = &mut values.column;
        let mut core = instance.core.lock();
        let is_usual = core.is_initialized
            && core.pending.is_none()
            && !core.has_failed
            && !*is_slow
            && !n_services.wrapping_add(1).is_multiple_of(SERVICES_PER_LOOK)
            && names.has_params_of(&instance.graph)
            && matches!(&core.ports[*port], PortQueue::Plain(queue) if queue.is_empty())
            && is_single;
        if !is_usual || session.has_ended.load(Ordering::Relaxed) || session.is_interrupted() {
            return Relayed::Not;
        }
        let id = EventId { action: instance.action, count: core.count + 1 };
        let notes = session.instrumentation;
        let is_told = |taken: &M::Stamp| is_relayed(notes, id, taken, &straight.always_list);
        let Some(taken) = column.stamp().filter(is_told) else { return Relayed::Not };
        let Some(word) = column.take() else { return Relayed::Not };
        column.settle();
        *n_services = n_services.wrapping_add(1);
        core.count = id.count;
        let mut end = None;
        let has_asked = Cell::new(false);
        let mut is_odd = false;
        let known = (&names.values[..], core.count - 1);
        let mut columns = columns.first_mut().and_then(Option::as_mut);
        let mapped = columns.as_mut().and_then(|columns| columns.map_one(word, sent.slot_idx, known));
        if mapped.is_none() {
            put_word(&mut names.values[*slot_idx], word, *kind);
            put_int(&mut names.values[layout.count], id.count as i64);
        }
        if mapped.is_none()
            && let Some(body) = &batch.body
        {
            let failure = columns.as_mut().and_then(|columns| columns.take_failure());
            let seen = instance.seen();
            let mut context = BodyContext {
                scope: BodyScope::Lane(&mut names.values),
                template: &body.template,
                instance: &seen,
                rule: 0,
                count: id.count,
                has_taken: false,
                has_asked: &has_asked,
            };
            if M::RECORDS && body.native.may_wait {
                notes.lay_down(&mut self.notes);
            }
            end = match failure {
                None => body.native.run(&mut context, body.at).err(),
                Some(failure) => Some(Box::new(failure.end_of(body))),
            };
            // Answers that nobody records are forgotten with the event.
            is_odd = context.has_taken || has_asked.get() && !body.native.asks;
        }
        if mapped.is_none() && end.is_none() && !is_odd {
            is_odd = straight.derive(&mut names.values, straight.always).is_none();
        }
        let light = notes.begin_light(&mut self.notes, &core.keep, id, 0);
        let given = mapped.or_else(|| sent_kind.word_of(&names.values[sent.slot_idx]));
        let word = match given {
            Some(word) if end.is_none() && !is_odd => word,
            _ => {
                let mut light = light;
                notes.take_light(&mut self.notes, &mut light, &taken);
                let (known, has_asked) = (ResultOrder::default(), has_asked.get());
                let under = Under { id, rule_idx: 0, light, known, has_asked };
                let served = self.end_straight(instance, &mut core, Ran::unusual(under, end));
                drop(core);
                self.leave_served(served.unwrap_or(Served::Again), Arc::clone(instance));
                return Relayed::Done;
            }
        };
        let stamp = notes.stamp_light(&light);
        let done = Done {
            template: instance.template,
            rule: 0,
            graph: &instance.graph,
            index: &instance.index,
            routes: &straight.always_list,
            flow_successors: 1,
        };
        let taken = std::slice::from_ref(&taken);
        let run = EventRun {
            first: id,
            n_events: 1,
            is_free: false,
            taken,
            step: 1,
            ports: &straight.ports,
            rules: &[],
            answers: Answers::default(),
        };
        notes.end_run(&mut self.notes, &mut core.keep, run, None, done);
        self.n_events += 1;
        if mapped.is_none() {
            names.clear(layout.lets.clone());
        }
        let is_left = Self::lets_go(session, &mut self.buffers, instance, &mut core, lane, true);
        let (sender, receiver) = (instance.template, (out.template, out.port));
        let function = columns.as_ref().and_then(|columns| columns.mapping(*slot_idx, sent.slot_idx));
        if let (None, Some(function)) = (&self.steps[sender.idx()], function) {
            let routes = &straight.always_list;
            let kinds = [*kind, sent_kind];
            self.steps[sender.idx()] =
                Some(Step { instance, port: *port, kinds, function, routes, receiver });
        }
        let moving = Moving { scalar: (sent_kind, word), stamp, sender };
        if is_left {
            return self.relay_steps(moving, receiver, core);
        }
        let relayed = self.hand_on(moving, false);
        drop(core);
        self.leave_served(Served::Again, Arc::clone(instance));
        relayed
    }

    /// Serves actions that a value comes to by [`Step`]s, one after another, for a turn at most. They are idle, and stay so in
    /// the eyes of others: whoever sends them a value meanwhile makes them ready, and waits for the lock.
    ///
    /// The sender stays locked until its receiver is, or has the value: what another worker sends for it next must not
    /// overtake the value.
    #[inline]
    fn relay_steps(
        &mut self,
        mut moving: Moving<M>,
        mut receiver: (TemplateId, usize),
        mut sender: BriefGuard<'s, Core<M>>,
    ) -> Relayed<'s, M> {
        let (session, notes) = (self.session, self.session.instrumentation);
        let mut began = None;
        for n_steps in 0.. {
            if n_steps % STEPS_PER_LOOK == STEPS_PER_LOOK - 1
                && began.get_or_insert_with(Instant::now).elapsed() >= TURN
            {
                break;
            }
            let Some(Step { instance, port, kinds, function, routes, receiver: next }) =
                &self.steps[receiver.0.idx()]
            else {
                break;
            };
            let (kind, word) = moving.scalar;
            // No rule may take from the port to which the value goes.
            if kind != kinds[0] || receiver.1 != *port {
                break;
            }
            let Some(mut core) = instance.core.try_lock() else { break };
            let is_idle = {
                let inbox = instance.inbox.lock();
                !inbox.is_scheduled && inbox.is_empty()
            };
            // In a replay, what has come too early waits there for its turn, and nobody but this value tells that it is due.
            let holds_none = || matches!(&core.ports[*port], PortQueue::Plain(queue) if queue.is_empty());
            let is_usual = is_idle
                && core.pending.is_none()
                && !core.has_failed
                && (!self.session.instrumentation.follows() || holds_none());
            if !is_usual || session.has_ended.load(Ordering::Relaxed) || session.is_interrupted() {
                break;
            }
            let id = EventId { action: instance.action, count: core.count + 1 };
            if !is_relayed(notes, id, &moving.stamp, routes) {
                break;
            }
            let mapped = function.map_or(Some(word), |function| function.map_one(word));
            // It is called again in the general way, which tells what is wrong.
            let Some(word) = mapped else { break };
            core.count = id.count;
            let mut light = notes.begin_light(&mut self.notes, &core.keep, id, 0);
            notes.take_light(&mut self.notes, &mut light, &moving.stamp);
            for &rule_idx in *routes {
                notes.route_light(&mut self.notes, &mut light, rule_idx);
            }
            let stamp = notes.stamp_light(&light);
            let done = Done {
                template: instance.template,
                rule: 0,
                graph: &instance.graph,
                index: &instance.index,
                routes,
                flow_successors: 1,
            };
            notes.end_light(&mut self.notes, light, done);
            self.n_events += 1;
            moving = Moving { scalar: (kinds[1], word), stamp, sender: receiver.0 };
            receiver = *next;
            sender = core;
        }
        let relayed = self.hand_on(moving, true);
        drop(sender);
        relayed
    }

    /// Gives a value to whom it is for.
    fn hand_on(&mut self, moving: Moving<M>, may_be_next: bool) -> Relayed<'s, M> {
        let (session, Moving { scalar, stamp, sender }) = (self.session, moving);
        let Some(local) = &mut self.lane_locals[sender.idx()] else { return Relayed::Done };
        let [out] = &mut local.outs[..] else { return Relayed::Done };
        out.values.push_word(scalar, &stamp, ResultOrder::default());
        session.instrumentation.end_turn(&mut self.notes);
        let receiver = out.receiver(session);
        let mut inbox = receiver.inbox.lock();
        let is_due = inbox.schedule(port_bit(out.port), out.needs);
        let is_next = is_due && may_be_next && inbox.has_none(out.port, &out.elements);
        if !is_next {
            let template = session.program.plan.template(out.template);
            inbox.put_all(template, (out.port, &out.elements), &mut out.values);
        }
        drop(inbox);
        if is_next {
            return Relayed::To(Next { instance: receiver, sender, out_idx: 0 });
        }
        if is_due {
            session.make_ready(&mut self.local, Arc::clone(receiver));
        }
        Relayed::Done
    }
}
