//! What an event took, had and sent.

mod text;

use hasse_debugger::check::evidence::Quote;
use hasse_debugger::json::{serialize_named, serialize_optional, serialize_value};
use hasse_debugger::why::RuleTaken;
use hasse_model::event::{Effect, EventRecord, LocalState};
use hasse_model::plan::{Access, Plan, Template};
use hasse_model::trace::Names;
use hasse_model::value::Value;
use serde::Serialize;

pub(super) use self::text::{write_answers, write_lines, write_named, write_sent};
use super::Ground;
use super::error::EventError;
use super::regenerate::{Regenerated, regenerate};

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

/// The values of an event, made again by a replay of what is before it. Of a minimal record the run is followed until
/// the event has ended.
///
/// # Errors
/// The record has no such event or cannot be replayed; the replay leaves it or is stopped.
pub fn values(ground: Ground<'_>, event: &str) -> Result<EventValues, EventError> {
    regenerate(ground, event).map(|made| described(ground.plan, made))
}

/// The values of an event that was made again.
pub(super) fn described(plan: &Plan, made: Regenerated) -> EventValues {
    let Regenerated { mut event, names, replayed, takers } = made;
    let local = event.local.take().map(|local| *local).unwrap_or_default();
    let label = names.template_of(event.id.action).and_then(|template| names.template_name(template));
    let label = label.unwrap_or("?").to_owned();
    let template = plan.templates.iter().find(|template| plan.template_label(template) == label);
    EventValues {
        event: names.event(event.id).to_string(),
        rule: rule_taken(template, event.rule),
        outcome: event.outcome.name(),
        error: event.error.clone(),
        took: took(&event, &local, &names),
        shared: shared(&event, &local, &names),
        vars: vars(&local),
        sent: sent(&local),
        params: local.params,
        bound: local.bound,
        lets: local.lets,
        taken_by: takers,
        lines: local.lines,
        results: local.results,
        answers: event.effects.iter().map(answer).collect(),
        replayed,
        node: label,
    }
}

pub(super) fn rule_taken(template: Option<&Template>, rule: i32) -> Option<RuleTaken> {
    let rule_idx = usize::try_from(rule).ok()?;
    let taken = template.and_then(|template| template.fire.get(rule_idx));
    let quote = taken.map(|rule| Quote { text: rule.text.clone(), line: rule.at.line });
    Some(RuleTaken { position: rule, quote })
}

fn took(event: &EventRecord, local: &LocalState, names: &Names) -> Vec<Taken> {
    let senders = event.senders().into_iter().chain(std::iter::repeat(None));
    let taken = local.took.iter().zip(senders).map(|((port, value), sender)| Taken {
        port: port.clone(),
        value: value.clone(),
        sender: sender.map(|sender| names.event(sender).to_string()),
    });
    taken.collect()
}

fn shared(event: &EventRecord, local: &LocalState, names: &Names) -> Vec<SharedValue> {
    let accesses = local.shared_before.iter().zip(&event.shared);
    let accesses = accesses.map(|((name, before), access)| SharedValue {
        name: name.clone(),
        object: names.object(access.object).to_string(),
        writes: access.access == Access::Write,
        writer: access.writer.map(|writer| names.event(writer).to_string()),
        before: before.clone(),
        after: local.shared_after.iter().find(|(after, _)| after == name).map(|(_, value)| value.clone()),
    });
    accesses.collect()
}

fn vars(local: &LocalState) -> Vec<VarValue> {
    let value_in = |list: &[(String, Value)], name: &str| {
        list.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in local.found.iter().chain(&local.before).chain(&local.after) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let vars = names.into_iter().map(|name| VarValue {
        found: value_in(&local.found, name),
        before: value_in(&local.before, name),
        after: value_in(&local.after, name),
        name: name.clone(),
    });
    vars.collect()
}

pub(super) fn sent(local: &LocalState) -> Vec<Sent> {
    let mut sent: Vec<Sent> = local
        .sent
        .iter()
        .map(|(port, value)| Sent { port: port.clone(), value: value.clone(), to: Vec::new() })
        .collect();
    for (position, receiver) in &local.receivers {
        if let Some(sent) = sent.get_mut(*position) {
            sent.to.push(receiver.clone());
        }
    }
    sent
}

pub(super) fn answer(effect: &Effect) -> Answer {
    Answer {
        question: format!("{:?}", effect.kind),
        value: effect.answer.clone().ok(),
        error: effect.answer.clone().err(),
    }
}
