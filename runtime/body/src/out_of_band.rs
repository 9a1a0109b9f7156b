//! Out-of-band evaluation for the debugger: its expressions take a bounded number of steps, have no effects, and leave the
//! budget of the event alone.
//!
//! Steps are counted here and not by the interpreter, which counts those of a closure anew each time that a native
//! function calls it.

use std::cell::Cell;

use rhai::Dynamic;

use crate::memory;

/// Steps that an evaluation may still take.
#[derive(Clone, Copy)]
struct Allowance {
    most_steps: u64,
    n_left: u64,
}

thread_local! {
    /// Allowance of this thread's out-of-band evaluation; `None` while there is none.
    static ALLOWANCE: Cell<Option<Allowance>> = const { Cell::new(None) };
}

/// Runs an evaluation that may take up to `most_steps` steps of the interpreter.
pub fn evaluate<T>(most_steps: u64, work: impl FnOnce() -> T) -> T {
    let _restored = Restored(ALLOWANCE.replace(Some(Allowance { most_steps, n_left: most_steps })));
    memory::aside(work)
}

/// Puts the allowance back, also after a panic.
struct Restored(Option<Allowance>);

impl Drop for Restored {
    fn drop(&mut self) {
        ALLOWANCE.set(self.0);
    }
}

/// Returns `true` while this thread evaluates out of band.
pub(crate) fn is_on() -> bool {
    ALLOWANCE.get().is_some()
}

/// What ends an evaluation that takes more steps than it may; to be asked once at every step.
pub(crate) fn excess() -> Option<Dynamic> {
    let allowance = ALLOWANCE.get()?;
    let Some(n_left) = allowance.n_left.checked_sub(1) else {
        return Some(Dynamic::from(format!("it takes more than {} steps", allowance.most_steps)));
    };
    ALLOWANCE.set(Some(Allowance { n_left, ..allowance }));
    None
}
