//! Writing a trace file.

use std::io;
use std::path::Path;

use hasse_model::event::EventBatch;
use hasse_model::trace::{TraceFooter, TraceHeader};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle};

use crate::api::trace::FileSink;
use crate::fault::Fault;
use crate::progress::Progress;

/// Writes batches to a trace file as they come, and counts their events.
pub(crate) struct TraceSink {
    inner: FileSink,
    progress: Progress,
}

impl TraceSink {
    /// A trace in a file that is created or emptied with the first batch. `progress` counts the events.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn create(path: &Path, header: &TraceHeader, progress: Progress) -> Result<Self, Fault> {
        let inner = FileSink::new(path, header);
        let inner = inner.map_err(|source| Fault::Write { path: path.to_owned(), source })?;
        Ok(Self { inner, progress })
    }

    /// Ends the trace of events that did not come from a run that has just ended.
    pub(crate) fn close(&mut self, footer: TraceFooter) -> io::Result<()> {
        self.inner.close(footer)
    }
}

impl EventSink for TraceSink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.progress.add(batch.n_events() as u64);
        self.inner.take_batch(batch)
    }

    fn takes_folded(&self) -> bool {
        true
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.inner.finish(report, idle)
    }
}
