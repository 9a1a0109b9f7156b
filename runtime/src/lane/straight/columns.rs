//! Straight events in columns: where a body is a function of integers, or there is none, the integers of many events are
//! laid out side by side, the function is called for all of them in one loop, and what they send is copied from there.
//!
//! What is out of the ordinary is left to the loop that serves events one by one: the function depends on nothing but its
//! arguments, and so an event of which it has been called may be begun anew.

use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_model::id::SlotId;
use hasse_model::plan::{SlotKind, Template};
use hasse_model::value::{Type, Value};

use super::super::EVENTS_PER_LOOK;
use super::super::batch::NodeBody;
use super::super::lower::Straight;
use super::super::takes::Takes;
use super::Loop;
use crate::body::script::ScriptEnd;
use crate::eval::Scalar;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::natives::{IntFailure, IntFunction, IntTable, Registered, Track, put_int};
use crate::program::Layout;
use guards::Guards;

/// What must hold for rules.
mod guards;

/// Integers of a column: one for each event, and one behind the last.
const COLUMN: usize = EVENTS_PER_LOOK + 1;

/// Columns of the straight events of a template, which are one worker's.
pub(in super::super) struct Columns<'b> {
    function: Option<&'b IntFunction>,
    cells: Vec<Cell<i64>>,
    /// Where the function takes its arguments from, and puts what it gives.
    takes: Vec<Track>,
    gives: Vec<Track>,
    /// By position in [`Straight::takes`]: where the column begins.
    taken: Vec<usize>,
    /// What is the same for all events: where it stands, and its slot.
    constants: Vec<(usize, usize)>,
    /// What each event leaves to the next: where the column begins, and its slot.
    carried: Vec<(usize, usize)>,
    /// By position in [`Straight::sent_slots`]: where what is sent stands.
    sent: Vec<Track>,
    /// By slot: where its integers stand when the body has run.
    tracks: Vec<Option<Track>>,
    count_slot: usize,
    shape: Shape,
    /// The guards, if they can be looked at in columns.
    guards: Option<Guards>,
    /// How the function has ended for the next event.
    failure: Option<Failure>,
}

/// How many events can be laid out at a time.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// As many as there are values for; they all send the same way.
    Alike,
    /// As many as there are values for.
    Guarded,
    /// One after another, each taking what the one before has sent to itself: the bit of the rule, and the slot.
    Own(u64, usize),
}

/// A function has failed, or panicked.
pub(in super::super) enum Failure {
    Failed(Box<dyn Error + Send + Sync>),
    Panicked(Box<dyn Any + Send>),
}

impl Failure {
    /// What it comes to for the event.
    #[cold]
    pub(in super::super) fn end_of(self, body: &NodeBody<'_>) -> ScriptEnd {
        match self {
            Failure::Failed(error) => body.native.failed(error, body.at),
            Failure::Panicked(panic) => body.native.panicked(&*panic, body.at),
        }
    }
}

impl<'b> Columns<'b> {
    /// `None` where events are to be served one by one.
    pub(in super::super) fn of(
        straight: &Straight,
        (template, layout): (&Template, &Layout),
        body: Option<&'b Registered>,
    ) -> Option<Self> {
        let function = match body {
            None => None,
            Some(body) => Some(body.ints.as_ref()?),
        };
        let shape = match (&straight.own[..], &straight.takes[..]) {
            _ if straight.is_indexed || straight.sends_twice => return None,
            ([], _) if straight.guards.is_empty() => Shape::Alike,
            ([], _) => Shape::Guarded,
            ([(bit, slot_idx, port)], [(taken, _)]) if port == taken => Shape::Own(*bit, *slot_idx),
            _ => return None,
        };
        let mut columns = Self {
            function,
            cells: Vec::new(),
            takes: Vec::new(),
            gives: Vec::new(),
            taken: Vec::new(),
            constants: Vec::new(),
            carried: Vec::new(),
            sent: Vec::new(),
            tracks: vec![None; layout.names.len() + straight.constants.len()],
            count_slot: layout.count,
            shape,
            guards: None,
            failure: None,
        };
        for &(_, slot_idx) in &straight.takes {
            let start = columns.column();
            columns.taken.push(start);
            columns.tracks[slot_idx] = Some(Track { start, step: 1 });
        }
        if let Some(function) = function {
            let slot_of = |name: &String| template.slots.iter().position(|slot| slot.name == *name);
            for name in &function.names.gives {
                let slot_idx = slot_of(name)?;
                let start = columns.column();
                let is_carried = layout.vars.contains(&slot_idx) || layout.shared.contains(&slot_idx);
                match template.slots[slot_idx].kind {
                    _ if is_carried => columns.carried.push((start, slot_idx)),
                    SlotKind::Let => {}
                    _ => return None,
                }
                let track = Track { start: start + usize::from(is_carried), step: 1 };
                columns.gives.push(track);
                columns.tracks[slot_idx] = Some(track);
            }
            for name in &function.names.takes {
                let slot_idx = slot_of(name)?;
                let carried = columns.carried.iter().find(|(_, carried)| *carried == slot_idx);
                let track = match carried {
                    Some(&(start, _)) => Track { start, step: 1 },
                    None => columns.track(slot_idx),
                };
                columns.takes.push(track);
            }
        }
        let is_int =
            |slot_idx: usize| slot_idx >= layout.names.len() || template.slots[slot_idx].ty == Type::Int;
        let track = |columns: &mut Self, slot_idx: usize| {
            let is_unset = columns.tracks[slot_idx].is_none()
                && (layout.lets.contains(&slot_idx) || layout.bound.contains(&slot_idx));
            (slot_idx != layout.count && !is_unset && is_int(slot_idx)).then(|| columns.track(slot_idx))
        };
        for &slot_idx in &straight.sent_slots {
            let sent = track(&mut columns, slot_idx)?;
            columns.sent.push(sent);
        }
        for &(_, slot_idx, _) in &straight.own {
            track(&mut columns, slot_idx)?;
        }
        columns.guards = Guards::of(&straight.guards, &mut columns, track)
            .filter(|guards| !(guards.has_derived() && matches!(shape, Shape::Own(..))));
        Some(columns)
    }

