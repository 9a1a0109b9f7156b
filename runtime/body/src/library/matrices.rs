//! Matrices and systems of equations.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const MATRICES: Family = Family {
    title: "Matrices",
    about: "Dense matrices of reals, stored column by column. Costs are linear in the entries unless said otherwise.",
    functions: MATRICES_FUNCTIONS,
};

const MATRICES_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "add_block(m: matrix, row: int, col: int, part: matrix)",
        "Adds a block whose first entry is (row, col), in place.",
        "it reaches out of m",
        "let m = identity(2); m.add_block(0, 0, identity(1)); m.get(0, 0) == 2.0",
    ),
    function(
        "block(m: matrix, row: int, col: int, n_rows: int, n_cols: int) -> matrix",
        "The block whose first entry is (row, col).",
        "it reaches out of m",
        "block(identity(3), 1, 1, 2, 2) == identity(2)",
    ),
    function("cols(m: matrix) -> int", "The number of columns; also `m.cols`.", "", "matrix(2, 3).cols == 3"),
    function(
        "column(m: matrix, col: int) -> vector",
        "A column.",
        "there is no such column",
        "column(identity(2), 1) == vector([0, 1])",
    ),
    function(
        "convolve(m: matrix, kernel: matrix) -> matrix",
        "Entry (r, c) is the sum of `kernel(i, j) * m(r + i - h, c + j - w)` with (h, w) the kernel's middle; beyond the border the nearest entry counts. The kernel is not turned. Cost: entries of m times those of the kernel.",
        "a side of the kernel is even",
        "convolve(matrix(4, 4, 2), matrix(3, 3, 1)) == matrix(4, 4, 18)",
    ),
    function(
        "diagonal(m: matrix) -> vector",
        "The entries (i, i).",
        "",
        "diagonal(identity(2)) == vector([1, 1])",
    ),
    function(
        "from_columns(columns: vector[]) -> matrix",
        "A matrix of columns.",
        "lengths differ; an item is not a vector",
        "from_columns([vector([1, 2])]) == matrix([[1], [2]])",
    ),
    function(
        "identity(n: int) -> matrix",
        "Ones on the diagonal.",
        "n is negative or too large",
        "identity(2) == matrix([[1, 0], [0, 1]])",
    ),
    function(
        "jacobi_step(m: matrix) -> matrix",
        "Each entry that is not on the border becomes the mean of its four neighbors; the border stays: one step of Jacobi's method for Laplace's equation.",
        "",
        "jacobi_step(matrix([[0, 4, 0], [4, 0, 4], [0, 4, 0]])).get(1, 1) == 4.0",
    ),
    function(
        "matrix(rows: int, cols: int) -> matrix; matrix(rows: int, cols: int, x: real) -> matrix; matrix(rows: int, cols: int, x: int) -> matrix; matrix(rows: T[][]) -> matrix",
        "Zeros; every entry x; rows of numbers.",
        "a size is negative or too large; rows differ in length; an item is not a number",
        "matrix([[1, 2], [3, 4]]).get(1, 0) == 3.0",
    ),
    function(
        "outer(v: vector, w: vector) -> matrix",
        "The entries `v[i] * w[j]`.",
        "it is too large",
        "outer(vector([1, 2]), vector([3])) == matrix([[3], [6]])",
    ),
    function(
        "row(m: matrix, row: int) -> vector",
        "A row.",
        "there is no such row",
        "row(identity(2), 0) == vector([1, 0])",
    ),
    function("rows(m: matrix) -> int", "The number of rows; also `m.rows`.", "", "rows(matrix(2, 3)) == 2"),
    function(
        "set_block(m: matrix, row: int, col: int, part: matrix)",
        "Writes a block whose first entry is (row, col), in place.",
        "it reaches out of m",
        "let m = matrix(2, 2); m.set_block(1, 1, identity(1)); m.get(1, 1) == 1.0",
    ),
    function(
        "set_column(m: matrix, col: int, v: vector)",
        "Writes a column, in place.",
        "there is no such column; v has another length",
        "let m = matrix(1, 2); m.set_column(1, vector([5])); m == matrix([[0, 5]])",
    ),
    function(
        "set_row(m: matrix, row: int, v: vector)",
        "Writes a row, in place.",
        "there is no such row; v has another length",
        "let m = matrix(1, 2); m.set_row(0, vector([5, 6])); m == matrix([[5, 6]])",
    ),
    function("to_rows(m: matrix) -> real[][]", "The rows as arrays.", "", "to_rows(identity(1)) == [[1.0]]"),
    function(
        "trace(m: matrix) -> real",
        "The sum of the diagonal.",
        "m is not square",
        "trace(identity(3)) == 3.0",
    ),
    function(
        "transpose(m: matrix) -> matrix",
        "Rows become columns.",
        "",
        "transpose(matrix([[1, 2]])) == matrix([[1], [2]])",
    ),
];

