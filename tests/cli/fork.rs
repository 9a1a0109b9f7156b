//! `hasse fork`: going on from a moment of a recorded run.

use super::support::{Folder, TELLERS};

/// Two senders of which the last one counts, and a loop that takes some time to come there.
const RACE: &str = r#"hasse = 1
main  = "race"

[graph.race]
arcs = ["A.o -> Last.v", "B.o -> Last.v"]

[graph.race.uc.A]
start = true
out   = { o = "int" }
route = ["o <- 1"]

[graph.race.uc.B]
start = true
out   = { o = "int" }
route = ["o <- 2"]

[graph.race.uc.Last]
in   = { v = "int" }
vars = { last = "int", sum = "int" }
fire = ["v -> v"]
do = '''
last = v;
sum += v;
print(`${v}`);
result("last", last);
result("sum", sum);
'''
"#;

fn recorded(name: &str, text: &str) -> Folder {
    let folder = Folder::with(name, text);
    folder.hasse(&["run", name, "--trace", "t.trace", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

fn events(folder: &Folder, trace: &str) -> Vec<String> {
    let listed = folder.hasse(&["trace", "events", trace]).ends(0).stdout;
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn fork_without_changes_has_the_old_beginning_and_replays() {
    let folder = recorded("tellers.hasse", TELLERS);
    let old = events(&folder, "t.trace");
    for (at, n_before) in [("0", 0), ("/Open:1", 1), ("60%", 3), ("end", 5)] {
        folder.hasse(&["fork", "t.trace", "--at", at, "-o", "f.trace"]).ends(0);
        let new = events(&folder, "f.trace");
        assert_eq!(new[..n_before], old[..n_before]);
        assert_eq!(new.len(), old.len());
        let replayed = folder.hasse(&["replay", "f.trace", "--trace", "again.trace"]).ends(0).stdout;
        assert!(replayed.ends_with("total = 106\n"), "{replayed}");
        let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
        assert_eq!(digest("f.trace"), digest("again.trace"));
        folder.hasse(&["verify", "f.trace", "check pred Audit {Open}"]).ends(0);
    }
}

#[test]
fn minimal_records_are_forked() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "m.trace", "--record", "minimal"]).ends(0);
    let fork = ["fork", "m.trace", "--at", "2", "--before", "-o", "f.trace", "--json"];
    let forked = folder.hasse(&fork).ends(0).json();
    assert_eq!((&forked["position"], &forked["n_events"]), (&1.into(), &5.into()), "{forked:#}");
    assert_eq!(forked["after"], "/Open:1");
    assert_eq!(events(&folder, "f.trace").len(), 5);
    folder.hasse(&["replay", "f.trace"]).ends(0);
}

#[test]
fn fork_prints_what_comes_after_the_moment() {
    let folder = recorded("race.hasse", RACE);
    let forked = folder.hasse(&["fork", "t.trace", "--at", "/Last:1", "--seed", "1"]).ends(0);
    let first = folder.hasse(&["state", "t.trace", "--at", "/Last:1"]).ends(0).stdout;
    let other = if first.contains("last = 1") { "2" } else { "1" };
    assert_eq!(forked.stdout, format!("{other}\nlast = {other}\nsum = 3\n"));
}

#[test]
fn outcomes_of_many_forks_are_tabulated() {
    let folder = recorded("race.hasse", RACE);
    let table = || folder.hasse(&["fork", "t.trace", "--at", "0", "--times", "40"]).ends(0).stdout;
    let shown = table();
    assert_eq!(shown, table());
    assert!(
        shown.starts_with("40 runs from moment 0 of 4: nothing has been executed: 2 outcomes\n"),
        "{shown}"
    );
    assert!(shown.contains(" runs finished (seed 1): last = "), "{shown}");
    assert!(shown.contains("last = 1; sum = 3") && shown.contains("last = 2; sum = 3"), "{shown}");
    let json =
        folder.hasse(&["fork", "t.trace", "--at", "0", "--times", "40", "--json", "-o", "w"]).ends(0).json();
    let outcomes = json["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 2);
    let n_runs: u64 = outcomes.iter().map(|outcome| outcome["runs"].as_u64().unwrap()).sum();
    assert_eq!(n_runs, 40);
    for outcome in outcomes {
        let trace = outcome["trace"].as_str().unwrap();
        let replayed = folder.hasse(&["replay", trace, "--json"]).ends(0).json();
        assert_eq!(replayed["results"], outcome["results"]);
    }
    assert_eq!(std::fs::read_dir(folder.path("w")).unwrap().count(), 2);
}

#[test]
fn failing_and_quiescent_outcomes_say_why() {
    let failing = RACE.replace("last = v;", "if v > 1 { throw \"too much\"; } last = v;");
    let folder = recorded_any("fails.hasse", &failing);
    let shown = folder.hasse(&["fork", "t.trace", "--at", "0", "--times", "20"]).ends(1).stdout;
    assert!(shown.contains("runs failed (seed "), "{shown}");
    assert!(shown.contains("R0001 at /Last:1: Runtime error: too much"), "{shown}");
    let waiting = RACE.replace("fire = [\"v -> v\"]", "fire = [\"v -> v if count == 0\"]");
    let folder = recorded_any("waits.hasse", &waiting);
    let shown = folder.hasse(&["fork", "t.trace", "--at", "1", "--times", "20"]).ends(1).stdout;
    assert!(shown.contains("  20 runs quiescent (seed 1): waiting: /Last\n"), "{shown}");
}

fn recorded_any(name: &str, text: &str) -> Folder {
    let folder = Folder::with(name, text);
    folder.hasse(&["run", name, "--trace", "t.trace", "--workers", "1", "--seed", "3"]).ends(1);
    folder
}

#[test]
fn changed_values_are_the_base_of_the_new_record() {
    let folder = recorded("tellers.hasse", TELLERS);
    let third = events(&folder, "t.trace")[2].split(' ').next().unwrap().to_owned();
    let changed = ["fork", "t.trace", "--at", "2", "--with", "/total=500", "-o", "f.trace"];
    let forked = folder.hasse(&changed).ends(0).stdout;
    let replayed = folder.hasse(&["replay", "f.trace", "--trace", "again.trace"]).ends(0).stdout;
    assert_eq!(replayed, forked);
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    assert_eq!(digest("f.trace"), digest("again.trace"));
    assert_eq!(folder.hasse(&["replay", "again.trace"]).ends(0).stdout, forked);
    let state = folder.hasse(&["state", "f.trace", "--at", "2"]).ends(0).stdout;
    assert!(state.contains("/total = 500  (written by /Teller["), "{state}");
    let later = events(&folder, "f.trace")[2].split(' ').next().unwrap().to_owned();
    let values = folder.hasse(&["values", "f.trace", &later]).ends(0).stdout;
    assert!(values.contains("total = 500 -> 50"), "{values}");
    // What came before cannot be made again.
    insta::assert_snapshot!(folder.hasse(&["state", "f.trace", "--at", "1"]).ends(2).stderr, @r"
    error: the record goes on from changes made after 2 events: earlier states and values cannot be made again
      help: the record that was forked has these states and values
    ");
    folder.hasse(&["values", "f.trace", "/Open:1"]).ends(2);
    folder.hasse(&["why", "f.trace", "/Audit:1"]).ends(0);
    folder.hasse(&["fork", "f.trace", "--at", "1"]).ends(2);
    let again = folder.hasse(&["fork", "f.trace", "--at", "3", "-o", "g.trace"]).ends(0).stdout;
    assert_eq!(folder.hasse(&["replay", "g.trace"]).ends(0).stdout, again);
    folder.hasse(&["trace", "minimize", "f.trace", "-o", "m.trace"]).ends(2);
    assert!(third.starts_with('/'));
}

#[test]
fn vars_are_set_at_the_moment() {
    let folder = recorded("race.hasse", RACE);
    let with = ["fork", "t.trace", "--at", "/Last:1", "--with", "/Last.sum=100", "-o", "f.trace"];
    let forked = folder.hasse(&with).ends(0).stdout;
    assert!(forked.ends_with("sum = 101\n") || forked.ends_with("sum = 102\n"), "{forked}");
    assert_eq!(folder.hasse(&["replay", "f.trace"]).ends(0).stdout, forked);
}

#[test]
fn fork_goes_on_with_another_program() {
    let folder = recorded("race.hasse", RACE);
    folder.write("other.hasse", &RACE.replace("sum += v;", "sum += 10 * v;"));
    let with = ["fork", "t.trace", "--at", "/Last:1", "--program", "other.hasse", "-o", "f.trace"];
    let forked = folder.hasse(&with).ends(0).stdout;
    assert!(forked.ends_with("sum = 12\n") || forked.ends_with("sum = 21\n"), "{forked}");
    assert_eq!(folder.hasse(&["replay", "f.trace"]).ends(0).stdout, forked);
    folder.write("broken.hasse", "hasse = 1\n");
    folder.hasse(&["fork", "t.trace", "--at", "1", "--program", "broken.hasse"]).ends(1);
    folder.write("renamed.hasse", &RACE.replace("Last", "Final"));
    insta::assert_snapshot!(
        folder.hasse(&["fork", "t.trace", "--at", "/Last:1", "--program", "renamed.hasse"]).ends(2).stderr,
        @"error: the run cannot go on from the snapshot: the program has no node `Last`"
    );
}

#[test]
fn forks_that_cannot_be_are_refused() {
    let folder = recorded("race.hasse", RACE);
    let refused = |args: &[&str]| {
        folder.hasse(&[&["fork", "t.trace", "--at", "/Last:1"], args].concat()).ends(2).stderr
    };
    let refusals = [
        refused(&["--with", "/Last.total=1"]),
        refused(&["--with", "/Nobody.sum=1"]),
        refused(&["--with", "/sum=1"]),
        refused(&["--with", "/Last.sum=one"]),
        refused(&["-o", "t.trace"]),
        refused(&["-o", "race.hasse"]),
    ];
    insta::assert_snapshot!(refusals.join("\n"));
    let none = folder.hasse(&["fork", "t.trace", "--at", "0", "--with", "/Last.sum=1"]).ends(2).stderr;
    assert!(none.contains("there is no action /Last at the moment"), "{none}");
    folder.hasse(&["run", "race.hasse", "--trace", "r.trace", "--select", "Last"]).ends(0);
    let restricted = folder.hasse(&["fork", "r.trace", "--at", "1"]).ends(2).stderr;
    assert!(restricted.starts_with("error: a restricted record cannot be replayed"), "{restricted}");
    folder.hasse(&["fork", "t.trace", "--at", "9"]).ends(2);
    folder.hasse(&["fork", "t.trace"]).ends(2);
    folder.hasse(&["fork", "t.trace", "--at", "0", "--times", "0"]).ends(2);
}
