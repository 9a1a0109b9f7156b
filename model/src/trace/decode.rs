//! From bytes back to a batch: the mirror of `encode`, on bytes that may be anything.

use super::encode::{Column, N_COLUMNS, batch_flag, choice_tag, writer_tag};
use super::predict::{Past, Predictor, flag, next_of};
use super::value::take_value;
use super::varint::{Cursor, Malformed};
use crate::choices::{Choices, TakeChoice};
use crate::event::{
    ActionRecord, Effect, EffectKind, EventBatch, EventRecord, GraphRecord, ObjectRecord, Outcome,
    RelayedAccess, SharedAccess, Timing,
};
use crate::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use crate::plan::Access;

/// Most events and list items of a batch. Predicted lists cost no bytes, so that the length of the
/// data alone would not bound what a hostile trace unfolds to.
pub(super) const MAX_ITEMS: u64 = 1 << 26;

type Columns<'a> = [Cursor<'a>; N_COLUMNS];

/// The decoder of one stream; keeps its buffers from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    predictor: Predictor,
}

impl Decoder {
    /// Takes a batch from a payload. Time: linear in the events and the items of their lists.
    pub(super) fn decode(&mut self, payload: &[u8]) -> Result<EventBatch, Malformed> {
        self.predictor.reset();
        let mut cursor = Cursor(payload);
        let mut batch = EventBatch::default();
        for _ in 0..cursor.n_items()? {
            batch.graphs.push(take_graph(&mut cursor)?);
        }
        let mut before = 0;
        for _ in 0..cursor.n_items()? {
            before = cursor.id_delta(before)?;
            batch.actions.push(take_action(&mut cursor, ActionId(before))?);
        }
        for _ in 0..cursor.n_items()? {
            let (object, shared) = (ObjectId(cursor.id()?), SharedId(cursor.id()?));
            let graph = GraphInstanceId(cursor.id()?);
            batch.objects.push(ObjectRecord { object, shared, graph, index: take_index(&mut cursor)? });
        }
        let batch_flags = cursor.byte()?;
        if batch_flags & batch_flag::CUT != 0 {
            batch.cut = Some(take_cut(&mut cursor)?);
        }
        let n_events = cursor.n_items()?;
        let mut columns: Columns<'_> = [Cursor(&[]); N_COLUMNS];
        for column in &mut columns {
            *column = Cursor(cursor.bytes()?);
        }
        let mut event = EventRecord::new(EventId { action: ActionId(0), count: 0 });
        let mut state = Running::default();
        for _ in 0..n_events {
            self.take_row(&mut columns, &mut event, &mut state)?;
            if batch_flags & batch_flag::RELAYED != 0 {
                take_relayed(&mut columns[Column::Relayed as usize], &mut event, &mut state)?;
            }
            if batch_flags & batch_flag::TIMED != 0 {
                event.timing = take_timing(&mut columns[Column::Timing as usize], &mut state)?;
            }
            if batch_flags & batch_flag::CHOICES != 0 {
                event.choices = take_choices(&mut columns[Column::Choices as usize], event.id)?;
            }
            state.n_items += (1 + event.routes.len() + event.flow.len() + event.shared.len()) as u64;
            if state.n_items > MAX_ITEMS {
                return Err(Malformed("the batch is too large"));
            }
            batch.push(&mut event);
        }
        if !cursor.is_empty() || columns.iter().any(|column| !column.is_empty()) {
            return Err(Malformed("there is more data than events"));
        }
        Ok(batch)
    }

