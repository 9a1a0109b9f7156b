//! Writing a trace.

use std::io::{self, Write};

use super::encode::Encoder;
use super::frame::{FrameKind, FrameWriter, KEPT_BYTES, MAGIC};
use super::header::{put_footer, put_header};
use super::varint::Malformed;
use super::{FORMAT_VERSION, TraceFooter, TraceHeader};
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
        out.write_all(&FORMAT_VERSION.to_le_bytes())?;
        let mut frames = FrameWriter::new()?;
        frames.write(&mut out, FrameKind::Header, &content)?;
        Ok(Self { out, encoder: Encoder::default(), frames, content })
    }

    /// Writes a batch.
    ///
    /// # Errors
    /// Where the sink fails. Where the batch is larger than 1 GiB or a value nests too deep,
    /// nothing of it is written and the trace stays whole.
    pub fn write_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.content.clear();
        self.encoder.encode(batch, &mut self.content).map_err(invalid)?;
        self.frames.write(&mut self.out, FrameKind::Batch, &self.content)?;
        self.content.shrink_to(KEPT_BYTES);
        self.encoder.shrink_to(KEPT_BYTES);
        Ok(())
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// Where the sink fails.
    pub fn finish(mut self, footer: &TraceFooter) -> io::Result<W> {
        self.content.clear();
        put_footer(&mut self.content, footer);
        self.frames.write(&mut self.out, FrameKind::Footer, &self.content)?;
        Ok(self.out)
    }
}

fn invalid(Malformed(reason): Malformed) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
