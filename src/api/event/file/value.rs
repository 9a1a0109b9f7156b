//! Values as JSON that says their types: what an isolation file holds is read as exactly what was written.
//!
//! A number with a point is a real, one without an int; `true`, texts and arrays are what they look like; `null` is
//! the unit value. Everything else is an object with one key that names its type.

use std::sync::Arc;

use hasse_model::value::{MAX_DEPTH, Matrix, StructShape, StructValue, Value};
use serde_json::{Value as Json, json};

/// A value as JSON.
pub(super) fn encode(value: &Value) -> Json {
    match value {
        Value::Unit => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Int(number) => json!(number),
        Value::Real(number) if number.is_finite() => json!(number),
        Value::Real(number) => json!({ "real": real(*number) }),
        Value::Char(letter) => json!({ "char": letter.to_string() }),
        Value::String(text) => json!(&**text),
        Value::Bytes(bytes) => {
            json!({ "bytes": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() })
        }
        Value::Vector(entries) => json!({ "vector": reals(entries) }),
        Value::Matrix(matrix) => json!({
            "matrix": reals(matrix.entries()), "rows": matrix.n_rows(), "columns": matrix.n_cols()
        }),
        Value::Array(items) => items.iter().map(encode).collect(),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.to_string(), encode(value)));
            json!({ "map": entries.collect::<serde_json::Map<_, _>>() })
        }
        Value::Struct(held) => {
            let fields = held.entries().map(|(name, field)| json!({ "name": name, "value": encode(field) }));
            json!({ "struct": &*held.shape().name, "fields": fields.collect::<Json>() })
        }
    }
}

fn reals(entries: &[f64]) -> Json {
    entries.iter().map(|entry| real(*entry)).collect()
}

fn real(number: f64) -> Json {
    if number.is_finite() { json!(number) } else { json!(number.to_string()) }
}

/// The value that a JSON value stands for. `path` is where it stands.
pub(super) fn decode(path: &str, json: &Json) -> Result<Value, String> {
    decode_at(path, json, 0)
}

fn decode_at(path: &str, json: &Json, depth: usize) -> Result<Value, String> {
    let fault = |message: &str| Err(format!("`{path}`: {message}"));
    if depth > MAX_DEPTH {
        return fault("it is nested too deeply");
    }
    match json {
        Json::Null => Ok(Value::Unit),
        Json::Bool(flag) => Ok(Value::Bool(*flag)),
        Json::Number(number) if number.is_f64() => Ok(Value::Real(number.as_f64().unwrap_or_default())),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Ok(Value::Int(number)),
            None => fault("it is beyond the range of an int"),
        },
        Json::String(text) => Ok(Value::String(Arc::from(text.as_str()))),
        Json::Array(items) => {
            let item = |item: &Json| decode_at(path, item, depth + 1);
            Ok(Value::Array(Arc::new(items.iter().map(item).collect::<Result<_, _>>()?)))
        }
        Json::Object(object) => {
            let get = |key: &str| object.get(key);
            if let Some(number) = get("real") {
                real_of(number).map(Value::Real).map_or_else(|| fault("a real is a number"), Ok)
            } else if let Some(letter) = get("char") {
                let mut letters = letter.as_str().unwrap_or_default().chars();
                match (letters.next(), letters.next()) {
                    (Some(letter), None) => Ok(Value::Char(letter)),
                    _ => fault("a char is one letter"),
                }
            } else if let Some(bytes) = get("bytes") {
                let bytes = bytes.as_str().and_then(bytes_of);
                bytes
                    .map_or_else(|| fault("bytes are hexadecimal"), |bytes| Ok(Value::Bytes(Arc::new(bytes))))
            } else if let Some(entries) = get("vector") {
                let entries = reals_of(entries);
                entries.map_or_else(
                    || fault("a vector has numbers"),
                    |entries| Ok(Value::Vector(Arc::new(entries))),
                )
            } else if let Some(entries) = get("matrix") {
                let size = |key: &str| usize::try_from(get(key)?.as_u64()?).ok();
                let matrix = reals_of(entries)
                    .zip(size("rows").zip(size("columns")))
                    .and_then(|(entries, (n_rows, n_cols))| Matrix::from_columns(n_rows, n_cols, entries));
                matrix.map_or_else(
                    || fault("a matrix has rows, columns and as many numbers"),
                    |matrix| Ok(Value::Matrix(Arc::new(matrix))),
                )
            } else if let Some(Json::Object(entries)) = get("map") {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok((Arc::from(key.as_str()), decode_at(path, value, depth + 1)?)));
                Ok(Value::Map(Arc::new(entries.collect::<Result<_, String>>()?)))
            } else if let (Some(Json::String(name)), Some(Json::Array(fields))) =
                (get("struct"), get("fields"))
            {
                let mut names = Vec::new();
                let mut values = Vec::new();
                for field in fields {
                    let (Some(Json::String(name)), Some(value)) = (field.get("name"), field.get("value"))
                    else {
                        return fault("a field has a name and a value");
                    };
                    names.push(Arc::from(name.as_str()));
                    values.push(decode_at(path, value, depth + 1)?);
                }
                let shape = Arc::new(StructShape { name: Arc::from(name.as_str()), fields: names });
                let held = StructValue::new(shape, values).expect("each field has a name and a value");
                Ok(Value::Struct(Arc::new(held)))
            } else {
                fault("this is no value")
            }
        }
    }
}

fn real_of(json: &Json) -> Option<f64> {
    match json {
        Json::String(text) => text.parse().ok().filter(|number: &f64| !number.is_finite()),
        json => json.as_f64(),
    }
}

fn reals_of(json: &Json) -> Option<Vec<f64>> {
    json.as_array()?.iter().map(real_of).collect()
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::compare::same;
    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<f64>(),
            Just(f64::NAN),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(-0.0),
            Just(1.0)
        ];
        let leaf = prop_oneof![
            Just(Value::Unit),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            number.clone().prop_map(Value::Real),
            any::<char>().prop_map(Value::Char),
            ".{0,8}".prop_map(|text| Value::String(Arc::from(text.as_str()))),
            prop::collection::vec(any::<u8>(), 0..8).prop_map(|bytes| Value::Bytes(Arc::new(bytes))),
            prop::collection::vec(number.clone(), 0..6).prop_map(|entries| Value::Vector(Arc::new(entries))),
            (0_usize..4, prop::collection::vec(number, 12..13)).prop_map(|(n_rows, mut entries)| {
                entries.truncate(n_rows * 3);
                let matrix = Matrix::from_columns(n_rows, 3, entries).expect("as many entries");
                Value::Matrix(Arc::new(matrix))
            }),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let items = prop::collection::vec(inner, 0..4);
            prop_oneof![
                items.clone().prop_map(|items| Value::Array(Arc::new(items))),
                items.clone().prop_map(|items| {
                    let entries = items.into_iter().enumerate();
                    let entries = entries.map(|(at, value)| (Arc::from(format!("k{at}")), value)).collect();
                    Value::Map(Arc::new(entries))
                }),
                items.prop_map(|fields| {
                    let names = (0..fields.len()).map(|field| Arc::from(format!("f{field}"))).collect();
                    let shape = Arc::new(StructShape { name: Arc::from("S"), fields: names });
                    Value::Struct(Arc::new(StructValue::new(shape, fields).expect("as many fields")))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_is_read_as_it_was_written(value in value()) {
            let text = encode(&value).to_string();
            let read = decode("v", &serde_json::from_str(&text).expect("JSON")).expect("a value");
            prop_assert!(same(&read, &value), "{value:?} came back as {read:?} by way of {text}");
        }
    }
}
