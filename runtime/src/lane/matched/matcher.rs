//! What computes and routes the events of entries: everything stands by number.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_model::id::{Index, TemplateId};
use smallvec::SmallVec;

use super::super::arcs::IndexedWay;
use super::super::calc::Calc;
use super::super::lower::{Matching, Straight, Test, bits_of};
use crate::eval::Scalar;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::matching::{Begun, MAX_NUMBERS, Numbers, Shard, Spot, Store};
use crate::natives::{IntFunction, IntTable};
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::worker::Ready;

/// What a worker keeps for the entries of a template.
pub(super) struct Matcher<'s, M: Instrumentation> {
    pub(super) store: &'s Store<M>,
    matching: &'s Matching,
    straight: &'s Straight,
    function: Option<&'s IntFunction>,
    /// By routing rule: what it sends, each by its slot, and the positions of where it goes.
    routes: Vec<Vec<(usize, Range<usize>)>>,
    pub(super) destinations: Vec<Destination<'s, M>>,
    pub(super) keep: M::Keep,
    /// By slot; constants stand behind, and a 0.
    cells: Vec<Cell<i64>>,
    first_index: usize,
    count_slot: usize,
    /// Stamps of what the event under way has taken, by port.
    pub(super) taken: Vec<M::Stamp>,
    /// Routing rules that hold for it.
    pub(super) route_list: Vec<u32>,
    /// What it sends.
    pub(super) sendings: Vec<Sending>,
}

/// Index numbers as sums: a cell, and what is added to it.
pub(super) type Sums = [(usize, i64); MAX_NUMBERS];

/// An arc.
pub(super) struct Destination<'s, M: Instrumentation> {
    pub(super) way: &'s IndexedWay,
    /// If the template that it leads to has one: by which cells and offsets the index numbers are told, too.
    pub(super) store: Option<(&'s Store<M>, Sums)>,
}

/// An integer that the event under way sends.
#[derive(Clone, Copy)]
pub(super) struct Sending {
    /// Position of the destination.
    pub(super) to: usize,
    pub(super) number: i64,
    /// Of an entry.
    pub(super) numbers: Numbers,
}

impl<'s, M: Instrumentation> Matcher<'s, M> {
    pub(super) fn new<K: ResultOrder, S: Scheduler<Ready<M, K>>>(
        session: &'s Session<'_, M, K, S>,
        template_id: TemplateId,
    ) -> Option<Self> {
        let (program, registry) = (session.program, &session.registry);
        let store = registry.store(template_id)?;
        let plain = program.lanes[template_id.idx()].as_ref()?.plain.as_ref()?;
        let (matching, straight) = (plain.matching.as_ref()?, plain.straight.as_ref()?);
        let layout = &program.layouts[template_id.idx()];
        let mut cells: Vec<Cell<i64>> = vec![Cell::new(0); layout.names.len()];
        for (cell, held) in cells[layout.params.clone()].iter().zip(&session.main.params) {
            cell.set(held.as_int().unwrap_or_default());
        }
        let constants = straight.constants.iter().chain(&matching.constants).chain(&[0]);
        cells.extend(constants.copied().map(Cell::new));
        let first_index = layout.indices.start;
        let mut destinations = Vec::new();
        let mut routes = Vec::new();
        for route in &straight.routes {
            let mut sends = Vec::new();
            for (slot_idx, ways) in &route.indexed {
                let first = destinations.len();
                destinations.extend(ways.iter().map(|way| {
                    let mut sums = [(cells.len() - 1, 0); MAX_NUMBERS];
                    for (sum, (position, offset)) in sums.iter_mut().zip(way.sums()) {
                        *sum = (position.map_or(cells.len() - 1, |position| first_index + position), offset);
                    }
                    Destination { way, store: registry.store(way.target).map(|store| (store, sums)) }
                }));
                sends.push((*slot_idx, first..destinations.len()));
            }
            routes.push(sends);
        }
        Some(Self {
            store,
            matching,
            straight,
            function: program.native_bodies[template_id.idx()].as_deref().and_then(|body| body.ints.as_ref()),
            routes,
            destinations,
            keep: session.instrumentation.keep(template_id, &session.main, &Index::none()),
            cells,
            first_index,
            count_slot: layout.count,
            taken: Vec::new(),
            route_list: Vec::new(),
            sendings: Vec::new(),
        })
    }

