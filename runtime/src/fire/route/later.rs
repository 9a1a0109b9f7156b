//! Values that come later (`x <- v after 20ms`).
//!
//! The clock holds them with their receivers, which exist from the end of the event that sends them. Values of one sender for one port
//! come in the order sent. A replay delivers them at once: when they came is a free choice of the run, as is the order of senders on a
//! port, and the record of who took them says all of it. A chooser decides about arrivals itself.

use std::sync::Arc;
use std::time::Duration;

use hasse_body::script::CodeError;
use hasse_model::id::TemplateId;
use hasse_model::plan::{Delay, RoutingRule};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::bound_of;
use hasse_runtime_plan::ports::port_bit;
use hasse_schedule::pool::Until;
use hasse_store::instance::{Instance, Ready};
use hasse_store::token::Delivery;

use crate::fire::session::Session;
use crate::fire::worker::Worker;

/// Values that a worker delivers before it serves somebody.
const MOST_AT_ONCE: usize = 1_000;

/// The longest time in nanoseconds, some 292 years.
const LONGEST: f64 = i64::MAX as f64;

impl<M: Instrumentation> Session<'_, M> {
    /// Returns true if values of a template come later here.
    pub(crate) fn sends_later(&self, template: TemplateId) -> bool {
        self.program.sends_later[template.idx()] && !self.replays() && self.scheduler.by_choice().is_none()
    }

    /// Returns true if the time of a value has come.
    #[inline]
    pub(crate) fn is_value_due(&self) -> bool {
        self.delays.first().is_some_and(|first| first <= self.outside.clock.nanos())
    }

    /// Time until the next value, for a worker that has nothing to do.
    pub(crate) fn next_value(&self) -> Until {
        let Some(first) = self.delays.first() else { return Until::WorkersAreDone };
        if self.begins_no_more() || self.is_interrupted() {
            return Until::WorkersAreDone;
        }
        match first.checked_sub(self.outside.clock.nanos()) {
            None | Some(0) => Until::Elapsed(Duration::ZERO),
            Some(_) if self.outside.clock.is_virtual() => Until::NobodyServes,
            Some(nanos) => Until::Elapsed(Duration::from_nanos(nanos)),
        }
    }

    /// Virtual time jumps to the next value.
    pub(crate) fn jump(&self) {
        if let Some(first) = self.delays.first() {
            self.outside.clock.advance(first);
        }
    }

    /// Has a value come after a time, or after earlier ones on its way. Gives it back if it is to come at once.
    pub(crate) fn send_later(
        &self,
        sender: &Instance<M>,
        target: &Ready<M>,
        delivery: Delivery<M>,
        delay: u64,
    ) -> Option<Delivery<M>> {
        let way = (sender.action, target.action, delivery.port, delivery.elements.clone());
        if delay == 0 && !self.delays.has_any(&way) {
            return Some(delivery);
        }
        target.inbox.lock().n_later += 1;
        let nanos = self.outside.clock.nanos().saturating_add(delay);
        if self.delays.add(nanos, way, (Arc::clone(target), delivery)) && self.pool.has_sleeper() {
            // Sleepers may wait for a later one.
            self.pool.wake_one();
        }
        None
    }

    /// Puts all values that have not come yet where they would come, for a report: nobody takes them.
    pub(crate) fn bring_all(&self) {
        self.delays.take_all(|(target, delivery)| {
            let mut inbox = target.inbox.lock();
            inbox.n_later -= 1;
            inbox.put(delivery);
        });
    }
}

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Time until the values of a sending come, in nanoseconds.
    pub(crate) fn delay(
        &mut self,
        delay: &Delay,
        rule: &RoutingRule,
        locals: &[(&str, i64)],
    ) -> Result<u64, CodeError> {
        let held = self.code(&delay.number, rule, locals)?;
        let fault = |message: String| CodeError { code: "R0005", message, at: rule.at };
        let nanos = match (held.as_int(), held.as_float()) {
            (Ok(number), _) => i128::from(number) * i128::from(delay.unit_nanos),
            (_, Ok(number)) => {
                let nanos = number * delay.unit_nanos as f64;
                if nanos.is_nan() || nanos.abs() > LONGEST {
                    return Err(fault(format!("a time of {number} units is too long")));
                }
                nanos.round() as i128
            }
            _ => return Err(fault(format!("a time is a number, not a {}", held.type_name()))),
        };
        match u64::try_from(nanos).ok().filter(|nanos| *nanos <= i64::MAX as u64) {
            Some(nanos) => Ok(nanos),
            None if nanos < 0 => {
                Err(fault(format!("a value cannot come {held} units of time after the event")))
            }
            None => Err(fault(format!("a time of {held} units is too long"))),
        }
    }

    /// Delivers values of which the time has come.
    #[cold]
    pub(crate) fn deliver_due(&mut self) {
        let session = self.session;
        if session.begins_no_more() || session.is_interrupted() {
            return;
        }
        session.delays.deliver(session.outside.clock.nanos(), MOST_AT_ONCE, |(target, delivery)| {
            target.inbox.lock().n_later -= 1;
            self.deliver_now(&target, delivery);
        });
    }

    /// Puts a value into an inbox, also where its port is full: it has waited.
    pub(crate) fn deliver_now(&mut self, target: &Ready<M>, delivery: Delivery<M>) {
        let session = self.session;
        let port = delivery.port;
        let mut inbox = target.inbox.lock();
        if session.is_bounded(target.template, port) {
            let declared = &session.program.plan.template(target.template).inputs[port];
            inbox.put_beyond(|| bound_of(declared, &target.graph), delivery);
        } else {
            inbox.put(delivery);
        }
        let is_due = inbox.schedule(port_bit(port), session.needs(target.template));
        drop(inbox);
        if is_due {
            session.make_ready(&mut self.local, Arc::clone(target));
        }
    }
}
