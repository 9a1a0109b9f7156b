//! One execution of an instance: locks, body, routing, ending.

use std::sync::Arc;

use hasse_model::event::Outcome;
use hasse_model::id::{EventId, GraphInstanceId, SlotId};
use hasse_model::plan::Access;
use hasse_model::value::{Type, Value};
use rhai::Dynamic;

use crate::body::convert::{dynamic_from_value, value_from_dynamic};
use crate::body::script::{self, CodeError, ScriptEnd};
use crate::effects::EffectSource;
use crate::instance::{Core, Instance};
use crate::instrumentation::{Ending, Instrumentation, ResultOrder};
use crate::memory::{self, MemoryLimit};
use crate::report::RunError;
use crate::scheduler::Scheduler;
use crate::token::Version;
use crate::worker::{Ready, Worker};

/// An execution that has taken its values.
pub(crate) struct Execution<M: Instrumentation, K: ResultOrder> {
    pub(crate) id: EventId,
    /// Position of the firing rule taken, or -1.
    pub(crate) rule: i32,
    pub(crate) draft: M::Draft,
    pub(crate) known: K,
    /// Number of locks held; beyond, the lock that is asked for next.
    pub(crate) n_locks: usize,
    /// What was bound, by slot, while the execution waits for a lock.
    pub(crate) bound: Vec<(usize, Dynamic)>,
    /// An error that came up before the body: a guard or `init` that failed.
    pub(crate) early_error: Option<CodeError>,
}

/// How far an execution got.
pub(crate) enum Progress<M: Instrumentation, K: ResultOrder> {
    Ended,
    /// It waits for a lock.
    Waits(Box<Execution<M, K>>),
}

/// Why a body gave no result.
enum Fault {
    Failed(CodeError),
    Stopped,
}

impl From<CodeError> for Fault {
    fn from(error: CodeError) -> Self {
        if error.is_interruption() { Fault::Stopped } else { Fault::Failed(error) }
    }
}

impl<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Worker<'_, '_, M, K, S> {
    /// Carries an execution on: from its first lock, or from the one that was just granted.
    pub(crate) fn execute(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        core: &mut Core<M, K>,
        mut execution: Execution<M, K>,
    ) -> Progress<M, K> {
        let session = self.session;
        while execution.early_error.is_none() && execution.n_locks < core.locks.len() {
            let lock = &core.locks[execution.n_locks];
            let expected = if M::REPLAYS { self.expected_version(&execution) } else { None };
            if !lock.object.acquire(instance, lock.access, expected) {
                return Progress::Waits(Box::new(execution));
            }
            execution.n_locks += 1;
        }
        self.scheduler_pause();
        let n_held = if execution.early_error.is_some() { 0 } else { core.locks.len() };
        for lock in &core.locks[..n_held] {
            let object = &lock.object;
            let grant = object.granted(lock.access);
            session.instrumentation.announce_object(&mut self.notes, object);
            session.instrumentation.access(&mut execution.draft, object.id, lock.access, &grant.mark);
            execution.known.merge(&grant.known);
            self.frame.set(lock.slot_idx, dynamic_from_value(grant.value));
        }
        self.run_locked(instance, core, execution, n_held);
        Progress::Ended
    }

    fn expected_version(&self, execution: &Execution<M, K>) -> Option<Version> {
        let expected = self.session.instrumentation.expected(execution.id)?;
        let access = expected.shared.get(execution.n_locks)?;
        Some(Version { writer: access.writer, readers: access.readers })
    }

