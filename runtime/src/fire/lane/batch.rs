//! Serving an instance of which no event needs the interpreter.

use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hasse_body::effects::Announcement;
use hasse_body::natives::put_int;
use hasse_code::layout::Layout;
use hasse_code::natives::node::BodyTemplate;
use hasse_code::routines;
use hasse_lock::shared::Turn;
use hasse_model::diagnostic::Location;
use hasse_model::id::{EventId, Index, SlotId, TemplateId};
use hasse_model::plan::{Access, Body};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::lane::{Dependence, Lane, Plain};
use hasse_runtime_plan::straight::Straight;
use hasse_store::instance::{Core, Ready};

use crate::fire::lane::clock::{EVENTS_PER_LOOK, MOST_WAITING, ROWS_PER_BATCH, SERVICES_PER_LOOK};
use crate::fire::lane::event::Fired;
use crate::fire::lane::follow::Recorded;
use crate::fire::lane::handover::Scheduled;
use crate::fire::lane::local::LaneLocal;
use crate::fire::lane::prepared::{Batch, NodeBody};
use crate::fire::lane::straight::{End, Left, Places, RecordedSending, Wanted, run_straight};
use crate::fire::lane::{Choice, has_values, is_enabled};
use crate::fire::worker::{Served, TURN, Worker};

impl<'b> Batch<'b> {
    /// Straight events by firing rule. There are none where they are recorded and their bodies may wait for something else: each
    /// of them is to have been noted when the next one begins. Nor are there where they have answers to be noted and no columns.
    #[inline(always)]
    pub(crate) fn straights(&self, records: bool) -> &'b [Straight] {
        let is_single = |body: &NodeBody<'_>| body.native.may_wait || body.native.asks && !self.has_columns;
        if records && self.body.as_ref().is_some_and(is_single) { &[] } else { &self.plain.straights }
    }

    /// The same, where there is one firing rule, without a guard.
    #[inline(always)]
    pub(crate) fn straight(&self, records: bool) -> Option<&'b Straight> {
        self.plain.straight().filter(|_| !self.straights(records).is_empty())
    }

    /// The number of next events, `most` at most, that an enabled firing rule serves before another one may be due, or its guard
    /// may not hold any more.
    fn n_by_rule<M: Instrumentation>(
        &self,
        core: &Core<M>,
        values: &mut [Value],
        (rule_idx, most): (usize, usize),
    ) -> usize {
        if self.plain.turn_obstacle(rule_idx).is_some() {
            return 1;
        }
        let rules = &self.lane.rules;
        let others_wait = || {
            let mut others = rules.iter().enumerate().filter(|(other_idx, _)| *other_idx != rule_idx);
            others.any(|(_, other)| has_values(other, core))
        };
        if rules.len() > 1 && others_wait() {
            return 1;
        }
        match (self.plain.dependences[rule_idx], &self.plain.guards[rule_idx]) {
            (Dependence::None, _) => most,
            (Dependence::Count, Some(guard)) => {
                let first = core.count + 1;
                let mut holds_at = |nth: &usize| {
                    put_int(&mut values[self.layout.count], (first + *nth as u64) as i64);
                    guard.holds(values, &[]) == Some(true)
                };
                let n_by_rule = (1..most).take_while(&mut holds_at).count() + 1;
                put_int(&mut values[self.layout.count], first as i64);
                n_by_rule
            }
            _ => 1,
        }
    }
}

