//! Races against brute force, and what a person is shown.

use std::collections::BTreeSet;

use proptest::prelude::*;

use hasse_model::event::SharedAccess;
use hasse_model::id::EventId;
use hasse_model::trace::RecordingMode;

use super::*;
use crate::testing::{History, histories, names, shuffled};

/// Positions of two events and the object.
type Edge = (usize, usize, ObjectId);

/// What is found by following every path, from the records alone.
#[derive(Debug, Default, PartialEq, Eq)]
struct Expected {
    first: BTreeSet<Edge>,
    behind: BTreeSet<Edge>,
    /// The one between, the writer, and the object.
    lost: BTreeSet<Edge>,
    /// Number of writes between a read and a write on its strength.
    n_lost_updates: u64,
    orderings: BTreeSet<Edge>,
    n_shared_orderings: u64,
}

/// Flow and sequence edges and shared orderings, each from the earlier event to the later one.
struct Edges {
    program: Vec<(usize, usize)>,
    shared: Vec<Edge>,
}

fn edges(history: &History) -> Edges {
    let (mut program, mut shared) = (Vec::new(), Vec::new());
    for (at, event) in history.events.iter().enumerate() {
        program.extend(event.flow.iter().map(|&sender| (history.position(sender), at)));
        if event.id.count > 1 {
            let before = EventId { count: event.id.count - 1, ..event.id };
            program.push((history.position(before), at));
        }
        for access in &event.shared {
            let reads = |known: &usize| of_object(history, *known, access.object, Access::Read);
            let writes = |known: &usize| of_object(history, *known, access.object, Access::Write);
            let writer = (0..at).rev().find(writes);
            shared.extend(writer.map(|writer| (writer, at, access.object)));
            if access.access == Access::Write {
                let since = writer.map_or(0, |writer| writer + 1)..at;
                let readers: Vec<usize> = since.filter(reads).collect();
                let is_last = |reader: &&usize| {
                    let action = history.events[**reader].id.action;
                    !readers.iter().any(|later| later > *reader && history.events[*later].id.action == action)
                };
                shared.extend(readers.iter().filter(is_last).map(|&reader| (reader, at, access.object)));
            }
        }
    }
    Edges { program, shared }
}

fn of_object(history: &History, at: usize, object: ObjectId, access: Access) -> bool {
    history.events[at].shared.iter().any(|known| known.object == object && known.access == access)
}

/// Whether a path of these edges leads from the one to the other.
fn leads(edges: &[(usize, usize)], from: usize, to: usize) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![to]);
    while let Some(at) = open.pop() {
        if at == from {
            return true;
        }
        let before = edges.iter().filter(|(_, target)| *target == at).map(|(source, _)| *source);
        open.extend(before.filter(|&source| source >= from && seen.insert(source)));
    }
    false
}

fn brute_force(history: &History) -> Expected {
    let Edges { program, shared } = edges(history);
    let all: Vec<_> = program.iter().copied().chain(shared.iter().map(|&(from, to, _)| (from, to))).collect();
    // Without the locks that the later one takes.
    let is_race = |&(from, to, _): &Edge| {
        let others: Vec<_> =
            shared.iter().filter(|edge| edge.1 != to).map(|&(from, to, _)| (from, to)).collect();
        !leads(&[&program[..], &others].concat(), from, to)
    };
    let races: Vec<Edge> = shared.iter().copied().filter(is_race).collect();
    // The reader sent a value to the later one, and read before the earlier one wrote.
    let is_lost = |&&(from, to, object): &&Edge| {
        let both_write = [from, to].iter().all(|&at| of_object(history, at, object, Access::Write));
        let mut senders = history.events[to].flow.iter().map(|&sender| history.position(sender));
        both_write && senders.any(|at| at < from && of_object(history, at, object, Access::Read))
    };
    let reads_before = |between: usize, writer: usize, object: ObjectId| {
        let mut senders = history.events[writer].flow.iter().map(|&sender| history.position(sender));
        senders.any(|at| at < between && of_object(history, at, object, Access::Read))
    };
    let is_lost_write = |between: usize, object: ObjectId| {
        let writes = |at: usize| of_object(history, at, object, Access::Write);
        writes(between)
            && (between + 1..history.events.len()).any(|writer| {
                writes(writer) && reads_before(between, writer, object) && is_race(&(between, writer, object))
            })
    };
    let objects: BTreeSet<ObjectId> =
        history.events.iter().flat_map(|event| &event.shared).map(|access| access.object).collect();
    let all_writes = objects.iter().flat_map(|&object| (0..history.events.len()).map(move |at| (at, object)));
    let is_first =
        |race: &Edge| races.iter().all(|other| !(other.1 != race.1 && leads(&all, other.1, race.1)));
    Expected {
        first: races.iter().copied().filter(is_first).collect(),
        behind: races.iter().copied().filter(|race| !is_first(race)).collect(),
        lost: races.iter().filter(is_lost).copied().collect(),
        n_lost_updates: all_writes.filter(|&(at, object)| is_lost_write(at, object)).count() as u64,
        orderings: shared.iter().copied().filter(|&(from, to, _)| !leads(&program, from, to)).collect(),
        n_shared_orderings: shared.len() as u64,
    }
}

