//! Frames: the unit that is written whole, checked and compressed by itself.
//!
//! A frame is its kind (1 byte), the length of its payload, the length of the payload's content, the number of events in
//! it, a CRC-32 of these thirteen bytes and the payload (4 bytes each, little end first), and the payload: the content,
//! compressed by zstd at level 1. The payload of a footer ends with eight bytes more, the lengths of the frames of the footer
//! and of the index before it, so that both are found from the end of a file.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// First bytes of every trace: not text, and damaged by a transfer that changes line ends.
pub(super) const MAGIC: [u8; 8] = *b"\x89HASSE\r\n";

/// Longest content of a frame; lets a reader refuse a damaged length.
pub(super) const MAX_CONTENT: usize = 1 << 30;

/// Longest payload: content that cannot be compressed grows by less than this.
const MAX_PAYLOAD: usize = MAX_CONTENT + (16 << 20);

/// Length of a frame without its payload.
pub(super) const HEAD_BYTES: usize = 17;

/// Length of what stands behind a footer.
pub(super) const TAIL_BYTES: usize = 8;

const ZSTD_LEVEL: i32 = 1;

/// Buffers larger than this are given back after a frame.
pub(super) const KEPT_BYTES: usize = 16 << 20;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Header,
    Batch,
    Footer,
    Index,
}

impl FrameKind {
    fn tag(self) -> u8 {
        match self {
            FrameKind::Header => 1,
            FrameKind::Batch => 2,
            FrameKind::Footer => 3,
            FrameKind::Index => 4,
        }
    }

    fn from_tag(tag: u8) -> Option<Self> {
        let kinds = [FrameKind::Header, FrameKind::Batch, FrameKind::Footer, FrameKind::Index];
        kinds.into_iter().find(|kind| kind.tag() == tag)
    }
}

/// Writes frames; keeps its buffers from frame to frame.
pub(super) struct FrameWriter {
    compressor: zstd::bulk::Compressor<'static>,
    frame: Vec<u8>,
    payload: Vec<u8>,
}

impl FrameWriter {
    pub(super) fn new() -> io::Result<Self> {
        let compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
        Ok(Self { compressor, frame: Vec::new(), payload: Vec::new() })
    }

    /// Writes one frame and flushes; returns its length.
    pub(super) fn write(
        &mut self,
        out: &mut impl Write,
        kind: FrameKind,
        content: &[u8],
        n_events: usize,
    ) -> io::Result<u64> {
        self.compress(content)?;
        self.put(out, kind, content.len(), n_events)
    }

    /// Writes the footer, behind an index of so many bytes.
    pub(super) fn write_footer(
        &mut self,
        out: &mut impl Write,
        content: &[u8],
        n_index_bytes: u64,
    ) -> io::Result<()> {
        self.compress(content)?;
        let n_footer_bytes = HEAD_BYTES + self.payload.len() + TAIL_BYTES;
        self.payload.extend_from_slice(&(n_footer_bytes as u32).to_le_bytes());
        self.payload.extend_from_slice(&(n_index_bytes as u32).to_le_bytes());
        self.put(out, FrameKind::Footer, content.len(), 0).map(drop)
    }

    /// Writes a batch as it was read.
    pub(super) fn write_raw(&mut self, out: &mut impl Write, frame: &RawFrame) -> io::Result<u64> {
        self.payload.clear();
        self.payload.extend_from_slice(&frame.payload);
        self.put(out, frame.kind, frame.n_content, frame.n_events as usize)
    }

    fn compress(&mut self, content: &[u8]) -> io::Result<()> {
        if content.len() > MAX_CONTENT {
            let reason = "more than 1 GiB at once cannot be recorded";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        self.payload.clear();
        self.payload.reserve(zstd::zstd_safe::compress_bound(content.len()));
        self.compressor.compress_to_buffer(content, &mut self.payload)?;
        Ok(())
    }

    fn put(
        &mut self,
        out: &mut impl Write,
        kind: FrameKind,
        n_content: usize,
        n_events: usize,
    ) -> io::Result<u64> {
        self.frame.clear();
        self.frame.push(kind.tag());
        for number in [self.payload.len(), n_content, n_events] {
            self.frame.extend_from_slice(&(number as u32).to_le_bytes());
        }
        let crc = checksum(&self.frame, &self.payload);
        self.frame.extend_from_slice(&crc.to_le_bytes());
        out.write_all(&self.frame)?;
        out.write_all(&self.payload)?;
        let n_bytes = (self.frame.len() + self.payload.len()) as u64;
        self.payload.shrink_to(KEPT_BYTES);
        out.flush()?;
        Ok(n_bytes)
    }
}

/// What a frame says before its payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameHead {
    bytes: [u8; HEAD_BYTES],
    pub(super) kind: Option<FrameKind>,
    pub(super) n_payload: usize,
    pub(super) n_content: usize,
    pub(super) n_events: u32,
}

