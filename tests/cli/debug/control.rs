//! Stopping, continuing and asking in sessions: contexts, errors, and what outlives a stop.

use std::fs;

use super::super::commands::scripts;
use super::super::hierarchy::FIB;
use super::super::support::{Folder, TELLERS};
use super::session;

/// The commands of table B-1 of the dissertation (Hyder 1994, appendix B), with their aliases.
const TABLE_B_1: [(&str, &str); 28] = [
    ("alias", ""),
    ("check", ""),
    ("cont", "c"),
    ("debug", ""),
    ("delete", "d"),
    ("disp", ""),
    ("dump", ""),
    ("help", "h"),
    ("list", "l"),
    ("lse", ""),
    ("lsi", ""),
    ("mode", ""),
    ("next", "n"),
    ("output", ""),
    ("print", "p"),
    ("psym", ""),
    ("quit", "q"),
    ("rcopt", ""),
    ("run", "r"),
    ("select", "cd"),
    ("source", ""),
    ("status", ""),
    ("stop", "st"),
    ("whatis", ""),
    ("when", ""),
    ("where", "pwd"),
    ("which", ""),
    ("unalias", ""),
];

#[test]
fn every_row_of_table_b_1_has_a_script() {
    let scripts: String = scripts().into_iter().map(|(_, text)| text).collect();
    let said: Vec<&str> = scripts
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split([';', '{', '"']))
        .filter_map(|command| command.split_whitespace().next())
        .collect();
    for (name, alias) in TABLE_B_1 {
        assert!(said.contains(&name), "no script in tests/cli/sessions says `{name}`");
        assert!(alias.is_empty() || said.contains(&alias), "no script in tests/cli/sessions says `{alias}`");
    }
}

#[test]
fn what_is_not_legal_or_has_no_run_is_told_with_its_place() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.write("fib.hasse", FIB);
    let lines = [
        ("fib", "cd fib; cont"),
        ("fib", "cd fib;  next"),
        ("fib", "cd fib; stop in Sum"),
        ("fib", "cd fib; once"),
        ("fib", "cd fib; when {dump}"),
        ("fib", "cd fib; watch total"),
        ("fib", "cd fib; print total"),
        ("fib", "cd fib; assign total = 1"),
        ("fib", "cd Start:1; stop"),
        ("fib", "cd Start:1; cont"),
        ("tellers", "print total"),
        ("tellers", "assign total = 1"),
        ("tellers", "cont"),
        ("tellers", "next"),
        ("tellers", "stop"),
        ("tellers", "stopped"),
        ("tellers", "deadlock"),
        ("tellers", "why Audit"),
        ("tellers", "dump"),
        ("tellers", "cd Audit; print total"),
        ("tellers", "cd Audit; assign total = 1"),
        ("tellers", "run; cd Audit; print totl"),
        ("tellers", "run; cd Audit; print total +"),
        ("tellers", "run; cd Audit; assign total"),
        ("tellers", "run; cd Audit; assign total = 1"),
        ("tellers", "run; cd Audit; cont"),
        ("tellers", "run; cd Teller; dump"),
        ("tellers", "run; cd Teller[7]; dump"),
        ("tellers", "run; why Nobody"),
        ("tellers", "stop in Teller at send; run; run"),
        ("tellers", "stop in Teller at send; run; cd Audit; cont"),
        ("tellers", "stop in Teller at send; run; cd Teller[2]; assign total = 1"),
        ("tellers", "stop in Teller[1]; run; cd Teller[0]; print amount + 1"),
        ("tellers", "stop in Teller at aftcomp; run; cd Teller[2]; assign i = 1"),
        ("tellers", "stop in Teller at aftcomp; run; cd Teller[2]; assign total = \"much\""),
        ("tellers", "mode record perf; run &; stop"),
        ("tellers", "stop in Nobody"),
        ("tellers", "stop in Teller at sideways"),
        ("tellers", "once in Teller if totl > 1"),
        ("tellers", "when in Teller"),
        ("tellers", "watch in Teller"),
        ("tellers", "stop on arc Audit.done -> Open.go"),
        ("tellers", "stop on shared totl"),
        ("tellers", "delete 1"),
        ("tellers", "deadlock now"),
        ("tellers", "kill it"),
    ];
    let mut shown = String::new();
    for (program, line) in lines {
        let ran = session(&folder, &format!("{program}.hasse"), &format!("{line}\n")).ends(2);
        shown += &format!("{line}\n{}\n", ran.stderr);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn breakpoints_are_saved_and_restored() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    session(
        &folder,
        "tellers.hasse",
        "stop in Teller[1] at aftcomp if total > 100\nonce in Teller after 1\n\
         when on arc Teller.done {log \"passes {value}\"; print i}\nwatch total, amount in Teller[0..2]\n\
         stop on shared total read\nstop on create Audit\nstop at failed\ndelete 2\nsave session kept.session\n\
         status > before\n",
    )
    .ends(0);
    folder.write("commands", "status > after\nrun\nstopped\n");
    let ran = folder.hasse(&["debug", "--session", "kept.session", "--commands", "commands"]).ends(1);
    insta::assert_snapshot!(ran.shown());
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("before"), read("after"));
    assert!(read("after").contains("breakpoint 5: stop on shared total read"), "{}", read("after"));

    // A breakpoint that the program does not admit is no breakpoint of a session of it.
    let broken = read("kept.session").replace("shared total read", "shared totl read");
    folder.write("kept.session", &broken);
    let ran = folder.hasse(&["debug", "--session", "kept.session", "--commands", "commands"]).ends(2);
    assert!(ran.stderr.contains("totl"), "{}", ran.shown());
}

