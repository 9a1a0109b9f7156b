//! Rotated records: a folder of segments, of which the oldest are removed while the run goes on.
//!
//! A segment is a trace of its own, named by its number. The first one that is left is the [margin](hasse_debugger::rotated), so
//! that one more is kept than the limits ask for.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hasse_debugger::rotated::{self, Segments};
use hasse_model::event::EventBatch;
use hasse_model::plan::UNITS_OF_TIME;
use hasse_model::trace::{TraceError, TraceFooter, TraceHeader, TraceReader};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle};

use crate::api::trace::{TraceSink, open_alone};

/// Number of segments that hold what is to be kept.
const N_KEPT: u32 = 8;
/// A segment lasts at least for so long: much longer than a worker keeps an event.
const LEAST_TIME: Duration = Duration::from_millis(500);
/// Maximum number of attempts to read a folder whose segments are removed meanwhile.
const N_TRIES: usize = 10;

/// A limit of a rotated record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Time(Duration),
    Bytes(u64),
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(n_digits);
        let number: u64 = number.parse().map_err(|_| EXPECTED.to_owned())?;
        if number == 0 {
            return Err("nothing would be kept".to_owned());
        }
        let unit = if unit == "m" { "min" } else { unit };
        let of = |units: &[(&str, u64)]| units.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size);
        let limit = match (of(&UNITS_OF_TIME), of(&UNITS_OF_SIZE)) {
            (Some(nanos), _) => number.checked_mul(nanos).map(|n| Self::Time(Duration::from_nanos(n))),
            (None, Some(bytes)) => number.checked_mul(bytes).map(Self::Bytes),
            (None, None) => return Err(EXPECTED.to_owned()),
        };
        limit.ok_or_else(|| "that is more than can be counted".to_owned())
    }
}

/// Parses a time, such as `10s`.
///
/// # Errors
/// The text is no time.
pub(crate) fn time_of(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(Limit::Time(time)) => Ok(time),
        _ => Err("expected a time, such as `10s` or `2m`".to_owned()),
    }
}

/// Units of sizes, with the bytes of each.
const UNITS_OF_SIZE: [(&str, u64); 6] = [
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

const EXPECTED: &str = "expected a time, such as `10m`, `90s` or `2h`, or a size, such as `500MB` or `2GiB`";

/// Retention limits of a rotated record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keep {
    time: Option<Duration>,
    n_bytes: Option<u64>,
}

impl Keep {
    /// The tightest of some limits of each kind; `None` where there are none.
    pub(crate) fn of(limits: &[Limit]) -> Option<Self> {
        let mut keep = Self::default();
        for limit in limits {
            match *limit {
                Limit::Time(time) => keep.time = Some(keep.time.map_or(time, |least| least.min(time))),
                Limit::Bytes(n) => keep.n_bytes = Some(keep.n_bytes.map_or(n, |least| least.min(n))),
            }
        }
        (!limits.is_empty()).then_some(keep)
    }
}

/// A segment that is complete.
struct Closed {
    path: PathBuf,
    n_bytes: u64,
    ended: Instant,
}

/// The segment that is being written.
struct Open {
    path: PathBuf,
    trace: TraceSink<BufWriter<File>>,
    began: Instant,
}

/// Writes a record as segments into a folder, which is created, or rid of the segments of an earlier record, when there is the
/// first thing to write.
pub(crate) struct SegmentSink {
    folder: PathBuf,
    header: TraceHeader,
    keep: Keep,
    /// Shortest time of a segment.
    least_time: Duration,
    /// Oldest first.
    closed: VecDeque<Closed>,
    open: Option<Open>,
    /// Number of the segment that is being written; 0 before the first one.
    segment: Arc<AtomicU32>,
    /// Number of events in all segments.
    n_events: u64,
}

