//! Batches: many events in columns, with the names that first occur in them.

/// Memory that is written before it is needed.
mod ahead;
/// How events compare.
mod compare;
/// The event under construction.
mod open;
/// How much values take.
mod payload;
/// Events that are alike.
mod runs;

use payload::{effect_bytes, local_bytes};

use super::announcement::{ActionRecord, GraphRecord, ObjectRecord};
use super::record::{Effect, EventRecord, LocalState, Outcome, RelayedAccess, SharedAccess, Timing};
use super::{EventRow, QueueEdit};
use crate::choices::Choices;
use crate::id::{ActionId, EventId};

/// Events of one worker in the order in which they ended, with the actions and objects that first
/// occur in them. An action is announced in the batch of its first event, an object in the batch
/// of the event that created it, which need not be the first to be written: a reader must be ready
/// for an id that is announced only later. A graph instance is announced in each worker's batches before
/// the first action or object that belongs to it, and after its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventBatch {
    /// Graph instances first occurring in this batch.
    pub graphs: Vec<GraphRecord>,
    /// Actions whose first event is in this batch.
    pub actions: Vec<ActionRecord>,
    /// Objects first reached in this batch.
    pub objects: Vec<ObjectRecord>,
    /// Minimal record: how often actions had executed that could have gone on, at a moment when all that
    /// earlier batches tell had ended and nothing else had.
    pub cut: Option<Vec<EventId>>,
    /// Changes of queues that were made by hand, in order. They count from the end of all that earlier batches hold.
    pub edits: Vec<QueueEdit>,
    heads: Vec<EventHead>,
    runs: Vec<Run>,
    /// Number of events that have no head of their own.
    n_repeated: usize,
    routes: Vec<u32>,
    flow: Vec<EventId>,
    shared: Vec<SharedAccess>,
    relayed: Vec<RelayedAccess>,
    /// Where the relayed accesses of each event end, up to the last event that has any.
    relayed_ends: Vec<u32>,
    /// When and where each event took place, up to the last event of which that is known.
    timings: Vec<Option<Timing>>,
    extras: Vec<EventExtra>,
    /// Effects of events, in order.
    effects: Vec<Effect>,
    /// Events that have any.
    answered: Vec<Answered>,
    payload_bytes: usize,
}

/// What every event has. A list reaches from where that of the event before ends to its own end, so that any event can
/// be looked at by itself. Two heads are a cache line: a worker writes one for each event.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EventHead {
    count: u64,
    action: ActionId,
    rule: i32,
    routes_end: u32,
    flow_end: u32,
    shared_end: u32,
    /// [`MORE_SUCCESSORS`] where the number stands among the extras.
    flow_successors: u32,
}

/// Events behind one that are like it, each a step further than the one before: the same rule, routing rules and number of
/// values sent, and senders a step further; the object that each of them writes, if there is one, is as the one before
/// left it. They have no heads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) head_idx: usize,
    pub(crate) n_repeats: usize,
}

/// An event that has effects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Answered {
    pub(crate) event_idx: u32,
    /// End of its effects, which begin where those of the one before end.
    end: u32,
}

/// A number of values sent that a head has no room for.
const MORE_SUCCESSORS: u32 = u32::MAX;

/// What few events have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventExtra {
    pub(crate) event_idx: usize,
    pub(crate) outcome: Outcome,
    pub(crate) flow_successors: u64,
    pub(crate) first_line: Option<u64>,
    pub(crate) error: Option<String>,
    pub(crate) local: Option<Box<LocalState>>,
    pub(crate) choices: Option<Box<Choices>>,
}

/// What every event has, as it lies in a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Core<'a> {
    pub(crate) id: EventId,
    pub(crate) rule: i32,
    pub(crate) flow_successors: u64,
    pub(crate) routes: &'a [u32],
    pub(crate) flow: &'a [EventId],
    pub(crate) shared: &'a [SharedAccess],
}

impl EventBatch {
    /// Number of events.
    pub fn n_events(&self) -> usize {
        self.heads.len() + self.n_repeated
    }

