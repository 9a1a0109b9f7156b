//! Tasks of rayon: what waits for others has a counter, and whoever counts down to zero spawns it.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use rayon::{Scope, ThreadPoolBuilder};

use crate::sample::Outcome;
use crate::solver::{self, N_BLOCKS, system};
use crate::workload::{N_ADDERS, N_BRANCHES, WAVE_MASK, Workload, wave};

/// One run in a pool of its own, which is not timed.
pub(super) fn run(workload: Workload, n_threads: usize, size: u64) -> Result<Outcome, String> {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    let pool = pool.map_err(|error| error.to_string())?;
    // Made before the clock runs.
    if workload == Workload::Solve {
        system();
    }
    pool.install(|| {
        let began = Instant::now();
        let answer = match workload {
            Workload::Fan => fan(size),
            Workload::Wavefront => wavefront(size as usize),
            Workload::Counter => counter(size),
            Workload::Solve => {
                let x = solve(size);
                let time = began.elapsed();
                let answer = if solver::is_solution(&x) { solver::weighted_sum(&x) } else { f64::NAN };
                return Ok((time, answer));
            }
            other => return Err(format!("no {}", other.name())),
        };
        Ok((began.elapsed(), answer))
    })
}

/// A scope for each round.
fn fan(size: u64) -> f64 {
    let mut total = 0;
    for nth in 0..size {
        let sent = nth % wave(size) + 1;
        let mut branches = [0; N_BRANCHES as usize];
        rayon::scope(|scope| {
            for branch in &mut branches {
                scope.spawn(move |_| *branch = sent + 1);
            }
        });
        total += branches.iter().sum::<u64>();
    }
    total as f64
}

/// A cell waits for two others.
struct Cells {
    n: usize,
    n_missing: Vec<AtomicU8>,
    values: Vec<AtomicU64>,
}

fn wavefront(n: usize) -> f64 {
    // Cells of the first row and column wait for one other, the first for none.
    let n_missing = |at: usize| u8::from(at >= n) + u8::from(!at.is_multiple_of(n));
    let cells = Cells {
        n,
        n_missing: (0..n * n).map(|at| AtomicU8::new(n_missing(at))).collect(),
        values: (0..n * n).map(|_| AtomicU64::new(0)).collect(),
    };
    rayon::scope(|scope| cells.compute(scope, 0));
    cells.values[n * n - 1].load(Ordering::Relaxed) as f64
}

impl Cells {
    fn compute<'s>(&'s self, scope: &Scope<'s>, at: usize) {
        let (row, col) = (at / self.n, at % self.n);
        let value_at = |at: usize| self.values[at].load(Ordering::Relaxed);
        let north = if row > 0 { value_at(at - self.n) } else { 1 };
        let west = if col > 0 { value_at(at - 1) } else { 1 };
        self.values[at].store((north + west) & WAVE_MASK, Ordering::Relaxed);
        let reach = |next: usize| {
            if self.n_missing[next].fetch_sub(1, Ordering::AcqRel) == 1 {
                scope.spawn(move |scope| self.compute(scope, next));
            }
        };
        if row + 1 < self.n {
            reach(at + self.n);
        }
        if col + 1 < self.n {
            reach(at + 1);
        }
    }
}

/// Each addition is a task that spawns the next.
fn counter(size: u64) -> f64 {
    let count = Mutex::new(0_u64);
    rayon::scope(|scope| {
        for _ in 0..N_ADDERS {
            scope.spawn(|scope| add(scope, &count, size));
        }
    });
    count.into_inner().map_or(f64::NAN, |count| count as f64)
}

fn add<'s>(scope: &Scope<'s>, count: &'s Mutex<u64>, n_left: u64) {
    if let Ok(mut count) = count.lock() {
        *count += 1;
    }
    if n_left > 1 {
        scope.spawn(move |scope| add(scope, count, n_left - 1));
    }
}

/// One solve: a task for each block on or below the diagonal.
struct Tasks {
    /// What each task waits for: the block to its left, and the solved segment of its column.
    n_missing: Vec<AtomicU8>,
    /// Segments of the right side. Tasks of one row come one after another.
    segments: Vec<Mutex<Vec<f64>>>,
    solved: Vec<OnceLock<Vec<f64>>>,
}

fn solve(size: u64) -> Vec<f64> {
    let mut x = Vec::new();
    for _ in 0..size {
        let places = (0..N_BLOCKS).flat_map(|row| (0..=row).map(move |col| (row, col)));
        let n_missing = places.map(|(row, col)| AtomicU8::new(u8::from(col > 0) + u8::from(row != col)));
        let tasks = Tasks {
            n_missing: n_missing.collect(),
            segments: (0..N_BLOCKS).map(|row| Mutex::new(system().segment(row).to_vec())).collect(),
            solved: (0..N_BLOCKS).map(|_| OnceLock::new()).collect(),
        };
        rayon::scope(|scope| tasks.compute(scope, 0, 0));
        x.clear();
        for segment in tasks.solved.iter().filter_map(OnceLock::get) {
            x.extend_from_slice(segment);
        }
    }
    x
}

impl Tasks {
    fn compute<'s>(&'s self, scope: &Scope<'s>, row: usize, col: usize) {
        // A poisoned lock is that of a task that panicked, and then the scope does.
        let Ok(mut segment) = self.segments[row].lock() else { return };
        if row == col {
            solver::solve_lower(system().block(row, row), &mut segment);
            // Nobody else solves this row.
            let _ = self.solved[row].set(std::mem::take(&mut segment));
            (row + 1..N_BLOCKS).for_each(|below| self.reach(scope, below, col));
            return;
        }
        if let Some(x) = self.solved[col].get() {
            solver::reduce(system().block(row, col), x, &mut segment);
        }
        drop(segment);
        self.reach(scope, row, col + 1);
    }

    fn reach<'s>(&'s self, scope: &Scope<'s>, row: usize, col: usize) {
        if self.n_missing[row * (row + 1) / 2 + col].fetch_sub(1, Ordering::AcqRel) == 1 {
            scope.spawn(move |scope| self.compute(scope, row, col));
        }
    }
}