    fn take_row(
        &mut self,
        columns: &mut Columns<'_>,
        event: &mut EventRecord,
        state: &mut Running,
    ) -> Result<(), Malformed> {
        state.action = columns[Column::Action as usize].id_delta(state.action)?;
        event.reset(EventId { action: ActionId(state.action), count: 0 });
        let flags = columns[Column::Flags as usize].byte()?;
        take_exceptions(columns, self.predictor.past(event.id.action), event, flags, state)?;
        for access_idx in 0..event.shared.len() {
            let expected = self.predictor.writer(event.shared[access_idx].object);
            let access = &mut event.shared[access_idx];
            access.writer = take_writer(&mut columns[Column::Writers as usize], event.id, expected)?;
            access.readers = columns[Column::Readers as usize].varint()?;
            self.predictor.note_access(event.id, access);
        }
        if flags & flag::OUTCOME != 0 {
            event.outcome = take_outcome(&mut columns[Column::Outcome as usize])?;
        }
        if flags & flag::EXTRAS != 0 {
            take_extras(&mut columns[Column::Extras as usize], event, state)?;
        }
        Ok(())
    }
}

/// What runs through a batch from event to event, whatever their actions.
#[derive(Debug, Default)]
struct Running {
    action: u32,
    object: u32,
    first_line: u64,
    relayed_object: u32,
    start: u64,
    n_items: u64,
}

fn take_exceptions(
    columns: &mut Columns<'_>,
    past: &mut Past,
    event: &mut EventRecord,
    flags: u8,
    state: &mut Running,
) -> Result<(), Malformed> {
    past.count = past.count.wrapping_add(1);
    if flags & flag::COUNT != 0 {
        past.count = columns[Column::Count as usize].delta(past.count)?;
    }
    event.id.count = past.count;
    if flags & flag::RULE != 0 {
        past.rule = i32::try_from(columns[Column::Rule as usize].signed()?)
            .map_err(|_| Malformed("a rule has more than 32 bits"))?;
    }
    event.rule = past.rule;
    if flags & flag::ROUTES != 0 {
        let column = &mut columns[Column::Routes as usize];
        for _ in 0..column.n_items()? {
            event.routes.push(column.id()?);
        }
        past.set_routes(&event.routes);
    } else {
        event.routes.extend_from_slice(past.routes());
    }
    if flags & flag::FLOW != 0 {
        let n_senders = columns[Column::FlowLen as usize].varint()?;
        for _ in 0..n_senders {
            let action = columns[Column::FlowAction as usize].id_delta(event.id.action.0)?;
            let count = columns[Column::FlowCount as usize].delta(event.id.count)?;
            event.flow.push(EventId { action: ActionId(action), count });
        }
    } else {
        event.flow.extend(past.flow().iter().map(|&sender| next_of(sender)));
    }
    past.set_flow(&event.flow);
    if flags & flag::OBJECTS != 0 {
        take_objects(&mut columns[Column::Objects as usize], event, state)?;
        past.set_objects(&event.shared);
    } else {
        event.shared.extend(past.objects().iter().map(|&(object, access)| untold(object, access)));
    }
    if flags & flag::SUCCESSORS != 0 {
        past.flow_successors = columns[Column::Successors as usize].varint()?;
    }
    event.flow_successors = past.flow_successors;
    Ok(())
}

fn take_objects(
    column: &mut Cursor<'_>,
    event: &mut EventRecord,
    state: &mut Running,
) -> Result<(), Malformed> {
    for _ in 0..column.n_items()? {
        state.object = column.id_delta(state.object)?;
        event.shared.push(untold(ObjectId(state.object), take_access(column)?));
    }
    Ok(())
}

fn take_access(column: &mut Cursor<'_>) -> Result<Access, Malformed> {
    match column.byte()? {
        0 => Ok(Access::Read),
        1 => Ok(Access::Write),
        _ => Err(Malformed("an access is unknown")),
    }
}

fn take_relayed(
    column: &mut Cursor<'_>,
    event: &mut EventRecord,
    state: &mut Running,
) -> Result<(), Malformed> {
    for _ in 0..column.n_items()? {
        state.relayed_object = column.id_delta(state.relayed_object)?;
        let (object, access) = (ObjectId(state.relayed_object), take_access(column)?);
        let action = ActionId(column.id_delta(event.id.action.0)?);
        let count = column.delta(event.id.count)?;
        event.relayed.push(RelayedAccess { object, access, event: EventId { action, count } });
    }
    Ok(())
}

