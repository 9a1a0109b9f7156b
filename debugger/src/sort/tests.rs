//! Laws of the sorter, and what it must refuse.

use proptest::prelude::*;

use super::*;
use crate::testing::{History, shuffled};
use hasse_model::event::SharedAccess;
use hasse_model::id::ActionId;

/// Positions of the delivered events, in the order of delivery.
fn delivered(history: &History, order: &[usize]) -> (Vec<usize>, Leftover, usize) {
    let mut found = Vec::new();
    let mut sorter = Sorter::new();
    for &at in order {
        let mut deliver = |event: EventRecord| found.push(history.position(event.id));
        sorter.push(history.events[at].clone(), &mut deliver).expect("a valid history");
    }
    let n_steps = sorter.n_steps;
    (found, sorter.finish(), n_steps)
}

proptest! {
    #[test]
    fn all_is_delivered_in_causal_order((history, order) in shuffled(50)) {
        let (found, leftover, n_steps) = delivered(&history, &order);
        prop_assert_eq!(leftover, Leftover::default());
        let mut gone = 0_u64;
        for &at in &found {
            prop_assert_eq!(history.past[at] & !gone, 0, "all before event {} is delivered", at);
            prop_assert_eq!(gone >> at & 1, 0, "event {} is delivered once", at);
            gone |= 1 << at;
        }
        prop_assert_eq!(found.len(), history.events.len());
        prop_assert!(n_steps <= 2 * history.n_edges(), "each edge is looked at when met and when woken");
    }

    #[test]
    fn of_a_part_the_causally_closed_part_is_delivered((history, order) in shuffled(40), n in any::<prop::sample::Index>()) {
        let order = &order[..n.index(order.len() + 1)];
        let (found, leftover, _) = delivered(&history, order);
        let there = order.iter().fold(0_u64, |bits, &at| bits | 1 << at);
        let mut expected: Vec<usize> =
            order.iter().copied().filter(|&at| history.past[at] & !there == 0).collect();
        let mut found = found;
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(leftover.n_events as usize, order.len() - found.len());
        prop_assert_eq!(leftover.examples.len(), (order.len() - found.len()).min(10));
    }

    /// Lending delivers what pushing does, in the same order, with the same content.
    #[test]
    fn lent_events_are_delivered_alike((history, order) in shuffled(50)) {
        let (mut pushed, mut lent) = (Vec::new(), Vec::new());
        let (mut one, mut other) = (Sorter::new(), Sorter::new());
        let mut scratch = EventRecord::new(EventId { action: ActionId(0), count: 0 });
        for &at in &order {
            one.push(history.events[at].clone(), &mut |event| pushed.push(event)).expect("a valid history");
            scratch.clone_from(&history.events[at]);
            other.lend(&mut scratch, &mut |event| lent.push(event.clone())).expect("a valid history");
        }
        prop_assert_eq!(pushed, lent);
    }

    #[test]
    fn a_second_copy_is_refused((history, order) in shuffled(30), which in any::<prop::sample::Index>(), when in any::<prop::sample::Index>()) {
        prop_assume!(!order.is_empty());
        let mut order = order;
        let copied = order[which.index(order.len())];
        order.insert(when.index(order.len() + 1), copied);
        let mut sorter = Sorter::new();
        let mut push = |&at: &usize| sorter.push(history.events[at].clone(), &mut |_| {});
        let error = order.iter().find_map(|at| push(at).err());
        prop_assert_eq!(error, Some(SortError::Duplicate { event: history.events[copied].id }));
    }
}

fn id(action: u32, count: u64) -> EventId {
    EventId { action: ActionId(action), count }
}

fn accessing(event: EventId, access: Access, writer: Option<EventId>, readers: u64) -> EventRecord {
    let mut record = EventRecord::new(event);
    record.shared.push(SharedAccess { object: ObjectId(0), access, writer, readers });
    record
}

