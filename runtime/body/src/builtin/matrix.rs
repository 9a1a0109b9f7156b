//! Dense matrices of `f64`, column-major: `matrix(rows, cols)`, `m.get(r, c)`, blocks, products,
//! forward substitution.
//!
//! Products and substitution are faer's kernels, always on the calling thread: parallelism is the
//! program's own. A matrix is copied on the first write to a shared one.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use hasse_model::show::in_text;
use hasse_model::value::{Matrix, Value};
use rhai::Array;

use super::limits::{self, Outcome, failure};
use super::registry::Common;
use super::vector::{euclidean_norm, vector_of};
use crate::convert::{MatrixValue, VectorValue};
use crate::interrupt;
use crate::print_text::printed;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common.register_type_with_name::<MatrixValue>("matrix");
    common
        .register_fn("matrix", zeros)
        .register_fn("matrix", from_rows)
        .register_fn("identity", identity)
        .register_fn("rows", |matrix: &mut MatrixValue| matrix.0.n_rows() as i64)
        .register_fn("cols", |matrix: &mut MatrixValue| matrix.0.n_cols() as i64)
        .register_get("rows", |matrix: &mut MatrixValue| matrix.0.n_rows() as i64)
        .register_get("cols", |matrix: &mut MatrixValue| matrix.0.n_cols() as i64)
        .register_fn("get", get)
        .register_fn("set", set)
        .register_fn("set", |matrix: &mut MatrixValue, row: i64, col: i64, number: i64| {
            set(matrix, row, col, number as f64)
        });
    common
        .register_fn("block", block)
        .register_fn("row", row)
        .register_fn("column", column)
        .register_fn("transpose", transpose)
        .register_fn("solve_lower", solve_lower_vector)
        .register_fn("solve_lower", solve_lower_matrix)
        .register_fn("norm", |matrix: &mut MatrixValue| euclidean_norm(matrix.0.entries()))
        .register_fn("to_string", text)
        .register_fn("print", |matrix: &mut MatrixValue| printed(&Value::Matrix(Arc::clone(&matrix.0))))
        .register_fn("to_debug", text);
    common
        .register_fn("==", |one: &mut MatrixValue, other: MatrixValue| *one == other)
        .register_fn("!=", |one: &mut MatrixValue, other: MatrixValue| *one != other)
        .register_fn("+", |one: MatrixValue, other: MatrixValue| combined(one, &other, "+", |x, y| x + y))
        .register_fn("-", |one: MatrixValue, other: MatrixValue| combined(one, &other, "-", |x, y| x - y))
        .register_fn("-", |matrix: MatrixValue| mapped(matrix, |entry| -entry))
        .register_fn("+=", |one: &mut MatrixValue, other: MatrixValue| {
            combine(one, &other, "+=", |x, y| x + y)
        })
        .register_fn("-=", |one: &mut MatrixValue, other: MatrixValue| {
            combine(one, &other, "-=", |x, y| x - y)
        })
        .register_fn("*", times_vector)
        .register_fn("*", times_matrix);
    common
        .register_fn("+", |matrix: MatrixValue, number: f64| mapped(matrix, |entry| entry + number))
        .register_fn("+", |matrix: MatrixValue, number: i64| mapped(matrix, |entry| entry + number as f64))
        .register_fn("+", |number: f64, matrix: MatrixValue| mapped(matrix, |entry| number + entry))
        .register_fn("+", |number: i64, matrix: MatrixValue| mapped(matrix, |entry| number as f64 + entry))
        .register_fn("-", |matrix: MatrixValue, number: f64| mapped(matrix, |entry| entry - number))
        .register_fn("-", |matrix: MatrixValue, number: i64| mapped(matrix, |entry| entry - number as f64))
        .register_fn("-", |number: f64, matrix: MatrixValue| mapped(matrix, |entry| number - entry))
        .register_fn("-", |number: i64, matrix: MatrixValue| mapped(matrix, |entry| number as f64 - entry))
        .register_fn("/", |number: f64, matrix: MatrixValue| mapped(matrix, |entry| number / entry))
        .register_fn("/", |number: i64, matrix: MatrixValue| mapped(matrix, |entry| number as f64 / entry));
    common
        .register_fn("*", |matrix: MatrixValue, factor: f64| mapped(matrix, |entry| entry * factor))
        .register_fn("*", |matrix: MatrixValue, factor: i64| mapped(matrix, |entry| entry * factor as f64))
        .register_fn("*", |factor: f64, matrix: MatrixValue| mapped(matrix, |entry| factor * entry))
        .register_fn("*", |factor: i64, matrix: MatrixValue| mapped(matrix, |entry| factor as f64 * entry))
        .register_fn("/", |matrix: MatrixValue, divisor: f64| mapped(matrix, |entry| entry / divisor))
        .register_fn("/", |matrix: MatrixValue, divisor: i64| mapped(matrix, |entry| entry / divisor as f64));
}

