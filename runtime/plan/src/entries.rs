//! Limits of templates whose instances may be entries of the matching store.

/// Most index numbers of an instance that the store can hold,
pub const MAX_NUMBERS: usize = 3;

/// and most input ports.
pub const MAX_PORTS: usize = 8;

/// Most entries that are looked at side by side.
pub const ROWS: usize = 64;
