//! Parts of stamps and marks that recording modes share.

use hasse_model::event::SharedAccess;
use hasse_model::id::{ActionId, EventId};

/// What is appended to a value for its receiver (Hyder 1994, section 7.1.1). Takes no room where runs are not
/// controlled.
pub trait Directive: Copy + Send + Sync {
    /// To stop before the computation that takes the value, or nothing.
    fn of(is_next: bool) -> Self;
    /// That of a value which no event has sent: a person has added it.
    fn by_hand() -> Self;
    /// Returns true if the receiver is to stop.
    fn is_next(self) -> bool;
    /// Returns true if no event has sent the value.
    fn is_by_hand(self) -> bool;

    /// Returns true if it tells the receiver nothing.
    fn is_nothing(self) -> bool {
        !self.is_next() && !self.is_by_hand()
    }
}

impl Directive for () {
    #[inline]
    fn of(_: bool) -> Self {}
    #[inline]
    fn by_hand() -> Self {}

    #[inline]
    fn is_next(self) -> bool {
        false
    }

    #[inline]
    fn is_by_hand(self) -> bool {
        false
    }
}

/// The directive of a value in a controlled run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlDirective {
    /// Nothing.
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
pub struct Version {
    /// The event that last wrote it.
    pub writer: Option<EventId>,
    /// How many events have read it since.
    pub readers: u64,
}

impl Version {
    /// What the record says that an access found.
    #[inline]
    pub fn in_record(access: &SharedAccess) -> Self {
        Self { writer: access.writer, readers: access.readers }
    }
}

impl Directive for ControlDirective {
    #[inline]
    fn of(is_next: bool) -> Self {
        if is_next { ControlDirective::Next } else { ControlDirective::Nothing }
    }

    #[inline]
    fn by_hand() -> Self {
        ControlDirective::ByHand
    }

    #[inline]
    fn is_next(self) -> bool {
        self == ControlDirective::Next
    }

    #[inline]
    fn is_by_hand(self) -> bool {
        self == ControlDirective::ByHand
    }
}
