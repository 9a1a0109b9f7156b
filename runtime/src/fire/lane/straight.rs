//! Events that are as simple as can be: values of known forms in, a native body, such values out. Between two looks at the world they are
//! served in one loop, which leaves whatever else there is to the loop of `event`: it enters with nothing half done.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hasse_body::natives::{put, put_int};
use hasse_body::script::ScriptEnd;
use hasse_code::natives::node::BodyContext;
use hasse_lock::shared::Held;
use hasse_model::event::SharedAccess;
use hasse_model::id::EventId;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_runtime_plan::straight::{OwnSend, Sending, Straight, StraightTake};
use hasse_store::instance::{Core, Instance, LockUse, Ready};
use hasse_store::port::PortQueue;

use crate::fire::lane::clock::ROWS_PER_BATCH;
use crate::fire::lane::event::{Fired, Under};
use crate::fire::lane::has_values;
use crate::fire::lane::local::{LaneLocal, Out};
use crate::fire::lane::names::Names;
use crate::fire::lane::prepared::Batch;
use crate::fire::lane::takes::{Several, Single, Takes};
use crate::fire::select::next_first_rule;
use crate::fire::worker::{Served, Worker};

pub(crate) use hasse_code::natives::scope::BodyScope;

/// Receivers that follow from the instance.
pub(crate) mod aimed;
/// Events that are alike.
pub(crate) mod alike;
/// Many events at a time.
pub(crate) mod columns;
/// What an event computes.
pub(crate) mod computes;
/// Events that are alike, as one with their number.
pub(crate) mod folded;
/// One event after another.
pub(crate) mod single;

use crate::fire::lane::straight::aimed::Aimed;
use crate::fire::lane::straight::columns::Columns;
use crate::fire::lane::straight::computes::{Bodied, Bodiless, Computes};
use crate::fire::lane::straight::folded::Alike;

/// Why the loop was left.
pub(crate) enum Left {
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
struct Loop<'l, 's, M: Instrumentation> {
    notes: &'l M,
    noted: &'l mut M::Local,
    instance: &'l Instance<M>,
    straight: &'l Straight,
    batch: &'l Batch<'s>,
    keep: &'l mut M::Keep,
    outs: &'l mut [Out<'s, M>],
    /// Sendings to others.
    sends: &'l [Sending],
    /// True if an event can send two values to one port.
    sends_twice: bool,
    /// Rules by which the instance cannot send now, as bits.
    unserved: u64,
    /// Rules among them by which an event was to send.
    missed: Cell<u64>,
    in_use: Option<InUse<'l, M>>,
    /// Executions begun so far, but for those that are alike and one that may be under way.
    n_begun: u64,
    /// Executions before the first of these.
    n_before: u64,
    /// Firing rules of the events to be executed, where several take turns; else none.
    rules: &'l [u8],
    alike: &'l mut Alike<M>,
    /// In a replay.
    told: RecordedSending,
    /// Choices: whether the firing rule of the first event that is to be noted is not the predicted one.
    is_free: bool,
    /// Whether its body has asked the world something, or told it.
    has_asked: bool,
}

/// The shared object that events access.
pub(crate) struct InUse<'l, M: Instrumentation> {
    held: &'l mut Held<M>,
    lock: &'l LockUse<M>,
}

impl<M: Instrumentation> InUse<'_, M> {
    /// Leaves the object when the events have been noted, in a mode that keeps something of each action.
    fn leave_noted(&mut self, keep: &M::Keep) {
        if !M::KEEPS_NOTHING {
            let access = self.lock.access;
            self.held.leave(&self.lock.object, &ResultOrder::default(), |mark| {
                M::leave_at_object(keep, access, mark);
            });
        }
    }

    /// Events in a row leave the object; gives what the first one has found there, if that is to be noted.
    fn leave(&mut self, first: EventId, n_events: u64) -> Option<SharedAccess> {
        let (object, mut found) = ((self.lock.object.place.id, self.lock.access), None);
        self.held.leave(&self.lock.object, &ResultOrder::default(), |mark| {
            found = M::access_run(mark, object, first, n_events);
        });
        found
    }
}

