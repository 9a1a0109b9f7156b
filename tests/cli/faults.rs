//! Failed, interrupted and killed events, and bodies that print more than they did: what the commands tell of them.

use super::support::{Folder, Ran};

const INIT: &str = include_str!("../cases/truth/init-failure-has-no-cause.hasse");
const EFFECT: &str = include_str!("../cases/truth/interrupted-after-effect.hasse");
const KILL: &str = include_str!("../cases/truth/kill-at-aftcomp.commands");
const SEND: &str = include_str!("../cases/truth/failed-send-creates-instances.hasse");
const GUARD: &str = include_str!("../cases/truth/quiescence-guard-unit.hasse");
const READ: &str = include_str!("../cases/truth/session-read-line-hang.hasse");
const SILENT: &str = include_str!("../cases/facilities/replay-added-print-a.hasse");
const PRINTING: &str = include_str!("../cases/facilities/replay-added-print-b.hasse");

#[test]
fn a_failure_of_init_comes_after_the_value_that_created_its_action() {
    let folder = Folder::with("p.hasse", INIT);
    for workers in ["1", "2"] {
        folder.hasse(&["run", "p.hasse", "--trace", "t", "--workers", workers]).ends(1);
        folder.hasse(&["replay", "t"]).ends(0);
        let events = folder.hasse(&["trace", "events", "t"]).ends(0);
        let line = events.stdout.lines().find(|line| line.starts_with("/N[1]:1"));
        assert!(line.is_some_and(|line| line.contains("`init`  from /S:1")), "{}", events.shown());
        let values = folder.hasse(&["values", "t", "/N[1]:1"]).ends(0);
        assert!(values.stdout.contains("/N[1]:1"), "{}", values.shown());
        folder.hasse(&["isolate", "t", "/N[1]:1"]).ends(0);
        folder.hasse(&["verify", "t", "check pred N {S}"]).ends(0);
    }
}

#[test]
fn a_run_that_is_killed_at_aftcomp_replays_in_its_session() {
    let folder = Folder::with("p.hasse", EFFECT);
    folder.write("kill.commands", KILL);
    let ran = folder.hasse(&["debug", "p.hasse", "--commands", "kill.commands", "--workers", "1"]);
    assert!(!ran.stderr.contains("divergence") && !ran.stdout.contains("left the record"), "{}", ran.shown());
}

#[test]
fn an_event_that_fails_in_sending_creates_nobody() {
    let folder = Folder::with("p.hasse", SEND);
    for scripts in ["interpreted", "auto"] {
        let ran = folder.hasse(&["run", "p.hasse", "--trace", "t", "--scripts", scripts]).ends(1);
        assert!(ran.stderr.contains("R0004") && !ran.stderr.contains("/N["), "{}", ran.shown());
        let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0);
        assert!(!info.stdout.contains("/N["), "{}", info.shown());
    }
}

#[test]
fn a_guard_of_an_action_that_never_executed_sees_the_defaults_of_its_vars() {
    let folder = Folder::with("p.hasse", GUARD);
    let ran = folder.hasse(&["run", "p.hasse"]).ends(1);
    assert!(ran.stderr.contains("/N never executed") && !ran.stderr.contains("guard"), "{}", ran.shown());
}

#[test]
fn a_body_reads_the_next_line_of_the_input_that_a_session_reads_its_commands_from() {
    let folder = Folder::with("p.hasse", READ);
    let read = |input: &str| -> Ran { folder.hasse_with_input(&["debug", "p.hasse"], input).ends(0) };
    let ran = read("run\nhello\nquit\n");
    assert!(ran.stdout.contains("read hello\n"), "{}", ran.shown());
    let ran = read("run\n");
    assert!(ran.stdout.contains("read \n") || ran.stdout.contains("read ()"), "{}", ran.shown());
}

#[test]
fn a_replay_of_a_body_with_an_added_print_prints_every_line_in_order() {
    let folder = Folder::with("a.hasse", SILENT);
    folder.write("b.hasse", PRINTING);
    for mode in ["full", "minimal"] {
        folder.hasse(&["run", "a.hasse", "--trace", "t", "--record", mode]).ends(0);
        let ran = folder.hasse(&["replay", "t", "--program", "b.hasse", "--allow-changes"]).ends(0);
        assert_eq!(ran.stdout, "take 1 0\ntake 2 1\ntake 3 3\ntake 4 6\ntake 5 10\n");
    }
}
