//! `hasse resume`, and checkpoints of runs.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::support::Folder;

/// A chain of events that print, and an end that is an hour away, which is over at once where the run goes on.
const SLOW: &str = r#"hasse = 1
main  = "slow"

[graph.slow]
params = { n = "int = 40" }
arcs   = ["Tick.next -> Tick.go", "Tick.end -> End.last"]

[graph.slow.uc.Tick]
start = true
in    = { go = "int" }
out   = { next = "int", end = "int" }
vars  = { i = "int = 0" }
fire  = ["go -> _go"]
do    = 'i += 1; print(`tick ${i}: ${random_int(0, 1000000)}`);'
route = ["next <- i if i < n", "end <- i after 1 h if i == n"]

[graph.slow.uc.End]
in   = { last = "int" }
stop = true
fire = ["last -> last"]
do   = 'print("end"); result("last", last);'
"#;

/// A run that has ended, in `whole`, and the same in `t`, cut off. Returns also what it printed.
fn cut_off(n_ticks: usize, keeps: f64) -> (Folder, String) {
    let folder = Folder::with("p.hasse", SLOW);
    let n = format!("n={n_ticks}");
    let run = ["run", "p.hasse", "--virtual-time", "--workers", "1", "--seed", "7"];
    let printed = folder.hasse(&[&run[..], &["--trace", "whole", "--set", &n]].concat()).ends(0).stdout;
    let bytes = fs::read(folder.path("whole")).unwrap();
    fs::write(folder.path("t"), &bytes[..(bytes.len() as f64 * keeps) as usize]).unwrap();
    (folder, printed)
}

/// Number of lines that a replay of a trace prints, without results.
fn n_lines(folder: &Folder, trace: &str) -> usize {
    let printed = folder.hasse(&["replay", trace]).ends(0).stdout;
    printed.lines().filter(|line| !line.starts_with("last = ")).count()
}

#[test]
fn a_run_that_was_cut_off_goes_on_and_prints_what_was_not_printed() {
    for keeps in [0.3, 0.6, 0.9, 0.999] {
        let (folder, printed) = cut_off(20_000, keeps);
        let before = n_lines(&folder, "t");
        let ran = folder.hasse(&["resume", "t", "--virtual-time", "--workers", "2"]).ends(0);
        let after: String = printed.lines().skip(before).map(|line| format!("{line}\n")).collect();
        assert_eq!(ran.stdout, after);
        let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
        assert_eq!(digest("t"), digest("whole"));
        assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, printed);
    }
}

#[test]
fn a_run_that_has_come_to_its_end_is_left_as_it_is() {
    let (folder, _) = cut_off(40, 1.0);
    let before = fs::read(folder.path("t")).unwrap();
    let ran = folder.hasse(&["resume", "t"]).ends(0);
    assert_eq!(ran.stdout, "last = 40\n");
    assert_eq!(ran.stderr, "note: t: the run has come to its end: finished\n");
    assert_eq!(fs::read(folder.path("t")).unwrap(), before);
}

#[test]
fn a_killed_run_goes_on_from_its_checkpoint() {
    let folder = Folder::with("p.hasse", SLOW);
    let args = ["run", "p.hasse", "--trace", "t", "--checkpoint", "20ms", "--workers", "2"];
    let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map(Result::unwrap).any(|line| line.starts_with("tick 40:")));
    // The first of these may have been taken before.
    let mut checkpoints = BTreeSet::new();
    while checkpoints.len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "the run waits for an hour");
        checkpoints.extend(fs::metadata(folder.path("t.checkpoint")).and_then(|found| found.modified()));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::copy(folder.path("t"), folder.path("other")).unwrap();
    fs::write(folder.path("other.checkpoint"), "no state").unwrap();

    // All but the end has been executed by the last checkpoint, and the value on its way is not waited for again.
    let ran = folder.hasse(&["resume", "t"]).ends(0);
    assert_eq!(ran.stderr, "note: t: the run goes on after 40 events, of which 0 were replayed\n");
    assert_eq!(ran.stdout, "end\nlast = 40\n");
    assert_eq!(n_lines(&folder, "t"), 41);

    let ran = folder.hasse(&["resume", "other", "--json"]).ends(0);
    assert_eq!(
        ran.stderr,
        "note: other.checkpoint is not used: this is no snapshot of a run\n\
         note: other: the run goes on after 40 events, of which 40 were replayed\nend\n"
    );
    assert_eq!(ran.json()["results"]["last"], 40);

    // A new run has no checkpoint of an old one.
    folder.hasse(&["run", "p.hasse", "--virtual-time", "--trace", "t"]).ends(0);
    assert!(!folder.path("t.checkpoint").exists());
}

