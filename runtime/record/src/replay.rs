//! The record that a replay follows: its events, by action and count, in compact form.
//!
//! Ids of the record are kept: an instance that the record knows gets the id that it had, so that
//! predecessors compare without translation.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use hasse_body::memory;
use hasse_body::output::{LinePlace, lines_of};
use hasse_model::choices::Choices;
use hasse_model::digest::HistoryDigest;
use hasse_model::event::{Effect, EventBatch, EventRow, Outcome, SharedAccess};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::Plan;
use hasse_model::snapshot::{Cut, Snapshot};
use hasse_request::options::{MinimalRecord, ReplayRecord, RuntimeError};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::replay::known::{Announced, Known};

/// Actions by what they are instances of.
pub mod actions;
/// Changes of queues by hand.
pub mod edits;
/// What a record announces.
pub mod known;
/// Lines that were not recorded.
pub(crate) mod lines;

/// So many batches are taken in by one thread.
const FEW_BATCHES: usize = 8;

/// Ids are dense if there are no more than so many for each row.
const MOST_IDS_PER_ROW: usize = 4;

/// Batches of which fewer than one in so many rows is kept are copied: the rest would take room for as long as the replay goes on.
const LEAST_KEPT: usize = 2;

/// The recorded events of a run, which stay in the batches that they have come in. About 36 bytes for each row of events that
/// are alike, and what its batch holds of it: 32, and 16 for each predecessor.
///
/// A clone shares the events with it, so that a record can be replayed often. One with a [limit](Self::limit) costs some 32 bytes for each
/// action, and one of [a part](Self::only) for each action of the part.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What it announces.
    pub known: Known,
    batches: Arc<Vec<EventBatch>>,
    /// In the order of the record: that in which a replay comes to them, more or less.
    rows: Arc<Vec<Row>>,
    /// Positions of the rows of each action, in order of count. Invariant: the counts of an action's events are 1, 2, ...
    /// except in a minimal record.
    order: Arc<Vec<u32>>,
    /// Which part of the order is whose, by action.
    parts: Arc<Vec<Part>>,
    /// The record goes on after its last event that is followed.
    is_limited: bool,
    /// Number of events of a run that follows only a part of the record, with those before it.
    n_with_part: Option<u64>,
    /// What a minimal record tells beside events.
    minimal: Option<MinimalRecord>,
    /// Minimal record: the last execution of actions that could have gone on.
    last_counts: FxHashMap<ActionId, u64>,
    /// Full record: positions of the first lines of the events that printed, ascending once it is loaded.
    turns: Arc<Vec<u64>>,
    line_pasts: Arc<Mutex<lines::LinePasts>>,
}

/// Events of an action that are alike, each a step further than the one before, as in a folded batch
/// (`EventBatch::push_run`), or with the same senders. What the first one did stands in its batch.
#[derive(Clone, Debug)]
struct Row {
    first_count: u64,
    n_events: u64,
    action: ActionId,
    batch: u32,
    head: u32,
    /// How far the senders of each are behind those of the one before: 1 or 0.
    flow_step: u8,
}

/// A part of the order.
#[derive(Debug)]
struct Part {
    action: ActionId,
    from: u32,
    to: u32,
    /// Number of events of the last row that are followed, if not all of them.
    n_of_last: u64,
    /// Where the event stood that was asked for last: the next one is mostly there, or just behind.
    hint: AtomicU32,
}

impl Clone for Part {
    fn clone(&self) -> Self {
        let Self { action, from, to, n_of_last, .. } = *self;
        Self { action, from, to, n_of_last, hint: AtomicU32::new(0) }
    }
}

impl Part {
    fn new(action: ActionId, from: u32) -> Self {
        Self { action, from, to: from, n_of_last: u64::MAX, hint: AtomicU32::new(0) }
    }