/// A matrix value of entries, column after column.
pub(super) fn matrix_of(n_rows: usize, n_cols: usize, entries: Vec<f64>) -> Outcome<MatrixValue> {
    let n_entries = entries.len();
    Matrix::from_columns(n_rows, n_cols, entries)
        .map(|matrix| MatrixValue(Arc::new(matrix)))
        .ok_or_else(|| failure(format!("{n_entries} entries do not make a {n_rows} x {n_cols} matrix")))
}

/// Zeros for an n_rows x n_cols matrix. Errors: too many.
pub(super) fn zero_entries(n_rows: usize, n_cols: usize) -> Outcome<Vec<f64>> {
    limits::zeros(n_rows.saturating_mul(n_cols))
}

/// `matrix(rows, cols)`: zeros. Errors: a number is negative, or the matrix too large.
fn zeros(n_rows: i64, n_cols: i64) -> Outcome<MatrixValue> {
    let n_rows = limits::size("the number of rows", n_rows)?;
    let n_cols = limits::size("the number of columns", n_cols)?;
    matrix_of(n_rows, n_cols, zero_entries(n_rows, n_cols)?)
}

/// `matrix([[1, 2], [3, 4]])`: a matrix of rows of numbers. Errors: an item is not an array of
/// numbers, or rows differ in length.
fn from_rows(rows: Array) -> Outcome<MatrixValue> {
    let n_rows = rows.len();
    let mut n_cols = 0;
    let mut entries = Vec::new();
    for (row_idx, row) in rows.iter().enumerate() {
        let row = row.as_array_ref().map_err(|type_name| {
            failure(format!("row {row_idx} is of type {type_name}, not an array of numbers"))
        })?;
        if row_idx == 0 {
            n_cols = row.len();
            entries = zero_entries(n_rows, n_cols)?;
        }
        if row.len() != n_cols {
            return Err(failure(format!("row {row_idx} has {} numbers, row 0 has {n_cols}", row.len())));
        }
        for (col_idx, item) in row.iter().enumerate() {
            entries[col_idx * n_rows + row_idx] = limits::number(item).ok_or_else(|| {
                let type_name = item.type_name();
                failure(format!("item ({row_idx}, {col_idx}) is of type {type_name}, not a number"))
            })?;
        }
    }
    matrix_of(n_rows, n_cols, entries)
}

/// `identity(n)`: ones on the diagonal of an n x n matrix. Errors: n is negative or too large.
fn identity(n: i64) -> Outcome<MatrixValue> {
    let n = limits::size("the number of rows", n)?;
    let mut entries = zero_entries(n, n)?;
    entries.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
    matrix_of(n, n, entries)
}

/// `m.get(r, c)`. Errors: outside of the matrix.
fn get(matrix: &mut MatrixValue, row: i64, col: i64) -> Outcome<f64> {
    let (row, col) = place(matrix, row, col)?;
    Ok(matrix.0.entries()[col * matrix.0.n_rows() + row])
}

/// `m.set(r, c, x)`. Errors: outside of the matrix.
fn set(matrix: &mut MatrixValue, row: i64, col: i64, number: f64) -> Outcome<()> {
    let (row, col) = place(matrix, row, col)?;
    let n_rows = matrix.0.n_rows();
    Arc::make_mut(&mut matrix.0).entries_mut()[col * n_rows + row] = number;
    Ok(())
}

fn place(matrix: &MatrixValue, row: i64, col: i64) -> Outcome<(usize, usize)> {
    Ok((limits::index("row", row, matrix.0.n_rows())?, limits::index("column", col, matrix.0.n_cols())?))
}

