//! Laws of rotated records, against the causal order of full histories.

use proptest::collection::vec;
use proptest::prelude::*;

use hasse_model::order::{Before, before};

use super::*;
use crate::read::for_each_in_order;
use crate::testing::{History, histories, unread_names};

/// Maximum number of later events that are flushed before an event: fewer than a segment holds.
const MOST_LATE: usize = 6;

impl Segments for Vec<Vec<u8>> {
    type Source = std::io::Cursor<Vec<u8>>;

    fn n_segments(&self) -> usize {
        self.len()
    }

    fn open(&self, nth: usize) -> Result<TraceReader<Self::Source>, TraceError> {
        TraceReader::open(std::io::Cursor::new(self[nth].clone()))
    }
}

fn segment(history: &History, order: &[usize], n_before: usize, is_last: bool) -> Vec<u8> {
    let templates = unread_names().templates().to_vec();
    let header = TraceHeader { templates, n_before: n_before as u64, ..TraceHeader::default() };
    let mut writer = TraceWriter::new(Vec::new(), &header).expect("room");
    for mut batch in history.batches(order, 3) {
        // Each segment announces what it names.
        batch.actions.clear();
        batch.objects.clear();
        let every = crate::testing::names().announced();
        batch.actions.extend(every.actions);
        batch.objects.extend(every.objects);
        writer.write_batch(&batch).expect("room");
    }
    match is_last {
        true => {
            let footer = TraceFooter { n_events: order.len() as u64, ..TraceFooter::default() };
            writer.finish(&footer).expect("room")
        }
        false => writer.into_inner(),
    }
}

/// Positions of the events in the order in which their workers hand them over.
fn handed_over(history: &History, late: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..history.events.len()).collect();
    order.sort_by_key(|&at| (at + late[at % late.len()], at));
    order
}

fn joined(segments: &Vec<Vec<u8>>) -> (TraceHeader, Vec<EventRecord>) {
    let bytes = join(segments, Vec::new()).expect("segments");
    let reader = TraceReader::open(&bytes[..]).expect("a trace");
    let (header, mut events) = (reader.header().clone(), Vec::new());
    let summary = for_each_in_order(reader, |event, _| events.push(event)).expect("consistent");
    assert_eq!((summary.n_dropped, summary.truncated, &summary.leftover.examples), (0, None, &Vec::new()));
    assert_eq!(summary.footer.expect("an end").n_events, events.len() as u64);
    (header, events)
}

proptest! {
    #[test]
    fn kept_part_is_what_is_behind_a_consistent_cut(
        history in histories(60),
        late in vec(0..MOST_LATE, 1..20),
        first in 1_usize..30,
        n_margin in 2 * MOST_LATE..3 * MOST_LATE,
    ) {
        let order = handed_over(&history, &late);
        let first = first.min(order.len());
        let second = (first + n_margin).min(order.len());
        let third = (second + n_margin).min(order.len());
        let (margin, rest) = (&order[first..second], &order[second..]);
        let segments = vec![
            segment(&history, margin, first, false),
            segment(&history, &order[second..third], second, false),
            segment(&history, &order[third..], third, true),
        ];
        let (header, events) = joined(&segments);
        let mut kept: Vec<usize> = rest.to_vec();
        kept.extend(margin.iter().filter(|&&at| rest.iter().any(|&earlier| history.is_before(earlier, at))));
        kept.sort_unstable();
        let mut found: Vec<usize> = events.iter().map(|event| history.position(event.id)).collect();
        found.sort_unstable();
        prop_assert_eq!(&found, &kept);
        prop_assert_eq!(header.n_before as usize, if first == 0 { 0 } else { order.len() - kept.len() });
        for event in &events {
            let whole = &history.events[history.position(event.id)];
            let is_kept = |event: EventId| kept.contains(&history.position(event));
            let flow: Vec<EventId> = whole.flow.iter().copied().filter(|&sender| is_kept(sender)).collect();
            prop_assert_eq!(&event.flow, &flow);
            let senders: Vec<Option<EventId>> =
                whole.flow.iter().map(|&sender| is_kept(sender).then_some(sender)).collect();
            prop_assert_eq!(event.senders(), senders, "values stay at their places");
            for before in before(event) {
                if let Before::Version(_, Some(writer)) = before {
                    prop_assert!(is_kept(writer));
                }
            }
        }
    }

    #[test]
    fn record_of_which_nothing_is_gone_is_whole(history in histories(40), late in vec(0..MOST_LATE, 1..20), n in 1_usize..30) {
        let order = handed_over(&history, &late);
        let n = n.min(order.len());
        let segments = vec![segment(&history, &order[..n], 0, false), segment(&history, &order[n..], n, true)];
        let (header, events) = joined(&segments);
        prop_assert_eq!(header.n_before, 0);
        prop_assert_eq!(events.len(), history.events.len());
        for event in &events {
            prop_assert_eq!(event, &history.events[history.position(event.id)]);
        }
    }
}

#[test]
fn record_that_was_cut_off_has_no_end() {
    let segments = vec![segment(&History { events: Vec::new(), past: Vec::new() }, &[], 0, false)];
    let bytes = join(&segments, Vec::new()).expect("a segment");
    let mut reader = TraceReader::open(&bytes[..]).expect("a trace");
    assert!(reader.next_batch().expect("readable").is_none());
    assert!(reader.footer().is_none());
}

/// Events that are alike are kept together, and those of them that took earlier values say so.
#[test]
fn events_that_are_alike_are_cut_where_the_kept_part_begins() {
    let event = |action: u32, count: u64| EventId { action: ActionId(action), count };
    let segment = |first: u64, n_before: u64| {
        let header = TraceHeader { n_before, ..TraceHeader::default() };
        let mut writer = TraceWriter::new(Vec::new(), &header).expect("room");
        let mut batch = EventBatch::default();
        batch.push_run(event(0, first), 100, 0, &[0], &[], None, 1);
        // Each value is taken ten events later.
        batch.push_run(event(1, first - 10), 100, 0, &[], &[event(0, first - 10)], None, 0);
        writer.write_batch(&batch).expect("room");
        writer.into_inner()
    };
    let bytes =
        join(&vec![segment(101, 190), segment(201, 390), segment(301, 590)], Vec::new()).expect("segments");
    let reader = TraceReader::open(&bytes[..]).expect("a trace");
    assert_eq!(reader.header().n_before, 390);
    let mut events = Vec::new();
    let summary = for_each_in_order(reader, |event, _| events.push(event)).expect("consistent");
    assert_eq!((summary.n_dropped, events.len()), (0, 400));
    let takers: Vec<_> = events.iter().filter(|event| event.id.action == ActionId(1)).collect();
    assert_eq!(takers.len(), 200);
    for taker in takers {
        let sender = event(0, taker.id.count);
        let is_kept = taker.id.count > 200;
        assert_eq!(taker.senders(), [is_kept.then_some(sender)], "{:?}", taker.id);
    }
}
