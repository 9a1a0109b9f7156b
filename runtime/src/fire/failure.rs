//! Failed events of nodes that go on (`on_error`), and bodies that are executed again (`retry = 3`).
//!
//! A failed event keeps nothing: its vars are those that its firing rule found, and nothing of its shared objects is written. What
//! it has taken is gone. Then the routing rules for failed events are evaluated, and the instance goes on with its next values.
//! Guards of firing rules, their ranges and `init` take no values: where one of them fails, the instance stops whatever the policy.

use std::sync::Arc;

use hasse_body::convert::dynamic_from_value;
use hasse_body::script::CodeError;
use hasse_model::event::Outcome;
use hasse_model::id::SlotId;
use hasse_model::value::{StructValue, Type, Value};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::most_retries;
use hasse_store::execution::{Execution, Kept};
use hasse_store::instance::{Core, Instance};
use rhai::Dynamic;

use crate::fire::worker::Worker;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Keeps the vars as a firing rule finds them, of a node that goes on after errors or executes bodies again.
    pub(crate) fn keep_found(&self, instance: &Instance<M>, execution: &mut Execution<M>) {
        let program = self.session.program;
        let policy = &program.plan.template(instance.template).on_error;
        if !policy.restores() || execution.early_error.is_some() {
            return;
        }
        let vars = program.layouts[instance.template.idx()].vars.clone();
        let found = vars.map(|slot_idx| self.frame.get(SlotId::from_idx(slot_idx)).clone()).collect();
        execution.kept = Some(Box::new(Kept { found, before: Vec::new() }));
    }

    /// Keeps what the body may change, before it is executed.
    pub(crate) fn keep_before(&self, instance: &Instance<M>, execution: &mut Execution<M>) {
        let Some(kept) = &mut execution.kept else { return };
        let layout = &self.session.program.layouts[instance.template.idx()];
        let slots = [&layout.vars, &layout.bound, &layout.shared].into_iter().cloned().flatten();
        kept.before =
            slots.map(|slot_idx| (slot_idx, self.frame.get(SlotId::from_idx(slot_idx)).clone())).collect();
    }

    /// Maximum number of times that the body of an execution is executed again.
    pub(crate) fn retries(&self, instance: &Instance<M>, execution: &Execution<M>) -> u64 {
        match execution.kept {
            Some(_) => most_retries(self.session.program.plan.template(instance.template), &instance.graph),
            None => 0,
        }
    }

    /// Brings back what an execution saw before its body, which has failed and is executed again.
    pub(crate) fn restore_before(&mut self, instance: &Instance<M>, execution: &Execution<M>) {
        self.session.handled.note_retry(instance.template);
        self.frame.leave_scope();
        self.frame.forget_lets();
        let layout = &self.session.program.layouts[instance.template.idx()];
        for slot_idx in layout.lets.clone() {
            self.frame.set(slot_idx, Dynamic::UNIT);
        }
        for (slot_idx, held) in execution.kept.iter().flat_map(|kept| &kept.before) {
            self.frame.set(*slot_idx, held.clone());
        }
        if self.context.is_used() {
            self.context.lock().begin_attempt();
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
        let Some(kept) = execution.kept.take().filter(|_| template.on_error.goes_on) else {
            let found = self.run_error(instance, execution.id, &error);
            session.errors.lock().push(found);
            return (Outcome::Failed, Some(error));
        };
        let count = execution.id.count;
        let path = session.path(instance);
        let is_first = session.handled.is_first(instance.template, &path, count);
        let first = is_first.then(|| self.run_error(instance, execution.id, &error));
        self.restore_found(instance, *kept);
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
            let value =
                error_value(&template.slots[slot.idx()].ty, &session.event_path(instance, count), &error);
            self.frame.set(slot.idx(), dynamic_from_value(value));
        }
        let routed = self.route(instance, template, true);
        self.frame.leave_scope();
        let Err(second) = routed else {
            session.handled.note(instance.template, path, count, first);
            core.has_failed = false;
            return (Outcome::Failed, Some(error));
        };
        self.outgoing.clear();
        self.routes_taken.clear();
        self.sent.clear();
        if second.is_interruption() {
            return (Outcome::Stopped, None);
        }
        let message = format!("{}; this came of the error: {}", second.message, error.message);
        let second = CodeError { message, ..second };
        let found = self.run_error(instance, execution.id, &second);
        session.errors.lock().push(found);
        (Outcome::Failed, Some(second))
    }

    /// Brings back the vars that a firing rule has found, and what it bound to other names.
    fn restore_found(&mut self, instance: &Instance<M>, kept: Kept) {
        self.frame.leave_scope();
        let layout = &self.session.program.layouts[instance.template.idx()];
        for (slot_idx, held) in kept.before {
            if layout.bound.contains(&slot_idx) {
                self.frame.set(slot_idx, held);
            }
        }
        for (slot_idx, held) in layout.vars.clone().zip(kept.found) {
            self.frame.set(slot_idx, held);
        }
    }
}

/// The value of `error` in routing rules for failed events.
fn error_value(ty: &Type, event: &str, error: &CodeError) -> Value {
    let Type::Struct(ty) = ty else { return Value::Unit };
    let text = |text: &str| Value::String(Arc::from(text));
    let fields =
        vec![text(error.code), text(&error.message), text(event), Value::Int(i64::from(error.at.line))];
    let held = StructValue::new(Arc::clone(ty.shape()), fields);
    held.map_or(Value::Unit, |held| Value::Struct(Arc::new(held)))
}