fn take_timing(column: &mut Cursor<'_>, state: &mut Running) -> Result<Option<Timing>, Malformed> {
    match column.byte()? {
        0 => Ok(None),
        1 => {
            let worker = column.id()?;
            state.start = column.delta(state.start)?;
            Ok(Some(Timing { worker, start: state.start, end: column.delta(state.start)? }))
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

fn take_cut(cursor: &mut Cursor<'_>) -> Result<Vec<EventId>, Malformed> {
    let mut cut = Vec::new();
    let mut before = 0;
    for _ in 0..cursor.n_items()? {
        before = cursor.id_delta(before)?;
        cut.push(EventId { action: ActionId(before), count: cursor.varint()? });
    }
    Ok(cut)
}

/// An access whose writer and readers are still to be taken.
fn untold(object: ObjectId, access: Access) -> SharedAccess {
    SharedAccess { object, access, writer: None, readers: 0 }
}

fn take_writer(
    column: &mut Cursor<'_>,
    event: EventId,
    expected: Option<EventId>,
) -> Result<Option<EventId>, Malformed> {
    match column.byte()? {
        writer_tag::EXPECTED => Ok(expected),
        writer_tag::NONE => Ok(None),
        writer_tag::TOLD => {
            let action = ActionId(column.id_delta(event.action.0)?);
            Ok(Some(EventId { action, count: column.delta(event.count)? }))
        }
        _ => Err(Malformed("a writer is unknown")),
    }
}

fn take_outcome(column: &mut Cursor<'_>) -> Result<Outcome, Malformed> {
    match column.byte()? {
        1 => Ok(Outcome::Failed),
        2 => Ok(Outcome::Stopped),
        _ => Err(Malformed("an outcome is unknown")),
    }
}

fn take_extras(
    column: &mut Cursor<'_>,
    event: &mut EventRecord,
    state: &mut Running,
) -> Result<(), Malformed> {
    for _ in 0..column.n_items()? {
        let kind = take_effect_kind(column)?;
        let answer = match column.byte()? {
            0 => Ok(take_value(column)?),
            1 => Err(column.text()?.to_owned()),
            _ => return Err(Malformed("an answer is neither a value nor an error")),
        };
        event.effects.push(Effect { kind, answer });
    }
    if column.byte()? != 0 {
        state.first_line = column.delta(state.first_line)?;
        event.first_line = Some(state.first_line);
    }
    if column.byte()? != 0 {
        event.error = Some(column.text()?.to_owned());
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
        _ => return Err(Malformed("an effect is unknown")),
    })
}

/// Takes the rest of an action's definition.
pub(super) fn take_action(cursor: &mut Cursor<'_>, action: ActionId) -> Result<ActionRecord, Malformed> {
    let (template, graph) = (TemplateId(cursor.id()?), GraphInstanceId(cursor.id()?));
    Ok(ActionRecord { action, template, graph, index: take_index(cursor)? })
}

/// Takes a graph instance. A parent is created before its children, so that paths end.
pub(super) fn take_graph(cursor: &mut Cursor<'_>) -> Result<GraphRecord, Malformed> {
    let graph = cursor.id()?;
    let parent = cursor.id_delta(graph)?;
    if parent >= graph {
        return Err(Malformed("a graph instance is older than its parent"));
    }
    let (graph, parent) = (GraphInstanceId(graph), GraphInstanceId(parent));
    Ok(GraphRecord { graph, parent, call: CallId(cursor.id()?), index: take_index(cursor)? })
}

fn take_index(cursor: &mut Cursor<'_>) -> Result<Index, Malformed> {
    let n_numbers = cursor.n_items()?;
    (0..n_numbers).map(|_| cursor.signed()).collect()
}
