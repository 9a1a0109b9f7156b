//! `hasse why`: the causes of an event.

use std::path::PathBuf;

use hasse::event;

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::ground::{self, Subject};
use crate::linked::Linked;
use crate::out;

/// Explain why an event of a recorded run happened: its causes, back through arcs and shared objects
///
/// Names the firing rule that was taken, who sent each value by which routing rule and arc, who wrote each shared
/// object before, and the execution before of the same instance; and so on for each of these, down to start nodes. An
/// event that was explained above is not explained again.
#[derive(clap::Args)]
pub(crate) struct WhyArgs {
    /// The trace
    trace: PathBuf,
    /// The event, such as '/Mult[3]:2' or '/call[1]/Mult[3]:2'
    event: String,
    /// How many events deep; with 1, only the immediate causes
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=200))]
    depth: u64,
    /// Show the values, too: what is before the event is replayed
    #[arg(long)]
    values: bool,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Explains an event.
pub(crate) fn why(args: &WhyArgs, linked: &Linked) -> Result<Ending, Fault> {
    let subject = Subject::read(&args.trace, linked)?;
    let depth = usize::try_from(args.depth).unwrap_or(usize::MAX);
    let why = if args.values || subject.is_minimal() {
        subject.ask(&args.threads, &ground::interruptible(), |ground| {
            Ok(event::why(ground, &args.event, depth, args.values)?)
        })?
    } else {
        subject.ask_record(&args.threads, |ground| Ok(event::why(ground, &args.event, depth, false)?))?
    };
    if args.json {
        out::print_json(&why)?;
    } else {
        ground::print(|out| why.write_text(&subject.program_name(), out))?;
    }
    Ok(Ending::Fine)
}
