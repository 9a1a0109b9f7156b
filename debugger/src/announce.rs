//! Batches of one's own: events with the names that they need, each announced once.
//!
//! What is filed or saved after post-restriction is no longer what the workers handed over, and must announce
//! graph instances, actions and objects anew.

use rustc_hash::FxHashSet;

use hasse_model::event::{ActionRecord, EventBatch, EventRecord, GraphRecord, ObjectRecord};
use hasse_model::id::{ActionId, GraphInstanceId, ObjectId};
use hasse_model::trace::Names;

/// Puts events that come in causal order into batches.
#[derive(Debug, Default)]
pub struct Announcer {
    batch: EventBatch,
    graphs: FxHashSet<GraphInstanceId>,
    actions: FxHashSet<ActionId>,
    objects: FxHashSet<ObjectId>,
}

impl Announcer {
    /// Takes in an event. What it names and was announced to `names` is announced again.
    pub fn push(&mut self, mut event: EventRecord, names: &Names) {
        self.announce_action(event.id.action, names);
        let accessed = event.shared.iter().map(|access| access.object);
        let relayed = event.relayed.iter().map(|relayed| relayed.object);
        for object in accessed.chain(relayed).collect::<Vec<_>>() {
            self.announce_object(object, names);
        }
        self.batch.push(&mut event);
    }

    /// Number of events that wait in the batch.
    pub fn n_events(&self) -> usize {
        self.batch.n_events()
    }

    /// The batch so far; a new one is begun.
    pub fn take(&mut self) -> EventBatch {
        std::mem::take(&mut self.batch)
    }

    fn announce_graph(&mut self, graph: GraphInstanceId, names: &Names) {
        let mut records: Vec<GraphRecord> = Vec::new();
        let mut at = graph;
        while at != GraphInstanceId::MAIN && self.graphs.insert(at) {
            let Some(record) = names.graph(at) else { break };
            records.push(record.clone());
            at = record.parent;
        }
        self.batch.graphs.extend(records.into_iter().rev());
    }

    fn announce_action(&mut self, action: ActionId, names: &Names) {
        let known = names.template_of(action).zip(names.graph_of(action)).zip(names.index_of(action));
        if let Some(((template, graph), index)) = known
            && self.actions.insert(action)
        {
            self.announce_graph(graph, names);
            self.batch.actions.push(ActionRecord { action, template, graph, index: index.clone() });
        }
    }

    fn announce_object(&mut self, object: ObjectId, names: &Names) {
        if let Some(shared) = names.shared_of(object)
            && let Some((graph, _, index)) = names.place_of_object(object)
            && self.objects.insert(object)
        {
            self.announce_graph(graph, names);
            self.batch.objects.push(ObjectRecord { object, shared, graph, index: index.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::event::{RelayedAccess, SharedAccess};
    use hasse_model::id::EventId;
    use hasse_model::plan::Access;

    use super::*;
    use crate::testing;

    #[test]
    fn what_is_named_is_announced_once_and_first() {
        let names = testing::names();
        let mut announcer = Announcer::default();
        let object = ObjectId(1);
        for count in 1..=2 {
            let mut event = EventRecord::new(EventId { action: ActionId(1), count });
            event.shared.push(SharedAccess { object, access: Access::Read, writer: None, readers: 0 });
            event.relayed.push(RelayedAccess { object: ObjectId(0), access: Access::Read, event: event.id });
            announcer.push(event, &names);
        }
        let first = announcer.take();
        assert_eq!((first.actions.len(), first.objects.len(), first.n_events()), (1, 2, 2));
        let mut again = EventRecord::new(EventId { action: ActionId(1), count: 3 });
        again.shared.push(SharedAccess { object, access: Access::Read, writer: None, readers: 0 });
        announcer.push(again, &names);
        let second = announcer.take();
        assert_eq!((second.actions.len(), second.objects.len(), second.n_events()), (0, 0, 1));
        let mut read = testing::unread_names();
        read.read(&first);
        assert_eq!(read.action(ActionId(1)).to_string(), names.action(ActionId(1)).to_string());
    }
}
