//! Lines that are written by a thread of their own, so that a slow reader holds no worker.
//!
//! A writer does not wait while there is room in the queue. Beyond, it waits until its line is written. An error is reported to the
//! writers after it.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use hasse_model::value::Value;
use parking_lot::Mutex;

use super::{Pending, Promise};

/// Maximum number of bytes that are queued before writers wait.
const ROOM: usize = 1 << 20;

/// A thread that writes lines.
#[derive(Debug)]
pub(crate) struct Sink {
    /// None once nothing more is written.
    lines: Mutex<Option<Sender<Line>>>,
    state: Arc<Mutex<State>>,
    /// Disconnected when the thread has ended.
    ended: Receiver<()>,
}

#[derive(Debug)]
struct Line {
    text: String,
    /// Whoever waits until it is written.
    writer: Option<Promise>,
}

#[derive(Debug, Default)]
struct State {
    n_queued: usize,
    error: Option<String>,
}

impl Sink {
    /// A thread that calls `write` for each line, and with `None` when no more come.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(
        mut write: impl FnMut(Option<&str>) -> Result<(), String> + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, lines) = unbounded::<Line>();
        let (end, ended) = bounded(0);
        let state = Arc::new(Mutex::new(State::default()));
        let of_thread = Arc::clone(&state);
        thread::Builder::new().name("hasse-sink".to_owned()).spawn(move || {
            for Line { text, writer } in lines {
                let error = of_thread.lock().error.clone();
                let written = error.map_or_else(|| write(Some(&text)), Err);
                let mut state = of_thread.lock();
                state.n_queued -= text.len();
                state.error = written.clone().err();
                drop(state);
                if let Some(writer) = writer {
                    writer.keep(written.map(|()| Value::Unit));
                }
            }
            // No writer is left to report an error to.
            let _ = write(None);
            drop::<Sender<()>>(end);
        })?;
        Ok(Self { lines: Mutex::new(Some(sender)), state, ended })
    }

    /// Writes a line. The answer comes at once while there is room.
    ///
    /// # Errors
    /// An earlier line could not be written, or the sink was ended.
    pub(crate) fn write(&self, line: &str) -> Result<Pending, String> {
        let lines = self.lines.lock();
        let lines = lines.as_ref().ok_or("its input was ended")?;
        let mut state = self.state.lock();
        if let Some(error) = &state.error {
            return Err(error.clone());
        }
        state.n_queued += line.len();
        let has_room = state.n_queued <= ROOM;
        drop(state);
        let (promise, promised) = Promise::new();
        let (now, writer) = if has_room { (Some(promise), None) } else { (None, Some(promise)) };
        if let Some(promise) = now {
            promise.keep(Ok(Value::Unit));
        }
        let _ = lines.send(Line { text: line.to_owned(), writer });
        Ok(Pending::Promised(promised))
    }

    /// Writes what is queued and ends.
    pub(crate) fn end(&self) {
        *self.lines.lock() = None;
    }

    /// Waits until all is written, but no longer than `until`. Returns true if all is.
    pub(crate) fn wait(&self, until: Instant) -> bool {
        self.ended
            .recv_deadline(until)
            .is_err_and(|error| error == crossbeam_channel::RecvTimeoutError::Disconnected)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use parking_lot::Mutex;

    use super::{ROOM, Sink};
    use crate::clock::Clock;

    #[test]
    fn writer_waits_when_the_queue_is_full() {
        let (go_on, may_write) = crossbeam_channel::unbounded::<()>();
        let written = Arc::new(Mutex::new(Vec::new()));
        let of_thread = Arc::clone(&written);
        let sink = Sink::start(move |line| {
            let _ = may_write.recv();
            of_thread.lock().push(line.map(str::len));
            Ok(())
        })
        .unwrap();
        let clock = Clock::new(false);
        let (large, small) = ("x".repeat(ROOM), "y");
        assert!(sink.write(&large).unwrap().come(&clock).is_some());
        let waiting = sink.write(small).unwrap();
        assert!(waiting.come(&clock).is_none());
        drop(go_on);
        assert!(waiting.block(&clock, None, false).is_ok());
        sink.end();
        assert!(sink.write(small).is_err());
        assert!(sink.wait(Instant::now() + Duration::from_secs(60)));
        assert_eq!(*written.lock(), [Some(ROOM), Some(1), None]);
    }

    #[test]
    fn error_is_reported_to_later_writers() {
        let sink = Sink::start(|_| Err("gone".to_owned())).unwrap();
        let clock = Clock::new(false);
        assert!(sink.write(&"x".repeat(ROOM + 1)).unwrap().block(&clock, None, false).is_err());
        assert_eq!(sink.write("y").unwrap_err(), "gone");
    }
    #[cfg(target_os = "linux")]
    #[test]
    fn full_device_is_an_error_of_writers() {
        use std::io::Write;

        let mut full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let sink = Sink::start(move |line| match line {
            Some(line) => full.write_all(line.as_bytes()).map_err(|error| error.to_string()),
            None => Ok(()),
        });
        let sink = sink.unwrap();
        let clock = Clock::new(false);
        let until = Instant::now() + Duration::from_secs(60);
        // The first line is queued. Writers after its failure get the error.
        let error = loop {
            match sink.write("x") {
                Err(error) => break error,
                Ok(written) => written.block(&clock, None, false).unwrap(),
            };
            assert!(Instant::now() < until);
        };
        assert!(error.contains("No space left on device"), "{error}");
        let error = sink.write(&"x".repeat(ROOM + 1)).unwrap_err();
        assert!(error.contains("No space left on device"), "{error}");
    }
}
