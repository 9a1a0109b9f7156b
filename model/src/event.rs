//! Event records: what the instrumentation notes of each execution.
//!
//! The hot path fills one reused [`EventRecord`](crate::event::EventRecord) and copies it into the columns of an
//! [`EventBatch`](crate::event::EventBatch); a batch is what is handed over, written and read back.

use crate::choices::Choices;
use crate::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use crate::plan::Access;
use crate::value::Value;

/// How an execution ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Body and routing ran to their end.
    #[default]
    Done,
    /// The body, a guard or a sending failed; nothing that it wrote to shared objects was kept.
    Failed,
    /// The run was ended from outside while the body ran; nothing of it was kept.
    Stopped,
}

impl Outcome {
    /// The name in exports and messages.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Failed => "failed",
            Outcome::Stopped => "stopped",
        }
    }
}

/// An access to a shared object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedAccess {
    /// The object.
    pub object: ObjectId,
    /// Reader or writer.
    pub access: Access,
    /// Shared predecessor: the event that last wrote the object; `None` where none had.
    pub writer: Option<EventId>,
    /// For a writer: how many events read the object since `writer` wrote it. 0 for a reader.
    pub readers: u64,
}

/// A shared predecessor in a restricted record: a recorded event that is before this one by way of a shared
/// object, whatever the events in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelayedAccess {
    /// The object.
    pub object: ObjectId,
    /// How the event itself accesses it.
    pub access: Access,
    /// The recorded event.
    pub event: EventId,
}

/// When and where an execution took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timing {
    /// Position of the worker.
    pub worker: u32,
    /// Nanoseconds from the start of the run to the taking of values.
    pub start: u64,
    /// Nanoseconds from the start of the run to the end of the execution.
    pub end: u64,
}

/// Values of an execution, where they were asked for. Traces do not hold them: a replay gives them again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalState {
    /// Values removed, in the order of the flow predecessors of a full record, each with the name of its port.
    pub took: Vec<(String, Value)>,
    /// Vars by name when all values were taken, before the body (`befcomp`).
    pub before: Vec<(String, Value)>,
    /// Vars by name after the body (`aftcomp`).
    pub after: Vec<(String, Value)>,
    /// Values sent, in order, each with the name of its port.
    pub sent: Vec<(String, Value)>,
}

/// Which function asked the world outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EffectKind {
    Time,
    Random,
    ReadFile,
    FileSize,
    FileExists,
    Environment,
    StandardInput,
    ListFolder,
    WriteFile,
    /// An effect written in Rust.
    Native,
}

/// A question to the world outside and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// What was asked.
    pub kind: EffectKind,
    /// The answer, or the error that the body was given.
    pub answer: Result<Value, String>,
}

/// The record of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// Action and count.
    pub id: EventId,
    /// Position of the firing rule taken; -1 for a start node's first execution.
    pub rule: i32,
    /// Positions of the routing rules taken, ascending.
    pub routes: Vec<u32>,
    /// Flow predecessors. In a full record one for each value removed, in the order of removal; in a
    /// restricted record the recorded events from which something came by values, one for each action (the
    /// most recent), ascending.
    pub flow: Vec<EventId>,
    /// Shared objects accessed, in the order of locking. Empty in a restricted record.
    pub shared: Vec<SharedAccess>,
    /// Restricted record: shared predecessors, for each object one for each action, ascending.
    pub relayed: Vec<RelayedAccess>,
    /// Number of values sent along arcs.
    pub flow_successors: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Questions to the world outside, in the order asked.
    pub effects: Vec<Effect>,
    /// Position in the run's output of the first line that the event printed.
    pub first_line: Option<u64>,
    /// What went wrong, for a failed event.
    pub error: Option<String>,
    /// When and where, in a timed record.
    pub timing: Option<Timing>,
    /// Values, where they were asked for.
    pub local: Option<Box<LocalState>>,
    /// What was free, where that is noted; in a minimal record what `rule` and `shared` tell is only what counts
    /// by this.
    pub choices: Option<Box<Choices>>,
}

impl EventRecord {
    /// An empty record of an event.
    pub fn new(id: EventId) -> Self {
        Self {
            id,
            rule: -1,
            routes: Vec::new(),
            flow: Vec::new(),
            shared: Vec::new(),
            relayed: Vec::new(),
            flow_successors: 0,
            outcome: Outcome::Done,
            effects: Vec::new(),
            first_line: None,
            error: None,
            timing: None,
            local: None,
            choices: None,
        }
    }

    /// Makes it the empty record of another event; keeps the memory of its lists.
    pub fn reset(&mut self, id: EventId) {
        self.id = id;
        self.rule = -1;
        self.routes.clear();
        self.flow.clear();
        self.shared.clear();
        self.relayed.clear();
        self.flow_successors = 0;
        self.outcome = Outcome::Done;
        self.effects.clear();
        self.first_line = None;
        self.error = None;
        self.timing = None;
        self.local = None;
        self.choices = None;
    }
}

/// An instance of a graph other than the main one, seen for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRecord {
    /// Its id within the run.
    pub graph: GraphInstanceId,
    /// The graph instance that holds the call node.
    pub parent: GraphInstanceId,
    /// The call node.
    pub call: CallId,
    /// The call's index.
    pub index: Index,
}

/// An action seen for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRecord {
    /// Its id within the run.
    pub action: ActionId,
    /// What it is an instance of.
    pub template: TemplateId,
    /// The graph instance that it belongs to.
    pub graph: GraphInstanceId,
    /// Its index.
    pub index: Index,
}

/// A shared object seen for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRecord {
    /// Its id within the run.
    pub object: ObjectId,
    /// What it was declared as.
    pub shared: SharedId,
    /// The graph instance that it belongs to.
    pub graph: GraphInstanceId,
    /// Its index.
    pub index: Index,
}

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
    let lists = [&local.took, &local.before, &local.after, &local.sent];
    lists.into_iter().flatten().map(|(name, value)| name.len() + value_bytes(value)).sum()
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
