//! Bodies that are looked at: which, and what is kept for them; and telling one to step.

use std::sync::Arc;

use hasse_body::script::{self, ScriptEnd};
use hasse_body::statements::Statements;
use hasse_model::id::ScriptId;
use hasse_model::plan::{Access, Body};
use hasse_record::instrumentation::Instrumentation;
use hasse_request::control::armed::Armed;
use hasse_request::control::stepping::{BodyView, Step};
use hasse_store::execution::Execution;
use hasse_store::instance::{Core, Instance};

use crate::fire::course::{Course, Goal};
use crate::fire::lines::{Order, Outline};
use crate::fire::walk::{Stepper, Walk, armed_lines};
use crate::fire::worker::Worker;
use crate::inspect::desk::Desk;
use crate::inspect::scene::{Scene, kind, queued};

pub(crate) use hasse_request::control::error::InspectError;
pub(crate) use hasse_request::control::state::{ObjectUse, StopPoint};

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Makes ready to look at a body, where the user has asked for that: it is to step, or there is a breakpoint at
    /// one of its lines.
    pub(crate) fn begin_walk(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        script: ScriptId,
    ) -> bool {
        let Some(lines) = self.session.lines.clone() else { return false };
        let Some(controlled) = &mut execution.controlled else { return false };
        let steps = std::mem::take(&mut controlled.steps);
        if let Some(board) = self.board()
            && core.asked_version() != board.version()
        {
            self.look_at_board(board, instance, core);
        }
        let is_at_line = |armed: &Arc<Armed>| armed.point() == StopPoint::Line;
        let watched = core.watched();
        if steps.is_none() && !watched.is_some_and(|watched| watched.armed.iter().any(is_at_line)) {
            return false;
        }
        let statements = self.statements(script);
        let armed = watched.map_or_else(Vec::new, |watched| armed_lines(&watched.armed, &statements));
        if steps.is_none() && armed.is_empty() {
            return false;
        }
        let version = core.asked_version();
        let last = core.watched_mut().map(|watched| std::mem::take(&mut watched.last));
        let walk = Walk {
            outline: Arc::new(self.outline(instance, core, execution)),
            statements,
            lines,
            graph: Arc::clone(&instance.graph),
            template: instance.template,
            index: instance.index.clone(),
            goal: steps.and_then(|step| Goal::of(step, 0)),
            course: Course::default(),
            stops_at_aftcomp: false,
            version,
            armed,
            last: last.unwrap_or_default(),
            context: self.context.clone(),
            past: self.past_lines(execution),
        };
        let session = self.session;
        let context = &self.context;
        let stepper = self.stepper.get_or_insert_with(|| {
            let mut engine = script::engine(context, &session.stop, &session.program.plan.structs);
            session.program.natives.register(&mut engine, context);
            Stepper::new(engine, &session.program.plan.structs)
        });
        stepper.begin(walk);
        // This worker may wait long: others take what it has.
        session.scheduler.share(&mut self.local);
        session.pool.wake_all();
        true
    }

    /// Executes a body that is looked at.
    pub(crate) fn run_walk(
        &mut self,
        core: &mut Core<M>,
        execution: &mut Execution<M>,
        script: ScriptId,
    ) -> Result<(), ScriptEnd> {
        let program = self.session.program;
        // Statements that were looked at are not executed again.
        self.context.lock().keep_worker();
        let stepper = self.stepper.as_ref().expect("a walk has begun, so there is a stepper");
        let (ast, text) = (&program.asts[script.idx()], &program.plan.scripts[script.idx()]);
        let ended = script::eval(&stepper.engine, ast, text, self.frame.enter_scope());
        if let Some(walk) = stepper.end() {
            let controlled = execution.controlled.get_or_insert_default();
            controlled.stops_at_aftcomp |= walk.stops_at_aftcomp;
            controlled.stepped_out = walk.goal.is_some();
            controlled.body = walk.course.ended();
            if let Some(watched) = core.watched_mut() {
                watched.last.extend(walk.last);
            }
        }
        ended.map(|_| ())
    }

    fn statements(&mut self, script: ScriptId) -> Arc<Statements> {
        let program = self.session.program;
        let make =
            || Arc::new(Statements::of(&program.asts[script.idx()], &program.plan.scripts[script.idx()]));
        Arc::clone(self.statements.entry(script).or_insert_with(make))
    }

    fn outline(&self, instance: &Instance<M>, core: &Core<M>, execution: &Execution<M>) -> Outline {
        let session = self.session;
        let template = session.program.plan.template(instance.template);
        let predecessors = session.predecessors(execution);
        let frame = &self.frame;
        let scene = Scene { template, instance, core, frame, predecessors: &predecessors, passing: None };
        let ports = scene.ports(|sender| session.event_name(sender));
        let named_queues = template.inputs.iter().zip(&core.ports);
        let queues = named_queues.map(|(port, queue)| (port.name.clone(), queued(queue))).collect();
        let objects = core.locks.iter().map(|lock| ObjectUse {
            name: template.slots[lock.slot_idx].name.clone(),
            object: session.object_path(&lock.object),
            access: if lock.access == Access::Read { "read" } else { "write" },
            is_held: true,
        });
        Outline {
            path: session.path(instance),
            event: session.event_path(instance, execution.id.count),
            template: instance.template,
            graph: instance.graph.path(session.program.plan),
            index: instance.index.clone(),
            count: core.count,
            rule: execution.rule,
            predecessors,
            n_queued: ports.iter().map(|port| port.queued.len() as u64).sum(),
            ports,
            queues,
            objects: objects.collect(),
            kinds: template.slots.iter().map(|slot| kind(slot.kind)).collect(),
        }
    }
}

