//! Values of struct types, maps and arrays of them, as JSON.

use std::sync::Arc;

use hasse_model::value::{Matrix, StructType, StructValue, Type, Value};
use serde_json::{Map, Value as Json};

/// Returns true if values of a type are written as JSON: the type contains a struct or a map.
pub fn is_json(ty: &Type) -> bool {
    match ty {
        Type::Struct(_) | Type::Map(_) => true,
        Type::Array(items) => is_json(items),
        _ => false,
    }
}

/// The value of a type that a JSON text stands for, or why it stands for none. `name` is what has the
/// value.
pub(super) fn value_of_json_text(ty: &Type, text: &str, name: &str) -> Result<Value, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("its value is no JSON: {error}"))?;
    value_of_json(ty, &json, name)
}

/// `path` is the way to the JSON value: `b[3].row`.
fn value_of_json(ty: &Type, json: &Json, path: &str) -> Result<Value, String> {
    let misfit = || format!("`{path}`: {} is no {ty}", shown(json));
    match ty {
        Type::Int => json.as_i64().map(Value::Int).ok_or_else(misfit),
        Type::Real => real(json).map(Value::Real).ok_or_else(misfit),
        Type::Bool => json.as_bool().map(Value::Bool).ok_or_else(misfit),
        Type::Char => {
            let mut letters = json.as_str().ok_or_else(misfit)?.chars();
            letters.next().filter(|_| letters.next().is_none()).map(Value::Char).ok_or_else(misfit)
        }
        Type::String => json.as_str().map(|text| Value::String(Arc::from(text))).ok_or_else(misfit),
        Type::Bytes => {
            let byte = |(item_idx, item): (usize, &Json)| {
                let byte = item.as_u64().and_then(|number| u8::try_from(number).ok());
                byte.ok_or_else(|| format!("`{path}[{item_idx}]`: {} is no byte", shown(item)))
            };
            let bytes = json.as_array().ok_or_else(misfit)?.iter().enumerate().map(byte);
            Ok(Value::Bytes(Arc::new(bytes.collect::<Result<_, String>>()?)))
        }
        Type::Vector => Ok(Value::Vector(Arc::new(reals(json, path).ok_or_else(misfit)??))),
        Type::Matrix => {
            let rows = json.as_array().ok_or_else(misfit)?.iter().enumerate();
            let rows: Vec<Vec<f64>> = rows
                .map(|(row, item)| {
                    let path = format!("{path}[{row}]");
                    reals(item, &path).ok_or_else(|| format!("`{path}`: {} is no row", shown(item)))?
                })
                .collect::<Result<_, String>>()?;
            let n_cols = rows.first().map_or(0, Vec::len);
            if rows.iter().any(|row| row.len() != n_cols) {
                return Err(format!("{}, because its rows differ in length", misfit()));
            }
            let entries = (0..n_cols).flat_map(|col| rows.iter().map(move |row| row[col])).collect();
            let matrix = Matrix::from_columns(rows.len(), n_cols, entries);
            matrix.map(|matrix| Value::Matrix(Arc::new(matrix))).ok_or_else(misfit)
        }
        Type::Array(item_type) => {
            let items = json.as_array().ok_or_else(misfit)?.iter().enumerate();
            let items =
                items.map(|(item_idx, item)| value_of_json(item_type, item, &format!("{path}[{item_idx}]")));
            Ok(Value::Array(Arc::new(items.collect::<Result<_, _>>()?)))
        }
        Type::Struct(of) => {
            let fields = json.as_object().ok_or_else(misfit)?;
            value_of_object(of, fields, path)
        }
        Type::Map(value_type) => {
            let entries = json.as_object().ok_or_else(misfit)?.iter().map(|(key, value)| {
                let value = value_of_json(value_type, value, &format!("{path}[{key:?}]"))?;
                Ok((Arc::from(key.as_str()), value))
            });
            Ok(Value::Map(Arc::new(entries.collect::<Result<_, String>>()?)))
        }
        Type::Any => any(json).ok_or_else(misfit),
    }
}

fn value_of_object(ty: &StructType, object: &Map<String, Json>, path: &str) -> Result<Value, String> {
    let shape = ty.shape();
    let known = || shape.fields.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = object.keys().find(|key| shape.field_idx(key).is_none()) {
        return Err(format!("`{path}`: {} has no field `{unknown}`; its fields are {}", shape.name, known()));
    }
    let mut fields = Vec::new();
    for (name, ty) in shape.fields.iter().zip(ty.field_types()) {
        let field = object
            .get(&**name)
            .ok_or_else(|| format!("`{path}`: the field `{name}` of {} is missing", shape.name))?;
        fields.push(value_of_json(&ty, field, &format!("{path}.{name}"))?);
    }
    let held = StructValue::new(Arc::clone(shape), fields);
    Ok(Value::Struct(Arc::new(held.expect("a value was read for each field"))))
}

/// A number, or what stands for one that JSON does not know.
fn real(json: &Json) -> Option<f64> {
    match json.as_str() {
        Some("NaN") => Some(f64::NAN),
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        _ => json.as_f64(),
    }
}

/// The numbers of an array; `None` where it is none.
fn reals(json: &Json, path: &str) -> Option<Result<Vec<f64>, String>> {
    let number = |(item_idx, item): (usize, &Json)| {
        real(item).ok_or_else(|| format!("`{path}[{item_idx}]`: {} is no real", shown(item)))
    };
    Some(json.as_array()?.iter().enumerate().map(number).collect())
}

/// The value of what says its type by itself; `None` for `null`.
fn any(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(flag) => Some(Value::Bool(*flag)),
        Json::Number(number) => number.as_i64().map(Value::Int).or_else(|| number.as_f64().map(Value::Real)),
        Json::String(text) => Some(Value::String(Arc::from(text.as_str()))),
        Json::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(any).collect();
            items.map(|items| Value::Array(Arc::new(items)))
        }
        Json::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| Some((Arc::from(key.as_str()), any(value)?)));
            entries.collect::<Option<_>>().map(|entries| Value::Map(Arc::new(entries)))
        }
        Json::Null => None,
    }
}

/// The JSON text, cut where it is long.
fn shown(json: &Json) -> String {
    const MOST_LETTERS: usize = 60;
    let text = json.to_string();
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// An example of a type's JSON, its fields in order; nested in at most a few levels.
pub fn example(ty: &Type) -> String {
    match ty {
        Type::Int => "1".to_owned(),
        Type::Real => "0.5".to_owned(),
        Type::Bool => "true".to_owned(),
        Type::Char => "\"x\"".to_owned(),
        Type::String => "\"text\"".to_owned(),
        Type::Bytes => "[72, 105]".to_owned(),
        Type::Vector => "[1.0, 2.5]".to_owned(),
        Type::Matrix => "[[1.0, 0.0], [0.0, 1.0]]".to_owned(),
        Type::Any => "1".to_owned(),
        Type::Array(items) if is_json(items) => "[]".to_owned(),
        Type::Array(items) => format!("[{}]", example(items)),
        Type::Map(values) => format!("{{\"key\": {}}}", example(values)),
        Type::Struct(of) => {
            let fields = of.shape().fields.iter().zip(of.field_types());
            let fields = fields.map(|(name, ty)| format!("\"{name}\": {}", example(&ty)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}
