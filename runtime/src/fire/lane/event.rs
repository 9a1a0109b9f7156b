//! Events of the lane, where no interpreter is needed.

use std::cell::Cell;
use std::sync::Arc;

use hasse_body::natives::{put, put_int, put_word};
use hasse_body::script::ScriptEnd;
use hasse_code::natives::node::BodyContext;
use hasse_model::id::{EventId, GraphInstanceId, Index};
use hasse_model::plan::routine::Kind;
use hasse_model::value::{Type, Value};
use hasse_record::event::Done;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::ExpectedEvent;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;
use hasse_runtime_plan::lane::Objects;
use hasse_runtime_plan::rules::{LaneTake, PlainRoute, PlainSend, Receiver, Way};
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::port::PortQueue;
use hasse_store::token::Token;

use crate::fire::lane::handover::Scheduled;
use crate::fire::lane::local::LaneLocal;
use crate::fire::lane::note_taken;
use crate::fire::lane::prepared::Batch;
use crate::fire::select::{bind_value, next_first_rule};
use crate::fire::worker::Worker;

pub(crate) use hasse_code::natives::scope::BodyScope;
use hasse_code::routines;

/// An event under way.
pub(crate) struct Under<M: Instrumentation> {
    pub(crate) id: EventId,
    pub(crate) rule_idx: usize,
    pub(crate) light: M::Light,
    pub(crate) known: ResultOrder,
    /// Whether the body has asked the world something, or told it.
    pub(crate) has_asked: bool,
}

