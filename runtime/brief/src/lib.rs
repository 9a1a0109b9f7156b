//! Locks that are held for a few instructions only, and that nobody waits for in a body.
//!
//! May know nothing of the workspace.

use std::cell::Cell;
use std::thread;

/// A lock for data that are touched for each value: half the price of one that can put its thread to sleep.
pub type Brief<T> = spin::mutex::SpinMutex<T, Patient>;

/// Access to the data of a [`Brief`] lock until it is dropped.
pub type BriefGuard<'l, T> = spin::mutex::SpinMutexGuard<'l, T, Patient>;

/// So many looks are as long as a lock is mostly held; to give the processor up takes longer.
const LOOKS: u32 = 32;

thread_local! {
    static N_LOOKS: Cell<u32> = const { Cell::new(0) };
}

/// Waiting for a lock: looks again a few times, then yields the processor, as the holder's thread may have been preempted.
pub struct Patient;

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
