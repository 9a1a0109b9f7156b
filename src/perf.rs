//! `hasse perf`: where the time of a recorded run went.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hasse_debugger::perf::{self, PerfError, PerfOptions, ScratchFile, Window, WindowError};

use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::program::{self, Program};
use crate::{out, overwrite, recording, whole_file};

/// Report where the time of a run went: workers, critical path, communication, load
///
/// Takes what `hasse run P --record perf --trace T` recorded. Of a record without times, the report is on events: each
/// one counts as one unit.
#[derive(clap::Args)]
pub(crate) struct PerfArgs {
    /// The trace
    trace: PathBuf,
    /// Print everything as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Draw the report into this file; it appears when it is complete
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// What events are counted under
    #[arg(long, value_enum, default_value_t = By::Template)]
    by: By,
    /// Rows of a table
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Only what happened in this stretch of the run, such as `1.5ms..20ms` or `2s..`
    #[arg(long, value_name = "A..B", value_parser = window)]
    window: Option<Window>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Each action for itself
    Action,
    /// The nodes of the program
    Template,
    /// The graph instances
    Graph,
}

/// Reads a stretch of a run.
pub(crate) fn window(text: &str) -> Result<Window, String> {
    text.parse().map_err(|error: WindowError| format!("{error}; {}", WindowError::HELP))
}

/// Reports on a trace.
pub(crate) fn perf(args: &PerfArgs, linked: &Linked) -> Result<Ending, Fault> {
    if let Some(path) = &args.svg {
        overwrite::refuse_same_file(path, &args.trace, "the trace that is reported on")?;
    }
    let reader = recording::open_events(&args.trace)?;
    let header = reader.header().clone();
    let program = Program::recorded(&header, linked);
    let compiled = program.compile_recorded();
    let by = match args.by {
        By::Action => perf::By::Action,
        By::Template => perf::By::Template,
        By::Graph => perf::By::Graph,
    };
    // Without its program a record lacks the names of arcs, and nothing else.
    let known = program::sound_plan(&compiled).map(|plan| (plan, &header.params[..]));
    let options = PerfOptions {
        by,
        n_top: args.top,
        window: args.window,
        program: known,
        scratch: scratch_file,
        ..PerfOptions::default()
    };
    let (report, summary) =
        perf::measure(Ahead::new(reader), &options).map_err(|error| fault(&args.trace, error))?;
    recording::print_notes(&args.trace, &summary);
    if args.json {
        out::print_json(&report.to_json())?;
    } else {
        let mut out = Out::new();
        out.write_all(report.to_text().as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    }
    // Last: the report does not depend on the picture.
    if let Some(path) = &args.svg {
        let written = whole_file::write_bytes(path, report.to_svg().as_bytes());
        written.map_err(|source| Fault::Write { path: path.to_owned(), source })?;
    }
    Ok(Ending::Fine)
}

/// A temporary file of the system's folder for such, without a name.
pub(crate) fn scratch_file() -> io::Result<Box<dyn ScratchFile>> {
    Ok(Box::new(tempfile::tempfile()?))
}

/// What went wrong with the report on a trace.
fn fault(trace: &Path, error: PerfError) -> Fault {
    let path = trace.to_owned();
    match error {
        PerfError::Read(error) => Fault::of_trace(trace, error),
        PerfError::Inconsistent { event, source } => Fault::Inconsistent { path, event, source },
        PerfError::NoTimes => Fault::NoTimes { path },
        PerfError::Scratch(source) => Fault::Scratch { source },
        PerfError::Write(source) => Fault::Stdout(source),
    }
}
