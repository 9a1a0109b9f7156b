//! Views of records: compact records, lanes and their pictures, playback, restriction, findings and models.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "tests")]

use std::sync::Arc;

use hasse_debugger::read::for_each_in_order;
use hasse_debugger::stored::Stored;
use hasse_editor::views::record::{Flows, LoadError, LoadOptions, Record, RecordSource, Via, load, load_now};
use hasse_editor::views::select::{Related, Relation, Selection};
use hasse_editor::views::task::no_wake;
use hasse_model::trace::RecordingMode;
use proptest::collection::vec;
use proptest::prelude::*;

/// Pictures of events in lanes.
#[path = "views/charts.rs"]
mod charts;
/// Rules and arcs that were used.
#[path = "views/covering.rs"]
mod covering;
/// Findings and models.
#[path = "views/finding.rs"]
mod finding;
/// Records that grow.
#[path = "views/growing.rs"]
mod growing;
/// The elaborated graph.
#[path = "views/instances.rs"]
mod instances;
/// Records to look at.
#[path = "views/made.rs"]
mod made;
/// Playback.
#[path = "views/playing.rs"]
mod playing;
/// The elaborated graph before a run.
#[path = "views/previewing.rs"]
mod previewing;
/// Searching events.
#[path = "views/searching.rs"]
mod searching;
/// All views together.
#[path = "views/together.rs"]
mod together;
/// Values of events.
#[path = "views/values.rs"]
mod values;

use made::{Step, example, functions, history, loaded, pasts};

pub(crate) fn histories(most: usize) -> impl Strategy<Value = RecordSource> {
    let access = prop_oneof![3 => Just(None), 1 => (0..3_u8, any::<bool>()).prop_map(Some)];
    let step = (0..8_u8, 0..3_u8, vec(0..8_u8, 0..3), access, 0..40_u8);
    vec(step, 1..most).prop_map(|steps: Vec<Step>| history(&steps))
}

