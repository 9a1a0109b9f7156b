//! `hasse races`: accesses to shared objects that nothing orders but a lock.

use std::io::Write;
use std::path::PathBuf;

use hasse_debugger::race::{self, RaceError, RaceOptions};

use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::{self, Program};
use crate::{out, paint, recording};

/// Find accesses to shared objects that only a lock put in order, so that the result may depend on who comes first
///
/// A race is a pair of accesses to one object, one of them a write at least, where no chain of values and
/// executions leads from the one to the other. It is a first race if no other race is before it. Ends with 1 if
/// there are races. It takes a full record; a minimal one is made a full one by `hasse replay T --trace F`.
#[derive(clap::Args)]
pub(crate) struct RacesArgs {
    /// The trace
    trace: PathBuf,
    /// List all orderings of accesses that only locks enforced, too
    #[arg(long)]
    orderings: bool,
    /// Show races behind other races, too
    #[arg(long)]
    all: bool,
    /// Print everything as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Looks for races in a trace.
pub(crate) fn races(args: &RacesArgs, linked: &Linked) -> Result<Ending, Fault> {
    let reader = recording::open(&args.trace)?;
    let header = reader.header().clone();
    let program = Program::recorded(&header, linked);
    let compiled = program.compile_recorded();
    let Some(plan) = program::sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: args.trace.clone() });
    };
    let options = RaceOptions { wants_orderings: args.orderings };
    let (found, summary) = race::find(Ahead::new(reader), options).map_err(|error| match error {
        RaceError::Read(error) => Fault::of_trace(&args.trace, error),
        source => Fault::Races { path: args.trace.clone(), source },
    })?;
    recording::print_notes(&args.trace, &summary);
    let report = race::report(&found, &summary.names, plan, &header.params, &program.text);
    if args.json {
        out::print_json(&race::to_json(&report))?;
    } else {
        let mut out = Out::new();
        let text = race::render(&report, &program.name(), args.all);
        out.write_all(paint::for_stdout(text).as_bytes())
            .and_then(|()| out.close())
            .map_err(Fault::Stdout)?;
    }
    Ok(Ending::failed_if(report.n_first() > 0))
}
