//! A trace that is taken apart by threads of their own, a few batches ahead of who looks at them.
//!
//! One thread reads and checks, others take the batches apart in turn, and each hands over what it has made through a
//! queue of its own: who takes from these in turn has the batches in order, without a lock or a search.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use hasse_model::event::EventBatch;
use hasse_model::trace::{
    BatchDecoder, BatchSource, RawBatch, TraceError, TraceFooter, TraceHeader, TraceReader, Truncation,
    TruncationReason,
};

/// Batches that wait for each thread, and that each has ready; bounds the memory that they take.
const MOST_AHEAD: usize = 2;
/// Sorting is slower than so many threads that take apart.
const MOST_THREADS: usize = 4;

/// A source of batches behind threads that decode them.
pub(crate) struct Ahead {
    header: TraceHeader,
    /// What the threads have made, in turn; empty once everything has been read.
    found: Vec<Receiver<Found>>,
    turn: usize,
    threads: Vec<JoinHandle<()>>,
    footer: Option<TraceFooter>,
    truncated: Option<Truncation>,
}

/// What was read, and waits to be taken apart.
enum Piece {
    Batch(RawBatch),
    Last(Box<Found>),
}

enum Found {
    Batch(Box<EventBatch>),
    /// A batch that makes no sense begins here.
    Senseless(u64),
    Failure(TraceError),
    End(Option<TraceFooter>, Option<Truncation>),
}

