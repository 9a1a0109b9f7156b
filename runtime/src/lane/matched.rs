//! Serving entries of the matching store: all partners of an event have come, and there is nothing to it but what they are.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Instant;

use hasse_model::id::{EventId, Index, TemplateId};
use smallvec::SmallVec;

use super::arcs::IndexedWay;
use super::calc::Calc;
use super::follow::is_as_told;
use super::lower::{Matching, Straight, Test, bits_of};
use super::{EVENTS_PER_LOOK, SHORT_BODY_NANOS};
use crate::brief::BriefGuard;
use crate::eval::Scalar;
use crate::instance::port_bit;
use crate::instrumentation::{Done, Instrumentation, ResultOrder};
use crate::matching::{Begun, Ended, MAX_NUMBERS, Numbers, Put, Shard, Spot, Store, delivery};
use crate::natives::{IntFunction, IntTable};
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::worker::{Ready, TURN, Worker};

/// Another spot than the newest one, whose data are warm, is served once in so many events: each has its turn.
const EVENTS_PER_OLDER: usize = 128;
/// What is ready is worth to be offered to a worker that sleeps if it is as many short events as this.
const MANY_SHORT: usize = 64;
/// Other instances have a turn behind so many of entries.
const TURNS_IN_A_ROW: u32 = 4;

/// What a worker keeps for the entries of a template.
pub(crate) struct Matcher<'s, M: Instrumentation> {
    store: &'s Store<M>,
    matching: &'s Matching,
    straight: &'s Straight,
    function: Option<&'s IntFunction>,
    /// By routing rule: what it sends, each by its slot, and the positions of where it goes.
    routes: Vec<Vec<(usize, Range<usize>)>>,
    destinations: Vec<Destination<'s, M>>,
    keep: M::Keep,
    /// By slot; constants stand behind, and a 0.
    cells: Vec<Cell<i64>>,
    first_index: usize,
    count_slot: usize,
    /// Stamps of what the event under way has taken, by port.
    taken: Vec<M::Stamp>,
    /// Routing rules that hold for it.
    route_list: Vec<u32>,
    /// What it sends.
    sendings: Vec<Sending>,
}

/// Index numbers as sums: a cell, and what is added to it.
type Sums = [(usize, i64); MAX_NUMBERS];

/// An arc.
struct Destination<'s, M: Instrumentation> {
    way: &'s IndexedWay,
    /// If the template that it leads to has one: by which cells and offsets the index numbers are told, too.
    store: Option<(&'s Store<M>, Sums)>,
}

/// An integer that the event under way sends.
#[derive(Clone, Copy)]
struct Sending {
    /// Position of the destination.
    to: usize,
    number: i64,
    /// Of an entry.
    numbers: Numbers,
}

/// The shard that is locked, one at a time.
struct Open<'s, M: Instrumentation>(Option<(TemplateId, u32, BriefGuard<'s, Shard<M>>)>);

