//! Hand-over of the values that a turn has sent: all values for one receiver at once.

use std::sync::Arc;

use hasse_model::id::TemplateId;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::ports::port_bit;
use hasse_schedule::scheduler::Local;
use hasse_store::instance::{Core, Ready};
use hasse_store::matching::Spot;

use crate::fire::lane::local::{LaneLocal, Next, Out};
use crate::fire::lane::matched::matches::Matches;
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
        self.session.scheduler.requeue(&mut self.local, Arc::clone(next.instance));
        self.session.wake_for_surplus(&self.local);
    }
}

/// Instances and entries that a worker knows to be ready.
pub(crate) struct Scheduled<'w, M: Instrumentation> {
    pub(crate) instances: &'w mut Local<Ready<M>>,
    /// Entries of the matching store.
    pub(crate) entries: &'w mut Vec<Spot>,
}

impl<'w, M: Instrumentation> Scheduled<'w, M> {
    pub(crate) fn of(instances: &'w mut Local<Ready<M>>, matches: &'w mut Matches<'_, M>) -> Self {
        Self { instances, entries: &mut matches.ready }
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
        for (out_idx, out) in self.outs.iter_mut().enumerate() {
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

impl<'s, M: Instrumentation> Out<'s, M> {
    #[inline]
    pub(crate) fn receiver(&mut self, session: &'s Session<'_, M>) -> &'s Ready<M> {
        let (plan, notes) = (session.program.plan, session.instrumentation);
        self.receiver
            .get_or_insert_with(|| session.registry.only_instance(plan, notes, &session.main, self.template))
    }
}
