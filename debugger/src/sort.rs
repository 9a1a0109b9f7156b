//! Causal sorting: events come in any order and leave in an order that extends `<C`.
//!
//! Each event waits for what [`order::before`](hasse_model::order::before) lists, by a counter of what is still missing; what
//! is delivered wakes exactly the events that wait for it (Kahn, 1962, made incremental). Time is
//! linear in events and edges. Memory holds the events that wait, one count for each action and
//! one version for each object. An event that is complete when it comes, as nearly all are, is looked at and handed
//! on: nothing is allocated for it.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use hasse_model::event::EventRecord;
use hasse_model::id::{EventId, ObjectId};
use hasse_model::order::{self, Before};
use hasse_model::plan::Access;
use hasse_model::table::IdTable;

/// Records of delivered events whose memory is used again: as many as a batch of another worker makes wait.
const MOST_SPARE: usize = 1 << 14;

/// Why an event cannot belong to the same run as those before it. Nothing is delivered after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SortError {
    /// The event came before.
    #[error("the trace holds an event twice")]
    Duplicate {
        /// The event.
        event: EventId,
    },
    /// Counts start at 1.
    #[error("the trace holds an event that says it is its action's execution number 0")]
    CountZero {
        /// The event.
        event: EventId,
    },
    /// The version of an object that the event names was overwritten before it, or was read by
    /// other events than the overwriting one says.
    #[error("the trace contradicts itself on the accesses to a shared object")]
    InconsistentAccess {
        /// The event that does not fit.
        event: EventId,
        /// The object.
        object: ObjectId,
    },
}

impl SortError {
    /// The event that does not fit.
    pub fn event(&self) -> EventId {
        match self {
            SortError::Duplicate { event }
            | SortError::CountZero { event }
            | SortError::InconsistentAccess { event, .. } => *event,
        }
    }
}

/// What never became deliverable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftover {
    /// Number of events.
    pub n_events: u64,
    /// For the first few of them, by id: the event and one thing that it waits for.
    pub examples: Vec<(EventId, Before)>,
}

/// How far an action has come.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// How many of its events have been delivered: they leave in order.
    n_delivered: u64,
    /// How many of its events others wait for. Most actions have none, so that nothing need be looked up.
    n_awaited: u32,
}

/// The version of an object that the delivered events have left.
#[derive(Clone, Copy, Debug, Default)]
struct Version {
    writer: Option<EventId>,
    n_readers: u64,
}

/// An event with what it still waits for. The record is boxed: it goes from hand to hand.
#[derive(Debug)]
struct Waiting {
    event: Box<EventRecord>,
    n_missing: usize,
}

/// The slots of those who wait for one thing.
type Slots = SmallVec<[u32; 4]>;

/// The sorter. Push events in any order; each is delivered as soon as all before it have been.
#[derive(Debug, Default)]
pub struct Sorter {
    progress: IdTable<Progress>,
    versions: IdTable<Version>,
    /// Waiting events; the slots of delivered ones are reused.
    waiting: Vec<Option<Waiting>>,
    free_slots: Vec<u32>,
    slot_of: FxHashMap<EventId, u32>,
    /// For each event that is waited for, by a sequence or a flow edge, the slots of those who do.
    waiters: FxHashMap<EventId, Slots>,
    /// The same for versions of objects and their readers.
    version_waiters: FxHashMap<Before, Slots>,
    /// Complete events that have not been delivered yet; empty between calls.
    ready: VecDeque<Box<EventRecord>>,
    #[allow(clippy::vec_box, reason = "they go on to those who wait, which hold boxes")]
    spare: Vec<Box<EventRecord>>,
    failed: Option<SortError>,
    #[cfg(test)]
    n_steps: usize,
}

impl Sorter {
    /// A sorter that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins in the middle of a run: takes the last events of actions, which never come, as delivered.
    pub fn begin_after(&mut self, last: &[EventId]) {
        for event in last {
            self.progress.slot(event.action.0).n_delivered = event.count;
        }
    }

