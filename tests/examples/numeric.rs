//! Oracles: numbers and matrices.

use crate::bar::{Run, assert_near, assert_near_table};

pub(crate) fn bts(run: &Run) {
    assert!(run.real("residual") < 1e-10);
    assert_eq!((run.int("size"), run.int("n")), (64, run.param("n", "4")));
}

/// The product by three loops. Entries are small integers, so the sums are exact.
pub(crate) fn matmul(run: &Run) {
    let a = matrix_market(&run.input("karate.mtx"));
    let n = a.len();
    let entry = |i: usize, j: usize| (0..n).map(|k| a[i][k] * a[k][j]).sum();
    let product: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    assert_eq!(run.int("rows"), n as i64);
    assert_near_table(&run.table("c"), &product, 0.0);
    // Each of the 78 friendships counts at both ends.
    assert_near((0..n).map(|i| product[i][i]).sum(), 156.0, 0.0);
}

/// Primes by trial division.
pub(crate) fn sieve(run: &Run) {
    let limit: i64 = run.param("limit", "200");
    let primes: Vec<i64> = (2..=limit).filter(|n| (2..*n).all(|divisor| n % divisor != 0)).collect();
    assert_eq!(run.ints("primes"), primes);
    assert_eq!(run.int("n_primes"), primes.len() as i64);
}

/// The rule's error bound for the area of the square root, and static and farm the same but for rounding.
pub(crate) fn trapezoid(run: &Run) {
    let n_panels: i32 = run.param("panels", "960");
    let heights = |k: i32| (f64::from(k) / f64::from(n_panels)).sqrt();
    let composite: f64 =
        (0..n_panels).map(|k| (heights(k) + heights(k + 1)) / 2.0 / f64::from(n_panels)).sum();
    assert_near(run.real("static"), composite, 1e-12);
    assert_near(run.real("farm"), composite, 1e-12);
    assert_near(run.real("adaptive"), 2.0 / 3.0, run.param("tolerance", "0.0001"));
    assert!(run.int("trapezoids") < 200);
}

/// A dense matrix from the text of a Matrix Market file: array or coordinate, general or symmetric.
pub(crate) fn matrix_market(text: &str) -> Vec<Vec<f64>> {
    let header = text.lines().next().unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('%'));
    let numbers = |line: &str| line.split_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<f64>>();
    let size = numbers(lines.next().unwrap());
    let mut matrix = vec![vec![0.0; size[1] as usize]; size[0] as usize];
    for (line_idx, line) in lines.map(numbers).enumerate() {
        if header.contains("array") {
            matrix[line_idx % size[0] as usize][line_idx / size[0] as usize] = line[0];
        } else {
            let (row, col) = (line[0] as usize - 1, line[1] as usize - 1);
            matrix[row][col] = line[2];
            if header.contains("symmetric") {
                matrix[col][row] = line[2];
            }
        }
    }
    matrix
}

/// The library's sort.
pub(crate) fn quicksort(run: &Run) {
    let mut numbers: Vec<i64> =
        run.input("rivers.txt").split_whitespace().map(|word| word.parse().unwrap()).collect();
    numbers.sort();
    assert_eq!(run.ints("sorted"), numbers);
    assert_eq!(run.int("n"), numbers.len() as i64);
}

/// The sum over all pairs. Barnes and Hut's error grows with the angle, and vanishes with it.
pub(crate) fn nbody(run: &Run) {
    let theta: f64 = run.param("theta", "0.5");
    let catalogue = run.input("stars.csv");
    let star = |line: &str| -> [f64; 4] {
        let fields: Vec<f64> = line.split(',').skip(1).map(|field| field.parse().unwrap()).collect();
        let (ascension, declination) = ((fields[0] * 15.0).to_radians(), fields[1].to_radians());
        let (sin, cos) = declination.sin_cos();
        [fields[2] * cos * ascension.cos(), fields[2] * cos * ascension.sin(), fields[2] * sin, fields[3]]
    };
    let stars: Vec<_> = catalogue.lines().skip(1).map(star).collect();
    let accelerations = run.table("accelerations");
    assert_eq!(accelerations.len(), stars.len());
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (star, found) in stars.iter().zip(&accelerations) {
        let mut expected = [0.0; 3];
        let mut pulls = 0.0; // all pulls together, as if none balanced another
        for other in &stars {
            let way = [0, 1, 2].map(|axis| other[axis] - star[axis]);
            let distance = length(way);
            if distance > 0.0 {
                let pull = 1.56e-13 * other[3] / distance.powi(3);
                (0..3).for_each(|axis| expected[axis] += pull * way[axis]);
                pulls += pull * distance;
            }
        }
        let error = length([0, 1, 2].map(|axis| found[axis] - expected[axis]));
        assert!(error <= (0.1 * theta * theta + 1e-12) * pulls, "{star:?}: {error} of {pulls}");
    }
    let n_pairs = (stars.len() * (stars.len() - 1)) as i64;
    assert_eq!(run.int("pulls") == n_pairs, theta == 0.0);
    assert!(run.int("pulls") <= n_pairs);
}
