//! Recovering: what is whole of a trace that was cut off or damaged, as a trace that is whole.

use std::io::{Read, Seek, SeekFrom, Write};

use super::error::TraceError;
use super::frame::{Found, FrameHead, FrameKind, HEAD_BYTES, peek_head, read_frame};
use super::header::{RecordingMode, TraceFooter};
use super::reader::{BatchDecoder, RawBatch, TraceReader};
use super::writer::TraceWriter;
use crate::event::EventBatch;

/// Bytes that are looked through at a time for the next frame.
const LOOK_BYTES: usize = 1 << 16;

/// What became of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Batches that were kept.
    pub n_batches: u64,
    /// Events in them.
    pub n_events: u64,
    /// Whole batches that were left out: of a minimal record those behind its last cut, which tell one choice and lack
    /// another before it.
    pub n_batches_left_out: u64,
    /// Bytes that belong to no whole batch.
    pub n_lost_bytes: u64,
    /// How many places they are at.
    pub n_gaps: u64,
    /// Whether the trace was whole: nothing was lost.
    pub is_whole: bool,
}

/// Writes the whole batches of a trace as a trace with index and footer. The footer says that the run was cut off, unless
/// the trace was whole. Time: linear, where damage does not look like frames; memory: a batch.
///
/// # Errors
/// Where reading fails, where the header cannot be read, so that there is no telling what the events mean, and
/// [`TraceError::Write`] where `out` fails.
pub fn salvage<W: Write>(input: &mut (impl Read + Seek), out: W) -> Result<(Salvaged, W), TraceError> {
    let end = input.seek(SeekFrom::End(0))?;
    input.seek(SeekFrom::Start(0))?;
    let reader = TraceReader::open(input.by_ref())?;
    let (header, first) = (reader.header().clone(), reader.n_read);
    let mut writer = TraceWriter::new(out, &header).map_err(TraceError::Write)?;
    let mut search = Search { at: first, end, ..Search::default() };
    // Of a minimal record that was cut off, only what is before the last cut.
    let n_good = match header.mode {
        RecordingMode::Minimal => search.clone().n_good_batches(input)?,
        RecordingMode::Full | RecordingMode::Restricted | RecordingMode::Perf | RecordingMode::Holes => {
            u64::MAX
        }
    };
    let mut found = Salvaged::default();
    let mut n_actions = 0;
    while let Some((raw, batch)) = search.next(input)? {
        if found.n_batches == n_good {
            found.n_batches_left_out += 1;
            continue;
        }
        writer.write_raw(&raw).map_err(TraceError::Write)?;
        found.n_batches += 1;
        found.n_events += u64::from(raw.n_events());
        n_actions += batch.actions.len() as u64;
    }
    (found.n_lost_bytes, found.n_gaps) = (search.n_lost_bytes, search.n_gaps);
    let footer = search.footer.filter(|footer| found.n_lost_bytes == 0 && footer.n_events == found.n_events);
    found.is_whole = footer.as_ref().is_some_and(|footer| !footer.is_cut_off());
    let cut_off = || TraceFooter {
        outcome: TraceFooter::CUT_OFF.to_owned(),
        n_events: found.n_events,
        n_executed: found.n_events,
        n_actions,
        ..TraceFooter::default()
    };
    let out = writer.finish(&footer.unwrap_or_else(cut_off)).map_err(TraceError::Write)?;
    Ok((found, out))
}

/// Goes from one whole batch to the next, whatever is between them.
#[derive(Debug, Default)]
struct Search {
    at: u64,
    end: u64,
    decoder: BatchDecoder,
    footer: Option<TraceFooter>,
    n_lost_bytes: u64,
    n_gaps: u64,
}

impl Clone for Search {
    fn clone(&self) -> Self {
        Self { at: self.at, end: self.end, ..Self::default() }
    }
}

impl Search {
    /// The number of batches up to the last cut, or of all of them where there is a footer.
    fn n_good_batches(mut self, input: &mut (impl Read + Seek)) -> Result<u64, TraceError> {
        let (mut n_batches, mut n_good) = (0, 0);
        while let Some((_, batch)) = self.next(input)? {
            n_batches += 1;
            // Behind a gap, a cut is not known to be of what is before it.
            if batch.cut.is_some() && self.n_gaps == 0 {
                n_good = n_batches;
            }
        }
        let is_whole = self.footer.is_some() && self.n_gaps == 0;
        Ok(if is_whole { n_batches } else { n_good })
    }

    /// The next batch that is whole and makes sense.
    fn next(&mut self, input: &mut (impl Read + Seek)) -> Result<Option<(RawBatch, EventBatch)>, TraceError> {
        while self.at < self.end {
            input.seek(SeekFrom::Start(self.at))?;
            if let Found::Whole(frame) = read_frame(input)? {
                let (kind, offset, n_bytes) = (frame.kind, self.at, frame.n_bytes());
                let raw = RawBatch { frame, offset };
                let batch = match kind {
                    FrameKind::Batch => self.decoder.decode(&raw),
                    FrameKind::Footer => {
                        let content = raw.frame.content();
                        self.footer = content.and_then(|content| super::header::take_footer(&content).ok());
                        None
                    }
                    FrameKind::Header | FrameKind::Index => None,
                };
                let is_known = batch.is_some() || self.footer.is_some() || kind == FrameKind::Index;
                self.at += n_bytes;
                if let Some(batch) = batch {
                    return Ok(Some((raw, batch)));
                }
                if !is_known {
                    self.lose(n_bytes);
                }
                continue;
            }
            let next = self.find_next(input)?;
            self.lose(next - self.at);
            self.at = next;
        }
        Ok(None)
    }

