//! Values for bounded ports: where there is no room, they stay with their sender, which executes nothing meanwhile.

use std::sync::Arc;

use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::bound_of;
use hasse_runtime_plan::ports::port_bit;
use hasse_store::bounded::Waiter;
use hasse_store::instance::{Core, Ready};
use hasse_store::token::Delivery;

use crate::fire::worker::Worker;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Puts a value into the inbox of an instance with bounded ports, or holds it back.
    pub(crate) fn deliver_bounded(&mut self, target: &Ready<M>, delivery: Delivery<M>) {
        let held = self.held_back.as_ref();
        let is_behind = held.is_some_and(|held| held.has_any(target, delivery.port, &delivery.elements));
        let delivery = if is_behind { Err(delivery) } else { self.put_bounded(target, delivery, None) };
        if let Err(delivery) = delivery {
            self.held_back.get_or_insert_default().push(target, delivery);
        }
    }

    /// Puts a value into an inbox; gives it back where its port is full, and `waiter` waits there.
    fn put_bounded(
        &mut self,
        target: &Ready<M>,
        delivery: Delivery<M>,
        waiter: Option<&Arc<Waiter<M>>>,
    ) -> Result<(), Delivery<M>> {
        let session = self.session;
        let port = delivery.port;
        let declared = &session.program.plan.template(target.template).inputs[port];
        let mut inbox = target.inbox.lock();
        if declared.bound.is_none() {
            inbox.put(delivery);
        } else {
            inbox.put_or_wait(|| bound_of(declared, &target.graph), delivery, waiter)?;
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
            let Some(target) = held.target() else { return held.tokens.clear() };
            while let Some(token) = held.tokens.pop_front() {
                let delivery = Delivery { port: held.port, elements: held.elements.clone(), token };
                if let Err(delivery) = self.put_bounded(&target, delivery, Some(&waiter)) {
                    held.tokens.push_front(delivery.token);
                    return;
                }
            }
        });
        if !are_sent {
            core.held_back = Some(held_back);
        }
        are_sent
    }

    /// Wakes those who wait for room on the ports of an instance, as far as values have been taken there.
    #[inline]
    pub(crate) fn make_room(&mut self, instance: &Ready<M>, core: &Core<M>) {
        if !self.session.has_bounds || !self.session.program.bounded.receives(instance.template) {
            return;
        }
        let woken = instance.inbox.lock().make_room(&core.ports);
        for sender in woken {
            self.session.make_ready(&mut self.local, sender);
        }
    }
}
