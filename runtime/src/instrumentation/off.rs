//! Recording off: all hooks are empty.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hasse_model::event::Effect;
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;

use super::{Done, Ending, Instrumentation, SpareIds};
use crate::graph::GraphInstance;
use crate::queue::ColumnOrder;
use crate::shared::Object;

/// Notes nothing. Ids are handed out when an instance is created, never on the hot path.
#[derive(Debug, Default)]
pub(crate) struct Off {
    n_actions: AtomicU32,
    n_objects: AtomicU32,
    n_graphs: AtomicU32,
}

impl Instrumentation for Off {
    type Stamp = ();
    type Cell = ();
    type Mark = ();
    type Keep = ();
    type Draft = ();
    type Light = ();
    type Local = ();
    type Directive = ();

    const KEEPS_NOTHING: bool = true;
    const RECORDS: bool = false;
    const CONTROLLED: bool = false;

    #[inline(always)]
    fn column_order(&self) -> ColumnOrder {
        ColumnOrder::Arrival
    }

    fn local(&self, _: usize) {}

    fn action_id(&self, _: TemplateId, _: GraphInstanceId, _: &Index) -> ActionId {
        ActionId(self.n_actions.fetch_add(1, Ordering::Relaxed))
    }

    #[inline(always)]
    fn indexed_action_id(&self, _: TemplateId, _: impl FnOnce() -> Index) -> ActionId {
        ActionId(self.n_actions.fetch_add(1, Ordering::Relaxed))
    }

    #[inline(always)]
    fn next_action_id(&self, spare: &mut SpareIds, _: TemplateId, _: impl FnOnce() -> Index) -> ActionId {
        spare.next(&self.n_actions)
    }

    fn give_back_ids(&self, spare: &mut SpareIds) {
        spare.give_back(&self.n_actions);
    }

    fn object_id(&self, _: SharedId, _: GraphInstanceId, _: &Index) -> ObjectId {
        ObjectId(self.n_objects.fetch_add(1, Ordering::Relaxed))
    }

    fn graph_id(&self, _: GraphInstanceId, _: CallId, _: &Index) -> GraphInstanceId {
        GraphInstanceId(1 + self.n_graphs.fetch_add(1, Ordering::Relaxed))
    }

    fn keep(&self, _: TemplateId, _: &Arc<GraphInstance>, _: &Index) {}
    fn begin(&self, (): &mut (), (): &(), _: EventId, _: i32) {}
    fn take(&self, (): &mut (), (): &()) {}
    fn access(&self, (): &mut (), _: ObjectId, _: Access, (): &()) {}
    fn release(&self, (): &(), _: Access, (): &mut ()) {}
    fn stamp(&self, (): &()) {}
    fn by_hand() {}
    fn announce_object(&self, (): &mut (), (): &(), _: &Object<Self>) {}
    fn end(&self, (): &mut (), (): (), _: Ending) {}
    fn begin_light(&self, (): &mut (), (): &(), _: EventId, _: i32) {}
    fn take_light(&self, (): &mut (), (): &mut (), (): &()) {}
    fn access_light(&self, (): &mut (), (): &mut (), _: ObjectId, _: Access, (): &()) {}
    fn announce_light(&self, (): &mut (), (): &(), _: &Object<Self>) {}
    fn release_light(&self, (): &(), _: Access, (): &mut ()) {}
    fn stamp_light(&self, (): &()) {}
    fn is_step((): &(), (): &(), _: u64) -> bool {
        true
    }
    fn draft_of(&self, (): &mut (), (): (), _: i32) {}
    fn end_light(&self, (): &mut (), (): (), _: Done<'_>) {}
    fn end_light_with(&self, (): &mut (), (): (), _: Done<'_>, _: Vec<Effect>) {}
    fn flush(&self, (): &mut ()) {}
    fn tick(&self, (): &mut ()) {}
}
