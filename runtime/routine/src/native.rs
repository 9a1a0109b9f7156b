//! Functions that are registered in Rust, as routines call them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hasse_model::plan::routine::{Kind, Native, Routine};

/// A function from arguments as words to its answer as one. `None` where it has no answer: an argument is out of its range, or
/// it fails.
pub type NativeFunction = dyn Fn(&[u64]) -> Option<u64> + Send + Sync;

/// A function that a routine calls.
pub(crate) struct Callee {
    function: Arc<NativeFunction>,
    /// How many words it takes.
    pub(crate) n_arguments: usize,
    gives: Kind,
}

impl Callee {
    /// Those of a routine; `None` where there are not as many functions as it calls.
    pub(crate) fn all(routine: &Routine, functions: &[Arc<NativeFunction>]) -> Option<Vec<Self>> {
        let all = routine.natives.iter().zip(functions).map(|(native, function)| Self::new(native, function));
        (routine.natives.len() == functions.len()).then(|| all.collect())
    }

    pub(crate) fn new(native: &Native, function: &Arc<NativeFunction>) -> Self {
        let (function, n_arguments) = (Arc::clone(function), native.signature.takes.len());
        Self { function, n_arguments, gives: native.signature.gives }
    }

    /// Whether it calls that one.
    pub(crate) fn is(&self, function: &Arc<NativeFunction>) -> bool {
        Arc::ptr_eq(&self.function, function)
    }

    /// Its answer. Where it panics there is none: whoever calls it may be machine code, which a panic must not cross, and the
    /// interpreter, which calls it again, says what is wrong.
    #[inline]
    pub(crate) fn call(&self, arguments: &[u64]) -> Option<u64> {
        // What it is given is not touched by a panic, and what it keeps is its own affair, as in the interpreter.
        let answer = catch_unwind(AssertUnwindSafe(|| (self.function)(arguments))).ok()??;
        Some(if self.gives == Kind::Bool { u64::from(answer != 0) } else { answer })
    }
}
