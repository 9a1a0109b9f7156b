//! Needs that a recording mode states before events are batched.

/// Order of scalars in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    /// They wait as all other values do.
    None,
    /// In one column, in the order in which they come.
    Arrival,
    /// In a replay, where the record says whose value is next: those of each sender by themselves.
    Sender,
}
