//! Pages of histories made by hand and of random ones.

use proptest::prelude::*;

use hasse_model::event::{EventRecord, SharedAccess};
use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::Access;
use hasse_model::record_options::RecordOption;
use hasse_model::trace::{RecordingMode, TraceHeader};

use super::*;
use crate::facility::OptionOf;
use crate::restrict::Restrictor;
use crate::stored::Stored;
use crate::testing::{self, History};

fn header() -> TraceHeader {
    let names = testing::unread_names();
    TraceHeader {
        templates: names.templates().to_vec(),
        shared: names.shared().to_vec(),
        ..TraceHeader::default()
    }
}

fn id(action: u32, count: u64) -> EventId {
    EventId { action: ActionId(action), count }
}

fn event(own: EventId, flow: &[EventId], n_sent: u64) -> EventRecord {
    let mut event = EventRecord::new(own);
    event.flow = flow.to_vec();
    event.flow_successors = n_sent;
    event
}

fn accessing(mut event: EventRecord, access: Access, writer: Option<EventId>, readers: u64) -> EventRecord {
    event.shared.push(SharedAccess { object: ObjectId(0), access, writer, readers });
    event
}

/// /T0 sends to both instances of /T1, which share an object with it, and these send to /T2.
fn by_hand() -> Vec<EventRecord> {
    vec![
        accessing(event(id(0, 1), &[], 4), Access::Write, None, 0),
        accessing(event(id(1, 1), &[id(0, 1), id(0, 1)], 1), Access::Read, Some(id(0, 1)), 0),
        accessing(event(id(4, 1), &[id(0, 1)], 1), Access::Write, Some(id(0, 1)), 1),
        event(id(2, 1), &[id(1, 1)], 0),
        event(id(1, 2), &[id(0, 1)], 0),
        event(id(2, 2), &[id(4, 1)], 0),
    ]
}

fn shown(events: &[EventRecord], restriction: Option<Restriction<'_>>, options: &HistoryOptions) -> String {
    let history = History { events: events.to_vec(), past: Vec::new() };
    let order: Vec<usize> = (0..events.len()).collect();
    let batches = history.batches(&order, 3);
    let page = page(Stored::new(&header(), &batches), restriction, options);
    page.map_or_else(
        |error| match error {
            HistoryError::NoSuchEvent { ref help, .. } => format!("{error}: {help}"),
            error => error.to_string(),
        },
        |page| page.to_text(),
    )
}

#[test]
fn lanes_are_templates_or_actions() {
    let by = |lanes| HistoryOptions { lanes, ..HistoryOptions::default() };
    let texts = [Lanes::Template, Lanes::Action].map(|lanes| shown(&by_hand(), None, &by(lanes))).join("\n");
    insta::assert_snapshot!(texts);
}

#[test]
fn lanes_that_have_no_room_are_numbered_or_left_out() {
    let with = |lanes_width, columns| {
        let options = HistoryOptions {
            lanes: Lanes::Action,
            lanes_width,
            columns,
            n_events: 3,
            ..HistoryOptions::default()
        };
        shown(&by_hand(), None, &options)
    };
    let texts = [with(8, Columns::Auto), with(5, Columns::Auto), with(5, Columns::Always)].join("\n");
    insta::assert_snapshot!(texts);
    assert_eq!(with(60, Columns::Never), with(5, Columns::Auto));
}

#[test]
fn mappings_lead_between_the_three_graphs() {
    let options =
        HistoryOptions { has_map: true, columns: Columns::Never, n_events: 4, ..HistoryOptions::default() };
    insta::assert_snapshot!(shown(&by_hand(), None, &options));
}

#[test]
fn a_restricted_history_keeps_the_orderings() {
    let option_of: OptionOf<'_> = Box::new(|action, names| match names.template_of(action) {
        Some(template) if template.0 == 1 => RecordOption::Off,
        _ => RecordOption::Full,
    });
    let restriction = Restrictor::new(RecordingMode::Full, option_of);
    insta::assert_snapshot!(shown(&by_hand(), Some(restriction), &HistoryOptions::default()));
}

#[test]
fn a_page_begins_where_it_is_asked_to() {
    let from = |start: &str| {
        let start = Start::parse(start).expect("a start");
        let columns = Columns::Never;
        shown(&by_hand(), None, &HistoryOptions { start, n_events: 2, columns, ..HistoryOptions::default() })
    };
    assert_eq!(
        from("5"),
        "5  /T1[0]:2  from /T0[0]:1  sequence /T1[0]:1\n\
        6  /T2[0]:2  from /T1[1]:1  sequence /T2[0]:1\nevents 5 to 6 of 6\n"
    );
    assert_eq!(from("-2"), from("5"));
    assert_eq!(from("/T1[0]:2"), from("5"));
    assert_eq!(from("T1[0]:2"), from("5"));
    assert!(from("-5").ends_with("events 2 to 3 of 6; the next is 4\n"), "{}", from("-5"));
    assert_eq!(from("-50"), from("1"));
    assert_eq!(from("7"), "no event of 6\n");
    assert_eq!(from("/T1[0]:3"), "there is no event `/T1[0]:3`: /T1[0] has 2 events here");
    assert!(from("/T9:1").starts_with("there is no event `/T9:1`: no such action executed"));
}

#[test]
fn only_places_and_events_are_starts() {
    for text in ["", "0", "Mult", "Mult:0", "Mult:x", ":1", "/:1", "1.5"] {
        assert_eq!(Start::parse(text), None, "{text}");
    }
    assert_eq!(Start::parse(" -3 "), Some(Start::BeforeEnd(3)));
    assert_eq!(Start::parse("a/b[1]:2"), Some(Start::Event("/a/b[1]:2".into())));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Scrolling through a history shows each event once and in order, and every line of lanes has one mark of its own.
    #[test]
    fn pages_make_up_the_history((history, order) in testing::shuffled(20), n_events in 1..7_usize) {
        let batches = history.batches(&order, 4);
        let header = header();
        let mut seen = Vec::new();
        let mut start = 1;
        loop {
            let options = HistoryOptions {
                start: Start::At(start), n_events, lanes: Lanes::Action, columns: Columns::Always, ..HistoryOptions::default()
            };
            let page = page(Stored::new(&header, &batches), None, &options).expect("a history");
            let text = page.to_text();
            for line in text.lines().skip(1).take(page.events.len()) {
                prop_assert_eq!(line.matches('*').count(), 1, "{}", text);
            }
            prop_assert_eq!(page.to_json()["events"].as_array().map(Vec::len), Some(page.events.len()));
            seen.extend(page.events.iter().map(|event| event.id));
            match page.next() {
                Some(next) => start = next,
                None => break,
            }
        }
        let positions: Vec<usize> = seen.iter().map(|&event| history.position(event)).collect();
        prop_assert_eq!(positions.len(), history.events.len());
        for (at, &later) in positions.iter().enumerate() {
            prop_assert!(positions[..at].iter().all(|&earlier| earlier != later && !history.is_before(later, earlier)));
        }
    }
}
