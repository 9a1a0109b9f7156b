//! Values as plain data for an editor: small ones whole, large ones by shape, figures and parts.

use hasse_model::value::{Side, Value};
use serde_json::{Map, Value as Json, json};

use super::{Limits, Summary};
use crate::json::value_json;

/// A value as JSON within limits:
///
/// - `type`: the type's name; `shape`: the extents, where the value has any, with strings in characters
/// - `value`: all of it as [`value_json`] writes it, where it is within the limits; otherwise
/// - `summary`: `min`, `min_at`, `max`, `max_at`, `mean`, `n_nan`, `n_infinite`, of numbers
/// - `parts`: objects with `at` (a field's name, or the part of the value that it is, such as `[3]` or `[0..6, 0..6]`)
///   and what stands here of that part; `n_left_out`: items that are in no part
/// - `start`: of a long string or of many bytes
///
/// Cost: as for the text.
pub fn shown_json(value: &Value, limits: &Limits) -> Json {
    shown(value, limits, limits.levels)
}

fn shown(value: &Value, limits: &Limits, levels_left: usize) -> Json {
    let mut object = Map::new();
    object.insert("type".to_owned(), Json::from(value.type_name()));
    if let Some(shape) = shape(value) {
        object.insert("shape".to_owned(), shape.into());
    }
    if is_small(value, limits, levels_left) {
        object.insert("value".to_owned(), value_json(value));
        return Json::Object(object);
    }
    let part = |sides: &[Side]| {
        let at: Vec<String> = sides.iter().map(ToString::to_string).collect();
        let found =
            value.part(sides).map_or(Json::Null, |part| shown(&part, limits, levels_left.saturating_sub(1)));
        with_place(format!("[{}]", at.join(", ")), found)
    };
    let range = |low: usize, high: usize| Side::Range { low: Some(low as i64), high: Some(high as i64) };
    let (n_first, n_last) = limits.ends();
    match value {
        Value::Vector(entries) => {
            let n_entries = entries.len();
            object
                .insert("summary".to_owned(), summary(Summary::of(entries.iter().copied()), |at| at.into()));
            let parts = [part(&[range(0, n_first)]), part(&[range(n_entries - n_last, n_entries)])];
            object.insert("parts".to_owned(), parts.into_iter().collect());
            object.insert("n_left_out".to_owned(), (n_entries - n_first - n_last).into());
        }
        Value::Matrix(matrix) => {
            let n_rows = matrix.n_rows();
            let place = |at: usize| json!([at % n_rows.max(1), at / n_rows.max(1)]);
            object
                .insert("summary".to_owned(), summary(Summary::of(matrix.entries().iter().copied()), place));
            let (rows, cols) = (n_rows.min(limits.items), matrix.n_cols().min(limits.items));
            object.insert("parts".to_owned(), Json::Array(vec![part(&[range(0, rows), range(0, cols)])]));
            object.insert("n_left_out".to_owned(), (matrix.entries().len() - rows * cols).into());
        }
        Value::Array(items) => {
            let n_items = items.len();
            if let Some(figures) = Summary::of_items(items) {
                object.insert("summary".to_owned(), summary(figures, |at| at.into()));
            }
            let is_shown =
                |at: &usize| n_items <= limits.items || *at < n_first || *at >= n_items - n_last.min(n_items);
            let parts: Vec<Json> = match levels_left {
                0 => Vec::new(),
                _ => (0..n_items).filter(is_shown).map(|at| part(&[Side::One(at as i64)])).collect(),
            };
            object.insert("n_left_out".to_owned(), (n_items - parts.len()).into());
            object.insert("parts".to_owned(), parts.into());
        }
        Value::Map(entries) => {
            let n_entries = entries.len();
            let is_shown = |at: usize| n_entries <= limits.items || at < n_first || at + n_last >= n_entries;
            let parts: Vec<Json> = match levels_left.checked_sub(1) {
                None => Vec::new(),
                Some(levels_left) => entries
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| is_shown(*at))
                    .map(|(_, (key, value))| {
                        with_place(format!("[{key:?}]"), shown(value, limits, levels_left))
                    })
                    .collect(),
            };
            object.insert("n_left_out".to_owned(), (n_entries - parts.len()).into());
            object.insert("parts".to_owned(), parts.into());
        }
        Value::Struct(held) => {
            let fields: Vec<Json> = match levels_left.checked_sub(1) {
                None => Vec::new(),
                Some(levels_left) => held
                    .entries()
                    .map(|(name, field)| with_place(name.to_owned(), shown(field, limits, levels_left)))
                    .collect(),
            };
            object.insert("n_left_out".to_owned(), (held.fields().len() - fields.len()).into());
            object.insert("parts".to_owned(), fields.into());
        }
        Value::String(text) => {
            let start: String = text.chars().take(limits.letters.max(4)).collect();
            object.insert("start".to_owned(), start.into());
        }
        Value::Bytes(bytes) => {
            object.insert("start".to_owned(), bytes[..limits.letters.min(bytes.len())].into());
        }
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => {}
    }
    Json::Object(object)
}

