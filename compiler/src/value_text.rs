//! Values of creation parameters and of inputs from the text that a person types for them.

use std::sync::Arc;

use hasse_model::value::{Matrix, Type, Value};
use toml_edit::Value as Toml;

/// Values of struct types, as JSON.
mod json;

pub use json::{example as json_example, is_json};

/// Reason why a text is no value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misread {
    /// It is not written as a value of the type.
    NotOfType,
    /// The type is written as JSON; says what is wrong with the text and where.
    Json(String),
}

/// Reads the value of a type from a text: of types with structs or maps as JSON, of others as in programs. `name` is the name that has
/// the value, for messages.
///
/// # Errors
/// [`Misread`] where the text is no value of the type.
pub fn read_value(ty: &Type, text: &str, name: &str) -> Result<Value, Misread> {
    if is_json(ty) {
        return json::value_of_json_text(ty, text, name).map_err(Misread::Json);
    }
    value_of_text(ty, text).ok_or(Misread::NotOfType)
}

/// The value of a type that a text denotes: scalars as they are written in programs, strings raw,
/// structs and maps as JSON, everything else as a TOML array. `any` takes TOML, and what is no TOML as a string.
fn value_of_text(ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Int => text.trim().parse().ok().map(Value::Int),
        Type::Real => text.trim().parse().ok().map(Value::Real),
        Type::Bool => text.trim().parse().ok().map(Value::Bool),
        Type::Char => {
            let mut letters = text.chars();
            letters.next().filter(|_| letters.next().is_none()).map(Value::Char)
        }
        Type::String => Some(Value::String(Arc::from(text))),
        Type::Struct(_) | Type::Map(_) => json::value_of_json_text(ty, text, "").ok(),
        Type::Bytes | Type::Vector | Type::Matrix | Type::Array(_) => {
            value_of_toml(ty, &text.trim().parse().ok()?)
        }
        Type::Any => match text.trim().parse() {
            Ok(toml) => value_of_toml(ty, &toml),
            Err(_) => Some(Value::String(Arc::from(text))),
        },
    }
}

fn value_of_toml(ty: &Type, toml: &Toml) -> Option<Value> {
    match ty {
        Type::Int => toml.as_integer().map(Value::Int),
        Type::Real => real_of_toml(toml).map(Value::Real),
        Type::Bool => toml.as_bool().map(Value::Bool),
        Type::Char => toml.as_str().and_then(|text| value_of_text(ty, text)),
        Type::String => toml.as_str().map(|text| Value::String(Arc::from(text))),
        Type::Bytes => {
            let byte = |item: &Toml| item.as_integer().and_then(|number| u8::try_from(number).ok());
            let bytes: Option<Vec<u8>> = toml.as_array()?.iter().map(byte).collect();
            bytes.map(|bytes| Value::Bytes(Arc::new(bytes)))
        }
        Type::Vector => {
            let entries: Option<Vec<f64>> = toml.as_array()?.iter().map(real_of_toml).collect();
            entries.map(|entries| Value::Vector(Arc::new(entries)))
        }
        Type::Matrix => matrix_of_toml(toml).map(|matrix| Value::Matrix(Arc::new(matrix))),
        Type::Array(item_type) => {
            let item = |item: &Toml| value_of_toml(item_type, item);
            let items: Option<Vec<Value>> = toml.as_array()?.iter().map(item).collect();
            items.map(|items| Value::Array(Arc::new(items)))
        }
        // Structs and maps are written as JSON.
        Type::Struct(_) | Type::Map(_) => None,
        Type::Any => [Type::Int, Type::Real, Type::Bool, Type::String, Type::Array(Box::new(Type::Any))]
            .iter()
            .find_map(|ty| value_of_toml(ty, toml)),
    }
}

fn real_of_toml(toml: &Toml) -> Option<f64> {
    toml.as_float().or_else(|| toml.as_integer().map(|number| number as f64))
}

fn matrix_of_toml(toml: &Toml) -> Option<Matrix> {
    let row = |item: &Toml| item.as_array()?.iter().map(real_of_toml).collect();
    let rows: Option<Vec<Vec<f64>>> = toml.as_array()?.iter().map(row).collect();
    let rows = rows?;
    let n_cols = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != n_cols) {
        return None;
    }
    let entries = (0..n_cols).flat_map(|col| rows.iter().map(move |row| row[col])).collect();
    Matrix::from_columns(rows.len(), n_cols, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ty: &Type, text: &str, expected: Option<Value>) {
        assert_eq!(value_of_text(ty, text), expected, "`{text}` as {ty}");
    }

    #[test]
    fn scalars_are_read_as_programs_write_them() {
        check(&Type::Int, "-7", Some(Value::Int(-7)));
        check(&Type::Int, "7.5", None);
        check(&Type::Real, "2", Some(Value::Real(2.0)));
        check(&Type::Real, "1e-3", Some(Value::Real(1e-3)));
        check(&Type::Bool, "true", Some(Value::Bool(true)));
        check(&Type::Bool, "1", None);
        check(&Type::Char, "ß", Some(Value::Char('ß')));
        check(&Type::Char, "ab", None);
        check(&Type::String, " [1] = x ", Some(Value::String(Arc::from(" [1] = x "))));
    }

    #[test]
    fn sequences_are_read_as_toml_arrays() {
        check(&Type::Vector, "[1, 2.5]", Some(Value::Vector(Arc::new(vec![1.0, 2.5]))));
        check(&Type::Bytes, "[0, 255]", Some(Value::Bytes(Arc::new(vec![0, 255]))));
        check(&Type::Bytes, "[256]", None);
        let matrix = Matrix::from_columns(2, 2, vec![1.0, 3.0, 2.0, 4.0]).expect("four entries");
        check(&Type::Matrix, "[[1, 2], [3, 4]]", Some(Value::Matrix(Arc::new(matrix))));
        check(&Type::Matrix, "[[1, 2], [3]]", None);
        let words = Type::Array(Box::new(Type::String));
        let expected = vec![Value::String(Arc::from("a")), Value::String(Arc::from("b"))];
        check(&words, r#"["a", "b"]"#, Some(Value::Array(Arc::new(expected))));
        check(&words, "[1]", None);
    }
}
