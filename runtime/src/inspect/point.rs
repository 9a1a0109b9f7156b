//! The stop points of an execution: what the user has asked for there, and stopping.
//!
//! A stopped execution keeps all that its worker held of it, so that any worker can go on with it (Hyder 1994,
//! sections 5.5 and 7.1.1: the field `CurAt` of an action). Locks that it was granted stay granted.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::edge::MAX_VALUE;
use hasse_body::output::Note;
use hasse_breakpoint::breakpoint::{LogPart, Place, PointCommand, Reaction};
use hasse_code::frame::Frame;
use hasse_model::event::{Effect, EffectKind};
use hasse_model::id::EventId;
use hasse_model::plan::Access;
use hasse_model::value::{Value, brief};
use hasse_record::instrumentation::Instrumentation;
use hasse_request::control::armed::Armed;
use hasse_request::control::board::Board;
use hasse_store::execution::{Execution, Stopped, Work};
use hasse_store::instance::{Core, Instance};
use hasse_store::outgoing::Created;
use rhai::Dynamic;

use crate::fire::walk::queries;
use crate::fire::worker::Worker;
use crate::inspect::scene::Scene;

pub(crate) use hasse_request::control::command::{ActionCommand, GlobalCommand};
pub(crate) use hasse_request::control::news::{News, Part, Printed, Said};
pub(crate) use hasse_request::control::state::StopPoint;
pub(crate) use hasse_request::control::state::Why;

/// Notes an assignment by the user with the effects of an event, so that a replay makes it again.
pub(crate) fn assignment(point: StopPoint, name: &str, value: Value) -> Effect {
    let answer = vec![Value::String(point.name().into()), Value::String(name.into()), value];
    Effect { kind: EffectKind::Assigned, answer: Ok(Value::Array(Arc::new(answer))) }
}

