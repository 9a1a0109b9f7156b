//! What sessions tell of recorded events: values, causes, the event alone, the history, graphs, reports, exports.

use std::fs;

use super::support::{Folder, Ran, TELLERS};

/// A folder with a record of the tellers in `t`.
fn folder() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    session(&folder, "tellers.hasse", "output file t\nrun\n").ends(0);
    folder
}

fn session(folder: &Folder, subject: &str, commands: &str) -> Ran {
    folder.write("commands", commands);
    folder.hasse(&["debug", subject, "--commands", "commands", "--workers", "1", "--seed", "3"])
}

/// A command in a session says what the command of the same name says of a trace.
#[test]
fn a_session_tells_what_the_commands_on_traces_tell() {
    let folder = folder();
    let alike: [(&str, &[&str]); 7] = [
        ("values Teller[1]:1", &["values", "t", "/Teller[1]:1"]),
        ("why Audit:1", &["why", "t", "/Audit:1"]),
        ("isolate Teller[1]:1", &["isolate", "t", "/Teller[1]:1"]),
        ("isolate Teller[1]:1 total=5", &["isolate", "t", "/Teller[1]:1", "--set", "total=5"]),
        ("history", &["trace", "history", "t"]),
        ("graphs elaborated", &["trace", "graphs", "t", "--graph", "elaborated"]),
        ("perf by action top 3", &["perf", "t", "--by", "action", "--top", "3"]),
    ];
    for (command, args) in alike {
        let expected = folder.hasse(args).ends(0).stdout;
        assert!(!expected.is_empty());
        let of_trace = session(&folder, "t", &format!("{command}\n")).ends(0).stdout;
        assert_eq!(of_trace, expected, "{command}");
        session(&folder, "tellers.hasse", &format!("run\n{command} > told\n")).ends(0);
        assert_eq!(fs::read_to_string(folder.path("told")).unwrap(), expected, "{command}");
    }
    let forms: [(&str, &[&str]); 3] = [
        ("dot", &["--format", "dot"]),
        ("graphml", &["--format", "graphml"]),
        ("shiviz", &["--format", "shiviz"]),
    ];
    for (form, args) in forms {
        let args = [&["trace", "export", "t"], args].concat();
        let expected = folder.hasse(&args).ends(0).stdout;
        session(&folder, "t", &format!("export {form} exported\n")).ends(0);
        assert_eq!(fs::read_to_string(folder.path("exported")).unwrap(), expected, "{form}");
    }
}

/// Records of perf mode have every event, too; minimal ones are filed, and asked from the file.
#[test]
fn other_modes_are_asked_as_far_as_they_tell() {
    let folder = folder();
    let values = |commands: &str| session(&folder, "tellers.hasse", commands).ends(0).stdout;
    let text = values("mode record perf\nrun\nvalues Audit\n");
    assert!(text.contains("done[2] = ") && text.contains("replayed: 5 of 5 events"), "{text}");
    let minimal = values("mode record minimal\noutput file m\nrun\nvalues Audit:1\nwhy Audit:1\n");
    assert!(minimal.contains("seen") || minimal.contains("took:"), "{minimal}");
    assert!(minimal.contains("replayed: "), "{minimal}");
    let text = values("mode record perf\nrun\nperf\n");
    assert!(text.contains("critical path"), "{text}");
}

/// What is asked of an execution that is under way is asked of the action.
#[test]
fn an_event_that_is_under_way_is_asked_of_the_run() {
    let folder = folder();
    let commands = "stop in Audit\nrun\nlsi\nlse Open\ncd Audit:1\nprint total\ncd /Teller[0]:1\nprint total\ncd\nkill\n";
    let ran = session(&folder, "tellers.hasse", commands);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn what_cannot_be_told_says_why() {
    let folder = folder();
    let mut shown = String::new();
    for commands in [
        "values Audit",
        "why Audit",
        "history",
        "graphs",
        "perf",
        "export dot x",
        "run; values",
        "run; values Teller",
        "run; values Teller[1]:2",
        "run; values Nobody:1",
        "run; isolate Audit nothing=3",
        "run; isolate Audit total=much",
        "run; isolate Audit total",
        "run; isolate Audit =3",
        "run; isolate Audit save",
        "run; isolate Audit save tellers.hasse",
        "run; cd Audit:1; print nothing + 1",
        "run; cd Audit:1; print total +",
        "run; history 0",
        "run; history 3..3",
        "run; history -5..3",
        "run; history Audit:9",
        "run; history 1 Nobody",
        "run; graphs sideways",
        "run; perf by nobody",
        "run; perf top 0",
        "run; perf top",
        "run; perf sideways",
        "run; perf window 1ms",
        "run; perf window 1ms..2ms",
        "run; perf svg tellers.hasse",
        "export dots run.dot",
        "export dot",
        "run; export jsonl run.jsonl elaborated",
        "run; export dot run.dot by action",
        "run; export dot tellers.hasse",
        "mode record restrict; rcopt Audit full; run; values Audit",
        "mode record minimal; output file m; run; history",
    ] {
        let ran = session(&folder, "tellers.hasse", &format!("{commands}\n")).ends(2);
        shown += &format!("{commands}\n{}\n", ran.stderr);
    }
    insta::assert_snapshot!(shown);
    // A failing command leaves no file.
    for name in ["x", "run.dot", "run.jsonl"] {
        assert!(!folder.path(name).exists(), "{name}");
    }
    let ran = session(&folder, "t", "export jsonl t\n").ends(2);
    assert!(ran.stderr.contains("t would overwrite the trace of the session"), "{}", ran.shown());
}

/// A page after the other is the whole history.
#[test]
fn the_history_scrolls() {
    let folder = Folder::with("squares.hasse", super::support::SQUARES);
    folder.hasse(&["run", "squares.hasse", "--set", "n=50", "--trace", "t", "--workers", "2"]).ends(0);
    let scrolled = session(&folder, "t", "history\nhistory\nhistory\nhistory\n").ends(0).stdout;
    for page in ["events 1 to 40 of 101", "events 41 to 80 of 101", "events 81 to 101 of 101"] {
        assert!(scrolled.contains(page), "{scrolled}");
    }
    assert!(scrolled.ends_with("that was the last of 101 events; `history 1` begins again\n"), "{scrolled}");
    session(&folder, "t", "history > all\n").ends(0);
    let all = fs::read_to_string(folder.path("all")).unwrap();
    assert_eq!(
        all.lines().filter(|line| line.contains("/Square[") && line.contains("from /Count:1")).count(),
        50,
        "{all}"
    );
}