impl SegmentSink {
    /// Makes sure that the folder can be there, without touching it.
    pub(crate) fn new(folder: &Path, header: &TraceHeader, keep: Keep) -> io::Result<Self> {
        match fs::metadata(folder) {
            Ok(found) if !found.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::NotADirectory, "a rotated record is a folder"));
            }
            Ok(_) => {}
            Err(_) => {
                let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
                fs::metadata(parent.unwrap_or(Path::new(".")))?;
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            header: header.clone(),
            keep,
            least_time: LEAST_TIME,
            closed: VecDeque::new(),
            open: None,
            segment: Arc::default(),
            n_events: 0,
        })
    }

    /// Ends the trace, as [`TraceSink::close`] does.
    pub(crate) fn close(&mut self, footer: TraceFooter) -> io::Result<()> {
        self.trace()?.close(footer)
    }

    /// The segment that is being written.
    fn trace(&mut self) -> io::Result<&mut TraceSink<BufWriter<File>>> {
        let open = match self.open.take() {
            Some(open) => open,
            None => self.begin()?,
        };
        Ok(&mut self.open.insert(open).trace)
    }

    /// Begins the next segment.
    fn begin(&mut self) -> io::Result<Open> {
        let number = self.segment.load(Ordering::Relaxed) + 1;
        if number == 1 {
            fs::create_dir_all(&self.folder)?;
            for old in numbered(&self.folder)? {
                // One that another process writes is locked.
                drop(open_alone(&old)?);
                fs::remove_file(&old)?;
            }
        }
        let path = self.folder.join(format!("{number:06}.trace"));
        let header = TraceHeader { n_before: self.n_events, ..self.header.clone() };
        let file = open_alone(&path)?;
        file.set_len(0)?;
        let trace = TraceSink::new(BufWriter::new(file), &header)?;
        // Workers begin with what they announce when the segment is there.
        self.segment.store(number, Ordering::Relaxed);
        Ok(Open { path, trace, began: Instant::now() })
    }

    /// Goes on with the next segment if the one that is being written is large or old enough.
    fn rotate(&mut self) -> io::Result<()> {
        let Some(open) = &self.open else { return Ok(()) };
        let (age, n_bytes) = (open.began.elapsed(), fs::metadata(&open.path)?.len());
        let is_old = self.keep.time.is_some_and(|time| age >= time / N_KEPT);
        let is_large = self.keep.n_bytes.is_some_and(|most| n_bytes >= most / u64::from(N_KEPT));
        if age < self.least_time || !(is_old || is_large) {
            return Ok(());
        }
        if let Some(Open { path, trace, .. }) = self.open.take() {
            // It has no end: the record goes on.
            drop(trace);
            self.closed.push_back(Closed { path, n_bytes, ended: Instant::now() });
        }
        while self.may_drop_oldest() {
            if let Some(oldest) = self.closed.pop_front() {
                fs::remove_file(&oldest.path)?;
            }
        }
        Ok(())
    }

    /// Returns true if enough is kept without the oldest segment. The next one is then the margin.
    fn may_drop_oldest(&self) -> bool {
        let Some(margin) = self.closed.get(1) else { return false };
        let is_old = self.keep.time.is_some_and(|time| margin.ended.elapsed() >= time);
        let n_bytes: u64 = self.closed.iter().map(|closed| closed.n_bytes).sum();
        // There is to be room for the segment that is begun.
        let most = self.keep.n_bytes.map(|most| most - most / u64::from(N_KEPT));
        is_old || most.is_some_and(|most| n_bytes > most)
    }
}

impl EventSink for SegmentSink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.rotate()?;
        self.trace()?.take_batch(batch)?;
        self.n_events += batch.n_events() as u64;
        Ok(())
    }

    fn segment(&self) -> Option<Arc<AtomicU32>> {
        Some(Arc::clone(&self.segment))
    }

    fn takes_folded(&self) -> bool {
        true
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.trace()?.finish(report, idle)
    }
}

