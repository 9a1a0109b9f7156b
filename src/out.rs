//! Standard output that may be closed at the other end.
//!
//! A reader such as `head` leaves when it has seen enough. What is written afterwards is dropped
//! without an error, so that a command still ends with the exit code of what it found.

use crate::fault::Fault;
use crate::progress::Progress;
use hasse_runtime::run::{Output, StopSignal};
use serde::Serialize;
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

/// Prints the one JSON value of a command.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Fault> {
    let mut out = Out::new();
    let written = serde_json::to_writer(&mut out, value).map_err(io::Error::from);
    written.and_then(|()| writeln!(out)).and_then(|()| out.close()).map_err(Fault::Stdout)
}

/// Takes in what the program prints. Once nobody reads it any more, the run is asked to end.
pub(crate) fn output(to_stderr: bool, stop: &StopSignal, progress: Progress) -> Output {
    let stop = stop.clone();
    Box::new(move |line| {
        let written = progress.suspend(|| {
            if to_stderr {
                writeln!(io::stderr().lock(), "{line}")
            } else {
                writeln!(io::stdout().lock(), "{line}")
            }
        });
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            stop.stop();
        }
    })
}
