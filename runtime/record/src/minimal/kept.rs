//! What minimal recording appends to values and shared objects, and keeps with actions.

use hasse_model::choices::Choices;
use hasse_model::digest::{ActionHistory, EventHistory, Found, History, HistoryDigest};
use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, ArcId, EventId, Index};
use hasse_model::plan::Access;
use rustc_hash::FxHashMap;

use crate::buffer::Buffer;
use crate::event::Taken;
use crate::minimal::clock::{Clock, Slot};
use crate::minimal::directory::Announced;
use crate::stamp::Version;

/// Appended to a value.
#[derive(Clone)]
pub struct Stamp {
    pub(crate) sender: EventId,
    /// The last arc of its way.
    pub(crate) arc: ArcId,
    pub(crate) past: Past,
    /// Of the sender.
    pub(crate) history: History,
}

/// What is known of the past of an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// Accesses that come first in every replay.
    pub(crate) clock: Clock,
    /// The place behind the last line of output that is before it in causal order.
    pub(crate) next_line: u64,
}

impl Past {
    /// Whether two pasts are known to be the same, without a look at every number.
    #[inline]
    pub(crate) fn is_same(&self, other: &Past) -> bool {
        self.next_line == other.next_line && self.clock.is_same(&other.clock)
    }

    #[inline]
    pub(crate) fn merge(&mut self, other: &Past) {
        self.clock.merge(&other.clock);
        self.next_line = self.next_line.max(other.next_line);
    }
}

/// Appended to a shared object.
#[derive(Default)]
pub struct Mark {
    pub(crate) version: Version,
    pub(crate) writer_slot: Option<Slot>,
    /// Of the last writer.
    pub(crate) written: Past,
    pub(crate) writer_history: History,
    /// Of all that have read since.
    pub(crate) read: Past,
    /// The last access of each action that has read since. Bound: one for each action that reads.
    pub(crate) readers: Vec<(EventId, Option<Slot>)>,
}

impl Mark {
    /// Returns the version that an access finds.
    #[inline]
    pub(crate) fn found(&self, access: Access) -> Found {
        let n_readers = match access {
            Access::Read => 0,
            Access::Write => self.version.readers,
        };
        Found { access, writer: self.writer_history, n_readers }
    }

    /// Adds what is before an access, the last accesses among it.
    #[inline]
    pub(crate) fn add_to(&self, past: &mut Past, access: Access) {
        past.merge(&self.written);
        let writer = self.version.writer.map(|writer| (writer, self.writer_slot));
        let readers = if access == Access::Write { &self.readers[..] } else { &[] };
        if access == Access::Write {
            past.merge(&self.read);
        }
        for (event, slot) in writer.into_iter().chain(readers.iter().copied()) {
            // The past of events that were noted together does not say so.
            if let Some(slot) = slot {
                past.clock.raise(slot, event.count);
            }
        }
    }

    /// An event leaves the object, of an action with this slot, and with this past.
    #[inline]
    pub(crate) fn leave(
        &mut self,
        (id, history): (EventId, History),
        slot: Option<Slot>,
        past: &Past,
        access: Access,
    ) {
        match access {
            Access::Read => {
                self.read.merge(past);
                match self.readers.iter_mut().find(|(reader, _)| reader.action == id.action) {
                    Some((reader, _)) => *reader = id,
                    None => self.readers.push((id, slot)),
                }
            }
            Access::Write => {
                self.written = past.clone();
                self.writer_history = history;
                self.writer_slot = slot;
                self.read = Past::default();
                self.readers.clear();
            }
        }
    }
}

/// An object that an action has accessed and still holds.
#[derive(Clone, Copy)]
pub(crate) struct AtObject {
    /// Version that its next event finds there.
    pub(crate) found: Found,
    /// True if the last writer is certain to come first in every replay.
    pub(crate) is_settled: bool,
    /// The last event that has accessed it together with others.
    pub(crate) last: Option<EventId>,
}

/// State of an action between two executions.
#[derive(Default)]
pub struct Keep {
    pub(crate) past: Past,
    pub(crate) history: ActionHistory,
    pub(crate) slot: Option<Slot>,
    /// Object that its next events access together.
    pub(crate) at_object: Option<AtObject>,
    /// Whose value was taken last, by port and element, where there may be several senders. Bound: the elements
    /// from which values were taken.
    pub(crate) last_senders: Option<Box<FxHashMap<(usize, Index), ActionId>>>,
}

impl Keep {
    #[inline]
    pub(crate) fn last_sender(&self, taken: &Taken<'_>) -> Option<ActionId> {
        self.last_senders.as_ref()?.get(&(taken.port, taken.elements.clone())).copied()
    }

    /// Records the sender of a taken value; returns the sender before.
    #[inline]
    pub(crate) fn replace_last_sender(&mut self, taken: &Taken<'_>, sender: ActionId) -> Option<ActionId> {
        let last_senders = self.last_senders.get_or_insert_default();
        last_senders.insert((taken.port, taken.elements.clone()), sender)
    }
}

/// A record under construction.
pub struct Draft {
    pub(crate) record: Box<EventRecord>,
    pub(crate) choices: Choices,
    pub(crate) past: Past,
    pub(crate) history: EventHistory,
    pub(crate) slot: Option<Slot>,
}

/// Buffers of one worker.
pub struct Local {
    pub(crate) buffer: Buffer,
    pub(crate) announced: Announced,
    /// Of the events that the worker has executed.
    pub(crate) digest: HistoryDigest,
}