/// How often something else than nothing is found: what is compared must occur.
#[test]
fn random_histories_have_all_that_is_looked_for() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut counts = [0; 6];
    for _ in 0..300 {
        let history = histories(61).new_tree(&mut runner).expect("a history").current();
        let Expected { first, behind, lost, n_lost_updates, orderings, .. } = brute_force(&history);
        let n_races = first.len() + behind.len();
        let found = [
            !first.is_empty(),
            first.len() > 1,
            !behind.is_empty(),
            !lost.is_empty(),
            n_lost_updates > lost.len() as u64,
            orderings.len() > n_races,
        ];
        counts.iter_mut().zip(found).for_each(|(count, found)| *count += u32::from(found));
    }
    assert!(counts.iter().all(|&count| count >= 5), "{counts:?}");
}

/// What a detector finds in events that come in this order, race by race.
fn detected(history: &History, order: &[usize], chains: OwnChains) -> Expected {
    let names = names();
    let mut detector = RaceDetector::with_chains(RaceOptions { wants_orderings: true }, chains);
    let mut expected = Expected::default();
    for &at in order {
        let mut findings = Vec::new();
        let event = &history.events[at];
        detector.event_with(event, &names, &mut |finding| findings.push(finding)).expect("a valid history");
        for finding in findings {
            assert_eq!(finding.later.event, event.id);
            let edge = (history.position(finding.earlier.event), at, finding.object);
            let put = |set: &mut BTreeSet<Edge>| assert!(set.insert(edge), "found twice: {finding:?}");
            match (finding.is_race, finding.is_first) {
                (true, true) => put(&mut expected.first),
                (true, false) => put(&mut expected.behind),
                (false, is_first) => assert!(!is_first),
            }
            if finding.reader.is_some() {
                put(&mut expected.lost);
            }
            if finding.is_enforced {
                put(&mut expected.orderings);
            }
        }
    }
    let found = detector.finish();
    assert_eq!(found.n_first(), expected.first.len() as u64);
    assert_eq!(found.n_behind(), expected.behind.len() as u64);
    expected.n_lost_updates = found.lost.iter().map(|group| group.n_updates).sum();
    let orderings = found.orderings.expect("asked for");
    assert_eq!(orderings.iter().map(|group| group.n_orderings).sum::<u64>(), expected.orderings.len() as u64);
    expected.n_shared_orderings = found.n_orderings;
    expected
}

/// Few chains of their own, so that most are shared.
fn few_chains() -> impl Strategy<Value = OwnChains> {
    prop_oneof![
        Just(OwnChains::default()),
        (0..3_usize, 0..3_usize).prop_map(|(n_sharing, n_landmarks)| OwnChains { n_sharing, n_landmarks }),
    ]
}

/// An order of delivery: each event as soon as all before it have been, the first in the shuffled order.
fn delivered(history: &History, shuffled: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while let Some(&next) = shuffled.iter().find(|&&at| {
        !order.contains(&at) && (0..at).all(|known| !history.is_before(known, at) || order.contains(&known))
    }) {
        order.push(next);
    }
    order
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn every_race_is_what_following_all_paths_finds((history, shuffled) in shuffled(61), chains in few_chains()) {
        let order = delivered(&history, &shuffled);
        prop_assert_eq!(order.len(), history.events.len());
        prop_assert_eq!(detected(&history, &order, chains), brute_force(&history));
    }
}

/// Flow and sequence edges, and shared orderings that do not end at `at`.
fn edges_but_locks_of(history: &History, at: usize) -> Vec<(usize, usize)> {
    let Edges { program, shared } = edges(history);
    let others = shared.iter().filter(|edge| edge.1 != at).map(|&(from, to, _)| (from, to));
    program.into_iter().chain(others).collect()
}