impl<'s, M: Instrumentation> Open<'s, M> {
    #[inline(always)]
    fn shard(&mut self, store: &'s Store<M>, template: TemplateId, shard: u32) -> &mut Shard<M> {
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

    fn close(&mut self) {
        self.0 = None;
    }
}

impl<'s, M: Instrumentation> Matcher<'s, M> {
    fn new<K: ResultOrder, S: Scheduler<Ready<M, K>>>(
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

    /// Runs the body; false where it fails, or panics.
    #[inline(always)]
    fn compute(&self) -> bool {
        let Some(function) = self.function else { return true };
        let Matching { takes, gives, .. } = self.matching;
        let n_done = Cell::new(0);
        let table = IntTable { cells: &self.cells, takes, gives, n_done: &n_done };
        matches!(catch_unwind(AssertUnwindSafe(|| (function.call)(&table, 0..1))), Ok(Ok(())))
    }

    /// Evaluates the routing rules; false where something is out of the ordinary.
    #[inline(always)]
    fn route(&mut self) -> bool {
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
    fn index(&self) -> SmallVec<[i64; MAX_NUMBERS]> {
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

impl<'s, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Worker<'s, '_, M, K, S> {
    /// Serves entries for a turn, if any are to be served now.
    #[inline]
    pub(crate) fn serves_matched(&mut self) -> bool {
        if self.matched.is_empty() && !self.session.offered.take(&mut self.matched) {
            return false;
        }
        self.n_matched_turns = self.n_matched_turns.wrapping_add(1);
        let scheduler = &self.session.scheduler;
        let is_others_turn = self.n_matched_turns.is_multiple_of(TURNS_IN_A_ROW)
            && (scheduler.has_other(&self.local) || scheduler.has_work());
        if !is_others_turn {
            self.serve_matched();
        }
        !is_others_turn
    }

    fn serve_matched(&mut self) {
        let session = self.session;
        let mut open = Open(None);
        let began = Instant::now();
        let mut n_created = 0;
        let mut n_done = 0;
        while n_done < EVENTS_PER_LOOK {
            let has_ended = !M::REPLAYS && session.has_ended.load(Ordering::Relaxed);
            if has_ended || session.is_interrupted() {
                open.close();
                self.leave_matched();
                break;
            }
            let Some(spot) = self.next_spot() else { break };
            let mut matcher = match self.matchers[spot.template.idx()].take() {
                Some(matcher) => matcher,
                None => match Matcher::new(session, spot.template) {
                    Some(matcher) => Box::new(matcher),
                    None => break,
                },
            };
            self.serve_spot(spot, &mut matcher, &mut open, &mut n_created);
            n_done += 1;
            self.matchers[spot.template.idx()] = Some(matcher);
            if self.has_slow_entries {
                open.close();
                self.offer_matched(2);
                let elapsed = began.elapsed();
                self.has_slow_entries = elapsed.as_nanos() > SHORT_BODY_NANOS * n_done as u128;
                if elapsed >= TURN && session.scheduler.has_other(&self.local) {
                    break;
                }
            }
        }
        drop(open);
        if n_created > 0 {
            session.registry.note_created(n_created);
        }
        self.has_slow_entries = began.elapsed().as_nanos() > SHORT_BODY_NANOS * n_done as u128;
        self.offer_matched(if self.has_slow_entries { 2 } else { MANY_SHORT });
    }

    fn next_spot(&mut self) -> Option<Spot> {
        self.n_spots = self.n_spots.wrapping_add(1);
        if self.n_spots.is_multiple_of(EVENTS_PER_OLDER) && !self.matched.is_empty() {
            let position = self.n_spots / EVENTS_PER_OLDER % self.matched.len();
            return Some(self.matched.swap_remove(position));
        }
        self.matched.pop()
    }

    /// Offers half of what is ready to a worker that sleeps, if it is so much.
    fn offer_matched(&mut self, least: usize) {
        if self.matched.len() >= least && self.session.pool.has_sleeper() {
            let n_offered = self.matched.len() / 2;
            self.session.offered.add(self.matched.drain(..n_offered));
            self.session.pool.wake_one();
        }
    }

    /// No further execution starts.
    #[cold]
    fn leave_matched(&mut self) {
        let registry = &self.session.registry;
        while let Some(spot) = self.matched.pop() {
            let Some(store) = registry.store(spot.template) else { continue };
            let mut shard = store.shard(spot.shard);
            if shard.leave(spot) {
                let index = shard.index(spot);
                drop(shard);
                self.make_promoted_ready(spot.template, &index);
            }
        }
    }

    #[cold]
    fn make_promoted_ready(&mut self, template: TemplateId, index: &Index) {
        if let Some(instance) = self.session.registry.promoted(template, index) {
            self.session.make_ready(&mut self.local, instance);
        }
    }

    /// Executes the event of an entry.
    #[inline(always)]
    fn serve_spot(
        &mut self,
        spot: Spot,
        matcher: &mut Matcher<'s, M>,
        open: &mut Open<'s, M>,
        n_created: &mut u64,
    ) {
        let session = self.session;
        let notes = session.instrumentation;
        let Matcher { store, matching, cells, taken, first_index, count_slot, .. } = &mut *matcher;
        taken.clear();
        let shard = open.shard(store, spot.template, spot.shard);
        let begun = shard.take(spot, |port, number, stamp| {
            cells[matching.slots[port]].set(number);
            taken.push(stamp.clone());
        });
        let Some(Begun { action, count, numbers }) = begun else {
            let index = shard.index(spot);
            open.close();
            self.make_promoted_ready(spot.template, &index);
            return;
        };
        if self.has_slow_entries {
            // Nobody is to wait for a body that may take long.
            open.close();
        }
        let id = EventId { action, count };
        for (cell, number) in cells[*first_index..][..matching.n_numbers].iter().zip(numbers.each()) {
            cell.set(number);
        }
        cells[*count_slot].set(count as i64);
        let is_usual = matcher.compute() && matcher.route() && {
            let n_sent = matcher.sendings.len() as u64;
            is_as_told(notes, id, &matcher.taken, &matcher.route_list, n_sent)
        };
        if !is_usual {
            self.serve_generally(spot, matcher, open);
            return;
        }
        let mut light = notes.begin_light(&mut self.notes, &matcher.keep, id, 0);
        matcher.taken.iter().for_each(|stamp| notes.take_light(&mut self.notes, &mut light, stamp));
        matcher.route_list.iter().for_each(|&route| notes.route_light(&mut self.notes, &mut light, route));
        let stamp = notes.stamp_light(&light);
        // It announces the action, once.
        let index = if M::RECORDS && count == 1 { matcher.store.index(numbers) } else { Index::none() };
        let done = Done {
            template: spot.template,
            rule: 0,
            graph: &session.main,
            index: &index,
            routes: &matcher.route_list,
            flow_successors: matcher.sendings.len() as u64,
        };
        notes.end_light(&mut self.notes, light, done);
        self.n_events += 1;
        for sending in &matcher.sendings {
            self.send_matched(matcher, sending, &stamp, open, n_created);
        }
        match open.shard(matcher.store, spot.template, spot.shard).end(spot) {
            Ended::Idle => {}
            Ended::Again => self.matched.push(spot),
            Ended::Promoted => {
                open.close();
                self.make_promoted_ready(spot.template, &matcher.store.index(numbers));
            }
        }
    }

    /// Sends an integer.
    #[inline(always)]
    fn send_matched(
        &mut self,
        matcher: &Matcher<'s, M>,
        &Sending { to, number, numbers }: &Sending,
        stamp: &M::Stamp,
        open: &mut Open<'s, M>,
        n_created: &mut u64,
    ) {
        let (session, destination) = (self.session, &matcher.destinations[to]);
        let way = destination.way;
        let (target, port, stamp) = (way.target, way.port, M::via(stamp, way.arc));
        let Some((store, _)) = destination.store else {
            let (plan, notes) = (session.program.plan, session.instrumentation);
            if let Some(index) = way.index(&matcher.index()) {
                let (target, _) = session.registry.instance(plan, notes, &session.main, target, index);
                self.put_into_inbox(target, (port, number, stamp));
            }
            return;
        };
        let tag = store.tag(numbers);
        let shard = open.shard(store, target, tag.shard);
        let create = || {
            *n_created += 1;
            session.instrumentation.indexed_action_id(target, || store.index(numbers))
        };
        match shard.put(target, &tag, (port, number, stamp), create) {
            Put::Waits => {}
            Put::Ready(spot) => self.matched.push(spot),
            put => self.put_promoted(shard, (target, &store.index(numbers)), (port, number), put),
        }
    }

    /// Leaves the event under way to the general way, which begins it anew.
    #[cold]
    fn serve_generally(&mut self, spot: Spot, matcher: &Matcher<'s, M>, open: &mut Open<'s, M>) {
        let session = self.session;
        let (plan, notes) = (session.program.plan, session.instrumentation);
        let shard = open.shard(matcher.store, spot.template, spot.shard);
        let numbers: Vec<i64> =
            matcher.matching.slots.iter().map(|&slot| matcher.cells[slot].get()).collect();
        let instance = session.registry.return_taken((plan, notes), shard, spot, (&numbers, &matcher.taken));
        session.make_ready(&mut self.local, instance);
    }

    /// Puts an integer for an instance that has, or may have, an entry into the store.
    pub(crate) fn put_into_store(
        &mut self,
        template: TemplateId,
        index: &Index,
        (port, number, stamp): (usize, i64, M::Stamp),
    ) {
        let session = self.session;
        let (registry, notes) = (&session.registry, session.instrumentation);
        let Some(store) = registry.store(template) else { return };
        let tag = store.tag_of(index);
        let mut shard = store.shard(tag.shard);
        let create = || {
            registry.note_created(1);
            notes.indexed_action_id(template, || index.clone())
        };
        match shard.put(template, &tag, (port, number, stamp), create) {
            Put::Waits => {}
            Put::Ready(spot) => self.matched.push(spot),
            put => self.put_promoted(&mut shard, (template, index), (port, number), put),
        }
    }

    /// Gives an integer that the store has not taken to the instance that stands for its entry.
    #[cold]
    fn put_promoted(
        &mut self,
        shard: &mut Shard<M>,
        (template, index): (TemplateId, &Index),
        (port, number): (usize, i64),
        put: Put<M::Stamp>,
    ) {
        let session = self.session;
        let (plan, notes) = (session.program.plan, session.instrumentation);
        let (target, stamp) = match put {
            Put::Full(spot, stamp) => {
                (Some(session.registry.promote((plan, notes), shard, spot, None)), stamp)
            }
            Put::Promoted(stamp) => (session.registry.promoted(template, index), stamp),
            Put::Waits | Put::Ready(_) => return,
        };
        if let Some(target) = target {
            self.put_into_inbox(target, (port, number, stamp));
        }
    }

    fn put_into_inbox(&mut self, target: Ready<M, K>, (port, number, stamp): (usize, i64, M::Stamp)) {
        let mut inbox = target.inbox.lock();
        inbox.put(delivery(port, number, stamp));
        let is_due = inbox.schedule(port_bit(port), self.session.needs(target.template));
        drop(inbox);
        if is_due {
            self.session.make_ready(&mut self.local, target);
        }
    }
}