    fn lose(&mut self, n_bytes: u64) {
        self.n_lost_bytes += n_bytes;
        self.n_gaps += 1;
    }

    /// Where the next whole frame behind a damaged one begins; the end where there is none.
    fn find_next(&self, input: &mut (impl Read + Seek)) -> Result<u64, TraceError> {
        // Mostly what is damaged is within the frame, and its length is right.
        if let Some(head) = peek_head(input, self.at)?
            && self.is_whole_at(input, self.at + head.n_bytes())?
        {
            return Ok(self.at + head.n_bytes());
        }
        let mut from = self.at + 1;
        while from < self.end {
            input.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            input.by_ref().take((LOOK_BYTES + HEAD_BYTES) as u64).read_to_end(&mut bytes)?;
            for (step, window) in (0..LOOK_BYTES as u64).zip(bytes.windows(HEAD_BYTES)) {
                let head = window.try_into().ok().and_then(FrameHead::read);
                let is_likely = head
                    .is_some_and(|head| head.kind.is_some() && head.n_bytes() <= self.end - (from + step));
                if is_likely && self.is_whole_at(input, from + step)? {
                    return Ok(from + step);
                }
            }
            from += LOOK_BYTES as u64;
        }
        Ok(self.end)
    }

    fn is_whole_at(&self, input: &mut (impl Read + Seek), at: u64) -> Result<bool, TraceError> {
        if at >= self.end {
            return Ok(false);
        }
        input.seek(SeekFrom::Start(at))?;
        Ok(matches!(read_frame(input)?, Found::Whole(_)))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::TraceIndex;
    use super::super::tests::{counted, read};
    use super::*;

    fn salvaged(bytes: &[u8]) -> (Salvaged, Vec<u8>) {
        salvage(&mut io::Cursor::new(bytes), Vec::new()).expect("a trace")
    }

    fn counts(bytes: &[u8]) -> Vec<u64> {
        let (batches, _) = read(bytes).expect("a trace");
        batches.iter().flat_map(|batch| batch.rows().map(|row| row.id.count)).collect()
    }

    #[test]
    fn a_whole_trace_stays_as_it_is() {
        let bytes = counted(&[3, 1, 5]);
        let (found, again) = salvaged(&bytes);
        assert_eq!(again, bytes);
        let expected = Salvaged { n_batches: 3, n_events: 9, is_whole: true, ..Salvaged::default() };
        assert_eq!(found, expected);
    }

    #[test]
    fn every_cut_is_recovered_with_index_and_footer() {
        let bytes = counted(&[2; 4]);
        let first =
            TraceIndex::read(&mut io::Cursor::new(&bytes)).expect("a trace").frames()[0].offset as usize;
        for n_bytes in first..bytes.len() {
            let (found, whole) = salvaged(&bytes[..n_bytes]);
            let (batches, reader) = read(&whole).expect("a trace");
            assert_eq!((batches.len() as u64, found.is_whole), (found.n_batches, false));
            assert_eq!(
                reader.footer().map(|footer| (footer.is_cut_off(), footer.n_events)),
                Some((true, found.n_events))
            );
            assert_eq!(counts(&whole), counts(&bytes[..n_bytes]), "nothing that could be read is lost");
            assert!(TraceIndex::read(&mut io::Cursor::new(&whole)).is_ok_and(|index| index.is_stored()));
            let (again, same) = salvaged(&whole);
            assert_eq!((same, again.n_lost_bytes), (whole, 0));
        }
    }

    #[test]
    fn batches_behind_damage_are_kept() {
        let bytes = counted(&[3; 4]);
        let frames = TraceIndex::read(&mut io::Cursor::new(&bytes)).expect("a trace").frames().to_vec();
        let second = frames[1].offset as usize..frames[1].offset as usize + frames[1].n_bytes as usize;
        for at in second.clone() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let (found, whole) = salvaged(&damaged);
            assert_eq!(counts(&whole), [1, 2, 3, 7, 8, 9, 10, 11, 12], "flip at {at}");
            assert_eq!((found.n_gaps, found.n_lost_bytes), (1, frames[1].n_bytes));
        }
        let without = [&bytes[..second.start + 9], &bytes[second.end..]].concat();
        let (found, whole) = salvaged(&without);
        assert_eq!((counts(&whole).len(), found.n_gaps, found.n_lost_bytes), (9, 1, 9));
    }

    #[test]
    fn a_trace_without_header_cannot_be_recovered() {
        let mut bytes = counted(&[3]);
        bytes[20] ^= 1;
        let refused = salvage(&mut io::Cursor::new(&bytes), Vec::new());
        assert!(matches!(refused, Err(TraceError::HeaderDamaged { .. })));
    }

    #[test]
    fn a_full_disk_is_told_from_a_bad_trace() {
        let mut disk = [0_u8; 40];
        let refused = salvage(&mut io::Cursor::new(counted(&[3])), &mut disk[..]);
        assert!(matches!(refused, Err(TraceError::Write(_))));
    }
}
