//! Checkpoints of a run, as the command line asks for them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hasse_runtime::run::{Checkpoint, Checkpoints};
use parking_lot::Mutex;

use crate::api::checkpoint::{last_of, write};
use crate::progress::Progress;
use crate::{message, segments};

/// Means that let a run survive a kill.
#[derive(clap::Args)]
pub(crate) struct CheckpointArgs {
    /// Keep the state of the run beside its trace every so often, such as `10s`, so that `hasse resume` replays only what came
    /// after it; with a full record
    #[arg(long = "checkpoint", value_name = "TIME", value_parser = segments::time_of)]
    pub(crate) period: Option<Duration>,
    /// Write the record to the disk before lines are printed and bodies change anything outside; with a full record
    #[arg(long)]
    pub(crate) durable: bool,
}

/// Number of checkpoints of a run, and their pauses.
#[derive(Clone, Default)]
pub(crate) struct Taken(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    n_taken: u64,
    longest_pause: Duration,
    has_failed: bool,
}

impl Taken {
    /// The number of checkpoints, and the longest pause in milliseconds, as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        let counts = self.0.lock();
        serde_json::json!({
            "taken": counts.n_taken,
            "longest_pause_ms": counts.longest_pause.as_secs_f64() * 1e3,
        })
    }

    /// Checkpoints every `period`, beside a trace. The first one that cannot be written is reported.
    pub(crate) fn beside(&self, trace: &Path, period: Duration, progress: Progress) -> Checkpoints {
        let (trace, counts) = (trace.to_owned(), Arc::clone(&self.0));
        let keeper = move |Checkpoint { snapshot, pause }: Checkpoint| {
            let written = write(&trace, &snapshot);
            let mut counts = counts.lock();
            counts.longest_pause = counts.longest_pause.max(pause);
            match written {
                Ok(()) => counts.n_taken += 1,
                Err(error) if !counts.has_failed => {
                    counts.has_failed = true;
                    let path = last_of(&trace);
                    let text = format!(
                        "warning: cannot write {}: {error}: the run goes on without it\n",
                        path.display()
                    );
                    progress.suspend(|| message::print(&text));
                }
                Err(_) => {}
            }
        };
        Checkpoints { period, keeper: Arc::new(keeper) }
    }
}
