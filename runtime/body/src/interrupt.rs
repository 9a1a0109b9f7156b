//! Interruption within long native functions; between operations of a script the interpreter asks.
//!
//! Signals are kept by thread, so that kernels can ask without being handed them. A worker that holds its batch of events is
//! interrupted for a moment, too, when another thread requests the batch ([`heed`]): what it executes then can be begun anew.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rhai::{Dynamic, EvalAltResult, Position};

/// Ends a run from outside, from any thread: no further execution starts, bodies under way are
/// interrupted.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    drain: AtomicBool,
    /// The stop node has executed.
    ended: AtomicBool,
}

impl StopSignal {
    /// Asks the run to end.
    pub fn stop(&self) {
        self.0.stop.store(true, Relaxed);
    }

    /// Returns `true` if the run was asked to end.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.stop.load(Relaxed)
    }

    /// Asks the run to drain: it asks for no more input, and no delayed value is delivered. The run ends when queued values are
    /// processed.
    pub fn drain(&self) {
        self.0.drain.store(true, Relaxed);
    }

    /// The run has begun.
    pub fn begin(&self) {
        self.0.ended.store(false, Relaxed);
    }

    /// The run has come to its end: bodies wait no more.
    pub fn end(&self) {
        self.0.ended.store(true, Relaxed);
    }

    /// Returns `true` if the run was asked to drain.
    pub fn is_draining(&self) -> bool {
        self.0.drain.load(Relaxed)
    }
}

/// Clears a signal, which is used again.
#[inline]
pub fn clear(signal: &StopSignal) {
    signal.0.stop.store(false, Relaxed);
    signal.0.drain.store(false, Relaxed);
    signal.0.ended.store(false, Relaxed);
}

thread_local! {
    static SIGNALS: Signals = Signals::default();
}

/// Signals of one thread: a single thread-local, as each access counts in lowered bodies.
#[derive(Default)]
struct Signals {
    stop: RefCell<StopSignal>,
    request: RefCell<StopSignal>,
    heeds_request: Cell<bool>,
}

/// Sets the signal that ends what this thread does.
pub fn obey(stop: &StopSignal) {
    SIGNALS.with(|signals| signals.stop.replace(stop.clone()));
}

/// Sets the signal by which another thread requests the batch of this thread.
pub fn set_request(request: &StopSignal) {
    SIGNALS.with(|signals| signals.request.replace(request.clone()));
}

/// Selects the signal that interrupts this thread: with `heeds_request` a request for its batch, else the end of the run. Whoever
/// ends the run makes such a request, too.
#[inline]
pub fn heed(heeds_request: bool) {
    SIGNALS.with(|signals| signals.heeds_request.set(heeds_request));
}

/// Calls `act` with the flag that interrupts this thread.
#[inline]
pub fn with_flag<T>(act: impl FnOnce(&AtomicBool) -> T) -> T {
    SIGNALS.with(|signals| {
        let signal = if signals.heeds_request.get() { &signals.request } else { &signals.stop };
        act(&signal.borrow().0.stop)
    })
}

/// Returns `true` if the run was asked to end.
#[inline]
pub fn is_stopped() -> bool {
    SIGNALS.with(|signals| signals.stop.borrow().is_set())
}

/// Returns `true` if nothing is to be waited for any more: the run has ended, or was asked to end.
pub(crate) fn waits_no_more() -> bool {
    SIGNALS.with(|signals| {
        let flags = &signals.stop.borrow().0;
        [&flags.stop, &flags.ended].iter().any(|flag| flag.load(Relaxed))
    })
}

/// Returns `true` if no input is to be waited for any more: the run was asked to drain.
pub(crate) fn is_draining() -> bool {
    SIGNALS.with(|signals| signals.stop.borrow().is_draining())
}

/// Ends a function that is to be interrupted; to be called about every millisecond. A body cannot catch the error.
///
/// # Errors
/// The run was asked to end, or another thread requests the batch of this thread.
#[inline]
pub(crate) fn check() -> Result<(), Box<EvalAltResult>> {
    if with_flag(|flag| flag.load(Relaxed)) {
        return Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::builtin::testing::engine_in;

    #[test]
    fn long_functions_end_when_the_run_does() {
        let (engine, _) = engine_in(Path::new(""));
        let mut scope = rhai::Scope::new();
        let made = engine.run_with_scope(&mut scope, "let m = matrix(600, 600, 1); let k = matrix(3, 3, 1);");
        assert!(made.is_ok());
        let stop = StopSignal::default();
        stop.stop();
        obey(&stop);
        for script in ["m * m", "convolve(m, k)", "m * vector(600)", "random_vector(1)"] {
            let ended = engine.eval_with_scope::<Dynamic>(&mut scope, script);
            let is_interrupted =
                ended.is_err_and(|error| matches!(*error, EvalAltResult::ErrorTerminated(..)));
            assert_eq!(is_interrupted, script != "random_vector(1)", "{script}");
        }
        obey(&StopSignal::default());
    }
}
