//! Blocked matrix multiply: `C = A B` in n x n blocks, each computed by a native body.
//!
//! The entries are small whole numbers, so that every order of additions gives the same bits.

use hasse::build::{Graph, Program, Unit};
use hasse::{Matrix, NativeBody, Natives, Type};

/// Entry (row, col) of A; B is its transposed.
fn entry(row: usize, col: usize) -> f64 {
    ((7 * row + 3 * col) % 11) as f64 - 5.0
}

/// Registers the function `entries` and the bodies `multiply_blocks` and `join_blocks`.
pub(crate) fn register(natives: &mut Natives) {
    // Rows of A, from `row` on.
    natives.function("entries", |row: usize, n_rows: usize, n_cols: usize| {
        let mut rows = Matrix::zeros(n_rows, n_cols);
        for (place, value) in rows.entries_mut().iter_mut().enumerate() {
            *value = entry(row + place % n_rows, place / n_rows);
        }
        rows
    });
    let multiply = NativeBody::new("multiply_blocks")
        .needs([("rows", Type::Matrix), ("columns", Type::Matrix)])
        .lets([("product", Type::Matrix)]);
    natives.body(multiply, |context| {
        // The values were bound for this execution alone: they are taken, not copied.
        let (rows, columns): (Matrix, Matrix) = (context.take("rows")?, context.take("columns")?);
        context.set("product", product_with_transposed(&rows, &columns)?)
    });
    natives.body(NativeBody::new("join_blocks").results(["c"]), |context| {
        let blocks: Vec<Vec<Matrix>> = context.take("blocks")?;
        let c: Vec<Vec<f64>> = blocks.iter().flat_map(|row| joined_rows(row)).collect();
        context.print(format!("C has {} rows", c.len()));
        context.result("c", c)
    });
}

/// `left * right^T`.
fn product_with_transposed(left: &Matrix, right: &Matrix) -> Result<Matrix, String> {
    if left.n_cols() != right.n_cols() {
        return Err(format!("{} and {} columns do not go together", left.n_cols(), right.n_cols()));
    }
    let (n_rows, n_cols) = (left.n_rows(), right.n_rows());
    let mut product = Matrix::zeros(n_rows, n_cols);
    let entries = product.entries_mut();
    for inner in 0..left.n_cols() {
        let left_column = &left.entries()[inner * n_rows..][..n_rows];
        let right_column = &right.entries()[inner * n_cols..][..n_cols];
        for (column, factor) in entries.chunks_exact_mut(n_rows).zip(right_column) {
            column.iter_mut().zip(left_column).for_each(|(sum, value)| *sum += factor * value);
        }
    }
    Ok(product)
}

/// The rows of blocks that stand beside each other.
fn joined_rows(blocks: &[Matrix]) -> Vec<Vec<f64>> {
    let n_rows = blocks.first().map_or(0, Matrix::n_rows);
    let row_of = |row: usize| {
        let values = blocks.iter().flat_map(move |block| block.entries()[row..].iter().step_by(n_rows));
        values.copied().collect()
    };
    (0..n_rows).map(row_of).collect()
}

/// The program: a square of instances, fed from one node and gathered in another.
pub(crate) fn program() -> Program {
    let feed = Unit::new("Feed")
        .doc("Sends block row i of A, and block column j of B, to each instance (i, j).")
        .start()
        .output("rows[i, j]", "matrix")
        .output("columns[i, j]", "matrix")
        .body("let parts = [];\nfor i in 0..n {\n    parts.push(entries(i * size, size, n * size));\n}\n")
        .route("rows[i, j] <- parts[i] for i in 0..n for j in 0..n")
        .route("columns[i, j] <- parts[j] for i in 0..n for j in 0..n");
    let multiply = Unit::new("Multiply")
        .index("i")
        .index("j")
        .input("rows", "matrix")
        .input("columns", "matrix")
        .output("block", "matrix")
        .fire("rows -> rows, columns -> columns")
        .native("multiply_blocks")
        .route("block <- product");
    let join = Unit::new("Join")
        .input("block[i, j]", "matrix")
        .stop()
        .fire("block[i, j] -> blocks[i, j] for i in 0..n for j in 0..n")
        .native("join_blocks");
    let graph = Graph::new("multiply")
        .param("n", "int = 2")
        .param("size", "int = 8")
        .arc("Feed.rows[i, j] -> Multiply[i, j].rows")
        .arc("Feed.columns[i, j] -> Multiply[i, j].columns")
        .arc("Multiply[i, j].block -> Join.block[i, j]")
        .unit(feed)
        .unit(multiply)
        .unit(join);
    Program::new("multiply").graph(graph)
}

/// A A^T by its definition, row by row.
pub(crate) fn oracle(size: usize) -> Vec<Vec<f64>> {
    let dot = |row: usize, col: usize| (0..size).map(|k| entry(row, k) * entry(col, k)).sum();
    (0..size).map(|row| (0..size).map(|col| dot(row, col)).collect()).collect()
}
