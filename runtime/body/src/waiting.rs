//! Answers that are not there yet: a moment, a line of input, a reply from the network.
//!
//! A body that asks for one does not keep its worker: the event is rolled back to the beginning of its body and put aside
//! ([`ScriptEnd::Waits`](crate::script::ScriptEnd::Waits)). When the answer has come, the body is executed again. It is given the same
//! answers as before, and so comes to the same question. The question blocks its worker in bodies that are stepped through, in runs with a
//! seed or decisions, in isolated events, in bodies in Rust, and after long computations.

/// Answers that come one after the other.
pub(crate) mod feed;
/// Lines that are written by a thread of their own.
pub(crate) mod sink;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hasse_model::value::Value;
use parking_lot::{Condvar, Mutex};

use crate::clock::Clock;
use crate::interrupt;

/// Functions of the library that may have to wait.
pub const WAITING: &[&str] = &[
    "accept",
    "connect",
    "http_get",
    "http_next",
    "http_post",
    "http_reply",
    "http_request",
    "process_status",
    "read_line",
    "run_command",
    "sleep",
    "sql",
    "write_line",
];

/// Time between two looks whether the run was asked to end or to drain.
const PATIENCE: Duration = Duration::from_millis(20);

/// An answer, or an error that the body is given.
pub type Answer = Result<Value, String>;

/// Called once, when an answer has come.
type Wake = Box<dyn FnOnce() + Send>;

/// An answer that is to come.
#[derive(Debug)]
pub enum Pending {
    /// `()` at a time of the run's clock, in nanoseconds.
    At(u64),
    /// From another thread.
    Promised(Promised),
}

/// An answer that another thread has promised.
#[derive(Debug)]
pub struct Promised {
    slot: Arc<Slot>,
    /// The answer is the next input, which may never come.
    is_input: bool,
}

/// Sending half of an answer. Dropped without an answer, it answers with an error.
#[derive(Debug)]
pub struct Promise(Option<Arc<Slot>>);

#[derive(Default)]
struct Slot {
    held: Mutex<Held>,
    has_come: Condvar,
}

#[derive(Default)]
struct Held {
    answer: Option<Answer>,
    wake: Option<Wake>,
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}

impl Promise {
    /// A promise, and the answer promised.
    pub fn new() -> (Self, Promised) {
        let slot = Arc::new(Slot::default());
        (Self(Some(Arc::clone(&slot))), Promised { slot, is_input: false })
    }

    /// Returns true if somebody still waits for the answer.
    pub fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|slot| Arc::strong_count(slot) > 1)
    }

    /// Gives the answer.
    pub fn keep(mut self, answer: Answer) {
        if let Some(slot) = self.0.take() {
            slot.put(answer);
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            slot.put(Err("the stream was closed".to_owned()));
        }
    }
}

impl Slot {
    fn put(&self, answer: Answer) {
        let mut held = self.held.lock();
        held.answer = Some(answer);
        let wake = held.wake.take();
        drop(held);
        self.has_come.notify_all();
        if let Some(wake) = wake {
            wake();
        }
    }
}

impl Promised {
    /// The same answer, which is the next input.
    fn of_input(self) -> Self {
        Self { is_input: true, ..self }
    }

    /// Calls `wake` when the answer has come, on the thread that gives it; at once if it has come already.
    pub fn when_come(&self, wake: impl FnOnce() + Send + 'static) {
        let mut held = self.slot.held.lock();
        if held.answer.is_none() {
            held.wake = Some(Box::new(wake));
            return;
        }
        drop(held);
        wake();
    }
}

impl Pending {
    /// Returns true if the answer has come.
    pub fn has_come(&self, clock: &Clock) -> bool {
        match self {
            Self::At(nanos) => clock.nanos() >= *nanos,
            Self::Promised(Promised { slot, .. }) => slot.held.lock().answer.is_some(),
        }
    }

