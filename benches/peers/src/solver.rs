//! The block triangular system, and the two kernels that all contestants in Rust solve it with.

use std::array;
use std::sync::{Arc, OnceLock};

use hasse::Matrix;
use pulp::{Arch, Simd, WithSimd};

/// Unknowns.
pub(crate) const N: usize = 4096;
/// Rows and columns of a block.
pub(crate) const BLOCK: usize = 256;
/// Blocks in a row.
pub(crate) const N_BLOCKS: usize = N / BLOCK;

/// `A x = b`, A lower triangular and in blocks, column by column inside.
pub(crate) struct System {
    /// Block (i, j), j <= i, at `i * (i + 1) / 2 + j`.
    blocks: Vec<Arc<Matrix>>,
    right: Vec<f64>,
}

/// The system, made when it is first asked for.
pub(crate) fn system() -> &'static System {
    static SYSTEM: OnceLock<System> = OnceLock::new();
    SYSTEM.get_or_init(System::new)
}

impl System {
    fn new() -> Self {
        let mut blocks = Vec::with_capacity(N_BLOCKS * (N_BLOCKS + 1) / 2);
        for (block_row, block_col) in (0..N_BLOCKS).flat_map(|row| (0..=row).map(move |col| (row, col))) {
            let mut block = Matrix::zeros(BLOCK, BLOCK);
            for (place, entry) in block.entries_mut().iter_mut().enumerate() {
                *entry = entry_at(block_row * BLOCK + place % BLOCK, block_col * BLOCK + place / BLOCK);
            }
            blocks.push(Arc::new(block));
        }
        let right = (0..N).map(|row| 1.0 + (row % 7) as f64 / 8.0).collect();
        Self { blocks, right }
    }

    /// A block on or below the diagonal.
    pub(crate) fn block(&self, block_row: usize, block_col: usize) -> &Arc<Matrix> {
        assert!(block_col <= block_row, "above the diagonal there is nothing");
        &self.blocks[block_row * (block_row + 1) / 2 + block_col]
    }

    /// A segment of the right side.
    pub(crate) fn segment(&self, block_row: usize) -> &[f64] {
        &self.right[block_row * BLOCK..][..BLOCK]
    }

    /// The solution, by one loop over blocks.
    pub(crate) fn sequential(&self) -> Vec<f64> {
        let mut x = self.right.clone();
        for block_row in 0..N_BLOCKS {
            let (known, rest) = x.split_at_mut(block_row * BLOCK);
            let segment = &mut rest[..BLOCK];
            for (block_col, x) in known.chunks_exact(BLOCK).enumerate() {
                reduce(self.block(block_row, block_col), x, segment);
            }
            solve_lower(self.block(block_row, block_row), segment);
        }
        x
    }
}

/// Entry of A; the C++ program has the same formula.
fn entry_at(row: usize, col: usize) -> f64 {
    match row.cmp(&col) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 2.0,
        std::cmp::Ordering::Greater => (((7 * row + 3 * col) % 11) as f64 - 5.0) / N as f64,
    }
}

/// Columns that are taken off at a time: with fewer, memory is waited for more than it need be.
const N_COLUMNS: usize = 8;

/// `y -= a * x`, some columns at a time.
pub(crate) fn reduce(a: &Matrix, x: &[f64], y: &mut [f64]) {
    assert!(
        a.n_rows() == y.len() && a.n_cols() == x.len() && x.len().is_multiple_of(N_COLUMNS),
        "a block fits"
    );
    Arch::new().dispatch(Reduce { a: a.entries(), x, y });
}

/// Solves `a * x = y` for a lower triangular `a`, in the place of y, column by column.
pub(crate) fn solve_lower(a: &Matrix, y: &mut [f64]) {
    assert!(a.n_rows() == y.len() && a.n_cols() == y.len(), "a block fits");
    Arch::new().dispatch(SolveLower { a: a.entries(), y });
}

/// The kernels are generic over the registers that the machine has: a compiler that is not told of them uses the
/// smallest, and the C++ program is compiled for the machine.
struct Reduce<'a> {
    a: &'a [f64],
    x: &'a [f64],
    y: &'a mut [f64],
}

impl WithSimd for Reduce<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let n_rows = self.y.len();
        let (y_heads, y_tails) = S::as_mut_simd_f64s(self.y);
        let all_columns = self.a.chunks_exact(N_COLUMNS * n_rows);
        for (columns, x) in all_columns.zip(self.x.as_chunks::<N_COLUMNS>().0) {
            let columns: [_; N_COLUMNS] =
                array::from_fn(|nth| S::as_simd_f64s(&columns[nth * n_rows..][..n_rows]));
            let factors = x.map(|x| simd.splat_f64s(x));
            for (place, y) in y_heads.iter_mut().enumerate() {
                // In pairs, as the C++ program: eight additions one after another would wait for each other.
                let two = |nth: usize| {
                    let product = simd.mul_f64s(columns[nth].0[place], factors[nth]);
                    simd.mul_add_e_f64s(columns[nth + 1].0[place], factors[nth + 1], product)
                };
                let four = |nth: usize| simd.add_f64s(two(nth), two(nth + 2));
                *y = simd.sub_f64s(*y, simd.add_f64s(four(0), four(4)));
            }
            // Rows that fill no register.
            for (row, y) in y_tails.iter_mut().enumerate() {
                *y -= columns.iter().zip(x).map(|(column, x)| column.1[row] * x).sum::<f64>();
            }
        }
    }
}

struct SolveLower<'a> {
    a: &'a [f64],
    y: &'a mut [f64],
}

impl WithSimd for SolveLower<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (col, column) in self.a.chunks_exact(self.y.len()).enumerate() {
            let (upper, below) = self.y.split_at_mut(col + 1);
            let x = upper[col] / column[col];
            upper[col] = x;
            let factor = simd.splat_f64s(-x);
            let (y_heads, y_tails) = S::as_mut_simd_f64s(below);
            let (a_heads, a_tails) = S::as_simd_f64s(&column[col + 1..]);
            for (y, a) in y_heads.iter_mut().zip(a_heads) {
                *y = simd.mul_add_e_f64s(*a, factor, *y);
            }
            for (y, a) in y_tails.iter_mut().zip(a_tails) {
                *y -= a * x;
            }
        }
    }
}

/// What the C++ program tells of its solution.
pub(crate) fn weighted_sum(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(row, x)| x * (row % 13 + 1) as f64).sum()
}

/// The solution that a sequential loop finds.
pub(crate) fn solution() -> &'static [f64] {
    static SOLUTION: OnceLock<Vec<f64>> = OnceLock::new();
    SOLUTION.get_or_init(|| system().sequential())
}

/// Whether this is the solution, to within 1e-9 in each place.
pub(crate) fn is_solution(x: &[f64]) -> bool {
    x.len() == N && x.iter().zip(solution()).all(|(x, y)| (x - y).abs() < 1e-9)
}
