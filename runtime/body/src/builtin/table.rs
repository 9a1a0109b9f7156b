//! Tables as CSV (RFC 4180): with a header as maps, without as arrays of texts, or as a matrix.
//!
//! With a header, a cell is an int, a real, a truth value or a text, whichever it looks like; an empty
//! cell is `()`. Line numbers in messages count from 1.

use std::sync::Arc;

use csv::{Reader, ReaderBuilder, StringRecord, Writer};
use rhai::{Array, Dynamic, Engine, Map};

use super::effect::bytes_from;
use super::files::{bytes_of, text_of, write_file};
use super::limits::{self, Outcome, failure, room_for_bytes, room_for_items};
use super::matrix::{matrix_of, zero_entries};
use super::registry::Common;
use super::text::{excerpt, shared_text};
use crate::convert::MatrixValue;
use crate::effects::SharedContext;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("parse_csv", |text: &str| maps(text))
        .register_fn("parse_csv_rows", |text: &str| rows(text))
        .register_fn("parse_csv_matrix", |text: &str, has_header: bool| numbers(text, has_header))
        .register_fn("to_csv", |items: Array| to_csv(&items, &[]).and_then(into_text))
        .register_fn("to_csv", |items: Array, names: Array| to_csv(&items, &names).and_then(into_text))
        .register_fn("to_csv", |matrix: MatrixValue| of_matrix(&matrix).and_then(into_text));
}

/// Registers those that ask the world outside.
pub(super) fn register_effects(engine: &mut Engine, context: &SharedContext) {
    let (with_header, without, dense) = (context.clone(), context.clone(), context.clone());
    engine
        .register_fn("read_csv", move |path: &str| of_file(&with_header, path, maps))
        .register_fn("read_csv_rows", move |path: &str| of_file(&without, path, rows))
        .register_fn("read_csv_matrix", move |path: &str, has_header: bool| {
            of_file(&dense, path, |text| numbers(text, has_header))
        });
    let (items, named, dense) = (context.clone(), context.clone(), context.clone());
    engine
        .register_fn("write_csv", move |path: &str, rows: Array| {
            write_file(&items, path, || to_csv(&rows, &[]))
        })
        .register_fn("write_csv", move |path: &str, rows: Array, names: Array| {
            write_file(&named, path, || to_csv(&rows, &names))
        })
        .register_fn("write_csv", move |path: &str, matrix: MatrixValue| {
            write_file(&dense, path, || of_matrix(&matrix))
        });
}

fn of_file<T>(context: &SharedContext, path: &str, parse: impl FnOnce(&str) -> Outcome<T>) -> Outcome<T> {
    let bytes = bytes_from(context, |context| bytes_of(context, path))?;
    let text = text_of(path, Arc::unwrap_or_clone(bytes)).map_err(failure)?;
    parse(&text).map_err(|error| named(path, *error))
}

/// Names the file in a message; what ends a body for another reason stays as it is.
pub(super) fn named(path: &str, error: rhai::EvalAltResult) -> Box<rhai::EvalAltResult> {
    match error {
        rhai::EvalAltResult::ErrorRuntime(message, _) => failure(format!("`{path}`: {message}")),
        other => other.into(),
    }
}

fn reader(text: &str, has_header: bool) -> Reader<&[u8]> {
    ReaderBuilder::new().has_headers(has_header).from_reader(text.as_bytes())
}

/// What a reader finds wrong, with the line.
fn unreadable(error: &csv::Error) -> Box<rhai::EvalAltResult> {
    let line = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            failure(format!("line {line}: {len} cells where the first line has {expected_len}"))
        }
        _ => failure(format!("line {line}: {error}")),
    }
}

/// About what a table takes in memory for each byte of its text, at most.
const BYTES_PER_BYTE: usize = 4;

/// `parse_csv(text)`: a map for each line behind the header, its keys the header's names. Errors: a
/// line has another number of cells than the header; a name stands twice.
fn maps(text: &str) -> Outcome<Array> {
    room_for_bytes(text.len().saturating_mul(BYTES_PER_BYTE))?;
    let mut reader = reader(text, true);
    let names: StringRecord = reader.headers().map_err(|error| unreadable(&error))?.clone();
    for (place, name) in names.iter().enumerate() {
        if names.iter().take(place).any(|other| other == name) {
            return Err(failure(format!("line 1: column `{}` stands twice", excerpt(name))));
        }
    }
    let mut items = Array::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        room_for_items(names.len())?;
        let map: Map = names.iter().map(Into::into).zip(record.iter().map(typed)).collect();
        items.push(Dynamic::from_map(map));
    }
    Ok(items)
}

