//! Text of values for people: small values in full, large ones by shape, summary, and their ends.
//!
//! A value that fits on one line gets one. Otherwise vectors, matrices and arrays of numbers get a line of figures, a
//! matrix its rows or its corners, and structs and arrays a line for each field and for the first and last items. Reals
//! within vectors and matrices are rounded; alone they are exact.

use std::fmt;

use crate::value::Value;

/// Numbers, rounded and in columns.
mod number;
/// Figures of many numbers.
mod summary;
/// Lines of text.
mod text;

pub use summary::Summary;
pub use text::in_text;

/// How much of a value is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Characters of a line, without indentation.
    pub width: usize,
    /// Most items of an array, vector or row that are shown in full; at least 4.
    pub items: usize,
    /// Most characters of a string, and most bytes; at least 4.
    pub letters: usize,
    /// Maximum nesting of arrays, maps and structs that is shown.
    pub levels: usize,
    /// Significant digits of reals within vectors and matrices; 1 to 17.
    pub digits: usize,
    /// Most lines in all.
    pub lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { width: 100, items: 12, letters: 200, levels: 4, digits: 6, lines: 100 }
    }
}

impl Limits {
    /// For a place where there is one line: what does not fit on it is told by its shape and figures.
    pub fn one_line() -> Self {
        Self { width: 80, items: 8, letters: 60, lines: 1, ..Self::default() }
    }

    /// Number of items at the start, and at the end, that are shown of what is too long.
    pub fn ends(&self) -> (usize, usize) {
        let n_items = self.items.max(4);
        (n_items / 2, n_items / 4)
    }
}

/// A value as lines of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    lines: Vec<String>,
}

impl Shown {
    /// Shows a value. Cost: linear in the numbers of the arrays, vectors and matrices that are summarized, and in what
    /// is shown.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use hasse_model::show::{Limits, Shown};
    /// use hasse_model::value::Value;
    ///
    /// let vector = Value::Vector(Arc::new((0..1000).map(f64::from).collect()));
    /// assert_eq!(
    ///     Shown::new(&vector, &Limits::default()).to_string(),
    ///     "vector of 1000 entries\n  min 0.0 at 0, max 999.0 at 999, mean 499.5\n  \
    ///      [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, .., 997.0, 998.0, 999.0]",
    /// );
    /// ```
    pub fn new(value: &Value, limits: &Limits) -> Self {
        Self { lines: text::lines(value, limits) }
    }

    /// The lines, at least one.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The text for a place that is so many spaces from the margin: the first line goes where the place is, further
    /// ones begin with as many spaces.
    pub fn indented(&self, n_spaces: usize) -> String {
        self.lines.join(&format!("\n{}", " ".repeat(n_spaces)))
    }
}

/// Writes the lines without an end of line behind the last one.
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (line_idx, line) in self.lines.iter().enumerate() {
            if line_idx > 0 {
                f.write_str("\n")?;
            }
            f.write_str(line)?;
        }
        Ok(())
    }
}
