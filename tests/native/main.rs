//! The library: native functions, effects and bodies, programs made in Rust, runs and replays.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

/// Checks, races and restrictions.
mod analysis;
/// Bodies of nodes.
mod bodies;
/// Programs made in Rust.
mod builder;
/// One event: its values, its causes, itself alone.
mod event;
/// Bodies that are functions.
mod function_bodies;
/// Functions and effects.
mod functions;
/// The short way and the general one.
mod lane;
mod lets;
/// Instances whose values wait for each other.
mod matching;
/// Questions of compiled bodies.
mod questions;
/// Names and programs that are refused.
mod refused;
/// Runs, records and replays.
mod runs;
/// Snapshots.
mod state;
/// A program with tellers.
#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod support;
/// What is recorded while a body waits.
mod waiting;

use hasse::{Natives, Options, Program, Run};

/// A program with one start node, which has the attributes given.
fn one_node(attributes: &str) -> String {
    format!(
        "hasse = 1\nmain  = \"main\"\n\n[graph.main]\nparams = {{ n = \"int = 4\" }}\n\n\
         [graph.main.uc.Only]\nstart = true\n{attributes}\n"
    )
}

/// A start node that sends 0, 1, .. n - 1 to `Work`, which has the attributes given, and `Sum`, which
/// adds up what `Work` sends.
fn pipeline(work: &str) -> String {
    format!(
        r#"hasse = 1
main  = "main"

[graph.main]
params = {{ n = "int = 4" }}
arcs = [
  "Start.o[i] -> Work[i].a",
  "Work[i].o -> Sum.a",
]

[graph.main.uc.Start]
start = true
out   = {{ "o[i]" = "int" }}
route = ["o[i] <- i for i in 0..n"]

[graph.main.uc.Work]
index = ["i"]
in    = {{ a = "int" }}
out   = {{ o = "int" }}
fire  = ["a -> x"]
{work}

[graph.main.uc.Sum]
in   = {{ a = "int" }}
vars = {{ total = "int" }}
fire = ["a -> x"]
do   = 'total += x; if count == n {{ result("total", total); }}'
"#
    )
}

#[track_caller]
fn run(text: &str, natives: &Natives) -> Run {
    Program::from_text(text, natives).unwrap().run(&Options::new().workers(2)).unwrap()
}

/// The error that a run ends with.
#[track_caller]
fn failure(text: &str, natives: &Natives) -> String {
    run(text, natives).finished().unwrap_err().to_string()
}
