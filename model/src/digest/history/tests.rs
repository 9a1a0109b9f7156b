use proptest::prelude::*;

use super::*;

fn digest(events: &[EventHistory]) -> HistoryDigest {
    let mut digest = HistoryDigest::default();
    events.iter().for_each(|event| digest.add(*event, &[0], 1, Outcome::Done));
    digest
}

/// The next event of an action, which is its last one then.
fn next(action: &mut ActionHistory, rule: i32, senders: &[History]) -> EventHistory {
    let mut event = action.begin(rule);
    senders.iter().for_each(|sender| event.take(*sender));
    action.settle(&event);
    event
}

#[test]
fn the_order_of_taking_counts_and_that_of_ending_does_not() {
    let [receiver, mut left, mut right] = [1, 2, 3].map(ActionHistory::new);
    let (left, right) = (next(&mut left, -1, &[]), next(&mut right, -1, &[]));
    let takes = |first: EventHistory, second: EventHistory| {
        let mut receiver = receiver;
        [first, second].map(|sender| next(&mut receiver, 0, &[sender.event()]))
    };
    let [[a, b], [c, d]] = [takes(left, right), takes(right, left)];
    assert_eq!(digest(&[left, right, a, b]), digest(&[b, right, a, left]));
    assert_ne!(digest(&[left, right, a, b]), digest(&[left, right, c, d]));
}

#[test]
fn places_of_what_is_taken_count() {
    let [receiver, mut left, mut right] = [1, 2, 3].map(ActionHistory::new);
    let (left, right) = (next(&mut left, -1, &[]).event(), next(&mut right, -1, &[]).event());
    let both = |senders: [History; 2]| digest(&[next(&mut receiver.clone(), 0, &senders)]);
    assert_ne!(both([left, right]), both([right, left]));
}

#[test]
fn what_an_event_is_made_of_counts() {
    let action = ActionHistory::new(1);
    let writer = next(&mut ActionHistory::new(2), 0, &[]).event();
    let found = |access, writer, n_readers| Found { access, writer, n_readers };
    let made = |what: &dyn Fn(&mut EventHistory)| {
        let mut event = action.begin(0);
        what(&mut event);
        digest(&[event])
    };
    let mut later = action;
    next(&mut later, 0, &[]);
    let all = [
        made(&|_| {}),
        made(&|event| event.take(writer)),
        made(&|event| event.access(found(Access::Read, writer, 0))),
        made(&|event| event.access(found(Access::Write, writer, 0))),
        made(&|event| event.access(found(Access::Write, writer, 1))),
        made(&|event| event.access(found(Access::Write, History::default(), 0))),
        digest(&[later.begin(0)]),
        digest(&[action.begin(-1)]),
        digest(&[action.begin(1)]),
        digest(&[ActionHistory::new(2).begin(0)]),
    ];
    for (nth, one) in all.iter().enumerate() {
        assert!(all[nth + 1..].iter().all(|other| other != one), "{nth}");
    }
    let added = |routes: &[u32], n_values, outcome| {
        let mut digest = HistoryDigest::default();
        digest.add(action.begin(0), routes, n_values, outcome);
        digest
    };
    let usual = added(&[0], 1, Outcome::Done);
    let others =
        [added(&[1], 1, Outcome::Done), added(&[0], 2, Outcome::Done), added(&[0], 1, Outcome::Failed)];
    assert!(others.iter().all(|other| *other != usual));
}

proptest! {
    #[test]
    fn a_row_is_what_its_events_are(
        (rule, step, n_events) in (-1..3_i32, 0..3_u64, 1..200_u64),
        senders in proptest::collection::vec((any::<u64>(), 0..5_u64), 0..4),
        (routes, n_values) in (proptest::collection::vec(0..9_u32, 0..3), 0..9_u64),
        n_before in 0..3_u64,
        object in proptest::option::of((any::<bool>(), any::<bool>(), 0..3_u64)),
    ) {
        let mut one_by_one = ActionHistory::new(7);
        (0..n_before).for_each(|_| { next(&mut one_by_one, 0, &[]); });
        let mut together = one_by_one;
        let senders: Vec<History> =
            senders.iter().map(|&(key, n_later)| ActionHistory::new(key).next().later(n_later)).collect();
        let mut object = object.map(|(writes, is_new, n_readers)| Found {
            access: if writes { Access::Write } else { Access::Read },
            writer: if is_new { History::default() } else { ActionHistory::new(3).next() },
            n_readers,
        });
        let row = Row { rule, senders: (), step, object, n_events, routes: &routes, n_values };
        let (mut expected, mut found) = (HistoryDigest::default(), HistoryDigest::default());
        for nth in 0..n_events {
            let senders: Vec<_> = senders.iter().map(|sender| sender.later(nth * step)).collect();
            let mut event = one_by_one.begin(rule);
            senders.iter().for_each(|sender| event.take(*sender));
            if let Some(object) = &mut object {
                event.access(*object);
                if object.access == Access::Write {
                    (object.writer, object.n_readers) = (event.event(), 0);
                }
            }
            one_by_one.settle(&event);
            expected.add(event, &routes, n_values, Outcome::Done);
        }
        let Row { rule, step, object, n_events, routes, n_values, .. } = row;
        let senders = senders.iter().copied();
        found.add_row(&mut together, Row { rule, senders, step, object, n_events, routes, n_values });
        prop_assert_eq!(expected, found);
        prop_assert_eq!(one_by_one.next(), together.next());
    }

    #[test]
    fn the_field_is_that_of_a_prime(left in any::<u64>(), right in any::<u64>()) {
        let (left, right) = (reduced(left), reduced(right));
        prop_assert_eq!(u128::from(times(left, right)), u128::from(left) * u128::from(right) % u128::from(FIELD));
        prop_assert!(left < FIELD && plus(left, right) < FIELD);
    }
}

/// Records hold it: another number means another `FORMAT_VERSION`.
#[test]
fn digests_are_the_same_in_every_version() {
    let (mut action, mut other) = (ActionHistory::new(7), ActionHistory::new(8));
    let sender = next(&mut other, 2, &[]).event();
    let events = [next(&mut action, 2, &[sender]), next(&mut action, 0, &[])];
    assert_eq!(digest(&events).to_string(), "15edeacea394ca75");
}
