//! Dense matrices.

/// A dense matrix of `f64` in column-major order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    n_rows: usize,
    n_cols: usize,
    /// Invariant: `entries.len() == n_rows * n_cols`; entry (r, c) is at `c * n_rows + r`.
    entries: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Panics
    /// If `n_rows * n_cols` overflows.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        let n_entries = n_rows.checked_mul(n_cols).expect("matrix size fits in memory");
        Self { n_rows, n_cols, entries: vec![0.0; n_entries] }
    }

    /// A matrix from its entries in column-major order, or `None` where their number is not
    /// `n_rows * n_cols`.
    pub fn from_columns(n_rows: usize, n_cols: usize, entries: Vec<f64>) -> Option<Self> {
        (n_rows.checked_mul(n_cols) == Some(entries.len())).then_some(Self { n_rows, n_cols, entries })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// All entries, column after column.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// All entries, column after column, to be written.
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Entry (row, col), or `None` outside of the matrix.
    pub fn get(&self, row: usize, col: usize) -> Option<f64> {
        (row < self.n_rows && col < self.n_cols).then(|| self.entries[col * self.n_rows + row])
    }

    /// Entry (row, col) to be written, or `None` outside of the matrix.
    pub fn get_mut(&mut self, row: usize, col: usize) -> Option<&mut f64> {
        (row < self.n_rows && col < self.n_cols).then(|| &mut self.entries[col * self.n_rows + row])
    }
}
