//! Questions over time: when a condition holds, where a value comes from, the life of an action.

use super::session;
use crate::support::{Folder, SQUARES, TELLERS};

/// A chain that passes a value on through a bound name, a var and a shared object.
const CHAIN: &str = r#"hasse = 1
main  = "chain"

[graph.chain]
params = { first = "int = 7" }
arcs = ["Open.value -> Hold.value", "Hold.held -> Keep.value", "Keep.kept -> End.value", "Open.never -> Idle.value"]
share = ["box -- Keep.box", "box -- End.box"]

[graph.chain.shared.box]
type = "int"
init = "0"

[graph.chain.uc.Open]
out   = { value = "int", never = "int" }
start = true
route = ["value <- first", "never <- 1 if first < 0"]

[graph.chain.uc.Hold]
in    = { value = "int" }
out   = { held = "int" }
vars  = { own = "int" }
fire  = ["value -> own"]
route = ["held <- own"]

[graph.chain.uc.Keep]
in     = { value = "int" }
out    = { kept = "int" }
shared = { box = "write" }
fire   = ["value -> passed"]
do     = "box = passed * 2;"
route  = ["kept <- passed"]

[graph.chain.uc.End]
in     = { value = "int" }
shared = { box = "read" }
vars   = { got = "int", sum = "int" }
fire   = ["value -> got"]
do     = "sum = got + box;"
stop   = true

[graph.chain.uc.Idle]
in    = { value = "int" }
fire  = ["value -> x"]
"#;

fn recorded(program: &str, options: &[&str]) -> Folder {
    let folder = Folder::with("p.hasse", program);
    let run = ["run", "p.hasse", "--trace", "t.trace", "--workers", "1", "--seed", "3"];
    folder.hasse(&[&run, options].concat()).ends(0);
    folder
}

#[test]
fn conditions_are_found_from_the_beginning_and_around_the_moment() {
    let folder = recorded(SQUARES, &[]);
    let commands = "cd Sum\nwhen total > 3\nwhen count == 3 && total < n\ngoto 7\nwhen next total > 0\n\
                    when last total > 0\ngoto end\nwhen last count == 2\nwhen next true\nwhen total < 0\nwhen n == 4\nwhen 6 / (count - 3) < 0\n";
    insta::assert_snapshot!(session(&folder, "t.trace", commands).ends(0).stdout);
}

#[test]
fn conditions_on_objects_are_found_with_any_number_of_workers() {
    let folder = recorded(TELLERS, &[]);
    let commands = "when total > 100\nwhen total == 106\nwhen total == 100\ngoto 3\nwhen last total > 102\nwhen next total > 102\n";
    folder.write("commands", commands);
    let asked = |workers: &str| {
        folder.hasse(&["debug", "t.trace", "--commands", "commands", "--workers", workers]).ends(0).stdout
    };
    let one = asked("1");
    insta::assert_snapshot!(one);
    assert_eq!(asked("4"), one);
}

#[test]
fn conditions_in_minimal_records_are_the_same() {
    let commands = "cd Sum\nwhen total > 3\nwhen count == n\n";
    let full = session(&recorded(SQUARES, &[]), "t.trace", commands).ends(0).stdout;
    let minimal = session(&recorded(SQUARES, &["--record", "minimal"]), "t.trace", commands).ends(0).stdout;
    let value = |text: &str| {
        text.lines().map(|line| line.rsplit(": ").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(value(&full), value(&minimal));
}

#[test]
fn values_are_followed_back_to_what_made_them() {
    let folder = recorded(CHAIN, &[]);
    let commands = "wherefrom box\ncd End\nwherefrom got\nwherefrom sum\ngoto End:1 before\nwherefrom value\n\
                    goto Keep:1 before\ncd Keep\nwherefrom value 1\n";
    insta::assert_snapshot!(session(&folder, "t.trace", commands).ends(0).stdout);
}

/// A value that goes round and round.
const RING: &str = r#"hasse = 1
main  = "ring"

[graph.ring]
arcs = ["Start.go -> Round.ball", "Round.back -> Round.ball", "Round.out -> End.ball"]

[graph.ring.uc.Start]
out   = { go = "int" }
start = true
route = ["go <- 2 + 3"]

[graph.ring.uc.Round]
in    = { ball = "int" }
out   = { back = "int", out = "int" }
fire  = ["ball -> thrown"]
route = ["back <- thrown if count < 20", "out <- thrown if count == 20"]

[graph.ring.uc.End]
in    = { ball = "int" }
vars  = { kept = "int" }
fire  = ["ball -> got"]
do    = "kept = kept + got;"
stop  = true
"#;

#[test]
fn long_ways_are_shown_by_the_page() {
    let folder = recorded(RING, &[]);
    let commands = "goto End:1 before\ncd End\nwherefrom ball\nwherefrom\n";
    let shown = session(&folder, "t.trace", commands).ends(0).stdout;
    assert!(shown.contains("16 steps are shown: `wherefrom` goes on\n"), "{shown}");
    assert_eq!(shown.matches("sent by /Round:").count(), 20, "{shown}");
    assert!(shown.ends_with("by routing rule `go <- 2 + 3` (p.hasse:10)\n  along arc `Start.go -> Round.ball` (p.hasse:5)\nwhich made it\n"), "{shown}");
}

/// A failing node, one that waits for ever, and one that goes on.
const FAILING: &str = r#"hasse = 1
main  = "failing"

[graph.failing]
arcs = ["Open.go -> Fail.go", "Open.never -> Wait.go", "Open.more -> Wait.more"]

[graph.failing.uc.Open]
out   = { go = "int", never = "int", more = "int" }
start = true
route = ["go <- 1", "go <- 2", "never <- 3", "more <- 4 if count > 1"]

[graph.failing.uc.Fail]
in    = { go = "int" }
fire  = ["go -> n"]
do    = "if n == 1 { throw `it is ${n}`; }"

[graph.failing.uc.Wait]
in    = { go = "int", more = "int" }
fire  = ["go -> n, more -> m"]
"#;

#[test]
fn lives_of_actions_are_told_from_creation_to_end() {
    let folder = Folder::with("p.hasse", FAILING);
    folder.hasse(&["run", "p.hasse", "--trace", "t.trace", "--workers", "1", "--seed", "3"]).ends(1);
    let commands = "lifetime Open\nlifetime Fail\ncd Wait\nlifetime\n";
    insta::assert_snapshot!(session(&folder, "t.trace", commands).ends(0).stdout);
}

#[test]
fn questions_without_an_answer_say_why() {
    let folder = recorded(CHAIN, &[]);
    let refused = |commands: &str| {
        let ran = session(&folder, "t.trace", commands);
        assert_eq!(ran.code, Some(2), "{}", ran.shown());
        ran.stderr
    };
    let texts = [
        refused("when"),
        refused("when next"),
        refused("when box >"),
        refused("when nothing > 3"),
        refused("when box"),
        refused("cd End; when got / 0 > 1"),
        refused("cd End; when Pred(Keep)"),
        refused("cd End; when value == 7"),
        refused("wherefrom"),
        refused("wherefrom nothing"),
        refused("wherefrom box 2"),
        refused("goto 0; wherefrom box"),
        refused("cd End; wherefrom value"),
        refused("cd End; wherefrom value 0"),
        refused("lifetime"),
        refused("lifetime Idle"),
        refused("lifetime End Hold"),
        refused("cd End; rstep 9"),
        refused("rstep"),
        refused("cd End; stack"),
        refused("cd End; locals"),
        refused("goto Keep:1 befcomp; cd End; rstep"),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}