proptest! {
    #[test]
    fn what_is_said_of_the_past_is_the_last_that_is_so(history in histories(40)) {
        let names = names();
        let mut detector = RaceDetector::with_chains(RaceOptions::default(), OwnChains::default());
        history.events.iter().for_each(|event| detector.event(event, &names).expect("a valid history"));
        let found = detector.finish();
        for Race { earlier, later, last_known, last_common, .. } in found.groups.iter().map(|group| group.example) {
            let (from, to) = (history.position(earlier.event), history.position(later.event));
            let edges = edges_but_locks_of(&history, to);
            let known: Vec<usize> = (0..to).filter(|&at| leads(&edges, at, to)).collect();
            let of_action = known.iter().filter(|at| history.events[**at].id.action == earlier.event.action);
            prop_assert_eq!(last_known, of_action.max().map(|&at| history.events[at].id));
            let common: Vec<usize> = known.into_iter().filter(|&at| history.is_before(at, from)).collect();
            prop_assert_eq!(last_common.is_some(), !common.is_empty());
            if let Some(last) = last_common.map(|last| history.position(last)) {
                prop_assert!(common.contains(&last));
                prop_assert!(!common.iter().any(|&later| history.is_before(last, later)));
            }
        }
    }
}

/// The only event of an action: it accesses object 0, last written by another action's.
fn one_shot(action: u32, access: Access, writer: Option<u32>) -> EventRecord {
    let id = |action| EventId { action: ActionId(action), count: 1 };
    let mut event = EventRecord::new(id(action));
    event.shared = vec![SharedAccess { object: ObjectId(0), access, writer: writer.map(id), readers: 0 }];
    event
}

#[test]
fn chains_do_not_grow_with_the_number_of_actions() {
    let mut detector =
        RaceDetector::with_chains(RaceOptions::default(), OwnChains { n_sharing: 4, n_landmarks: 0 });
    for action in 0..1_000 {
        let event = one_shot(action, Access::Write, action.checked_sub(1));
        detector.event(&event, &names()).expect("a valid history");
    }
    assert!(detector.causal.n_chains() <= 5, "{}", detector.causal.n_chains());
    let found = detector.finish();
    assert_eq!((found.n_first(), found.n_behind()), (1, 998));
}

#[test]
fn readers_do_not_race() {
    let mut detector = RaceDetector::with_chains(RaceOptions { wants_orderings: true }, OwnChains::default());
    for action in 0..5 {
        detector.event(&one_shot(action, Access::Read, None), &names()).expect("a valid history");
    }
    let found = detector.finish();
    assert_eq!((found.n_first(), found.n_accesses, found.n_objects, found.n_orderings), (0, 5, 1, 0));
}

/// Two objects under the locks of one event do not support each other.
#[test]
fn two_objects_locked_at_once_are_raced_for_both() {
    let both = |action: u32, writer: Option<u32>| {
        let mut event = one_shot(action, Access::Write, writer);
        let second = SharedAccess { object: ObjectId(1), ..event.shared[0] };
        event.shared.push(second);
        event
    };
    let mut detector = RaceDetector::with_chains(RaceOptions::default(), OwnChains::default());
    detector.event(&both(0, None), &names()).expect("a valid history");
    detector.event(&both(1, Some(0)), &names()).expect("a valid history");
    let objects: Vec<_> = detector.first_races().map(|group| (group.example.object, group.n_first)).collect();
    assert_eq!(objects, [(ObjectId(0), 1), (ObjectId(1), 1)]);
}

#[test]
fn records_that_lack_events_are_refused() {
    for mode in [RecordingMode::Restricted, RecordingMode::Minimal] {
        let error = RaceDetector::new(mode, RaceOptions::default()).expect_err("not every event");
        assert!(error.to_string().contains(mode.name()), "{error}");
    }
    let mut detector = RaceDetector::new(RecordingMode::Full, RaceOptions::default()).expect("every event");
    let mut event = one_shot(0, Access::Read, None);
    let relayed =
        hasse_model::event::RelayedAccess { object: ObjectId(0), access: Access::Read, event: event.id };
    event.relayed.push(relayed);
    assert!(matches!(detector.event(&event, &names()), Err(RaceError::Incomplete { .. })));
}

#[test]
fn a_value_that_was_not_sent_is_an_error() {
    let mut detector = RaceDetector::new(RecordingMode::Full, RaceOptions::default()).expect("every event");
    let mut event = EventRecord::new(EventId { action: ActionId(0), count: 1 });
    event.flow.push(EventId { action: ActionId(1), count: 1 });
    let error = detector.event(&event, &names()).expect_err("nothing was sent");
    assert_eq!(
        error.to_string(),
        "the trace contradicts itself: /T0[0]:1 took more values of /T1[0]:1 than that one sent"
    );
}