/// The segments in a folder, in order.
fn numbered(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(number) = number_of(&path) {
            found.push((number, path));
        }
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The oldest segment that is left in a folder.
///
/// # Errors
/// There is none.
pub(crate) fn oldest(folder: &Path) -> io::Result<Option<PathBuf>> {
    numbered(folder)?.into_iter().next().map(Some).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Opens the segment after another one at its first batch, if it exists.
pub(crate) fn next_after(segment: &Path) -> io::Result<Option<(PathBuf, File)>> {
    let Some(folder) = segment.parent() else { return Ok(None) };
    let number = number_of(segment);
    let Some(next) = numbered(folder)?.into_iter().find(|next| number_of(next) > number) else {
        return Ok(None);
    };
    let mut file = File::open(&next)?;
    match TraceReader::open(BufReader::new(&file)).map(|reader| reader.offset()) {
        Ok(first) => {
            file.seek(SeekFrom::Start(first))?;
            Ok(Some((next, file)))
        }
        // It is not begun yet.
        Err(_) => Ok(None),
    }
}

/// The number of a segment.
fn number_of(path: &Path) -> Option<u32> {
    let is_trace = path.extension().is_some_and(|extension| extension == "trace");
    path.file_stem().filter(|_| is_trace)?.to_str()?.parse().ok()
}

/// The segments of a folder, as long as they were when they were listed: the last one may grow.
struct Listed(Vec<(PathBuf, u64)>);

impl Listed {
    fn of(folder: &Path) -> io::Result<Self> {
        let paths = numbered(folder)?;
        if paths.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "there is no segment of a record in the folder",
            ));
        }
        let listed = paths.into_iter().map(|path| {
            let n_bytes = fs::metadata(&path)?.len();
            Ok((path, n_bytes))
        });
        let mut listed = Self(listed.collect::<io::Result<_>>()?);
        // The run may have been killed, or be, where it begins the next one.
        let newest = listed.n_segments() - 1;
        if newest > 0
            && matches!(listed.open(newest), Err(TraceError::HeaderDamaged { .. } | TraceError::NotATrace))
        {
            listed.0.pop();
        }
        Ok(listed)
    }
}

impl Segments for Listed {
    type Source = BufReader<Take<File>>;

    fn n_segments(&self) -> usize {
        self.0.len()
    }

    fn open(&self, nth: usize) -> Result<TraceReader<Self::Source>, TraceError> {
        let (path, n_bytes) = &self.0[nth];
        TraceReader::open(BufReader::new(File::open(path)?.take(*n_bytes)))
    }
}

/// Joins the segments of a folder into one trace, in an unnamed temporary file. The run may still be under way.
pub(crate) fn joined(folder: &Path) -> Result<File, TraceError> {
    let mut n_left = N_TRIES;
    loop {
        n_left -= 1;
        match Listed::of(folder).map_err(TraceError::from).and_then(|listed| join(&listed)) {
            // The oldest segment has just been removed.
            Err(TraceError::Io(error)) if error.kind() == io::ErrorKind::NotFound && n_left > 0 => {}
            joined => return joined,
        }
    }
}

fn join(listed: &Listed) -> Result<File, TraceError> {
    let out = BufWriter::new(tempfile::tempfile().map_err(TraceError::Write)?);
    let joined = rotated::join(listed, out)?;
    let mut file = joined.into_inner().map_err(|error| TraceError::Write(error.into_error()))?;
    file.seek(SeekFrom::Start(0)).map_err(TraceError::Write)?;
    Ok(file)
}

/// Bytes of a trace, or of all segments of a rotated record.
pub(crate) fn n_bytes(path: &Path) -> io::Result<u64> {
    match path.is_dir() {
        true => numbered(path)?.iter().map(|segment| Ok(fs::metadata(segment)?.len())).sum(),
        false => Ok(fs::metadata(path)?.len()),
    }
}

/// Opens a trace file, or the joined segments of a rotated record.
pub(crate) fn open(path: &Path) -> Result<File, TraceError> {
    if path.is_dir() { joined(path) } else { Ok(File::open(path)?) }
}

#[cfg(test)]
mod tests {
    use hasse_debugger::read::for_each_in_order;
    use hasse_model::id::{ActionId, EventId};
    use hasse_model::trace::RecordingMode;

    use super::*;