    /// Ends it with its first `most` events.
    fn limit(&mut self, most: u64, (order, rows): (&[u32], &[Row])) {
        let order = &order[self.range()];
        let n_kept = order.partition_point(|&row_idx| rows[row_idx as usize].first_count <= most);
        self.to = self.from + n_kept as u32;
        if let Some(&last) = order[..n_kept].last() {
            self.n_of_last = self.n_of_last.min(most - rows[last as usize].first_count + 1);
        }
    }

    /// Number of events of a row that are followed; `at` is its position in the part.
    #[inline]
    fn n_events(&self, at: usize, row: &Row) -> u64 {
        if at + 1 == (self.to - self.from) as usize { row.n_events.min(self.n_of_last) } else { row.n_events }
    }

    #[inline]
    fn range(&self) -> Range<usize> {
        self.from as usize..self.to as usize
    }
}

/// What the record says about one event.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedEvent<'a> {
    id: EventId,
    /// How far it is behind the first one of its row, whose lists are at hand.
    step: u64,
    /// Number of events of its row from this one on.
    pub n_alike: u64,
    /// How far the senders of each of these are behind those of the one before: 1 or 0.
    pub flow_step: u64,
    /// Position of the firing rule taken.
    pub rule: i32,
    /// Outcome of the execution.
    pub outcome: Outcome,
    /// Number of values sent along arcs.
    pub flow_successors: u64,
    /// Positions of the routing rules taken, ascending.
    pub routes: &'a [u32],
    first_flow: &'a [EventId],
    first_shared: &'a [SharedAccess],
    /// Questions to the world outside, with their answers.
    pub effects: &'a [Effect],
    /// Position in the output of the first line that it printed at its end.
    pub first_line: Option<u64>,
    /// The memory limit, of an event that went over it.
    pub most_bytes: Option<u64>,
    /// What of the rest counts, in a minimal record.
    pub choices: Option<&'a Choices>,
}

impl<'a> ExpectedEvent<'a> {
    /// The first event of a row.
    #[inline(always)]
    fn first(event: EventRow<'a>) -> Self {
        Self {
            id: event.id,
            step: 0,
            n_alike: 1,
            flow_step: 1,
            rule: event.rule,
            outcome: event.outcome,
            flow_successors: event.flow_successors,
            routes: event.routes,
            first_flow: event.flow,
            first_shared: event.shared,
            effects: event.effects,
            first_line: event.first_line,
            most_bytes: event.error.and_then(memory::limit_of_excess),
            choices: event.choices,
        }
    }

    /// The event.
    #[inline]
    pub fn id(&self) -> EventId {
        self.id
    }

    /// Whether there is nothing to tell of it but what it took, where it went, and what it shared.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.effects.is_empty() && self.is_plain_but_for_answers()
    }

    /// The same, but for answers of the world outside.
    #[inline]
    pub fn is_plain_but_for_answers(&self) -> bool {
        self.outcome == Outcome::Done
            && self.effects.iter().all(|effect| effect.kind.is_question())
            && self.first_line.is_none()
            && self.most_bytes.is_none()
            && self.choices.is_none()
    }

    /// Returns true if it does what another event of its action does, with senders `n_steps` executions later, but maybe by another firing
    /// rule and with other answers. Neither uses a shared object.
    #[inline]
    pub fn goes_on_from(&self, first: &Self, n_steps: u64) -> bool {
        let mut senders = self.flow().zip(first.flow());
        self.is_plain_but_for_answers()
            && self.flow_successors == first.flow_successors
            && self.routes == first.routes
            && self.first_shared.is_empty()
            && first.first_shared.is_empty()
            && self.first_flow.len() == first.first_flow.len()
            && senders.all(|(sender, first)| sender == stepped(first, n_steps))
    }

    /// Who sent what it took, in the order of taking.
    #[inline]
    pub fn flow(&self) -> impl ExactSizeIterator<Item = EventId> + use<'a> {
        let step = self.step * self.flow_step;
        self.first_flow.iter().map(move |sender| stepped(*sender, step))
    }

    /// Its accesses to shared objects, in the order of locking.
    #[inline]
    pub fn shared(&self) -> impl ExactSizeIterator<Item = SharedAccess> + use<'a> {
        let (step, id) = (self.step, self.id);
        self.first_shared.iter().map(move |access| match step {
            0 => *access,
            _ => access.left_by(EventId { count: id.count - 1, ..id }),
        })
    }
}

