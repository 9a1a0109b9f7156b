//! Error handling: failed events of nodes that continue (`on_error`), and retries of bodies (`retry = 3`).
//!
//! A failed event is rolled back: its vars are those that its firing rule found, its shared objects are as they were, and nothing is
//! sent. The values that it took are consumed. Then the routing rules for failed events are evaluated, and the instance continues with
//! its next values. Guards of firing rules, their ranges and `init` fail before values are taken: the instance then stops whatever its
//! policy is.

use std::sync::Arc;

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::script::CodeError;
use hasse_model::event::Outcome;
use hasse_model::id::SlotId;
use hasse_model::plan::Template;
use hasse_model::value::{StructValue, Type, Value};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::most_retries;
use hasse_runtime_plan::times::nanos_of;
use hasse_store::execution::{Execution, Savepoint};
use hasse_store::instance::{Core, Instance};
use rhai::Dynamic;

use crate::fire::worker::Worker;

/// Longest pause between two attempts in nanoseconds, some 146 years.
const LONGEST_PAUSE: u64 = u64::MAX >> 2;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Saves the vars as a firing rule finds them, for nodes that need a savepoint.
    pub(crate) fn save_vars(&self, instance: &Instance<M>, execution: &mut Execution<M>) {
        let program = self.session.program;
        let policy = &program.plan.template(instance.template).on_error;
        let needs_savepoint = policy.needs_savepoint() || self.session.may_wait(instance.template);
        if !needs_savepoint || execution.early_error.is_some() {
            return;
        }
        let slots = program.layouts[instance.template.idx()].vars.clone();
        let vars = slots.map(|slot_idx| self.frame.get(SlotId::from_idx(slot_idx)).clone()).collect();
        execution.savepoint = Some(Box::new(Savepoint { vars, body_state: Vec::new() }));
    }

    /// Saves what the body may change, before it is executed.
    pub(crate) fn save_body_state(&self, instance: &Instance<M>, execution: &mut Execution<M>) {
        let Some(savepoint) = &mut execution.savepoint else { return };
        let layout = &self.session.program.layouts[instance.template.idx()];
        let slots = [&layout.vars, &layout.bound, &layout.shared].into_iter().cloned().flatten();
        savepoint.body_state =
            slots.map(|slot_idx| (slot_idx, self.frame.get(SlotId::from_idx(slot_idx)).clone())).collect();
    }

    /// Maximum number of retries of the body of an execution.
    pub(crate) fn retries(&self, instance: &Instance<M>, execution: &Execution<M>) -> u64 {
        match execution.savepoint {
            Some(_) => most_retries(self.session.program.plan.template(instance.template), &instance.graph),
            None => 0,
        }
    }

    /// Rolls back a failed attempt of a body that is retried.
    pub(crate) fn roll_back_attempt(&mut self, instance: &Instance<M>, execution: &Execution<M>) {
        self.session.handled.note_retry(instance.template);
        self.roll_back_body(instance, execution);
        if self.context.is_used() {
            self.context.lock().begin_attempt();
        }
    }

    /// The pause before a retry of a body: `backoff`, doubled with each further one. Returns true if the event is put aside for it;
    /// else the pause is over. There is none in replays.
    pub(crate) fn pauses(&mut self, instance: &Instance<M>, n_retries: u64) -> bool {
        let session = self.session;
        let Some(backoff) = &session.program.plan.template(instance.template).on_error.backoff else {
            return false;
        };
        if session.replays() || session.scheduler.by_choice().is_some() {
            return false;
        }
        let factor = 1_u64.checked_shl(u32::try_from(n_retries - 1).unwrap_or(u32::MAX)).unwrap_or(u64::MAX);
        let nanos = nanos_of(backoff, &instance.graph).saturating_mul(factor).min(LONGEST_PAUSE);
        let mut context = self.context.lock();
        if !session.may_wait(instance.template) {
            context.block(nanos);
            return false;
        }
        context.pause(nanos);
        true
    }

    /// Rolls back what a body has changed.
    pub(crate) fn roll_back_body(&mut self, instance: &Instance<M>, execution: &Execution<M>) {
        self.frame.leave_scope();
        self.frame.forget_lets();
        let layout = &self.session.program.layouts[instance.template.idx()];
        for slot_idx in layout.lets.clone() {
            self.frame.set(slot_idx, Dynamic::UNIT);
        }
        for (slot_idx, held) in execution.savepoint.iter().flat_map(|savepoint| &savepoint.body_state) {
            self.frame.set(*slot_idx, held.clone());
        }
    }

    /// Ends an event that has failed by the policy of its node. Returns its outcome and its error.
    pub(crate) fn handle(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        error: CodeError,
    ) -> (Outcome, Option<CodeError>) {
        let session = self.session;
        let template = session.program.plan.template(instance.template);
        let Some(savepoint) = execution.savepoint.take().filter(|_| template.on_error.continues) else {
            let found = self.run_error(instance, execution.id, &error);
            session.errors.lock().push(found);
            return (Outcome::Failed, Some(error));
        };
        let count = execution.id.count;
        let path = session.path(instance);
        let is_first = session.handled.is_first(instance.template, &path, count);
        let first = is_first.then(|| self.run_error(instance, execution.id, &error));
        let has_error = template.on_error.slot.is_some();
        let values =
            if has_error { self.values_taken(template, execution.rule, &savepoint) } else { Value::Unit };
        self.roll_back(instance, *savepoint);
        let layout = &session.program.layouts[instance.template.idx()];
        let captured = if M::RECORDS { self.captured(instance, count) } else { Default::default() };
        (self.keeps_sent, self.keeps_receivers) = (captured.sent, captured.around);
        if captured.after {
            execution.local_state().after = self.vars(template, layout);
        }
        self.receivers.clear();
        self.passed.clear();
        self.created.clear();
        if let Some(slot) = template.on_error.slot {
            let event = session.event_path(instance, count);
            let value = error_value(&template.slots[slot.idx()].ty, &event, &error, values);
            self.frame.set(slot.idx(), dynamic_from_value(value));
        }
        let mut routed = self.route(instance, template, true);
        self.frame.leave_scope();
        if routed.is_ok() && session.program.bounded.fails(instance.template) {
            routed = self.claim_room(instance, execution);
        }
        let Err(second) = routed else {
            session.handled.note((instance.template, instance.action), path, count, first);
            core.has_failed = false;
            return (Outcome::Failed, Some(error));
        };
        self.outgoing.clear();
        self.routes_taken.clear();
        self.sent.clear();
        if second.is_interruption() {
            return (Outcome::Stopped, None);
        }
        let message = format!("{}; while this error was handled: {}", second.message, error.message);
        let second = CodeError { message, ..second };
        let found = self.run_error(instance, execution.id, &second);
        session.errors.lock().push(found);
        (Outcome::Failed, Some(second))
    }

    /// The values that a failed event took, by the names that its firing rule bound.
    fn values_taken(&self, template: &Template, rule: i32, savepoint: &Savepoint) -> Value {
        let rule = usize::try_from(rule).ok().and_then(|rule| template.fire.get(rule));
        let targets = rule.into_iter().flat_map(|rule| &rule.takes).map(|take| take.target);
        let value_of = |slot: SlotId| {
            // The body may have changed it since.
            let before = savepoint.body_state.iter().find(|(slot_idx, _)| *slot_idx == slot.idx());
            let held = before.map_or_else(|| self.frame.get(slot), |(_, held)| held);
            Some((Arc::from(template.slots[slot.idx()].name.as_str()), value_from_dynamic(held).ok()?))
        };
        Value::Map(Arc::new(targets.filter_map(value_of).collect()))
    }

    /// Rolls back the vars to what the firing rule found, and the names that it bound to the values taken.
    fn roll_back(&mut self, instance: &Instance<M>, savepoint: Savepoint) {
        self.frame.leave_scope();
        let layout = &self.session.program.layouts[instance.template.idx()];
        for (slot_idx, held) in savepoint.body_state {
            if layout.bound.contains(&slot_idx) {
                self.frame.set(slot_idx, held);
            }
        }
        for (slot_idx, held) in layout.vars.clone().zip(savepoint.vars) {
            self.frame.set(slot_idx, held);
        }
    }
}

/// The value of `error` in routing rules for failed events.
fn error_value(ty: &Type, event: &str, error: &CodeError, values: Value) -> Value {
    let Type::Struct(ty) = ty else { return Value::Unit };
    let text = |text: &str| Value::String(Arc::from(text));
    let line = Value::Int(i64::from(error.at.line));
    let fields = vec![text(error.code), text(&error.message), text(event), line, values];
    let held = StructValue::new(Arc::clone(ty.shape()), fields);
    held.map_or(Value::Unit, |held| Value::Struct(Arc::new(held)))
}
