//! What encoder and decoder expect of an action's next event: that it is like its last one in the
//! same batch, one step further. Only exceptions are written.
//!
//! Idea after value-prediction trace compression (Burtscher, 2004), reduced to the one predictor
//! that pays here: most actions take the same rule from the same senders again and again.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::event::SharedAccess;
use crate::id::{ActionId, EventId, ObjectId};
use crate::plan::Access;

/// Longest list that is predicted. A longer one is always written out, so that a byte of input
/// cannot stand for more than this many items.
const MAX_PREDICTED: usize = 64;

/// What is wrong with the prediction, as bits of an event's flag byte.
pub(super) mod flag {
    pub(crate) const COUNT: u8 = 1;
    pub(crate) const RULE: u8 = 1 << 1;
    pub(crate) const ROUTES: u8 = 1 << 2;
    pub(crate) const FLOW: u8 = 1 << 3;
    pub(crate) const OBJECTS: u8 = 1 << 4;
    pub(crate) const SUCCESSORS: u8 = 1 << 5;
    pub(crate) const OUTCOME: u8 = 1 << 6;
    pub(crate) const EXTRAS: u8 = 1 << 7;
}

/// The last event of an action in this batch, as far as it is predicted from.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    pub(super) count: u64,
    pub(super) rule: i32,
    pub(super) flow_successors: u64,
    routes: SmallVec<[u32; 2]>,
    flow: SmallVec<[EventId; 2]>,
    objects: SmallVec<[(ObjectId, Access); 1]>,
}

impl Past {
    pub(super) fn routes(&self) -> &[u32] {
        &self.routes
    }

    pub(super) fn set_routes(&mut self, routes: &[u32]) {
        self.routes.clear();
        self.routes.extend_from_slice(predictable(routes));
    }

    /// The senders of the last event.
    pub(super) fn flow(&self) -> &[EventId] {
        &self.flow
    }

    /// Whether the senders are those of the last event, each one event later.
    pub(super) fn expects_flow(&self, flow: &[EventId]) -> bool {
        self.flow.len() == flow.len()
            && self.flow.iter().zip(flow).all(|(&past, &sender)| next_of(past) == sender)
    }

    pub(super) fn set_flow(&mut self, flow: &[EventId]) {
        self.flow.clear();
        self.flow.extend_from_slice(predictable(flow));
    }

    /// The objects of the last event.
    pub(super) fn objects(&self) -> &[(ObjectId, Access)] {
        &self.objects
    }

    /// Whether the objects are those of the last event.
    pub(super) fn expects_objects(&self, shared: &[SharedAccess]) -> bool {
        self.objects.len() == shared.len()
            && self.objects.iter().zip(shared).all(|(&past, found)| past == (found.object, found.access))
    }

    pub(super) fn set_objects(&mut self, shared: &[SharedAccess]) {
        self.objects.clear();
        self.objects.extend(predictable(shared).iter().map(|access| (access.object, access.access)));
    }
}

/// The sender's next event.
#[inline]
pub(super) fn next_of(sender: EventId) -> EventId {
    EventId { action: sender.action, count: sender.count.wrapping_add(1) }
}

fn predictable<T>(list: &[T]) -> &[T] {
    if list.len() > MAX_PREDICTED { &[] } else { list }
}

/// What a batch has said so far of each action and object.
#[derive(Debug, Default)]
pub(super) struct Predictor {
    slots: FxHashMap<ActionId, u32>,
    pasts: Vec<Past>,
    writers: FxHashMap<ObjectId, Option<EventId>>,
}

impl Predictor {
    /// Forgets everything: each batch can be read by itself.
    pub(super) fn reset(&mut self) {
        self.slots.clear();
        self.pasts.clear();
        self.writers.clear();
    }

    /// The past of an action; an event without rule, lists and successors where it has none.
    #[inline]
    pub(super) fn past(&mut self, action: ActionId) -> &mut Past {
        let n_pasts = self.pasts.len();
        let slot = *self.slots.entry(action).or_insert(n_pasts as u32) as usize;
        if slot == n_pasts {
            self.pasts.push(Past::default());
        }
        &mut self.pasts[slot]
    }

    /// The writer that the next access to an object is expected to find.
    pub(super) fn writer(&self, object: ObjectId) -> Option<EventId> {
        self.writers.get(&object).copied().flatten()
    }

    /// Notes an access by an event.
    pub(super) fn note_access(&mut self, event: EventId, access: &SharedAccess) {
        let writer = match access.access {
            Access::Read => access.writer,
            Access::Write => Some(event),
        };
        self.writers.insert(access.object, writer);
    }
}