fn batches(source: &RecordSource) -> Stored<'_> {
    match source {
        RecordSource::Memory { header, batches } => Stored::new(header, batches),
        RecordSource::File(_) => panic!("records of tests are in memory"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_record_has_the_events_and_orderings_of_its_trace(source in histories(60)) {
        let record = loaded(&source);
        let mut at = 0;
        for_each_in_order(batches(&source), |event, names| {
            assert_eq!(record.event_name(at), names.event(event.id).to_string());
            let flow: Vec<String> = event.flow.iter().map(|&sender| names.event(sender).to_string()).collect();
            let taken = record.before(at).filter(|before| matches!(before.via, Via::Value(_)));
            let taken: Vec<String> = taken.map(|before| record.event_name(before.event)).collect();
            assert_eq!(taken, flow);
            let sequence = record.before(at).filter(|before| before.via == Via::Sequence).count();
            assert_eq!(sequence, usize::from(event.id.count > 1));
            for access in &event.shared {
                let writers = record.before(at).filter(|before| {
                    matches!(before.via, Via::Read(object) | Via::Write(object) if object == access.object)
                });
                let writers: Vec<String> = writers.map(|before| record.event_name(before.event)).collect();
                let writer = access.writer.map(|writer| names.event(writer).to_string());
                assert_eq!(writers, writer.into_iter().collect::<Vec<_>>());
                let readers = record.before(at).filter(|before| before.via == Via::Overwrite(access.object));
                assert_eq!(readers.count() as u64, access.readers);
            }
            let timing = event.timing.unwrap();
            assert_eq!(record.times(at), Some((timing.start, timing.end)));
            assert_eq!(u32::from(record.worker(at)), timing.worker);
            at += 1;
        }).unwrap();
        prop_assert_eq!(record.n_events(), at);
        let names = record.instances_by_path();
        for event in 0..record.n_events() {
            let level = record.before(event).map(|before| record.level(before.event) + 1).max();
            prop_assert_eq!(record.level(event), level.unwrap_or(0));
            prop_assert!(record.before(event).all(|before| record.after(before.event).contains(&event)));
            prop_assert_eq!(record.event_named(&names, &record.event_name(event)), Some(event));
        }
        let n_after: usize = (0..record.n_events()).map(|event| record.after(event).len()).sum();
        let n_before: usize = (0..record.n_events()).map(|event| record.before(event).len()).sum();
        prop_assert_eq!(n_after, n_before);
    }

    #[test]
    fn what_is_before_and_after_an_event_is_highlighted(source in histories(40), at in any::<prop::sample::Index>()) {
        let record = loaded(&source);
        let event = at.index(record.n_events() as usize) as u32;
        let pasts = pasts(&record);
        let related = Related::of(&record, Selection::Event(event));
        for other in 0..record.n_events() {
            let is_near = |one: u32, two: u32| record.before(two).any(|before| before.event == one);
            let expected = if other == event {
                Some(Relation::Selected)
            } else if pasts[event as usize][other as usize] {
                Some(if is_near(other, event) { Relation::Cause } else { Relation::EarlierCause })
            } else if pasts[other as usize][event as usize] {
                Some(if is_near(event, other) { Relation::Effect } else { Relation::LaterEffect })
            } else {
                None
            };
            prop_assert_eq!(related.events.get(&other).copied(), expected);
        }
    }

    #[test]
    fn a_record_that_is_cut_is_a_beginning_and_says_so(source in histories(60)) {
        let whole = loaded(&source);
        let most_bytes = 800;
        let options = LoadOptions { most_bytes, functions: functions() };
        let cut = load_now(&source, &options, None).unwrap();
        prop_assert!(cut.n_events() <= whole.n_events());
        for event in 0..cut.n_events() {
            prop_assert_eq!(cut.event_name(event), whole.event_name(event));
            prop_assert!(cut.before(event).eq(whole.before(event)));
        }
        prop_assert_eq!(cut.notes().is_empty(), cut.n_events() == whole.n_events());
    }
}

#[test]
fn too_large_a_record_is_refused_in_words() {
    let steps: Vec<Step> = (0..200).map(|at| (at % 8, 1, vec![(at + 1) % 8], None, 1)).collect();
    let options = LoadOptions { most_bytes: 10_000, functions: functions() };
    let cut = load_now(&history(&steps), &options, None).unwrap();
    let note = &cut.notes()[0];
    assert!(note.starts_with(&format!("only the first {} events are shown", cut.n_events())), "{note}");
    assert!(cut.n_events() > 20 && cut.n_events() < 200);
}

#[test]
fn a_minimal_record_has_nothing_to_show() {
    let RecordSource::Memory { header, batches } = history(&[(0, 0, vec![], None, 1)]) else { panic!() };
    let mut header = (*header).clone();
    header.mode = RecordingMode::Minimal;
    let source = RecordSource::Memory { header: Arc::new(header), batches };
    let task = load(source, LoadOptions::new(functions()), no_wake());
    assert!(matches!(task.wait(), Some(Err(LoadError::Minimal))));
}

/// Every way of a record's values, as the texts of its arcs, with how many values went along it.
fn ways(record: &Record) -> String {
    let flows = Flows::of(record);
    let mut lines: Vec<String> = (0..flows.n_ways())
        .map(|way| {
            let arcs = record.way(way).iter().map(|&arc| record.program().arcs()[arc as usize].text.clone());
            format!("{} by {}", flows.n_taken(way, record.n_events()), arcs.collect::<Vec<_>>().join(", "))
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

#[test]
fn values_came_along_arcs_also_through_calls() {
    let record = loaded(&example("bts", "bts.hasse"));
    let unknown = (0..record.n_events())
        .flat_map(|event| record.before(event).collect::<Vec<_>>())
        .filter(|before| before.via == Via::Value(None));
    assert_eq!(unknown.count(), 0);
    insta::assert_snapshot!("ways_bts", ways(&record));
    insta::assert_snapshot!("ways_calls", ways(&loaded(&together::nested())));
}

#[test]
fn what_is_told_of_an_event() {
    let record = loaded(&example("bts", "bts.hasse"));
    let names = record.instances_by_path();
    let event = record.event_named(&names, "/Mult[2]:2").unwrap();
    let lines = record.facts(event, None).into_iter().filter(|fact| fact.name != "position");
    let lines: Vec<String> = lines.map(|fact| format!("{}: {}", fact.name, fact.text)).collect();
    insta::assert_snapshot!("facts", lines.join("\n"));
}
