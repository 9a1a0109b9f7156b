//! The end of a run, the runs that are remembered, and one begun again.

use hasse_editor::run::{Button, Cause, Mode, RunState, Source};
use hasse_editor::target::Target;
use hasse_editor::views::record::parted;
use hasse_editor::views::task::no_wake;
use hasse_model::value::Value;
use hasse_runtime::report::RunOutcome;

use super::Window;

const MERGE: &str = r#"hasse = 1
main = "g"

[graph.g]
params = { n = "int = 2", bad = "bool = false" }
arcs = ["A.x -> Sum.x", "B.x -> Sum.x"]

[graph.g.uc.A]
start = true
out = { x = "int" }
route = ["x <- 1"]

[graph.g.uc.B]
start = true
out = { x = "int" }
route = ["x <- 2"]

[graph.g.uc.Sum]
in = { x = "int" }
vars = { seen = "int = 0" }
fire = ["x -> x"]
do = '''
seen += x;
if bad {
  throw "no good";
}
result("seen", seen);
'''
"#;

fn opened() -> Window {
    let mut window = Window::new();
    window.set_text("merge.hasse", MERGE);
    window
}

#[test]
fn finished_run_has_results_events_and_a_duration() {
    let mut window = opened();
    window.run();
    let ended = window.panel.ended().unwrap().clone();
    assert_eq!((ended.outcome, ended.n_events, ended.reason.as_str()), (RunOutcome::Finished, 4, ""));
    assert_eq!(*ended.results, [("seen".to_owned(), Value::Int(3))]);
    assert_eq!((ended.cause(), ended.detail()), (None, "seen = 3".to_owned()));
    assert!(!ended.duration.is_zero());
    let log = window.log_text();
    assert!(log.starts_with("run: run 1: full\n"), "{log}");
    assert_eq!(window.panel.log().line(Some(Source::Program), 0).unwrap().source, Source::Run);
}

#[test]
fn failed_run_names_the_line_and_marks_the_node() {
    let mut window = opened();
    let mut options = window.panel.options().clone();
    options.params.insert("bad".to_owned(), "true".to_owned());
    window.panel.set_options(options);
    window.run();
    let ended = window.panel.ended().unwrap().clone();
    assert_eq!(ended.outcome, RunOutcome::Failed);
    let Some(Cause::Line(action, line)) = ended.cause() else { panic!("{ended:?}") };
    assert_eq!(action, "/Sum");
    let place = window.panel.place_of_session_line(line).unwrap();
    assert_eq!(Target { attribute: None, ..place.clone() }, Target::of_node("g", "Sum"));
    assert_eq!(place.attribute.unwrap().line, Some(3));
    let note = window.panel.marks("g").nodes["Sum"].note.clone();
    assert!(note == "failed: no good", "{note}");
}

#[test]
fn runs_are_remembered_begun_again_and_their_records_compared() {
    let mut window = opened();
    let mut options = window.panel.options().clone();
    options.seed = Some(5);
    options.n_workers = Some(1);
    options.params.insert("n".to_owned(), "7".to_owned());
    window.panel.set_options(options.clone());
    window.run();
    window.record();
    options.seed = None;
    options.params.clear();
    window.panel.set_options(options);
    window.run();
    window.record();
    let given: Vec<String> = window.panel.runs().map(|run| run.given()).collect();
    assert_eq!(given, ["full, n = 7, seed 5, 1 worker", "full, 1 worker"]);
    window.panel.rerun(1);
    window.until_begun(3);
    window
        .until("the end", |panel| matches!(panel.state(), RunState::Over { .. }) && panel.ended().is_some());
    window.record();
    let [first, .., third] = &window.panel.runs().cloned().collect::<Vec<_>>()[..] else {
        panic!("three runs")
    };
    assert_eq!((third.number, third.given(), third.mode), (3, first.given(), Mode::Full));
    let records = [first, third].map(|run| run.record.clone().unwrap());
    assert_ne!(records[0], records[1]);
    let found = parted(records, no_wake()).wait().unwrap().unwrap();
    assert_eq!(found, None, "the same seed with one worker is the same run");
    assert!(window.panel.is_enabled(Button::Run));
}
