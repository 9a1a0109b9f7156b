//! The index of a record: the states along it, kept beside it.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use hasse::event::EventError;
use hasse::moment::{DEFAULT_STATE_BYTES, IndexError, Timeline};

use crate::api::checkpoint::index_of;
use crate::fault::Fault;
use crate::message;
use crate::progress::Progress;
use crate::whole_file;

/// Records of fewer events have no index unless it is asked for: a replay of them takes less than a second.
const LEAST_EVENTS: u64 = 100_000;

/// Memory of an index.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct IndexMemory {
    /// Most memory for states along the record, in MiB; with less, it takes longer to come to a moment
    #[arg(long = "index-memory", value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    mib: Option<u64>,
}

impl IndexMemory {
    /// The memory in bytes.
    pub(crate) fn bytes(self) -> usize {
        self.mib.map_or(DEFAULT_STATE_BYTES, |mib| usize::try_from(mib << 20).unwrap_or(usize::MAX))
    }
}

/// The file of an index.
#[derive(Clone, Debug)]
pub(crate) struct IndexFile {
    path: PathBuf,
    /// The trace, as its bytes are.
    key: Vec<u8>,
}

impl IndexFile {
    /// The index of a trace. Cost: that of reading the trace.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn of(trace: &Path) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(trace)?)?;
        let version = env!("CARGO_PKG_VERSION");
        let key = format!("{version} {}", hasher.finalize().to_hex()).into_bytes();
        Ok(Self { path: index_of(trace), key })
    }

    /// Gives a timeline the states of the file, if it is there and of this record. Says so where it is damaged.
    pub(crate) fn read(&self, timeline: &Timeline<'_>) {
        let read = match File::open(&self.path) {
            Ok(file) => timeline.read_index(BufReader::new(file), &self.key),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => Err(error.into()),
        };
        match read {
            // The record has gone on since.
            Ok(()) | Err(IndexError::OfAnother) => {}
            Err(error) => {
                let path = self.path.display();
                message::print(&format!("note: {path} is not used, and made anew: {error}\n"));
            }
        }
    }

    /// Makes the states of a timeline, where there are not all of them, and keeps them in the file. A file that cannot be written is left
    /// out: it only saves time.
    ///
    /// # Errors
    /// As for [`Timeline::make_stations`].
    pub(crate) fn make(&self, timeline: &Timeline<'_>) -> Result<(), EventError> {
        if timeline.moments().n_events() < LEAST_EVENTS || timeline.has_stations() {
            return Ok(());
        }
        drop(self.make_any(timeline)?);
        Ok(())
    }

    /// The same, of any record. Returns what has kept the file from being written.
    fn make_any(&self, timeline: &Timeline<'_>) -> Result<Result<(), IndexError>, EventError> {
        let progress = Progress::of_index(timeline.moments().n_events());
        let mut n_done = 0;
        let made = timeline.make_stations(&mut |position| {
            progress.add(position - n_done);
            n_done = position;
        });
        progress.end();
        made?;
        Ok(self.write(timeline))
    }

    fn write(&self, timeline: &Timeline<'_>) -> Result<(), IndexError> {
        whole_file::write(&self.path, |out| timeline.write_index(out, &self.key))
    }
}

/// Makes the index of a trace whose run is over.
///
/// # Errors
/// The index cannot be made or written.
pub(crate) fn make_of(trace: &Path, timeline: &Timeline<'_>) -> Result<(), Fault> {
    let unreadable = |source| Fault::Read { path: trace.to_owned(), source };
    let file = IndexFile::of(trace).map_err(unreadable)?;
    let made = file.make_any(timeline).map_err(Fault::Event)?;
    made.map_err(|error| {
        let source = match error {
            IndexError::Io(source) => source,
            error => io::Error::other(error),
        };
        Fault::Write { path: file.path.clone(), source }
    })
}