#[test]
fn lines_are_printed_when_their_events_are_on_the_disk() {
    let folder = Folder::with("p.hasse", SLOW);
    let args = ["run", "p.hasse", "--trace", "t", "--durable", "--workers", "2", "--set", "n=100000"];
    let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut before: Vec<String> = lines.by_ref().take(30).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    before.extend(lines);
    let n_recorded = n_lines(&folder, "t");
    assert!(before.len() <= n_recorded, "{} lines of {n_recorded} events", before.len());
    let ran = folder.hasse(&["resume", "t", "--durable", "--virtual-time"]).ends(0);
    let whole = folder.hasse(&["replay", "t"]).ends(0).stdout;
    let whole: Vec<&str> = whole.lines().collect();
    assert_eq!(before, whole[..before.len()]);
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), whole[n_recorded..]);
}

#[test]
fn what_bodies_write_is_not_ahead_of_the_record() {
    let writing = SLOW.replace(
        "print(`tick ${i}: ${random_int(0, 1000000)}`);",
        r#"append_text("log", i.to_string() + "\n");"#,
    );
    let folder = Folder::with("p.hasse", &writing);
    folder.write("log", "");
    let args = ["run", "p.hasse", "--trace", "t", "--durable", "--allow-write", "log", "--set", "n=2000"];
    let mut child = folder.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let log = || fs::read_to_string(folder.path("log")).unwrap();
    while log().lines().count() < 20 {
        assert!(child.try_wait().unwrap().is_none(), "the run waits for an hour");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let n_written = log().lines().count();
    let info = folder.hasse(&["trace", "info", "t", "--json"]).ends(0).json();
    let n_recorded = info["events"].as_u64().unwrap() as usize;
    assert!(n_written <= n_recorded + 1, "{n_written} writes, {n_recorded} events");
    folder.hasse(&["resume", "t", "--durable", "--virtual-time", "--allow-write", "log"]).ends(0);
    let mut ticks: Vec<u32> = log().lines().map(|line| line.parse().unwrap()).collect();
    assert!(ticks.len() <= 2001, "one event at most is executed twice");
    ticks.dedup();
    assert_eq!(ticks, (1..=2000).collect::<Vec<u32>>());
}

#[test]
fn a_changed_program_is_refused_or_taken() {
    let (folder, printed) = cut_off(20_000, 0.6);
    let before = n_lines(&folder, "t");
    folder.write("p.hasse", &SLOW.replace("`tick", "`step"));
    let kept = fs::read(folder.path("t")).unwrap();
    insta::assert_snapshot!(folder.hasse(&["resume", "t"]).ends(2).shown());
    assert_eq!(fs::read(folder.path("t")).unwrap(), kept);
    let ran = folder.hasse(&["resume", "t", "--allow-changes", "--virtual-time"]).ends(0);
    let after = printed.lines().skip(before).map(|line| format!("{}\n", line.replace("tick", "step")));
    let after: String = after.collect();
    assert_eq!(ran.stdout, after);
    // It is replayed from where the program was changed.
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, after);
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let folder = Folder::with("p.hasse", SLOW);
    let run = ["run", "p.hasse", "--virtual-time", "--workers", "1"];
    let with = |more: &[&str]| folder.hasse(&[&run[..], more].concat());
    with(&["--record", "minimal", "--trace", "minimal"]).ends(0);
    with(&["--record", "perf", "--trace", "perf"]).ends(0);
    with(&["--trace", "kept", "--keep", "10m"]).ends(0);
    let refused = |ran: super::support::Ran| ran.ends(2).shown();
    let shown = [
        refused(folder.hasse(&["resume", "minimal"])),
        refused(folder.hasse(&["resume", "perf"])),
        refused(folder.hasse(&["resume", "kept"])),
        refused(folder.hasse(&["resume", "nowhere"])),
        refused(folder.hasse(&["resume", "p.hasse"])),
        refused(with(&["--checkpoint", "1s"])),
        refused(with(&["--checkpoint", "1s", "--record", "minimal", "--trace", "t"])),
        refused(with(&["--checkpoint", "1s", "--keep", "10m", "--trace", "folder"])),
        refused(with(&["--durable"])),
        refused(with(&["--durable", "--record", "minimal", "--trace", "t"])),
        refused(with(&["--checkpoint", "soon", "--trace", "t"])),
    ];
    insta::assert_snapshot!(shown.join("\n"));
    assert!(!folder.path("t").exists());
    assert!(fs::read_dir(folder.path("kept")).unwrap().count() > 0);
}
