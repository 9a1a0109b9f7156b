//! `hasse trace export`: a recorded run's events for other tools.

use std::path::PathBuf;

use crate::ending::Ending;
use crate::export::{self, ExportOptions};
use crate::fault::Fault;
use crate::linked::Linked;
use crate::progress::Progress;
use crate::{interrupt, overwrite, recording};

/// Write the events in causal order in a form that other tools read
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// The trace
    trace: PathBuf,
    #[command(flatten)]
    options: ExportOptions,
    /// Write to this file instead of standard output, or this folder for `arrow` and `parquet`; it appears when it is
    /// complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Exports a trace.
pub(super) fn export(args: &ExportArgs, linked: &Linked) -> Result<Ending, Fault> {
    let reader = recording::open_silently(&args.trace)?;
    if let Some(path) = &args.output {
        overwrite::refuse_same_file(path, &args.trace, "the trace that is exported")?;
    }
    let open = || {
        recording::try_open(&args.trace, |n_bytes| match args.output {
            Some(_) => Progress::of_reading(n_bytes),
            None => Progress::silent(),
        })
    };
    if let Some(path) = args.output.as_deref().filter(|_| args.options.writes_folder()) {
        interrupt::remove_on_interrupt(&export::unfinished(path));
    }
    let summary =
        export::export(&args.trace, reader.header(), open, &args.options, args.output.as_deref(), linked)?;
    recording::print_notes(&args.trace, &summary);
    Ok(Ending::Fine)
}
