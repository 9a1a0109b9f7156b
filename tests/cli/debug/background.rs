//! Runs in the background where standard output is no terminal: what happens to them comes before the next command's output.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::super::support::{Folder, TELLERS};

const AT_REST: &str = "waiting: 1 action is stopped";
const OVER: &str = "the run is over: `wait` shows what came of it";

#[test]
fn stops_and_end_are_announced_before_the_output_of_a_command() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let mut command = folder.command(&["debug", "tellers.hasse", "--workers", "1", "--seed", "3"]);
    let mut session = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut to = session.stdin.take().unwrap();
    let mut lines = BufReader::new(session.stdout.take().unwrap()).lines();
    let mut all: Vec<String> = Vec::new();
    // `status` ends with this line while the run has not been asked for.
    let mut until = |text: &str, expected: &str, all: &mut Vec<String>| {
        to.write_all(text.as_bytes()).unwrap();
        while !all.iter().any(|line| line == expected) {
            to.write_all(b"status\n").unwrap();
            loop {
                let line = lines.next().unwrap().unwrap();
                let is_last = line.starts_with("a run is under way");
                all.push(line);
                if is_last {
                    break;
                }
            }
        }
    };
    until("stop in Teller[1]\nrun &\n", AT_REST, &mut all);
    until("cont &\n", OVER, &mut all);
    drop(to);
    all.extend(lines.map(|line| line.unwrap()));
    assert!(session.wait().unwrap().success(), "{all:#?}");
    let is_news = |line: &&String| {
        line.starts_with("stopped: ") || ["total = 106", AT_REST, OVER].contains(&line.as_str())
    };
    let news: Vec<&String> = all.iter().filter(is_news).collect();
    assert_eq!(
        news,
        ["stopped: /Teller[1]:1 at befcomp: breakpoint 1", AT_REST, OVER, "total = 106"],
        "{all:#?}"
    );
    // They come before all of what `status` says.
    let stopped = all.iter().position(|line| line == AT_REST).unwrap();
    assert_eq!(all[stopped + 1], "mode record full", "{all:#?}");
}

/// What nobody has been told of when the run is ended comes with its end.
#[test]
fn stop_is_told_when_the_run_is_killed() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.write(
        "commands",
        "stop in Open at aftcomp\nrun &\nwait\ncd Open\ncont &\ncd\nwait\nrerun &\nwait\nkill\n",
    );
    let args = ["debug", "tellers.hasse", "--commands", "commands", "--workers", "1", "--seed", "3"];
    let ran = folder.hasse(&args).ends(1);
    let told = "stopped: /Open:1 at aftcomp: breakpoint 1\nwaiting: 1 action is stopped\n";
    assert_eq!(ran.stdout.matches(told).count(), 2, "{}", ran.shown());
}
