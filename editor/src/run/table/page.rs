//! Pages of a table, and the order of its rows.

use std::cmp::Ordering;

use hasse_runtime::control::ActionSummary;

use super::super::snapshot::mark_of;

/// Most rows of a page.
pub(super) const MOST_ROWS: usize = 1000;

/// By which column a table is sorted; equal rows are in the order of their paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Graph instance and index.
    #[default]
    Path,
    /// Executions begun.
    Count,
    /// State, the most urgent first.
    State,
    /// Values that wait on its ports.
    Queued,
}

impl Order {
    /// Compares two rows.
    pub fn compare(self, left: &ActionSummary, right: &ActionSummary) -> Ordering {
        match self {
            Self::Path => Ordering::Equal,
            Self::Count => left.count.cmp(&right.count),
            Self::State => mark_of(left).cmp(&mark_of(right)),
            Self::Queued => left.n_queued.cmp(&right.n_queued),
        }
    }
}

/// A page that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageQuery {
    /// Position of the template.
    pub template: usize,
    /// The order of all rows.
    pub order: Order,
    /// Whether the order is reversed.
    pub is_descending: bool,
    /// Only rows whose path has this in it; empty: all.
    pub filter: String,
    /// The first row.
    pub start: usize,
    /// Number of rows.
    pub n_rows: usize,
}

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What was asked for.
    pub query: PageQuery,
    /// Rows in all.
    pub n_total: usize,
    /// The rows.
    pub rows: Vec<ActionSummary>,
}
