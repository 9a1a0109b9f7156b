//! Which rules and arcs a recorded run used.

use serde_json::{Value as Json, json};

use super::support::{Folder, SQUARES, TELLERS};

/// Sorts numbers: those from 100 on go to `Large`, which has a rule for negative ones, and a call that is never made.
const SORTS: &str = r#"hasse = 1
main = "sorts"

[graph.sorts]
params = { most = "int = 3" }
arcs = [
  "Count.number -> Sort.number",
  "Sort.small -> Small.number",
  "Sort.large -> twice.x",
  "twice.y -> Large.number",
]

[graph.sorts.call.twice]
graph = "twice"

[graph.sorts.uc.Count]
out = { number = "int" }
start = true
route = ["number <- i for i in 0..most"]

[graph.sorts.uc.Sort]
in = { number = "int" }
out = { small = "int", large = "int" }
fire = ["number -> n"]
route = ["small <- n if n < 100", "large <- n if n >= 100"]

[graph.sorts.uc.Small]
in = { number = "int" }
fire = ["number -> n if count == 1", "number -> n if count > 9"]

[graph.sorts.uc.Large]
in = { number = "int" }
fire = ["number -> n"]

[graph.twice]
in = { x = "int" }
out = { y = "int" }
arcs = ["in.x -> Double.x", "Double.y -> out.y"]

[graph.twice.uc.Double]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
route = ["y <- 2 * x"]
"#;

fn recorded(text: &str, args: &[&str]) -> Folder {
    let folder = Folder::with("p.hasse", text);
    let run = ["run", "p.hasse", "--trace", "t", "--workers", "1", "--seed", "1"];
    folder.hasse(&[&run, args].concat());
    folder
}

fn coverage(folder: &Folder) -> Json {
    folder.hasse(&["trace", "coverage", "t", "--json"]).ends(0).json()
}

#[test]
fn rules_and_arcs_that_were_never_used_are_told() {
    let folder = recorded(SORTS, &[]);
    let all = folder.hasse(&["trace", "coverage", "t"]).ends(0).stdout;
    let missed = folder.hasse(&["trace", "coverage", "t", "--missed"]).ends(0).stdout;
    insta::assert_snapshot!([all, missed].join("\n"));
}

#[test]
fn arc_with_values_that_nobody_took_is_used() {
    let found = coverage(&recorded(SORTS, &[]));
    // `Small` takes the first of three numbers.
    assert_eq!(
        found["arcs"][1],
        json!({ "graph": "sorts", "text": "Sort.small -> Small.number", "line": 8, "taken": 1, "used": true })
    );
    let small = SORTS.replace("number -> n if count == 1", "number -> n if count == 7");
    let found = coverage(&recorded(&small, &[]));
    assert_eq!((&found["arcs"][1]["taken"], &found["arcs"][1]["used"]), (&json!(0), &json!(true)));
}

#[test]
fn values_are_followed_through_calls() {
    let found = coverage(&recorded(SORTS, &["--set", "most=102"]));
    let used = |at: usize| (found["arcs"][at]["text"].clone(), found["arcs"][at]["taken"].clone());
    assert_eq!(used(2), (json!("Sort.large -> twice.x"), json!(2)));
    assert_eq!(used(4), (json!("in.x -> Double.x"), json!(2)));
    assert_eq!(found["missed_arcs"], 0);
    assert_eq!(found["nodes"][4]["route"][0]["taken"], 2);
}

#[test]
fn every_rule_and_arc_of_a_small_program_is_used() {
    for text in [SQUARES, TELLERS] {
        let found = coverage(&recorded(text, &[]));
        assert_eq!((&found["missed_rules"], &found["missed_arcs"]), (&json!(0), &json!(0)));
    }
    let told = recorded(SQUARES, &[]).hasse(&["trace", "coverage", "t", "--missed"]).ends(0).stdout;
    assert_eq!(told, "all 4 rules were taken; all 2 arcs were used\n");
}

#[test]
fn restricted_record_is_refused() {
    let folder = recorded(SQUARES, &["--select", "Square"]);
    let told = folder.hasse(&["trace", "coverage", "t"]).ends(2).stderr;
    assert!(told.contains("lists selected events alone") && told.contains("--record full"), "{told}");
}
