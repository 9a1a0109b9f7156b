//! When a minimal record is made whole while the run goes on, so that a killed run leaves one that can be
//! replayed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The shortest time from one cut to the next,
const LEAST_NANOS: u64 = 100_000_000;
/// and what a longer run makes of it: at most an eighth of its time, up to this.
const MOST_NANOS: u64 = 1_000_000_000;
/// All workers are held for a twentieth of the time at most.
const LEAST_TIMES_COST: u64 = 20;
/// The clock is read once in so many ticks.
const TICKS_PER_LOOK: u32 = 16;

#[derive(Debug)]
pub(super) struct CutClock {
    began: Instant,
    /// A cut whenever one can be made: for tests.
    is_eager: bool,
    is_due: AtomicBool,
    /// Nanoseconds from the beginning to the next cut.
    next: AtomicU64,
}

impl CutClock {
    pub(super) fn new(is_eager: bool) -> Self {
        let next = AtomicU64::new(if is_eager { 0 } else { LEAST_NANOS });
        Self { began: Instant::now(), is_eager, is_due: AtomicBool::new(is_eager), next }
    }

    /// Called now and then by each worker, which counts.
    pub(super) fn tick(&self, n_ticks: &mut u32) {
        *n_ticks = n_ticks.wrapping_add(1);
        let looks = self.is_eager || n_ticks.is_multiple_of(TICKS_PER_LOOK);
        if looks && (self.is_eager || self.nanos() >= self.next.load(Ordering::Relaxed)) {
            self.is_due.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_due(&self) -> bool {
        self.is_due.load(Ordering::Relaxed)
    }

    /// A cut was made, or could not be made now.
    pub(super) fn was_tried(&self, cost: Duration) {
        let now = self.nanos();
        let cost = u64::try_from(cost.as_nanos()).unwrap_or(u64::MAX);
        let pause = LEAST_NANOS.max((now / 8).min(MOST_NANOS)).max(cost.saturating_mul(LEAST_TIMES_COST));
        self.next.store(now.saturating_add(pause), Ordering::Relaxed);
        self.is_due.store(false, Ordering::Relaxed);
    }

    fn nanos(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