/// In a replay: what the record says of what straight events send.
#[derive(Clone, Copy, Default)]
pub(crate) struct RecordedSending {
    /// Rules that hold, as bits.
    pub(crate) routes: u64,
    /// Number of values that each sends.
    pub(crate) n_values: u64,
}

/// Why the loop ends.
pub(crate) enum End {
    Full,
    Nothing,
    Odd,
    /// The event under way is to end in the general way, perhaps with an error.
    Unusual(Option<Box<ScriptEnd>>),
}

/// What came of some events.
pub(crate) struct Ran<M: Instrumentation> {
    pub(crate) end: End,
    pub(crate) n_done: usize,
    /// Rules by which the next event was to send, and could not, as bits.
    pub(crate) missed: u64,
    /// The event under way, where it is to end in the general way.
    under: Option<Box<Under<M>>>,
}

impl<M: Instrumentation> Ran<M> {
    /// One event, which is to end in the general way.
    pub(crate) fn unusual(under: Under<M>, end: Option<Box<ScriptEnd>>) -> Self {
        Self { end: End::Unusual(end), n_done: 0, missed: 0, under: Some(Box::new(under)) }
    }
}

/// Executes the events that are wanted, as far as they can be. The object is locked, where there is one.
#[inline(always)]
pub(crate) fn run_straight<'s, M: Instrumentation>(
    (notes, noted): (&M, &mut M::Local),
    instance: &Instance<M>,
    core: &mut Core<M>,
    (batch, straight): (&Batch<'s>, &Straight),
    Places { outs, aimed, names, alike, columns, rules }: Places<'_, 's, M>,
    in_use: Option<InUse<'_, M>>,
    Wanted { n_events, told, is_free, .. }: Wanted,
) -> Ran<M> {
    // What is in the column of a port comes before the other values there: none is to be added while others wait, or ones of
    // another kind.
    let has_others = |own: &OwnSend| match &mut core.ports[own.port] {
        PortQueue::Plain(queue) => !queue.has_column_of(own.form),
        PortQueue::Family(_) => false,
    };
    let is_odd = straight.own.iter().any(has_others);
    let begins_otherwise = |take: &StraightTake| {
        core.ports[take.port].queue(&take.element).is_some_and(|queue| !queue.begins_with(take.form))
    };
    if is_odd || straight.takes.iter().any(begins_otherwise) {
        return Ran { end: End::Odd, n_done: 0, missed: 0, under: None };
    }
    let first_rule = rules.first().map_or(straight.rule_idx, |&rule_idx| usize::from(rule_idx));
    put_int(&mut names.values[batch.layout.rule], first_rule as i64);
    let mut looping = Loop {
        notes,
        noted,
        instance,
        straight,
        batch,
        keep: &mut core.keep,
        outs,
        sends: if straight.is_indexed() { &aimed.sends } else { &straight.sends },
        sends_twice: straight.sends_twice || straight.is_indexed() && aimed.sends_twice,
        unserved: if straight.is_indexed() { aimed.unserved() } else { 0 },
        missed: Cell::new(0),
        in_use,
        n_begun: core.count,
        n_before: core.count,
        rules,
        alike,
        told,
        is_free,
        has_asked: false,
    };
    let n_before = core.count;
    let end = match &straight.takes[..] {
        &[StraightTake { port, ref element, slot_idx, form }] if straight.sends_to_taken => {
            match core.ports[port].queue_mut(element) {
                Some(queue) => {
                    looping.run(&mut Single { queue, slot_idx, form }, &mut names.values, columns, n_events)
                }
                None => End::Nothing,
            }
        }
        _ => {
            let mut several = Several { ports: &mut core.ports, takes: &straight.takes };
            looping.run(&mut several, &mut names.values, columns, n_events)
        }
    };
    if !matches!(end, End::Unusual(_)) {
        if straight.holds_values {
            // Whoever takes what was sent is to have it alone.
            for take in &straight.takes {
                put(&mut names.values[take.slot_idx], Value::Unit);
            }
        }
    } else if !straight.fills_arrays {
        straight.fill_arrays(&mut names.values);
    }
    let under = matches!(end, End::Unusual(_)).then(|| looping.under());
    let (n_begun, missed) = (looping.n_begun, looping.missed.get());
    let n_done = (n_begun - n_before) as usize;
    core.count = n_begun + u64::from(under.is_some());
    Ran { end, n_done, missed, under }
}

