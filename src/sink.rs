//! Writing a trace file. A run does not need it: where the file takes no more, on a full disk or in a pipe that nobody reads,
//! the run goes on without.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use hasse_model::event::EventBatch;
use hasse_model::trace::{TraceFooter, TraceHeader};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, RunOptions};
use parking_lot::Mutex;

use crate::api::resume::ContinuedFile;
use crate::api::trace::FileSink;
use crate::fault::Fault;
use crate::program::Program;
use crate::progress::Progress;
use crate::segments::{Keep, SegmentSink};
use crate::{message, report};
use hasse_model::plan::Plan;

/// First error of the trace file of a run; clones share it.
#[derive(Clone, Default)]
pub(crate) struct TraceFailure(Arc<Mutex<Option<Fault>>>);

impl TraceFailure {
    /// Takes the error, so that it is reported once.
    pub(crate) fn take(&self) -> Option<Fault> {
        self.0.lock().take()
    }

    /// Text of the error, for a report.
    pub(crate) fn message(&self) -> Option<String> {
        self.0.lock().as_ref().map(report::fault_line)
    }

    /// Returns a result of a run, or the error of its trace.
    pub(crate) fn or<T>(&self, result: T) -> Result<T, Fault> {
        self.take().map_or(Ok(result), Err)
    }
}

/// Where a record is written.
enum Record {
    File(Box<FileSink>),
    /// A record that is rotated.
    Folder(Box<SegmentSink>),
    /// The record of a run that goes on.
    Continued(Box<ContinuedFile>),
}

impl Record {
    fn sink(&mut self) -> &mut dyn EventSink {
        match self {
            Record::File(file) => &mut **file,
            Record::Folder(folder) => &mut **folder,
            Record::Continued(file) => &mut **file,
        }
    }
}

/// Writes batches to a trace file as they come, and counts their events.
pub(crate) struct TraceSink {
    path: PathBuf,
    /// `None` from the first error on.
    inner: Option<Record>,
    progress: Progress,
    failure: TraceFailure,
    /// True if a run does not go on without it.
    is_required: bool,
}

impl TraceSink {
    /// A trace in a file that is created or emptied with the first batch, or if only a part is kept, in a folder. `progress` counts
    /// the events, `failure` takes the first error of what is written later.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn create(
        path: &Path,
        header: &TraceHeader,
        keep: Option<Keep>,
        progress: Progress,
        failure: &TraceFailure,
    ) -> Result<Self, Fault> {
        let inner = match keep {
            None => FileSink::new(path, header).map(|file| Record::File(Box::new(file))),
            Some(keep) => SegmentSink::new(path, header, keep).map(|folder| Record::Folder(Box::new(folder))),
        };
        let inner = inner.map_err(|source| Fault::Write { path: path.to_owned(), source })?;
        Ok(Self::of(path, inner, progress, failure))
    }

    /// The trace of a run that goes on.
    pub(crate) fn continued(
        path: &Path,
        file: ContinuedFile,
        progress: Progress,
        failure: &TraceFailure,
    ) -> Self {
        Self::of(path, Record::Continued(Box::new(file)), progress, failure)
    }

    fn of(path: &Path, inner: Record, progress: Progress, failure: &TraceFailure) -> Self {
        let (path, failure) = (path.to_owned(), failure.clone());
        Self { path, inner: Some(inner), progress, failure, is_required: false }
    }

    /// The same for a run that ends where the trace cannot be written.
    pub(crate) fn required(self, is_required: bool) -> Self {
        Self { is_required, ..self }
    }

    /// Ends the trace of events that did not come from a run that has just ended.
    pub(crate) fn close(&mut self, footer: TraceFooter) -> io::Result<()> {
        self.write(
            |inner| match inner {
                Record::File(file) => file.close(footer),
                Record::Folder(folder) => folder.close(footer),
                Record::Continued(file) => file.close(footer),
            },
            "",
        )
    }

    /// Writes to the file, unless that failed before. An error is kept and does not end the run.
    fn write(
        &mut self,
        write: impl FnOnce(&mut Record) -> io::Result<()>,
        consequence: &str,
    ) -> io::Result<()> {
        let Some(inner) = &mut self.inner else { return Ok(()) };
        let Err(source) = write(inner) else { return Ok(()) };
        self.inner = None;
        let consequence = if self.is_required { ": the run ends" } else { consequence };
        let fault = Fault::Write { path: self.path.clone(), source };
        if !consequence.is_empty() {
            let text = format!("warning: {}{consequence}\n", report::fault_line(&fault));
            self.progress.suspend(|| message::print(&text));
        }
        self.failure.0.lock().get_or_insert(fault);
        if self.is_required { Err(io::Error::other("the trace cannot be written")) } else { Ok(()) }
    }
}

impl EventSink for TraceSink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.progress.add(batch.n_events() as u64);
        self.write(|inner| inner.sink().take_batch(batch), ": the run goes on without it")
    }

    fn segment(&self) -> Option<Arc<AtomicU32>> {
        match &self.inner {
            Some(Record::Folder(folder)) => folder.segment(),
            Some(Record::File(_) | Record::Continued(_)) | None => None,
        }
    }

    fn takes_folded(&self) -> bool {
        true
    }

    fn sync(&mut self) -> io::Result<()> {
        // A record that is not written any more has no state that belongs to it.
        self.inner.as_mut().ok_or_else(|| io::Error::other("the record was given up"))?.sink().sync()
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.write(|inner| inner.sink().finish(report, idle), "")
    }
}

/// What a trace says of the run before it begins.
pub(crate) fn header(program: &Program, plan: &Plan, options: &RunOptions) -> Result<TraceHeader, Fault> {
    hasse::trace_header(&program.name(), &program.text, plan, options).map_err(Fault::Runtime)
}
