//! Reading a trace file.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use hasse_debugger::read::{Feed, ReadError, Summary};
use hasse_model::event::EventBatch;
use hasse_model::id::ActionId;
use hasse_model::trace::{Names, TraceError, TraceHeader, TraceReader, Truncation};
use hasse_runtime::run::ReplayRecord;

use crate::fault::Fault;
use crate::progress::{Progress, Watched};
use crate::report;

/// A trace file that is being read.
pub(crate) type TraceFile = TraceReader<BufReader<Watched<File>>>;

/// Opens a trace and shows how far it has been read.
pub(crate) fn open(path: &Path) -> Result<TraceFile, Fault> {
    try_open(path, Progress::of_reading).map_err(|error| Fault::of_trace(path, error.into()))
}

/// Opens a trace whose events are printed while it is read.
pub(crate) fn open_silently(path: &Path) -> Result<TraceFile, Fault> {
    try_open(path, |_| Progress::silent()).map_err(|error| Fault::of_trace(path, error.into()))
}

/// Opens a trace. `progress` is given the number of its bytes.
pub(crate) fn try_open(path: &Path, progress: impl FnOnce(u64) -> Progress) -> Result<TraceFile, TraceError> {
    let file = File::open(path)?;
    let n_bytes = file.metadata()?.len();
    TraceReader::open(BufReader::new(Watched::new(file, progress(n_bytes))))
}

/// The part of a trace that a replay can follow.
pub(crate) struct Recorded {
    pub(crate) header: TraceHeader,
    pub(crate) record: ReplayRecord,
    n_followed: u64,
    n_left_out: u64,
    truncated: Option<Truncation>,
}

impl Recorded {
    /// Reads a trace into memory; leaves out events that are not causally complete.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let mut reader = open(path)?;
        let broken = |error: ReadError| Fault::of_trace(path, error);
        let mut feed = Feed::new(Names::new(reader.header()));
        let mut events = EventBatch::default();
        let mut n_read = 0;
        while let Some(batch) = reader.next_batch().map_err(|error| broken(error.into()))? {
            n_read += batch.n_events() as u64;
            events.graphs.extend_from_slice(&batch.graphs);
            events.actions.extend_from_slice(&batch.actions);
            events.objects.extend_from_slice(&batch.objects);
            feed.push(&batch, &mut |mut event, _| events.push(&mut event)).map_err(broken)?;
        }
        let executed: HashSet<ActionId> = events.rows().map(|event| event.id.action).collect();
        events.actions.retain(|known| executed.contains(&known.action));
        let header = reader.header().clone();
        let n_followed = events.n_events() as u64;
        let record = ReplayRecord {
            batches: vec![events],
            templates: header.templates.clone(),
            shared: header.shared.clone(),
            calls: header.calls.clone(),
        };
        let n_left_out = n_read - n_followed;
        Ok(Self { header, record, n_followed, n_left_out, truncated: reader.truncated() })
    }

    /// Whether the record ends before the run did.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.truncated.is_some() || self.n_left_out > 0
    }

    /// What a user must know before a replay that cannot be whole.
    pub(crate) fn note(&self) -> Option<String> {
        let reason = match self.truncated {
            Some(truncation) => truncation.reason.to_string(),
            None if self.n_left_out > 0 => "events are missing".to_owned(),
            None => return None,
        };
        let left_out = match self.n_left_out {
            0 => String::new(),
            n_events => format!(", {n_events} more are left out because what came before them is missing"),
        };
        Some(format!("{reason}; {} events can be replayed{left_out}", self.n_followed))
    }
}

/// Says how complete what was read is, where it is not whole.
pub(crate) fn print_notes(path: &Path, summary: &Summary) {
    for note in summary.notes() {
        report::print(&format!("note: {}: {note}\n", path.display()));
    }
}
