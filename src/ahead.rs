//! A trace that is decoded on a thread of its own, a few batches ahead of who looks at them.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use hasse_model::event::EventBatch;
use hasse_model::trace::{BatchSource, TraceError, TraceFooter, TraceHeader, TraceReader, Truncation};

/// Batches that are decoded and wait; bounds the memory that they take.
const MOST_AHEAD: usize = 4;

/// A source of batches behind a thread that decodes them.
pub(crate) struct Ahead {
    header: TraceHeader,
    /// `None` once everything has been read.
    found: Option<Receiver<Found>>,
    thread: Option<JoinHandle<()>>,
    footer: Option<TraceFooter>,
    truncated: Option<Truncation>,
}

enum Found {
    Batch(EventBatch),
    Failure(TraceError),
    End(Option<TraceFooter>, Option<Truncation>),
}

impl Ahead {
    /// Starts to decode.
    pub(crate) fn new<R: Read + Send + 'static>(reader: TraceReader<R>) -> Self {
        let header = reader.header().clone();
        let (sender, found) = sync_channel(MOST_AHEAD);
        let thread = thread::spawn(move || decode(reader, &sender));
        Self { header, found: Some(found), thread: Some(thread), footer: None, truncated: None }
    }

    /// Ends the thread, which finds out when it wants to hand over something.
    fn end(&mut self) {
        self.found = None;
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

fn decode<R: Read>(mut reader: TraceReader<R>, sender: &SyncSender<Found>) {
    loop {
        let found = match reader.next_batch() {
            Ok(Some(batch)) => Found::Batch(batch),
            Ok(None) => Found::End(reader.footer().cloned(), reader.truncated()),
            Err(error) => Found::Failure(error),
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
        match self.found.as_ref().and_then(|found| found.recv().ok()) {
            Some(Found::Batch(batch)) => return Ok(Some(batch)),
            Some(Found::Failure(error)) => {
                self.end();
                return Err(error);
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
    use hasse_model::trace::TraceWriter;

    use super::*;

    fn trace(n_batches: u64) -> Vec<u8> {
        let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default()).expect("a vector takes it");
        for _ in 0..n_batches {
            writer.write_batch(&EventBatch::default()).expect("a vector takes it");
        }
        writer
            .finish(&TraceFooter { outcome: "finished".into(), ..TraceFooter::default() })
            .expect("a vector takes it")
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
