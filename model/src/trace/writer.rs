//! Writing a trace.

use std::io::{self, Write};

use super::encode::Encoder;
use super::frame::{FrameKind, FrameWriter, KEPT_BYTES, MAGIC};
use super::header::{TraceFooter, TraceHeader, put_footer, put_header};
use super::index::put_index;
use super::reader::RawBatch;
use crate::encoding::varint::Malformed;
use crate::event::EventBatch;

/// Writes a trace, one frame a batch, flushed.
///
/// ```
/// use hasse_model::event::EventBatch;
/// use hasse_model::trace::{TraceFooter, TraceHeader, TraceReader, TraceWriter};
///
/// let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default())?;
/// writer.write_batch(&EventBatch::default())?;
/// let bytes = writer.finish(&TraceFooter::default())?;
///
/// let mut reader = TraceReader::open(&bytes[..]).expect("a trace");
/// assert_eq!(reader.next_batch().expect("readable"), Some(EventBatch::default()));
/// assert_eq!(reader.next_batch().expect("readable"), None);
/// assert_eq!(reader.footer(), Some(&TraceFooter::default()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TraceWriter<W: Write> {
    out: W,
    encoder: Encoder,
    frames: FrameWriter,
    content: Vec<u8>,
    /// Length and number of events of each batch, for the index. Bound: eight bytes for thousands of events.
    written: Vec<(u32, u32)>,
}

impl<W: Write> TraceWriter<W> {
    /// Starts a trace. Each frame is handed to `out` in two writes and then flushed.
    ///
    /// # Errors
    /// Where `out` fails, or where the header is larger than 1 GiB or a parameter nests too deep.
    pub fn new(mut out: W, header: &TraceHeader) -> io::Result<Self> {
        let mut content = Vec::new();
        put_header(&mut content, header).map_err(invalid)?;
        out.write_all(&MAGIC)?;
        out.write_all(&header.format_version().to_le_bytes())?;
        let mut frames = FrameWriter::new()?;
        frames.write(&mut out, FrameKind::Header, &content, 0)?;
        Ok(Self { out, encoder: Encoder::default(), frames, content, written: Vec::new() })
    }

    /// Writes a batch. One with a cut and no events tells of a set of actions: it is written in the order of their ids, in
    /// which it takes a fraction of the room.
    ///
    /// # Errors
    /// Where the sink fails. Where the batch is larger than 1 GiB or a value nests too deep,
    /// nothing of it is written and the trace stays whole.
    pub fn write_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        if batch.cut.is_some() && !batch.is_in_order() && batch.n_events() == 0 {
            return self.write_batch(&batch.in_order());
        }
        self.content.clear();
        self.encoder.encode(batch, &mut self.content).map_err(invalid)?;
        let n_events = batch.n_events();
        let n_bytes = self.frames.write(&mut self.out, FrameKind::Batch, &self.content, n_events)?;
        self.written.push((n_bytes as u32, n_events as u32));
        self.content.shrink_to(KEPT_BYTES);
        self.encoder.shrink_to(KEPT_BYTES);
        Ok(())
    }

    /// Writes a batch as it was read from another trace.
    ///
    /// # Errors
    /// Where the sink fails.
    pub fn write_raw(&mut self, batch: &RawBatch) -> io::Result<()> {
        let n_bytes = self.frames.write_raw(&mut self.out, &batch.frame)?;
        self.written.push((n_bytes as u32, batch.n_events()));
        Ok(())
    }

    /// The sink.
    pub fn get_ref(&self) -> &W {
        &self.out
    }

    /// Leaves the trace as it is, without an end, as a run leaves it that is cut off.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Ends the trace: writes the index of its batches and the footer.
    ///
    /// # Errors
    /// Where the sink fails.
    pub fn finish(mut self, footer: &TraceFooter) -> io::Result<W> {
        self.content.clear();
        put_index(&mut self.content, &self.written);
        let n_index_bytes = self.frames.write(&mut self.out, FrameKind::Index, &self.content, 0)?;
        self.content.clear();
        put_footer(&mut self.content, footer);
        self.frames.write_footer(&mut self.out, &self.content, n_index_bytes)?;
        Ok(self.out)
    }
}

fn invalid(Malformed(reason): Malformed) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
