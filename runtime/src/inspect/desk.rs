//! Looking at the actions of a run, and letting stopped ones go on.
//!
//! All of it happens on the thread that started the run. An action can be looked at whenever no worker is serving it;
//! when the run is at rest that is every action (Hyder 1994, section 7.4).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hasse_breakpoint::expression::Expression;
use hasse_model::id::TemplateId;
use hasse_model::plan::Access;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::bound_of;
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::token::Token;
use rhai::Dynamic;
use rustc_hash::FxHashMap;

use crate::fire::lines::{LineStop, Order};
use crate::fire::walk::{NO_ASSIGNMENT, queries};
use crate::fire::worker::Worker;
use crate::inspect::point::{assign, assignment};
use crate::inspect::scene::Scene;

pub(crate) use hasse_request::control::command::GlobalCommand;
pub(crate) use hasse_request::control::error::InspectError;
use hasse_request::control::explanation::{Deadlock, Explanation};
pub(crate) use hasse_request::control::inspector::Inspector;
use hasse_request::control::state::{
    ActionState, ActionSummary, ActionView, ChangedQueue, ObjectUse, ObjectView, QueueCount, QueueOrder,
    StopPoint,
};
use hasse_request::control::stepping::{BodyView, Step};

/// Why nothing is changed by hand in a replay.
pub(crate) const FOLLOWS_ITS_RECORD: &str = "a replay follows its record: values are assigned in a run";

/// The inspector of a run.
pub(crate) struct Desk<'a, 's, 'p, M: Instrumentation> {
    pub(crate) worker: &'a mut Worker<'s, 'p, M>,
}

impl<M: Instrumentation> Desk<'_, '_, '_, M> {
    pub(crate) fn find(&self, path: &str) -> Result<Ready<M>, InspectError> {
        let session = self.worker.session;
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.split('[').next().unwrap_or(name);
        let plan = session.program.plan;
        let mut instances = session.registry.instances().into_iter();
        let found =
            instances.find(|known| plan.template(known.template).name == name && session.path(known) == path);
        found.ok_or_else(|| InspectError::NoAction { path: path.to_owned() })
    }

    /// The body of an action, where that is what is stopped.
    pub(crate) fn line(&self, path: &str) -> Option<Arc<LineStop>> {
        self.worker.session.lines.as_ref()?.find(path)
    }

    pub(crate) fn summary(&self, instance: &Instance<M>) -> ActionSummary {
        let session = self.worker.session;
        if session.pool.has_blocked()
            && let Some(stop) = self.line(&session.path(instance))
        {
            return stop.scene.summary(instance.inbox.lock().n_values());
        }
        let core = instance.core.try_lock();
        let is_scheduled = instance.inbox.lock().is_scheduled;
        let n_arrived = instance.inbox.lock().n_values();
        let state = match &core {
            None => ActionState::Running,
            Some(core) => self.state(core, is_scheduled),
        };
        let n_on_ports = core.as_ref().map_or(0, |core| {
            core.ports.iter().flat_map(|port| port.lengths()).map(|(_, n_values)| n_values).sum()
        });
        ActionSummary {
            path: session.path(instance),
            template: instance.template,
            graph: instance.graph.path(session.program.plan),
            index: instance.index.clone(),
            count: core.as_ref().map_or(0, |core| core.count),
            state,
            n_queued: n_arrived + n_on_ports,
        }
    }

    pub(crate) fn state(&self, core: &Core<M>, is_scheduled: bool) -> ActionState {
        let stopped = |execution: &hasse_store::execution::Execution<M>| {
            execution
                .controlled
                .as_ref()
                .and_then(|controlled| controlled.stopped.as_ref())
                .map(|held| (held.point, held.is_resumed))
        };
        match &core.pending {
            Some(execution) => match stopped(execution) {
                Some((_, true)) => ActionState::Ready,
                Some((point, false)) => ActionState::Stopped(point),
                None if execution.waiting.is_some() => ActionState::WaitsForWorld,
                None => match core.locks.get(execution.n_locks) {
                    Some(lock) => ActionState::WaitsFor(self.worker.session.object_path(&lock.object)),
                    None => ActionState::Ready,
                },
            },
            None if core.has_failed => ActionState::Failed,
            None if core.held_back.is_some() => {
                let held = core.held_back.iter().flat_map(|held_back| held_back.ports());
                let full = held.filter_map(|held| {
                    let target = held.target()?;
                    let session = self.worker.session;
                    let port = &session.program.plan.template(target.template).inputs[held.port].name;
                    Some(format!("{}.{port}{}", session.path(&target), held.elements))
                });
                full.take(1).next().map_or(ActionState::Ready, ActionState::WaitsForRoom)
            }
            None if is_scheduled => ActionState::Ready,
            None => ActionState::Idle,
        }
    }

    /// Shows an action that no worker is serving.
    fn with_scene<R>(
        &mut self,
        path: &str,
        look: impl FnOnce(&Scene<'_, M>, &rhai::Engine, &Self) -> R,
    ) -> Result<R, InspectError> {
        let instance = self.find(path)?;
        let session = self.worker.session;
        let busy = || InspectError::Busy { path: path.to_owned() };
        let mut core = instance.core.try_lock().ok_or_else(busy)?;
        self.worker.collect(&instance, &mut core);
        let template = session.program.plan.template(instance.template);
        let structs = &session.program.plan.structs;
        let engine = self.worker.queries.take().unwrap_or_else(|| queries(structs));
        let pending = core.pending.take();
        let predecessors = pending.as_ref().map_or_else(Vec::new, |pending| session.predecessors(pending));
        let stopped = pending.as_ref().and_then(|pending| pending.controlled.as_ref()?.stopped.as_ref());
        let seen = match stopped {
            Some(stopped) => {
                let frame = &stopped.frame;
                let (instance, core) = (&*instance, &*core);
                let scene =
                    Scene { template, instance, core, frame, predecessors: &predecessors, passing: None };
                look(&scene, &engine, self)
            }
            None => {
                self.worker.load_to_look(&instance, &mut core);
                let layout = &session.program.layouts[instance.template.idx()];
                let count = Dynamic::from_int(core.count as i64);
                self.worker.frame.set(layout.count, count);
                let bound = layout.bound.clone().chain(layout.shared.clone()).chain(layout.lets.clone());
                bound.for_each(|slot_idx| self.worker.frame.set(slot_idx, Dynamic::UNIT));
                let frame = std::mem::replace(
                    &mut self.worker.frame,
                    Box::new(hasse_code::frame::Frame::new(Vec::new())),
                );
                let scene = Scene {
                    template,
                    instance: &instance,
                    core: &core,
                    frame: &frame,
                    predecessors: &predecessors,
                    passing: None,
                };
                let seen = look(&scene, &engine, self);
                self.worker.frame = frame;
                self.worker.unload(&instance, &mut core);
                seen
            }
        };
        core.pending = pending;
        self.worker.queries = Some(engine);
        Ok(seen)
    }
}

