//! Conversations on a trace that go on where the last one was left.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::{Folder, Ran, TELLERS};

fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    record(&folder, "3");
    folder
}

fn record(folder: &Folder, seed: &str) {
    folder.hasse(&["run", "tellers.hasse", "--trace", "t.trace", "--workers", "1", "--seed", seed]).ends(0);
}

fn conversation(folder: &Folder, options: &[&str], input: &str) -> Ran {
    folder.hasse_with_input(&[&["debug", "t.trace", "--workers", "1"], options].concat(), input)
}

#[test]
fn a_killed_session_goes_on_where_it_was() {
    let folder = recorded();
    let mut killed = folder
        .command(&["debug", "t.trace", "--workers", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = killed.stdin.take().unwrap();
    input.write_all(b"stop in Audit if total > 3\ncd Teller[1]\ndisp Teller\ngoto :1 befcomp\n").unwrap();
    let mut lines = BufReader::new(killed.stdout.take().unwrap()).lines();
    // What is shown is kept before.
    assert!(lines.any(|line| line.unwrap().ends_with("/Teller[1]:1 at befcomp")));
    // SIGKILL.
    killed.kill().unwrap();
    killed.wait().unwrap();
    let again = conversation(&folder, &[], "where\nmoment\nstatus\nprint amount\nlast\n");
    insta::assert_snapshot!(again.ends(0).shown());
    // The end in order is kept as well.
    let third = conversation(&folder, &[], "moment\n").ends(0).stdout;
    assert!(third.ends_with("after /Teller[1]:1\n"), "{third}");
}

#[test]
fn a_place_within_a_body_is_kept() {
    let folder = recorded();
    conversation(&folder, &[], "cd Teller[2]\ngoto :1 befcomp\nstep\n").ends(0);
    let again = conversation(&folder, &[], "locals\nnext\n").ends(0).stdout;
    assert!(again.contains("/Teller[2]:1 at line 26"), "{again}");
    let third = conversation(&folder, &[], "rstep\n").ends(0).stdout;
    assert!(third.ends_with("line 26: total += amount;\n"), "{third}");
}

#[test]
fn a_fresh_session_forgets_the_last_one() {
    let folder = recorded();
    conversation(&folder, &[], "goto 2\nstop in Audit\n").ends(0);
    let fresh = conversation(&folder, &["--fresh"], "moment\nstatus\n").ends(0).stdout;
    assert!(fresh.starts_with("moment 5 of 5"), "{fresh}");
    assert!(!fresh.contains("breakpoint"), "{fresh}");
}

#[test]
fn a_session_of_another_record_is_not_taken_up() {
    let folder = recorded();
    conversation(&folder, &[], "goto 2\n").ends(0);
    std::fs::remove_file(folder.path("t.trace")).unwrap();
    folder
        .hasse(&["run", "tellers.hasse", "--trace", "t.trace", "--record", "minimal", "--workers", "1"])
        .ends(0);
    let other = conversation(&folder, &[], "moment\n").ends(0).stdout;
    insta::assert_snapshot!(other.lines().next().unwrap(), @"the trace is not that of the last session, which is not taken up");
}

#[test]
fn commands_of_a_file_begin_anew_and_leave_nothing() {
    let folder = recorded();
    conversation(&folder, &[], "goto 2\n").ends(0);
    folder.write("commands", "moment\ngoto 1\n");
    let ran = folder.hasse(&["debug", "t.trace", "--commands", "commands"]).ends(0).stdout;
    assert!(ran.starts_with("moment 5 of 5"), "{ran}");
    let again = conversation(&folder, &[], "").ends(0).stdout;
    assert!(again.contains("moment 2 of 5"), "{again}");
}

#[test]
fn damaged_place_is_reported_and_the_session_begins_anew() {
    let folder = recorded();
    conversation(&folder, &[], "goto 2\n").ends(0);
    let sessions = std::fs::read_dir(folder.path("state/hasse/sessions")).unwrap();
    for kept in sessions {
        std::fs::write(kept.unwrap().path(), "hasse-session = 2\n").unwrap();
    }
    let ran = conversation(&folder, &[], "moment\n");
    assert!(ran.stderr.contains("it is of version 2"), "{}", ran.shown());
    assert!(ran.stdout.starts_with("moment 5 of 5"), "{}", ran.shown());
}
