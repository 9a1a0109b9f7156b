//! The index of a record: states along it, in a file.

use std::fs;

use super::support::Folder;

const COUNTER: &str = r#"hasse = 1
main  = "counter"

[graph.counter]
params = { n = "int = 2000" }
arcs   = ["Tick.next -> Tick.go", "Tick.end -> End.last"]

[graph.counter.uc.Tick]
start = true
in    = { go = "int" }
out   = { next = "int", end = "int" }
vars  = { i = "int = 0" }
fire  = ["go -> _go"]
do    = 'i += 1;'
route = ["next <- i if i < n", "end <- i if i == n"]

[graph.counter.uc.End]
in   = { last = "int" }
stop = true
fire = ["last -> last"]
do   = 'result("last", last);'
"#;

/// A folder with a program and a trace of it.
fn recorded() -> Folder {
    let folder = Folder::with("p.hasse", COUNTER);
    folder.hasse(&["run", "p.hasse", "--trace", "t", "--workers", "1", "--seed", "1"]).ends(0);
    folder
}

/// Positions at which states are looked at.
const PLACES: [&str; 6] = ["0", "1", "256", "1000", "/Tick:1999", "end"];

fn states(folder: &Folder, more: &[&str]) -> Vec<String> {
    let state = |at: &&str| folder.hasse(&[&["state", "t", "--json", "--at", at], more].concat());
    PLACES.iter().map(|at| state(at).ends(0).stdout).collect()
}

#[test]
fn states_are_those_without_an_index() {
    let folder = recorded();
    let without = states(&folder, &[]);
    assert!(!folder.path("t.index").exists(), "a short record has no index that nobody asked for");
    folder.hasse(&["trace", "index", "t"]).ends(0);
    let index = fs::read(folder.path("t.index")).unwrap();
    assert_eq!(states(&folder, &[]), without);
    assert_eq!(states(&folder, &["--index-memory", "1"]), without);
    // The same record has the same index, however it is made.
    folder.hasse(&["trace", "index", "t", "--workers", "4"]).ends(0);
    assert_eq!(fs::read(folder.path("t.index")).unwrap(), index);
    folder.hasse(&["run", "p.hasse", "--trace", "t", "--workers", "1", "--seed", "1", "--index"]).ends(0);
    assert_eq!(fs::read(folder.path("t.index")).unwrap(), index);
    // A new record has no old index.
    folder.hasse(&["run", "p.hasse", "--trace", "t"]).ends(0);
    assert!(!folder.path("t.index").exists());
}

#[test]
fn a_session_uses_the_index() {
    let folder = recorded();
    folder.write("commands", "goto 1000\nselect Tick\nprint i\nback\nprint i\ngoto end\nprint i\n");
    let session = || folder.hasse(&["debug", "t", "--commands", "commands"]).ends(0);
    let without = session();
    folder.hasse(&["trace", "index", "t"]).ends(0);
    let with = session();
    assert_eq!((with.stdout, with.stderr), (without.stdout, without.stderr));
}

#[test]
fn what_is_no_index_of_the_record_is_not_used() {
    let folder = recorded();
    let without = states(&folder, &[]);
    folder.hasse(&["trace", "index", "t"]).ends(0);
    let index = fs::read(folder.path("t.index")).unwrap();
    let stderr = || folder.hasse(&["state", "t", "--at", "1000"]).ends(0).stderr;
    // Of a record that has changed since, nothing has to be said.
    folder.hasse(&["run", "p.hasse", "--trace", "other", "--set", "n=2001"]).ends(0);
    folder.hasse(&["trace", "index", "other"]).ends(0);
    fs::copy(folder.path("other.index"), folder.path("t.index")).unwrap();
    assert_eq!(stderr(), "");
    assert_eq!(states(&folder, &[]), without);
    // Damage is reported, wherever it is.
    fs::write(folder.path("t.index"), "no index").unwrap();
    insta::assert_snapshot!(stderr(), @"note: t.index is not used, and made anew: this is no index that this version of Hasse knows");
    for at in (20..index.len()).step_by(index.len() / 20 + 1) {
        let mut damaged = index.clone();
        damaged[at] ^= 0x55;
        fs::write(folder.path("t.index"), damaged).unwrap();
        assert_eq!(states(&folder, &[]), without);
        fs::write(folder.path("t.index"), &index[..at]).unwrap();
        assert_eq!(states(&folder, &[]), without);
    }
}

#[test]
fn records_without_moments_have_no_index() {
    let folder = Folder::with("p.hasse", COUNTER);
    folder.hasse(&["run", "p.hasse", "--trace", "t", "--select", "End"]).ends(0);
    let shown = [
        folder.hasse(&["trace", "index", "t"]).ends(2).shown(),
        folder.hasse(&["trace", "index", "nowhere"]).ends(2).shown(),
        folder.hasse(&["run", "p.hasse", "--index"]).ends(2).shown(),
        folder.hasse(&["run", "p.hasse", "--trace", "u", "--select", "End", "--index"]).ends(2).shown(),
        folder.hasse(&["state", "t", "--index-memory", "0"]).ends(2).shown(),
    ];
    insta::assert_snapshot!(shown.join("\n"));
    assert!(!folder.path("t.index").exists());
}
