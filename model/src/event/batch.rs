//! Batches: many events in columns, with the names that first occur in them.

use super::{
    ActionRecord, Effect, EventRecord, GraphRecord, LocalState, ObjectRecord, Outcome, RelayedAccess,
    SharedAccess, Timing,
};
use crate::choices::Choices;
use crate::id::EventId;
use crate::value::Value;

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
    heads: Vec<EventHead>,
    routes: Vec<u32>,
    flow: Vec<EventId>,
    shared: Vec<SharedAccess>,
    relayed: Vec<RelayedAccess>,
    /// One for each event in a timed record, else empty.
    timings: Vec<Timing>,
    extras: Vec<EventExtra>,
    payload_bytes: usize,
}

/// The fixed part of an event within a batch; the lists are the next `n_` items of the columns.
#[derive(Clone, Debug, PartialEq)]
struct EventHead {
    id: EventId,
    rule: i32,
    n_routes: u32,
    n_flow: u32,
    n_shared: u32,
    n_relayed: u32,
    flow_successors: u64,
    outcome: Outcome,
    is_timed: bool,
}

/// What few events have.
#[derive(Clone, Debug, PartialEq)]
struct EventExtra {
    event_idx: usize,
    effects: Vec<Effect>,
    first_line: Option<u64>,
    error: Option<String>,
    local: Option<Box<LocalState>>,
    choices: Option<Box<Choices>>,
}

impl EventBatch {
    /// Number of events.
    pub fn n_events(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is nothing to hand over.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
            && self.actions.is_empty()
            && self.objects.is_empty()
            && self.graphs.is_empty()
            && self.cut.is_none()
    }

    /// Bytes of effect answers and values held, to bound what waits to be handed over.
    pub fn payload_bytes(&self) -> usize {
        self.payload_bytes
    }

    /// Takes in a copy of an event; moves its effects, error, values and choices out of it.
    pub fn push(&mut self, event: &mut EventRecord) {
        self.heads.push(EventHead {
            id: event.id,
            rule: event.rule,
            n_routes: event.routes.len() as u32,
            n_flow: event.flow.len() as u32,
            n_shared: event.shared.len() as u32,
            n_relayed: event.relayed.len() as u32,
            flow_successors: event.flow_successors,
            outcome: event.outcome,
            is_timed: event.timing.is_some(),
        });
        self.routes.extend_from_slice(&event.routes);
        self.flow.extend_from_slice(&event.flow);
        self.shared.extend_from_slice(&event.shared);
        self.relayed.extend_from_slice(&event.relayed);
        self.timings.extend(event.timing);
        let has_more = event.local.is_some() || event.choices.is_some();
        if !event.effects.is_empty() || event.first_line.is_some() || event.error.is_some() || has_more {
            self.payload_bytes += event.effects.iter().map(effect_bytes).sum::<usize>();
            self.payload_bytes += event.local.as_deref().map_or(0, local_bytes);
            self.extras.push(EventExtra {
                event_idx: self.heads.len() - 1,
                effects: std::mem::take(&mut event.effects),
                first_line: event.first_line,
                error: event.error.take(),
                local: event.local.take(),
                choices: event.choices.take(),
            });
        }
    }

    /// Empties the batch; keeps its memory.
    pub fn clear(&mut self) {
        self.graphs.clear();
        self.actions.clear();
        self.objects.clear();
        self.cut = None;
        self.heads.clear();
        self.routes.clear();
        self.flow.clear();
        self.shared.clear();
        self.relayed.clear();
        self.timings.clear();
        self.extras.clear();
        self.payload_bytes = 0;
    }

    /// All events, borrowed, in order.
    pub fn rows(&self) -> impl Iterator<Item = EventRow<'_>> + '_ {
        let (mut routes, mut flow, mut shared) = (&self.routes[..], &self.flow[..], &self.shared[..]);
        let (mut relayed, mut timings) = (&self.relayed[..], self.timings.iter());
        let mut extras = self.extras.iter().peekable();
        self.heads.iter().enumerate().map(move |(event_idx, head)| {
            let extra = extras.next_if(|extra| extra.event_idx == event_idx);
            EventRow {
                id: head.id,
                rule: head.rule,
                routes: split_front(&mut routes, head.n_routes),
                flow: split_front(&mut flow, head.n_flow),
                shared: split_front(&mut shared, head.n_shared),
                relayed: split_front(&mut relayed, head.n_relayed),
                flow_successors: head.flow_successors,
                outcome: head.outcome,
                effects: extra.map_or(&[], |extra| &extra.effects),
                first_line: extra.and_then(|extra| extra.first_line),
                error: extra.and_then(|extra| extra.error.as_deref()),
                timing: if head.is_timed { timings.next().copied() } else { None },
                local: extra.and_then(|extra| extra.local.as_deref()),
                choices: extra.and_then(|extra| extra.choices.as_deref()),
            }
        })
    }

