//! Instrumentation: what is noted of each execution, as a policy that is compiled in per mode.
//!
//! The worker is generic over [`Instrumentation`]. With [`Off`](off::Off) every hook is empty and
//! every appended stamp has no size, so a run without debugging carries no recording code.

use std::sync::Arc;

use hasse_model::event::{Effect, EventRecord, LocalState};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;
use hasse_model::record_options::RecordOption;

use crate::graph::GraphInstance;
use crate::replay::{ExpectedEvent, Script};
use crate::shared::Object;
use crate::token::Version;

/// Batches under way, and ids.
mod buffer;
/// Full recording, also of a replay, and with times.
pub(crate) mod full;
/// Recording off, and debugging off.
pub(crate) mod off;
/// Restricted recording, also of a replay.
pub(crate) mod restricted;
/// The order of result-setting events.
pub(crate) mod results;

pub(crate) use results::ResultOrder;

/// How an execution went, for its record.
pub(crate) struct Ending<'a> {
    pub(crate) template: TemplateId,
    pub(crate) graph: &'a GraphInstance,
    pub(crate) index: &'a Index,
    pub(crate) routes: &'a [u32],
    pub(crate) flow_successors: u64,
    pub(crate) outcome: hasse_model::event::Outcome,
    pub(crate) effects: Vec<Effect>,
    pub(crate) first_line: Option<u64>,
    pub(crate) error: Option<String>,
    pub(crate) local: Option<Box<LocalState>>,
}

/// A recording mode. All methods are called on the worker that serves the execution.
pub(crate) trait Instrumentation: Sync + Send + Sized {
    /// Appended to each value that is sent.
    type Stamp: Clone + Send + Sync;
    /// Appended to each shared object.
    type Mark: Default + Send;
    /// What an action keeps from one execution to the next. It goes with its instance: an instance that is let
    /// go of can never receive again, so that nothing is before a later event by way of it.
    type Keep: Send;
    /// The record under construction; kept with the instance while it waits for a lock.
    type Draft: Send;
    /// What each worker has for itself: buffers.
    type Local: Send;

    /// Whether answers of the world are to be noted.
    const RECORDS: bool;
    /// Whether [`expected`](Self::expected) decides what fires.
    const REPLAYS: bool;

    fn local(&self, worker_idx: usize) -> Self::Local;
    /// The id of a new action.
    fn action_id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId;
    /// The id of a new shared object.
    fn object_id(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId;
    /// The id of a new graph instance.
    fn graph_id(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId;
    /// What a new action begins with.
    fn keep(&self, template: TemplateId, graph: &Arc<GraphInstance>, index: &Index) -> Self::Keep;
    /// The recording option of the main graph.
    fn root_option(&self) -> RecordOption {
        RecordOption::Full
    }
    /// The effective recording option of a new graph instance.
    fn graph_option(&self, _parent: &Arc<GraphInstance>, _call: CallId, _index: &Index) -> RecordOption {
        RecordOption::Full
    }
    /// An execution begins: a firing rule was taken.
    fn begin(&self, local: &mut Self::Local, keep: &Self::Keep, id: EventId, rule: i32) -> Self::Draft;
    /// A value was removed from a port.
    fn take(&self, draft: &mut Self::Draft, stamp: &Self::Stamp);
    /// A lock was granted.
    fn access(&self, draft: &mut Self::Draft, object: ObjectId, access: Access, mark: &Self::Mark);
    /// All values were taken and all locks granted: what is before the execution is known.
    fn settle(&self, _draft: &mut Self::Draft, _keep: &mut Self::Keep) {}
    /// A lock is given back.
    fn release(&self, draft: &Self::Draft, access: Access, mark: &mut Self::Mark);
    /// What to append to the values sent.
    fn stamp(&self, draft: &Self::Draft) -> Self::Stamp;
    /// A shared object was reached.
    fn announce_object<K: ResultOrder>(
        &self,
        local: &mut Self::Local,
        draft: &Self::Draft,
        object: &Object<Self, K>,
    );
    /// An execution ended.
    fn end(&self, local: &mut Self::Local, draft: Self::Draft, ending: Ending);
    /// Nothing to do for the moment, or some time has passed: hand over what waits.
    fn flush(&self, local: &mut Self::Local);
    /// Called now and then; hands over what has waited for long.
    fn tick(&self, local: &mut Self::Local);
    /// The run is over.
    fn finish(&self, local: &mut Self::Local) {
        self.flush(local);
    }

    /// Replay: what the record says about an event; `None` where it was not recorded.
    fn expected(&self, _id: EventId) -> Option<ExpectedEvent<'_>> {
        None
    }
    /// Replay: the names of what was recorded.
    fn recorded(&self) -> Option<&Script> {
        None
    }
    /// Replay: who sent a value.
    fn sender(_stamp: &Self::Stamp) -> Option<EventId> {
        None
    }
    /// Replay: the version of an object.
    fn version(_mark: &Self::Mark) -> Version {
        Version::default()
    }
    /// Replay: the record of an execution that is under way.
    fn drafted(_draft: &Self::Draft) -> Option<&EventRecord> {
        None
    }
}
