//! What encoder and decoder expect of an event: that it is like one before it in the same batch, one step further.
//! Only exceptions are written, and a run of events without any is written as its length.
//!
//! An action that had an event in the batch is expected to do the same again, with senders and counts one further. The
//! first event of an action in a batch is expected to be like the last such event of another one, with senders as far
//! from it: so are the neighbors in a chain or a grid.
//!
//! Idea after value-prediction trace compression (Burtscher, 2004), reduced to the predictors that pay here.

use crate::event::{Core, SharedAccess};
use crate::id::{ActionId, EventId, ObjectId};
use crate::plan::Access;

/// Longest list that is predicted. A longer one is always written out.
pub(super) const MAX_PREDICTED: usize = 64;

/// Most items that are predicted in one batch: they cost no bytes, so that the length of the data alone would not bound what
/// a hostile trace unfolds to. Everything behind that is written out.
const MAX_UNFOLDED: u64 = 1 << 22;

/// Most events that one byte stands for.
pub(super) const MAX_REPEATS: u8 = u8::MAX;

/// What is told of an event beside its action, as bits of its flag byte.
pub(super) mod flag {
    pub(crate) const COUNT: u8 = 1;
    pub(crate) const RULE: u8 = 1 << 1;
    pub(crate) const ROUTES: u8 = 1 << 2;
    pub(crate) const FLOW: u8 = 1 << 3;
    pub(crate) const SHARED: u8 = 1 << 4;
    pub(crate) const SUCCESSORS: u8 = 1 << 5;
    pub(crate) const EXTRAS: u8 = 1 << 6;
    /// How many events follow that are as expected.
    pub(crate) const REPEATS: u8 = 1 << 7;
}

/// What an event is expected to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'a> {
    /// The event that it is expected to be like.
    like: Core<'a>,
    pub(super) count: u64,
}

impl<'a> Expected<'a> {
    pub(super) fn rule(&self) -> i32 {
        self.like.rule
    }

    pub(super) fn routes(&self) -> &'a [u32] {
        predictable(self.like.routes)
    }

    pub(super) fn flow_successors(&self) -> u64 {
        self.like.flow_successors
    }

    /// The accesses, but for their writers.
    pub(super) fn shared(&self) -> &'a [SharedAccess] {
        predictable(self.like.shared)
    }

    /// The senders that are expected of the event `id`.
    pub(super) fn flow(&self, id: EventId) -> impl ExactSizeIterator<Item = EventId> + use<'a> {
        let like = self.like.id;
        predictable(self.like.flow).iter().map(move |&sender| moved(sender, like, id))
    }

    /// Whether the action has no other event before it in the batch.
    #[inline]
    fn is_first(&self) -> bool {
        self.count == self.like.id.count
    }

    /// The senders of the last event of the same action, with the counts that they had there; none for its first event.
    #[inline]
    fn senders_before(&self) -> impl Iterator<Item = EventId> + use<'a> {
        let n_behind = self.count.wrapping_sub(self.like.id.count);
        let flow = if self.is_first() { &[] } else { self.like.flow };
        flow.iter().map(move |sender| EventId {
            count: sender.count.wrapping_add(n_behind).wrapping_sub(1),
            ..*sender
        })
    }

    /// What the `sender_idx`-th sender of the event `id` is told by: three actions that it may be near to, the expected one
    /// first, and the count that it has if it is as far from the event as expected.
    #[inline]
    pub(super) fn sender(&self, sender_idx: usize, id: EventId, before: ActionId) -> ([ActionId; 3], u64) {
        match self.like.flow.get(sender_idx) {
            Some(&sender) => {
                let expected = moved(sender, self.like.id, id);
                ([expected.action, before, sender.action], expected.count)
            }
            None => ([id.action, before, id.action], id.count),
        }
    }
}

/// The event that is as far from `to` as `sender` is from `from`.
#[inline]
fn moved(sender: EventId, from: EventId, to: EventId) -> EventId {
    let action = sender.action.0.wrapping_add(to.action.0).wrapping_sub(from.action.0);
    let count = sender.count.wrapping_add(to.count).wrapping_sub(from.count);
    EventId { action: ActionId(action), count }
}

#[inline]
fn predictable<T>(list: &[T]) -> &[T] {
    if list.len() > MAX_PREDICTED { &[] } else { list }
}

