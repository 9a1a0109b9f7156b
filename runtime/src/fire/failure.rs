//! Failed events of nodes that go on (`on_error`), and bodies that are executed again (`retry = 3`).
//!
//! A failed event keeps nothing: its vars are those that its firing rule found, and nothing of its shared objects is written. What
//! it has taken is gone. Then the routing rules for failed events are evaluated, and the instance goes on with its next values.
//! Guards of firing rules, their ranges and `init` take no values: where one of them fails, the instance stops whatever the policy.

use std::sync::Arc;

use hasse_body::convert::dynamic_from_value;
use hasse_body::script::CodeError;
use hasse_model::event::Outcome;
use hasse_model::id::{SlotId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::value::{StructValue, Type, Value};
use hasse_record::instrumentation::Instrumentation;
use hasse_request::report::{HandledErrors, RunError};
use hasse_runtime_plan::bounds::most_retries;
use hasse_store::execution::{Execution, Kept};
use hasse_store::instance::{Core, Instance};
use parking_lot::Mutex;
use rhai::Dynamic;

use crate::fire::worker::Worker;

/// Failed events of nodes that go on, by template.
pub(crate) struct Handled(Mutex<Vec<OfTemplate>>);

#[derive(Default)]
struct OfTemplate {
    n_events: u64,
    n_retries: u64,
    /// The first one by instance and number of the execution, so that every run with the same events reports the same one.
    first: Option<(String, u64, RunError)>,
}

impl Handled {
    pub(crate) fn of(plan: &Plan) -> Self {
        let n_templates = plan.templates.iter().rposition(|template| template.on_error.restores());
        let mut of_templates = Vec::new();
        of_templates.resize_with(n_templates.map_or(0, |last| last + 1), OfTemplate::default);
        Self(Mutex::new(of_templates))
    }

    fn note_retry(&self, template: TemplateId) {
        self.0.lock()[template.idx()].n_retries += 1;
    }

    /// Notes a failed event. `error` is asked for the error in full where it is the first one.
    fn note(&self, template: TemplateId, path: String, count: u64, error: impl FnOnce() -> RunError) {
        let mut of_templates = self.0.lock();
        let known = &mut of_templates[template.idx()];
        known.n_events += 1;
        if known.first.as_ref().is_none_or(|(first, n, _)| (path.as_str(), count) < (first.as_str(), *n)) {
            known.first = Some((path, count, error()));
        }
    }

    /// The nodes with such events, for a report.
    pub(crate) fn report(&self, plan: &Plan) -> Vec<HandledErrors> {
        let of_templates = self.0.lock();
        let all = of_templates.iter().zip(&plan.templates).map(|(known, template)| HandledErrors {
            node: plan.template_label(template),
            n_events: known.n_events,
            n_retries: known.n_retries,
            first: known.first.as_ref().map(|(.., error)| error.clone()),
        });
        all.filter(|handled| handled.n_events > 0 || handled.n_retries > 0).collect()
    }
}

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
            self.context.lock().results.clear();
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
        session.handled.note(instance.template, session.path(instance), count, || {
            self.run_error(instance, execution.id, &error)
        });
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
            let value = error_value(&template.slots[slot.idx()].ty, &session.event_path(instance, count), &error);
            self.frame.set(slot.idx(), dynamic_from_value(value));
        }
        let routed = self.route(instance, template, true);
        self.frame.leave_scope();
        let Err(second) = routed else {
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
