//! Records of runs: written while a program runs, read to be replayed.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use hasse_debugger::read::{Feed, ReadError, for_each_in_order};
use hasse_model::digest::Digester;
use hasse_model::event::EventBatch;
use hasse_model::id::ActionId;
use hasse_model::plan::Plan;
use hasse_model::trace::{
    BatchDecoder, Names, RawBatch, RecordingMode, TraceError, TraceFooter, TraceHeader, TraceReader,
    TraceWriter, Truncation,
};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{
    EventSink, Idle, MinimalRecord, ReplayRecord, RunOptions, RuntimeError, param_values,
};

use super::error::Error;
use crate::whole_file;

/// The record of a run, in memory; the same bytes as in a trace file.
#[derive(Clone, Debug)]
pub struct Trace(Arc<Vec<u8>>);

impl Trace {
    /// The trace in a file. What is wrong with it is found when it is used.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        Ok(Self(Arc::new(bytes)))
    }

    /// A trace of these bytes, which may be cut off. What is wrong with them is found when it is used.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Arc::new(bytes.to_vec()))
    }

    /// Writes it into a file, for the command `hasse`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        whole_file::write_bytes(path, &self.0)
            .map_err(|source| Error::Write { path: path.to_owned(), source })
    }

    /// The bytes of a trace file.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A number, as text, that two records share exactly if they have the same events.
    ///
    /// # Errors
    /// The bytes are no trace, its events contradict each other, or it holds choices alone.
    pub fn digest(&self) -> Result<String, Error> {
        let reader = self.reader()?;
        if reader.header().mode == RecordingMode::Minimal {
            return Err(Error::OnlyChoices);
        }
        let mut digester = digester(reader.header().mode);
        for_each_in_order(reader, |event, names| digester.add(&event, names))?;
        Ok(digester.finish().to_string())
    }

    pub(crate) fn recorded(&self) -> Result<Recorded, Error> {
        let reader = self.reader()?;
        let mode = reader.header().mode;
        if reader.header().n_before > 0 {
            return Err(Error::BeginsLater);
        }
        if !Recorded::is_replayable(mode) {
            return Err(Error::NotReplayable { mode });
        }
        Ok(Recorded::read(reader)?)
    }

    pub(crate) fn reader(&self) -> Result<TraceReader<&[u8]>, Error> {
        Ok(TraceReader::open(&self.0[..])?)
    }
}

/// A digester for records of a mode.
pub fn digester(mode: RecordingMode) -> Digester {
    match mode {
        RecordingMode::Restricted => Digester::restricted(),
        RecordingMode::Full | RecordingMode::Minimal | RecordingMode::Perf | RecordingMode::Holes => {
            Digester::new()
        }
    }
}

/// What a trace says of a run before it begins, if the run is recorded in full.
///
/// # Errors
/// A parameter is missing, unknown, or does not fit.
pub fn trace_header(
    path: &str,
    text: &str,
    plan: &Plan,
    options: &RunOptions,
) -> Result<TraceHeader, RuntimeError> {
    Ok(TraceHeader {
        program_path: path.to_owned(),
        program_text: text.to_owned(),
        mode: RecordingMode::Full,
        n_workers: u32::try_from(options.n_workers).unwrap_or(u32::MAX),
        seed: options.seed,
        params: param_values(plan, options)?,
        templates: plan.template_labels(),
        shared: plan.shared_labels(),
        calls: plan.call_labels(),
        hasse_version: env!("CARGO_PKG_VERSION").to_owned(),
        n_before: 0,
        base: None,
        kept: None,
    })
}

/// Writes batches as a trace as they come. A killed run leaves what was written.
pub struct TraceSink<W: Write> {
    /// `None` once the trace has its footer.
    writer: Option<TraceWriter<W>>,
    /// Number of events written.
    n_events: u64,
    is_minimal: bool,
}

impl<W: Write> TraceSink<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: W, header: &TraceHeader) -> io::Result<Self> {
        let is_minimal = header.mode == RecordingMode::Minimal;
        Ok(Self { writer: Some(TraceWriter::new(out, header)?), n_events: 0, is_minimal })
    }

    /// Ends a trace of events that do not come from a run that has just ended. The number of events is
    /// that of what was written, whatever the footer says.
    ///
    /// # Errors
    /// The end cannot be written.
    pub fn close(&mut self, footer: TraceFooter) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.finish(&TraceFooter { n_events: self.n_events, ..footer })?;
        Ok(())
    }
}

