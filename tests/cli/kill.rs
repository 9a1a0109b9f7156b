use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Stdio};

use super::support::{ENDLESS, Folder, Ran};

/// What a kill leaves while a body does not end.
mod lost;

/// More lines than two workers and the collector between them can hold back.
const MANY_LINES: usize = 100_000;

/// Starts an endless run that is recorded in `t`; when this returns, batches of both workers have been written.
fn started(folder: &Folder) -> (Child, Lines<BufReader<ChildStdout>>) {
    started_with(folder, "full")
}

fn started_with(folder: &Folder, mode: &str) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = folder
        .command(&["run", "endless.hasse", "--record", mode, "--trace", "t", "--workers", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lengths = BTreeSet::new();
    let mut n_lines = 0;
    while lengths.len() < 4 || n_lines < MANY_LINES {
        lines.next().unwrap().unwrap();
        n_lines += 1;
        if n_lines % 16 == 0 {
            // The file is created when there is the first thing to write.
            lengths.extend(folder.path("t").metadata().map(|found| found.len()));
        }
    }
    (child, lines)
}

#[test]
fn a_killed_run_leaves_a_trace_that_can_be_read_and_replayed() {
    let folder = Folder::with("endless.hasse", ENDLESS);
    let (mut child, lines) = started(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);

    let info = folder.hasse(&["trace", "info", "t"]).ends(0);
    assert!(info.stdout.contains("the run was cut off"), "{}", info.shown());
    let found = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
    assert!(found["events"].as_u64().unwrap() > 1000 && found["cut_off"].is_object(), "{found:#}");

    let ran = folder.hasse(&["replay", "t", "--workers", "1", "--trace", "again"]).ends(0);
    assert!(ran.stderr.starts_with("note: t: the run was cut off"), "{}", &ran.stderr);
    let expected: String = (0..ran.stdout.lines().count()).map(|number| format!("{number}\n")).collect();
    assert_eq!(ran.stdout, expected);
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    assert_eq!(digest("t"), digest("again"));
}

#[test]
fn a_killed_run_leaves_choices_that_can_be_replayed() {
    let folder = Folder::with("endless.hasse", ENDLESS);
    let (mut child, lines) = started_with(&folder, "minimal");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);
    let replay = |workers: &str, trace: &str| {
        let ran = folder.hasse(&["replay", "t", "--workers", workers, "--trace", trace]).ends(0);
        assert!(ran.stderr.contains("up to where the record was last whole"), "{}", &ran.stderr);
        let digest = folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
        (ran.stdout, digest)
    };
    let first = replay("1", "again");
    let expected: String = (0..first.0.lines().count()).map(|number| format!("{number}\n")).collect();
    assert!(first.0 == expected && first.0.lines().count() > 100, "{}", first.0.lines().count());
    assert_eq!(first, replay("2", "once_more"));
}

