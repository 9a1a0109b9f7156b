//! Factorizations and what follows from them: LU with partial pivoting, Cholesky, QR, solving,
//! determinant, inverse. All are faer's, on the calling thread, and cost the cube of the size.

use std::sync::Arc;

use faer::linalg::solvers::{Llt, PartialPivLu, Qr, Solve};
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{MatMut, MatRef, Par, Side};
use hasse_model::value::Matrix;
use rhai::{Array, Dynamic};

use super::limits::{self, Outcome, failure};
use super::matrix::{matrix_of, zero_entries};
use super::registry::Common;
use super::vector::vector_of;
use crate::convert::{MatrixValue, VectorValue};

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("solve_upper", |matrix: &mut MatrixValue, right: VectorValue| {
            let entries = solve_upper(&matrix.0, right.0.to_vec(), 1)?;
            Outcome::Ok(vector_of(entries))
        })
        .register_fn("solve_upper", |matrix: &mut MatrixValue, right: MatrixValue| {
            let (n_rows, n_cols) = (right.0.n_rows(), right.0.n_cols());
            matrix_of(n_rows, n_cols, solve_upper(&matrix.0, right.0.entries().to_vec(), n_cols)?)
        })
        .register_fn("solve", |matrix: &mut MatrixValue, right: VectorValue| {
            let entries = solve("solve", &matrix.0, right.0.to_vec(), 1)?;
            Outcome::Ok(vector_of(entries))
        })
        .register_fn("solve", |matrix: &mut MatrixValue, right: MatrixValue| {
            let (n_rows, n_cols) = (right.0.n_rows(), right.0.n_cols());
            matrix_of(n_rows, n_cols, solve("solve", &matrix.0, right.0.entries().to_vec(), n_cols)?)
        })
        .register_fn("inverse", inverse)
        .register_fn("det", det)
        .register_fn("lu", lu)
        .register_fn("cholesky", cholesky)
        .register_fn("qr", qr);
}

fn view(matrix: &Matrix) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(matrix.entries(), matrix.n_rows(), matrix.n_cols())
}

fn owned(matrix: MatRef<'_, f64>) -> Outcome<MatrixValue> {
    let mut entries = limits::empty(matrix.nrows().saturating_mul(matrix.ncols()))?;
    for col in 0..matrix.ncols() {
        entries.extend((0..matrix.nrows()).map(|row| matrix[(row, col)]));
    }
    matrix_of(matrix.nrows(), matrix.ncols(), entries)
}

/// Checks that a matrix is square and that there is room for its factors.
fn check_square(what: &str, matrix: &Matrix) -> Outcome<()> {
    let (n_rows, n_cols) = (matrix.n_rows(), matrix.n_cols());
    if n_rows != n_cols {
        return Err(failure(format!("`{what}` of a {n_rows} x {n_cols} matrix: it must be square")));
    }
    room_for_factors(matrix)
}

/// faer's factors take about three times the matrix.
fn room_for_factors(matrix: &Matrix) -> Outcome<()> {
    limits::room_for_bytes(3 * size_of_val(matrix.entries()))
}

fn check_right(what: &str, matrix: &Matrix, n_right: usize) -> Outcome<()> {
    let (n_rows, n_cols) = (matrix.n_rows(), matrix.n_cols());
    if n_rows == n_right {
        return Ok(());
    }
    Err(failure(format!("`{what}` of a {n_rows} x {n_cols} matrix and a right side of {n_right} rows")))
}

/// `solve_upper(a, b)`: x with `a * x == b`, by back substitution; entries below the diagonal are not
/// looked at. Cost: n^2 for each column of b. Errors: sizes do not fit; a zero on the diagonal.
fn solve_upper(matrix: &Matrix, mut right: Vec<f64>, n_cols: usize) -> Outcome<Vec<f64>> {
    let n = matrix.n_rows();
    if n != matrix.n_cols() {
        let n_cols = matrix.n_cols();
        return Err(failure(format!("`solve_upper` of a {n} x {n_cols} matrix: it must be square")));
    }
    check_right("solve_upper", matrix, right.len().checked_div(n_cols).unwrap_or(n))?;
    if let Some(row) = matrix.entries().iter().step_by(n + 1).position(|entry| *entry == 0.0) {
        return Err(failure(format!(
            "`solve_upper` of a singular matrix: entry ({row}, {row}) of its diagonal is 0"
        )));
    }
    if !right.is_empty() {
        let right = MatMut::from_column_major_slice_mut(&mut right, n, n_cols);
        solve_upper_triangular_in_place(view(matrix), right, Par::Seq);
    }
    Ok(right)
}

