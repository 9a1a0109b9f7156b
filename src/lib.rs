//! Hasse as a library: build programs of graphs or read them, give them functions and bodies written
//! in Rust, run them on threads, record the runs and replay them.
//!
//! A program is text in the notation of the language reference, from a file or from [`build`]; both go
//! through the same compiler. What is written in Rust is registered in [`Natives`] before the program
//! is compiled.
//!
//! ```
//! use hasse::build::{Graph, Program as Builder, Unit};
//! use hasse::{NativeBody, Natives, Options, Type};
//!
//! let mut natives = Natives::new();
//! natives.function("scale", |v: Vec<f64>, k: f64| -> Vec<f64> { v.iter().map(|x| k * x).collect() });
//! natives.body(NativeBody::new("norm").needs([("v", Type::Vector)]).lets([("length", Type::Real)]), |context| {
//!     let v: Vec<f64> = context.take("v")?;
//!     context.set("length", v.iter().map(|x| x * x).sum::<f64>().sqrt())
//! });
//!
//! let graph = Graph::new("lengths")
//!     .param("n", "int = 3")
//!     .arc("Make.part[i] -> Norm[i].part")
//!     .arc("Norm[i].length -> Sum.length")
//!     .unit(
//!         Unit::new("Make")
//!             .start()
//!             .output("part[i]", "vector")
//!             .route("part[i] <- scale(vector([3.0, 4.0]), i) for i in 0..n"),
//!     )
//!     .unit(
//!         Unit::new("Norm")
//!             .index("i")
//!             .input("part", "vector")
//!             .output("length", "real")
//!             .fire("part -> v")
//!             .native("norm")
//!             .route("length <- length"),
//!     )
//!     .unit(
//!         Unit::new("Sum")
//!             .input("length", "real")
//!             .var("total", "real")
//!             .fire("length -> l")
//!             .body("total += l;\nif count == n { result(\"total\", total); }"),
//!     );
//! let program = Builder::new("lengths").graph(graph).compile(&natives)?;
//!
//! let options = Options::new().workers(2);
//! let (run, trace) = program.record(&options.clone().set("n", 4))?;
//! assert_eq!(run.finished()?.result::<f64>("total")?, 30.0);
//!
//! let again = program.replay(&trace, &options)?.finished()?;
//! assert_eq!(again.result::<f64>("total")?, 30.0);
//! # Ok::<(), hasse::Error>(())
//! ```
//!
//! Start reading at [`Natives`], [`Program`] and [`Run`]. The library knows no command line and prints
//! nothing but what the program prints, and that to where [`Options::output`] says. Its feature `cli`,
//! on by default, adds the module `command`: the command `hasse`, and the command line of executables that are made of one
//! program. A crate that uses the library for something else leaves it out.
//!
//! What a pure function or a body computes must depend on what it is given alone: what comes from
//! outside comes through [`Natives::effect`] or [`BodyContext::effect`], so that it is recorded and a
//! replay repeats it. Native code is not in the sandbox of Rhai bodies, and no memory budget holds it.

// The command is written against the library, as any other user of it is.
#[cfg(feature = "cli")]
extern crate self as hasse;

/// Programs, runs and records.
mod api;
/// The command `hasse`, and executables that are made of one program.
#[cfg(feature = "cli")]
pub mod command;

/// `hasse build`.
#[cfg(feature = "cli")]
mod build_project;
/// `hasse check`.
#[cfg(feature = "cli")]
mod check;
/// Checkpoints beside a trace.
#[cfg(feature = "cli")]
mod checkpoint;
/// `hasse completions`.
#[cfg(feature = "cli")]
mod completions;
/// `hasse debug`.
#[cfg(feature = "cli")]
#[cfg_attr(
    not(feature = "editor"),
    allow(dead_code, unused_imports, reason = "a session has parts that only the editor's window uses")
)]
mod debug;
/// `hasse diff`.
#[cfg(feature = "cli")]
mod diff;
/// `hasse edit`.
#[cfg(feature = "cli")]
mod edit;
/// `hasse explain`.
#[cfg(feature = "cli")]
mod explain;
/// `hasse fmt`.
#[cfg(feature = "cli")]
mod fmt;
/// `hasse fork`.
#[cfg(feature = "cli")]
mod fork;
/// `hasse functions`.
#[cfg(feature = "cli")]
mod functions;
/// `hasse graph`.
#[cfg(feature = "cli")]
mod graph;
/// The index beside a trace.
#[cfg(feature = "cli")]
mod index_file;
/// `hasse isolate`.
#[cfg(feature = "cli")]
mod isolate;
/// `hasse new`.
#[cfg(feature = "cli")]
mod new;
/// `hasse perf`.
#[cfg(feature = "cli")]
mod perf;
/// `hasse races`.
#[cfg(feature = "cli")]
mod races;
/// `hasse replay`.
#[cfg(feature = "cli")]
mod replay;
/// `hasse resume`.
#[cfg(feature = "cli")]
mod resume;
/// `hasse run`.
#[cfg(feature = "cli")]
mod run;
/// `hasse schema`.
#[cfg(feature = "cli")]
mod schema;
/// `hasse state`.
#[cfg(feature = "cli")]
mod state;
/// The user's folder for state.
#[cfg(feature = "cli")]
mod state_folder;
/// `hasse trace`.
#[cfg(feature = "cli")]
mod trace;
/// `hasse values`.
#[cfg(feature = "cli")]
mod values;
/// `hasse verify`.
#[cfg(feature = "cli")]
mod verify;
/// `hasse why`.
#[cfg(feature = "cli")]
mod why;

