//! The trace: a run's events in a container that survives being cut off at any byte.
//!
//! Layout: eight magic bytes, a format version, then frames. A frame is a kind, two lengths, a checksum
//! and a zstd-compressed payload; it can be read without any other frame. The first frame is the
//! header, the last one the footer, and between them each [`EventBatch`](crate::event::EventBatch)
//! is one frame, with an index of them before the footer. A writer hands over whole frames and flushes after each one, so that a killed
//! process leaves a readable prefix. What a batch looks like inside is known to `encode` and
//! `decode` alone, what both predict to `predict`.
//!
//! Reading accepts any bytes: it never panics, and what it allocates is bounded by what has
//! arrived and by the limits in `frame` and `decode`.

mod announce;
mod column;
mod decode;
mod edits;
mod encode;
mod error;
mod frame;
mod header;
mod index;
mod names;
mod predict;
mod reader;
mod salvage;
#[cfg(test)]
mod tests;
mod writer;

pub use error::TraceError;
pub use frame::{FORMAT_VERSION, OLDEST_VERSION};
pub use header::{Kept, RecordingMode, TraceFooter, TraceHeader};
pub use index::{FrameEntry, TraceIndex};
pub use names::Names;
pub use reader::{BatchDecoder, BatchSource, RawBatch, TraceReader, Truncation, TruncationReason, is_trace};
pub use salvage::{Salvaged, salvage};
pub use writer::TraceWriter;
