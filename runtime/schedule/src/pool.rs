//! Sleep and wake-up of workers, and the end of a run.
//!
//! A run is over when all workers are idle and nothing is ready: work comes only from workers, so
//! nothing can become ready again, but for timers: while there are any, the workers wait for the next
//! one. That is the whole of termination detection; there is no counter on the hot path.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// The next timer of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTimer {
    /// There is none: work comes only from workers.
    None,
    /// It fires after this time; it has fired if that is zero.
    In(Duration),
    /// Virtual time advances to it as soon as all workers are idle.
    WhenIdle,
}

/// Longest time for which a sleeper does not look whether the run was asked to end.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Workers of a run, asleep and awake.
pub struct Pool {
    n_workers: usize,
    /// Written under `is_over`'s lock; read without it to see whether a wake-up is worth a call.
    n_idle: AtomicUsize,
    /// Workers that wait within a body until the user lets it go on: they serve nothing meanwhile.
    n_blocked: AtomicUsize,
    /// A wake-up is under way; a second one would only cost a system call.
    is_waking: AtomicBool,
    is_over: Mutex<bool>,
    wake: Condvar,
}

impl Pool {
    /// Pool of workers that are all awake.
    pub fn new(n_workers: usize) -> Self {
        Self {
            n_workers,
            n_idle: AtomicUsize::new(0),
            n_blocked: AtomicUsize::new(0),
            is_waking: AtomicBool::new(false),
            is_over: Mutex::new(false),
            wake: Condvar::new(),
        }
    }

    /// Number of workers.
    #[inline]
    pub fn n_workers(&self) -> usize {
        self.n_workers
    }

    /// A worker is about to wait within a body; to be followed by [`wake_all`](Self::wake_all), so that sleepers see
    /// whether the run is at rest.
    pub fn block(&self) {
        self.n_blocked.fetch_add(1, Ordering::SeqCst);
    }

    /// So many workers go on with their bodies.
    pub fn unblock(&self, n_workers: usize) {
        self.n_blocked.fetch_sub(n_workers, Ordering::SeqCst);
    }

    /// Whether a worker waits within a body.
    #[inline]
    pub fn has_blocked(&self) -> bool {
        self.n_blocked.load(Ordering::SeqCst) > 0
    }

    /// Whether all workers wait within bodies.
    #[inline]
    pub fn are_all_blocked(&self) -> bool {
        self.n_blocked.load(Ordering::SeqCst) == self.n_workers
    }

    /// Number of workers that have nothing to do.
    #[inline]
    pub fn n_idle(&self) -> usize {
        self.n_idle.load(Ordering::SeqCst)
    }

    /// Whether no worker is serving anything.
    #[inline]
    pub fn is_nobody_serving(&self) -> bool {
        self.n_idle.load(Ordering::SeqCst) + self.n_blocked.load(Ordering::SeqCst) == self.n_workers
    }

    /// Whether a worker is asleep that nobody is waking yet.
    #[inline]
    pub fn has_sleeper(&self) -> bool {
        // Pairs with the fence in `sleep`: either the sleeper sees what was made ready before this,
        // or this sees the sleeper.
        fence(Ordering::SeqCst);
        self.n_idle.load(Ordering::Relaxed) > 0 && !self.is_waking.load(Ordering::Relaxed)
    }

    /// Wakes one sleeper.
    #[inline]
    pub fn wake_one(&self) {
        if !self.is_waking.swap(true, Ordering::Relaxed) {
            let _is_over = self.is_over.lock();
            self.wake.notify_one();
        }
    }

    /// Wakes all sleepers.
    pub fn wake_all(&self) {
        let _is_over = self.is_over.lock();
        self.wake.notify_all();
    }

