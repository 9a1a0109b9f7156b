use std::sync::Arc;

use hasse_editor::run::{Mode, Moment, NoMoment, Request, RunState, Snapshot, Subject, TemplateCount, Told};
use hasse_runtime::control::ActionState;
use hasse_ui::Views;
use slint::ComponentHandle;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts, instance};
use crate::views::record;

fn position(hand: &Driver) -> i32 {
    hand.opened.window.global::<Views>().get_position()
}

/// A window with a session, and the record of a file.
fn opened() -> (Driver, Session) {
    let (hand, session) = Session::open(RUNNING);
    record(&hand.file("run.trace"));
    hand.ctrl('o');
    hand.click("record run.trace");
    hand.key(Key::Return);
    hand.wait("the record", |hand| hand.has("player") && position(hand) == 5);
    session.sent();
    (hand, session)
}

/// What is asked about moments.
fn asked(session: &Session) -> Vec<Request> {
    let is_of_moments =
        |request: &Request| matches!(request, Request::Moment(_) | Request::Hit { .. } | Request::Fork);
    session.sent().into_iter().filter(is_of_moments).collect()
}

/// The session comes to a moment, at which `B[0]` has failed.
fn arrive(hand: &Driver, session: &Session, position: u64) {
    let failed = [instance(0, ActionState::Failed)];
    session.tell(
        hand,
        Told::Rest(Arc::new(Snapshot {
            state: RunState::Over { is_open: true },
            templates: vec![TemplateCount::of(1, failed.iter())],
            moment: Some(Moment {
                position,
                n_events: 5,
                is_within: false,
                text: format!("moment {position} of 5: there"),
            }),
            ..Snapshot::default()
        })),
    );
    session.tell(hand, Told::Moment(Ok(())));
}

/// The session is opened on the record.
fn begin(hand: &Driver, session: &Session) {
    session.tell(hand, Told::State(RunState::Opening));
    session.tell(hand, Told::Opened(facts(RUNNING)));
    session.tell(hand, Told::Recorded(std::path::absolute(hand.file("run.trace")).unwrap()));
}

#[test]
fn slider_asks_for_the_newest_moment_and_the_picture_shows_it() {
    let (hand, session) = opened();
    assert_eq!(asked(&session), [], "what is shown at first takes no replay");
    hand.item("position").set_accessible_value("3");
    hand.settle();
    let sent = session.sent();
    let is_trace = |request: &Request| matches!(request, Request::Open(Subject::Trace(_), _));
    assert!(sent.iter().any(is_trace) && sent.contains(&Request::Moment(3)), "{sent:?}");
    for at in ["2", "1", "4"] {
        hand.item("position").set_accessible_value(at);
        hand.settle();
        assert_eq!(position(&hand).to_string(), at, "the slider never waits");
    }
    assert_eq!(asked(&session), []);
    begin(&hand, &session);
    arrive(&hand, &session, 3);
    assert_eq!(asked(&session), [Request::Moment(4)]);
    assert!(!hand.told_of("B[i]").contains("failed"), "the state is of another moment");
    assert_eq!(position(&hand), 4);
    arrive(&hand, &session, 4);
    hand.wait("the state", |hand| hand.told_of("B[i]").contains("failed"));
    assert_eq!(asked(&session), []);
}

#[test]
fn keys_step_go_to_hits_and_fork() {
    let (hand, session) = opened();
    hand.key_with(Key::Alt, Key::LeftArrow);
    assert_eq!((position(&hand), asked(&session)), (4, vec![Request::Moment(4)]));
    begin(&hand, &session);
    arrive(&hand, &session, 4);
    hand.key_with(Key::Control, Key::F7);
    assert!(hand.status().contains("No breakpoint is set"), "{}", hand.status());
    hand.click_at(hand.nowhere());
    hand.key_with(Key::Control, Key::F5);
    assert_eq!(asked(&session), [Request::Fork]);
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Running));
    hand.wait("a run", |hand| !hand.has("Fork from here"));
}

#[test]
fn session_that_goes_elsewhere_moves_the_slider() {
    let (hand, session) = opened();
    hand.key_with(Key::Alt, Key::Home);
    begin(&hand, &session);
    arrive(&hand, &session, 0);
    asked(&session);
    // A line of the console has gone there.
    arrive(&hand, &session, 2);
    hand.wait("the slider", |hand| position(hand) == 2);
    assert_eq!(asked(&session), [], "it is there");
}

#[test]
fn record_without_moments_tells_why_and_is_asked_once() {
    let (hand, session) = opened();
    hand.key_with(Key::Alt, Key::LeftArrow);
    begin(&hand, &session);
    asked(&session);
    let text = "a restricted record cannot be replayed".to_owned();
    session.tell(&hand, Told::Moment(Err(NoMoment { text: text.clone(), is_of_record: true })));
    hand.wait("the reason", |hand| hand.reads(&text));
    hand.key_with(Key::Alt, Key::LeftArrow);
    assert_eq!((position(&hand), asked(&session)), (3, Vec::new()));
}

#[test]
fn click_on_an_event_goes_to_it() {
    let (hand, session) = opened();
    let panel = hand.item("event history");
    let (at, size) = (panel.absolute_position(), panel.size());
    let columns = (0..40).map(|column| at.x + 140.0 + 14.0 * column as f32);
    let mut places = columns.flat_map(|x| (0..8).map(move |row| [x, at.y + 26.0 + 12.0 * row as f32]));
    let found = places.find(|place| {
        if place[0] < at.x + size.width && place[1] < at.y + size.height {
            hand.click_at(*place);
        }
        position(&hand) < 5
    });
    assert!(found.is_some(), "no event is found by clicks");
    assert_eq!(asked(&session), [Request::Moment(position(&hand) as u64)]);
}
