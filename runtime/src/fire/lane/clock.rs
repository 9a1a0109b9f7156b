//! How many events are served between two looks at the world.

/// The clock is read once in so many events of an instance whose bodies are short,
pub(crate) const EVENTS_PER_LOOK: usize = 64;

/// and for each event once such an event takes longer than this on the average, in nanoseconds.
pub(crate) const SHORT_BODY_NANOS: u128 = 1_000;

/// An instance of which each event is short is looked at by the clock once in so many times that it is served.
pub(crate) const SERVICES_PER_LOOK: u32 = 64;
/// Maximum number of rows of a column batch. Nodes without a body are served for that many events between two looks.
pub(crate) const ROWS_PER_BATCH: usize = 256;

/// Number of values that wait on one port and are served in one turn, if the clock allows it.
pub(crate) const MOST_WAITING: usize = 4096;
