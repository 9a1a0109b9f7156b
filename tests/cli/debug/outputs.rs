//! Files that commands write: touched by nothing that is refused, and whole or as they were.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};

use super::super::support::{Folder, Ran, SQUARES, TELLERS};

fn folder() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "full.trace", "--workers", "1", "--seed", "3"]).ends(0);
    folder
        .hasse(&["run", "tellers.hasse", "--trace", "part.trace", "--workers", "1", "--select", "Audit"])
        .ends(0);
    folder.write("keep", "kept");
    folder
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn refused_commands_touch_no_file() {
    let folder = folder();
    // The session's run is refused when its thread has begun.
    folder.write(
        "refused",
        "mode record restrict\nrcopt Audit full\nrun\nmode replay\noutput file keep\nrun\n",
    );
    folder.write("nothing", "output file keep\nmode replay\nrun\n");
    folder.write("told", "lse > keep\n");
    let before = names(&folder);
    for args in [
        &["debug", "tellers.hasse", "--commands", "refused"][..],
        &["debug", "tellers.hasse", "--commands", "nothing"],
        &["debug", "tellers.hasse", "--commands", "told"],
        &["run", "tellers.hasse", "--trace", "keep", "--set", "n=3"],
        &["run", "tellers.hasse", "--trace", "keep", "--check", "check pred Nobody {Audit}"],
        &["replay", "part.trace", "--trace", "keep"],
        &["trace", "minimize", "part.trace", "-o", "keep"],
        &["trace", "restrict", "full.trace", "--select", "Nobody", "-o", "keep"],
        &["trace", "recover", "tellers.hasse", "-o", "keep"],
        &["trace", "export", "tellers.hasse", "--format", "jsonl", "-o", "keep"],
        &["trace", "export", "full.trace", "--format", "parquet", "-o", "keep"],
        &["perf", "full.trace", "--window", "1ms..2ms", "--svg", "keep"],
        &["isolate", "full.trace", "Audit:7", "--save", "keep"],
        &["graph", "tellers.hasse", "--graph", "nobody", "-o", "keep"],
    ] {
        let ran = folder.hasse(args);
        assert_eq!(ran.code, Some(2), "{args:?}\n{}", ran.shown());
        assert_eq!(fs::read_to_string(folder.path("keep")).unwrap(), "kept", "{args:?}\n{}", ran.shown());
        assert_eq!(names(&folder), before, "{args:?}\n{}", ran.shown());
    }
}

/// A place that takes no file is found before anything runs.
#[test]
fn unwritable_trace_is_refused_before_the_run() {
    let folder = folder();
    for place in ["nowhere/t", "."] {
        let ran = folder.hasse(&["run", "tellers.hasse", "--trace", place]).ends(2);
        assert_eq!(ran.stdout, "", "{}", ran.shown());
        assert!(ran.stderr.contains(&format!("cannot write {place}")), "{}", ran.shown());
    }
}

/// `/dev/full` takes nothing: a disk without room.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_an_error_of_the_file() {
    let folder = folder();
    folder.write("commands", "run\nlse > /dev/full\n");
    for args in [
        &["debug", "tellers.hasse", "--commands", "commands"][..],
        &["trace", "minimize", "full.trace", "-o", "/dev/full"],
        &["trace", "restrict", "full.trace", "--select", "Audit", "-o", "/dev/full"],
        &["trace", "recover", "full.trace", "-o", "/dev/full"],
        &["trace", "export", "full.trace", "--format", "jsonl", "-o", "/dev/full"],
        &["perf", "full.trace", "--svg", "/dev/full"],
        &["graph", "tellers.hasse", "--format", "svg", "-o", "/dev/full"],
    ] {
        let ran = folder.hasse(args);
        assert_eq!(ran.code, Some(2), "{args:?}\n{}", ran.shown());
        assert!(ran.stderr.contains("No space left on device"), "{args:?}\n{}", ran.shown());
    }
}

