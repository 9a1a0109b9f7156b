//! Values that wait on ports: listed, dropped, replaced and added in a session.

use std::fs;

use super::super::support::Folder;
use super::session;

/// A source of numbers, a sum of them, and a node that takes from a family of ports.
const TALLY: &str = r#"hasse = 1
main  = "tally"

[graph.tally]
arcs = ["Src.n -> Sum.x", "Src.f[i] -> Pick.f[i]", "Sum.go -> Pick.go"]

[graph.tally.uc.Src]
out   = { n = "int", "f[i]" = "int" }
start = true
route = ["n <- k for k in 1..6", "f[i] <- 10 * i for i in 0..3"]

[graph.tally.uc.Sum]
in    = { x = "int" }
out   = { go = "int" }
vars  = { total = "int" }
fire  = ["x -> v"]
do    = 'total += v; print("sum " + total); result("total", total);'
route = ["go <- total if count == 3"]

[graph.tally.uc.Pick]
in    = { go = "int", "f[i]" = "int" }
fire  = ["go -> g, f[i] -> all[i] for i in 0..3"]
do    = 'print(all);'
"#;

/// Stops at the first event of `Sum`, when four numbers wait there, and changes what waits.
const EDITS: &str = "once in Sum\nrun\nqueue /Sum\nqueue drop /Sum.x 2\nqueue set /Sum.x 1 = 2 * 10\nqueue add /Sum.x = 100\n\
                     cd Pick\nqueue set f[1] 1 = 7\nqueue\ncd\n";

/// Output of the program in each run of a session.
fn printed(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("sum ") || line.starts_with('[')).collect()
}

const EXPECTED: [&str; 6] = ["sum 1", "sum 21", "sum 25", "[0, 7, 20]", "sum 30", "sum 130"];

#[test]
fn queues_are_listed_and_changed() {
    let folder = Folder::with("tally.hasse", TALLY);
    let commands = format!("output file t\n{EDITS}cont\nstatus\n");
    let ran = session(&folder, "tally.hasse", &commands).ends(0);
    insta::assert_snapshot!(ran.shown());
    let info = folder.hasse(&["trace", "info", "t"]).ends(0);
    insta::assert_snapshot!(info.stdout.split_once("size").unwrap().1.split_once('\n').unwrap().1);
    let json = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&json["edits"]).unwrap());
    folder.hasse(&["trace", "restrict", "t", "--select", "Sum", "--output", "sum"]).ends(0);
    let changes = |text: &str| text.lines().skip_while(|line| !line.starts_with("by hand")).count();
    let restricted = folder.hasse(&["trace", "info", "sum"]).ends(0);
    assert_eq!(changes(&restricted.stdout), changes(&info.stdout), "{}", restricted.shown());
}

#[test]
fn record_with_edits_replays() {
    let folder = Folder::with("tally.hasse", TALLY);
    for mode in ["full", "minimal"] {
        let trace = format!("{mode}.trace");
        let commands = format!(
            "mode record {mode}\noutput file {trace}\n{EDITS}cont\nmode replay\noutput file again.trace\nrun\n"
        );
        let ran = session(&folder, "tally.hasse", &commands).ends(0);
        let found = printed(&ran.stdout);
        let (first, second) = found.split_at(found.len() / 2);
        let sorted = |lines: &[&str]| {
            let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(first), sorted(&EXPECTED), "{}", ran.shown());
        assert_eq!(first, second, "{}", ran.shown());
        for n_workers in ["1", "4"] {
            let ran =
                folder.hasse(&["replay", &trace, "--workers", n_workers, "--trace", "third.trace"]).ends(0);
            assert_eq!(printed(&ran.stdout), first, "{}", ran.shown());
            let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
            assert_eq!(digest("again.trace"), digest("third.trace"));
            if mode == "full" {
                assert_eq!(digest("again.trace"), digest(&trace));
            }
        }
    }
    let made = folder.hasse(&["trace", "minimize", "full.trace", "--output", "small.trace"]).ends(0);
    assert_eq!(made.stderr, "");
    let ran = folder.hasse(&["replay", "small.trace"]).ends(0);
    assert!(ran.stdout.contains("total = 130"), "{}", ran.shown());
    // Facilities that need the senders of values take such records.
    folder.hasse(&["races", "full.trace"]).ends(0);
    let values = folder.hasse(&["values", "full.trace", "/Sum:5"]).ends(0);
    assert!(values.stdout.contains("x = 100\n"), "{}", values.shown());
    let values = folder.hasse(&["values", "full.trace", "/Sum:2"]).ends(0);
    assert!(values.stdout.contains("x = 20  (from /Src:1)\n"), "{}", values.shown());
}

