//! Laws of post-restriction, against the causal order of full histories.

use proptest::prelude::*;

use hasse_model::order::{self, Before};
use hasse_model::trace::{TraceFooter, TraceHeader, TraceReader, TraceWriter};

use super::*;
use crate::clock::Clocks;
use crate::read::for_each_in_order;
use crate::sort::Sorter;
use crate::testing::{History, histories, names, shuffled, unread_names};

/// For each action its option: full or off, by bits.
fn selected(bits: u8) -> impl Fn(ActionId, &Names) -> RecordOption {
    move |action, _| if bits >> action.0 & 1 == 1 { RecordOption::Full } else { RecordOption::Off }
}

fn restricted(
    mode: RecordingMode,
    events: &[EventRecord],
    option_of: impl Fn(ActionId, &Names) -> RecordOption,
) -> Vec<EventRecord> {
    let mut restrictor = Restrictor::new(mode, option_of);
    let names = names();
    let mut restrict = |event| restrictor.event(event, &names).expect("a valid history").cloned();
    events.iter().filter_map(&mut restrict).collect()
}

fn from_full(history: &History, option_of: impl Fn(ActionId, &Names) -> RecordOption) -> Vec<EventRecord> {
    restricted(RecordingMode::Full, &history.events, option_of)
}

/// For each record, a bit for each record before it in the order that they define by themselves.
fn past_of(records: &[EventRecord]) -> Vec<u64> {
    let mut past: Vec<u64> = Vec::new();
    for record in records {
        let mut bits = 0;
        for before in order::before(record) {
            let (Before::Sequence(event) | Before::Flow(event)) = before else {
                panic!("a restricted record has no accesses")
            };
            let at = past.len();
            let known = records[..at].iter().position(|known| known.id == event);
            let known = known.expect("what is named was recorded before");
            bits |= 1 << known | past[known];
        }
        past.push(bits);
    }
    past
}

/// The restriction of the full order to some events.
fn expected_past(history: &History, kept: &[usize]) -> Vec<u64> {
    let bits = |&at: &usize| {
        let is_before = |&(_, &other): &(usize, &usize)| history.is_before(other, at);
        kept.iter().enumerate().filter(is_before).fold(0, |bits, (position, _)| bits | 1 << position)
    };
    kept.iter().map(bits).collect()
}

