//! The end of a run: the banner below the picture, and the tab with runs, results and one value.

use std::sync::Arc;

use hasse_editor::run::{Ended, Failure, LinkQueue, Mode, Options, Request, RunState, Snapshot, Told};
use hasse_model::value::{Matrix, Value};
use hasse_runtime::report::RunOutcome;
use i_slint_backend_testing::AccessibleRole;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts, finished};

fn opened() -> (Driver, Session) {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::State(RunState::Ready));
    (hand, session)
}

fn with_results(results: Vec<(&str, Value)>) -> Ended {
    let results = results.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Ended { results: Arc::new(results), ..finished() }
}

/// The line of the program's text that has this in it, from 1.
fn line_of(part: &str) -> u32 {
    let at = RUNNING.lines().position(|line| line.contains(part)).unwrap();
    u32::try_from(at + 1).unwrap()
}

#[test]
fn banner_shows_outcome_results_and_figures_until_it_is_closed() {
    let (hand, session) = opened();
    assert!(!hand.has("Close the outcome"));
    session.end(&hand, with_results(vec![("total", Value::Int(204))]));
    for part in ["Finished", "total = 204", "1.20 ms, 9 events"] {
        assert!(hand.reads(part), "{part}");
    }
    hand.click("Close the outcome");
    hand.wait("the banner to go", |hand| !hand.has("Close the outcome"));
    session.end(&hand, finished());
    assert!(hand.has("Close the outcome"), "the next run has its own");
}

#[test]
fn banner_of_a_failed_run_leads_to_the_line() {
    let (hand, session) = opened();
    let line = line_of("do");
    let failure = Failure { event: "/A:1".to_owned(), message: "boom".to_owned(), line };
    let reason = "/A:1 failed: boom".to_owned();
    session.end(&hand, Ended { outcome: RunOutcome::Failed, reason, failures: vec![failure], ..finished() });
    assert!(hand.reads("Failed") && hand.reads("/A:1 failed: boom"));
    assert!(hand.told_of("A").contains("failed: boom"), "{}", hand.told_of("A"));
    hand.click("Line 1 of the body");
    assert_eq!(hand.selected(), ["A"]);
    assert_eq!(hand.app().get_panel(), 0, "the body is shown");
}

#[test]
fn banner_of_a_deadlock_leads_to_the_cycle() {
    let (hand, session) = opened();
    let cycle = vec!["/B[0]".to_owned(), "/A".to_owned()];
    session.end(&hand, Ended { outcome: RunOutcome::Quiescent, cycle, ..finished() });
    assert!(hand.reads("Deadlock"));
    hand.click("Show the cycle");
    assert_eq!(hand.selected(), ["B[i]"]);
    let waits = Some("/A".to_owned());
    session.end(&hand, Ended { outcome: RunOutcome::Quiescent, waits, ..finished() });
    session.sent();
    hand.click("Why does it wait?");
    assert_eq!(hand.selected(), ["A"]);
    assert!(session.sent().contains(&Request::Look(Some("/A".to_owned()))));
}

#[test]
fn results_are_listed_and_looked_at() {
    let (hand, session) = opened();
    let heat = Matrix::from_columns(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.5]).unwrap();
    session.end(
        &hand,
        with_results(vec![
            ("heat", Value::Matrix(Arc::new(heat))),
            ("total", Value::Int(204)),
            ("trend", Value::Vector(Arc::new(vec![1.0, 4.0, 9.0]))),
        ]),
    );
    hand.click("Results");
    assert!(hand.reads("RESULTS OF RUN 1"));
    assert!(hand.has("total = 204"), "{:?}", hand.labels(AccessibleRole::ListItem));
    assert!(hand.has("picture of heat"));
    assert!(hand.has("0  1.0  3.0  5.0") && hand.has("1  2.0  4.0  6.5"));
    hand.click("total = 204");
    assert!(!hand.has("picture of total") && !hand.has("table of total"));
    let trend = hand.labels(AccessibleRole::ListItem).into_iter().find(|label| label.starts_with("trend = "));
    hand.click(&trend.unwrap());
    assert!(hand.has("picture of trend") && hand.has("2  9.0"));
}

