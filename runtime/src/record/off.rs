//! Recording off: all hooks are empty.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::event::Effect;
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;

use crate::record::buffer::Ids;
use crate::record::event::{Done, Ending, ObjectPlace};
use crate::record::instrumentation::Instrumentation;
use crate::record::needs::ColumnOrder;
use crate::record::replay::Script;
use crate::record::spare::SpareIds;
use crate::record::stamp::Version;

/// Notes nothing. Ids are handed out when an instance is created, never on the hot path.
pub(crate) struct Off {
    ids: Ids,
}

impl Off {
    /// For a run that begins with what the script tells, and gives out these ids.
    pub(crate) fn new(script: Script, first_free: [u32; 3]) -> Self {
        Self { ids: Ids::from(script, first_free) }
    }
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

    fn give_back_ids(&self, spare: &mut SpareIds) {
        self.ids.take_back(spare);
    }

    fn object_id(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId {
        self.ids.object(shared, graph, index)
    }

    fn graph_id(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId {
        self.ids.graph(parent, call, index)
    }

    fn keep(&self, _: TemplateId, _: &Arc<GraphInstance>, _: &Index) {}
    fn begin(&self, (): &mut (), (): &(), _: EventId, _: i32) {}
    fn take(&self, (): &mut (), (): &()) {}
    fn access(&self, (): &mut (), _: ObjectId, _: Access, (): &()) {}
    fn release(&self, (): &(), _: Access, (): &mut ()) {}
    fn stamp(&self, (): &()) {}
    fn by_hand() {}

    fn stamp_of(_: EventId) -> Option<()> {
        Some(())
    }

    fn mark_of(_: Version) -> Option<()> {
        Some(())
    }

    fn announce_object(&self, (): &mut (), (): &(), _: &ObjectPlace) {}
    fn end(&self, (): &mut (), (): (), _: Ending) {}
    fn begin_light(&self, (): &mut (), (): &(), _: EventId, _: i32) {}
    fn take_light(&self, (): &mut (), (): &mut (), (): &()) {}
    fn access_light(&self, (): &mut (), (): &mut (), _: ObjectId, _: Access, (): &()) {}
    fn announce_light(&self, (): &mut (), (): &(), _: &ObjectPlace) {}
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
