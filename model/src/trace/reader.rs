//! Reading a trace, or what there is of one.

use std::fmt;
use std::io::Read;

use super::decode::Decoder;
use super::frame::{Found, FrameKind, MAGIC, read_frame};
use super::header::{take_footer, take_header};
use super::{FORMAT_VERSION, TraceError, TraceFooter, TraceHeader};
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
    decoder: Decoder,
    /// Bytes of the magic, the version and the whole frames read so far.
    pub(super) n_read: u64,
    n_events: u64,
    end: Option<End>,
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
            TruncationReason::WrongCount { told, found } => {
                write!(f, "the trace says that it has {told} events, but it has {found}")
            }
        }
    }
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
        if version < FORMAT_VERSION {
            return Err(TraceError::OlderVersion { found: version });
        }
        let reason = match read_frame(&mut input)? {
            Found::Whole { kind: FrameKind::Header, content, n_bytes } => match take_header(&content) {
                Ok(header) => {
                    let (decoder, n_read) = (Decoder::default(), start.len() as u64 + n_bytes);
                    return Ok(Self { input, header, decoder, n_read, n_events: 0, end: None });
                }
                Err(malformed) => malformed.0,
            },
            Found::Whole { .. } => "something else stands in its place",
            Found::Nothing | Found::Incomplete => "it is cut off",
            Found::Damaged { .. } => "it is not as it was written",
        };
        Err(TraceError::HeaderDamaged { reason })
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
        if self.end.is_some() {
            return Ok(None);
        }
        let reason = match read_frame(&mut self.input)? {
            Found::Whole { kind, content, n_bytes } => match self.take_content(kind, &content, n_bytes) {
                Some(batch) => return Ok(batch),
                None => TruncationReason::DamagedInside,
            },
            Found::Nothing => TruncationReason::NoFooter,
            Found::Incomplete => TruncationReason::IncompleteFrame,
            Found::Damaged { is_last: true } => TruncationReason::DamagedLastFrame,
            Found::Damaged { is_last: false } => TruncationReason::DamagedInside,
        };
        self.truncate(reason);
        Ok(None)
    }

    /// The footer, once `next_batch` has returned `None`. A run that was cut off has none.
    pub fn footer(&self) -> Option<&TraceFooter> {
        match &self.end {
            Some(End::Footer(footer)) => Some(footer),
            Some(End::Truncated(_)) | None => None,
        }
    }

    /// Where and why reading ended before a footer, once `next_batch` has returned `None`.
    pub fn truncated(&self) -> Option<Truncation> {
        match &self.end {
            Some(End::Truncated(truncation)) => Some(*truncation),
            Some(End::Footer(_)) | None => None,
        }
    }

    /// Takes in a whole frame; the outer `None` where its content makes no sense here.
    fn take_content(&mut self, kind: FrameKind, content: &[u8], n_bytes: u64) -> Option<Option<EventBatch>> {
        match kind {
            FrameKind::Header => None,
            FrameKind::Batch => {
                let batch = self.decoder.decode(content).ok()?;
                self.n_read += n_bytes;
                self.n_events += batch.n_events() as u64;
                Some(Some(batch))
            }
            FrameKind::Footer => {
                let footer = take_footer(content).ok()?;
                if footer.n_events == self.n_events {
                    self.n_read += n_bytes;
                    self.end = Some(End::Footer(footer));
                } else {
                    let (told, found) = (footer.n_events, self.n_events);
                    self.truncate(TruncationReason::WrongCount { told, found });
                }
                Some(None)
            }
        }
    }

    fn truncate(&mut self, reason: TruncationReason) {
        self.end = Some(End::Truncated(Truncation { n_readable_bytes: self.n_read, reason }));
    }
}
