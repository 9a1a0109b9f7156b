//! Values as JSON.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use hasse_model::value::Value;

/// A value as the JSON that says most about it: numbers as numbers, a matrix as its rows, bytes as
/// numbers, a struct as an object
/// with its fields in order; a real that is not finite as text.
pub fn value_json(value: &Value) -> Json {
    match value {
        Value::Unit => Json::Null,
        Value::Bool(flag) => Json::from(*flag),
        Value::Int(number) => Json::from(*number),
        Value::Real(number) => real_json(*number),
        Value::Char(letter) => Json::from(letter.to_string()),
        Value::String(text) => Json::from(&**text),
        Value::Bytes(bytes) => Json::from(bytes.as_slice()),
        Value::Vector(entries) => entries.iter().copied().map(real_json).collect(),
        Value::Matrix(matrix) => {
            let entry = |row, col| matrix.get(row, col).map_or(Json::Null, real_json);
            let row = |row| (0..matrix.n_cols()).map(|col| entry(row, col)).collect::<Json>();
            (0..matrix.n_rows()).map(row).collect()
        }
        Value::Array(items) => items.iter().map(value_json).collect(),
        Value::Struct(held) => {
            let fields = held.entries().map(|(name, field)| (name.to_owned(), value_json(field)));
            Json::Object(fields.collect())
        }
    }
}

/// For `serialize_with`: a value as [`value_json`] has it.
///
/// # Errors
/// Those of the serializer.
pub fn serialize_value<S: Serializer>(value: &Value, to: S) -> Result<S::Ok, S::Error> {
    value_json(value).serialize(to)
}

/// For `serialize_with`: a value as [`value_json`] has it, or null.
///
/// # Errors
/// Those of the serializer.
#[allow(clippy::ref_option, reason = "as serde calls it")]
pub fn serialize_optional<S: Serializer>(value: &Option<Value>, to: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(value_json).serialize(to)
}

/// For `serialize_with`: named values as an object, in their order.
///
/// # Errors
/// Those of the serializer.
pub fn serialize_named<S: Serializer>(values: &[(String, Value)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(values.iter().map(|(name, value)| (name, value_json(value))))
}

fn real_json(number: f64) -> Json {
    if number.is_finite() { Json::from(number) } else { Json::from(number.to_string()) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hasse_model::value::Matrix;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_matrix_is_an_array_of_rows() {
        let matrix = Matrix::from_columns(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("six entries");
        assert_eq!(value_json(&Value::Matrix(Arc::new(matrix))), json!([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]));
    }

    #[test]
    fn reals_that_json_does_not_know_are_texts() {
        let reals = Value::Vector(Arc::new(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5]));
        assert_eq!(value_json(&reals), json!(["NaN", "inf", "-inf", -0.5]));
    }
}
