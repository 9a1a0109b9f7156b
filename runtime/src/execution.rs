//! One execution of an instance: locks, stop points, ending. Its body is in `compute`, its routing in `route`.

use std::sync::Arc;

use hasse_model::event::{Effect, EffectKind, LocalState, Outcome};
use hasse_model::id::{EventId, GraphInstanceId, ObjectId};
use hasse_model::value::{Value, brief};
use rhai::Dynamic;

use crate::body::convert::{dynamic_from_value, value_from_dynamic};
use crate::body::script::{CodeError, ScriptEnd};
use crate::control::{Controlled, StopPoint, Stopped, Why};
use crate::instance::{Core, Instance};
use crate::instrumentation::{Ending, Instrumentation, ResultOrder};
use crate::output::{self, LinePlace, Note};
use crate::report::{MAX_MESSAGE, MAX_VALUE, RunError, SeenValue};
use crate::route::Outgoing;
use crate::shared::Turn;
use crate::token::Version;
use crate::worker::Worker;

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
    /// Values that are kept with the record.
    pub(crate) local: Option<Box<LocalState>>,
    /// In a controlled run.
    pub(crate) controlled: Option<Box<Controlled>>,
}

/// What an execution has come to so far, from its body on.
pub(crate) struct Work {
    /// What the body wrote to shared objects, by position of the lock.
    pub(crate) written: Vec<Option<Value>>,
    pub(crate) ended: Result<(), Fault>,
    /// Kept here while the action is stopped; else with the worker, which uses the memory again.
    pub(crate) outgoing: Vec<Outgoing>,
    routes_taken: Vec<u32>,
    pub(crate) sent: Vec<(String, Value)>,
}

impl Work {
    pub(crate) fn new() -> Self {
        Self {
            written: Vec::new(),
            ended: Ok(()),
            outgoing: Vec::new(),
            routes_taken: Vec::new(),
            sent: Vec::new(),
        }
    }
}

impl<M: Instrumentation, K: ResultOrder> Execution<M, K> {
    pub(crate) fn local_state(&mut self) -> &mut LocalState {
        self.local.get_or_insert_default()
    }
}

/// Where the lines of an event are in the output.
#[derive(Default)]
struct Told {
    /// Position of the first one that was printed at the end.
    first_line: Option<u64>,
    /// Number of those.
    n_lines: usize,
    /// Notes of those before, where lines of other events came between.
    early: Vec<Effect>,
}

/// A value that an event saw, in the report of its error.
fn seen(name: &str, held: &Dynamic) -> SeenValue {
    let without_value = |text| SeenValue { name: name.to_owned(), text, value: None };
    // A long text is not copied as a whole, as there may be no memory left for that.
    if let Some(text) = held.read_lock::<rhai::ImmutableString>()
        && text.len() > MAX_VALUE
    {
        return without_value(brief(&format_args!("{:?}", text.as_str()), MAX_VALUE));
    }
    value_from_dynamic(held).map_or_else(without_value, |value| SeenValue::new(name, &value))
}

/// The notes of lines printed before the end, of a recorded event.
fn early_notes(effects: &[Effect]) -> Vec<Effect> {
    effects.iter().filter(|effect| effect.kind == EffectKind::Printed).cloned().collect()
}

/// How far an execution got.
pub(crate) enum Progress<M: Instrumentation, K: ResultOrder> {
    Ended,
    /// It waits for a lock.
    Waits(Box<Execution<M, K>>),
    /// Its action is stopped.
    Stopped(Box<Execution<M, K>>),
}

/// Why a body gave no result.
pub(crate) enum Fault {
    Failed(CodeError),
    Stopped,
}

impl From<CodeError> for Fault {
    fn from(error: CodeError) -> Self {
        if error.is_interruption() { Fault::Stopped } else { Fault::Failed(error) }
    }
}

impl From<ScriptEnd> for Fault {
    fn from(end: ScriptEnd) -> Self {
        Self::from(CodeError::from(end))
    }
}

