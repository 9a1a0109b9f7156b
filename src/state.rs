//! `hasse state`: the state of a recorded run at a moment.

use std::path::PathBuf;

use hasse::moment::{State, Timeline};

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::ground::{self, Subject};
use crate::index_file::{IndexFile, IndexMemory};
use crate::linked::Linked;
use crate::out;

/// Show the state of a recorded run at a moment: values that wait, vars, shared objects
///
/// A moment is a consistent cut of the record: all events up to one, in the causal order in which `hasse trace events` lists them. The run is
/// replayed up to there.
#[derive(clap::Args)]
pub(crate) struct StateArgs {
    /// The trace: a full, minimal or perf record
    trace: PathBuf,
    /// The moment: after an event such as '/Mult[3]:2', after a number of events, after a share of them such as 50%, or the end
    #[arg(long, value_name = "EVENT|N|N%|end", default_value = "end")]
    at: String,
    /// Take the moment before the event
    #[arg(long)]
    before: bool,
    /// Show only the actions whose paths begin like this; may be given several times
    #[arg(long, value_name = "PATH")]
    select: Vec<String>,
    #[command(flatten)]
    memory: IndexMemory,
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Shows the state at a moment.
pub(crate) fn state(args: &StateArgs, linked: &Linked) -> Result<Ending, Fault> {
    let subject = Subject::read(&args.trace, linked)?;
    let mut state = subject.ask(&args.threads, &ground::interruptible(), |ground| {
        let timeline =
            Timeline::new(ground.plan, ground.recorded.clone(), ground.options, args.memory.bytes())?;
        // Nothing is lost where the trace is gone by now.
        if let Ok(index) = IndexFile::of(&args.trace) {
            index.read(&timeline);
        }
        let position = timeline.position(&args.at)?;
        let position = if args.before { position.saturating_sub(1) } else { position };
        Ok(State::at(&timeline, position)?)
    })?;
    if !args.select.is_empty() {
        state.retain(|path| args.select.iter().any(|begin| is_below(path, begin)));
    }
    if args.json {
        out::print_json(&state)?;
    } else {
        ground::print(|out| state.write_text(out))?;
    }
    Ok(Ending::Fine)
}

/// Whether a path is that of an action, of an instance of it, or of an action of a graph instance.
fn is_below(path: &str, begin: &str) -> bool {
    path.strip_prefix(begin).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
}