    #[test]
    fn limits_are_times_and_sizes() {
        let time = |seconds| Ok(Limit::Time(Duration::from_secs(seconds)));
        assert_eq!("10m".parse(), time(600));
        assert_eq!("90s".parse(), time(90));
        assert_eq!("2h".parse(), time(7_200));
        assert_eq!("500MB".parse(), Ok(Limit::Bytes(500_000_000)));
        assert_eq!("2GiB".parse(), Ok(Limit::Bytes(2 << 30)));
        for bad in ["", "10", "m", "0s", "-1s", "10 m", "1.5h", "99999999999999999d", "5mb"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
        let keep = Keep::of(&[
            Limit::Time(Duration::from_secs(9)),
            Limit::Bytes(7),
            Limit::Time(Duration::from_secs(3)),
        ]);
        assert_eq!(keep, Some(Keep { time: Some(Duration::from_secs(3)), n_bytes: Some(7) }));
        assert_eq!(Keep::of(&[]), None);
    }

    /// Events of one action, each in a batch of its own.
    fn written(folder: &Path, keep: Keep, counts: std::ops::RangeInclusive<u64>) -> SegmentSink {
        let header = TraceHeader { mode: RecordingMode::Full, ..TraceHeader::default() };
        let mut sink = SegmentSink::new(folder, &header, keep).expect("a place");
        sink.least_time = Duration::ZERO;
        for count in counts {
            let mut batch = EventBatch::default();
            batch.push_done(EventId { action: ActionId(0), count }, 0, &[], &[], &[], 0);
            sink.take_batch(&batch).expect("room");
        }
        sink
    }

    fn kept(folder: &Path) -> (u64, Vec<u64>) {
        let reader = TraceReader::open(BufReader::new(joined(folder).expect("segments"))).expect("a trace");
        let (n_before, mut counts) = (reader.header().n_before, Vec::new());
        let summary = for_each_in_order(reader, |event, _| counts.push(event.id.count)).expect("consistent");
        assert_eq!(summary.n_dropped, 0);
        (n_before, counts)
    }

    #[test]
    fn oldest_segments_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t");
        let keep = Keep { n_bytes: Some(4_000), time: None };
        let mut sink = written(&path, keep, 1..=200);
        let n_bytes: u64 = numbered(&path)
            .expect("segments")
            .iter()
            .map(|path| fs::metadata(path).expect("there").len())
            .sum();
        assert!(n_bytes <= 4_000, "{n_bytes}");
        let (n_before, counts) = kept(&path);
        assert!(n_before > 0 && counts.len() > 3, "{n_before} {counts:?}");
        assert_eq!(counts, (n_before + 1..=200).collect::<Vec<_>>());
        sink.close(TraceFooter::default()).expect("room");
        assert_eq!(kept(&path), (n_before, counts));
        // Another record takes its place.
        drop(sink);
        drop(written(&path, keep, 1..=1));
        assert_eq!(kept(&path), (0, vec![1]));
    }

    #[test]
    fn what_is_kept_by_time_is_not_removed_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let keep = Keep { time: Some(Duration::from_secs(3_600)), n_bytes: None };
        drop(written(folder.path(), keep, 1..=20));
        assert_eq!(kept(folder.path()), (0, (1..=20).collect()));
    }

    #[test]
    fn segment_without_header_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(written(folder.path(), Keep::default(), 1..=3));
        fs::write(folder.path().join("000002.trace"), b"\x89HAS").expect("room");
        assert_eq!(kept(folder.path()), (0, vec![1, 2, 3]));
    }

    #[test]
    fn records_under_way_and_files_are_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let under_way = written(folder.path(), Keep::default(), 1..=1);
        let mut other =
            SegmentSink::new(folder.path(), &TraceHeader::default(), Keep::default()).expect("a place");
        let refused = other.take_batch(&EventBatch::default()).expect_err("another one writes there");
        assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);
        drop(under_way);
        let file = folder.path().join("file");
        fs::write(&file, b"mine").expect("room");
        assert!(SegmentSink::new(&file, &TraceHeader::default(), Keep::default()).is_err());
        assert!(
            SegmentSink::new(&folder.path().join("no/t"), &TraceHeader::default(), Keep::default()).is_err()
        );
        assert!(joined(&folder.path().join("no")).is_err());
    }
}
