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

/// Records of delivered events whose memory is used again.
const MOST_SPARE: usize = 64;

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

/// The version of an object that the delivered events have left.
#[derive(Clone, Copy, Debug, Default)]
struct Version {
    writer: Option<EventId>,
    n_readers: u64,
}

/// An event with what it still waits for.
#[derive(Debug)]
struct Waiting {
    event: EventRecord,
    n_missing: usize,
}

/// The sorter. Push events in any order; each is delivered as soon as all before it have been.
#[derive(Debug, Default)]
pub struct Sorter {
    /// How many events of each action have been delivered: they leave in order.
    n_delivered: IdTable<u64>,
    versions: IdTable<Version>,
    /// Waiting events; the slots of delivered ones are reused.
    waiting: Vec<Option<Waiting>>,
    free_slots: Vec<usize>,
    slot_of: FxHashMap<EventId, usize>,
    /// For each thing that is waited for, the slots of those who do. A sequence edge is waited for
    /// as a flow edge.
    waiters: FxHashMap<Before, SmallVec<[usize; 2]>>,
    /// Complete events that have not been delivered yet; empty between calls.
    ready: VecDeque<EventRecord>,
    spare: Vec<EventRecord>,
    failed: Option<SortError>,
    #[cfg(test)]
    n_steps: usize,
}

impl Sorter {
    /// A sorter that has seen nothing.
    pub fn new() -> Self {
        Self::default()
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
        if self.is_delivered(id) || (!self.slot_of.is_empty() && self.slot_of.contains_key(&id)) {
            return Err(SortError::Duplicate { event: id });
        }
        let slot = self.free_slots.last().copied().unwrap_or(self.waiting.len());
        let mut n_missing = 0;
        for before in order::before(event) {
            self.count_step();
            if !self.is_met(before) {
                self.check_not_overwritten(id, before)?;
                self.waiters.entry(wake_key(before)).or_default().push(slot);
                n_missing += 1;
            }
        }
        if n_missing == 0 {
            self.reach(event)?;
            deliver(event);
            return self.deliver_ready(deliver);
        }
        let left = self.spare.pop().unwrap_or_else(|| EventRecord::new(id));
        let waiting = Some(Waiting { event: std::mem::replace(event, left), n_missing });
        if self.free_slots.pop().is_some() {
            self.waiting[slot] = waiting;
        } else {
            self.waiting.push(waiting);
        }
        self.slot_of.insert(id, slot);
        Ok(())
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
        *self.n_delivered.slot(event.id.action.0) = event.id.count;
        self.wake(Before::Flow(event.id));
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
            self.wake(reached);
        }
        Ok(())
    }

    /// Counts off something for those who wait for it, and moves the complete ones to the queue.
    #[inline]
    fn wake(&mut self, reached: Before) {
        if !self.waiters.is_empty() {
            self.wake_waiters(reached);
        }
    }

    fn wake_waiters(&mut self, reached: Before) {
        for slot in self.waiters.remove(&reached).unwrap_or_default() {
            self.count_step();
            let is_complete = self.waiting[slot].as_mut().is_some_and(|waiting| {
                waiting.n_missing -= 1;
                waiting.n_missing == 0
            });
            if let Some(waiting) = self.waiting[slot].take_if(|_| is_complete) {
                self.slot_of.remove(&waiting.event.id);
                self.free_slots.push(slot);
                self.ready.push_back(waiting.event);
            }
        }
    }

    fn is_delivered(&self, event: EventId) -> bool {
        event.count > 0 && self.n_delivered.get(event.action.0).is_some_and(|&n| event.count <= n)
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

/// Under which key something is waited for.
fn wake_key(before: Before) -> Before {
    match before {
        Before::Sequence(event) => Before::Flow(event),
        Before::Flow(_) | Before::Version(..) | Before::Readers(..) => before,
    }
}

#[cfg(test)]
mod tests;
