//! The computation of an execution: its body, and what is checked and captured around it.

use std::cell::Cell;
use std::sync::Arc;

use hasse_body::convert::value_from_dynamic;
use hasse_body::edge::{self, admit};
use hasse_body::effects::{Announcement, EffectSource};
use hasse_body::memory::{self, MemoryLimit};
use hasse_body::script::{self, CodeError, ScriptEnd};
use hasse_code::layout::{Captured, Layout};
use hasse_code::natives::node::{BodyContext, BodyInstance, BodyTemplate, Registered};
use hasse_model::diagnostic::Location;
use hasse_model::event::Outcome;
use hasse_model::id::{ScriptId, SlotId};
use hasse_model::plan::{Access, Body, SlotKind, Template};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::ExpectedEvent;
use hasse_store::execution::{Execution, Fault, Work};
use hasse_store::instance::{Core, Instance};

use crate::fire::worker::Worker;

pub(crate) use hasse_code::natives::scope::BodyScope;
use hasse_code::routines;
pub(crate) use hasse_request::control::state::StopPoint;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Which values of an execution are kept.
    pub(crate) fn captured(&self, instance: &Instance<M>, count: u64) -> Captured {
        let program = self.session.program;
        let captured = program.layouts[instance.template.idx()].captured;
        match &program.captured_only {
            Some((index, only)) if *only != count || *index != instance.index => Captured::NONE,
            _ => captured,
        }
    }

    /// Prepares the effects of an execution. `expected` is the recorded event, in a replay.
    pub(crate) fn begin_context(
        &mut self,
        instance: &Instance<M>,
        count: u64,
        expected: Option<&ExpectedEvent<'_>>,
    ) {
        let session = self.session;
        self.context.announce_action(session.seed_of_action(instance));
        if let Some(source) = session.instrumentation.answers() {
            self.context.lock().begin(source, session.event_seed(instance, count));
        } else if self.session.replays() {
            // A body that was stopped is not run again: it asks nothing.
            let asks = expected.filter(|event| event.outcome != Outcome::Stopped);
            let effects = asks.map(|event| event.effects).unwrap_or_default().iter();
            let answers = effects.filter(|effect| effect.kind.is_question()).cloned();
            let answers: Vec<_> = answers.collect();
            self.limit_memory(expected);
            if answers.is_empty() {
                self.context.announce(Announcement::NoAnswers, count);
            } else {
                let source = EffectSource::Record { answers: answers.into_iter(), mismatch: None };
                self.context.lock().begin(source, session.event_seed(instance, count));
            }
        } else if M::RECORDS {
            self.context.announce(Announcement::WorldRecorded, count);
        } else {
            self.context.announce(Announcement::World, count);
        }
    }

    /// Replay: an event that used up its memory does so again.
    pub(crate) fn limit_memory(&self, expected: Option<&ExpectedEvent<'_>>) {
        if self.session.replays() {
            memory::limit_thread(match expected.and_then(|event| event.most_bytes) {
                Some(most_bytes) => MemoryLimit { most_bytes, ..self.session.memory },
                None => self.session.memory,
            });
        }
    }

    /// Runs the body. `expected` is the recorded event, in a replay.
    pub(crate) fn compute(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        expected: Option<&ExpectedEvent<'_>>,
    ) -> Result<(), Fault> {
        let program = self.session.program;
        let template = program.plan.template(instance.template);
        let layout = &program.layouts[instance.template.idx()];
        if self.session.replays() {
            if expected.is_some_and(|event| event.outcome == Outcome::Stopped) {
                return Err(Fault::Stopped);
            }
        } else if self.session.stop.is_set() {
            return Err(Fault::Stopped);
        }
        if self.session.instrumentation.assigns_again() && execution.had_effects {
            self.assign_again(instance, core, execution, StopPoint::Befcomp);
        }
        let captured = if M::RECORDS { self.captured(instance, execution.id.count) } else { Captured::NONE };
        if captured.before {
            execution.local_state().before = self.vars(template, layout);
        }
        if captured.around {
            let locked = core.locks.iter().map(|lock| lock.slot_idx);
            execution.local_state().shared_before = self.values_of(template, locked);
            execution.local_state().params = self.values_of(template, template.slots_of(SlotKind::Param));
            let bound = self.values_of(template, layout.bound.clone());
            // `()` is what the rules that were not taken would have bound.
            execution.local_state().bound =
                bound.into_iter().filter(|(_, value)| *value != Value::Unit).collect();
        }
        if let Some(body) = &template.body {
            self.run_body(instance, core, execution, body).map_err(Fault::from)?;
            if captured.around {
                execution.local_state().lets = self.lets(template, layout);
            }
            if !layout.routes_by_script {
                self.leave_scope(execution);
            }
        }
        Ok(())
    }

    /// Takes the values of the names back from the interpreter. Where somebody may look, what the body bound by `let` can
    /// still be seen and assigned at stop points.
    fn leave_scope(&mut self, execution: &Execution<M>) {
        let is_looked_at = M::CONTROLLED && self.session.board.is_some();
        if is_looked_at || self.session.instrumentation.assigns_again() && execution.had_effects {
            self.frame.leave_scope_keeping_lets();
        } else {
            self.frame.leave_scope();
        }
    }

    /// Checks of what the body left, and evaluation of the routing rules. What the body wrote to
    /// shared objects goes to `written`, by position of the lock; what is to be sent to `outgoing`.
    pub(crate) fn leave(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &Core<M>,
        execution: &mut Execution<M>,
        work: &mut Work,
    ) -> Result<(), Fault> {
        let program = self.session.program;
        let template = program.plan.template(instance.template);
        let layout = &program.layouts[instance.template.idx()];
        let captured = if M::RECORDS { self.captured(instance, execution.id.count) } else { Captured::NONE };
        (self.keeps_sent, self.keeps_receivers) = (captured.sent, captured.around);
        if captured.after {
            execution.local_state().after = self.vars(template, layout);
        }
        for lock in &core.locks {
            work.written.push(match lock.access {
                Access::Read => None,
                Access::Write => {
                    let slot = SlotId::from_idx(lock.slot_idx);
                    let name = &template.slots[lock.slot_idx].name;
                    let held = self.frame.get(slot);
                    let admitted = admit(held, &lock.object.ty, "the shared object", name, template.at);
                    Some(admitted.map_err(|error| CodeError {
                        at: self.assigned_at(template, name, template.body_script()),
                        ..error
                    })?)
                }
            });
        }
        if captured.around {
            let names = core.locks.iter().map(|lock| &template.slots[lock.slot_idx].name);
            let after = names
                .zip(work.written.iter())
                .filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
            execution.local_state().shared_after = after.collect();
        }
        self.route(instance, template, false)?;
        self.leave_scope(execution);
        for slot_idx in layout.vars.clone() {
            self.admit_var(template, slot_idx, template.body_script())?;
        }
        Ok(())
    }

    /// The vars by name, as far as they are values: functions are left out.
    pub(crate) fn vars(&self, template: &Template, layout: &Layout) -> Vec<(String, Value)> {
        self.values_of(template, layout.vars.clone())
    }

    fn values_of(&self, template: &Template, slots: impl Iterator<Item = usize>) -> Vec<(String, Value)> {
        let named = slots.filter_map(|slot_idx| {
            let held = self.frame.get(SlotId::from_idx(slot_idx));
            Some((template.slots[slot_idx].name.clone(), value_from_dynamic(held).ok()?))
        });
        named.collect()
    }

    /// What the body bound by `let`, or a native body set, as far as these are values.
    fn lets(&self, template: &Template, layout: &Layout) -> Vec<(String, Value)> {
        let mut lets = self.values_of(template, layout.lets.clone());
        let is_slot = |name: &str| template.slots[layout.lets.clone()].iter().any(|slot| slot.name == name);
        let bound = self.frame.lets().into_iter().filter(|(name, _)| !is_slot(name));
        lets.extend(bound.filter_map(|(name, held)| Some((name.to_owned(), value_from_dynamic(held).ok()?))));
        lets
    }

    pub(crate) fn run_body(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        body: &Body,
    ) -> Result<(), ScriptEnd> {
        if M::CONTROLLED
            && let Body::Script(script) = body
            && self.begin_walk(instance, core, execution, *script)
        {
            return self.run_walk(core, execution, *script);
        }
        self.call_body(instance, execution.rule, execution.id.count, body)
    }

    /// The same, where nobody wants to stop in it.
    pub(crate) fn call_body(
        &mut self,
        instance: &Instance<M>,
        rule: i32,
        count: u64,
        body: &Body,
    ) -> Result<(), ScriptEnd> {
        let program = self.session.program;
        match body {
            Body::Script(script) => {
                let machine = program.machines.get(script.idx()).and_then(Option::as_ref);
                let is_worth_it =
                    machine.is_some_and(|machine| routines::is_cheap_beside_interpreter(machine));
                let native = program.native_bodies[instance.template.idx()].as_ref().filter(|_| is_worth_it);
                if let Some(native) = native {
                    let at = program.plan.scripts[script.idx()].at;
                    match self.call_native(instance, rule, count, native, at) {
                        Err(ScriptEnd::GaveUp) => {}
                        ended => return ended,
                    }
                }
                self.interpret_body(instance)
            }
            Body::Native { at, .. } => {
                let native = program.native_bodies[instance.template.idx()].as_ref();
                let native = native.expect("a plan is loaded with all its native bodies");
                self.call_native(instance, rule, count, native, *at)
            }
        }
    }

    /// Runs a lowered body again that was interrupted as the batch of its worker was asked for, which has been laid down.
    pub(crate) fn run_again(
        &mut self,
        instance: &Instance<M>,
        rule: i32,
        count: u64,
    ) -> Result<(), ScriptEnd> {
        let program = self.session.program;
        let native = program.native_bodies[instance.template.idx()].as_ref();
        let script = program.plan.template(instance.template).body_script();
        if let (Some(native), Some(script)) = (native, script) {
            let at = program.plan.scripts[script.idx()].at;
            match self.call_native(instance, rule, count, native, at) {
                Err(ScriptEnd::GaveUp) => {}
                ended => return ended,
            }
        }
        self.interpret_body(instance)
    }

    /// Has the interpreter execute a body in Rhai.
    pub(crate) fn interpret_body(&mut self, instance: &Instance<M>) -> Result<(), ScriptEnd> {
        let program = self.session.program;
        let Some(script) = program.plan.template(instance.template).body_script() else { return Ok(()) };
        let (ast, text) = (&program.asts[script.idx()], &program.plan.scripts[script.idx()]);
        script::eval(&self.engine, ast, text, self.frame.enter_scope()).map(|_| ())
    }

    /// Calls a native body, or a lowered one.
    fn call_native(
        &mut self,
        instance: &Instance<M>,
        rule: i32,
        count: u64,
        native: &Registered,
        at: Location,
    ) -> Result<(), ScriptEnd> {
        let program = self.session.program;
        let body = BodyTemplate {
            template: program.plan.template(instance.template),
            layout: &program.layouts[instance.template.idx()],
            names: &program.layouts[instance.template.idx()].by_name,
            effects: self.context,
            unannounced: None,
            stop: &self.session.stop,
            facts: native.facts(),
        };
        let has_asked = Cell::new(false);
        let path_hash = instance.graph.path_hash;
        let seen = BodyInstance { index: instance.index.as_slice(), path_hash };
        let mut context = BodyContext {
            scope: BodyScope::Frame(&mut self.frame),
            template: &body,
            instance: &seen,
            rule,
            count,
            has_taken: false,
            has_asked: &has_asked,
        };
        native.run(&mut context, at).map_err(|end| *end)
    }

    /// Checks the type that a script left in a var, and tells the line that assigned it last.
    pub(crate) fn admit_var(
        &mut self,
        template: &Template,
        slot_idx: usize,
        script: Option<ScriptId>,
    ) -> Result<(), CodeError> {
        let slot = &template.slots[slot_idx];
        let held = &mut self.frame.slots_mut()[slot_idx];
        edge::admit_var(&slot.ty, held).map_err(|found| CodeError {
            code: "R0003",
            message: found.told_of("var", &slot.name, &slot.ty),
            at: self.assigned_at(template, &slot.name, script),
        })
    }

    /// Where a script assigns a name last; the node where there is no script.
    fn assigned_at(&self, template: &Template, name: &str, script: Option<ScriptId>) -> Location {
        let program = self.session.program;
        script.map_or(template.at, |script| {
            edge::last_assignment(&program.asts[script.idx()], &program.plan.scripts[script.idx()], name)
        })
    }
}
