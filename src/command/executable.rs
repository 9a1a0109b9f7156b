//! The command line of an executable that is made of one program: that of `hasse`, with the program already named.

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use hasse_runtime::natives::Natives;

use super::settled;
use crate::api::build;
use crate::ending::{Ending, exit_code};
use crate::fault::Fault;
use crate::grants::check_roots;
use crate::linked::Linked;
use crate::{check, debug, graph, isolate, perf, races, replay, run, trace, values, verify, why};

/// What an executable is made of.
#[derive(Clone, Debug)]
pub struct Built {
    /// The executable's name, for its help and for the record that it makes where nobody names one.
    pub name: &'static str,
    /// The program.
    pub program: build::Program,
    /// The functions, effects and bodies that the program has in Rust.
    pub natives: Natives,
    /// Path of the program file that it was generated from, as messages and traces have it. In its folder, if there is one,
    /// bodies look up files.
    pub path: &'static str,
    /// The text of that file: messages name its lines, and traces hold it, as long as the program says the same. Empty where
    /// there is no such file.
    pub source: &'static str,
    /// The text of `src/bodies.rs`, whose comments say which of its lines stand in the program file; empty where there is none.
    pub bodies: &'static str,
}

/// What the executable is asked to do: to run its program, if nothing else is said.
#[derive(Parser)]
#[command(
    version = concat!("built with Hasse ", env!("CARGO_PKG_VERSION")),
    propagate_version = true,
    max_term_width = 100,
    args_conflicts_with_subcommands = true
)]
struct Asked {
    #[command(flatten)]
    run: run::RunAsked,
    /// The folder in which bodies look up files [default: that of the program file, if it is there; else the current
    /// one]
    #[arg(long, value_name = "DIR", global = true)]
    folder: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Run(run::RunAsked),
    Replay(replay::ReplayArgs),
    Verify(verify::VerifyArgs),
    Races(races::RacesArgs),
    Perf(perf::PerfArgs),
    Trace(trace::TraceArgs),
    Debug(DebugArgs),
    Values(values::ValuesArgs),
    Why(why::WhyArgs),
    Isolate(isolate::IsolateArgs),
    Check(check::CheckAsked),
    Graph(graph::GraphAsked),
}

/// Debug the program or a trace in a session: choose what is recorded, run, check, look, run again
///
/// Commands are read from standard input, or from a file. `help` lists them.
#[derive(clap::Args)]
struct DebugArgs {
    /// A trace, or a program file [default: the program of this executable]
    subject: Option<PathBuf>,
    #[command(flatten)]
    asked: debug::DebugAsked,
}

/// Carries out what this process is asked to do with the program that it was built with.
///
/// Without a subcommand the program is run, with the options of `hasse run`; the subcommands are those of `hasse` that
/// are about a program or its traces.
pub fn executable(built: Built) -> ExitCode {
    crate::allocator::keep_large_blocks();
    crate::interrupt::report_file_limits();
    executable_with(built, std::env::args_os())
}

/// Like [`executable`], with these arguments; the first is what the executable was called by.
fn executable_with(built: Built, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let parsed = command(built.name).try_get_matches_from(args);
    match parsed.and_then(|matches| Asked::from_arg_matches(&matches)) {
        Ok(asked) => exit_code(carry_out(&asked, built)),
        Err(error) => {
            // Where nobody can be told, the exit code still tells.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}

/// What the executable is told by its command line.
fn command(name: &'static str) -> clap::Command {
    let about = format!("Run the program {name}, or look into what it did");
    let codes = "Exit codes: 0 fine, 1 the program or a check failed, 2 wrong usage or a file that cannot be read or written.";
    Asked::command().name(name).about(about.clone()).long_about(format!("{about}.\n\n{codes}"))
}

fn carry_out(asked: &Asked, built: Built) -> Result<Ending, Fault> {
    let Built { name, program, mut natives, path, source, bodies } = built;
    let text = settled::text((path, source), program.text(), bodies, &mut natives);
    let path = PathBuf::from(path);
    let folder = match &asked.folder {
        Some(folder) => {
            check_roots("--folder", std::slice::from_ref(folder))?;
            folder.clone()
        }
        None => folder_of(&path),
    };
    let linked = &Linked::new(natives, path, text, folder)?;
    let program = &linked.program().expect("it was just linked");
    match &asked.command {
        None => run::run_linked(&asked.run, program, name),
        Some(Command::Run(args)) => run::run_linked(args, program, name),
        Some(Command::Replay(args)) => replay::replay(args, linked),
        Some(Command::Verify(args)) => verify::verify(args, linked),
        Some(Command::Races(args)) => races::races(args, linked),
        Some(Command::Perf(args)) => perf::perf(args, linked),
        Some(Command::Trace(args)) => trace::trace(args, linked),
        Some(Command::Debug(args)) => debug::debug_subject(&args.asked, args.subject.as_deref(), linked),
        Some(Command::Values(args)) => values::values(args, linked),
        Some(Command::Why(args)) => why::why(args, linked),
        Some(Command::Isolate(args)) => isolate::isolate(args, linked),
        Some(Command::Check(args)) => check::check_program(args, program),
        Some(Command::Graph(args)) => graph::draw(args, program),
    }
}

/// The folder of a program file; the current one where there is no such folder.
fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| folder.is_dir());
    folder.map_or_else(|| PathBuf::from("."), Path::to_owned)
}
