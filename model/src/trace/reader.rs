//! Reading a trace, or what there is of one.

use std::fmt;
use std::io::{Read, Seek, SeekFrom};

use super::decode::{Decoder, decode_announced};
use super::error::TraceError;
use super::frame::{FORMAT_VERSION, Found, FrameKind, MAGIC, OLDEST_VERSION, RawFrame, read_frame};
use super::header::{TraceFooter, TraceHeader, take_footer, take_header};
use super::index::{FrameEntry, take_index};
use crate::event::EventBatch;

/// Where the batches of a run come from: a trace, or a thread that reads one ahead.
pub trait BatchSource {
    /// What the trace says before its first event.
    fn header(&self) -> &TraceHeader;

    /// The next batch; `None` behind the last one that can be read.
    ///
    /// # Errors
    /// Where the source fails.
    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError>;

    /// Takes a batch back that is no longer needed, so that its memory can be used again.
    fn give_back(&mut self, _batch: EventBatch) {}

    /// The footer, once `next_batch` has returned `None`. A run that was cut off has none.
    fn footer(&self) -> Option<&TraceFooter>;

    /// Where and why reading ended before a footer, once `next_batch` has returned `None`.
    fn truncated(&self) -> Option<Truncation>;
}

impl<R: Read> BatchSource for TraceReader<R> {
    fn header(&self) -> &TraceHeader {
        TraceReader::header(self)
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        TraceReader::next_batch(self)
    }

    fn give_back(&mut self, batch: EventBatch) {
        self.decoder.give_back(batch);
    }

    fn footer(&self) -> Option<&TraceFooter> {
        TraceReader::footer(self)
    }

    fn truncated(&self) -> Option<Truncation> {
        TraceReader::truncated(self)
    }
}

/// Reads a trace batch by batch, up to its footer or to where it can no longer be read.
pub struct TraceReader<R: Read> {
    input: R,
    header: TraceHeader,
    decoder: BatchDecoder,
    /// Bytes of the magic, the version and the whole frames read so far.
    pub(super) n_read: u64,
    n_events: u64,
    end: Option<End>,
}

/// A batch as it lies in a trace: checked, but not decompressed. It can be taken apart on any thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawBatch {
    pub(super) frame: RawFrame,
    /// Where it begins, in bytes from the start of the trace.
    pub(super) offset: u64,
}

impl RawBatch {
    /// Number of events in it, as it says itself.
    pub fn n_events(&self) -> u32 {
        self.frame.n_events
    }

    /// Where it begins, in bytes from the start of the trace.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes that it takes in the trace.
    pub fn n_bytes(&self) -> u64 {
        self.frame.n_bytes()
    }

    /// Its graph instances, actions and objects, without its events; `None` where it makes no sense.
    pub fn announced(&self) -> Option<EventBatch> {
        decode_announced(&self.frame.content()?).ok()
    }
}

/// Takes batches apart; keeps its buffers from batch to batch.
#[derive(Debug, Default)]
pub struct BatchDecoder {
    decoder: Decoder,
    spare: EventBatch,
}

impl BatchDecoder {
    /// The events of a batch; `None` where it makes no sense.
    pub fn decode(&mut self, raw: &RawBatch) -> Option<EventBatch> {
        let mut batch = std::mem::take(&mut self.spare);
        self.decoder.decode_to(&raw.frame.content()?, &mut batch).ok()?;
        (batch.n_events() as u64 == u64::from(raw.n_events())).then_some(batch)
    }

    /// Leaves events folded in the batches to come, as far as the data tells them by others of their action: see
    /// [`EventBatch::folded_rows`]. The order of events of different actions is lost within a batch.
    pub fn fold(&mut self) {
        self.decoder.fold();
    }

    /// Takes a batch back that is no longer needed, so that its memory is used for the next one.
    pub fn give_back(&mut self, batch: EventBatch) {
        self.spare = batch;
    }
}

