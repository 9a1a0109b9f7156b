//! What needs the binary but no oracle; `tests/examples` holds each example against its bar.

use std::fs;
use std::path::PathBuf;

use super::support::{Folder, Ran, repository};

/// All programs below `examples/`.
pub(super) fn programs() -> Vec<PathBuf> {
    let mut programs = Vec::new();
    for folder in fs::read_dir(repository().join("examples")).unwrap() {
        let folder = folder.unwrap().path();
        // A crate has tests of its own: its programs call what it registers.
        if !folder.is_dir() || folder.join("Cargo.toml").exists() {
            continue;
        }
        let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        programs.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "hasse")));
    }
    programs.sort();
    assert!(programs.len() >= 4, "{programs:?}");
    programs
}

fn example(name: &str) -> String {
    repository().join("examples").join(name).display().to_string()
}

/// A warning may well show the error that was put into a program.
#[test]
fn every_example_compiles_without_a_warning_unless_it_has_an_error_put_in() {
    let folder = Folder::new();
    for program in programs() {
        let is_bug = program.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("-bug"));
        let ran = folder.hasse(&["check", &program.display().to_string()]).ends(0);
        assert!(is_bug || ran.stderr.is_empty(), "{}\n{}", program.display(), ran.stderr);
    }
}

#[test]
fn every_example_has_a_readme_that_names_its_programs() {
    for program in programs() {
        let readme = fs::read_to_string(program.with_file_name("README.md")).unwrap();
        let name = program.file_name().unwrap().to_str().unwrap();
        assert!(readme.contains(name), "{}", program.display());
    }
}

fn verified(program: &str) -> Ran {
    let folder = Folder::new();
    folder.hasse(&["run", &example(program), "--trace", "t"]).ends(0);
    folder.hasse(&["verify", "t", "--file", &example("bts/order.preds")])
}

#[test]
fn the_solver_solves_in_the_expected_order() {
    let folder = Folder::new();
    let found = folder.hasse(&["run", &example("bts/bts.hasse"), "--json"]).ends(0).json();
    assert!(found["results"]["residual"].as_f64().unwrap() < 1e-10, "{found:#}");
    verified("bts/bts.hasse").ends(0);
}

#[test]
fn verify_catches_the_sequencing_bug_and_names_the_routing_rule_of_mult() {
    let ran = verified("bts/bts-bug.hasse").ends(1);
    let bug = fs::read_to_string(example("bts/bts-bug.hasse")).unwrap();
    let is_rule = |line: &str| line.contains("\"done <- acc\"");
    let line = 1 + bug.lines().position(is_rule).expect("the rule that lets values go out of sequence");
    let expected = format!("of Mult `done <- acc` ({}:{line})", example("bts/bts-bug.hasse"));
    assert!(ran.stdout.contains(&expected), "{}\n{expected}", ran.shown());
}

#[test]
fn the_generator_writes_a_system_that_the_solver_solves() {
    let folder = Folder::new();
    let generator =
        PathBuf::from(env!("CARGO_BIN_EXE_hasse")).with_file_name("examples").join("bts-generate");
    let system = folder.path("big.mtx").display().to_string();
    let made = std::process::Command::new(generator).args(["--size", "96", "--out", &system]).status();
    let made =
        made.expect("the generator is built by `cargo test` without --test, or by `cargo build --examples`");
    assert!(made.success());
    let file = format!("file={system}");
    let found = folder
        .hasse(&[
            "run",
            &example("bts/bts.hasse"),
            "--set",
            &file,
            "--set",
            "n=8",
            "--json",
            "--allow-read",
            ".",
        ])
        .ends(0);
    assert!(found.json()["results"]["residual"].as_f64().unwrap() < 1e-10, "{}", found.shown());
}