    /// The answer, if it has come. To be called no more after that.
    pub(crate) fn come(&self, clock: &Clock) -> Option<Answer> {
        match self {
            Self::At(nanos) => (clock.nanos() >= *nanos).then_some(Ok(Value::Unit)),
            Self::Promised(Promised { slot, .. }) => slot.held.lock().answer.take(),
        }
    }

    /// Returns true if it is the next input, which may never come.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Promised(Promised { is_input: true, .. }))
    }

    /// Waits for the answer on this thread, at most until `deadline` in nanoseconds. Virtual time advances to the moment. `ends_with_drain`:
    /// a run that drains does not wait for it.
    pub(crate) fn block(self, clock: &Clock, deadline: Option<u64>, ends_with_drain: bool) -> Answer {
        let is_too_late = || deadline.is_some_and(|deadline| clock.nanos() >= deadline);
        let is_over = || interrupt::waits_no_more() || ends_with_drain && interrupt::is_draining();
        match self {
            Self::At(nanos) => {
                let end = deadline.map_or(nanos, |deadline| nanos.min(deadline));
                clock.advance(end);
                while let Some(left) = end.checked_sub(clock.nanos()).filter(|left| *left > 0) {
                    if is_over() {
                        return Err(CUT_OFF.to_owned());
                    }
                    std::thread::sleep(Duration::from_nanos(left).min(PATIENCE));
                }
                if end < nanos { Err(TOO_LATE.to_owned()) } else { Ok(Value::Unit) }
            }
            Self::Promised(Promised { slot, .. }) => {
                let mut held = slot.held.lock();
                loop {
                    if let Some(answer) = held.answer.take() {
                        return answer;
                    }
                    if is_over() {
                        return Err(CUT_OFF.to_owned());
                    }
                    if is_too_late() {
                        return Err(TOO_LATE.to_owned());
                    }
                    slot.has_come.wait_for(&mut held, PATIENCE);
                }
            }
        }
    }
}

/// Error of a question that the end of the run, or its draining, has interrupted.
pub(crate) const CUT_OFF: &str = "the run was asked to end";

/// Error of a question whose event was cancelled meanwhile.
pub(crate) const CANCELLED: &str = "the event was cancelled";

/// Error of a question that has not been answered before the deadline of the event.
pub(crate) const TOO_LATE: &str = "the deadline of the event has passed";

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Clock, Pending, Promise, Value};

    #[test]
    fn promised_answer_wakes_once() {
        let n_woken = Arc::new(AtomicUsize::new(0));
        let counted = |n_woken: &Arc<AtomicUsize>| {
            let n_woken = Arc::clone(n_woken);
            move || {
                n_woken.fetch_add(1, Ordering::Relaxed);
            }
        };
        let (promise, promised) = Promise::new();
        promised.when_come(counted(&n_woken));
        assert!(promise.is_wanted());
        promise.keep(Ok(Value::Int(1)));
        promised.when_come(counted(&n_woken));
        assert_eq!(n_woken.load(Ordering::Relaxed), 2);
        let clock = Clock::new(false);
        assert_eq!(Pending::Promised(promised).come(&clock), Some(Ok(Value::Int(1))));
    }

    #[test]
    fn broken_promise_is_an_error() {
        let (promise, promised) = Promise::new();
        drop(promise);
        assert!(Pending::Promised(promised).block(&Clock::new(false), None, false).is_err());
        let (promise, promised) = Promise::new();
        drop(promised);
        assert!(!promise.is_wanted());
    }

    #[test]
    fn virtual_time_advances_to_the_moment() {
        let clock = Clock::new(true);
        assert_eq!(Pending::At(5).come(&clock), None);
        assert!(Pending::At(5).block(&clock, Some(3), false).is_err());
        assert_eq!(clock.nanos(), 3);
        assert_eq!(Pending::At(5).block(&clock, Some(7), false), Ok(Value::Unit));
        assert_eq!(clock.nanos(), 5);
        assert_eq!(Pending::At(5).come(&clock), Some(Ok(Value::Unit)));
    }
}
