//! Lines for a person at a terminal: printed above the line that is being edited, and what happens to a run meanwhile.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;

use hasse_runtime::control::{ActionState, Control};
use parking_lot::{Condvar, Mutex};
use rustyline::ExternalPrinter;

use super::wording;

/// Standard output of a session at a terminal. Clones are the same one.
#[derive(Clone)]
pub(super) struct Console(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Whether it is known that the run is at rest or over.
    is_rest_said: AtomicBool,
    /// Whether a run without control is over.
    is_over: AtomicBool,
}

#[derive(Default)]
struct State {
    is_editing: bool,
    /// Lines that wait for the thread that prints above the prompt. Bound: what a run prints while the terminal is slower.
    lines: VecDeque<String>,
    is_closed: bool,
}

impl Console {
    /// A console that prints at once, until it is [started](Self::start).
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    /// Starts the threads that print above the prompt, and announce there what happens to the runs of `control`.
    pub(super) fn start<'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        mut printer: impl ExternalPrinter + Send + 'scope,
        control: &Control,
    ) {
        let console = self.clone();
        // A thread of its own: the editor takes one text at a time, and none when a line has just been entered. Nobody
        // else may wait for that.
        scope.spawn(move || {
            while let Some(text) = console.next_text() {
                // A terminal that is gone ends the session by its input.
                let _ = printer.print(text);
            }
        });
        let (console, control) = (self.clone(), control.clone());
        scope.spawn(move || {
            let mut n_seen = 0;
            loop {
                n_seen = control.wait_for_change(n_seen);
                if console.0.state.lock().is_closed {
                    return;
                }
                if console.0.state.lock().is_editing {
                    for line in console.announcements(&control) {
                        let _ = console.print(&line);
                    }
                }
            }
        });
    }

    /// Ends the threads.
    pub(super) fn close(&self, control: &Control) {
        self.0.state.lock().is_closed = true;
        self.0.changed.notify_all();
        control.nudge();
    }

    /// Lines of text for the printer, as one; `None` when the session is over.
    fn next_text(&self) -> Option<String> {
        let mut state = self.0.state.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if state.is_editing && !state.lines.is_empty() {
                return Some(state.lines.drain(..).map(|line| line + "\n").collect());
            }
            self.0.changed.wait(&mut state);
        }
    }

    /// Prints a line.
    ///
    /// # Errors
    /// Standard output is closed.
    pub(super) fn print(&self, line: &str) -> io::Result<()> {
        let mut state = self.0.state.lock();
        if state.is_editing {
            state.lines.push_back(line.to_owned());
            self.0.changed.notify_all();
            return Ok(());
        }
        // The lock is held, so that no line is edited meanwhile.
        writeln!(io::stdout().lock(), "{line}")
    }

    /// A line is edited until the result is dropped.
    pub(super) fn edit(&self) -> Editing {
        self.0.state.lock().is_editing = true;
        self.0.changed.notify_all();
        Editing(self.clone())
    }

    /// A run goes on: that it rests has not been said.
    pub(super) fn run_goes_on(&self) {
        self.0.is_rest_said.store(false, Ordering::Relaxed);
        self.0.is_over.store(false, Ordering::Relaxed);
    }

    /// Somebody has been shown that the run rests.
    pub(super) fn rest_is_said(&self) {
        self.0.is_rest_said.store(true, Ordering::Relaxed);
    }

    /// The thread of a run has ended.
    pub(super) fn run_is_over(&self, control: &Control) {
        self.0.is_over.store(true, Ordering::Relaxed);
        control.nudge();
    }

    /// What has happened to a run that nobody waits for: stops, rest and end, each once.
    pub(super) fn announcements(&self, control: &Control) -> Vec<String> {
        let mut lines: Vec<String> = control.take_news().iter().map(wording::news).collect();
        let is_over = self.0.is_over.load(Ordering::Relaxed) || control.report().is_some();
        let is_resting = is_over || !control.state().is_busy();
        if !is_resting || self.0.is_rest_said.swap(true, Ordering::Relaxed) {
            return lines;
        }
        if is_over {
            lines.push("the run is over: `wait` shows what came of it".to_owned());
        } else if let Ok(actions) = control.ask(|inspector| inspector.actions()) {
            let is_stopped = |state: &ActionState| matches!(state, ActionState::Stopped(_));
            let n_stopped = actions.iter().filter(|action| is_stopped(&action.state)).count();
            lines.push(wording::global(control.state(), n_stopped));
        }
        lines
    }
}

/// A line that is being edited.
pub(super) struct Editing(Console);

impl Drop for Editing {
    fn drop(&mut self) {
        let mut state = self.0.0.state.lock();
        state.is_editing = false;
        let lines = std::mem::take(&mut state.lines);
        let mut out = io::stdout().lock();
        // Where standard output is closed, the session ends by itself.
        lines.iter().for_each(|line| drop(writeln!(out, "{line}")));
    }
}
