//! One event in a debugger of machine code.

use std::fs;

use super::support::{Folder, Ran, SQUARES};

const RUST: &str = r#"hasse = 1
main  = "m"

[graph.m]
arcs = ["Open.go -> Twice.go", "Twice.done -> End.done"]

[graph.m.uc.Open]
out   = { go = "int" }
start = true
route = ["go <- 21"]

[graph.m.uc.Twice]
in    = { go = "int" }
out   = { done = "int" }
fire  = ["go -> n"]
do    = { rust = 'let twice = n * 2;' }
route = ["done <- twice"]

[graph.m.uc.End]
in    = { done = "int" }
fire  = ["done -> x"]
do    = 'result("x", x);'
"#;

fn recorded(text: &str) -> Folder {
    let folder = Folder::with("m.hasse", text);
    folder.hasse(&["run", "m.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

/// `hasse isolate` where no gdb is installed.
fn without_gdb(folder: &Folder, args: &[&str]) -> Ran {
    let mut command = folder.command(&[&["isolate"], args].concat());
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    Ran::of(command.env("PATH", folder.path("none")).env("RUSTC", compiler).output().unwrap())
}

#[test]
fn an_event_is_prepared_for_gdb() {
    let folder = recorded(RUST);
    // The event is replayed for its inputs with the library that the run has left.
    let prepared = without_gdb(&folder, &["t", "/Twice:1", "--gdb", "--save", "it is.json"]).ends(0).stdout;
    let command = prepared.replace(env!("CARGO_BIN_EXE_hasse"), "/bin/hasse");
    insta::assert_snapshot!(command);
    assert!(folder.path("it is.json").is_file());
    let again = without_gdb(&folder, &["it is.json", "--gdb"]).ends(0).stdout;
    assert_eq!(again, prepared);
}

#[test]
fn bodies_for_a_debugger_do_the_same_and_keep_their_source() {
    let folder = recorded(RUST);
    folder.hasse(&["isolate", "t", "/Twice:1", "--save", "event.json"]).ends(0);
    let mut command = folder.command(&["isolate", "event.json"]);
    command.env("HASSE_RUST_DEBUG", "1").env("HASSE_CACHE", folder.path("cache"));
    let shown = Ran::of(command.output().unwrap()).ends(0).stdout;
    assert_eq!(shown, folder.hasse(&["isolate", "event.json"]).ends(0).stdout);
    let entries = fs::read_dir(folder.path("cache/bodies")).unwrap().map(|entry| entry.unwrap().path());
    let sources: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert!(fs::read_to_string(&sources[0]).unwrap().contains("let twice = n * 2;"));
}

#[test]
fn what_gdb_cannot_open_is_refused() {
    let folder = recorded(SQUARES);
    let refused = |args: &[&str]| folder.hasse(&[&["isolate", "t"], args].concat()).ends(2).stderr;
    insta::assert_snapshot!(
        [refused(&["/Sum:1", "--gdb"]), refused(&["/Sum:1", "--gdb", "--save", "sum.json"])].join("\n")
    );
    assert!(!folder.path("sum.json").exists());
}