    fn column(&mut self) -> usize {
        let start = self.cells.len();
        self.cells.resize(start + COLUMN, Cell::new(0));
        start
    }

    /// Where the integers of a slot stand; what is not known to change does not.
    fn track(&mut self, slot_idx: usize) -> Track {
        if let Some(track) = self.tracks[slot_idx] {
            return track;
        }
        let track = Track { start: self.cells.len(), step: 0 };
        self.cells.push(Cell::new(0));
        self.constants.push((track.start, slot_idx));
        self.tracks[slot_idx] = Some(track);
        track
    }

    /// How the function has ended for the event that is next, where it has failed.
    #[inline(always)]
    pub(in super::super) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Sets what is the same for all events, and what the first one finds; false where it is no integer.
    #[inline(always)]
    fn begin(&self, values: &[Value]) -> bool {
        self.constants.iter().chain(&self.carried).all(|&(start, slot_idx)| match values[slot_idx] {
            Value::Int(number) => {
                self.cells[start].set(number);
                true
            }
            _ => false,
        })
    }

    /// Calls the function for events from one position to another; gives the position of the first one for which that has
    /// not been done.
    #[inline(always)]
    fn call(&mut self, from: usize, to: usize) -> usize {
        let Some(function) = self.function else { return to };
        self.guarded_call(from, |_, table| (function.call)(table, from..to))
    }

    /// The same, one after another, as long as it is told to go on when it has been called for one.
    #[inline(always)]
    fn call_each(&mut self, events: Range<usize>, mut goes_on: impl FnMut(&Self, usize) -> bool) -> usize {
        let from = events.start;
        self.guarded_call(from, |columns, table| {
            for nth in events {
                match columns.function {
                    Some(function) => (function.call)(table, nth..nth + 1)?,
                    None => table.n_done.set(nth + 1),
                }
                if !goes_on(columns, nth) {
                    break;
                }
            }
            Ok(())
        })
    }

