//! How long the processor worked for this thread: what else the machine does at the same time does not count.

use std::time::{Duration, Instant};

/// A point in time.
#[derive(Clone, Copy)]
pub(crate) enum Moment {
    /// Time on the processor so far.
    Worked(Duration),
    /// Where the system does not tell.
    Clock(Instant),
}

/// Now.
pub(crate) fn now() -> Moment {
    worked().map_or_else(|| Moment::Clock(Instant::now()), Moment::Worked)
}

/// How much time has passed.
pub(crate) fn since(began: Moment) -> Duration {
    match began {
        Moment::Worked(began) => worked().unwrap_or_default().saturating_sub(began),
        Moment::Clock(began) => began.elapsed(),
    }
}

fn worked() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    status.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