/// A run whose record is some 100 KB, which the file limits of these tests do not take.
#[cfg(target_os = "linux")]
const LONG_RUN: &[&str] = &["--set", "n=3000", "--workers", "1", "--seed", "3"];

/// Runs `hasse` in a folder where files take 4 KB.
#[cfg(target_os = "linux")]
fn on_full_disk(folder: &Folder, args: &[&str]) -> Ran {
    let mut command = Command::new("bash");
    // Blocks of 1,024 bytes.
    command.args(["-c", "ulimit -f 4; exec \"$@\"", "bash", env!("CARGO_BIN_EXE_hasse")]).args(args);
    command.current_dir(folder.path("")).stdin(Stdio::null()).env("HASSE_TRUST", "all");
    Ran::of(command.output().unwrap())
}

/// A record that cannot be written to its end costs the record and not the run.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_keeps_results_of_a_run() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&[&["run", "squares.hasse", "--trace", "full.trace"], LONG_RUN].concat()).ends(0);
    folder
        .hasse(&[&["run", "squares.hasse", "--record", "perf", "--trace", "perf.trace"], LONG_RUN].concat());
    folder.write("commands", "output file /dev/full\nrun\nlse 1 1\n");
    let expected = "the squares below 3000\ntotal = 8995500500\n";
    for args in [
        &["--trace", "/dev/full"][..],
        &["--trace", "part.trace"],
        &["--record", "minimal", "--trace", "/dev/full"],
        &["--record", "perf", "--trace", "part.trace"],
        &["--select", "Square", "--trace", "part.trace"],
        &["--trace", "part.trace", "--check", "check pred Sum {Square}"],
        &["--trace", "segments", "--keep", "1h"],
    ] {
        let ran = on_full_disk(&folder, &[&["run", "squares.hasse"], args, LONG_RUN].concat());
        assert_eq!(ran.code, Some(2), "{args:?}\n{}", ran.shown());
        assert!(ran.stdout.starts_with(expected), "{args:?}\n{}", ran.shown());
        assert!(ran.stderr.contains("\nerror: cannot write"), "{args:?}\n{}", ran.shown());
    }
    let kept = folder.hasse(&["trace", "info", "segments"]).ends(0);
    assert!(kept.stdout.contains("the run was cut off"), "{}", kept.shown());
    let replayed = on_full_disk(&folder, &["replay", "full.trace", "--trace", "/dev/full"]).ends(2);
    assert_eq!(replayed.stdout, expected, "{}", replayed.shown());
    let json = on_full_disk(
        &folder,
        &[&["run", "squares.hasse", "--json", "--trace", "/dev/full"], LONG_RUN].concat(),
    );
    assert_eq!(json.code, Some(2), "{}", json.shown());
    assert_eq!(json.json()["results"]["total"], 8_995_500_500_u64, "{}", json.shown());
    assert!(json.json()["trace_error"].as_str().unwrap().contains("No space left"), "{}", json.shown());
    let perf = on_full_disk(&folder, &["perf", "perf.trace", "--svg", "/dev/full"]).ends(2);
    assert!(perf.stdout.contains("Square"), "{}", perf.shown());
    insta::assert_snapshot!(
        on_full_disk(&folder, &["debug", "squares.hasse", "--commands", "commands"]).shown()
    );
}

