//! The lane: how most events are served.
//!
//! Where nothing is asked of an action and nothing is out of the ordinary, a worker serves the events of an
//! instance in a tight loop: it takes values from plain ports, runs the body, evaluates lowered rules, and
//! hands over what was sent when it lets go of the instance, all values for one receiver at once. Whatever
//! else there is, an error, a lock that is not free, a body that prints, is left to the general way of
//! `select`, `execution` and `route`, which the lane enters at the place where it is; both do the same with
//! the same state.

use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hasse_body::convert::dynamic_from_value;
use hasse_code::layout::Layout;
use hasse_model::id::{EventId, Index, TemplateId};
use hasse_model::plan::Template;
use hasse_model::value::Value;
use hasse_record::event::Taken;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::lane::{Lane, Plain};
use hasse_runtime_plan::rules::{LaneRule, ReceivingPort};
use hasse_store::execution::Progress;
use hasse_store::instance::{Core, Instance, Ready, Vars};
use hasse_store::port::PortQueue;
use hasse_store::queue::Queue;
use rhai::Dynamic;
use thin_vec::ThinVec;

use crate::fire::choose::predicted_rule;
use crate::fire::lane::clock::{
    EVENTS_PER_LOOK, MOST_WAITING, ROWS_PER_BATCH, SERVICES_PER_LOOK, SHORT_BODY_NANOS,
};
use crate::fire::lane::handover::Scheduled;
use crate::fire::lane::local::{LaneLocal, Out};
use crate::fire::lane::names::Names;
use crate::fire::lane::prepared::Batch;
use crate::fire::lane::straight::aimed::Aimed;
use crate::fire::lane::straight::columns::Columns;
use crate::fire::lane::straight::columns::turns::Turns;
use crate::fire::lane::straight::folded::Alike;
use crate::fire::session::Session;
use crate::fire::worker::{BUSY_AFTER, InboxBuffers, Served, TURN, Worker};

/// Finding the receivers that follow from an instance.
pub(crate) mod aim;
/// Serving an instance, where no interpreter is needed.
pub(crate) mod batch;
/// Intervals between two readings of the clock.
pub(crate) mod clock;
/// One event, where no interpreter is needed.
pub(crate) mod event;
/// Replay: what the record says of the next event.
pub(crate) mod follow;
/// Where an event leaves the lane.
pub(crate) mod general;
/// Values on their way to receivers.
pub(crate) mod handover;
/// State of the fast path that a worker keeps for the instances of a template.
pub(crate) mod local;
/// Entries of the matching store.
pub(crate) mod matched;
/// What names stand for.
pub(crate) mod names;
/// The part of a template that is the same for all its events, prepared for one worker.
pub(crate) mod prepared;
/// One value on its way.
pub(crate) mod relay;
/// One event, where the interpreter runs its body.
pub(crate) mod scripted;
/// Events that are as simple as can be.
pub(crate) mod straight;
/// Where they take their values from.
pub(crate) mod takes;

