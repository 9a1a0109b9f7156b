//! Verdicts and counts that say what happened, and no more than is known.

use serde_json::json;

use super::support::{Folder, SQUARES, repository};

/// A folder with a program of `tests/cases/verdicts`, recorded in `t`.
fn recorded(name: &str, args: &[&str]) -> Folder {
    let text = std::fs::read_to_string(repository().join("tests/cases/verdicts").join(name)).unwrap();
    let folder = Folder::with(name, &text);
    folder.hasse(&[&["run", name, "--trace", "t"], args].concat());
    folder
}

fn squares() -> Folder {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(0);
    folder
}

#[test]
fn values_of_an_event_that_sent_nothing_are_unit() {
    let folder = recorded("sent-nothing.hasse", &[]);
    let all = "forall b: B : (b.sent.y == ()) == (b.count == 3)";
    let ran = folder.hasse(&["verify", "t", all, "exists b: B where b.sent.y == ()"]).ends(0);
    assert!(ran.stdout.contains("found: /B:3"), "{}", ran.shown());
}

#[test]
fn hidden_events_make_a_check_undecidable() {
    let folder = squares();
    let ran = folder.hasse(&["verify", "t", "--select", "Sum", "check pred Sum {Square}"]).ends(1);
    assert!(ran.stdout.starts_with("cannot be decided: check pred Sum {Square}\n"), "{}", ran.shown());
    assert!(ran.stdout.contains("the check set hides all events of Square"), "{}", ran.shown());
    assert!(!ran.stdout.contains("never occurred"), "{}", ran.shown());
    for check in [
        "forall s: Square : s.count == 1",
        "check parall {Square[0], Square[1]}",
        "check linked Square ; Sum",
    ] {
        let ran = folder.hasse(&["verify", "t", "--select", "Sum", check]).ends(1);
        assert!(ran.stdout.contains("the check set hides all events of Square"), "{check}: {}", ran.shown());
        assert!(!ran.stdout.contains("occurred"), "{check}: {}", ran.shown());
    }
}

#[test]
fn partly_hidden_events_are_noted() {
    let folder = squares();
    let ran =
        folder.hasse(&["verify", "t", "--select", "Square[0]", "forall s: Square : s.count == 1"]).ends(0);
    assert!(ran.stdout.contains("note: the check set hides 3 events of Square"), "{}", ran.shown());
    let ran = folder.hasse(&["verify", "t", "forall s: Square : s.count == 1"]).ends(0);
    assert!(!ran.stdout.contains("note"), "{}", ran.shown());
}

#[test]
fn shared_object_of_several_workers_is_counted_once() {
    let folder = Folder::with("tellers.hasse", super::support::TELLERS);
    for _ in 0..8 {
        folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "4"]).ends(0);
        let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        assert_eq!(info["shared"][0]["objects"], json!(1), "{info:#}");
    }
}

#[test]
fn call_in_place_of_a_node_is_explained() {
    let folder = recorded("hier.hasse", &[]);
    let refused = |args: &[&str]| folder.hasse(args).ends(2).stderr;
    let error = refused(&["verify", "t", "check parall {/Part[0], /Part[1]}"]);
    assert!(error.contains("`Part` is a call of the graph `Part`"), "{error}");
    assert!(error.contains("`/Part[0]/Split`"), "{error}");
    let error = refused(&["values", "t", "/Part[0]:1"]);
    assert!(error.contains("/Part[0] is an instance of a graph; actions in it are /Part[0]/Join"), "{error}");
}

#[test]
fn name_of_nodes_in_two_graphs_is_told_apart_by_graph() {
    let text = SQUARES
        .replace(
            "\"Square[i].square -> Sum.square\",",
            "\"Square[i].square -> Sum.square\",\n  \"Sum.again -> Half.go\",",
        )
        .replace(
            "in    = { square = \"int\" }",
            "in    = { square = \"int\" }\nout   = { again = \"int\" }\nroute = [\"again <- s\"]",
        )
        + "\n[graph.squares.call.Half]\ngraph = \"Half\"\n\n[graph.Half]\nin   = { go = \"int\" }\narcs = [\"in.go -> Sum.go\"]\n\n[graph.Half.uc.Sum]\nin   = { go = \"int\" }\nfire = [\"go -> g\"]\n";
    let folder = Folder::with("squares.hasse", &text);
    folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(0);
    let error = folder.hasse(&["verify", "t", "check pred Sum {Square}"]).ends(2).stderr;
    assert!(error.contains("name one of `squares.Sum`, `Half.Sum`"), "{error}");
    folder.hasse(&["verify", "t", "check pred squares.Sum {Square}", "check pred Half.Sum {Square}"]).ends(0);
    folder.hasse(&["trace", "export", "t", "--format", "jsonl", "--select", "squares.Sum"]).ends(0);
}
