//! Sessions and edits of their program: `run` takes it as it is on the disk.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::super::support::{Folder, TELLERS};
use super::session;

/// Runs a session that reads commands line by line; `between` is called after the first `n_first` of them were answered.
fn conversation(
    folder: &Folder,
    first: &[&str],
    between: impl FnOnce(),
    then: &[&str],
) -> (String, Option<i32>) {
    let mut command = folder.command(&["debug", "tellers.hasse", "--workers", "1", "--seed", "3"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut shown = String::new();
    first.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    // The path of the scope shows that all of it has been carried out.
    writeln!(input, "where").unwrap();
    while !shown.ends_with("\n/\n") {
        assert_ne!(output.read_line(&mut shown).unwrap(), 0, "{shown}");
    }
    between();
    then.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    drop(input);
    while output.read_line(&mut shown).unwrap() > 0 {}
    let ended = child.wait_with_output().unwrap();
    (shown + String::from_utf8(ended.stderr).unwrap().as_str(), ended.status.code())
}

#[test]
fn run_takes_the_edited_program_and_keeps_what_fits() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let line = |text: &str| TELLERS.lines().position(|line| line == text).unwrap() + 1;
    let at = line("do     = \"total += amount;\"");
    let edited = TELLERS
        .replace("main  = \"tellers\"", "# twice as much\nmain  = \"tellers\"")
        .replace("total += amount;", "total += 2 * amount;")
        .replace("uc.Open", "uc.Begin")
        .replace("Open.go", "Begin.go");
    let first = [
        "check pred Audit {Teller}".to_owned(),
        "check pred Audit {Open}".to_owned(),
        "stop in Teller[1]".to_owned(),
        format!("stop at line {}", line("do     = 'result(\"total\", total); print(seen);'")),
        format!("stop at line {at}"),
        "run".to_owned(),
        "kill".to_owned(),
    ];
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let (shown, code) =
        conversation(&folder, &first, || folder.write("tellers.hasse", &edited), &["run", "kill", "status"]);
    assert_eq!(code, Some(1), "{shown}");
    for told in [
        "tellers.hasse has changed:",
        "given up: `check pred Audit {Open}`: ",
        &format!("given up: `stop at line {at}`: its line is no longer in the program"),
        "check 1: check pred Audit {Teller}",
        "breakpoint 3: stop in Teller[1]",
        &format!(
            "breakpoint 4: stop at line {}",
            line("do     = 'result(\"total\", total); print(seen);'") + 1
        ),
        "stopped: /Teller[1]:1 at befcomp: breakpoint 3",
    ] {
        assert!(shown.contains(told), "{told}\n{shown}");
    }
}

#[test]
fn program_with_errors_is_not_run_and_the_one_before_can_be_asked() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let broken = TELLERS.replace("fire   = [\"go -> amount\"]", "fire   = [\"gone -> amount\"]");
    let (shown, code) = conversation(
        &folder,
        &["run"],
        || folder.write("tellers.hasse", &broken),
        &["run", "lse 1..2", "status"],
    );
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("tellers.hasse has errors: nothing was run"), "{shown}");
    assert!(shown.contains("     1  /Open:1"), "{shown}");
    assert!(shown.contains("records: 5 events of run 1 (record full)"), "{shown}");
}

#[test]
fn fork_goes_on_with_the_edited_program() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let edited = TELLERS.replace("total += amount;", "total += 2 * amount;");
    let (shown, code) = conversation(
        &folder,
        &["run", "goto 1"],
        || folder.write("tellers.hasse", &edited),
        &["fork", "moment", "goto 1", "dump"],
    );
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("tellers.hasse has changed:"), "{shown}");
    assert!(shown.contains("going on from moment 1 of 5: after /Open:1\n"), "{shown}");
    assert!(shown.contains("total = 112\nmoment 5 of 5: after /Audit:1\n"), "{shown}");
}

/// What a replay is used for most: the same run, with more said of it.
#[test]
fn recorded_run_is_replayed_with_an_edited_body() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let edited = TELLERS.replace("total += amount;", "total += amount; print(`total ${total}`);");
    let (shown, code) = conversation(
        &folder,
        &["run"],
        || folder.write("tellers.hasse", &edited),
        &["mode replay", "run", "status"],
    );
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("replays run 1 (record full) with the changed program"), "{shown}");
    assert!(shown.contains("total 106"), "{shown}");
    assert!(shown.contains("records: 5 events of run 2 (replay)"), "{shown}");
}

