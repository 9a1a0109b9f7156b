//! From bytes back to a batch: the mirror of `encode`, on bytes that may be anything.

use super::announce::take_announced;
use super::column::{
    Column, N_COLUMNS, N_NEAR, NEXT_ANNOUNCED, access_tag, answer_tag, batch_flag, choice_tag,
};
use super::edits::take_edits;
use super::predict::{Expected, Pair, Predictor, flag, is_short, n_items};
use crate::choices::{Choices, TakeChoice};
use crate::encoding::value::take_value;
use crate::encoding::varint::{Cursor, Malformed};
use crate::event::{Effect, EffectKind, EventBatch, Outcome, RelayedAccess, SharedAccess, Timing};
use crate::id::{ActionId, EventId, ObjectId};
use crate::plan::Access;
use crate::value::Value;

use fold::is_foldable;

/// Events that go on with others.
mod fold;

/// Most events that room is made for before they come.
const MOST_RESERVED: usize = 1 << 14;

type Columns<'a> = [Cursor<'a>; N_COLUMNS];

/// The decoder of one stream; keeps its buffers from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    predictor: Predictor,
    routes: Vec<u32>,
    flow: Vec<EventId>,
    shared: Vec<SharedAccess>,
    relayed: Vec<RelayedAccess>,
    /// Whether events that go on with others are left without a head.
    folds: bool,
    /// By head: how many events of its action go on with it behind those that the batch tells itself.
    gathered: Vec<u32>,
}

/// Takes from a payload what the batch announces; the events are left alone.
pub(super) fn decode_announced(payload: &[u8]) -> Result<EventBatch, Malformed> {
    let mut batch = EventBatch::default();
    take_announced(&mut Cursor(payload), &mut batch)?;
    Ok(batch)
}

impl Decoder {
    /// Leaves events folded, as far as the data has them so, and gathers those of an action that go on with one another.
    pub(super) fn fold(&mut self) {
        self.folds = true;
    }

    /// Takes a batch from a payload. Time: linear in the events and the items of their lists.
    #[cfg(test)]
    pub(super) fn decode(&mut self, payload: &[u8]) -> Result<EventBatch, Malformed> {
        let mut batch = EventBatch::default();
        self.decode_to(payload, &mut batch)?;
        Ok(batch)
    }

    /// Like [`decode`](Self::decode), into a batch whose memory is used again.
    pub(super) fn decode_to(&mut self, payload: &[u8], batch: &mut EventBatch) -> Result<(), Malformed> {
        self.predictor.reset();
        batch.clear();
        let mut cursor = Cursor(payload);
        take_announced(&mut cursor, batch)?;
        let flags = cursor.byte()?;
        if flags & batch_flag::CUT != 0 {
            batch.cut = Some(take_cut(&mut cursor, batch)?);
        }
        if flags & batch_flag::EDITS != 0 {
            batch.edits = take_edits(&mut cursor)?;
        }
        let n_events = cursor.varint()?;
        let mut columns: Columns<'_> = [Cursor(&[]); N_COLUMNS];
        for column in &mut columns {
            *column = Cursor(cursor.bytes()?);
        }
        batch.reserve(usize::try_from(n_events).unwrap_or(MOST_RESERVED).min(MOST_RESERVED));
        self.gathered.clear();
        let mut state = Running { flags, ..Running::default() };
        while batch.n_events() as u64 + state.n_gathered < n_events {
            self.take_row(&mut columns, batch, &mut state)?;
        }
        let is_whole = cursor.is_empty() && columns.iter().all(Cursor::is_empty);
        if !is_whole || batch.n_events() as u64 + state.n_gathered != n_events {
            return Err(Malformed("there is more data than events"));
        }
        if state.n_gathered > 0 {
            batch.add_gathered(&self.gathered);
        }
        Ok(())
    }

