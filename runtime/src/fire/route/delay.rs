//! Delayed values (`x <- v after 20ms`).
//!
//! Their receivers exist from the end of the event that sends them. Values of one sender for one port are delivered in the order sent.
//! A replay delivers them at once: the time of delivery is a free choice of the run, as is the order of senders on a port, and the
//! record names the event that consumes each value. A chooser decides about arrivals itself.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hasse_body::script::CodeError;
use hasse_model::id::{Index, TemplateId};
use hasse_model::plan::{Delay, RoutingRule, Template, UNITS_OF_TIME};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::bound_of;
use hasse_runtime_plan::ports::port_bit;
use hasse_runtime_plan::times::nanos_of;
use hasse_schedule::pool::NextTimer;
use hasse_store::instance::{Instance, Ready};
use hasse_store::token::Delivery;

use crate::fire::delayed::Delayed;
use crate::fire::session::Session;
use crate::fire::worker::Worker;

/// Maximum number of values that a worker delivers before it serves an instance.
const MOST_AT_ONCE: usize = 1_000;

/// Longest delay in nanoseconds, some 292 years.
const LONGEST: f64 = i64::MAX as f64;

impl<M: Instrumentation> Session<'_, M> {
    /// Returns true if a template sends delayed values here.
    pub(crate) fn delays_values(&self, template: TemplateId) -> bool {
        self.program.delays_values[template.idx()] && !self.replays() && self.scheduler.by_choice().is_none()
    }

    /// Returns true if a delayed value is due, or an answer that was waited for has come.
    #[inline]
    pub(crate) fn is_anything_due(&self) -> bool {
        self.first_delay().is_some_and(|first| first <= self.outside.clock.nanos())
            || self.waits.as_ref().is_some_and(|waits| self.is_answer_due(waits))
    }

    /// The next timer, for an idle worker.
    pub(crate) fn next_timer(&self) -> NextTimer {
        if let Some(timer) = self.waits.as_ref().and_then(|waits| self.timer_of_waits(waits)) {
            return timer;
        }
        let Some(first) = self.first_moment() else { return NextTimer::None };
        if self.waits_no_more() {
            return NextTimer::None;
        }
        match first.checked_sub(self.outside.clock.nanos()) {
            None | Some(0) => NextTimer::In(Duration::ZERO),
            Some(_) if self.outside.clock.is_virtual() => NextTimer::WhenIdle,
            Some(nanos) => NextTimer::In(Duration::from_nanos(nanos)),
        }
    }

    /// The time of the next delayed value, or of the next execution that waits for a time; in nanoseconds.
    pub(crate) fn first_moment(&self) -> Option<u64> {
        let of_waits = self.waits.as_ref().and_then(|waits| waits.first_moment());
        self.first_delay().into_iter().chain(of_waits).min()
    }

    /// The time of the next delayed value or delayed rule, in nanoseconds. A run that drains has none.
    fn first_delay(&self) -> Option<u64> {
        self.delays.first().into_iter().chain(self.looks.first()).min().filter(|_| !self.stop.is_draining())
    }

    /// Advances virtual time to the next timer.
    pub(crate) fn advance_to_next(&self) {
        if let Some(first) = self.first_moment() {
            self.outside.clock.advance(first);
        }
    }

    /// Delays a value, also after earlier ones of its way. Returns it if it is to be delivered at once.
    pub(crate) fn delay_value(
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
        target.inbox.lock().n_delayed += 1;
        let nanos = self.outside.clock.nanos().saturating_add(delay);
        if self.delays.add(nanos, way, (Arc::clone(target), Delayed::Value(delivery)))
            && self.pool.has_sleeper()
        {
            // Sleepers may wait for a later timer.
            self.pool.wake_one();
        }
        None
    }

    /// Starts the program: the start node that executes before all others, if there is one, else all of them. In a replay the record
    /// says who is first.
    pub(crate) fn start_nodes(&self) {
        let templates = &self.program.plan.templates;
        if !self.replays() && templates.iter().any(|template| template.is_first) {
            self.awaits_first.store(true, Ordering::Relaxed);
            return self.start_each(|template| template.is_first);
        }
        self.start_each(|_| true);
    }

    /// Starts the others when the first one has executed.
    #[cold]
    pub(crate) fn start_others(&self, served: &Instance<M>) {
        let is_first = self.program.plan.template(served.template).is_first;
        if is_first && self.awaits_first.swap(false, Ordering::Relaxed) {
            self.start_each(|template| !template.is_first);
        }
    }

    fn start_each(&self, is_meant: impl Fn(&Template) -> bool) {
        let plan = self.program.plan;
        for (template_idx, template) in plan.templates.iter().enumerate() {
            if template.is_start && template.graph == plan.main && is_meant(template) {
                let instance = self.find_or_create(template_idx);
                self.start(instance);
            }
        }
    }

    /// Schedules a start node: at once, or at its time. A replay does not wait, and a chooser decides itself.
    fn start(&self, instance: Ready<M>) {
        let template = self.program.plan.template(instance.template);
        let waits = !self.replays() && self.scheduler.by_choice().is_none();
        let Some(after) = template.start_after.as_ref().filter(|_| waits) else {
            self.schedule(instance);
            return;
        };
        instance.inbox.lock().is_scheduled = true;
        let way = (instance.action, instance.action, usize::MAX, Index::none());
        let nanos = nanos_of(after, &instance.graph);
        self.delays.add(self.outside.clock.nanos().saturating_add(nanos), way, (instance, Delayed::Start));
    }

    /// Delivers all delayed values for a report: nobody takes them.
    pub(crate) fn deliver_all(&self) {
        self.delays.take_all(|(target, delivery)| {
            let Delayed::Value(delivery) = delivery else { return };
            let mut inbox = target.inbox.lock();
            inbox.n_delayed -= 1;
            inbox.put(delivery);
        });
    }
}

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Delay of the values of a sending, in nanoseconds.
    pub(crate) fn delay(
        &mut self,
        delay: &Delay,
        rule: &RoutingRule,
        locals: &[(&str, i64)],
    ) -> Result<u64, CodeError> {
        let held = self.code(&delay.number, rule, locals)?;
        let (unit, unit_nanos) = UNITS_OF_TIME[delay.unit];
        let fault = |message: String| CodeError { code: "R0005", message, at: rule.at };
        let too_long = || fault(format!("the delay is too long: {held} {unit}"));
        let nanos = match (held.as_int(), held.as_float()) {
            (Ok(number), _) => i128::from(number) * i128::from(unit_nanos),
            (_, Ok(number)) => {
                let nanos = number * unit_nanos as f64;
                if nanos.is_nan() || nanos.abs() > LONGEST {
                    return Err(too_long());
                }
                nanos.round() as i128
            }
            _ => return Err(fault(format!("a delay must be a number, not a {}", held.type_name()))),
        };
        if nanos < 0 {
            return Err(fault(format!("the delay is negative: {held} {unit}")));
        }
        let nanos =
            u64::try_from(nanos).ok().filter(|nanos| *nanos <= i64::MAX as u64).ok_or_else(too_long)?;
        if !delay.is_periodic {
            return Ok(nanos);
        }
        if nanos == 0 {
            return Err(fault(format!("the period of the timer is too short: {held} {unit}")));
        }
        // Ticks are at multiples of the period, however long events take: a tick that an event has missed is left out.
        Ok(nanos - self.session.outside.clock.nanos() % nanos)
    }

    /// Delivers the values that are due, and makes the actions ready whose answers have come.
    #[cold]
    pub(crate) fn deliver_due(&mut self) {
        let session = self.session;
        if let Some(waits) = &session.waits {
            self.wake_waiting(waits);
        }
        if session.waits_no_more() || session.stop.is_draining() {
            return;
        }
        let now = session.outside.clock.nanos();
        session.looks.take_due(now, MOST_AT_ONCE, |instance| session.make_ready(&mut self.local, instance));
        session.delays.deliver(session.outside.clock.nanos(), MOST_AT_ONCE, |(target, delivery)| {
            match delivery {
                Delayed::Value(delivery) => {
                    target.inbox.lock().n_delayed -= 1;
                    self.deliver_now(&target, delivery);
                }
                Delayed::Start => session.make_ready(&mut self.local, target),
            }
        });
    }

    /// Puts a value into an inbox, also if its port is full: it has waited.
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