    /// Everything from the body to the sending of values, with the first `n_held` locks held.
    fn run_locked(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        core: &mut Core<M, K>,
        mut execution: Execution<M, K>,
        n_held: usize,
    ) {
        let session = self.session;
        let layout = &session.program.layouts[instance.template.idx()];
        self.frame.set(layout.rule, Dynamic::from_int(i64::from(execution.rule)));
        self.frame.set(layout.count, Dynamic::from_int(execution.id.count as i64));
        // Only a body can say or ask anything.
        let has_body = session.program.plan.template(instance.template).body.is_some();
        if has_body {
            self.begin_context(instance, &execution);
        }

        self.outgoing.clear();
        self.routes_taken.clear();
        let mut written = Vec::new();
        let ended = match execution.early_error.take() {
            Some(error) => Err(Fault::from(error)),
            None => self.compute(instance, core, &execution, &mut written),
        };
        let (outcome, error) = match ended {
            Ok(()) => (Outcome::Done, None),
            Err(Fault::Failed(error)) => (Outcome::Failed, Some(error)),
            Err(Fault::Stopped) => (Outcome::Stopped, None),
        };
        if outcome != Outcome::Done {
            self.outgoing.clear();
            self.routes_taken.clear();
            written.clear();
            core.has_failed = true;
        }
        if let Some(error) = &error {
            self.report(instance, execution.id, error);
        }
        self.frame.leave_scope();

        let first_line = if has_body { self.tell(instance, &mut execution, outcome) } else { None };
        core.known = execution.known.clone();
        self.release(core, &execution, n_held, &mut written);
        self.n_events += 1;

        let effects = if M::RECORDS && has_body { self.context.lock().take_log() } else { Vec::new() };
        let ending = Ending {
            template: instance.template,
            graph: &instance.graph,
            index: &instance.index,
            routes: &self.routes_taken,
            flow_successors: self.outgoing.len() as u64,
            outcome,
            effects,
            first_line,
            error: error.map(|error| error.message),
        };
        if M::REPLAYS {
            let mismatch = if has_body { self.context.lock().mismatch() } else { None };
            session.compare(instance, &execution, &ending, mismatch);
        }
        let stamp = session.instrumentation.stamp(&execution.draft);
        let known = execution.known;
        session.instrumentation.end(&mut self.notes, execution.draft, ending);
        let is_stop = session.program.plan.template(instance.template).is_stop;
        if is_stop && execution.id.count == 1 && instance.graph.id == GraphInstanceId::MAIN {
            session.end_by_stop_node();
        }
        self.clear_bound(layout.bound.clone().chain(layout.shared.clone()));
        self.deliver(&stamp, &known);
    }

    fn begin_context(&mut self, instance: &Instance<M, K>, execution: &Execution<M, K>) {
        let source = if M::REPLAYS {
            let expected = self.session.instrumentation.expected(execution.id);
            let answers = expected.map(|event| event.effects.to_vec()).unwrap_or_default();
            memory::limit_thread(match expected.and_then(|event| event.most_bytes) {
                Some(most_bytes) => MemoryLimit { most_bytes, ..self.session.memory },
                None => self.session.memory,
            });
            EffectSource::Record { answers: answers.into_iter(), mismatch: None }
        } else if M::RECORDS {
            EffectSource::WorldRecorded
        } else {
            EffectSource::World
        };
        let seed = self.session.event_seed(instance, execution.id.count);
        self.context.lock().begin(source, seed);
    }

    /// Body, checks of what it left, and evaluation of the routing rules. What the body wrote to
    /// shared objects goes to `written`, by position of the lock; what is to be sent to `outgoing`.
    fn compute(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        core: &Core<M, K>,
        execution: &Execution<M, K>,
        written: &mut Vec<Option<Value>>,
    ) -> Result<(), Fault> {
        let program = self.session.program;
        let template = program.plan.template(instance.template);
        let layout = &program.layouts[instance.template.idx()];
        if M::REPLAYS {
            let expected = self.session.instrumentation.expected(execution.id);
            if expected.is_some_and(|event| event.outcome == Outcome::Stopped) {
                return Err(Fault::Stopped);
            }
        } else if self.session.stop.is_set() {
            return Err(Fault::Stopped);
        }
        if let Some(body) = template.body {
            let text = &program.plan.scripts[body.idx()];
            let ended = script::eval(&self.engine, &program.asts[body.idx()], text, self.frame.enter_scope());
            match ended {
                Ok(_) => {}
                Err(ScriptEnd::Failed(error)) => return Err(Fault::Failed(error)),
                Err(ScriptEnd::Interrupted) => return Err(Fault::Stopped),
            }
            if !layout.routes_by_script {
                self.frame.leave_scope();
            }
        }
        for lock in &core.locks {
            written.push(match lock.access {
                Access::Read => None,
                Access::Write => {
                    let slot = SlotId::from_idx(lock.slot_idx);
                    let name = &template.slots[lock.slot_idx].name;
                    Some(admit(
                        self.frame.get(slot),
                        &lock.object.ty,
                        "the shared object",
                        name,
                        template.at,
                    )?)
                }
            });
        }
        self.route(instance, template)?;
        self.frame.leave_scope();
        for slot_idx in layout.vars.clone() {
            let slot = &template.slots[slot_idx];
            self.admit_var(slot_idx, &slot.ty).map_err(|found| CodeError {
                code: "R0003",
                message: format!("var `{}` of type {} was left with a {found}", slot.name, slot.ty),
                at: template.at,
            })?;
        }
        Ok(())
    }