/// Ids that share a place; of them, the last one is known.
const N_PLACES: usize = 1 << 12;

/// What was noted last at a place.
#[derive(Clone, Copy, Debug)]
struct Place<T> {
    /// In which batch; 0 for none.
    batch: u32,
    id: u32,
    noted: T,
}

/// What was noted of ids, as far as no other id has taken their place. Unlike a table it does not grow with the run,
/// and unlike a map no choice of ids makes it slow.
#[derive(Clone, Debug)]
struct Places<T>(Box<[Place<T>; N_PLACES]>);

impl<T: Copy + Default + std::fmt::Debug> Places<T> {
    fn new() -> Self {
        let places = vec![Place { batch: 0, id: 0, noted: T::default() }; N_PLACES];
        Self(places.try_into().unwrap_or_else(|_| unreachable!("there are as many places")))
    }

    #[inline]
    fn get(&self, batch: u32, id: u32) -> Option<T> {
        let place = &self.0[id as usize % N_PLACES];
        (place.batch == batch && place.id == id).then_some(place.noted)
    }

    #[inline]
    fn set(&mut self, batch: u32, id: u32, noted: T) {
        self.0[id as usize % N_PLACES] = Place { batch, id, noted };
    }
}

/// Of whom a count is told: a sender to a receiver, or a writer of an object. Two may have the same number: then one is
/// expected to have the other's count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair(u32);

impl Pair {
    /// A sender of values that an action takes.
    #[inline]
    fn flow(sender: ActionId, receiver: ActionId) -> Self {
        Self::of(sender.0, receiver.0)
    }

    /// A writer of an object.
    #[inline]
    pub(super) fn access(writer: ActionId, object: ObjectId) -> Self {
        Self::of(writer.0, !object.0)
    }

    #[inline]
    fn of(sender: u32, receiver: u32) -> Self {
        // Neighbors send to neighbors: a plain sum or difference would be the same for all of them.
        const SPREAD: u32 = 0x9E37_79B1;
        Self(receiver.wrapping_mul(SPREAD) ^ sender)
    }
}

/// What a batch has said so far of its actions and objects.
#[derive(Debug)]
pub(super) struct Predictor {
    /// Which batch this is, from 1.
    batch: u32,
    /// The position of an action's last event, or of one that it repeats, and how often.
    last: Places<(u32, u32)>,
    /// The position of the last event that was the first of its action.
    newest: Option<usize>,
    writers: Places<Option<EventId>>,
    /// The counts that were told last.
    counts: Places<u64>,
    n_unfolded: u64,
}

impl Default for Predictor {
    fn default() -> Self {
        Self {
            batch: 0,
            last: Places::new(),
            newest: None,
            writers: Places::new(),
            counts: Places::new(),
            n_unfolded: 0,
        }
    }
}

impl Predictor {
    /// Forgets everything: each batch can be read by itself.
    pub(super) fn reset(&mut self) {
        self.batch = match self.batch.checked_add(1) {
            Some(batch) => batch,
            // What was noted in a batch of the same number must not come back.
            None => {
                *self = Self::default();
                1
            }
        };
        (self.newest, self.n_unfolded) = (None, 0);
    }