/// The LU factors of a square matrix that is not singular.
fn factors(what: &str, matrix: &Matrix) -> Outcome<PartialPivLu<f64>> {
    check_square(what, matrix)?;
    let lu = PartialPivLu::new(view(matrix));
    let upper = lu.U();
    match (0..matrix.n_rows()).find(|place| upper[(*place, *place)] == 0.0) {
        Some(_) => Err(failure(format!("`{what}` of a singular matrix"))),
        None => Ok(lu),
    }
}

/// `solve(a, b)`: x with `a * x == b`, by LU. Errors: sizes do not fit; a is singular.
fn solve(what: &str, matrix: &Matrix, mut right: Vec<f64>, n_cols: usize) -> Outcome<Vec<f64>> {
    let n = matrix.n_rows();
    check_square(what, matrix)?;
    check_right(what, matrix, right.len().checked_div(n_cols).unwrap_or(n))?;
    if n > 0 {
        let lu = factors(what, matrix)?;
        if n_cols > 0 {
            lu.solve_in_place(MatMut::from_column_major_slice_mut(&mut right, n, n_cols));
        }
    }
    Ok(right)
}

/// `inverse(a)`. Errors: a is not square, or singular.
fn inverse(matrix: &mut MatrixValue) -> Outcome<MatrixValue> {
    let n = matrix.0.n_rows();
    check_square("inverse", &matrix.0)?;
    let mut identity = zero_entries(n, n)?;
    identity.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
    matrix_of(n, n, solve("inverse", &matrix.0, identity, n)?)
}

/// `det(a)`: the determinant, by LU; 1 for a 0 x 0 matrix. Errors: a is not square.
fn det(matrix: &mut MatrixValue) -> Outcome<f64> {
    check_square("det", &matrix.0)?;
    if matrix.0.n_rows() == 0 {
        return Ok(1.0);
    }
    let lu = PartialPivLu::new(view(&matrix.0));
    let (forward, _) = lu.P().arrays();
    let sign = if is_odd(forward) { -1.0 } else { 1.0 };
    Ok((0..matrix.0.n_rows()).fold(sign, |product, place| product * lu.U()[(place, place)]))
}

/// Whether a permutation is made of an odd number of exchanges.
fn is_odd(permutation: &[usize]) -> bool {
    let mut is_seen = vec![false; permutation.len()];
    let mut n_exchanges = 0;
    for start in 0..permutation.len() {
        let mut place = start;
        while !is_seen[place] {
            is_seen[place] = true;
            place = permutation[place];
            n_exchanges += usize::from(place != start);
        }
    }
    n_exchanges % 2 == 1
}

/// `lu(a)`: `[p, l, u]` with `p * a == l * u`, p a permutation matrix, l with ones on its diagonal.
/// Errors: a is not square.
fn lu(matrix: &mut MatrixValue) -> Outcome<Array> {
    check_square("lu", &matrix.0)?;
    let n = matrix.0.n_rows();
    if n == 0 {
        return Ok(vec![Dynamic::from(matrix.clone()); 3]);
    }
    let lu = PartialPivLu::new(view(&matrix.0));
    let mut permutation = zero_entries(n, n)?;
    for (row, col) in lu.P().arrays().0.iter().enumerate() {
        permutation[col * n + row] = 1.0;
    }
    let parts = [matrix_of(n, n, permutation)?, owned(lu.L())?, owned(lu.U())?];
    Ok(parts.into_iter().map(Dynamic::from).collect())
}

/// `cholesky(a)`: the lower triangular l with `l * transpose(l) == a`; entries above the diagonal of a
/// are not looked at. Errors: a is not square, or not positive definite.
fn cholesky(matrix: &mut MatrixValue) -> Outcome<MatrixValue> {
    check_square("cholesky", &matrix.0)?;
    if matrix.0.n_rows() == 0 {
        return Ok(matrix.clone());
    }
    match Llt::new(view(&matrix.0), Side::Lower) {
        Ok(llt) if llt.L().diagonal().column_vector().iter().all(|entry| entry.is_finite()) => owned(llt.L()),
        _ => Err(failure("`cholesky` of a matrix that is not positive definite")),
    }
}

