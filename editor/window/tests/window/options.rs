use hasse_editor::run::{Mode, Options, RecordChoice, Request, RunState, Told, View};
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts};

/// A window with the form of a session that has begun.
fn opened() -> (Driver, Session) {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::State(RunState::Ready));
    hand.click("Run");
    session.sent();
    (hand, session)
}

/// Scrolls to the end of the form, or to its beginning.
fn scroll(hand: &Driver, is_down: bool) {
    for _ in 0..10 {
        hand.wheel([100.0, 500.0], if is_down { -200.0 } else { 200.0 });
    }
}

#[track_caller]
fn run(hand: &Driver, session: &Session) -> Options {
    session.sent();
    hand.press("Run (F5)");
    let sent = session.sent();
    let [.., Request::Open(_, options), Request::Run] = &sent[..] else { panic!("{sent:?}") };
    (**options).clone()
}

#[test]
fn what_is_recorded_is_selected_line_by_line() {
    let (hand, session) = opened();
    assert!(hand.reads("only the mode restrict"));
    assert!(!hand.has("Add a line: Recorded"));
    hand.click("restrict: selected ones");
    assert!(hand.reads("Nothing is selected"));
    hand.click("Add a line: Recorded");
    hand.type_text("Bee");
    assert_eq!(hand.value("recorded 1"), "Bee", "the new line has the focus");
    assert!(hand.reads("`Bee`"), "a fault is told at its line");
    session.sent();
    hand.key(Key::Escape);
    hand.press("Run (F5)");
    assert_eq!(session.sent(), [], "nothing is run with a fault");
    hand.write("recorded 1", "B[0..2]");
    assert!(!hand.reads("`Bee`"));
    assert!(!hand.reads("Nothing is selected"));
    hand.press("recorded B[0..2]: restrict");
    // Those that are selected on the picture.
    hand.click_at(hand.node_at("A"));
    hand.press("Add the nodes selected on the picture: Recorded");
    let options = run(&hand, &session);
    assert_eq!(options.mode, Mode::Restrict);
    let expected = [("B[0..2]".to_owned(), RecordChoice::Restrict), ("A".to_owned(), RecordChoice::Full)];
    assert_eq!(options.record, expected);
    hand.press("Remove recorded B[0..2]");
    assert_eq!(hand.value("recorded 1"), "A");
    assert_eq!(run(&hand, &session).record, expected[1..]);
}

#[test]
fn facilities_are_chosen_where_the_mode_has_them() {
    let (hand, session) = opened();
    scroll(&hand, true);
    hand.press("Look for races");
    hand.press("display: checked");
    hand.press("save: off");
    hand.press("file: all");
    assert!(hand.reads("a name is needed"), "of the file");
    hand.item("file name").set_accessible_value("run.trace");
    hand.settle();
    assert!(!hand.reads("a name is needed"));
    hand.press("Add a line: Checks");
    hand.press("Add a line: Check set");
    scroll(&hand, true);
    hand.item("check 1").set_accessible_value("pred B {A}");
    hand.item("check set 1").set_accessible_value("B");
    hand.settle();
    let options = run(&hand, &session);
    assert_eq!((options.races, options.display, options.save), (true, Some(View::Check), None));
    assert_eq!((options.checks, options.check_set), (vec!["pred B {A}".to_owned()], vec!["B".to_owned()]));
    assert_eq!(options.file, Some(("run.trace".to_owned(), View::Record)));
    scroll(&hand, false);
    hand.press("off: no record");
    assert!(hand.reads("nothing is checked"));
    scroll(&hand, true);
    assert!(!hand.has("Look for races") && !hand.has("file name"));
    let options = run(&hand, &session);
    assert!(!options.races && options.checks.is_empty() && options.file.is_none());
    // What is set on the console is shown.
    session.tell(&hand, Told::Options(Box::new(Options { mode: Mode::Full, seed: Some(5), ..options })));
    scroll(&hand, false);
    assert_eq!(hand.value("seed"), "5");
    scroll(&hand, true);
    assert_eq!(hand.value("check 1"), "pred B {A}", "the form has kept it");
}

#[test]
fn the_file_is_chosen_in_a_dialog() {
    let (hand, session) = opened();
    scroll(&hand, true);
    hand.press("...");
    hand.ctrl('a');
    let path = hand.file("kept");
    hand.type_text(&path.display().to_string());
    hand.key(Key::Return);
    assert_eq!(hand.value("file name"), path.with_extension("trace").display().to_string());
    assert_eq!(run(&hand, &session).file.unwrap().1, View::Record);
}