impl Ahead {
    /// Starts to decode, on all processors but the one that sorts.
    pub(crate) fn new<R: Read + Send + 'static>(reader: TraceReader<R>) -> Self {
        let n_processors = thread::available_parallelism().map_or(1, usize::from);
        Self::with_threads(reader, n_processors.saturating_sub(1).clamp(1, MOST_THREADS))
    }

    fn with_threads<R: Read + Send + 'static>(reader: TraceReader<R>, n_threads: usize) -> Self {
        let header = reader.header().clone();
        let (mut to, mut found, mut threads) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..n_threads {
            let (piece_sender, pieces) = sync_channel(MOST_AHEAD);
            let (sender, receiver) = sync_channel(MOST_AHEAD);
            threads.push(thread::spawn(move || decode(&pieces, &sender)));
            to.push(piece_sender);
            found.push(receiver);
        }
        threads.push(thread::spawn(move || read(reader, &to)));
        Self { header, found, turn: 0, threads, footer: None, truncated: None }
    }

    /// Ends the threads, which find out when they want to hand over something.
    fn end(&mut self) {
        self.found.clear();
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join()
                && !thread::panicking()
            {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// Deals out the batches of a trace.
fn read<R: Read>(mut reader: TraceReader<R>, to: &[SyncSender<Piece>]) {
    for sender in to.iter().cycle() {
        let piece = match reader.next_raw() {
            Ok(Some(raw)) => Piece::Batch(raw),
            Ok(None) => Piece::Last(Box::new(Found::End(reader.footer().cloned(), reader.truncated()))),
            Err(error) => Piece::Last(Box::new(Found::Failure(error))),
        };
        let is_last = matches!(piece, Piece::Last(_));
        if sender.send(piece).is_err() || is_last {
            return;
        }
    }
}

/// Takes apart what comes.
fn decode(pieces: &Receiver<Piece>, sender: &SyncSender<Found>) {
    let mut decoder = BatchDecoder::default();
    for piece in pieces {
        let found = match piece {
            Piece::Batch(raw) => decoder
                .decode(&raw)
                .map_or(Found::Senseless(raw.offset()), |batch| Found::Batch(Box::new(batch))),
            Piece::Last(last) => *last,
        };
        let is_last = !matches!(found, Found::Batch(_));
        if sender.send(found).is_err() || is_last {
            return;
        }
    }
}

impl BatchSource for Ahead {
    fn header(&self) -> &TraceHeader {
        &self.header
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        let turn = self.turn;
        self.turn = (turn + 1) % self.found.len().max(1);
        match self.found.get(turn).and_then(|found| found.recv().ok()) {
            Some(Found::Batch(batch)) => return Ok(Some(*batch)),
            Some(Found::Failure(error)) => {
                self.end();
                return Err(error);
            }
            Some(Found::Senseless(n_readable_bytes)) => {
                let reason = TruncationReason::DamagedInside;
                self.truncated = Some(Truncation { n_readable_bytes, reason });
            }
            Some(Found::End(footer, truncated)) => {
                (self.footer, self.truncated) = (footer, truncated);
            }
            None => {}
        }
        self.end();
        Ok(None)
    }

    fn footer(&self) -> Option<&TraceFooter> {
        self.footer.as_ref()
    }

    fn truncated(&self) -> Option<Truncation> {
        self.truncated
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::id::{ActionId, EventId};
    use hasse_model::trace::TraceWriter;

    use super::*;

    fn trace(n_batches: u64) -> Vec<u8> {
        let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default()).expect("a vector takes it");
        for count in 1..=n_batches {
            let mut batch = EventBatch::default();
            batch.push_done(EventId { action: ActionId(0), count }, 0, &[], &[], &[], 0);
            writer.write_batch(&batch).expect("a vector takes it");
        }
        let (outcome, n_events) = ("finished".into(), n_batches);
        let footer = TraceFooter { outcome, n_events, ..TraceFooter::default() };
        writer.finish(&footer).expect("a vector takes it")
    }

    fn ahead(bytes: Vec<u8>) -> Ahead {
        Ahead::new(TraceReader::open(std::io::Cursor::new(bytes)).expect("a trace"))
    }

    fn n_batches(ahead: &mut Ahead) -> usize {
        std::iter::from_fn(|| ahead.next_batch().expect("readable")).count()
    }

    #[test]
    fn all_comes_as_from_the_reader() {
        let mut found = ahead(trace(20));
        assert_eq!(n_batches(&mut found), 20);
        assert_eq!(found.footer().map(|footer| &*footer.outcome), Some("finished"));
        assert_eq!((found.truncated(), n_batches(&mut found)), (None, 0));
    }

    #[test]
    fn batches_come_in_order_from_any_number_of_threads() {
        for n_threads in 1..=5 {
            let reader = TraceReader::open(std::io::Cursor::new(trace(50))).expect("a trace");
            let mut found = Ahead::with_threads(reader, n_threads);
            let mut counts = Vec::new();
            while let Some(batch) = found.next_batch().expect("readable") {
                counts.extend(batch.rows().map(|row| row.id.count));
            }
            assert_eq!(counts, (1..=50).collect::<Vec<_>>());
            assert!(found.footer().is_some());
        }
    }

    #[test]
    fn a_cut_off_trace_says_so() {
        let mut bytes = trace(20);
        bytes.truncate(bytes.len() - 1);
        let mut found = ahead(bytes);
        assert_eq!(n_batches(&mut found), 20);
        assert!(found.truncated().is_some() && found.footer().is_none());
    }

    #[test]
    fn who_stops_looking_stops_the_thread() {
        let mut found = ahead(trace(1000));
        assert!(found.next_batch().is_ok_and(|batch| batch.is_some()));
        drop(found);
    }

    #[test]
    fn a_failing_source_is_an_error() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
        }
        let bytes = trace(3);
        let n_whole = bytes.len() - 30;
        let input = std::io::Cursor::new(bytes).take(n_whole as u64).chain(Failing);
        let mut found = Ahead::new(TraceReader::open(input).expect("a trace"));
        let last =
            std::iter::from_fn(|| Some(found.next_batch())).find(|batch| !matches!(batch, Ok(Some(_))));
        assert!(matches!(last, Some(Err(TraceError::Io(_)))), "{last:?}");
    }
}
