//! `hasse trace index`: states along a record, beside it.

use std::path::{Path, PathBuf};

use hasse::moment::Timeline;

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::ground::{self, Subject};
use crate::index_file::{self, IndexMemory};
use crate::linked::Linked;

/// Make the index of a record: states along it, in TRACE.index, so that any moment is near
///
/// `hasse debug` makes it by itself at the first moment of a long record.
#[derive(clap::Args)]
pub(crate) struct IndexArgs {
    /// The trace: a full, minimal or perf record
    trace: PathBuf,
    #[command(flatten)]
    memory: IndexMemory,
    #[command(flatten)]
    threads: Threads,
}

/// Makes the index of a trace.
pub(super) fn index(args: &IndexArgs, linked: &Linked) -> Result<Ending, Fault> {
    make(&args.trace, args.memory, &args.threads, linked)?;
    Ok(Ending::Fine)
}

/// Makes the index of the trace of a run that is over.
///
/// # Errors
/// The trace is no record that has moments, the replay leaves it, or the index cannot be written.
pub(crate) fn make(
    trace: &Path,
    memory: IndexMemory,
    threads: &Threads,
    linked: &Linked,
) -> Result<(), Fault> {
    Subject::read(trace, linked)?.ask(threads, &ground::interruptible(), |ground| {
        let timeline = Timeline::new(ground.plan, ground.recorded.clone(), ground.options, memory.bytes())?;
        index_file::make_of(trace, &timeline)
    })
}
