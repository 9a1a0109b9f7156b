//! Reading a trace file.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use hasse::Recorded;
use hasse_debugger::read::Summary;
use hasse_model::trace::{RecordingMode, TraceError, TraceIndex, TraceReader};

use crate::fault::Fault;
use crate::progress::{Progress, Watched};
use crate::{message, segments};

/// A trace file that is being read.
pub(crate) type TraceFile = TraceReader<BufReader<Watched<File>>>;

/// Opens a trace and shows how far it has been read.
pub(crate) fn open(path: &Path) -> Result<TraceFile, Fault> {
    try_open(path, Progress::of_reading).map_err(|error| Fault::of_trace(path, error.into()))
}

/// Opens a trace whose events are to be looked at, and shows how far it has been read.
pub(crate) fn open_events(path: &Path) -> Result<TraceFile, Fault> {
    with_events(path, open(path)?)
}

/// Opens a trace whose events are printed while it is read.
pub(crate) fn open_silently(path: &Path) -> Result<TraceFile, Fault> {
    let opened = try_open(path, |_| Progress::silent());
    with_events(path, opened.map_err(|error| Fault::of_trace(path, error.into()))?)
}

/// Opens a trace and its index, to seek to a batch.
pub(crate) fn open_with_index(path: &Path) -> Result<(TraceFile, TraceIndex), Fault> {
    let opened = segments::open(path).and_then(|mut file| {
        let index = TraceIndex::read(&mut BufReader::new(&file))?;
        file.rewind()?;
        Ok((TraceReader::open(BufReader::new(Watched::new(file, Progress::silent())))?, index))
    });
    let (reader, index) = opened.map_err(|error| Fault::of_trace(path, error.into()))?;
    Ok((with_events(path, reader)?, index))
}

/// A trace file that is read while it is written.
pub(crate) type FollowedFile = TraceReader<BufReader<Growing>>;

/// Time between two looks at a file that grows.
const LOOK: Duration = Duration::from_millis(50);

/// A file that grows: its end is waited for. Behind a segment of a rotated record comes the next one.
pub(crate) struct Growing {
    file: File,
    n_read: u64,
    /// The segment.
    segment: Option<PathBuf>,
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let n_read = self.file.read(buffer)?;
            self.n_read += n_read as u64;
            if n_read > 0 || buffer.is_empty() {
                return Ok(n_read);
            }
            if self.file.metadata()?.len() < self.n_read {
                return Err(io::Error::other("another run has replaced the file"));
            }
            if let Some(segment) = &self.segment
                && let Some((next, file)) = segments::next_after(segment)?
            {
                // The next one is begun when this one is complete.
                let n_left = self.file.read(buffer)?;
                if n_left > 0 {
                    self.n_read += n_left as u64;
                    return Ok(n_left);
                }
                *self = Self { file, n_read: 0, segment: Some(next) };
                continue;
            }
            thread::sleep(LOOK);
        }
    }
}

/// Opens a trace that is being written; waits until it is there.
pub(crate) fn follow(path: &Path) -> Result<FollowedFile, Fault> {
    if !path.exists() {
        message::print(&format!("note: waiting for {}\n", path.display()));
    }
    let file = loop {
        let segment = if path.is_dir() { segments::oldest(path) } else { Ok(None) };
        let opened =
            segment.and_then(|segment| Ok((File::open(segment.as_deref().unwrap_or(path))?, segment)));
        match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => thread::sleep(LOOK),
            opened => break opened,
        }
    };
    let opened = file
        .map_err(TraceError::from)
        .and_then(|(file, segment)| TraceReader::open(BufReader::new(Growing { file, n_read: 0, segment })));
    with_events(path, opened.map_err(|error| Fault::of_trace(path, error.into()))?)
}

/// Refuses a minimal record, which has no events until it is replayed.
fn with_events<R: Read>(path: &Path, file: TraceReader<R>) -> Result<TraceReader<R>, Fault> {
    if file.header().mode == RecordingMode::Minimal {
        return Err(Fault::OnlyChoices { path: path.to_owned() });
    }
    Ok(file)
}

/// Opens a trace. `progress` is given the number of its bytes.
pub(crate) fn try_open(path: &Path, progress: impl FnOnce(u64) -> Progress) -> Result<TraceFile, TraceError> {
    let file = segments::open(path)?;
    let n_bytes = file.metadata()?.len();
    TraceReader::open(BufReader::new(Watched::new(file, progress(n_bytes))))
}

/// Reads the part of a trace that a replay can follow into memory.
pub(crate) fn read(path: &Path) -> Result<Recorded, Fault> {
    read_to_replay(path, open(path)?)
}

/// As [`read`], without showing how far it has come.
pub(crate) fn read_silently(path: &Path) -> Result<Recorded, Fault> {
    let opened = try_open(path, |_| Progress::silent());
    read_to_replay(path, opened.map_err(|error| Fault::of_trace(path, error.into()))?)
}

fn read_to_replay(path: &Path, reader: TraceFile) -> Result<Recorded, Fault> {
    let mode = reader.header().mode;
    if reader.header().n_before > 0 {
        return Err(Fault::BeginsLater { path: path.to_owned() });
    }
    if !Recorded::is_replayable(mode) {
        return Err(Fault::NotReplayable { path: path.to_owned(), mode: mode.name() });
    }
    Recorded::read(reader).map_err(|error| Fault::of_trace(path, error))
}

/// Says how complete what was read is, where it is not whole.
pub(crate) fn print_notes(path: &Path, summary: &Summary) {
    for note in summary.notes() {
        message::print(&format!("note: {}: {note}\n", path.display()));
    }
}