/// What a cell looks like.
fn typed(cell: &str) -> Dynamic {
    let trimmed = cell.trim();
    if trimmed.is_empty() {
        return Dynamic::UNIT;
    }
    if let Ok(number) = trimmed.parse() {
        return Dynamic::from_int(number);
    }
    // `inf` and `nan` are words in a table.
    if trimmed.bytes().any(|byte| byte.is_ascii_digit())
        && let Ok(number) = trimmed.parse()
    {
        return Dynamic::from_float(number);
    }
    match trimmed {
        "true" => Dynamic::TRUE,
        "false" => Dynamic::FALSE,
        _ => shared_text(cell),
    }
}

/// `parse_csv_rows(text)`: an array of texts for each line, the first too. Errors: a line has another
/// number of cells than the first.
fn rows(text: &str) -> Outcome<Array> {
    room_for_bytes(text.len().saturating_mul(BYTES_PER_BYTE))?;
    let mut items = Array::new();
    for record in reader(text, false).records() {
        let record = record.map_err(|error| unreadable(&error))?;
        room_for_items(record.len())?;
        items.push(Dynamic::from_array(record.iter().map(shared_text).collect()));
    }
    Ok(items)
}

/// `parse_csv_matrix(text, has_header)`. Errors: a cell is not a number; lines differ in length.
fn numbers(text: &str, has_header: bool) -> Outcome<MatrixValue> {
    let mut reader = reader(text, has_header);
    let mut by_rows = Vec::new();
    let mut n_rows = 0;
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        for (col, cell) in record.iter().enumerate() {
            by_rows.push(fast_float2::parse::<f64, _>(cell.trim()).map_err(|_| {
                failure(format!("line {line}: cell {} is `{}`, not a number", col + 1, excerpt(cell)))
            })?);
        }
        n_rows += 1;
    }
    let n_cols = by_rows.len().checked_div(n_rows).unwrap_or(0);
    let mut entries = zero_entries(n_rows, n_cols)?;
    for (place, number) in by_rows.into_iter().enumerate() {
        entries[place % n_cols * n_rows + place / n_cols] = number;
    }
    matrix_of(n_rows, n_cols, entries)
}

/// `to_csv(rows)`: of maps a header and a line for each, of arrays a line for each. The columns are
/// `names`, or else the keys of the first map in alphabetical order; what a map lacks is empty.
fn to_csv(items: &[Dynamic], names: &[Dynamic]) -> Outcome<Vec<u8>> {
    let mut writer = Writer::from_writer(Vec::new());
    let names: Vec<String> = match (names, items.first().and_then(|item| item.read_lock::<Map>())) {
        ([], Some(first)) => first.keys().map(ToString::to_string).collect(),
        (names, _) => names.iter().map(ToString::to_string).collect(),
    };
    if !names.is_empty() {
        write(&mut writer, names.clone())?;
    }
    for (item_idx, item) in items.iter().enumerate() {
        if let Some(map) = item.read_lock::<Map>() {
            let cells = names.iter().map(|name| map.get(name.as_str()).map_or(Ok(String::new()), cell));
            write(&mut writer, cells.collect::<Outcome<Vec<_>>>()?)?;
        } else if let Ok(row) = item.as_array_ref() {
            write(&mut writer, row.iter().map(cell).collect::<Outcome<Vec<_>>>()?)?;
        } else {
            let type_name = item.type_name();
            return Err(failure(format!("row {item_idx} is of type {type_name}, not a map or an array")));
        }
    }
    written(writer)
}

fn of_matrix(matrix: &MatrixValue) -> Outcome<Vec<u8>> {
    let n_rows = matrix.0.n_rows();
    room_for_items(matrix.0.entries().len())?;
    let mut writer = Writer::from_writer(Vec::new());
    for row in 0..n_rows {
        let row = matrix.0.entries().iter().skip(row).step_by(n_rows);
        write(&mut writer, row.map(|entry| format!("{entry:?}")).collect())?;
    }
    written(writer)
}