    /// Checks the type that a body left in a var; of an array it checks that it is one, and leaves
    /// its items to the port through which they are sent.
    fn admit_var(&mut self, slot_idx: usize, ty: &Type) -> Result<(), String> {
        let held = &mut self.frame.slots_mut()[slot_idx];
        let fits = match ty {
            Type::Int => held.is_int(),
            Type::Real => {
                if let Ok(number) = held.as_int() {
                    *held = Dynamic::from_float(number as f64);
                }
                held.is_float()
            }
            Type::Bool => held.is_bool(),
            Type::Char => held.is_char(),
            Type::String => held.is_string(),
            Type::Array(_) => held.is_array(),
            Type::Bytes => held.is_blob(),
            Type::Vector | Type::Matrix | Type::Any => {
                let value = value_from_dynamic(held)?;
                *ty == Type::Any || ty.admit(value).is_some()
            }
        };
        if fits { Ok(()) } else { Err(value_from_dynamic(held)?.to_string()) }
    }

    /// Says what the event has to say: its lines and its results.
    fn tell(
        &mut self,
        instance: &Instance<M, K>,
        execution: &mut Execution<M, K>,
        outcome: Outcome,
    ) -> Option<u64> {
        let session = self.session;
        let mut context = self.context.lock();
        if outcome == Outcome::Stopped {
            return None;
        }
        let first_line = if M::REPLAYS {
            let expected = session.instrumentation.expected(execution.id).and_then(|event| event.first_line);
            session.output.replay_lines(&mut context.lines, expected);
            expected
        } else {
            session.output.write_lines(&context.lines)
        };
        if outcome == Outcome::Done && !context.results.is_empty() {
            let path = session.event_path(instance, execution.id.count);
            session.results.set(&mut context.results, execution.id, &path, &execution.known);
            execution.known.note(execution.id);
        }
        first_line
    }

    fn release(
        &mut self,
        core: &Core<M, K>,
        execution: &Execution<M, K>,
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

    /// Notes an error of the program at an event.
    pub(crate) fn report(&mut self, instance: &Instance<M, K>, id: EventId, error: &CodeError) {
        let values = self
            .frame
            .entries()
            .filter(|(_, held)| !held.is_unit())
            .map(|(name, held)| {
                let shown = value_from_dynamic(held).map_or_else(|found| found, |value| value.to_string());
                (name.to_owned(), shown)
            })
            .collect();
        self.session.errors.lock().push(RunError {
            code: error.code,
            event: self.session.event_path(instance, id.count),
            message: error.message.clone(),
            at: error.at,
            values,
        });
    }

    fn clear_bound(&mut self, slots: impl Iterator<Item = usize>) {
        for slot_idx in slots {
            self.frame.set(slot_idx, Dynamic::UNIT);
        }
    }
}

/// The value of what a body left, as one of the type; or an error that names it.
pub(crate) fn admit(
    held: &Dynamic,
    ty: &Type,
    what: &str,
    name: &str,
    at: hasse_model::diagnostic::Location,
) -> Result<Value, CodeError> {
    let value = value_from_dynamic(held).map_err(|found| CodeError {
        code: "R0003",
        message: format!("{what} `{name}` of type {ty} cannot hold a {found}"),
        at,
    })?;
    let shown = || value_shown(&value);
    let message = format!("{what} `{name}` of type {ty} cannot hold {}", shown());
    ty.admit(value).ok_or(CodeError { code: "R0003", message, at })
}

fn value_shown(value: &Value) -> String {
    format!("the {} {value}", value.type_name())
}