    /// What the next event of an action is expected to be; `core` looks up the events before it. The position of the event
    /// that it is expected to be like is noted by [`note`](Self::note).
    #[inline]
    pub(super) fn expected<'a>(
        &self,
        action: ActionId,
        core: impl FnOnce(usize) -> Core<'a>,
    ) -> (Expected<'a>, bool) {
        if let Some((last, n_repeats)) = self.last.get(self.batch, action.0) {
            // What is expected of senders is the same, whichever of the repeated events it is derived from.
            let like = core(last as usize);
            let count = like.id.count.wrapping_add(u64::from(n_repeats)).wrapping_add(1);
            return (Expected { like, count }, false);
        }
        let like = match self.newest {
            Some(newest) => core(newest),
            None => Core {
                id: EventId { action, count: 1 },
                rule: 0,
                flow_successors: 0,
                routes: &[],
                flow: &[],
                shared: &[],
            },
        };
        (Expected { like, count: like.id.count }, true)
    }

    /// The position of an action's last event, or of one that it repeats, and how often.
    #[inline]
    pub(super) fn last(&self, action: ActionId) -> Option<(usize, usize)> {
        let (last, n_repeats) = self.last.get(self.batch, action.0)?;
        Some((last as usize, n_repeats as usize))
    }

    /// Notes where the last event of an action stands, or one that it repeats so often, and where its first one does if it
    /// is its first.
    #[inline]
    pub(super) fn note(
        &mut self,
        action: ActionId,
        first_idx: Option<usize>,
        last_idx: usize,
        n_repeats: usize,
    ) {
        self.last.set(self.batch, action.0, (last_idx as u32, n_repeats as u32));
        self.newest = first_idx.or(self.newest);
    }

    /// The count that is expected of a sender or writer: one more than it had last, where that was told.
    #[inline]
    pub(super) fn next_count(&self, pair: Pair) -> Option<u64> {
        self.counts.get(self.batch, pair.0).map(|count| count.wrapping_add(1))
    }

    /// Notes the count that a sender or writer has.
    #[inline]
    pub(super) fn note_count(&mut self, pair: Pair, count: u64) {
        self.counts.set(self.batch, pair.0, count);
    }

    /// Notes the counts that an action's senders had when it was their turn last, before those of its next event are told.
    #[inline]
    pub(super) fn note_senders(&mut self, receiver: ActionId, expected: &Expected<'_>) {
        expected
            .senders_before()
            .for_each(|sender| self.note_count(Pair::flow(sender.action, receiver), sender.count));
    }

    /// The count that a sender is expected to have: the next one behind that which the action took from it last, or else
    /// `otherwise`.
    #[inline]
    pub(super) fn sender_count(
        &self,
        sender: ActionId,
        receiver: ActionId,
        expected: &Expected<'_>,
        otherwise: u64,
    ) -> u64 {
        // Nothing has been told of an action that comes for the first time, as most of a grid do.
        let known = if expected.is_first() { None } else { self.next_count(Pair::flow(sender, receiver)) };
        known.unwrap_or(otherwise)
    }

    /// The writer that the next access to an object is expected to find.
    #[inline]
    pub(super) fn writer(&self, object: ObjectId) -> Option<EventId> {
        self.writers.get(self.batch, object.0).flatten()
    }

    /// Notes the accesses of an event.
    #[inline]
    pub(super) fn note_accesses(&mut self, event: EventId, shared: &[SharedAccess]) {
        for access in shared {
            let writer = match access.access {
                Access::Read => access.writer,
                Access::Write => Some(event),
            };
            self.writers.set(self.batch, access.object.0, writer);
        }
    }

    /// How many more items may be left to prediction.
    #[inline]
    pub(super) fn n_left(&self) -> usize {
        (MAX_UNFOLDED - self.n_unfolded) as usize
    }

    /// Counts items that are left to prediction, as many as may be.
    #[inline]
    pub(super) fn unfold(&mut self, n_items: usize) {
        self.n_unfolded += n_items as u64;
    }

    /// Whether so many items may be left to prediction; if so, they are counted.
    #[inline]
    pub(super) fn may_unfold(&mut self, n_items: usize) -> bool {
        let n_unfolded = self.n_unfolded + n_items as u64;
        let may = n_unfolded <= MAX_UNFOLDED;
        if may {
            self.n_unfolded = n_unfolded;
        }
        may
    }

    /// Whether accesses are as expected; writers are those that the batch has told last.
    #[inline]
    pub(super) fn expects_shared(&self, expected: &[SharedAccess], found: &[SharedAccess]) -> bool {
        expected.len() == found.len()
            && expected.iter().zip(found).all(|(expected, found)| {
                expected.object == found.object
                    && expected.access == found.access
                    && expected.readers == found.readers
                    && self.writer(found.object) == found.writer
            })
    }
}

/// Whether all lists of an event are short enough to be predicted.
#[inline]
pub(super) fn is_short(core: &Core<'_>) -> bool {
    core.routes.len().max(core.flow.len()).max(core.shared.len()) <= MAX_PREDICTED
}

/// Whether a batch of so many items may leave all of them to prediction.
pub(super) fn may_all_unfold(n_items: usize) -> bool {
    n_items as u64 <= MAX_UNFOLDED
}

/// What an event unfolds to.
#[inline]
pub(super) fn n_items(core: &Core<'_>) -> usize {
    1 + core.routes.len() + core.flow.len() + core.shared.len()
}
