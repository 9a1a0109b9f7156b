//! Going on with a run that ended before its end: killed, interrupted, or left without power or disk.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use hasse_debugger::moments::prefix;
use hasse_debugger::read::ReadError;
use hasse_model::event::{EventBatch, Outcome};
use hasse_model::trace::{Names, RecordingMode, TraceFooter, TraceHeader, TraceReader};
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{self as runtime, EventSink, Idle, Recording, RunOptions, RuntimeError};

use super::error::Error;
use super::options::Options;
use super::program::Program;
use super::run::Run;
use super::trace::{Bytes, Recorded, Trace, TraceSink, lock};
use crate::whole_file::WholeFile;

/// The record of a run that a later one goes on with: its complete events, and none that was interrupted.
#[derive(Clone, Debug)]
pub(crate) struct Unfinished {
    /// The record.
    pub(crate) recorded: Recorded,
    outcome: Option<String>,
}

impl Unfinished {
    /// Reads a full record. Events of which the causes are missing are left out, and events that were interrupted, with those after
    /// them: the run that goes on executes them.
    ///
    /// # Errors
    /// It cannot be read, or its events contradict each other.
    pub(crate) fn read<R: Read>(mut reader: TraceReader<R>) -> Result<Self, ReadError> {
        let (mut batches, mut n_read) = (Vec::new(), 0);
        while let Some(batch) = reader.next_batch()? {
            n_read += batch.n_events() as u64;
            batches.push(without_stopped(batch));
        }
        let outcome = reader.footer().filter(|footer| !footer.is_cut_off());
        let outcome = outcome.map(|footer| footer.outcome.clone());
        let mut recorded = Recorded::complete(&reader, batches, n_read)?;
        // Values that were dropped after all that is followed are there again.
        let names = Names::new(&recorded.header);
        recorded.record.batches = prefix(names, &recorded.record.batches, u64::MAX)?;
        Ok(Self { recorded, outcome })
    }

    /// The outcome of the run, if it came to its end.
    #[cfg(feature = "cli")]
    pub(crate) fn outcome(&self) -> Option<&str> {
        self.outcome.as_deref().filter(|outcome| *outcome != RunOutcome::Stopped.name())
    }
}

/// Leaves out the events that were interrupted.
fn without_stopped(batch: EventBatch) -> EventBatch {
    if batch.rows().all(|row| row.outcome != Outcome::Stopped) {
        return batch;
    }
    let mut kept = EventBatch::default();
    kept.graphs.clone_from(&batch.graphs);
    kept.actions.clone_from(&batch.actions);
    kept.objects.clone_from(&batch.objects);
    kept.edits.clone_from(&batch.edits);
    for mut event in batch.events().filter(|event| event.outcome != Outcome::Stopped) {
        kept.push(&mut event);
    }
    kept
}

/// A trace file that a run goes on to write.
pub(crate) struct ContinuedFile(TraceSink<BufWriter<File>>);

impl ContinuedFile {
    /// Writes a record of what was before, which takes the place of the file when it is complete.
    ///
    /// # Errors
    /// It cannot be written; the file then is as it was.
    pub(crate) fn create(path: &Path, header: &TraceHeader, before: &[EventBatch]) -> io::Result<Self> {
        let whole = WholeFile::create(path)?;
        let file = whole.file().try_clone()?;
        lock(&file)?;
        let mut trace = TraceSink::new(BufWriter::new(file), header)?;
        write_again(&mut trace, before)?;
        whole.keep()?;
        Ok(Self(trace))
    }
}

fn write_again<W: Write + Send>(trace: &mut TraceSink<W>, before: &[EventBatch]) -> io::Result<()> {
    before.iter().try_for_each(|batch| trace.take_batch(batch))
}

impl ContinuedFile {
    /// Ends the trace, as [`TraceSink::close`] does.
    ///
    /// # Errors
    /// The end cannot be written.
    #[cfg(feature = "cli")]
    pub(crate) fn close(&mut self, footer: TraceFooter) -> io::Result<()> {
        self.0.close(footer)
    }
}

impl EventSink for ContinuedFile {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.0.take_batch(batch)
    }

    fn takes_folded(&self) -> bool {
        true
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_file()
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.0.finish(report, idle)
    }
}

impl Program {
    /// Goes on with a run whose full record ends before the run did: replays it, then goes on with all choices free. Returns the run as
    /// a whole and its record. Prints what the recorded part has not printed.
    ///
    /// ```
    /// # use hasse::build::{Graph, Program as Builder, Unit};
    /// # use hasse::{Natives, Options, Trace};
    /// # let graph = Graph::new("pair")
    /// #     .arc("Make.part -> Sum.part")
    /// #     .unit(Unit::new("Make").start().output("part", "int").route("part <- i for i in 1..5"))
    /// #     .unit(Unit::new("Sum").input("part", "int").var("total", "int").fire("part -> v").body("total += v;\nresult(\"total\", total);"));
    /// # let program = Builder::new("pair").graph(graph).compile(&Natives::new())?;
    /// let (_, trace) = program.record(&Options::new())?;
    /// // The run was killed while it wrote its record.
    /// let n_bytes = trace.bytes().len();
    /// let killed = Trace::from_bytes(&trace.bytes()[..n_bytes - 40]);
    /// let (run, whole) = program.resume(&killed, &Options::new())?;
    /// assert_eq!(run.result::<i64>("total")?, 10);
    /// assert_eq!(whole.digest()?, trace.digest()?);
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// The trace is no full record, begins in the middle of the run, or is of another program; or the replay does not follow it.
    pub fn resume(&self, trace: &Trace, options: &Options) -> Result<(Run, Trace), Error> {
        let reader = trace.reader()?;
        self.require_same(reader.header())?;
        match reader.header() {
            header if header.mode != RecordingMode::Full => {
                return Err(Error::NotResumable { mode: header.mode });
            }
            header if header.n_before > 0 => return Err(Error::BeginsLater),
            _ => {}
        }
        let Unfinished { recorded, .. } = Unfinished::read(reader)?;
        let run_options = RunOptions { params: recorded.header.params.clone(), ..self.run_options(options)? };
        let bytes = Bytes::default();
        let mut sink = TraceSink::new(bytes.clone(), &recorded.header).map_err(RuntimeError::Sink)?;
        write_again(&mut sink, &recorded.record.batches).map_err(RuntimeError::Sink)?;
        let run = runtime::Run::at_end(self.plan(), &run_options, None, recorded.record)?;
        let report = run.run(Recording::Full(Box::new(sink)), options.line_output())?;
        Ok((Run { program: self.name().to_owned(), report }, bytes.into_trace()))
    }
}
