//! The last events, for evidence: which way led from one event to another.
//!
//! A bounded window, as the whole history does not fit in memory: what lies further back is not shown. A verdict
//! never depends on it.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use hasse_model::event::EventRecord;
use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::Access;

/// Number of events that are kept.
const MOST_EVENTS: usize = 1 << 16;
/// Most readers of one version of an object that are kept.
const MOST_READERS: usize = 256;

/// An event with what its record does not list.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Without effects and messages.
    pub(super) record: Arc<EventRecord>,
    /// Its place in the order of delivery, from 1.
    pub(super) number: u64,
    /// Events that read what it overwrote, the last ones of their actions.
    pub(super) readers: Box<[(ObjectId, EventId)]>,
}

/// A window of the last events.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    numbers: FxHashMap<EventId, u64>,
    /// Readers of each object since it was last written, the last ones of their actions.
    readers: FxHashMap<ObjectId, Vec<EventId>>,
}

impl Log {
    /// Takes in the next event.
    pub(super) fn push(&mut self, event: &EventRecord, number: u64) {
        if self.entries.len() == MOST_EVENTS
            && let Some(oldest) = self.entries.pop_front()
        {
            self.numbers.remove(&oldest.record.id);
        }
        let mut overwritten = Vec::new();
        for access in &event.shared {
            let readers = self.readers.entry(access.object).or_default();
            match access.access {
                Access::Write => overwritten.extend(readers.drain(..).map(|reader| (access.object, reader))),
                Access::Read => {
                    readers.retain(|reader| reader.action != event.id.action);
                    if readers.len() == MOST_READERS {
                        readers.remove(0);
                    }
                    readers.push(event.id);
                }
            }
        }
        self.numbers.insert(event.id, number);
        let record = EventRecord {
            id: event.id,
            rule: event.rule,
            routes: event.routes.clone(),
            flow: event.flow.clone(),
            shared: event.shared.clone(),
            relayed: event.relayed.clone(),
            flow_successors: event.flow_successors,
            outcome: event.outcome,
            timing: event.timing,
            local: event.local.clone(),
            ..EventRecord::new(event.id)
        };
        self.entries.push_back(Entry { record: Arc::new(record), number, readers: overwritten.into() });
    }

    /// The event that was taken in last.
    pub(super) fn last(&self) -> Option<&Entry> {
        self.entries.back()
    }

    /// An event, if it is kept.
    pub(super) fn get(&self, event: EventId) -> Option<&Entry> {
        let first = self.entries.front()?.number;
        self.entries.get(usize::try_from(self.numbers.get(&event)?.checked_sub(first)?).ok()?)
    }

    /// A shortest way from one event to a later one along immediate predecessors, both included; `None` where there is
    /// none or it is not kept. Cost: linear in the events between.
    pub(super) fn chain(&self, first: EventId, last: EventId) -> Option<Vec<&Entry>> {
        let oldest = self.get(first)?.number;
        let mut next: FxHashMap<EventId, EventId> = FxHashMap::default();
        let mut queue = VecDeque::from([last]);
        while let Some(event) = queue.pop_front() {
            if event == first {
                let way = std::iter::successors(Some(event), |event| next.get(event).copied());
                return way.map(|event| self.get(event)).collect();
            }
            let Some(entry) = self.get(event) else { continue };
            for before in immediate(entry) {
                let is_between = self.get(before).is_some_and(|entry| entry.number >= oldest);
                if is_between && before != last && !next.contains_key(&before) {
                    next.insert(before, event);
                    queue.push_back(before);
                }
            }
        }
        None
    }

    /// The latest event that is before both of two; `None` where there is none among those kept.
    pub(super) fn common_past(&self, one: EventId, other: EventId) -> Option<&Entry> {
        let (past, others) = (self.past(one), self.past(other));
        let common = self.entries.iter().rev();
        common.into_iter().find(|entry| past.contains(&entry.record.id) && others.contains(&entry.record.id))
    }

    fn past(&self, event: EventId) -> FxHashSet<EventId> {
        let (mut past, mut stack) = (FxHashSet::default(), vec![event]);
        while let Some(event) = stack.pop() {
            if let Some(entry) = self.get(event) {
                stack.extend(immediate(entry).filter(|&before| past.insert(before)));
            }
        }
        past
    }
}

/// The immediate predecessors of an event: by values first, by sequence last.
pub(super) fn immediate(entry: &Entry) -> impl Iterator<Item = EventId> + '_ {
    let event = &*entry.record;
    let sequence = EventId { action: event.id.action, count: event.id.count - 1 };
    recorded(event)
        .chain(entry.readers.iter().map(|&(_, reader)| reader))
        .chain((event.id.count > 1).then_some(sequence))
}

/// The predecessors that the record of an event lists.
pub(super) fn recorded(event: &EventRecord) -> impl Iterator<Item = EventId> + '_ {
    let shared = event.shared.iter().filter_map(|access| access.writer);
    event.flow.iter().copied().chain(shared).chain(event.relayed.iter().map(|access| access.event))
}
