//! The state of a run at a moment, for a person and for other programs.

use std::io::{self, Write};

use hasse_debugger::json::{serialize_named, serialize_value};
use hasse_debugger::show::{Limits, Shown};
use hasse_model::id::EventId;
use hasse_model::quantity::counted;
use hasse_model::snapshot::{ActionState, ObjectState, QueueState, SentValue, Snapshot};
use hasse_model::trace::Names;
use hasse_model::value::Value;
use serde::Serialize;

use super::timeline::Timeline;
use crate::api::event::EventError;

/// Maximum number of values listed per queue.
const MOST_VALUES: usize = 24;

/// The state of a run at a moment. Serializes for other programs, values as JSON that says most about them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// Number of events before the moment.
    pub position: u64,
    /// Number of events of the record.
    pub n_events: u64,
    /// The last event before the moment, in the order of the record.
    pub after: Option<String>,
    /// Shared objects that have been accessed, in the order of their paths.
    pub shared: Vec<ObjectAt>,
    /// Actions that exist, in the order of graph instances, nodes and indices.
    pub actions: Vec<ActionAt>,
    /// Results so far, by name.
    #[serde(serialize_with = "serialize_named")]
    pub results: Vec<(String, Value)>,
    /// Events that have failed, with their messages.
    pub errors: Vec<FailedAt>,
}

/// A shared object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectAt {
    /// Its path.
    pub object: String,
    /// Its value.
    #[serde(serialize_with = "serialize_value")]
    pub value: Value,
    /// The event that wrote it last; `None` where it holds its first value.
    pub writer: Option<String>,
    /// Number of events that have read it since.
    pub n_readers: u64,
}

/// An action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActionAt {
    /// Its path.
    pub action: String,
    /// Number of its executions.
    pub count: u64,
    /// True if it stopped with an error.
    pub has_failed: bool,
    /// Its vars; none before its first values.
    #[serde(serialize_with = "serialize_named")]
    pub vars: Vec<(String, Value)>,
    /// Queued values by port.
    pub queues: Vec<QueueAt>,
}

/// Values that wait on a port, or on an element of a family.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueAt {
    /// The port, or the element, such as `diag[2]`.
    pub port: String,
    /// In the order of arrival.
    pub values: Vec<WaitingValue>,
}

/// A value that waits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WaitingValue {
    /// The value.
    #[serde(serialize_with = "serialize_value")]
    pub value: Value,
    /// The event that sent it.
    pub sender: Option<String>,
}

/// A failed event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailedAt {
    /// Its path.
    pub event: String,
    /// Code of the error.
    pub code: String,
    /// Message of the error.
    pub message: String,
}

impl State {
    /// The state at a moment, as [`Timeline::state`] computes it.
    ///
    /// # Errors
    /// As for [`Timeline::state`].
    pub fn at(timeline: &Timeline<'_>, position: u64) -> Result<Self, EventError> {
        let position = position.min(timeline.moments().n_events());
        let snapshot = timeline.state(position)?;
        Ok(Self::of(timeline, position, &snapshot))
    }

    /// A state that a replay has come to at a moment.
    pub fn of(timeline: &Timeline<'_>, position: u64, snapshot: &Snapshot) -> Self {
        let moments = timeline.moments();
        let after = moments.event_before(position).map(|event| timeline.names().event(event).to_string());
        let named = Self::named(snapshot, &timeline.names_at(snapshot));
        Self { position, n_events: moments.n_events(), after, ..named }
    }

