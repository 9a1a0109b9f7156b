//! The trace: a run's events in a container that survives being cut off at any byte.
//!
//! Layout: eight magic bytes, a format version, then frames. A frame is a kind, two lengths, a checksum
//! and a zstd-compressed payload; it can be read without any other frame. The first frame is the
//! header, the last one the footer, and between them each [`EventBatch`](crate::event::EventBatch)
//! is one frame, with an index of them before the footer. A writer hands over whole frames and flushes after each one, so that a killed
//! process leaves a readable prefix. What a batch looks like inside is known to `encode` and
//! `decode` alone, what both predict to `predict`.
//!
//! Reading accepts any bytes: it never panics, and what it allocates is bounded by what has
//! arrived and by the limits in `frame` and `decode`.

mod announce;
mod decode;
mod edits;
mod encode;
mod frame;
mod header;
mod index;
mod names;
mod predict;
mod reader;
mod salvage;
#[cfg(test)]
mod tests;
mod writer;

use crate::digest::HistoryDigest;
use crate::event::{ActionRecord, GraphRecord};
use crate::value::Value;

pub use index::{FrameEntry, TraceIndex};
pub use names::Names;
pub use reader::{BatchDecoder, BatchSource, RawBatch, TraceReader, Truncation, TruncationReason, is_trace};
pub use salvage::{Salvaged, salvage};
pub use writer::TraceWriter;

/// Version of the layout that this crate writes.
pub const FORMAT_VERSION: u32 = 7;

/// Oldest version of the layout that this crate reads: what has been added since is optional.
pub const OLDEST_VERSION: u32 = 6;

/// How much a run recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordingMode {
    /// Every event with all its predecessors.
    #[default]
    Full,
    /// Events of selected actions; the others relay their predecessors.
    Restricted,
    /// Only the choices that a run was free to make.
    Minimal,
    /// Every event with its predecessors, worker, start and end.
    Perf,
}

impl RecordingMode {
    /// The name in exports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            RecordingMode::Full => "full",
            RecordingMode::Restricted => "restricted",
            RecordingMode::Minimal => "minimal",
            RecordingMode::Perf => "perf",
        }
    }
}

/// What a trace says before its first event: all that a replay or an analysis needs beside the
/// events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceHeader {
    /// Path of the program file as it was given.
    pub program_path: String,
    /// Text of the program file.
    pub program_text: String,
    /// How much was recorded.
    pub mode: RecordingMode,
    /// Number of worker threads.
    pub n_workers: u32,
    /// Seed of the scheduler, where it had one.
    pub seed: Option<u64>,
    /// Creation parameters of the main graph by name, in the order of the file.
    pub params: Vec<(String, Value)>,
    /// Labels of the templates (see [`Plan::template_label`](crate::plan::Plan::template_label)); a
    /// `TemplateId` is a position here.
    pub templates: Vec<String>,
    /// Labels of the declared shared objects; a `SharedId` is a position here.
    pub shared: Vec<String>,
    /// Labels of the call nodes; a `CallId` is a position here.
    pub calls: Vec<String>,
    /// Version of the Hasse that ran the program.
    pub hasse_version: String,
}

impl TraceHeader {
    /// BLAKE3 of the program's text; stored in the trace and verified on reading.
    pub fn program_hash(&self) -> [u8; 32] {
        *blake3::hash(self.program_text.as_bytes()).as_bytes()
    }
}

/// What a trace says after its last event. A run that was killed leaves none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFooter {
    /// How the run ended: `finished`, `failed`, `quiescent` or `stopped`; [`CUT_OFF`](Self::CUT_OFF) in a trace that was
    /// recovered.
    pub outcome: String,
    /// Number of events in all batches.
    pub n_events: u64,
    /// Number of events of the run, recorded or not.
    pub n_executed: u64,
    /// Number of actions created.
    pub n_actions: u64,
    /// Graph instances that idle actions belong to, and their parents, parents first.
    pub idle_graphs: Vec<GraphRecord>,
    /// Actions that were created and never executed.
    pub idle_actions: Vec<ActionRecord>,
    /// Of a minimal record: the digest of all events of the run, recorded or not.
    pub digest: Option<HistoryDigest>,
}

impl TraceFooter {
    /// The outcome in the footer of a trace that was recovered: nobody knows how the run ended.
    pub const CUT_OFF: &str = "cut off";

    /// Whether the trace was recovered, so that the run went on behind what it holds.
    pub fn is_cut_off(&self) -> bool {
        self.outcome == Self::CUT_OFF
    }
}

/// Why a trace cannot be opened or read on.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Reading failed.
    #[error("cannot read the trace")]
    Io(#[from] std::io::Error),
    /// Writing what was recovered failed.
    #[error("cannot write what was recovered")]
    Write(#[source] std::io::Error),
    /// The first bytes are not those of a trace.
    #[error("not a Hasse trace")]
    NotATrace,
    /// Written by a newer Hasse.
    #[error("the trace has format version {found}; this Hasse reads version {FORMAT_VERSION}")]
    NewerVersion {
        /// The version that it has.
        found: u32,
    },
    /// Written by an older Hasse.
    #[error("the trace has format version {found}, which this Hasse no longer reads: record the run again")]
    OlderVersion {
        /// The version that it has.
        found: u32,
    },
    /// There is no telling what the events mean.
    #[error("the trace's header is damaged: {reason}")]
    HeaderDamaged {
        /// What is wrong with it.
        reason: &'static str,
    },
}