impl FrameHead {
    /// `None` where the lengths cannot be.
    pub(super) fn read(bytes: [u8; HEAD_BYTES]) -> Option<Self> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (n_payload, n_content) = (number(1) as usize, number(5) as usize);
        let kind = FrameKind::from_tag(bytes[0]);
        let is_possible = n_payload <= MAX_PAYLOAD && n_content <= MAX_CONTENT;
        is_possible.then_some(Self { bytes, kind, n_payload, n_content, n_events: number(9) })
    }

    /// Length of the frame.
    pub(super) fn n_bytes(&self) -> u64 {
        (HEAD_BYTES + self.n_payload) as u64
    }

    fn is_of(&self, payload: &[u8]) -> bool {
        let (told, crc) = self.bytes.split_at(HEAD_BYTES - 4);
        crc == checksum(told, payload).to_le_bytes()
    }
}

/// A frame as it lies in a trace: whole and checked, but not decompressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawFrame {
    pub(super) kind: FrameKind,
    n_content: usize,
    pub(super) n_events: u32,
    payload: Vec<u8>,
}

impl RawFrame {
    /// Bytes that the frame takes.
    pub(super) fn n_bytes(&self) -> u64 {
        (HEAD_BYTES + self.payload.len()) as u64
    }

    /// The content, or `None` where the payload is not zstd data of exactly the length that was told. Memory grows with what
    /// comes out, not with what the frame says of itself.
    pub(super) fn content(&self) -> Option<Vec<u8>> {
        let n_packed = match self.kind {
            FrameKind::Footer => self.payload.len().checked_sub(TAIL_BYTES)?,
            FrameKind::Header | FrameKind::Batch | FrameKind::Index => self.payload.len(),
        };
        let mut content = Vec::new();
        let decoder = zstd::stream::read::Decoder::with_buffer(&self.payload[..n_packed]).ok()?;
        decoder.take(self.n_content as u64 + 1).read_to_end(&mut content).ok()?;
        (content.len() == self.n_content).then_some(content)
    }

    /// The lengths of the footer's frame and of the index before it, where this is a footer.
    pub(super) fn tail(&self) -> Option<(u64, u64)> {
        let (_, &[a, b, c, d, e, f, g, h]) = self.payload.split_last_chunk::<TAIL_BYTES>()?;
        let lengths = (u32::from_le_bytes([a, b, c, d]).into(), u32::from_le_bytes([e, f, g, h]).into());
        (self.kind == FrameKind::Footer).then_some(lengths)
    }
}

/// What stands where the next frame is expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A frame, checked.
    Whole(RawFrame),
    /// Nothing: the data ends.
    Nothing,
    /// The data ends within the frame.
    Incomplete,
    /// Something else, and whether the data goes on behind it.
    Damaged { is_last: bool },
}

/// Reads one frame. Memory grows with what arrives, not with what the frame says of itself.
pub(super) fn read_frame(input: &mut impl Read) -> io::Result<Found> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    input.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(Found::Nothing);
    }
    let Ok(head) = <[u8; HEAD_BYTES]>::try_from(head) else { return Ok(Found::Incomplete) };
    let Some(head) = FrameHead::read(head) else { return damaged(input) };
    let mut payload = Vec::new();
    input.by_ref().take(head.n_payload as u64).read_to_end(&mut payload)?;
    if payload.len() < head.n_payload {
        return Ok(Found::Incomplete);
    }
    match head.kind.filter(|_| head.is_of(&payload)) {
        Some(kind) => {
            let FrameHead { n_content, n_events, .. } = head;
            Ok(Found::Whole(RawFrame { kind, n_content, n_events, payload }))
        }
        None => damaged(input),
    }
}

/// What is said of a frame at a position; `None` where no head fits there.
pub(super) fn peek_head(input: &mut (impl Read + Seek), at: u64) -> io::Result<Option<FrameHead>> {
    input.seek(SeekFrom::Start(at))?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    input.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head.try_into().ok().and_then(FrameHead::read))
}

fn damaged(input: &mut impl Read) -> io::Result<Found> {
    let n_behind = io::copy(&mut input.by_ref().take(1), &mut io::sink())?;
    Ok(Found::Damaged { is_last: n_behind == 0 })
}

fn checksum(head: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(payload);
    hasher.finalize()
}

/// Newest version of the layout, which this crate writes where the header says which part of the run is kept.
pub const FORMAT_VERSION: u32 = 11;

/// Version that this crate writes where the header has a base.
pub(super) const VERSION_WITHOUT_HOLES: u32 = 10;

/// Version that this crate writes elsewhere, so that versions of Hasse without bases read it.
pub(super) const VERSION_WITHOUT_BASE: u32 = 9;

/// Oldest version of the layout that this crate reads: what has been added since is optional.
pub const OLDEST_VERSION: u32 = 6;
