//! Workers in a [pause](crate::fire::rest).

use hasse_record::instrumentation::Instrumentation;
use hasse_store::instance::{Core, Instance};

use crate::fire::as_data;
use crate::fire::session::Session;
use crate::fire::worker::Worker;

impl<M: Instrumentation> Session<'_, M> {
    /// Begins a pause.
    pub(crate) fn begin_pause(&self) {
        self.rest.aside.lock().is_open = true;
        self.rest.ask(true);
    }

    /// Ends a pause: what was put aside is ready again.
    pub(crate) fn end_pause(&self) {
        let mut aside = self.rest.aside.lock();
        // Work is there before the pause is over: a worker that falls asleep meanwhile would end the run.
        aside.instances.drain(..).for_each(|instance| self.inject(instance));
        if !aside.spots.is_empty() {
            self.offered.add(aside.spots.drain(..));
        }
        aside.is_open = false;
        self.rest.ask(false);
        drop(aside);
        self.pool.wake_all();
    }
}

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// In a pause: goes on with an execution under way, or puts aside what is ready; false if there is nothing.
    #[cold]
    pub(crate) fn activate_in_pause(&mut self) -> bool {
        self.give_up_next();
        let session = self.session;
        session.offered.take(&mut self.matches.ready);
        if !self.matches.ready.is_empty() {
            let mut aside = session.rest.aside.lock();
            if !aside.is_open {
                return true;
            }
            aside.spots.append(&mut self.matches.ready);
        }
        let Some(instance) = session.pop(&mut self.local) else { return false };
        let has_begun = {
            let core = instance.core.lock();
            core.pending.is_some() || core.is_granted
        };
        if !has_begun {
            let mut aside = session.rest.aside.lock();
            if aside.is_open {
                aside.instances.push(instance);
            } else {
                drop(aside);
                session.requeue(&mut self.local, instance);
            }
            return true;
        }
        let served = self.serve_once(&instance, &mut instance.core.lock());
        self.leave_served(served, instance);
        true
    }

    /// Keeps the state of an action before its next execution, with all that has come; returns false where it cannot be taken.
    pub(crate) fn keep_state(&mut self, instance: &Instance<M>, core: &mut Core<M>) -> bool {
        self.collect(instance, core);
        let state = as_data::action(self.session, instance, core).ok().map(Box::new);
        let is_kept = state.is_some();
        self.session.rest.begin(self.worker_idx, state);
        is_kept
    }

    /// An execution is put away that waits: its state is kept with others.
    pub(crate) fn put_state_away(&self, instance: &Instance<M>) {
        if self.session.rest.keeps(instance.template) {
            self.session.rest.put_away(self.worker_idx, instance.action);
        }
    }

    /// The same execution goes on with this worker.
    pub(crate) fn take_state_up(&self, instance: &Instance<M>) {
        if self.session.rest.keeps(instance.template) {
            self.session.rest.take_up(self.worker_idx, instance.action);
        }
    }
}
