//! A table of texts.

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it tells.
    pub title: String,
    /// Heads of its columns; the first one is of names, the others of figures.
    pub columns: Vec<String>,
    /// As many texts a row.
    pub rows: Vec<Vec<String>>,
}
