//! Oracles: grids, computed by plain loops over the whole grid.

use crate::bar::{Run, assert_near, assert_near_table};
use crate::numeric::matrix_market;

/// Jacobi's method without blocks; the same number of rounds, so the same temperatures but for rounding.
pub(crate) fn jacobi(run: &Run) {
    let (size, tolerance): (usize, f64) = (run.param("size", "18"), run.param("tolerance", "0.2"));
    let walls = matrix_market(&run.input("walls.mtx"));
    let mut old = vec![vec![0.0; size + 2]; size + 2];
    for k in 0..size {
        old[0][k + 1] = walls[0][k];
        old[size + 1][k + 1] = walls[1][k];
        old[k + 1][0] = walls[2][k];
        old[k + 1][size + 1] = walls[3][k];
    }
    let mut n_rounds = 0;
    loop {
        let mut new = old.clone();
        let mut squares = 0.0;
        for r in 1..=size {
            for c in 1..=size {
                new[r][c] = (old[r - 1][c] + old[r + 1][c] + old[r][c - 1] + old[r][c + 1]) / 4.0;
                squares += (new[r][c] - old[r][c]).powi(2);
            }
        }
        old = new;
        n_rounds += 1;
        if squares <= tolerance * tolerance {
            break;
        }
    }
    assert_eq!(run.int("rounds"), n_rounds);
    let inner: Vec<_> = old[1..=size].iter().map(|row| row[1..=size].to_vec()).collect();
    assert_near_table(&run.table("plate"), &inner, 1e-9);
}

/// Another method: Gauss-Seidel until nothing changes any more. Then the center for the limit of fine grids.
pub(crate) fn redblack(run: &Run) {
    let (size, tolerance): (usize, f64) = (run.param("size", "19"), run.param("tolerance", "0.00001"));
    let h = 1.0 / (size + 1) as f64;
    let mut u = vec![vec![0.0_f64; size + 2]; size + 2];
    loop {
        let mut change = 0.0_f64;
        for r in 1..=size {
            for c in 1..=size {
                let new = (h * h + u[r - 1][c] + u[r + 1][c] + u[r][c - 1] + u[r][c + 1]) / 4.0;
                change = change.max((new - u[r][c]).abs());
                u[r][c] = new;
            }
        }
        if change < 1e-14 {
            break;
        }
    }
    let inner: Vec<_> = u[1..=size].iter().map(|row| row[1..=size].to_vec()).collect();
    assert_near_table(&run.table("membrane"), &inner, 10.0 * tolerance);
    if size % 2 == 1 {
        // The deflection of a square membrane at its center: Timoshenko and Goodier, Theory of Elasticity, section 109.
        assert_near(run.real("center"), 0.073_671_353, h * h / 4.0 + 10.0 * tolerance);
    }
}
