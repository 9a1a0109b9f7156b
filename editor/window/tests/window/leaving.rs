//! Another program in place of the one that was run: nothing of the run is left, and the tour is over.

use std::fs;

use hasse_editor::run::{Breakpoint, Request, Told};
use hasse_editor::target::Target;
use hasse_ui::{Outcome, Results, Run};
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

use crate::common::Driver;
use crate::common::programs::{PROGRAM, RUNNING};
use crate::common::session::{Session, facts, finished, rest};

fn breakpoint() -> Breakpoint {
    Breakpoint {
        number: 1,
        command: "stop in B".to_owned(),
        targets: vec![Target::of_node("g", "B")],
        line: None,
        condition: String::new(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled: true,
        is_log_point: false,
    }
}

/// A window with a run that has ended.
fn ended() -> (Driver, Session) {
    let (hand, session) = Session::open(RUNNING);
    hand.key(Key::F5);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::Breakpoints(vec![breakpoint()]));
    session.end(&hand, finished());
    assert!(hand.reads("Finished"));
    session.sent();
    (hand, session)
}

fn n_runs(hand: &Driver) -> usize {
    hand.opened.window.global::<Results>().get_runs().row_count()
}

#[test]
fn another_program_shows_nothing_of_the_last_run() {
    let (hand, session) = ended();
    hand.click("Results");
    assert_eq!(n_runs(&hand), 1);
    hand.ctrl('n');
    assert_eq!(hand.title(), "New program");
    assert!(session.sent().contains(&Request::Close));
    let window = &hand.opened.window;
    let is_clear = |hand: &Driver| {
        let run = window.global::<Run>();
        assert!(!window.global::<Outcome>().get_is_shown());
        assert_eq!(n_runs(hand), 0);
        assert_eq!((run.get_told().as_str(), run.get_breakpoints().row_count()), ("", 0));
        assert_eq!(run.get_log().row_count(), 0);
    };
    is_clear(&hand);
    // What the session still tells is about the program before.
    session.end(&hand, finished());
    session.tell(&hand, rest());
    is_clear(&hand);
    session.tell(&hand, Told::Left);
    // A node with the name of one that has run has not run.
    hand.type_text("a");
    hand.key(Key::Return);
    hand.write("Name", "B");
    hand.key(Key::Return);
    assert!(!hand.told_of("B").contains("event"), "{}", hand.told_of("B"));
    session.end(&hand, finished());
    assert!(hand.reads("Finished"));
    let rows = hand.labels(AccessibleRole::ListItem);
    assert!(rows.iter().any(|row| row.starts_with("1 ")), "its runs are numbered anew: {rows:?}");
}

#[test]
fn template_and_file_show_nothing_of_the_last_run() {
    let (hand, _session) = ended();
    hand.command("Start page");
    hand.click("Loop");
    assert!(!hand.opened.window.global::<Outcome>().get_is_shown());
    let (hand, _session) = ended();
    fs::write(hand.file("b.hasse"), PROGRAM).unwrap();
    hand.ctrl('o');
    hand.click("program b.hasse");
    hand.click("Open");
    assert_eq!(hand.title(), "b.hasse");
    assert!(!hand.opened.window.global::<Outcome>().get_is_shown());
}

#[test]
fn breakpoints_come_back_with_their_program() {
    let (hand, session) = ended();
    hand.ctrl('n');
    session.tell(&hand, Told::Left);
    session.sent();
    hand.ctrl('r');
    hand.key(Key::Return);
    assert_eq!(hand.title(), "a.hasse");
    let sent = session.sent();
    assert!(sent.iter().any(|request| matches!(request, Request::Open(..))), "{sent:?}");
}

fn has_tour(hand: &Driver) -> bool {
    hand.opened.window.global::<hasse_ui::Tour>().get_is_open()
}

#[test]
fn tour_begins_only_when_its_question_is_answered() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("E"));
    hand.key(Key::RightArrow);
    let text = hand.program();
    hand.command("Tour: a first program");
    assert!(hand.has("Cancel"));
    assert!(!has_tour(&hand));
    hand.key(Key::Escape);
    assert!(!has_tour(&hand));
    assert_eq!(hand.program(), text);
    // A question of its own begins no tour.
    hand.ctrl('n');
    hand.click("Do not save");
    assert!(!has_tour(&hand));
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("E"));
    hand.key(Key::RightArrow);
    hand.command("Tour: a first program");
    hand.click("Do not save");
    assert!(has_tour(&hand) && hand.reads("Step 1 of 8"));
}

#[test]
fn tour_ends_with_another_program() {
    let hand = Driver::empty();
    hand.command("Tour: a first program");
    assert!(has_tour(&hand));
    assert_eq!(hand.app().get_hint(), "", "the steps are the hints");
    hand.command("Start page");
    hand.click("Loop");
    assert!(!has_tour(&hand));
    hand.ctrl('n');
    assert!(hand.app().get_hint().starts_with("Next: "));
}
