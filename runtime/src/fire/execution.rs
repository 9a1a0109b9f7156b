//! One execution of an instance: locks and stop points. Its body is in `compute`, its routing in `route`.

/// The end of an event.
pub(crate) mod ending;
/// Bodies that wait for the world outside.
pub(crate) mod waiting;

use hasse_body::convert::dynamic_from_value;
pub(crate) use hasse_request::control::state::StopPoint;
use std::sync::Arc;

use hasse_store::execution::Stopped;
use hasse_store::execution::{Execution, Fault, Progress, Work};
use hasse_store::instance::{Core, Instance};

use hasse_lock::shared::Turn;
use hasse_runtime_plan::times::nanos_of;

use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::ExpectedEvent;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Version;

use hasse_model::event::Effect;
use hasse_model::id::ObjectId;
use hasse_model::value::Value;
use rhai::Dynamic;

use crate::fire::worker::Worker;
pub(crate) use hasse_request::control::state::Why;

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// Returns the recorded event of an execution whose body is about to run, and notes whether it had effects; `None` outside
    /// of replays.
    pub(crate) fn recorded_event(&self, execution: &mut Execution<M>) -> Option<ExpectedEvent<'s>> {
        let notes = &self.session.instrumentation;
        let expected = if self.session.replays() { notes.expected(execution.id) } else { None };
        execution.had_effects = match &expected {
            Some(event) => !event.effects.is_empty() || event.first_line.is_some(),
            None => {
                self.session.instrumentation.assigns_again()
                    && !notes.recorded_effects(execution.id).is_empty()
            }
        };
        expected
    }

    /// Carries an execution on: from its first lock, or from the one that was just granted.
    pub(crate) fn execute(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        mut execution: Execution<M>,
    ) -> Progress<M> {
        let session = self.session;
        while execution.early_error.is_none() && execution.n_locks < core.locks.len() {
            let lock = &core.locks[execution.n_locks];
            let turn =
                if self.session.replays() { self.turn(&execution, lock.object.place.id) } else { Turn::Any };
            if !lock.object.acquire(instance, lock.access, turn) {
                return Progress::Waits(Box::new(execution));
            }
            execution.n_locks += 1;
        }
        if execution.n_locks > 0 && session.begins_no_more() {
            self.give_up_locks(core, &mut execution);
            return Progress::Waits(Box::new(execution));
        }
        self.scheduler_pause();
        let n_held = if execution.early_error.is_some() { 0 } else { core.locks.len() };
        let recorded = if session.replays() { session.instrumentation.expected(execution.id) } else { None };
        for (lock_idx, lock) in core.locks[..n_held].iter().enumerate() {
            let object = &lock.object;
            session.instrumentation.announce_object(&mut self.notes, &execution.draft, &object.place);
            let (draft, controlled) = (&mut execution.draft, &mut execution.controlled);
            let grant = object.granted(lock.access, |mark| {
                session.instrumentation.access(draft, object.place.id, lock.access, mark);
                if M::CONTROLLED
                    && let Some(controlled) = controlled
                {
                    controlled.writers.extend(M::version(mark).writer);
                }
            });
            execution.known.merge(&grant.known);
            // A writer outside of a cut record does not execute again: what it left is with the event.
            let mut notes = recorded.iter().flat_map(|event| event.effects);
            let found = notes.find_map(|note| note.as_found().filter(|(at, ..)| *at == lock_idx));
            let content = match found {
                Some((_, content, known)) => {
                    execution.known.merge(&ResultOrder::of(&known));
                    execution.notes.push(Effect::found(lock_idx, content.clone(), &known));
                    content.clone()
                }
                None => grant.value,
            };
            self.frame.set(lock.slot_idx, dynamic_from_value(content));
        }
        session.instrumentation.settle(&mut execution.draft, &mut core.keep);
        let layout = &session.program.layouts[instance.template.idx()];
        self.frame.set(layout.rule, Dynamic::from_int(i64::from(execution.rule)));
        self.frame.set(layout.count, Dynamic::from_int(execution.id.count as i64));
        let mut work = Work::default();
        if M::CONTROLLED && execution.early_error.is_none() {
            let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Befcomp);
            if !reasons.is_empty() {
                return self.stopped(instance, execution, StopPoint::Befcomp, work, reasons);
            }
        }
        self.begin_work(instance, core, &mut execution, &mut work);
        if matches!(work.ended, Err(Fault::Waits)) {
            return self.put_aside_waiting(instance, core, execution);
        }
        self.go_on(instance, core, execution, work, StopPoint::Befcomp)
    }

    /// The stop node has executed before all objects were granted: the execution has not begun, and waits for ever.
    #[cold]
    fn give_up_locks(&mut self, core: &Core<M>, execution: &mut Execution<M>) {
        let session = self.session;
        for lock in &core.locks[..execution.n_locks] {
            lock.object.give_up(lock.access, |granted| session.make_ready(&mut self.local, granted));
        }
        execution.n_locks = 0;
    }

    fn stopped(
        &mut self,
        instance: &Instance<M>,
        mut execution: Execution<M>,
        point: StopPoint,
        work: Work,
        reasons: Vec<Why>,
    ) -> Progress<M> {
        self.put_aside(instance, &mut execution, point, work, reasons);
        Progress::Stopped(Box::new(execution))
    }

    /// Carries an execution on from where its action was stopped. The worker is given its scope again.
    pub(crate) fn resume(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        mut execution: Execution<M>,
        stopped: Stopped,
    ) -> Progress<M> {
        self.frame = stopped.frame;
        *self.context.lock() = stopped.context;
        let mut work = stopped.work;
        if stopped.point == StopPoint::Befcomp {
            self.begin_work(instance, core, &mut execution, &mut work);
            if matches!(work.ended, Err(Fault::Waits)) {
                return self.put_aside_waiting(instance, core, execution);
            }
        } else {
            let expected = self.session.instrumentation.expected(execution.id);
            self.limit_memory(expected.as_ref());
            self.outgoing = std::mem::take(&mut work.outgoing);
            self.routes_taken = std::mem::take(&mut work.routes_taken);
            self.sent = std::mem::take(&mut work.sent);
        }
        self.go_on(instance, core, execution, work, stopped.point)
    }

    /// The body.
    fn begin_work(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        work: &mut Work,
    ) {
        let expected = self.recorded_event(execution);
        // Only a body can say or ask anything.
        if self.session.program.plan.template(instance.template).body.is_some() {
            self.begin_context(instance, execution.id.count, expected.as_ref());
            if self.session.may_wait(instance.template) {
                let mut context = self.context.lock();
                context.let_wait();
                let program = self.session.program;
                if program.sources.has(program.plan, instance.template, execution.rule) {
                    context.set_source();
                }
            }
            if let Some(deadline) = &self.session.program.plan.template(instance.template).deadline
                && !self.session.replays()
            {
                self.context.lock().set_deadline(nanos_of(deadline, &instance.graph));
            }
        }
        self.forget_sendings();
        work.ended = match execution.early_error.take() {
            Some(error) => Err(Fault::from(error)),
            None => self.attempt(instance, core, execution, expected.as_ref()),
        };
    }

    /// Forgets what an event before has sent.
    pub(crate) fn forget_sendings(&mut self) {
        self.outgoing.clear();
        self.routes_taken.clear();
        self.sent.clear();
        self.receivers.clear();
        self.passed.clear();
        self.created.clear();
    }

    /// Executes the body, with retries where the node has them.
    pub(crate) fn attempt(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        expected: Option<&ExpectedEvent<'_>>,
    ) -> Result<(), Fault> {
        self.begin_body(instance, execution.id.count, 0);
        self.save_body_state(instance, execution);
        let mut computed = self.compute(instance, core, execution, expected);
        // A function that is called by the library, such as one that compares, may have hidden it.
        if computed.is_ok() && self.session.may_wait(instance.template) && self.context.lock().is_waiting() {
            computed = Err(Fault::Waits);
        }
        while matches!(computed, Err(Fault::Failed(_)))
            && execution.n_retries < self.retries(instance, execution)
        {
            execution.n_retries += 1;
            self.roll_back_attempt(instance, execution);
            if self.pauses(instance, execution.n_retries) {
                computed = Err(Fault::Waits);
                break;
            }
            computed = self.compute(instance, core, execution, expected);
        }
        self.end_body();
        computed
    }

    /// Everything behind a stop point, up to the next at which the action stops.
    pub(crate) fn go_on(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        mut execution: Execution<M>,
        mut work: Work,
        behind: StopPoint,
    ) -> Progress<M> {
        if behind == StopPoint::Befcomp && work.ended.is_ok() {
            if M::CONTROLLED {
                let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Aftcomp);
                if !reasons.is_empty() {
                    return self.stopped(instance, execution, StopPoint::Aftcomp, work, reasons);
                }
            }
            if self.session.instrumentation.assigns_again() && execution.had_effects {
                self.assign_again(instance, core, &mut execution, StopPoint::Aftcomp);
            }
        }
        if matches!(behind, StopPoint::Befcomp | StopPoint::Aftcomp) && work.ended.is_ok() {
            self.begin_body(instance, execution.id.count, 0);
            work.ended = self.leave(instance, core, &mut execution, &mut work);
            if work.ended.is_ok() && self.session.program.bounded.fails(instance.template) {
                work.ended = self.claim_room(instance, &mut execution).map_err(Fault::from);
            }
            self.end_body();
            if M::CONTROLLED && work.ended.is_ok() {
                let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Send);
                if !reasons.is_empty() {
                    self.keep(&mut work);
                    return self.stopped(instance, execution, StopPoint::Send, work, reasons);
                }
            }
        }
        if M::CONTROLLED && behind != StopPoint::Failed && matches!(work.ended, Err(Fault::Failed(_))) {
            let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Failed);
            if !reasons.is_empty() {
                self.keep(&mut work);
                return self.stopped(instance, execution, StopPoint::Failed, work, reasons);
            }
        }
        self.conclude(instance, core, execution, work);
        Progress::Ended
    }

    /// Puts what the worker holds of an execution to its work.
    fn keep(&mut self, work: &mut Work) {
        work.outgoing = std::mem::take(&mut self.outgoing);
        work.routes_taken = std::mem::take(&mut self.routes_taken);
        work.sent = std::mem::take(&mut self.sent);
    }

    /// When the record lets an execution have its next lock, that of `object`.
    fn turn(&self, execution: &Execution<M>, object: ObjectId) -> Turn {
        let expected = self.session.instrumentation.expected(execution.id);
        let access = if self.tells_choices() {
            let told = expected.and_then(|event| event.shared().find(|access| access.object == object));
            let Some(access) = told else { return Turn::Any };
            access
        } else {
            let Some(access) = expected.and_then(|event| event.shared().nth(execution.n_locks)) else {
                return Turn::Never;
            };
            access
        };
        Turn::At(Version::in_record(&access))
    }

    pub(crate) fn release(
        &mut self,
        core: &Core<M>,
        execution: &Execution<M>,
        n_held: usize,
        written: &mut [Option<Value>],
    ) {
        let session = self.session;
        for (lock_idx, lock) in core.locks[..n_held].iter().enumerate() {
            let value = written.get_mut(lock_idx).and_then(Option::take);
            lock.object.release(
                lock.access,
                value,
                &execution.known,
                |mark| session.instrumentation.release(&execution.draft, lock.access, mark),
                |granted| session.make_ready(&mut self.local, granted),
            );
        }
    }
}
