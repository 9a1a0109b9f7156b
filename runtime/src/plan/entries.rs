//! Limits of templates whose instances may be entries of the matching store.

/// Most index numbers of an instance that the store can hold,
pub(crate) const MAX_NUMBERS: usize = 3;

/// and most input ports.
pub(crate) const MAX_PORTS: usize = 8;

/// Most entries that are looked at side by side.
pub(crate) const ROWS: usize = 64;