/// Pushes events in order; the first error, and what is left over.
fn pushed(events: Vec<EventRecord>) -> (Option<SortError>, Leftover) {
    let mut sorter = Sorter::new();
    let error = events.into_iter().find_map(|event| sorter.push(event, &mut |_| {}).err());
    (error, sorter.finish())
}

#[test]
fn count_zero_is_refused() {
    let (error, _) = pushed(vec![EventRecord::new(id(0, 0))]);
    assert_eq!(error, Some(SortError::CountZero { event: id(0, 0) }));
}

#[test]
fn an_error_is_final() {
    let mut sorter = Sorter::new();
    let error = sorter.push(EventRecord::new(id(0, 0)), &mut |_| {});
    assert_eq!(sorter.push(EventRecord::new(id(1, 1)), &mut |_| panic!("delivered")), error);
}

#[test]
fn a_reader_of_an_overwritten_version_is_refused() {
    let inconsistent = |event| Some(SortError::InconsistentAccess { event, object: ObjectId(0) });
    let write = accessing(id(0, 1), Access::Write, None, 0);
    let read = accessing(id(1, 1), Access::Read, None, 0);
    assert_eq!(pushed(vec![write.clone(), read.clone()]).0, inconsistent(id(1, 1)));
    // The reader waits for a value while its version is overwritten.
    let mut waiting_read = read.clone();
    waiting_read.flow.push(id(2, 1));
    let late = vec![waiting_read, write.clone(), EventRecord::new(id(2, 1))];
    assert_eq!(pushed(late).0, inconsistent(id(1, 1)));
    // Two writers of one version.
    let second = accessing(id(3, 1), Access::Write, None, 0);
    assert_eq!(pushed(vec![write, second]).0, inconsistent(id(3, 1)));
    // Near miss: the writer knows of the reader.
    let write = accessing(id(0, 1), Access::Write, None, 1);
    assert_eq!(pushed(vec![write, read]), (None, Leftover::default()));
}

#[test]
fn a_wrong_number_of_readers_is_refused_or_left_over() {
    let read = |action| accessing(id(action, 1), Access::Read, None, 0);
    let too_few = accessing(id(0, 1), Access::Write, None, 1);
    let (error, _) = pushed(vec![read(1), read(2), too_few]);
    assert_eq!(error, Some(SortError::InconsistentAccess { event: id(0, 1), object: ObjectId(0) }));
    let too_many = accessing(id(0, 1), Access::Write, None, 3);
    let (error, leftover) = pushed(vec![read(1), too_many, read(2)]);
    assert_eq!(error, None);
    let missing = Before::Readers(ObjectId(0), None, 3);
    assert_eq!(leftover, Leftover { n_events: 1, examples: vec![(id(0, 1), missing)] });
}

#[test]
fn cycles_are_left_over() {
    let mut one = EventRecord::new(id(0, 1));
    one.flow.push(id(1, 1));
    let mut other = EventRecord::new(id(1, 1));
    other.flow.push(id(0, 1));
    let mut own = EventRecord::new(id(2, 1));
    own.flow.push(id(2, 1));
    let (error, leftover) = pushed(vec![one, other, own]);
    assert_eq!((error, leftover.n_events), (None, 3));
}

/// The worst order, last event first, of a chain and of many readers takes steps in proportion.
#[test]
fn the_worst_order_takes_linear_time() {
    const N: u64 = 20_000;
    let mut events: Vec<EventRecord> =
        (0..N).map(|reader| accessing(id(reader as u32, 1), Access::Read, None, 0)).collect();
    events.push(accessing(id(N as u32, 1), Access::Write, None, N));
    events.extend((2..=N).map(|count| EventRecord::new(id(N as u32, count))));
    let mut sorter = Sorter::new();
    let mut n_delivered = 0;
    for event in events.into_iter().rev() {
        sorter.push(event, &mut |_| n_delivered += 1).expect("a valid history");
    }
    assert_eq!(n_delivered, 2 * N);
    assert!(sorter.n_steps < 6 * N as usize, "{} steps", sorter.n_steps);
}
