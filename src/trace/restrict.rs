//! `hasse trace restrict`: the record of selected actions, from a record of more.

use std::path::PathBuf;

use hasse_debugger::restrict::{RestrictError, restricted_batches};
use hasse_model::record_options::NamedOptions;
use hasse_model::trace::{RecordingMode, TraceHeader};
use hasse_runtime::run::EventSink;

use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::program::{self, Program};
use crate::record::Selection;
use crate::whole_file::WholeFile;
use crate::{overwrite, recording};

/// Write the record of selected actions alone, as if no others had been recorded
///
/// Orderings by way of the actions that are left out are kept: they become immediate ones.
#[derive(clap::Args)]
pub(crate) struct RestrictArgs {
    /// The trace
    trace: PathBuf,
    #[command(flatten)]
    selection: Selection,
    /// The file to write; it appears when it is complete
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// Restricts a trace.
pub(crate) fn restrict(args: &RestrictArgs, linked: &Linked) -> Result<Ending, Fault> {
    overwrite::refuse_same_file(&args.output, &args.trace, "the trace that is restricted")?;
    let reader = recording::open_events(&args.trace)?;
    let program = Program::recorded(reader.header(), linked);
    let compiled = program.compile_recorded();
    let Some(plan) = program::sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: args.trace.clone() });
    };
    let mut named = NamedOptions::new(args.selection.resolve(plan)?);
    let header = TraceHeader { mode: RecordingMode::Restricted, ..reader.header().clone() };
    let cannot_write = |source| Fault::Write { path: args.output.clone(), source };
    let file = WholeFile::create(&args.output).map_err(cannot_write)?;
    // Frames are large enough to be written one by one.
    let mut sink = hasse::TraceSink::new(file.file(), &header).map_err(cannot_write)?;
    let restricted = restricted_batches(
        reader,
        |action, names| named.action(action, names),
        |batch| sink.take_batch(batch),
    );
    let restricted = restricted.map_err(|error| match error {
        RestrictError::Read(error) => Fault::of_trace(&args.trace, error),
        RestrictError::Inconsistent { event, source } => {
            Fault::Inconsistent { path: args.trace.clone(), event, source }
        }
        RestrictError::Write(source) => cannot_write(source),
    })?;
    recording::print_notes(&args.trace, &restricted.summary);
    // A run that was cut off stays cut off.
    if let Some(footer) = restricted.footer() {
        sink.close(footer).map_err(cannot_write)?;
    }
    file.keep().map_err(cannot_write)?;
    Ok(Ending::Fine)
}
