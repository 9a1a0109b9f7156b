//! The `hasse` command: compiles, runs, replays and checks programs.
//!
//! Each subcommand is a file of its own that parses its arguments, calls the crates and says how it
//! ended. Only `main` prints a [`fault::Fault`] and turns an ending into an exit code. Start reading at
//! [`run`].

/// `hasse check`.
mod check;
/// `hasse completions`.
mod completions;
/// `hasse debug`.
mod debug;
/// `hasse edit`.
#[cfg(feature = "editor")]
mod edit;
/// `hasse explain`.
mod explain;
/// `hasse fmt`.
mod fmt;
/// `hasse functions`.
mod functions;
/// `hasse graph`.
mod graph;
/// `hasse isolate`.
mod isolate;
/// `hasse new`.
mod new;
/// `hasse perf`.
mod perf;
/// `hasse races`.
mod races;
/// `hasse replay`.
mod replay;
/// `hasse run`.
mod run;
/// `hasse schema`.
mod schema;
/// `hasse trace`.
mod trace;
/// `hasse values`.
mod values;
/// `hasse verify`.
mod verify;
/// `hasse why`.
mod why;

/// Traces decoded ahead of who looks at them.
mod ahead;
/// The allocator, and what threads hold.
mod allocator;
/// Events for other tools.
mod export;
/// Display, checker, filing and saving.
mod facilities;
/// What is wrong with the world outside of the program.
mod fault;
/// What bodies may reach.
mod grants;
/// What the commands about one event have in common.
mod ground;
/// First Ctrl-C: end the run; second: leave.
mod interrupt;
/// What a machine reads.
mod json;
/// What runs without the interpreter.
mod lowering;
/// Standard output that may be closed at the other end.
mod out;
/// Values of struct types as JSON.
mod param_json;
/// Values of creation parameters from the command line.
mod params;
/// Pictures of programs.
mod picture;
/// Reading and compiling a program file.
mod program;
/// Signs of life during long work.
mod progress;
/// What is to be recorded.
mod record;
/// Reading a trace file.
mod recording;
/// What a person reads.
mod report;
/// Writing a trace file.
mod sink;
/// "Did you mean".
mod suggest;
/// Again after each change.
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Programs drawn as graphs, run on threads, debugged by cause.
///
/// Exit codes: 0 fine, 1 the program or a check failed, 2 wrong usage or a file that cannot be read
/// or written.
#[derive(Parser)]
#[command(name = "hasse", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::CheckArgs),
    Run(run::RunArgs),
    Replay(replay::ReplayArgs),
    Verify(verify::VerifyArgs),
    Races(races::RacesArgs),
    Perf(perf::PerfArgs),
    Trace(trace::TraceArgs),
    Debug(debug::DebugArgs),
    #[cfg(feature = "editor")]
    Edit(edit::EditArgs),
    Values(values::ValuesArgs),
    Why(why::WhyArgs),
    Isolate(isolate::IsolateArgs),
    Functions(functions::FunctionsArgs),
    New(new::NewArgs),
    Fmt(fmt::FmtArgs),
    Graph(graph::GraphArgs),
    Explain(explain::ExplainArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
}

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// Nothing is wrong.
    Fine,
    /// The program or a check failed, and was reported.
    Failed,
}

impl Ending {
    fn failed_if(has_failed: bool) -> Self {
        if has_failed { Ending::Failed } else { Ending::Fine }
    }
}

fn main() -> ExitCode {
    let ended = match Cli::parse().command {
        Command::Check(args) => check::check(&args),
        Command::Run(args) => run::run(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Races(args) => races::races(&args),
        Command::Perf(args) => perf::perf(&args),
        Command::Trace(args) => trace::trace(&args),
        Command::Debug(args) => debug::debug(&args),
        #[cfg(feature = "editor")]
        Command::Edit(args) => edit::edit(&args),
        Command::Values(args) => values::values(&args),
        Command::Why(args) => why::why(&args),
        Command::Isolate(args) => isolate::isolate(&args),
        Command::Functions(args) => functions::functions(&args),
        Command::New(args) => new::new(&args),
        Command::Fmt(args) => fmt::fmt(&args),
        Command::Graph(args) => graph::graph(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Schema(args) => schema::schema(&args),
        Command::Completions(args) => completions::completions(&args),
    };
    match ended {
        Ok(Ending::Fine) => ExitCode::SUCCESS,
        Ok(Ending::Failed) => ExitCode::from(1),
        Err(fault) => {
            report::print_fault(&fault);
            ExitCode::from(fault.exit_code())
        }
    }
}