/// With `--echo` a script is shown as a conversation, in the files that it reads, too.
#[test]
fn lines_of_files_are_shown_behind_the_prompt() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.write("inner", "where\n  # nothing\ncd\n");
    folder.write("outer", "# not shown\n\ncd Audit; where\nsource inner\nwhere > file\nmoed\n");
    let ran = folder.hasse(&["debug", "tellers.hasse", "--commands", "outer", "--echo"]).ends(2);
    assert_eq!(
        ran.stdout,
        "hasse /> cd Audit; where\n/Audit\nhasse /Audit> source inner\nhasse /Audit> where\n/Audit\n\
         hasse /Audit> cd\nhasse /> where > file\nhasse /> moed\n"
    );
    assert!(ran.stderr.contains("outer, line 6: column 1: "), "{}", ran.shown());
    assert_eq!(fs::read_to_string(folder.path("file")).unwrap(), "/\n");
    let ran = folder.hasse(&["debug", "tellers.hasse", "--echo"]).ends(2);
    assert!(ran.stderr.contains("--commands"), "{}", ran.shown());
}

/// Stops leave no mark in the record, assignments do; and breakpoints stop replays, too.
#[test]
fn what_was_stopped_and_assigned_is_replayed() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = session(
        &folder,
        "tellers.hasse",
        "once in Teller[1]\noutput file t\nrun\ncd Teller[1]\nassign amount = 1000\nnext\ncd\nstop\nnext\ncont\n\
         mode replay\noutput file again\nonce in Audit\nrun\ncd Audit\nprint Pred.len()\nprint seen.len()\ncd\ncont\n",
    )
    .ends(0);
    let totals: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("total = ")).collect();
    assert_eq!(totals, ["total = 1104"; 2], "{}", ran.shown());
    assert!(ran.stdout.contains("stopped: /Audit:1 at befcomp: breakpoint 2\n"), "{}", ran.shown());
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    assert_eq!(digest("t"), digest("again"));

    // In a replay the record says what is assigned.
    let commands = "run\nmode replay\nonce in Audit\nrun\ncd Audit\nassign total = 1\n";
    let ran = session(&folder, "tellers.hasse", commands).ends(2);
    insta::assert_snapshot!(ran.stderr);
}

/// `list` in an action that is stopped before or after its body shows the body.
#[test]
fn body_of_a_stopped_action_is_listed() {
    let text = TELLERS.replace(
        "do     = \"total += amount;\"",
        "do     = '''\n// Adds.\nlet before = total;\ntotal = before + amount;\n'''",
    );
    let folder = Folder::with("tellers.hasse", &text);
    let ran = session(
        &folder,
        "tellers.hasse",
        "stop in Teller[1]\nrun\ncd Teller[1]\nlist\nlist 24..26\nnext\nlist\ndelete 1\ncd\nstop in Open\nrerun\n\
         cd Open\nlist\n",
    );
    insta::assert_snapshot!(ran.shown());
}

/// Actions that wait for failed ones: not a cycle, but the failure is the cause.
#[test]
fn deadlock_names_the_failed_event() {
    let text =
        fs::read_to_string(super::super::support::repository().join("tests/cases/waiting/failing.hasse"));
    let folder = Folder::with("failing.hasse", &text.unwrap());
    let ran = session(&folder, "failing.hasse", "run\ndeadlock\n").ends(1);
    let (_, deadlock) = ran.stdout.rsplit_once("likely cause: ").unwrap();
    let report = ran.stderr.lines().find_map(|line| line.strip_prefix("likely cause: ")).unwrap();
    assert_eq!(deadlock.trim_end(), report);
    assert!(report.contains(" failed; ") && report.ends_with("that would have come from there"), "{report}");
}