/// How the batches ended.
#[derive(Debug)]
enum End {
    Footer(TraceFooter),
    Truncated(Truncation),
}

/// Where and why the readable part of a trace ends before its footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Length of the readable part in bytes.
    pub n_readable_bytes: u64,
    /// Why it ends there.
    pub reason: TruncationReason,
}

/// Why the readable part of a trace ends before its footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TruncationReason {
    /// The data ends behind a batch: the run was cut off.
    NoFooter,
    /// The data ends within a frame: the run was cut off while it was written.
    IncompleteFrame,
    /// The last frame is not as it was written.
    DamagedLastFrame,
    /// A frame is not as it was written, and the data goes on behind it.
    DamagedInside,
    /// The trace was recovered from what was left of one that was cut off or damaged.
    Recovered,
    /// There is a footer, but it counts other events than were read.
    WrongCount {
        /// What the footer says.
        told: u64,
        /// What was read.
        found: u64,
    },
}

/// Writes a clause for a person.
impl fmt::Display for TruncationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TruncationReason::NoFooter => write!(f, "the run was cut off"),
            TruncationReason::IncompleteFrame => write!(f, "the run was cut off within a batch"),
            TruncationReason::DamagedLastFrame => write!(f, "the last batch is damaged"),
            TruncationReason::DamagedInside => {
                write!(f, "the trace is damaged, and what is behind the damage was not read")
            }
            TruncationReason::Recovered => write!(f, "the run was cut off, and its trace was recovered"),
            TruncationReason::WrongCount { told, found } => {
                write!(f, "the trace says that it has {told} events, but it has {found}")
            }
        }
    }
}

