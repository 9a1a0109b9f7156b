//! Where a session's events come from: its records, or a trace.

use std::path::Path;

use hasse::Recorded;
use hasse_debugger::read::ReadError;
use hasse_debugger::stored::Stored;
use hasse_model::event::EventBatch;
use hasse_model::trace::{
    BatchSource, RecordingMode, TraceError, TraceFooter, TraceHeader, TraceReader, Truncation,
};

use super::listing::Source;
use crate::fault::Fault;
use crate::progress::Progress;
use crate::recording::{self, TraceFile};

/// What messages call the records of a session.
const RECORDS: &str = "of this session";

/// A source that is being read.
pub(super) enum Opened<'s> {
    Records(Stored<'s>),
    Trace(Box<TraceFile>),
}

impl Source<'_> {
    /// What messages call it.
    pub(super) fn path(&self) -> &Path {
        match self {
            Source::Records(_) => Path::new(RECORDS),
            Source::Trace(path) => path,
        }
    }

    /// A fault with it.
    pub(super) fn fault(&self, error: ReadError) -> Fault {
        Fault::of_trace(self.path(), error)
    }

    /// Opens it, whatever it holds.
    pub(super) fn try_open(&self) -> Result<Opened<'_>, TraceError> {
        Ok(match self {
            Source::Records(records) => Opened::Records(Stored::new(&records.header, records.batches())),
            Source::Trace(path) => {
                Opened::Trace(Box::new(recording::try_open(path, |_| Progress::silent())?))
            }
        })
    }

    /// Opens it for its events. Refuses a minimal record, which holds choices.
    pub(super) fn open(&self) -> Result<Opened<'_>, Fault> {
        let opened = self.try_open().map_err(|error| self.fault(error.into()))?;
        if opened.header().mode != RecordingMode::Minimal {
            return Ok(opened);
        }
        Err(match self {
            Source::Records(_) => Fault::ChoicesOfRun,
            Source::Trace(path) => Fault::OnlyChoices { path: (*path).to_owned() },
        })
    }

    /// All of it in memory, to be looked at or replayed.
    pub(super) fn recorded(&self) -> Result<Recorded, Fault> {
        let recorded = match self {
            Source::Records(records) => {
                let bytes = records.to_bytes().map_err(Fault::Stdout)?;
                TraceReader::open(&bytes[..]).map_err(ReadError::from).and_then(Recorded::read_events)
            }
            Source::Trace(path) => recording::try_open(path, |_| Progress::silent())
                .map_err(ReadError::from)
                .and_then(Recorded::read_events),
        };
        recorded.map_err(|error| self.fault(error))
    }
}

impl BatchSource for Opened<'_> {
    fn header(&self) -> &TraceHeader {
        match self {
            Opened::Records(records) => records.header(),
            Opened::Trace(file) => file.header(),
        }
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        match self {
            Opened::Records(records) => records.next_batch(),
            Opened::Trace(file) => file.next_batch(),
        }
    }

    fn footer(&self) -> Option<&TraceFooter> {
        match self {
            Opened::Records(records) => records.footer(),
            Opened::Trace(file) => file.footer(),
        }
    }

    fn truncated(&self) -> Option<Truncation> {
        match self {
            Opened::Records(records) => records.truncated(),
            Opened::Trace(file) => file.truncated(),
        }
    }
}
