//! Memory beyond a bound, in a file, and intervals sorted with it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Debug;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

/// A file that nobody else sees.
pub trait ScratchFile: Read + Write + Seek + Debug {}

impl<T: Read + Write + Seek + Debug> ScratchFile for T {}

/// Opens a file that is empty, and gone when it is closed.
pub type OpenScratch = fn() -> io::Result<Box<dyn ScratchFile>>;

/// A file in memory, for records that are there as well.
///
/// # Errors
/// Never.
pub fn in_memory() -> io::Result<Box<dyn ScratchFile>> {
    Ok(Box::new(Cursor::new(Vec::new())))
}

/// A stretch of time on a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) worker: u32,
    pub(super) group: u32,
}

const SPAN_BYTES: usize = 24;
/// Spans in memory before they are written: 24 MB.
const MOST_HELD: usize = 1 << 20;
/// Spans that are read at once, of each sorted run.
const READ_AT_ONCE: u64 = 4096;

impl Span {
    fn to_bytes(self) -> [u8; SPAN_BYTES] {
        let mut bytes = [0; SPAN_BYTES];
        bytes[..8].copy_from_slice(&self.from.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.to.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.worker.to_le_bytes());
        bytes[20..].copy_from_slice(&self.group.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; SPAN_BYTES]) -> Self {
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|idx| bytes[at + idx]));
        let short = |at: usize| u32::from_le_bytes(std::array::from_fn(|idx| bytes[at + idx]));
        Self { from: long(0), to: long(8), worker: short(16), group: short(20) }
    }
}

/// Sorts spans: runs that fit into memory are written to a file, and merged when they are read.
#[derive(Debug)]
pub(super) struct Sorter {
    open: OpenScratch,
    most_held: usize,
    held: Vec<Span>,
    file: Option<Box<dyn ScratchFile>>,
    /// For each run in the file, the number of its spans.
    runs: Vec<u64>,
}

impl Sorter {
    pub(super) fn new(open: OpenScratch) -> Self {
        Self::with_memory(open, MOST_HELD)
    }

    fn with_memory(open: OpenScratch, most_held: usize) -> Self {
        Self { open, most_held, held: Vec::new(), file: None, runs: Vec::new() }
    }

    /// Takes in a span.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn push(&mut self, span: Span) -> io::Result<()> {
        self.held.push(span);
        if self.held.len() < self.most_held {
            return Ok(());
        }
        self.held.sort_unstable();
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert((self.open)()?),
        };
        let mut bytes = Vec::with_capacity(READ_AT_ONCE as usize * SPAN_BYTES);
        for spans in self.held.chunks(READ_AT_ONCE as usize) {
            bytes.clear();
            spans.iter().for_each(|span| bytes.extend_from_slice(&span.to_bytes()));
            file.write_all(&bytes)?;
        }
        self.runs.push(self.held.len() as u64);
        self.held.clear();
        Ok(())
    }

    /// Begins to read the spans in their order.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn sorted(mut self) -> io::Result<Sorted> {
        self.held.sort_unstable();
        let mut first_span = 0;
        let mut runs = Vec::new();
        for n_spans in self.runs {
            runs.push(Run { next_span: first_span, n_left: n_spans, read: Vec::new(), at: 0 });
            first_span += n_spans;
        }
        runs.push(Run { next_span: 0, n_left: 0, read: self.held, at: 0 });
        let mut sorted = Sorted { file: self.file, heads: BinaryHeap::new(), runs };
        for run_idx in 0..sorted.runs.len() {
            sorted.advance(run_idx)?;
        }
        Ok(sorted)
    }
}

/// A sorted run: what is left of it in the file, and what has been read.
#[derive(Debug)]
struct Run {
    next_span: u64,
    n_left: u64,
    read: Vec<Span>,
    at: usize,
}

/// Spans in their order.
#[derive(Debug)]
pub(super) struct Sorted {
    file: Option<Box<dyn ScratchFile>>,
    /// The next span of each run.
    heads: BinaryHeap<Reverse<(Span, usize)>>,
    runs: Vec<Run>,
}

impl Sorted {
    /// The next span.
    pub(super) fn peek(&self) -> Option<Span> {
        self.heads.peek().map(|Reverse((span, _))| *span)
    }

    /// Takes the next span.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Span>> {
        let Some(Reverse((span, run_idx))) = self.heads.pop() else { return Ok(None) };
        self.advance(run_idx)?;
        Ok(Some(span))
    }

    fn advance(&mut self, run_idx: usize) -> io::Result<()> {
        let run = &mut self.runs[run_idx];
        if run.at == run.read.len()
            && run.n_left > 0
            && let Some(file) = &mut self.file
        {
            let n_spans = run.n_left.min(READ_AT_ONCE);
            let mut bytes = vec![0; n_spans as usize * SPAN_BYTES];
            file.seek(SeekFrom::Start(run.next_span * SPAN_BYTES as u64))?;
            file.read_exact(&mut bytes)?;
            let (spans, _) = bytes.as_chunks::<SPAN_BYTES>();
            run.read = spans.iter().map(Span::from_bytes).collect();
            (run.at, run.next_span, run.n_left) = (0, run.next_span + n_spans, run.n_left - n_spans);
        }
        if let Some(span) = run.read.get(run.at) {
            run.at += 1;
            self.heads.push(Reverse((*span, run_idx)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spans_come_sorted_whatever_fits_into_memory(
            times in prop::collection::vec((0..50_u64, any::<u64>(), 0..3_u32, any::<u32>()), 0..200),
            most_held in 1..64_usize,
        ) {
            let span = |&(from, to, worker, group): &(u64, u64, u32, u32)| Span { from, to, worker, group };
            let mut expected: Vec<Span> = times.iter().map(span).collect();
            let mut sorter = Sorter::with_memory(in_memory, most_held);
            expected.iter().try_for_each(|span| sorter.push(*span)).expect("memory takes it");
            expected.sort_unstable();
            let mut sorted = sorter.sorted().expect("memory gives it");
            let mut found = Vec::new();
            while let Some(span) = sorted.next().expect("memory gives it") {
                found.push(span);
            }
            prop_assert_eq!(found, expected);
        }
    }
}
