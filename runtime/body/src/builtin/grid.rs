//! Matrices as made of parts: blocks, columns, norms, and the steps of grid methods.

use std::sync::Arc;

use rhai::Array;

use super::limits::{self, Outcome, failure};
use super::matrix::{matrix_of, zero_entries};
use super::registry::Common;
use super::vector::vector_of;
use crate::convert::{MatrixValue, VectorValue};
use crate::interrupt;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("matrix", |n_rows: i64, n_cols: i64, number: f64| filled(n_rows, n_cols, number))
        .register_fn("matrix", |n_rows: i64, n_cols: i64, number: i64| filled(n_rows, n_cols, number as f64))
        .register_fn("from_columns", from_columns)
        .register_fn("outer", outer)
        .register_fn("diagonal", diagonal)
        .register_fn("set_block", |matrix: &mut MatrixValue, row: i64, col: i64, part: MatrixValue| {
            write_block("set_block", matrix, row, col, &part, |entry, new| *entry = new)
        })
        .register_fn("add_block", |matrix: &mut MatrixValue, row: i64, col: i64, part: MatrixValue| {
            write_block("add_block", matrix, row, col, &part, |entry, new| *entry += new)
        })
        .register_fn("set_column", set_column)
        .register_fn("set_row", set_row)
        .register_fn("trace", trace)
        .register_fn("norm1", norm1)
        .register_fn("norm_inf", norm_inf)
        .register_fn("to_rows", to_rows)
        .register_fn("jacobi_step", jacobi_step)
        .register_fn("convolve", convolve);
}

/// `matrix(rows, cols, x)`: every entry x. Errors: as for `matrix(rows, cols)`.
fn filled(n_rows: i64, n_cols: i64, number: f64) -> Outcome<MatrixValue> {
    let n_rows = limits::size("the number of rows", n_rows)?;
    let n_cols = limits::size("the number of columns", n_cols)?;
    let mut entries = zero_entries(n_rows, n_cols)?;
    entries.fill(number);
    matrix_of(n_rows, n_cols, entries)
}

/// `from_columns(array of vectors)`. Errors: an item is not a vector; lengths differ.
fn from_columns(items: Array) -> Outcome<MatrixValue> {
    let n_cols = items.len();
    let mut n_rows = 0;
    let mut entries = Vec::new();
    for (col, item) in items.into_iter().enumerate() {
        let type_name = item.type_name();
        let Some(column) = item.try_cast::<VectorValue>() else {
            return Err(failure(format!("column {col} is of type {type_name}, not a vector")));
        };
        if col == 0 {
            n_rows = column.0.len();
            entries = limits::empty(n_rows.saturating_mul(n_cols))?;
        }
        if column.0.len() != n_rows {
            let length = column.0.len();
            return Err(failure(format!("column {col} has {length} numbers, column 0 has {n_rows}")));
        }
        entries.extend_from_slice(&column.0);
    }
    matrix_of(n_rows, n_cols, entries)
}

/// `outer(v, w)`: the matrix with entries `v[i] * w[j]`.
fn outer(one: &mut VectorValue, other: VectorValue) -> Outcome<MatrixValue> {
    let mut entries = limits::empty(one.0.len().saturating_mul(other.0.len()))?;
    for factor in other.0.iter() {
        entries.extend(one.0.iter().map(|entry| entry * factor));
    }
    matrix_of(one.0.len(), other.0.len(), entries)
}

/// `diagonal(m)`: the entries (i, i).
fn diagonal(matrix: &mut MatrixValue) -> VectorValue {
    let n = matrix.0.n_rows().min(matrix.0.n_cols());
    vector_of(matrix.0.entries().iter().step_by(matrix.0.n_rows() + 1).take(n).copied().collect())
}

fn write_block(
    what: &str,
    matrix: &mut MatrixValue,
    row: i64,
    col: i64,
    part: &MatrixValue,
    write: impl Fn(&mut f64, f64),
) -> Outcome<()> {
    let (n_rows, n_part_rows) = (matrix.0.n_rows(), part.0.n_rows());
    let fault = |error: Box<rhai::EvalAltResult>| failure(format!("`{what}`: {error}"));
    let row_end = row.saturating_add(n_part_rows as i64);
    let col_end = col.saturating_add(part.0.n_cols() as i64);
    let rows = limits::range("rows", row, row_end, n_rows).map_err(fault)?;
    let cols = limits::range("columns", col, col_end, matrix.0.n_cols()).map_err(fault)?;
    let entries = Arc::make_mut(&mut matrix.0).entries_mut();
    for (part_col, col) in cols.enumerate() {
        let column = &mut entries[col * n_rows + rows.start..col * n_rows + rows.end];
        let new = &part.0.entries()[part_col * n_part_rows..(part_col + 1) * n_part_rows];
        column.iter_mut().zip(new).for_each(|(entry, new)| write(entry, *new));
    }
    Ok(())
}

