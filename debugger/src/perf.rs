//! The performance report: where the time of a run went, and what kept it from being shorter.
//!
//! A perf record says of each event which worker executed it, and from when to when
//! ([`Timing`](hasse_model::event::Timing)); that is the file for performance post-processing of Hyder (1994), table 6-1 and
//! section 8.3.8. One pass over the events in causal order measures all of it:
//!
//! - an event *computes* from its start to its end, less what it waited for its locks: until the last access before its
//!   own had ended, at most until its own end, and then for a worker (`resumed`; [`Step::computes`](report::Step::computes));
//! - *work* is the computing of all events, *wall time* goes from the first start to the last end, and what workers did at each moment
//!   is found by sweeping over the intervals (`sweep`);
//! - the *critical path* is the longest chain by `<C` (`hasse_model::order`), each event weighted by its computing
//!   (`chain`). Work / critical path bounds the speed-up that any number of workers can give (the work and span laws: Brent 1974; Blumofe and
//!   Leiserson 1999);
//! - *communication* counts the values taken and the objects found as others had left them.
//!
//! A record without times gives the *logical* report, in which each event is one unit of time.
//!
//! Time: that of sorting, and sorting of the intervals. Memory: some 100 MB, a few words for each action, 8 bytes for each event of the
//! longest chain, and what is under way at one moment. The intervals (24 bytes an event) and the links of chains (some 30 bytes)
//! go to scratch files where they do not fit.

use std::cell::RefCell;
use std::io::{self, Write};

use hasse_model::trace::BatchSource;

use crate::carry::TakenTooOften;
use crate::read::{ReadError, Summary, try_lend_in_order};
use chain::ChainError;

/// Longest chains.
mod chain;
/// The links of chains.
mod chain_log;
/// Figures as they are printed.
mod figure;
/// What events are counted under.
mod group;
/// The report as JSON.
mod json;
/// Taking in events.
mod meter;
/// Options of a report.
mod options;
/// The critical path in words.
mod path;
/// Values that wait for the nodes that take them.
mod queue;
/// What was measured, as plain data.
pub mod report;
/// When events went on that had waited for locks.
mod resumed;
/// Memory beyond a bound.
mod scratch;
/// Pictures.
mod svg;
/// What workers did at each moment.
mod sweep;
/// The report as text.
mod text;
/// A stretch of a run, and how it is written.
mod window;

#[cfg(test)]
mod tests;

pub use group::By;
pub use options::PerfOptions;
pub use report::Report;
pub use scratch::{OpenScratch, ScratchFile, in_memory};
pub use window::{Window, WindowError};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum PerfError {
    /// The trace cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The trace contradicts itself.
    #[error("{event}: {source}")]
    Inconsistent {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: TakenTooOften,
    },
    /// A stretch of time of a record without times.
    #[error("the record has no times, so that there is no window of them")]
    NoTimes,
    /// A scratch file cannot be written or read.
    #[error("cannot use a temporary file")]
    Scratch(#[source] io::Error),
    /// The report cannot be written.
    #[error("cannot write the report")]
    Write(#[from] io::Error),
}

/// Measures a record.
///
/// # Errors
/// Where the source fails, the trace contradicts itself, or a window is asked for of a record without times.
pub fn measure(source: impl BatchSource, options: &PerfOptions<'_>) -> Result<(Report, Summary), PerfError> {
    let mut meter = meter::Meter::new(source.header(), options);
    let resumed = RefCell::default();
    let source = resumed::Noting { source, resumed: &resumed };
    let summary = try_lend_in_order(source, |event, names| {
        let earliest = resumed.borrow_mut().take(event.id);
        meter.event(event, earliest, names).map_err(|error| match error {
            ChainError::TakenTooOften(source) => {
                PerfError::Inconsistent { event: names.event(event.id).to_string(), source }
            }
            ChainError::Scratch(source) => PerfError::Scratch(source),
        })
    })?;
    if options.window.is_some() && !meter.is_timed() {
        return Err(PerfError::NoTimes);
    }
    Ok((meter.finish(&summary.names).map_err(PerfError::Scratch)?, summary))
}

/// Measures a record and writes the report as text: the command `perf` of sessions.
///
/// # Errors
/// Those of [`measure`], and where `out` fails.
pub fn report(
    out: &mut dyn Write,
    source: impl BatchSource,
    options: &PerfOptions<'_>,
) -> Result<Summary, PerfError> {
    let (report, summary) = measure(source, options)?;
    out.write_all(report.to_text().as_bytes())?;
    Ok(summary)
}
