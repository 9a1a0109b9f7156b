//! The console and the log.

use std::time::Duration;

use hasse_editor::run::{Completion, LogLine, MOST_CONSOLE_LINES, Request, RunState, Source, Told};

use super::fake::panel;

#[test]
fn lines_go_out_and_their_history_comes_back() {
    let (mut panel, fake) = panel();
    fake.tell(Told::State(RunState::Ready));
    fake.tell(Told::Prompt("hasse /A> ".to_owned()));
    panel.tick(Duration::ZERO);
    fake.sent();
    for line in ["run", "status", "status", "  "] {
        panel.type_line(line);
    }
    let sent = ["run", "status", "status"].map(|line| Request::Console(line.to_owned()));
    assert_eq!(fake.sent(), sent);
    assert_eq!(panel.console().line(0), Some("hasse /A> run"));
    let console = panel.console_mut();
    assert_eq!(console.older().map(str::to_owned), Some("status".to_owned()));
    assert_eq!(console.older().map(str::to_owned), Some("run".to_owned()));
    assert_eq!(console.older(), None);
    assert_eq!(console.newer(), "status");
    assert_eq!(console.newer(), "");
    console.set_history(vec!["earlier".to_owned()]);
    assert_eq!(console.history(), ["earlier", "run", "status"]);
    panel.type_line("clear");
    assert_eq!(panel.console().n_lines(), 0);
}

#[test]
fn a_console_scrolls_back_so_far_and_no_farther() {
    let (mut panel, fake) = panel();
    let lines = (0..MOST_CONSOLE_LINES + 10).map(|number| number.to_string()).collect();
    fake.tell(Told::Answer(lines, true));
    panel.tick(Duration::ZERO);
    let console = panel.console();
    assert_eq!((console.n_lines(), console.n_gone(), console.line(0)), (MOST_CONSOLE_LINES, 10, Some("10")));
}

#[test]
fn a_completion_puts_in_what_all_candidates_begin_with() {
    let completion = Completion {
        line: "cd /Mu; run".to_owned(),
        start: 3,
        end: 6,
        candidates: vec!["/Mult[1]".to_owned(), "/Mult[2]".to_owned()],
    };
    assert_eq!(completion.common(), "/Mult[");
    assert_eq!(completion.line_with("/Mult["), ("cd /Mult[; run".to_owned(), 9));
    let letters = Completion { candidates: vec!["ä".to_owned(), "ö".to_owned()], ..Completion::default() };
    assert_eq!(letters.common(), "", "half a letter is none");
}

#[test]
fn the_log_has_a_list_for_each_source() {
    let (mut panel, fake) = panel();
    let line = |source: Source, text: &str| LogLine { source, text: text.to_owned(), event: None };
    fake.tell(Told::Log(vec![
        line(Source::Program, "a"),
        line(Source::Findings, "b"),
        line(Source::Program, "c"),
    ]));
    panel.tick(Duration::ZERO);
    let texts = |source| -> Vec<&str> {
        let log = panel.log();
        (0..log.n_lines(source)).filter_map(|idx| Some(log.line(source, idx)?.text.as_str())).collect()
    };
    assert_eq!(texts(None), ["a", "b", "c"]);
    assert_eq!(texts(Some(Source::Program)), ["a", "c"]);
    assert_eq!(texts(Some(Source::Debugger)), [""; 0]);
}
