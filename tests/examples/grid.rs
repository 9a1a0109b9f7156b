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
        // The deflection of a square membrane at its center, from the series of sines that solves the problem.
        assert_near(run.real("center"), 0.073_671_353, h * h / 4.0 + 10.0 * tolerance);
    }
}

/// Pixel by pixel over the whole picture, with coordinates brought back to its border.
pub(crate) fn image(run: &Run) {
    let text = run.input("camera.pgm");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let fields: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let (width, height): (i64, i64) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
    // Beyond the border the nearest pixel counts, before anything is blurred.
    let pixel = |r: i64, c: i64| -> f64 {
        fields[(4 + r.clamp(0, height - 1) * width + c.clamp(0, width - 1)) as usize].parse().unwrap()
    };
    let near = || (-1..=1_i64).flat_map(|dr| (-1..=1_i64).map(move |dc| (dr, dc)));
    let weight = |d: i64| (2 - d.abs()) as f64;
    let blurred = |r: i64, c: i64| {
        near().map(|(dr, dc)| weight(dr) * weight(dc) * pixel(r + dr, c + dc)).sum::<f64>() / 16.0
    };
    let blurred: Vec<Vec<f64>> =
        (-1..=height).map(|r| (-1..=width).map(|c| blurred(r, c)).collect()).collect();
    let steepness = |r: i64, c: i64| {
        let value = |dr, dc| blurred[(r + dr + 1) as usize][(c + dc + 1) as usize];
        let x: f64 = near().map(|(dr, dc)| dc as f64 * weight(dr) * value(dr, dc)).sum();
        let y: f64 = near().map(|(dr, dc)| dr as f64 * weight(dc) * value(dr, dc)).sum();
        x.hypot(y)
    };
    let expected: Vec<Vec<f64>> =
        (0..height).map(|r| (0..width).map(|c| steepness(r, c)).collect()).collect();
    assert_near_table(&run.table("picture"), &expected, 1e-9);
    let threshold: f64 = run.param("threshold", "80");
    let n_edge_pixels = expected.iter().flatten().filter(|&&steepness| steepness >= threshold).count();
    assert_eq!(run.int("edge_pixels"), n_edge_pixels as i64);
}
