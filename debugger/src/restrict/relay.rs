//! Relay lists: sets of events with at most one event an action, the most recent.

use std::sync::Arc;

use hasse_model::id::EventId;

/// Events in ascending order, at most one an action. Copies share memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RelayList(Option<Arc<Vec<EventId>>>);

impl RelayList {
    /// The list of one event.
    pub(super) fn of(event: EventId) -> Self {
        Self(Some(Arc::new(vec![event])))
    }

    /// The events.
    pub(super) fn events(&self) -> &[EventId] {
        self.0.as_ref().map_or(&[], |events| events.as_slice())
    }

    /// Adds an event, in place of an earlier one of its action.
    pub(super) fn add(&mut self, event: EventId) {
        match self.events().binary_search_by_key(&event.action, |known| known.action) {
            Ok(at) if self.events()[at].count >= event.count => {}
            Ok(at) => Arc::make_mut(self.0.get_or_insert_default())[at] = event,
            Err(at) => Arc::make_mut(self.0.get_or_insert_default()).insert(at, event),
        }
    }

    /// Adds all events of another list. Where one of the two has nothing to add, no memory is written.
    pub(super) fn merge(&mut self, other: Self) {
        let (Some(own), Some(others)) = (&self.0, &other.0) else {
            if self.0.is_none() {
                *self = other;
            }
            return;
        };
        if Arc::ptr_eq(own, others) || holds_all(own, others) {
            return;
        }
        if holds_all(others, own) {
            *self = other;
            return;
        }
        self.0 = Some(Arc::new(union(own, others)));
    }
}

/// Whether each event is in the list, or a later one of its action is.
fn holds_all(list: &[EventId], events: &[EventId]) -> bool {
    let mut rest = list.iter();
    events.len() <= list.len()
        && events.iter().all(|event| {
            rest.find(|known| known.action >= event.action)
                .is_some_and(|known| known.action == event.action && known.count >= event.count)
        })
}

fn union(one: &[EventId], other: &[EventId]) -> Vec<EventId> {
    let mut union = Vec::with_capacity(one.len() + other.len());
    let (mut ones, mut others) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(&&first), Some(&&second)) = (ones.peek(), others.peek()) {
        union.push(if first.action == second.action { first.max(second) } else { first.min(second) });
        ones.next_if(|event| event.action <= second.action);
        others.next_if(|event| event.action <= first.action);
    }
    union.extend(ones);
    union.extend(others);
    union.shrink_to_fit();
    union
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use hasse_model::id::ActionId;

    fn list(events: &[(u32, u64)]) -> RelayList {
        let mut list = RelayList::default();
        events.iter().for_each(|&(action, count)| list.add(EventId { action: ActionId(action), count }));
        list
    }

    fn pairs(list: &RelayList) -> Vec<(u32, u64)> {
        list.events().iter().map(|event| (event.action.0, event.count)).collect()
    }

    fn expected<'a>(events: impl Iterator<Item = &'a (u32, u64)>) -> Vec<(u32, u64)> {
        let mut latest = BTreeMap::new();
        for &(action, count) in events {
            let known = latest.entry(action).or_insert(count);
            *known = count.max(*known);
        }
        latest.into_iter().collect()
    }

    proptest! {
        #[test]
        fn merging_is_a_union_in_which_the_most_recent_wins(
            one in prop::collection::vec((0..9_u32, 1..5_u64), 0..9),
            other in prop::collection::vec((0..9_u32, 1..5_u64), 0..9),
        ) {
            let (mut merged, second) = (list(&one), list(&other));
            prop_assert_eq!(pairs(&merged), expected(one.iter()));
            merged.merge(second.clone());
            prop_assert_eq!(pairs(&merged), expected(one.iter().chain(&other)));
            let before = merged.clone();
            merged.merge(second);
            let shares = match (&before.0, &merged.0) {
                (Some(before), Some(after)) => Arc::ptr_eq(before, after),
                (before, after) => before.is_none() && after.is_none(),
            };
            prop_assert!(shares, "merging again writes nothing");
        }
    }
}
