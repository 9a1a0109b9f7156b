//! Signs of life during long work: on standard error, on a terminal only, and not before a second has
//! passed.

use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(200);
const OF_RUN: &str = "{spinner} running for {elapsed}, {human_pos} events recorded";
const OF_INDEX: &str = "{spinner} replaying {human_pos} of {human_len} events for the index {wide_bar}";
const OF_READING: &str = "{spinner} reading {binary_bytes} of {binary_total_bytes} {wide_bar}";

/// A line that says how far the work is. Clones show the same line.
#[derive(Clone)]
pub(crate) struct Progress(Arc<Shared>);

struct Shared {
    /// `None` where nothing is ever shown.
    template: Option<&'static str>,
    n_steps: Option<u64>,
    begun: Instant,
    n_done: AtomicU64,
    line: Mutex<Line>,
}

/// What is on the screen. Whoever writes there takes the line off first, holding the lock.
#[derive(Default)]
struct Line {
    bar: Option<ProgressBar>,
    /// Number of times that the line was asked for or taken back; tells a thread that its request is out of date.
    n_turns: u64,
}

impl Progress {
    /// Shows nothing, ever.
    pub(crate) fn silent() -> Self {
        Self::new(None, None)
    }

    /// Shows the time that a run takes and the number of events counted by [`add`](Self::add).
    pub(crate) fn of_run() -> Self {
        Self::shown(Self::new(None, Some(OF_RUN)))
    }

    /// As [`of_run`](Self::of_run), but only while somebody [waits](Self::wait): a session has a prompt otherwise.
    pub(crate) fn of_session() -> Self {
        Self::new(None, Some(OF_RUN))
    }

    /// Shows how much of a file of so many bytes has been read.
    pub(crate) fn of_reading(n_bytes: u64) -> Self {
        Self::shown(Self::new(Some(n_bytes), Some(OF_READING)))
    }

    /// Shows how many events of a record have been replayed for its index.
    pub(crate) fn of_index(n_events: u64) -> Self {
        Self::shown(Self::new(Some(n_events), Some(OF_INDEX)))
    }

    fn new(n_steps: Option<u64>, template: Option<&'static str>) -> Self {
        let template = template.filter(|_| io::stderr().is_terminal());
        let n_done = AtomicU64::new(0);
        Self(Arc::new(Shared { template, n_steps, begun: Instant::now(), n_done, line: Mutex::default() }))
    }

    fn shown(self) -> Self {
        self.show();
        self
    }

    /// Shows the line until the result is dropped; not before a second has passed.
    pub(crate) fn wait(&self) -> Waiting {
        self.show();
        Waiting(self.clone())
    }

    fn show(&self) {
        let Some(template) = self.0.template else { return };
        let mut line = self.0.line.lock();
        line.n_turns += 1;
        let turn = line.n_turns;
        let shared = Arc::clone(&self.0);
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            let mut line = shared.line.lock();
            if line.n_turns == turn && line.bar.is_none() {
                line.bar = Some(shared.bar(template));
            }
        });
    }

    /// Counts further steps.
    pub(crate) fn add(&self, n_steps: u64) {
        let n_before = self.0.n_done.fetch_add(n_steps, Ordering::Relaxed);
        if self.0.template.is_some()
            && let Some(bar) = &self.0.line.lock().bar
        {
            bar.set_position(n_before + n_steps);
        }
    }

    /// Takes the line off the screen while `print` writes there.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        if self.0.template.is_none() {
            return print();
        }
        // The lock is held, so that the line neither comes nor goes while something is written.
        let line = self.0.line.lock();
        match &line.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the line off the screen.
    pub(crate) fn end(&self) {
        let mut line = self.0.line.lock();
        line.n_turns += 1;
        if let Some(bar) = line.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Shared {
    fn bar(&self, template: &str) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.n_steps, ProgressDrawTarget::stderr())
            .with_elapsed(self.begun.elapsed())
            .with_position(self.n_done.load(Ordering::Relaxed));
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.tick();
        bar.enable_steady_tick(TICK);
        bar
    }
}

/// Shows a line as long as it lives.
pub(crate) struct Waiting(Progress);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Shows how far a file has been read.
pub(crate) struct Watched<R> {
    input: R,
    progress: Progress,
}

impl<R: Read> Watched<R> {
    /// Reads `input` and shows it.
    pub(crate) fn new(input: R, progress: Progress) -> Self {
        Self { input, progress }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.input.read(buffer)?;
        self.progress.add(n_read as u64);
        Ok(n_read)
    }
}

impl<R: Seek> Seek for Watched<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}

impl<R> Drop for Watched<R> {
    fn drop(&mut self) {
        self.progress.end();
    }
}
