//! Time of a run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Clock of a run. It begins with 0 and never goes back.
#[derive(Debug)]
pub struct Clock {
    began: Instant,
    /// Time of the system when the run began.
    system: SystemTime,
    /// Nanoseconds of virtual time; `None` where time passes by itself.
    virtual_nanos: Option<AtomicU64>,
}

impl Clock {
    /// A clock that begins now. Virtual time passes only when it is [advanced](Self::advance).
    pub fn new(is_virtual: bool) -> Self {
        let virtual_nanos = is_virtual.then(|| AtomicU64::new(0));
        Self { began: Instant::now(), system: SystemTime::now(), virtual_nanos }
    }

    /// Time since the run began, in nanoseconds.
    pub fn nanos(&self) -> u64 {
        match &self.virtual_nanos {
            Some(nanos) => nanos.load(Ordering::Acquire),
            None => u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX),
        }
    }

    /// Returns true if time does not pass by itself.
    pub fn is_virtual(&self) -> bool {
        self.virtual_nanos.is_some()
    }

    /// Advances virtual time to `nanos` after the run began, if it is earlier.
    pub fn advance(&self, nanos: u64) {
        if let Some(held) = &self.virtual_nanos {
            held.fetch_max(nanos, Ordering::AcqRel);
        }
    }

    /// Seconds since the run began.
    pub(crate) fn seconds(&self) -> f64 {
        Duration::from_nanos(self.nanos()).as_secs_f64()
    }

    /// Seconds since 1970-01-01 00:00 UTC, by the clock of the system, which can be set back; in virtual time by that clock at the
    /// beginning of the run.
    pub(crate) fn system_seconds(&self) -> f64 {
        let now = match self.virtual_nanos {
            Some(_) => self.system + Duration::from_nanos(self.nanos()),
            None => SystemTime::now(),
        };
        match now.duration_since(UNIX_EPOCH) {
            Ok(since) => since.as_secs_f64(),
            Err(before) => -before.duration().as_secs_f64(),
        }
    }
}
