//! Delayed values, with their senders and receivers.

use hasse_model::id::{ActionId, Index};
use hasse_schedule::delays::Delays;
use hasse_store::instance::Ready;
use hasse_store::token::Delivery;

/// A sender and the place to which it sends: receiver, port and element.
type Way = (ActionId, ActionId, usize, Index);

/// Delayed values, with their receivers.
pub(crate) type DelayedValues<M> = Delays<Way, (Ready<M>, Delivery<M>)>;