impl TraceSink<BufWriter<File>> {
    /// Waits until all that was written is on the disk. What was written has been flushed.
    ///
    /// # Errors
    /// The disk does not take it.
    pub(crate) fn sync_file(&self) -> io::Result<()> {
        self.writer.as_ref().map_or(Ok(()), |writer| writer.get_ref().get_ref().sync_data())
    }
}

impl<W: Write + Send> EventSink for TraceSink<W> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.n_events += batch.n_events() as u64;
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_batch(batch))
    }

    fn takes_folded(&self) -> bool {
        true
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.finish(&TraceFooter {
            outcome: report.outcome.name().to_owned(),
            n_events: self.n_events,
            n_executed: report.n_events,
            n_actions: report.n_actions,
            idle_graphs: idle.graphs.clone(),
            idle_actions: idle.actions.clone(),
            digest: report.digest.filter(|_| self.is_minimal),
        })?;
        Ok(())
    }
}

/// Writes batches to a trace file, which is created or emptied when there is the first thing to write: a run that is
/// refused leaves it as it is.
pub(crate) struct FileSink {
    path: PathBuf,
    header: TraceHeader,
    /// The file where it was there before, until something is written: nobody else may write it.
    held: Option<File>,
    /// `None` until something is written.
    begun: Option<TraceSink<BufWriter<File>>>,
}

impl FileSink {
    /// Makes sure that the file can be written, without touching it.
    pub(crate) fn new(path: &Path, header: &TraceHeader) -> io::Result<Self> {
        whole_file::probe(path)?;
        let held = if path.is_file() { Some(open_alone(path)?) } else { None };
        Ok(Self { path: path.to_owned(), header: header.clone(), held, begun: None })
    }

    /// The trace, with its header.
    fn trace(&mut self) -> io::Result<&mut TraceSink<BufWriter<File>>> {
        let begun = match self.begun.take() {
            Some(begun) => begun,
            None => {
                let file = match self.held.take() {
                    Some(file) => file,
                    None => open_alone(&self.path)?,
                };
                if file.metadata()?.is_file() {
                    #[cfg(feature = "cli")]
                    super::checkpoint::remove(&self.path)?;
                    file.set_len(0)?;
                }
                TraceSink::new(BufWriter::new(file), &self.header)?
            }
        };
        Ok(self.begun.insert(begun))
    }

    /// Ends the trace, as [`TraceSink::close`] does.
    #[cfg(feature = "cli")]
    pub(crate) fn close(&mut self, footer: TraceFooter) -> io::Result<()> {
        self.trace()?.close(footer)
    }
}

impl EventSink for FileSink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.trace()?.take_batch(batch)
    }

    fn takes_folded(&self) -> bool {
        true
    }

    fn sync(&mut self) -> io::Result<()> {
        self.trace()?.sync_file()
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.trace()?.finish(report, idle)
    }
}

/// Opens a trace file, and creates it where it is not there, for one writer at a time: two would write between each other's
/// frames. Its contents stay as they are; the lock ends with the file.
///
/// # Errors
/// The file cannot be created, or another process writes it.
pub(crate) fn open_alone(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create(true).truncate(false).open(path)?;
    // Devices and pipes have no contents that could be mixed up.
    if file.metadata()?.is_file() {
        lock(&file)?;
    }
    Ok(file)
}

/// Keeps other processes from writing a trace file.
///
/// # Errors
/// Another process writes it.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process writes this trace"))
        }
        // Some network file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Bytes that the collector of a run writes and its caller then has. No bound: the caller asked for the
/// whole record in memory.
#[derive(Clone, Default)]
pub(crate) struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    pub(crate) fn into_trace(self) -> Trace {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Trace(Arc::new(std::mem::take(&mut *bytes)))
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The part of a trace that a replay can follow.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What the trace says of the run.
    pub header: TraceHeader,
    /// Its causally complete events.
    pub record: ReplayRecord,
    n_followed: u64,
    n_left_out: u64,
    truncated: Option<Truncation>,
    /// How the run ended, where the record says so.
    outcome: Option<String>,
}