/// An event of the same action, so many steps further.
#[inline]
fn stepped(id: EventId, n_steps: u64) -> EventId {
    EventId { action: id.action, count: id.count.wrapping_add(n_steps) }
}

impl Script {
    /// Takes in a record; finds templates and shared objects of the plan by name. What it announces and its events have
    /// nothing to do with each other: of a long record, two threads take them in.
    pub fn load(mut record: ReplayRecord, plan: &Plan) -> Result<Self, RuntimeError> {
        let mut batches = std::mem::take(&mut record.batches);
        let announced: Vec<Announced> = batches.iter_mut().map(Announced::of).collect();
        let mut script = Self::default();
        script.minimal.clone_from(&record.minimal);
        let (known, added) = if batches.len() > FEW_BATCHES {
            thread::scope(|scope| {
                let adding = scope.spawn(|| script.add_all(batches));
                let known = Known::load(announced, &record, plan);
                let added = adding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                (known, added)
            })
        } else {
            (Known::load(announced, &record, plan), script.add_all(batches))
        };
        let broken = |message: String| RuntimeError::Record { message };
        script.known = known.map_err(broken)?;
        added.map_err(broken)?;
        let cut = record.minimal.iter().flat_map(|minimal| &minimal.cut);
        script.last_counts = cut.map(|last| (last.action, last.count)).collect();
        Arc::make_mut(&mut script.turns).sort_unstable();
        Ok(script)
    }

    /// No events, but what a snapshot tells of: its ids are those of the plan.
    pub fn of_snapshot(snapshot: &Snapshot, plan: &Plan) -> Result<Self, RuntimeError> {
        let mut batch = EventBatch::default();
        batch.graphs.clone_from(&snapshot.graphs);
        batch.actions = snapshot.actions.iter().map(|action| action.record.clone()).collect();
        batch.objects = snapshot.objects.iter().map(|object| object.record.clone()).collect();
        let record = ReplayRecord {
            batches: vec![batch],
            templates: snapshot.templates.clone(),
            shared: snapshot.shared.clone(),
            calls: snapshot.calls.clone(),
            minimal: None,
            base: None,
        };
        Self::load(record, plan)
    }

    /// The cut after all events that are followed.
    pub fn cut(&self) -> Cut {
        Cut::after(self.parts.iter().filter_map(|part| {
            let order = &self.order[part.range()];
            let last = &self.rows[*order.last()? as usize];
            let count = last.first_count + part.n_events(order.len() - 1, last) - 1;
            Some(EventId { action: part.action, count })
        }))
    }

    /// Follows the record up to a cut: no event after it is expected, but the output keeps the places of all lines.
    pub fn limit(&mut self, cut: &Cut) {
        self.is_limited = true;
        let mut known = std::mem::take(&mut self.known);
        known.limit(cut, |receiver, sender| self.has_taken(receiver, cut.count(receiver), sender));
        self.known = known;
        let rows = &self.rows;
        for part in Arc::make_mut(&mut self.parts) {
            part.limit(cut.count(part.action), (&self.order, rows));
        }
    }

    /// Follows a part of the record alone: that of some actions, each up to its event in `last`, which is ascending by action. It
    /// begins where a state does; there are `n_events` before its end, with those before the state. Time: linear in these actions, but
    /// for a logarithm.
    ///
    /// Not for a record that has changes of queues.
    pub fn only(&self, last: &[EventId], n_events: u64) -> Self {
        let parts = last.iter().filter_map(|last| {
            let mut part = self.parts[self.part_idx(last.action)?].clone();
            part.limit(last.count, (&self.order, &self.rows));
            Some(part)
        });
        let parts = Arc::new(parts.collect());
        // What it finds out of lines is of the part.
        let line_pasts = Arc::default();
        Self { parts, is_limited: true, n_with_part: Some(n_events), line_pasts, ..self.clone() }
    }

