//! Answers to questions about one event, as data.

use hasse_debugger::json::{serialize_named, serialize_optional, serialize_value};
use hasse_debugger::why::RuleTaken;
use hasse_model::value::Value;
use serde::Serialize;

/// The values of one event. Serializes for other programs, values as JSON that says most about them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventValues {
    /// Path and count, such as `/Mult[3]:2`.
    pub event: String,
    /// Label of its node.
    pub node: String,
    /// The firing rule that was taken; `None` for the first execution of a start node.
    pub rule: Option<RuleTaken>,
    /// `done`, `failed` or `stopped`.
    pub outcome: &'static str,
    /// What went wrong, for a failed event.
    pub error: Option<String>,
    /// What it took, in the order of removal.
    pub took: Vec<Taken>,
    /// The shared objects that it accessed, in the order of locking.
    pub shared: Vec<SharedValue>,
    /// Its vars, in the order of the file.
    pub vars: Vec<VarValue>,
    /// The creation parameters of its graph instance.
    #[serde(serialize_with = "serialize_named")]
    pub params: Vec<(String, Value)>,
    /// What its firing rule bound to names that are no vars.
    #[serde(serialize_with = "serialize_named")]
    pub bound: Vec<(String, Value)>,
    /// What its body bound by `let` at its outermost level.
    #[serde(serialize_with = "serialize_named")]
    pub lets: Vec<(String, Value)>,
    /// What it sent, in order.
    pub sent: Vec<Sent>,
    /// Events that took something of it, where the record tells; empty for a minimal record.
    pub taken_by: Vec<String>,
    /// Lines that it printed.
    pub lines: Vec<String>,
    /// Results that it set.
    #[serde(serialize_with = "serialize_named")]
    pub results: Vec<(String, Value)>,
    /// What it asked the world outside, in order.
    pub answers: Vec<Answer>,
    /// How much was replayed for it.
    pub replayed: Replayed,
}

/// A value that an event took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Taken {
    /// The port, or the element of a family, such as `diag[2]`.
    pub port: String,
    /// The value.
    #[serde(serialize_with = "serialize_value")]
    pub value: Value,
    /// The event that sent it.
    pub sender: Option<String>,
}

/// A shared object that an event accessed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedValue {
    /// The node's name for it.
    pub name: String,
    /// Its path.
    pub object: String,
    /// Whether the event might write it.
    pub writes: bool,
    /// The event that wrote it last; `None` where it held its first content.
    pub writer: Option<String>,
    /// What it held.
    #[serde(serialize_with = "serialize_value")]
    pub before: Value,
    /// What a writer that ended well left.
    #[serde(serialize_with = "serialize_optional")]
    pub after: Option<Value>,
}

/// A var of an event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VarValue {
    /// Its name.
    pub name: String,
    /// What it held when the firing rule was selected.
    #[serde(serialize_with = "serialize_optional")]
    pub found: Option<Value>,
    /// What it held before the body: the same, unless the firing rule assigned it.
    #[serde(serialize_with = "serialize_optional")]
    pub before: Option<Value>,
    /// What it held after the body; `None` where that has no end.
    #[serde(serialize_with = "serialize_optional")]
    pub after: Option<Value>,
}

/// A value that an event sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sent {
    /// The port, or the element of a family.
    pub port: String,
    /// The value.
    #[serde(serialize_with = "serialize_value")]
    pub value: Value,
    /// Ports of actions that it went to, such as `/Solve.b`.
    pub to: Vec<String>,
}

/// A question to the world outside, and its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// What was asked: `Time`, `Random`, `ReadFile` and so on.
    pub question: String,
    /// The answer.
    #[serde(serialize_with = "serialize_optional")]
    pub value: Option<Value>,
    /// The error that the body was given instead.
    pub error: Option<String>,
}

/// How an event failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Stable code, such as `R0001`.
    pub code: String,
    /// What went wrong.
    pub message: String,
    /// Line in the program's file, from 1; 0 where it has none.
    pub line: u32,
}

/// How much was replayed to answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// Events replayed.
    pub n_replayed: u64,
    /// Events of the record; `None` for a minimal record that ends before its run did.
    pub n_recorded: Option<u64>,
}