/// So many batches are taken apart by one thread.
const FEW_BATCHES: usize = 8;

/// Takes batches apart, folded, up to the first one that makes no sense; of many, two threads take a half each.
fn folded_batches(raw: &[RawBatch]) -> Vec<EventBatch> {
    let take_apart = |raw: &[RawBatch]| -> Vec<EventBatch> {
        let mut decoder = BatchDecoder::default();
        decoder.fold();
        raw.iter().map_while(|raw| decoder.decode(raw)).collect()
    };
    if raw.len() <= FEW_BATCHES {
        return take_apart(raw);
    }
    let (first, second) = raw.split_at(raw.len() / 2);
    thread::scope(|scope| {
        let taking_apart = scope.spawn(|| take_apart(second));
        let mut batches = take_apart(first);
        let behind = taking_apart.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if batches.len() == first.len() {
            batches.extend(behind);
        }
        batches
    })
}

impl Recorded {
    /// Reads a trace into memory, to be replayed; leaves out events that are not causally complete. Time: of a trace that is
    /// whole, that of its data, in which events that are alike are told once; events that contradict each other are
    /// found by the replay, which cannot follow them.
    ///
    /// # Errors
    /// It cannot be read, or it was cut off and its events contradict each other.
    pub fn read<R: Read>(mut reader: TraceReader<R>) -> Result<Self, ReadError> {
        if reader.header().mode == RecordingMode::Minimal {
            return Ok(Self::read_minimal(reader)?);
        }
        let mut raw = Vec::new();
        while let Some(batch) = reader.next_raw()? {
            raw.push(batch);
        }
        let mut batches = folded_batches(&raw);
        if let Some(senseless) = raw.get(batches.len()) {
            reader.refuse(senseless);
        }
        drop(raw);
        let n_read = batches.iter().map(|batch| batch.n_events() as u64).sum();
        if reader.truncated().is_none() {
            return Ok(Self::of_events(&reader, batches, n_read));
        }
        batches.iter_mut().for_each(EventBatch::unfold);
        Self::complete(&reader, batches, n_read)
    }

    /// What is causally complete of the events of batches.
    pub(crate) fn complete<R: Read>(
        reader: &TraceReader<R>,
        batches: Vec<EventBatch>,
        n_read: u64,
    ) -> Result<Self, ReadError> {
        let mut feed = Feed::new(Names::new(reader.header()));
        let mut events = EventBatch::default();
        for batch in batches {
            events.graphs.extend_from_slice(&batch.graphs);
            events.actions.extend_from_slice(&batch.actions);
            events.objects.extend_from_slice(&batch.objects);
            events.edits.extend_from_slice(&batch.edits);
            feed.push(&batch, &mut |mut event, _| events.push(&mut event))?;
        }
        let executed: HashSet<ActionId> = events.rows().map(|event| event.id.action).collect();
        events.actions.retain(|known| executed.contains(&known.action));
        Ok(Self::of_events(reader, vec![events], n_read))
    }

    /// Events that are to be followed, of so many that were read.
    fn of_events<R: Read>(reader: &TraceReader<R>, batches: Vec<EventBatch>, n_read: u64) -> Self {
        let header = reader.header().clone();
        let n_followed = batches.iter().map(|batch| batch.n_events() as u64).sum();
        let record = ReplayRecord {
            batches,
            templates: header.templates.clone(),
            shared: header.shared.clone(),
            calls: header.calls.clone(),
            minimal: None,
            base: header.base.clone(),
        };
        let n_left_out = n_read - n_followed;
        let outcome = reader.footer().map(|footer| footer.outcome.clone());
        Self { header, record, n_followed, n_left_out, truncated: reader.truncated(), outcome }
    }

    /// The same record with other events: those that a replay of it gave.
    pub(crate) fn with_events(&self, batches: Vec<EventBatch>) -> Self {
        let header = TraceHeader { mode: RecordingMode::Full, ..self.header.clone() };
        let n_followed = batches.iter().map(|batch| batch.n_events() as u64).sum();
        let record = ReplayRecord { batches, minimal: None, ..self.record.clone() };
        let outcome = self.outcome.clone();
        Self { header, record, n_followed, n_left_out: 0, truncated: None, outcome }
    }