/// What was assigned at a stop point, of a recorded event.
pub(crate) fn assigned_at(effects: &[Effect], point: StopPoint) -> impl Iterator<Item = (&str, &Value)> {
    let parts = effects.iter().filter(|effect| effect.kind == EffectKind::Assigned);
    parts.filter_map(move |effect| match &effect.answer {
        Ok(Value::Array(parts)) => match parts.as_slice() {
            [Value::String(at), Value::String(name), value] if **at == *point.name() => {
                Some((&**name, value))
            }
            _ => None,
        },
        _ => None,
    })
}

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// The board, where the run is controlled.
    pub(crate) fn board(&self) -> Option<&'s Board> {
        if M::CONTROLLED { self.session.board.as_deref() } else { None }
    }

    /// Returns true if the events of an action can be executed without a look at the board before and after each: nothing is
    /// asked of it, no value carries a directive, and it uses no shared object for which it would have to wait.
    #[inline]
    pub(crate) fn is_unwatched(&mut self, instance: &Instance<M>, core: &mut Core<M>) -> bool {
        match self.board() {
            Some(board) => self.is_unwatched_on(board, instance, core),
            None => true,
        }
    }

    fn is_unwatched_on(&self, board: &Board, instance: &Instance<M>, core: &mut Core<M>) -> bool {
        let uses_objects = !self.session.program.layouts[instance.template.idx()].shared.is_empty();
        if uses_objects || board.global() != GlobalCommand::Go || board.has_directives() {
            return false;
        }
        if core.count == 0 {
            self.session.note_name(instance);
        }
        if core.asked_version() != board.version() {
            self.look_at_board(board, instance, core);
        }
        core.watched().is_none()
    }

    /// Carries out what is asked for at a stop point. Returns whether the action is to stop, and notes why.
    pub(crate) fn is_to_stop(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        point: StopPoint,
    ) -> Vec<Why> {
        let Some(board) = self.board() else { return Vec::new() };
        if self.session.stop.is_set() {
            return Vec::new();
        }
        let mut reasons = Vec::new();
        if core.asked_version() != board.version() {
            self.look_at_board(board, instance, core);
        }
        let global = board.global();
        if execution.id.count == 1 && matches!(point, StopPoint::Befcomp | StopPoint::Failed) {
            self.session.note_name(instance);
        }
        if point == StopPoint::Befcomp && global == GlobalCommand::Stop {
            reasons.push(Why::Everything);
        }
        let command = core.watched().and_then(|watched| watched.command);
        let controlled = execution.controlled.get_or_insert_default();
        match point {
            StopPoint::Befcomp => {
                if controlled.is_nexted {
                    reasons.push(Why::Next);
                }
                if command == Some(ActionCommand::Stop) {
                    reasons.push(Why::Command);
                }
            }
            StopPoint::Aftcomp => {
                if std::mem::take(&mut controlled.stepped_out) {
                    reasons.push(Why::Step);
                }
                if std::mem::take(&mut controlled.stops_at_aftcomp) {
                    reasons.push(Why::Next);
                }
            }
            StopPoint::Send => {
                controlled.sends_next |=
                    global == GlobalCommand::Next || command == Some(ActionCommand::Next);
            }
            StopPoint::Line | StopPoint::Failed => {}
        }
        let is_used_up = match point {
            StopPoint::Befcomp => command == Some(ActionCommand::Stop),
            StopPoint::Send => command == Some(ActionCommand::Next),
            StopPoint::Line | StopPoint::Aftcomp | StopPoint::Failed => false,
        };
        if is_used_up {
            board.command(&self.session.path(instance), None);
        }
        let armed: Vec<Arc<Armed>> = match core.watched() {
            Some(watched) => watched.armed.iter().filter(|armed| armed.point() == point).cloned().collect(),
            None => return reasons,
        };
        for armed in armed {
            self.hit(board, &armed, instance, core, execution, &mut reasons);
        }
        reasons
    }

    /// Looks anew at what the user asks of an action.
    pub(crate) fn look_at_board(&self, board: &Board, instance: &Instance<M>, core: &mut Core<M>) {
        let path = || self.session.path(instance);
        let (version, watched) = board.watched(path, &instance.graph, instance.template, &instance.index);
        let asked = core.control.get_or_insert_default();
        let before = asked.watched.take();
        asked.version = version;
        asked.watched = watched;
        if let (Some(watched), Some(before)) = (&mut asked.watched, before) {
            watched.last = before.last;
        }
    }

    /// Looks at one breakpoint at its stop point.
    #[allow(clippy::too_many_arguments, reason = "all that is known of an execution at a stop point")]
    fn hit(
        &mut self,
        board: &Board,
        armed: &Arc<Armed>,
        instance: &Instance<M>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        reasons: &mut Vec<Why>,
    ) {
        let number = armed.number;
        let mut passing: Vec<(Option<Value>, String)> = Vec::new();
        match &armed.breakpoint.place {
            // Within a body; see `walk`.
            Place::Line(_) => {}
            Place::Befcomp | Place::Aftcomp | Place::Send | Place::Failed => {
                passing.push((None, String::new()))
            }
            Place::Shared { shared, access } => {
                let lock = core.locks.iter().find(|lock| {
                    shared.contains(&lock.object.place.shared)
                        && access.is_none_or(|access| access == lock.access)
                });
                if let Some(lock) = lock {
                    let verb = if lock.access == Access::Read { "reads" } else { "writes" };
                    passing.push((None, format!("it {verb} {}", self.session.object_path(&lock.object))));
                }
            }
            Place::Arc(arcs) => {
                let passed = self.passed.iter().filter(|(arc, _)| arcs.contains(arc));
                for (arc, value) in passed {
                    let text = &self.session.program.plan.arcs[arc.idx()].text;
                    passing.push((Some(value.clone()), text.clone()));
                }
            }
            Place::Creation(_) => {
                let created = self
                    .created
                    .iter()
                    .filter(|created| armed.creates(&created.graph, created.template, &created.index));
                passing.extend(created.map(|Created { graph, template, index }| {
                    (None, format!("it creates {}", self.session.path_of(graph, *template, index)))
                }));
            }
        }
        for (value, detail) in passing {
            match self.holds(armed, instance, core, execution, value.as_ref()) {
                Ok(false) => continue,
                Ok(true) => {}
                Err(message) => {
                    reasons.push(Why::Condition { number, message });
                    continue;
                }
            }
            if armed.n_hits.fetch_add(1, Ordering::Relaxed) < armed.breakpoint.n_ignored {
                continue;
            }
            let why = Why::Breakpoint { number, detail };
            match &armed.breakpoint.reaction {
                Reaction::Stop => reasons.push(why),
                Reaction::Once => {
                    // Of several that come here at once, one has hit it.
                    if board.delete(number) {
                        reasons.push(why);
                    }
                }
                Reaction::When(commands) => {
                    for command in commands {
                        if *command == PointCommand::Stop {
                            reasons.push(why.clone());
                        } else {
                            let printed = self.carry_out(
                                command,
                                armed.point(),
                                instance,
                                core,
                                execution,
                                value.as_ref(),
                            );
                            self.tell_printed(board, instance, execution, armed, printed);
                        }
                    }
                }
                Reaction::Watch(expressions) => {
                    self.look_for_changes(board, armed, expressions, instance, core, execution);
                }
            }
        }
    }

    fn tell_printed(
        &self,
        board: &Board,
        instance: &Instance<M>,
        execution: &Execution<M>,
        armed: &Armed,
        printed: Printed,
    ) {
        let said = Said::Printed { breakpoint: armed.number, printed };
        let event = self.session.event_path(instance, execution.id.count);
        let point = armed.point();
        let news = News { event, point, at: None, said };
        let Some(printer) = board.printer() else { return board.tell(news) };
        let note = Note::new(move || printer(&news));
        // The body has said lines that are not written before the event ends.
        let has_body = self.session.program.plan.template(instance.template).body.is_some();
        if has_body && point != StopPoint::Befcomp {
            let mut context = self.context.lock();
            let n_before = context.lines.len();
            context.notes.push((n_before, note));
        } else {
            self.session.output.note(self.past_lines(execution), [note]);
        }
    }

    /// Position after the last line in the past of an execution, of a replay in which that line is not yet written.
    pub(crate) fn past_lines(&self, execution: &Execution<M>) -> u64 {
        if !self.session.replays() || self.session.board.is_none() {
            return 0;
        }
        let controlled = execution.controlled.as_ref();
        let taken = controlled.map_or(&[][..], |controlled| &controlled.senders);
        let found = controlled.map_or(&[][..], |controlled| &controlled.writers);
        let own = EventId { count: execution.id.count.saturating_sub(1), ..execution.id };
        self.session.output.past(taken.iter().chain(found).copied().chain([own]))
    }

    /// Shows an execution that this worker has in its hands.
    fn with_scene<R>(
        &mut self,
        instance: &Instance<M>,
        core: &Core<M>,
        execution: &Execution<M>,
        passing: Option<&Value>,
        look: impl FnOnce(&Scene<'_, M>, &rhai::Engine) -> R,
    ) -> R {
        let predecessors = self.session.predecessors(execution);
        let structs = &self.session.program.plan.structs;
        let engine = self.queries.get_or_insert_with(|| queries(structs));
        let template = self.session.program.plan.template(instance.template);
        let frame = &self.frame;
        let scene = Scene { template, instance, core, frame, predecessors: &predecessors, passing };
        look(&scene, engine)
    }

    fn holds(
        &mut self,
        armed: &Armed,
        instance: &Instance<M>,
        core: &Core<M>,
        execution: &Execution<M>,
        passing: Option<&Value>,
    ) -> Result<bool, String> {
        let Some(condition) = &armed.breakpoint.condition else { return Ok(true) };
        self.with_scene(instance, core, execution, passing, |scene, engine| {
            let held = scene.evaluate(engine, condition)?;
            held.as_bool().map_err(|found| format!("`{}` is a {found}, not a bool", condition.text()))
        })
    }

    fn carry_out(
        &mut self,
        command: &PointCommand,
        point: StopPoint,
        instance: &Instance<M>,
        core: &Core<M>,
        execution: &mut Execution<M>,
        passing: Option<&Value>,
    ) -> Printed {
        match command {
            PointCommand::Print(expression) => Printed::Value {
                expression: expression.text().to_owned(),
                value: self.with_scene(instance, core, execution, passing, |scene, engine| {
                    scene.value(engine, expression)
                }),
            },
            PointCommand::Dump => {
                Printed::Names(self.with_scene(instance, core, execution, passing, |scene, _| scene.names()))
            }
            PointCommand::Log(parts) => {
                Printed::Log(self.with_scene(instance, core, execution, passing, |scene, engine| {
                    let part = |part: &LogPart| match part {
                        LogPart::Text(text) => Part::Text(text.clone()),
                        LogPart::Value(expression) => Part::Value(scene.value(engine, expression)),
                    };
                    parts.iter().map(part).collect()
                }))
            }
            PointCommand::Assign { name, value } => {
                let assigned = self
                    .with_scene(instance, core, execution, passing, |scene, engine| {
                        scene.value(engine, value)
                    })
                    .and_then(|value| {
                        let template = self.session.program.plan.template(instance.template);
                        let noted = assign::<M>(template, &mut self.frame, core, point, name, value)?;
                        let controlled = execution.controlled.get_or_insert_default();
                        controlled.assigned.push(assignment(point, name, noted.clone()));
                        Ok(noted)
                    });
                Printed::Assigned { name: name.clone(), value: assigned }
            }
            PointCommand::Where | PointCommand::Stop => Printed::Where,
        }
    }

    fn look_for_changes(
        &mut self,
        board: &Board,
        armed: &Arc<Armed>,
        expressions: &[hasse_breakpoint::expression::Expression],
        instance: &Instance<M>,
        core: &mut Core<M>,
        execution: &Execution<M>,
    ) {
        let values: Vec<_> = self.with_scene(instance, core, execution, None, |scene, engine| {
            expressions.iter().map(|expression| scene.value(engine, expression)).collect()
        });
        let Some(watched) = core.watched_mut() else { return };
        let last = watched.last.entry(armed.number).or_insert_with(|| vec![None; expressions.len()]);
        let mut changes = Vec::new();
        for ((expression, value), last) in expressions.iter().zip(values).zip(last) {
            let now = value.as_ref().ok();
            if now.is_none() || now != last.as_ref() {
                let before = last.take();
                *last = now.cloned();
                changes.push(Printed::Changed { expression: expression.text().to_owned(), before, value });
            }
        }
        for change in changes {
            self.tell_printed(board, instance, execution, armed, change);
        }
    }

    /// Puts an execution aside that is to stop. The worker is left without its scope.
    pub(crate) fn put_aside(
        &mut self,
        instance: &Instance<M>,
        execution: &mut Execution<M>,
        point: StopPoint,
        work: Work,
        reasons: Vec<Why>,
    ) {
        // Whoever looks at the action sees what was said on the way.
        let notes = {
            let mut context = self.context.lock();
            context.flush_early();
            std::mem::take(&mut context.notes)
        };
        self.session.output.note(self.past_lines(execution), notes.into_iter().map(|(_, note)| note));
        let layout = &self.session.program.layouts[instance.template.idx()];
        let frame = std::mem::replace(&mut self.frame, Box::new(Frame::new(layout.names.clone())));
        let fresh = self.session.event_context();
        let context = std::mem::replace(&mut *self.context.lock(), fresh);
        if let Some(board) = self.board() {
            let event = self.session.event_path(instance, execution.id.count);
            board.tell(News { event, point, at: None, said: Said::Stopped(reasons.clone()) });
        }
        let stopped = Stopped { point, frame, context, work, reasons, is_resumed: false };
        execution.controlled.get_or_insert_default().stopped = Some(Box::new(stopped));
    }

    /// Replay: assigns again what the user had assigned at a stop point.
    pub(crate) fn assign_again(
        &mut self,
        instance: &Instance<M>,
        core: &Core<M>,
        execution: &mut Execution<M>,
        point: StopPoint,
    ) {
        let effects = self.session.instrumentation.recorded_effects(execution.id);
        let template = self.session.program.plan.template(instance.template);
        for (name, value) in assigned_at(effects, point) {
            // What no longer fits shows as a divergence.
            if assign::<M>(template, &mut self.frame, core, point, name, value.clone()).is_ok() {
                let controlled = execution.controlled.get_or_insert_default();
                controlled.assigned.push(assignment(point, name, value.clone()));
            }
        }
    }
}

