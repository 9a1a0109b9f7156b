//! `hasse trace recover`: what is whole of a trace that was cut off or damaged.

use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use hasse_debugger::read::ReadError;
use hasse_model::quantity::counted;
use hasse_model::trace::{Salvaged, TraceError, salvage};

use crate::ending::Ending;
use crate::fault::Fault;
use crate::out::Out;
use crate::whole_file::WholeFile;
use crate::{overwrite, segments};

/// Make a whole trace of what is left of one that was cut off or damaged
///
/// All batches that are as they were written are kept, also those behind a damaged one, with an index and a footer that says
/// that the run was cut off. Of a minimal record, which tells nothing behind a gap, those up to the last place where it was
/// whole are kept.
#[derive(clap::Args)]
pub(super) struct RecoverArgs {
    /// The trace, or the folder of a record that is rotated: what is kept of it becomes one trace
    trace: PathBuf,
    /// The recovered one; it appears when it is complete
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    output: PathBuf,
}

/// Writes the whole batches of a trace beside their place, moves them there, and says what was lost.
pub(super) fn recover(args: &RecoverArgs) -> Result<Ending, Fault> {
    overwrite::refuse_same_file(&args.output, &args.trace, "the trace that is recovered")?;
    let cannot_write = |source| Fault::Write { path: args.output.clone(), source };
    let input = segments::open(&args.trace);
    let mut input =
        BufReader::new(input.map_err(|error| Fault::of_trace(&args.trace, ReadError::from(error)))?);
    let file = WholeFile::create(&args.output).map_err(cannot_write)?;
    let (found, out) = salvage(&mut input, BufWriter::new(file.file())).map_err(|error| match error {
        TraceError::Write(source) => cannot_write(source),
        error => Fault::of_trace(&args.trace, ReadError::from(error)),
    })?;
    out.into_inner().map_err(|error| cannot_write(error.into_error()))?;
    file.keep().map_err(cannot_write)?;
    let mut out = Out::new();
    out.write_all(told(&args.trace, &found).as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}

/// What was kept and what was lost, for a person.
fn told(trace: &Path, found: &Salvaged) -> String {
    let Salvaged { n_batches, n_events, n_batches_left_out, n_lost_bytes, n_gaps, is_whole } = found;
    let mut text = format!("kept       {n_events} events in {n_batches} batches\n");
    if *is_whole {
        text += &format!("lost       nothing: {} is whole\n", trace.display());
        return text;
    }
    text += &match n_gaps {
        0 => "lost       no batch; the trace had no end\n".to_owned(),
        _ => {
            let gaps = counted(*n_gaps, "place");
            format!("lost       {n_lost_bytes} bytes at {gaps}, which hold no whole batch\n")
        }
    };
    if *n_batches_left_out > 0 {
        text += &format!(
            "left out   {n_batches_left_out} batches behind the place where the record was last whole\n"
        );
    }
    text
}
