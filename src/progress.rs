//! Signs of life during long work: on standard error, on a terminal only, and not before a second has
//! passed.

use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(200);

/// A line that says how far the work is. Clones show the same line.
#[derive(Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Shows nothing, ever.
    pub(crate) fn silent() -> Self {
        Self(ProgressBar::hidden())
    }

    /// Shows the time that a run takes and the number of events counted by [`add`](Self::add).
    pub(crate) fn of_run() -> Self {
        Self::started(None, "{spinner} running for {elapsed}, {human_pos} events recorded")
    }

    /// Shows how much of a file of so many bytes has been read.
    pub(crate) fn of_reading(n_bytes: u64) -> Self {
        Self::started(Some(n_bytes), "{spinner} reading {binary_bytes} of {binary_total_bytes} {wide_bar}")
    }

    fn started(n_steps: Option<u64>, template: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self::silent();
        }
        let bar = ProgressBar::with_draw_target(n_steps, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let shown = bar.clone();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if !shown.is_finished() {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self(bar)
    }

    /// Counts further steps.
    pub(crate) fn add(&self, n_steps: u64) {
        self.0.inc(n_steps);
    }

    /// Takes the line off the screen while `print` writes there.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Takes the line off the screen for good.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
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
