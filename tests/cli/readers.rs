//! Exports, each opened by the tool that it is for: Graphviz, networkx, pyarrow, DuckDB, ShiViz's parser and
//! Perfetto's schema. What they must find is computed from the JSON lines by the definition of causal order
//! (`tests/readers/oracle.py`).
//!
//! The readers are in the environment that `tests/readers/setup` makes. Where `HASSE_READERS` does not name it, nothing
//! is tested here and the tests say so; where it does, a reader that is missing is a failure.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::{Folder, SQUARES, TELLERS, repository};

/// Reads and overwrites, and an event that fails with a text in which every form has something to escape.
const BOARD: &str = r#"hasse = 1
main  = "board"

[graph.board]
arcs = [
  "Open.go[i] -> Reader[i].go",
  "Open.turn[i] -> Writer[i].turn",
  "Writer[i].wrote -> Late[i].go",
]
share = ["note -- Reader[i].note", "note -- Writer[i].note", "note -- Late[i].note"]

[graph.board.shared.note]
type = "int"
init = "7"

[graph.board.uc.Open]
out   = { "go[i]" = "int", "turn[i]" = "int" }
start = true
route = ["go[i] <- k for i in 0..4 for k in 0..2", "turn[i] <- i for i in 0..2"]

[graph.board.uc.Reader]
index  = ["i"]
in     = { go = "int" }
shared = { note = "read" }
fire   = ["go -> k"]
do     = 'print(note);'

[graph.board.uc.Writer]
index  = ["i"]
in     = { turn = "int" }
out    = { wrote = "int" }
shared = { note = "write" }
fire   = ["turn -> k"]
do     = "note += k;"
route  = ["wrote <- note"]

[graph.board.uc.Late]
index  = ["i"]
in     = { go = "int" }
shared = { note = "read" }
fire   = ["go -> k"]
do     = '''
if i == 1 {
  throw "\"a\" <b> & \\n c\nnew line";
}
'''
"#;

/// The Python of the readers; `None` and a word about it where they are not to be used.
fn python() -> Option<PathBuf> {
    match std::env::var_os("HASSE_READERS") {
        Some(folder) => Some(repository().join(folder).join("bin").join("python")),
        None => {
            eprintln!("skipped: HASSE_READERS is not set; `tests/readers/setup FOLDER` makes what it names");
            None
        }
    }
}

/// Exports the trace `t` in every form and lets each reader judge. `selection` restricts the exports.
fn try_all(folder: &Folder, selection: &[&str]) {
    let Some(python) = python() else { return };
    let export = |output: &str, options: &[&str]| {
        let args = [&["trace", "export", "t", "-o", output, "--format"], options, selection].concat();
        let ran = folder.hasse(&args).ends(0);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    };
    export("history", &["jsonl"]);
    for format in ["dot", "graphml"] {
        for graph in ["events", "elaborated", "program"] {
            export(&format!("{graph}.{format}"), &[format, "--graph", graph]);
        }
    }
    for by in ["action", "template", "graph"] {
        export(&format!("{by}.shiviz"), &["shiviz", "--by", by]);
    }
    export("perfetto", &["perfetto"]);
    #[cfg(feature = "columns")]
    for format in ["arrow", "parquet"] {
        export(format, &[format]);
    }
    let readers: &[(&str, &[&str])] = &[
        ("dot.py", &["events.dot", "elaborated.dot", "program.dot"]),
        ("graphml.py", &["events.graphml", "elaborated.graphml", "program.graphml"]),
        #[cfg(feature = "columns")]
        ("tables.py", &["arrow", "parquet"]),
        ("shiviz.py", &["action.shiviz", "template.shiviz", "graph.shiviz"]),
        ("perfetto_trace.py", &["perfetto"]),
    ];
    for &(script, files) in readers {
        judge(folder, &python, script, &[&["history"], files].concat());
    }
}

/// Runs a reader in a folder.
#[track_caller]
fn judge(folder: &Folder, python: &Path, script: &str, args: &[&str]) {
    let mut command = Command::new(python);
    command.arg(repository().join("tests/readers").join(script)).args(args);
    let output = command.current_dir(folder.path("")).env("PYTHONDONTWRITEBYTECODE", "1").output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{script} {args:?}: {}", String::from_utf8_lossy(&said));
}

/// Runs an example of the repository and leaves its trace in `t`.
fn example(name: &str, options: &[&str]) -> Folder {
    let folder = Folder::new();
    let path = repository().join(format!("examples/{name}/{name}.hasse"));
    let args = ["run", path.to_str().unwrap(), "--trace", "t", "--workers", "3"];
    folder.hasse(&[&args, options].concat()).ends(0);
    folder
}

#[test]
fn values_that_travel_in_a_solver() {
    let folder = example("bts", &[]);
    try_all(&folder, &[]);
}

#[test]
fn calls_of_graphs_within_each_other() {
    try_all(&example("quicksort", &[]), &[]);
}

#[test]
fn objects_that_are_read_and_written_over_and_an_event_that_fails() {
    let folder = Folder::with("board.hasse", BOARD);
    folder.hasse(&["run", "board.hasse", "--trace", "t", "--workers", "3", "--seed", "5"]).ends(1);
    try_all(&folder, &[]);
}

#[test]
fn times_of_a_perf_record() {
    let folder = example("bank", &["--record", "perf"]);
    try_all(&folder, &[]);
}

#[test]
fn selected_nodes_whether_on_the_way_or_afterwards() {
    let folder = example("bts", &[]);
    try_all(&folder, &["--select", "Mult", "--select", "Gath"]);
    try_all(&example("bank", &["--select", "Teller", "--select", "Auditor"]), &[]);
    try_all(&example("bank", &["--record", "perf"]), &["--select", "Teller"]);
}

#[test]
fn a_trace_that_is_cut_off() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.hasse(&["run", "squares.hasse", "--set", "n=40", "--trace", "whole", "--workers", "1"]).ends(0);
    let bytes = std::fs::read(folder.path("whole")).unwrap();
    std::fs::write(folder.path("t"), &bytes[..bytes.len() - 1]).unwrap();
    let python = python();
    let tables: &[&str] = if cfg!(feature = "columns") { &["arrow", "parquet"] } else { &[] };
    for format in [&["jsonl", "dot", "graphml", "shiviz", "perfetto"], tables].concat() {
        let ran = folder.hasse(&["trace", "export", "t", "--format", format, "-o", format]).ends(0);
        assert!(ran.stderr.contains("note: t: "), "{format}: {}", ran.shown());
    }
    if let (Some(python), false) = (python, tables.is_empty()) {
        judge(&folder, &python, "tables.py", &["jsonl", "arrow", "parquet"]);
    }
}

#[test]
fn a_run_without_events_is_exported() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--rcopt", "/*=off"]).ends(0);
    try_all(&folder, &[]);
}

#[test]
#[cfg(feature = "columns")]
fn what_the_book_shows_of_other_tools_is_true() {
    let Some(python) = python() else { return };
    let page = repository().join("docs/exports.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (_, program) = text.split_once("```toml run\n").unwrap();
    let folder = Folder::with("rally.hasse", program.split_once("```").unwrap().0);
    folder.hasse(&["run", "rally.hasse", "--trace", "rally.trace"]).ends(0);
    for (format, output) in [("graphml", "rally.graphml"), ("parquet", "rally")] {
        folder.hasse(&["trace", "export", "rally.trace", "--format", format, "-o", output]).ends(0);
    }
    judge(&folder, &python, "book.py", &[page.to_str().unwrap()]);
}
