//! Firing rules that are enabled some time after their values have come (`a -> a after 200ms`): the earliest firing times of time Petri
//! nets (Merlin and Farber 1976).
//!
//! The time of a rule begins when its values are there and its guard holds, and begins anew after each event of the instance. When a
//! rule is not due yet, the instance is looked at again at its moment. Only live runs wait: a record has the rules that were taken, and
//! a chooser may take such a rule at any time.

use std::sync::Arc;

use hasse_body::script::CodeError;
use hasse_model::plan::FiringRule;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::times::nanos_in;
use hasse_store::instance::{Core, Instance};

use crate::fire::worker::Worker;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Returns true if an enabled rule has been enabled for its time.
    pub(crate) fn is_due(
        &mut self,
        core: &mut Core<M>,
        (rule_idx, rule): (usize, &FiringRule),
        is_enabled: bool,
    ) -> Result<bool, CodeError> {
        let Some(after) = &rule.after else { return Ok(is_enabled) };
        let now = self.session.outside.clock.nanos();
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
        let due = since.saturating_add(nanos_in(after, &self.frame).map_err(fault)?).min(u64::MAX - 1);
        if due <= now {
            return Ok(true);
        }
        timed.next_due = Some(timed.next_due.map_or(due, |next| next.min(due)));
        Ok(false)
    }

    /// Sets the moment at which an instance is looked at again, after all its rules have been looked at. After an event all times begin
    /// anew.
    pub(crate) fn settle_times(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        takes_a_rule: bool,
    ) {
        let Some(timed) = core.timed.as_deref_mut() else { return };
        let next_due = timed.next_due.take().filter(|_| !takes_a_rule);
        if takes_a_rule {
            timed.since.fill(None);
        }
        if timed.next_look != next_due {
            let looks = &self.session.looks;
            let is_first = looks.replace(instance, timed.next_look, next_due);
            timed.next_look = next_due;
            if is_first && self.session.pool.has_sleeper() {
                // Sleepers may wait for a later timer.
                self.session.pool.wake_one();
            }
        }
        if next_due.is_none() && timed.since.iter().all(Option::is_none) {
            core.timed = None;
        }
    }
}
