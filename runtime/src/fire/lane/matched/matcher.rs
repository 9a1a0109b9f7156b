//! What computes and routes the events of entries: those of one template are laid out side by side, everything by number, and
//! each step is taken for all of them before the next one.
//!
//! A set of these events is told as bits, by position.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_brief::BriefGuard;
use hasse_code::calc::Calc;
use hasse_code::eval::Scalar;
use hasse_code::natives::scalars::{ScalarFunction, ScalarTable};
use hasse_model::id::{ActionId, EventId, Index, SlotId, TemplateId};
use hasse_model::plan::routine::Kind;
use hasse_record::instrumentation::Instrumentation;
use hasse_routine::Track;
use hasse_runtime_plan::arcs::IndexedWay;
use hasse_runtime_plan::entries::{MAX_NUMBERS, MAX_PORTS, ROWS};
use hasse_runtime_plan::matching::{Matching, Test};
use hasse_runtime_plan::straight::{IndexedTo, RouteSend, SentTo, bits_of};
use hasse_store::matching::shard::Shard;
use hasse_store::matching::tag::{Numbers, Tags};
use hasse_store::matching::{Spot, Store};

use crate::fire::session::Session;

/// What a worker keeps for the entries of a template.
pub(crate) struct Matcher<'s, M: Instrumentation> {
    pub(crate) store: &'s Store<M>,
    matching: &'s Matching,
    function: Option<&'s ScalarFunction>,
    pub(crate) rules: Vec<Rule<'s>>,
    pub(crate) destinations: Vec<Destination<'s, M>>,
    pub(crate) keep: M::Keep,
    /// By slot, a column of what it is for each event; columns of constants stand behind, and one of 0.
    cells: Vec<Cell<i64>>,
    first_index: usize,
    count_slot: usize,
    /// Where the function takes its arguments from, and puts what it gives.
    takes: Vec<Track>,
    gives: Vec<Track>,
    /// The events that are under way.
    pub(crate) rows: Vec<(Spot, ActionId)>,
    /// Stamps of what they have taken, by port, one event behind the other.
    taken: Vec<M::Stamp>,
    /// Stamps of what they send.
    pub(crate) stamps: Vec<M::Stamp>,
    /// Where the entries are that what is sent by an arc goes to.
    pub(crate) tags: Box<Tags>,
}

/// A routing rule.
pub(crate) struct Rule<'s> {
    tests: &'s [Test],
    /// What it sends: positions of where it goes.
    sends: Vec<Range<usize>>,
    /// Events for which it holds.
    holds: u64,
}

/// An arc.
pub(crate) struct Destination<'s, M: Instrumentation> {
    pub(crate) way: &'s IndexedWay,
    /// If the template that it leads to has one: by which index numbers, as sums, its entries are told, too.
    store: Option<(&'s Store<M>, Sums)>,
    /// The slot of what is sent.
    value: usize,
    /// Events that send.
    pub(crate) goes: u64,
}

/// Index numbers as sums: the slot of one number, and what is added to it.
type Sums = [(usize, i64); MAX_NUMBERS];

/// Integers of a slot, by event.
type Column = [Cell<i64>; ROWS];

/// All of so many events.
pub(crate) fn all_of(n_rows: usize) -> u64 {
    if n_rows == 0 { 0 } else { u64::MAX >> (ROWS - n_rows) }
}

/// Those of so many events of which something holds.
#[inline(always)]
fn those_of(n_rows: usize, holds: impl Fn(usize) -> bool) -> u64 {
    (0..n_rows).rev().fold(0, |those, row| those << 1 | u64::from(holds(row % ROWS)))
}

#[inline(always)]
fn column_of(cells: &[Cell<i64>], slot_idx: usize) -> &Column {
    cells[slot_idx * ROWS..].first_chunk().expect("each slot has a column")
}

