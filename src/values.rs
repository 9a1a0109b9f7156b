//! `hasse values`: what an event took, had and sent.

use std::path::PathBuf;

use hasse::event;

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::ground::{self, Subject};
use crate::linked::Linked;
use crate::out;

/// Show the values of one event of a recorded run: what it took, its vars, what it sent
///
/// A trace holds no values: they are made again by a replay of what is before the event, and of nothing else. Of a
/// minimal record the run is followed until the event has ended.
#[derive(clap::Args)]
pub(crate) struct ValuesArgs {
    /// The trace: a full, minimal or perf record
    trace: PathBuf,
    /// The event, such as '/Mult[3]:2' or '/call[1]/Mult[3]:2'
    event: String,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Shows the values of an event.
pub(crate) fn values(args: &ValuesArgs, linked: &Linked) -> Result<Ending, Fault> {
    let subject = Subject::read(&args.trace, linked)?;
    let values = subject
        .ask(&args.threads, &ground::interruptible(), |ground| Ok(event::values(ground, &args.event)?))?;
    if args.json {
        out::print_json(&values)?;
    } else {
        ground::print(|out| values.write_text(&subject.program_name(), out))?;
    }
    Ok(Ending::Fine)
}