/// Which firing rule is taken.
enum Choice {
    Rule(usize),
    /// None is enabled.
    Nothing,
    /// A guard fails: the general way tells.
    Fails,
}

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    /// The lane of an instance, if it can be served there now.
    pub(crate) fn lane_of(&self, instance: &Instance<M>, core: &Core<M>) -> Option<&'p Lane<'p>> {
        if !self.session.has_lanes() && !self.session.follows() {
            return None;
        }
        let lane = self.session.program.lanes[instance.template.idx()].as_ref().ok()?;
        if self.session.replays() && lane.plain.is_err() {
            return None;
        }
        let is_ready = core.is_initialized || lane.begins_plainly;
        let is_usual = core.pending.is_none() && !core.must_start && !core.has_failed;
        (is_ready && is_usual).then_some(lane)
    }

    /// Serves an instance whose frame is loaded. `None`: it is to be served in the general way.
    pub(crate) fn fire_in_lane(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        lane: &'p Lane<'p>,
    ) -> Option<Served> {
        let layout = &self.session.program.layouts[instance.template.idx()];
        let mut local = match self.lane_locals[instance.template.idx()].take() {
            Some(local) => local,
            None => self.lane_local(instance.template, lane, layout),
        };
        let may_hold_back = self.session.may_hold_back(instance.template);
        if may_hold_back {
            // It has been granted its object while values of it wait for room.
            local.surplus = core.held_back.take();
            self.room = self.events_with_room(instance, core, lane, &mut local);
        }
        core.borrow_ports(self.session.program.plan.template(instance.template), &mut local.spare_ports);
        if lane.sends_to_itself {
            self.receive(instance, core);
        }
        local.n_services = local.n_services.wrapping_add(1);
        let has_body = self.session.program.plan.template(instance.template).body.is_some();
        local.is_slow |= has_body && local.n_services.is_multiple_of(SERVICES_PER_LOOK);
        let straight = lane.plain.as_ref().ok().and_then(|plain| plain.straights.first());
        if let Some(straight) = straight.filter(|_| self.session.has_columns()) {
            let scheduled = Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes);
            local.aim(instance, straight, self.session, scheduled);
        }
        let served = match local.batch.clone() {
            Some(batch) => self.fire_plain_batch(instance, core, &batch, &mut local),
            None => self.fire_batch(instance, core, lane, &mut local),
        };
        if local.has_vars {
            local.names.swap_vars(layout, &mut core.vars);
            local.has_vars = false;
        }
        self.session.instrumentation.end_turn(&mut self.notes);
        if local.held.is_some() {
            self.give_back(core, &mut local);
        }
        if !instance.index.as_slice().is_empty() {
            core.close_ports(&mut local.spare_ports);
        }
        let next = (&mut self.next, instance.template);
        local.hand_over_but_next(
            self.session,
            Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes),
            Some(next),
        );
        if may_hold_back {
            self.room = usize::MAX;
            local.keep_surplus(core);
        }
        self.lane_locals[instance.template.idx()] = Some(local);
        served
    }

    /// Number of events of a sender to bounded ports that are served in a turn: more than one if all that they send has room, which
    /// is reserved. Nothing is reserved while a body lasts, as others would wait for room that nobody uses.
    fn events_with_room(
        &self,
        instance: &Ready<M>,
        core: &Core<M>,
        lane: &Lane<'_>,
        local: &mut LaneLocal<'s, M>,
    ) -> usize {
        let has_body = self.session.program.plan.template(instance.template).body.is_some();
        let may_wait = |batch: &Batch<'_>| batch.body.as_ref().is_some_and(|body| body.native.may_wait);
        let may_last =
            has_body && (local.is_slow || local.batch.as_ref().is_none_or(|batch| may_wait(batch)));
        let Some(most_sent) = lane.most_sent.as_ref().filter(|_| !may_last) else { return 1 };
        let n_on_port =
            |port| core.ports.get(port).map_or(0, |port: &PortQueue<M>| port.n_values(&Index::none()));
        let n_waiting = match lane.only_port.map_or(0, n_on_port) {
            0 => instance.inbox.lock().n_values() as usize,
            n_waiting => n_waiting,
        };
        local.reserve(self.session, most_sent, ROWS_PER_BATCH.max(n_waiting.min(MOST_WAITING))).max(1)
    }

    /// Takes over what has been sent to an instance while it is served: what comes of it begins from here on.
    fn receive(&mut self, instance: &Instance<M>, core: &mut Core<M>) {
        core.receive(instance, &mut self.buffers.arrivals);
        self.session.instrumentation.begin_turn(&mut self.notes);
    }

    fn lane_local(
        &self,
        template_id: TemplateId,
        lane: &'p Lane<'p>,
        layout: &'p Layout,
    ) -> Box<LaneLocal<'s, M>> {
        let session = self.session;
        let out = |ReceivingPort { template, port, elements }: &ReceivingPort| Out {
            template: *template,
            receiver: None,
            aim: None,
            needs: session.needs(*template),
            port: *port,
            elements: elements.clone(),
            values: Queue::new(session.instrumentation.column_order()),
            is_bounded: session.is_bounded(*template, *port),
            n_reserved: 0,
            room: None,
        };
        let plain = lane.plain.as_ref().ok();
        let straights = plain.map_or(&[][..], |plain| &plain.straights);
        // Routing rules are the same for all firing rules.
        let extras = straights.first().map_or(&[][..], |straight| &straight.extras);
        let mut batch = plain.map(|plain| self.batch(template_id, lane, plain, layout));
        let template = session.program.plan.template(template_id);
        let body = session.program.native_bodies[template_id.idx()].as_deref();
        let world = batch.as_ref().and_then(|batch| batch.body.as_ref()).map(|body| &body.template);
        let columns = straights.iter().map(|straight| {
            let columns = Columns::of(straight, (template, layout), body).ok()?;
            Some(match world.and_then(|world| Some((world.effects, world.unannounced?.1))) {
                Some((context, source)) => columns.with_world(context, source),
                None => columns,
            })
        });
        let columns: Vec<_> = columns.collect();
        if let Some(batch) = &mut batch {
            batch.has_columns = columns.iter().all(Option::is_some);
        }
        Box::new(LaneLocal {
            batch: batch.map(Rc::new),
            n_services: 0,
            outs: lane.receivers.iter().map(out).collect(),
            sent: Vec::new(),
            names: Names::of(layout, extras),
            has_vars: false,
            held: None,
            aimed: Aimed::default(),
            alike: Alike::new(),
            columns,
            turns: plain.and_then(|plain| Turns::of(plain.turns.as_ref()?, (template, layout))),
            spare_ports: ThinVec::new(),
            misfit: None,
            surplus: None,
            is_slow: template.body.is_some(),
        })
    }

    fn fire_batch(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        lane: &'p Lane<'p>,
        local: &mut LaneLocal<'s, M>,
    ) -> Option<Served> {
        let session = self.session;
        let template = session.program.plan.template(instance.template);
        let layout = &session.program.layouts[instance.template.idx()];
        if !core.is_initialized {
            self.begin_plainly(instance, core, template, layout, false);
        }
        let has_body = template.body.is_some();
        if has_body {
            self.context.announce_action(session.seed_of_action(instance));
        }
        let batch_size = session.scheduler.batch_size(&mut self.local).min(self.room);
        let mut began = (has_body && local.is_slow).then(Instant::now);
        let mut n_done = 0_usize;
        while n_done < batch_size && !core.has_failed && core.held_back.is_none() && local.surplus.is_none() {
            if session.has_ended.load(Ordering::Relaxed) || session.is_interrupted() {
                Self::lets_go(session, &mut self.buffers, instance, core, lane, false);
                return Some(Served::Left);
            }
            if session.is_called(core) {
                return Some(Served::Again);
            }
            let id = EventId { action: instance.action, count: core.count + 1 };
            self.frame.set(layout.count, Dynamic::from_int(id.count as i64));
            let is_enabled = |worker: &Self, core: &Core<M>, rule_idx: usize| {
                worker.is_enabled_in_lane(core, &lane.rules[rule_idx])
            };
            let rule_idx = match self.choose_in_lane(core, lane, is_enabled) {
                Choice::Rule(rule_idx) => rule_idx,
                Choice::Fails => return None,
                Choice::Nothing => {
                    if Self::lets_go(session, &mut self.buffers, instance, core, lane, true) {
                        return Some(Served::Left);
                    }
                    session.instrumentation.begin_turn(&mut self.notes);
                    continue;
                }
            };
            match self.fire_one(instance, core, lane, local, id, rule_idx) {
                Progress::Ended => {}
                waiting => {
                    // What has been sent may be what the holder of the lock waits for.
                    session.instrumentation.end_turn(&mut self.notes);
                    local.hand_over(
                        self.session,
                        Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes),
                    );
                    self.leave_lane(instance, core, waiting);
                    return Some(Served::Left);
                }
            }
            n_done += 1;
            if self.lets_cut() {
                return Some(Served::Again);
            }
            let looks = has_body && (local.is_slow || n_done.is_multiple_of(EVENTS_PER_LOOK));
            if looks && self.must_leave(local, &mut began, n_done) {
                return Some(Served::Again);
            }
        }
        (!core.has_failed).then_some(Served::Again)
    }

    /// Gives a new instance the default values of its vars.
    fn begin_plainly(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        template: &Template,
        layout: &Layout,
        is_plain: bool,
    ) {
        let vars = template.slots[layout.vars.clone()].iter();
        let vars = vars.map(|slot| slot.ty.default_value());
        core.is_initialized = true;
        if is_plain {
            core.vars = Vars::Values(vars.collect());
        } else {
            core.vars = Vars::Held(vars.map(dynamic_from_value).collect());
            self.load_vars(instance, core);
        }
    }

    /// Looks at the clock: hands over what waits if somebody sleeps or the instance has had its turn, and tells
    /// whether it is to be left.
    #[cold]
    fn must_leave(
        &mut self,
        local: &mut LaneLocal<'s, M>,
        began: &mut Option<Instant>,
        n_done: usize,
    ) -> bool {
        let Some(began) = *began else {
            *began = Some(Instant::now());
            return false;
        };
        let elapsed = began.elapsed();
        local.is_slow = elapsed.as_nanos() > SHORT_BODY_NANOS * n_done as u128;
        let has_had_turn = elapsed >= TURN;
        let somebody_sleeps = elapsed >= BUSY_AFTER && self.session.pool.has_sleeper();
        if has_had_turn || somebody_sleeps {
            // What has been sent may be all that there is to do for others.
            self.session.instrumentation.end_turn(&mut self.notes);
            local.hand_over(self.session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes));
        }
        if somebody_sleeps {
            self.session.scheduler.share(&mut self.local);
            self.session.wake_for_surplus(&self.local);
        }
        has_had_turn && self.session.has_other(&self.local)
    }

    /// Lets go of an instance, unless more has arrived and `looks_again`: that is then on its ports. What has arrived after the
    /// stop node has executed is not looked at.
    fn lets_go(
        session: &Session<'_, M>,
        buffers: &mut InboxBuffers<M>,
        instance: &Instance<M>,
        core: &mut Core<M>,
        lane: &Lane<'_>,
        looks_again: bool,
    ) -> bool {
        let mut inbox = instance.inbox.lock();
        if !looks_again || inbox.is_empty() || session.begins_no_more() {
            inbox.is_scheduled = false;
            // Where nothing but a value on one port is needed, it does not matter what else there is.
            inbox.filled = if lane.only_port.is_some() { 0 } else { core.filled() };
            if session.has_bounds {
                inbox.make_room(&core.ports, false, &mut buffers.woken);
                buffers.has_counted = true;
            }
            return true;
        }
        inbox.empty(&mut core.ports, &mut buffers.arrivals);
        drop(inbox);
        core.sort(&mut buffers.arrivals);
        false
    }

    /// The first enabled rule from the one that is next in turn.
    #[inline(always)]
    fn choose_in_lane(
        &self,
        core: &Core<M>,
        lane: &Lane<'_>,
        is_enabled: impl Fn(&Self, &Core<M>, usize) -> Option<bool>,
    ) -> Choice {
        if let Some(port) = lane.only_port {
            let is_empty = matches!(&core.ports[port], PortQueue::Plain(queue) if queue.is_empty());
            return if is_empty { Choice::Nothing } else { Choice::Rule(0) };
        }
        let n_rules = lane.rules.len();
        let mut choice = Choice::Nothing;
        for turn in 0..n_rules {
            let rule_idx = if n_rules == 1 { 0 } else { (core.first_rule as usize + turn) % n_rules };
            match is_enabled(self, core, rule_idx) {
                Some(true) if matches!(choice, Choice::Nothing) => choice = Choice::Rule(rule_idx),
                Some(_) => {}
                None => return Choice::Fails,
            }
        }
        choice
    }

    /// Choices: whether the rule that is taken next is another one than the predicted one, as by
    /// [`predicted_rule`](Self::predicted_rule); `holds` evaluates the guard of a rule.
    #[inline(always)]
    fn is_free_rule(
        &self,
        template: TemplateId,
        core: &Core<M>,
        (rule_idx, n_rules): (usize, usize),
        holds: impl Fn(usize) -> Option<bool>,
    ) -> bool {
        if !M::NOTES_CHOICES || n_rules < 2 {
            return false;
        }
        let takes_alike = self.session.instrumentation.takes_alike(template);
        predicted_rule(core.first_rule as usize, n_rules, takes_alike, holds) != Some(rule_idx)
    }

    #[inline]
    fn is_enabled_in_lane(&self, core: &Core<M>, rule: &LaneRule<'_>) -> Option<bool> {
        if !has_values(rule, core) {
            return Some(false);
        }
        rule.guard.as_ref().map_or(Some(true), |guard| self.holds_in_lane(guard, &[]))
    }
}