/// `m.set_column(c, v)`. Errors: there is no such column; v has not as many entries as m has rows.
fn set_column(matrix: &mut MatrixValue, col: i64, column: VectorValue) -> Outcome<()> {
    let n_rows = matrix.0.n_rows();
    let col = limits::index("column", col, matrix.0.n_cols())?;
    if column.0.len() != n_rows {
        return Err(failure(format!("`set_column`: {} numbers for {n_rows} rows", column.0.len())));
    }
    Arc::make_mut(&mut matrix.0).entries_mut()[col * n_rows..(col + 1) * n_rows].copy_from_slice(&column.0);
    Ok(())
}

/// `m.set_row(r, v)`. Errors: there is no such row; v has not as many entries as m has columns.
fn set_row(matrix: &mut MatrixValue, row: i64, new: VectorValue) -> Outcome<()> {
    let n_rows = matrix.0.n_rows();
    let row = limits::index("row", row, n_rows)?;
    if new.0.len() != matrix.0.n_cols() {
        let n_cols = matrix.0.n_cols();
        return Err(failure(format!("`set_row`: {} numbers for {n_cols} columns", new.0.len())));
    }
    let entries = Arc::make_mut(&mut matrix.0).entries_mut();
    entries.iter_mut().skip(row).step_by(n_rows).zip(new.0.iter()).for_each(|(entry, new)| *entry = *new);
    Ok(())
}

/// `trace(m)`: the sum of the diagonal. Errors: m is not square.
fn trace(matrix: &mut MatrixValue) -> Outcome<f64> {
    let (n_rows, n_cols) = (matrix.0.n_rows(), matrix.0.n_cols());
    if n_rows != n_cols {
        return Err(failure(format!("`trace` of a {n_rows} x {n_cols} matrix: it must be square")));
    }
    Ok(diagonal(matrix).0.iter().sum())
}

/// `norm1(m)`: the greatest sum of absolute values of a column.
fn norm1(matrix: &mut MatrixValue) -> f64 {
    let columns = matrix.0.entries().chunks_exact(matrix.0.n_rows().max(1));
    greatest(columns.map(|column| column.iter().map(|entry| entry.abs()).sum()))
}

/// `norm_inf(m)`: the greatest sum of absolute values of a row.
fn norm_inf(matrix: &mut MatrixValue) -> f64 {
    let mut sums = vec![0.0; matrix.0.n_rows()];
    for column in matrix.0.entries().chunks_exact(matrix.0.n_rows().max(1)) {
        sums.iter_mut().zip(column).for_each(|(sum, entry)| *sum += entry.abs());
    }
    greatest(sums.into_iter())
}

/// The greatest of numbers that are not negative; NaN where one is NaN.
fn greatest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |most: f64, number| if most.is_nan() || number <= most { most } else { number })
}

/// `to_rows(m)`: the rows as an array of arrays of reals.
fn to_rows(matrix: &mut MatrixValue) -> Outcome<Array> {
    limits::room_for_items(matrix.0.entries().len())?;
    let n_rows = matrix.0.n_rows();
    let row = |row: usize| -> Array {
        matrix.0.entries().iter().skip(row).step_by(n_rows).copied().map(rhai::Dynamic::from_float).collect()
    };
    Ok((0..n_rows).map(|row_idx| rhai::Dynamic::from_array(row(row_idx))).collect())
}

/// `jacobi_step(m)`: each entry that is not on the border becomes the mean of its four neighbors; the
/// border stays. One step of Jacobi's method for Laplace's equation on a grid.
fn jacobi_step(matrix: &mut MatrixValue) -> Outcome<MatrixValue> {
    let (n_rows, n_cols) = (matrix.0.n_rows(), matrix.0.n_cols());
    let old = matrix.0.entries();
    let mut entries = limits::empty(old.len())?;
    entries.extend_from_slice(old);
    for col in 1..n_cols.saturating_sub(1) {
        for row in 1..n_rows.saturating_sub(1) {
            let place = col * n_rows + row;
            let sum = old[place - 1] + old[place + 1] + old[place - n_rows] + old[place + n_rows];
            entries[place] = 0.25 * sum;
        }
    }
    matrix_of(n_rows, n_cols, entries)
}

