//! The state of a run at a cut: all that the rest of the run depends on, as plain data.
//!
//! At a cut no execution is under way. An action is then its vars, what waits on its ports and how often it has executed; a
//! shared object is its value with its version. Random numbers are functions of the seed, the action and the count, so that
//! the seed is all that has to be kept of them.

use crate::diagnostic::Location;
use crate::event::{ActionRecord, GraphRecord, ObjectRecord};
use crate::id::{ActionId, EventId, Index};
use crate::value::Value;

/// A snapshot as bytes.
mod bytes;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests;

pub use bytes::SnapshotError;

/// A consistent cut of a run: how often each action has executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Ascending by action, with one event for each that has executed: the last one.
    last: Vec<EventId>,
}

impl Cut {
    /// Makes the cut after these events and all that come before them in their actions. The cut is consistent if each event
    /// is in it whenever one after it in causal order is; who runs to it finds out.
    pub fn after(events: impl IntoIterator<Item = EventId>) -> Self {
        let mut last: Vec<EventId> = events.into_iter().collect();
        last.sort_unstable_by(|left, right| (left.action, right.count).cmp(&(right.action, left.count)));
        last.dedup_by_key(|event| event.action);
        Self { last }
    }

    /// The number of executions of an action within the cut. Time: logarithmic in the number of actions.
    pub fn count(&self, action: ActionId) -> u64 {
        let found = self.last.binary_search_by_key(&action, |event| event.action);
        found.map_or(0, |at| self.last[at].count)
    }

    /// The number of events within the cut.
    pub fn n_events(&self) -> u64 {
        self.last.iter().fold(0, |n_events, event| n_events.saturating_add(event.count))
    }

    /// The last event of each action that has executed, ascending by action.
    pub fn last_events(&self) -> &[EventId] {
        &self.last
    }
}

/// The state of a run at a cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Creation parameters of the main graph, by name.
    pub params: Vec<(String, Value)>,
    /// Seed of all random numbers.
    pub random_seed: u64,
    /// Number of events executed.
    pub n_events: u64,
    /// Number of actions created.
    pub n_actions: u64,
    /// Number of reclaimed actions, which could never receive again.
    pub n_reclaimed: u64,
    /// True if the stop node has executed.
    pub has_ended: bool,
    /// Labels of the nodes of the program, by [`TemplateId`](crate::id::TemplateId).
    pub templates: Vec<String>,
    /// Labels of the shared objects of the program, by [`SharedId`](crate::id::SharedId).
    pub shared: Vec<String>,
    /// Labels of the calls of the program, by [`CallId`](crate::id::CallId).
    pub calls: Vec<String>,
    /// Graph instances but for the main graph, ascending by id: parents come before their children.
    pub graphs: Vec<GraphRecord>,
    /// Actions, ascending by id.
    pub actions: Vec<ActionState>,
    /// The last event of each reclaimed action, ascending by action.
    pub reclaimed: Vec<EventId>,
    /// Shared objects, ascending by id.
    pub objects: Vec<ObjectState>,
    /// The first ids that no action, object and graph instance of the run has.
    pub first_free: [u32; 3],
    /// Results, in the order of their names: of each name the latest ones.
    pub results: Vec<ResultState>,
    /// Errors of the program, in the order in which they occurred.
    pub errors: Vec<ErrorState>,
    /// Output.
    pub output: OutputState,
}

impl Snapshot {
    /// The cut that it is the state of. Time: linear in the actions, but for a logarithm.
    pub fn cut(&self) -> Cut {
        let executed = self.actions.iter().filter(|action| action.count > 0);
        let last = executed.map(|action| EventId { action: action.record.action, count: action.count });
        Cut::after(last.chain(self.reclaimed.iter().copied()))
    }
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionState {
    /// Its id, and the node, graph instance and index.
    pub record: ActionRecord,
    /// Number of executions.
    pub count: u64,
    /// Position of the firing rule that is looked at first.
    pub first_rule: u32,
    /// True if it stopped with an error.
    pub has_failed: bool,
    /// True if it is a start node that has not executed.
    pub must_start: bool,
    /// Its vars, by name; `None` where they have not had their first values.
    pub vars: Option<Vec<(String, Value)>>,
    /// Values on its ports: each port or element of a family that holds any.
    pub queues: Vec<QueueState>,
    /// The last result-setting events before its next execution, as far as the program needs them.
    pub known: Vec<EventId>,
}

/// Values that wait on a port, or on an element of a family of ports.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueState {
    /// Name of the input port.
    pub port: String,
    /// Index of the element of a family.
    pub elements: Index,
    /// In the order in which they arrived.
    pub values: Vec<SentValue>,
}

/// A value that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct SentValue {
    /// The value.
    pub value: Value,
    /// The event that sent it; `None` if a person has added it.
    pub sender: Option<EventId>,
    /// The last result-setting events before it, as far as the program needs them.
    pub known: Vec<EventId>,
}

/// A shared object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectState {
    /// Its id, and the declaration, graph instance and index.
    pub record: ObjectRecord,
    /// Its value.
    pub value: Value,
    /// The event that wrote it last.
    pub writer: Option<EventId>,
    /// Number of events that have read it since.
    pub n_readers: u64,
    /// The last result-setting events before the writer, as far as the program needs them.
    pub known_by_writer: Vec<EventId>,
    /// The same of the readers.
    pub known_by_readers: Vec<EventId>,
}

/// A result that no other one of its name is known to come after.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultState {
    /// Its name.
    pub name: String,
    /// The event that set it.
    pub event: EventId,
    /// The path of that event.
    pub path: String,
    /// Its value.
    pub value: Value,
}

/// An error of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorState {
    /// Its code.
    pub code: String,
    /// The event, as `/Mult[3]:2`.
    pub event: String,
    /// The message.
    pub message: String,
    /// Place in the program file.
    pub at: Location,
    /// Names, texts and values that the event saw.
    pub values: Vec<(String, String, Option<Value>)>,
}

/// The output of a run, which a replay keeps in the recorded order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputState {
    /// Position of the next line.
    pub next_line: u64,
    /// Number of recorded turns that are over.
    pub n_turns: u64,
    /// Lines that wait for others to be written first, with their places in the order.
    pub early: Vec<(u64, u64, Vec<String>)>,
}

impl OutputState {
    /// The state of an output in which no line waits, as all of them have been written.
    pub fn all_written(&self) -> Self {
        let ends = self.early.iter().map(|(turn, _, lines)| turn + lines.len() as u64);
        Self { next_line: ends.fold(self.next_line, u64::max), n_turns: 0, early: Vec::new() }
    }
}
