//! The last events, for evidence: which way led from one event to another.
//!
//! A bounded window, as the whole history does not fit in memory: what lies further back is not shown. A verdict
//! never depends on it. Taking in an event is a copy of a few words; what is looked up is indexed when somebody asks.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use hasse_model::event::{EventRecord, RelayedAccess, SharedAccess};
use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::Access;

/// Number of events that are kept.
const MOST_EVENTS: usize = 1 << 16;
/// Most readers of one version of an object that are kept.
const MOST_READERS: usize = 256;

/// An event with what its record does not list.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) id: EventId,
    /// Its place in the order of delivery, from 1.
    pub(super) number: u64,
    rule: i32,
    routes: SmallVec<[u32; 2]>,
    flow: SmallVec<[EventId; 2]>,
    /// What few events have.
    shared: Option<Box<Shared>>,
}

/// What an event had to do with shared objects.
#[derive(Clone, Debug)]
struct Shared {
    accesses: Vec<SharedAccess>,
    relayed: Vec<RelayedAccess>,
    /// Events that read what it overwrote, the last ones of their actions.
    readers: Vec<(ObjectId, EventId)>,
}

impl Entry {
    /// The record of the event, as far as order and ways go.
    pub(super) fn record(&self) -> EventRecord {
        EventRecord {
            rule: self.rule,
            routes: self.routes.to_vec(),
            flow: self.flow.to_vec(),
            shared: self.accesses().to_vec(),
            relayed: self.relayed().to_vec(),
            ..EventRecord::new(self.id)
        }
    }

    /// The predecessors that its record lists.
    pub(super) fn recorded(&self) -> impl Iterator<Item = EventId> + '_ {
        listed(&self.flow, self.accesses(), self.relayed())
    }

    fn accesses(&self) -> &[SharedAccess] {
        self.shared.as_ref().map_or(&[], |shared| &shared.accesses)
    }

    fn relayed(&self) -> &[RelayedAccess] {
        self.shared.as_ref().map_or(&[], |shared| &shared.relayed)
    }

    /// Events that read what it overwrote, the last ones of their actions.
    pub(super) fn readers(&self) -> &[(ObjectId, EventId)] {
        self.shared.as_ref().map_or(&[], |shared| &shared.readers)
    }

    /// The immediate predecessors: by values first, by sequence last.
    pub(super) fn immediate(&self) -> impl Iterator<Item = EventId> + '_ {
        let sequence = EventId { action: self.id.action, count: self.id.count.saturating_sub(1) };
        self.recorded()
            .chain(self.readers().iter().map(|&(_, reader)| reader))
            .chain((self.id.count > 1).then_some(sequence))
    }
}

/// The predecessors that the record of an event lists.
pub(super) fn recorded(event: &EventRecord) -> impl Iterator<Item = EventId> + '_ {
    listed(&event.flow, &event.shared, &event.relayed)
}

fn listed<'e>(
    flow: &'e [EventId],
    shared: &'e [SharedAccess],
    relayed: &'e [RelayedAccess],
) -> impl Iterator<Item = EventId> + 'e {
    let shared = shared.iter().filter_map(|access| access.writer);
    flow.iter().copied().chain(shared).chain(relayed.iter().map(|access| access.event))
}

/// A window of the last events.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    /// Readers of each object since it was last written, the last ones of their actions.
    readers: FxHashMap<ObjectId, Vec<EventId>>,
}

impl Log {
    /// Takes in the next event.
    pub(super) fn push(&mut self, event: &EventRecord, number: u64) {
        if self.entries.len() == MOST_EVENTS {
            self.entries.pop_front();
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
        let has_shared = !event.shared.is_empty() || !event.relayed.is_empty();
        let shared = has_shared.then(|| {
            let (accesses, relayed) = (event.shared.clone(), event.relayed.clone());
            Box::new(Shared { accesses, relayed, readers: overwritten })
        });
        self.entries.push_back(Entry {
            id: event.id,
            number,
            rule: event.rule,
            routes: event.routes.as_slice().into(),
            flow: event.flow.as_slice().into(),
            shared,
        });
    }

    /// The window, to look events up in. Cost: linear in the window.
    pub(super) fn view(&self) -> View<'_> {
        View { by_id: self.entries.iter().map(|entry| (entry.id, entry)).collect(), log: self }
    }
}

/// A window in which events are looked up.
pub(super) struct View<'l> {
    log: &'l Log,
    by_id: FxHashMap<EventId, &'l Entry>,
}

impl<'l> View<'l> {
    /// An event, if it is kept.
    pub(super) fn get(&self, event: EventId) -> Option<&'l Entry> {
        self.by_id.get(&event).copied()
    }

    /// A shortest way from one event to a later one along immediate predecessors, both included; `None` where there is
    /// none or it is not kept. Cost: linear in the events between.
    pub(super) fn chain(&self, first: EventId, last: EventId) -> Option<Vec<&'l Entry>> {
        let oldest = self.get(first)?.number;
        let mut next: FxHashMap<EventId, EventId> = FxHashMap::default();
        let mut queue = VecDeque::from([last]);
        while let Some(event) = queue.pop_front() {
            if event == first {
                let way = std::iter::successors(Some(event), |event| next.get(event).copied());
                return way.map(|event| self.get(event)).collect();
            }
            let Some(entry) = self.get(event) else { continue };
            for before in entry.immediate() {
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
    pub(super) fn common_past(&self, one: EventId, other: EventId) -> Option<&'l Entry> {
        let (past, others) = (self.past(one), self.past(other));
        let mut latest = self.log.entries.iter().rev();
        latest.find(|entry| past.contains(&entry.id) && others.contains(&entry.id))
    }

    fn past(&self, event: EventId) -> FxHashSet<EventId> {
        let (mut past, mut stack) = (FxHashSet::default(), vec![event]);
        while let Some(event) = stack.pop() {
            if let Some(entry) = self.get(event) {
                stack.extend(entry.immediate().filter(|&before| past.insert(before)));
            }
        }
        past
    }
}
