//! The end of an event: what it says, its error, and the sending of its values.

use std::sync::Arc;

use hasse_body::convert::value_from_dynamic;
use hasse_body::edge::MAX_VALUE;
use hasse_body::output::{self, LinePlace, Note};
use hasse_body::script::CodeError;
use hasse_model::event::{Effect, EffectKind, Outcome};
use hasse_model::id::{EventId, GraphInstanceId};
use hasse_model::value::brief;
use hasse_record::event::Ending;
use hasse_record::instrumentation::Instrumentation;
use hasse_request::report::{MAX_MESSAGE, RunError, SeenValue};
use hasse_store::execution::{Execution, Fault, Work};
use hasse_store::instance::{Core, Instance};
use rhai::Dynamic;

use crate::fire::worker::Worker;
use crate::fire::worker::choices::EndedBody;

/// Where the lines of an event are in the output.
#[derive(Default)]
struct ControlDirective {
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

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Everything behind the routing rules: the end of the event, and the sending of its values.
    pub(crate) fn conclude(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        mut execution: Execution<M>,
        work: Work,
    ) {
        let session = self.session;
        let layout = &session.program.layouts[instance.template.idx()];
        let has_body = session.program.plan.template(instance.template).body.is_some();
        let Work { mut written, ended, .. } = work;
        let (mut outcome, mut error) = match ended {
            Ok(()) => (Outcome::Done, None),
            Err(Fault::Failed(error)) => (Outcome::Failed, Some(error)),
            Err(Fault::Stopped | Fault::Waits) => (Outcome::Stopped, None),
        };
        if outcome != Outcome::Done {
            self.outgoing.clear();
            self.routes_taken.clear();
            self.sent.clear();
            written.clear();
            core.has_failed = true;
        }
        if let Some(failed) = error.take() {
            (outcome, error) = self.handle(instance, core, &mut execution, failed);
        }
        // Most bodies say and ask nothing. One that was interrupted is not executed in a replay, which prints what it had printed.
        let is_left_out = self.session.replays() && outcome == Outcome::Stopped;
        let has_spoken = has_body && (self.context.is_used() || is_left_out);
        // Where a guard or the taking of values has failed, no lock was asked for.
        let n_held = execution.n_locks;
        self.frame.leave_scope();
        if M::CONTROLLED || self.session.instrumentation.assigns_again() {
            self.frame.forget_lets();
        }

        let ControlDirective { first_line, n_lines, early } = if has_spoken {
            self.tell(instance, &mut execution, outcome)
        } else {
            ControlDirective::default()
        };
        if self.session.replays() && !has_spoken && execution.had_effects {
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
        let prints = n_lines > 0 || !early.is_empty();
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
        effects.extend(execution.notes.drain(..));
        let mut sends_next = false;
        if let Some(controlled) = &mut execution.controlled {
            effects.append(&mut controlled.assigned);
            sends_next = controlled.sends_next;
        }
        if self.session.replays() && outcome == Outcome::Stopped {
            // Its body was not run again: what it had asked until it was stopped is in the record alone.
            let expected = session.instrumentation.expected(execution.id);
            let expected = expected.filter(|event| event.outcome == Outcome::Stopped);
            effects = expected.map_or(effects, |event| event.effects.to_vec());
        }
        if let Some(choices) = session.scheduler.by_choice() {
            let asks = effects.iter().any(|effect| effect.kind.is_question());
            self.tell_chooser(
                choices,
                instance,
                core,
                &execution,
                EndedBody { outcome, n_held, prints, asks },
            );
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
        if self.session.replays() {
            let mismatch = if has_spoken { self.context.lock().mismatch() } else { None };
            session.compare(instance, &execution, &ending, mismatch);
        }
        let stamp = session.instrumentation.stamp(&execution.draft);
        let known = execution.known;
        session.instrumentation.end(&mut self.notes, execution.draft, ending);
        self.clear_bound(layout.bound.clone().chain(layout.shared.clone()).chain(layout.lets.clone()));
        // Values of earlier events may still wait for room.
        self.held_back = core.held_back.take();
        self.deliver(instance, &stamp, &known, sends_next);
        core.held_back = self.held_back.take();
    }

    /// Says what the event has to say: its lines and its results.
    fn tell(
        &mut self,
        instance: &Instance<M>,
        execution: &mut Execution<M>,
        outcome: Outcome,
    ) -> ControlDirective {
        let session = self.session;
        let keeps = M::RECORDS && self.captured(instance, execution.id.count).around;
        let mut context = self.context.lock();
        // Where the event has ended and its lines are written now, its notes are with them.
        let takes_notes = M::CONTROLLED && (self.session.replays() || outcome == Outcome::Stopped);
        let notes = if takes_notes { std::mem::take(&mut context.notes) } else { Vec::new() };
        let past = if M::CONTROLLED { self.past_lines(execution) } else { 0 };
        if outcome == Outcome::Stopped {
            session.output.note(past, notes.into_iter().map(|(_, note)| note));
            return if self.session.replays() {
                let expected = session.instrumentation.expected(execution.id);
                let early: Vec<Effect> = expected.map(|event| early_notes(event.effects)).unwrap_or_default();
                for (first_line, mut lines) in early.iter().filter_map(output::lines_of) {
                    session.output.replay_lines(&mut lines, session.place_of_block(first_line));
                }
                ControlDirective { early, ..ControlDirective::default() }
            } else {
                context.take_from_before();
                let blocks = context.close();
                ControlDirective { early: context.notes_of(&blocks), ..ControlDirective::default() }
            };
        }
        if keeps {
            execution.local_state().lines.clone_from(&context.lines);
            if outcome == Outcome::Done {
                execution.local_state().results.clone_from(&context.results);
            }
        }
        let told = if self.session.replays() {
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
            ControlDirective { first_line, n_lines, early }
        } else {
            context.flush(&session.output);
            let mut blocks = context.close();
            let last = blocks.pop();
            let early = if M::RECORDS { context.notes_of(&blocks) } else { Vec::new() };
            let n_lines = last.map_or(0, |block| block.n_lines);
            ControlDirective { first_line: last.map(|block| block.first_line), n_lines, early }
        };
        if outcome == Outcome::Done && !context.results.is_empty() {
            let path = session.event_path(instance, execution.id.count);
            let orders_results = session.program.plan.orders_results;
            let known = orders_results.then_some(&execution.known);
            session.results.set(&mut context.results, execution.id, &path, known);
            if orders_results {
                execution.known.note(execution.id);
            }
        }
        told
    }

    /// An error of the program at an event, with what the event saw.
    pub(crate) fn run_error(&self, instance: &Instance<M>, id: EventId, error: &CodeError) -> RunError {
        let values = self
            .frame
            .entries()
            .filter(|(_, held)| !held.is_unit())
            .map(|(name, held)| seen(name, held))
            .collect();
        RunError {
            code: error.code,
            event: self.session.event_path(instance, id.count),
            message: brief(&error.message, MAX_MESSAGE),
            at: error.at,
            values,
        }
    }

    pub(crate) fn clear_bound(&mut self, slots: impl Iterator<Item = usize>) {
        for slot_idx in slots {
            self.frame.set(slot_idx, Dynamic::UNIT);
        }
    }
}