#[test]
fn saved_session_is_restored_after_an_edit() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let commands =
        "check pred Audit {Teller}\ncheck pred Audit {Open}\nstop in Audit\nrun\ncont\nsave session kept\n";
    session(&folder, "tellers.hasse", commands).ends(0);
    let edited = TELLERS.replace("uc.Open", "uc.Begin").replace("Open.go", "Begin.go");
    folder.write("tellers.hasse", &edited);
    folder.write("commands", "status\nlse 1..2\nrun\n");
    let ran = folder.hasse(&["debug", "--session", "kept", "--commands", "commands"]).ends(1);
    assert!(ran.stderr.contains("tellers.hasse has changed since the session was saved"), "{}", ran.shown());
    assert!(ran.stderr.contains("given up: `check pred Audit {Open}`"), "{}", ran.shown());
    assert!(ran.stdout.contains("check 1: check pred Audit {Teller}"), "{}", ran.shown());
    // The records are of the program as it was.
    assert!(ran.stdout.contains("     1  /Open:1"), "{}", ran.shown());
    assert!(ran.stdout.contains("stopped: /Audit:1 at befcomp: breakpoint 3"), "{}", ran.shown());
}

#[test]
fn session_on_a_trace_says_what_run_does() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    let ran = session(&folder, "t", "run\nmode replay\nrun\nmode record full\nrun\n").ends(0);
    for told in
        ["looks at the events of t; nothing is executed", "replays t\n", "runs the program recorded in t\n"]
    {
        assert!(ran.stdout.contains(told), "{told}\n{}", ran.shown());
    }
}

#[test]
fn commands_come_from_standard_input_up_to_the_first_error() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let args = ["debug", "tellers.hasse", "--workers", "1", "--commands", "-", "--echo"];
    let ran = folder.hasse_with_input(&args, "where\nmoed\nwhere\n").ends(2);
    assert_eq!(ran.stdout, "hasse /> where\n/\nhasse /> moed\n", "{}", ran.shown());
    assert!(ran.stderr.contains("standard input, line 2: column 1"), "{}", ran.shown());
    // What the program would read is what has been read: nothing is left for it.
    folder.hasse_with_input(&args[..6], "run\n").ends(0);
    assert!(fs::read_dir(folder.path("")).unwrap().count() >= 2);
}

#[test]
fn words_of_other_debuggers_and_beginnings_of_names_are_understood() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = session(
        &folder,
        "tellers.hasse",
        "break Teller[1]\ntbreak Audit\nb on failed\nrun\ninfo breakpoints\nbt Teller[1]\ncontinue\nfinish\ncont 3\nstat\nexit\nwhere\n",
    )
    .ends(0);
    insta::assert_snapshot!(ran.shown());
    let mut shown = String::new();
    for line in ["re", "up", "info registers", "break", "until 12", "cont 0", "step many", "cont 2 &"] {
        shown += &session(&folder, "tellers.hasse", &format!("{line}\n")).ends(2).stderr;
    }
    insta::assert_snapshot!(shown);
}

/// Actions that go on for ever keep nobody from seeing who has stopped.
#[test]
fn run_returns_at_a_breakpoint_while_others_go_on() {
    let program = super::super::support::ENDLESS
        .replace("Pong.next -> Ping.next\"", "Pong.next -> Ping.next\", \"Ping.once -> Host.once\"")
        .replace("out   = { number = \"int\" }", "out   = { number = \"int\", once = \"int\" }")
        .replace("do    = \"print(k);\"\n", "")
        .replace("route = [\"number <- k\"]", "route = [\"number <- k\", \"once <- k if count == 3\"]")
        + "\n[graph.endless.uc.Host]\nin = { once = \"int\" }\nfire = [\"once -> k\"]\n";
    let folder = Folder::with("endless.hasse", &program);
    let ran =
        session(&folder, "endless.hasse", "output save off\nstop in Host\nrun\ncd Host\nprint k\ncd\nquit\n");
    let ran = ran.ends(1);
    assert!(
        ran.stdout.contains(
            "stopped: /Host:1 at befcomp: breakpoint 1\nrunning: 1 action is stopped; the others go on"
        ),
        "{}",
        ran.shown()
    );
    assert!(ran.stdout.contains("\nk = 2\n"), "{}", ran.shown());
}

#[test]
fn list_shows_the_text_around_the_next_statement() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let at = TELLERS.lines().position(|line| line.starts_with("do     = \"total += ")).unwrap() + 1;
    let commands = format!("stop at line {at}\nrun\ncd Teller[1]\nlist\nlist {at}\n");
    let ran = session(&folder, "tellers.hasse", &commands).ends(1);
    let line = format!("-> {at:>5}  do     = \"total += amount;\"\n");
    assert_eq!(ran.stdout.matches(&line).count(), 2, "{}", ran.shown());
    assert!(
        ran.stdout.contains(&format!("   {:>5}  route  = [\"done <- total\"]\n", at + 1)),
        "{}",
        ran.shown()
    );
}
