//! Serving by decisions from outside: one execution at a time, of an action that the chooser names.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hasse_model::event::Outcome;
use hasse_record::instrumentation::Instrumentation;
use hasse_request::decision::names::{ActionName, EventName, ObjectName, PortName};
use hasse_request::decision::{ExecutedEvent, ObjectUse};
use hasse_schedule::scheduler::by_choice::{ByChoice, Candidate};
use hasse_store::execution::Execution;
use hasse_store::instance::{Core, Instance, Ready};
use rhai::Dynamic;

use crate::fire::worker::{Served, Worker};

/// Facts about an execution that ends which its draft no longer holds.
pub(crate) struct EndedBody {
    pub(crate) outcome: Outcome,
    pub(crate) n_held: usize,
    pub(crate) prints: bool,
    pub(crate) asks: bool,
}

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// Serves the next execution that is chosen; false if there is none.
    #[cold]
    pub(crate) fn activate_by_choice(&mut self, choices: &'s ByChoice<Ready<M>>) -> bool {
        let session = self.session;
        // Values that were held back may make others ready.
        let mut fresh = choices.take_fresh();
        while !fresh.is_empty() {
            for instance in fresh {
                self.look_at(choices, instance);
            }
            fresh = choices.take_fresh();
        }
        let is_over = session.begins_no_more() || session.is_interrupted();
        let candidate = if is_over {
            choices.take_any()
        } else {
            choices.next(|candidate| {
                session.board.is_none() || candidate.resumes || has_its_locks(&candidate.item)
            })
        };
        let Some(candidate) = candidate else {
            if choices.has_ended() {
                session.is_halted.store(true, Ordering::Relaxed);
                // The other candidates are dropped at the next call.
                return !is_over;
            }
            return false;
        };
        let instance = candidate.item;
        let served = self.serve_candidate(&instance, candidate.resumes);
        if choices.has_ended() {
            session.is_halted.store(true, Ordering::Relaxed);
        }
        self.leave_served(served, instance);
        true
    }

    /// Makes an instance that was made ready a candidate, if it can do something. Otherwise it waits for values.
    fn look_at(&mut self, choices: &ByChoice<Ready<M>>, instance: Ready<M>) {
        let plan = self.session.program.plan;
        let mut core = instance.core.lock();
        if !self.sends_held_back(&instance, &mut core) {
            return;
        }
        let resumes = core.pending.is_some();
        let count = core.count + u64::from(!resumes);
        if !resumes {
            self.load(&instance, &mut core);
            let mut is_able = false;
            loop {
                self.collect(&instance, &mut core);
                is_able = is_able || self.is_able(&instance, &mut core);
                if is_able || !self.stays(&instance, &core, true) {
                    break;
                }
            }
            self.unload(&instance, &mut core);
            if !is_able {
                return;
            }
        }
        let objects = object_uses(self.session.program.plan, &core);
        let name = ActionName::new(plan, &instance.graph, instance.template, &instance.index);
        let action = instance.action;
        drop(core);
        choices.add(action, &name, Candidate { item: instance, count, resumes, objects });
    }

    /// Returns true if an action can begin an execution, also one that fails at once. It is loaded.
    fn is_able(&mut self, instance: &Arc<Instance<M>>, core: &mut Core<M>) -> bool {
        if core.has_failed {
            return false;
        }
        let template = self.session.program.plan.template(instance.template);
        let layout = &self.session.program.layouts[instance.template.idx()];
        self.frame.set(layout.count, Dynamic::from_int(core.count as i64 + 1));
        if !core.is_initialized && self.initialize(instance, core).is_err() {
            return true;
        }
        core.must_start
            || template.fire.iter().any(|rule| self.is_enabled(core, template, rule).unwrap_or(true))
    }

    fn serve_candidate(&mut self, instance: &Ready<M>, resumes: bool) -> Served {
        let session = self.session;
        let mut core = instance.core.lock();
        let core = &mut *core;
        session.instrumentation.begin_turn(&mut self.notes);
        if resumes {
            self.load(instance, core);
            let served = self.fire_pending(instance, core).unwrap_or(Served::Again);
            self.unload(instance, core);
            return served;
        }
        session.instrumentation.lay_down(&mut self.notes);
        if session.begins_no_more() || session.is_interrupted() {
            self.stays(instance, core, false);
            return Served::Left;
        }
        self.load(instance, core);
        self.collect(instance, core);
        let served = match self.select(instance, core) {
            Some(execution) => {
                self.make_room(instance, core);
                let progress = self.execute(instance, core, execution);
                self.set_aside(instance, core, progress).unwrap_or(Served::Again)
            }
            None => {
                self.stays(instance, core, false);
                Served::Left
            }
        };
        self.unload(instance, core);
        served
    }

    /// Tells the chooser of an execution that is about to send its values.
    #[cold]
    pub(crate) fn tell_chooser(
        &mut self,
        choices: &ByChoice<Ready<M>>,
        instance: &Instance<M>,
        core: &Core<M>,
        execution: &Execution<M>,
        body: EndedBody,
    ) {
        let plan = self.session.program.plan;
        let Some(EventName { action, count }) = choices.event_name(execution.id) else { return };
        let sent = self.outgoing.iter().map(|outgoing| {
            let (graph, template, index) = outgoing.receiver(&instance.graph);
            let (port, elements) = outgoing.port();
            PortName::new(plan, ActionName::new(plan, graph, template, index), port, elements)
        });
        choices.executed(ExecutedEvent {
            event: EventName { action, count },
            rule: execution.rule,
            outcome: body.outcome,
            took: choices.taken(execution.id.action),
            objects: if body.n_held == 0 { Arc::default() } else { object_uses(plan, core) },
            sent: sent.collect(),
            prints: body.prints,
            asks: body.asks,
            stops: self.session.program.plan.template(instance.template).is_stop,
        });
    }
}

/// Returns true if nobody holds what an action would have to wait for.
fn has_its_locks<M: Instrumentation>(instance: &Instance<M>) -> bool {
    instance.core.lock().locks.iter().all(|lock| lock.object.is_free_for(lock.access))
}

/// The objects that an action uses.
fn object_uses<M: Instrumentation>(plan: &hasse_model::plan::Plan, core: &Core<M>) -> Arc<[ObjectUse]> {
    let uses = core.locks.iter().map(|lock| {
        let object = &lock.object;
        let object = ObjectName::new(plan, &object.place.graph, object.place.shared, &object.place.index);
        ObjectUse { object, access: lock.access }
    });
    uses.collect()
}
