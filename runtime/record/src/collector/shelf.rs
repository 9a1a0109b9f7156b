//! Where a worker lays the batch that it fills, so that events are handed over by time and at no cost to the worker.
//!
//! A thread that looks (`watch` in the runtime) comes by every [`PERIOD`](crate::collector::shelf::PERIOD). What lies on a shelf it hands over itself. A worker in the
//! fast path holds its batch, and is asked for it: it answers between two batches of events. Before a body that may last, and
//! that cannot be begun anew, the worker lays the batch on its shelf, whatever was asked.

use std::time::Duration;

use hasse_body::interrupt::StopSignal;
use hasse_brief::{Brief, BriefGuard};
use hasse_model::event::EventBatch;
use hasse_model::id::{ActionId, TemplateId};

/// Time between two looks. An event is handed over by the second look after its end, and so within twice the period.
pub const PERIOD: Duration = Duration::from_millis(50);

/// One worker's shelf. It shares no cache line with that of another worker: each worker reads its request between two batches
/// of events, and writes the rest before and after bodies that last.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Shelf {
    place: Brief<Place>,
    /// The batch is asked for.
    pub(crate) request: StopSignal,
}

#[derive(Default)]
struct Place {
    /// The batch of the worker, or while the worker holds that, an empty one.
    batch: Box<EventBatch>,
    is_held: bool,
    was_handed_over: bool,
    /// The body that is being executed.
    body: Option<UnderWay>,
}

/// An execution within its body: nothing of it can be seen by others before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    /// The action that executes.
    pub action: ActionId,
    /// Its template.
    pub template: TemplateId,
    /// Executions of the action that have ended.
    pub n_ended: u64,
    /// Receivers for whom values of these wait with the worker, as bits by position in the receivers of the template.
    pub waiting: u64,
    /// Events of the worker that have ended.
    pub n_events: u64,
}

/// What has been done with a batch while it lay on the shelf.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taking {
    AsItWas,
    HandedOver,
}

impl Shelf {
    /// Lays the batch down; `held` becomes an empty one.
    #[inline]
    pub(crate) fn lay_down(&self, held: &mut Box<EventBatch>) {
        let mut place = self.place.lock();
        std::mem::swap(&mut place.batch, held);
        place.is_held = false;
        place.was_handed_over = false;
    }

    /// Takes the batch up in exchange for the empty one.
    #[inline]
    pub(crate) fn take_up(&self, empty: &mut Box<EventBatch>) -> Taking {
        let mut place = self.place.lock();
        std::mem::swap(&mut place.batch, empty);
        place.is_held = true;
        place.body = None;
        if place.was_handed_over { Taking::HandedOver } else { Taking::AsItWas }
    }

    /// The same as [`lay_down`](Self::lay_down) before a body.
    #[inline]
    pub(crate) fn lay_down_for(&self, held: &mut Box<EventBatch>, body: UnderWay) {
        let mut place = self.place.lock();
        std::mem::swap(&mut place.batch, held);
        place.is_held = false;
        place.was_handed_over = false;
        place.body = Some(body);
    }

    /// The batch lies here, and its worker is about to execute a body.
    #[inline]
    pub(crate) fn enter_body(&self, body: UnderWay) {
        self.place.lock().body = Some(body);
    }

    /// The body has ended. Waits while somebody [holds](Self::hold_body) it.
    #[inline]
    pub(crate) fn leave_body(&self) {
        self.place.lock().body = None;
    }

    /// Keeps the worker from ending its body, if it is executing one.
    pub(crate) fn hold_body(&self) -> Option<HeldBody<'_>> {
        let place = self.place.try_lock()?;
        let body = place.body?;
        Some(HeldBody { place, body })
    }

    /// Hands over what has ended of a batch that lies here; asks for one that is held.
    pub(crate) fn look(&self, hand_over: impl FnOnce(&mut EventBatch)) {
        let mut place = self.place.lock();
        if place.is_held {
            self.request.stop();
        } else {
            place.hand_over(hand_over);
        }
    }
}

/// A worker that cannot end its body.
pub struct HeldBody<'s> {
    place: BriefGuard<'s, Place>,
    /// Execution within its body.
    pub body: UnderWay,
}

impl HeldBody<'_> {
    /// Hands over what the worker has recorded.
    pub(crate) fn hand_over(&mut self, hand_over: impl FnOnce(&mut EventBatch)) {
        self.place.hand_over(hand_over);
    }
}

impl Place {
    fn hand_over(&mut self, hand_over: impl FnOnce(&mut EventBatch)) {
        if self.batch.is_empty() {
            return;
        }
        // An event under construction stays with the worker.
        let mut open = EventBatch::default();
        self.batch.move_open(&mut open);
        hand_over(&mut self.batch);
        // Where nobody takes it, what is under construction goes on where it was.
        open.move_open(&mut self.batch);
        self.was_handed_over = true;
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::id::{ActionId, EventId};

    use super::*;

    fn event(count: u64) -> EventId {
        EventId { action: ActionId(3), count }
    }

    #[test]
    fn event_under_construction_stays() {
        let (shelf, mut held, mut handed_over) = (Shelf::default(), Box::<EventBatch>::default(), Vec::new());
        held.close(event(1), 0, 1);
        held.add_flow(event(7));
        shelf.lay_down(&mut held);
        assert!(held.is_empty());
        shelf.look(|batch| handed_over.push(std::mem::take(batch)));
        assert!(shelf.take_up(&mut held) == Taking::HandedOver);
        held.close(event(2), 0, 1);
        let flow = |batch: &EventBatch| batch.rows().map(|row| row.flow.to_vec()).collect::<Vec<_>>();
        assert_eq!((flow(&handed_over[0]), flow(&held)), (vec![vec![]], vec![vec![event(7)]]));
        assert!(!shelf.request.is_set());
        shelf.look(|_| unreachable!("the batch is held"));
        assert!(shelf.request.is_set());
    }

    #[test]
    fn batch_that_nobody_takes_is_as_it_was() {
        let (shelf, mut held) = (Shelf::default(), Box::<EventBatch>::default());
        held.close(event(1), 0, 1);
        held.add_flow(event(7));
        let before = held.clone();
        shelf.lay_down(&mut held);
        shelf.look(|_| {});
        shelf.take_up(&mut held);
        assert_eq!(held, before);
    }

    #[test]
    fn only_a_worker_within_a_body_can_be_held() {
        let (shelf, mut held) = (Shelf::default(), Box::<EventBatch>::default());
        shelf.take_up(&mut held);
        assert!(shelf.hold_body().is_none());
        shelf.lay_down(&mut held);
        assert!(shelf.hold_body().is_none());
        let body =
            UnderWay { action: ActionId(3), template: TemplateId(0), n_ended: 1, waiting: 0, n_events: 1 };
        shelf.enter_body(body);
        assert_eq!(shelf.hold_body().map(|held| held.body), Some(body));
        shelf.leave_body();
        assert!(shelf.hold_body().is_none());
    }
}