    /// Number of events that wait.
    pub fn n_waiting(&self) -> usize {
        self.slot_of.len()
    }

    /// Takes in an event and delivers all that is complete with it.
    ///
    /// # Errors
    /// Where the event contradicts those before it; the sorter then keeps refusing.
    pub fn push(
        &mut self,
        mut event: EventRecord,
        deliver: &mut impl FnMut(EventRecord),
    ) -> Result<(), SortError> {
        self.lend(&mut event, &mut |event| {
            let id = event.id;
            deliver(std::mem::replace(event, EventRecord::new(id)));
        })
    }

    /// Like [`push`](Self::push), without giving records away: takes what the event holds only if it has to wait, and
    /// leaves some other record in its place. `deliver` may do with a record what it likes.
    ///
    /// # Errors
    /// Where the event contradicts those before it; the sorter then keeps refusing.
    pub fn lend(
        &mut self,
        event: &mut EventRecord,
        deliver: &mut impl FnMut(&mut EventRecord),
    ) -> Result<(), SortError> {
        let result = match self.failed {
            Some(error) => Err(error),
            None => self.take_in(event, deliver),
        };
        self.failed = result.err();
        result
    }

    /// Ends sorting: what still waits will never be complete.
    pub fn finish(self) -> Leftover {
        const MOST_EXAMPLES: usize = 10;
        let mut waiting: Vec<&Waiting> = self.waiting.iter().flatten().collect();
        let n_events = waiting.len() as u64;
        waiting.sort_unstable_by_key(|waiting| waiting.event.id);
        let missing = |waiting: &&Waiting| {
            let event = &waiting.event;
            order::before(event).find(|&before| !self.is_met(before)).map(|before| (event.id, before))
        };
        let examples = waiting.iter().filter_map(missing).take(MOST_EXAMPLES).collect();
        Leftover { n_events, examples }
    }

    fn take_in(
        &mut self,
        event: &mut EventRecord,
        deliver: &mut impl FnMut(&mut EventRecord),
    ) -> Result<(), SortError> {
        let id = event.id;
        if id.count == 0 {
            return Err(SortError::CountZero { event: id });
        }
        if self.is_delivered(id) {
            return Err(SortError::Duplicate { event: id });
        }
        let slot = self.free_slots.last().copied().unwrap_or(self.waiting.len() as u32);
        let mut n_missing = 0;
        for before in order::before(event) {
            self.count_step();
            if !self.is_met(before) {
                self.check_not_overwritten(id, before)?;
                self.wait_for(before, slot);
                n_missing += 1;
            }
        }
        if n_missing == 0 {
            self.reach(event)?;
            deliver(event);
            return self.deliver_ready(deliver);
        }
        let mut record = self.spare.pop().unwrap_or_else(|| Box::new(EventRecord::new(id)));
        std::mem::swap(event, &mut record);
        let waiting = Some(Waiting { event: record, n_missing });
        if self.free_slots.pop().is_some() {
            self.waiting[slot as usize] = waiting;
        } else {
            self.waiting.push(waiting);
        }
        match self.slot_of.insert(id, slot) {
            Some(_) => Err(SortError::Duplicate { event: id }),
            None => Ok(()),
        }
    }

    fn wait_for(&mut self, before: Before, slot: u32) {
        match before {
            Before::Sequence(event) | Before::Flow(event) => {
                let waiters = self.waiters.entry(event).or_default();
                if waiters.is_empty() {
                    self.progress.slot(event.action.0).n_awaited += 1;
                }
                waiters.push(slot);
            }
            Before::Version(..) | Before::Readers(..) => {
                self.version_waiters.entry(before).or_default().push(slot);
            }
        }
    }

