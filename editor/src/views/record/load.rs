//! Loading a record in the background, of a file or of batches in memory.

/// Why a record cannot be loaded.
pub(super) mod error;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hasse_debugger::read::Feed;
use hasse_debugger::stored::Stored;
use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::function::FunctionTable;
use hasse_model::trace::{
    BatchSource, Names, RecordingMode, TraceError, TraceFooter, TraceHeader, TraceReader, Truncation,
};

use super::super::program::ProgramMap;
use super::super::task::{Control, Task, Wake};
use super::arrays::{Instance, Record};
use super::build::Builder;
pub(super) use error::LoadError;

/// Bytes that a record may take where nothing else is said: some four million events.
pub const DEFAULT_BYTES: u64 = 512 << 20;

/// Where a record comes from.
#[derive(Clone, Debug)]
pub enum RecordSource {
    /// A trace file.
    File(PathBuf),
    /// The batches of a run in the order in which they came, behind the header that a trace of it would have.
    Memory {
        /// The header.
        header: Arc<TraceHeader>,
        /// The batches.
        batches: Arc<Vec<EventBatch>>,
    },
}

/// Source of the events that a request to a session is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedRecord {
    /// A trace file.
    File(PathBuf),
    /// Events recorded so far by the current run, which must be at rest.
    SoFar {
        /// Number of the rest. The answer repeats it: an answer from an earlier rest lacks the events since.
        rest: u64,
    },
}

/// How a record is loaded.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Bytes that it may take; what is behind is left out, and told of.
    pub most_bytes: u64,
    /// What bodies of the program may call.
    pub functions: FunctionTable,
}

impl LoadOptions {
    /// The default memory, and these functions.
    pub fn new(functions: FunctionTable) -> Self {
        Self { most_bytes: DEFAULT_BYTES, functions }
    }
}

/// What a trace file says before its first event.
///
/// # Errors
/// The file cannot be opened, or is no trace.
pub fn header_of(path: &Path) -> Result<TraceHeader, LoadError> {
    let failed = |source| LoadError::Open { path: path.display().to_string(), source };
    let file = File::open(path).map_err(failed)?;
    Ok(TraceReader::open(BufReader::new(file))?.header().clone())
}

/// Loads a record in the background.
pub fn load(source: RecordSource, options: LoadOptions, wake: Wake) -> Task<Result<Arc<Record>, LoadError>> {
    Task::start(wake, move |control| load_now(&source, &options, Some(control)))
}

/// Loads a record in this thread. `control` is told of progress, and may end it.
///
/// # Errors
/// Where the source cannot be read, contradicts itself, or loading is given up.
pub fn load_now(
    source: &RecordSource,
    options: &LoadOptions,
    control: Option<&Control>,
) -> Result<Arc<Record>, LoadError> {
    let opened = Opened::new(source)?;
    let header = Arc::new(opened.header().clone());
    let program = Arc::new(ProgramMap::of(&header, &options.functions));
    let mut builder = Builder::new(header, program);
    let outcome = opened.each(control, &mut |event, names| {
        // Every event of a batch is offered; those behind the limit are passed over.
        if builder.n_bytes() >= options.most_bytes || builder.n_events() >= MOST_EVENTS {
            return Ok(Next::Enough);
        }
        builder.event(event, names)?;
        Ok(Next::More)
    })?;
    let mut notes = outcome.notes;
    if !outcome.is_whole {
        notes.insert(0, limit_note(builder.n_events(), options.most_bytes, outcome.share));
    }
    Ok(Arc::new(builder.finish(outcome.names, notes, outcome.idle)))
}

/// Most events, whatever memory there is: positions are 32 bits, and so are places in the list of predecessors.
pub(super) const MOST_EVENTS: usize = 500_000_000;

fn limit_note(n_events: usize, most_bytes: u64, share: f64) -> String {
    format!(
        "only the first {n_events} events are shown, about {:.0} % of the record: all of it would take more than the {} MiB \
         of memory that views may use; restrict the record, or raise the limit",
        share * 100.0,
        most_bytes >> 20
    )
}

/// Whether more events are wanted.
pub(in crate::views) enum Next {
    More,
    Enough,
}

