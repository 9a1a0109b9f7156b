//! Going forwards and backwards in a record.

use super::session;
use crate::support::{Folder, TELLERS};

/// A record of the tellers.
fn recorded(options: &[&str]) -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let run = ["run", "tellers.hasse", "--trace", "t.trace", "--workers", "1", "--seed", "3"];
    folder.hasse(&[&run, options].concat()).ends(0);
    folder
}

const FULL: &[&str] = &[];
const MINIMAL: &[&str] = &["--record", "minimal"];
const RESTRICTED: &[&str] = &["--select", "Teller"];

#[test]
fn a_session_on_a_trace_is_at_its_end() {
    let folder = recorded(FULL);
    let ran = session(&folder, "t.trace", "dump\ncd Audit\nprint ExecCnt\ncd\nstopped\ndeadlock\n");
    insta::assert_snapshot!(ran.ends(0).stdout, @r"
    shared /total = 106
    ExecCnt = 1
    finished
    no cycle: nobody waits for a value that only somebody who waits for it could send
    ");
}

#[test]
fn what_was_asked_at_a_moment_is_the_same_with_any_number_of_workers() {
    let folder = recorded(FULL);
    let commands = "goto 2\nqueue\ndump\ngoto Audit:1 before\nqueue Audit\nback 3\nforth 3\nqueue Audit\n";
    folder.write("commands", commands);
    let asked = |workers: &str| {
        folder.hasse(&["debug", "t.trace", "--commands", "commands", "--workers", workers]).ends(0).stdout
    };
    let one = asked("1");
    assert!(one.contains("moment 2 of 5: after /Teller["), "{one}");
    for _ in 0..5 {
        assert_eq!(asked("4"), one);
    }
}

#[test]
fn minimal_records_have_moments_too() {
    let full = session(&recorded(FULL), "t.trace", "goto Teller[1]:1\nwhowrote /total\n").ends(0).stdout;
    let minimal =
        session(&recorded(MINIMAL), "t.trace", "goto Teller[1]:1\nwhowrote /total\n").ends(0).stdout;
    let changed = |text: &str| text.lines().last().unwrap().split("  (moment").next().unwrap().to_owned();
    assert_eq!(changed(&full), changed(&minimal));
    assert!(changed(&full).starts_with("/Teller[1]:1  /total = "), "{full}");
}

#[test]
fn a_run_of_the_session_is_gone_back_in() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let commands = "run\ngoto Teller[0]:1 aftcomp\ncd Teller[0]\nprint total\ncd\nrun\nmoment\n";
    let shown = session(&folder, "tellers.hasse", commands).ends(0).stdout;
    assert!(shown.contains(": /Teller[0]:1 at aftcomp\ntotal = "), "{shown}");
    // A new run has moments of its own.
    assert!(shown.ends_with("moment 5 of 5: after /Audit:1\n"), "{shown}");
}

#[test]
fn moments_that_are_not_there_are_refused() {
    let refused = |options: &[&str], commands: &str| {
        let ran = session(&recorded(options), "t.trace", commands);
        assert_eq!(ran.code, Some(2), "{}", ran.shown());
        ran.stderr
    };
    let texts = [
        refused(FULL, "goto 6"),
        refused(FULL, "goto 101%"),
        refused(FULL, "goto 7x"),
        refused(FULL, "goto Teller[1]:2"),
        refused(FULL, "goto Teller[9]:1"),
        refused(FULL, "goto Teller"),
        refused(FULL, "goto"),
        refused(FULL, "goto Audit:1 soon"),
        refused(FULL, "goto 1; back 2"),
        refused(FULL, "forth"),
        refused(FULL, "cd Teller[1]; forth"),
        refused(FULL, "cd Teller; first"),
        refused(FULL, "rcont"),
        refused(FULL, "cd Teller[1]; whowrote totl"),
        refused(RESTRICTED, "back"),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn without_events_there_are_no_moments() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = session(&folder, "tellers.hasse", "back");
    assert_eq!(ran.code, Some(2));
    insta::assert_snapshot!(ran.stderr, @"error: commands, line 1: the session has no records: `run` first, with `output save record`");
    let ran = session(&folder, "tellers.hasse", "once in Teller[1]\nrun\nback\n");
    assert_eq!(ran.code, Some(2));
    insta::assert_snapshot!(ran.stderr, @r"
    stopped before the end
    error: commands, line 3: a run is under way: `cont` lets it go on, `kill` ends it, and `rerun` starts again
    ");
}
