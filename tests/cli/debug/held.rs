//! Events that a session has: always those of its last run.

use super::super::support::{Folder, TELLERS};
use super::session;

const DRAWN: &str = include_str!("../../cases/facilities/nd.hasse");

fn orders(stdout: &str) -> Vec<&str> {
    stdout.lines().filter(|line| line.starts_with("order = ")).collect()
}

fn drawing(commands: &str) -> super::super::support::Ran {
    let folder = Folder::with("nd.hasse", DRAWN);
    folder.write("commands", commands);
    folder.hasse(&["debug", "nd.hasse", "--commands", "commands", "--workers", "1"])
}

#[test]
fn minimal_run_is_replayed_in_its_session() {
    let ran = drawing(
        "mode record full\nrun\nmode record minimal\nrun\nstatus\nmode replay\nrun\nstatus\nlse 1..2\nrun\n",
    )
    .ends(0);
    let orders = orders(&ran.stdout);
    assert_eq!(orders.len(), 4, "{}", ran.shown());
    // Six numbers of a thousand are drawn anew by each run.
    assert_ne!(orders[0], orders[1]);
    assert_eq!(orders[1..], [orders[1]; 3]);
    assert!(ran.stdout.contains("choices of run 2 (record minimal)"), "{}", ran.shown());
    // A replay of choices makes events, which take their place.
    assert!(ran.stdout.contains("records: 13 events of run 3 (replay)"), "{}", ran.shown());
    assert!(ran.stdout.contains("     1  /Open:1"), "{}", ran.shown());
}

#[test]
fn choices_are_no_events() {
    for question in ["lse", "lsi", "history", "graphs", "perf"] {
        let ran = drawing(&format!("run\nmode record minimal\nrun\n{question}\n")).ends(2);
        assert!(ran.stderr.contains("it holds choices, not events"), "{question}\n{}", ran.shown());
        assert!(ran.stderr.contains("`mode replay; run` makes its events"), "{question}\n{}", ran.shown());
    }
    // The values of an event are made by a replay in any case.
    let ran = drawing("mode record minimal\nrun\nvalues Judge:1\n").ends(0);
    assert!(ran.stdout.contains("/Judge:1"), "{}", ran.shown());
}

#[test]
fn run_that_keeps_nothing_leaves_nothing() {
    let off = ["mode record off\nrun\n", "mode dbgoff\nrun\n", "output save off\nrun\n"];
    for off in off {
        for question in [
            "mode replay\nrun",
            "mode postmortem\nrun",
            "lse",
            "values Judge:1",
            "why Judge:1",
            "history",
            "perf",
            "export dot out.dot",
            "isolate Judge:1",
        ] {
            let ran = drawing(&format!("run\n{off}mode record full\n{question}\n")).ends(2);
            let stderr = &ran.stderr;
            let is_told = stderr.contains("the session has no events: run 2 (")
                || stderr.contains("there are no records to explain events from");
            assert!(is_told, "{off}{question}\n{}", ran.shown());
        }
        let ran = drawing(&format!("run\n{off}status\n")).ends(0);
        assert!(ran.stdout.contains("records: none, run 2 ("), "{}", ran.shown());
    }
}

#[test]
fn filed_run_is_replayed_from_its_file() {
    let ran = drawing(
        "run\noutput save off\noutput file t\nrun\nstatus\noutput file off\nmode replay\nrun\nlse 1..2\n",
    );
    let ran = ran.ends(0);
    let orders = orders(&ran.stdout);
    assert_ne!(orders[0], orders[1]);
    assert_eq!(orders[1], orders[2]);
    assert!(ran.stdout.contains("records: run 2 (record full), in t"), "{}", ran.shown());
}

/// A run that is refused is no run.
#[test]
fn refused_run_leaves_the_events() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.write("commands", "run\nmode record off\nraces on\nrun\nraces off\nmode replay\nrun\nstatus\n");
    let input = std::fs::read_to_string(folder.path("commands")).unwrap();
    let ran = folder.hasse_with_input(&["debug", "tellers.hasse", "--workers", "1"], &input).ends(1);
    assert!(ran.stdout.contains("records: 5 events of run 1 (record full)"), "{}", ran.shown());
    let ran = session(&folder, "tellers.hasse", "status\nrun\nstatus\n").ends(0);
    assert_eq!(ran.stdout.matches("records: ").count(), 1, "{}", ran.shown());
}