    /// Puts a worker to sleep that has found nothing to do, until `has_work` holds. Returns false
    /// when the run is over. While `is_held` holds it is not over when all are idle or wait within bodies: `rest` is
    /// then called, with all sleepers kept from going on, and tells whether the run is at rest. Where it is not, what
    /// was held has been let go of since, perhaps without a wake-up that this worker would see: it looks again.
    ///
    /// `timer` returns the next timer; a run at rest does not wait for it. `advance` advances virtual time to it.
    pub fn sleep(
        &self,
        has_work: impl Fn() -> bool,
        is_held: impl Fn() -> bool,
        rest: impl Fn() -> bool,
        (timer, advance): (impl Fn() -> NextTimer, impl Fn()),
    ) -> bool {
        let mut is_over = self.is_over.lock();
        self.n_idle.fetch_add(1, Ordering::Relaxed);
        loop {
            // Before the look for work: whoever makes something ready later than that look sees
            // that nobody is waking this worker, and does.
            self.is_waking.store(false, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            if *is_over {
                return false;
            }
            // Before the look for work: what was held makes work before it is held no longer.
            let is_held = is_held();
            if has_work() {
                self.n_idle.fetch_sub(1, Ordering::Relaxed);
                self.is_waking.store(false, Ordering::Relaxed);
                return true;
            }
            if is_held && self.is_nobody_serving() {
                if rest() {
                    self.wake.wait(&mut is_over);
                }
                continue;
            }
            let are_all_idle = !is_held && self.n_idle.load(Ordering::Relaxed) == self.n_workers;
            match timer() {
                NextTimer::None if are_all_idle => {
                    *is_over = true;
                    self.wake.notify_all();
                    return false;
                }
                NextTimer::WhenIdle if are_all_idle => {
                    advance();
                    self.wake.notify_all();
                }
                NextTimer::In(Duration::ZERO) => {
                    self.n_idle.fetch_sub(1, Ordering::Relaxed);
                    self.is_waking.store(false, Ordering::Relaxed);
                    return true;
                }
                NextTimer::In(duration) => {
                    self.wake.wait_for(&mut is_over, duration.min(LONGEST_SLEEP));
                }
                NextTimer::None | NextTimer::WhenIdle => self.wake.wait(&mut is_over),
            }
        }
    }

    /// Ends the run at once: for a worker that is going down.
    pub fn abandon(&self) {
        *self.is_over.lock() = true;
        self.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Duration, NextTimer, Pool};

    #[test]
    fn what_is_let_go_of_while_the_last_worker_falls_asleep_ends_the_run() {
        let pool = Pool::new(1);
        let n_looks = Cell::new(0);
        // Held at the first look; by the time of the call nothing is stopped any more, and nobody calls `wake_all`.
        let is_held = || n_looks.replace(n_looks.get() + 1) == 0;
        assert!(!pool.sleep(|| false, is_held, || false, (|| NextTimer::None, || ())));
        assert_eq!(n_looks.get(), 2);
    }

    #[test]
    fn what_is_let_go_of_with_work_is_served() {
        let pool = Pool::new(1);
        let is_ready = Cell::new(false);
        let rest = || {
            is_ready.set(true);
            false
        };
        assert!(pool.sleep(|| is_ready.get(), || true, rest, (|| NextTimer::None, || ())));
    }

    #[test]
    fn virtual_time_advances_when_all_are_idle() {
        let pool = Pool::new(1);
        let has_come = Cell::new(false);
        let timer = || if has_come.get() { NextTimer::In(Duration::ZERO) } else { NextTimer::WhenIdle };
        assert!(pool.sleep(|| false, || false, || true, (timer, || has_come.set(true))));
    }

    #[test]
    fn timer_keeps_the_run_going() {
        let pool = Pool::new(1);
        let n_left = Cell::new(3_u64);
        let timer = || NextTimer::In(Duration::from_nanos(n_left.replace(n_left.get().saturating_sub(1))));
        assert!(pool.sleep(|| false, || false, || true, (timer, || ())));
    }
}
