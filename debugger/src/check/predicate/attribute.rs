//! Attributes of events: what they are called, and their values.

use hasse_model::event::LocalState;
use hasse_model::trace::Names;
use hasse_model::value::Value;
use rhai::{Dynamic, Map};

use super::store::Seen;
use super::token::{Kind, Token};
use crate::check::moment::Moment;
use crate::check::resolve::nearest;
use crate::check::spec::{ParseError, error_at};

/// What a condition may ask of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    /// One number of the action's index, from 0.
    Index(usize),
    Count,
    Rule,
    Outcome,
    Action,
    Template,
    Graph,
    Worker,
    Start,
    End,
    /// Values of a moment; of one port or var, or of all by name.
    Values(Moment, Option<String>),
}

const NAMES: [&str; 14] = [
    "index", "count", "rule", "outcome", "action", "template", "graph", "worker", "start", "end", "took",
    "sent", "before", "after",
];

/// Reads `m.count`, `m.index[1]` or `m.after.x`: the attribute, and how many tokens it takes. The first token is the
/// variable.
pub(super) fn read(tokens: &[Token]) -> Result<(Attribute, usize), ParseError> {
    let sign = |token_idx: usize, text: &str| tokens.get(token_idx).is_some_and(|token| token.is(text));
    let name = tokens.get(2).filter(|name| sign(1, ".") && name.kind == Kind::Word);
    let Some(name) = name else {
        let message = format!("`{}` is an event, not a value", tokens[0].text);
        let hint = format!(
            "name an attribute, such as `{0}.count`, or an order of two events, such as `{0} < n`",
            tokens[0].text
        );
        return Err(error_at(tokens[0].start, message, &hint));
    };
    let moment = match name.text.as_str() {
        "index" => return read_index(tokens),
        "count" => return Ok((Attribute::Count, 3)),
        "rule" => return Ok((Attribute::Rule, 3)),
        "outcome" => return Ok((Attribute::Outcome, 3)),
        "action" => return Ok((Attribute::Action, 3)),
        "template" => return Ok((Attribute::Template, 3)),
        "graph" => return Ok((Attribute::Graph, 3)),
        "worker" => return Ok((Attribute::Worker, 3)),
        "start" => return Ok((Attribute::Start, 3)),
        "end" => return Ok((Attribute::End, 3)),
        "took" => Moment::Took,
        "sent" => Moment::Sent,
        "before" => Moment::Before,
        "after" => Moment::After,
        _ => {
            let hint = match nearest(&name.text, NAMES.into_iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", NAMES.map(|name| format!("`{name}`")).join(", ")),
            };
            return Err(error_at(name.start, format!("events have no attribute `{}`", name.text), &hint));
        }
    };
    let value = tokens.get(4).filter(|value| sign(3, ".") && value.kind == Kind::Word && !sign(5, "("));
    Ok(match value {
        Some(value) => (Attribute::Values(moment, Some(value.text.clone())), 5),
        None => (Attribute::Values(moment, None), 3),
    })
}

/// Reads on behind `m.index`.
fn read_index(tokens: &[Token]) -> Result<(Attribute, usize), ParseError> {
    let sign = |token_idx: usize, text: &str| tokens.get(token_idx).is_some_and(|token| token.is(text));
    if !sign(3, "[") {
        return Ok((Attribute::Index(0), 3));
    }
    let position = tokens.get(4).and_then(|position| position.text.parse().ok());
    match position.filter(|_| sign(5, "]")) {
        Some(position) => Ok((Attribute::Index(position), 6)),
        None => {
            let message = "a position in the index is expected here".to_owned();
            Err(error_at(
                tokens[3].end,
                message,
                "give a number: `m.index[0]` is the first one, as is `m.index`",
            ))
        }
    }
}

