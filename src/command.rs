//! The command line: that of `hasse`, and that of an executable which is made of one program.
//!
//! Each subcommand is a file of its own that parses its arguments, calls the crates and says how it
//! ended. Only `ending` prints a fault and turns an ending into an exit code. An executable with either command line
//! sets [`ALLOCATOR`], without which nobody counts what an event takes.

/// Executables of one program.
mod executable;
/// The program of an executable.
mod settled;

pub use crate::allocator::{ALLOCATOR, Allocator};
pub use executable::{Built, executable};

#[cfg(feature = "editor")]
pub use crate::edit::window_session;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::ending::exit_code;
use crate::linked::Linked;
use crate::{
    build_project, check, completions, debug, diff, edit, explain, fmt, fork, functions, graph, isolate, new,
    perf, races, replay, resume, run, schema, state, trace, values, verify, why,
};

/// Programs drawn as graphs, run on threads, debugged by cause.
///
/// Exit codes: 0 fine, 1 the program or a check failed, 2 wrong usage or a file that cannot be read
/// or written.
#[derive(Parser)]
#[command(name = "hasse", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::CheckArgs),
    Run(run::RunArgs),
    Build(build_project::BuildArgs),
    Replay(replay::ReplayArgs),
    Resume(resume::ResumeArgs),
    Verify(verify::VerifyArgs),
    Races(races::RacesArgs),
    Perf(perf::PerfArgs),
    Trace(trace::TraceArgs),
    Debug(debug::DebugArgs),
    Edit(edit::EditArgs),
    State(state::StateArgs),
    Fork(fork::ForkArgs),
    Values(values::ValuesArgs),
    Why(why::WhyArgs),
    Isolate(isolate::IsolateArgs),
    Functions(functions::FunctionsArgs),
    New(new::NewArgs),
    Fmt(fmt::FmtArgs),
    Graph(graph::GraphArgs),
    Diff(diff::DiffArgs),
    Explain(explain::ExplainArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
}

/// Carries out the command `hasse` with the arguments of this process.
pub fn main() -> ExitCode {
    crate::allocator::keep_large_blocks();
    crate::interrupt::report_file_limits();
    let Cli { command } = Cli::parse();
    let linked = &Linked::nothing();
    exit_code(match command {
        Command::Check(args) => check::check(&args, linked),
        Command::Run(args) => run::run(&args, linked),
        Command::Build(args) => build_project::build(&args, linked),
        Command::Replay(args) => replay::replay(&args, linked),
        Command::Resume(args) => resume::resume(&args, linked),
        Command::Verify(args) => verify::verify(&args, linked),
        Command::Races(args) => races::races(&args, linked),
        Command::Perf(args) => perf::perf(&args, linked),
        Command::Trace(args) => trace::trace(&args, linked),
        Command::Debug(args) => debug::debug(&args, linked),
        Command::Edit(args) => edit::edit(&args, linked),
        Command::State(args) => state::state(&args, linked),
        Command::Fork(args) => fork::fork(&args, linked),
        Command::Values(args) => values::values(&args, linked),
        Command::Why(args) => why::why(&args, linked),
        Command::Isolate(args) => isolate::isolate(&args, linked),
        Command::Functions(args) => functions::functions(&args),
        Command::New(args) => new::new(&args),
        Command::Fmt(args) => fmt::fmt(&args, linked),
        Command::Graph(args) => graph::graph(&args, linked),
        Command::Diff(args) => diff::diff(&args, linked),
        Command::Explain(args) => explain::explain(&args),
        Command::Schema(args) => schema::schema(&args),
        Command::Completions(args) => completions::completions(&args),
    })
}