#[test]
fn runs_are_listed_begun_again_and_compared() {
    let (hand, session) = opened();
    let given = |n: &str, seed| {
        let params = [("n".to_owned(), n.to_owned())].into_iter().collect();
        Options { params, seed, ..Options::new() }
    };
    for (n, seed, total, same) in [("4", Some(7), 30, 1), ("8", None, 204, 1)] {
        session.tell(&hand, Told::Options(Box::new(given(n, seed))));
        hand.key(slint::platform::Key::F5);
        session.end(&hand, with_results(vec![("same", Value::Int(same)), ("total", Value::Int(total))]));
    }
    hand.command("Results");
    let first = "1 full, n = 4, seed 7, finished, 1.20 ms";
    let second = "2 full, n = 8, finished, 1.20 ms";
    assert!(hand.has(first) && hand.has(second), "{:?}", hand.labels(AccessibleRole::ListItem));
    assert!(hand.has("total = 204"), "the last run is shown");
    hand.click("Compare");
    hand.click(first);
    assert!(hand.has("differs total: 204 | 30") && hand.has("same same = 1"));
    assert!(hand.reads("RUNS 2 | 1: 1 OF 2 DIFFER"));
    assert!(hand.has("First event that differs: unknown: records of both runs are needed"));
    hand.click(first);
    assert!(hand.has("total = 30"), "a click shows a run alone again");
    session.sent();
    hand.click("Run again");
    let sent = session.sent();
    let [.., Request::Open(_, options), Request::Run] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((options.mode, options.seed), (Mode::Full, Some(7)));
    assert_eq!(options.params.get("n").map(String::as_str), Some("4"));
}

#[test]
fn results_follow_a_new_run() {
    let (hand, session) = opened();
    for total in [1, 2] {
        session.end(&hand, with_results(vec![("total", Value::Int(total))]));
    }
    hand.command("Results");
    hand.click("1 full, finished, 1.20 ms");
    assert!(hand.reads("RESULTS OF RUN 1") && hand.has("total = 1"));
    session.end(&hand, Ended { outcome: RunOutcome::Failed, ..finished() });
    assert!(hand.reads("RESULTS OF RUN 3") && !hand.has("total = 1"));
}

#[test]
fn log_divides_runs() {
    let (hand, session) = opened();
    session.end(&hand, finished());
    session.end(&hand, finished());
    hand.command("Log");
    assert!(hand.reads("run 1: full") && hand.reads("run 2: full"));
    hand.click("lines of: Program");
    assert!(hand.reads("run 2: full"), "each source is divided");
}

#[test]
fn results_are_those_of_the_last_run_when_it_has_begun() {
    let (hand, session) = opened();
    session.end(&hand, with_results(vec![("total", Value::Int(1))]));
    session.end(&hand, with_results(vec![("total", Value::Int(2))]));
    hand.click("Results");
    hand.press("1 full, finished, 1.20 ms");
    assert!(hand.reads("RESULTS OF RUN 1"), "{:?}", hand.labels(AccessibleRole::ListItem));
    session.end(&hand, with_results(vec![("total", Value::Int(3))]));
    assert!(hand.reads("RESULTS OF RUN 3"), "{:?}", hand.labels(AccessibleRole::Text));
}

#[test]
fn link_of_the_banner_is_clicked_where_its_words_are() {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Running));
    session.tell(
        &hand,
        Told::Rest(Arc::new(Snapshot {
            state: RunState::Over { is_open: true },
            ended: Some(finished()),
            queues: vec![LinkQueue { arc: 0, n_values: 3, fill: None }],
            ..Snapshot::default()
        })),
    );
    let link = hand.item("3 values left");
    let (at, size) = (link.absolute_position(), link.size());
    hand.click_at([at.x + 8.0, at.y + size.height / 2.0]);
    assert_eq!(hand.app().get_panel(), 12, "the values are shown");
}
