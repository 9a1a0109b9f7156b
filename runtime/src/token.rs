//! What travels: values with what the instrumentation appends to them.

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
