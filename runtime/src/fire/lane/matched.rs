//! Serving entries of the matching store: all partners of an event have come, and there is nothing to it but what they are.

use std::time::Instant;

use hasse_model::id::{Index, TemplateId};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::spare::SpareIds;
use hasse_runtime_plan::entries::ROWS;
use hasse_runtime_plan::ports::port_bit;
use hasse_store::instance::Ready;
use hasse_store::matching::Put;
use hasse_store::matching::promote::delivery;
use hasse_store::matching::shard::Shard;

use crate::fire::lane::clock::{EVENTS_PER_LOOK, SHORT_BODY_NANOS};
use crate::fire::lane::matched::matcher::{Matcher, Open};
use crate::fire::lane::matched::matches::Matches;
use crate::fire::worker::{TURN, Worker};

/// What computes and routes.
pub(crate) mod matcher;
/// Entries of the matching store that a worker is to serve.
pub(crate) mod matches;
/// Many events at a time.
pub(crate) mod rows;

/// Another spot than the newest ones, whose data are warm, is served once in so many rounds: each has its turn. To change the place
/// more often would make records larger: what is next to each other is alike.
const ROUNDS_PER_OLDER: usize = 64;
/// What is ready is worth to be offered to a worker that sleeps if its short events take this long together: to wake somebody, and
/// to share blocks of entries with him, costs about as much.
const WORTH_NANOS: u128 = 100_000;
/// A worker that is alone keeps nobody waiting at a lock, and serves events side by side that take no longer than this on the
/// average. In what order it serves them then hardly depends on the clock, so that a replay comes to them as the record tells them.
const SHORT_ALONE_NANOS: u128 = 20_000;
/// Other instances have a turn behind so many of entries.
const TURNS_IN_A_ROW: u32 = 4;

impl<M: Instrumentation> Matches<'_, M> {
    pub(crate) fn new(n_templates: usize) -> Self {
        let matchers = (0..n_templates).map(|_| None).collect();
        Self {
            ready: Vec::new(),
            matchers,
            n_rounds: 0,
            n_turns: 0,
            are_slow: true,
            last_nanos: u128::MAX,
            spare: SpareIds::default(),
        }
    }

    /// Whether any is to be served.
    pub(crate) fn is_any(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The template of the entries that are to be served next, and how many of the newest ones are.
    #[inline]
    fn next(&mut self) -> Option<(TemplateId, usize)> {
        let (newest, n_ready) = (self.ready.len().checked_sub(1)?, self.ready.len());
        self.n_rounds = self.n_rounds.wrapping_add(1);
        if self.n_rounds.is_multiple_of(ROUNDS_PER_OLDER) {
            self.ready.swap(self.n_rounds / ROUNDS_PER_OLDER % n_ready, newest);
        }
        let template = self.ready[newest].template;
        let most = if self.are_slow { 1 } else { ROWS.min(n_ready) };
        let others = self.ready[n_ready - most..].iter().rposition(|spot| spot.template != template);
        Some((template, others.map_or(most, |other| most - 1 - other)))
    }
}

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// Serves entries for a turn, if any are to be served now.
    #[inline]
    pub(crate) fn serves_matched(&mut self) -> bool {
        if self.matches.ready.is_empty() && !self.session.offered.take(&mut self.matches.ready) {
            return false;
        }
        self.matches.n_turns = self.matches.n_turns.wrapping_add(1);
        let session = self.session;
        let is_others_turn = self.matches.n_turns.is_multiple_of(TURNS_IN_A_ROW)
            && (session.has_other(&self.local) || session.has_work());
        if !is_others_turn {
            self.serve_matched();
        }
        !is_others_turn
    }

    fn serve_matched(&mut self) {
        let session = self.session;
        let mut open = Open(None);
        let began = Instant::now();
        let short_nanos = match session.pool.n_workers() {
            1 => SHORT_ALONE_NANOS,
            _ => SHORT_BODY_NANOS,
        };
        let mut n_created = 0;
        let mut held = None;
        let mut n_done = 0;
        while n_done < EVENTS_PER_LOOK {
            if session.begins_no_more() || session.is_interrupted() {
                open.close();
                self.leave_matched();
                break;
            }
            let Some((template, n_spots)) = self.matches.next() else { break };
            if held.as_ref().is_none_or(|(known, _)| *known != template) {
                self.put_away(held.take());
                held = self.matcher(template);
            }
            let Some((_, matcher)) = &mut held else { break };
            if self.matches.are_slow {
                match M::NOTES_CHOICES {
                    // Only what is held is interrupted for a cut, and a body may never end.
                    true => session.instrumentation.hold(&mut self.notes),
                    false => session.instrumentation.lay_down(&mut self.notes),
                }
            }
            self.serve_spots((template, n_spots), matcher, &mut open, &mut n_created);
            n_done += n_spots;
            if self.matches.are_slow {
                open.close();
                self.offer_matched(2);
                let elapsed = began.elapsed();
                self.matches.are_slow = elapsed.as_nanos() > short_nanos * n_done as u128;
                if elapsed >= TURN && session.has_other(&self.local) {
                    break;
                }
            }
        }
        drop(open);
        self.put_away(held);
        session.instrumentation.give_back_ids(&mut self.matches.spare);
        if n_created > 0 {
            session.registry.note_entries(n_created);
        }
        // One slow turn says nothing of the bodies: the worker may have waited for something else.
        let nanos = began.elapsed().as_nanos() / n_done.max(1) as u128;
        let usual = nanos.min(self.matches.last_nanos);
        self.matches.last_nanos = nanos;
        self.matches.are_slow = usual > short_nanos;
        let n_worth = (WORTH_NANOS / usual.max(1)) as usize;
        self.offer_matched(if self.matches.are_slow { 2 } else { n_worth.max(2) });
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

    fn put_into_inbox(&mut self, target: Ready<M>, (port, number, stamp): (usize, i64, M::Stamp)) {
        let mut inbox = target.inbox.lock();
        inbox.put(delivery(port, number, stamp));
        let is_due = inbox.schedule(port_bit(port), self.session.needs(target.template));
        drop(inbox);
        if is_due {
            self.session.make_ready(&mut self.local, target);
        }
    }
}
