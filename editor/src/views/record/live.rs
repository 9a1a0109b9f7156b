//! A record of a run that is under way: batches go in, snapshots come out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, unbounded};

use hasse_debugger::read::Feed;
use hasse_model::event::EventBatch;
use hasse_model::trace::{Names, RecordingMode, TraceHeader};

use super::super::program::ProgramMap;
use super::super::task::{Control, Task, Wake};
use super::arrays::Record;
use super::build::Builder;
use super::load::error::LoadError;
use super::load::{LoadOptions, MOST_EVENTS};

/// A record does not grow any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over;

/// What a live record is told.
enum Message {
    Batch(Arc<EventBatch>),
    /// A snapshot was taken: there is room for a newer one.
    Taken,
    End,
}

/// Least time between two snapshots, and how much of the time goes by before the next one where they cost much.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
const PAUSE_SHARE: u32 = 10;

/// The record of a run that is under way: batches go in as they come, snapshots come out.
///
/// A snapshot is a copy; one is made when the window has taken the one before and some time has gone by, so that it costs
/// a thread beside a small share of its time, and the run nothing.
#[derive(Debug)]
pub struct Live {
    /// Without a bound: a run must not wait for a picture. What waits is what the run has recorded, and leaves as fast
    /// as it is sorted; behind the limit of memory batches are dropped at once.
    sender: Sender<Message>,
    /// Holds one snapshot at most.
    snapshots: Receiver<Arc<Record>>,
    task: Task<Option<LoadError>>,
}

impl Live {
    /// Begins a record of a run with this header.
    pub fn start(header: TraceHeader, options: LoadOptions, wake: Wake) -> Self {
        let (sender, batches) = unbounded();
        let (give, snapshots) = crossbeam_channel::bounded(1);
        let own_wake = Arc::clone(&wake);
        let task = Task::start(wake, move |control| {
            grow(header, &options, &batches, &give, &own_wake, control).err()
        });
        Self { sender, snapshots, task }
    }

    /// Takes in a batch of the run, in the order in which they come. Never waits.
    pub fn push(&self, batch: Arc<EventBatch>) {
        let _ = self.sender.send(Message::Batch(batch));
    }

    /// Says that no batch will come any more.
    pub fn end(&self) {
        let _ = self.sender.send(Message::End);
    }

    /// A newer snapshot, if there is one; an error where there will be none any more.
    ///
    /// # Errors
    /// The last one was taken, or the record has failed.
    pub fn poll(&self) -> Result<Option<Arc<Record>>, Over> {
        match self.snapshots.try_recv() {
            Ok(record) => {
                let _ = self.sender.send(Message::Taken);
                Ok(Some(record))
            }
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Over),
        }
    }

    /// Waits for a newer snapshot; `None` where there will be none.
    pub fn wait(&self) -> Option<Arc<Record>> {
        let record = self.snapshots.recv().ok();
        let _ = self.sender.send(Message::Taken);
        record
    }

    /// What went wrong, once.
    pub fn poll_error(&self) -> Option<LoadError> {
        self.task.poll().flatten()
    }
}

fn grow(
    header: TraceHeader,
    options: &LoadOptions,
    batches: &Receiver<Message>,
    give: &Sender<Arc<Record>>,
    wake: &Wake,
    control: &Control,
) -> Result<(), LoadError> {
    if header.mode == RecordingMode::Minimal {
        return Err(LoadError::Minimal);
    }
    let mut feed = Feed::new(Names::new(&header));
    let header = Arc::new(header);
    let program = Arc::new(ProgramMap::of(&header, &options.functions));
    let mut builder = Builder::new(header, program);
    let mut n_given = None;
    let mut is_full = false;
    let mut due = Instant::now();
    loop {
        let is_wanted = n_given != Some(builder.n_events()) && give.is_empty();
        let begun = Instant::now();
        if is_wanted && begun >= due {
            n_given = Some(builder.n_events());
            let record = builder.snapshot(feed.names().clone(), notes(&builder, options, is_full));
            let _ = give.try_send(Arc::new(record));
            wake();
            due = begun + LEAST_PAUSE.max(begun.elapsed() * PAUSE_SHARE);
            continue;
        }
        let received = match is_wanted {
            true => batches.recv_timeout(due - begun),
            false => batches.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let message = match received {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        if control.is_cancelled() {
            return Err(LoadError::Cancelled);
        }
        let batch = match message {
            Message::Batch(_) if is_full => continue,
            Message::Taken => continue,
            Message::Batch(batch) => batch,
            Message::End => break,
        };
        let mut failed = None;
        feed.lend(&batch, &mut |event, names| {
            is_full = is_full || builder.n_bytes() >= options.most_bytes || builder.n_events() >= MOST_EVENTS;
            if failed.is_none() && !is_full {
                failed = builder.event(event, names).err();
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
    }
    let notes = notes(&builder, options, is_full);
    let summary = feed.finish();
    // The one before may not have been taken yet: this waits for it, and ends where nobody takes any.
    let _ = give.send(Arc::new(builder.finish(summary.names, notes, Vec::new())));
    Ok(())
}

fn notes(builder: &Builder, options: &LoadOptions, is_full: bool) -> Vec<String> {
    let note = || {
        format!(
            "only the first {} events are shown: more would take more than the {} MiB of memory that views may use",
            builder.n_events(),
            options.most_bytes >> 20
        )
    };
    is_full.then(note).into_iter().collect()
}
