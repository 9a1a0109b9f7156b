//! Tokens: values on their way or on a port, with the stamp that the recorder appends.

use hasse_model::id::Index;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;

/// A value on its way, or on a port.
pub struct Token<M: Instrumentation> {
    /// The value.
    pub value: Value,
    /// Appended by the recorder: who sent it.
    pub stamp: M::Stamp,
    /// Which result-setting events are before it.
    pub known: ResultOrder,
    /// What its receiver is told with it.
    pub directive: M::Directive,
}

impl<M: Instrumentation> Token<M> {
    /// A value that a person has added.
    pub fn by_hand(value: Value) -> Self {
        Self { value, stamp: M::by_hand(), known: ResultOrder::default(), directive: M::Directive::by_hand() }
    }
}

/// A token for an input port of an instance.
pub struct Delivery<M: Instrumentation> {
    /// Input port, by position.
    pub port: usize,
    /// Element of the port.
    pub elements: Index,
    /// The value, with what is appended to it.
    pub token: Token<M>,
}