impl<M: Instrumentation> Inspector for Desk<'_, '_, '_, M> {
    fn actions(&mut self) -> Vec<ActionSummary> {
        let instances = self.worker.session.registry.instances();
        instances.iter().map(|instance| self.summary(instance)).collect()
    }

    fn action(&mut self, path: &str) -> Result<ActionView, InspectError> {
        let session = self.worker.session;
        if let Some(stop) = self.line(path) {
            let n_arrived = self.find(path)?.inbox.lock().n_values();
            return Ok(stop.scene.view(n_arrived));
        }
        let summary = self.summary(&*self.find(path)?);
        let mut view = self.with_scene(path, |scene, _, _| ActionView {
            summary,
            names: scene.names(),
            ports: scene.ports(|sender| session.event_name(sender)),
            empty_ports: Vec::new(),
            rule: None,
            predecessors: scene.predecessors.to_vec(),
            objects: Vec::new(),
            sends: Vec::new(),
            reasons: Vec::new(),
            at: None,
            line_text: None,
        })?;
        let instance = self.find(path)?;
        let busy = || InspectError::Busy { path: path.to_owned() };
        let core = instance.core.try_lock().ok_or_else(busy)?;
        let template = session.program.plan.template(instance.template);
        let is_empty = |name: &str| view.ports.iter().all(|port| port.name != name);
        let plain = template.inputs.iter().filter(|port| port.n_indices == 0 && is_empty(&port.name));
        view.empty_ports = plain.map(|port| port.name.clone()).collect();
        let n_held = core.pending.as_ref().map_or(0, |pending| pending.n_locks);
        view.objects = core
            .locks
            .iter()
            .enumerate()
            .map(|(lock_idx, lock)| ObjectUse {
                name: template.slots[lock.slot_idx].name.clone(),
                object: session.object_path(&lock.object),
                access: if lock.access == Access::Read { "read" } else { "write" },
                is_held: lock_idx < n_held,
            })
            .collect();
        if let Some(pending) = &core.pending {
            view.rule = Some(pending.rule);
            let stopped = pending.controlled.as_ref().and_then(|controlled| controlled.stopped.as_ref());
            if let Some(stopped) = stopped {
                view.reasons.clone_from(&stopped.reasons);
                view.sends = stopped
                    .work
                    .outgoing
                    .iter()
                    .map(|outgoing| session.shown_outgoing(outgoing, &instance))
                    .collect();
            }
        }
        Ok(view)
    }

    fn evaluate(&mut self, path: &str, expression: &Expression) -> Result<Value, InspectError> {
        let value = match self.line(path) {
            Some(stop) => {
                let structs = &self.worker.session.program.plan.structs;
                let engine = self.worker.queries.get_or_insert_with(|| queries(structs));
                stop.scene.value(engine, expression)
            }
            None => self.with_scene(path, |scene, engine, _| scene.value(engine, expression))?,
        };
        value.map_err(|message| InspectError::Value { message })
    }

    fn assign(&mut self, path: &str, name: &str, value: &Expression) -> Result<Value, InspectError> {
        if self.worker.session.replays() {
            return Err(InspectError::Value { message: FOLLOWS_ITS_RECORD.to_owned() });
        }
        if self.line(path).is_some() {
            return Err(InspectError::Value { message: NO_ASSIGNMENT.to_owned() });
        }
        let value = self.evaluate(path, value)?;
        let instance = self.find(path)?;
        let not_stopped = || InspectError::NotStopped { path: path.to_owned() };
        let mut core = instance.core.try_lock().ok_or_else(not_stopped)?;
        let mut pending = core.pending.take();
        let assigned = (|| {
            let controlled = pending.as_mut().and_then(|pending| pending.controlled.as_mut());
            let controlled = controlled.ok_or_else(not_stopped)?;
            let stopped = controlled.stopped.as_mut().ok_or_else(not_stopped)?;
            let template = self.worker.session.program.plan.template(instance.template);
            let taken = assign::<M>(template, &mut stopped.frame, &core, stopped.point, name, value)
                .map_err(|message| InspectError::Value { message })?;
            controlled.assigned.push(assignment(stopped.point, name, taken.clone()));
            Ok(taken)
        })();
        core.pending = pending;
        assigned
    }

    fn edit_queue(
        &mut self,
        path: &str,
        port: &str,
        order: &QueueOrder,
    ) -> Result<ChangedQueue, InspectError> {
        self.change_queue(path, port, order)
    }

    fn objects(&mut self) -> Vec<ObjectView> {
        let session = self.worker.session;
        let mut holders: std::collections::BTreeMap<String, (Vec<String>, Vec<String>)> = Default::default();
        for stop in session.lines.iter().flat_map(|lines| lines.all()) {
            let outline = &stop.scene.outline;
            for object in &outline.objects {
                holders.entry(object.object.clone()).or_default().0.push(outline.path.clone());
            }
        }
        for instance in session.registry.instances() {
            let Some(core) = instance.core.try_lock() else { continue };
            let Some(pending) = &core.pending else { continue };
            let path = session.path(&instance);
            for (lock_idx, lock) in core.locks.iter().enumerate() {
                let entry = holders.entry(session.object_path(&lock.object)).or_default();
                if lock_idx < pending.n_locks {
                    entry.0.push(path.clone());
                } else if lock_idx == pending.n_locks {
                    entry.1.push(path.clone());
                }
            }
        }
        let mut objects: Vec<ObjectView> = session
            .registry
            .objects()
            .iter()
            .map(|object| {
                let path = session.object_path(object);
                let (holders, waiting) = holders.remove(&path).unwrap_or_default();
                ObjectView { path, value: object.value(), holders, waiting }
            })
            .collect();
        objects.sort_by(|left, right| left.path.cmp(&right.path));
        objects
    }

    fn explain(&mut self, path: &str) -> Result<Explanation, InspectError> {
        self.explanation(path)
    }

    fn deadlock(&mut self, is_interrupted: &dyn Fn() -> bool) -> Option<Deadlock> {
        self.blocked(is_interrupted)
    }

    fn queues(&mut self) -> Vec<QueueCount> {
        let instances = self.worker.session.registry.instances();
        let templates: FxHashMap<_, _> =
            instances.iter().map(|instance| (instance.action, instance.template)).collect();
        let mut counts = BTreeMap::new();
        let mut fills: BTreeMap<(TemplateId, usize), u8> = BTreeMap::new();
        let plan = self.worker.session.program.plan;
        for instance in &instances {
            let Some(core) = instance.core.try_lock() else { continue };
            let declared = plan.template(instance.template).inputs.iter();
            let ports = declared.zip(core.ports.iter()).enumerate();
            for (port, (declared, queue)) in ports.filter(|(_, (declared, _))| declared.bound.is_some()) {
                let bound = bound_of(declared, &instance.graph) as u64;
                let longest = queue.lengths().into_iter().map(|(_, length)| length).max().unwrap_or(0);
                let percent = u8::try_from(longest.saturating_mul(100) / bound).unwrap_or(u8::MAX);
                let fill = fills.entry((instance.template, port)).or_default();
                *fill = percent.max(*fill);
            }
            let mut count = |port: usize, token: &Token<M>| {
                let sender = M::sender(&token.stamp).and_then(|id| templates.get(&id.action).copied());
                let key = (instance.template, port, M::arc(&token.stamp), sender);
                *counts.entry(key).or_insert(0) += 1;
            };
            for (port, queue) in core.ports.iter().enumerate() {
                queue.each(|token| count(port, token));
            }
            let inbox = instance.inbox.lock();
            inbox.each(&mut count);
        }
        let counts = counts.into_iter();
        counts
            .map(|((template, port, arc, sender), n_values)| QueueCount {
                template,
                port,
                arc,
                sender,
                n_values,
                fill: fills.get(&(template, port)).copied(),
            })
            .collect()
    }

    fn resume_all(&mut self, next: bool) -> usize {
        let session = self.worker.session;
        let Some(board) = &session.board else { return 0 };
        let command = if next { GlobalCommand::Next } else { GlobalCommand::Go };
        let n_resumed = board.resume(Some(command), || {
            let held = std::mem::take(&mut *session.held.lock());
            let n_held = held.len();
            for instance in held {
                release(&instance, next);
                session.inject(instance);
            }
            let order = if next { Order::ToAftcomp } else { Order::Go };
            let waits =
                session.waits.as_ref().is_some_and(|waits| waits.is_held.swap(false, Ordering::SeqCst));
            let n_held = n_held + session.look_at_edited() + usize::from(waits);
            n_held + session.lines.as_ref().map_or(0, |lines| lines.order_all(order))
        });
        session.pool.wake_all();
        n_resumed
    }

    fn resume(&mut self, path: &str, next: bool) -> Result<(), InspectError> {
        let session = self.worker.session;
        let instance = self.find(path)?;
        let Some(board) = &session.board else { return Ok(()) };
        if self.order_line(path, if next { Order::ToAftcomp } else { Order::Go }) {
            return Ok(());
        }
        if session.held.lock().iter().any(|known| Arc::ptr_eq(known, &instance)) {
            self.check_workers(path)?;
        }
        let n_resumed = board.resume(None, || {
            let mut held = session.held.lock();
            let position = held.iter().position(|known| Arc::ptr_eq(known, &instance));
            let is_edited = session.edited.lock().iter().any(|known| Arc::ptr_eq(known, &instance));
            if position.is_none() && !is_edited {
                return 0;
            }
            if let Some(position) = position {
                let instance = held.remove(position);
                release(&instance, next);
                session.inject(instance);
            }
            usize::from(position.is_some()) + session.look_at_edited()
        });
        session.pool.wake_all();
        match n_resumed {
            0 if next => board.command(path, Some(hasse_request::control::command::ActionCommand::Next)),
            0 => return Err(InspectError::NotStopped { path: path.to_owned() }),
            _ => {}
        }
        Ok(())
    }

    fn advance(&mut self, path: &str, step: Step) -> Result<(), InspectError> {
        self.step_action(path, step)
    }

    fn body(&mut self, path: &str) -> Result<BodyView, InspectError> {
        self.course_of_body(path)
    }
}

/// Lets a stopped action go on, until where `next` stops it if that is asked for.
fn release<M: Instrumentation>(instance: &Instance<M>, next: bool) {
    let mut core = instance.core.lock();
    let pending = core.pending.as_mut();
    let Some(controlled) = pending.and_then(|pending| pending.controlled.as_mut()) else { return };
    let point = controlled.stopped.as_mut().map(|stopped| {
        stopped.is_resumed = true;
        stopped.point
    });
    match point {
        _ if !next => {}
        Some(StopPoint::Befcomp) => controlled.stops_at_aftcomp = true,
        _ => controlled.sends_next = true,
    }
}