fn with_place(at: String, found: Json) -> Json {
    let mut object = Map::from_iter([("at".to_owned(), Json::from(at))]);
    if let Json::Object(found) = found {
        object.extend(found);
    }
    Json::Object(object)
}

fn summary(summary: Summary, place: impl Fn(usize) -> Json) -> Json {
    let end = |end: Option<(usize, f64)>| {
        end.map(|(at, number)| (place(at), Json::from(number))).unwrap_or_default()
    };
    let ((min_at, min), (max_at, max)) = (end(summary.min), end(summary.max));
    json!({
        "min": min,
        "min_at": min_at,
        "max": max,
        "max_at": max_at,
        "mean": summary.min.map(|_| summary.mean),
        "n_nan": summary.n_nan,
        "n_infinite": summary.n_infinite,
    })
}

fn shape(value: &Value) -> Option<Vec<usize>> {
    match value {
        Value::String(text) => Some(vec![text.chars().count()]),
        Value::Bytes(bytes) => Some(vec![bytes.len()]),
        Value::Vector(entries) => Some(vec![entries.len()]),
        Value::Matrix(matrix) => Some(vec![matrix.n_rows(), matrix.n_cols()]),
        Value::Array(items) => Some(vec![items.len()]),
        Value::Map(entries) => Some(vec![entries.len()]),
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) | Value::Struct(_) => {
            None
        }
    }
}

/// Whether all of a value is within the limits.
fn is_small(value: &Value, limits: &Limits, levels_left: usize) -> bool {
    let items = limits.items.max(4);
    match value {
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => true,
        Value::String(text) => text.chars().nth(limits.letters.max(4)).is_none(),
        Value::Bytes(bytes) => bytes.len() <= limits.letters,
        Value::Vector(entries) => entries.len() <= items,
        Value::Matrix(matrix) => matrix.n_rows() <= items && matrix.n_cols() <= items,
        Value::Array(held) => {
            let levels_left = levels_left.checked_sub(1);
            held.is_empty()
                || held.len() <= items
                    && levels_left.is_some_and(|left| held.iter().all(|item| is_small(item, limits, left)))
        }
        Value::Map(entries) => {
            let levels_left = levels_left.checked_sub(1);
            entries.is_empty()
                || entries.len() <= items
                    && levels_left.is_some_and(|left| {
                        entries.iter().all(|(key, value)| {
                            key.chars().nth(limits.letters.max(4)).is_none() && is_small(value, limits, left)
                        })
                    })
        }
        Value::Struct(held) => {
            let levels_left = levels_left.checked_sub(1);
            held.fields().is_empty()
                || levels_left
                    .is_some_and(|left| held.fields().iter().all(|field| is_small(field, limits, left)))
        }
    }
}
