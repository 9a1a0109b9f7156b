//! When a minimal record is made whole while the run goes on, so that a killed run leaves one that can be
//! replayed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The shortest time from one cut to the next.
const LEAST_PAUSE: Duration = Duration::from_millis(90);
/// To look where actions are takes a twentieth of the time at most.
const TIMES_COST: u32 = 20;
/// Workers wait for each other for a quarter of the time at most, which happens where one of them is not given a processor.
const TIMES_WAIT: u32 = 3;
/// A worker that can be held neither between two activations nor within a body for longer than this is not waited for. Each
/// time that this is too short it is doubled, up to the second one.
const PATIENCES: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(80)];

#[derive(Debug)]
pub(crate) struct CutClock {
    began: Instant,
    /// A cut whenever one can be made: for tests.
    pub(crate) is_eager: bool,
    is_due: AtomicBool,
    /// Nanoseconds from the beginning to the next cut.
    next: AtomicU64,
    /// Nanoseconds for which the next cut waits for workers.
    patience: AtomicU64,
}

impl CutClock {
    pub(crate) fn new(is_eager: bool) -> Self {
        let next = if is_eager { 0 } else { nanos(LEAST_PAUSE) };
        Self {
            began: Instant::now(),
            is_eager,
            is_due: AtomicBool::new(is_eager),
            next: AtomicU64::new(next),
            patience: AtomicU64::new(nanos(PATIENCES[0])),
        }
    }

    /// How long the next cut waits for workers.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_nanos(self.patience.load(Ordering::Relaxed))
    }

    /// Whether a cut is to be tried; workers then see that one is due.
    #[inline]
    pub(crate) fn is_time(&self) -> bool {
        let is_time = self.is_eager || self.nanos() >= self.next.load(Ordering::Relaxed);
        if is_time {
            self.is_due.store(true, Ordering::Relaxed);
        }
        is_time
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.is_due.load(Ordering::Relaxed)
    }

    /// A cut was made, at this cost, or could not be made within the patience; workers waited for each other for so long.
    pub(crate) fn was_tried(&self, cost: Option<Duration>, wait: Duration) {
        let (least, cost, patience) = match cost {
            Some(cost) => (LEAST_PAUSE, cost, PATIENCES[0]),
            None => (Duration::ZERO, Duration::ZERO, PATIENCES[1].min(2 * self.patience())),
        };
        let pause = least.max(cost.saturating_mul(TIMES_COST)).max(wait.saturating_mul(TIMES_WAIT));
        self.patience.store(nanos(patience), Ordering::Relaxed);
        self.next.store(self.nanos().saturating_add(nanos(pause)), Ordering::Relaxed);
        self.is_due.store(self.is_eager, Ordering::Relaxed);
    }

    fn nanos(&self) -> u64 {
        nanos(self.began.elapsed())
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
