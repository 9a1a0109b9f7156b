//! Straight events in columns: where a body is a function of scalars, or there is none, the values of many events are
//! laid out side by side, the function is called for all of them in one loop, then each expression of the routing rules is
//! evaluated for all of them, and what they send is copied from there.
//!
//! What is out of the ordinary is left to the loop that serves events one by one: functions and expressions depend on nothing
//! but what they take, and so an event of which they have been called may be begun anew.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hasse_body::effects::{Announcement, SharedContext};
use hasse_body::natives::put_word;
use hasse_body::rows::{RowAnswers, RowEvents, RowSource};
use hasse_body::script::ScriptEnd;
use hasse_code::eval::Scalar;
use hasse_code::layout::Layout;
use hasse_code::natives::node::Registered;
use hasse_model::event::Effect;
use hasse_model::id::ArcId;
use hasse_model::plan::routine::{Kind, Place};
use hasse_model::plan::{SlotKind, Template};
use hasse_model::value::Value;
use hasse_routine::{Machine, Track};
use hasse_runtime_plan::form::Form;
use hasse_runtime_plan::straight::Straight;

use crate::fire::lane::clock::ROWS_PER_BATCH;
use crate::fire::lane::prepared::NodeBody;
use crate::fire::lane::straight::columns::guards::Guards;

pub(crate) use hasse_code::natives::scalars::{RowWorld, ScalarFailure, ScalarFunction, ScalarTable};
use hasse_code::reason::{Cause, Reason, Site};
use hasse_code::routines::run_rows;

/// What must hold for rules.
pub(crate) mod guards;
/// Executing events.
pub(crate) mod run;
/// Firing rules of the next events.
pub(crate) mod turns;

/// Number of words in a column: one for each event, and one after the last.
const COLUMN: usize = ROWS_PER_BATCH + 1;

