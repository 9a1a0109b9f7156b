//! Delayed values, with their senders and receivers, and start nodes that execute later.

use hasse_model::id::{ActionId, Index};
use hasse_record::instrumentation::Instrumentation;
use hasse_schedule::delays::Delays;
use hasse_store::instance::Ready;
use hasse_store::token::Delivery;

/// A sender and the place to which it sends: receiver, port and element.
type Way = (ActionId, ActionId, usize, Index);

/// An item that becomes due.
pub(crate) enum Delayed<M: Instrumentation> {
    /// A value.
    Value(Delivery<M>),
    /// The start of a node that waits for its time, and is scheduled.
    Start,
}

/// Delayed values and starts, with their instances.
pub(crate) type DelayedValues<M> = Delays<Way, (Ready<M>, Delayed<M>)>;