fn cell(held: &Dynamic) -> Outcome<String> {
    if held.is_unit() {
        return Ok(String::new());
    }
    if held.is_array() || held.is_map() || is_bulk(held) {
        return Err(failure(format!("a cell cannot hold a {}", held.type_name())));
    }
    Ok(held.to_string())
}

fn is_bulk(held: &Dynamic) -> bool {
    held.is::<MatrixValue>() || held.is::<crate::convert::VectorValue>() || held.is_blob()
}

fn write(writer: &mut Writer<Vec<u8>>, cells: Vec<String>) -> Outcome<()> {
    writer.write_record(cells).map_err(|error| match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            failure(format!("a row has {len} cells, the first has {expected_len}"))
        }
        _ => failure(error.to_string()),
    })
}

fn written(writer: Writer<Vec<u8>>) -> Outcome<Vec<u8>> {
    writer.into_inner().map_err(|error| failure(error.to_string()))
}

fn into_text(bytes: Vec<u8>) -> Outcome<String> {
    limits::room_for_bytes(bytes.len())?;
    String::from_utf8(bytes).map_err(|error| failure(error.to_string()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error, engine_in};

    #[test]
    fn reads_tables() {
        check("parse_csv(`name,n,x,ok\n\"a, \"\"b\"\"\",1,2.5,true\ninf,,1e3,no\n`)",
            "[#{\"n\": 1, \"name\": \"a, \"b\"\", \"ok\": true, \"x\": 2.5}, #{\"n\": (), \"name\": \"inf\", \"ok\": \"no\", \"x\": 1000.0}]".replace("\"a, \"b\"\"", "\"a, \\\"b\\\"\"").as_str());
        check("parse_csv_rows(`a,1\r\nb,\"2\n3\"`)", "[[\"a\", \"1\"], [\"b\", \"2\\n3\"]]");
        check("to_rows(parse_csv_matrix(`x,y\n1, 2\n3,-4e1\n`, true))", "[[1.0, 2.0], [3.0, -40.0]]");
        check("[parse_csv(``), parse_csv_rows(``), parse_csv_matrix(``, false)]", "[[], [], matrix 0 x 0]");
        check_error("parse_csv(`a,b\n1,2\n3`)", "line 3: 1 cells where the first line has 2");
        check_error("parse_csv(`a,a\n`)", "line 1: column `a` stands twice");
        check_error("parse_csv_matrix(`a\n1\nx`, true)", "line 3: cell 1 is `x`, not a number");
        check_error("parse_csv_matrix(`1\n1,2`, false)", "line 2: 2 cells where the first line has 1");
    }

    #[test]
    fn writes_tables() {
        check("to_csv([#{b: 1, a: \"x,y\"}, #{a: ()}])", "a,b\n\"x,y\",1\n,\n");
        check("to_csv([#{b: 1, a: 2}], [\"b\", \"a\"])", "b,a\n1,2\n");
        check("to_csv([[1, 2.5], [true, 'c']]) + to_csv(matrix([[1, 0.5]]))", "1,2.5\ntrue,c\n1.0,0.5\n");
        check_error("to_csv([1])", "row 0 is of type i64, not a map or an array");
        check_error("to_csv([[1], [1, 2]])", "a row has 2 cells, the first has 1");
        check_error("to_csv([[[1]]])", "a cell cannot hold a array");
    }

    #[test]
    fn files_hold_tables() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, _) = engine_in(folder.path());
        let script = r#"
            write_csv("m.csv", matrix([[1, 2]])); write_csv("t.csv", [#{a: 1}]); write_csv("n.csv", [#{a: 1}], ["a", "z"]);
            [read_csv_matrix("m.csv", false).cols, read_csv("t.csv"), read_csv_rows("n.csv")].to_string()"#;
        assert_eq!(
            engine.eval::<String>(script).unwrap(),
            "[2, [#{\"a\": 1}], [[\"a\", \"z\"], [\"1\", \"\"]]]"
        );
        let message =
            engine.eval::<rhai::Dynamic>("read_csv_matrix(\"n.csv\", false)").unwrap_err().to_string();
        assert!(message.contains("`n.csv`: line 1: cell 1 is `a`, not a number"), "{message}");
        check_error("read_csv(\"nowhere.csv\")", "cannot read `nowhere.csv`");
    }
}