    fn named(snapshot: &Snapshot, names: &Names) -> Self {
        let name = |event: EventId| names.event(event).to_string();
        let object = |state: &ObjectState| ObjectAt {
            object: names.object(state.record.object).to_string(),
            value: state.value.clone(),
            writer: state.writer.map(name),
            n_readers: state.n_readers,
        };
        let mut shared: Vec<ObjectAt> = snapshot.objects.iter().map(object).collect();
        shared.sort_by(|left, right| left.object.cmp(&right.object));
        let mut actions: Vec<(String, &ActionState)> = snapshot
            .actions
            .iter()
            .map(|state| (names.graph_path(state.record.graph).to_string(), state))
            .collect();
        actions.sort_by(|(left_graph, left), (right_graph, right)| {
            let place = |state: &ActionState| (state.record.template, state.record.index.clone());
            left_graph.cmp(right_graph).then_with(|| place(left).cmp(&place(right)))
        });
        let action = |(_, state): (String, &ActionState)| ActionAt {
            action: names.action(state.record.action).to_string(),
            count: state.count,
            has_failed: state.has_failed,
            vars: state.vars.clone().unwrap_or_default(),
            queues: state.queues.iter().map(|queue| queue_at(queue, names)).collect(),
        };
        Self {
            position: 0,
            n_events: 0,
            after: None,
            shared,
            actions: actions.into_iter().map(action).collect(),
            results: snapshot
                .results
                .iter()
                .map(|result| (result.name.clone(), result.value.clone()))
                .collect(),
            errors: snapshot
                .errors
                .iter()
                .map(|error| FailedAt {
                    event: error.event.clone(),
                    code: error.code.clone(),
                    message: error.message.clone(),
                })
                .collect(),
        }
    }

    /// Keeps the actions, of which `is_wanted` returns true for the path, and the objects.
    pub fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) {
        self.actions.retain(|action| is_wanted(&action.action));
    }

    /// The moment in a few words.
    pub fn headline(&self) -> String {
        let Self { position, n_events, after, .. } = self;
        let after =
            after.as_ref().map_or("nothing has been executed".to_owned(), |event| format!("after {event}"));
        format!("moment {position} of {n_events}: {after}")
    }

    /// Writes it for a person. Actions that hold nothing are left out.
    ///
    /// # Errors
    /// `out` does not take it.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let limits = Limits::one_line();
        writeln!(out, "{}", self.headline())?;
        for ObjectAt { object, value, writer, .. } in &self.shared {
            let writer = writer.as_ref().map_or(String::new(), |writer| format!("  (written by {writer})"));
            writeln!(out, "{object} = {}{writer}", Shown::new(value, &limits))?;
        }
        let mut n_plain = 0;
        for ActionAt { action, count, has_failed, vars, queues } in &self.actions {
            if vars.is_empty() && queues.is_empty() && !has_failed {
                n_plain += 1;
                continue;
            }
            let failed = if *has_failed { ", failed" } else { "" };
            writeln!(out, "{action}: {}{failed}", counted(*count, "execution"))?;
            for (name, value) in vars {
                writeln!(out, "  {name} = {}", Shown::new(value, &limits))?;
            }
            for QueueAt { port, values } in queues {
                writeln!(out, "  port {port}: {}", counted(values.len() as u64, "value"))?;
                for WaitingValue { value, sender } in values.iter().take(MOST_VALUES) {
                    let sender = sender.as_ref().map_or(String::new(), |sender| format!(" from {sender}"));
                    writeln!(out, "    {}{sender}", Shown::new(value, &limits))?;
                }
                if values.len() > MOST_VALUES {
                    writeln!(out, "    {} more", values.len() - MOST_VALUES)?;
                }
            }
        }
        if n_plain > 0 {
            let actions = if n_plain == 1 { "action holds" } else { "actions hold" };
            writeln!(out, "{n_plain} more {actions} nothing")?;
        }
        for (name, value) in &self.results {
            writeln!(out, "result {name} = {}", Shown::new(value, &limits))?;
        }
        for FailedAt { event, code, message } in &self.errors {
            writeln!(out, "{event} failed: {code}: {message}")?;
        }
        Ok(())
    }
}

/// Values that wait on a port, with the paths of their senders.
pub(super) fn queue_at(queue: &QueueState, names: &Names) -> QueueAt {
    let value = |sent: &SentValue| WaitingValue {
        value: sent.value.clone(),
        sender: sent.sender.map(|sender| names.event(sender).to_string()),
    };
    QueueAt {
        port: format!("{}{}", queue.port, queue.elements),
        values: queue.values.iter().map(value).collect(),
    }
}
