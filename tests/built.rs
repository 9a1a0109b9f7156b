//! Programs as executables: what `hasse build` generates is checked by Cargo, and does what `hasse run` and `hasse replay` do.
//!
//! Two executables are made: of the project of one program as it is generated, and of one crate that holds the generated code of all others, as
//! linking takes longest. That one is called by a name for each program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "laws/dice.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, reason = "shared")]
mod dice;
#[path = "lowering/program.rs"]
#[allow(unreachable_pub, missing_docs, reason = "shared")]
mod generated;
#[path = "lowering/generator.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, reason = "shared")]
mod generator;
/// Projects, generated and built.
#[path = "built/made.rs"]
mod made;
/// A folder to work in and the binary to run there.
#[path = "cli/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod support;

use std::fs;

use made::Executable;
use support::{Folder, Ran};

/// Results, outcome, number of events and errors of two ways to run a program; not the messages, which name paths.
#[track_caller]
fn assert_same(one: &Ran, other: &Ran, what: &str) {
    let (first, second) = (one.json(), other.json());
    for part in ["outcome", "results", "events", "errors"] {
        assert_eq!(first[part], second[part], "{part} of {what}\n{}\n{}", one.shown(), other.shown());
    }
}

/// A record of the executable is replayed by the command, and one of the command by the executable, each with the same results and the
/// same digest.
fn try_in_both(program: &str, executable: &Executable) {
    let folder = Folder::new();
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    let ran = executable.run_in(&folder, &["--json", "--trace", "first"]);
    for scripts in ["interpreted", "native"] {
        let again = folder.hasse(&["replay", "first", "--json", "--trace", "second", "--scripts", scripts]);
        assert_same(&ran, &again, &format!("{program}, built, replayed by the command"));
        assert_eq!(digest("first"), digest("second"), "{program}, {scripts}");
    }
    let ran = folder.hasse(&["run", program, "--json", "--trace", "first", "--scripts", "interpreted"]);
    for workers in ["1", "3"] {
        let again = ["replay", "first", "--json", "--trace", "second", "--workers", workers];
        let again = executable.run_in(&folder, &again);
        assert_same(&ran, &again, &format!("{program}, replayed by the executable"));
        assert_eq!(digest("first"), digest("second"), "{program}, {workers} workers");
    }
}

/// Generated bodies: `HASSE_BODIES` where it is set, as `.ci/run` does.
fn n_bodies() -> usize {
    std::env::var("HASSE_BODIES").ok().and_then(|number| number.parse().ok()).unwrap_or(200)
}

#[test]
fn examples_and_generated_programs_do_the_same_as_executables() {
    let folder = Folder::new();
    let n_programs = n_bodies().div_ceil(generated::BODIES_EACH) as u64;
    let generated: Vec<_> =
        (0..n_programs).map(|seed| folder.path(&format!("generated-{seed}.hasse"))).collect();
    for (seed, program) in (0..).zip(&generated) {
        fs::write(program, generated::program(seed, false)).unwrap();
    }
    let examples = made::examples();
    let executables = made::together(&[&examples[..], &generated].concat());
    let (of_examples, of_generated) = executables.split_at(examples.len());
    for (program, executable) in of_examples {
        try_in_both(&program.display().to_string(), executable);
    }
    let mut n_failed = 0;
    for (program, executable) in of_generated {
        n_failed += try_generated(&program.display().to_string(), executable);
    }
    assert!(n_failed > 0 && n_failed < n_bodies(), "{n_failed} of {} instances fail", n_bodies());
}

/// What a program of generated bodies prints, its errors with their places, and its record: by the interpreter, and by the executable in each
/// way. The number of errors.
fn try_generated(program: &str, executable: &Executable) -> usize {
    let folder = Folder::new();
    let args = ["--json", "--seed", "1", "--workers", "1", "--trace", "trace", "--scripts"];
    let digest = || folder.hasse(&["trace", "digest", "trace"]).ends(0).stdout;
    let expected = folder.hasse(&[&["run", program], &args[..], &["interpreted"]].concat());
    let expected_digest = digest();
    for scripts in ["auto", "native"] {
        let found = executable.run_in(&folder, &[&args[..], &[scripts]].concat());
        assert_same(&expected, &found, &format!("{program}, {scripts}"));
        assert_eq!(expected.stderr, found.stderr, "what is printed by {program}, {scripts}");
        assert_eq!(expected_digest, digest(), "{program}, {scripts}");
    }
    expected.json()["errors"].as_array().unwrap().len()
}

/// Bodies in Rust that fail in each way that there is.
const FAILING: &str = r#"hasse = 1
main  = "failing"

[type.Pair]
left  = "int"
right = "vector"

[graph.failing]
params = { how = "int = 0" }
arcs = ["Feed.x -> Work.x", "Work.pair -> Tell.pair"]

[graph.failing.uc.Feed]
out   = { x = "int" }
start = true
route = ["x <- k for k in 0..3"]

[graph.failing.uc.Work]
in   = { x = "int" }
out  = { pair = "Pair" }
vars = { seen = "vector", sum = "int" }
fire = ["x -> x"]
do = { rust = '''
seen.push(x as f64);
sum += x;
context.print(format!("{x} of {seen:?}"));
if x == 2 {
    match how {
        0 => {}
        1 => sum = i64::MAX + x,
        2 => seen[usize::MAX] = 1.0,
        3 => return Err("the body says so".into()),
        4 => panic!("for no reason"),
        5 => sum /= x - 2,
        6 => context.result("other", context.index().len() as i32)?,
        _ => { "7x".parse::<i64>()?; }
    }
}
let pair = Pair { left: sum, right: seen.clone() };
''' }
route = ["pair <- pair"]

