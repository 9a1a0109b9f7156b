//! `hasse trace export`: a recorded run's events for other tools.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use clap::ValueEnum;
use hasse_debugger::export::jsonl::{self, ExportError};
use hasse_debugger::read::Summary;

use crate::fault::Fault;
use crate::out::Out;
use crate::progress::Progress;
use crate::{Ending, recording, run};

/// Write the events in causal order in a form that other tools read
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// The trace
    trace: PathBuf,
    /// The form
    #[arg(long, value_enum)]
    format: Format,
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line
    Jsonl,
}

/// Exports a trace.
pub(super) fn export(args: &ExportArgs) -> Result<Ending, Fault> {
    recording::open_silently(&args.trace)?;
    let summary = match &args.output {
        None => {
            let mut out = Out::new();
            let summary = write(args, &mut out, Fault::Stdout)?;
            out.close().map_err(Fault::Stdout)?;
            summary
        }
        Some(path) => {
            run::refuse_same_file(path, &args.trace, "the trace that is exported")?;
            export_to_file(args, path)?
        }
    };
    recording::print_notes(&args.trace, &summary);
    Ok(Ending::Fine)
}

fn write(
    args: &ExportArgs,
    out: &mut impl Write,
    cannot_write: impl Fn(io::Error) -> Fault,
) -> Result<Summary, Fault> {
    let open = || {
        recording::try_open(&args.trace, |n_bytes| match args.output {
            Some(_) => Progress::of_reading(n_bytes),
            None => Progress::silent(),
        })
    };
    let exported = match args.format {
        Format::Jsonl => jsonl::export(open, out),
    };
    exported.map_err(|error| match error {
        ExportError::Read(error) => Fault::of_trace(&args.trace, error),
        ExportError::Write(source) => cannot_write(source),
    })
}

/// Writes beside the file and gives it its name when it is complete.
fn export_to_file(args: &ExportArgs, path: &Path) -> Result<Summary, Fault> {
    let cannot_write = |source| Fault::Write { path: path.to_owned(), source };
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", process::id()));
    let beside = PathBuf::from(beside);
    let file = File::create_new(&beside).map_err(cannot_write)?;
    let mut out = BufWriter::new(file);
    let written = write(args, &mut out, cannot_write).and_then(|summary| {
        out.flush().and_then(|()| fs::rename(&beside, path)).map_err(cannot_write)?;
        Ok(summary)
    });
    if written.is_err() {
        // What is left of it helps nobody; the fault that is reported is the one that matters.
        let _ = fs::remove_file(&beside);
    }
    written
}
