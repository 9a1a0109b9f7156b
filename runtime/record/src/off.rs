//! Recording off: all hooks are empty.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::event::Effect;
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;

use crate::buffer::Ids;
use crate::event::{Done, Ending, ObjectPlace};
use crate::instrumentation::Instrumentation;
use crate::needs::ColumnOrder;
use crate::replay::Script;
use crate::spare::SpareIds;
use crate::stamp::Version;

/// Notes nothing. Ids are handed out when an instance is created, never on the hot path.
pub struct Off {
    ids: Ids,
}

impl Off {
    /// For a run that begins with what the script tells, and gives out these ids.
    pub fn new(script: Script, first_free: [u32; 3]) -> Self {
        Self { ids: Ids::from(script, first_free) }
    }
}

impl Instrumentation for Off {
    type Stamp = ();
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

    #[inline]
    fn local(&self, _: usize) {}

    #[inline]
    fn action_id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId {
        self.ids.action(template, graph, index)
    }

    #[inline(always)]
    fn indexed_action_id(&self, _: TemplateId, _: impl FnOnce() -> Index) -> ActionId {
        self.ids.new_action()
    }

    #[inline(always)]
    fn next_action_id(&self, spare: &mut SpareIds, _: TemplateId, _: impl FnOnce() -> Index) -> ActionId {
        self.ids.next_action(spare)
    }

    #[inline]
    fn give_back_ids(&self, spare: &mut SpareIds) {
        self.ids.take_back(spare);
    }

    #[inline]
    fn object_id(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId {
        self.ids.object(shared, graph, index)
    }

    #[inline]
    fn graph_id(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId {
        self.ids.graph(parent, call, index)
    }

    #[inline]
    fn keep(&self, _: TemplateId, _: &Arc<GraphInstance>, _: &Index) {}
    #[inline]
    fn begin(&self, (): &mut (), (): &(), _: EventId, _: i32) {}
    #[inline]
    fn take(&self, (): &mut (), (): &()) {}
    #[inline]
    fn access(&self, (): &mut (), _: ObjectId, _: Access, (): &()) {}
    #[inline]
    fn release(&self, (): &(), _: Access, (): &mut ()) {}
    #[inline]
    fn stamp(&self, (): &()) {}
    #[inline]
    fn by_hand() {}

    #[inline]
    fn stamp_of(_: EventId) -> Option<()> {
        Some(())
    }

    #[inline]
    fn mark_of(_: Version) -> Option<()> {
        Some(())
    }

    #[inline]
    fn announce_object(&self, (): &mut (), (): &(), _: &ObjectPlace) {}
    #[inline]
    fn end(&self, (): &mut (), (): (), _: Ending) {}
    #[inline]
    fn begin_light(&self, (): &mut (), (): &(), _: EventId, _: i32) {}
    #[inline]
    fn take_light(&self, (): &mut (), (): &mut (), (): &()) {}
    #[inline]
    fn access_light(&self, (): &mut (), (): &mut (), _: ObjectId, _: Access, (): &()) {}
    #[inline]
    fn announce_light(&self, (): &mut (), (): &(), _: &ObjectPlace) {}
    #[inline]
    fn release_light(&self, (): &(), _: Access, (): &mut ()) {}
    #[inline]
    fn stamp_light(&self, (): &()) {}
    #[inline]
    fn is_step((): &(), (): &(), _: u64) -> bool {
        true
    }
    #[inline]
    fn draft_of(&self, (): &mut (), (): (), _: i32) {}
    #[inline]
    fn end_light(&self, (): &mut (), (): (), _: Done<'_>) {}
    #[inline]
    fn end_light_with(&self, (): &mut (), (): (), _: Done<'_>, _: Vec<Effect>) {}
    #[inline]
    fn flush(&self, (): &mut ()) {}
    #[inline]
    fn tick(&self, (): &mut ()) {}
}