/// Columns of the straight events of a template, which are one worker's.
pub(crate) struct Columns<'b> {
    function: Option<&'b ScalarFunction>,
    cells: Vec<Cell<i64>>,
    /// Where the function takes its arguments from, and puts what it gives.
    takes: Vec<Track>,
    gives: Vec<Track>,
    /// Positions in [`Straight::takes`] of scalars, and where their columns begin.
    taken: Vec<(usize, usize)>,
    /// What is the same for all events: where it is, its slot, and its kind.
    constants: Vec<(usize, usize, Kind)>,
    /// What each event leaves to the next: where the column begins, its slot, and its kind.
    carried: Vec<(usize, usize, Kind)>,
    /// Expressions that are evaluated when the function has been called, in this order.
    steps: Vec<Step>,
    /// By position in [`Straight::sent`].
    sent: Vec<Source>,
    /// By slot: where its words are when the body has run.
    tracks: Vec<Option<Track>>,
    /// By slot: of what kind it is, if that is always the same.
    kinds: Vec<Option<Kind>>,
    count_slot: usize,
    /// The column of the numbers of executions, if somebody asks for them.
    counts: Option<usize>,
    shape: Shape,
    /// The guards, if they can be looked at in columns.
    guards: Result<Guards, Reason>,
    /// How the function has ended for the next event.
    failure: Option<Failure>,
    /// Attempts in a row that executed nothing, of a function that fails where a body speaks.
    n_vain: u32,
    /// Context that answers the questions of the function, and the source of answers.
    world: Option<(&'b SharedContext, Announcement)>,
    /// Seed of the action whose events are executed.
    seed_of_action: u64,
    /// Number of its executions before the first event that is laid out.
    n_before: u64,
    /// In a replay: the answers to the events that are next, and the number of executions before the first of them.
    recorded: (u64, Vec<&'b [Effect]>),
    /// Answers that the function was given, by event.
    answers: RefCell<RowAnswers>,
}

/// Attempts in a row that execute nothing before they become rare: a body that prints each time would be executed twice.
const MOST_VAIN: u32 = 4;
/// From then on so few attempts are made.
const VAIN_PER_ATTEMPT: u32 = 64;

/// Position of a value that is sent.
enum Source {
    Track(Track),
    /// It is no scalar, and is what was taken, by position in [`Straight::takes`].
    Taken(usize),
}

/// The value of an expression, for each event.
struct Step {
    machine: Arc<Machine>,
    takes: Vec<Track>,
    gives: [Track; 1],
}

impl Step {
    /// Evaluates it for some events; gives the position of the first one for which that has not been done.
    #[inline(always)]
    fn run(&self, cells: &[Cell<i64>], events: Range<usize>) -> usize {
        let n_done = Cell::new(events.start);
        let table =
            ScalarTable { cells, takes: &self.takes, gives: &self.gives, n_done: &n_done, world: None };
        // The loop for events one by one finds out why it fails.
        let _ = run_rows(&self.machine, &table, events, None);
        n_done.get()
    }
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
pub(crate) enum Failure {
    Failed(Box<dyn Error + Send + Sync>),
    Panicked(Box<dyn Any + Send>),
}

impl Failure {
    /// What it comes to for the event.
    #[cold]
    pub(crate) fn end_of(self, body: &NodeBody<'_>) -> ScriptEnd {
        match self {
            Failure::Failed(error) => body.native.failed(error, body.at),
            Failure::Panicked(panic) => body.native.panicked(&*panic, body.at),
        }
    }
}

impl<'b> Columns<'b> {
    /// The columns of a template.
    ///
    /// # Errors
    /// Events are to be served one by one.
    pub(crate) fn of(
        straight: &Straight,
        (template, layout): (&Template, &Layout),
        body: Option<&'b Registered>,
    ) -> Result<Self, Reason> {
        let function = match body.map(|body| &body.scalars) {
            None => None,
            Some(Ok(function)) => Some(&**function),
            Some(Err(reason)) => return Err(*reason),
        };
        let shape = match (&straight.own[..], &straight.takes[..]) {
            _ if straight.sends_twice => return Err(Site::Node.because(Cause::SentTwice)),
            ([], _) if straight.guards.is_empty() => Shape::Alike,
            ([], _) => Shape::Guarded,
            ([own], [take]) if own.port == take.port && own.form != Form::Value => {
                Shape::Own(own.bit, own.slot_idx, own.arc)
            }
            _ => return Err(Site::Node.because(Cause::OwnSends)),
        };
        let n_slots = layout.names.len() + straight.extras.len();
        let kinds = (0..n_slots).map(|slot_idx| straight.kind_of(&template.slots, slot_idx)).collect();
        let mut columns = Self { function, shape, ..Self::of_kinds(kinds, layout) };
        for (place, take) in straight.takes.iter().enumerate() {
            if take.form == Form::Value {
                continue;
            }
            let start = columns.column();
            columns.taken.push((place, start));
            columns.tracks[take.slot_idx] = Some(Track { start, step: 1 });
        }
        if let Some(function) = function {
            let n_taken = function.names.takes.len();
            let kinds = columns.kinds.clone();
            let slot_of = |name: &String, kind: Kind| {
                let slot_idx = template.slots.iter().position(|slot| slot.name == *name);
                let slot_idx = slot_idx.ok_or(Site::Body.because(Cause::RustBody))?;
                match kinds[slot_idx] {
                    Some(found) if found == kind => Ok(slot_idx),
                    _ => Err(Site::Body.because(Cause::AnyKind(slot_idx))),
                }
            };
            for (name, &kind) in function.names.gives.iter().zip(&function.kinds[n_taken..]) {
                let slot_idx = slot_of(name, kind)?;
                let is_carried = layout.vars.contains(&slot_idx) || layout.shared.contains(&slot_idx);
                let track = match (template.slots[slot_idx].kind, shape) {
                    _ if is_carried => {
                        let start = columns.column();
                        columns.carried.push((start, slot_idx, kind));
                        Track { start: start + 1, step: 1 }
                    }
                    // What one event gives is what the next one takes.
                    (SlotKind::Let, Shape::Own(_, own, _)) if own == slot_idx => {
                        Track { start: columns.taken[0].1 + 1, step: 1 }
                    }
                    (SlotKind::Let, _) => Track { start: columns.column(), step: 1 },
                    _ => return Err(Site::Body.because(Cause::BodyAssigns(slot_idx))),
                };
                columns.gives.push(track);
                columns.tracks[slot_idx] = Some(track);
            }
            for (name, &kind) in function.names.takes.iter().zip(&function.kinds) {
                let slot_idx = slot_of(name, kind)?;
                let carried = columns.carried.iter().find(|(_, carried, _)| *carried == slot_idx);
                let track = match carried {
                    Some(&(start, ..)) => Track { start, step: 1 },
                    None => columns.track(slot_idx, kind),
                };
                columns.takes.push(track);
            }
        }
        let track = |columns: &mut Self, slot_idx: usize, kind: Kind| {
            let is_unset = columns.tracks[slot_idx].is_none()
                && (layout.lets.contains(&slot_idx) || layout.bound.contains(&slot_idx));
            if is_unset {
                return Err(Cause::Unbound(slot_idx));
            }
            if columns.kinds[slot_idx] != Some(kind) {
                return Err(Cause::AnyKind(slot_idx));
            }
            Ok(if slot_idx == layout.count { columns.counts() } else { columns.track(slot_idx, kind) })
        };
        let rule = |bits: u64| Site::Route(bits.trailing_zeros() as usize);
        for derived in &straight.derived {
            let machine = derived.machine.as_ref().map_err(|reason| *reason)?;
            let gives = columns.step(machine, track).map_err(|cause| rule(derived.bit).because(cause))?;
            columns.tracks[derived.slot_idx] = Some(gives);
        }
        for sent in &straight.sent {
            let source = match sent.form {
                Form::Word(kind) => track(&mut columns, sent.slot_idx, kind).map(Source::Track),
                Form::Value => {
                    let taken = straight.takes.iter().position(|take| take.slot_idx == sent.slot_idx);
                    let taken = taken.filter(|_| sent.value.unsure.is_none());
                    taken.map(Source::Taken).ok_or(Cause::AnyKind(sent.slot_idx))
                }
            };
            columns.sent.push(source.map_err(|cause| rule(sent.bits).because(cause))?);
        }
        for own in &straight.own {
            let kind = own.form.kind().ok_or(Site::Node.because(Cause::OwnSends))?;
            track(&mut columns, own.slot_idx, kind).map_err(|cause| rule(own.bit).because(cause))?;
        }
        columns.guards = Guards::of(&straight.guards, &mut columns, track).and_then(|guards| {
            let first = straight.guards.first().filter(|_| guards.has_derived());
            match (shape, first) {
                (Shape::Own(..), Some(guard)) => Err(rule(guard.bit).because(Cause::OwnGuard)),
                _ => Ok(guards),
            }
        });
        if straight.holds_values
            && let Err(reason) = columns.guards
        {
            // It may look at a value that is no scalar.
            return Err(reason);
        }
        Ok(columns)
    }

    /// Columns without a function, for what looks at names of a template alone.
    fn of_names(template: &Template, layout: &Layout) -> Self {
        Self::of_kinds(template.slots.iter().map(|slot| Kind::of(&slot.ty)).collect(), layout)
    }

    /// Columns without a function, for names of these kinds, by slot.
    fn of_kinds(kinds: Vec<Option<Kind>>, layout: &Layout) -> Self {
        Self {
            function: None,
            cells: Vec::new(),
            takes: Vec::new(),
            gives: Vec::new(),
            taken: Vec::new(),
            constants: Vec::new(),
            carried: Vec::new(),
            sent: Vec::new(),
            steps: Vec::new(),
            tracks: vec![None; kinds.len()],
            kinds,
            count_slot: layout.count,
            counts: None,
            shape: Shape::Alike,
            guards: Err(Site::Node.because(Cause::OwnGuard)),
            failure: None,
            n_vain: 0,
            world: None,
            seed_of_action: 0,
            n_before: 0,
            recorded: (0, Vec::new()),
            answers: RefCell::default(),
        }
    }

    /// Returns true if something looks at a name that is the same for all events that are laid out.
    #[inline]
    pub(crate) fn looks_at(&self, slot: usize) -> bool {
        self.constants.iter().any(|(_, slot_idx, _)| *slot_idx == slot)
    }

    /// Has a context answer what the function asks.
    pub(crate) fn with_world(mut self, context: &'b SharedContext, source: Announcement) -> Self {
        self.world = self.asks().then_some((context, source));
        self
    }

    /// Returns true if the function asks the world outside.
    #[inline(always)]
    pub(crate) fn asks(&self) -> bool {
        self.function.is_some_and(|function| function.asks)
    }

    /// Sets the action whose events are executed next.
    #[inline]
    pub(crate) fn set_seed(&mut self, seed_of_action: u64) {
        self.seed_of_action = seed_of_action;
    }

    /// In a replay: the answers to the events that are next, to be filled in; so many were executed before.
    pub(crate) fn recorded(&mut self, n_before: u64) -> &mut Vec<&'b [Effect]> {
        self.recorded.0 = n_before;
        self.recorded.1.clear();
        &mut self.recorded.1
    }

    /// Returns true if what the function asks is answered by a record.
    #[inline(always)]
    pub(crate) fn is_answered_by_record(&self) -> bool {
        matches!(self.world, Some((_, Announcement::NoAnswers)))
    }

    /// Why guards are evaluated for each event by itself, if they are.
    pub(crate) fn guard_obstacle(&self) -> Option<Reason> {
        self.guards.as_ref().err().copied()
    }

    /// Adds a step that evaluates an expression; gives where its values are. `track` finds what it takes, by slot and kind.
    fn step(
        &mut self,
        machine: &Arc<Machine>,
        track: impl Fn(&mut Self, usize, Kind) -> Result<Track, Cause>,
    ) -> Result<Track, Cause> {
        let mut takes = Vec::new();
        for input in &machine.routine().inputs {
            let Place::Slot(slot) = input.place else { return Err(Cause::ExpressionOther) };
            takes.push(track(self, slot.idx(), input.kind)?);
        }
        let gives = Track { start: self.column(), step: 1 };
        self.steps.push(Step { machine: Arc::clone(machine), takes, gives: [gives] });
        Ok(gives)
    }

    /// The column of the numbers of executions.
    fn counts(&mut self) -> Track {
        let start = self.counts.unwrap_or_else(|| self.column());
        self.counts = Some(start);
        Track { start, step: 1 }
    }

    fn column(&mut self) -> usize {
        let start = self.cells.len();
        self.cells.resize(start + COLUMN, Cell::new(0));
        start
    }

    /// The words of a slot; a slot that is not known to change has one for all events.
    fn track(&mut self, slot_idx: usize, kind: Kind) -> Track {
        if let Some(track) = self.tracks[slot_idx] {
            return track;
        }
        let track = Track { start: self.cells.len(), step: 0 };
        self.cells.push(Cell::new(0));
        self.constants.push((track.start, slot_idx, kind));
        self.tracks[slot_idx] = Some(track);
        track
    }

    /// Returns true if an attempt is to be skipped: most events speak, and are executed one by one.
    #[inline(always)]
    fn rests(&mut self) -> bool {
        let rests = self.n_vain >= MOST_VAIN && !self.n_vain.is_multiple_of(VAIN_PER_ATTEMPT);
        self.n_vain = self.n_vain.wrapping_add(u32::from(rests));
        rests
    }

    /// Notes how many events an attempt has executed.
    #[inline(always)]
    fn note_attempt(&mut self, n_done: usize) {
        let is_vain = n_done == 0 && self.function.is_some_and(|function| function.speaks);
        self.n_vain = if is_vain { self.n_vain.wrapping_add(1) } else { 0 };
    }

    /// How the function has ended for the event that is next, where it has failed.
    #[inline(always)]
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Sets what is the same for all events, what the first one finds, and the numbers of the executions, of which so many were
    /// before; false where something is not of its kind.
    #[inline(always)]
    fn begin(&mut self, values: &[Value], n_before: u64) -> bool {
        if self.world.is_some() {
            self.n_before = n_before;
            self.answers.get_mut().clear();
        }
        if let Some(start) = self.counts {
            for (cell, count) in self.cells[start..][..COLUMN].iter().zip(n_before + 1..) {
                cell.set(count as i64);
            }
        }
        self.constants.iter().chain(&self.carried).all(|&(start, slot_idx, kind)| {
            let word = kind.word_of(&values[slot_idx]);
            word.inspect(|&word| self.cells[start].set(word)).is_some()
        })
    }

    /// Calls the function for events from one position to another, and evaluates the expressions; gives the position of the
    /// first one for which that has not been done.
    #[inline(always)]
    fn call(&mut self, from: usize, to: usize) -> usize {
        let n_called = match self.function {
            None => to,
            Some(function) => self.guarded_call(from, |_, table| (function.call)(table, from..to)),
        };
        let n_done = self.run_steps(from..n_called);
        if n_done < n_called {
            self.failure = None;
        }
        n_done
    }

    /// Evaluates the expressions for some events; gives the position of the first one for which one of them has no value.
    #[inline(always)]
    fn run_steps(&self, events: Range<usize>) -> usize {
        let from = events.start;
        self.steps.iter().fold(events.end, |end, step| step.run(&self.cells, from..end))
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
                if columns.run_steps(nth..nth + 1) == nth {
                    table.n_done.set(nth);
                    break;
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
        call: impl FnOnce(&Self, &ScalarTable<'_>) -> Result<(), ScalarFailure>,
    ) -> usize {
        let n_done = Cell::new(from);
        let world = self.world.map(|(context, announcement)| {
            let source = match announcement {
                Announcement::World => RowSource::World,
                Announcement::WorldRecorded => RowSource::WorldRecorded,
                Announcement::NoAnswers => {
                    let n_past = self.n_before.saturating_sub(self.recorded.0) as usize;
                    RowSource::Record(self.recorded.1.get(n_past..).unwrap_or_default())
                }
            };
            let events = RowEvents { seed_of_action: self.seed_of_action, n_before: self.n_before, source };
            RowWorld { context, events, answers: &self.answers }
        });
        let table = ScalarTable {
            cells: &self.cells,
            takes: &self.takes,
            gives: &self.gives,
            n_done: &n_done,
            world: world.as_ref(),
        };
        match catch_unwind(AssertUnwindSafe(|| call(self, &table))) {
            Ok(Ok(()) | Err(ScalarFailure::Misfit)) => {}
            Ok(Err(ScalarFailure::Failed(error))) => self.failure = Some(Failure::Failed(error)),
            Err(panic) => self.failure = Some(Failure::Panicked(panic)),
        }
        n_done.get()
    }

    /// The one event that takes a scalar and sends one, as [`Straight::is_relay`] says; `None` where it is to be served in
    /// another way. So many were before.
    #[inline]
    pub(crate) fn map_one(
        &mut self,
        word: i64,
        sent_slot: usize,
        (values, n_before): (&[Value], u64),
    ) -> Option<i64> {
        if self.asks() || self.failure.is_some() || !self.begin(values, n_before) {
            return None;
        }
        self.cells[self.taken.first()?.1].set(word);
        let sent = self.tracks[sent_slot]?;
        (self.call(0, 1) == 1).then(|| self.cells[sent.start].get())
    }

    /// The function, or none where there is no body, of events that send in one slot what it makes of what they take in another,
    /// and that look at nothing else.
    pub(crate) fn mapping(&self, taken_slot: usize, sent_slot: usize) -> Option<Option<&'b ScalarFunction>> {
        let ([(_, taken)], [Source::Track(sent)], true) =
            (&self.taken[..], &self.sent[..], self.steps.is_empty())
        else {
            return None;
        };
        match (self.function, &self.takes[..], &self.gives[..]) {
            (None, ..) => (taken_slot == sent_slot).then_some(None),
            (Some(function), [takes], [gives]) if !function.asks => {
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
            let word = self.at(*track, nth);
            return match self.kinds[slot_idx]? {
                Kind::Int => Some(Scalar::Int(word)),
                Kind::Bool => Some(Scalar::Bool(word != 0)),
                Kind::Real => None,
            };
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
        for &(start, slot_idx, kind) in &self.carried {
            put_word(&mut values[slot_idx], self.cells[start + n_done].get(), kind);
        }
    }
}
