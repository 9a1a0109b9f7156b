//! Interruption within long native functions; between operations of a script the interpreter asks.
//!
//! Signals are kept by thread, so that kernels can ask without being handed them. A worker that holds its batch of events is
//! interrupted for a moment, too, when the batch is asked for ([`heed`]): what it executes then can be begun anew.

use std::cell::{Cell, RefCell};
use std::sync::atomic::AtomicBool;

use rhai::{Dynamic, EvalAltResult, Position};

use crate::run::StopSignal;

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
pub(crate) fn obey(stop: &StopSignal) {
    SIGNALS.with(|signals| signals.stop.replace(stop.clone()));
}

/// Sets the signal by which the batch of this thread is asked for.
pub(crate) fn set_request(request: &StopSignal) {
    SIGNALS.with(|signals| signals.request.replace(request.clone()));
}

/// Sets whether this thread is interrupted by a request for its batch, and not by the end of the run: whoever ends the run makes
/// such a request, too.
#[inline]
pub(crate) fn heed(heeds_request: bool) {
    SIGNALS.with(|signals| signals.heeds_request.set(heeds_request));
}

/// Hands over the signal that interrupts.
pub(crate) fn with_flag<T>(act: impl FnOnce(&AtomicBool) -> T) -> T {
    SIGNALS.with(|signals| {
        let signal = if signals.heeds_request.get() { &signals.request } else { &signals.stop };
        act(signal.borrow().flag())
    })
}

/// Whether the run was asked to end.
pub(crate) fn is_stopped() -> bool {
    SIGNALS.with(|signals| signals.stop.borrow().is_set())
}

/// Ends a function if it is to be interrupted; to be asked about every millisecond. A body cannot catch the error.
///
/// # Errors
/// The run was asked to end, or the batch of this thread is asked for.
pub(crate) fn check() -> Result<(), Box<EvalAltResult>> {
    if with_flag(|flag| flag.load(std::sync::atomic::Ordering::Relaxed)) {
        return Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::body::native::testing::engine_in;

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
