//! The moments of a record: its events in causal order, of which each prefix is a consistent cut.
//!
//! A moment has the number of events before it as its position, from 0, where nothing has happened, to the number of events of the
//! record. The order is that in which [`Feed`] delivers, which is the same each time the record is read.

/// The beginning of a record.
mod prefix;

use std::collections::BTreeSet;

pub use prefix::prefix;

use hasse_model::event::EventBatch;
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::Access;
use hasse_model::snapshot::Cut;
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

use crate::read::{Feed, ReadError};

/// The events of a record in causal order. About 28 bytes for each stretch of events of one action.
#[derive(Debug, Default)]
pub struct Moments {
    stretches: Vec<Stretch>,
    n_events: u64,
    /// Positions in `stretches` of each action's, ascending.
    by_action: FxHashMap<ActionId, Vec<u32>>,
    /// Each action with the number of its events, in the order of their first ones.
    actions: Vec<(ActionId, u64)>,
    /// Objects that were written.
    written: BTreeSet<ObjectId>,
}

/// Events of one action in a row.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// The first one.
    first: EventId,
    /// Number of events before it.
    n_before: u64,
}

impl Moments {
    /// Puts the events of a record in order. Returns what it names, too.
    ///
    /// # Errors
    /// The record contradicts itself.
    pub fn of(names: Names, batches: &[EventBatch]) -> Result<(Self, Names), ReadError> {
        let mut moments = Self::default();
        let mut feed = Feed::new(names);
        for batch in batches {
            feed.lend(batch, &mut |event, _| {
                moments.add(event.id);
                for access in event.shared.iter().filter(|access| access.access == Access::Write) {
                    moments.written.insert(access.object);
                }
            })?;
        }
        moments.actions = moments.counts();
        Ok((moments, feed.finish().names))
    }

    fn add(&mut self, id: EventId) {
        let goes_on = self.stretches.last().is_some_and(|last| {
            last.first.action == id.action && last.first.count + (self.n_events - last.n_before) == id.count
        });
        if !goes_on {
            let of_action = self.by_action.entry(id.action).or_default();
            of_action.push(u32::try_from(self.stretches.len()).unwrap_or(u32::MAX));
            self.stretches.push(Stretch { first: id, n_before: self.n_events });
        }
        self.n_events += 1;
    }

    fn counts(&self) -> Vec<(ActionId, u64)> {
        let is_first = |(at, stretch): &(usize, &Stretch)| {
            self.by_action[&stretch.first.action].first().is_some_and(|first| *first as usize == *at)
        };
        let firsts = self.stretches.iter().enumerate().filter(is_first);
        firsts.map(|(_, stretch)| (stretch.first.action, self.n_of(stretch.first.action))).collect()
    }

    /// Number of events, and the position of the last moment.
    pub fn n_events(&self) -> u64 {
        self.n_events
    }

    /// The actions that have executed, each with the number of its events, in the order of their first ones.
    pub fn actions(&self) -> &[(ActionId, u64)] {
        &self.actions
    }

    /// The event that leads to a moment: the last one before it. `None` for the first moment. Time: logarithmic.
    pub fn event_before(&self, position: u64) -> Option<EventId> {
        let last = position.min(self.n_events).checked_sub(1)?;
        let at = self.stretches.partition_point(|stretch| stretch.n_before <= last).checked_sub(1)?;
        let Stretch { first, n_before } = self.stretches[at];
        Some(EventId { count: first.count + (last - n_before), ..first })
    }

    /// The moment after an event; `None` where the record does not have it. Time: logarithmic.
    pub fn after(&self, event: EventId) -> Option<u64> {
        let of_action = self.by_action.get(&event.action)?;
        let has_begun = |at: &u32| self.stretches[*at as usize].first.count <= event.count;
        let at = *of_action.get(of_action.partition_point(has_begun).checked_sub(1)?)? as usize;
        let Stretch { first, n_before } = self.stretches[at];
        let end = self.stretches.get(at + 1).map_or(self.n_events, |next| next.n_before);
        let position = n_before + (event.count - first.count) + 1;
        (position <= end).then_some(position)
    }

    /// Number of executions of an action in the record.
    pub fn n_of(&self, action: ActionId) -> u64 {
        let last = self.by_action.get(&action).and_then(|of_action| of_action.last());
        last.map_or(0, |&at| {
            let Stretch { first, n_before } = self.stretches[at as usize];
            let end = self.stretches.get(at as usize + 1).map_or(self.n_events, |next| next.n_before);
            first.count + (end - n_before) - 1
        })
    }