    /// Reads the events of a trace of any mode, to be looked at and not to be replayed: those of a full record as far as
    /// they are causally complete, in causal order, and others as they stand.
    ///
    /// # Errors
    /// It cannot be read, or its events contradict each other.
    pub fn read_events<R: Read>(mut reader: TraceReader<R>) -> Result<Self, ReadError> {
        let mode = reader.header().mode;
        if mode == RecordingMode::Minimal {
            return Ok(Self::read_minimal(reader)?);
        }
        let (mut batches, mut n_read) = (Vec::new(), 0);
        while let Some(batch) = reader.next_batch()? {
            n_read += batch.n_events() as u64;
            batches.push(batch);
        }
        match Self::is_replayable(mode) {
            true => Self::complete(&reader, batches, n_read),
            false => Ok(Self::of_events(&reader, batches, n_read)),
        }
    }

    /// Reads a minimal record. One that was cut off is good up to its last cut, behind which it may tell one
    /// event and lack another before it.
    fn read_minimal<R: Read>(mut reader: TraceReader<R>) -> Result<Self, TraceError> {
        let (mut batches, mut n_good_batches) = (Vec::new(), 0);
        let (mut n_read, mut n_followed) = (0, 0);
        while let Some(batch) = reader.next_batch()? {
            n_read += batch.n_events() as u64;
            let is_cut = batch.cut.is_some();
            batches.push(batch);
            if is_cut {
                (n_good_batches, n_followed) = (batches.len(), n_read);
            }
        }
        // A recovered record ends at its last cut, and nobody knows how often actions executed behind it.
        let footer = reader.footer().filter(|footer| !footer.is_cut_off());
        if footer.is_some() {
            (n_good_batches, n_followed) = (batches.len(), n_read);
        }
        batches.truncate(n_good_batches);
        let cut = batches.last().and_then(|batch| batch.cut.clone());
        let is_good = footer.is_some() || cut.is_some();
        let minimal = MinimalRecord {
            cut: cut.unwrap_or_default(),
            n_executed: footer.map(|footer| footer.n_executed),
            digest: footer.and_then(|footer| footer.digest),
            is_empty: !is_good,
        };
        let header = reader.header().clone();
        let record = ReplayRecord {
            batches,
            templates: header.templates.clone(),
            shared: header.shared.clone(),
            calls: header.calls.clone(),
            minimal: Some(minimal),
            base: header.base.clone(),
        };
        let n_left_out = n_read - n_followed;
        let outcome = reader.footer().map(|footer| footer.outcome.clone());
        Ok(Self { header, record, n_followed, n_left_out, truncated: reader.truncated(), outcome })
    }

    /// Whether records of a mode have every event, or every choice, as a replay needs.
    pub fn is_replayable(mode: RecordingMode) -> bool {
        match mode {
            RecordingMode::Full | RecordingMode::Perf | RecordingMode::Minimal | RecordingMode::Holes => true,
            RecordingMode::Restricted => false,
        }
    }

    /// How the run ended: `finished`, `failed`, `quiescent` or `stopped`; `None` where the record ends before.
    pub fn outcome(&self) -> Option<&str> {
        self.outcome.as_deref()
    }

    /// Whether the record ends before the run did.
    pub fn is_cut_off(&self) -> bool {
        self.truncated.is_some() || self.n_left_out > 0
    }

    /// What a user must know before a replay that cannot be whole.
    pub fn note(&self) -> Option<String> {
        let reason = match self.truncated {
            Some(truncation) => truncation.reason.to_string(),
            None if self.n_left_out > 0 => "events are missing".to_owned(),
            None => return None,
        };
        if let Some(minimal) = &self.record.minimal {
            return Some(if minimal.is_empty {
                format!("{reason} before the record was whole for the first time; nothing can be replayed")
            } else {
                format!("{reason}; the run can be replayed up to where the record was last whole")
            });
        }
        let left_out = match self.n_left_out {
            0 => String::new(),
            n_events => format!(", {n_events} more are left out because what came before them is missing"),
        };
        Some(format!("{reason}; {} events can be replayed{left_out}", self.n_followed))
    }
}
