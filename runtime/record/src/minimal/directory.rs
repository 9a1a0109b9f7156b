//! Who is who: what actions, objects and graph instances are instances of, to be announced when a minimal
//! record first names them.
//!
//! A minimal record names few of them, and some only as senders or writers: what is announced cannot be known
//! when they are created. About 100 bytes for each that is created; none where neither senders nor accesses
//! can be open.

use hasse_code::graph::GraphInstance;
use hasse_model::event::{ActionRecord, EventBatch, EventRecord, GraphRecord, ObjectRecord};
use hasse_model::id::{ActionId, GraphInstanceId, ObjectId};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::buffer::Place;

/// Independently locked parts.
const N_SHARDS: usize = 16;

type Shards<I, R> = [Mutex<FxHashMap<I, R>>; N_SHARDS];

/// All that were created in a run.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    actions: Shards<ActionId, ActionRecord>,
    objects: Shards<ObjectId, ObjectRecord>,
    graphs: Shards<GraphInstanceId, GraphRecord>,
}

/// What a worker has announced.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    actions: FxHashSet<ActionId>,
    objects: FxHashSet<ObjectId>,
    graphs: FxHashSet<GraphInstanceId>,
}

impl Directory {
    pub(crate) fn add_action(&self, record: ActionRecord) {
        self.actions[record.action.idx() % N_SHARDS].lock().insert(record.action, record);
    }

    pub(crate) fn add_object(&self, record: ObjectRecord) {
        self.objects[record.object.idx() % N_SHARDS].lock().insert(record.object, record);
    }

    pub(crate) fn add_graph(&self, record: GraphRecord) {
        self.graphs[record.graph.idx() % N_SHARDS].lock().insert(record.graph, record);
    }

    fn action(&self, action: ActionId) -> Option<ActionRecord> {
        self.actions[action.idx() % N_SHARDS].lock().get(&action).cloned()
    }

    fn object(&self, object: ObjectId) -> Option<ObjectRecord> {
        self.objects[object.idx() % N_SHARDS].lock().get(&object).cloned()
    }

    fn graph(&self, graph: GraphInstanceId) -> Option<GraphRecord> {
        self.graphs[graph.idx() % N_SHARDS].lock().get(&graph).cloned()
    }
}

impl Announced {
    /// Announces all that an event of a minimal record names, as far as this worker has not done so yet: the
    /// part of a trace that it wrote can be understood without that of others. `place` is that of the event's
    /// own action.
    pub(crate) fn announce(
        &mut self,
        event: &EventRecord,
        place: Place<'_>,
        directory: Option<&Directory>,
        batch: &mut EventBatch,
    ) {
        if self.actions.insert(event.id.action) {
            let mut around = Vec::new();
            let mut inner = Some(place.graph);
            while let Some(record) = inner.and_then(GraphInstance::record) {
                if !self.graphs.insert(record.graph) {
                    break;
                }
                around.push(record);
                inner = inner.and_then(|graph| graph.call.as_ref()).map(|place| &*place.parent);
            }
            batch.graphs.extend(around.into_iter().rev());
            batch.actions.push(ActionRecord {
                action: event.id.action,
                template: place.template,
                graph: place.graph.id,
                index: place.index.clone(),
            });
        }
        let Some(directory) = directory else { return };
        for take in event.choices.iter().flat_map(|choices| &choices.takes) {
            self.announce_action(take.sender, directory, batch);
        }
        for access in &event.shared {
            if let Some(writer) = access.writer {
                self.announce_action(writer.action, directory, batch);
            }
            if self.objects.insert(access.object)
                && let Some(record) = directory.object(access.object)
            {
                self.announce_graph(record.graph, directory, batch);
                batch.objects.push(record);
            }
        }
    }

    /// Announces actions that have sent values that were dropped.
    pub(crate) fn announce_senders(
        &mut self,
        senders: impl Iterator<Item = ActionId>,
        directory: Option<&Directory>,
        batch: &mut EventBatch,
    ) {
        let Some(directory) = directory else { return };
        senders.for_each(|sender| self.announce_action(sender, directory, batch));
    }

    fn announce_action(&mut self, action: ActionId, directory: &Directory, batch: &mut EventBatch) {
        if self.actions.insert(action)
            && let Some(record) = directory.action(action)
        {
            self.announce_graph(record.graph, directory, batch);
            batch.actions.push(record);
        }
    }

    /// Announces a graph instance and those around it, outermost first.
    fn announce_graph(&mut self, graph: GraphInstanceId, directory: &Directory, batch: &mut EventBatch) {
        let mut around = Vec::new();
        let mut inner = graph;
        while inner != GraphInstanceId::MAIN && self.graphs.insert(inner) {
            let Some(record) = directory.graph(inner) else { break };
            inner = record.parent;
            around.push(record);
        }
        batch.graphs.extend(around.into_iter().rev());
    }
}
