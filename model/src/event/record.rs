//! The record of one event, and its parts.

use crate::choices::Choices;
use crate::id::{EventId, ObjectId};
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

impl SharedAccess {
    /// The access of a later event that uses the object in the same way, where this is the access of `event` and no
    /// other event has written the object in between.
    #[inline]
    pub fn left_by(self, event: EventId) -> Self {
        match self.access {
            Access::Read => self,
            Access::Write => Self { writer: Some(event), readers: 0, ..self },
        }
    }
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
    /// Nanoseconds from the start of the run to the taking of values; of an event that was suspended, to its being carried on last.
    pub start: u64,
    /// Nanoseconds from the start of the run to the end of the execution.
    pub end: u64,
    /// Nanoseconds before `start` for which it was suspended, as it waited for the world outside: since it took its values.
    pub suspended: u64,
}

impl Timing {
    /// The times of an execution that was not suspended.
    #[inline]
    pub fn new(worker: u32, start: u64, end: u64) -> Self {
        Self { worker, start, end, suspended: 0 }
    }
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
    /// Vars by name when the firing rule was selected: before its values were bound.
    pub found: Vec<(String, Value)>,
    /// Shared objects by the names that the node has for them, before the body, in the order of locking: that of
    /// [`EventRecord::shared`].
    pub shared_before: Vec<(String, Value)>,
    /// Those that the body may write, after it.
    pub shared_after: Vec<(String, Value)>,
    /// The creation parameters of its graph instance.
    pub params: Vec<(String, Value)>,
    /// What the firing rule bound to names that are no vars.
    pub bound: Vec<(String, Value)>,
    /// What the body bound by `let` at its outermost level, or what a native body set.
    pub lets: Vec<(String, Value)>,
    /// Ports of actions, such as `/Solve[2].b`, that values went to, each with the position of the value in
    /// `sent`.
    pub receivers: Vec<(usize, String)>,
    /// Lines printed.
    pub lines: Vec<String>,
    /// Results set, in order.
    pub results: Vec<(String, Value)>,
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
    /// No question: the user of a debugger has assigned a value at a stop point. The answer holds the point, the
    /// name and the value.
    Assigned,
    /// No question: lines that the event printed before its end, not followed at once by its last ones. The answer is an
    /// array of the position of the first line in the run's output, and the lines.
    Printed,
    /// No question: the event took a value that the user of a debugger had added to a queue. The answer is an array of its
    /// position among the values removed, and the value.
    Added,
    /// A stream was opened, read, written to or closed.
    Stream,
    /// A command was carried out.
    Command,
    Http,
    Sql,
    /// No question: how many values the event took where its firing rule takes as many as there are. The answer is the number.
    Taken,
    /// No question: the event has failed, as a port to which it meant to send was full. The answer is the message of the error.
    Refused,
    /// No question: a value that the event took was sent by an event before the first one that the trace keeps. The answer is the
    /// position among the values removed.
    Earlier,
    /// No question: a shared object that the event accessed had been written last by an event that a cut record leaves out. The
    /// answer is an array of the position among its accesses, the content, and the last result-setting events before that writer,
    /// each as an array of action and count.
    Found,
}

impl EffectKind {
    /// Whether a body was given the answer; else it is a note about the event.
    pub fn is_question(self) -> bool {
        !matches!(
            self,
            EffectKind::Assigned
                | EffectKind::Printed
                | EffectKind::Added
                | EffectKind::Taken
                | EffectKind::Refused
                | EffectKind::Earlier
                | EffectKind::Found
        )
    }
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
    /// Position of the firing rule taken; -1 for a start node's first execution, and where `init` failed.
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
    /// Position in the run's output of the first line that the event printed at its end. Lines that it had printed before
    /// are noted as [`EffectKind::Printed`] where lines of others came between.
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
    /// Whether `init` failed in an action that a value had created: no firing rule was looked at.
    pub fn is_failed_init(&self) -> bool {
        self.rule < 0 && self.outcome == Outcome::Failed && !(self.flow.is_empty() && self.relayed.is_empty())
    }

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
