//! Bodies that wait for an answer of the world outside: a moment, a line of input, a reply from the network.
//!
//! Such a body has been left ([`Fault::Waits`]), with all that it had changed rolled back. Its execution stays with its action, with its
//! locks and the answers given so far, and no worker. When the answer has come, the body is executed again from its beginning with the
//! same answers. At the end of the run the event is recorded as stopped, as one that was interrupted within its body.

use std::sync::Arc;
use std::time::Duration;

use hasse_body::effects::EventContext;
use hasse_model::id::TemplateId;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::ports::port_bit;
use hasse_schedule::pool::NextTimer;
use hasse_store::execution::{Execution, Fault, Progress, Work};
use hasse_store::instance::{Core, Inbox, Instance, Ready};
use rhai::Dynamic;

use crate::fire::execution::StopPoint;
use crate::fire::session::Session;
use crate::fire::waits::Waits;
use crate::fire::worker::Worker;

/// Time after which a worker that waits for answers looks for other work.
const PATIENCE: Duration = Duration::from_secs(1);

impl<M: Instrumentation> Session<'_, M> {
    /// Returns true if events of a template are put aside here while their bodies wait.
    #[inline]
    pub(crate) fn may_wait(&self, template: TemplateId) -> bool {
        self.waits.is_some() && self.program.plan.template(template).may_wait
    }

    /// Returns true if neither an answer nor a time is waited for any more.
    pub(crate) fn waits_no_more(&self) -> bool {
        self.begins_no_more() || self.is_interrupted()
    }

    /// Returns true if an execution that waits is to go on.
    pub(crate) fn is_answer_due(&self, waits: &Waits<M>) -> bool {
        waits.is_any_held()
            && (waits.is_any_due(|| self.outside.clock.nanos(), || !self.scheduler.has_work())
                || self.stop.is_draining() && waits.is_any_ending()
                || self.waits_no_more())
    }

    /// The timer of an idle worker where answers are waited for; `None` where only moments are, or nothing is.
    pub(crate) fn timer_of_waits(&self, waits: &Waits<M>) -> Option<NextTimer> {
        if self.is_answer_due(waits) {
            return Some(NextTimer::In(Duration::ZERO));
        }
        if waits.is_one_awaited() {
            return Some(NextTimer::In(PATIENCE));
        }
        // Virtual time stands still while the world outside is to answer.
        let first = self.first_moment();
        let is_alone = self.outside.clock.is_virtual() || first.is_none();
        (waits.n_promised() > 0 && is_alone).then_some(NextTimer::In(PATIENCE))
    }
}

/// Returns true if a value waits on the port whose values cancel the event of an instance.
fn is_cancelled<M: Instrumentation>(core: &Core<M>, inbox: &Inbox<M>, port: usize) -> bool {
    core.ports.get(port).is_some_and(|queue| !queue.is_empty()) || inbox.has_value_for(port)
}

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Makes the actions ready whose answers have come; at the end of the run all that wait.
    pub(crate) fn wake_waiting(&mut self, waits: &Waits<M>) {
        let session = self.session;
        if !session.is_answer_due(waits) {
            return;
        }
        let is_over = session.waits_no_more();
        if is_over || session.stop.is_draining() {
            for action in waits.take_out(!is_over) {
                self.wake(action);
            }
        }
        if is_over {
            return;
        }
        waits.take_come(session.outside.clock.nanos(), |action| self.wake(action));
    }

    /// Makes an action ready whose answer has come, unless a value that cancels its event has done so.
    fn wake(&mut self, action: Ready<M>) {
        let can_be_cancelled = self.session.program.plan.template(action.template).cancel.is_some();
        let is_awake = can_be_cancelled && std::mem::take(&mut action.inbox.lock().cancels) == 0;
        if !is_awake {
            self.session.make_ready(&mut self.local, action);
        }
    }

    /// Puts an execution aside whose body waits for an answer.
    #[cold]
    pub(crate) fn put_aside_waiting(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &Core<M>,
        mut execution: Execution<M>,
    ) -> Progress<M> {
        let session = self.session;
        self.roll_back_body(instance, &execution);
        let layout = &session.program.layouts[instance.template.idx()];
        self.clear_bound(layout.shared.clone().chain(layout.lets.clone()));
        let context = std::mem::replace(&mut *self.context.lock(), session.event_context());
        let cancel = session.program.plan.template(instance.template).cancel;
        if let Some(port) = cancel {
            let mut inbox = instance.inbox.lock();
            if is_cancelled(core, &inbox, port) {
                drop(inbox);
                session.make_ready(&mut self.local, Arc::clone(instance));
                execution.waiting = Some(Box::new(context));
                return Progress::Waits(Box::new(execution));
            }
            // Before it is held: whoever answers looks here.
            inbox.cancels = port_bit(port);
        }
        if let Some(waits) = &session.waits {
            waits.hold(Arc::clone(instance), &context, cancel.is_some());
        }
        execution.waiting = Some(Box::new(context));
        Progress::Waits(Box::new(execution))
    }

    /// Carries on an execution whose answer has come, or which waits no more as the run ends. The names that its firing rule has bound
    /// stand in the frame.
    #[cold]
    pub(crate) fn resume_waiting(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        mut execution: Execution<M>,
        context: EventContext,
    ) -> Progress<M> {
        let session = self.session;
        for (slot_idx, held) in execution.savepoint.iter().flat_map(|savepoint| &savepoint.body_state) {
            self.frame.set(*slot_idx, held.clone());
        }
        let layout = &session.program.layouts[instance.template.idx()];
        self.frame.set(layout.rule, Dynamic::from_int(i64::from(execution.rule)));
        self.frame.set(layout.count, Dynamic::from_int(execution.id.count as i64));
        let cancel = session.program.plan.template(instance.template).cancel;
        let is_cancelled = cancel.is_some_and(|port| is_cancelled(core, &instance.inbox.lock(), port));
        if let Some(waits) = session.waits.as_ref().filter(|_| cancel.is_some()) {
            waits.forget(instance.action);
        }
        let mut held = self.context.lock();
        *held = context;
        if is_cancelled {
            held.cancel();
        }
        // A run that drains processes what has come.
        let is_over = session.begins_no_more()
            || session.is_interrupted()
            || session.stop.is_draining() && held.is_stopped_by_drain() && !held.has_answer();
        held.go_on();
        drop(held);
        self.forget_sendings();
        session.instrumentation.resume(&mut self.notes, &mut execution.draft);
        let ended = match is_over {
            true => Err(Fault::Stopped),
            false => self.attempt(instance, core, &mut execution, None),
        };
        let work = Work { ended, ..Work::default() };
        if matches!(work.ended, Err(Fault::Waits)) {
            return self.put_aside_waiting(instance, core, execution);
        }
        self.go_on(instance, core, execution, work, StopPoint::Befcomp)
    }
}