    /// Takes an event and those behind it that repeat it.
    #[inline]
    fn take_row(
        &mut self,
        columns: &mut Columns<'_>,
        batch: &mut EventBatch,
        state: &mut Running,
    ) -> Result<(), Malformed> {
        let action = match columns[Column::Action as usize].varint()? {
            NEXT_ANNOUNCED => {
                let next = batch.actions.get(state.n_announced).ok_or(Malformed("no action is announced"))?;
                state.n_announced += 1;
                next.action
            }
            told => ActionId(stepped(state.action, told - 1)?),
        };
        let flags = columns[Column::Flags as usize].byte()?;
        let head_idx = batch.n_heads();
        if self.folds && flags & !flag::REPEATS == 0 && self.gather(action, flags, columns, batch, state)? {
            return Ok(());
        }
        let (expected, is_first) = self.predictor.expected(action, |idx| batch.core(idx));
        let count = match flags & flag::COUNT {
            0 => expected.count,
            _ => columns[Column::Count as usize].delta(expected.count)?,
        };
        let id = EventId { action, count };
        let rule = match flags & flag::RULE {
            0 => expected.rule(),
            _ => i32::try_from(columns[Column::Rule as usize].signed()?)
                .map_err(|_| Malformed("a rule has more than 32 bits"))?,
        };
        let flow_successors = match flags & flag::SUCCESSORS {
            0 => expected.flow_successors(),
            _ => columns[Column::Successors as usize].varint()?,
        };
        self.routes.clear();
        self.flow.clear();
        self.shared.clear();
        if flags & flag::ROUTES != 0 {
            let column = &mut columns[Column::Routes as usize];
            for _ in 0..column.n_items()? {
                self.routes.push(column.id()?);
            }
        } else {
            self.routes.extend_from_slice(unfold(&mut self.predictor, expected.routes())?);
        }
        if flags & flag::FLOW != 0 {
            take_flow(columns, &mut self.predictor, &mut self.flow, id, &expected, ActionId(state.action))?;
        } else {
            let flow = expected.flow(id);
            check_unfolds(&mut self.predictor, flow.len())?;
            self.flow.extend(flow);
        }
        if flags & flag::SHARED != 0 {
            take_shared(columns, &mut self.predictor, &mut self.shared, id, state)?;
        } else {
            let shared = unfold(&mut self.predictor, expected.shared())?;
            let predictor = &self.predictor;
            let found = shared
                .iter()
                .map(|access| SharedAccess { writer: predictor.writer(access.object), ..*access });
            self.shared.extend(found);
        }
        self.predictor.note_accesses(id, &self.shared);
        state.action = action.0;
        batch.push_done(id, rule, &self.routes, &self.flow, &self.shared, flow_successors);
        if flags & flag::EXTRAS != 0 {
            take_extras(columns, batch, flow_successors, state)?;
        }
        if state.flags & batch_flag::EACH != 0 {
            self.take_each(columns, batch, id, flow_successors, state)?;
        }
        if flags & flag::REPEATS != 0 {
            self.take_repeats(columns, batch, id, state)?;
        }
        let last_idx = batch.n_heads() - 1;
        self.predictor.note(action, is_first.then_some(head_idx), last_idx, batch.n_repeats_of(last_idx));
        Ok(())
    }

    /// Takes the events that repeat the last one, which has the id `id` and the lists that were taken last.
    #[inline]
    fn take_repeats(
        &mut self,
        columns: &mut Columns<'_>,
        batch: &mut EventBatch,
        mut id: EventId,
        state: &mut Running,
    ) -> Result<(), Malformed> {
        let core = batch.core(batch.n_heads() - 1);
        let (rule, flow_successors) = (core.rule, core.flow_successors);
        if !is_short(&core) {
            return Err(Malformed("a long list is repeated"));
        }
        let (n_items, n_repeats) = (n_items(&core), columns[Column::Repeats as usize].byte()?);
        check_unfolds(&mut self.predictor, n_items * usize::from(n_repeats))?;
        let has_each = state.flags & batch_flag::EACH != 0;
        if self.folds && !has_each && n_repeats > 0 && is_foldable(&self.shared) {
            self.fold_repeats(batch, id, (rule, flow_successors), n_repeats);
            return Ok(());
        }
        if self.shared.is_empty() && !has_each {
            batch.repeat(usize::from(n_repeats));
            return Ok(());
        }
        for _ in 0..n_repeats {
            id.count = id.count.wrapping_add(1);
            self.flow.iter_mut().for_each(|sender| sender.count = sender.count.wrapping_add(1));
            for access in &mut self.shared {
                access.writer = self.predictor.writer(access.object);
            }
            self.predictor.note_accesses(id, &self.shared);
            batch.push_done(id, rule, &self.routes, &self.flow, &self.shared, flow_successors);
            if has_each {
                self.take_each(columns, batch, id, flow_successors, state)?;
            }
        }
        Ok(())
    }

    /// Takes what is not predicted at all, of the last event.
    fn take_each(
        &mut self,
        columns: &mut Columns<'_>,
        batch: &mut EventBatch,
        id: EventId,
        flow_successors: u64,
        state: &mut Running,
    ) -> Result<(), Malformed> {
        if state.flags & batch_flag::RELAYED != 0 {
            self.relayed.clear();
            take_relayed(&mut columns[Column::Relayed as usize], id, &mut self.relayed, state)?;
            batch.add_relayed(&self.relayed);
        }
        if state.flags & batch_flag::TIMED != 0
            && let Some(timing) = take_timing(&mut columns[Column::Timing as usize], state)?
        {
            batch.add_timing(timing);
        }
        if state.flags & batch_flag::CHOICES != 0
            && let Some(choices) = take_choices(&mut columns[Column::Choices as usize], id)?
        {
            batch.add_extra(flow_successors).choices = Some(choices);
        }
        Ok(())
    }
}

