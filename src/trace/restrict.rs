//! `hasse trace restrict`: the record of selected actions, from a record of more.

use std::path::PathBuf;

use hasse_debugger::restrict::{RestrictError, restricted_batches};
use hasse_model::record_options::{NamedOptions, RecordOption, RecordOptions};
use hasse_model::trace::{RecordingMode, TraceHeader};
use hasse_runtime::run::EventSink;

use crate::fault::Fault;
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::sink::TraceSink;
use crate::{Ending, recording, run};

/// Write the record of selected actions alone, as if no others had been recorded
///
/// Orderings by way of the actions that are left out are kept: they become immediate ones.
#[derive(clap::Args)]
pub(crate) struct RestrictArgs {
    /// The trace
    trace: PathBuf,
    /// Keep these: nodes (Mult), actions ('Mult[3]', 'Mult[1..3]') or paths ('/dobts[2]/*'); may be given several
    /// times
    #[arg(long, value_name = "SELECTOR", required_unless_present = "rcopt")]
    select: Vec<String>,
    /// Set what is kept of these, full, restrict (no shared predecessors) or off; may be given several times
    #[arg(long, value_name = "SELECTOR=OPTION")]
    rcopt: Vec<String>,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// Restricts a trace.
pub(crate) fn restrict(args: &RestrictArgs) -> Result<Ending, Fault> {
    run::refuse_same_file(&args.output, &args.trace, "the trace that is restricted")?;
    let reader = recording::open(&args.trace)?;
    if reader.header().mode == RecordingMode::Minimal {
        return Err(Fault::MinimalTrace { path: args.trace.clone() });
    }
    let program = Program::recorded(reader.header());
    let compiled = program.compile();
    let Some(plan) = program::sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: args.trace.clone() });
    };
    let resolved = options(args)?.resolve(plan).map_err(|source| Fault::Selector { source })?;
    let mut named = NamedOptions::new(resolved);
    let header = TraceHeader { mode: RecordingMode::Restricted, ..reader.header().clone() };
    let mut sink = TraceSink::create(&args.output, &header, Progress::silent())?;
    let restricted = restricted_batches(
        reader,
        |action, names| named.action(action, names),
        |batch| sink.take_batch(batch),
    );
    let restricted = restricted.map_err(|error| match error {
        RestrictError::Read(error) => Fault::of_trace(&args.trace, error),
        RestrictError::Inconsistent { event, source } => Fault::Inconsistent { path: args.trace.clone(), event, source },
        RestrictError::Write(source) => Fault::Write { path: args.output.clone(), source },
    })?;
    recording::print_notes(&args.trace, &restricted.summary);
    // A run that was cut off stays cut off.
    if let Some(footer) = restricted.footer() {
        sink.end(&footer).map_err(|source| Fault::Write { path: args.output.clone(), source })?;
    }
    Ok(Ending::Fine)
}

fn options(args: &RestrictArgs) -> Result<RecordOptions, Fault> {
    let selector = |source| Fault::Selector { source };
    let mut options = RecordOptions::restricted();
    for text in &args.select {
        options = options.select(text).map_err(selector)?;
    }
    for text in &args.rcopt {
        let option = text.rsplit_once('=').and_then(|(text, name)| Some((text, RecordOption::of_name(name)?)));
        let (text, option) = option.ok_or_else(|| Fault::RecordOption { text: text.clone() })?;
        options = options.set(text, option).map_err(selector)?;
    }
    Ok(options)
}
