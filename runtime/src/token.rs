//! What travels: values with what the instrumentation appends to them.

use hasse_model::event::SharedAccess;
use hasse_model::id::{EventId, Index};
use hasse_model::value::Value;

use crate::instrumentation::{Instrumentation, ResultOrder};

/// A value on its way, or on a port.
pub(crate) struct Token<M: Instrumentation, K: ResultOrder> {
    pub(crate) value: Value,
    /// Appended by the recorder: who sent it.
    pub(crate) stamp: M::Stamp,
    /// Which result-setting events are before it.
    pub(crate) known: K,
    /// What its receiver is told with it.
    pub(crate) directive: M::Directive,
}

/// What is appended to a value for its receiver (Hyder 1994, section 7.1.1). Takes no room where runs are not
/// controlled.
pub(crate) trait Directive: Copy + Send + Sync {
    /// To stop before the computation that takes the value, or nothing.
    fn of(is_next: bool) -> Self;
    fn is_next(self) -> bool;
}

impl Directive for () {
    fn of(_: bool) -> Self {}

    fn is_next(self) -> bool {
        false
    }
}

impl Directive for bool {
    fn of(is_next: bool) -> Self {
        is_next
    }

    fn is_next(self) -> bool {
        self
    }
}

/// A token for an input port of an instance.
pub(crate) struct Delivery<M: Instrumentation, K: ResultOrder> {
    pub(crate) port: usize,
    pub(crate) elements: Index,
    pub(crate) token: Token<M, K>,
}

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