/// `block(m, row, col, n_rows, n_cols)`: the block whose first entry is (row, col), as a matrix.
/// Cost: linear in the block. Errors: it reaches out of the matrix.
fn block(matrix: &mut MatrixValue, row: i64, col: i64, n_rows: i64, n_cols: i64) -> Outcome<MatrixValue> {
    let rows = limits::range("rows", row, row.saturating_add(n_rows), matrix.0.n_rows())?;
    let cols = limits::range("columns", col, col.saturating_add(n_cols), matrix.0.n_cols())?;
    let mut entries = limits::empty(rows.len() * cols.len())?;
    for col_idx in cols.clone() {
        let start = col_idx * matrix.0.n_rows();
        entries.extend_from_slice(&matrix.0.entries()[start + rows.start..start + rows.end]);
    }
    matrix_of(rows.len(), cols.len(), entries)
}

/// `row(m, r)`: a row as a vector. Errors: there is no such row.
fn row(matrix: &mut MatrixValue, row: i64) -> Outcome<VectorValue> {
    let row = limits::index("row", row, matrix.0.n_rows())?;
    Ok(vector_of(matrix.0.entries().iter().skip(row).step_by(matrix.0.n_rows()).copied().collect()))
}

/// `column(m, c)`: a column as a vector. Errors: there is no such column.
fn column(matrix: &mut MatrixValue, col: i64) -> Outcome<VectorValue> {
    let col = limits::index("column", col, matrix.0.n_cols())?;
    let n_rows = matrix.0.n_rows();
    Ok(vector_of(matrix.0.entries()[col * n_rows..(col + 1) * n_rows].to_vec()))
}

/// `transpose(m)`. Cost: linear, in tiles that stay in the cache.
fn transpose(matrix: &mut MatrixValue) -> Outcome<MatrixValue> {
    const TILE: usize = 32;
    let (n_rows, n_cols) = (matrix.0.n_rows(), matrix.0.n_cols());
    let mut entries = zero_entries(n_cols, n_rows)?;
    for first_col in (0..n_cols).step_by(TILE) {
        for first_row in (0..n_rows).step_by(TILE) {
            for col in first_col..n_cols.min(first_col + TILE) {
                for row in first_row..n_rows.min(first_row + TILE) {
                    entries[row * n_cols + col] = matrix.0.entries()[col * n_rows + row];
                }
            }
        }
    }
    matrix_of(n_cols, n_rows, entries)
}

/// `m * v`. Cost: rows * cols. Errors: m has not as many columns as v has entries.
fn times_vector(matrix: &mut MatrixValue, vector: VectorValue) -> Outcome<VectorValue> {
    let (n_rows, n_cols) = (matrix.0.n_rows(), matrix.0.n_cols());
    if n_cols != vector.0.len() {
        let length = vector.0.len();
        return Err(failure(format!("a {n_rows} x {n_cols} matrix times a vector of length {length}")));
    }
    let mut entries = limits::zeros(n_rows)?;
    multiply(&matrix.0, &vector.0, 1, &mut entries)?;
    Ok(vector_of(entries))
}

/// `a * b`. Cost: rows(a) * cols(a) * cols(b). Errors: cols(a) differs from rows(b).
fn times_matrix(one: &mut MatrixValue, other: MatrixValue) -> Outcome<MatrixValue> {
    let (n_rows, n_inner, n_cols) = (one.0.n_rows(), one.0.n_cols(), other.0.n_cols());
    if n_inner != other.0.n_rows() {
        let n_others = other.0.n_rows();
        return Err(failure(format!("a {n_rows} x {n_inner} matrix times a {n_others} x {n_cols} matrix")));
    }
    let mut entries = zero_entries(n_rows, n_cols)?;
    multiply(&one.0, other.0.entries(), n_cols, &mut entries)?;
    matrix_of(n_rows, n_cols, entries)
}

/// Multiplications between two looks at whether the run was asked to end: some tens of milliseconds.
const PANEL_WORK: usize = 1 << 28;