/// The value of an attribute.
///
/// # Errors
/// Where the record does not have it; the text says how to get it.
pub(super) fn value(event: &Seen, attribute: &Attribute, names: &Names) -> Result<Dynamic, String> {
    let action = event.id.action;
    let timing = || {
        let error = || {
            let event = names.event(event.id);
            format!(
                "the record does not say when and where {event} was executed; record the run with `--record perf`"
            )
        };
        event.timing.ok_or_else(error)
    };
    let number = |number: u64| Dynamic::from_int(i64::try_from(number).unwrap_or(i64::MAX));
    Ok(match attribute {
        Attribute::Index(position) => {
            let index = names.index_of(action).and_then(|index| index.as_slice().get(*position));
            Dynamic::from_int(
                *index.ok_or_else(|| format!("{} has no such index number", names.action(action)))?,
            )
        }
        Attribute::Count => number(event.id.count),
        Attribute::Rule => Dynamic::from_int(event.rule.into()),
        Attribute::Outcome => event.outcome.name().into(),
        Attribute::Action => names.action(action).to_string().into(),
        Attribute::Template => {
            let template = names.template_of(action).and_then(|template| names.template_name(template));
            template.unwrap_or("?").into()
        }
        Attribute::Graph => {
            let path = names.graph_of(action).map(|graph| names.graph_path(graph).to_string());
            path.filter(|path| !path.is_empty()).unwrap_or_else(|| "/".to_owned()).into()
        }
        Attribute::Worker => number(timing()?.worker.into()),
        Attribute::Start => number(timing()?.start),
        Attribute::End => number(timing()?.end),
        Attribute::Values(moment, name) => {
            let local = event.local.as_deref().ok_or_else(|| {
                let event = names.event(event.id);
                format!(
                    "the record does not hold the values of {event}; a replay that captures values gives them again"
                )
            })?;
            values(local, *moment, name.as_deref())
        }
    })
}

fn values(local: &LocalState, moment: Moment, name: Option<&str>) -> Dynamic {
    let all = match moment {
        Moment::Took => &local.took,
        Moment::Sent => &local.sent,
        Moment::Before => &local.before,
        Moment::After => &local.after,
    };
    let of = |name: &str| {
        let mut values = all.iter().filter(|(known, _)| known == name).map(|(_, value)| dynamic(value));
        match (values.next(), values.next()) {
            (None, _) => Dynamic::UNIT,
            (Some(only), None) => only,
            (Some(first), Some(second)) => {
                Dynamic::from_array([first, second].into_iter().chain(values).collect())
            }
        }
    };
    match name {
        Some(name) => of(name),
        None => Dynamic::from_map(all.iter().map(|(name, _)| (name.as_str().into(), of(name))).collect()),
    }
}

/// A value as conditions see it: vectors as arrays, matrices as arrays of rows, structs as maps.
fn dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Unit => Dynamic::UNIT,
        Value::Bool(flag) => (*flag).into(),
        Value::Int(number) => Dynamic::from_int(*number),
        Value::Real(number) => Dynamic::from_float(*number),
        Value::Char(letter) => (*letter).into(),
        Value::String(text) => text.as_ref().into(),
        Value::Bytes(bytes) => Dynamic::from_blob(bytes.to_vec()),
        Value::Vector(entries) => Dynamic::from_array(entries.iter().map(|&entry| entry.into()).collect()),
        Value::Matrix(matrix) => {
            let entry = |row, col| matrix.get(row, col).map_or(Dynamic::UNIT, Dynamic::from_float);
            let row = |row| Dynamic::from_array((0..matrix.n_cols()).map(|col| entry(row, col)).collect());
            Dynamic::from_array((0..matrix.n_rows()).map(row).collect())
        }
        Value::Array(items) => Dynamic::from_array(items.iter().map(dynamic).collect()),
        Value::Struct(held) => {
            let fields = held.entries().map(|(name, field)| (name.into(), dynamic(field)));
            Dynamic::from_map(fields.collect::<Map>())
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| ((&**key).into(), dynamic(value)));
            Dynamic::from_map(entries.collect::<Map>())
        }
    }
}