/// The family.
pub(super) const SOLVING: Family = Family {
    title: "Systems of equations",
    about: "Factorizations and solutions by faer, on the thread of the body: parallelism is the program's own. Costs are cubic in the size unless said otherwise.",
    functions: SOLVING_FUNCTIONS,
};

const SOLVING_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "cholesky(a: matrix) -> matrix",
        "The lower triangular `l` with `l * transpose(l) == a`; entries above the diagonal are not looked at.",
        "a is not square, or not positive definite",
        "cholesky(matrix([[4, 0], [0, 9]])) == matrix([[2, 0], [0, 3]])",
    ),
    function(
        "det(a: matrix) -> real",
        "The determinant; 0 for a singular matrix.",
        "a is not square",
        "det(matrix([[2, 0], [0, 3]])) == 6.0",
    ),
    function(
        "inverse(a: matrix) -> matrix",
        "The inverse. To solve a system, `solve` is cheaper and closer.",
        "a is not square, or singular",
        "inverse(matrix([[2, 0], [0, 4]])) == matrix([[0.5, 0], [0, 0.25]])",
    ),
    function(
        "lu(a: matrix) -> matrix[]",
        "`[p, l, u]` with `p * a == l * u`: p a permutation, l lower triangular with ones on its diagonal, u upper triangular.",
        "a is not square",
        "let a = matrix([[1, 2], [3, 4]]); let f = lu(a); norm(f[0] * a - f[1] * f[2]) < 1e-12",
    ),
    function(
        "qr(a: matrix) -> matrix[]",
        "`[q, r]` with `q * r == a`: the columns of q orthonormal, r upper triangular; q of an m x n matrix has min(m, n) columns.",
        "",
        "let a = matrix([[1], [2]]); let f = qr(a); norm(f[0] * f[1] - a) < 1e-12",
    ),
    function(
        "solve(a: matrix, b: vector) -> vector; solve(a: matrix, b: matrix) -> matrix",
        "x with `a * x == b`, by LU with partial pivoting.",
        "a is not square, or singular; b has another number of rows",
        "solve(matrix([[2, 0], [0, 4]]), vector([2, 8])) == vector([1, 2])",
    ),
    function(
        "solve_lower(a: matrix, b: vector) -> vector; solve_lower(a: matrix, b: matrix) -> matrix",
        "x with `a * x == b` for a lower triangular a; entries above the diagonal are not looked at. Cost: square, for each column.",
        "a is not square, or has a 0 on its diagonal; b has another number of rows",
        "solve_lower(matrix([[2, 0], [1, 1]]), vector([2, 3])) == vector([1, 2])",
    ),
    function(
        "solve_upper(a: matrix, b: vector) -> vector; solve_upper(a: matrix, b: matrix) -> matrix",
        "x with `a * x == b` for an upper triangular a; entries below the diagonal are not looked at. Cost: square, for each column.",
        "a is not square, or has a 0 on its diagonal; b has another number of rows",
        "solve_upper(matrix([[2, 1], [0, 4]]), vector([4, 8])) == vector([1, 2])",
    ),
];
