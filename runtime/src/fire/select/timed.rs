//! Firing rules that are enabled some time after their values have come (`a -> a after 200ms`): the earliest firing times of time Petri
//! nets (Merlin and Farber 1976).
//!
//! The time of a rule begins when its values are there and its guard holds, and begins anew after each event of the instance. When a
//! rule is not due yet, the instance is looked at again at its moment. Only live runs wait: a record has the rules that were taken, and
//! a chooser may take such a rule at any time.

use std::sync::Arc;

use hasse_body::script::CodeError;
use hasse_model::id::Index;
use hasse_model::plan::FiringRule;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::times::nanos_in;
use hasse_store::instance::{Core, Instance, Timed};

use crate::fire::delayed::Delayed;
use crate::fire::worker::Worker;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Returns true if an enabled rule has been so for its time.
    pub(crate) fn is_due(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        (rule_idx, rule): (usize, &FiringRule),
        is_enabled: bool,
    ) -> Result<bool, CodeError> {
        let Some(after) = &rule.after else { return Ok(is_enabled) };
        let session = self.session;
        let now = session.outside.clock.nanos();
        let timed = core.timed.get_or_insert_default();
        if timed.since.len() <= rule_idx {
            timed.since.resize(rule_idx + 1, None);
        }
        if !is_enabled {
            timed.since[rule_idx] = None;
            return Ok(false);
        }
        let since = *timed.since[rule_idx].get_or_insert(now);
        let fault = |message| CodeError { code: "R0005", message, at: rule.at };
        let due = since.saturating_add(nanos_in(after, &self.frame).map_err(fault)?);
        if due <= now {
            return Ok(true);
        }
        if timed.next_look.is_none_or(|look| look > due || look <= now) {
            timed.next_look = Some(due);
            instance.inbox.lock().n_looks += 1;
            let way = (instance.action, instance.action, usize::MAX, Index::none());
            if session.delays.add_unordered(due, way, (Arc::clone(instance), Delayed::Look))
                && session.pool.has_sleeper()
            {
                session.pool.wake_one();
            }
        }
        Ok(false)
    }

    /// Begins the times of an instance anew, after an event.
    pub(crate) fn restart_times(core: &mut Core<M>) {
        if let Some(timed) = core.timed.as_deref_mut() {
            timed.since.fill(None);
        }
    }

    /// Lets go of the times of an instance that waits for none.
    pub(crate) fn forget_times(&self, core: &mut Core<M>) {
        let now = || self.session.outside.clock.nanos();
        let is_over = |timed: &Timed| {
            timed.since.iter().all(Option::is_none) && timed.next_look.is_none_or(|look| look <= now())
        };
        if core.timed.as_deref().is_some_and(is_over) {
            core.timed = None;
        }
    }
}
