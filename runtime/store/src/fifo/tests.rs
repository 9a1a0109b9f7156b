//! Properties of queues.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, VecDeque};

use hasse_model::id::{ActionId, EventId};
use proptest::prelude::*;

use crate::fifo::Fifo;

proptest! {
    #[test]
    fn it_is_a_queue(steps in prop::collection::vec((0..7_u8, 0..4_usize), 0..200)) {
        let (mut fifo, mut expected) = (Fifo::new(), VecDeque::new());
        for (nth, (step, position)) in steps.into_iter().enumerate() {
            match step {
                0 | 1 => {
                    fifo.push_back(nth);
                    expected.push_back(nth);
                }
                2 => prop_assert_eq!(fifo.pop_front(), expected.pop_front()),
                3 => prop_assert_eq!(fifo.pop_back(), expected.pop_back()),
                4 => prop_assert_eq!(fifo.remove(position), expected.remove(position)),
                5 => {
                    fifo.pop_front();
                    expected.pop_front();
                }
                _ => {
                    let mut more = Fifo::new();
                    (0..position + 1).for_each(|item| more.push_back(item));
                    more.pop_front();
                    fifo.append(&mut more);
                    prop_assert!(more.is_empty());
                    expected.extend(1..position + 1);
                }
            }
            prop_assert_eq!(fifo.len(), expected.len());
            prop_assert_eq!(fifo.is_empty(), expected.is_empty());
            prop_assert_eq!(fifo.iter().next(), expected.front());
            prop_assert_eq!(fifo.iter().nth(position), expected.get(position));
            prop_assert!(fifo.iter().eq(expected.iter()));
        }
    }

    /// What is asked for by its sender comes, in the order of sending, whatever else comes and goes.
    #[test]
    fn items_are_found_by_who_sent_them(
        steps in prop::collection::vec((0..12_u8, 0..5_u32, 0..40_usize), 0..200),
    ) {
        let (mut fifo, mut expected) = (Fifo::new(), BTreeMap::<EventId, VecDeque<usize>>::new());
        let (mut counts, mut nth) = ([1; 5], 0);
        let sender_of = |item: &(EventId, usize)| Some(item.0);
        let first = |from: &mut BTreeMap<EventId, VecDeque<usize>>, sender: EventId| {
            let items = from.get_mut(&sender).unwrap();
            let item = items.pop_front().unwrap();
            if items.is_empty() {
                from.remove(&sender);
            }
            (sender, item)
        };
        for (step, action, n_items) in steps {
            let id = |count: u64| EventId { action: ActionId(action), count };
            let send = |counts: &mut [u64; 5], nth: &mut usize, is_same: bool| {
                counts[action as usize] += u64::from(!is_same);
                *nth += 1;
                (id(counts[action as usize]), *nth)
            };
            let mut more = Fifo::new();
            match step {
                0..6 => {
                    for nth_sent in 0..n_items {
                        // In every third step all are sent by one event.
                        let is_same = if step % 3 == 2 { nth_sent > 0 } else { nth_sent % 3 == 1 };
                        let (sender, item) = send(&mut counts, &mut nth, is_same);
                        fifo.push_back((sender, item));
                        expected.entry(sender).or_default().push_back(item);
                    }
                }
                6 => {
                    for nth_sent in 0..n_items {
                        let (sender, item) = send(&mut counts, &mut nth, nth_sent % 3 == 0);
                        more.push_back((sender, item));
                        expected.entry(sender).or_default().push_back(item);
                    }
                    fifo.append(&mut more);
                }
                7..10 => {
                    // Replays ask for events, or for what comes next from an action.
                    let wanted = match action {
                        0..2 => id(0)..=id(u64::MAX),
                        _ => id(1 + n_items as u64)..=id(1 + n_items as u64),
                    };
                    let sender = expected.range(wanted.clone()).next().map(|(sender, _)| *sender);
                    prop_assert_eq!(fifo.bring(&wanted, sender_of), sender.is_some());
                    if let Some(sender) = sender {
                        let item = *expected[&sender].front().unwrap();
                        prop_assert_eq!(fifo.iter().next(), Some(&(sender, item)));
                        if n_items % 4 > 0 {
                            prop_assert_eq!(fifo.pop_front(), Some(first(&mut expected, sender)));
                        }
                    }
                }
                10 => fifo.join(sender_of),
                _ => {
                    // With all in the line, the first one is the first of its action.
                    fifo.join(sender_of);
                    if let Some(item) = fifo.pop_front() {
                        prop_assert_eq!(first(&mut expected, item.0), item);
                    }
                }
            }
            prop_assert_eq!(fifo.is_empty(), expected.is_empty());
            prop_assert_eq!(fifo.len(), expected.values().map(VecDeque::len).sum::<usize>());
            let mut items: Vec<_> = fifo.iter().copied().collect();
            items.sort_unstable();
            let all = expected.iter().flat_map(|(sender, items)| items.iter().map(|item| (*sender, *item)));
            prop_assert_eq!(items, all.collect::<Vec<_>>());
        }
    }
}