/// The next events to be served.
enum Next<'b> {
    /// Events that can be served together.
    Together(&'b Straight, Wanted),
    /// One event, if any.
    One(Choice),
    /// It is still to be found out.
    Unknown,
}

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    /// What is the same for all events of a template.
    pub(crate) fn batch(
        &self,
        template_id: TemplateId,
        lane: &'p Lane<'p>,
        plain: &'p Plain<'p>,
        layout: &'p Layout,
    ) -> Batch<'s> {
        let session = self.session;
        let template = session.program.plan.template(template_id);
        let at = match &template.body {
            Some(Body::Native { at, .. }) => *at,
            Some(Body::Script(script)) => session.program.plan.scripts[script.idx()].at,
            None => Location::default(),
        };
        let body = match session.program.native_bodies[template_id.idx()].as_deref() {
            Some(native) => {
                let announcement = match (self.session.replays(), M::RECORDS) {
                    // What has answers goes the general way.
                    (true, _) => Announcement::NoAnswers,
                    (false, true) => Announcement::WorldRecorded,
                    (false, false) => Announcement::World,
                };
                let body = BodyTemplate {
                    template,
                    layout,
                    names: &layout.by_name,
                    effects: self.context,
                    unannounced: Some((session.random_seed, announcement)),
                    stop: &session.stop,
                    facts: native.facts(),
                };
                Some(NodeBody { native, at, template: body })
            }
            None => None,
        };
        let machine =
            template.body_script().and_then(|script| session.program.machines.get(script.idx())?.as_deref());
        let writer = machine.filter(|machine| {
            template.shared.len() == 1
                && template.shared[0].access == Access::Write
                && routines::can_take_back(machine, SlotId::from_idx(layout.shared.start))
        });
        Batch { lane, plain, template, layout, body, writer, has_columns: false }
    }

    /// Serves an instance of which everything is usual and whose next events are straight, for a few events; the
    /// shortest way. `None`: it is to be served in another way, from where it stands.
    pub(crate) fn serve_straight(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> Option<Served> {
        let session = self.session;
        let local = self.lane_locals[instance.template.idx()].as_deref_mut()?;
        let batch = Rc::clone(local.batch.as_ref()?);
        let Batch { lane, layout, .. } = *batch;
        let straight = batch.straight(M::RECORDS)?;
        let is_usual = (core.is_initialized || lane.begins_plainly && layout.vars.is_empty())
            && core.locks.is_empty()
            && core.pending.is_none()
            && !core.must_start
            && !core.has_failed
            && !local.is_slow
            && !local.n_services.wrapping_add(1).is_multiple_of(SERVICES_PER_LOOK);
        if !is_usual || session.has_ended.load(Ordering::Relaxed) || session.is_interrupted() {
            return None;
        }
        let is_limited = session.may_hold_back(instance.template);
        let room = if is_limited { local.published_room(&batch)? } else { usize::MAX };
        local.n_services = local.n_services.wrapping_add(1);
        core.is_initialized = true;
        core.borrow_ports(batch.template, &mut local.spare_ports);
        if lane.sends_to_itself {
            core.receive(instance, &mut self.buffers.arrivals);
            session.instrumentation.begin_turn(&mut self.notes);
        }
        local.aim(
            instance,
            straight,
            session,
            Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes),
        );
        if straight.is_indexed() && local.aimed.awaiting != 0 {
            return None;
        }
        let LaneLocal { outs, aimed, alike, columns, spare_ports, names, .. } = &mut *local;
        names.load(layout, instance, &mut core.vars)?;
        let most = if batch.body.is_some() { EVENTS_PER_LOOK } else { ROWS_PER_BATCH };
        let mut n_left = most.min(room);
        // A turn drains all values that were queued together, while the output ports have room and bodies are short.
        let n_more = |core: &Core<M>, n_done: usize| {
            let n_waiting = lane.only_port.map_or(0, |port| core.ports[port].n_values(&Index::none()));
            n_waiting.min(ROWS_PER_BATCH).min(room.min(MOST_WAITING).saturating_sub(n_done))
        };
        let (mut n_done, mut began) = (0, None);
        let served = loop {
            let ran = run_straight(
                (session.instrumentation, &mut self.notes),
                instance,
                core,
                (&batch, straight),
                Places {
                    outs,
                    aimed,
                    names,
                    alike,
                    columns: columns.first_mut().and_then(Option::as_mut),
                    rules: &[],
                },
                None,
                Wanted { n_events: n_left, ..Wanted::default() },
            );
            self.n_events += ran.n_done as u64;
            n_left -= ran.n_done;
            n_done += ran.n_done;
            if n_left == 0
                && !session.has_other(&self.local)
                && began.get_or_insert_with(Instant::now).elapsed() < TURN
            {
                n_left = n_more(core, n_done);
            }
            match ran.end {
                End::Full if n_left > 0 => {}
                End::Nothing if Self::lets_go(session, &mut self.buffers, instance, core, lane, true) => {
                    break Some(Served::Left);
                }
                End::Nothing if n_left > 0 => session.instrumentation.begin_turn(&mut self.notes),
                End::Full | End::Nothing if is_limited => {
                    let is_left = !lane.rules.iter().any(|rule| has_values(rule, core))
                        && Self::lets_go(session, &mut self.buffers, instance, core, lane, true);
                    break Some(if is_left { Served::Left } else { Served::Again });
                }
                End::Nothing | End::Full | End::Odd => break None,
                End::Unusual(_) => return self.end_straight(instance, core, ran),
            }
        };
        names.swap_vars(layout, &mut core.vars);
        if served.is_some() {
            session.instrumentation.end_turn(&mut self.notes);
            if !instance.index.as_slice().is_empty() {
                core.close_ports(spare_ports);
            }
            let next = (&mut self.next, instance.template);
            local.hand_over_but_next(
                session,
                Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes),
                Some(next),
            );
            local.keep_surplus(core);
        }
        served
    }

    /// Serves an instance, for a batch of events at most.
    pub(crate) fn fire_plain_batch(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
    ) -> Option<Served> {
        let session = self.session;
        let Batch { lane, template, layout, .. } = *batch;
        if !core.is_initialized {
            self.begin_plainly(instance, core, template, layout, true);
        }
        if core.is_granted
            && let Some(lock) = core.locks.first()
        {
            core.is_granted = false;
            local.held = Some(lock.object.hold_granted(lock.access));
        }
        local.names.load(layout, instance, &mut core.vars)?;
        local.has_vars = true;
        let has_body = batch.body.is_some();
        if !lane.rules.iter().any(|rule| has_values(rule, core))
            && Self::lets_go(session, &mut self.buffers, instance, core, lane, true)
        {
            return Some(Served::Left);
        }
        // What has come together while others had their turns is served in one, or it would become more and more.
        session.instrumentation.begin_turn(&mut self.notes);
        let n_waiting = lane.only_port.map_or(0, |port| core.ports[port].n_values(&Index::none()));
        let batch_size = session.scheduler.batch_size(&mut self.local).max(n_waiting.min(MOST_WAITING));
        let batch_size = batch_size.min(self.room);
        let mut began = (has_body && local.is_slow).then(Instant::now);
        let (mut n_done, mut next_look) = (0, 0);
        loop {
            if n_done == next_look {
                if n_done > 0 && has_body && self.must_leave(local, &mut began, n_done) {
                    return Some(Served::Again);
                }
                if n_done > 0 && (self.lets_cut() || local.surplus.is_some()) {
                    return Some(Served::Again);
                }
                session.instrumentation.tick(&mut self.notes);
                if has_body && local.is_slow {
                    session.instrumentation.lay_down(&mut self.notes);
                }
                if session.begins_no_more() || session.is_interrupted() {
                    Self::lets_go(session, &mut self.buffers, instance, core, lane, false);
                    return Some(Served::Left);
                }
                if session.is_called(core) {
                    return Some(Served::Again);
                }
                next_look += match has_body {
                    true if local.is_slow => 1,
                    true => EVENTS_PER_LOOK,
                    false => ROWS_PER_BATCH,
                };
            }
            let mut expected = self.next_expected(instance, core);
            let told = if self.session.instrumentation.follows() {
                self.next_told(instance, core, batch, local, expected.as_ref())
            } else {
                Recorded::Free
            };
            let mut has_nothing = false;
            let (mut n_told, mut recorded_sending) = (usize::MAX, RecordedSending::default());
            match told {
                Recorded::Free | Recorded::Rule(_) => {}
                Recorded::Straight { n_events, sending, .. } => {
                    (n_told, recorded_sending) = (n_events, sending)
                }
                Recorded::Nothing => has_nothing = true,
                Recorded::Odd => return None,
            }
            let has_object = core.locks.is_empty() || local.held.is_some();
            put_int(&mut local.names.values[layout.count], core.count as i64 + 1);
            let most = if has_object { n_told.min(next_look.min(batch_size) - n_done) } else { 0 };
            let mut next = self.next_straight(instance, core, batch, local, (told, recorded_sending, most));
            if let Next::Together(straight, wanted) = next {
                next = Next::Unknown;
                match self.fire_straight(instance, core, batch, straight, local, wanted, &mut n_done) {
                    Left::Full => continue,
                    Left::Nothing => has_nothing = true,
                    Left::Odd => {}
                    Left::Generally(Fired::Parked) => return Some(Served::Left),
                    Left::Generally(_) if core.has_failed => return None,
                    Left::Generally(_) if core.held_back.is_some() => return Some(Served::Again),
                    Left::Generally(_) => {
                        n_done += 1;
                        continue;
                    }
                }
            }
            // Some may have been served together before one that is not to be.
            let id = EventId { action: instance.action, count: core.count + 1 };
            if expected.is_some_and(|expected| expected.id() != id) {
                expected = self.next_expected(instance, core);
            }
            put_int(&mut local.names.values[layout.count], id.count as i64);
            let choice = match (next, told) {
                _ if has_nothing => Choice::Nothing,
                (Next::One(choice), _) => choice,
                (_, Recorded::Rule(rule_idx) | Recorded::Straight { rule_idx, .. }) => {
                    // Those that were served together may have been by several rules.
                    let recorded = expected.and_then(|expected| usize::try_from(expected.rule).ok());
                    Choice::Rule(recorded.unwrap_or(rule_idx))
                }
                _ => self.choose_plainly(core, batch, local),
            };
            let rule_idx = match choice {
                Choice::Rule(_) if n_done == batch_size => {
                    return Some(self.end_turn(instance, core, local));
                }
                Choice::Rule(rule_idx) => rule_idx,
                Choice::Fails => return None,
                Choice::Nothing => {
                    // Whoever waits for the object is not to wait until something comes.
                    if local.held.is_some() {
                        self.give_back(core, local);
                    }
                    if Self::lets_go(session, &mut self.buffers, instance, core, lane, true) {
                        return Some(Served::Left);
                    }
                    session.instrumentation.begin_turn(&mut self.notes);
                    continue;
                }
            };
            if !has_object {
                if !self.hold(instance, core, local) {
                    return Some(if local.surplus.is_some() { Served::Again } else { Served::Left });
                }
                // The stop node may have had the object last.
                if session.begins_no_more() {
                    Self::lets_go(session, &mut self.buffers, instance, core, lane, false);
                    return Some(Served::Left);
                }
            }
            match self.fire_plainly(instance, core, batch, local, (id, rule_idx), expected.as_ref()) {
                Fired::Ended if core.held_back.is_some() => return Some(Served::Again),
                Fired::Ended => {}
                Fired::EndedGenerally if core.has_failed => return None,
                Fired::EndedGenerally if core.held_back.is_some() => return Some(Served::Again),
                Fired::EndedGenerally => {}
                Fired::Parked => return Some(Served::Left),
            }
            n_done += 1;
            if template.is_stop {
                next_look = n_done;
            }
        }
    }

    /// The next straight events that can be served together, `most` of them at most.
    #[inline(always)]
    fn next_straight(
        &self,
        instance: &Ready<M>,
        core: &Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        (told, recorded_sending, most): (Recorded, RecordedSending, usize),
    ) -> Next<'s> {
        let straights = if self.session.has_columns() { batch.straights(M::RECORDS) } else { &[] };
        if straights.is_empty() || most == 0 {
            return Next::Unknown;
        }
        // A cut is not made before a body has ended that is not known to be under way, and it may never end.
        if M::NOTES_CHOICES && local.is_slow && batch.body.is_some() {
            return Next::Unknown;
        }
        let wanted = Wanted { n_events: most, told: recorded_sending, is_free: false, takes_turns: false };
        let rule_idx = match told {
            Recorded::Straight { rule_idx, takes_turns, .. } => {
                let straight = &straights[if takes_turns { 0 } else { rule_idx }];
                return Next::Together(straight, Wanted { takes_turns, ..wanted });
            }
            // Whether it is enabled is seen when its values are taken.
            Recorded::Free if batch.plain.straight().is_some() => {
                return Next::Together(&straights[0], wanted);
            }
            Recorded::Free
                if local.turns.is_some()
                    && let n_events @ 2.. = self.n_in_turn(instance, core, batch, local, most) =>
            {
                return Next::Together(&straights[0], Wanted { n_events, takes_turns: true, ..wanted });
            }
            Recorded::Free => match self.choose_plainly(core, batch, local) {
                Choice::Rule(rule_idx) => rule_idx,
                choice => return Next::One(choice),
            },
            Recorded::Rule(_) | Recorded::Nothing | Recorded::Odd => return Next::Unknown,
        };
        let n_rules = batch.lane.rules.len();
        // The rule of the next event is then predicted to be another one than that of the event before it.
        let is_noted_singly = M::NOTES_CHOICES
            && n_rules > 1
            && (batch.template.prefers || self.session.instrumentation.takes_alike(instance.template));
        let values = &mut local.names.values;
        let n_by_rule = if is_noted_singly { 1 } else { batch.n_by_rule(core, values, (rule_idx, most)) };
        if n_by_rule == 1 {
            // To find out what can be served together costs more than it saves for one.
            return Next::One(Choice::Rule(rule_idx));
        }
        let is_free = self.is_free_rule(instance.template, core, (rule_idx, n_rules), |rule_idx| {
            batch.plain.guards[rule_idx].as_ref().map_or(Some(true), |guard| guard.holds(values, &[]))
        });
        Next::Together(&straights[rule_idx], Wanted { n_events: n_by_rule, is_free, ..wanted })
    }

    /// Decides by which rules the next events are, where several take turns; returns their number, `most` at most.
    fn n_in_turn(
        &self,
        instance: &Ready<M>,
        core: &Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        most: usize,
    ) -> usize {
        let (Some(turns), Some(take)) = (&mut local.turns, batch.plain.straights[0].takes.first()) else {
            return 0;
        };
        // A rule that is enabled together with others is predicted to be the next in turn.
        if M::NOTES_CHOICES && !self.session.instrumentation.takes_alike(instance.template) {
            return 0;
        }
        let n_waiting = core.ports[take.port].n_values(&Index::none());
        if n_waiting < 2 {
            return n_waiting;
        }
        turns.decide(&local.names.values, (core.count, core.first_rule as usize), most.min(n_waiting))
    }

    /// The first enabled rule from the one that is next in turn.
    #[inline(always)]
    fn choose_plainly(&self, core: &Core<M>, batch: &Batch<'s>, local: &LaneLocal<'s, M>) -> Choice {
        let Batch { lane, plain, .. } = *batch;
        self.choose_in_lane(core, lane, |_, core, rule_idx| {
            is_enabled(plain, core, &lane.rules[rule_idx], (rule_idx, &local.names.values))
        })
    }

    /// Sees to it that the one object that the instance accesses is locked for it. Where it is not free, the instance waits,
    /// with nothing begun. Other instances lock their objects in the general way, when an event has begun.
    fn hold(&mut self, instance: &Ready<M>, core: &mut Core<M>, local: &mut LaneLocal<'s, M>) -> bool {
        let [lock] = &core.locks[..] else { return true };
        // What has been sent may be what the holder waits for.
        self.session.instrumentation.end_turn(&mut self.notes);
        local.hand_over(self.session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes));
        if local.surplus.is_some() {
            return false;
        }
        core.is_granted = true;
        let turn =
            if self.session.instrumentation.follows() { self.told_turn(instance, core) } else { Turn::Any };
        match lock.object.hold_or_wait(instance, lock.access, turn) {
            Some(held) => {
                core.is_granted = false;
                local.held = Some(held);
                true
            }
            None => false,
        }
    }

    /// The instance has had its turn. Where others wait for its object, it goes behind them, and not to the scheduler: it
    /// would only be found waiting.
    fn end_turn(&mut self, instance: &Ready<M>, core: &mut Core<M>, local: &mut LaneLocal<'s, M>) -> Served {
        let session = self.session;
        // In a replay the record says who is next.
        let has_held = !self.session.instrumentation.follows()
            && local.held.is_some()
            && !self.session.rest.is_asked()
            && !self.session.rest.keeps(instance.template);
        let Some(lock) = core.locks.first().filter(|_| has_held) else { return Served::Again };
        session.instrumentation.end_turn(&mut self.notes);
        local.hand_over(session, Scheduled::of(&mut self.local, &mut self.matches, &mut self.notes));
        if local.surplus.is_some() {
            // It does not wait with an object for room, and not for an object with what has no room.
            return Served::Again;
        }
        let ready = |granted| session.make_ready(&mut self.local, granted);
        if lock.object.give_back_and_wait(&mut local.held, instance, ready) {
            core.is_granted = true;
            return Served::Left;
        }
        Served::Again
    }
}
