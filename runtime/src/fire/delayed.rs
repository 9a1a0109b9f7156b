//! Delayed values, with their senders and receivers, and start nodes that execute later.

use hasse_model::id::{ActionId, Index};
use hasse_schedule::delays::Delays;
use hasse_store::instance::Ready;
use hasse_store::token::Delivery;

/// A sender and the place to which it sends: receiver, port and element.
type Way = (ActionId, ActionId, usize, Index);

/// Delayed values, with their receivers. A start node that executes later has no value.
pub(crate) type DelayedValues<M> = Delays<Way, (Ready<M>, Option<Delivery<M>>)>;