/// Frames that a run with times spilled before a kill are reported, listed and replayed.
#[test]
fn killed_run_leaves_times_up_to_last_spilled_frame() {
    let folder = Folder::with("endless.hasse", ENDLESS);
    let (mut child, lines) = started_with(&folder, "perf");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);

    let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
    assert!(info["cut_off"].is_object() && info["mode"] == "perf", "{info:#}");
    let ran = folder.hasse(&["perf", "t", "--json", "--svg", "t.svg"]).ends(0);
    assert!(ran.stderr.starts_with("note: t: the run was cut off"), "{}", &ran.stderr);
    let found = ran.json();
    let n_events = found["events"].as_u64().unwrap();
    assert!(n_events > 1000 && found["untimed_events"] == 0, "{found:#}");
    assert!(found["times"]["work_nanos"].as_u64().unwrap() > 0, "{found:#}");
    let listed = folder.hasse(&["trace", "events", "t"]).ends(0).stdout;
    assert_eq!(listed.lines().count() as u64, n_events);
    folder.hasse(&["trace", "history", "t"]).ends(0);
    folder.hasse(&["trace", "export", "t", "--format", "perfetto", "-o", "t.pftrace"]).ends(0);

    let ran = folder.hasse(&["replay", "t", "--workers", "1", "--trace", "again"]).ends(0);
    let expected: String = (0..ran.stdout.lines().count()).map(|number| format!("{number}\n")).collect();
    assert_eq!(ran.stdout, expected);
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    assert_eq!(digest("t"), digest("again"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_replayed_from_its_choices() {
    let folder = Folder::with("endless.hasse", ENDLESS);
    let (child, lines) = started_with(&folder, "minimal");
    interrupt(&child);
    lines.for_each(drop);
    Ran::of(child.wait_with_output().unwrap()).ends(1);
    let executed = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json()["executed"].clone();
    folder.hasse(&["replay", "t", "--workers", "2", "--trace", "again"]).ends(0);
    let found = folder.hasse(&["trace", "info", "again", "--json"]).ends(0).json();
    assert_eq!(found["events"], executed);
}

#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    signal(child, "-INT");
}

#[cfg(unix)]
pub(crate) fn signal(child: &Child, signal: &str) {
    let killed = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_in_order() {
    let folder = Folder::with("endless.hasse", ENDLESS);
    let (child, lines) = started(&folder);
    interrupt(&child);
    lines.for_each(drop);
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
    assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
    let found = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
    assert_eq!((&found["outcome"], found["cut_off"].is_null()), (&"stopped".into(), true), "{found:#}");
    folder.hasse(&["replay", "t", "--workers", "2"]).ends(0);
}

#[test]
fn a_run_whose_output_nobody_reads_ends() {
    let folder = Folder::with("endless.hasse", ENDLESS);
    let (child, lines) = started(&folder);
    drop(lines);
    Ran::of(child.wait_with_output().unwrap()).ends(1);
    assert_eq!(folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json()["outcome"], "stopped");
}

#[cfg(unix)]
#[test]
fn a_body_that_loops_for_ever_is_interrupted() {
    for body in [
        "loop {}",
        "while true { }",
        "for k in 0..9223372036854775807 { let x = k; }",
        "fn f(x) { loop { x += 1; } } f(0);",
    ] {
        let text = format!(
            "hasse = 1\nmain = \"main\"\n[graph.main]\n[graph.main.uc.Work]\nstart = true\n\
             do = '''\nwrite_text(\"started\", \"\");\n{body}\n'''\n"
        );
        let folder = Folder::with("p.hasse", &text);
        let mut command = folder.command(&["run", "p.hasse", "--trace", "t", "--allow-write", "."]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !folder.path("started").exists() {
            std::thread::yield_now();
        }
        interrupt(&child);
        let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
        assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
        let events = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
        assert_eq!(events["outcome"], "stopped", "{body}");
    }
}

/// In a session Ctrl-C stops the actions; the run can be asked, ended and replayed.
#[cfg(unix)]
#[test]
fn an_interrupted_run_of_a_session_stops_and_can_be_asked() {
    let folder = Folder::with("endless.hasse", ENDLESS);
    folder.write("commands", "output file t\nrun\nstopped\nkill\nmode replay\noutput file again\nrun\n");
    let mut child = folder
        .command(&["debug", "endless.hasse", "--commands", "commands", "--workers", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    interrupt(&child);
    let rest = std::thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>());
    let ran = Ran::of(child.wait_with_output().unwrap()).ends(1);
    let told: Vec<String> =
        rest.join().unwrap().into_iter().filter(|line| line.parse::<u64>().is_err()).collect();
    // Ping and Pong take turns: it is one of them that has stopped.
    assert!(told[0].starts_with("stopped: /P") && told[0].ends_with(" at befcomp: stop"), "{told:?}");
    assert!(
        told[1] == "stopped: 1 action is stopped" && told[2].ends_with(" stopped at befcomp"),
        "{told:?}"
    );
    assert!(
        ran.stderr.contains("stopping the actions; press Ctrl-C again to end the run"),
        "{}",
        ran.shown()
    );
    assert!(ran.stderr.contains("stopped before the end"), "{}", ran.shown());
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    assert_eq!(digest("t"), digest("again"));
}

/// A second Ctrl-C ends the run; the session goes on.
#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_the_run_of_a_session() {
    use std::io::Write;

    let folder = Folder::with("endless.hasse", ENDLESS);
    let mut child = folder
        .command(&["debug", "endless.hasse", "--workers", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    input.write_all(b"run\n").unwrap();
    lines.next().unwrap().unwrap();
    interrupt(&child);
    lines.find(|line| line.as_ref().unwrap().starts_with("stopped: 1 action")).unwrap().unwrap();
    interrupt(&child);
    errors.find(|line| line.as_ref().unwrap().starts_with("ending the run")).unwrap().unwrap();
    input.write_all(b"wait\nstopped\nstatus\n").unwrap();
    drop(input);
    let told: Vec<String> = lines.map(Result::unwrap).collect();
    let errors: Vec<String> = errors.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(errors, ["stopped before the end"]);
    assert_eq!(told[0], "finished");
    assert!(told.last().unwrap().starts_with("records: "), "{told:?}");
}
