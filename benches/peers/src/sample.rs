//! What is measured: one run, and many runs in turn.

use std::io;
use std::time::Duration;

/// One run, whose answer was right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Around the run: neither compilation nor the making of input counts.
    pub(crate) nanos: f64,
    /// Units computed: what the time is divided by.
    pub(crate) n_units: u64,
    /// What the run recorded, if it did.
    pub(crate) record: Option<Recorded>,
}

/// The record of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    /// Events of the run, whether recorded or not.
    pub(crate) n_events: u64,
    /// Size of the trace file, with the text of the program in it.
    pub(crate) n_bytes: u64,
}

impl Sample {
    /// A run without a record.
    pub(crate) fn new(time: Duration, n_units: u64) -> Self {
        Self { nanos: time.as_nanos() as f64, n_units, record: None }
    }

    /// Time for each unit.
    pub(crate) fn nanos_a_unit(&self) -> f64 {
        self.nanos / self.n_units as f64
    }
}

/// Time and answer of a run of a peer.
pub(crate) type Outcome = (Duration, f64);

/// Why there is no sample.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// Hasse could not do it.
    #[error(transparent)]
    Hasse(#[from] hasse::Error),
    /// Nor could its runtime.
    #[error(transparent)]
    Runtime(#[from] hasse::RuntimeError),
    /// A record that cannot be read.
    #[error("the record cannot be read: {0}")]
    Record(String),
    /// Files and processes.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What came of it.
        source: io::Error,
    },
    /// A peer in a process of its own said something else than time and answer.
    #[error("{peer} failed: {message}")]
    Peer {
        /// The peer.
        peer: String,
        /// What it said.
        message: String,
    },
    /// Somebody computes something else: no figure of such a run is worth anything.
    #[error("{who} computed {found} where {expected} is right")]
    Wrong {
        /// Who.
        who: String,
        /// What came out.
        found: String,
        /// What had to come out.
        expected: String,
    },
}

impl BenchError {
    /// An error of the operating system.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| BenchError::Io { what, source }
    }
}

/// Median and quartiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    /// A quarter is below.
    pub(crate) low: f64,
    /// Half is below.
    pub(crate) median: f64,
    /// Three quarters are below.
    pub(crate) high: f64,
}

/// The spread of some numbers; `None` if there are none.
pub(crate) fn spread(numbers: impl IntoIterator<Item = f64>) -> Option<Spread> {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().checked_sub(1)?;
    let at = |part: f64| {
        let place = part * last as f64;
        let (below, above) = (numbers[place.floor() as usize], numbers[place.ceil() as usize]);
        below + (above - below) * place.fract()
    };
    Some(Spread { low: at(0.25), median: at(0.5), high: at(0.75) })
}
