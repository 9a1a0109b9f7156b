//! Text of values, as `print(x)` and `${x}` show them; the same in interpreted and in compiled bodies.

use hasse_model::show::{Limits, Shown, in_text};
use hasse_model::value::Value;
use rhai::Dynamic;

use crate::convert::dynamic_from_value;

/// Text of a value that is printed alone: of vectors, matrices, arrays, maps and structs the lines that a session shows.
pub(crate) fn printed(value: &Value) -> String {
    match value {
        Value::Vector(_) | Value::Matrix(_) | Value::Array(_) | Value::Map(_) | Value::Struct(_) => {
            Shown::new(value, &Limits::default()).to_string()
        }
        _ => within_text(value.clone()),
    }
}

/// Text of a value within a text.
pub(super) fn within_text(value: Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Vector(_) | Value::Matrix(_) => in_text(&value),
        // As the interpreter writes numbers.
        value => dynamic_from_value(value).to_string(),
    }
}

/// Text of an array of the interpreter that is printed alone.
pub(crate) fn printed_array(array: &mut rhai::Array) -> String {
    printed_held(&Dynamic::from_array(array.clone()))
}

/// Text of a map of the interpreter that is printed alone.
pub(crate) fn printed_map(map: &mut rhai::Map) -> String {
    printed_held(&Dynamic::from_map(map.clone()))
}

/// Text of an array or map. One that holds what is no value, such as a function, is written as the interpreter writes it.
fn printed_held(held: &Dynamic) -> String {
    crate::convert::value_from_dynamic(held).map_or_else(|_| held.to_string(), |value| printed(&value))
}