/// The events to be executed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// At most so many.
    pub(crate) n_events: usize,
    /// In a replay.
    pub(crate) told: RecordedSending,
    /// Choices: whether the firing rule of the first one is not the predicted one.
    pub(crate) is_free: bool,
    /// True if the events are by rules that take turns, as they have been decided.
    pub(crate) takes_turns: bool,
}

/// Where the loop puts things, which are the worker's.
pub(crate) struct Places<'l, 's, M: Instrumentation> {
    pub(crate) outs: &'l mut [Out<'s, M>],
    pub(crate) aimed: &'l Aimed,
    pub(crate) names: &'l mut Names,
    pub(crate) alike: &'l mut Alike<M>,
    pub(crate) columns: Option<&'l mut Columns<'s>>,
    /// Firing rules of the events, as many as are wanted, where several take turns; else none.
    pub(crate) rules: &'l [u8],
}

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    /// Executes the events that are wanted, as far as they can be; adds to `n_done` what was executed.
    #[allow(clippy::too_many_arguments, reason = "all of them are at hand in the one caller")]
    pub(crate) fn fire_straight(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        straight: &Straight,
        local: &mut LaneLocal<'s, M>,
        wanted: Wanted,
        n_done: &mut usize,
    ) -> Left {
        if M::NOTES_CHOICES {
            // A body that lasts is interrupted from here on.
            self.session.instrumentation.hold(&mut self.notes);
        }
        self.aim_at_always(instance, core, (batch, straight), local);
        // The loop works on other parts of the instance at the same time.
        let locks = std::mem::take(&mut core.locks);
        let lock = match &locks[..] {
            [] => None,
            [lock]
                if M::shares_together(&core.keep)
                    && batch.plain.objects.are_shared_by_runs()
                    && local.has_touched() =>
            {
                Some(lock)
            }
            _ => {
                core.locks = locks;
                return Left::Odd;
            }
        };
        let in_use = lock.zip(local.held.as_mut()).map(|(lock, held)| {
            put(&mut local.names.values[lock.slot_idx], held.value.clone());
            if !M::KEEPS_NOTHING {
                held.look(&lock.object, |mark| M::find_at_object(&mut core.keep, lock.access, mark));
            }
            InUse { held, lock }
        });
        let turns = local.turns.as_ref().filter(|_| wanted.takes_turns);
        let rules = turns.map_or(&[][..], |turns| turns.rules(wanted.n_events));
        let ran = run_straight(
            (self.session.instrumentation, &mut self.notes),
            instance,
            core,
            (batch, straight),
            Places {
                outs: &mut local.outs,
                aimed: &local.aimed,
                names: &mut local.names,
                alike: &mut local.alike,
                columns: local.columns.get_mut(straight.rule_idx).and_then(Option::as_mut),
                rules,
            },
            in_use,
            wanted,
        );
        core.locks = locks;
        let n_begun = ran.n_done + usize::from(ran.under.is_some());
        let last_rule = n_begun.checked_sub(1).and_then(|last| rules.get(last));
        let last_rule = last_rule.map_or(straight.rule_idx, |&rule_idx| usize::from(rule_idx));
        let missed = ran.missed & local.aimed.awaiting;
        if missed != 0 {
            // The event that sends by them goes the general way; those after it do not.
            self.aim_generally(instance, (batch.template, straight), local, missed);
        }
        let n_rules = batch.lane.rules.len();
        if n_rules > 1 && (ran.n_done > 0 || ran.under.is_some()) {
            core.first_rule = next_first_rule(batch.template.prefers, last_rule, n_rules);
            if ran.under.is_none() {
                // Other rules leave them unbound.
                for &slot_idx in &batch.plain.clears {
                    put(&mut local.names.values[slot_idx], Value::Unit);
                }
            }
        }
        self.n_events += ran.n_done as u64;
        *n_done += ran.n_done;
        match ran.end {
            End::Full => Left::Full,
            End::Nothing => Left::Nothing,
            End::Odd => Left::Odd,
            End::Unusual(_) => Left::Generally(self.end_unusual(instance, core, batch, local, ran)),
        }
    }

    /// Finds out the receivers of rules without a guard, where they are not known and an event is enabled.
    #[inline]
    fn aim_at_always(
        &mut self,
        instance: &Ready<M>,
        core: &Core<M>,
        (batch, straight): (&Batch<'s>, &Straight),
        local: &mut LaneLocal<'s, M>,
    ) {
        let rules = straight.always & local.aimed.awaiting;
        if rules != 0 && straight.is_indexed() && has_values(&batch.lane.rules[straight.rule_idx], core) {
            self.aim_generally(instance, (batch.template, straight), local, rules);
        }
    }

    /// Ends an event in the general way, in which it is found out what is to be said of it.
    #[cold]
    fn end_unusual(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        ran: Ran<M>,
    ) -> Fired {
        let Some(under) = ran.under else { return Fired::Ended };
        self.outgoing.clear();
        let end = match ran.end {
            End::Unusual(end) => end,
            _ => None,
        };
        self.ends_generally(instance, core, batch, local, *under, end)
    }

    /// The same, for [`serve_straight`](Self::serve_straight): the instance is to be looked at again.
    #[cold]
    pub(crate) fn end_straight(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        ran: Ran<M>,
    ) -> Option<Served> {
        let mut local = self.lane_locals[instance.template.idx()].take()?;
        let batch = local.batch.clone()?;
        let fired = self.end_unusual(instance, core, &batch, &mut local, ran);
        local.names.swap_vars(batch.layout, &mut core.vars);
        self.lane_locals[instance.template.idx()] = Some(local);
        matches!(fired, Fired::Parked).then_some(Served::Left)
    }
}