/// A trace that nobody reads any more costs the trace and not the run.
#[cfg(target_os = "linux")]
#[test]
fn closed_pipe_keeps_results_of_a_run() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let fifo = folder.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for args in [
        &["--record", "full"][..],
        &["--record", "minimal"],
        &["--check", "check pred Sum {Square}"],
        &["--json"],
    ] {
        // The reader leaves after the first bytes. The trace does not fit into the pipe, which holds 4 KB: it is not written
        // to its end before that.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let pipe = rustix::fs::open(&fifo, flags, Mode::empty()).unwrap();
        rustix::pipe::fcntl_setpipe_size(&pipe, 4096).unwrap();
        let path = fifo.clone();
        let reader = std::thread::spawn(move || {
            let mut reader = File::open(path).unwrap();
            drop(pipe);
            reader.read_exact(&mut [0; 10]).unwrap();
        });
        let ran = folder.hasse(&[&["run", "squares.hasse", "--trace", "fifo"], args, LONG_RUN].concat());
        reader.join().unwrap();
        assert_eq!(ran.code, Some(2), "{args:?}\n{}", ran.shown());
        assert!(ran.stdout.contains("8995500500"), "{args:?}\n{}", ran.shown());
        assert!(ran.stderr.contains("error: cannot write fifo: Broken pipe"), "{args:?}\n{}", ran.shown());
        if args == ["--json"] {
            assert!(ran.json()["trace_error"].as_str().unwrap().contains("Broken pipe"), "{}", ran.shown());
        }
    }
}

/// A trace that could not be written to its end is no source of the session's questions.
#[cfg(target_os = "linux")]
#[test]
fn cut_off_trace_is_no_source_of_the_session() {
    let folder = Folder::with("squares.hasse", SQUARES);
    let ran = |question: &str| {
        folder.write("commands", &format!("output save off\noutput file part.trace\nrun\n{question}\n"));
        let mut command = Command::new("bash");
        command.args(["-c", "ulimit -f 4; exec \"$@\" < commands", "bash", env!("CARGO_BIN_EXE_hasse")]);
        command.args(["debug", "squares.hasse"]).args(LONG_RUN).current_dir(folder.path(""));
        Ran::of(command.output().unwrap())
    };
    for question in ["mode replay\nrun", "mode postmortem\nrun", "lse 1..2", "values Sum:1", "history"] {
        let ran = ran(question);
        let expected = "the session has no events: part.trace of run 1 could not be written to its end";
        assert!(ran.stderr.contains(expected), "{question}\n{}", ran.shown());
    }
    let status = ran("status");
    let expected = "records: none, run 1 (record full) kept no events in memory, and part.trace could not be written to its end";
    assert!(status.stdout.contains(expected), "{}", status.shown());
}

/// What a failed, an interrupted or a killed export has written is not left, or is removed by the next one.
#[cfg(all(target_os = "linux", feature = "columns"))]
#[test]
fn unfinished_outputs_do_not_stay() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&[&["run", "squares.hasse", "--trace", "full.trace"], LONG_RUN].concat()).ends(0);
    folder.hasse(&["run", "squares.hasse", "--trace", "small.trace"]).ends(0);
    let before = names(&folder);
    for args in [
        &["trace", "export", "full.trace", "--format", "parquet", "-o", "out"][..],
        &["trace", "export", "full.trace", "--format", "arrow", "-o", "out"],
        &["trace", "export", "full.trace", "--format", "jsonl", "-o", "out"],
        &["trace", "restrict", "full.trace", "--select", "Square", "-o", "out"],
        &["trace", "recover", "full.trace", "-o", "out"],
    ] {
        let ran = on_full_disk(&folder, args);
        assert_eq!(ran.code, Some(2), "{args:?}\n{}", ran.shown());
        assert_eq!(names(&folder), before, "{args:?}\n{}", ran.shown());
    }
    // A process that is killed removes nothing. One that still writes holds a lock.
    for name in ["out.1.part", "out.2.part", "out.x.part"] {
        fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/events.parquet"), "half");
    }
    let writes = fs::File::open(folder.path("out.2.part")).unwrap();
    writes.lock().unwrap();
    folder.hasse(&["trace", "export", "small.trace", "--format", "parquet", "-o", "out"]).ends(0);
    let parts: Vec<String> = names(&folder).into_iter().filter(|name| name.starts_with("out")).collect();
    assert_eq!(parts, ["out", "out.2.part", "out.x.part"]);
}