/// How reading ended.
pub(in crate::views) struct Outcome {
    pub(in crate::views) names: Names,
    pub(in crate::views) notes: Vec<String>,
    /// Instances that were created and never executed.
    pub(in crate::views) idle: Vec<Instance>,
    /// Whether all events were wanted.
    pub(in crate::views) is_whole: bool,
    /// How much of the source was read, from 0 to 1.
    pub(in crate::views) share: f64,
}

/// A source that is being read.
pub(in crate::views) struct Opened<'s> {
    source: Box<dyn BatchSource + 's>,
    n_read: Arc<AtomicU64>,
    /// Bytes of a file, batches in memory.
    n_all: u64,
}

impl<'s> Opened<'s> {
    pub(in crate::views) fn new(source: &'s RecordSource) -> Result<Self, LoadError> {
        let n_read = Arc::new(AtomicU64::new(0));
        let opened = match source {
            RecordSource::File(path) => {
                let failed = |source| LoadError::Open { path: path.display().to_string(), source };
                let file = File::open(path).map_err(failed)?;
                let n_all = file.metadata().map_err(failed)?.len();
                let counted = Counted { input: file, n_read: Arc::clone(&n_read) };
                let reader = TraceReader::open(BufReader::new(counted))?;
                Self { source: Box::new(reader), n_read, n_all }
            }
            RecordSource::Memory { header, batches } => {
                let stored = Stored::new(header, batches);
                Self { source: Box::new(stored), n_read, n_all: batches.len() as u64 }
            }
        };
        match opened.header().mode {
            RecordingMode::Minimal => Err(LoadError::Minimal),
            RecordingMode::Full | RecordingMode::Restricted | RecordingMode::Perf | RecordingMode::Holes => {
                Ok(opened)
            }
        }
    }

    pub(in crate::views) fn header(&self) -> &TraceHeader {
        self.source.header()
    }

    /// Delivers the events in causal order.
    pub(in crate::views) fn each(
        mut self,
        control: Option<&Control>,
        deliver: &mut impl FnMut(&mut EventRecord, &Names) -> Result<Next, LoadError>,
    ) -> Result<Outcome, LoadError> {
        let mut feed = Feed::new(Names::new(self.source.header()));
        let mut result = Ok(Next::More);
        let (mut n_batches, mut share) = (0_u64, 0.0);
        while let Some(batch) = self.source.next_batch()? {
            feed.lend(&batch, &mut |event, names| {
                if matches!(result, Ok(Next::More)) {
                    result = deliver(event, names);
                }
            })?;
            n_batches += 1;
            let n_read = self.n_read.load(Ordering::Relaxed).max(n_batches).min(self.n_all);
            share = n_read as f64 / self.n_all.max(1) as f64;
            match result {
                Ok(Next::More) => {}
                Ok(Next::Enough) => break,
                Err(error) => return Err(error),
            }
            if let Some(control) = control {
                if control.is_cancelled() {
                    return Err(LoadError::Cancelled);
                }
                control.set_progress(share * 0.9);
            }
        }
        let is_whole = matches!(result, Ok(Next::More));
        let mut summary = feed.finish();
        if is_whole {
            summary.truncated = self.source.truncated();
        } else {
            // What still waits would have been delivered by what was not read.
            summary.n_dropped = 0;
        }
        let mut idle = Vec::new();
        if let Some(footer) = self.source.footer().filter(|_| is_whole) {
            footer.idle_graphs.iter().for_each(|graph| summary.names.add_graph(graph));
            for action in &footer.idle_actions {
                summary.names.add_action(action);
                let template = u32::try_from(action.template.idx()).unwrap_or(u32::MAX);
                idle.push(Instance { id: action.action, template });
            }
        }
        let notes = summary.notes();
        Ok(Outcome { names: summary.names, notes, idle, is_whole, share })
    }
}

impl BatchSource for Opened<'_> {
    fn header(&self) -> &TraceHeader {
        self.source.header()
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        self.source.next_batch()
    }

    fn footer(&self) -> Option<&TraceFooter> {
        self.source.footer()
    }

    fn truncated(&self) -> Option<Truncation> {
        self.source.truncated()
    }
}

/// A file that counts what is read of it.
struct Counted<R> {
    input: R,
    n_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.input.read(buffer)?;
        self.n_read.fetch_add(n_bytes as u64, Ordering::Relaxed);
        Ok(n_bytes)
    }
}
