//! How many bytes answers and values take, to bound what waits to be handed over.

use crate::event::record::{Effect, LocalState};
use crate::value::Value;

pub(super) fn effect_bytes(effect: &Effect) -> usize {
    match &effect.answer {
        Ok(value) => value_bytes(value),
        Err(message) => message.len(),
    }
}

pub(super) fn local_bytes(local: &LocalState) -> usize {
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
        Value::Map(entries) => {
            WORD + entries.iter().map(|(key, value)| WORD + key.len() + value_bytes(value)).sum::<usize>()
        }
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => WORD,
    }
}
