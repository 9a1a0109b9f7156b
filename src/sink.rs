//! Writing a trace file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use hasse_model::event::EventBatch;
use hasse_model::trace::{TraceFooter, TraceHeader};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle};

use crate::fault::Fault;
use crate::progress::Progress;

/// Writes batches to a trace file as they come, and counts their events.
pub(crate) struct TraceSink {
    inner: hasse::TraceSink<BufWriter<File>>,
    progress: Progress,
}

impl TraceSink {
    /// Creates the file, or empties it, and writes the header. `progress` counts the events.
    pub(crate) fn create(path: &Path, header: &TraceHeader, progress: Progress) -> Result<Self, Fault> {
        let cannot_write = |source| Fault::Write { path: path.to_owned(), source };
        let file = File::create(path).map_err(cannot_write)?;
        let inner = hasse::TraceSink::new(BufWriter::new(file), header).map_err(cannot_write)?;
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
