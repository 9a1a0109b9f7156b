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

use hasse_body::script::ScriptEnd;
use hasse_model::id::ArcId;
use hasse_model::plan::{SlotKind, Template};
use hasse_model::value::{Type, Value};
use hasse_routine::Track;

use super::super::EVENTS_PER_LOOK;
use super::super::batch::NodeBody;
use super::super::lower::Straight;
use crate::eval::Scalar;
use crate::natives::{IntFailure, IntFunction, IntTable, Registered, put_int};
use crate::program::Layout;
use guards::Guards;
pub(in super::super) use guards::orders_of;

/// What must hold for rules.
mod guards;
/// Executing events.
mod run;

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
    /// One after another, each taking what the one before has sent to itself: the bit of the rule, the slot, and the arc.
    Own(u64, usize, ArcId),
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
            Some(body) => Some(body.ints.as_deref()?),
        };
        let shape = match (&straight.own[..], &straight.takes[..]) {
            _ if straight.is_indexed || straight.sends_twice => return None,
            ([], _) if straight.guards.is_empty() => Shape::Alike,
            ([], _) => Shape::Guarded,
            ([(bit, slot_idx, port, arc)], [(taken, _)]) if port == taken => {
                Shape::Own(*bit, *slot_idx, *arc)
            }
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
                let is_carried = layout.vars.contains(&slot_idx) || layout.shared.contains(&slot_idx);
                let track = match (template.slots[slot_idx].kind, shape) {
                    _ if is_carried => {
                        let start = columns.column();
                        columns.carried.push((start, slot_idx));
                        Track { start: start + 1, step: 1 }
                    }
                    // What one event gives is what the next one takes.
                    (SlotKind::Let, Shape::Own(_, own, _)) if own == slot_idx => {
                        Track { start: columns.taken[0] + 1, step: 1 }
                    }
                    (SlotKind::Let, _) => Track { start: columns.column(), step: 1 },
                    _ => return None,
                };
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
        for &(_, slot_idx, ..) in &straight.own {
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
