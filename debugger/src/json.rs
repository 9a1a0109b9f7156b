//! Values as JSON.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use hasse_model::value::{Matrix, Value};

/// A value that serializes as the JSON that says most about it: numbers as numbers, a matrix as its rows, bytes as
/// numbers, a struct as an object with its fields in order, a map as one with its keys in order; a real that is not finite as text.
///
/// Nothing is built beside the value, so that a large one can be written to a file.
#[derive(Clone, Copy, Debug)]
pub struct ValueJson<'v>(pub &'v Value);

impl Serialize for ValueJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Unit => to.serialize_unit(),
            Value::Bool(flag) => to.serialize_bool(*flag),
            Value::Int(number) => to.serialize_i64(*number),
            Value::Real(number) => Real(*number).serialize(to),
            Value::Char(character) => to.serialize_char(*character),
            Value::String(text) => to.serialize_str(text),
            Value::Bytes(bytes) => to.collect_seq(bytes.iter()),
            Value::Vector(entries) => to.collect_seq(entries.iter().copied().map(Real)),
            Value::Matrix(matrix) => to.collect_seq((0..matrix.n_rows()).map(|row| Row { matrix, row })),
            Value::Array(items) => to.collect_seq(items.iter().map(ValueJson)),
            Value::Map(entries) => {
                to.collect_map(entries.iter().map(|(key, value)| (&**key, ValueJson(value))))
            }
            Value::Struct(held) => {
                to.collect_map(held.entries().map(|(name, field)| (name, ValueJson(field))))
            }
        }
    }
}

/// A real: text where it is not finite, which JSON has no number for.
struct Real(f64);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() { to.serialize_f64(self.0) } else { to.collect_str(&self.0) }
    }
}

/// A row of a matrix.
struct Row<'m> {
    matrix: &'m Matrix,
    row: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let entry = |col| self.matrix.get(self.row, col).map(Real);
        to.collect_seq((0..self.matrix.n_cols()).map(entry))
    }
}

/// A value as JSON in memory, as [`ValueJson`] writes it: some 30 times the size of a vector.
///
/// # Panics
/// Never: each value has its JSON.
pub fn value_json(value: &Value) -> Json {
    serde_json::to_value(ValueJson(value)).expect("each value has its JSON")
}

/// For `serialize_with`: a value as [`ValueJson`] writes it.
///
/// # Errors
/// Those of the serializer.
pub fn serialize_value<S: Serializer>(value: &Value, to: S) -> Result<S::Ok, S::Error> {
    ValueJson(value).serialize(to)
}

/// For `serialize_with`: a value as [`ValueJson`] writes it, or null.
///
/// # Errors
/// Those of the serializer.
#[allow(clippy::ref_option, reason = "as serde calls it")]
pub fn serialize_optional<S: Serializer>(value: &Option<Value>, to: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(ValueJson).serialize(to)
}

/// For `serialize_with`: named values as an object, in their order.
///
/// # Errors
/// Those of the serializer.
pub fn serialize_named<S: Serializer>(values: &[(String, Value)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(values.iter().map(|(name, value)| (name, ValueJson(value))))
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
