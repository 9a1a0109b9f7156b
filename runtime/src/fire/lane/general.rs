//! Where an event leaves the lane: it goes on in the general way, from where it is.

use hasse_body::convert::dynamic_from_value;
use hasse_body::script::{CodeError, ScriptEnd};
use hasse_code::natives::node::BodyInstance;
use hasse_code::routines;
use hasse_model::id::SlotId;
use hasse_record::instrumentation::Instrumentation;
use hasse_store::execution::{Execution, Fault, Progress};
use hasse_store::instance::{Core, Instance, Ready};
use thin_vec::ThinVec;

use crate::fire::lane::event::{Fired, Under};
use crate::fire::lane::handover::Scheduled;
use crate::fire::lane::local::LaneLocal;
use crate::fire::lane::prepared::Batch;
use crate::fire::worker::Worker;

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    /// Does something in the general way, which has its own scope.
    fn generally<R>(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        local: &mut LaneLocal<'s, M>,
        act: impl FnOnce(&mut Self, &mut Core<M>) -> R,
    ) -> R {
        let layout = &self.session.program.layouts[instance.template.idx()];
        self.session.instrumentation.lay_down(&mut self.notes);
        // What has been sent before goes first.
        local.hand_over(self.session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes));
        local.keep_surplus(core);
        local.names.swap_vars(layout, &mut core.vars);
        self.load(instance, core);
        let others = [layout.bound.clone(), layout.shared.clone(), layout.lets.clone()].into_iter().flatten();
        for slot_idx in others {
            let value = std::mem::take(&mut local.names.values[slot_idx]);
            self.frame.set(slot_idx, dynamic_from_value(value));
        }
        for slot_idx in [layout.rule, layout.count] {
            self.frame.set(slot_idx, dynamic_from_value(local.names.values[slot_idx].clone()));
        }
        let done = act(self, core);
        // Before the fast path sends more to the same ports.
        self.receive(instance, core);
        self.unload(instance, core);
        local.names.swap_vars(layout, &mut core.vars);
        done
    }

    /// Executes an event whose values have been taken.
    #[cold]
    #[inline(never)]
    pub(crate) fn executes_generally(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        local: &mut LaneLocal<'s, M>,
        under: Under<M>,
    ) -> Fired {
        self.give_back(core, local);
        let early_error = local.misfit.take();
        let execution = self.execution_of(instance, under, 0, early_error);
        self.generally(instance, core, local, |worker, core| {
            match worker.execute(instance, core, execution) {
                Progress::Ended => Fired::EndedGenerally,
                waiting => {
                    worker.leave_lane(instance, core, waiting);
                    Fired::Parked
                }
            }
        })
    }

    /// Ends an event whose body has run, or has failed.
    #[cold]
    #[inline(never)]
    pub(crate) fn ends_generally(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        under: Under<M>,
        end: Option<Box<ScriptEnd>>,
    ) -> Fired {
        if let Some(body) = &batch.body
            && !under.has_asked
        {
            let path_hash = instance.graph.path_hash;
            let seen = BodyInstance { index: instance.index.as_slice(), path_hash };
            body.template.announce(&seen, under.id.count);
        }
        let mut n_locks = 0;
        if let (Some(mut held), Some(lock)) = (local.held.take(), core.locks.first()) {
            if let Some(machine) = batch.writer {
                held.value = local.names.values[lock.slot_idx].clone();
                routines::take_back(machine, SlotId::from_idx(lock.slot_idx), &mut held.value);
            }
            // It stays locked: the general way gives it back.
            lock.object.put_back(held);
            n_locks = 1;
        }
        let execution = self.execution_of(instance, under, n_locks, None);
        self.generally(instance, core, local, |worker, core| {
            let (id, rule) = (execution.id, execution.rule);
            let ended = match end.map(|end| *end) {
                None => Ok(()),
                Some(ScriptEnd::GaveUp) => worker.in_body(instance, id.count, Self::interpret_body),
                Some(ScriptEnd::Yielded) => worker.in_body(instance, id.count, |worker, instance| {
                    worker.run_again(instance, rule, id.count)
                }),
                Some(end) => Err(end),
            };
            let ended = ended.map_err(Fault::from);
            worker.end_in_general(instance, core, execution, ended);
        });
        Fired::EndedGenerally
    }

    /// Executes a body again that may last.
    fn in_body(
        &mut self,
        instance: &Ready<M>,
        count: u64,
        execute: impl FnOnce(&mut Self, &Instance<M>) -> Result<(), ScriptEnd>,
    ) -> Result<(), ScriptEnd> {
        self.begin_body(instance, count, 0);
        let ended = execute(self, instance);
        self.end_body();
        ended
    }

    /// The same as the general way has it.
    pub(crate) fn execution_of(
        &mut self,
        instance: &Instance<M>,
        under: Under<M>,
        n_locks: usize,
        early_error: Option<CodeError>,
    ) -> Execution<M> {
        let Under { id, rule_idx, light, known, .. } = under;
        let continues = self.session.program.plan.template(instance.template).on_error.continues;
        let rule = rule_idx as i32;
        let draft = self.session.instrumentation.draft_of(&mut self.notes, light, rule);
        Execution {
            id,
            rule,
            draft,
            known,
            n_locks,
            bound: Vec::new(),
            early_error,
            // Nodes on the fast path have nothing to roll back.
            savepoint: continues.then(Box::default),
            n_retries: 0,
            waiting: None,
            local: None,
            had_effects: false,
            notes: ThinVec::new(),
            controlled: None,
        }
    }
}
