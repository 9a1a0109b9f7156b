use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

use hasse_editor::run::{Mode, Request, RunState, Snapshot, Subject, TemplateCount, Told};
use hasse_editor::views::record::AskedRecord;
use hasse_model::event::EventBatch;
use hasse_model::trace::{TraceHeader, TraceReader};
use hasse_runtime::control::ActionState;
use hasse_ui::Views;
use i_slint_backend_testing::AccessibleRole;
use slint::ComponentHandle;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts, instance};
use crate::views::record;

/// A window whose session has begun, and what a run of its program records.
fn begun(mode: Mode) -> (Driver, Session, Arc<TraceHeader>, Vec<Arc<EventBatch>>) {
    let (hand, session) = Session::open(RUNNING);
    record(&hand.file("run.trace"));
    let mut reader = TraceReader::open(BufReader::new(File::open(hand.file("run.trace")).unwrap())).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        batches.push(Arc::new(batch));
    }
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::Begun(mode));
    session.tell(&hand, Told::State(RunState::Running));
    hand.command("Event history");
    (hand, session, Arc::new(reader.header().clone()), batches)
}

fn shown(hand: &Driver) -> (i32, i32) {
    let views = hand.opened.window.global::<Views>();
    (views.get_position(), views.get_n_events())
}

#[test]
fn the_history_grows_with_the_run_and_the_whole_record_keeps_the_place() {
    let (hand, session, header, batches) = begun(Mode::Full);
    session.tell(&hand, Told::Header(header));
    hand.wait("an empty history", |hand| hand.has("Follow"));
    assert_eq!(shown(&hand), (0, 0));
    for batch in batches {
        session.tell(&hand, Told::Batch(batch));
    }
    hand.wait("the events", |hand| shown(hand) == (5, 5));
    assert!(hand.reads("record of the run under way"));
    // Back, and on again.
    hand.click("One event back (Alt+Left)");
    hand.click("One event back (Alt+Left)");
    assert_eq!(shown(&hand), (3, 5));
    let follows = |hand: &Driver| hand.opened.window.global::<Views>().get_follows();
    assert!(!follows(&hand));
    hand.click("Follow");
    assert_eq!((shown(&hand), follows(&hand)), ((5, 5), true));
    hand.click("To the first event (Alt+Home)");
    hand.click("One event on (Alt+Right)");
    assert!(hand.told_of("A").contains("executing"), "what was, not what is: {}", hand.told_of("A"));
    session.tell(&hand, Told::State(RunState::Over { is_open: true }));
    session.tell(&hand, Told::Recorded(hand.file("run.trace")));
    hand.wait("the whole record", |hand| hand.reads("record of the last run"));
    assert_eq!(shown(&hand), (1, 5));
    assert!(!hand.has("Follow"));
}

#[test]
fn history_grows_where_the_run_is_announced_before_its_state() {
    let (hand, session, header, batches) = begun(Mode::Full);
    session.tell(&hand, Told::State(RunState::Over { is_open: false }));
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::Header(header));
    session.tell(&hand, Told::State(RunState::Stopping));
    for batch in batches {
        session.tell(&hand, Told::Batch(batch));
    }
    hand.wait("the events", |hand| shown(hand) == (5, 5));
}

#[test]
fn what_is_left_out_and_what_is_not_recorded_is_told() {
    let (hand, session, header, batches) = begun(Mode::Full);
    session.tell(&hand, Told::Header(header));
    session.tell(&hand, Told::Batch(Arc::clone(&batches[0])));
    session.tell(&hand, Told::BatchesLeftOut);
    hand.wait("what is left out", |hand| hand.reads("left out"));
    session.tell(&hand, Told::State(RunState::Over { is_open: true }));
    session.tell(&hand, Told::Begun(Mode::Off));
    hand.wait("what is not recorded", |hand| hand.reads("records nothing (mode off)"));
}

#[test]
fn a_silent_run_says_so_where_nothing_is_shown() {
    let (hand, ..) = begun(Mode::None);
    assert!(hand.reads("records nothing (mode none)"));
}