/// Traces decoded ahead of who looks at them.
#[cfg(feature = "cli")]
mod ahead;
/// The allocator, and what threads hold.
#[cfg(feature = "cli")]
mod allocator;
/// Endings of commands.
#[cfg(feature = "cli")]
mod ending;
/// Pages about codes.
#[cfg(feature = "cli")]
mod error_pages;
/// Options of commands that run programs.
#[cfg(feature = "cli")]
mod execution;
/// Events for other tools.
#[cfg(feature = "cli")]
mod export;
/// Display, checker, filing and saving.
#[cfg(feature = "cli")]
mod facilities;
/// What is wrong with the world outside of the program.
#[cfg(feature = "cli")]
mod fault;
/// Programs as code in Rust.
#[cfg(feature = "cli")]
mod generate;
/// What bodies may reach.
#[cfg(feature = "cli")]
mod grants;
/// What the commands about one event have in common.
#[cfg(feature = "cli")]
mod ground;
/// First Ctrl-C: end the run; second: leave.
#[cfg(feature = "cli")]
mod interrupt;
/// What a machine reads.
#[cfg(feature = "cli")]
mod json;
/// What this executable was built with.
#[cfg(feature = "cli")]
mod linked;
/// What runs without the interpreter.
#[cfg(feature = "cli")]
mod lowering;
/// Messages on standard error.
#[cfg(feature = "cli")]
mod message;
/// An imposed order of events.
#[cfg(feature = "cli")]
mod ordering;
/// Standard output that may be closed at the other end.
#[cfg(feature = "cli")]
mod out;
/// Refusals to write over files that are read.
#[cfg(feature = "cli")]
mod overwrite;
/// Color at terminals.
#[cfg(feature = "cli")]
mod paint;
/// Values of creation parameters from the command line.
#[cfg(feature = "cli")]
mod params;
/// Pictures of programs.
#[cfg(feature = "cli")]
mod picture;
/// Reading and compiling a program file.
#[cfg(feature = "cli")]
mod program;
/// Signs of life during long work.
#[cfg(feature = "cli")]
mod progress;
/// What is to be recorded.
#[cfg(feature = "cli")]
mod record;
/// Reading a trace file.
#[cfg(feature = "cli")]
mod recording;
/// Text for a person.
#[cfg(feature = "cli")]
mod report;
/// Results of runs.
#[cfg(feature = "cli")]
mod results;
/// Bodies in Rust, compiled and loaded.
#[cfg(feature = "cli")]
mod rust_library;
/// Rotated records.
#[cfg(feature = "cli")]
mod segments;
/// Writing a trace file.
#[cfg(feature = "cli")]
mod sink;
/// "Did you mean".
#[cfg(feature = "cli")]
mod suggest;
/// Again after each change.
#[cfg(feature = "cli")]
mod watch;

/// Files that are written as a whole.
mod whole_file;

pub use api::analysis::values_of_checks;
/// Programs made in Rust.
#[doc(inline)]
pub use api::build;
/// Runs that go on from a moment of a recorded one.
#[doc(inline)]
pub use api::continuation;
pub use api::error::{CompileError, Error, RunFailure};
/// One event of a record: its values, its causes, and itself alone.
#[doc(inline)]
pub use api::event;
/// Records with holes: a part of a run, cut from a record of the whole.
#[doc(inline)]
pub use api::holes;
/// The moments of a recorded run, and its state at each.
#[doc(inline)]
pub use api::moment;
pub use api::options::Options;
/// An order of events that is imposed on a run.
#[doc(inline)]
pub use api::order;
pub use api::program::Program;
pub use api::run::Run;
pub use api::trace::{Recorded, Trace, TraceSink, digester, trace_header};
pub use hasse_debugger::check::verdict::{Missing, Verdict, Violation};
pub use hasse_debugger::race::Report as RaceReport;
pub use hasse_model::diagnostic::{Diagnostic, Label, Location, Severity};
pub use hasse_model::record_options::{RecordOption, SelectorError};
pub use hasse_model::snapshot::{Snapshot, SnapshotError};
pub use hasse_model::trace::{Kept, RecordingMode};
pub use hasse_model::value::{Matrix, Type, Value};
pub use hasse_runtime::capture::Captured;
/// Decisions about all that a run leaves open, taken from outside.
#[doc(inline)]
pub use hasse_runtime::decision;
pub use hasse_runtime::natives::{
    BodyContext, BodyError, BodyFunction, BodyOutcome, BodyResult, FromValue, Given, IntoAnswer, IntoValue,
    Mismatch, NativeBody, NativeFunction, Natives, NativesError,
};
pub use hasse_runtime::report::{Divergence, RunError, RunOutcome, RunReport, WaitingAction, WaitingRule};
pub use hasse_runtime::run::{EventSink, RuntimeError, ScriptTiers, StopSignal};
pub use hasse_runtime::structs;