/// `qr(a)`: `[q, r]` with `q * r == a`, the columns of q orthonormal, r upper triangular; of an m x n
/// matrix q has min(m, n) columns.
fn qr(matrix: &mut MatrixValue) -> Outcome<Array> {
    room_for_factors(&matrix.0)?;
    let (n_rows, n_cols) = (matrix.0.n_rows(), matrix.0.n_cols());
    if n_rows == 0 || n_cols == 0 {
        let q = MatrixValue(Arc::new(Matrix::from_columns(n_rows, 0, Vec::new()).unwrap_or_default()));
        let r = MatrixValue(Arc::new(Matrix::from_columns(0, n_cols, Vec::new()).unwrap_or_default()));
        return Ok(vec![Dynamic::from(q), Dynamic::from(r)]);
    }
    let qr = Qr::new(view(&matrix.0));
    Ok(vec![Dynamic::from(owned(qr.compute_thin_Q().as_ref())?), Dynamic::from(owned(qr.thin_R())?)])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    const A: &str = "let a = matrix([[2, 1, 1], [4, 3, 3], [8, 7, 9]]);";

    #[test]
    fn factors_multiply_to_the_matrix() {
        check(
            &format!("{A} let f = lu(a); norm(f[0] * a - f[1] * f[2]) < 1e-12 && norm_inf(f[1]) < 3.1"),
            "true",
        );
        check(
            "let a = matrix([[4, 2], [2, 5]]); let l = cholesky(a); norm(l * transpose(l) - a) < 1e-12 && l.get(0, 1) == 0.0",
            "true",
        );
        check(
            "let a = matrix([[1, 2], [3, 4], [5, 6]]); let f = qr(a); [f[0].cols, f[1].rows, \
             norm(f[0] * f[1] - a) < 1e-12, norm(transpose(f[0]) * f[0] - identity(2)) < 1e-12]",
            "[2, 2, true, true]",
        );
        check(
            "let f = qr(matrix(0, 3)); [f[0], f[1], lu(matrix(0, 0))[0], cholesky(matrix(0, 0))]",
            "[matrix 0 x 0, matrix 0 x 3, matrix 0 x 0, matrix 0 x 0]",
        );
    }

    #[test]
    fn systems_are_solved() {
        check(
            &format!("{A} let x = solve(a, vector([4, 10, 24])); max_abs(x - vector([1, 1, 1])) < 1e-12"),
            "true",
        );
        check(
            &format!("{A} norm(a * inverse(a) - identity(3)) < 1e-12 && abs(det(a) - 4.0) < 1e-12"),
            "true",
        );
        check("det(matrix([[0, 1], [1, 0]])) + det(matrix(0, 0)) + det(matrix([[1, 2], [2, 4]]))", "0.0");
        check("solve_upper(matrix([[2, 1], [0, 4]]), vector([4, 8]))", "vector [1.0, 2.0]");
        check(
            "solve_upper(identity(2), matrix([[1], [2]])) == solve(identity(2), matrix([[1], [2]]))",
            "true",
        );
    }

    #[test]
    fn what_cannot_be_factored_is_named() {
        check_error("solve(matrix([[1, 2], [2, 4]]), vector(2))", "`solve` of a singular matrix");
        check_error("inverse(matrix(2, 2))", "`inverse` of a singular matrix");
        check_error("solve(matrix(2, 3), vector(2))", "`solve` of a 2 x 3 matrix: it must be square");
        check_error("solve(identity(2), vector(3))", "`solve` of a 2 x 2 matrix and a right side of 3 rows");
        check_error("det(matrix(2, 3))", "`det` of a 2 x 3 matrix");
        check_error("lu(matrix(2, 3))", "`lu` of a 2 x 3 matrix");
        check_error("cholesky(matrix([[1, 2], [2, 1]]))", "not positive definite");
        check_error("cholesky(matrix(1, 2))", "`cholesky` of a 1 x 2 matrix");
        check_error("solve_upper(matrix([[1, 1], [0, 0]]), vector(2))", "entry (1, 1) of its diagonal is 0");
        check_error("solve_upper(identity(2), vector(3))", "a right side of 3 rows");
        check_error(
            "solve_upper(matrix(1, 2), vector(1))",
            "`solve_upper` of a 1 x 2 matrix: it must be square",
        );
    }
}
