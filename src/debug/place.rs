//! The place in a record at which a session goes on, as data.

/// A place in time that outlives the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptPlace {
    /// Number of events before it.
    pub(super) position: u64,
    /// The event that has begun there, by its path, and how far it has come.
    pub(super) within: Option<(String, KeptPoint)>,
}

/// How far an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptPoint {
    /// Its body has not begun.
    Before,
    /// This number of statements has begun.
    Statement(u64),
    /// Its body has ended.
    Ended,
}