    #[inline(always)]
    fn guarded_call(
        &mut self,
        from: usize,
        call: impl FnOnce(&Self, &IntTable<'_>) -> Result<(), IntFailure>,
    ) -> usize {
        let n_done = Cell::new(from);
        let table = IntTable { cells: &self.cells, takes: &self.takes, gives: &self.gives, n_done: &n_done };
        match catch_unwind(AssertUnwindSafe(|| call(self, &table))) {
            Ok(Ok(()) | Err(IntFailure::Misfit)) => {}
            Ok(Err(IntFailure::Failed(error))) => self.failure = Some(Failure::Failed(error)),
            Err(panic) => self.failure = Some(Failure::Panicked(panic)),
        }
        n_done.get()
    }

    /// The one event that takes an integer and sends one, as [`Straight::is_relay`] says; `None` where it is to be served in
    /// another way.
    #[inline]
    pub(in super::super) fn map_one(
        &mut self,
        number: i64,
        sent_slot: usize,
        values: &[Value],
    ) -> Option<i64> {
        if self.failure.is_some() || !self.begin(values) {
            return None;
        }
        self.cells[*self.taken.first()?].set(number);
        let sent = self.tracks[sent_slot]?;
        (self.call(0, 1) == 1).then(|| self.cells[sent.start].get())
    }

    /// The function, or none where there is no body, of events that send in one slot what it makes of what they take in another,
    /// and that look at nothing else.
    pub(in super::super) fn mapping(
        &self,
        taken_slot: usize,
        sent_slot: usize,
    ) -> Option<Option<&'b IntFunction>> {
        let ([taken], [sent]) = (&self.taken[..], &self.sent[..]) else { return None };
        match (self.function, &self.takes[..], &self.gives[..]) {
            (None, ..) => (taken_slot == sent_slot).then_some(None),
            (Some(function), [takes], [gives]) => {
                (takes.start == *taken && gives.start == sent.start).then_some(Some(function))
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn at(&self, track: Track, nth: usize) -> i64 {
        self.cells[track.start + nth * track.step].get()
    }

    /// What a name stands for in a guard.
    #[inline(always)]
    fn scalar(&self, slot_idx: usize, nth: usize, count: u64, values: &[Value]) -> Option<Scalar> {
        if let Some(track) = self.tracks.get(slot_idx)? {
            return Some(Scalar::Int(self.at(*track, nth)));
        }
        match values.get(slot_idx)? {
            _ if slot_idx == self.count_slot => Some(Scalar::Int(count as i64)),
            Value::Int(number) => Some(Scalar::Int(*number)),
            Value::Bool(flag) => Some(Scalar::Bool(*flag)),
            _ => None,
        }
    }

    /// Leaves what the events have carried on to the names.
    #[inline(always)]
    fn end(&self, n_done: usize, values: &mut [Value]) {
        for &(start, slot_idx) in &self.carried {
            put_int(&mut values[slot_idx], self.cells[start + n_done].get());
        }
    }
}

impl<M: Instrumentation, K: ResultOrder> Loop<'_, '_, M, K> {
    /// Executes as many of the next `n_events` as can be laid out in columns, and more, up to `most`, where each takes what
    /// the one before has sent to itself. Gives how many it has executed: with none, the next one is to be executed in
    /// another way.
    #[inline(always)]
    pub(super) fn run_columns(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &mut Columns<'_>,
        values: &mut [Value],
        (n_events, most): (usize, usize),
    ) -> usize {
        if columns.failure.is_some() || !columns.begin(values) {
            return 0;
        }
        let n_done = match columns.shape {
            Shape::Alike => self.run_alike(takes, columns, n_events),
            Shape::Guarded => self.run_guarded(takes, columns, values, n_events),
            Shape::Own(bit, slot_idx) => self.run_own(takes, columns, values, (bit, slot_idx), most),
        };
        if n_done > 0 {
            columns.end(n_done, values);
            if let Some((held, _, slot_idx)) = &mut self.held
                && let Value::Int(number) = values[*slot_idx]
            {
                put_int(&mut held.value, number);
            }
        }
        n_done
    }

    /// Events that all send by the same rules.
    #[inline(always)]
    fn run_alike(&mut self, takes: &mut impl Takes<M>, columns: &mut Columns<'_>, n_events: usize) -> usize {
        let routes = self.straight.always;
        if !self.are_told(routes) {
            return 0;
        }
        lay_out(takes, columns, n_events);
        let n_done = columns.call(0, n_events);
        if n_done > 0 {
            self.lay_by(takes, columns, routes, 0..n_done);
            takes.skip(n_done);
        }
        n_done
    }

    /// Events of which each sends by rules of its own.
    #[inline(always)]
    fn run_guarded(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &mut Columns<'_>,
        values: &[Value],
        n_events: usize,
    ) -> usize {
        lay_out(takes, columns, n_events);
        let n_called = columns.call(0, n_events);
        let n_before = self.n_done();
        let guards = columns.guards.as_ref().filter(|guards| {
            guards.begin(&columns.cells, n_before);
            guards.derive(&columns.cells, n_called)
        });
        let mut routes_of_all = [self.straight.always; COLUMN];
        if let Some(guards) = guards {
            guards.add_rules(&columns.cells, &mut routes_of_all[..n_called]);
        }
        let (mut n_done, mut from, mut routes_before) = (0, 0, 0);
        while n_done < n_called {
            let routes = match guards {
                Some(_) => Some(routes_of_all[n_done]).filter(|&routes| self.are_told(routes)),
                None => self.routes_in(columns, None, n_done, n_before, values),
            };
            let Some(routes) = routes else { break };
            if routes != routes_before && n_done > from {
                self.lay_by(takes, columns, routes_before, from..n_done);
                from = n_done;
            }
            routes_before = routes;
            n_done += 1;
        }
        if n_done > from {
            self.lay_by(takes, columns, routes_before, from..n_done);
        }
        if n_done < n_called {
            // What has come of later events is forgotten.
            columns.failure = None;
        }
        takes.skip(n_done);
        n_done
    }

    /// Events of which each takes what the one before has sent to itself.
    #[inline(always)]
    fn run_own(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &mut Columns<'_>,
        values: &[Value],
        (own_bit, own_slot): (u64, usize),
        most: usize,
    ) -> usize {
        let next = self.stamp_of_next();
        let is_own = self.alike.taken.iter().all(|taken| M::is_step(taken, &next, 1));
        let (Some(own), &[taken]) = (columns.tracks[own_slot], &columns.taken[..]) else { return 0 };
        if takes.only().is_none_or(|(_, n_waiting)| n_waiting != 1) {
            return 0;
        }
        // What another action has sent is taken by itself: what follows is not the next of that action.
        let most = if is_own { most } else { 1 };
        lay_out(takes, columns, 1);
        let n_before = self.n_done();
        if let Some(guards) = &columns.guards {
            guards.begin(&columns.cells, n_before);
        }
        let (mut n_done, mut goes_on) = (0, true);
        while n_done < most && goes_on {
            let from = n_done;
            let mut routes_of_all = 0;
            let n_called = columns.call_each(from..most, |columns, nth| {
                let Some(routes) = self.routes_in(columns, columns.guards.as_ref(), nth, n_before, values)
                else {
                    return false;
                };
                if n_done > from && routes != routes_of_all {
                    return false;
                }
                routes_of_all = routes;
                goes_on = routes & own_bit != 0;
                columns.cells[taken + nth + 1].set(columns.at(own, nth));
                n_done += 1;
                goes_on
            });
            if n_done == from {
                break;
            }
            self.lay_by(takes, columns, routes_of_all, from..n_done);
            if n_called == n_done && columns.failure.is_some() {
                break;
            }
        }
        if n_done == 0 {
            return 0;
        }
        takes.skip(1);
        if goes_on && let (Some(stamp), Some((ints, _))) = (&self.alike.stamp, takes.only()) {
            let stamp = M::stepped(stamp, self.alike.n_events - 1);
            let ints = ints.of(&stamp);
            ints.open(&stamp);
            ints.push(columns.cells[taken + n_done].get());
        }
        n_done
    }

    /// The rules by which an event sends, as bits; `None` where a guard gives no truth value, or a record says otherwise.
    #[inline(always)]
    fn routes_in(
        &self,
        columns: &Columns<'_>,
        guards: Option<&Guards>,
        nth: usize,
        n_before: u64,
        values: &[Value],
    ) -> Option<u64> {
        let mut routes = self.straight.always;
        if let Some(guards) = guards {
            routes |= guards.rules(&columns.cells, nth);
        } else {
            let count = n_before + nth as u64 + 1;
            let scalar_at = |slot: SlotId| columns.scalar(slot.idx(), nth, count, values);
            for (bit, guard) in &self.straight.guards {
                if guard.holds_where(&scalar_at, &[])? {
                    routes |= bit;
                }
            }
        }
        Some(routes).filter(|&routes| self.are_told(routes))
    }

    /// Puts events that send by the same rules to those that are alike.
    #[inline(always)]
    fn lay_by(
        &mut self,
        takes: &mut impl Takes<M>,
        columns: &Columns<'_>,
        routes: u64,
        events: Range<usize>,
    ) {
        if self.alike.routes != routes || self.alike.n_events == 0 {
            self.open(takes, routes);
        }
        let from = self.alike.n_events as usize;
        for ((&track, &bits), sent) in
            columns.sent.iter().zip(&self.straight.sent_bits).zip(&mut self.alike.sent)
        {
            if bits & routes == 0 {
                continue;
            }
            let places = &mut sent[from..][..events.len()];
            if track.step == 0 {
                places.fill(columns.at(track, 0));
                continue;
            }
            for (place, cell) in places.iter_mut().zip(&columns.cells[track.start + events.start..]) {
                *place = cell.get();
            }
        }
        self.alike.n_events += events.len() as u64;
    }
}

/// Copies the integers that the next events take to their columns.
#[inline(always)]
fn lay_out<M: Instrumentation>(takes: &impl Takes<M>, columns: &Columns<'_>, n_events: usize) {
    for (place, start) in columns.taken.iter().enumerate() {
        for (cell, &number) in columns.cells[*start..].iter().zip(takes.front(place, n_events)) {
            cell.set(number);
        }
    }
}
