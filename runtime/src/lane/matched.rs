//! Serving entries of the matching store: all partners of an event have come, and there is nothing to it but what they are.

use std::sync::atomic::Ordering;
use std::time::Instant;

use hasse_model::id::{EventId, Index, TemplateId};

use super::follow::is_as_told;
use super::{EVENTS_PER_LOOK, SHORT_BODY_NANOS};
use crate::brief::BriefGuard;
use crate::instance::port_bit;
use crate::instrumentation::{Done, Instrumentation, ResultOrder};
use crate::matching::{Begun, Ended, Put, Shard, Spot, Store, delivery};
use crate::scheduler::Scheduler;
use crate::worker::{Ready, TURN, Worker};
use matcher::{Matcher, Sending};

/// What computes and routes.
mod matcher;

/// Another spot than the newest one, whose data are warm, is served once in so many events: each has its turn. To change the place
/// more often would make records larger: what is next to each other is alike.
const EVENTS_PER_OLDER: usize = 4096;
/// What is ready is worth to be offered to a worker that sleeps if it is as many short events as this.
const MANY_SHORT: usize = 64;
/// Other instances have a turn behind so many of entries.
const TURNS_IN_A_ROW: u32 = 4;

/// Entries that are to be served, and what a worker keeps for them.
pub(crate) struct Matches<'s, M: Instrumentation> {
    pub(super) ready: Vec<Spot>,
    /// By template.
    matchers: Vec<Option<Box<Matcher<'s, M>>>>,
    /// How many have been served, and in how many turns; both go round.
    n_spots: usize,
    n_turns: u32,
    /// Whether their events take long.
    are_slow: bool,
}

impl<M: Instrumentation> Matches<'_, M> {
    pub(crate) fn new(n_templates: usize) -> Self {
        let matchers = (0..n_templates).map(|_| None).collect();
        Self { ready: Vec::new(), matchers, n_spots: 0, n_turns: 0, are_slow: true }
    }

    /// Whether any is to be served.
    pub(crate) fn is_any(&self) -> bool {
        !self.ready.is_empty()
    }

    fn next(&mut self) -> Option<Spot> {
        self.n_spots = self.n_spots.wrapping_add(1);
        if self.n_spots.is_multiple_of(EVENTS_PER_OLDER) && !self.ready.is_empty() {
            let position = self.n_spots / EVENTS_PER_OLDER % self.ready.len();
            return Some(self.ready.swap_remove(position));
        }
        self.ready.pop()
    }
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

impl<'s, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Worker<'s, '_, M, K, S> {
    /// Serves entries for a turn, if any are to be served now.
    #[inline]
    pub(crate) fn serves_matched(&mut self) -> bool {
        if self.matches.ready.is_empty() && !self.session.offered.take(&mut self.matches.ready) {
            return false;
        }
        self.matches.n_turns = self.matches.n_turns.wrapping_add(1);
        let scheduler = &self.session.scheduler;
        let is_others_turn = self.matches.n_turns.is_multiple_of(TURNS_IN_A_ROW)
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
        let mut held = None;
        let mut n_done = 0;
        while n_done < EVENTS_PER_LOOK {
            let has_ended = !M::REPLAYS && session.has_ended.load(Ordering::Relaxed);
            if has_ended || session.is_interrupted() {
                open.close();
                self.leave_matched();
                break;
            }
            let Some(spot) = self.matches.next() else { break };
            if held.as_ref().is_none_or(|(template, _)| *template != spot.template) {
                self.put_away(held.take());
                held = self.matcher(spot.template);
            }
            let Some((_, matcher)) = &mut held else { break };
            self.serve_spot(spot, matcher, &mut open, &mut n_created);
            n_done += 1;
            if self.matches.are_slow {
                open.close();
                self.offer_matched(2);
                let elapsed = began.elapsed();
                self.matches.are_slow = elapsed.as_nanos() > SHORT_BODY_NANOS * n_done as u128;
                if elapsed >= TURN && session.scheduler.has_other(&self.local) {
                    break;
                }
            }
        }
        drop(open);
        self.put_away(held);
        if n_created > 0 {
            session.registry.note_entries(n_created);
        }
        self.matches.are_slow = began.elapsed().as_nanos() > SHORT_BODY_NANOS * n_done as u128;
        self.offer_matched(if self.matches.are_slow { 2 } else { MANY_SHORT });
    }

    fn matcher(&mut self, template: TemplateId) -> Option<(TemplateId, Box<Matcher<'s, M>>)> {
        let known = self.matches.matchers[template.idx()].take();
        let matcher = known.or_else(|| Matcher::new(self.session, template).map(Box::new))?;
        Some((template, matcher))
    }

    fn put_away(&mut self, held: Option<(TemplateId, Box<Matcher<'s, M>>)>) {
        if let Some((template, matcher)) = held {
            self.matches.matchers[template.idx()] = Some(matcher);
        }
    }

    /// Offers half of what is ready to a worker that sleeps, if it is so much.
    fn offer_matched(&mut self, least: usize) {
        if self.matches.ready.len() >= least && self.session.pool.has_sleeper() {
            let n_offered = self.matches.ready.len() / 2;
            self.session.offered.add(self.matches.ready.drain(..n_offered));
            self.session.pool.wake_one();
        }
    }

    /// No further execution starts.
    #[cold]
    fn leave_matched(&mut self) {
        let registry = &self.session.registry;
        while let Some(spot) = self.matches.ready.pop() {
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
        let shard = open.shard(matcher.store, spot.template, spot.shard);
        let begun = matcher.begin(shard, spot);
        let Some(Begun { action, count, numbers }) = begun else {
            let index = shard.index(spot);
            open.close();
            self.make_promoted_ready(spot.template, &index);
            return;
        };
        if self.matches.are_slow {
            // Nobody is to wait for a body that may take long.
            open.close();
        }
        let id = EventId { action, count };
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
            Ended::Again => self.matches.ready.push(spot),
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
            Put::Ready(spot) => self.matches.ready.push(spot),
            put => self.put_promoted(shard, (target, &store.index(numbers)), (port, number), put),
        }
    }

    /// Leaves the event under way to the general way, which begins it anew.
    #[cold]
    fn serve_generally(&mut self, spot: Spot, matcher: &Matcher<'s, M>, open: &mut Open<'s, M>) {
        let session = self.session;
        let (plan, notes) = (session.program.plan, session.instrumentation);
        let shard = open.shard(matcher.store, spot.template, spot.shard);
        let numbers = matcher.numbers_taken();
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
            registry.note_entries(1);
            notes.indexed_action_id(template, || index.clone())
        };
        match shard.put(template, &tag, (port, number, stamp), create) {
            Put::Waits => {}
            Put::Ready(spot) => self.matches.ready.push(spot),
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