    /// Returns true if one of the first `n_events` events of an action took a value of a sender. Time: linear in these.
    pub fn has_taken(&self, action: ActionId, n_events: u64, sender: EventId) -> bool {
        let Some(part_idx) = self.part_idx(action) else { return false };
        let rows =
            self.order[self.parts[part_idx].range()].iter().map(|&row_idx| &self.rows[row_idx as usize]);
        rows.take_while(|row| row.first_count <= n_events).any(|row| {
            let n_of_row = row.n_events.min(n_events - row.first_count + 1);
            (0..n_of_row).any(|step| self.event_of(row, step, n_of_row).flow().any(|taken| taken == sender))
        })
    }

    /// Takes in the events of batches.
    fn add_all(&mut self, batches: Vec<EventBatch>) -> Result<(), String> {
        Arc::make_mut(&mut self.rows).reserve_exact(batches.iter().map(EventBatch::n_heads).sum());
        for batch in batches {
            self.add(batch)?;
        }
        self.sort()
    }

    fn add(&mut self, batch: EventBatch) -> Result<(), String> {
        let too_many = |_| "it has too many events to be replayed".to_owned();
        let batch_idx = u32::try_from(self.batches.len()).map_err(too_many)?;
        Arc::make_mut(&mut self.batches).push(batch);
        let batch = &self.batches[batch_idx as usize];
        let first_row = self.rows.len();
        for (head_idx, (event, n_repeats)) in batch.folded_rows().enumerate() {
            if let Some(flow_step) = self.goes_on(&event, n_repeats)
                && let Some(last) = Arc::make_mut(&mut self.rows).last_mut()
            {
                last.n_events += 1 + n_repeats as u64;
                last.flow_step = flow_step;
                continue;
            }
            u32::try_from(self.rows.len()).map_err(too_many)?;
            if self.minimal.is_none() {
                let turns = Arc::make_mut(&mut self.turns);
                turns.extend(event.first_line);
                turns.extend(event.effects.iter().filter_map(lines_of).map(|(first_line, _)| first_line));
            }
            Arc::make_mut(&mut self.rows).push(Row {
                first_count: event.id.count,
                n_events: 1 + n_repeats as u64,
                action: event.id.action,
                batch: batch_idx,
                head: u32::try_from(head_idx).map_err(too_many)?,
                flow_step: 1,
            });
        }
        let n_heads = batch.n_heads();
        let kept = &mut Arc::make_mut(&mut self.rows)[first_row..];
        if kept.len() * LEAST_KEPT < n_heads {
            Arc::make_mut(&mut self.batches)[batch_idx as usize]
                .keep_heads(kept.iter().map(|row| row.head as usize));
            kept.iter_mut().zip(0..).for_each(|(row, head)| row.head = head);
        }
        Ok(())
    }

    /// Whether an event, and those that repeat it, go on with the last row, and by which step of senders.
    #[inline]
    fn goes_on(&self, event: &EventRow<'_>, n_repeats: usize) -> Option<u8> {
        let last = self.rows.last()?;
        let behind = last.first_count.wrapping_add(last.n_events);
        if (last.action, behind) != (event.id.action, event.id.count) || self.minimal.is_some() {
            return None;
        }
        let expected = self.event_of(last, last.n_events, last.n_events);
        let goes_on = expected.is_plain()
            && ExpectedEvent::first(*event).is_plain()
            && expected.rule == event.rule
            && expected.flow_successors == event.flow_successors
            && expected.routes == event.routes
            // It stands for later events only where they access one object.
            && expected.first_shared.len() < 2
            && expected.shared().eq(event.shared.iter().copied());
        if !goes_on {
            return None;
        }
        if expected.flow().eq(event.flow.iter().copied()) {
            return (n_repeats == 0 || last.flow_step == 1).then_some(last.flow_step);
        }
        let is_of_same = last.n_events == 1 && n_repeats == 0 && expected.first_flow == event.flow;
        is_of_same.then_some(0)
    }

