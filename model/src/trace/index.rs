//! Where the batches of a trace stand, so that reading can begin with any of them.
//!
//! A trace that was written to its end holds an index before its footer. Where there is none, as after a kill, the heads of the
//! frames say the same: they are gone through without reading what they hold.

use std::io::{Read, Seek, SeekFrom};

use super::error::TraceError;
use super::frame::{Found, FrameKind, HEAD_BYTES, RawFrame, TAIL_BYTES, peek_head, read_frame};
use super::header::take_footer;
use super::reader::TraceReader;
use crate::encoding::varint::{Cursor, Malformed, put_varint};

/// Where a batch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameEntry {
    /// Where it begins, in bytes from the start of the trace.
    pub offset: u64,
    /// Its length in bytes.
    pub n_bytes: u64,
    /// Number of events in the batches before it.
    pub first_event: u64,
    /// Number of events in it.
    pub n_events: u32,
}

/// The batches of a trace, in the order in which they were written.
///
/// ```
/// use std::io::Cursor;
///
/// use hasse_model::event::EventBatch;
/// use hasse_model::id::{ActionId, EventId};
/// use hasse_model::trace::{TraceFooter, TraceHeader, TraceIndex, TraceReader, TraceWriter};
///
/// let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default())?;
/// for count in 1..=5 {
///     let mut batch = EventBatch::default();
///     batch.push_done(EventId { action: ActionId(0), count }, 0, &[], &[], &[], 0);
///     writer.write_batch(&batch)?;
/// }
/// let mut bytes = Cursor::new(writer.finish(&TraceFooter { n_events: 5, ..TraceFooter::default() })?);
///
/// let index = TraceIndex::read(&mut bytes).expect("a trace");
/// let fourth = *index.frame_of(3).expect("there are five events");
/// bytes.set_position(0);
/// let mut reader = TraceReader::open(bytes).expect("a trace");
/// reader.seek_to(&fourth).expect("readable");
/// let batch = reader.next_batch().expect("readable").expect("the fourth of five");
/// assert_eq!(batch.rows().map(|row| row.id.count).collect::<Vec<_>>(), [4]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceIndex {
    frames: Vec<FrameEntry>,
    is_stored: bool,
}

impl TraceIndex {
    /// Reads the index of a trace, or finds the batches where there is none. Time: linear in the number of batches.
    ///
    /// # Errors
    /// Where reading fails or this is no trace that can be read at all.
    pub fn read(input: &mut (impl Read + Seek)) -> Result<Self, TraceError> {
        input.seek(SeekFrom::Start(0))?;
        let first = TraceReader::open(input.by_ref())?.n_read;
        let end = input.seek(SeekFrom::End(0))?;
        if let Some(stored) = Self::read_stored(input, first, end)? {
            return Ok(stored);
        }
        let mut lengths = Vec::new();
        let mut at = first;
        while let Some(head) = peek_head(input, at)? {
            let is_batch = head.kind == Some(FrameKind::Batch) && head.n_bytes() <= end.saturating_sub(at);
            let Some(n_bytes) = u32::try_from(head.n_bytes()).ok().filter(|_| is_batch) else { break };
            lengths.push((n_bytes, head.n_events));
            at += u64::from(n_bytes);
        }
        Ok(Self { frames: entries(first, &lengths).0, is_stored: false })
    }

    /// The index that the trace holds, if it fits the trace.
    fn read_stored(input: &mut (impl Read + Seek), first: u64, end: u64) -> Result<Option<Self>, TraceError> {
        if end < first + (HEAD_BYTES + TAIL_BYTES) as u64 {
            return Ok(None);
        }
        input.seek(SeekFrom::Start(end - TAIL_BYTES as u64))?;
        let mut tail = [0; TAIL_BYTES];
        input.read_exact(&mut tail)?;
        let [a, b, c, d, ..] = tail;
        let n_footer_bytes = u64::from(u32::from_le_bytes([a, b, c, d]));
        let Some(footer_at) = end.checked_sub(n_footer_bytes).filter(|&at| at >= first) else {
            return Ok(None);
        };
        let Some(footer) = frame_at(input, footer_at, FrameKind::Footer)? else { return Ok(None) };
        let Some((_, n_index_bytes)) = footer.tail().filter(|tail| tail.0 == footer.n_bytes()) else {
            return Ok(None);
        };
        let Some(index_at) = footer_at.checked_sub(n_index_bytes).filter(|&at| at >= first) else {
            return Ok(None);
        };
        let Some(index) = frame_at(input, index_at, FrameKind::Index)? else { return Ok(None) };
        let footer = footer.content().and_then(|content| take_footer(&content).ok());
        let lengths = index.content().and_then(|content| take_index(&content).ok());
        let (Some(footer), Some(lengths)) = (footer, lengths) else { return Ok(None) };
        let (frames, behind, n_events) = entries(first, &lengths);
        let fits = behind == index_at && n_events == footer.n_events;
        Ok(fits.then_some(Self { frames, is_stored: true }))
    }

    /// The batches.
    pub fn frames(&self) -> &[FrameEntry] {
        &self.frames
    }

    /// Number of events in all of them.
    pub fn n_events(&self) -> u64 {
        self.frames.last().map_or(0, |last| last.first_event + u64::from(last.n_events))
    }

