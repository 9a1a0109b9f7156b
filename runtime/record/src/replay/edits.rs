//! Changes of queues by hand that a record tells of.

use hasse_model::event::{EventBatch, GraphRecord, QueueChange, QueueEdit};
use hasse_model::id::{EventId, GraphInstanceId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::replay::actions::Actions;

/// A change with the position of the input port in the program.
#[derive(Clone, Debug)]
pub struct PlacedEdit {
    /// Input port, by position.
    pub port: usize,
    /// The change.
    pub edit: QueueEdit,
}

/// Changes in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    all: Vec<QueueEdit>,
    /// Changes of values that were sent, by the event that sent them.
    by_sender: FxHashMap<EventId, Vec<PlacedEdit>>,
    /// Values that were added by hand and that nobody took.
    left: Vec<PlacedEdit>,
}

impl Edits {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes in a change at the port with this position.
    pub(crate) fn add(&mut self, port: usize, edit: QueueEdit) {
        if let Some(sender) = sender_of(&edit) {
            self.by_sender.entry(sender).or_default().push(PlacedEdit { port, edit: edit.clone() });
        }
        if matches!(edit.change, QueueChange::Left(_)) {
            self.left.push(PlacedEdit { port, edit: edit.clone() });
        }
        self.all.push(edit);
    }

    /// Changes of values that an event sent.
    #[inline]
    pub(crate) fn of(&self, sender: EventId) -> Option<&[PlacedEdit]> {
        self.by_sender.get(&sender).map(Vec::as_slice)
    }

    /// Values that were added by hand and that nobody took.
    pub(crate) fn left(&self) -> &[PlacedEdit] {
        &self.left
    }

    /// Values that were added by hand.
    pub(crate) fn added(&self) -> impl Iterator<Item = &QueueEdit> {
        self.all.iter().filter(|edit| matches!(edit.change, QueueChange::Added(_)))
    }

    /// All changes, with the graph instances and the senders that they name, parents first.
    pub(crate) fn to_batch(&self, graphs: &[GraphRecord], actions: &Actions) -> EventBatch {
        let senders: FxHashSet<_> =
            self.all.iter().filter_map(sender_of).map(|sender| sender.action).collect();
        let senders: Vec<_> = actions.records().filter(|known| senders.contains(&known.action)).collect();
        let mut open: Vec<GraphInstanceId> = self.all.iter().map(|edit| edit.graph).collect();
        open.extend(senders.iter().map(|sender| sender.graph));
        let mut named = FxHashMap::default();
        while let Some(graph) = open.pop() {
            if let Some(record) = graphs.iter().find(|record| record.graph == graph)
                && named.insert(graph, record).is_none()
            {
                open.push(record.parent);
            }
        }
        let mut batch = EventBatch::default();
        batch.graphs = named.into_values().cloned().collect();
        // A parent has a lesser id than its children.
        batch.graphs.sort_unstable_by_key(|record| record.graph);
        batch.graphs.dedup_by_key(|record| record.graph);
        batch.actions = senders.into_iter().cloned().collect();
        batch.edits.clone_from(&self.all);
        batch
    }
}

fn sender_of(edit: &QueueEdit) -> Option<EventId> {
    match &edit.change {
        QueueChange::Dropped(sent) | QueueChange::Replaced(sent, _) => sent.sender,
        QueueChange::Added(_) | QueueChange::Left(_) => None,
    }
}
