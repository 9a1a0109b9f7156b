//! Parts of stamps and marks that recording modes share.

use hasse_model::event::SharedAccess;
use hasse_model::id::{ActionId, EventId};

/// What is appended to a value for its receiver (Hyder 1994, section 7.1.1). Takes no room where runs are not
/// controlled.
pub(crate) trait Directive: Copy + Send + Sync {
    /// To stop before the computation that takes the value, or nothing.
    fn of(is_next: bool) -> Self;
    /// That of a value which no event has sent: a person has added it.
    fn by_hand() -> Self;
    fn is_next(self) -> bool;
    fn is_by_hand(self) -> bool;

    /// Returns true if it tells the receiver nothing.
    fn is_nothing(self) -> bool {
        !self.is_next() && !self.is_by_hand()
    }
}

impl Directive for () {
    fn of(_: bool) -> Self {}
    fn by_hand() -> Self {}

    fn is_next(self) -> bool {
        false
    }

    fn is_by_hand(self) -> bool {
        false
    }
}

/// The directive of a value in a controlled run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Nothing,
    /// The receiver is to stop.
    Next,
    /// The value was added by hand.
    ByHand,
}

/// Stands for the sender of a value that was added by hand, where a mode has room for one. No action has this id.
pub(crate) const NO_SENDER: EventId = EventId { action: ActionId(u32::MAX), count: 0 };

/// What the instrumentation appends to a shared object (Hyder 1994, section 3.5: `(ω.D, η.D)`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    /// The event that last wrote it.
    pub(crate) writer: Option<EventId>,
    /// How many events have read it since.
    pub(crate) readers: u64,
}

impl Version {
    /// What the record says that an access found.
    pub(crate) fn in_record(access: &SharedAccess) -> Self {
        Self { writer: access.writer, readers: access.readers }
    }
}

impl Directive for Told {
    fn of(is_next: bool) -> Self {
        if is_next { Told::Next } else { Told::Nothing }
    }

    fn by_hand() -> Self {
        Told::ByHand
    }

    fn is_next(self) -> bool {
        self == Told::Next
    }

    fn is_by_hand(self) -> bool {
        self == Told::ByHand
    }
}
