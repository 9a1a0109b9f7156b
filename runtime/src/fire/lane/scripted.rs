//! One event of the lane whose body is a script: its names stand in the frame, as the interpreter wants them.

use hasse_body::convert::{dynamic_from_value, value_from_dynamic, value_of_dynamic};
use hasse_body::edge;
use hasse_body::effects::Announcement;
use hasse_body::script::CodeError;
use hasse_code::eval::Env;
use hasse_code::layout::Layout;
use hasse_code::{eval, routines};
use hasse_lock::shared::Turn;
use hasse_model::id::{EventId, GraphInstanceId, Index, SlotId};
use hasse_model::plan::{Access, Expr, Template};
use hasse_model::value::{Type, Value};
use hasse_record::event::Done;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::stamp::Directive;
use hasse_runtime_plan::lane::Lane;
use hasse_runtime_plan::rules::{LaneExpr, LaneRoute, LaneRule, LaneSend, Receiver, SentValue};
use hasse_store::execution::{Execution, Fault, Progress, Work};
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::token::Token;
use rhai::Dynamic;

use crate::fire::lane::event::{Under, item};
use crate::fire::lane::handover::Scheduled;
use crate::fire::lane::local::{LaneLocal, Moved, MovedFrom, Sent};
use crate::fire::lane::note_taken;
use crate::fire::select::bind_value;
use crate::fire::select::next_first_rule;
use crate::fire::worker::Worker;

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    /// Executes an event from the taking of its values on; gives it back if it waits for a lock.
    pub(crate) fn fire_one(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        lane: &'p Lane<'p>,
        local: &mut LaneLocal<'s, M>,
        id: EventId,
        rule_idx: usize,
    ) -> Progress<M> {
        let session = self.session;
        let template = session.program.plan.template(instance.template);
        let layout = &session.program.layouts[instance.template.idx()];
        let notes = session.instrumentation;
        core.count = id.count;
        let is_free = self.is_free_rule(instance.template, core, (rule_idx, lane.rules.len()), |rule_idx| {
            lane.rules[rule_idx].guard.as_ref().map_or(Some(true), |guard| self.holds_in_lane(guard, &[]))
        });
        core.first_rule = next_first_rule(template.prefers, rule_idx, lane.rules.len());
        let light = notes.begin_light(&mut self.notes, &core.keep, id, rule_idx as i32);
        let mut under = Under { id, rule_idx, light, known: core.known.clone(), has_asked: false };
        if is_free && let Some(draft) = M::drafted_light(&mut under.light) {
            notes.free_rule(draft);
        }
        let early_error = self.take_in_lane(instance, core, template, &lane.rules[rule_idx], &mut under);
        let has_lock = match (&early_error, &core.locks[..]) {
            (None, []) => false,
            (None, [lock]) => {
                let note = |mark: &M::Mark| {
                    let (notes_local, light) = (&mut self.notes, &mut under.light);
                    notes.access_light(notes_local, light, lock.object.place.id, lock.access, mark);
                };
                let Some(grant) = lock.object.acquire_granted(instance, lock.access, Turn::Any, note) else {
                    return Progress::Waits(Box::new(self.execution_of(instance, under, 0, None)));
                };
                if session.begins_no_more() {
                    lock.object.give_up(lock.access, |granted| session.make_ready(&mut self.local, granted));
                    return Progress::Waits(Box::new(self.execution_of(instance, under, 0, None)));
                }
                notes.announce_light(&mut self.notes, &under.light, &lock.object.place);
                under.known.merge(&grant.known);
                self.frame.set(lock.slot_idx, dynamic_from_value(grant.value));
                true
            }
            _ => {
                notes.end_turn(&mut self.notes);
                local.hand_over(
                    self.session,
                    Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes),
                );
                local.keep_surplus(core);
                let execution = self.execution_of(instance, under, 0, early_error);
                notes.lay_down(&mut self.notes);
                return match self.execute(instance, core, execution) {
                    Progress::Ended => {
                        self.receive_own(instance, core, lane);
                        Progress::Ended
                    }
                    waiting => waiting,
                };
            }
        };
        let n_locks = usize::from(has_lock);
        if let Some(draft) = M::drafted_light(&mut under.light) {
            notes.settle(draft, &mut core.keep);
        }
        self.frame.set(layout.rule, Dynamic::from_int(rule_idx as i64));
        self.routes_taken.clear();
        self.outgoing.clear();
        self.lane_sent.clear();
        self.lane_moved.clear();
        if let Some(body) = &template.body {
            let announcement = if M::RECORDS { Announcement::WorldRecorded } else { Announcement::World };
            self.context.announce(announcement, id.count);
            let waiting =
                local.waiting(session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes));
            self.make_room(instance, core);
            self.begin_body(instance, id.count, waiting);
            let ended = self.call_body(instance, rule_idx as i32, id.count, body).map_err(Fault::from);
            notes.hold(&mut self.notes);
            if ended.is_err() || lane.routes.is_err() || self.context.is_used() {
                self.end_generally(instance, core, lane, (under, n_locks), local, ended);
                return Progress::Ended;
            }
            // What a rule sends may be what the script has bound.
            if !layout.routes_by_script {
                self.frame.leave_scope();
            }
        }
        let has_ended = lane.routes.as_ref().ok().and_then(|routes| {
            let written = if has_lock { self.written_in_lane(core)? } else { None };
            self.route_in_lane(instance, template, routes)?;
            (layout.routes_by_script || self.admits_vars(template, layout)).then_some(written)
        });
        if layout.routes_by_script && has_ended.is_some() {
            self.move_sent(|from| matches!(from, MovedFrom::Let(_)));
            // Behind this, the general way cannot evaluate the rules again: it is told what is wrong.
            self.frame.leave_scope();
            let mut vars = layout.vars.clone();
            let admitted =
                vars.try_for_each(|slot_idx| self.admit_var(template, slot_idx, template.body_script()));
            if let Err(error) = admitted {
                self.end_generally(instance, core, lane, (under, n_locks), local, Err(Fault::Failed(error)));
                return Progress::Ended;
            }
        }
        match has_ended {
            Some(written) => {
                self.move_sent(|from| matches!(from, MovedFrom::Slot(_)));
                self.end_in_lane(instance, core, lane, local, under, written);
            }
            // The general way comes to the same end, and says what is wrong.
            None => self.end_generally(instance, core, lane, (under, n_locks), local, Ok(())),
        }
        Progress::Ended
    }

    /// Takes the values of the rule; gives what is wrong with the first one that does not fit its name.
    #[inline]
    fn take_in_lane(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        template: &Template,
        rule: &LaneRule<'_>,
        under: &mut Under<M>,
    ) -> Option<CodeError> {
        let notes = self.session.instrumentation;
        let mut early_error = None;
        for take in &rule.takes {
            let mut items = Vec::new();
            for (nth, element) in take.elements.iter().enumerate() {
                let Some(token) = core.ports[take.port].pop(element) else { continue };
                notes.take_light(&mut self.notes, &mut under.light, &token.stamp);
                if let Some(draft) = M::drafted_light(&mut under.light) {
                    let port = (take.port, element);
                    note_taken(notes, instance, (draft, &mut core.keep), &token.stamp, port);
                }
                under.known.merge(&token.known);
                if let Some(targets) = &take.targets {
                    if items.len() <= targets[nth] {
                        items.resize(targets[nth] + 1, Dynamic::UNIT);
                    }
                    items[targets[nth]] = dynamic_from_value(item(take, token.value));
                    continue;
                }
                if take.is_checked || take.ty.admits_unchanged(&token.value) {
                    self.frame.set(take.slot_idx, dynamic_from_value(token.value));
                    continue;
                }
                match bind_value(&template.slots[take.slot_idx], token.value, rule.rule.at) {
                    Ok(held) => self.frame.set(take.slot_idx, held),
                    Err(error) => {
                        early_error.get_or_insert(error);
                    }
                }
            }
            if take.targets.is_some() {
                self.frame.set(take.slot_idx, Dynamic::from_array(items));
            }
        }
        early_error
    }

    /// What the body wrote to the one object; `None` where that is not of its type as it is.
    fn written_in_lane(&self, core: &Core<M>) -> Option<Option<Value>> {
        let lock = core.locks.first()?;
        match lock.access {
            Access::Read => Some(None),
            Access::Write => {
                let slot = SlotId::from_idx(lock.slot_idx);
                admitted(&lock.object.ty, self.frame.get(slot)).map(Some)
            }
        }
    }

    /// Evaluates the routing rules; `None` where something is wrong.
    #[inline]
    fn route_in_lane(
        &mut self,
        instance: &Ready<M>,
        template: &'p Template,
        routes: &'p [LaneRoute<'p>],
    ) -> Option<()> {
        for (rule_idx, route) in routes.iter().enumerate() {
            if let Some(guard) = &route.guard
                && !route.rule.guards_elements
                && !self.holds_in_lane(guard, &[])?
            {
                continue;
            }
            self.routes_taken.push(rule_idx as u32);
            for send in &route.sends {
                let Some([low, high]) = &send.bounds else {
                    self.send_in_lane(instance, template, route, send, &send.locals)?;
                    continue;
                };
                let (low, high) = (self.int_in_lane(low, &[])?, self.int_in_lane(high, &[])?);
                self.begin_steps();
                for number in low..high {
                    self.step(route.rule.at).ok()?;
                    self.send_in_lane(instance, template, route, send, &[number])?;
                }
            }
        }
        Some(())
    }

    #[inline]
    pub(crate) fn holds_in_lane(&self, guard: &LaneExpr<'_>, locals: &[i64]) -> Option<bool> {
        let env = Env { frame: Some(&self.frame), locals, params: &[] };
        match guard {
            LaneExpr::Expr(expr) => eval::eval_bool(expr, &env).ok(),
            LaneExpr::Routine(machine) => routines::evaluate(machine, &env)?.as_bool().ok(),
        }
    }

    #[inline]
    fn int_in_lane(&self, number: &LaneExpr<'_>, locals: &[i64]) -> Option<i64> {
        let env = Env { frame: Some(&self.frame), locals, params: &[] };
        match number {
            LaneExpr::Expr(expr) => eval::eval_int(expr, &env).ok(),
            LaneExpr::Routine(machine) => routines::evaluate(machine, &env)?.as_int().ok(),
        }
    }

    #[inline]
    fn send_in_lane(
        &mut self,
        instance: &Ready<M>,
        template: &'p Template,
        route: &LaneRoute<'p>,
        send: &LaneSend<'p>,
        locals: &[i64],
    ) -> Option<()> {
        if let Some(guard) = &route.guard
            && route.rule.guards_elements
            && !self.holds_in_lane(guard, locals)?
        {
            return Some(());
        }
        let moved = if send.ways.is_some() { self.moved_from(instance, send) } else { None };
        let env = Env { frame: Some(&self.frame), locals, params: &[] };
        let value = match &send.value {
            _ if moved.is_some() => Value::Unit,
            SentValue::Let(name) => admitted(send.ty, self.frame.value_of(name)?)?,
            SentValue::Lowered(LaneExpr::Expr(Expr::Slot(slot))) => admitted(send.ty, self.frame.get(*slot))?,
            SentValue::Lowered(LaneExpr::Expr(expr)) => admitted(send.ty, &eval::eval(expr, &env).ok()?)?,
            SentValue::Lowered(LaneExpr::Routine(machine)) => {
                admitted(send.ty, &routines::evaluate(machine, &env)?)?
            }
        };
        let Some(ways) = &send.ways else {
            let elements = send.elements.iter().map(|element| self.int_in_lane(element, locals));
            let elements = elements.collect::<Option<Index>>()?;
            return self.send(instance, template, send.port, elements, value, route.rule.at).ok();
        };
        let (&last, others) = ways.split_last()?;
        if let Some(from) = moved {
            let first = self.lane_sent.len();
            self.lane_moved.push(Moved { from, sent: first..first + ways.len() });
        }
        self.lane_sent.extend(others.iter().map(|&way| Sent { way, value: value.clone() }));
        self.lane_sent.push(Sent { way: last, value });
        Some(())
    }

    /// The name that a value is to be moved from, when the event has ended well; `None` where it is to be copied, or is none of its
    /// type as it is.
    #[inline]
    fn moved_from(&self, instance: &Instance<M>, send: &LaneSend<'p>) -> Option<MovedFrom<'p>> {
        if !matches!(send.ty, Type::Bytes | Type::Array(_) | Type::Map(_)) {
            return None;
        }
        let layout = &self.session.program.layouts[instance.template.idx()];
        let (held, from) = match &send.value {
            SentValue::Let(name) => (self.frame.value_of(name)?, MovedFrom::Let(name)),
            SentValue::Lowered(LaneExpr::Expr(Expr::Slot(slot)))
                if layout.bound.contains(&slot.idx()) && !self.frame.is_shadowed(*slot) =>
            {
                (self.frame.get(*slot), MovedFrom::Slot(slot.idx()))
            }
            SentValue::Lowered(_) => return None,
        };
        is_held(send.ty, held).then_some(from)
    }

    /// Moves values to what is sent, from some of the names.
    fn move_sent(&mut self, is_wanted: impl Fn(MovedFrom<'p>) -> bool) {
        let moved = std::mem::take(&mut self.lane_moved);
        for (nth, Moved { from, sent }) in moved.iter().enumerate().filter(|(_, moved)| is_wanted(moved.from))
        {
            let value = match moved[..nth].iter().find(|earlier| earlier.from == *from) {
                Some(earlier) => self.lane_sent[earlier.sent.start].value.clone(),
                None => {
                    let held = match from {
                        MovedFrom::Slot(slot_idx) => self.frame.take(*slot_idx),
                        MovedFrom::Let(name) => self.frame.take_let(name).unwrap_or_default(),
                    };
                    value_of_dynamic(held).unwrap_or_default()
                }
            };
            self.lane_sent[sent.clone()].iter_mut().for_each(|sent| sent.value = value.clone());
        }
        self.lane_moved = moved;
    }

    #[inline]
    fn admits_vars(&mut self, template: &Template, layout: &Layout) -> bool {
        let slots = &mut self.frame.slots_mut()[layout.vars.clone()];
        slots.iter_mut().zip(&template.slots[layout.vars.clone()]).all(|(held, slot)| match slot.ty {
            Type::Int => held.is_int(),
            _ => edge::admit_var(&slot.ty, held).is_ok(),
        })
    }

    /// Ends an event that has done nothing but take and send.
    #[inline]
    fn end_in_lane(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        lane: &Lane<'_>,
        local: &mut LaneLocal<'s, M>,
        mut under: Under<M>,
        written: Option<Value>,
    ) {
        let session = self.session;
        let notes = session.instrumentation;
        if let Some(draft) = M::drafted_light(&mut under.light) {
            notes.told(draft, &mut core.keep, None, 0);
        }
        let Under { id, mut light, known, rule_idx, .. } = under;
        core.known = known.clone();
        let is_stop = session.program.plan.template(instance.template).is_stop;
        if is_stop && id.count == 1 && instance.graph.id == GraphInstanceId::MAIN {
            session.end_by_stop_node();
        }
        if let [lock] = &core.locks[..] {
            let update_mark = |mark: &mut M::Mark| notes.release_light(&light, lock.access, mark);
            let ready = |granted| session.make_ready(&mut self.local, granted);
            lock.object.release(lock.access, written, &known, update_mark, ready);
        }
        self.n_events += 1;
        let stamp = notes.stamp_light(&light);
        for &rule_idx in &self.routes_taken {
            notes.route_light(&mut self.notes, &mut light, rule_idx);
        }
        let done = Done {
            template: instance.template,
            rule: rule_idx as i32,
            graph: &instance.graph,
            index: &instance.index,
            routes: &self.routes_taken,
            flow_successors: (self.lane_sent.len() + self.outgoing.len()) as u64,
        };
        notes.end_light(&mut self.notes, light, done);
        for &slot_idx in &lane.passing {
            self.frame.set(slot_idx, Dynamic::UNIT);
        }
        for Sent { way, value } in self.lane_sent.drain(..) {
            let directive = M::Directive::of(false);
            let token = Token { value, stamp: M::via(&stamp, way.arc), known: known.clone(), directive };
            match way.to {
                Receiver::Itself => core.ports[way.port].push(&Index::none(), token),
                Receiver::Other(position) => {
                    local.outs[position].values.push_back(token);
                }
            }
        }
        if !self.outgoing.is_empty() {
            notes.end_turn(&mut self.notes);
            self.held_back = core.held_back.take();
            self.deliver(instance, &stamp, &known, false);
            core.held_back = self.held_back.take();
        }
    }

    /// Ends an event whose body has ended in the general way.
    #[cold]
    fn end_generally(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        lane: &Lane<'_>,
        (under, n_locks): (Under<M>, usize),
        local: &mut LaneLocal<'s, M>,
        ended: Result<(), Fault>,
    ) {
        self.session.instrumentation.end_turn(&mut self.notes);
        local.hand_over(self.session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes));
        local.keep_surplus(core);
        let execution = self.execution_of(instance, under, n_locks, None);
        self.end_in_general(instance, core, execution, ended);
        self.receive_own(instance, core, lane);
    }

    /// After an event of the slow path: puts onto the ports what it has sent to its own instance, before the fast path sends
    /// more there.
    fn receive_own(&mut self, instance: &Instance<M>, core: &mut Core<M>, lane: &Lane<'_>) {
        if lane.sends_to_itself {
            self.receive(instance, core);
        }
    }

    /// The same, where nothing waits to be handed over.
    pub(crate) fn end_in_general(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        mut execution: Execution<M>,
        ended: Result<(), Fault>,
    ) {
        self.session.instrumentation.lay_down(&mut self.notes);
        self.forget_sendings();
        self.recorded_event(&mut execution);
        let mut work = Work::default();
        work.ended = ended.and_then(|()| self.leave(instance, core, &mut execution, &mut work));
        self.conclude(instance, core, execution, work);
    }
}

/// Returns true if bytes, an array or a map of scalars is of its type as it is.
fn is_held(ty: &Type, held: &Dynamic) -> bool {
    match ty {
        Type::Int => held.is_int(),
        Type::Real => held.is_float(),
        Type::Bool => held.is_bool(),
        Type::Bytes => held.is_blob(),
        Type::Array(item_ty) => match held.as_array_ref() {
            Ok(items) => items.iter().all(|item| !item.is_array() && is_held(item_ty, item)),
            Err(_) => false,
        },
        Type::Map(value_ty) => match held.as_map_ref() {
            Ok(entries) => entries.values().all(|value| !value.is_map() && is_held(value_ty, value)),
            Err(_) => false,
        },
        _ => false,
    }
}

/// The value that a slot holds, if it is one of the type as it is.
#[inline]
fn admitted(ty: &Type, held: &Dynamic) -> Option<Value> {
    if let Type::Int = ty {
        return held.as_int().ok().map(Value::Int);
    }
    let value = value_from_dynamic(held).ok()?;
    ty.admits_unchanged(&value).then_some(value)
}
