//! Lines of standard input, read by a thread of their own, so that the end of the run interrupts whoever waits for one.
//! Whoever else reads lines in the same process asks here, too: an interrupted body may have left the thread reading.

use std::io;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use parking_lot::Mutex;

use crate::interrupt;

/// Time between two looks whether the run was asked to end.
const PATIENCE: Duration = Duration::from_millis(20);

/// The thread that reads.
struct Reader {
    wanted: Sender<()>,
    lines: Receiver<io::Result<Option<String>>>,
    /// A line is being read that nobody has taken: whoever wanted it was interrupted. The next one gets it.
    is_reading: bool,
}

/// One for the process, as there is one standard input. It reads no line before one is wanted.
static READER: Mutex<Option<Reader>> = Mutex::new(None);

/// The next line with its end; `None` at the end of the input.
///
/// # Errors
/// It cannot be read, or is not UTF-8; the run was asked to end.
pub fn next_line() -> io::Result<Option<String>> {
    let mut reader = loop {
        match READER.try_lock_for(PATIENCE) {
            Some(reader) => break reader,
            None if interrupt::is_stopped() => return Err(io::ErrorKind::Interrupted.into()),
            None => {}
        }
    };
    let started = match reader.take() {
        Some(started) => started,
        None => start()?,
    };
    let reader = reader.insert(started);
    if !reader.is_reading {
        reader.wanted.send(()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        reader.is_reading = true;
    }
    loop {
        match reader.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                reader.is_reading = false;
                return line;
            }
            Err(RecvTimeoutError::Timeout) if interrupt::is_stopped() => {
                return Err(io::ErrorKind::Interrupted.into());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

fn start() -> io::Result<Reader> {
    let ((wanted, wishes), (read, lines)) = (bounded(1), bounded(1));
    thread::Builder::new().name("hasse-stdin".to_owned()).spawn(move || {
        for () in wishes {
            let mut line = String::new();
            let n_bytes = io::stdin().read_line(&mut line);
            if read.send(n_bytes.map(|n_bytes| (n_bytes > 0).then_some(line))).is_err() {
                break;
            }
        }
    })?;
    Ok(Reader { wanted, lines, is_reading: false })
}
