//! From a batch to bytes: definitions, then one column for each property of an event.
//!
//! Numbers are varints of differences: an action's id to the one before it, a sender's action and
//! count to the event's own. Columns lie one behind the other, so that what repeats lies together
//! and compression finds it. Time: linear in the events and the items of their lists.

use super::predict::{Past, Predictor, flag};
use super::value::put_value;
use super::varint::{Malformed, put_bytes, put_delta, put_signed, put_varint};
use crate::choices::Choices;
use crate::event::{
    ActionRecord, Effect, EffectKind, EventBatch, EventRow, GraphRecord, Outcome, SharedAccess, Timing,
};
use crate::id::{EventId, Index};
use crate::plan::Access;

/// The columns, in the order in which they lie in a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Action,
    Flags,
    Count,
    Rule,
    Routes,
    FlowLen,
    FlowAction,
    FlowCount,
    Objects,
    Writers,
    Readers,
    Successors,
    Outcome,
    Extras,
    Relayed,
    Timing,
    Choices,
}

/// Number of columns.
pub(super) const N_COLUMNS: usize = 17;

/// What a batch has beside the columns of a full record, as bits of its flag byte.
pub(super) mod batch_flag {
    pub(crate) const RELAYED: u8 = 1;
    pub(crate) const TIMED: u8 = 1 << 1;
    pub(crate) const CHOICES: u8 = 1 << 2;
    pub(crate) const CUT: u8 = 1 << 3;
}

/// What was free of an event, as bits.
pub(super) mod choice_tag {
    pub(crate) const THERE: u8 = 1;
    pub(crate) const RULE: u8 = 1 << 1;
    pub(crate) const LINE: u8 = 1 << 2;
    pub(crate) const TAKES: u8 = 1 << 3;
    pub(crate) const ACCESSES: u8 = 1 << 4;
}

/// How a writer is told: as expected, none, or by what follows.
pub(super) mod writer_tag {
    pub(crate) const EXPECTED: u8 = 0;
    pub(crate) const NONE: u8 = 1;
    pub(crate) const TOLD: u8 = 2;
}

/// The encoder of one stream; keeps its buffers from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    predictor: Predictor,
    columns: [Vec<u8>; N_COLUMNS],
}

impl Encoder {
    /// Appends a batch; `Err` where a value cannot be written.
    pub(super) fn encode(&mut self, batch: &EventBatch, out: &mut Vec<u8>) -> Result<(), Malformed> {
        self.predictor.reset();
        self.columns.iter_mut().for_each(Vec::clear);
        put_varint(out, batch.graphs.len() as u64);
        batch.graphs.iter().for_each(|graph| put_graph(out, graph));
        put_varint(out, batch.actions.len() as u64);
        let mut before = 0;
        for action in &batch.actions {
            put_delta(out, before, u64::from(action.action.0));
            put_action(out, action);
            before = u64::from(action.action.0);
        }
        put_varint(out, batch.objects.len() as u64);
        for object in &batch.objects {
            put_varint(out, u64::from(object.object.0));
            put_varint(out, u64::from(object.shared.0));
            put_varint(out, u64::from(object.graph.0));
            put_index(out, &object.index);
        }
        let mut state = Running::default();
        let mut flags = 0;
        for row in batch.rows() {
            flags |= if row.relayed.is_empty() { 0 } else { batch_flag::RELAYED };
            flags |= if row.timing.is_none() { 0 } else { batch_flag::TIMED };
            flags |= if row.choices.is_none() { 0 } else { batch_flag::CHOICES };
        }
        for row in batch.rows() {
            self.put_row(&row, &mut state)?;
            if flags & batch_flag::RELAYED != 0 {
                put_relayed(&mut self.columns[Column::Relayed as usize], &row, &mut state);
            }
            if flags & batch_flag::TIMED != 0 {
                put_timing(&mut self.columns[Column::Timing as usize], row.timing, &mut state);
            }
            if flags & batch_flag::CHOICES != 0 {
                put_choices(&mut self.columns[Column::Choices as usize], row.id, row.choices);
            }
        }
        flags |= if batch.cut.is_none() { 0 } else { batch_flag::CUT };
        out.push(flags);
        if let Some(cut) = &batch.cut {
            put_cut(out, cut);
        }
        put_varint(out, batch.n_events() as u64);
        for column in &self.columns {
            put_bytes(out, column);
        }
        Ok(())
    }

