//! Who is who: what actions, objects and graph instances are instances of, to be announced when a minimal
//! record first names them.
//!
//! A minimal record names few of them, and some only as senders or writers: what is announced cannot be known
//! when they are created. About 100 bytes for each that is created; none where the program leaves nothing open.

use hasse_model::event::{ActionRecord, EventBatch, EventRecord, GraphRecord, ObjectRecord};
use hasse_model::id::{ActionId, GraphInstanceId, ObjectId};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

/// Independently locked parts.
const N_SHARDS: usize = 16;

type Shards<I, R> = [Mutex<FxHashMap<I, R>>; N_SHARDS];

/// All that were created in a run.
#[derive(Debug, Default)]
pub(super) struct Directory {
    actions: Shards<ActionId, ActionRecord>,
    objects: Shards<ObjectId, ObjectRecord>,
    graphs: Shards<GraphInstanceId, GraphRecord>,
}

/// What a worker has announced.
#[derive(Debug, Default)]
pub(super) struct Announced {
    actions: FxHashSet<ActionId>,
    objects: FxHashSet<ObjectId>,
    graphs: FxHashSet<GraphInstanceId>,
}

impl Directory {
    pub(super) fn add_action(&self, record: ActionRecord) {
        self.actions[record.action.idx() % N_SHARDS].lock().insert(record.action, record);
    }

    pub(super) fn add_object(&self, record: ObjectRecord) {
        self.objects[record.object.idx() % N_SHARDS].lock().insert(record.object, record);
    }

    pub(super) fn add_graph(&self, record: GraphRecord) {
        self.graphs[record.graph.idx() % N_SHARDS].lock().insert(record.graph, record);
    }

    /// Announces all that an event of a minimal record names, as far as this worker has not done so yet: the
    /// part of a trace that it wrote can be understood without that of others.
    pub(super) fn announce(&self, event: &EventRecord, announced: &mut Announced, batch: &mut EventBatch) {
        self.announce_action(event.id.action, announced, batch);
        for take in event.choices.iter().flat_map(|choices| &choices.takes) {
            self.announce_action(take.sender, announced, batch);
        }
        for access in &event.shared {
            if let Some(writer) = access.writer {
                self.announce_action(writer.action, announced, batch);
            }
            let object = access.object;
            let known = self.objects[object.idx() % N_SHARDS].lock().get(&object).cloned();
            if announced.objects.insert(object)
                && let Some(record) = known
            {
                self.announce_graph(record.graph, announced, batch);
                batch.objects.push(record);
            }
        }
    }

    fn announce_action(&self, action: ActionId, announced: &mut Announced, batch: &mut EventBatch) {
        if !announced.actions.insert(action) {
            return;
        }
        let known = self.actions[action.idx() % N_SHARDS].lock().get(&action).cloned();
        if let Some(record) = known {
            self.announce_graph(record.graph, announced, batch);
            batch.actions.push(record);
        }
    }

    /// Announces a graph instance and those around it, outermost first.
    fn announce_graph(&self, graph: GraphInstanceId, announced: &mut Announced, batch: &mut EventBatch) {
        let mut around = Vec::new();
        let mut inner = graph;
        while inner != GraphInstanceId::MAIN && announced.graphs.insert(inner) {
            let known = self.graphs[inner.idx() % N_SHARDS].lock().get(&inner).cloned();
            let Some(record) = known else { break };
            inner = record.parent;
            around.push(record);
        }
        batch.graphs.extend(around.into_iter().rev());
    }
}
