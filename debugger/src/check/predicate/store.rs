//! The events that a variable may yet stand for.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use hasse_model::event::{EventRecord, LocalState, Outcome, Timing};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::Access;
use smallvec::SmallVec;

use super::relation::Relation;

use crate::check::log;
use crate::clock::Clock;

/// An event that was delivered.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) id: EventId,
    pub(super) rule: i32,
    pub(super) outcome: Outcome,
    pub(super) timing: Option<Timing>,
    pub(super) local: Option<Box<LocalState>>,
    /// The predecessors that its record lists, ascending, each once.
    pub(super) before: SmallVec<[EventId; 2]>,
    /// Objects that it wrote.
    pub(super) written: SmallVec<[ObjectId; 2]>,
    /// Its place in the order of delivery, from 1.
    pub(super) number: u64,
    /// Slot of its action in the clocks, where it has one.
    pub(super) slot: Option<usize>,
    /// The clock of its past, itself included.
    pub(super) clock: Clock,
}

impl Seen {
    /// What is kept of an event; slot of its action, and the clock of its past, itself included.
    pub(super) fn new(event: &EventRecord, number: u64, slot: Option<usize>, clock: Clock) -> Self {
        let mut before: SmallVec<[EventId; 2]> = log::recorded(event).collect();
        before.sort_unstable();
        before.dedup();
        let written = event.shared.iter().filter(|access| access.access == Access::Write);
        Self {
            id: event.id,
            rule: event.rule,
            outcome: event.outcome,
            timing: event.timing,
            local: event.local.clone(),
            before,
            written: written.map(|access| access.object).collect(),
            number,
            slot,
            clock,
        }
    }

    /// Whether it is in the strict past of another; its action has a slot.
    pub(super) fn is_before(&self, other: &Seen) -> bool {
        let id = self.id;
        match id.action == other.id.action {
            true => id.count < other.id.count,
            false => self.slot.is_some_and(|slot| other.clock.get(slot) >= id.count),
        }
    }

    /// Whether the record of `other` lists it among its predecessors.
    pub(super) fn is_immediately_before(&self, other: &Seen) -> bool {
        other.before.contains(&self.id)
    }

    pub(super) fn is_related(&self, relation: Relation, other: &Seen) -> bool {
        match relation {
            Relation::Immediate => self.is_immediately_before(other),
            Relation::Before => self.is_before(other),
            Relation::Concurrent => self.id != other.id && !self.is_before(other) && !other.is_before(self),
            Relation::Same => self.id == other.id,
        }
    }
}

/// Events of one action, in ascending order.
#[derive(Debug)]
struct Lane {
    action: ActionId,
    events: Vec<Arc<Seen>>,
}

impl Lane {
    fn get(&self, event: EventId) -> Option<&Arc<Seen>> {
        let position = self.events.binary_search_by_key(&event.count, |seen| seen.id.count).ok()?;
        self.events.get(position)
    }

    /// The range of events that are so ordered with one of any variable.
    fn range(&self, is_left: bool, relation: Relation, other: &Seen) -> std::ops::Range<usize> {
        let n_events = self.events.len();
        let n_before = || self.events.partition_point(|seen| seen.is_before(other));
        let n_not_after = || self.events.partition_point(|seen| !other.is_before(seen));
        match relation {
            Relation::Before if is_left => 0..n_before(),
            Relation::Before => n_not_after()..n_events,
            Relation::Concurrent if self.action == other.id.action => 0..0,
            Relation::Concurrent => n_before()..n_not_after(),
            Relation::Immediate | Relation::Same => 0..n_events,
        }
    }
}

/// The events that one variable may yet stand for.
#[derive(Debug, Default)]
pub(super) struct Store {
    lanes: Vec<Lane>,
    lane_of: FxHashMap<ActionId, usize>,
    /// By predecessor, where they are looked for in this way.
    successors: FxHashMap<EventId, Vec<Arc<Seen>>>,
    pub(super) n_events: usize,
    /// Number of events at which it is looked through for those that no longer matter.
    threshold: usize,
}

impl Store {
    /// Takes in the next event that fits the variable.
    pub(super) fn push(&mut self, seen: &Arc<Seen>, keep: Keep, needs_successors: bool) {
        let action = seen.id.action;
        let lane_idx = *self.lane_of.entry(action).or_insert_with(|| {
            self.lanes.push(Lane { action, events: Vec::new() });
            self.lanes.len() - 1
        });
        let events = &mut self.lanes[lane_idx].events;
        match keep {
            Keep::None => return,
            Keep::First if !events.is_empty() => return,
            Keep::Last => events.clear(),
            Keep::First | Keep::All => {}
        }
        events.push(seen.clone());
        self.n_events += 1;
        if needs_successors {
            for &event in &seen.before {
                self.successors.entry(event).or_default().push(seen.clone());
            }
        }
    }

    /// Lets go of events that no longer matter, now and then: a constant cost for each event taken in.
    pub(super) fn prune(&mut self, matters: impl Fn(&Seen) -> bool) {
        const FEWEST: usize = 64;
        if self.n_events < self.threshold.max(FEWEST) {
            return;
        }
        self.lanes.iter_mut().for_each(|lane| lane.events.retain(|seen| matters(seen)));
        self.n_events = self.lanes.iter().map(|lane| lane.events.len()).sum();
        self.threshold = 2 * self.n_events;
    }

    /// The events that are ordered with others as asked, or more of them; in a stable order.
    pub(super) fn candidates<'s>(
        &'s self,
        orders: &[(bool, Relation, &Arc<Seen>)],
        see: &mut dyn FnMut(&'s Arc<Seen>) -> Result<bool, String>,
    ) -> Result<bool, String> {
        let get = |event: EventId| self.lanes.get(*self.lane_of.get(&event.action)?)?.get(event);
        let direct = |wanted: (bool, Relation)| {
            orders.iter().find(|&&(is_left, relation, _)| (is_left, relation) == wanted).map(|order| order.2)
        };
        if let Some(other) = direct((true, Relation::Same)).or(direct((false, Relation::Same))) {
            return get(other.id).map_or(Ok(false), see);
        }
        if let Some(later) = direct((true, Relation::Immediate)) {
            for seen in later.before.iter().filter_map(|&event| get(event)) {
                if see(seen)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if let Some(earlier) = direct((false, Relation::Immediate)) {
            for seen in self.successors.get(&earlier.id).into_iter().flatten() {
                if see(seen)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        for lane in &self.lanes {
            let (mut start, mut end) = (0, lane.events.len());
            for &(is_left, relation, other) in orders {
                let range = lane.range(is_left, relation, other);
                (start, end) = (start.max(range.start), end.min(range.end));
            }
            for seen in lane.events.get(start..end).into_iter().flatten() {
                if see(seen)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Which events of an action matter for a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// None: it is never looked for when another event has come.
    None,
    /// The first: the variable is asked for something before other events only.
    First,
    /// The last: something behind other events only.
    Last,
    All,
}