proptest! {
    #[test]
    fn the_order_among_recorded_events_is_that_of_the_full_history(history in histories(60), bits in any::<u8>()) {
        let records = from_full(&history, selected(bits));
        let kept: Vec<usize> = records.iter().map(|record| history.position(record.id)).collect();
        let is_selected = |at: &usize| bits >> history.events[*at].id.action.0 & 1 == 1;
        prop_assert_eq!(&kept, &(0..history.events.len()).filter(is_selected).collect::<Vec<_>>());
        prop_assert_eq!(past_of(&records), expected_past(&history, &kept));
    }

    #[test]
    fn lists_have_one_event_an_action_and_records_keep_their_content(history in histories(60), bits in any::<u8>()) {
        for record in from_full(&history, selected(bits)) {
            prop_assert!(record.flow.is_sorted_by(|one, other| one.action < other.action));
            let mut by_object = record.relayed.chunk_by(|one, other| one.object == other.object);
            prop_assert!(by_object.all(|list| list.is_sorted_by(|one, other| one.event.action < other.event.action)));
            let full = &history.events[history.position(record.id)];
            let mut copy = full.clone();
            (copy.flow, copy.relayed, copy.shared) = (record.flow.clone(), record.relayed.clone(), Vec::new());
            prop_assert_eq!(copy, record);
        }
    }

    #[test]
    fn two_steps_are_one(history in histories(60), wide in any::<u8>(), narrow in any::<u8>()) {
        let narrow = wide & narrow;
        let first = from_full(&history, selected(wide));
        let second = restricted(RecordingMode::Restricted, &first, selected(narrow));
        prop_assert_eq!(second, from_full(&history, selected(narrow)));
    }

    /// Restricting to what is recorded already changes nothing.
    #[test]
    fn nothing_is_lost_a_second_time(history in histories(60), bits in any::<u8>()) {
        let first = from_full(&history, selected(bits));
        let again = restricted(RecordingMode::Restricted, &first, |_, _| RecordOption::Full);
        prop_assert_eq!(again, first);
    }

    #[test]
    fn restricted_records_sort_without_leftover((history, order) in shuffled(60), bits in any::<u8>()) {
        let records = from_full(&history, selected(bits));
        let mut sorter = Sorter::new();
        let mut n_delivered = 0;
        for &at in &order {
            let id = history.events[at].id;
            if let Some(record) = records.iter().find(|record| record.id == id) {
                sorter.push(record.clone(), &mut |_| n_delivered += 1).expect("consistent");
            }
        }
        prop_assert_eq!((n_delivered, sorter.finish().n_events), (records.len(), 0));
    }

    #[test]
    fn with_everything_off_nothing_comes_out(history in histories(60)) {
        prop_assert_eq!(from_full(&history, selected(0)), Vec::new());
    }

    /// Of a full record no list outlives the values that carry it.
    #[test]
    fn lists_are_kept_only_while_values_are_under_way(history in histories(60), bits in any::<u8>()) {
        let mut restrictor = Restrictor::new(RecordingMode::Full, selected(bits));
        let mut n_under_way = vec![0; history.events.len()];
        for (at, event) in history.events.iter().enumerate() {
            restrictor.event(event, &names()).expect("a valid history");
            n_under_way[at] = event.flow_successors;
            event.flow.iter().for_each(|&sender| n_under_way[history.position(sender)] -= 1);
            let is_kept = |&at: &usize| n_under_way[at] > 0 && bits >> history.events[at].id.action.0 & 1 == 0;
            prop_assert_eq!(restrictor.n_kept(), (0..=at).filter(is_kept).count());
        }
    }

    /// With `restrict`, nothing is listed that is not before, and the order by values alone is that of `full`.
    #[test]
    fn restricted_actions_list_what_came_by_values(history in histories(60), options in any::<[u8; 6]>()) {
        let option = |action: ActionId, _: &Names| match options[action.idx()] % 3 {
            0 => RecordOption::Full,
            1 => RecordOption::Restrict,
            _ => RecordOption::Off,
        };
        let is_restricted = |record: &EventRecord| option(record.id.action, &names()) == RecordOption::Restrict;
        for record in from_full(&history, option) {
            let at = history.position(record.id);
            prop_assert!(!is_restricted(&record) || record.relayed.is_empty());
            let relayed = record.relayed.iter().map(|relayed| relayed.event);
            for listed in record.flow.iter().copied().chain(relayed) {
                prop_assert!(history.is_before(history.position(listed), at));
            }
            for &sender in &history.events[at].flow {
                let is_off = option(sender.action, &names()) == RecordOption::Off;
                let is_listed = |listed: &EventId| listed.action == sender.action && listed.count >= sender.count;
                prop_assert!(is_off || record.flow.iter().any(is_listed), "an immediate sender is listed");
            }
        }
    }

    /// Vector clocks over restricted records tell the order of the full history, and those over the full history do.
    #[test]
    fn clocks_tell_the_order((history, bits) in (histories(60), any::<u8>())) {
        let cases = [(RecordingMode::Full, history.events.clone()), (RecordingMode::Restricted, from_full(&history, selected(bits)))];
        for (mode, records) in cases {
            let mut clocks = Clocks::of_mode(mode);
            for record in &records {
                let mut clock = clocks.arrive(record).expect("a valid history");
                for other in &records {
                    let is_before = history.is_before(history.position(other.id), history.position(record.id));
                    prop_assert_eq!(clock.get(other.id.action.idx()) >= other.id.count, is_before);
                }
                clock.raise(record.id.action.idx(), record.id.count);
                clocks.leave(record, clock);
            }
        }
    }

    /// Through a trace: what is read back is what was restricted, and everything that it names is announced.
    #[test]
    fn a_restricted_trace_reads_back((history, order) in shuffled(50), bits in any::<u8>(), n_events in 1..9_usize) {
        let unread = unread_names();
        let mut header = TraceHeader { templates: unread.templates().to_vec(), ..TraceHeader::default() };
        header.shared = unread.shared().to_vec();
        let mut writer = TraceWriter::new(Vec::new(), &header).expect("a vector takes every write");
        for batch in history.batches(&order, n_events) {
            writer.write_batch(&batch).expect("a vector takes every write");
        }
        let footer = TraceFooter { n_events: history.events.len() as u64, ..TraceFooter::default() };
        let full = writer.finish(&footer).expect("a vector takes every write");

        header.mode = RecordingMode::Restricted;
        let mut writer = TraceWriter::new(Vec::new(), &header).expect("a vector takes every write");
        let reader = TraceReader::open(&full[..]).expect("a trace");
        let found = restricted_batches(reader, selected(bits), |batch| writer.write_batch(batch));
        let found = found.expect("a valid trace");
        let bytes = writer.finish(&found.footer().expect("the trace is whole")).expect("a vector takes every write");

        let mut read = Vec::new();
        let reader = TraceReader::open(&bytes[..]).expect("a trace");
        let summary = for_each_in_order(reader, |event, names| {
            assert!(!names.event(event.id).to_string().contains('?'));
            assert!(event.relayed.iter().all(|relayed| !names.object(relayed.object).to_string().contains('?')));
            read.push(event);
        });
        let summary = summary.expect("readable");
        prop_assert_eq!((summary.notes(), summary.n_delivered), (Vec::new(), found.n_recorded));
        let mut expected = from_full(&history, selected(bits));
        read.sort_by_key(|record| record.id);
        expected.sort_by_key(|record| record.id);
        prop_assert_eq!(read, expected);
    }
}

fn id(action: u32, count: u64) -> EventId {
    EventId { action: ActionId(action), count }
}

#[test]
fn a_value_that_was_not_sent_is_refused() {
    let mut restrictor = Restrictor::new(RecordingMode::Full, selected(0b10));
    let mut sender = EventRecord::new(id(0, 1));
    sender.flow_successors = 1;
    let mut taker = EventRecord::new(id(1, 1));
    taker.flow.push(sender.id);
    assert_eq!(restrictor.event(&sender, &names()), Ok(None));
    assert!(restrictor.event(&taker, &names()).is_ok_and(|record| record.is_some()));
    taker.id.count = 2;
    let error = TakenTooOften { event: taker.id, sender: sender.id };
    assert_eq!(restrictor.event(&taker, &names()), Err(error));
}

#[test]
fn a_failing_sink_ends_it() {
    let mut writer =
        TraceWriter::new(Vec::new(), &TraceHeader::default()).expect("a vector takes every write");
    let mut batch = hasse_model::event::EventBatch::default();
    (1..=20_000).for_each(|count| batch.push(&mut EventRecord::new(id(0, count))));
    writer.write_batch(&batch).expect("a vector takes every write");
    let bytes = writer.finish(&TraceFooter::default()).expect("a vector takes every write");
    let mut n_writes = 0;
    let reader = TraceReader::open(&bytes[..]).expect("a trace");
    let result = restricted_batches(reader, selected(1), |_| {
        n_writes += 1;
        Err(std::io::ErrorKind::StorageFull.into())
    });
    assert!(matches!(result, Err(RestrictError::Write(_))), "{result:?}");
    assert_eq!(n_writes, 1);
}
