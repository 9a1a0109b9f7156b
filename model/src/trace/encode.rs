//! From a batch to bytes: what is announced, then one column for each property of an event.
//!
//! An event is written as what `predict` does not expect of it, and the events behind it that repeat it as their number.
//! Numbers are varints of differences. Columns lie one behind the other, so that what is alike lies together and
//! compression finds it. Time: linear in the events and the items of their lists.

use super::announce::AnnounceColumns;
use super::edits::put_edits;
use super::predict::{Expected, MAX_REPEATS, Predictor, flag, is_short, may_all_unfold, n_items};
use crate::choices::Choices;
use crate::encoding::varint::{Malformed, put_bytes, put_delta, put_signed, put_varint};
use crate::event::{Core, EventBatch, RelayedAccess, Timing, are_same};
use crate::id::{ActionId, EventId};

/// Where an event comes from.
mod edges;
/// What is as expected.
mod expected;
/// What few events have.
mod extras;
/// State from event to event.
mod running;

use super::column::{Column, N_COLUMNS, NEXT_ANNOUNCED, batch_flag, choice_tag};
use edges::{access_kind, put_flow, put_shared};
use extras::put_extras;
use running::{Running, is_told, step};

/// The encoder of one stream; keeps its buffers from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    predictor: Predictor,
    announced: AnnounceColumns,
    columns: [Vec<u8>; N_COLUMNS],
}

impl Encoder {
    /// Appends a batch; `Err` where a value cannot be written.
    pub(super) fn encode(&mut self, batch: &EventBatch, out: &mut Vec<u8>) -> Result<(), Malformed> {
        if !batch.runs().is_empty() && !may_stay_folded(batch) {
            let mut unfolded = batch.clone();
            unfolded.unfold();
            return self.encode(&unfolded, out);
        }
        self.predictor.reset();
        self.columns.iter_mut().for_each(Vec::clear);
        self.announced.put(out, batch);
        let (is_relayed, is_timed) = batch.is_relayed_or_timed();
        let has_choices = batch.extras().iter().any(|extra| extra.choices.is_some());
        let mut flags = if is_relayed { batch_flag::RELAYED } else { 0 };
        flags |= if is_timed { batch_flag::TIMED } else { 0 };
        flags |= if has_choices { batch_flag::CHOICES } else { 0 };
        let mut state = Running { flags, ..Running::default() };
        let mut event_idx = 0;
        while event_idx < batch.n_heads() {
            event_idx = self.put_row(batch, event_idx, &mut state)?;
        }
        flags |= if batch.cut.is_none() { 0 } else { batch_flag::CUT };
        flags |= if batch.edits.is_empty() { 0 } else { batch_flag::EDITS };
        out.push(flags);
        if let Some(cut) = &batch.cut {
            put_cut(out, cut, batch);
        }
        if !batch.edits.is_empty() {
            put_edits(out, &batch.edits)?;
        }
        put_varint(out, batch.n_events() as u64);
        for column in &self.columns {
            put_bytes(out, column);
        }
        Ok(())
    }

    /// Writes an event and those behind it that repeat it; returns the position behind them.
    #[inline]
    fn put_row(
        &mut self,
        batch: &EventBatch,
        event_idx: usize,
        state: &mut Running,
    ) -> Result<usize, Malformed> {
        if self.put_expected(batch, event_idx, state) {
            return Ok(event_idx + 1);
        }
        let row = batch.core(event_idx);
        let action = match batch.actions.get(state.n_announced) {
            Some(next) if next.action == row.id.action => {
                state.n_announced += 1;
                NEXT_ANNOUNCED
            }
            _ => step(state.action, row.id.action.0) + 1,
        };
        put_varint(&mut self.columns[Column::Action as usize], action);
        let (expected, is_first) = self.predictor.expected(row.id.action, |idx| batch.core(idx));
        let mut flags = self.put_exceptions(&row, &expected, state);
        state.action = row.id.action.0;
        let extra = state.extra_of(batch, event_idx).filter(|extra| is_told(extra));
        let effects = state.effects_of(batch, event_idx);
        if extra.is_some() || !effects.is_empty() {
            flags |= flag::EXTRAS;
            put_extras(&mut self.columns, extra, effects, state)?;
        }
        if state.flags & batch_flag::EACH != 0 {
            self.put_each(batch, event_idx, state);
        }
        let n_folded = state.n_folded(batch, event_idx);
        if n_folded > 0 {
            self.put_folded(&row, flags, n_folded);
            self.predictor.note(row.id.action, is_first.then_some(event_idx), event_idx, n_folded);
            return Ok(event_idx + 1);
        }
        let may_repeat = batch.has_successor_behind(event_idx) && is_short(&row);
        let n_repeats = if may_repeat { self.put_repeats(batch, event_idx, &row, state) } else { 0 };
        self.put_flags(flags, n_repeats);
        let last_idx = event_idx + usize::from(n_repeats);
        self.predictor.note(row.id.action, is_first.then_some(event_idx), last_idx, 0);
        Ok(last_idx + 1)
    }