#[test]
fn a_record_of_a_file_is_looked_at_and_replayed() {
    let (hand, session) = Session::open(RUNNING);
    record(&hand.file("run.trace"));
    hand.ctrl('o');
    hand.click("record run.trace");
    hand.key(Key::Return);
    hand.wait("the record", |hand| shown(hand).1 == 5);
    hand.click("Run");
    assert_eq!(hand.item("full: all events").accessible_checked(), Some(true), "the mode stays");
    hand.key(Key::Escape);
    session.sent();
    let opened = |hand: &Driver| {
        hand.key(Key::F5);
        let sent = session.sent();
        let [.., Request::Open(subject, options), Request::Run] = &sent[..] else { panic!("{sent:?}") };
        session.tell(hand, Told::State(RunState::Over { is_open: false }));
        (subject.clone(), options.mode)
    };
    let (subject, mode) = opened(&hand);
    assert!(matches!(subject, Subject::Program { .. }), "{subject:?}");
    assert_eq!(mode, Mode::Full, "what is looked at is not what is run");
    hand.click("Run");
    hand.click("post-mortem: the record");
    hand.key(Key::Escape);
    let trace = std::path::absolute(hand.file("run.trace")).unwrap();
    assert_eq!(opened(&hand), (Subject::Trace(trace.clone()), Mode::PostMortem));
    // The session writes what it has looked at; the record stays what it is about.
    std::fs::copy(hand.file("run.trace"), hand.file("last.trace")).unwrap();
    session.tell(&hand, Told::Begun(Mode::PostMortem));
    session.tell(&hand, Told::Recorded(hand.file("last.trace")));
    hand.click("Run");
    hand.click("replay the record");
    hand.key(Key::Escape);
    assert_eq!(opened(&hand), (Subject::Trace(trace), Mode::Replay));
    // Other modes run the program that is open.
    hand.click("Run");
    hand.click("full: all events");
    hand.key(Key::Escape);
    let (subject, mode) = opened(&hand);
    assert!(matches!(subject, Subject::Program { .. }), "{subject:?}");
    assert_eq!(mode, Mode::Full);
    // Then the last run is what is replayed.
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::Recorded(hand.file("last.trace")));
    hand.click("Run");
    hand.click("replay the record");
    hand.key(Key::Escape);
    let (subject, mode) = opened(&hand);
    assert!(matches!(subject, Subject::Program { .. }), "{subject:?}");
    assert_eq!(mode, Mode::Replay);
    assert_eq!(hand.program(), RUNNING);
}

#[test]
fn a_record_brings_its_program_where_none_is_open() {
    let hand = Driver::empty();
    record(&hand.file("run.trace"));
    let open = |hand: &Driver| {
        hand.ctrl('o');
        hand.ctrl('a');
        hand.type_text(&hand.file("run.trace").display().to_string());
        hand.key(Key::Return);
        hand.wait("the record", |hand| shown(hand).1 == 5);
    };
    open(&hand);
    assert_eq!(hand.program(), RUNNING);
    assert!(hand.node("B[i]").is_some());
    // Of another program it is shown with a word about it, and the program stays.
    let hand = Driver::of(&RUNNING.replace("let one = 1;", "let one = 2;"));
    record(&hand.file("run.trace"));
    open(&hand);
    assert!(hand.status().contains("of another text"), "{}", hand.status());
    assert!(hand.program().contains("let one = 2;"));
}

#[test]
fn playback_shows_state_of_its_moment_and_not_of_the_end() {
    let (hand, session, header, batches) = begun(Mode::Full);
    session.tell(&hand, Told::Header(header));
    batches.into_iter().for_each(|batch| session.tell(&hand, Told::Batch(batch)));
    let failed = [instance(0, ActionState::Failed)];
    let state = RunState::Over { is_open: true };
    let templates = vec![TemplateCount::of(1, failed.iter())];
    session.tell(&hand, Told::Rest(Arc::new(Snapshot { state, templates, ..Snapshot::default() })));
    session.tell(&hand, Told::Recorded(hand.file("run.trace")));
    hand.wait("the whole record", |hand| hand.reads("record of the last run"));
    // A thread puts the events in order once more when the whole record takes the place of the one that grew.
    hand.wait("the end", |hand| hand.told_of("B[i]").contains("failed"));
    hand.click("To the first event (Alt+Home)");
    hand.wait("the beginning", |hand| !hand.told_of("B[i]").contains("failed"));
    hand.click("To the last event (Alt+Shift+Home)");
    hand.wait("the end again", |hand| hand.told_of("B[i]").contains("failed"));
}

#[test]
fn values_are_seen_while_the_run_is_at_rest() {
    let (hand, session, header, batches) = begun(Mode::Full);
    session.tell(&hand, Told::Header(header));
    batches.into_iter().for_each(|batch| session.tell(&hand, Told::Batch(batch)));
    hand.wait("the events", |hand| shown(hand) == (5, 5));
    hand.command("Values at this moment");
    assert!(hand.reads("values are there when the run is at rest or over"));
    let so_far = |rest| AskedRecord::SoFar { rest };
    let asked = |rest| Request::Values { of: so_far(rest), events: None };
    assert!(!session.sent().contains(&asked(1)), "a run that goes on is left alone");
    session.tell(&hand, Told::State(RunState::Stopped));
    assert!(session.sent().contains(&asked(1)));
    assert!(hand.reads("values are being made again by a replay"));
    // The run goes on before the answer comes: it is not that of the next rest.
    session.tell(&hand, Told::State(RunState::Running));
    session.tell(&hand, Told::State(RunState::Stopped));
    let events = Arc::new(record(&hand.file("run.trace")));
    session.tell(&hand, Told::Values { of: so_far(1), result: Ok(Arc::clone(&events)) });
    assert!(hand.reads("values are being made again by a replay"));
    session.tell(&hand, Told::Values { of: so_far(2), result: Ok(events) });
    assert!(hand.has("  as far as events have ended: what a stopped action has taken counts as waiting"));
    assert!(hand.labels(AccessibleRole::ListItem).iter().any(|row| row.starts_with("/total = 3, by /B")));
    let arc = hand.opened.arc_at(1).unwrap();
    hand.move_to(arc);
    hand.wait("the card", |hand| hand.reads("3 values, 0 waiting or in use"));
}