/// Writes `matrix * right`; `right` has `n_cols` columns, and `product` the size of the product. Goes
/// panel by panel of columns, wide enough to cost nothing.
fn multiply(matrix: &Matrix, right: &[f64], n_cols: usize, product: &mut [f64]) -> Outcome<()> {
    if product.is_empty() || right.is_empty() {
        return interrupt::check();
    }
    let (n_rows, n_inner) = (matrix.n_rows(), matrix.n_cols());
    let left = MatRef::from_column_major_slice(matrix.entries(), n_rows, n_inner);
    let panel_cols = (PANEL_WORK / (n_rows * n_inner)).clamp(64, n_cols.max(64));
    for (right, product) in right.chunks(panel_cols * n_inner).zip(product.chunks_mut(panel_cols * n_rows)) {
        interrupt::check()?;
        let n_cols = product.len() / n_rows;
        let right = MatRef::from_column_major_slice(right, n_inner, n_cols);
        let product = MatMut::from_column_major_slice_mut(product, n_rows, n_cols);
        matmul(product, Accum::Replace, left, right, 1.0, Par::Seq);
    }
    Ok(())
}

/// `solve_lower(a, b)`: x with `a * x == b`, by forward substitution; entries of a above the
/// diagonal are not looked at. Cost: n^2. Errors: a is not square, has not as many rows as b has
/// entries, or has a zero on its diagonal.
fn solve_lower_vector(matrix: &mut MatrixValue, right: VectorValue) -> Outcome<VectorValue> {
    check_lower(&matrix.0, right.0.len())?;
    let mut right = right;
    substitute(&matrix.0, Arc::make_mut(&mut right.0).as_mut_slice(), 1);
    Ok(right)
}

/// `solve_lower(a, b)` for each column of a matrix b. Cost: n^2 * cols(b).
fn solve_lower_matrix(matrix: &mut MatrixValue, right: MatrixValue) -> Outcome<MatrixValue> {
    check_lower(&matrix.0, right.0.n_rows())?;
    let mut right = right;
    let n_cols = right.0.n_cols();
    substitute(&matrix.0, Arc::make_mut(&mut right.0).entries_mut(), n_cols);
    Ok(right)
}

fn check_lower(matrix: &Matrix, n_right: usize) -> Outcome<()> {
    let (n_rows, n_cols) = (matrix.n_rows(), matrix.n_cols());
    if n_rows != n_cols {
        return Err(failure(format!("`solve_lower` of a {n_rows} x {n_cols} matrix: it must be square")));
    }
    if n_rows != n_right {
        return Err(failure(format!(
            "`solve_lower` of a {n_rows} x {n_cols} matrix and a right side of {n_right} rows"
        )));
    }
    match matrix.entries().iter().step_by(n_rows + 1).position(|entry| *entry == 0.0) {
        Some(row) => Err(failure(format!(
            "`solve_lower` of a singular matrix: entry ({row}, {row}) of its diagonal is 0"
        ))),
        None => Ok(()),
    }
}

fn substitute(matrix: &Matrix, right: &mut [f64], n_cols: usize) {
    if right.is_empty() {
        return;
    }
    let lower = MatRef::from_column_major_slice(matrix.entries(), matrix.n_rows(), matrix.n_cols());
    let right = MatMut::from_column_major_slice_mut(right, matrix.n_rows(), n_cols);
    solve_lower_triangular_in_place(lower, right, Par::Seq);
}

/// The text on one line: all entries of a small matrix, else those at its corners.
fn text(matrix: &mut MatrixValue) -> String {
    in_text(&Value::Matrix(Arc::clone(&matrix.0)))
}

fn mapped(mut matrix: MatrixValue, change: impl Fn(f64) -> f64) -> MatrixValue {
    for entry in Arc::make_mut(&mut matrix.0).entries_mut() {
        *entry = change(*entry);
    }
    matrix
}

fn combine(
    one: &mut MatrixValue,
    other: &MatrixValue,
    sign: &str,
    change: impl Fn(f64, f64) -> f64,
) -> Outcome<()> {
    let sizes = [one.0.n_rows(), one.0.n_cols(), other.0.n_rows(), other.0.n_cols()];
    if sizes[..2] != sizes[2..] {
        let [n_rows, n_cols, n_others, n_other_cols] = sizes;
        return Err(failure(format!(
            "`{sign}` of matrices {n_rows} x {n_cols} and {n_others} x {n_other_cols}: sizes must be equal"
        )));
    }
    for (entry, other) in Arc::make_mut(&mut one.0).entries_mut().iter_mut().zip(other.0.entries()) {
        *entry = change(*entry, *other);
    }
    Ok(())
}