    /// Delivers what has become complete, and all that becomes complete by it.
    fn deliver_ready(&mut self, deliver: &mut impl FnMut(&mut EventRecord)) -> Result<(), SortError> {
        while let Some(mut event) = self.ready.pop_front() {
            self.reach(&event)?;
            deliver(&mut event);
            if self.spare.len() < MOST_SPARE {
                self.spare.push(event);
            }
        }
        Ok(())
    }

    /// Notes an event that is delivered and wakes those who wait for it.
    fn reach(&mut self, event: &EventRecord) -> Result<(), SortError> {
        self.check_accesses(event)?;
        let progress = self.progress.slot(event.id.action.0);
        if event.id.count <= progress.n_delivered {
            // Another event of this name was complete sooner.
            return Err(SortError::Duplicate { event: event.id });
        }
        progress.n_delivered = event.id.count;
        if progress.n_awaited > 0
            && let Some(waiters) = self.waiters.remove(&event.id)
        {
            progress.n_awaited -= 1;
            self.wake(&waiters);
        }
        for access in &event.shared {
            let version = self.versions.slot(access.object.0);
            let reached = match access.access {
                Access::Read => {
                    version.n_readers += 1;
                    Before::Readers(access.object, access.writer, version.n_readers)
                }
                Access::Write => {
                    *version = Version { writer: Some(event.id), n_readers: 0 };
                    Before::Version(access.object, version.writer)
                }
            };
            if !self.version_waiters.is_empty()
                && let Some(waiters) = self.version_waiters.remove(&reached)
            {
                self.wake(&waiters);
            }
        }
        Ok(())
    }

    /// Counts off something for those who wait for it, and moves the complete ones to the queue.
    fn wake(&mut self, slots: &[u32]) {
        for &slot in slots {
            self.count_step();
            let waiting = &mut self.waiting[slot as usize];
            let is_complete = waiting.as_mut().is_some_and(|waiting| {
                waiting.n_missing -= 1;
                waiting.n_missing == 0
            });
            if let Some(waiting) = waiting.take_if(|_| is_complete) {
                self.slot_of.remove(&waiting.event.id);
                self.free_slots.push(slot);
                self.ready.push_back(waiting.event);
            }
        }
    }

    fn is_delivered(&self, event: EventId) -> bool {
        event.count > 0
            && self.progress.get(event.action.0).is_some_and(|progress| event.count <= progress.n_delivered)
    }

    fn version(&self, object: ObjectId) -> Version {
        self.versions.get(object.0).copied().unwrap_or_default()
    }

    fn is_met(&self, before: Before) -> bool {
        match before {
            Before::Sequence(event) | Before::Flow(event) => self.is_delivered(event),
            Before::Version(object, writer) => self.version(object).writer == writer,
            Before::Readers(object, writer, n_readers) => {
                let version = self.version(object);
                version.writer == writer && version.n_readers >= n_readers
            }
        }
    }

    /// Refuses an event that waits for a version which has come and gone.
    fn check_not_overwritten(&self, event: EventId, before: Before) -> Result<(), SortError> {
        let (Before::Version(object, writer) | Before::Readers(object, writer, _)) = before else {
            return Ok(());
        };
        let has_been = writer.is_none_or(|writer| self.is_delivered(writer));
        if has_been && self.version(object).writer != writer {
            return Err(SortError::InconsistentAccess { event, object });
        }
        Ok(())
    }

    /// Refuses a complete event that does not find the versions which it names: another one has
    /// written them since it began to wait.
    fn check_accesses(&self, event: &EventRecord) -> Result<(), SortError> {
        for access in &event.shared {
            let version = self.version(access.object);
            let is_found = version.writer == access.writer
                && (access.access == Access::Read || version.n_readers == access.readers);
            if !is_found {
                return Err(SortError::InconsistentAccess { event: event.id, object: access.object });
            }
        }
        Ok(())
    }

    fn count_step(&mut self) {
        #[cfg(test)]
        {
            self.n_steps += 1;
        }
    }
}

#[cfg(test)]
mod tests;
