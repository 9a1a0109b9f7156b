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

/// Two graphs have a node `Sum`.
fn two_sums() -> String {
    let text = SQUARES
        .replace(
            "\"Square[i].square -> Sum.square\",",
            "\"Square[i].square -> Sum.square\",\n  \"Sum.again -> Half.go\",",
        )
        .replace(
            "in    = { square = \"int\" }",
            "in    = { square = \"int\" }\nout   = { again = \"int\" }\nroute = [\"again <- s\"]",
        );
    text + "\n[graph.squares.call.Half]\ngraph = \"Half\"\n\n[graph.Half]\nin   = { go = \"int\" }\narcs = [\"in.go -> Sum.go\"]\n\n[graph.Half.uc.Sum]\nin   = { go = \"int\" }\nfire = [\"go -> g\"]\n"
}

#[test]
fn name_in_two_graphs_is_asked_for_where_one_node_is_meant() {
    let folder = Folder::with("squares.hasse", &two_sums());
    folder.hasse(&["run", "squares.hasse", "--trace", "t"]).ends(0);
    let ask = "`squares.Sum`, `Half.Sum`";
    for check in ["check pred Sum {Square}", "forall s: Sum : s.count > 0", "check linked Square ; Sum"] {
        let error = folder.hasse(&["verify", "t", check]).ends(2).stderr;
        assert!(error.contains(&format!("name one of {ask}")), "{check}: {error}");
        let of_graph = |graph: &str| check.replace("Sum", &format!("{graph}.Sum"));
        folder.hasse(&["verify", "t", &of_graph("squares"), &of_graph("Half")]);
        let ran = folder.hasse(&["verify", "t", &of_graph("squares")]).ends(0);
        assert!(ran.stdout.contains("squares.Sum"), "{}", ran.shown());
    }
    for (node, code) in [("Sum", 2), ("squares.Sum", 0)] {
        let model = format!(
            "[model.m]\nnodes = [\"Square\", \"squares.Sum\", \"Half.Sum\"]\narcs = [\"Square[i] -> {node}\"]\n"
        );
        folder.write("m.model", &model);
        let ran = folder.hasse(&["verify", "t", "--model", "m.model"]);
        assert_eq!(ran.code == Some(2), code == 2, "{}", ran.shown());
        assert_eq!(ran.stderr.contains("say one of `squares.Sum`, `Half.Sum`"), code == 2, "{}", ran.shown());
    }
}

#[test]
fn name_in_two_graphs_means_all_where_a_set_is_meant() {
    let folder = Folder::with("squares.hasse", &two_sums());
    folder.hasse(&["run", "squares.hasse", "--trace", "t", "--workers", "1"]).ends(0);
    let events = |args: &[&str]| {
        let shown = folder.hasse(args).ends(0).stdout;
        let has = |path: &str| {
            let begins = [format!("{path}:"), format!("{{\"action\":\"{path}\"")];
            shown.lines().any(|line| begins.iter().any(|begin| line.starts_with(begin))) as u64
        };
        (has("/Sum"), has("/Half/Sum"))
    };
    for (node, expected) in [("Sum", (1, 1)), ("squares.Sum", (1, 0)), ("Half.Sum", (0, 1))] {
        assert_eq!(events(&["trace", "events", "t", "--template", node]), expected, "{node}");
        let export = ["trace", "export", "t", "--format", "jsonl", "--select", node];
        assert_eq!(events(&export), expected, "{node}");
        folder.hasse(&["run", "squares.hasse", "--trace", "part", "--select", node]).ends(0);
        assert_eq!(events(&["trace", "events", "part"]), expected, "{node}");
        let commands = format!("stop in {node} after 1\nwhen in {node} {{where}}\nrun\nlsi {node}\n");
        folder.write("commands", &commands);
        let args = ["debug", "squares.hasse", "--commands", "commands", "--workers", "1"];
        let ran = folder.hasse(&args);
        let (_, listed) = ran.stdout.rsplit_once("stopped\n").unwrap();
        let has = |text: &str| listed.lines().any(|line| line.starts_with(text)) as u64;
        assert_eq!((has("/Sum "), has("/Half/Sum ")), expected, "{node}: {}", ran.shown());
        let said = |path: &str| ran.stdout.contains(&format!("\n{path}:1 at befcomp: here")) as u64;
        assert_eq!((said("/Sum"), said("/Half/Sum")), expected, "{node}: {}", ran.shown());
    }
}

/// In a run under way what only later events decide neither holds nor does not.
#[test]
fn check_of_a_run_under_way_is_undecided_so_far() {
    let folder = Folder::with("tellers.hasse", super::support::TELLERS);
    let commands = "check pred Audit {Teller}\ncheck exists t: Teller : t.count == 1\ncheck parall {Open, Audit}\n\
         check forall t: Teller : t.index < 1\nstop in Audit\nrun\nverdicts\ncont\n";
    folder.write("commands", commands);
    let args = ["debug", "tellers.hasse", "--commands", "commands", "--workers", "1", "--seed", "3"];
    let ran = folder.hasse(&args).ends(1);
    insta::assert_snapshot!(ran.shown());
}
