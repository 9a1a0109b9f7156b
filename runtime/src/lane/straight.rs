//! Events that are as simple as can be: integers in, a native body, integers out. Between two looks at the world they are
//! served in one loop, which leaves whatever else there is to the loop of `event`: it enters with nothing half done.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hasse_model::id::{ArcId, EventId, Index, ObjectId, TemplateId};
use hasse_model::plan::Access;
use hasse_model::value::Value;

use super::arcs::IndexedWay;
use super::batch::Batch;
use super::event::{Fired, Under};
use super::lower::{Receiver, Straight, StraightRoute, Way};
use super::names::Names;
use super::takes::{Several, Single, Takes};
use super::{LaneLocal, Out};
use crate::body::script::ScriptEnd;
use crate::instance::{Core, Instance, PortQueue, port_bit};
use crate::instrumentation::{Done, Instrumentation, ResultOrder};
use crate::natives::{BodyContext, BodyInstance, BodyScope, put, put_int};
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::shared::Held;
use crate::token::{Delivery, Directive, Token};
use crate::worker::{Ready, Served, Worker};

/// Why the loop was left.
pub(super) enum Left {
    /// As many events have been executed as were asked for.
    Full,
    /// No event is enabled.
    Nothing,
    /// The next event is no simple one.
    Odd,
    /// An event has ended, or goes on, in the general way.
    Generally(Fired),
}

/// What the loop works on, each part at hand by itself.
struct Loop<'l, 's, M: Instrumentation, K: ResultOrder> {
    notes: &'l M,
    noted: &'l mut M::Local,
    instance: &'l Instance<M, K>,
    straight: &'l Straight,
    batch: &'l Batch<'s>,
    keep: &'l M::Keep,
    outs: &'l mut [Out<'s, M, K>],
    pending: &'l mut Vec<Pending>,
    /// What is appended to what waits there.
    stamp: Option<M::Stamp>,
    /// The shared object, with its id and its slot.
    held: Option<(&'l mut Held<M, K>, ObjectId, usize)>,
    /// Executions begun so far.
    count: u64,
    /// Result-setting events before the next one.
    known: K,
    /// The event under way.
    light: Option<M::Light>,
    known_under_way: K,
    sent: Sent,
    has_asked: Cell<bool>,
    /// What bodies see of the instance.
    seen: BodyInstance<'l>,
}

/// An integer for an instance that index numbers tell.
pub(crate) struct Pending {
    arc: ArcId,
    target: TemplateId,
    port: usize,
    index: Index,
    number: i64,
}

/// What an event has sent so far: the first so many of the values of these rules.
#[derive(Clone, Copy, Default)]
struct Sent {
    /// Rules that hold, as bits.
    routes: u64,
    n_values: u64,
}

/// Why the loop ends.
pub(super) enum End {
    Full,
    Nothing,
    Odd,
    /// The event under way is to end in the general way, perhaps with an error.
    Unusual(Option<Box<ScriptEnd>>),
}

/// What came of some events.
pub(super) struct Ran<M: Instrumentation, K: ResultOrder> {
    pub(super) end: End,
    pub(super) n_done: usize,
    /// The event under way, where it is to end in the general way.
    under: Option<Box<Under<M, K>>>,
    sent: Sent,
    /// What is appended to what is pending.
    pub(super) stamp: Option<M::Stamp>,
}

