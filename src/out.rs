//! Standard output that may be closed at the other end.
//!
//! A reader such as `head` leaves when it has seen enough. What is written afterwards is dropped
//! without an error, so that a command still ends with the exit code of what it found.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

/// Standard output, buffered. To be flushed by [`Out::close`].
pub(crate) struct Out {
    stream: BufWriter<Lenient>,
}

struct Lenient {
    stdout: Stdout,
    is_closed: bool,
}

impl Out {
    /// Standard output.
    pub(crate) fn new() -> Self {
        Self { stream: BufWriter::new(Lenient { stdout: io::stdout(), is_closed: false }) }
    }

    /// Whether nobody reads any more, as far as has been noticed.
    pub(crate) fn is_closed(&self) -> bool {
        self.stream.get_ref().is_closed
    }

    /// Writes what is still buffered.
    pub(crate) fn close(mut self) -> io::Result<()> {
        self.flush()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Write for Lenient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        match self.stdout.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.stdout.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            flushed => flushed,
        }
    }
}