    /// All events, as records of their own, in order.
    pub fn events(&self) -> impl Iterator<Item = EventRecord> + '_ {
        self.rows().map(|row| row.to_record())
    }
}

/// An event as it lies in a batch; the fields are those of [`EventRecord`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "documented at EventRecord")]
pub struct EventRow<'a> {
    pub id: EventId,
    pub rule: i32,
    pub routes: &'a [u32],
    pub flow: &'a [EventId],
    pub shared: &'a [SharedAccess],
    pub relayed: &'a [RelayedAccess],
    pub flow_successors: u64,
    pub outcome: Outcome,
    pub effects: &'a [Effect],
    pub first_line: Option<u64>,
    pub error: Option<&'a str>,
    pub timing: Option<Timing>,
    pub local: Option<&'a LocalState>,
    pub choices: Option<&'a Choices>,
}

impl EventRow<'_> {
    /// A record of its own.
    pub fn to_record(&self) -> EventRecord {
        EventRecord {
            id: self.id,
            rule: self.rule,
            routes: self.routes.to_vec(),
            flow: self.flow.to_vec(),
            shared: self.shared.to_vec(),
            relayed: self.relayed.to_vec(),
            flow_successors: self.flow_successors,
            outcome: self.outcome,
            effects: self.effects.to_vec(),
            first_line: self.first_line,
            error: self.error.map(str::to_owned),
            timing: self.timing,
            local: self.local.map(|local| Box::new(local.clone())),
            choices: self.choices.map(|choices| Box::new(choices.clone())),
        }
    }

    /// Makes `record` a copy of it; keeps the memory of the record's lists.
    pub fn copy_to(&self, record: &mut EventRecord) {
        record.reset(self.id);
        record.rule = self.rule;
        record.routes.extend_from_slice(self.routes);
        record.flow.extend_from_slice(self.flow);
        record.shared.extend_from_slice(self.shared);
        record.relayed.extend_from_slice(self.relayed);
        record.flow_successors = self.flow_successors;
        record.outcome = self.outcome;
        record.effects.extend_from_slice(self.effects);
        record.first_line = self.first_line;
        record.error = self.error.map(str::to_owned);
        record.timing = self.timing;
        record.local = self.local.map(|local| Box::new(local.clone()));
    }
}

/// Cuts the next `n_items` off a column.
fn split_front<'a, T>(column: &mut &'a [T], n_items: u32) -> &'a [T] {
    let (front, rest) = column.split_at(n_items as usize);
    *column = rest;
    front
}

fn effect_bytes(effect: &Effect) -> usize {
    match &effect.answer {
        Ok(value) => value_bytes(value),
        Err(message) => message.len(),
    }
}

fn local_bytes(local: &LocalState) -> usize {
    let lists = [
        &local.took,
        &local.before,
        &local.after,
        &local.sent,
        &local.found,
        &local.shared_before,
        &local.shared_after,
        &local.params,
        &local.bound,
        &local.lets,
        &local.results,
    ];
    let values = lists.into_iter().flatten().map(|(name, value)| name.len() + value_bytes(value));
    let texts = local.receivers.iter().map(|(_, text)| text).chain(&local.lines).map(String::len);
    values.chain(texts).sum()
}

fn value_bytes(value: &Value) -> usize {
    const WORD: usize = size_of::<Value>();
    match value {
        Value::String(text) => WORD + text.len(),
        Value::Bytes(bytes) => WORD + bytes.len(),
        Value::Vector(entries) => WORD + size_of_val(entries.as_slice()),
        Value::Matrix(matrix) => WORD + size_of_val(matrix.entries()),
        Value::Array(items) => WORD + items.iter().map(value_bytes).sum::<usize>(),
        Value::Struct(held) => WORD + held.fields().iter().map(value_bytes).sum::<usize>(),
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => WORD,
    }
}