    /// Puts the rows in order, and looks whether the events of each action follow one another.
    fn sort(&mut self) -> Result<(), String> {
        let greatest = self.rows.iter().map(|row| row.action.idx()).max().unwrap_or_default();
        if greatest < MOST_IDS_PER_ROW * self.rows.len() {
            self.count_rows(greatest);
        } else {
            self.count_rows_of_few();
        }
        let mut order = vec![0; self.rows.len()];
        for (row_idx, row) in self.rows.iter().enumerate() {
            if let Some(part_idx) = self.part_idx(row.action) {
                let part = &mut Arc::make_mut(&mut self.parts)[part_idx];
                order[part.to as usize] = row_idx as u32;
                part.to += 1;
            }
        }
        let rows = &self.rows;
        let count = |row_idx: &u32| rows[*row_idx as usize].first_count;
        for part in self.parts.iter() {
            let order = &mut order[part.range()];
            if !order.is_sorted_by_key(count) {
                order.sort_by_key(count);
            }
        }
        self.order = Arc::new(order);
        for part in self.parts.iter() {
            let order = &self.order[part.range()];
            let fault = if self.minimal.is_some() { Self::twice(order, count) } else { self.gap(order) };
            if let Some((count, fault)) = fault {
                return Err(format!("event {count} of action {} {fault}", part.action.0));
            }
        }
        Ok(())
    }

    /// Makes a part for each action up to the greatest one, in the order of their ids; some may be empty.
    fn count_rows(&mut self, greatest: usize) {
        let mut n_rows = vec![0_u32; greatest + 1];
        self.rows.iter().for_each(|row| n_rows[row.action.idx()] += 1);
        let mut from = 0;
        Arc::make_mut(&mut self.parts).extend(n_rows.into_iter().enumerate().map(|(action, n_rows)| {
            let part = Part::new(ActionId(action as u32), from);
            from += n_rows;
            part
        }));
    }

    /// Makes a part for each action that has rows, in the order of their ids.
    fn count_rows_of_few(&mut self) {
        let mut actions: Vec<ActionId> = self.rows.iter().map(|row| row.action).collect();
        actions.sort_unstable();
        let mut from = 0;
        for rows in actions.chunk_by(ActionId::eq) {
            Arc::make_mut(&mut self.parts).push(Part::new(rows[0], from));
            from += rows.len() as u32;
        }
    }

    /// The part of an action. Time: constant where the actions that have executed are not few, as their ids are dense, and
    /// else logarithmic.
    #[inline]
    fn part_idx(&self, action: ActionId) -> Option<usize> {
        let dense_idx = action.idx();
        if self.parts.get(dense_idx).is_some_and(|part| part.action == action) {
            return Some(dense_idx);
        }
        self.parts.binary_search_by_key(&action, |part| part.action).ok()
    }

    /// The first event that two rows tell.
    fn twice(order: &[u32], count: impl Fn(&u32) -> u64) -> Option<(u64, &'static str)> {
        let pair = order.windows(2).find(|pair| count(&pair[0]) == count(&pair[1]))?;
        Some((count(&pair[0]), "stands in it twice"))
    }

    /// Where the rows of an action do not follow one another.
    fn gap(&self, order: &[u32]) -> Option<(u64, &'static str)> {
        let mut count = 1_u64;
        for &row_idx in order {
            let row = &self.rows[row_idx as usize];
            match row.first_count.cmp(&count) {
                Ordering::Equal => {}
                Ordering::Greater => return Some((count, "is missing")),
                Ordering::Less => return Some((row.first_count, "stands in it twice")),
            }
            count = count.saturating_add(row.n_events);
        }
        None
    }

