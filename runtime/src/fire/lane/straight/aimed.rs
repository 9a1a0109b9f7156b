//! Receivers that follow from the instance that sends: they are the same for all its events.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::id::{ActionId, Index};
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::straight::Sending;
use hasse_store::instance::Instance;

/// Sendings of the instance that is served to receivers that follow from it.
#[derive(Default)]
pub(crate) struct Aimed {
    /// In the order in which an event sends, whenever their receivers were found out.
    pub(crate) sends: Vec<Sending>,
    /// Their positions in [`Straight::indexed`].
    pub(crate) send_idxs: Vec<usize>,
    /// Rules by which the instance cannot send, as bits: no arc takes the value, or an index number overflows.
    pub(crate) dead: u64,
    /// Rules whose receivers the general way is still to find out, as bits. It creates the graph instances on the way of a
    /// value, and so not before an event sends by the rule.
    pub(crate) awaiting: u64,
    /// True if an event can send two values to one port.
    pub(crate) sends_twice: bool,
    /// The instance, and the graph instance that it is in.
    pub(crate) of: Option<(ActionId, Arc<GraphInstance>)>,
    /// Number of receivers: the first ones of [`LaneLocal::outs`].
    pub(crate) n_receivers: usize,
}

impl Aimed {
    /// Rules by which no event can be served together with others now, as bits.
    pub(crate) fn unserved(&self) -> u64 {
        self.dead | self.awaiting
    }

    pub(crate) fn is_of<M: Instrumentation>(&self, instance: &Instance<M>) -> bool {
        let is_it = |(action, graph): &(ActionId, Arc<GraphInstance>)| {
            *action == instance.action && Arc::ptr_eq(graph, &instance.graph)
        };
        self.of.as_ref().is_some_and(is_it)
    }
}

/// A receiver that may have to be created.
pub(crate) struct Aim {
    pub(crate) graph: Arc<GraphInstance>,
    pub(crate) index: Index,
}
