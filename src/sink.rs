//! Writing a trace file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use hasse_model::event::EventBatch;
use hasse_model::trace::{TraceFooter, TraceHeader, TraceWriter};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle};

use crate::fault::Fault;
use crate::progress::Progress;

/// Writes batches to a trace file as they come. A killed run leaves what was written.
pub(crate) struct TraceSink {
    /// `None` once the trace has its footer.
    writer: Option<TraceWriter<BufWriter<File>>>,
    progress: Progress,
}

impl TraceSink {
    /// Creates the file, or empties it, and writes the header. `progress` counts the events.
    pub(crate) fn create(path: &Path, header: &TraceHeader, progress: Progress) -> Result<Self, Fault> {
        let cannot_write = |source| Fault::Write { path: path.to_owned(), source };
        let file = File::create(path).map_err(cannot_write)?;
        let writer = TraceWriter::new(BufWriter::new(file), header).map_err(cannot_write)?;
        Ok(Self { writer: Some(writer), progress })
    }
}

impl EventSink for TraceSink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.progress.add(batch.n_events() as u64);
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_batch(batch))
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.finish(&TraceFooter {
            outcome: report.outcome.name().to_owned(),
            n_events: report.n_events,
            n_actions: report.n_actions,
            idle_graphs: idle.graphs.clone(),
            idle_actions: idle.actions.clone(),
        })?;
        Ok(())
    }
}
