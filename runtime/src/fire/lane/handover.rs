//! Hand-over of the values that a turn has sent: all values for one receiver at once.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hasse_model::id::{Index, TemplateId};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::bound_of;
use hasse_runtime_plan::ports::port_bit;
use hasse_schedule::scheduler::Local;
use hasse_store::bounded::HeldBack;
use hasse_store::instance::{Core, Ready};
use hasse_store::matching::Spot;
use hasse_store::queue::Queue;

use crate::fire::lane::local::{LaneLocal, Next, Out};
use crate::fire::lane::matched::matches::Matches;
use crate::fire::lane::prepared::Batch;
use crate::fire::lane::straight::aimed::Aim;
use crate::fire::session::Session;
use crate::fire::worker::Worker;

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// Moves the values that wait for the next instance to its ports.
    pub(crate) fn take_over(&mut self, next: &Next<'s, M>, core: &mut Core<M>) {
        if let Some(local) = &mut self.lane_locals[next.sender.idx()] {
            let out = &mut local.outs[next.out_idx];
            core.ports[out.port].open(&out.elements).append(&mut out.values);
        }
    }

    /// Leaves the next instance, if there is one, to the scheduler: other workers are about to look for work.
    pub(crate) fn give_up_next(&mut self) {
        if let Some(next) = self.next.take() {
            self.give_up(&next);
        }
    }

    /// Leaves the next instance to the scheduler, after all others.
    #[cold]
    pub(crate) fn give_up(&mut self, next: &Next<'s, M>) {
        if let Some(local) = &mut self.lane_locals[next.sender.idx()] {
            let out = &mut local.outs[next.out_idx];
            next.instance.inbox.lock().put_all_first((out.port, &out.elements), &mut out.values);
        }
        // Also behind the one that was made ready last and has been passed over.
        self.session.scheduler.share(&mut self.local);
        self.session.requeue(&mut self.local, Arc::clone(next.instance));
    }
}

/// Instances and entries that a worker knows to be ready.
pub(crate) struct Scheduled<'w, M: Instrumentation> {
    pub(crate) instances: &'w mut Local<Ready<M>>,
    /// Entries of the matching store.
    pub(crate) entries: &'w mut Vec<Spot>,
    /// Record of the worker, for values that are dropped.
    pub(crate) notes: &'w mut M::Local,
}

impl<'w, M: Instrumentation> Scheduled<'w, M> {
    pub(crate) fn of(
        instances: &'w mut Local<Ready<M>>,
        matches: &'w mut Matches<'_, M>,
        notes: &'w mut M::Local,
    ) -> Self {
        Self { instances, entries: &mut matches.ready, notes }
    }
}

impl<'s, M: Instrumentation> LaneLocal<'s, M> {
    /// Returns the receivers for whom values wait here, as bits by position; none where there are more receivers than bits, or
    /// where they follow from the instance: they have what waited then.
    pub(crate) fn waiting(&mut self, session: &'s Session<'_, M>, scheduled: Scheduled<'_, M>) -> u64 {
        if !M::NOTES_CHOICES {
            return 0;
        }
        if self.outs.len() > u64::BITS as usize || self.outs.iter().any(|out| out.aim.is_some()) {
            self.hand_over(session, scheduled);
            return 0;
        }
        self.outs.iter().rev().fold(0, |waiting, out| waiting << 1 | u64::from(!out.values.is_empty()))
    }

    /// Puts the values that wait into the inboxes of their receivers.
    pub(crate) fn hand_over(&mut self, session: &'s Session<'_, M>, scheduled: Scheduled<'_, M>) {
        self.hand_over_but_next(session, scheduled, None);
    }