    fn put_flags(&mut self, flags: u8, n_repeats: u8) {
        if n_repeats > 0 {
            self.columns[Column::Repeats as usize].push(n_repeats);
        }
        let repeats = if n_repeats > 0 { flag::REPEATS } else { 0 };
        self.columns[Column::Flags as usize].push(flags | repeats);
    }

    /// Writes how many events repeat one whose other columns have been written.
    fn put_folded(&mut self, row: &Core<'_>, mut flags: u8, n_folded: usize) {
        let mut n_left = n_folded;
        loop {
            let n_repeats = n_left.min(usize::from(MAX_REPEATS));
            self.put_flags(flags, n_repeats as u8);
            n_left -= n_repeats;
            if n_left == 0 {
                break;
            }
            // The next one is written by itself, and is as expected.
            put_varint(
                &mut self.columns[Column::Action as usize],
                step(row.id.action.0, row.id.action.0) + 1,
            );
            flags = 0;
            n_left -= 1;
        }
        self.predictor.unfold(n_folded * n_items(row));
        let last = EventId { action: row.id.action, count: row.id.count.wrapping_add(n_folded as u64) };
        self.predictor.note_accesses(last, row.shared);
    }

    /// Counts the events behind a position that repeat the one there.
    #[inline]
    fn put_repeats(
        &mut self,
        batch: &EventBatch,
        event_idx: usize,
        row: &Core<'_>,
        state: &mut Running,
    ) -> u8 {
        let behind_idx = state.next_told(batch, event_idx).unwrap_or(batch.n_heads());
        let next_run = state.next_run(batch, event_idx);
        let behind_idx = behind_idx.min(next_run.unwrap_or(usize::MAX));
        let most = (behind_idx - 1 - event_idx).min(usize::from(MAX_REPEATS));
        let most = most.min(self.predictor.n_left() / n_items(row));
        let mut n_repeats = batch.n_repeats(event_idx, most);
        if !row.shared.is_empty() {
            let behind = event_idx + 1..event_idx + 1 + n_repeats;
            n_repeats = behind
                .take_while(|&next_idx| {
                    let next = batch.core(next_idx);
                    let is_repeated = self.predictor.expects_shared(row.shared, next.shared);
                    if is_repeated {
                        self.predictor.note_accesses(next.id, next.shared);
                    }
                    is_repeated
                })
                .count();
        }
        self.predictor.unfold(n_repeats * n_items(row));
        if state.flags & batch_flag::EACH != 0 {
            (event_idx + 1..=event_idx + n_repeats)
                .for_each(|next_idx| self.put_each(batch, next_idx, state));
        }
        n_repeats as u8
    }

    /// Writes what an event is not expected to be.
    #[inline]
    fn put_exceptions(&mut self, row: &Core<'_>, expected: &Expected<'_>, state: &mut Running) -> u8 {
        let columns = &mut self.columns;
        let mut flags = 0;
        if row.id.count != expected.count {
            flags |= flag::COUNT;
            put_delta(&mut columns[Column::Count as usize], expected.count, row.id.count);
        }
        if row.rule != expected.rule() {
            flags |= flag::RULE;
            put_signed(&mut columns[Column::Rule as usize], i64::from(row.rule));
        }
        if !are_same(row.routes, expected.routes()) || !self.predictor.may_unfold(row.routes.len()) {
            flags |= flag::ROUTES;
            let column = &mut columns[Column::Routes as usize];
            put_varint(column, row.routes.len() as u64);
            row.routes.iter().for_each(|&route| put_varint(column, u64::from(route)));
        }
        let flow = expected.flow(row.id);
        let is_expected = flow.len() == row.flow.len() && flow.eq(row.flow.iter().copied());
        if !is_expected || !self.predictor.may_unfold(row.flow.len()) {
            flags |= flag::FLOW;
            put_flow(columns, &mut self.predictor, row, expected, ActionId(state.action));
        }
        if row.flow_successors != expected.flow_successors() {
            flags |= flag::SUCCESSORS;
            put_varint(&mut columns[Column::Successors as usize], row.flow_successors);
        }
        let is_expected = self.predictor.expects_shared(expected.shared(), row.shared);
        if !is_expected || !self.predictor.may_unfold(row.shared.len()) {
            flags |= flag::SHARED;
            put_shared(columns, &mut self.predictor, row, state);
        }
        self.predictor.note_accesses(row.id, row.shared);
        flags
    }

