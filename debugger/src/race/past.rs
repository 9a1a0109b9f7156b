//! What is before an event: for each chain the last event of it that is.
//!
//! A chain is a sequence of events each of which is before the next, so that one entry tells of all of a chain's
//! events whether they are in the past. This is a vector clock (Mattern 1989) whose slots stand for chains instead
//! of actions, and that has only the slots that hold something: chains come as events do (dynamic vector clocks,
//! Hyder 1994, section 8.1.1), and a past without a chain costs nothing for it. An entry names its event, so that a
//! report can.

use std::cmp::Ordering;
use std::sync::Arc;

use hasse_model::id::{ActionId, EventId};

/// The place of an event in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Position of the chain.
    pub(super) chain: u32,
    /// The event's action.
    pub(super) action: ActionId,
    /// Which of the action's executions it is.
    pub(super) count: u64,
    /// Number of the event in the order of delivery, from 1: rises along a chain, as delivery is causal.
    pub(super) number: u64,
}

impl Mark {
    /// The event.
    pub(super) fn event(&self) -> EventId {
        EventId { action: self.action, count: self.count }
    }
}

/// For each chain the last event of it that is in the past, ascending by chain. Copies share memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    marks: Option<Arc<Vec<Mark>>>,
    /// Whether a race is in the past: both its events.
    pub(super) has_race: bool,
}

impl Past {
    /// Whether the event at this place is in the past.
    pub(super) fn has(&self, mark: &Mark) -> bool {
        self.last(mark.chain).is_some_and(|last| last.number >= mark.number)
    }

    /// The last event of a chain.
    pub(super) fn last(&self, chain: u32) -> Option<&Mark> {
        let marks = self.marks();
        marks.binary_search_by_key(&chain, |mark| mark.chain).ok().map(|at| &marks[at])
    }

    /// The last event of each chain, ascending by chain.
    pub(super) fn marks(&self) -> &[Mark] {
        self.marks.as_ref().map_or(&[], |marks| marks.as_slice())
    }

    /// Takes in an event. It is younger than all that are known of its chain.
    pub(super) fn add(&mut self, mark: Mark) {
        let marks = Arc::make_mut(self.marks.get_or_insert_default());
        match marks.binary_search_by_key(&mark.chain, |known| known.chain) {
            Ok(at) => marks[at] = mark,
            Err(at) => marks.insert(at, mark),
        }
    }

    /// Takes in another past. Where one of the two holds the other, no memory is written. Cost: linear in the
    /// entries of both.
    pub(super) fn merge(&mut self, other: &Past) {
        self.has_race |= other.has_race;
        let (Some(own), Some(others)) = (&self.marks, &other.marks) else {
            if self.marks.is_none() {
                self.marks.clone_from(&other.marks);
            }
            return;
        };
        if Arc::ptr_eq(own, others) {
            return;
        }
        match compare(own, others) {
            (true, _) => {}
            (false, true) => self.marks.clone_from(&other.marks),
            (false, false) => self.marks = Some(Arc::new(merged(own, others))),
        }
    }

    /// The youngest event that is in both pasts, among those in chains. Nothing that is in a chain and in both
    /// comes after it: that would have been delivered later.
    pub(super) fn last_common(&self, other: &Past) -> Option<EventId> {
        let common = |own: &Mark| {
            let theirs = other.last(own.chain)?;
            Some(if own.number <= theirs.number { *own } else { *theirs })
        };
        self.marks().iter().filter_map(common).max_by_key(|mark| mark.number).map(|mark| mark.event())
    }
}

/// Whether the first has every event that the second has, and the other way round.
fn compare(own: &[Mark], others: &[Mark]) -> (bool, bool) {
    let (mut own_holds, mut others_hold) = (own.len() >= others.len(), others.len() >= own.len());
    let (mut own, mut others) = (own.iter().peekable(), others.iter().peekable());
    while let (Some(mine), Some(theirs)) = (own.peek(), others.peek()) {
        if !own_holds && !others_hold {
            return (false, false);
        }
        let order = mine.chain.cmp(&theirs.chain);
        own_holds &= order.is_lt() || order.is_eq() && mine.number >= theirs.number;
        others_hold &= order.is_gt() || order.is_eq() && theirs.number >= mine.number;
        if order.is_le() {
            own.next();
        }
        if order.is_ge() {
            others.next();
        }
    }
    (own_holds && others.peek().is_none(), others_hold && own.peek().is_none())
}

fn merged(own: &[Mark], others: &[Mark]) -> Vec<Mark> {
    let mut marks = Vec::with_capacity(own.len().max(others.len()));
    let (mut own, mut others) = (own.iter().peekable(), others.iter().peekable());
    while let (Some(&mine), Some(&theirs)) = (own.peek(), others.peek()) {
        let order = mine.chain.cmp(&theirs.chain);
        marks.push(match order {
            Ordering::Less => *mine,
            Ordering::Greater => *theirs,
            Ordering::Equal => *if mine.number >= theirs.number { mine } else { theirs },
        });
        if order.is_le() {
            own.next();
        }
        if order.is_ge() {
            others.next();
        }
    }
    marks.extend(own.chain(others));
    marks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::btree_map;
    use proptest::prelude::*;

    use super::*;

    fn past(numbers: &BTreeMap<u32, u64>) -> Past {
        let mut past = Past::default();
        for (&chain, &number) in numbers.iter().rev() {
            past.add(Mark { chain, action: ActionId(chain), count: number, number });
        }
        past
    }

    fn numbers(past: &Past) -> BTreeMap<u32, u64> {
        past.marks().iter().map(|mark| (mark.chain, mark.number)).collect()
    }

    proptest! {
        #[test]
        fn merging_takes_the_younger_event_of_each_chain(
            own in btree_map(0..8_u32, 1..5_u64, 0..6),
            others in btree_map(0..8_u32, 1..5_u64, 0..6),
        ) {
            let mut expected = own.clone();
            for (&chain, &number) in &others {
                let known = expected.entry(chain).or_default();
                *known = number.max(*known);
            }
            let mut found = past(&own);
            found.merge(&past(&others));
            prop_assert_eq!(numbers(&found), expected);
        }

        #[test]
        fn an_event_is_in_the_past_if_a_later_one_of_its_chain_is(
            own in btree_map(0..4_u32, 1..5_u64, 0..4),
            chain in 0..4_u32,
            number in 1..6_u64,
        ) {
            let mark = Mark { chain, action: ActionId(9), count: 1, number };
            prop_assert_eq!(past(&own).has(&mark), own.get(&chain).is_some_and(|&last| last >= number));
        }
    }

    #[test]
    fn merging_shares_memory_where_one_side_holds_all() {
        let (low, high) = (past(&[(1, 1), (2, 5)].into()), past(&[(0, 1), (1, 3), (2, 5)].into()));
        for (own, other) in [(&low, &high), (&high, &low)] {
            let mut found = own.clone();
            found.merge(other);
            assert!(
                found.marks.zip(high.marks.clone()).is_some_and(|(found, high)| Arc::ptr_eq(&found, &high))
            );
        }
    }
}