    /// Number of executions of an action before a moment. Time: logarithmic.
    pub fn n_of_before(&self, action: ActionId, position: u64) -> u64 {
        let Some(of_action) = self.by_action.get(&action) else { return 0 };
        let has_begun = |at: &u32| self.stretches[*at as usize].n_before < position;
        let Some(last) = of_action.partition_point(has_begun).checked_sub(1) else { return 0 };
        let at = of_action[last] as usize;
        let Stretch { first, n_before } = self.stretches[at];
        let end = self.stretches.get(at + 1).map_or(self.n_events, |next| next.n_before).min(position);
        first.count + (end - n_before) - 1
    }

    /// The cut of a moment. Time: linear in the actions, but for a logarithm.
    pub fn cut(&self, position: u64) -> Cut {
        let of_action = |(action, _): &(ActionId, u64)| {
            let count = self.n_of_before(*action, position);
            (count > 0).then_some(EventId { action: *action, count })
        };
        Cut::after(self.actions.iter().filter_map(of_action))
    }

    /// The events between two moments, in order, as stretches of events of one action: the first event of each, and their number.
    /// Time: linear in the stretches, but for a logarithm.
    pub fn between(&self, from: u64, to: u64) -> impl Iterator<Item = (EventId, u64)> + '_ {
        let to = to.min(self.n_events);
        let begins = self.stretches.partition_point(|stretch| stretch.n_before <= from).saturating_sub(1);
        let stretches = self.stretches[begins..].iter().enumerate();
        stretches.take_while(move |(_, stretch)| stretch.n_before < to).filter_map(move |(at, stretch)| {
            let end = self.stretches.get(begins + at + 1).map_or(self.n_events, |next| next.n_before).min(to);
            let first = stretch.n_before.max(from);
            let count = stretch.first.count + (first - stretch.n_before);
            (first < end).then_some((EventId { count, ..stretch.first }, end - first))
        })
    }

    /// Objects that were written, ascending by id.
    pub fn written_objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.written.iter().copied()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use hasse_model::event::EventRecord;
    use proptest::prelude::*;

    fn id(action: u32, count: u64) -> EventId {
        EventId { action: ActionId(action), count }
    }

    /// Moments of events of which each one is given by its action.
    fn moments(order: &[u32]) -> (Moments, Vec<EventId>) {
        let mut counts = FxHashMap::default();
        let events: Vec<EventId> = order
            .iter()
            .map(|&action| {
                let count = counts.entry(action).or_insert(0);
                *count += 1;
                id(action, *count)
            })
            .collect();
        let mut batch = EventBatch::default();
        events.iter().for_each(|event| batch.push(&mut EventRecord::new(*event)));
        (Moments::of(Names::default(), &[batch]).unwrap().0, events)
    }

    proptest! {
        /// All questions agree with the list of events.
        #[test]
        fn moments_are_the_prefixes_of_the_order(order in prop::collection::vec(0_u32..4, 0..40)) {
            let (moments, events) = moments(&order);
            prop_assert_eq!(moments.n_events(), events.len() as u64);
            for position in 0..=events.len() {
                let before = &events[..position];
                prop_assert_eq!(moments.event_before(position as u64), before.last().copied());
                let cut = moments.cut(position as u64);
                prop_assert_eq!(cut.n_events(), position as u64);
                for action in 0..4 {
                    let n_of = before.iter().filter(|event| event.action.0 == action).count() as u64;
                    prop_assert_eq!(cut.count(ActionId(action)), n_of);
                    prop_assert_eq!(moments.n_of_before(ActionId(action), position as u64), n_of);
                }
            }
            for (from, to) in (0..=events.len()).flat_map(|from| (from..=events.len()).map(move |to| (from, to))) {
                let between: Vec<EventId> = moments
                    .between(from as u64, to as u64)
                    .flat_map(|(first, n)| (0..n).map(move |step| EventId { count: first.count + step, ..first }))
                    .collect();
                prop_assert_eq!(&between[..], &events[from..to]);
            }
            for (at, event) in events.iter().enumerate() {
                prop_assert_eq!(moments.after(*event), Some(at as u64 + 1));
            }
            for action in 0..4 {
                let n_of = events.iter().filter(|event| event.action.0 == action).count() as u64;
                prop_assert_eq!(moments.n_of(ActionId(action)), n_of);
                prop_assert_eq!(moments.after(id(action, n_of + 1)), None);
                prop_assert_eq!(moments.after(id(action, 0)), None);
            }
        }
    }
}
