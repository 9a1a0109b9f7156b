//! When a minimal record is made whole while the run goes on, so that a killed run leaves one that can be
//! replayed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The shortest time from one cut to the next.
const LEAST_NANOS: u64 = 90_000_000;
/// All workers are held for a twentieth of the time at most.
const LEAST_TIMES_COST: u64 = 20;

#[derive(Debug)]
pub(super) struct CutClock {
    began: Instant,
    /// A cut whenever one can be made: for tests.
    pub(super) is_eager: bool,
    is_due: AtomicBool,
    /// Nanoseconds from the beginning to the next cut.
    next: AtomicU64,
}

impl CutClock {
    pub(super) fn new(is_eager: bool) -> Self {
        let next = AtomicU64::new(if is_eager { 0 } else { LEAST_NANOS });
        Self { began: Instant::now(), is_eager, is_due: AtomicBool::new(is_eager), next }
    }

    /// Whether a cut is to be tried; workers then see that one is due.
    pub(super) fn is_time(&self) -> bool {
        let is_time = self.is_eager || self.nanos() >= self.next.load(Ordering::Relaxed);
        if is_time {
            self.is_due.store(true, Ordering::Relaxed);
        }
        is_time
    }

    pub(super) fn is_due(&self) -> bool {
        self.is_due.load(Ordering::Relaxed)
    }

    /// A cut was made, or could not be made now. It is then tried again by the next look.
    pub(super) fn was_tried(&self, cost: Duration, is_made: bool) {
        let cost = u64::try_from(cost.as_nanos()).unwrap_or(u64::MAX);
        let least = if is_made { LEAST_NANOS } else { 0 };
        let pause = least.max(cost.saturating_mul(LEAST_TIMES_COST));
        self.next.store(self.nanos().saturating_add(pause), Ordering::Relaxed);
        self.is_due.store(self.is_eager, Ordering::Relaxed);
    }

    fn nanos(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
