//! Locks that are held for a few instructions only, and that nobody waits for in a body.

use std::cell::Cell;
use std::thread;

/// A lock for data that are touched for each value: half the price of one that can put its thread to sleep.
pub(crate) type Brief<T> = spin::mutex::SpinMutex<T, Patient>;

/// What is locked so.
pub(crate) type BriefGuard<'l, T> = spin::mutex::SpinMutexGuard<'l, T, Patient>;

/// So many looks are as long as a lock is mostly held; to give the processor up takes longer.
const LOOKS: u32 = 32;

thread_local! {
    static N_LOOKS: Cell<u32> = const { Cell::new(0) };
}

/// Who finds a lock taken looks again a few times, then gives the processor up, as its holder may be one that was put aside.
pub(crate) struct Patient;

impl spin::RelaxStrategy for Patient {
    #[inline]
    fn relax() {
        let n_looks = N_LOOKS.get().wrapping_add(1);
        N_LOOKS.set(n_looks);
        if n_looks.is_multiple_of(LOOKS) {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}
