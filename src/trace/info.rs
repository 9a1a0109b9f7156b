//! `hasse trace info`: what is in a trace.

use std::io::Write;
use std::path::PathBuf;

use hasse_debugger::info::summarize;

use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::out::Out;
use crate::{out, recording, segments};

/// Say what is in a trace: program, parameters, outcome, events of each node
#[derive(clap::Args)]
pub(super) struct InfoArgs {
    /// The trace
    trace: PathBuf,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Prints the facts.
pub(super) fn info(args: &InfoArgs) -> Result<Ending, Fault> {
    let reader = recording::open(&args.trace)?;
    let n_file_bytes = segments::n_bytes(&args.trace).ok();
    let info = summarize(Ahead::new(reader), n_file_bytes)
        .map_err(|error| Fault::of_trace(&args.trace, error.into()))?;
    if args.json {
        out::print_json(&info.to_json())?;
    } else {
        let mut out = Out::new();
        out.write_all(info.to_text().as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    }
    Ok(Ending::Fine)
}