/// Executes at most `n_events`. The object is locked, where there is one.
#[inline(always)]
pub(super) fn run_straight<'s, M: Instrumentation, K: ResultOrder>(
    (notes, noted): (&M, &mut M::Local),
    instance: &Instance<M, K>,
    core: &mut Core<M, K>,
    (batch, straight): (&Batch<'s>, &Straight),
    (outs, pending, names): (&mut [Out<'s, M, K>], &mut Vec<Pending>, &mut Names),
    held: Option<(&mut Held<M, K>, ObjectId, usize)>,
    n_events: usize,
) -> Ran<M, K> {
    put_int(&mut names.values[batch.layout.rule], 0);
    let mut looping = Loop {
        notes,
        noted,
        instance,
        straight,
        batch,
        keep: &core.keep,
        outs,
        pending,
        stamp: None,
        held,
        count: core.count,
        known: core.known.clone(),
        light: None,
        known_under_way: K::default(),
        sent: Sent::default(),
        has_asked: Cell::new(false),
        seen: BodyInstance { index: instance.index.as_slice(), path_hash: instance.graph.path_hash },
    };
    let n_before = core.count;
    let end = match straight.takes[..] {
        [(port, slot_idx)] if straight.sends_to_taken => match &mut core.ports[port] {
            PortQueue::Plain(queue) => {
                looping.run(&mut Single { queue, slot_idx }, &mut names.values, n_events)
            }
            PortQueue::Family(_) => End::Odd,
        },
        _ => {
            let mut several = Several { ports: &mut core.ports, takes: &straight.takes };
            looping.run(&mut several, &mut names.values, n_events)
        }
    };
    let Loop { light, count, known, known_under_way, has_asked, sent, stamp, .. } = looping;
    core.count = count;
    let n_done = (count - n_before) as usize - usize::from(light.is_some());
    core.known = known;
    let under = light.map(|light| {
        let id = EventId { action: instance.action, count };
        let (known, has_asked) = (known_under_way, has_asked.get());
        Box::new(Under { id, rule_idx: 0, light, known, has_asked })
    });
    Ran { end, n_done, under, sent, stamp }
}

/// Puts integers into the inboxes of the instances that they are for.
pub(super) fn deliver_pending<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    session: &Session<'_, M, K, S>,
    scheduled: &mut S::Local,
    instance: &Instance<M, K>,
    pending: &mut Vec<Pending>,
    stamp: &M::Stamp,
    known: &K,
) {
    let (plan, notes) = (session.program.plan, session.instrumentation);
    for Pending { arc, target, port, index, number } in pending.drain(..) {
        let (target, _) = session.registry.instance(plan, notes, &instance.graph, target, index);
        let directive = M::Directive::of(false);
        let (stamp, known) = (M::via(stamp, arc), known.clone());
        let token = Token { value: Value::Int(number), stamp, known, directive };
        let mut inbox = target.inbox.lock();
        inbox.put(Delivery { port, elements: Index::none(), token });
        let is_due = inbox.schedule(port_bit(port), session.needs(target.template));
        drop(inbox);
        if is_due {
            session.make_ready(scheduled, target);
        }
    }
}

impl<'s, 'p, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Worker<'s, 'p, M, K, S> {
    /// Executes at most `n_events`; adds to `n_done` what was executed.
    pub(super) fn fire_straight(
        &mut self,
        instance: &Ready<M, K>,
        core: &mut Core<M, K>,
        batch: &Batch<'s>,
        straight: &Straight,
        local: &mut LaneLocal<'s, M, K>,
        (n_events, n_done): (usize, &mut usize),
    ) -> Left {
        let lock = match &core.locks[..] {
            [] => None,
            [lock] if lock.access == Access::Write && local.has_touched() => Some(lock),
            _ => return Left::Odd,
        };
        let held = lock.zip(local.held.as_mut()).map(|(lock, held)| {
            put(&mut local.names.values[lock.slot_idx], held.value.clone());
            (held, lock.object.id, lock.slot_idx)
        });
        let ran = run_straight(
            (self.session.instrumentation, &mut self.notes),
            instance,
            core,
            (batch, straight),
            (&mut local.outs, &mut local.pending, &mut local.names),
            held,
            if straight.is_indexed { 1 } else { n_events },
        );
        self.n_events += ran.n_done as u64;
        *n_done += ran.n_done;
        if let (1.., Some(stamp)) = (ran.n_done, &ran.stamp) {
            deliver_pending(self.session, &mut self.local, instance, &mut local.pending, stamp, &core.known);
        }
        match ran.end {
            End::Full => Left::Full,
            End::Nothing => Left::Nothing,
            End::Odd => Left::Odd,
            End::Unusual(_) => Left::Generally(self.end_unusual(instance, core, batch, local, ran)),
        }
    }

    /// Ends an event in the general way, in which it is found out what is to be said of it.
    #[cold]
    fn end_unusual(
        &mut self,
        instance: &Ready<M, K>,
        core: &mut Core<M, K>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M, K>,
        ran: Ran<M, K>,
    ) -> Fired {
        let (Some(under), Some(straight)) = (ran.under, &batch.plain.straight) else { return Fired::Ended };
        local.pending.clear();
        local.take_back_straight(core, straight, ran.sent);
        self.outgoing.clear();
        let end = match ran.end {
            End::Unusual(end) => end,
            _ => None,
        };
        self.ends_generally(instance, core, batch, local, *under, end)
    }

    /// The same, for [`serve_straight`](Self::serve_straight): the instance is to be looked at again.
    #[cold]
    pub(super) fn end_straight(
        &mut self,
        instance: &Ready<M, K>,
        core: &mut Core<M, K>,
        ran: Ran<M, K>,
    ) -> Option<Served> {
        let mut local = self.lane_locals[instance.template.idx()].take()?;
        let batch = local.batch.clone()?;
        let fired = self.end_unusual(instance, core, &batch, &mut local, ran);
        local.names.swap_vars(batch.layout, &mut core.vars);
        self.lane_locals[instance.template.idx()] = Some(local);
        matches!(fired, Fired::Parked).then_some(Served::Left)
    }
}

impl<M: Instrumentation, K: ResultOrder> Loop<'_, '_, M, K> {
    /// Executes at most so many events. Panics of bodies are caught here, for all of them together.
    /// `values` are those of names by slot, and constants behind them.
    fn run(&mut self, takes: &mut impl Takes<M, K>, values: &mut [Value], n_events: usize) -> End {
        let panic = match catch_unwind(AssertUnwindSafe(|| self.execute(takes, values, n_events))) {
            Ok(end) => return end,
            Err(panic) => panic,
        };
        match &self.batch.body {
            // There is an event under way while its body runs.
            Some(body) if self.light.is_some() => {
                End::Unusual(Some(Box::new(body.native.panicked(&*panic, body.at))))
            }
            _ => resume_unwind(panic),
        }
    }

    #[inline(always)]
    fn execute(&mut self, takes: &mut impl Takes<M, K>, values: &mut [Value], n_events: usize) -> End {
        let layout = self.batch.layout;
        let last = self.count + n_events as u64;
        while self.count < last {
            if !takes.are_there() {
                return if takes.is_one_missing() { End::Nothing } else { End::Odd };
            }
            self.count += 1;
            let id = EventId { action: self.instance.action, count: self.count };
            let mut light = self.notes.begin_light(self.noted, self.keep, id, 0);
            let mut known = self.known.clone();
            takes.each(|slot_idx, number, token| {
                self.notes.take_light(self.noted, &mut light, &token.stamp);
                known.merge(&token.known);
                put_int(&mut values[slot_idx], number);
            });
            if let Some((held, object, _)) = &self.held {
                self.notes.access_light(self.noted, &mut light, *object, Access::Write, held.mark());
                known.merge(held.known());
            }
            put_int(&mut values[layout.count], id.count as i64);
            if let Some(body) = &self.batch.body {
                let mut context = BodyContext {
                    scope: BodyScope::Lane(values),
                    template: &body.template,
                    instance: &self.seen,
                    rule: 0,
                    count: id.count,
                    has_taken: false,
                    has_asked: &self.has_asked,
                };
                self.light = Some(light);
                self.known_under_way = known.clone();
                let ended = body.native.call(&mut context);
                let has_taken = context.has_taken;
                if ended.is_err() || has_taken || self.has_asked.get() {
                    return End::Unusual(
                        ended.err().map(|error| Box::new(body.native.failed(error, body.at))),
                    );
                }
                let Some(same) = self.light.take() else { return End::Odd };
                light = same;
            }
            let mut sent = Sent::default();
            if !self.route(takes, values, &mut light, &known, &mut sent) {
                (self.light, self.known_under_way, self.sent) = (Some(light), known, sent);
                return End::Unusual(None);
            }
            if let Some((held, _, slot_idx)) = &mut self.held {
                match &values[*slot_idx] {
                    Value::Int(number) => put_int(&mut held.value, *number),
                    other => held.value = other.clone(),
                }
                held.leave(&known, |mark| self.notes.release_light(&light, Access::Write, mark));
            }
            let done = Done {
                template: self.instance.template,
                rule: 0,
                graph: &self.instance.graph,
                index: &self.instance.index,
                routes: &[],
                flow_successors: sent.n_values,
            };
            self.notes.end_light(self.noted, light, done);
            self.known = known;
            for value in &mut values[layout.lets.clone()] {
                put(value, Value::Unit);
            }
        }
        End::Full
    }

    /// Evaluates the routing rules, and puts what they send to what waits to be handed over, or onto the sender's own
    /// ports; false where something is out of the ordinary.
    #[inline(always)]
    fn route(
        &mut self,
        takes: &mut impl Takes<M, K>,
        values: &[Value],
        light: &mut M::Light,
        known: &K,
        sent: &mut Sent,
    ) -> bool {
        let stamp = self.notes.stamp_light(light);
        for (rule_idx, route) in self.straight.routes.iter().enumerate() {
            if let Some(guard) = &route.guard {
                match guard.holds(values, &[]) {
                    Some(true) => {}
                    Some(false) => continue,
                    None => return false,
                }
            }
            self.notes.route_light(self.noted, light, rule_idx as u32);
            sent.routes |= 1 << rule_idx;
            for &(slot_idx, way) in &route.sends {
                let Value::Int(number) = values[slot_idx] else { return false };
                // Made where it is put, so that it is written in parts, and not written, read and written again.
                let make = || Token {
                    value: Value::Int(number),
                    stamp: M::via(&stamp, way.arc),
                    known: known.clone(),
                    directive: M::Directive::of(false),
                };
                match way.to {
                    Receiver::Other(position) => self.outs[position].tokens.push_back_with(make),
                    Receiver::Itself => match takes.own(way.port) {
                        Some(queue) => queue.push_back_with(make),
                        None => return false,
                    },
                }
                sent.n_values += 1;
            }
            if !route.indexed.is_empty() {
                self.stamp = Some(stamp.clone());
                if !self.send_indexed(route, values, sent) {
                    return false;
                }
            }
        }
        true
    }

    /// Finds out to whom values go by index numbers; false where nobody takes one.
    #[inline]
    fn send_indexed(&mut self, route: &StraightRoute, values: &[Value], sent: &mut Sent) -> bool {
        let numbers = self.seen.index;
        for (slot_idx, ways) in &route.indexed {
            let Value::Int(number) = values[*slot_idx] else { return false };
            let n_before = self.pending.len();
            for way in ways.iter().filter(|way| way.matches(numbers)) {
                let Some(index) = way.index(numbers) else { return false };
                let IndexedWay { arc, target, port, .. } = *way;
                self.pending.push(Pending { arc, target, port, index, number });
            }
            if self.pending.len() == n_before {
                return false;
            }
            sent.n_values += (self.pending.len() - n_before) as u64;
        }
        true
    }
}

impl<M: Instrumentation, K: ResultOrder> LaneLocal<'_, M, K> {
    /// Whether an event has had the object since it was locked, and it is kept for the next.
    fn has_touched(&self) -> bool {
        !self.is_slow && self.held.as_ref().is_some_and(|held| !held.is_untouched())
    }

    /// Takes back what the event under way has sent.
    #[cold]
    fn take_back_straight(&mut self, core: &mut Core<M, K>, straight: &Straight, sent: Sent) {
        if straight.is_indexed {
            // It waits apart.
            return;
        }
        let taken =
            straight.routes.iter().enumerate().filter(|(rule_idx, _)| sent.routes >> rule_idx & 1 == 1);
        let ways: Vec<Way> = taken.flat_map(|(_, route)| route.sends.iter().map(|&(_, way)| way)).collect();
        for way in ways[..sent.n_values as usize].iter().rev() {
            match way.to {
                Receiver::Itself => {
                    if let PortQueue::Plain(queue) = &mut core.ports[way.port] {
                        queue.pop_back();
                    }
                }
                Receiver::Other(position) => {
                    self.outs[position].tokens.pop_back();
                }
            }
        }
    }
}
