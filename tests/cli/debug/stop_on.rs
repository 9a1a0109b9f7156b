//! Runs that stop at what their events show: `--stop-on`, and `stop on check` in sessions.

use super::super::support::{ENDLESS, Folder};
use super::session;

/// Counts for ever; two tellers race, and one node fails.
fn endless() -> String {
    ENDLESS.replace("do    = \"print(k);\"\n", "")
        + r#"
[graph.endless.shared.total]
type = "int"
init = "0"

[graph.endless.uc.Teller]
start  = true
out    = { go = "int" }
shared = { total = "write" }
do     = "total += 1;"
route  = ["go <- 1"]

[graph.endless.uc.Other]
start  = true
shared = { total = "write" }
do     = "total += 2;"

[graph.endless.uc.Fails]
in     = { go = "int" }
fire   = ["go -> k"]
do     = 'throw "no";'
"#
}

fn program() -> String {
    let arcs = "Pong.next -> Ping.next\", \"Teller.go -> Fails.go\"]\nshare = [\"total -- Teller.total\", \"total -- Other.total\"";
    endless().replace("Pong.next -> Ping.next\"", arcs)
}

const CHECK: &str = "forall p: Pong : p.count < 1000";

#[test]
fn run_ends_at_what_its_events_show() {
    let folder = Folder::with("endless.hasse", &program());
    for (args, told) in [
        (&["--check", CHECK, "--stop-on", "check"][..], format!("violated: {CHECK}: stopping")),
        (&["--stop-on", "race"], "there is a race: stopping".to_owned()),
        (&["--stop-on", "failed"], "an event has failed: stopping".to_owned()),
    ] {
        let ran = folder.hasse(&[&["run", "endless.hasse", "--workers", "2"], args].concat()).ends(1);
        assert!(ran.stderr.contains(&told), "{told}\n{}", ran.shown());
        assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
    }
    let ran = folder.hasse(&["run", "endless.hasse", "--stop-on", "check"]).ends(2);
    assert!(ran.stderr.contains("--stop-on check needs a check"), "{}", ran.shown());
}

/// A run in which nothing is found ends as any other.
#[test]
fn run_without_a_finding_goes_on() {
    let folder = Folder::with("squares.hasse", super::super::support::SQUARES);
    let args = ["run", "squares.hasse", "--check", "check forall s: Sum : s.count < 5", "--stop-on", "check"];
    let ran = folder.hasse(&args).ends(0);
    assert!(!ran.stderr.contains("stopping"), "{}", ran.shown());
    assert!(ran.stdout.contains("total = 14"), "{}", ran.shown());
}

#[test]
fn session_stops_all_actions_when_a_check_is_violated() {
    let folder = Folder::with("endless.hasse", &program());
    let set = format!(
        "output save off\ncheck pred Ping {{Ping}}\ncheck {CHECK}\nstop on check 2\nstop on race\nstatus\n"
    );
    let ran = session(&folder, "endless.hasse", &format!("{set}delete 4\nrun\nsave session kept\nkill\n"));
    assert_eq!(ran.code, Some(2), "a run is under way\n{}", ran.shown());
    let ran = session(
        &folder,
        "endless.hasse",
        &format!("{set}delete 4\nrun\nverdicts\nkill\nsave session kept\n"),
    )
    .ends(1);
    assert!(ran.stdout.contains("stop 3: stop on check 2\nstop 4: stop on race\n"), "{}", ran.shown());
    assert!(ran.stdout.contains(&format!("violated: {CHECK}: stopping")), "{}", ran.shown());
    assert!(ran.stdout.contains("at befcomp: stop\n"), "{}", ran.shown());
    folder.write("commands", "status\n");
    let ran = folder.hasse(&["debug", "--session", "kept", "--commands", "commands"]).ends(0);
    assert!(ran.stdout.contains("stop 3: stop on check 2\n"), "{}", ran.shown());
    let ran = session(&folder, "endless.hasse", "stop on check 7\n").ends(2);
    assert!(ran.stderr.contains("there is no check 7"), "{}", ran.shown());
}

#[test]
fn session_carries_out_commands_at_a_finding() {
    let folder = Folder::with("endless.hasse", &program());
    let set = format!(
        "output save off\ncheck {CHECK}\nwhen on check 1 {{log \"too many; {{}}\"; stop}}\nstatus\n",
    );
    let ran = session(&folder, "endless.hasse", &set).ends(2);
    assert!(ran.stderr.contains("no action is here whose values could be shown"), "{}", ran.shown());
    let set = set.replace("; {}", "; far");
    let ran = session(&folder, "endless.hasse", &format!("{set}run\nkill\nsave session kept\n")).ends(1);
    let asked = "when 2: when on check 1 { log \"too many; far\"; stop }\n";
    assert_eq!(ran.stdout.matches(asked).count(), 2, "{}", ran.shown());
    let found = format!("violated: {CHECK}: too many; far\nviolated: {CHECK}: stopping\n");
    assert_eq!(ran.stdout.matches(&found).count(), 1, "{}", ran.shown());
    assert!(ran.stdout.contains("at befcomp: stop\n"), "{}", ran.shown());
    folder.write("commands", "status\n");
    let ran = folder.hasse(&["debug", "--session", "kept", "--commands", "commands"]).ends(0);
    assert!(ran.stdout.contains(asked), "{}", ran.shown());
}

/// Each of several findings is told of once, and the run goes on where nothing stops it.
#[test]
fn session_tells_of_each_finding_once() {
    let folder = Folder::with("tellers.hasse", super::super::support::TELLERS);
    let ran = session(
        &folder,
        "tellers.hasse",
        "check forall t: Teller : t.index < 1\ncheck pred Audit {Open}\nwhen on check {log \"wrong\"; verdicts}\n\
         when on check 1 {log \"an index\";}\nwhen on check 2 {log \"never\"}\nwhen on failed {log \"no\"}\nrun\n",
    )
    .ends(1);
    let found = "violated: forall t: Teller : t.index < 1: ";
    for text in ["wrong", "an index"] {
        assert_eq!(ran.stdout.matches(&format!("{found}{text}\n")).count(), 1, "{}", ran.shown());
    }
    assert!(!ran.stdout.contains("never\n"), "{}", ran.shown());
    assert!(ran.stdout.contains("total = 106"), "{}", ran.shown());
    // Once by the command, once at the end.
    assert_eq!(
        ran.stdout.matches("does not hold: forall t: Teller : t.index < 1\n").count(),
        2,
        "{}",
        ran.shown()
    );
}