pub(super) fn combined(
    mut one: MatrixValue,
    other: &MatrixValue,
    sign: &str,
    change: impl Fn(f64, f64) -> f64,
) -> Outcome<MatrixValue> {
    combine(&mut one, other, sign, change).map(|()| one)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn makes_reads_and_writes() {
        check("let m = matrix(2, 3); m.set(1, 2, 5); m.set(0, 0, 0.5); row(m, 1)", "vector [0.0, 0.0, 5.0]");
        check("let m = matrix([[1, 2.0], [3, 4]]); [m.get(1, 0), rows(m), m.cols]", "[3.0, 2, 2]");
        check("matrix([])", "matrix 0 x 0");
        check("column(identity(3), 1)", "vector [0.0, 1.0, 0.0]");
        check_error("matrix(2, 2).get(2, 0)", "row 2 is not within 0..2");
        check_error("matrix(2, 2).get(0, -1)", "column -1 is not within 0..2");
        check_error("matrix(100000, 100000)", "10000000000 entries do not fit");
        check_error("identity(100000000)", "entries do not fit");
        check_error("matrix([[1], [2, 3]])", "row 1 has 2 numbers, row 0 has 1");
        check_error("matrix([1])", "row 0 is of type i64, not an array of numbers");
        check_error("row(matrix(0, 3), 0)", "row 0 asked for where there is none");
    }

    #[test]
    fn takes_blocks() {
        check("block(matrix([[1,2,3],[4,5,6],[7,8,9]]), 1, 1, 2, 2) == matrix([[5,6],[8,9]])", "true");
        check("block(matrix(3, 3), 3, 0, 0, 3)", "matrix 0 x 3");
        check("transpose(matrix([[1,2,3],[4,5,6]])) == matrix([[1,4],[2,5],[3,6]])", "true");
        check("let m = matrix(70, 33); m.set(69, 32, 2); let t = transpose(m); t.get(32, 69)", "2.0");
        check_error("block(matrix(3, 3), 1, 0, 3, 1)", "rows 1..4 are not within 0..3");
        check_error("block(matrix(3, 3), 0, 9223372036854775807, 1, 1)", "columns 9223372036854775807..");
        check_error("block(matrix(3, 3), 0, 2, 1, -1)", "columns 2..1 are not within 0..3");
    }

    #[test]
    fn computes() {
        check("matrix([[1, 2], [3, 4]]) * vector([1, 10])", "vector [21.0, 43.0]");
        check("matrix([[1, 2], [3, 4]]) * matrix([[0, 1], [1, 0]]) == matrix([[2, 1], [4, 3]])", "true");
        check(
            "let m = identity(2); m += m; m -= identity(2); (2 * m - m / 2 + -m) * 2 == identity(2)",
            "true",
        );
        check("matrix(2, 0) * vector(0)", "vector [0.0, 0.0]");
        check("norm(matrix([[3, 0], [0, 4]]))", "5.0");
        check_error("matrix(2, 3) * vector(2)", "a 2 x 3 matrix times a vector of length 2");
        check_error("matrix(2, 3) * matrix(2, 3)", "a 2 x 3 matrix times a 2 x 3 matrix");
        check_error("matrix(2, 3) + matrix(3, 2)", "`+` of matrices 2 x 3 and 3 x 2");
    }

    #[test]
    fn substitutes_forward() {
        check("solve_lower(matrix([[2, 99], [1, 4]]), vector([2, 9]))", "vector [1.0, 2.0]");
        check(
            "solve_lower(matrix([[2, 0], [1, 4]]), matrix([[2, 4], [9, 2]])) == matrix([[1, 2], [2, 0]])",
            "true",
        );
        check(
            "let a = matrix([[2, 0], [1, 4]]); let b = vector([2, 9]); solve_lower(a, b); b",
            "vector [2.0, 9.0]",
        );
        check_error("solve_lower(matrix([[1, 0], [1, 0]]), vector(2))", "entry (1, 1) of its diagonal is 0");
        check_error("solve_lower(matrix(2, 3), vector(2))", "of a 2 x 3 matrix: it must be square");
        check_error("solve_lower(identity(2), vector(3))", "a right side of 3 rows");
    }
}