impl<'s, M: Instrumentation> Matcher<'s, M> {
    pub(crate) fn new(session: &'s Session<'_, M>, template_id: TemplateId) -> Option<Self> {
        let (program, registry) = (session.program, &session.registry);
        let store = registry.store(template_id)?;
        let plain = program.lanes[template_id.idx()].as_ref().ok()?.plain.as_ref().ok()?;
        let (matching, straight) = (plain.matching.as_ref()?, plain.straight()?);
        let layout = &program.layouts[template_id.idx()];
        let extras = straight.extras.iter().filter_map(|extra| Kind::Int.word_of(extra));
        let constants = extras.chain(matching.constants.iter().copied()).chain([0]);
        let n_slots = layout.names.len();
        let mut cells = vec![Cell::new(0); n_slots * ROWS];
        for (slot_idx, held) in layout.params.clone().zip(&session.main.params) {
            cells[slot_idx * ROWS..][..ROWS].fill(Cell::new(held.as_int().unwrap_or_default()));
        }
        constants.for_each(|constant| cells.resize(cells.len() + ROWS, Cell::new(constant)));
        let (zero, first_index) = (cells.len() / ROWS - 1, layout.indices.start);
        let mut destinations = Vec::new();
        let mut rules = Vec::new();
        for (rule_idx, route) in straight.routes.iter().enumerate() {
            let guard = matching.guards.iter().find(|(bit, _)| *bit == 1 << rule_idx);
            let mut sends = Vec::new();
            for RouteSend { slot_idx, to, .. } in &route.sends {
                let SentTo::Indexed(IndexedTo::Ways(ways)) = to else { continue };
                let first = destinations.len();
                destinations.extend(ways.iter().map(|way| {
                    let mut sums = [(zero, 0); MAX_NUMBERS];
                    for (sum, (position, offset)) in sums.iter_mut().zip(way.sums()) {
                        *sum = (position.map_or(zero, |position| first_index + position), offset);
                    }
                    let store = registry.store(way.target).map(|store| (store, sums));
                    Destination { way, store, value: *slot_idx, goes: 0 }
                }));
                sends.push(first..destinations.len());
            }
            rules.push(Rule { tests: guard.map_or(&[], |(_, tests)| tests), sends, holds: 0 });
        }
        let function = program.native_bodies[template_id.idx()].as_deref();
        let track = |slot_idx: &usize| Track { start: slot_idx * ROWS, step: 1 };
        Some(Self {
            store,
            matching,
            function: function.and_then(|body| body.scalars.as_deref().ok()),
            rules,
            destinations,
            keep: session.instrumentation.keep(template_id, &session.main, &Index::none()),
            cells,
            first_index,
            count_slot: layout.count,
            takes: matching.takes.iter().map(track).collect(),
            gives: matching.gives.iter().map(track).collect(),
            rows: Vec::with_capacity(ROWS),
            taken: Vec::with_capacity(ROWS * matching.slots.len()),
            stamps: Vec::with_capacity(ROWS),
            tags: Box::default(),
        })
    }

    #[inline(always)]
    pub(crate) fn column(&self, slot_idx: usize) -> &Column {
        column_of(&self.cells, slot_idx)
    }

    fn at(&self, slot_idx: usize, row: usize) -> i64 {
        self.column(slot_idx)[row].get()
    }

    /// Where the index numbers stand.
    #[inline(always)]
    fn index_columns(&self) -> [&Column; MAX_NUMBERS] {
        let (n_numbers, zero) = (self.matching.n_numbers, self.cells.len() / ROWS - 1);
        std::array::from_fn(|nth| self.column(if nth < n_numbers { self.first_index + nth } else { zero }))
    }