    fn put_row(&mut self, row: &EventRow<'_>, state: &mut Running) -> Result<(), Malformed> {
        let columns = &mut self.columns;
        put_delta(&mut columns[Column::Action as usize], state.action, u64::from(row.id.action.0));
        state.action = u64::from(row.id.action.0);
        let mut flags = put_exceptions(columns, self.predictor.past(row.id.action), row, state);
        for access in row.shared {
            put_access(columns, &self.predictor, row.id, access);
            self.predictor.note_access(row.id, access);
        }
        if row.outcome != Outcome::Done {
            flags |= flag::OUTCOME;
            columns[Column::Outcome as usize].push(outcome_tag(row.outcome));
        }
        if !row.effects.is_empty() || row.first_line.is_some() || row.error.is_some() {
            flags |= flag::EXTRAS;
            put_extras(&mut columns[Column::Extras as usize], row, state)?;
        }
        columns[Column::Flags as usize].push(flags);
        Ok(())
    }

    /// Gives back the memory of an unusually large batch.
    pub(super) fn shrink_to(&mut self, n_bytes: usize) {
        self.columns.iter_mut().for_each(|column| column.shrink_to(n_bytes));
    }
}

/// What runs through a batch from event to event, whatever their actions.
#[derive(Debug, Default)]
struct Running {
    action: u64,
    object: u64,
    first_line: u64,
    relayed_object: u64,
    start: u64,
}

/// Writes what the action's past does not predict and brings the past up to date.
#[inline]
fn put_exceptions(
    columns: &mut [Vec<u8>; N_COLUMNS],
    past: &mut Past,
    row: &EventRow<'_>,
    state: &mut Running,
) -> u8 {
    let mut flags = 0;
    let expected_count = past.count.wrapping_add(1);
    if row.id.count != expected_count {
        flags |= flag::COUNT;
        put_delta(&mut columns[Column::Count as usize], expected_count, row.id.count);
    }
    past.count = row.id.count;
    if row.rule != past.rule {
        flags |= flag::RULE;
        put_signed(&mut columns[Column::Rule as usize], i64::from(row.rule));
        past.rule = row.rule;
    }
    if row.routes != past.routes() {
        flags |= flag::ROUTES;
        let column = &mut columns[Column::Routes as usize];
        put_varint(column, row.routes.len() as u64);
        row.routes.iter().for_each(|&route| put_varint(column, u64::from(route)));
        past.set_routes(row.routes);
    }
    if !past.expects_flow(row.flow) {
        flags |= flag::FLOW;
        put_varint(&mut columns[Column::FlowLen as usize], row.flow.len() as u64);
        for sender in row.flow {
            put_event(columns, Column::FlowAction, Column::FlowCount, row.id, *sender);
        }
    }
    past.set_flow(row.flow);
    if !past.expects_objects(row.shared) {
        flags |= flag::OBJECTS;
        put_objects(&mut columns[Column::Objects as usize], row.shared, state);
        past.set_objects(row.shared);
    }
    if row.flow_successors != past.flow_successors {
        flags |= flag::SUCCESSORS;
        put_varint(&mut columns[Column::Successors as usize], row.flow_successors);
        past.flow_successors = row.flow_successors;
    }
    flags
}

fn put_event(
    columns: &mut [Vec<u8>; N_COLUMNS],
    actions: Column,
    counts: Column,
    own: EventId,
    other: EventId,
) {
    put_delta(&mut columns[actions as usize], u64::from(own.action.0), u64::from(other.action.0));
    put_delta(&mut columns[counts as usize], own.count, other.count);
}

fn put_objects(column: &mut Vec<u8>, shared: &[SharedAccess], state: &mut Running) {
    put_varint(column, shared.len() as u64);
    for access in shared {
        put_delta(column, state.object, u64::from(access.object.0));
        column.push(access_tag(access.access));
        state.object = u64::from(access.object.0);
    }
}