/// What came of an event.
pub(crate) enum Fired {
    /// It has ended.
    Ended,
    /// It has ended in the general way, which may have failed.
    EndedGenerally,
    /// Its instance is parked.
    Parked,
}

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    /// Executes an event from the taking of its values on. `expected` is the recorded one, where a record is followed.
    #[inline(always)]
    pub(crate) fn fire_plainly(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        (id, rule_idx): (EventId, usize),
        expected: Option<&ExpectedEvent<'_>>,
    ) -> Fired {
        let notes = self.session.instrumentation;
        let Batch { lane, plain, layout, .. } = *batch;
        core.count = id.count;
        let is_free = self.is_free_rule(instance.template, core, (rule_idx, lane.rules.len()), |rule_idx| {
            plain.guards[rule_idx].as_ref().map_or(Some(true), |guard| guard.holds(&local.names.values, &[]))
        });
        if lane.rules.len() > 1 {
            core.first_rule = next_first_rule(batch.template.prefers, rule_idx, lane.rules.len());
        }
        let light = notes.begin_light(&mut self.notes, &core.keep, id, rule_idx as i32);
        let mut under = Under { id, rule_idx, light, known: core.known.clone(), has_asked: false };
        if is_free && let Some(draft) = M::drafted_light(&mut under.light) {
            notes.free_rule(draft);
        }
        for take in &lane.rules[rule_idx].takes {
            self.take_plainly(instance, core, batch, local, &mut under, take);
        }
        if local.misfit.is_some()
            || !core.locks.is_empty() && !self.lock_plainly(core, batch, local, &mut under)
        {
            return self.executes_generally(instance, core, local, under);
        }
        if let Some(draft) = M::drafted_light(&mut under.light) {
            notes.settle(draft, &mut core.keep);
        }
        put_int(&mut local.names.values[layout.rule], rule_idx as i64);
        if M::RECORDS {
            self.routes_taken.clear();
        }
        if !self.outgoing.is_empty() {
            self.outgoing.clear();
        }
        let mut is_usual = true;
        if let Some(body) = &batch.body {
            let waiting = if M::NOTES_CHOICES {
                local
                    .waiting(self.session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes))
            } else {
                0
            };
            let answered = expected.filter(|event| body.native.asks && !event.effects.is_empty());
            if answered.is_some() {
                self.begin_context(instance, id.count, answered);
            }
            let has_asked = Cell::new(answered.is_some());
            let seen = instance.seen();
            let mut context = BodyContext {
                scope: BodyScope::Lane(&mut local.names.values),
                template: &body.template,
                instance: &seen,
                rule: rule_idx as i32,
                count: id.count,
                has_taken: false,
                has_asked: &has_asked,
            };
            // What has been noted is laid down before a body in Rust that may wait for something else, and one that takes long.
            let lays_down = M::RECORDS && (local.is_slow || body.native.may_wait);
            let mut ended = if lays_down { None } else { Some(body.native.run(&mut context, body.at)) };
            let has_yielded = |ended: &Result<(), Box<ScriptEnd>>| matches!(ended, Err(end) if matches!(**end, ScriptEnd::Yielded));
            if ended.as_ref().is_none_or(|ended| M::RECORDS && has_yielded(ended)) {
                self.make_room(instance, core);
                self.begin_body(instance, id.count, waiting);
                ended = Some(body.native.run(&mut context, body.at));
                notes.hold(&mut self.notes);
            }
            let ended = ended.unwrap_or(Ok(()));
            let has_taken = context.has_taken;
            under.has_asked = has_asked.get();
            if let Err(end) = ended {
                return self.ends_generally(instance, core, batch, local, under, Some(end));
            }
            is_usual = (!under.has_asked || body.native.asks)
                && (!has_taken || self.admits_what_was_written(core, batch, local))
                && (answered.is_none() || self.context.lock().is_as_recorded());
        }
        let mut n_sent = 0;
        local.sent.clear();
        is_usual = is_usual
            && plain.routes.iter().enumerate().all(|(rule_idx, route)| {
                self.route_plainly(instance, core, batch, local, (rule_idx, route), &mut under, &mut n_sent)
                    .is_some()
            });
        is_usual = is_usual && expected.is_none_or(|expected| self.sends_as_told(expected, n_sent));
        if !is_usual {
            // The general way comes to the same end, or says what is wrong.
            if plain.is_many {
                let stamp = notes.stamp_light(&under.light);
                local.take_back(core, &stamp);
            }
            return self.ends_generally(instance, core, batch, local, under, None);
        }
        self.end_plainly(instance, core, batch, local, under, n_sent);
        Fired::Ended
    }

    /// Takes a value of the rule.
    #[inline(always)]
    fn take_plainly(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        under: &mut Under<M>,
        take: &LaneTake<'_>,
    ) {
        if let Some(targets) = &take.targets {
            return self.take_items(instance, core, local, under, (take, targets));
        }
        let notes = self.session.instrumentation;
        for element in &take.elements {
            let Some(token) = core.ports[take.port].pop(element) else { return };
            notes.take_light(&mut self.notes, &mut under.light, &token.stamp);
            if let Some(draft) = M::drafted_light(&mut under.light) {
                note_taken(notes, instance, (draft, &mut core.keep), &token.stamp, (take.port, element));
            }
            under.known.merge(&token.known);
            let kind = Kind::of(take.ty);
            if let Some((kind, word)) = kind.and_then(|kind| Some((kind, kind.word_of(&token.value)?))) {
                put_word(&mut local.names.values[take.slot_idx], word, kind);
            } else {
                local.bind(batch, under.rule_idx, take, token.value);
            }
        }
    }

    /// Fills an array with a value from each of the elements of a family.
    fn take_items(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        local: &mut LaneLocal<'s, M>,
        under: &mut Under<M>,
        (take, targets): (&LaneTake<'_>, &[usize]),
    ) {
        let notes = self.session.instrumentation;
        let mut items = Vec::with_capacity(targets.len());
        for (element, &target) in take.elements.iter().zip(targets) {
            let Some(token) = core.ports[take.port].pop(element) else { return };
            notes.take_light(&mut self.notes, &mut under.light, &token.stamp);
            if let Some(draft) = M::drafted_light(&mut under.light) {
                note_taken(notes, instance, (draft, &mut core.keep), &token.stamp, (take.port, element));
            }
            under.known.merge(&token.known);
            if items.len() <= target {
                items.resize(target + 1, Value::Unit);
            }
            items[target] = item(take, token.value);
        }
        put(&mut local.names.values[take.slot_idx], Value::Array(Arc::new(items)));
    }

    /// Binds the value of the one shared object, which is locked for writing; the general way has to see to objects where
    /// it is read only, or where there are several.
    #[inline]
    fn lock_plainly(
        &mut self,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        under: &mut Under<M>,
    ) -> bool {
        let notes = self.session.instrumentation;
        if matches!(batch.plain.objects, Objects::General(_)) {
            return false;
        }
        let [lock] = &core.locks[..] else { return false };
        let Some(held) = &mut local.held else { return false };
        if held.is_untouched() {
            notes.announce_light(&mut self.notes, &under.light, &lock.object.place);
        }
        held.look(&lock.object, |mark| {
            notes.access_light(&mut self.notes, &mut under.light, lock.object.place.id, lock.access, mark);
        });
        under.known.merge(held.known());
        let value = match batch.writer {
            Some(_) => std::mem::take(&mut held.value),
            None => held.value.clone(),
        };
        put(&mut local.names.values[lock.slot_idx], value);
        true
    }

    /// Whether vars, and the object where it is to be written, hold values of their types.
    #[cold]
    fn admits_what_was_written(&self, core: &Core<M>, batch: &Batch<'s>, local: &LaneLocal<'s, M>) -> bool {
        let lock = core.locks.first();
        let admits_object = lock.is_none_or(|lock| lock.object.ty.fits(&local.names.values[lock.slot_idx]));
        // What a native body sets is of its type: a var can only have been taken and not set again.
        let is_set = |slot_idx: usize| {
            !matches!(local.names.values[slot_idx], Value::Unit)
                || batch.template.slots[slot_idx].ty == Type::Any
        };
        admits_object && batch.layout.vars.clone().all(is_set)
    }

    /// Evaluates a routing rule, and puts what it sends to what waits to be handed over; `None` where something is
    /// out of the ordinary.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "all of them are at hand in the one caller")]
    fn route_plainly(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        (rule_idx, route): (usize, &PlainRoute<'s>),
        under: &mut Under<M>,
        n_sent: &mut u64,
    ) -> Option<()> {
        if let Some(guard) = &route.guard
            && !route.guards_elements
            && !guard.holds(&local.names.values, &[])?
        {
            return Some(());
        }
        if M::RECORDS {
            self.session.instrumentation.route_light(&mut self.notes, &mut under.light, rule_idx as u32);
            self.routes_taken.push(rule_idx as u32);
        }
        for send in &route.sends {
            let Some([low, high]) = &send.bounds else {
                *n_sent +=
                    self.send_plainly(instance, core, batch, local, (route, send), &send.locals, under)?;
                continue;
            };
            let low = low.int(&local.names.values, &[])?;
            let high = high.int(&local.names.values, &[])?;
            self.begin_steps();
            for number in low..high {
                self.step(route.at).ok()?;
                *n_sent +=
                    self.send_plainly(instance, core, batch, local, (route, send), &[number], under)?;
            }
        }
        Some(())
    }

    /// Tells how many values were sent that wait to be handed over.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "all of them are at hand in the one caller")]
    fn send_plainly(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        (route, send): (&PlainRoute<'s>, &PlainSend<'s>),
        locals: &[i64],
        under: &Under<M>,
    ) -> Option<u64> {
        let names = &local.names;
        if let Some(guard) = &route.guard
            && route.guards_elements
            && !guard.holds(&names.values, locals)?
        {
            return Some(0);
        }
        let value = match send.passed_on {
            Some(slot_idx) => names.values[slot_idx].clone(),
            None => send.value.value(&names.values, locals, send.ty)?,
        };
        let Some(ways) = &send.ways else {
            let mut elements = Index::none();
            for element in &send.elements {
                elements.0.push(element.int(&names.values, locals)?);
            }
            match &send.indexed {
                Some(ways) => self.send_indexed(instance, ways, &elements, value)?,
                None => self.send(instance, batch.template, send.port, elements, value, route.at).ok()?,
            }
            return Some(0);
        };
        let stamp = self.session.instrumentation.stamp_light(&under.light);
        let (last, others) = ways.split_last()?;
        for way in others {
            local.push(core, batch.plain.is_many, *way, value.clone(), &stamp, &under.known);
        }
        local.push(core, batch.plain.is_many, *last, value, &stamp, &under.known);
        Some(ways.len() as u64)
    }

    /// Ends an event that has done nothing but take, compute and send.
    #[inline(always)]
    fn end_plainly(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        mut under: Under<M>,
        n_sent: u64,
    ) {
        let session = self.session;
        let notes = session.instrumentation;
        if let Some(draft) = M::drafted_light(&mut under.light) {
            notes.told(draft, &mut core.keep, None, 0);
        }
        if batch.template.is_stop && under.id.count == 1 && instance.graph.id == GraphInstanceId::MAIN {
            session.end_by_stop_node();
        }
        if let Some(held) = &mut local.held
            && let Some(lock) = core.locks.first()
        {
            if held.is_written() {
                held.value = std::mem::take(&mut local.names.values[lock.slot_idx]);
            }
            held.leave(&lock.object, &under.known, |mark| {
                notes.release_light(&under.light, lock.access, mark);
            });
            if local.is_slow {
                self.give_back(core, local);
            }
            if batch.writer.is_some() {
                routines::forget_writes();
            }
        }
        self.n_events += 1;
        let Under { light, known, rule_idx, .. } = under;
        let stamp = (!self.outgoing.is_empty()).then(|| notes.stamp_light(&light));
        let done = Done {
            template: instance.template,
            rule: rule_idx as i32,
            graph: &instance.graph,
            index: &instance.index,
            routes: &self.routes_taken,
            flow_successors: n_sent + self.outgoing.len() as u64,
        };
        match M::RECORDS && under.has_asked {
            false => notes.end_light(&mut self.notes, light, done),
            true => {
                let answers = self.context.lock().take_log();
                notes.end_light_with(&mut self.notes, light, done, answers);
            }
        }
        local.names.clear(batch.layout.lets.clone());
        for &slot_idx in &batch.plain.clears {
            put(&mut local.names.values[slot_idx], Value::Unit);
        }
        if let Some(stamp) = stamp {
            notes.end_turn(&mut self.notes);
            // Values that straight events have sent go first.
            local.hand_over(session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes));
            local.keep_surplus(core);
            self.held_back = core.held_back.take();
            self.deliver(instance, &stamp, &known, false);
            core.held_back = self.held_back.take();
        }
        core.known = known;
    }

    /// Gives the shared object back that an instance holds.
    pub(crate) fn give_back(&mut self, core: &Core<M>, local: &mut LaneLocal<'s, M>) {
        let Some(held) = local.held.take() else { return };
        let Some(lock) = core.locks.first() else { return };
        // The next writer is to be the only one who has the value.
        put(&mut local.names.values[lock.slot_idx], Value::Unit);
        let session = self.session;
        session.instrumentation.end_turn(&mut self.notes);
        lock.object.give_back(held, |granted| session.make_ready(&mut self.local, granted));
    }
}

