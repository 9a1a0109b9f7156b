//! Files that commands write: touched by nothing that is refused, and whole or as they were.

use std::fs;

use super::super::support::{Folder, TELLERS};

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