    /// Shared objects that an event has accessed; none where the record does not have the event.
    pub fn objects_of(&self, event: EventId) -> impl Iterator<Item = ObjectId> + '_ {
        let accessed = self.expected(event).into_iter().flat_map(|event| event.shared());
        accessed.map(|access| access.object)
    }

    /// Time: constant for events that are asked for in order of count.
    #[inline]
    pub(crate) fn expected(&self, id: EventId) -> Option<ExpectedEvent<'_>> {
        let part = &self.parts[self.part_idx(id.action)?];
        let order = &self.order[part.range()];
        let has_begun = |row_idx: u32| self.rows[row_idx as usize].first_count <= id.count;
        let has_begun_at = |at: usize| order.get(at).is_some_and(|&row_idx| has_begun(row_idx));
        let hint = part.hint.load(Relaxed) as usize;
        let at = match (has_begun_at(hint), has_begun_at(hint + 1)) {
            (true, false) => hint,
            (true, true) if !has_begun_at(hint + 2) => hint + 1,
            _ => order.partition_point(|&row_idx| has_begun(row_idx)).checked_sub(1)?,
        };
        if at != hint {
            part.hint.store(at as u32, Relaxed);
        }
        let row = &self.rows[order[at] as usize];
        let step = id.count - row.first_count;
        let n_events = part.n_events(at, row);
        (step < n_events).then(|| self.event_of(row, step, n_events))
    }

    /// An event of a row of which the first `n_events` are followed, or the event after its last one.
    #[inline]
    fn event_of(&self, row: &Row, step: u64, n_events: u64) -> ExpectedEvent<'_> {
        let first = ExpectedEvent::first(self.batches[row.batch as usize].folded_row(row.head as usize));
        ExpectedEvent {
            id: stepped(first.id, step),
            step,
            n_alike: n_events.saturating_sub(step),
            flow_step: u64::from(row.flow_step),
            ..first
        }
    }

    /// Returns true if the record goes on after the last event that is followed.
    #[inline]
    pub fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// Full record: positions of the first lines of the events that printed, ascending.
    #[inline]
    pub fn turns(&self) -> &[u64] {
        &self.turns
    }

    /// Full record: where the lines of an event stand that printed none when it was recorded.
    pub fn place_of_added_lines(&self, event: EventId) -> LinePlace {
        LinePlace::After(self.line_pasts.lock().last_turn_before(self, event))
    }

    /// Whether the record tells choices alone.
    #[inline]
    pub fn is_minimal(&self) -> bool {
        self.minimal.is_some()
    }

    /// Minimal record: the last execution of an action, where it could have gone on.
    #[inline]
    pub fn last_count(&self, action: ActionId) -> Option<u64> {
        if self.minimal.as_ref().is_some_and(|minimal| minimal.is_empty) {
            return Some(0);
        }
        self.last_counts.get(&action).copied()
    }

    /// The number of events that there are to be; of a minimal record, if the recorded run came to an end.
    pub fn n_executed(&self) -> Option<u64> {
        if self.n_with_part.is_some() {
            return self.n_with_part;
        }
        match &self.minimal {
            Some(minimal) => minimal.n_executed,
            None => {
                let n_events = self.parts.iter().flat_map(|part| {
                    let rows = self.order[part.range()].iter().enumerate();
                    rows.map(|(at, &row_idx)| part.n_events(at, &self.rows[row_idx as usize]))
                });
                Some(n_events.fold(0, u64::saturating_add))
            }
        }
    }

    /// Minimal record: the digest of the run, if the recorded run came to an end.
    pub fn digest(&self) -> Option<HistoryDigest> {
        self.minimal.as_ref()?.digest
    }

    /// Minimal record: the first event of an action behind the first `n_executed` ones that the record tells
    /// something of, if only that it took place.
    pub fn told_behind(&self, action: ActionId, n_executed: u64) -> Option<EventId> {
        let part = self.part_idx(action).map(|part_idx| &self.parts[part_idx]);
        let order = part.map_or(&[][..], |part| &self.order[part.range()]);
        let mut counts = order.iter().map(|&row_idx| self.rows[row_idx as usize].first_count);
        let told = counts.find(|count| *count > n_executed);
        let last = self.last_count(action).filter(|last| *last > n_executed);
        told.or(last).map(|count| EventId { action, count })
    }
}
