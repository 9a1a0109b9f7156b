//! Creation parameters of the main graph that are read again while the run goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hasse_model::value::Value;
use parking_lot::{Condvar, Mutex};

/// Time between two looks at whether a stream of parameters is closed.
const LOOK: Duration = Duration::from_millis(200);

/// Parameters as a line of JSON; clones share it. Graph instances keep those that they were created with.
#[derive(Clone, Debug, Default)]
pub struct LiveParams(Arc<Board>);

#[derive(Debug, Default)]
struct Board {
    state: Mutex<State>,
    has_changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How often they have been set.
    version: u64,
    line: Arc<str>,
    may_change: bool,
}

impl LiveParams {
    /// Lets the parameters change: otherwise a stream ends after its first line.
    #[must_use]
    pub fn changing(self) -> Self {
        self.0.state.lock().may_change = true;
        self
    }

    /// Sets them: a line of JSON.
    pub fn set(&self, line: &str) {
        let mut state = self.0.state.lock();
        state.version += 1;
        state.line = line.into();
        drop(state);
        self.wake();
    }

    /// The parameters, if they have been set more often than `seen`; else waits until they are, or the stream is closed. `()` if
    /// they cannot change.
    pub(crate) fn next(&self, seen: &mut u64, is_closed: &AtomicBool) -> Value {
        let mut state = self.0.state.lock();
        while state.version <= *seen {
            if !state.may_change || is_closed.load(Ordering::Relaxed) {
                return Value::Unit;
            }
            self.0.has_changed.wait_for(&mut state, LOOK);
        }
        *seen = state.version;
        Value::String(Arc::clone(&state.line))
    }

    /// Wakes waiting readers, which then check whether their streams are closed.
    pub(crate) fn wake(&self) {
        self.0.has_changed.notify_all();
    }
}