/// Choices: a value was removed from a port.
#[inline]
fn note_taken<M: Instrumentation>(
    notes: &M,
    instance: &Instance<M>,
    (draft, keep): (&mut M::Draft, &mut M::Keep),
    stamp: &M::Stamp,
    (port, elements): (usize, &Index),
) {
    if !M::NOTES_CHOICES {
        return;
    }
    let taken = Taken {
        template: instance.template,
        index: &instance.index,
        params: &instance.graph.params,
        port,
        elements,
    };
    notes.taken(draft, keep, stamp, &taken);
}

/// Returns true if there is a value on each of a rule's ports and elements.
#[inline(always)]
fn has_values<M: Instrumentation>(rule: &LaneRule<'_>, core: &Core<M>) -> bool {
    rule.takes.iter().all(|take| {
        let port = &core.ports[take.port];
        take.elements.iter().all(|element| port.queue(element).is_some_and(|queue| !queue.is_empty()))
    })
}

/// Returns true if a firing rule has its values and its guard holds; `None` where that fails.
#[inline(always)]
fn is_enabled<M: Instrumentation>(
    plain: &Plain<'_>,
    core: &Core<M>,
    rule: &LaneRule<'_>,
    (rule_idx, values): (usize, &[Value]),
) -> Option<bool> {
    if !has_values(rule, core) {
        return Some(false);
    }
    plain.guards[rule_idx].as_ref().map_or(Some(true), |guard| guard.holds(values, &[]))
}
