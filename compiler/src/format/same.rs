//! Whether two documents mean the same: equal but for the order of keys, comments, and the spacing of
//! arcs and rules.

use toml_edit::{Item, TableLike, Value};

use super::rules::{Notation, spaced};

/// Whether two tables mean the same.
pub(super) fn is_same_table(one: &dyn TableLike, other: &dyn TableLike) -> bool {
    count(one) == count(other)
        && one
            .iter()
            .filter(|(_, item)| !item.is_none())
            .all(|(name, item)| other.get(name).is_some_and(|other| is_same_item(item, other, name)))
}

fn count(table: &dyn TableLike) -> usize {
    table.iter().filter(|(_, item)| !item.is_none()).count()
}

fn is_same_item(one: &Item, other: &Item, key: &str) -> bool {
    if let (Some(one), Some(other)) = (one.as_table_like(), other.as_table_like()) {
        return is_same_table(one, other);
    }
    if let (Some(one), Some(other)) = (one.as_array_of_tables(), other.as_array_of_tables()) {
        return one.len() == other.len()
            && one.iter().zip(other.iter()).all(|(one, other)| is_same_table(one, other));
    }
    matches!((one.as_value(), other.as_value()), (Some(one), Some(other)) if is_same_value(one, other, key))
}

fn is_same_value(one: &Value, other: &Value, key: &str) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            let notation = Notation::of_key(key);
            one.value() == other.value() || spaced(one.value(), notation) == spaced(other.value(), notation)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other.iter()).all(|(one, other)| is_same_value(one, other, key))
        }
        (Value::InlineTable(one), Value::InlineTable(other)) => is_same_table(one, other),
        (Value::Integer(one), Value::Integer(other)) => one.value() == other.value(),
        (Value::Float(one), Value::Float(other)) => one.value().to_bits() == other.value().to_bits(),
        (Value::Boolean(one), Value::Boolean(other)) => one.value() == other.value(),
        (Value::Datetime(one), Value::Datetime(other)) => one.value() == other.value(),
        _ => false,
    }
}
