//! Lists of predecessors: sets of events with at most one of each action, the most recent one.

use std::sync::Arc;

use hasse_model::id::EventId;

/// Events, ascending; at most one of each action. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum EventList {
    #[default]
    Empty,
    One(EventId),
    Many(Arc<[EventId]>),
}

impl EventList {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[EventId] {
        match self {
            EventList::Empty => &[],
            EventList::One(event) => std::slice::from_ref(event),
            EventList::Many(events) => events,
        }
    }

    /// Whether two lists are known to be equal, without a look at every event.
    #[inline]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (EventList::Empty, EventList::Empty) => true,
            (EventList::One(event), EventList::One(other)) => event == other,
            (EventList::Many(events), EventList::Many(others)) => Arc::ptr_eq(events, others),
            _ => false,
        }
    }

    /// Whether it is the union of both. Cost: for each event of `other`, logarithmic in this list.
    #[inline]
    fn covers(&self, other: &Self) -> bool {
        if let (EventList::Many(own), EventList::Many(others)) = (self, other)
            && Arc::ptr_eq(own, others)
        {
            return true;
        }
        let (mut own, others) = (self.as_slice(), other.as_slice());
        others.len() <= own.len()
            && others.iter().all(|event| {
                own = &own[own.partition_point(|known| known.action < event.action)..];
                own.first().is_some_and(|known| known.action == event.action && known.count >= event.count)
            })
    }
}

/// Room for this many events beyond twice the last union, before the next one is made.
const SLACK: usize = 32;

/// A union of lists under way. A list that holds all others is shared, not copied. Cost: of a union of lists with
/// n events in all, O(n log n) time; memory at most about twice the union.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    /// The list that holds all others so far; moved to `events` when there is none any more.
    alone: EventList,
    events: Vec<EventId>,
    /// Length of `events` behind the last union.
    n_united: usize,
}

impl Gather {
    #[inline]
    pub(crate) fn of(list: EventList) -> Self {
        Self { alone: list, ..Self::default() }
    }

    #[inline]
    pub(crate) fn add(&mut self, list: &EventList) {
        if self.events.is_empty() {
            if self.alone.covers(list) {
                return;
            }
            if list.covers(&self.alone) {
                self.alone = list.clone();
                return;
            }
            self.events.extend_from_slice(self.alone.as_slice());
            self.alone = EventList::Empty;
            self.n_united = self.events.len();
        }
        self.events.extend_from_slice(list.as_slice());
        if self.events.len() > 2 * self.n_united + SLACK {
            self.unite();
        }
    }

    /// Adds what another one has gathered.
    #[inline]
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.add(&other.alone);
        if !other.events.is_empty() {
            self.events.extend_from_slice(self.alone.as_slice());
            self.alone = EventList::Empty;
            self.events.extend_from_slice(&other.events);
        }
    }

    /// The union.
    #[inline]
    pub(crate) fn finish(mut self) -> EventList {
        self.unite();
        match self.events[..] {
            [] => self.alone,
            [event] => EventList::One(event),
            _ => EventList::Many(self.events.into()),
        }
    }

    /// Forgets everything; keeps its memory.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.alone = EventList::Empty;
        self.events.clear();
        self.n_united = 0;
    }

    fn unite(&mut self) {
        self.events.sort_unstable();
        self.events.dedup_by(|later, kept| {
            let is_same_action = later.action == kept.action;
            if is_same_action {
                *kept = *later;
            }
            is_same_action
        });
        self.n_united = self.events.len();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hasse_model::id::ActionId;
    use proptest::prelude::*;

    use super::*;

    fn list(events: &[(u32, u64)]) -> EventList {
        let most_recent: BTreeMap<u32, u64> =
            events.iter().fold(BTreeMap::new(), |mut known, &(action, count)| {
                let held = known.entry(action).or_insert(count);
                *held = count.max(*held);
                known
            });
        let events: Vec<_> = most_recent
            .into_iter()
            .map(|(action, count)| EventId { action: ActionId(action), count })
            .collect();
        match events[..] {
            [] => EventList::Empty,
            [event] => EventList::One(event),
            _ => EventList::Many(events.into()),
        }
    }

    proptest! {
        #[test]
        fn a_union_holds_the_most_recent_event_of_each_action(
            lists in prop::collection::vec(prop::collection::vec((0_u32..20, 1_u64..9), 0..12), 0..12),
            split in 0_usize..12,
        ) {
            let (mut left, mut right) = (Gather::default(), Gather::default());
            for (place, events) in lists.iter().enumerate() {
                if place < split { &mut left } else { &mut right }.add(&list(events));
            }
            left.add_all(&right);
            let all: Vec<_> = lists.concat();
            prop_assert_eq!(left.finish(), list(&all));
        }
    }

    #[test]
    fn a_list_that_holds_all_others_is_not_copied() {
        let all = list(&[(1, 3), (2, 1), (5, 2)]);
        let mut gather = Gather::default();
        for part in
            [list(&[]), list(&[(1, 2)]), list(&[(1, 3), (5, 1)]), all.clone(), list(&[(2, 1), (5, 2)])]
        {
            gather.add(&part);
        }
        let (EventList::Many(found), EventList::Many(all)) = (gather.finish(), all) else {
            panic!("both have several events")
        };
        assert!(Arc::ptr_eq(&found, &all));
    }
}