    /// The same. When the instance of a template is being left, the first receiver that is made ready by it, and that is the
    /// only instance of its template, is the next to be served by this worker, and takes the values over from here.
    #[inline]
    pub(crate) fn hand_over_but_next(
        &mut self,
        session: &'s Session<'_, M>,
        mut scheduled: Scheduled<'_, M>,
        mut next: Option<(&mut Option<Next<'s, M>>, TemplateId)>,
    ) {
        let has_bounds = session.has_bounds;
        for (out_idx, out) in self.outs.iter_mut().enumerate() {
            if has_bounds && out.is_bounded {
                let may_be_next = next.as_ref().is_some_and(|(next, _)| next.is_none());
                let receiver = out.hand_over_bounded(session, &mut scheduled, &mut self.surplus, may_be_next);
                if let (Some(instance), Some((next, sender))) = (receiver, &mut next) {
                    **next = Some(Next { instance, sender: *sender, out_idx });
                }
                continue;
            }
            if out.values.is_empty() {
                continue;
            }
            if let Some(aim) = out.aim.take() {
                out.hand_over_to(&aim, session, &mut scheduled);
                out.aim = Some(aim);
                continue;
            }
            let receiver = out.receiver(session);
            let mut inbox = receiver.inbox.lock();
            let is_due = inbox.schedule(port_bit(out.port), out.needs);
            // Values that came before must not be overtaken.
            if let Some((next @ None, sender)) = &mut next
                && is_due
                && inbox.has_none(out.port, &out.elements)
            {
                **next = Some(Next { instance: receiver, sender: *sender, out_idx });
                continue;
            }
            let template = session.program.plan.template(out.template);
            inbox.put_all(template, (out.port, &out.elements), &mut out.values);
            drop(inbox);
            if is_due {
                session.make_ready(scheduled.instances, Arc::clone(receiver));
            }
        }
    }
}

impl<'s, M: Instrumentation> LaneLocal<'s, M> {
    /// Keeps room at all receivers with bounded ports for what the next events of an instance send. Returns the number of
    /// events.
    pub(crate) fn reserve(
        &mut self,
        session: &'s Session<'_, M>,
        most_sent: &[usize],
        mut n_events: usize,
    ) -> usize {
        for (out, &most_sent) in self.outs.iter_mut().zip(most_sent) {
            let port = &session.program.plan.template(out.template).inputs[out.port];
            if most_sent == 0 || !out.is_bounded || port.full.drops() {
                continue;
            }
            // The first value creates its receiver, if it is sent.
            let Some(receiver) = out.known_receiver(session) else { return 0 };
            let most = || bound_of(port, &receiver.graph);
            let n_wanted = n_events * most_sent;
            if let Some(room) = &out.room {
                n_events = n_events.min(room.load(Ordering::Acquire) / most_sent);
                continue;
            }
            let mut inbox = receiver.inbox.lock();
            if out.aim.is_none() && session.program.bounded.has_one_sender(out.template, out.port) {
                let room = out.room.insert(inbox.published_room(out.port, most));
                n_events = n_events.min(room.load(Ordering::Acquire) / most_sent);
                continue;
            }
            out.n_reserved = inbox.reserve((out.port, &out.elements), most, n_wanted);
            n_events = n_events.min(out.n_reserved / most_sent);
        }
        n_events
    }

    /// Number of events whose values all have room, read without a lock: each bounded port that the instance sends to publishes its room, as
    /// it has no other sender. `None` where one does not, or where there is room for none.
    pub(crate) fn published_room(&self, batch: &Batch<'_>) -> Option<usize> {
        // A body that waits may last: what was sent before goes on first.
        if batch.body.as_ref().is_some_and(|body| body.native.may_wait) {
            return None;
        }
        let sent = self.outs.iter().zip(batch.lane.most_sent.as_ref()?);
        let bounded = sent.filter(|(out, most_sent)| out.is_bounded && **most_sent > 0);
        let mut rooms =
            bounded.map(|(out, most_sent)| Some(out.room.as_ref()?.load(Ordering::Acquire) / most_sent));
        let n_events = rooms.try_fold(usize::MAX, |least, room| Some(least.min(room?)))?;
        (n_events > 0).then_some(n_events)
    }