/// What runs through a batch from event to event, whatever their actions.
#[derive(Debug, Default)]
struct Running {
    flags: u8,
    action: u32,
    n_announced: usize,
    n_gathered: u64,
    object: u32,
    first_line: u64,
    relayed_object: u32,
    start: u64,
}

/// A list that is left to prediction.
#[inline]
fn unfold<'l, T>(predictor: &mut Predictor, list: &'l [T]) -> Result<&'l [T], Malformed> {
    check_unfolds(predictor, list.len())?;
    Ok(list)
}

#[inline]
fn check_unfolds(predictor: &mut Predictor, n_items: usize) -> Result<(), Malformed> {
    match predictor.may_unfold(n_items) {
        true => Ok(()),
        false => Err(Malformed("too much is left to prediction")),
    }
}

/// The id at a distance from another one.
#[inline]
fn stepped(from: u32, told: u64) -> Result<u32, Malformed> {
    let step = (told >> 1) as i64 ^ -((told & 1) as i64);
    let id = i64::from(from).checked_add(step).and_then(|id| u32::try_from(id).ok());
    id.ok_or(Malformed("an id has more than 32 bits"))
}

fn take_flow(
    columns: &mut Columns<'_>,
    predictor: &mut Predictor,
    flow: &mut Vec<EventId>,
    id: EventId,
    expected: &Expected<'_>,
    before: ActionId,
) -> Result<(), Malformed> {
    let told = columns[Column::FlowLen as usize].varint()?;
    let (n_senders, tells_counts) = (told >> 1, told & 1 != 0);
    predictor.note_senders(id.action, expected);
    for sender_idx in 0..n_senders {
        let (near, expected_count) = expected.sender(sender_idx as usize, id, before);
        let told = columns[Column::FlowAction as usize].varint()?;
        let action = ActionId(stepped(near[(told % N_NEAR) as usize].0, told / N_NEAR)?);
        let expected_count = predictor.sender_count(action, id.action, expected, expected_count);
        let count = match tells_counts {
            true => columns[Column::FlowCount as usize].delta(expected_count)?,
            false => expected_count,
        };
        flow.push(EventId { action, count });
    }
    Ok(())
}

fn take_shared(
    columns: &mut Columns<'_>,
    predictor: &mut Predictor,
    shared: &mut Vec<SharedAccess>,
    id: EventId,
    state: &mut Running,
) -> Result<(), Malformed> {
    let mut before = None;
    for _ in 0..columns[Column::Objects as usize].n_items()? {
        let column = &mut columns[Column::Objects as usize];
        state.object = column.id_delta(state.object)?;
        let (object, tag) = (ObjectId(state.object), column.byte()?);
        let access = if tag & access_tag::WRITE != 0 { Access::Write } else { Access::Read };
        let writer = match tag & !access_tag::WRITE {
            access_tag::EXPECTED => predictor.writer(object),
            access_tag::NONE => None,
            access_tag::TOLD => {
                let column = &mut columns[Column::Writers as usize];
                let action = ActionId(column.id_delta(id.action.0)?);
                let pair = Pair::access(action, object);
                let count = column.delta(predictor.next_count(pair).unwrap_or(id.count))?;
                predictor.note_count(pair, count);
                Some(EventId { action, count })
            }
            access_tag::SAME => before,
            _ => return Err(Malformed("a writer is unknown")),
        };
        let readers = columns[Column::Readers as usize].varint()?;
        before = writer;
        shared.push(SharedAccess { object, access, writer, readers });
    }
    Ok(())
}

fn take_access(column: &mut Cursor<'_>) -> Result<Access, Malformed> {
    match column.byte()? {
        0 => Ok(Access::Read),
        access_tag::WRITE => Ok(Access::Write),
        _ => Err(Malformed("an access is unknown")),
    }
}

fn take_relayed(
    column: &mut Cursor<'_>,
    id: EventId,
    relayed: &mut Vec<RelayedAccess>,
    state: &mut Running,
) -> Result<(), Malformed> {
    for _ in 0..column.n_items()? {
        state.relayed_object = column.id_delta(state.relayed_object)?;
        let (object, access) = (ObjectId(state.relayed_object), take_access(column)?);
        let action = ActionId(column.id_delta(id.action.0)?);
        let count = column.delta(id.count)?;
        relayed.push(RelayedAccess { object, access, event: EventId { action, count } });
    }
    Ok(())
}

