//! Sessions at a terminal: what a person sees, after pauses in which the clock could draw something.

use std::time::Duration;

use super::super::support::{ENDLESS, Folder, TELLERS};
use super::super::terminal::Terminal;

/// Longer than a run takes to show how far it is.
const PAUSE: Duration = Duration::from_millis(1800);

const PROMPT: &str = "hasse />";

fn start(program: &str, args: &[&str]) -> (Folder, Terminal) {
    let folder = Folder::with("program.hasse", program);
    let terminal = Terminal::start(&folder, &[&["debug", "program.hasse", "--workers", "1"], args].concat());
    terminal.until_last(PROMPT);
    (folder, terminal)
}

#[test]
fn progress_line_leaves_the_prompt_alone_after_a_run() {
    let (_folder, mut terminal) = start(TELLERS, &["--seed", "3"]);
    let ended = terminal.enter(PROMPT, "run");
    terminal.press("status");
    terminal.until_last("hasse /> status");
    let later = terminal.after(PAUSE);
    assert_eq!(later[..later.len() - 1], ended[..ended.len() - 1]);
    assert_eq!(later.last().unwrap(), "hasse /> status");
    terminal.press("\x15quit\r");
    terminal.ends();
}

#[test]
fn progress_line_leaves_the_prompt_alone_at_a_breakpoint() {
    let (_folder, mut terminal) = start(TELLERS, &["--seed", "3"]);
    terminal.enter(PROMPT, "stop in Audit");
    let stopped = terminal.enter(PROMPT, "run");
    assert!(stopped.contains(&"waiting: 1 action is stopped".to_owned()), "{stopped:#?}");
    assert_eq!(terminal.after(PAUSE), stopped);
    terminal.press("quit\r");
    terminal.ends();
}

/// While a run is waited for, the line is shown, and it is gone when the prompt is back.
#[test]
fn progress_line_is_shown_only_while_a_run_is_waited_for() {
    let program = ENDLESS.replace("do    = \"print(k);\"\n", "");
    let (_folder, mut terminal) = start(&program, &[]);
    terminal.enter(PROMPT, "output save off");
    terminal.press("run\r");
    terminal.until("the line", |lines| lines.iter().any(|line| line.contains("running for")));
    terminal.press("\x03");
    let stopped = terminal.until_last(PROMPT);
    assert!(!stopped.iter().any(|line| line.contains("running for")), "{stopped:#?}");
    assert!(stopped.iter().any(|line| line.starts_with("stopping the actions")), "{stopped:#?}");
    assert_eq!(terminal.after(PAUSE), stopped);
    terminal.press("quit\r");
    terminal.ends();
}

/// Hits and the end of a run in the background are announced above the line that is being typed.
#[test]
fn background_run_announces_hits_and_its_end() {
    let (_folder, mut terminal) = start(TELLERS, &["--seed", "3"]);
    terminal.enter(PROMPT, "stop in Audit");
    terminal.enter(PROMPT, "run &");
    terminal.press("stat");
    let stopped = terminal.until("the hit", |lines| {
        let is_told = |text: &str| lines.iter().any(|line| line == text);
        is_told("stopped: /Audit:1 at befcomp: breakpoint 1") && is_told("waiting: 1 action is stopped")
    });
    assert_eq!(stopped.iter().filter(|line| line.starts_with("stopped:")).count(), 1, "{stopped:#?}");
    terminal.until_last("hasse /> stat");
    terminal.press("\x15");
    terminal.until_last(PROMPT);
    terminal.enter(PROMPT, "cont &");
    terminal.until("the end", |lines| {
        lines.iter().any(|line| line == "the run is over: `wait` shows what came of it")
            && lines.last().is_some_and(|last| last == PROMPT)
    });
    let ended = terminal.enter(PROMPT, "wait");
    assert!(ended.contains(&"total = 106".to_owned()), "{ended:#?}");
    let again = terminal.enter(PROMPT, "where");
    let n_told = again.iter().filter(|line| line.contains("the run is over")).count();
    assert_eq!(n_told, 1, "{again:#?}");
    terminal.press("quit\r");
    terminal.ends();
}