impl<M: Instrumentation, K: ResultOrder> Worker<'_, '_, M, K> {
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
            let turn = if M::REPLAYS { self.turn(&execution, lock.object.id) } else { Turn::Any };
            if !lock.object.acquire(instance, lock.access, turn) {
                return Progress::Waits(Box::new(execution));
            }
            execution.n_locks += 1;
        }
        if execution.n_locks > 0 && session.begins_no_more() {
            self.give_up_locks(core, &mut execution);
            return Progress::Waits(Box::new(execution));
        }
        self.scheduler_pause();
        let n_held = if execution.early_error.is_some() { 0 } else { core.locks.len() };
        for lock in &core.locks[..n_held] {
            let object = &lock.object;
            session.instrumentation.announce_object(&mut self.notes, &execution.draft, object);
            let (draft, controlled) = (&mut execution.draft, &mut execution.controlled);
            let grant = object.granted(lock.access, |mark| {
                session.instrumentation.access(draft, object.id, lock.access, mark);
                if M::CONTROLLED
                    && let Some(controlled) = controlled
                {
                    controlled.writers.extend(M::version(mark).writer);
                }
            });
            execution.known.merge(&grant.known);
            self.frame.set(lock.slot_idx, dynamic_from_value(grant.value));
        }
        session.instrumentation.settle(&mut execution.draft, &mut core.keep);
        let layout = &session.program.layouts[instance.template.idx()];
        self.frame.set(layout.rule, Dynamic::from_int(i64::from(execution.rule)));
        self.frame.set(layout.count, Dynamic::from_int(execution.id.count as i64));
        let mut work = Work::new();
        if M::CONTROLLED && execution.early_error.is_none() {
            let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Befcomp);
            if !reasons.is_empty() {
                return self.stopped(instance, execution, StopPoint::Befcomp, work, reasons);
            }
        }
        self.begin_work(instance, core, &mut execution, &mut work);
        self.go_on(instance, core, execution, work, StopPoint::Befcomp)
    }

    /// The stop node has executed before all objects were granted: the execution has not begun, and waits for ever.
    #[cold]
    fn give_up_locks(&mut self, core: &Core<M, K>, execution: &mut Execution<M, K>) {
        let session = self.session;
        for lock in &core.locks[..execution.n_locks] {
            lock.object.give_up(lock.access, |granted| session.make_ready(&mut self.local, granted));
        }
        execution.n_locks = 0;
    }

    fn stopped(
        &mut self,
        instance: &Instance<M, K>,
        mut execution: Execution<M, K>,
        point: StopPoint,
        work: Work,
        reasons: Vec<Why>,
    ) -> Progress<M, K> {
        self.put_aside(instance, &mut execution, point, work, reasons);
        Progress::Stopped(Box::new(execution))
    }

    /// Carries an execution on from where its action was stopped. The worker is given its scope again.
    pub(crate) fn resume(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        core: &mut Core<M, K>,
        mut execution: Execution<M, K>,
        stopped: Stopped,
    ) -> Progress<M, K> {
        self.frame = stopped.frame;
        *self.context.lock() = stopped.context;
        let mut work = stopped.work;
        if stopped.point == StopPoint::Befcomp {
            self.begin_work(instance, core, &mut execution, &mut work);
        } else {
            self.limit_memory(&execution);
            self.outgoing = std::mem::take(&mut work.outgoing);
            self.routes_taken = std::mem::take(&mut work.routes_taken);
            self.sent = std::mem::take(&mut work.sent);
        }
        self.go_on(instance, core, execution, work, stopped.point)
    }

    /// The body.
    fn begin_work(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        core: &mut Core<M, K>,
        execution: &mut Execution<M, K>,
        work: &mut Work,
    ) {
        // Only a body can say or ask anything.
        if self.session.program.plan.template(instance.template).body.is_some() {
            self.begin_context(instance, execution);
        }
        self.outgoing.clear();
        self.routes_taken.clear();
        self.sent.clear();
        self.receivers.clear();
        self.passed.clear();
        self.created.clear();
        work.ended = match execution.early_error.take() {
            Some(error) => Err(Fault::from(error)),
            None => {
                self.begin_body(instance, execution.id.count, 0);
                let computed = self.compute(instance, core, execution);
                self.end_body();
                computed
            }
        };
    }

    /// Everything behind a stop point, up to the next at which the action stops.
    fn go_on(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        core: &mut Core<M, K>,
        mut execution: Execution<M, K>,
        mut work: Work,
        behind: StopPoint,
    ) -> Progress<M, K> {
        if behind == StopPoint::Befcomp && work.ended.is_ok() {
            if M::CONTROLLED {
                let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Aftcomp);
                if !reasons.is_empty() {
                    return self.stopped(instance, execution, StopPoint::Aftcomp, work, reasons);
                }
            }
            if M::ASSIGNS_AGAIN {
                self.assign_again(instance, core, &mut execution, StopPoint::Aftcomp);
            }
        }
        if matches!(behind, StopPoint::Befcomp | StopPoint::Aftcomp) && work.ended.is_ok() {
            self.begin_body(instance, execution.id.count, 0);
            work.ended = self.leave(instance, core, &mut execution, &mut work);
            self.end_body();
            if M::CONTROLLED && work.ended.is_ok() {
                let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Send);
                if !reasons.is_empty() {
                    self.keep(&mut work);
                    return self.stopped(instance, execution, StopPoint::Send, work, reasons);
                }
            }
        }
        if M::CONTROLLED && behind != StopPoint::Failed && matches!(work.ended, Err(Fault::Failed(_))) {
            let reasons = self.is_to_stop(instance, core, &mut execution, StopPoint::Failed);
            if !reasons.is_empty() {
                self.keep(&mut work);
                return self.stopped(instance, execution, StopPoint::Failed, work, reasons);
            }
        }
        self.conclude(instance, core, execution, work);
        Progress::Ended
    }

    /// Puts what the worker holds of an execution to its work.
    fn keep(&mut self, work: &mut Work) {
        work.outgoing = std::mem::take(&mut self.outgoing);
        work.routes_taken = std::mem::take(&mut self.routes_taken);
        work.sent = std::mem::take(&mut self.sent);
    }

    /// When the record lets an execution have its next lock, that of `object`.
    fn turn(&self, execution: &Execution<M, K>, object: ObjectId) -> Turn {
        let expected = self.session.instrumentation.expected(execution.id);
        let access = if self.tells_choices() {
            let told = expected.and_then(|event| event.shared().find(|access| access.object == object));
            let Some(access) = told else { return Turn::Any };
            access
        } else {
            let Some(access) = expected.and_then(|event| event.shared().nth(execution.n_locks)) else {
                return Turn::Never;
            };
            access
        };
        Turn::At(Version::in_record(&access))
    }

    /// Everything behind the routing rules: the end of the event, and the sending of its values.
    pub(crate) fn conclude(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        core: &mut Core<M, K>,
        mut execution: Execution<M, K>,
        work: Work,
    ) {
        let session = self.session;
        let layout = &session.program.layouts[instance.template.idx()];
        let has_body = session.program.plan.template(instance.template).body.is_some();
        let Work { mut written, ended, .. } = work;
        let (outcome, error) = match ended {
            Ok(()) => (Outcome::Done, None),
            Err(Fault::Failed(error)) => (Outcome::Failed, Some(error)),
            Err(Fault::Stopped) => (Outcome::Stopped, None),
        };
        // Most bodies say and ask nothing. One that was interrupted is not executed in a replay, which prints what it had printed.
        let is_left_out = M::REPLAYS && outcome == Outcome::Stopped;
        let has_spoken = has_body && (self.context.is_used() || is_left_out);
        if outcome != Outcome::Done {
            self.outgoing.clear();
            self.routes_taken.clear();
            self.sent.clear();
            written.clear();
            core.has_failed = true;
        }
        // Where a guard or the taking of values has failed, no lock was asked for.
        let n_held = execution.n_locks;
        if let Some(error) = &error {
            self.report(instance, execution.id, error);
        }
        self.frame.leave_scope();
        if M::CONTROLLED || M::ASSIGNS_AGAIN {
            self.frame.forget_lets();
        }

        let Told { first_line, n_lines, early } =
            if has_spoken { self.tell(instance, &mut execution, outcome) } else { Told::default() };
        if M::REPLAYS && !has_spoken {
            // Its body was changed and prints nothing: others wait for its turns.
            let expected = session.instrumentation.expected(execution.id);
            let early = expected.map(|event| early_notes(event.effects)).unwrap_or_default();
            for (first_line, _) in early.iter().filter_map(output::lines_of) {
                session.output.replay_lines(&mut Vec::new(), session.place_of_block(first_line));
            }
            if let (Some(place), _) = session.line_place(&execution.draft, execution.id, 0) {
                session.output.replay_lines(&mut Vec::new(), place);
            }
        }
        session.instrumentation.told(&mut execution.draft, &mut core.keep, first_line, n_lines);
        let is_stop = session.program.plan.template(instance.template).is_stop;
        if is_stop && execution.id.count == 1 && instance.graph.id == GraphInstanceId::MAIN {
            session.end_by_stop_node();
        }
        core.known = execution.known.clone();
        self.release(core, &execution, n_held, &mut written);
        self.n_events += 1;

        let mut effects = if M::RECORDS && has_spoken { self.context.lock().take_log() } else { Vec::new() };
        if M::RECORDS {
            effects.extend(early);
        }
        let mut sends_next = false;
        if let Some(controlled) = &mut execution.controlled {
            effects.append(&mut controlled.assigned);
            sends_next = controlled.sends_next;
        }
        if M::REPLAYS && outcome == Outcome::Stopped {
            // Its body was not run again: what it had asked until it was stopped is in the record alone.
            let expected = session.instrumentation.expected(execution.id);
            let expected = expected.filter(|event| event.outcome == Outcome::Stopped);
            effects = expected.map_or(effects, |event| event.effects.to_vec());
        }
        // An event of which values are wanted has them also where there are none.
        if M::RECORDS && self.captured(instance, execution.id.count).is_any() {
            let local = execution.local_state();
            local.sent = std::mem::take(&mut self.sent);
            local.receivers = std::mem::take(&mut self.receivers);
        }
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
            local: execution.local.take(),
        };
        if M::REPLAYS {
            let mismatch = if has_spoken { self.context.lock().mismatch() } else { None };
            session.compare(instance, &execution, &ending, mismatch);
        }
        let stamp = session.instrumentation.stamp(&execution.draft);
        let known = execution.known;
        session.instrumentation.end(&mut self.notes, execution.draft, ending);
        self.clear_bound(layout.bound.clone().chain(layout.shared.clone()).chain(layout.lets.clone()));
        self.deliver(instance, &stamp, &known, sends_next);
    }

    /// Says what the event has to say: its lines and its results.
    fn tell(&mut self, instance: &Instance<M, K>, execution: &mut Execution<M, K>, outcome: Outcome) -> Told {
        let session = self.session;
        let keeps = M::RECORDS && self.captured(instance, execution.id.count).around;
        let mut context = self.context.lock();
        // Where the event has ended and its lines are written now, its notes are with them.
        let takes_notes = M::CONTROLLED && (M::REPLAYS || outcome == Outcome::Stopped);
        let notes = if takes_notes { std::mem::take(&mut context.notes) } else { Vec::new() };
        let past = if M::CONTROLLED { self.past_lines(execution) } else { 0 };
        if outcome == Outcome::Stopped {
            session.output.note(past, notes.into_iter().map(|(_, note)| note));
            return if M::REPLAYS {
                let expected = session.instrumentation.expected(execution.id);
                let early: Vec<Effect> = expected.map(|event| early_notes(event.effects)).unwrap_or_default();
                for (first_line, mut lines) in early.iter().filter_map(output::lines_of) {
                    session.output.replay_lines(&mut lines, session.place_of_block(first_line));
                }
                Told { early, ..Told::default() }
            } else {
                let blocks = context.close();
                Told { early: context.notes_of(&blocks), ..Told::default() }
            };
        }
        if keeps {
            execution.local_state().lines.clone_from(&context.lines);
            if outcome == Outcome::Done {
                execution.local_state().results.clone_from(&context.results);
            }
        }
        let told = if M::REPLAYS {
            let expected = session.instrumentation.expected(execution.id);
            let early = expected.map(|event| early_notes(event.effects)).unwrap_or_default();
            let n_said = context.lines.len();
            let mut last_block = None;
            for (first_line, recorded) in early.iter().filter_map(output::lines_of) {
                let n_lines = recorded.len().min(context.lines.len());
                let others = context.lines.split_off(n_lines);
                let place = session.place_of_block(first_line);
                session.output.replay_lines(&mut context.lines, place);
                context.lines = others;
                last_block = Some(first_line);
            }
            let n_lines = context.lines.len();
            let n_early = n_said - n_lines;
            let (place, first_line) = session.line_place(&execution.draft, execution.id, n_lines);
            // Lines that were added to a body come after its own.
            let place = match (place, last_block) {
                (Some(LinePlace::After(_)), Some(last_block)) => Some(LinePlace::After(Some(last_block))),
                (place, _) => place,
            };
            let first_of_lines = first_line.filter(|_| n_lines > 0);
            if M::CONTROLLED && session.board.is_some() {
                let end = first_of_lines.map_or(0, |first| first + n_lines as u64);
                session.output.note_end(execution.id, past.max(end));
            }
            if !notes.is_empty() {
                let after = |(n_before, note): (usize, Note)| (n_before.saturating_sub(n_early), note);
                let notes = notes.into_iter().map(after).collect();
                session.output.replay_notes(first_of_lines, past, notes);
            }
            if let Some(place) = place {
                session.output.replay_lines(&mut context.lines, place);
            }
            Told { first_line, n_lines, early }
        } else {
            context.flush(&session.output);
            let mut blocks = context.close();
            let last = blocks.pop();
            let early = if M::RECORDS { context.notes_of(&blocks) } else { Vec::new() };
            let n_lines = last.map_or(0, |block| block.n_lines);
            Told { first_line: last.map(|block| block.first_line), n_lines, early }
        };
        if outcome == Outcome::Done && !context.results.is_empty() {
            let path = session.event_path(instance, execution.id.count);
            session.results.set(&mut context.results, execution.id, &path, &execution.known);
            execution.known.note(execution.id);
        }
        told
    }

    pub(crate) fn release(
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
            .map(|(name, held)| seen(name, held))
            .collect();
        self.session.errors.lock().push(RunError {
            code: error.code,
            event: self.session.event_path(instance, id.count),
            message: brief(&error.message, MAX_MESSAGE),
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