/// Gives a name of an execution another value; returns it as it was taken.
///
/// # Errors
/// The name cannot be assigned, or its type does not admit the value.
pub(crate) fn assign<M: Instrumentation>(
    template: &hasse_model::plan::Template,
    frame: &mut Frame,
    core: &Core<M>,
    point: StopPoint,
    name: &str,
    value: Value,
) -> Result<Value, String> {
    use hasse_model::plan::SlotKind;
    if matches!(point, StopPoint::Send | StopPoint::Failed) {
        return Err(format!("values are assigned at befcomp and aftcomp, not at {}", point.name()));
    }
    let slot_idx = template.slots.iter().position(|slot| slot.name == name);
    let Some(slot) = slot_idx.map(|slot_idx| &template.slots[slot_idx]) else {
        return match frame.value_mut(name) {
            Some(held) => {
                *held = dynamic_from_value(value.clone());
                Ok(value)
            }
            None => Err(format!("there is no `{name}` here")),
        };
    };
    match slot.kind {
        SlotKind::Var | SlotKind::Bound | SlotKind::Let => {}
        SlotKind::Shared => {
            let slot_idx = slot_idx.unwrap_or_default();
            let writes =
                core.locks.iter().any(|lock| lock.slot_idx == slot_idx && lock.access == Access::Write);
            if !writes {
                return Err(format!("`{name}` is only read here"));
            }
        }
        SlotKind::Param | SlotKind::Index | SlotKind::Rule | SlotKind::Count => {
            return Err(format!("`{name}` cannot be assigned: it is no var, bound or shared name"));
        }
    }
    let shown = brief(&value, MAX_VALUE);
    let value =
        slot.ty.admit(value).ok_or_else(|| format!("`{name}` of type {} cannot hold {shown}", slot.ty))?;
    let held = frame.value_mut(name).ok_or_else(|| format!("there is no `{name}` here"))?;
    *held = dynamic_from_value(value.clone());
    Ok(value)
}

/// The text of a value that is told as it is held.
pub(crate) fn shown(held: &Dynamic) -> String {
    value_from_dynamic(held).map_or_else(|found| found, |value| value.to_string())
}