    /// Leaves what had no room with the instance that has sent it.
    #[inline]
    pub(crate) fn keep_surplus(&mut self, core: &mut Core<M>) {
        if let Some(surplus) = self.surplus.take() {
            match &mut core.held_back {
                Some(held_back) => held_back.append(*surplus),
                none => *none = Some(surplus),
            }
        }
    }
}

impl<'s, M: Instrumentation> Out<'s, M> {
    /// The only instance of the template, if it exists.
    fn known_receiver(&mut self, session: &'s Session<'_, M>) -> Option<&'s Ready<M>> {
        if self.receiver.is_none() {
            let main = session.main.id;
            if !session.registry.has_instance(main, self.template, &Index::none()) {
                return None;
            }
            self.receiver(session);
        }
        self.receiver
    }

    /// Puts values into the inbox of a receiver, as far as there is room, and gives up the rest of what was reserved there. If the
    /// receiver is made ready by it and may be the next to be served, returns it, and the values stay here for it.
    fn hand_over_bounded(
        &mut self,
        session: &'s Session<'_, M>,
        scheduled: &mut Scheduled<'_, M>,
        surplus: &mut Option<Box<HeldBack<M>>>,
        may_be_next: bool,
    ) -> Option<&'s Ready<M>> {
        if self.values.is_empty() && self.n_reserved == 0 {
            return None;
        }
        let (plan, notes) = (session.program.plan, session.instrumentation);
        let aimed = self.aim.as_ref().map(|Aim { graph, index }| {
            session.registry.instance(plan, notes, graph, self.template, index.clone()).0
        });
        let only = if aimed.is_none() { Some(self.receiver(session)) } else { None };
        let receiver = aimed.as_ref().or(only)?;
        let template = plan.template(self.template);
        let most = || bound_of(&template.inputs[self.port], &receiver.graph);
        if template.inputs[self.port].full.drops() {
            let place = (self.port, &self.elements);
            let is_due = session.put_or_drop(receiver, place, &mut self.values, scheduled.notes);
            if is_due {
                session.make_ready(scheduled.instances, Arc::clone(receiver));
            }
            return None;
        }
        let n_values = self.values.len();
        let n_reserved = std::mem::take(&mut self.n_reserved);
        let (place, mut woken) = ((self.port, &self.elements), Vec::new());
        // Earlier values that wait for room go first.
        let is_behind =
            surplus.as_ref().is_some_and(|held| held.has_any(receiver, self.port, &self.elements));
        let mut inbox = receiver.inbox.lock();
        let room = (most, n_reserved);
        if may_be_next
            && only.is_some()
            && n_values > 0
            && !is_behind
            && inbox.is_due(port_bit(self.port), self.needs)
            && inbox.has_none(self.port, &self.elements)
            && inbox.admit_on_port(place, room, n_values, &mut woken)
        {
            inbox.schedule(port_bit(self.port), self.needs);
            drop(inbox);
            woken.into_iter().for_each(|sender| session.make_ready(scheduled.instances, sender));
            return only;
        }
        if is_behind {
            inbox.put_reserved(template, place, room, &mut Queue::new(self.values.columns()), &mut woken);
        } else {
            inbox.put_reserved(template, place, room, &mut self.values, &mut woken);
        }
        let is_due = self.values.len() < n_values && inbox.schedule(port_bit(self.port), self.needs);
        drop(inbox);
        if is_due {
            session.make_ready(scheduled.instances, Arc::clone(receiver));
        }
        woken.into_iter().for_each(|sender| session.make_ready(scheduled.instances, sender));
        if !self.values.is_empty() {
            let held = surplus.get_or_insert_with(|| Box::new(HeldBack::new(self.values.columns())));
            held.push_all(receiver, (self.port, &self.elements), &mut self.values);
        }
        None
    }

    #[inline]
    pub(crate) fn receiver(&mut self, session: &'s Session<'_, M>) -> &'s Ready<M> {
        let (plan, notes) = (session.program.plan, session.instrumentation);
        self.receiver
            .get_or_insert_with(|| session.registry.only_instance(plan, notes, &session.main, self.template))
    }
}
