//! End to end, through the real binary: every command with its success and its kinds of failure.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

/// `hasse fork`.
mod fork;
/// Instances and elements that are named by texts.
mod keys;
/// Names in letters of any script.
mod letters;
/// Events in an order that is imposed.
mod ordering;
/// Values at the start, and as many values as there are.
mod rates;
/// Ports that fail those who send to them.
mod refusals;
/// `hasse resume`, and checkpoints.
mod resume;
/// Runs without end.
mod services;
/// `hasse state`.
mod state;
/// A folder to work in and the binary to run there.
mod support;
/// A session at a pseudo-terminal.
#[cfg(unix)]
mod terminal;
mod tiers;
/// Delayed values.
mod time;
/// Timers, deadlines and pauses.
mod timers;

/// `hasse check`.
mod check;
/// Commands of sessions.
mod commands;
/// `hasse trace coverage`.
mod coverage;
/// `hasse debug`.
mod debug;
/// `hasse diff`.
mod diff;
/// The documentation says what is true.
mod docs;
/// `hasse edit` without a window or a screen.
mod edit;
/// Recorded events in sessions.
mod events;
/// The programs in `examples/`.
mod examples;
/// `hasse explain`.
mod expanded;
mod explain;
/// Display, checker, races and filing of runs.
mod facilities;
/// Handled errors.
mod failures;
/// Failed, interrupted and killed events.
mod faults;
/// `hasse fmt`.
mod fmt;
/// `hasse functions`.
mod functions;
/// One event in gdb.
mod gdb;
/// `hasse graph`.
mod graph;
/// Calls of graphs.
mod hierarchy;
/// `hasse trace history` and `hasse trace graphs`.
mod history;
/// Records with holes.
mod holes;
/// One event: its values, its causes, itself alone.
mod index;
mod isolate;
/// What `--json` prints.
mod json;
/// Runs that are interrupted or killed.
mod kill;
/// Every function, called from a body.
mod library;
/// Memory and time of what is large.
mod limits;
/// What runs without the interpreter.
mod lowering;
/// Maps.
mod maps;
/// Minimal records.
mod minimal;
/// Traces of programs with code in Rust.
mod natives;
/// `hasse new`.
mod new;
/// `hasse perf`.
mod perf;
/// Printing and results.
mod print;
/// `hasse races`.
mod races;
/// Exports and the tools that they are for.
mod readers;
/// What is recorded.
mod record;
/// Cut and damaged traces made whole, and reading from the middle.
mod recover;
/// `hasse replay`.
mod replay;
/// Public reports by users of other systems.
mod reports;
/// Long, odd and foreign input.
mod robust;
/// `hasse run`.
mod run;
/// Bodies in Rust.
mod rust;
/// What bodies may reach, and how much memory they may take.
mod sandbox;
/// `hasse schema`.
mod schema;
/// `hasse trace`.
mod trace;
/// Struct types on the command line and in traces.
mod types;
/// `hasse completions`, help and usage errors.
mod usage;
/// What verdicts and counts say.
mod verdicts;
/// `hasse verify`.
mod verify;
/// `--watch`.
mod watch;
/// Bodies that wait for the world outside.
mod world;