fn take_timing(column: &mut Cursor<'_>, state: &mut Running) -> Result<Option<Timing>, Malformed> {
    match column.byte()? {
        0 => Ok(None),
        tag @ (1 | 2) => {
            let worker = column.id()?;
            state.start = column.delta(state.start)?;
            let end = column.delta(state.start)?;
            let suspended = if tag == 2 { column.varint()? } else { 0 };
            Ok(Some(Timing { suspended, ..Timing::new(worker, state.start, end) }))
        }
        _ => Err(Malformed("a time is neither there nor missing")),
    }
}

fn take_choices(column: &mut Cursor<'_>, event: EventId) -> Result<Option<Box<Choices>>, Malformed> {
    let tag = column.byte()?;
    if tag == 0 {
        return Ok(None);
    }
    let mut choices = Choices {
        rule: tag & choice_tag::RULE != 0,
        line: tag & choice_tag::LINE != 0,
        ..Choices::default()
    };
    if tag & choice_tag::TAKES != 0 {
        for _ in 0..column.n_items()? {
            let position = column.id()?;
            let sender = ActionId(column.id_delta(event.action.0)?);
            choices.takes.push(TakeChoice { position, sender });
        }
    }
    if tag & choice_tag::ACCESSES != 0 {
        for _ in 0..column.n_items()? {
            choices.accesses.push(column.id()?);
        }
    }
    Ok(Some(Box::new(choices)))
}

fn take_cut(cursor: &mut Cursor<'_>, batch: &EventBatch) -> Result<Vec<EventId>, Malformed> {
    let (mut before, mut announced) = (0, batch.actions.iter());
    let mut cut = Vec::new();
    for _ in 0..cursor.n_items()? {
        before = match cursor.varint()? {
            NEXT_ANNOUNCED => announced.next().ok_or(Malformed("no action is announced"))?.action.0,
            told => stepped(before, told - 1)?,
        };
        cut.push(EventId { action: ActionId(before), count: 0 });
    }
    let mut before = 0;
    for last in &mut cut {
        before = cursor.delta(before)?;
        last.count = before;
    }
    Ok(cut)
}

fn take_outcome(column: &mut Cursor<'_>) -> Result<Outcome, Malformed> {
    match column.byte()? {
        0 => Ok(Outcome::Done),
        1 => Ok(Outcome::Failed),
        2 => Ok(Outcome::Stopped),
        _ => Err(Malformed("an outcome is unknown")),
    }
}

fn take_extras(
    columns: &mut Columns<'_>,
    batch: &mut EventBatch,
    flow_successors: u64,
    state: &mut Running,
) -> Result<(), Malformed> {
    let column = &mut columns[Column::Extras as usize];
    let outcome = take_outcome(column)?;
    for _ in 0..column.n_items()? {
        let column = &mut columns[Column::Extras as usize];
        let kind = take_effect_kind(column)?;
        let answer = match column.byte()? {
            answer_tag::INT => Ok(Value::Int(columns[Column::Answers as usize].signed()?)),
            answer_tag::VALUE => Ok(take_value(column)?),
            answer_tag::ERROR => Err(column.text()?.to_owned()),
            _ => return Err(Malformed("an answer is neither a value nor an error")),
        };
        batch.add_effect(Effect { kind, answer });
    }
    let column = &mut columns[Column::Extras as usize];
    let (mut first_line, mut error) = (None, None);
    if column.byte()? != 0 {
        state.first_line = column.delta(state.first_line)?;
        first_line = Some(state.first_line);
    }
    if column.byte()? != 0 {
        error = Some(column.text()?.to_owned());
    }
    if outcome != Outcome::Done || first_line.is_some() || error.is_some() {
        let extra = batch.add_extra(flow_successors);
        (extra.outcome, extra.first_line, extra.error) = (outcome, first_line, error);
    }
    Ok(())
}

fn take_effect_kind(column: &mut Cursor<'_>) -> Result<EffectKind, Malformed> {
    Ok(match column.byte()? {
        0 => EffectKind::Time,
        1 => EffectKind::Random,
        2 => EffectKind::ReadFile,
        3 => EffectKind::FileSize,
        4 => EffectKind::FileExists,
        5 => EffectKind::Environment,
        6 => EffectKind::StandardInput,
        7 => EffectKind::ListFolder,
        8 => EffectKind::WriteFile,
        9 => EffectKind::Native,
        10 => EffectKind::Assigned,
        11 => EffectKind::Printed,
        12 => EffectKind::Added,
        13 => EffectKind::Stream,
        14 => EffectKind::Command,
        15 => EffectKind::Http,
        16 => EffectKind::Sql,
        17 => EffectKind::Taken,
        18 => EffectKind::Refused,
        19 => EffectKind::Earlier,
        20 => EffectKind::Found,
        _ => return Err(Malformed("an effect is unknown")),
    })
}
