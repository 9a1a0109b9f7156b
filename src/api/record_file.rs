//! Recording into a file. A run does not need it: where the file takes no more, the run goes on without, and its caller gets
//! the run and the error.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hasse_model::event::EventBatch;
use hasse_model::trace::TraceHeader;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle};

use super::trace::FileSink;

/// First error of a trace file; clones share it.
#[derive(Clone, Default)]
pub(super) struct RecordFailure(Arc<Mutex<Option<io::Error>>>);

impl RecordFailure {
    /// Takes the error out.
    pub(super) fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Writes a trace file up to its first error.
pub(super) struct RecordFile {
    /// `None` from the first error on.
    file: Option<FileSink>,
    failure: RecordFailure,
}

impl RecordFile {
    /// A trace in a file that is created or emptied with the first batch. `failure` takes the first error of what is written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn new(path: &Path, header: &TraceHeader, failure: &RecordFailure) -> io::Result<Self> {
        Ok(Self { file: Some(FileSink::new(path, header)?), failure: failure.clone() })
    }

    fn write(&mut self, write: impl FnOnce(&mut FileSink) -> io::Result<()>) {
        if let Some(Err(error)) = self.file.as_mut().map(write) {
            self.file = None;
            *self.failure.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }
}

impl EventSink for RecordFile {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.write(|file| file.take_batch(batch));
        Ok(())
    }

    fn takes_folded(&self) -> bool {
        true
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.write(|file| file.finish(report, idle));
        Ok(())
    }
}