impl<M: Instrumentation> Loop<'_, '_, M> {
    /// Executes at most so many events. Panics of bodies are caught here, for all of them together.
    /// `values` are those of names by slot, and constants behind them.
    fn run<'b>(
        &mut self,
        takes: &mut impl Takes<M>,
        values: &mut [Value],
        columns: Option<&mut Columns<'b>>,
        n_events: usize,
    ) -> End {
        let end = match &self.batch.body {
            None => self.execute(takes, &mut Bodiless { values, columns }, n_events),
            Some(body) => {
                let (seen, has_asked) = (self.instance.seen(), Cell::new(false));
                let mut columns = columns;
                if let Some(columns) = columns.as_mut().filter(|columns| columns.asks())
                    && let Some((random_seed, _)) = body.template.unannounced
                {
                    columns.set_seed(body.template.seed_of(random_seed, &seen));
                }
                let context = BodyContext {
                    scope: BodyScope::Lane(values),
                    template: &body.template,
                    instance: &seen,
                    rule: self.rule_at(0),
                    count: 0,
                    has_taken: false,
                    has_asked: &has_asked,
                };
                let mut bodied = Bodied { body, columns, context, is_running: false, error: None };
                let executed = catch_unwind(AssertUnwindSafe(|| self.execute(takes, &mut bodied, n_events)));
                self.has_asked = has_asked.get();
                // It belongs to the event that was next, which may be served another time.
                bodied.columns.as_deref_mut().map(Columns::take_failure);
                match executed {
                    Ok(End::Unusual(_)) => {
                        let failed = |error| Box::new(body.native.failed(error, body.at));
                        End::Unusual(bodied.error.map(failed))
                    }
                    Ok(end) => end,
                    Err(panic) if bodied.is_running => {
                        End::Unusual(Some(Box::new(body.native.panicked(&*panic, body.at))))
                    }
                    Err(panic) => resume_unwind(panic),
                }
            }
        };
        takes.settle();
        self.close();
        end
    }

    #[inline(always)]
    fn execute<'b>(
        &mut self,
        takes: &mut impl Takes<M>,
        computes: &mut impl Computes<'b>,
        n_events: usize,
    ) -> End {
        let mut n_left = n_events.min(ROWS_PER_BATCH);
        while n_left > 0 {
            let mut n_together = takes.n_together();
            if n_together == 0 {
                return if takes.is_one_missing() { End::Nothing } else { End::Odd };
            }
            self.close();
            self.alike.taken.clear();
            takes.stamps(&mut self.alike.taken);
            self.alike.step = takes.step();
            let max_together = M::max_together(self.keep, self.next_id(), &self.alike.taken, self.alike.step);
            n_together = n_together.min(max_together);
            while n_together > 0 && n_left > 0 {
                let n_before = self.n_done();
                let n_by_rule = self.n_by_rule(computes);
                let is_of_rule = computes.looks_at(self.batch.layout.rule);
                let n_next = n_together.min(n_left).min(if is_of_rule { n_by_rule } else { usize::MAX });
                // Where one event has sent what waits, only the first of it goes on with what was taken.
                let goes_on = takes.has_step(self.alike.step) && max_together == usize::MAX;
                let most = (n_next, if goes_on { n_left } else { n_next });
                let straight = self.straight;
                let n_laid_out = computes
                    .columns()
                    .filter(|_| !self.sends_twice)
                    .map_or(0, |(columns, values)| self.run_columns(takes, columns, values, most));
                if M::RECORDS && n_laid_out == 0 && computes.asks() {
                    // Its answers are to be noted.
                    return End::Odd;
                }
                let most = (most.0.min(n_by_rule), most.1);
                let are_done = n_laid_out > 0
                    || match (self.writes(), straight.own.is_empty(), straight.guards.is_empty()) {
                        (true, ..) => self.execute_next::<true, true, true>(takes, computes, most),
                        (_, false, _) => self.execute_next::<true, true, false>(takes, computes, most),
                        (_, _, false) => self.execute_next::<true, false, false>(takes, computes, most),
                        _ => self.execute_next::<false, false, false>(takes, computes, most),
                    };
                if !are_done {
                    return End::Unusual(None);
                }
                takes.settle();
                n_left -= (self.n_done() - n_before) as usize;
                if max_together != usize::MAX {
                    break;
                }
                // What the events have sent to themselves may go on with what they took.
                n_together = takes.n_more(&self.alike.taken, self.alike.n_events, self.alike.step);
            }
            if self.notes.follows() {
                // The record says what is next.
                break;
            }
        }
        End::Full
    }

    /// Returns true if the events write a shared object.
    #[inline(always)]
    fn writes(&self) -> bool {
        self.in_use.as_ref().is_some_and(|used| used.held.is_written())
    }

    /// Returns true if an event can send by these rules, and the record, if one is followed, says the same.
    #[inline(always)]
    fn are_recorded(&self, routes: u64) -> bool {
        if routes & self.unserved != 0 {
            self.missed.set(routes & self.unserved);
            return false;
        }
        !self.notes.follows() || self.is_sending_recorded(routes)
    }

    fn is_sending_recorded(&self, routes: u64) -> bool {
        self.told.routes == routes && self.told.n_values == self.straight.n_values(self.sends, routes)
    }

    /// The firing rule of an event, by position among those that are not noted.
    #[inline(always)]
    fn rule_at(&self, nth: usize) -> i32 {
        let done = (self.n_begun - self.n_before) as usize;
        self.rules.get(done + nth).map_or(self.straight.rule_idx as i32, |&rule_idx| i32::from(rule_idx))
    }

    /// The number of next events by the same rule, where several take turns. Tells the first one which rule it is.
    #[inline(always)]
    fn n_by_rule<'b>(&self, computes: &mut impl Computes<'b>) -> usize {
        if self.rules.is_empty() {
            return usize::MAX;
        }
        let next = &self.rules[(self.n_done() - self.n_before) as usize..];
        let Some(&rule_idx) = next.first() else { return usize::MAX };
        computes.set_rule(self.batch.layout.rule, i32::from(rule_idx));
        next.iter().take_while(|other| **other == rule_idx).count()
    }

    /// Number of events of the instance that have ended.
    #[inline(always)]
    fn n_done(&self) -> u64 {
        self.n_begun + self.alike.n_events
    }
}

impl<M: Instrumentation> LaneLocal<'_, M> {
    /// Whether an event has had the object since it was locked, and it is kept for the next.
    fn has_touched(&self) -> bool {
        !self.is_slow && self.held.as_ref().is_some_and(|held| !held.is_untouched())
    }
}
