//! The workloads: what is computed, how much of it, and what must come out.

use crate::sample::BenchError;
use crate::solver;

/// Nodes of the chain and of the ring.
pub(crate) const N_LINKS: u64 = 64;
/// Branches of the fan.
pub(crate) const N_BRANCHES: u64 = 16;
/// Producers of the merge.
pub(crate) const N_PRODUCERS: u64 = 8;
/// Actions that share the counter.
pub(crate) const N_ADDERS: u64 = 4;
/// Values of the wavefront are kept below 2^32.
pub(crate) const WAVE_MASK: u64 = 0xffff_ffff;

/// One of the seven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Workload {
    /// 64 nodes in a row, each adds 1.
    Chain,
    /// 64 nodes in a circle, one value in flight.
    Ring,
    /// A value goes to 16 nodes and is put together again.
    Fan,
    /// 8 producers into one port.
    Merge,
    /// Cells that wait for their northern and western neighbors.
    Wavefront,
    /// 4 actions that add to one exclusive object.
    Counter,
    /// A block triangular solve, 4096 / 256, one right side.
    Solve,
}

/// Who computes: sizes differ, so that a run takes 0.2 to 2 seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Peers.
    Peer,
    /// Hasse with native bodies.
    Native,
    /// Hasse with interpreted bodies.
    Rhai,
}

impl Workload {
    /// In the order of the report.
    pub(crate) const ALL: [Workload; 7] = [
        Workload::Chain,
        Workload::Ring,
        Workload::Fan,
        Workload::Merge,
        Workload::Wavefront,
        Workload::Counter,
        Workload::Solve,
    ];

    /// The name on the command line, also that of the C++ program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Workload::Chain => "chain",
            Workload::Ring => "ring",
            Workload::Fan => "fan",
            Workload::Merge => "merge",
            Workload::Wavefront => "wavefront",
            Workload::Counter => "counter",
            Workload::Solve => "solve",
        }
    }

    /// The heading in the report.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Workload::Chain => "Chain of 64",
            Workload::Ring => "Ring of 64, one value in flight",
            Workload::Fan => "Fan-out and fan-in of 16",
            Workload::Merge => "Merge of 8 producers",
            Workload::Wavefront => "Wavefront of lazily created instances",
            Workload::Counter => "Shared counter",
            Workload::Solve => "Block triangular solve, 4096 in blocks of 256",
        }
    }

    /// What the size counts.
    pub(crate) fn size_name(self) -> &'static str {
        match self {
            Workload::Chain => "values",
            Workload::Ring | Workload::Fan => "rounds",
            Workload::Merge | Workload::Counter => "values of each",
            Workload::Wavefront => "rows and columns",
            Workload::Solve => "solves",
        }
    }

    /// What a figure is the time of.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Workload::Chain | Workload::Fan | Workload::Wavefront | Workload::Counter => "firing",
            Workload::Ring => "hop",
            Workload::Merge => "value",
            Workload::Solve => "solve",
        }
    }

    /// The unit of figures, and its nanoseconds.
    pub(crate) fn time_unit(self) -> (&'static str, f64) {
        match self {
            Workload::Solve => ("ms", 1e6),
            _ => ("ns", 1.0),
        }
    }

    /// How much is computed in a run.
    pub(crate) fn size(self, scale: Scale, is_quick: bool) -> u64 {
        let [peer, native, rhai] = match self {
            // Of chain and fan, a quarter still is whole waves.
            Workload::Chain => [102_400, 49_152, 8_192],
            Workload::Ring => [20_000, 20_000, 5_000],
            Workload::Fan => [102_400, 81_920, 16_384],
            Workload::Merge => [125_000, 250_000, 25_000],
            Workload::Wavefront => [512, 512, 512],
            Workload::Counter => [500_000, 500_000, 62_500],
            Workload::Solve => [40, 40, 40],
        };
        let size: u64 = match scale {
            Scale::Peer => peer,
            Scale::Native => native,
            Scale::Rhai => rhai,
        };
        match self {
            _ if !is_quick => size,
            Workload::Wavefront => size / 2,
            _ => size / 4,
        }
    }

    /// Number of units in a run: what the time is divided by. It is the same for everyone, whatever else a
    /// system does to feed its nodes.
    pub(crate) fn n_units(self, size: u64) -> u64 {
        match self {
            Workload::Chain | Workload::Ring => N_LINKS * size,
            // The node that sends, its branches, and the one that joins them.
            Workload::Fan => (N_BRANCHES + 2) * size,
            Workload::Merge => N_PRODUCERS * size,
            Workload::Wavefront => size * size,
            Workload::Counter => N_ADDERS * size,
            Workload::Solve => size,
        }
    }

    /// What everyone must compute: a sum, a count, the last cell; for the solver, a weighted sum of the solution.
    /// All but the last are whole numbers below 2^53.
    pub(crate) fn expected(self, size: u64) -> f64 {
        // 0 + 1 + ... in waves of values, as Hasse and the peers send them.
        let waves = |added: u64| (0..size).map(|nth| nth % wave(size) + added).sum::<u64>();
        let count = match self {
            Workload::Chain => waves(N_LINKS),
            Workload::Ring => N_LINKS * size,
            // The sender adds 1, each branch 1, and all branches are summed.
            Workload::Fan => N_BRANCHES * waves(2),
            Workload::Merge => N_PRODUCERS * (size * (size + 1) / 2),
            Workload::Wavefront => last_cell(size),
            Workload::Counter => N_ADDERS * size,
            Workload::Solve => return solver::weighted_sum(solver::solution()),
        };
        count as f64
    }

    /// Refuses an answer that is not the expected one. The order of additions is free in the solver alone.
    pub(crate) fn check(self, who: &str, size: u64, answer: f64) -> Result<(), BenchError> {
        let expected = self.expected(size);
        let is_right = match self {
            Workload::Solve => (answer - expected).abs() <= 1e-9 * expected.abs(),
            _ => answer == expected,
        };
        if is_right {
            return Ok(());
        }
        let who = format!("{who}, {}", self.name());
        Err(BenchError::Wrong { who, found: answer.to_string(), expected: expected.to_string() })
    }
}

/// Values that are sent together: a wave is through before the next one begins.
pub(crate) fn wave(size: u64) -> u64 {
    size.min(1024)
}

/// The last cell of a wavefront, row by row.
fn last_cell(n: u64) -> u64 {
    let mut row = vec![1; n as usize];
    for _ in 0..n {
        let mut west = 1;
        for cell in &mut row {
            *cell = (*cell + west) & WAVE_MASK;
            west = *cell;
        }
    }
    row.last().copied().unwrap_or(1)
}
