use super::*;
use crate::id::ObjectId;
use crate::plan::Access;

fn id(action: u32, count: u64) -> EventId {
    EventId { action: ActionId(action), count }
}

fn record(count: u64, flow_successors: u64) -> EventRecord {
    let mut event = EventRecord::new(id(1, count));
    event.rule = 2;
    event.routes = vec![0; count as usize % 3];
    event.flow = vec![id(2, count); count as usize % 4];
    event.shared =
        vec![
            SharedAccess { object: ObjectId(1), access: Access::Write, writer: Some(id(3, 1)), readers: 4 };
            count as usize % 2
        ];
    event.flow_successors = flow_successors;
    event
}

#[test]
fn an_event_without_a_record_is_the_same_event() {
    let (mut batch, mut expected) = (EventBatch::default(), EventBatch::default());
    for (count, successors) in [(1, 0), (2, 5), (3, u64::from(u32::MAX)), (4, u64::MAX), (5, 1)] {
        let event = record(count, successors);
        batch.push_done(event.id, 2, &event.routes, &event.flow, &event.shared, successors);
        expected.push(&mut event.clone());
        assert_eq!(batch.events().last(), Some(event));
    }
    assert_eq!(batch, expected);
}

#[test]
fn memory_written_ahead_changes_no_event() {
    let mut batch = EventBatch::default();
    for round in 0..3 {
        let mut expected = EventBatch::default();
        for count in 1..200 {
            if count % 7 == round {
                batch.write_ahead();
            }
            let timing = Timing::new(1, count, count + 1);
            batch.push(&mut record(count, 1));
            expected.push(&mut record(count, 1));
            if count % 3 == 0 {
                batch.add_timing(timing);
                expected.add_timing(timing);
            }
        }
        batch.write_ahead();
        assert_eq!(batch, expected);
        batch.clear();
    }
}

#[test]
fn what_few_events_have_stays_with_them() {
    let relayed = RelayedAccess { object: ObjectId(7), access: Access::Read, event: id(4, 2) };
    let mut events: Vec<EventRecord> = (1..8).map(|count| record(count, 1)).collect();
    events[2].relayed = vec![relayed, relayed];
    events[4].relayed = vec![relayed];
    events[1].timing = Some(Timing::new(1, 2, 3));
    events[5].timing = Some(Timing::new(0, 4, 5));
    events[3].outcome = Outcome::Failed;
    events[3].error = Some("it failed".to_owned());
    let mut batch = EventBatch::default();
    events.iter().for_each(|event| batch.push(&mut event.clone()));
    assert_eq!(batch.events().collect::<Vec<_>>(), events);
    let row = |head_idx: usize| batch.folded_row(head_idx).to_record();
    assert_eq!((0..batch.n_heads()).map(row).collect::<Vec<_>>(), events);
    for kept in [&[1, 2, 4][..], &[0, 3, 6], &[5], &[]] {
        let mut left = batch.clone();
        left.keep_heads(kept.iter().copied());
        let expected: Vec<_> = kept.iter().map(|&head_idx| events[head_idx].clone()).collect();
        assert_eq!(left.events().collect::<Vec<_>>(), expected);
    }
    batch.clear();
    assert_eq!(batch, EventBatch::default());
}

#[test]
fn two_heads_are_a_cache_line() {
    assert_eq!(size_of::<EventHead>(), 32);
}