[graph.failing.uc.Tell]
in   = { pair = "Pair" }
fire = ["pair -> pair"]
do   = 'if count == 3 { result("pair", pair); }'
"#;

/// What the generated code looks like, and that it fails at the same places as the library that `hasse run` makes.
#[test]
fn a_project_is_checked_as_it_is_generated_and_fails_where_the_command_does() {
    let folder = Folder::with("failing.hasse", FAILING);
    let project = folder.path("project");
    let built = folder.hasse(&["build", "failing.hasse", "--out", "project"]).ends(0);
    assert_eq!(built.stdout, "project: cargo build --release\n");
    for file in ["main", "program", "bodies"] {
        let text = std::fs::read_to_string(project.join("src").join(format!("{file}.rs"))).unwrap();
        insta::with_settings!({ filters => vec![(r#"path: ".*""#, r#"path: "PATH""#)] }, {
            insta::assert_snapshot!(format!("generated_{file}"), text);
        });
    }
    made::check(&project);
    let executable = made::compile(&project, "failing");
    for how in 0..8 {
        let set = format!("how={how}");
        // How many values are left on ports depends on the threads.
        let args = ["--json", "--workers", "1", "--set", &set];
        let ran = folder.hasse(&[&["run", "failing.hasse"][..], &args].concat());
        let other = executable.run_in(&folder, &args);
        assert_same(&ran, &other, &set);
        assert_eq!(ran.stderr, other.stderr, "{set}");
        let errors = ran.json()["errors"].clone();
        let lines: Vec<_> = errors.as_array().unwrap().iter().map(|error| error["line"].clone()).collect();
        let lines: Vec<u64> = lines.iter().filter_map(serde_json::Value::as_u64).collect();
        let expected: &[u64] = match how {
            0 | 6 => &[],
            1 => &[29],
            2 => &[30],
            4 => &[32],
            5 => &[33],
            // What is no panic is told at the first line.
            _ => &[23],
        };
        assert_eq!(lines, expected, "{set}: {errors:#}");
    }
    what_the_executable_can_do(&folder, &executable);
}

/// Its subcommands, its debugger, and what it says of a project that was changed.
fn what_the_executable_can_do(folder: &Folder, executable: &Executable) {
    executable.run_in(folder, &["--trace", "t"]).ends(0);
    let info = executable.run_in(folder, &["trace", "info", "t"]).ends(0);
    assert!(info.stdout.contains("events     7\n"), "{}", info.shown());
    let values = executable.run_in(folder, &["values", "t", "/Work:3"]).ends(0);
    assert!(values.stdout.contains("sum"), "{}", values.shown());
    executable.run_in(folder, &["verify", "t", "check pred Tell {Work}"]).ends(0);
    executable.run_in(folder, &["isolate", "t", "/Work:3", "--times", "3"]).ends(0);
    executable.run_in(folder, &["check"]).ends(0);
    folder.write(
        "commands",
        "stop in Work at aftcomp if count == 2\nrun\ncd /Work\nprint sum\nprint seen\ncont\nwait\nquit\n",
    );
    let session = executable.run_in(folder, &["debug", "--commands", "commands"]).ends(0);
    assert!(session.stdout.contains("stopped: /Work:2 at aftcomp"), "{}", session.shown());
    assert!(session.stdout.contains("sum = 1\n"), "{}", session.shown());
    for mode in ["full", "minimal", "perf", "off", "none"] {
        executable.run_in(folder, &["--record", mode]).ends(0);
    }
    executable.run_in(folder, &["--select", "Work", "--trace", "r"]).ends(0);
    let usage = executable.run_in(folder, &["--recrod", "full"]).ends(2);
    assert!(usage.stderr.contains("--record"), "{}", usage.shown());
}

#[test]
fn a_folder_with_something_else_is_refused_and_nothing_is_lost() {
    let folder = Folder::with("squares.hasse", support::SQUARES);
    std::fs::create_dir(folder.path("full")).unwrap();
    folder.write("full/notes.txt", "mine");
    let refused = folder.hasse(&["build", "squares.hasse", "--out", "full", "--replace"]).ends(2);
    insta::assert_snapshot!(refused.stderr);
    assert_eq!(std::fs::read_dir(folder.path("full")).unwrap().count(), 1);
    folder.hasse(&["build", "squares.hasse", "--out", "new"]).ends(0);
    folder.write("new/src/program.rs", "changed");
    let refused = folder.hasse(&["build", "squares.hasse", "--out", "new"]).ends(2);
    insta::assert_snapshot!("a_generated_project_is_replaced_only_when_asked", refused.stderr);
    assert_eq!(std::fs::read_to_string(folder.path("new/src/program.rs")).unwrap(), "changed");
    folder.hasse(&["build", "squares.hasse", "--out", "new", "--replace"]).ends(0);
    assert_ne!(std::fs::read_to_string(folder.path("new/src/program.rs")).unwrap(), "changed");
}

#[test]
fn a_program_with_errors_and_a_source_that_there_is_not_are_told() {
    let folder = Folder::with("squares.hasse", support::SQUARES);
    let refused = folder.hasse(&["build", "squares.hasse", "--out", "new", "--source", "nowhere"]).ends(2);
    assert!(refused.stderr.contains("does not hold the source of Hasse"), "{}", refused.shown());
    folder.write("squares.hasse", &support::SQUARES.replace("\"number -> x\"", "\"nubmer -> x\""));
    let refused = folder.hasse(&["build", "squares.hasse", "--out", "new"]).ends(1);
    assert!(refused.stderr.contains("nubmer"), "{}", refused.shown());
    assert!(!folder.path("new").exists());
}
