//! Evaluation beside bodies: what the debugger asks of an action takes few steps, has no effects, and leaves the
//! budget of the event alone.

use std::cell::Cell;

use rhai::Dynamic;

use crate::memory;

thread_local! {
    /// Most steps of what is evaluated beside bodies on this thread; `u64::MAX` while nothing is.
    static MOST_STEPS: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Evaluates something that may take so many steps of the interpreter.
pub(crate) fn evaluate<T>(most_steps: u64, work: impl FnOnce() -> T) -> T {
    let _restored = Restored(MOST_STEPS.replace(most_steps));
    memory::aside(work)
}

/// Puts the limit back, also after a panic.
struct Restored(u64);

impl Drop for Restored {
    fn drop(&mut self) {
        MOST_STEPS.set(self.0);
    }
}

/// Whether this thread evaluates something beside bodies.
pub(crate) fn is_on() -> bool {
    MOST_STEPS.get() != u64::MAX
}

/// What ends an evaluation that takes more steps than it may; asked at every operation.
pub(crate) fn excess(n_steps: u64) -> Option<Dynamic> {
    let most_steps = MOST_STEPS.get();
    (n_steps > most_steps).then(|| Dynamic::from(format!("it takes more than {most_steps} steps")))
}