/// Whether bytes are the start of a trace, of whatever version.
pub fn is_trace(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

impl<R: Read> TraceReader<R> {
    /// Opens a trace and reads its header. Reads are small: give it something buffered.
    ///
    /// # Errors
    /// Where reading fails or this is no trace that can be read at all.
    pub fn open(mut input: R) -> Result<Self, TraceError> {
        let mut start = Vec::new();
        input.by_ref().take(MAGIC.len() as u64 + 4).read_to_end(&mut start)?;
        let version = start.strip_prefix(&MAGIC[..]).ok_or(TraceError::NotATrace)?;
        let version = version.try_into().map(u32::from_le_bytes);
        let version = version.map_err(|_| TraceError::HeaderDamaged { reason: "it is cut off" })?;
        if version > FORMAT_VERSION {
            return Err(TraceError::NewerVersion { found: version });
        }
        if version < OLDEST_VERSION {
            return Err(TraceError::OlderVersion { found: version });
        }
        let reason = match read_frame(&mut input)? {
            Found::Whole(frame) if frame.kind == FrameKind::Header => {
                let header = frame.content().map(|content| take_header(&content));
                match header {
                    Some(Ok(header)) => {
                        let (decoder, n_read) =
                            (BatchDecoder::default(), start.len() as u64 + frame.n_bytes());
                        let (n_events, end) = (0, None);
                        return Ok(Self { input, header, decoder, n_read, n_events, end });
                    }
                    Some(Err(malformed)) => malformed.0,
                    None => "it is not as it was written",
                }
            }
            Found::Whole(_) => "something else stands in its place",
            Found::Nothing | Found::Incomplete => "it is cut off",
            Found::Damaged { .. } => "it is not as it was written",
        };
        Err(TraceError::HeaderDamaged { reason })
    }

    /// Where reading goes on, in bytes from the start of the trace.
    pub fn offset(&self) -> u64 {
        self.n_read
    }

    /// What the trace says before its first event.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// The next batch; `None` behind the last one that can be read.
    ///
    /// # Errors
    /// Where the source fails. Data that is cut off or damaged is not an error: see
    /// [`truncated`](Self::truncated).
    pub fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        let Some(raw) = self.next_raw()? else { return Ok(None) };
        let batch = self.decoder.decode(&raw);
        if batch.is_none() {
            self.refuse(&raw);
        }
        Ok(batch)
    }

    /// Like [`next_batch`](Self::next_batch), without taking the batch apart, so that several threads can do that.
    ///
    /// # Errors
    /// Where the source fails.
    pub fn next_raw(&mut self) -> Result<Option<RawBatch>, TraceError> {
        while self.end.is_none() {
            let reason = match read_frame(&mut self.input)? {
                Found::Whole(frame) => match self.take_frame(frame) {
                    Some(Taken::Batch(batch)) => return Ok(Some(batch)),
                    Some(Taken::Other) => continue,
                    None => TruncationReason::DamagedInside,
                },
                Found::Nothing => TruncationReason::NoFooter,
                Found::Incomplete => TruncationReason::IncompleteFrame,
                Found::Damaged { is_last: true } => TruncationReason::DamagedLastFrame,
                Found::Damaged { is_last: false } => TruncationReason::DamagedInside,
            };
            self.truncate(reason);
        }
        Ok(None)
    }

    /// Ends reading before a batch that [`next_raw`](Self::next_raw) has given and that makes no sense.
    pub fn refuse(&mut self, raw: &RawBatch) {
        self.n_read = raw.offset;
        self.truncate(TruncationReason::DamagedInside);
    }

    /// The footer, once `next_batch` has returned `None`. A run that was cut off has none, unless its trace was recovered.
    pub fn footer(&self) -> Option<&TraceFooter> {
        match &self.end {
            Some(End::Footer(footer)) => Some(footer),
            Some(End::Truncated(_)) | None => None,
        }
    }

    /// Where and why reading ended before a footer, once `next_batch` has returned `None`; also where the footer says that
    /// the trace was recovered.
    pub fn truncated(&self) -> Option<Truncation> {
        match &self.end {
            Some(End::Truncated(truncation)) => Some(*truncation),
            Some(End::Footer(footer)) if footer.is_cut_off() => {
                Some(Truncation { n_readable_bytes: self.n_read, reason: TruncationReason::Recovered })
            }
            Some(End::Footer(_)) | None => None,
        }
    }

    /// Takes in a whole frame; `None` where it makes no sense here.
    fn take_frame(&mut self, frame: RawFrame) -> Option<Taken> {
        let (offset, n_bytes) = (self.n_read, frame.n_bytes());
        match frame.kind {
            FrameKind::Header => return None,
            FrameKind::Batch => {
                self.n_read += n_bytes;
                self.n_events += u64::from(frame.n_events);
                return Some(Taken::Batch(RawBatch { frame, offset }));
            }
            FrameKind::Index => {
                // What it says is of use to who looks for a place; here it must only be an index.
                take_index(&frame.content()?).ok()?;
            }
            FrameKind::Footer => {
                let footer = take_footer(&frame.content()?).ok()?;
                if footer.n_events != self.n_events {
                    let (told, found) = (footer.n_events, self.n_events);
                    self.truncate(TruncationReason::WrongCount { told, found });
                    return Some(Taken::Other);
                }
                self.end = Some(End::Footer(footer));
            }
        }
        self.n_read += n_bytes;
        Some(Taken::Other)
    }

    fn truncate(&mut self, reason: TruncationReason) {
        self.end = Some(End::Truncated(Truncation { n_readable_bytes: self.n_read, reason }));
    }
}

impl<R: Read + Seek> TraceReader<R> {
    /// Goes to a batch: reading goes on with it.
    ///
    /// # Errors
    /// Where the source fails.
    pub fn seek_to(&mut self, frame: &FrameEntry) -> Result<(), TraceError> {
        self.input.seek(SeekFrom::Start(frame.offset))?;
        (self.n_read, self.n_events, self.end) = (frame.offset, frame.first_event, None);
        Ok(())
    }
}

/// What a whole frame was.
enum Taken {
    Batch(RawBatch),
    Other,
}
