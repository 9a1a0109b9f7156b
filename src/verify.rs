//! `hasse verify`: checks the order of a recorded run's events.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use hasse_debugger::check::command::{self, Command};
use hasse_debugger::check::{self, CheckError};

use crate::ahead::Ahead;
use crate::fault::Fault;
use crate::out::Out;
use crate::program::{self, Program};
use crate::{Ending, recording, run};

/// Check what must come before what in a recorded run
///
/// `check pred u {v, w}`: every event of u has an event of v and one of w before it; several such checks
/// on one u are alternatives. `check parall {u, v}`: some events of u and v were concurrent.
/// `forall a: u, b: v where ORDER : CONDITION`, `exists ..` and `never ..`: ORDER is `a -> b` (immediately before),
/// `a < b` (before in causal order) or `a || b` (concurrent), joined by `&&`, `or`, `!` and `=>`; CONDITION may ask for
/// a.index, a.count, a.rule, a.outcome and more. u, v and w are nodes (`Mult`), actions (`Mult[3]`) or events
/// (`Mult[3]:2`). The chapter "Checking order" of the book has all of it.
#[derive(clap::Args)]
pub(crate) struct VerifyArgs {
    /// The trace
    trace: PathBuf,
    /// Checks, such as 'check pred Gath {Solve}'
    checks: Vec<String>,
    /// A file of checks, one a line; empty lines and lines that begin with # do not count
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print the verdicts as one JSON array on standard output
    #[arg(long)]
    json: bool,
}

/// Checks a trace.
pub(crate) fn verify(args: &VerifyArgs) -> Result<Ending, Fault> {
    let mut commands = Vec::new();
    for text in &args.checks {
        commands.push(parse(text)?);
    }
    if let Some(path) = &args.file {
        commands.extend(read_checks(path)?);
    }
    if commands.is_empty() {
        return Err(Fault::NoCheck);
    }
    let reader = recording::open(&args.trace)?;
    let program = Program::recorded(reader.header());
    let compiled = program.compile();
    let Some(plan) = program::sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: args.trace.clone() });
    };
    let verified = check::verify(Ahead::new(reader), plan, &commands);
    let (verdicts, summary) = verified.map_err(|source| match source {
        CheckError::Resolve(source) => Fault::CheckNames { source },
        CheckError::Read(error) => Fault::of_trace(&args.trace, error),
        source => Fault::Check { path: args.trace.clone(), source },
    })?;
    recording::print_notes(&args.trace, &summary);
    if args.json {
        run::print_json(&verdicts.iter().map(check::to_json).collect())?;
    } else {
        let mut out = Out::new();
        let text: String = verdicts.iter().map(|verdict| check::render(verdict, &program.name())).collect();
        out.write_all(text.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    }
    Ok(Ending::failed_if(verdicts.iter().any(|verdict| !verdict.holds)))
}

fn parse(text: &str) -> Result<Command, Fault> {
    command::parse(text).map_err(|source| Fault::BadCheck { text: text.to_owned(), source })
}

fn read_checks(path: &Path) -> Result<Vec<Command>, Fault> {
    let text = fs::read_to_string(path).map_err(|source| Fault::Read { path: path.to_owned(), source })?;
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(parse).collect()
}
