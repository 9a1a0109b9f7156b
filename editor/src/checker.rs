//! Compiles the program beside the window: a thread that always takes the newest text.
//!
//! There is room for one text that waits and one result that waits: a text that was handed in while another is
//! compiled takes the place of the one that waits, so that nothing is ever compiled when a newer text is there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use hasse_model::function::FunctionTable;

use crate::problems::Problems;

/// What the worker and its owner share.
struct Shared<R> {
    state: Mutex<State<R>>,
    /// Something has changed.
    changed: Condvar,
}

struct State<R> {
    /// The text to be compiled next.
    waiting: Option<(u64, String)>,
    /// The newest result that nobody has taken.
    done: Option<(u64, R)>,
    is_working: bool,
    has_ended: bool,
}

/// A worker that checks texts; by default with the compiler.
pub struct Checker<R = Problems> {
    shared: Arc<Shared<R>>,
    worker: Option<JoinHandle<()>>,
    newest: Option<u64>,
}

impl Checker {
    /// A checker that compiles; `functions` lists what bodies may call.
    pub fn new(functions: FunctionTable) -> Self {
        Self::with(move |text| Problems::of(text, &functions))
    }
}

impl<R: Send + 'static> Checker<R> {
    /// A checker that does something else with texts. Where `check` panics, the text has no result, and the worker goes
    /// on with the next one.
    pub fn with(mut check: impl FnMut(&str) -> R + Send + 'static) -> Self {
        let state = State { waiting: None, done: None, is_working: false, has_ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let worker = thread::spawn(move || {
            while let Some((revision, text)) = own.take() {
                let result = catch_unwind(AssertUnwindSafe(|| check(&text))).ok();
                own.give(revision, result);
            }
        });
        Self { shared, worker: Some(worker), newest: None }
    }

    /// Hands in a text, in place of the one that waits. A revision that is not newer than one handed in before is
    /// passed over.
    pub fn submit(&mut self, revision: u64, text: &str) {
        if self.newest.is_some_and(|newest| revision <= newest) {
            return;
        }
        self.newest = Some(revision);
        self.shared.lock().waiting = Some((revision, text.to_owned()));
        self.shared.changed.notify_all();
    }

    /// The newest result since the last time, with its revision. It may be of an older text than the newest one.
    pub fn poll(&self) -> Option<(u64, R)> {
        self.shared.lock().done.take()
    }

    /// Waits until the newest text is checked; `None` where nothing was handed in since the last result, or it has none.
    pub fn wait(&self) -> Option<(u64, R)> {
        let mut state = self.shared.lock();
        while state.waiting.is_some() || state.is_working {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.done.take()
    }
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a text; `None` at the end.
    fn take(&self) -> Option<(u64, String)> {
        let mut state = self.lock();
        loop {
            if state.has_ended {
                return None;
            }
            if let Some(next) = state.waiting.take() {
                state.is_working = true;
                return Some(next);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give(&self, revision: u64, result: Option<R>) {
        let mut state = self.lock();
        state.is_working = false;
        // A result of an older text says nothing about one that has none.
        state.done = result.map(|result| (revision, result));
        self.changed.notify_all();
    }
}

/// Ends the worker once it is through with the text under way.
impl<R> Drop for Checker<R> {
    fn drop(&mut self) {
        self.shared.lock().has_ended = true;
        self.shared.changed.notify_all();
        if let Some(worker) = self.worker.take() {
            // It catches the panics of what it calls.
            let _ = worker.join();
        }
    }
}
