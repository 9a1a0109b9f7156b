//! Interruption within long native functions; between operations of a script the interpreter asks.
//!
//! The signal is kept by thread, so that kernels can ask without being handed it.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use rhai::{Dynamic, EvalAltResult, Position};

use crate::run::StopSignal;

thread_local! {
    static STOP: RefCell<StopSignal> = RefCell::default();
}

/// Sets the signal that ends what this thread does.
pub(crate) fn obey(stop: &StopSignal) {
    STOP.set(stop.clone());
}

/// Hands the signal over as it is kept.
pub(crate) fn with_flag<T>(act: impl FnOnce(&AtomicBool) -> T) -> T {
    STOP.with_borrow(|stop| act(stop.flag()))
}

/// Ends a function if the run was asked to end; to be asked about every millisecond. A body cannot
/// catch the error.
///
/// # Errors
/// The run was asked to end.
pub(crate) fn check() -> Result<(), Box<EvalAltResult>> {
    if STOP.with_borrow(StopSignal::is_set) {
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
