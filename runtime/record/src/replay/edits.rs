//! Changes of queues that a record holds: those by hand, and values that full ports dropped.

use hasse_model::event::{DroppedValue, EventBatch, GraphRecord, QueueChange, QueueEdit};
use hasse_model::id::{EventId, GraphInstanceId, Index, TemplateId};
use hasse_model::snapshot::Cut;
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    all: Vec<QueueEdit>,
    /// Changes by hand of values that were sent, by the event that sent them, each with its position in `all`.
    by_sender: FxHashMap<EventId, Vec<(usize, PlacedEdit)>>,
    /// Values that were added by hand and that nobody took.
    left: Vec<PlacedEdit>,
    /// Places where values were dropped.
    places: Vec<DropPlace>,
    known_places: FxHashMap<DropPlace, u32>,
    /// Values that full ports dropped; sorted by sender once all are known.
    dropped: Vec<Dropped>,
}

/// A place where values were dropped, in terms of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct DropPlace {
    template: TemplateId,
    graph: GraphInstanceId,
    index: Index,
    port: usize,
    elements: Index,
}

/// A value that a full port dropped.
#[derive(Clone, Copy, Debug)]
struct Dropped {
    sender: EventId,
    place: u32,
    n_later: u32,
    by: EventId,
    /// Position in `Edits::all` of the change that holds it.
    position: u32,
}

/// A change of a value that an event sent.
pub enum SentEdit<'e> {
    /// By hand.
    ByHand(&'e PlacedEdit),
    /// It was dropped as its port was full.
    NoRoom {
        /// Node of the receiver.
        template: TemplateId,
        /// Graph instance of the receiver.
        graph: GraphInstanceId,
        /// Index of the receiver.
        index: &'e Index,
        /// Input port, by position.
        port: usize,
        /// Element of a family.
        elements: &'e Index,
        /// Number of values that the event sent there later, without those that were dropped by hand before.
        n_later: u32,
        /// The event that sent the value for which it made room.
        by: EventId,
    },
}

impl Edits {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns true if a person made one of them.
    pub(crate) fn has_any_by_hand(&self) -> bool {
        self.all.iter().any(|edit| edit.change.is_by_hand())
    }

    /// Takes in a change at the port with this position.
    pub(crate) fn add(&mut self, port: usize, edit: QueueEdit) {
        let position = self.all.len();
        match &edit.change {
            QueueChange::NoRoom(dropped) => {
                let QueueEdit { template, graph, index, elements, .. } = &edit;
                let (template, graph) = (*template, *graph);
                let place =
                    DropPlace { template, graph, index: index.clone(), port, elements: elements.clone() };
                let n_places = self.places.len() as u32;
                let place = *self.known_places.entry(place).or_insert_with_key(|place| {
                    self.places.push(place.clone());
                    n_places
                });
                let position = position as u32;
                self.dropped.extend(dropped.iter().map(|&DroppedValue { sender, n_later, by }| Dropped {
                    sender,
                    place,
                    n_later,
                    by,
                    position,
                }));
            }
            QueueChange::Dropped(_) | QueueChange::Replaced(..) => {
                if let Some(sender) = senders_of(&edit).next() {
                    let placed = PlacedEdit { port, edit: edit.clone() };
                    self.by_sender.entry(sender).or_default().push((position, placed));
                }
            }
            QueueChange::Left(_) => self.left.push(PlacedEdit { port, edit: edit.clone() }),
            QueueChange::Added(_) => {}
        }
        self.all.push(edit);
    }

    /// All changes are known.
    pub(crate) fn finish(&mut self) {
        self.dropped.sort_unstable_by_key(|dropped| (dropped.sender, dropped.position));
    }

    /// Forgets the values that were dropped after a cut: that or the value for which they made room was sent after it. Where
    /// `has_taken` says that the receiver had taken another value of the sender before the cut, it may have been one behind
    /// that which was dropped, which then was gone already.
    pub(crate) fn limit(&mut self, cut: &Cut, has_taken: impl Fn(&QueueEdit, EventId) -> bool) {
        let is_before = |event: EventId| event.count <= cut.count(event.action);
        let mut is_kept = FxHashSet::default();
        for (position, edit) in self.all.iter_mut().enumerate() {
            let place = QueueEdit { change: QueueChange::NoRoom(Vec::new()), ..edit.clone() };
            let QueueChange::NoRoom(dropped) = &mut edit.change else { continue };
            dropped.retain(|dropped| {
                is_before(dropped.sender) && (is_before(dropped.by) || has_taken(&place, dropped.sender))
            });
            is_kept.extend(dropped.iter().map(|dropped| (position as u32, dropped.sender, dropped.n_later)));
        }
        self.dropped.retain(|dropped| is_kept.contains(&(dropped.position, dropped.sender, dropped.n_later)));
    }

    /// Changes of values that an event sent, in the order in which they were made.
    pub(crate) fn of(&self, sender: EventId) -> Vec<SentEdit<'_>> {
        let by_hand = self.by_sender.get(&sender).map_or(&[][..], Vec::as_slice);
        let from = self.dropped.partition_point(|dropped| dropped.sender < sender);
        let dropped = self.dropped[from..].iter().take_while(|dropped| dropped.sender == sender);
        let mut edits: Vec<(usize, SentEdit<'_>)> =
            by_hand.iter().map(|(position, edit)| (*position, SentEdit::ByHand(edit))).collect();
        edits.extend(dropped.map(|dropped| {
            let DropPlace { template, graph, index, port, elements } = &self.places[dropped.place as usize];
            let (template, graph, port) = (*template, *graph, *port);
            let Dropped { n_later, by, position, .. } = *dropped;
            (position as usize, SentEdit::NoRoom { template, graph, index, port, elements, n_later, by })
        }));
        edits.sort_by_key(|(position, _)| *position);
        edits.into_iter().map(|(_, edit)| edit).collect()
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
            self.all.iter().flat_map(senders_of).map(|sender| sender.action).collect();
        let senders: Vec<_> = actions.records().filter(|known| senders.contains(&known.action)).collect();
        let by_graph: FxHashMap<_, _> = graphs.iter().map(|record| (record.graph, record)).collect();
        let mut open: Vec<GraphInstanceId> = self.all.iter().map(|edit| edit.graph).collect();
        open.extend(senders.iter().map(|sender| sender.graph));
        let mut named = FxHashMap::default();
        while let Some(graph) = open.pop() {
            if let Some(&record) = by_graph.get(&graph)
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

/// Events that sent values that a change is about.
fn senders_of(edit: &QueueEdit) -> impl Iterator<Item = EventId> {
    let (one, dropped) = match &edit.change {
        QueueChange::Dropped(sent) | QueueChange::Replaced(sent, _) => (sent.sender, &[][..]),
        QueueChange::Added(_) | QueueChange::Left(_) => (None, &[][..]),
        QueueChange::NoRoom(dropped) => (None, dropped.as_slice()),
    };
    one.into_iter().chain(dropped.iter().map(|dropped| dropped.sender))
}