/// The value as an item of the array that is filled.
pub(crate) fn item(take: &LaneTake<'_>, value: Value) -> Value {
    match take.is_checked {
        true => value,
        false => take.taken_type().admit(value.clone()).unwrap_or(value),
    }
}

impl<M: Instrumentation> LaneLocal<'_, M> {
    /// Binds a value to its name. Where it does not fit, it is noted why.
    #[inline(never)]
    fn bind(&mut self, batch: &Batch<'_>, rule_idx: usize, take: &LaneTake<'_>, value: Value) {
        if take.is_checked || take.ty.fits(&value) {
            debug_assert!(take.ty.fits(&value), "it was checked when it was sent");
            put(&mut self.names.values[take.slot_idx], value);
            return;
        }
        // The value as the name has it may be another one: an int becomes a real.
        let at = batch.lane.rules[rule_idx].rule.at;
        match bind_value(&batch.template.slots[take.slot_idx], value.clone(), at) {
            Ok(_) => {
                if let Some(value) = take.ty.admit(value) {
                    self.names.values[take.slot_idx] = value;
                }
            }
            Err(misfit) => {
                self.misfit.get_or_insert(misfit);
            }
        }
    }

    /// Puts a value to what waits to be handed over, or onto the sender's own port.
    fn push(
        &mut self,
        core: &mut Core<M>,
        is_many: bool,
        way: Way,
        value: Value,
        stamp: &M::Stamp,
        known: &ResultOrder,
    ) {
        let directive = M::Directive::of(false);
        let token = Token { value, stamp: M::via(stamp, way.arc), known: known.clone(), directive };
        if is_many {
            self.sent.push((way.to, way.port));
        }
        match way.to {
            Receiver::Itself => core.ports[way.port].push(&Index::none(), token),
            Receiver::Other(position) => {
                self.outs[position].values.push_back(token);
            }
        }
    }

    /// Takes back what the event under way has sent.
    #[cold]
    fn take_back(&mut self, core: &mut Core<M>, stamp: &M::Stamp) {
        for (receiver, port) in self.sent.drain(..).rev() {
            match receiver {
                Receiver::Itself => {
                    if let PortQueue::Plain(queue) = &mut core.ports[port] {
                        queue.pop_back(stamp);
                    }
                }
                Receiver::Other(position) => {
                    self.outs[position].values.pop_back(stamp);
                }
            }
        }
    }
}