    /// Whether there is nothing to hand over.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
            && self.actions.is_empty()
            && self.objects.is_empty()
            && self.graphs.is_empty()
            && self.cut.is_none()
            && self.edits.is_empty()
    }

    /// Bytes of effect answers and values held, to bound what waits to be handed over.
    pub fn payload_bytes(&self) -> usize {
        self.payload_bytes
    }

    /// Takes in an event that ended well and of which there is nothing else to tell; like [`push`](Self::push) without
    /// a record. Time: a few nanoseconds, and a copy of the lists.
    ///
    /// # Panics
    /// If the lists of one batch take more than 2^32 items.
    #[inline]
    pub fn push_done(
        &mut self,
        id: EventId,
        rule: i32,
        routes: &[u32],
        flow: &[EventId],
        shared: &[SharedAccess],
        flow_successors: u64,
    ) {
        append(&mut self.routes, routes);
        append(&mut self.flow, flow);
        append(&mut self.shared, shared);
        self.close(id, rule, flow_successors);
    }

    /// Takes in a copy of an event; moves its effects, error, values and choices out of it.
    pub fn push(&mut self, event: &mut EventRecord) {
        let (routes, flow, shared) = (&event.routes, &event.flow, &event.shared);
        self.push_done(event.id, event.rule, routes, flow, shared, event.flow_successors);
        self.add_relayed(&event.relayed);
        if let Some(timing) = event.timing {
            self.add_timing(timing);
        }
        event.effects.drain(..).for_each(|effect| self.add_effect(effect));
        let has_more = event.local.is_some() || event.choices.is_some() || event.outcome != Outcome::Done;
        if event.first_line.is_some() || event.error.is_some() || has_more {
            self.payload_bytes += event.local.as_deref().map_or(0, local_bytes);
            let extra = self.add_extra(event.flow_successors);
            extra.outcome = event.outcome;
            extra.first_line = event.first_line;
            extra.error = event.error.take();
            extra.local = event.local.take();
            extra.choices = event.choices.take();
        }
    }

    /// Adds the relayed accesses of the last event.
    pub(crate) fn add_relayed(&mut self, relayed: &[RelayedAccess]) {
        if !relayed.is_empty() {
            self.relayed_ends.resize(self.heads.len() - 1, end_of(&self.relayed));
            self.relayed.extend_from_slice(relayed);
            self.relayed_ends.push(end_of(&self.relayed));
        }
    }

    /// Adds when and where the last event took place.
    pub fn add_timing(&mut self, timing: Timing) {
        self.timings.resize(self.heads.len() - 1, None);
        self.timings.push(Some(timing));
    }

    /// Adds when and where each of the last events took place, as many as there are times.
    pub fn add_timings(&mut self, timings: impl ExactSizeIterator<Item = Timing>) {
        self.timings.resize(self.heads.len() - timings.len(), None);
        self.timings.extend(timings.map(Some));
    }

    /// What is told of the last event beside its head; begins with nothing but the number of values sent.
    #[cold]
    pub(crate) fn add_extra(&mut self, flow_successors: u64) -> &mut EventExtra {
        let event_idx = self.heads.len() - 1;
        if self.extras.last().is_none_or(|extra| extra.event_idx != event_idx) {
            self.extras.push(EventExtra {
                event_idx,
                outcome: Outcome::Done,
                flow_successors,
                first_line: None,
                error: None,
                local: None,
                choices: None,
            });
        }
        self.extras.last_mut().expect("the event has an extra now")
    }

    /// Empties the batch; keeps its memory.
    pub fn clear(&mut self) {
        self.graphs.clear();
        self.actions.clear();
        self.objects.clear();
        self.cut = None;
        self.edits.clear();
        self.heads.clear();
        self.runs.clear();
        self.n_repeated = 0;
        self.routes.clear();
        self.flow.clear();
        self.shared.clear();
        self.relayed.clear();
        self.relayed_ends.clear();
        self.timings.clear();
        self.extras.clear();
        self.effects.clear();
        self.answered.clear();
        self.payload_bytes = 0;
    }

    /// All events, borrowed, in order. Nothing is allocated.
    ///
    /// # Panics
    /// Where some have no head of their own: see [`unfold`](Self::unfold).
    pub fn rows(&self) -> impl Iterator<Item = EventRow<'_>> + '_ {
        assert!(self.runs.is_empty(), "events that are alike are to be unfolded first");
        self.head_rows()
    }

    /// The events that have a head, in order, each with the number of those of its action behind it that are like it: see
    /// [`push_run`](Self::push_run). Of a batch that was [read folded](crate::trace::BatchDecoder::fold), events of other actions
    /// may have ended in between. Nothing is allocated.
    pub fn folded_rows(&self) -> impl Iterator<Item = (EventRow<'_>, usize)> + '_ {
        let mut runs = self.runs.iter().peekable();
        self.head_rows().enumerate().map(move |(head_idx, row)| {
            let run = runs.next_if(|run| run.head_idx == head_idx);
            (row, run.map_or(0, |run| run.n_repeats))
        })
    }

    /// The event of a [folded row](Self::folded_rows). Time: constant, but where some events have more to tell than others,
    /// logarithmic in their number.
    ///
    /// # Panics
    /// Where the batch has no such row.
    #[inline(always)]
    pub fn folded_row(&self, head_idx: usize) -> EventRow<'_> {
        self.row_at(head_idx, self.extra_of(head_idx))
    }

    fn head_rows(&self) -> impl Iterator<Item = EventRow<'_>> + '_ {
        let mut extras = self.extras.iter().peekable();
        (0..self.heads.len()).map(move |head_idx| {
            let extra = extras.next_if(|extra| extra.event_idx == head_idx);
            self.row_at(head_idx, extra)
        })
    }

    #[inline(always)]
    fn row_at<'a>(&'a self, head_idx: usize, extra: Option<&'a EventExtra>) -> EventRow<'a> {
        let head = &self.heads[head_idx];
        let (mut routes_from, mut flow_from, mut shared_from) = self.begin_of(head_idx);
        EventRow {
            id: EventId { action: head.action, count: head.count },
            rule: head.rule,
            routes: next_part(&self.routes, &mut routes_from, head.routes_end),
            flow: next_part(&self.flow, &mut flow_from, head.flow_end),
            shared: next_part(&self.shared, &mut shared_from, head.shared_end),
            relayed: self.relayed_of(head_idx),
            flow_successors: extra.map_or(u64::from(head.flow_successors), |extra| extra.flow_successors),
            outcome: extra.map_or(Outcome::Done, |extra| extra.outcome),
            effects: self.effects_of(head_idx),
            first_line: extra.and_then(|extra| extra.first_line),
            error: extra.and_then(|extra| extra.error.as_deref()),
            timing: self.timing_of(head_idx),
            local: extra.and_then(|extra| extra.local.as_deref()),
            choices: extra.and_then(|extra| extra.choices.as_deref()),
        }
    }

    /// Where the lists of an event begin: routing rules, flow predecessors, accesses.
    #[inline(always)]
    fn begin_of(&self, event_idx: usize) -> (u32, u32, u32) {
        match event_idx.checked_sub(1) {
            Some(before) => {
                let before = &self.heads[before];
                (before.routes_end, before.flow_end, before.shared_end)
            }
            None => (0, 0, 0),
        }
    }

    /// What every event has, of the event at a position.
    ///
    /// # Panics
    /// Where the batch has no such event.
    #[inline(always)]
    pub(crate) fn core(&self, event_idx: usize) -> Core<'_> {
        let head = &self.heads[event_idx];
        let (mut routes_from, mut flow_from, mut shared_from) = self.begin_of(event_idx);
        let flow_successors = match head.flow_successors {
            MORE_SUCCESSORS => self.many_successors(event_idx),
            few => u64::from(few),
        };
        Core {
            id: EventId { action: head.action, count: head.count },
            rule: head.rule,
            flow_successors,
            routes: next_part(&self.routes, &mut routes_from, head.routes_end),
            flow: next_part(&self.flow, &mut flow_from, head.flow_end),
            shared: next_part(&self.shared, &mut shared_from, head.shared_end),
        }
    }

    /// Adds events that do the same as the last one, each a step further. That one has no accesses.
    ///
    /// # Panics
    /// Where there is no event, or one with accesses.
    pub(crate) fn repeat(&mut self, n_repeats: usize) {
        let last = self.core(self.heads.len() - 1);
        assert!(last.shared.is_empty(), "who accessed an object before is not known here");
        let (n_routes, n_flow) = (last.routes.len(), last.flow.len());
        let (routes_from, flow_from) = (self.routes.len() - n_routes, self.flow.len() - n_flow);
        if let (1, route) = (n_routes, self.routes.last().copied().unwrap_or_default()) {
            self.routes.resize(self.routes.len() + n_repeats, route);
        } else {
            (0..n_repeats).for_each(|_| self.routes.extend_from_within(routes_from..routes_from + n_routes));
        }
        for step in 1..=n_repeats as u64 {
            for at in flow_from..flow_from + n_flow {
                let EventId { action, count } = self.flow[at];
                self.flow.push(EventId { action, count: count.wrapping_add(step) });
            }
        }
        end_of(&self.routes);
        end_of(&self.flow);
        let mut head = *self.heads.last().expect("an event is repeated");
        let flow_successors = match head.flow_successors {
            MORE_SUCCESSORS => Some(self.many_successors(self.heads.len() - 1)),
            _ => None,
        };
        self.heads.reserve(n_repeats);
        for _ in 0..n_repeats {
            head.count = head.count.wrapping_add(1);
            head.routes_end += n_routes as u32;
            head.flow_end += n_flow as u32;
            self.heads.push(head);
            if let Some(flow_successors) = flow_successors {
                self.add_extra(flow_successors);
            }
        }
    }

    #[cold]
    fn many_successors(&self, event_idx: usize) -> u64 {
        self.extra_of(event_idx).expect("a number that its head has no room for").flow_successors
    }

    #[inline(always)]
    fn extra_of(&self, event_idx: usize) -> Option<&EventExtra> {
        if self.extras.is_empty() {
            return None;
        }
        let found = self.extras.binary_search_by_key(&event_idx, |extra| extra.event_idx);
        found.ok().map(|extra_idx| &self.extras[extra_idx])
    }

    /// Whether there is more to tell of an event than its core.
    pub(crate) fn has_extra(&self, event_idx: usize) -> bool {
        self.extra_of(event_idx).is_some() || !self.effects_of(event_idx).is_empty()
    }

    /// Events that have effects, in order.
    pub(crate) fn answered(&self) -> &[Answered] {
        &self.answered
    }

    /// Effects of the event at a position. Time: constant where all events before it have some or none has, else logarithmic.
    #[inline]
    pub(crate) fn effects_of(&self, event_idx: usize) -> &[Effect] {
        if self.answered.is_empty() {
            return &[];
        }
        let is_it = |answered: &Answered| answered.event_idx as usize == event_idx;
        if self.answered.get(event_idx).is_some_and(is_it) {
            return self.nth_effects(event_idx);
        }
        let found = self.answered.binary_search_by_key(&event_idx, |answered| answered.event_idx as usize);
        found.map_or(&[], |nth| self.nth_effects(nth))
    }

    /// Effects of an event, by position among those that have any.
    #[inline]
    pub(crate) fn nth_effects(&self, nth: usize) -> &[Effect] {
        let from = nth.checked_sub(1).map_or(0, |before| self.answered[before].end as usize);
        &self.effects[from..self.answered[nth].end as usize]
    }

    /// Adds an effect to the last event.
    #[inline]
    pub(crate) fn add_effect(&mut self, effect: Effect) {
        self.payload_bytes += effect_bytes(&effect);
        self.effects.push(effect);
        let (event_idx, end) = (end_of(&self.heads) - 1, end_of(&self.effects));
        match self.answered.last_mut() {
            Some(last) if last.event_idx == event_idx => last.end = end,
            _ => self.answered.push(Answered { event_idx, end }),
        }
    }

    /// What few events have, by position.
    pub(crate) fn extras(&self) -> &[EventExtra] {
        &self.extras
    }

    /// Whether any event has relayed accesses, and whether any has a time.
    pub(crate) fn is_relayed_or_timed(&self) -> (bool, bool) {
        (!self.relayed.is_empty(), !self.timings.is_empty())
    }

    /// The relayed accesses of the event at a position.
    pub(crate) fn relayed_of(&self, event_idx: usize) -> &[RelayedAccess] {
        let end_at = |idx: usize| self.relayed_ends.get(idx).map_or(self.relayed.len(), |&end| end as usize);
        &self.relayed[event_idx.checked_sub(1).map_or(0, end_at)..end_at(event_idx)]
    }

    /// When and where the event at a position took place.
    pub(crate) fn timing_of(&self, event_idx: usize) -> Option<Timing> {
        self.timings.get(event_idx).copied().flatten()
    }

    /// Whether actions are announced, and told of by the cut, in the order of their ids.
    pub(crate) fn is_in_order(&self) -> bool {
        let cut = self.cut.as_deref().unwrap_or_default();
        self.actions.is_sorted_by_key(|action| action.action) && cut.is_sorted_by_key(|last| last.action)
    }

    /// A copy of a batch without events in which they are.
    pub(crate) fn in_order(&self) -> Self {
        let mut batch = self.clone();
        batch.actions.sort_by_key(|action| action.action);
        batch.cut.iter_mut().for_each(|cut| cut.sort_by_key(|last| last.action));
        batch
    }

    /// Makes room for so many events.
    pub(crate) fn reserve(&mut self, n_events: usize) {
        self.heads.reserve(n_events);
    }

    /// All events, as records of their own, in order.
    ///
    /// # Panics
    /// As for [`rows`](Self::rows).
    pub fn events(&self) -> impl Iterator<Item = EventRecord> + '_ {
        self.rows().map(|row| row.to_record())
    }
}

/// Appends a list; most have one item or none, and a call for each would cost more than the copy.
#[inline]
fn append<T: Copy>(column: &mut Vec<T>, items: &[T]) {
    match items {
        [] => {}
        [item] => column.push(*item),
        _ => column.extend_from_slice(items),
    }
}

/// Whether two short lists are the same; a call would cost more than the comparison.
#[inline]
pub(crate) fn are_same<T: PartialEq>(one: &[T], other: &[T]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other)
}

/// Where the last list of a column ends.
#[inline]
fn end_of<T>(column: &[T]) -> u32 {
    u32::try_from(column.len()).expect("the lists of a batch take less than 2^32 items")
}

/// The part of a column up to `end`, which becomes the beginning of the next one.
#[inline]
fn next_part<'a, T>(column: &'a [T], from: &mut u32, end: u32) -> &'a [T] {
    let begin = std::mem::replace(from, end);
    &column[begin as usize..end as usize]
}

#[cfg(test)]
mod tests;
