//! Frames: the unit that is written whole, checked and compressed by itself.
//!
//! A frame is its kind (1 byte), the length of its payload, the length of the payload's content,
//! a CRC-32 of these nine bytes and the payload (4 bytes each, little end first), and the payload:
//! the content, compressed by zstd at level 1.

use std::io::{self, Read, Write};

/// First bytes of every trace: not text, and damaged by a transfer that changes line ends.
pub(super) const MAGIC: [u8; 8] = *b"\x89HASSE\r\n";

/// Longest content of a frame; lets a reader refuse a damaged length.
pub(super) const MAX_CONTENT: usize = 1 << 30;

/// Longest payload: content that cannot be compressed grows by less than this.
const MAX_PAYLOAD: usize = MAX_CONTENT + (16 << 20);

const HEAD_BYTES: usize = 13;
const ZSTD_LEVEL: i32 = 1;

/// Buffers larger than this are given back after a frame.
pub(super) const KEPT_BYTES: usize = 16 << 20;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Header,
    Batch,
    Footer,
}

impl FrameKind {
    fn tag(self) -> u8 {
        match self {
            FrameKind::Header => 1,
            FrameKind::Batch => 2,
            FrameKind::Footer => 3,
        }
    }

    fn from_tag(tag: u8) -> Option<Self> {
        [FrameKind::Header, FrameKind::Batch, FrameKind::Footer].into_iter().find(|kind| kind.tag() == tag)
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

    /// Writes one frame and flushes.
    pub(super) fn write(&mut self, out: &mut impl Write, kind: FrameKind, content: &[u8]) -> io::Result<()> {
        if content.len() > MAX_CONTENT {
            let reason = "more than 1 GiB at once cannot be recorded";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        self.payload.clear();
        self.payload.reserve(zstd::zstd_safe::compress_bound(content.len()));
        self.compressor.compress_to_buffer(content, &mut self.payload)?;
        self.frame.clear();
        self.frame.push(kind.tag());
        self.frame.extend_from_slice(&(self.payload.len() as u32).to_le_bytes());
        self.frame.extend_from_slice(&(content.len() as u32).to_le_bytes());
        let crc = checksum(&self.frame, &self.payload);
        self.frame.extend_from_slice(&crc.to_le_bytes());
        out.write_all(&self.frame)?;
        out.write_all(&self.payload)?;
        self.payload.shrink_to(KEPT_BYTES);
        out.flush()
    }
}

/// What stands where the next frame is expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A frame, checked and decompressed, and the bytes that it takes.
    Whole { kind: FrameKind, content: Vec<u8>, n_bytes: u64 },
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
    let [tag, p0, p1, p2, p3, c0, c1, c2, c3, crc @ ..] = head;
    let n_payload = u32::from_le_bytes([p0, p1, p2, p3]) as usize;
    let n_content = u32::from_le_bytes([c0, c1, c2, c3]) as usize;
    if n_payload > MAX_PAYLOAD || n_content > MAX_CONTENT {
        return damaged(input);
    }
    let mut payload = Vec::new();
    input.by_ref().take(n_payload as u64).read_to_end(&mut payload)?;
    if payload.len() < n_payload {
        return Ok(Found::Incomplete);
    }
    if u32::from_le_bytes(crc) != checksum(&head[..HEAD_BYTES - 4], &payload) {
        return damaged(input);
    }
    let content = decompress(&payload, n_content);
    match (FrameKind::from_tag(tag), content) {
        (Some(kind), Some(content)) => {
            Ok(Found::Whole { kind, content, n_bytes: (HEAD_BYTES + n_payload) as u64 })
        }
        _ => damaged(input),
    }
}

fn damaged(input: &mut impl Read) -> io::Result<Found> {
    let n_behind = io::copy(&mut input.by_ref().take(1), &mut io::sink())?;
    Ok(Found::Damaged { is_last: n_behind == 0 })
}

/// The content of a payload, or `None` where it is not zstd data of exactly this length.
fn decompress(payload: &[u8], n_content: usize) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(payload).ok()?;
    decoder.take(n_content as u64 + 1).read_to_end(&mut content).ok()?;
    (content.len() == n_content).then_some(content)
}

fn checksum(head: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(payload);
    hasher.finalize()
}