    /// Begins executions of entries. Gives the indices of those for which instances stand.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        template: TemplateId,
        spots: &[Spot],
        open: &mut Open<'s, M>,
    ) -> Vec<Index> {
        let (mut rows, mut taken) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.taken));
        rows.clear();
        taken.clear();
        let slots = &self.matching.slots[..];
        let ports: [&Column; MAX_PORTS] =
            std::array::from_fn(|port| self.column(slots.get(port).copied().unwrap_or_default()));
        let ([first, second, third], counts) = (self.index_columns(), self.column(self.count_slot));
        let mut promoted = Vec::new();
        for &spot in spots {
            let shard = open.shard(self.store, template, spot.shard);
            let Some(begun) = shard.take(spot) else {
                promoted.push(shard.index(spot));
                continue;
            };
            let row = rows.len() % ROWS;
            begun.taken.iter().zip(&ports).for_each(|(&number, port)| port[row].set(number));
            taken.extend(begun.stamps.iter().cloned());
            first[row].set(begun.numbers.0);
            second[row].set(begun.numbers.1);
            third[row].set(begun.numbers.2);
            counts[row].set(begun.count as i64);
            rows.push((spot, begun.action));
        }
        (self.rows, self.taken) = (rows, taken);
        promoted
    }

    #[inline(always)]
    pub(crate) fn id(&self, row: usize) -> EventId {
        let count = self.at(self.count_slot, row) as u64;
        EventId { action: self.rows[row].1, count }
    }

    /// What an event has taken, by port.
    #[inline(always)]
    pub(crate) fn taken(&self, row: usize) -> &[M::Stamp] {
        let n_ports = self.matching.slots.len();
        &self.taken[row * n_ports..][..n_ports]
    }

    /// The same, as integers.
    pub(crate) fn numbers_taken(&self, row: usize) -> Vec<i64> {
        self.matching.slots.iter().map(|&slot_idx| self.at(slot_idx, row)).collect()
    }

    /// Runs the bodies; gives those that fail, or panic.
    pub(crate) fn compute(&self) -> u64 {
        let Some(function) = self.function else { return 0 };
        let (mut failed, mut from) = (0, 0);
        while from < self.rows.len() {
            let n_done = Cell::new(from);
            let (takes, gives) = (&self.takes[..], &self.gives[..]);
            let table = ScalarTable { cells: &self.cells, takes, gives, n_done: &n_done, world: None };
            let rows = from..self.rows.len();
            if let Ok(Ok(())) = catch_unwind(AssertUnwindSafe(|| (function.call)(&table, rows))) {
                break;
            }
            failed |= 1 << n_done.get();
            from = n_done.get() + 1;
        }
        failed
    }

    /// Evaluates the routing rules of `usual` events; gives those of which something is out of the ordinary.
    pub(crate) fn route(&mut self, usual: u64) -> u64 {
        let mut odd = 0;
        for rule_idx in 0..self.rules.len() {
            let mut holds = usual;
            for test in self.rules[rule_idx].tests {
                holds &= match test {
                    Test::Orders(left, right, orders) => self.in_order(*left, *right, *orders),
                    Test::Other(calc) => self.hold_otherwise(calc, holds, &mut odd),
                };
            }
            self.rules[rule_idx].holds = holds;
            for send_idx in 0..self.rules[rule_idx].sends.len() {
                let mut sent = 0;
                for to in self.rules[rule_idx].sends[send_idx].clone() {
                    let goes = self.going(&self.destinations[to], holds, &mut odd);
                    self.destinations[to].goes = goes;
                    sent |= goes;
                }
                odd |= holds & !sent;
            }
        }
        odd
    }

    /// Events of which two integers are in one of these orders.
    fn in_order(&self, left: usize, right: usize, orders: u8) -> u64 {
        let (n_rows, left, right) = (self.rows.len(), self.column(left), self.column(right));
        let pair = |row: usize| (left[row].get(), right[row].get());
        // A loop for each, as a test that is looked up would cost more than the test.
        match orders {
            0b001 => those_of(n_rows, |row| pair(row).0 < pair(row).1),
            0b011 => those_of(n_rows, |row| pair(row).0 <= pair(row).1),
            0b010 => those_of(n_rows, |row| pair(row).0 == pair(row).1),
            0b101 => those_of(n_rows, |row| pair(row).0 != pair(row).1),
            0b110 => those_of(n_rows, |row| pair(row).0 >= pair(row).1),
            _ => those_of(n_rows, |row| pair(row).0 > pair(row).1),
        }
    }

    /// Those of some events for which a test holds that is not one of two integers; adds those for which it fails.
    #[inline(never)]
    fn hold_otherwise(&self, calc: &Calc, events: u64, odd: &mut u64) -> u64 {
        bits_of(events).fold(0, |those, row| {
            let slot = |slot: SlotId| Some(Scalar::Int(self.at(slot.idx(), row as usize)));
            match calc.holds_where(&slot, &[]) {
                Some(holds) => those | u64::from(holds) << row,
                None => {
                    *odd |= 1 << row;
                    those
                }
            }
        })
    }

    /// Those of some events that send by an arc; adds those of which an index number overflows.
    fn going(&self, destination: &Destination<'s, M>, events: u64, odd: &mut u64) -> u64 {
        let Destination { way, store, .. } = destination;
        let n_rows = self.rows.len();
        let goes = match way.has_checks() {
            true => events & those_of(n_rows, |row| way.matches(self.index(row).as_slice())),
            false => events,
        };
        *odd |= goes
            & match store {
                Some((_, sums)) => sums.iter().filter(|(_, offset)| *offset != 0).fold(0, |odd, sum| {
                    let column = self.column(sum.0);
                    odd | those_of(n_rows, |row| column[row].get().checked_add(sum.1).is_none())
                }),
                None => those_of(n_rows, |row| way.index(self.index(row).as_slice()).is_none()),
            };
        goes
    }

    /// Leaves out some events, which send nothing.
    pub(crate) fn leave_out(&mut self, events: u64) {
        self.rules.iter_mut().for_each(|rule| rule.holds &= !events);
        self.destinations.iter_mut().for_each(|destination| destination.goes &= !events);
    }

    /// Events for which other rules hold than for the one before, or that send another number of values; the first one is not
    /// compared.
    pub(crate) fn changes(&self) -> u64 {
        let rules = self.rules.iter().map(|rule| rule.holds);
        let sets = rules.chain(self.destinations.iter().map(|destination| destination.goes));
        sets.fold(0, |changes, set| changes | set ^ set << 1) & !1
    }

    /// Lists the rules that hold for an event; gives the number of values that it sends.
    pub(crate) fn list_routes(&self, row: usize, routes: &mut Vec<u32>) -> u64 {
        let is_there = |set: u64| set >> row & 1 != 0;
        routes.clear();
        routes.extend((0..).zip(&self.rules).filter(|(_, rule)| is_there(rule.holds)).map(|(idx, _)| idx));
        self.destinations.iter().filter(|destination| is_there(destination.goes)).count() as u64
    }

    /// What events send by an arc.
    #[inline(always)]
    pub(crate) fn sent(&self, destination: &Destination<'s, M>) -> &Column {
        self.column(destination.value)
    }

    /// Works out to which entries an arc leads, if it leads to a template that has a store.
    pub(crate) fn find_entries(&mut self, to: usize) -> Option<&'s Store<M>> {
        let Self { destinations, cells, rows, tags, .. } = self;
        let (store, sums) = destinations[to].store.as_ref()?;
        store.tags(rows.len(), sums.map(|(slot_idx, offset)| (column_of(cells, slot_idx), offset)), tags);
        Some(store)
    }

    /// The index of an event.
    #[inline(always)]
    pub(crate) fn index(&self, row: usize) -> Index {
        let [first, second, third] = self.index_columns().map(|column| column[row].get());
        self.store.index(Numbers(first, second, third))
    }
}

/// The shard that is locked, one at a time.
pub(crate) struct Open<'s, M: Instrumentation>(
    pub(crate) Option<(TemplateId, u32, BriefGuard<'s, Shard<M>>)>,
);

impl<'s, M: Instrumentation> Open<'s, M> {
    #[inline(always)]
    pub(crate) fn shard(&mut self, store: &'s Store<M>, template: TemplateId, shard: u32) -> &mut Shard<M> {
        let is_it =
            |open: &(TemplateId, u32, BriefGuard<'s, Shard<M>>)| (open.0, open.1) == (template, shard);
        match &mut self.0 {
            Some(open) if is_it(open) => {}
            open => {
                // Never two: others may lock them the other way round.
                *open = None;
                *open = Some((template, shard, store.shard(shard)));
            }
        }
        &mut self.0.as_mut().expect("it has just been opened").2
    }

    pub(crate) fn close(&mut self) {
        self.0 = None;
    }
}