fn put_access(
    columns: &mut [Vec<u8>; N_COLUMNS],
    predictor: &Predictor,
    event: EventId,
    access: &SharedAccess,
) {
    let expected = predictor.writer(access.object);
    let tag = match access.writer {
        writer if writer == expected => writer_tag::EXPECTED,
        None => writer_tag::NONE,
        Some(_) => writer_tag::TOLD,
    };
    columns[Column::Writers as usize].push(tag);
    if let (writer_tag::TOLD, Some(writer)) = (tag, access.writer) {
        put_event(columns, Column::Writers, Column::Writers, event, writer);
    }
    put_varint(&mut columns[Column::Readers as usize], access.readers);
}

fn put_relayed(column: &mut Vec<u8>, row: &EventRow<'_>, state: &mut Running) {
    put_varint(column, row.relayed.len() as u64);
    for relayed in row.relayed {
        put_delta(column, state.relayed_object, u64::from(relayed.object.0));
        state.relayed_object = u64::from(relayed.object.0);
        column.push(access_tag(relayed.access));
        put_delta(column, u64::from(row.id.action.0), u64::from(relayed.event.action.0));
        put_delta(column, row.id.count, relayed.event.count);
    }
}

fn put_timing(column: &mut Vec<u8>, timing: Option<Timing>, state: &mut Running) {
    let Some(timing) = timing else {
        column.push(0);
        return;
    };
    column.push(1);
    put_varint(column, u64::from(timing.worker));
    put_delta(column, state.start, timing.start);
    put_delta(column, timing.start, timing.end);
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

fn put_cut(out: &mut Vec<u8>, cut: &[EventId]) {
    put_varint(out, cut.len() as u64);
    let mut before = 0;
    for last in cut {
        put_delta(out, before, u64::from(last.action.0));
        put_varint(out, last.count);
        before = u64::from(last.action.0);
    }
}

fn put_extras(column: &mut Vec<u8>, row: &EventRow<'_>, state: &mut Running) -> Result<(), Malformed> {
    put_varint(column, row.effects.len() as u64);
    for effect in row.effects {
        put_effect(column, effect)?;
    }
    match row.first_line {
        None => column.push(0),
        Some(line) => {
            column.push(1);
            put_delta(column, state.first_line, line);
            state.first_line = line;
        }
    }
    match row.error {
        None => column.push(0),
        Some(message) => {
            column.push(1);
            put_bytes(column, message.as_bytes());
        }
    }
    Ok(())
}

fn put_effect(column: &mut Vec<u8>, effect: &Effect) -> Result<(), Malformed> {
    column.push(match effect.kind {
        EffectKind::Time => 0,
        EffectKind::Random => 1,
        EffectKind::ReadFile => 2,
        EffectKind::FileSize => 3,
        EffectKind::FileExists => 4,
        EffectKind::Environment => 5,
        EffectKind::StandardInput => 6,
        EffectKind::ListFolder => 7,
        EffectKind::WriteFile => 8,
        EffectKind::Native => 9,
        EffectKind::Assigned => 10,
    });
    match &effect.answer {
        Ok(value) => {
            column.push(0);
            put_value(column, value)
        }
        Err(message) => {
            column.push(1);
            put_bytes(column, message.as_bytes());
            Ok(())
        }
    }
}

/// Appends a graph instance.
pub(super) fn put_graph(out: &mut Vec<u8>, graph: &GraphRecord) {
    put_varint(out, u64::from(graph.graph.0));
    put_delta(out, u64::from(graph.graph.0), u64::from(graph.parent.0));
    put_varint(out, u64::from(graph.call.0));
    put_index(out, &graph.index);
}

/// Appends what an action is an instance of.
pub(super) fn put_action(out: &mut Vec<u8>, action: &ActionRecord) {
    put_varint(out, u64::from(action.template.0));
    put_varint(out, u64::from(action.graph.0));
    put_index(out, &action.index);
}

/// Appends an index.
fn put_index(out: &mut Vec<u8>, index: &Index) {
    put_varint(out, index.as_slice().len() as u64);
    index.as_slice().iter().for_each(|&number| put_signed(out, number));
}

fn access_tag(access: Access) -> u8 {
    match access {
        Access::Read => 0,
        Access::Write => 1,
    }
}

fn outcome_tag(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Done => 0,
        Outcome::Failed => 1,
        Outcome::Stopped => 2,
    }
}
