//! Oracles: skeletons.

use crate::bar::Run;

/// The same rows of the Mandelbrot set, one after another.
pub(crate) fn farm(run: &Run) {
    let (n_tasks, n_columns): (i64, i64) = (run.param("total_tasks", "23"), run.param("columns", "64"));
    let mut n_steps = 0;
    for task in 0..n_tasks {
        let height = if n_tasks > 1 { 2.4 * task as f64 / (n_tasks - 1) as f64 } else { 1.2 };
        for column in 0..n_columns {
            n_steps += escape(3.0 * column as f64 / n_columns as f64 - 2.2, 1.2 - height);
        }
    }
    assert_eq!((run.int("tasks"), run.int("steps")), (n_tasks, n_steps));
}

fn escape(x0: f64, y0: f64) -> i64 {
    let (mut x, mut y) = (0.0, 0.0);
    for n_steps in 0..30 {
        if x * x + y * y >= 4.0 {
            return n_steps;
        }
        (x, y) = (x * x - y * y + x0, 2.0 * x * y + y0);
    }
    30
}

/// Ways to place queens by sets of attacked columns and diagonals.
pub(crate) fn dandc(run: &Run) {
    let n_tasks: u32 = run.param("total_tasks", "4");
    let ways: Vec<i64> = (4..4 + n_tasks).map(|n| queens((1 << n) - 1, 0, 0, 0)).collect();
    assert_eq!(run.ints("ways"), ways);
    assert_eq!(ways[..1], [2]);
}

fn queens(all: u64, columns: u64, left: u64, right: u64) -> i64 {
    if columns == all {
        return 1;
    }
    let free = (0..64).map(|column| 1 << column).filter(|queen| queen & all & !(columns | left | right) != 0);
    free.map(|queen| queens(all, columns | queen, (left | queen) << 1, (right | queen) >> 1)).sum()
}
