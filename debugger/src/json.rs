//! Values as JSON.

use serde_json::Value as Json;

use hasse_model::value::Value;

/// A value as the JSON that says most about it: numbers as numbers, a matrix as its rows, bytes as
/// numbers; a real that is not finite as text.
pub(crate) fn value_json(value: &Value) -> Json {
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
    }
}

fn real_json(number: f64) -> Json {
    if number.is_finite() { Json::from(number) } else { Json::from(number.to_string()) }
}
