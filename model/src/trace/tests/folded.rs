use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{decode, encode};
use crate::event::{EventBatch, EventRecord, SharedAccess};
use crate::id::{ActionId, EventId, ObjectId};
use crate::plan::Access;

/// Events of one action that are alike, among others.
#[derive(Clone, Debug)]
struct AlikeEvents {
    action: u32,
    n_skipped: u64,
    n_events: usize,
    n_routes: usize,
    n_flow: usize,
    /// Whether senders go on where those of the action's last events ended.
    goes_on: bool,
    shared: Option<Access>,
    first_line: Option<u64>,
}

prop_compose! {
    fn alike_events()(
        action in 0..3_u32,
        n_skipped in prop_oneof![3 => Just(0), 1 => 0..3_u64],
        n_events in prop_oneof![4 => 1..40_usize, 1 => 200..600_usize],
        n_routes in 0..2_usize,
        n_flow in prop_oneof![8 => 0..3_usize, 1 => Just(65)],
        goes_on in prop::bool::weighted(0.8),
        shared in prop_oneof![4 => Just(None), 1 => Just(Some(Access::Read)), 1 => Just(Some(Access::Write))],
        first_line in prop_oneof![8 => Just(None), 1 => Just(Some(7))],
    ) -> AlikeEvents {
        AlikeEvents { action, n_skipped, n_events, n_routes, n_flow, goes_on, shared, first_line }
    }
}

proptest! {
    #[test]
    fn folded_events_are_those_that_were_pushed(runs in vec(alike_events(), 0..12)) {
        let (mut folded, mut expected) = (EventBatch::default(), EventBatch::default());
        let mut counts = [0_u64; 3];
        let mut writer: Option<EventId> = None;
        let id = |action, count| EventId { action: ActionId(action), count };
        for run in &runs {
            let count = &mut counts[run.action as usize];
            let first = id(run.action, *count + 1 + run.n_skipped);
            *count = first.count - 1 + run.n_events as u64;
            let away = if run.goes_on { 10 } else { 20 + run.n_skipped };
            let sender = |nth, count: u64| id(nth as u32 + 5, count + away);
            let flow: Vec<_> = (0..run.n_flow).map(|nth| sender(nth, first.count)).collect();
            let routes = vec![3; run.n_routes];
            let found = |writer| {
                run.shared.map(|access| SharedAccess { object: ObjectId(1), access, writer, readers: 0 })
            };
            folded.push_run(first, run.n_events, 0, &routes, &flow, found(writer), 1);
            for step in 0..run.n_events as u64 {
                let mut event = EventRecord::new(id(run.action, first.count + step));
                event.rule = 0;
                event.routes.clone_from(&routes);
                event.flow = (0..run.n_flow).map(|nth| sender(nth, first.count + step)).collect();
                event.shared.extend(found(writer));
                event.flow_successors = 1;
                writer = if run.shared == Some(Access::Write) { Some(event.id) } else { writer };
                expected.push(&mut event);
            }
            if run.first_line.is_some() {
                counts[run.action as usize] += 1;
                let mut event = EventRecord::new(id(run.action, counts[run.action as usize]));
                event.first_line = run.first_line;
                folded.push(&mut event.clone());
                expected.push(&mut event);
            }
        }
        prop_assert_eq!(folded.n_events(), expected.n_events());
        let mut content = Vec::new();
        encode::Encoder::default().encode(&folded, &mut content).expect("flat");
        prop_assert_eq!(decode::Decoder::default().decode(&content), Ok(expected.clone()));
        let mut folding = decode::Decoder::default();
        folding.fold();
        let mut read = folding.decode(&content).expect("it has been written");
        prop_assert_eq!(read.n_events(), expected.n_events());
        let n_told: usize = read.folded_rows().map(|(_, n_repeats)| 1 + n_repeats).sum();
        prop_assert_eq!(n_told, expected.n_events());
        read.unfold();
        let in_order = |batch: &EventBatch| {
            let mut events: Vec<_> = batch.rows().map(|row| row.to_record()).collect();
            events.sort_by_key(|event| event.id);
            events
        };
        prop_assert_eq!(in_order(&read), in_order(&expected));
        folded.unfold();
        prop_assert_eq!(folded, expected);
    }
}

/// Whoever goes round in one action for long has one head.
#[test]
fn events_that_go_on_are_folded_into_one() {
    let mut batch = EventBatch::default();
    let id = |action, count| EventId { action: ActionId(action), count };
    for turn in 0..100 {
        batch.push_run(id(1, 32 * turn + 1), 32, 0, &[0], &[id(0, 32 * turn + 5)], None, 1);
    }
    assert_eq!((batch.n_heads(), batch.n_events()), (1, 3200));
    let mut content = Vec::new();
    encode::Encoder::default().encode(&batch, &mut content).expect("flat");
    assert!(content.len() < 100, "{} bytes", content.len());
    let mut folding = decode::Decoder::default();
    folding.fold();
    let read = folding.decode(&content).expect("it has been written");
    assert_eq!((read.n_heads(), read.n_events()), (1, 3200));
}
