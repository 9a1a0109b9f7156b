//! Moments at which events have values.

/// A moment at which an event has values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Took,
    Before,
    After,
    Sent,
}
