//! The command line of an executable, and what it does with code in Rust.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;

use hasse_model::value::Type;
use hasse_runtime::natives::NativeBody;

use super::*;
use crate::command::Cli;

/// Doubles in Rust, reads a file of its folder, adds up in Rhai; sends `part` to be doubled.
fn program(part: &str) -> build::Program {
    use build::{Graph, Unit};

    let make =
        Unit::new("Make").start().output("part[i]", "int").route(&format!("part[i] <- {part} for i in 0..n"));
    let twice = Unit::new("Twice").index("i").input("part", "int").output("part", "int");
    let twice = twice.fire("part -> x").native("twice").route("part <- y");
    let sum = Unit::new("Sum").input("part", "int").var("total", "int").fire("part -> x");
    let sum = sum
        .body("total += x; if count == n { result(\"total\", total); print(read_text(\"greeting.txt\")); }");
    let graph = Graph::new("sums").param("n", "int = 3");
    let graph = graph.arc("Make.part[i] -> Twice[i].part").arc("Twice[i].part -> Sum.part");
    build::Program::new("sums").graph(graph.unit(make).unit(twice).unit(sum))
}

fn built() -> Built {
    let mut natives = Natives::new();
    natives.function("shifted", |i: i64| -> i64 { i + 1 });
    natives.body(NativeBody::new("twice").needs([("x", Type::Int)]).lets([("y", Type::Int)]), |context| {
        let x: i64 = context.take("x")?;
        context.set("y", 2 * x)
    });
    let program = program("shifted(i)");
    Built { name: "sums", program, natives, path: "/nowhere/at/all/sums.hasse", source: "", bodies: "" }
}

#[track_caller]
fn expect(code: u8, args: &[&str]) {
    expect_of(built(), code, args);
}

#[track_caller]
fn expect_of(built: Built, code: u8, args: &[&str]) {
    let args = ["sums"].iter().chain(args).map(OsString::from);
    let found = executable_with(built, args);
    assert_eq!(format!("{found:?}"), format!("{:?}", ExitCode::from(code)));
}

fn flags(command: &clap::Command) -> BTreeSet<String> {
    command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

#[test]
fn both_command_lines_are_sound() {
    Cli::command().debug_assert();
    command("sums").debug_assert();
}

#[test]
fn an_executable_has_the_flags_of_the_command() {
    let ours = command("sums");
    for theirs in Cli::command().get_subcommands() {
        let name = theirs.get_name();
        let Some(own) = ours.find_subcommand(name) else { continue };
        let mut flags_of_command = flags(theirs);
        flags_of_command.remove("watch");
        assert_eq!(flags(own), flags_of_command, "{name}");
    }
    let own_run = ours.find_subcommand("run").unwrap();
    let mut of_executable = flags(&ours);
    assert!(of_executable.remove("folder"));
    assert_eq!(of_executable, flags(own_run));
}

#[test]
fn every_flag_of_run_is_read() {
    let args = "--record restrict --select Sum --rcopt Twice=full --trace t --workers 2 --scripts native --set n=4 --seed 7 \
        --service --json --display --display-select Sum --model m --check-select Sum --races --file display --allow-read . \
        --allow-write . --allow-env HOME --allow-net localhost --allow-run cat --body-memory 12 --folder .";
    for before in [&["sums"][..], &["sums", "run"]] {
        let args =
            before.iter().copied().chain(args.split_whitespace()).chain(["--check", "check pred Sum {Make}"]);
        let matches = command("sums").try_get_matches_from(args).unwrap();
        let asked = Asked::from_arg_matches(&matches).unwrap();
        assert_eq!(asked.folder.as_deref(), Some(Path::new(".")));
        assert_eq!(asked.command.is_some(), before.len() == 2);
    }
}

#[test]
fn runs_records_and_looks_back_with_the_code_that_is_linked_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("greeting.txt"), "hello").unwrap();
    let (place, trace, session) = (folder.path().to_str().unwrap(), path("t.trace"), path("commands"));
    expect(0, &["--folder", place, "--trace", &trace]);
    // There is no such file in the current folder.
    expect(1, &[]);
    expect(0, &["replay", &trace]);
    expect(0, &["verify", &trace, "check pred Sum {Twice}"]);
    expect(0, &["races", &trace]);
    expect(0, &["perf", &trace]);
    expect(0, &["trace", "events", &trace, "--limit", "2"]);
    expect(0, &["trace", "minimize", &trace, "-o", &path("m.trace")]);
    expect(0, &["values", &trace, "/Twice[1]:1"]);
    expect(0, &["why", &trace, "/Sum:2", "--values"]);
    expect(0, &["isolate", &trace, "/Twice[1]:1"]);
    expect(0, &["check", "--explain-lowering"]);
    expect(0, &["graph", "--format", "dot"]);
    fs::write(&session, "run\nlse\n").unwrap();
    expect(0, &["debug", "--folder", place, "--commands", &session]);
    expect(0, &["debug", &trace, "--commands", &session]);
    // The text that is linked in is what a trace is compared with.
    let changed = Built { program: program("shifted(2 * i)"), ..built() };
    expect_of(changed, 2, &["replay", &trace]);
}

#[test]
fn wrong_use_and_wrong_code_end_with_2() {
    expect(2, &["--watch"]);
    expect(2, &["--folder", "/nowhere/at/all"]);
    expect(2, &["replay", "/nowhere/at/all.trace"]);
    let mut wrong = built();
    wrong.natives.function("sqrt", |x: f64| x.sqrt());
    expect_of(wrong, 2, &[]);
}