/// A value that nobody takes waits in the replay, too.
#[test]
fn value_that_nobody_took_waits_in_the_replay() {
    let folder = Folder::with("tally.hasse", TALLY);
    let commands = "output file t.trace\nonce in Sum\nrun\nqueue add /Pick.f[2] = 5\ncont\n";
    let recorded = session(&folder, "tally.hasse", commands).ends(1);
    let replayed = folder.hasse(&["replay", "t.trace"]).ends(0);
    let waiting =
        |text: &str| text.lines().filter(|line| line.contains("Pick")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(waiting(&replayed.stderr), waiting(&recorded.stderr), "{}", recorded.shown());
    assert!(!waiting(&replayed.stderr).is_empty(), "{}", replayed.shown());
}

/// What was changed before a trace is cut off is replayed as far as the trace goes.
#[test]
fn trace_that_was_cut_off_keeps_edits() {
    let folder = Folder::with("tally.hasse", TALLY);
    session(&folder, "tally.hasse", &format!("output file t.trace\n{EDITS}cont\n")).ends(0);
    let bytes = fs::read(folder.path("t.trace")).unwrap();
    fs::write(folder.path("cut.trace"), &bytes[..bytes.len() - 9]).unwrap();
    let ran = folder.hasse(&["replay", "cut.trace"]);
    let found = printed(&ran.stdout);
    assert!(found.contains(&"sum 21") && found.contains(&"sum 25"), "{}", ran.shown());
}

#[test]
fn run_without_record_admits_edits() {
    let folder = Folder::with("tally.hasse", TALLY);
    for mode in ["off", "restrict"] {
        let option = if mode == "restrict" { "rcopt Sum full\n" } else { "" };
        let commands = format!("mode record {mode}\n{option}{EDITS}cont\n");
        let ran = session(&folder, "tally.hasse", &commands).ends(0);
        assert!(ran.stdout.contains("total = 130"), "{}", ran.shown());
    }
}

#[test]
fn what_cannot_be_changed_is_refused_with_its_place() {
    let folder = Folder::with("tally.hasse", TALLY);
    let lines = [
        "queue drop",
        "queue drop /Sum.x",
        "queue drop /Sum.x 0",
        "queue drop /Sum.x 1 2",
        "queue drop /Sum.x 1 = 3",
        "queue set /Sum.x = 3",
        "queue set /Sum.x 1",
        "queue set /Sum.x 1 =",
        "queue add /Sum.x 3",
        "queue add x = 3",
        "queue Sum x",
        "queue add /Sum.x = 3",
        "run; queue add /Sum.x = 3",
        "once in Sum; run; queue add /Sun.x = 3",
        "once in Sum; run; queue add /Sum.y = 3",
        "once in Sum; run; queue add /Sum.x = 3 +",
        "once in Sum; run; queue add /Sum.x = \"three\"",
        "once in Sum; run; queue set /Sum.x 5 = 1",
        "once in Sum; run; queue drop /Sum.x 5",
        "once in Sum; run; queue drop /Pick.go 1",
        "once in Sum; run; queue add /Pick.f = 1",
        "once in Sum; run; queue add /Pick.go[1] = 1",
        "once in Sum; run; queue add /Pick.f[1][2] = 1",
        "once in Src; run; queue set /Sum.x 1 = 1",
        "once in Src; run; queue add /Sum[2].x = 1",
        "once in Sum; run; cd Sum; step; queue add x = 1",
        "run; mode replay; once in Sum; run; queue drop /Sum.x 1",
        "mode record perf; run; queue drop /Sum.x 1",
    ];
    let mut shown = String::new();
    for line in lines {
        let ran = session(&folder, "tally.hasse", &format!("{line}\n")).ends(2);
        shown += &format!("{line}\n{}\n", ran.stderr);
    }
    insta::assert_snapshot!(shown);
}

/// A node that is called, in a program whose only start node sends nothing there.
const CALLED: &str = r#"hasse = 1
main  = "main"

[graph.main]
arcs = ["Src.n[i] -> half[i].x"]

[graph.main.uc.Src]
out   = { "n[i]" = "int" }
start = true
route = ["n[i] <- i for i in 0..4 if count > 1"]

[graph.main.call.half]
graph = "half"
index = ["i"]
args  = { by = "i + 2" }

[graph.half]
in     = { x = "int" }
params = { by = "int" }
arcs   = ["in.x -> Take.x"]

[graph.half.uc.Take]
in   = { x = "int" }
fire = ["x -> v"]
do   = 'print(v / by); result("part", v / by);'
"#;

#[test]
fn value_is_added_to_an_action_that_does_not_exist_yet() {
    let folder = Folder::with("called.hasse", CALLED);
    for mode in ["full", "minimal"] {
        let trace = format!("{mode}.trace");
        let commands = format!(
            "mode record {mode}\noutput file {trace}\nonce in Src\nrun\nqueue add /half[2]/Take.x = 84\ncont\n"
        );
        let ran = session(&folder, "called.hasse", &commands).ends(0);
        assert!(ran.stdout.contains("part = 21"), "{}", ran.shown());
        for n_workers in ["1", "4"] {
            let ran = folder.hasse(&["replay", &trace, "--workers", n_workers]).ends(0);
            assert!(ran.stdout.contains("part = 21"), "{}", ran.shown());
        }
    }
}

#[test]
fn failed_action_takes_no_values() {
    let text = TALLY.replace("do    = 'print(all);'", "do    = 'throw \"no\";'");
    let folder = Folder::with("tally.hasse", &text);
    // At the fifth event of `Sum` the third one has let `Pick` fail.
    let commands = "once in Sum if count == 5\nrun\nqueue add /Pick.go = 1\n";
    let ran = session(&folder, "tally.hasse", commands).ends(2);
    assert!(ran.stderr.contains("`/Pick` has failed: it takes no more values"), "{}", ran.shown());
}

/// An action that is idle is looked at again once its queue has been changed, alone or with the others.
#[test]
fn changed_action_is_looked_at_again() {
    let folder = Folder::with("tally.hasse", TALLY);
    let edits = "once in Sum if count == 5\nrun\nqueue add /Pick.go = 1\n\
                 queue add /Pick.f[0] = 1\nqueue add /Pick.f[1] = 2\nqueue add /Pick.f[2] = 3\n";
    for go in ["cont\n", "cd Pick\ncont\ncd\ncont\n"] {
        let ran = session(&folder, "tally.hasse", &format!("{edits}{go}")).ends(0);
        assert!(ran.stdout.contains("[1, 2, 3]"), "{}", ran.shown());
    }
}