    /// The batch that holds the event recorded at a position, from 0; `None` behind the last. Time: logarithmic.
    pub fn frame_of(&self, event_idx: u64) -> Option<&FrameEntry> {
        let behind =
            self.frames.partition_point(|frame| frame.first_event + u64::from(frame.n_events) <= event_idx);
        self.frames.get(behind)
    }

    /// Whether the trace holds the index; if not, it was made by going through the trace, and nothing was checked.
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }
}

fn frame_at(
    input: &mut (impl Read + Seek),
    at: u64,
    kind: FrameKind,
) -> Result<Option<RawFrame>, TraceError> {
    input.seek(SeekFrom::Start(at))?;
    Ok(match read_frame(input)? {
        Found::Whole(frame) if frame.kind == kind => Some(frame),
        Found::Whole(_) | Found::Nothing | Found::Incomplete | Found::Damaged { .. } => None,
    })
}

/// Entries for batches of these lengths and numbers of events, where the last one ends, and the number of all events.
fn entries(first: u64, lengths: &[(u32, u32)]) -> (Vec<FrameEntry>, u64, u64) {
    let (mut offset, mut first_event) = (first, 0);
    let frames = lengths
        .iter()
        .map(|&(n_bytes, n_events)| {
            let entry = FrameEntry { offset, n_bytes: n_bytes.into(), first_event, n_events };
            offset += u64::from(n_bytes);
            first_event += u64::from(n_events);
            entry
        })
        .collect();
    (frames, offset, first_event)
}

/// Appends an index: for each batch its length and its number of events.
pub(super) fn put_index(out: &mut Vec<u8>, written: &[(u32, u32)]) {
    put_varint(out, written.len() as u64);
    written.iter().for_each(|&(n_bytes, _)| put_varint(out, u64::from(n_bytes)));
    written.iter().for_each(|&(_, n_events)| put_varint(out, u64::from(n_events)));
}

/// Takes an index.
pub(super) fn take_index(content: &[u8]) -> Result<Vec<(u32, u32)>, Malformed> {
    let mut cursor = Cursor(content);
    let n_frames = cursor.n_items()?;
    let mut lengths = Vec::with_capacity(n_frames);
    for _ in 0..n_frames {
        lengths.push((cursor.id()?, 0));
    }
    for length in &mut lengths {
        length.1 = cursor.id()?;
    }
    if !cursor.is_empty() {
        return Err(Malformed("there is more data than an index"));
    }
    Ok(lengths)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::tests::counted;
    use super::*;

    fn index_of(bytes: &[u8]) -> TraceIndex {
        TraceIndex::read(&mut io::Cursor::new(bytes)).expect("a trace")
    }

    #[test]
    fn a_stored_index_is_what_the_frames_say() {
        let bytes = counted(&[3, 1, 5]);
        let stored = index_of(&bytes);
        let last = stored.frames()[2];
        let cut = index_of(&bytes[..(last.offset + last.n_bytes) as usize]);
        assert_eq!((stored.is_stored(), cut.is_stored()), (true, false));
        assert_eq!((stored.frames(), stored.n_events()), (cut.frames(), 9));
        let frame_of = |event_idx| stored.frame_of(event_idx).map(|frame| frame.first_event);
        assert_eq!([0, 2, 3, 4, 8, 9].map(frame_of), [Some(0), Some(0), Some(3), Some(4), Some(4), None]);
    }

    #[test]
    fn every_cut_leaves_the_batches_before_it() {
        let bytes = counted(&[2; 5]);
        let whole = index_of(&bytes);
        let first = whole.frames()[0].offset as usize;
        for n_bytes in first..bytes.len() {
            let found = index_of(&bytes[..n_bytes]);
            assert!(!found.is_stored() && whole.frames().starts_with(found.frames()));
            let behind = found.frames().last().map_or(first as u64, |last| last.offset + last.n_bytes);
            let next = whole.frames().get(found.frames().len()).map_or(u64::MAX, |next| next.n_bytes);
            assert!(n_bytes as u64 - behind < next, "no whole batch is passed over");
        }
    }

    #[test]
    fn an_index_that_does_not_fit_is_not_used() {
        // The footer of another trace, whose index says something else.
        let (one, other) = (counted(&[2, 2]), counted(&[2, 2, 7]));
        let last = index_of(&one).frames()[1];
        let end = index_of(&other).frames()[2];
        let batches = &one[..(last.offset + last.n_bytes) as usize];
        let spliced = [batches, &other[(end.offset + end.n_bytes) as usize..]].concat();
        let found = index_of(&spliced);
        assert_eq!((found.is_stored(), found.frames().len()), (false, 2));
    }

    #[test]
    fn any_batch_can_be_read_first() {
        let bytes = counted(&[3, 1, 5]);
        for frame in index_of(&bytes).frames() {
            let mut reader = TraceReader::open(io::Cursor::new(&bytes[..])).expect("a trace");
            reader.seek_to(frame).expect("in memory");
            let mut n_events = frame.first_event;
            while let Some(batch) = reader.next_batch().expect("in memory") {
                assert_eq!(batch.rows().next().map(|row| row.id.count), Some(n_events + 1));
                n_events += batch.n_events() as u64;
            }
            assert_eq!((n_events, reader.footer().is_some()), (9, true));
        }
    }
}
