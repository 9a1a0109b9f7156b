//! Moments of the record of a real session: the picture at each of them, hits of breakpoints, and runs that go on from one.

use std::path::{Path, PathBuf};

use hasse_editor::run::{Button, Mode, RunPanel, RunState};
use hasse_editor::target::Target;
use hasse_editor::views::record::{LoadOptions, RecordSource, load_now};
use hasse_model::record_options::RecordOption;

use super::{BTS, Window, n_recorded};

/// Goes to a moment and waits until it is there, or refused.
#[track_caller]
fn go(window: &mut Window, record: &Path, position: u64) {
    window.panel.go_to_moment(record, position);
    window.until("the moment", |panel| !panel.is_traveling());
}

fn recorded(text: &str) -> (Window, PathBuf, u64) {
    let mut window = Window::on(text);
    window.run();
    let record = window.record();
    let n_events = n_recorded(&record) as u64;
    (window, record, n_events)
}

fn position(panel: &RunPanel) -> Option<u64> {
    panel.moment().map(|moment| moment.position)
}

#[test]
fn each_moment_has_its_counts_and_the_order_is_that_of_the_views() {
    let (mut window, record, n_events) = recorded(BTS);
    let options = LoadOptions::new(hasse_body::functions());
    let shown = load_now(&RecordSource::File(record.clone()), &options, None).unwrap();
    for at in [n_events, 0, 1, n_events / 2, n_events - 1, 2] {
        go(&mut window, &record, at);
        assert_eq!(window.panel.moment_problem(), "");
        assert_eq!((position(&window.panel), window.panel.n_events()), (Some(at), at));
        assert_eq!(window.panel.state(), RunState::Over { is_open: true });
        let text = &window.panel.moment().unwrap().text;
        let last = at.checked_sub(1).map(|last| shown.event_name(last as u32));
        let last = last.map_or("nothing has been executed".to_owned(), |last| format!("after {last}"));
        assert_eq!(*text, format!("moment {at} of {n_events}: {last}"));
        // No state says that an action is stopped by a person: nothing is.
        assert_eq!(window.panel.stopped().1, 0, "{text}");
    }
    let n_of = |window: &Window, node: &str| window.panel.marks("bts").nodes.get(node)?.n_events;
    go(&mut window, &record, n_events);
    assert_eq!(n_of(&window, "Solve"), Some(4));
    go(&mut window, &record, 1);
    assert!(n_of(&window, "Solve").is_none_or(|n_events| n_events == 0));
    assert!(window.panel.marks("bts").links.values().any(|link| link.n_queued.is_some_and(|n| n > 0)));
}

#[test]
fn dragging_ends_at_the_newest_moment() {
    let (mut window, record, n_events) = recorded(BTS);
    (0..=n_events).chain((3..n_events).rev()).for_each(|at| window.panel.go_to_moment(&record, at));
    window.until("the moment", |panel| !panel.is_traveling());
    assert_eq!(position(&window.panel), Some(3));
}

#[test]
fn console_and_hits_lead_the_player() {
    let (mut window, record, n_events) = recorded(BTS);
    go(&mut window, &record, n_events);
    assert_eq!(window.panel.take_sought(), None);
    window.type_line("goto 2", "moment 2 of");
    window.until("there", |panel| position(panel) == Some(2));
    assert_eq!(window.panel.take_sought(), Some(2));
    window.panel.go_to_hit(&record, false);
    window.until("refused", |panel| !panel.is_traveling());
    assert!(
        window.panel.moment_problem().contains("no breakpoint is set"),
        "{}",
        window.panel.moment_problem()
    );
    window.panel.toggle_breakpoint(&Target::of_node("bts", "Solve"));
    window.until("set", |panel| panel.breakpoints().len() == 1);
    window.panel.go_to_hit(&record, false);
    window.until("the hit", |panel| !panel.is_traveling());
    let first = window.panel.take_sought().unwrap();
    let text = window.panel.moment().unwrap().text.clone();
    assert!(text.contains("/Solve:1 at befcomp"), "{text}");
    window.panel.go_to_hit(&record, false);
    window.until("the next hit", |panel| !panel.is_traveling());
    let next = window.panel.take_sought().unwrap();
    assert!(first < next, "{first} {next}");
    window.panel.go_to_hit(&record, true);
    window.until("the hit before", |panel| !panel.is_traveling());
    assert_eq!(window.panel.take_sought(), Some(first));
    // The moment before the event, in place of the one within it.
    go(&mut window, &record, first);
    assert!(!window.panel.moment().unwrap().is_within);
}

#[test]
fn fork_is_a_run_with_a_record_of_its_own() {
    let (mut window, record, n_events) = recorded(BTS);
    go(&mut window, &record, 2);
    window.panel.fork(&record);
    window.until_begun(2);
    window.until("over", |panel| panel.ended().is_some());
    let forked = window.record();
    assert_ne!(forked, record);
    assert_eq!((n_recorded(&forked) as u64, window.panel.moment()), (n_events, None));
    assert_eq!((window.panel.runs().count(), window.panel.run_mode()), (2, Mode::Full));
    // The session has the record of the fork now; that of the first run is read from its file.
    go(&mut window, &forked, 3);
    assert!(window.panel.shows_moment(&forked, 3));
    go(&mut window, &record, 1);
    assert!(window.panel.shows_moment(&record, 1), "{}", window.panel.moment_problem());
    // And the next run is one of the program again.
    window.run();
    assert!(window.panel.moment().is_none());
    assert_eq!(window.panel.runs().count(), 3);
}

#[test]
fn breakpoint_set_at_a_moment_of_a_file_stops_the_next_run() {
    let (mut window, first, _) = recorded(BTS);
    window.run();
    window.record();
    go(&mut window, &first, 1);
    window.panel.toggle_breakpoint(&Target::of_node("bts", "Solve"));
    window.until("set", |panel| panel.breakpoints().len() == 1);
    assert_eq!(position(&window.panel), Some(1), "the session stays at its moment");
    window.run();
    assert_eq!(window.panel.state(), RunState::Waiting);
    window.panel.go_to_moment(&first, 2);
    assert!(!window.panel.is_traveling(), "a run is under way");
    window.press(Button::End);
}

#[test]
fn record_without_moments_says_why_once() {
    let mut window = Window::on(BTS);
    let record = vec![("Solve".to_owned(), RecordOption::Full)];
    let options =
        hasse_editor::run::Options { mode: Mode::Restrict, record, ..window.panel.options().clone() };
    window.panel.set_options(options);
    window.run();
    let record = window.record();
    go(&mut window, &record, 1);
    let problem = window.panel.moment_problem().to_owned();
    assert!(problem.contains("cannot be replayed"), "{problem}");
    assert_eq!(window.panel.moment(), None);
    window.panel.go_to_moment(&record, 2);
    assert!(!window.panel.is_traveling());
    let file = tempfile::tempdir().unwrap();
    go(&mut window, &file.path().join("gone.trace"), 1);
    assert_ne!(window.panel.moment_problem(), "");
}
