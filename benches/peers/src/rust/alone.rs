//! What computes without a graph, a task or a queue.

use std::time::Instant;

use crate::sample::Outcome;
use crate::solver::{self, system};

/// Block after block.
pub(super) fn solve(size: u64) -> Outcome {
    let system = system();
    let began = Instant::now();
    let mut x = Vec::new();
    for _ in 0..size {
        x = system.sequential();
    }
    let time = began.elapsed();
    (time, if solver::is_solution(&x) { solver::weighted_sum(&x) } else { f64::NAN })
}
