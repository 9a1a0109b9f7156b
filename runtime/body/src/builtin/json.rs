//! JSON: to and from the interpreter's values.
//!
//! `null` is `()`, objects are maps, arrays are arrays; a number is an int if it is written as one
//! that fits, else a real.

use std::sync::Arc;

use rhai::{Array, Dynamic, Engine, Map};
use serde_json::{Number, Value as Json};

use super::effect::bytes_from;
use super::files::{bytes_of, text_of, write_file};
use super::limits::{Outcome, failure, room_for_bytes};
use super::registry::Common;
use super::table::named;
use super::text::shared_text;
use crate::convert::{MatrixValue, VectorValue};
use crate::effects::SharedContext;

/// How deep values may nest; parsing has the same bound.
const MOST_LEVELS: usize = 127;
/// About what a parsed text takes in memory for each of its bytes, at most.
const BYTES_PER_BYTE: usize = 24;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("parse_json", parse)
        .register_fn("to_json", |held: Dynamic| text(&held, false))
        .register_fn("to_json", |map: &mut Map| text(&Dynamic::from_map(map.clone()), false))
        .register_fn("to_json_pretty", |held: Dynamic| text(&held, true));
}

/// Registers those that ask the world outside.
pub(super) fn register_effects(engine: &mut Engine, context: &SharedContext) {
    let (reading, writing) = (context.clone(), context.clone());
    engine
        .register_fn("read_json", move |path: &str| {
            let bytes = bytes_from(&reading, |context| bytes_of(context, path))?;
            let text = text_of(path, Arc::unwrap_or_clone(bytes)).map_err(failure)?;
            parse(&text).map_err(|error| named(path, *error))
        })
        .register_fn("write_json", move |path: &str, held: Dynamic| {
            write_file(&writing, path, || Ok((text(&held, true)? + "\n").into_bytes()))
        });
}

/// Parameters as an object of JSON on one line. What has no form in JSON, such as NaN, is `null`.
pub fn params_line<'p>(params: impl IntoIterator<Item = (&'p str, Dynamic)>) -> String {
    let entries = params.into_iter().map(|(name, held)| (name, json_of(&held, 0).unwrap_or(Json::Null)));
    Json::from_iter(entries).to_string()
}

/// `parse_json(text)`. Errors: the text is not JSON, with line and column; it nests too deep.
fn parse(text: &str) -> Outcome<Dynamic> {
    room_for_bytes(text.len().saturating_mul(BYTES_PER_BYTE))?;
    let json = serde_json::from_str(text).map_err(|error| failure(format!("not JSON: {error}")))?;
    Ok(dynamic_from_json(json))
}

