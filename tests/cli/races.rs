use hasse_model::trace::{RecordingMode, TraceFooter, TraceHeader, TraceWriter};
use serde_json::{Value as Json, json};

use super::support::{Folder, Ran, SQUARES, TELLERS, repository};

/// A folder with a recorded run of a program in `t`; one worker and a seed: always the same run.
fn recorded(name: &str, text: &str) -> Folder {
    let folder = Folder::with(name, text);
    folder.hasse(&["run", name, "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

fn example(path: &str) -> String {
    std::fs::read_to_string(repository().join("examples").join(path)).unwrap()
}

/// The races of an example's program in a run that is always the same.
fn races_of(path: &str, args: &[&str]) -> Ran {
    let name = path.rsplit('/').next().unwrap();
    let folder = Folder::with(name, &example(path));
    let ran = folder.hasse(&["run", name, "--trace", "t", "--workers", "1", "--seed", "3"]);
    assert!(ran.code < Some(2), "{}", ran.shown());
    folder.hasse(&[&["races", "t"], args].concat())
}

#[test]
fn tellers_race_and_the_auditor_does_not() {
    let ran = recorded("tellers.hasse", TELLERS).hasse(&["races", "t", "--all", "--orderings"]).ends(1);
    insta::assert_snapshot!(ran.shown());
}

/// The repair that the report suggests: each teller waits for the one before it.
#[test]
fn tellers_who_wait_for_each_other_do_not_race() {
    let chained = TELLERS
        .replace("\"Teller[i].done ->", "\"Teller[i].next -> Teller[i + 1].turn\",\n  \"Teller[i].done ->")
        .replace(
            "in     = { go = \"int\" }\nout    = { done = \"int\" }",
            "in     = { go = \"int\", turn = \"bool\" }\nout    = { done = \"int\", next = \"bool\" }",
        )
        .replace("[\"go -> amount\"]", "[\"go -> amount if i == 0\", \"go -> amount, turn -> t\"]")
        .replace("[\"done <- total\"]", "[\"done <- total\", \"next <- true if i < 2\"]");
    let folder = recorded("chained.hasse", &chained);
    let ran = folder.hasse(&["races", "t", "--all", "--orderings"]).ends(0);
    insta::assert_snapshot!(ran.shown());
    let found = folder.hasse(&["races", "t", "--json"]).ends(0).json();
    assert_eq!((&found["races"], &found["accesses"]), (&json!([]), &json!(4)));
}

#[test]
fn a_look_before_a_write_loses_updates() {
    let ran = races_of("lostupdate/lostupdate-bug.hasse", &["--all", "--orderings"]).ends(1);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn an_update_in_one_execution_races_and_loses_nothing() {
    let ran = races_of("lostupdate/lostupdate.hasse", &[]).ends(1);
    insta::assert_snapshot!(ran.shown());
    let found = races_of("lostupdate/lostupdate.hasse", &["--json"]).ends(1).json();
    assert_eq!(found["updates_that_may_be_lost"], json!([]));
}

#[test]
fn the_accounts_of_the_bank_are_raced_for() {
    insta::assert_snapshot!(races_of("bank/bank.hasse", &["--orderings"]).ends(1).shown());
}

#[test]
fn store_and_take_race_for_the_places_of_the_buffer() {
    insta::assert_snapshot!(races_of("buffer/buffer.hasse", &["--orderings"]).ends(1).shown());
}

#[test]
fn forks_that_are_values_are_not_raced_for() {
    insta::assert_snapshot!(races_of("philosophers/philosophers.hasse", &["--orderings"]).ends(0).shown());
}

/// What a race left behind and values carry on is no race once more.
#[test]
fn what_comes_behind_a_race_by_values_is_not_reported() {
    let folder = recorded("behind.hasse", BEHIND);
    let found = folder.hasse(&["races", "t", "--json", "--orderings"]).ends(1).json();
    let races: Vec<_> = found["races"].as_array().unwrap().iter().map(|race| &race["object"]).collect();
    assert_eq!(races, ["/x"]);
    assert_eq!((&found["first"], &found["behind"]), (&json!(1), &json!(0)));
    let enforced = found["enforced_by_locks_only"].as_array().unwrap();
    let objects: Vec<_> = enforced.iter().map(|ordering| (&ordering["object"], &ordering["races"])).collect();
    assert_eq!(objects, [(&json!("/x"), &json!(1)), (&json!("/y"), &json!(0))]);
    insta::assert_snapshot!(folder.hasse(&["races", "t", "--orderings"]).ends(1).shown());
}

/// Left writes y and x; Right writes x, and what it sends makes Last write y. Who of Left and Right comes first at x is
/// a race; where it is Left, y is ordered by what came of that.
const BEHIND: &str = r#"hasse = 1
main  = "behind"

[graph.behind]
arcs = [
  "Start.go[i] -> Left[i].go",
  "Start.slow -> Right.go",
  "Right.after -> Last.after",
]
share = ["x -- Left[i].x", "y -- Left[i].y", "x -- Right.x", "y -- Last.y"]

[graph.behind.shared.x]
type = "int"

[graph.behind.shared.y]
type = "int"

[graph.behind.uc.Start]
out   = { "go[i]" = "int", slow = "int" }
start = true
route = ["go[i] <- i for i in 0..1", "slow <- 1"]

[graph.behind.uc.Left]
index  = ["i"]
in     = { go = "int" }
shared = { x = "write", y = "write" }
fire   = ["go -> g"]
do     = "x += 1; y += 1;"

[graph.behind.uc.Right]
in     = { go = "int" }
out    = { after = "int" }
shared = { x = "write" }
fire   = ["go -> g"]
do     = "x += 2;"
route  = ["after <- x"]

[graph.behind.uc.Last]
in     = { after = "int" }
shared = { y = "write" }
fire   = ["after -> a"]
do     = 'y += a; result("y", y);'
"#;

/// Two desks with two clerks each: all write one balance, those of a desk one page of the log.
const OFFICE: &str = r#"hasse = 1
main  = "office"

[graph.office]
arcs  = ["Open.go[k] -> desk[k].pay"]
share = ["balance -- desk[k].acct", "log[k + 1] -- desk[k].notes[j]"]

[graph.office.shared.balance]
type = "int"

[graph.office.shared.log]
type  = "string"
index = ["k"]

[graph.office.call.desk]
graph = "Desk"
index = ["k"]

[graph.office.uc.Open]
out   = { "go[k]" = "int" }
start = true
route = ["go[k] <- 100 * (k + 1) for k in 0..2"]

[graph.Desk]
in    = { pay = "int" }
inout = { acct = "int", "notes[j]" = "string" }
arcs  = ["in.pay -> Hand.pay", "Hand.amount[i] -> Clerk[i].amount"]
share = ["inout.acct -- Clerk[0].account", "inout.acct -- Clerk[i].account", "inout.notes[i] -- Clerk[i].note"]

[graph.Desk.uc.Hand]
in    = { pay = "int" }
out   = { "amount[i]" = "int" }
fire  = ["pay -> p"]
route = ["amount[i] <- p + i for i in 0..2"]

[graph.Desk.uc.Clerk]
index  = ["i"]
in     = { amount = "int" }
shared = { account = "write", note = "write" }
fire   = ["amount -> a"]
do     = "account += a; note += ` ${a}`;"
"#;

#[test]
fn share_lines_are_followed_through_calls_to_the_object() {
    let folder = recorded("office.hasse", OFFICE);
    let ran = folder.hasse(&["races", "t", "--all", "--orderings"]).ends(1);
    insta::assert_snapshot!(ran.shown());
}

/// Which races there are is a matter of the run, not of how its trace is laid out.
#[test]
fn a_run_and_its_replay_have_the_same_races() {
    for path in ["bank/bank.hasse", "lostupdate/lostupdate-bug.hasse", "buffer/buffer.hasse"] {
        let folder = Folder::with("p.hasse", &example(path));
        folder.hasse(&["run", "p.hasse", "--trace", "t", "--workers", "8"]).ends(0);
        folder.hasse(&["replay", "t", "--workers", "1", "--trace", "again"]).ends(0);
        let counts = |trace: &str| {
            let found = folder.hasse(&["races", trace, "--orderings", "--json"]).ends(1).json();
            let group = |race: &Json| {
                let ends = [&race["example"]["earlier"]["node"], &race["example"]["later"]["node"]];
                let mut ends = ends.map(|end| end.as_str().unwrap().to_owned());
                ends.sort();
                format!("{} {ends:?} {} {}", race["object"], race["first"], race["behind"])
            };
            let mut groups: Vec<_> = found["races"].as_array().unwrap().iter().map(group).collect();
            groups.sort();
            (groups, found["lost"].clone(), found["shared_orderings"].clone())
        };
        let found = counts("t");
        assert_eq!(found, counts("again"), "{path}");
        assert!(!found.0.is_empty());
    }
}

#[test]
fn a_program_without_shared_objects_has_no_races() {
    let ran = recorded("squares.hasse", SQUARES).hasse(&["races", "t"]).ends(0);
    assert_eq!(ran.stdout, "no races: no event accesses a shared object\n");
}

#[test]
fn records_without_all_events_are_refused() {
    let folder = Folder::new();
    let mut shown = String::new();
    for mode in [RecordingMode::Restricted, RecordingMode::Minimal] {
        let header = TraceHeader {
            program_text: SQUARES.to_owned(),
            program_path: "p.hasse".to_owned(),
            mode,
            ..Default::default()
        };
        let file = std::fs::File::create(folder.path("t")).unwrap();
        TraceWriter::new(file, &header).unwrap().finish(&TraceFooter::default()).unwrap();
        shown += &folder.hasse(&["races", "t"]).ends(2).stderr;
    }
    insta::assert_snapshot!(shown);
    folder.hasse(&["races", "nowhere"]).ends(2);
    folder.write("t", "no trace");
    folder.hasse(&["races", "t"]).ends(2);
}