impl<M: Instrumentation> Desk<'_, '_, '_, M> {
    /// See [`Inspector::advance`](hasse_request::control::inspector::Inspector::advance).
    pub(crate) fn step_action(&mut self, path: &str, step: Step) -> Result<(), InspectError> {
        let session = self.worker.session;
        let instance = self.find(path)?;
        if self.order_line(path, Order::Step(step)) {
            return Ok(());
        }
        let not_stopped = || InspectError::NotStopped { path: path.to_owned() };
        let cannot = |message: String| InspectError::Step { message };
        {
            let mut core = instance.core.try_lock().ok_or_else(not_stopped)?;
            let pending = core.pending.as_mut().ok_or_else(not_stopped)?;
            let controlled = pending.controlled.as_mut().ok_or_else(not_stopped)?;
            let point = controlled.stopped.as_ref().ok_or_else(not_stopped)?.point;
            if point != StopPoint::Befcomp {
                let point = point.name();
                return Err(cannot(format!("`{path}` is stopped at {point}: its body has been executed")));
            }
            match session.program.plan.template(instance.template).body {
                Some(Body::Script(_)) => {}
                Some(Body::Native { .. }) => {
                    return Err(cannot(format!("the body of `{path}` is native: `next` executes all of it")));
                }
                None => return Err(cannot(format!("`{path}` has no body to step through"))),
            }
            self.check_workers(path)?;
            // Before the first statement no function has been called.
            let step = if step == Step::Over { Step::Into(1) } else { step };
            controlled.steps = Some(step).filter(|step| *step != Step::Out);
            controlled.stops_at_aftcomp |= step == Step::Out;
        }
        hasse_request::control::inspector::Inspector::resume(self, path, false)
    }

    /// See [`Inspector::body`](hasse_request::control::inspector::Inspector::body).
    pub(crate) fn course_of_body(&self, path: &str) -> Result<BodyView, InspectError> {
        if let Some(stop) = self.line(path) {
            return Ok(stop.scene.body.clone());
        }
        let not_stopped = || InspectError::NotStopped { path: path.to_owned() };
        let instance = self.find(path)?;
        let core = instance.core.try_lock().ok_or_else(not_stopped)?;
        let pending = core.pending.as_ref().ok_or_else(not_stopped)?;
        let controlled = pending.controlled.as_ref().filter(|controlled| controlled.stopped.is_some());
        controlled.map(|controlled| controlled.body.clone()).ok_or_else(not_stopped)
    }

    /// Tells a body that waits to go on; false where there is none.
    pub(crate) fn order_line(&self, path: &str, order: Order) -> bool {
        let session = self.worker.session;
        let (Some(board), Some(lines)) = (&session.board, &session.lines) else { return false };
        let n_resumed = board.resume(None, || lines.order(path, order));
        lines.note_rest();
        n_resumed > 0
    }

    /// Whether a worker is left that could serve an action.
    pub(crate) fn check_workers(&self, path: &str) -> Result<(), InspectError> {
        match &self.worker.session.lines {
            Some(lines) if lines.are_all_blocked() => Err(InspectError::NoWorker {
                path: path.to_owned(),
                stopped: lines.all().iter().map(|stop| stop.scene.outline.path.clone()).collect(),
            }),
            _ => Ok(()),
        }
    }
}