fn dynamic_from_json(json: Json) -> Dynamic {
    match json {
        Json::Null => Dynamic::UNIT,
        Json::Bool(flag) => Dynamic::from_bool(flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Dynamic::from_int(whole),
            None => Dynamic::from_float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => shared_text(&text),
        Json::Array(items) => Dynamic::from_array(items.into_iter().map(dynamic_from_json).collect()),
        Json::Object(object) => {
            let entries = object.into_iter().map(|(key, item)| (key.into(), dynamic_from_json(item)));
            Dynamic::from_map(entries.collect())
        }
    }
}

/// `to_json(x)`: vectors and matrices become arrays and arrays of rows, bytes arrays of ints, chars
/// texts. Errors: a real that is not finite; a type that JSON has nothing for; too deep.
fn text(held: &Dynamic, is_pretty: bool) -> Outcome<String> {
    let json = json_of(held, 0)?;
    let text = if is_pretty { serde_json::to_string_pretty(&json) } else { serde_json::to_string(&json) };
    text.map_err(|error| failure(error.to_string()))
}

fn json_of(held: &Dynamic, level: usize) -> Outcome<Json> {
    if level > MOST_LEVELS {
        return Err(failure(format!("`to_json` of more than {MOST_LEVELS} levels")));
    }
    if held.is_unit() {
        return Ok(Json::Null);
    }
    if let Ok(flag) = held.as_bool() {
        return Ok(Json::Bool(flag));
    }
    if let Ok(number) = held.as_int() {
        return Ok(Json::Number(number.into()));
    }
    if let Ok(number) = held.as_float() {
        return real(number);
    }
    if held.is_string() || held.is_char() {
        return Ok(Json::String(held.to_string()));
    }
    if let Some(items) = held.read_lock::<Array>() {
        return items.iter().map(|item| json_of(item, level + 1)).collect::<Outcome<_>>().map(Json::Array);
    }
    if let Some(map) = held.read_lock::<Map>() {
        let entries = map.iter().map(|(key, item)| Ok((key.to_string(), json_of(item, level + 1)?)));
        return entries.collect::<Outcome<_>>().map(Json::Object);
    }
    if let Some(vector) = held.read_lock::<VectorValue>() {
        return reals(vector.0.iter());
    }
    if let Some(matrix) = held.read_lock::<MatrixValue>() {
        let n_rows = matrix.0.n_rows();
        let row = |row: usize| reals(matrix.0.entries().iter().skip(row).step_by(n_rows));
        return (0..n_rows).map(row).collect::<Outcome<_>>().map(Json::Array);
    }
    if let Some(bytes) = held.read_lock::<rhai::Blob>() {
        return Ok(Json::Array(bytes.iter().map(|byte| Json::Number((*byte).into())).collect()));
    }
    Err(failure(format!("`to_json` of a {}", held.type_name())))
}

fn reals<'a>(numbers: impl Iterator<Item = &'a f64>) -> Outcome<Json> {
    numbers.map(|number| real(*number)).collect::<Outcome<_>>().map(Json::Array)
}

fn real(number: f64) -> Outcome<Json> {
    Number::from_f64(number)
        .map(Json::Number)
        .ok_or_else(|| failure(format!("`to_json` of {number}: JSON has no such number")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error, engine_in};

    #[test]
    fn values_go_there_and_back() {
        check(
            "let x = parse_json(`{\"a\": [1, 2.5, null, true, \"ä\"], \"b\": {}}`); [x.a, x.b.len(), to_json(x)]",
            "[[1, 2.5, (), true, \"ä\"], 0, \"{\\\"a\\\":[1,2.5,null,true,\\\"ä\\\"],\\\"b\\\":{}}\"]",
        );
        check("parse_json(\"[9223372036854775808, 1e2, -0]\")", "[9.223372036854776e18, 100.0, -0.0]");
        check(
            "to_json([vector([1]), matrix([[1, 2], [3, 4]]), 'c', blob(2, 1)])",
            "[[1.0],[[1.0,2.0],[3.0,4.0]],\"c\",[1,1]]",
        );
        check("to_json_pretty([1])", "[\n  1\n]");
    }

    #[test]
    fn what_is_not_json_is_named() {
        check_error("parse_json(`{\"a\": }`)", "not JSON: expected value at line 1 column 7");
        check_error("parse_json(``)", "not JSON: EOF");
        check_error("let t = repeat(\"[\", 200); parse_json(t)", "not JSON: recursion limit");
        check_error(
            "let a = []; for i in 0..200 { a = [a]; } to_json(a)",
            "`to_json` of more than 127 levels",
        );
        check_error("to_json(1.0 / 0.0)", "`to_json` of inf: JSON has no such number");
        check_error("to_json(|x| x)", "`to_json` of a Fn");
    }

    #[test]
    fn files_hold_json() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, _) = engine_in(folder.path());
        let script =
            "write_json(\"x.json\", #{a: [1]}); write_text(\"bad.json\", \"x\"); read_json(\"x.json\").a[0]";
        assert_eq!(engine.eval::<i64>(script).unwrap(), 1);
        let message = engine.eval::<rhai::Dynamic>("read_json(\"bad.json\")").unwrap_err().to_string();
        assert!(message.contains("`bad.json`: not JSON: expected value"), "{message}");
    }
}
