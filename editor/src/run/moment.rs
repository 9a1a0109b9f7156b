//! Moments of a record, as a session shows them.

/// A moment of a record: a consistent cut of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Number of events before it, in the order of the record.
    pub position: u64,
    /// Number of events of the record.
    pub n_events: u64,
    /// True if the next event has begun: its action is stopped within it.
    pub is_within: bool,
    /// The moment in words, such as `moment 3 of 6: after /Teller[0]:2`.
    pub text: String,
}

impl Moment {
    /// Returns true for the end of the record.
    pub fn is_end(&self) -> bool {
        self.position == self.n_events
    }
}

/// Reason why a moment cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMoment {
    /// Text for a person.
    pub text: String,
    /// True if it holds for every moment of the record.
    pub is_of_record: bool,
}
