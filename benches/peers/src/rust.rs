//! Peers in Rust: each computes a workload in this process and returns its time and answer.

use crate::sample::{BenchError, Sample};
use crate::workload::Workload;

/// A loop.
mod alone;
/// Threads and channels.
mod crossbeam;
/// Tasks that steal.
mod rayon;
/// Timely dataflow.
mod timely;

/// A library that workloads are written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// No library: the loop that the solver's kernels would be in without a graph.
    Alone,
    /// Scopes and counters; there is no graph.
    Rayon,
    /// A thread for each node, whatever the number of threads asked for.
    Crossbeam,
    /// Dataflow whose workers each have all operators, and a part of the values.
    Timely,
}

impl Library {
    /// In the order of the report.
    pub(crate) const ALL: [Library; 4] =
        [Library::Alone, Library::Rayon, Library::Crossbeam, Library::Timely];

    /// In the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Library::Alone => "a loop in Rust",
            Library::Rayon => "rayon",
            Library::Crossbeam => "crossbeam-channel",
            Library::Timely => "timely",
        }
    }

    /// Numbers of threads that it computes a workload with; none if it has no way to say it.
    pub(crate) fn n_threads(self, workload: Workload) -> &'static [usize] {
        match (self, workload) {
            (Library::Rayon, Workload::Fan | Workload::Wavefront | Workload::Counter | Workload::Solve) => {
                &[1, 2]
            }
            (Library::Alone, Workload::Solve) => &[1],
            (Library::Crossbeam, Workload::Chain) => &[64],
            (Library::Crossbeam, Workload::Merge) => &[9],
            (Library::Timely, Workload::Chain | Workload::Fan) => &[1, 2],
            _ => &[],
        }
    }

    /// How many times what others compute in a run: where a value costs next to nothing, threads that begin and
    /// end would be most of what is measured.
    pub(crate) fn n_times(self) -> u64 {
        match self {
            Library::Timely => 10,
            Library::Alone | Library::Rayon | Library::Crossbeam => 1,
        }
    }

    /// One run.
    ///
    /// # Errors
    /// The answer is wrong, or threads could not be had.
    pub(crate) fn run(self, workload: Workload, n_threads: usize, size: u64) -> Result<Sample, BenchError> {
        let outcome = match (self, workload) {
            (Library::Alone, Workload::Solve) => Ok(alone::solve(size)),
            (Library::Rayon, workload) => rayon::run(workload, n_threads, size),
            (Library::Crossbeam, Workload::Chain) => crossbeam::chain(size),
            (Library::Crossbeam, Workload::Merge) => crossbeam::merge(size),
            (Library::Timely, Workload::Chain) => timely::chain(n_threads, size),
            (Library::Timely, Workload::Fan) => timely::fan(n_threads, size),
            _ => Err(format!("no {}", workload.name())),
        };
        let failed = |message| BenchError::Peer { peer: self.name().to_owned(), message };
        let (time, answer) = outcome.map_err(failed)?;
        workload.check(self.name(), size, answer)?;
        Ok(Sample::new(time, workload.n_units(size)))
    }
}
