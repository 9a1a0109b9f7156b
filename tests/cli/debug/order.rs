//! What breakpoints say, among what the program prints: as it happens, and causes before effects.

use super::super::support::Folder;

const CHAIN: &str = include_str!("../../cases/facilities/logorder.hasse");

/// Eight chains of three actions that print, and one that all of them end in.
const CHAINS: &str = r#"hasse = 1
main  = "chains"

[graph.chains]
arcs = ["Open.go[i] -> A[i].a", "A[i].b -> B[i].b", "B[i].c -> C[i].c", "C[i].end -> End.end"]

[graph.chains.uc.Open]
out   = { "go[i]" = "int" }
start = true
route = ["go[i] <- i for i in 0..8"]

[graph.chains.uc.A]
index = ["i"]
in    = { a = "int" }
out   = { b = "int" }
fire  = ["a -> x"]
do    = 'print(`A ${i} says`);'
route = ["b <- x"]

[graph.chains.uc.B]
index = ["i"]
in    = { b = "int" }
out   = { c = "int" }
fire  = ["b -> x"]
do    = 'let y = 0; for n in 0..(8 - i) * 200 { y += n; } print(`B ${i} says`);'
route = ["c <- x"]

[graph.chains.uc.C]
index = ["i"]
in    = { c = "int" }
out   = { end = "int" }
fire  = ["c -> x"]
do    = 'print(`C ${i} says`);'
route = ["end <- x"]

[graph.chains.uc.End]
in    = { end = "int" }
fire  = ["end -> x"]
"#;

#[test]
fn log_points_are_printed_before_what_the_event_prints() {
    let folder = Folder::with("lo.hasse", CHAIN);
    folder.write("commands", "when {log \"log {Pred}\"}\nwatch ExecCnt at aftcomp\nrun\nmode replay\nrun\n");
    for workers in ["1", "4"] {
        let ran =
            folder.hasse(&["debug", "lo.hasse", "--commands", "commands", "--workers", workers]).ends(0);
        let lines: Vec<&str> = ran.stdout.lines().skip(2).collect();
        let expected = [
            "/Z:1 at befcomp: log []",
            "program: Z runs first",
            "/Z:1 at aftcomp: ExecCnt is 1",
            "/M:1 at befcomp: log [\"/Z:1\"]",
            "program: M runs second",
            "/M:1 at aftcomp: ExecCnt is 1",
            "/A:1 at befcomp: log [\"/M:1\"]",
            "program: A runs third",
            "/A:1 at aftcomp: ExecCnt is 1",
        ];
        assert_eq!(lines, [expected, expected].concat(), "{}", ran.shown());
    }
}

/// Whatever workers take first, in a run and in a replay, whose lines wait for those that were printed before them.
#[test]
fn causes_are_printed_before_their_effects() {
    let folder = Folder::with("chains.hasse", CHAINS);
    folder.write(
        "commands",
        "when {log \"begins\"}\nwhen at aftcomp {log \"ends\"}\nrun\nmode replay\nrun\nrun\n",
    );
    let ran = folder.hasse(&["debug", "chains.hasse", "--commands", "commands", "--workers", "4"]).ends(0);
    let lines: Vec<&str> = ran.stdout.lines().skip(2).collect();
    let runs: Vec<&[&str]> = lines.chunks(lines.len() / 3).collect();
    let said = |run: &[&str]| -> Vec<String> {
        run.iter().filter(|line| line.ends_with("says")).map(|line| (*line).to_owned()).collect()
    };
    for run in &runs {
        assert_eq!(said(run), said(runs[0]), "a replay prints as the run did");
        let at = |text: &str| {
            run.iter().position(|line| *line == text).unwrap_or_else(|| panic!("{text}\n{}", ran.shown()))
        };
        for i in 0..8 {
            let order = ["A", "B", "C"].map(|node| {
                [
                    format!("/{node}[{i}]:1 at befcomp: begins"),
                    format!("{node} {i} says"),
                    format!("/{node}[{i}]:1 at aftcomp: ends"),
                ]
            });
            let places: Vec<usize> = order.iter().flatten().map(|text| at(text)).collect();
            assert!(places.is_sorted(), "chain {i}: {places:?}\n{}", run.join("\n"));
        }
    }
}

/// Two graphs with a node of one name.
const TWINS: &str = r#"hasse = 1
main  = "outer"

[graph.outer]
arcs = ["Open.go -> Work.go", "Work.done -> call.go", "call.done -> End.done"]

[graph.outer.call.call]
graph = "inner"

[graph.outer.uc.Open]
out   = { go = "int" }
start = true
route = ["go <- 1"]

[graph.outer.uc.Work]
in    = { go = "int" }
out   = { done = "int" }
fire  = ["go -> x"]
route = ["done <- x"]

[graph.outer.uc.End]
in   = { done = "int" }
fire = ["done -> x"]

[graph.inner]
in   = { go = "int" }
out  = { done = "int" }
arcs = ["in.go -> Work.go", "Work.done -> out.done"]

[graph.inner.uc.Work]
in    = { go = "int" }
out   = { done = "int" }
fire  = ["go -> x"]
route = ["done <- x"]
"#;

/// A node is named with its graph in checks, selections and conditions alike, also one of the main graph.
#[test]
fn graph_and_node_name_predecessors_as_in_checks() {
    let folder = Folder::with("twins.hasse", TWINS);
    folder.write(
        "commands",
        "stop in /call/Work if Pred(outer.Work) AND NOT Pred(inner.Work)\n\
         stop in End if Pred(inner.Work)\n\
         stop in End if Pred(outer.Work)\n\
         check pred inner.Work {outer.Work}\n\
         check pred outer.Work {inner.Work}\n\
         run\ncd /call/Work\nprint Pred(outer.Work)\nprint Pred(inner.Work)\ncont\ncd /End\nprint Pred(inner.Work, Work)\ncont\n",
    );
    let ran = folder.hasse(&["debug", "twins.hasse", "--commands", "commands", "--workers", "1"]).ends(1);
    insta::assert_snapshot!(ran.shown());
    for (line, message) in [
        ("stop in End if Pred(nowhere.Work)", "the program has no graph `nowhere`"),
        ("stop in End if Pred(outer.Wrok)", "has no node `Wrok`"),
        ("check pred End {nowhere.Work}", "the program has no node `nowhere.Work`"),
        ("cd End\nrun\nprint Pred(nowhere.Work)", "the program has no graph `nowhere`"),
    ] {
        folder.write("commands", &format!("{line}\n"));
        let ran = folder.hasse(&["debug", "twins.hasse", "--commands", "commands"]).ends(2);
        assert!(ran.stderr.contains(message), "{line}\n{}", ran.shown());
    }
}