/// `convolve(m, kernel)`: entry (r, c) is the sum of `kernel(i, j) * m(r + i - h, c + j - w)`, the
/// kernel's middle being (h, w); beyond the border the nearest entry counts. The kernel is not
/// turned. Cost: entries of m times entries of the kernel. Errors: a side of the kernel is even.
fn convolve(matrix: &mut MatrixValue, kernel: MatrixValue) -> Outcome<MatrixValue> {
    let (n_rows, n_cols) = (matrix.0.n_rows(), matrix.0.n_cols());
    let (height, width) = (kernel.0.n_rows(), kernel.0.n_cols());
    if height % 2 == 0 || width % 2 == 0 {
        return Err(failure(format!("`convolve` with a {height} x {width} kernel: its sides must be odd")));
    }
    let old = matrix.0.entries();
    let mut entries = limits::zeros(old.len())?;
    let clamped = |place: usize, shift: usize, middle: usize, len: usize| {
        (place + shift).saturating_sub(middle).min(len - 1)
    };
    for (kernel_place, factor) in kernel.0.entries().iter().enumerate().filter(|(_, factor)| **factor != 0.0)
    {
        interrupt::check()?;
        let (down, right) = (kernel_place % height, kernel_place / height);
        for col in 0..n_cols {
            let source = &old[clamped(col, right, width / 2, n_cols) * n_rows..][..n_rows];
            let target = &mut entries[col * n_rows..][..n_rows];
            for (row, entry) in target.iter_mut().enumerate() {
                *entry += factor * source[clamped(row, down, height / 2, n_rows)];
            }
        }
    }
    matrix_of(n_rows, n_cols, entries)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn is_made_of_parts() {
        check("to_rows(from_columns([vector([1, 2]), vector([3, 4])]))", "[[1.0, 3.0], [2.0, 4.0]]");
        check("to_rows(outer(vector([1, 2]), vector([3, 4, 5])))", "[[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]");
        check(
            "let m = matrix(2, 2, 1); m.set_block(0, 1, matrix([[5], [6]])); m.add_block(1, 0, matrix([[1, 1]])); to_rows(m)",
            "[[1.0, 5.0], [2.0, 7.0]]",
        );
        check(
            "let m = matrix(2, 2); m.set_column(1, vector([1, 2])); m.set_row(0, vector([8, 9])); to_rows(m)",
            "[[8.0, 9.0], [0.0, 2.0]]",
        );
        check(
            "let m = matrix([[1, -2], [3, 4]]); [diagonal(m), trace(m), norm1(m), norm_inf(m)]",
            "[vector [1.0, 4.0], 5.0, 6.0, 7.0]",
        );
        check(
            "[norm1(matrix(0, 2)), norm_inf(matrix(2, 0)), diagonal(matrix(0, 3)), from_columns([])]",
            "[0.0, 0.0, vector [], matrix 0 x 0]",
        );
        check_error("from_columns([vector(1), vector(2)])", "column 1 has 2 numbers, column 0 has 1");
        check_error("from_columns([1])", "column 0 is of type i64, not a vector");
        check_error("matrix(2, 2).set_block(1, 1, matrix(2, 1))", "`set_block`: ");
        check_error("matrix(2, 2).add_block(0, -1, matrix(1, 1))", "columns -1..0 are not within 0..2");
        check_error("matrix(2, 2).set_column(2, vector(2))", "column 2 is not within 0..2");
        check_error("matrix(2, 2).set_row(0, vector(3))", "`set_row`: 3 numbers for 2 columns");
        check_error("matrix(2, 2).set_column(0, vector(3))", "`set_column`: 3 numbers for 2 rows");
        check_error("trace(matrix(1, 2))", "`trace` of a 1 x 2 matrix");
        check_error("matrix(-1, 2, 0.0)", "the number of rows is -1");
    }

    #[test]
    fn steps_on_grids() {
        check(
            "to_rows(jacobi_step(matrix([[4, 4, 4], [0, 9, 0], [0, 0, 0]])))",
            "[[4.0, 4.0, 4.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]",
        );
        check(
            "jacobi_step(matrix(1, 1, 3)) == matrix(1, 1, 3) && jacobi_step(matrix(0, 0)) == matrix(0, 0)",
            "true",
        );
        check("to_rows(convolve(matrix([[1, 2, 3]]), matrix([[1, 0, -1]])))", "[[-1.0, -2.0, -1.0]]");
        check("convolve(matrix(4, 5, 2), matrix(3, 3, 1)) == matrix(4, 5, 18)", "true");
        check("convolve(matrix(0, 3), matrix(1, 1, 1))", "matrix 0 x 3");
        check_error("convolve(matrix(2, 2), matrix(2, 1))", "`convolve` with a 2 x 1 kernel");
    }
}