    /// Writes what is not predicted at all.
    fn put_each(&mut self, batch: &EventBatch, event_idx: usize, state: &mut Running) {
        let id = batch.core(event_idx).id;
        if state.flags & batch_flag::RELAYED != 0 {
            put_relayed(&mut self.columns[Column::Relayed as usize], id, batch.relayed_of(event_idx), state);
        }
        if state.flags & batch_flag::TIMED != 0 {
            put_timing(&mut self.columns[Column::Timing as usize], batch.timing_of(event_idx), state);
        }
        if state.flags & batch_flag::CHOICES != 0 {
            let choices = state.extra_of(batch, event_idx).and_then(|extra| extra.choices.as_deref());
            put_choices(&mut self.columns[Column::Choices as usize], id, choices);
        }
    }

    /// Gives back the memory of an unusually large batch.
    pub(super) fn shrink_to(&mut self, n_bytes: usize) {
        self.columns.iter_mut().for_each(|column| column.shrink_to(n_bytes));
        self.announced.shrink_to(n_bytes);
    }
}

/// Whether the events that repeat others are written without being looked at.
fn may_stay_folded(batch: &EventBatch) -> bool {
    let has_each = batch.is_relayed_or_timed() != (false, false)
        || batch.extras().iter().any(|extra| extra.choices.is_some());
    let items = |head_idx: usize| n_items(&batch.core(head_idx));
    let n_written: usize = (0..batch.n_heads()).map(items).sum();
    let n_repeated: usize = batch.runs().iter().map(|run| run.n_repeats * items(run.head_idx)).sum();
    let are_short = batch.runs().iter().all(|run| is_short(&batch.core(run.head_idx)));
    !has_each && are_short && may_all_unfold(n_written + n_repeated)
}

fn put_relayed(column: &mut Vec<u8>, event: EventId, relayed: &[RelayedAccess], state: &mut Running) {
    put_varint(column, relayed.len() as u64);
    for relayed in relayed {
        put_delta(column, state.relayed_object, u64::from(relayed.object.0));
        state.relayed_object = u64::from(relayed.object.0);
        column.push(access_kind(relayed.access));
        put_delta(column, u64::from(event.action.0), u64::from(relayed.event.action.0));
        put_delta(column, event.count, relayed.event.count);
    }
}

fn put_timing(column: &mut Vec<u8>, timing: Option<Timing>, state: &mut Running) {
    let Some(timing) = timing else {
        column.push(0);
        return;
    };
    column.push(if timing.suspended == 0 { 1 } else { 2 });
    put_varint(column, u64::from(timing.worker));
    put_delta(column, state.start, timing.start);
    put_delta(column, timing.start, timing.end);
    if timing.suspended > 0 {
        put_varint(column, timing.suspended);
    }
    state.start = timing.start;
}

fn put_choices(column: &mut Vec<u8>, event: EventId, choices: Option<&Choices>) {
    let Some(choices) = choices else {
        column.push(0);
        return;
    };
    let mut tag = choice_tag::THERE;
    tag |= if choices.rule { choice_tag::RULE } else { 0 };
    tag |= if choices.line { choice_tag::LINE } else { 0 };
    tag |= if choices.takes.is_empty() { 0 } else { choice_tag::TAKES };
    tag |= if choices.accesses.is_empty() { 0 } else { choice_tag::ACCESSES };
    column.push(tag);
    if !choices.takes.is_empty() {
        put_varint(column, choices.takes.len() as u64);
        for take in &choices.takes {
            put_varint(column, u64::from(take.position));
            put_delta(column, u64::from(event.action.0), u64::from(take.sender.0));
        }
    }
    if !choices.accesses.is_empty() {
        put_varint(column, choices.accesses.len() as u64);
        choices.accesses.iter().for_each(|&access| put_varint(column, u64::from(access)));
    }
}

/// Appends a cut: actions first, which a batch of its own announces in the same order, then their counts.
fn put_cut(out: &mut Vec<u8>, cut: &[EventId], batch: &EventBatch) {
    put_varint(out, cut.len() as u64);
    let (mut before, mut announced) = (0, batch.actions.iter().peekable());
    for last in cut {
        match announced.next_if(|action| action.action == last.action) {
            Some(_) => put_varint(out, NEXT_ANNOUNCED),
            None => put_varint(out, step(before, last.action.0) + 1),
        }
        before = last.action.0;
    }
    let mut before = 0;
    for last in cut {
        put_delta(out, before, last.count);
        before = last.count;
    }
}