    /// Begins the execution of an entry; `None` where an instance stands for it.
    #[inline(always)]
    pub(super) fn begin(&mut self, shard: &mut Shard<M>, spot: Spot) -> Option<Begun> {
        let Self { matching, cells, taken, first_index, count_slot, .. } = self;
        taken.clear();
        let begun = shard.take(spot, |port, number, stamp| {
            cells[matching.slots[port]].set(number);
            taken.push(stamp.clone());
        })?;
        for (cell, number) in cells[*first_index..][..matching.n_numbers].iter().zip(begun.numbers.each()) {
            cell.set(number);
        }
        cells[*count_slot].set(begun.count as i64);
        Some(begun)
    }

    /// What it has taken, by port.
    pub(super) fn numbers_taken(&self) -> Vec<i64> {
        self.matching.slots.iter().map(|&slot_idx| self.cells[slot_idx].get()).collect()
    }

    /// Runs the body; false where it fails, or panics.
    #[inline(always)]
    pub(super) fn compute(&self) -> bool {
        let Some(function) = self.function else { return true };
        let Matching { takes, gives, .. } = self.matching;
        let n_done = Cell::new(0);
        let table = IntTable { cells: &self.cells, takes, gives, n_done: &n_done };
        matches!(catch_unwind(AssertUnwindSafe(|| (function.call)(&table, 0..1))), Ok(Ok(())))
    }

    /// Evaluates the routing rules; false where something is out of the ordinary.
    #[inline(always)]
    pub(super) fn route(&mut self) -> bool {
        let cells = &self.cells[..];
        let mut routes = self.straight.always;
        for (bit, tests) in &self.matching.guards {
            let mut holds = true;
            for test in tests {
                holds = match test {
                    Test::Orders(left, right, orders) => {
                        let order = cells[*left].get().cmp(&cells[*right].get());
                        orders >> (order as i8 + 1) & 1 != 0
                    }
                    Test::Other(calc) => match holds_otherwise(calc, cells) {
                        Some(holds) => holds,
                        None => return false,
                    },
                };
                if !holds {
                    break;
                }
            }
            if holds {
                routes |= bit;
            }
        }
        self.route_list.clear();
        self.sendings.clear();
        for rule_idx in bits_of(routes) {
            self.route_list.push(rule_idx);
            for (slot_idx, positions) in &self.routes[rule_idx as usize] {
                let n_before = self.sendings.len();
                for to in positions.clone() {
                    let Destination { way, store } = &self.destinations[to];
                    if way.has_checks() && !way.matches(&index_of(cells, self.first_index, self.matching)) {
                        continue;
                    }
                    let numbers = match store {
                        Some((_, [first, second, third])) => {
                            let sum = |(cell, offset): &(usize, i64)| cells[*cell].get().checked_add(*offset);
                            let (Some(first), Some(second), Some(third)) =
                                (sum(first), sum(second), sum(third))
                            else {
                                return false;
                            };
                            Numbers(first, second, third)
                        }
                        None if way.index(&index_of(cells, self.first_index, self.matching)).is_none() => {
                            return false;
                        }
                        None => Numbers(0, 0, 0),
                    };
                    self.sendings.push(Sending { to, number: cells[*slot_idx].get(), numbers });
                }
                if self.sendings.len() == n_before {
                    return false;
                }
            }
        }
        true
    }

    /// The index of the event under way.
    pub(super) fn index(&self) -> SmallVec<[i64; MAX_NUMBERS]> {
        index_of(&self.cells, self.first_index, self.matching)
    }
}

fn index_of(cells: &[Cell<i64>], first_index: usize, matching: &Matching) -> SmallVec<[i64; MAX_NUMBERS]> {
    cells[first_index..][..matching.n_numbers].iter().map(Cell::get).collect()
}

#[inline(never)]
fn holds_otherwise(calc: &Calc, cells: &[Cell<i64>]) -> Option<bool> {
    calc.holds_where(&|slot| Some(Scalar::Int(cells[slot.idx()].get())), &[])
}
