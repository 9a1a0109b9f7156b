//! `hasse trace coverage`: which rules and arcs of the program a recorded run used.

use std::io::Write;
use std::path::PathBuf;

use hasse_debugger::coverage::Meter;
use hasse_debugger::read::lend_in_order;
use hasse_model::trace::RecordingMode;

use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::{Program, sound_plan};
use crate::{out, recording};

/// Show how often each rule of the program was taken, and which arcs were never used
///
/// An arc counts as used where a value went along it, or may have: a value that nobody took.
#[derive(clap::Args)]
pub(super) struct CoverageArgs {
    /// The trace
    trace: PathBuf,
    /// Show only rules that were never taken and arcs that were never used
    #[arg(long)]
    missed: bool,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Prints the coverage.
pub(super) fn coverage(args: &CoverageArgs, linked: &Linked) -> Result<Ending, Fault> {
    let reader = recording::open_events(&args.trace)?;
    let header = reader.header().clone();
    if header.mode == RecordingMode::Restricted {
        return Err(Fault::SelectedAlone { path: args.trace.clone() });
    }
    let compiled = Program::recorded(&header, linked).compile_recorded();
    let Some(plan) = sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: args.trace.clone() });
    };
    let mut meter = Meter::new(plan, &header.params);
    let summary = lend_in_order(Ahead::new(reader), |event, names| meter.event(event, names))
        .map_err(|error| Fault::of_trace(&args.trace, error))?;
    recording::print_notes(&args.trace, &summary);
    let coverage = meter.finish();
    if args.json {
        out::print_json(&coverage.to_json())?;
    } else {
        let mut out = Out::new();
        let text = coverage.to_text(args.missed);
        out.write_all(text.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    }
    Ok(Ending::Fine)
}
