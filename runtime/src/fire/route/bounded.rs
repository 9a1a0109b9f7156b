//! Values for bounded ports: where there is no room, they stay with their sender, which executes nothing meanwhile, or some are
//! dropped.

use std::sync::Arc;

use hasse_body::script::CodeError;
use hasse_model::event::Effect;
use hasse_model::id::Index;
use hasse_model::plan::FullPolicy;
use hasse_model::quantity::counted;
use hasse_record::event::PortPlace;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::bound_of;
use hasse_runtime_plan::ports::port_bit;
use hasse_store::bounded::{HeldBack, HeldPort, Waiter};
use hasse_store::execution::Execution;
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::overflow::Overflow;
use hasse_store::queue::Queue;
use hasse_store::token::Delivery;

use crate::fire::session::Session;
use crate::fire::worker::Worker;

impl<M: Instrumentation> Session<'_, M> {
    /// Moves all values of some events for a port into the inbox of an instance, which drops what it has no room for. Tells whether
    /// the instance is to be made ready.
    pub(crate) fn put_or_drop(
        &self,
        target: &Ready<M>,
        (port, elements): (usize, &Index),
        values: &mut Queue<M>,
        notes: &mut M::Local,
    ) -> bool {
        let template = self.program.plan.template(target.template);
        let most = || bound_of(&template.inputs[port], &target.graph);
        let mut inbox = target.inbox.lock();
        let (overflow, is_over) = inbox.put_or_drop(template, (port, elements), most, values);
        let is_due = match is_over {
            true => inbox.schedule_anyway(port_bit(port)),
            false => inbox.schedule(port_bit(port), self.needs(target.template)),
        };
        // The drop must be in the record before the receiver can take the next value.
        self.note_overflow(target, (port, elements), overflow, notes);
        drop(inbox);
        is_due
    }

    /// Counts values that an instance has dropped, and notes them in the record.
    fn note_overflow(
        &self,
        target: &Instance<M>,
        (port, elements): (usize, &Index),
        overflow: Overflow,
        notes: &mut M::Local,
    ) {
        if overflow.n_values == 0 {
            return;
        }
        self.dropped.add(target.template, port, overflow.n_values);
        if !overflow.values.is_empty() {
            let (template, graph, index) = (target.template, &target.graph, &target.index);
            let port = &self.program.plan.template(template).inputs[port].name;
            let place = PortPlace { template, graph, index, port, elements };
            self.instrumentation.no_room(notes, &place, overflow.values);
        }
    }
}

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Puts a value into the inbox of an instance with bounded ports, or holds it back; for a port that drops values, until all
    /// values of the event for it are [there](Self::deliver_dropping).
    pub(crate) fn deliver_bounded(&mut self, target: &Ready<M>, delivery: Delivery<M>) {
        let columns = self.session.instrumentation.column_order();
        let none = || Box::new(HeldBack::new(columns));
        let declared = &self.session.program.plan.template(target.template).inputs[delivery.port];
        if declared.bound.is_some() && declared.full == FullPolicy::Fail {
            let mut values = Queue::new(columns);
            values.push_back(delivery.token);
            return self.put_claimed(target, (delivery.port, &delivery.elements), &mut values);
        }
        if declared.full.drops() {
            return self.for_dropping.get_or_insert_with(none).push(target, delivery);
        }
        let held = self.held_back.as_ref();
        let is_behind = held.is_some_and(|held| held.has_any(target, delivery.port, &delivery.elements));
        let delivery = if is_behind { Err(delivery) } else { self.put_bounded(target, delivery) };
        if let Err(delivery) = delivery {
            self.held_back.get_or_insert_with(none).push(target, delivery);
        }
    }

    /// Keeps room for the values of an event on ports that fail their senders when they are full (`full = "fail"`); the values are
    /// sent at the end of the event. A replay fails where the record does, and so does an event that is executed alone.
    ///
    /// # Errors
    /// A port is full: no room is kept anywhere.
    #[cold]
    pub(crate) fn claim_room(
        &mut self,
        instance: &Instance<M>,
        execution: &mut Execution<M>,
    ) -> Result<(), CodeError> {
        let session = self.session;
        let template = session.program.plan.template(instance.template);
        let recorded = session.instrumentation.recorded_effects(execution.id);
        // Rules for failed events may be refused, too.
        let n_before = execution.notes.iter().filter_map(Effect::as_refused).count();
        let refusal = recorded.iter().filter_map(Effect::as_refused).nth(n_before).map(str::to_owned);
        let refusal = refusal.or_else(|| (!session.replays()).then(|| self.claim_all(instance)).flatten());
        let Some(message) = refusal else { return Ok(()) };
        execution.notes.push(Effect::refused(&message));
        Err(CodeError { code: "R0013", message, at: template.at })
    }

    /// Keeps room for all values; says which port is full.
    fn claim_all(&mut self, sender: &Instance<M>) -> Option<String> {
        let session = self.session;
        if !session.has_bounds {
            return None;
        }
        let mut claimed: Vec<(Ready<M>, usize, Index)> = Vec::new();
        let mut refusal = None;
        for outgoing in &self.outgoing {
            let (graph, template, index) = outgoing.receiver(&sender.graph);
            let declared = &session.program.plan.template(template).inputs[outgoing.port];
            if declared.bound.is_none() || declared.full != FullPolicy::Fail {
                continue;
            }
            let (plan, notes) = (session.program.plan, session.instrumentation);
            let (target, _) = session.registry.instance(plan, notes, graph, template, index.clone());
            let most = bound_of(declared, &target.graph);
            let place = (outgoing.port, &outgoing.elements);
            if target.inbox.lock().reserve(place, || most, 1) == 0 {
                let path = session.path(&target);
                let message = format!(
                    "the port {path}.{}{} is full: at most {} may wait there",
                    declared.name,
                    outgoing.elements,
                    counted(most as u64, "value")
                );
                refusal = Some(message);
                break;
            }
            claimed.push((target, outgoing.port, outgoing.elements.clone()));
        }
        if refusal.is_some() {
            for (target, port, elements) in claimed {
                let none = &mut Queue::new(session.instrumentation.column_order());
                self.put_claimed(&target, (port, &elements), none);
            }
        }
        refusal
    }

    /// Gives up the room that was kept for a value, and puts the value in, if there is one.
    fn put_claimed(&mut self, target: &Ready<M>, place: (usize, &Index), values: &mut Queue<M>) {
        let session = self.session;
        let template = session.program.plan.template(target.template);
        let most = || bound_of(&template.inputs[place.0], &target.graph);
        let mut woken = Vec::new();
        let mut inbox = target.inbox.lock();
        let has_value = !values.is_empty();
        inbox.put_reserved(template, place, (most, 1), values, &mut woken);
        let is_due = has_value && inbox.schedule(port_bit(place.0), session.needs(target.template));
        drop(inbox);
        if is_due {
            session.make_ready(&mut self.local, Arc::clone(target));
        }
        woken.into_iter().for_each(|sender| session.make_ready(&mut self.local, sender));
    }

    /// Sends the values of an event for ports that drop what they have no room for: all for one place at once.
    pub(crate) fn deliver_dropping(&mut self) {
        let Some(mut values) = self.for_dropping.take() else { return };
        let session = self.session;
        values.send(|gathered| {
            let mut values = gathered.values.take_front(usize::MAX);
            let Some(target) = gathered.target() else { return };
            let place = (gathered.port, &gathered.elements);
            if session.put_or_drop(&target, place, &mut values, &mut self.notes) {
                session.make_ready(&mut self.local, target);
            }
        });
    }

    /// Drops the values of an instance that are beyond the bounds of its ports, now that those of its inbox have come to them.
    pub(crate) fn drop_beyond(&mut self, instance: &Instance<M>, core: &mut Core<M>) {
        let session = self.session;
        let template = session.program.plan.template(instance.template);
        let inputs = template.inputs.iter().enumerate();
        for (port, declared) in inputs.filter(|(_, port)| port.full == FullPolicy::DropOldest) {
            let most = bound_of(declared, &instance.graph);
            for (element, overflow) in core.ports[port].drop_beyond(most) {
                session.note_overflow(instance, (port, &element), overflow, &mut self.notes);
            }
        }
    }

    /// Puts a value into an inbox; gives it back where its port is full.
    fn put_bounded(&mut self, target: &Ready<M>, delivery: Delivery<M>) -> Result<(), Delivery<M>> {
        let session = self.session;
        let port = delivery.port;
        let declared = &session.program.plan.template(target.template).inputs[port];
        let mut inbox = target.inbox.lock();
        if declared.bound.is_none() {
            inbox.put(delivery);
        } else {
            inbox.put_if_room(|| bound_of(declared, &target.graph), delivery)?;
        }
        let is_due = inbox.schedule(port_bit(port), session.needs(target.template));
        drop(inbox);
        if is_due {
            session.make_ready(&mut self.local, Arc::clone(target));
        }
        Ok(())
    }

    /// Sends what an instance has held back, as far as there is room. False where some is left: the instance is made ready when
    /// there is room for it.
    pub(crate) fn sends_held_back(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> bool {
        if core.held_back.is_none() || self.session.begins_no_more() || self.session.is_interrupted() {
            return true;
        }
        let Some(mut held_back) = core.held_back.take() else { return true };
        let waiter = Waiter::new(instance);
        let are_sent = held_back.send(|held| {
            let Some(target) = held.target() else { return drop(held.values.take_front(usize::MAX)) };
            self.puts_held(&target, held, &waiter);
        });
        if !are_sent {
            core.held_back = Some(held_back);
        }
        are_sent
    }

    /// Puts values that were held back into an inbox, as far as there is room; for the rest of it `waiter` waits.
    fn puts_held(&mut self, target: &Ready<M>, held: &mut HeldPort<M>, waiter: &Arc<Waiter<M>>) {
        let session = self.session;
        let template = session.program.plan.template(target.template);
        let (n_before, place) = (held.values.len(), (held.port, &held.elements));
        let mut inbox = target.inbox.lock();
        match template.inputs[held.port].bound.is_none() {
            true => inbox.put_all(template, place, &mut held.values),
            false => {
                let most = || bound_of(&template.inputs[held.port], &target.graph);
                inbox.put_some_or_wait(template, place, most, &mut held.values, waiter);
            }
        }
        let is_due = held.values.len() < n_before
            && inbox.schedule(port_bit(held.port), session.needs(target.template));
        drop(inbox);
        if is_due {
            session.make_ready(&mut self.local, Arc::clone(target));
        }
    }

    /// Wakes those who wait for room on the ports of an instance, as far as values have been taken there.
    #[inline]
    pub(crate) fn make_room(&mut self, instance: &Ready<M>, core: &Core<M>) {
        self.make_room_for_turn(instance, core, false);
    }

    /// The same; where the instance `goes_on` at once with short events, when half of a port is free.
    #[inline]
    pub(crate) fn make_room_for_turn(&mut self, instance: &Ready<M>, core: &Core<M>, goes_on: bool) {
        if !self.session.has_bounds || !self.session.program.bounded.receives(instance.template) {
            return;
        }
        instance.inbox.lock().make_room(&core.ports, goes_on, &mut self.buffers.woken);
        self.wake_for_room();
    }

    /// Returns true if an instance that is to be served again is served soon, and has short events: its senders need not be woken
    /// for each value. Where another order of execution could be asked for, they are.
    pub(crate) fn goes_on_shortly(&self, instance: &Instance<M>) -> bool {
        let session = self.session;
        // Others may come first for as long as they like, or somebody stops it and looks.
        if session.board.is_some() || session.ranks.is_some() || session.at_once.is_bounded(instance.template)
        {
            return false;
        }
        let local = self.lane_locals[instance.template.idx()].as_deref();
        let has_body = || session.program.plan.template(instance.template).body.is_some();
        session.scheduler.has_clock() && local.is_some_and(|local| !local.is_slow || !has_body())
    }

    /// Makes those ready for whom there is room now.
    #[inline]
    pub(crate) fn wake_for_room(&mut self) {
        for sender in self.buffers.woken.drain(..) {
            self.session.make_ready(&mut self.local, sender);
        }
    }
}
