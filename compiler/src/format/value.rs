//! Values: arrays and inline tables on one line, or one entry a line.

use toml_edit::{Array, Formatted, InlineTable, Key, Value};

use super::decor::{self, Gap};
use super::rows::Row;
use super::rules::{Notation, spaced};

/// Widest line on which an array is put.
const WIDEST: usize = 110;
const INDENTATION: usize = 2;

/// How the value of a key is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The notation of its strings, where they are arcs or rules: such arrays hold one of them a line.
    pub(super) notation: Option<Notation>,
    /// Number of characters in front of the value.
    pub(super) column: usize,
    /// Number of blanks in front of the line.
    pub(super) indentation: usize,
    /// The group of comments within the value.
    pub(super) group: usize,
}

/// The lines of a value. The first one lacks what stands in front of the value.
pub(super) fn rows(value: &Value, style: Style) -> Vec<Row> {
    match value {
        Value::Array(array) if has_inner_comment(value) => array_rows(array, style),
        Value::Array(array) => match one_line_array(array, style) {
            Some(line) => vec![Row::code(line)],
            None => array_rows(array, style),
        },
        Value::InlineTable(table) if has_inner_comment(value) => table_rows(table, style),
        value => vec![Row::code(one_line(value, style.notation))],
    }
}

/// A key as it is written, dots and all.
pub(super) fn key_text(path: &[&Key]) -> String {
    let parts: Vec<_> = path.iter().map(|key| key.display_repr()).collect();
    parts.join(".")
}

fn one_line_array(array: &Array, style: Style) -> Option<String> {
    if style.notation.is_some() && array.len() > 1 {
        return None;
    }
    let line = one_line_of_array(array, style.notation);
    let fits = line.contains('\n') || style.column + line.chars().count() <= WIDEST || array.len() < 2;
    fits.then_some(line)
}

fn one_line(value: &Value, notation: Option<Notation>) -> String {
    match value {
        Value::String(text) => string(text, notation),
        Value::Array(array) => one_line_of_array(array, notation),
        Value::InlineTable(table) => one_line_table(table),
        Value::Integer(number) => number.display_repr().into_owned(),
        Value::Float(number) => number.display_repr().into_owned(),
        Value::Boolean(flag) => flag.display_repr().into_owned(),
        Value::Datetime(time) => time.display_repr().into_owned(),
    }
}

fn one_line_of_array(array: &Array, notation: Option<Notation>) -> String {
    let values: Vec<String> = array.iter().map(|value| one_line(value, notation)).collect();
    format!("[{}]", values.join(", "))
}

fn one_line_table(table: &InlineTable) -> String {
    let entries: Vec<String> = table
        .get_values()
        .iter()
        .map(|(path, value)| format!("{} = {}", key_text(path), one_line(value, None)))
        .collect();
    if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
}

/// A string as it is written; where its spacing changes, in the same kind of quotes if they serve.
fn string(text: &Formatted<String>, notation: Option<Notation>) -> String {
    let written = text.display_repr();
    let Some(notation) = notation else { return written.into_owned() };
    let value = spaced(text.value(), notation);
    let is_literal = !value.contains("'''")
        && !value.ends_with('\'')
        && !value.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t'));
    if value.contains('\n') && is_literal {
        return format!("'''\n{value}'''");
    }
    if value == *text.value() {
        return written.into_owned();
    }
    let is_plain = !value.contains(['"', '\'', '\\']) && !value.contains(char::is_control);
    match written.chars().next() {
        Some(quote @ ('"' | '\'')) if is_plain => format!("{quote}{value}{quote}"),
        _ => Formatted::new(value).display_repr().into_owned(),
    }
}

/// An entry of an array or inline table, and what stands around it.
struct Part {
    before: Gap,
    rows: Vec<Row>,
    after: Gap,
}

fn array_rows(array: &Array, style: Style) -> Vec<Row> {
    let parts = array.iter().map(|value| Part {
        before: Gap::behind_value(decor::prefix(value.decor())),
        rows: rows(value, Style { column: style.indentation + INDENTATION, ..deeper(style) }),
        after: Gap::behind_value(decor::suffix(value.decor())),
    });
    let trailing = Gap::behind_value(array.trailing().as_str().unwrap_or_default());
    bracketed(["[", "]"], parts.collect(), trailing, style)
}

fn table_rows(table: &InlineTable, style: Style) -> Vec<Row> {
    let entries = table.get_values();
    let parts = entries.iter().map(|(path, value)| {
        let key = format!("{} = ", key_text(path));
        let inner = Style {
            notation: None,
            column: style.indentation + INDENTATION + key.chars().count(),
            ..deeper(style)
        };
        let mut rows = rows(value, inner);
        if let Some(Row::Code { code, .. }) = rows.first_mut() {
            code.insert_str(0, &key);
        }
        let before = path.last().map(|key| decor::prefix(key.leaf_decor())).unwrap_or_default();
        Part {
            before: Gap::behind_value(before),
            rows,
            after: Gap::behind_value(decor::suffix(value.decor())),
        }
    });
    let trailing = Gap::behind_value(table.trailing().as_str().unwrap_or_default());
    bracketed(["{", "}"], parts.collect(), trailing, style)
}

fn deeper(style: Style) -> Style {
    Style { indentation: style.indentation + INDENTATION, ..style }
}

/// An entry a line between brackets that stand on lines of their own.
fn bracketed(brackets: [&str; 2], parts: Vec<Part>, trailing: Gap, style: Style) -> Vec<Row> {
    let margin = " ".repeat(style.indentation + INDENTATION);
    let row = |code: String, comment| Row::Code { code, comment, group: Some(style.group) };
    let own = |line: String| Row::Own(if line.is_empty() { line } else { format!("{margin}{line}") });
    // What stands between the bracket and the first entry, between entries, behind the last one.
    let mut gaps = vec![Gap::default()];
    let mut bodies = Vec::new();
    for part in parts {
        gaps.last_mut().expect("there is a gap in front of each entry").join(part.before);
        bodies.push(part.rows);
        gaps.push(part.after);
    }
    gaps.last_mut().expect("there is a gap behind the bracket").join(trailing);
    let n_gaps = gaps.len();
    let mut all = Vec::new();
    let mut bodies = bodies.into_iter();
    let mut open = Some(row(brackets[0].to_owned(), None));
    for (gap_idx, gap) in gaps.into_iter().enumerate() {
        let mut body: Vec<Row> = open.take().into_iter().collect();
        if gap_idx > 0 {
            body = bodies.next().unwrap_or_default();
            if let Some(Row::Code { code, .. }) = body.first_mut() {
                code.insert_str(0, &margin);
            }
            if let Some(Row::Code { code, .. }) = body.last_mut() {
                code.push(',');
            }
        }
        if let Some(Row::Code { comment, group, .. }) = body.last_mut() {
            *comment = gap.behind;
            *group = Some(style.group);
        }
        all.extend(body);
        all.extend(trimmed(gap.lines, gap_idx == 0, gap_idx + 1 == n_gaps).into_iter().map(own));
    }
    all.push(row(format!("{}{}", " ".repeat(style.indentation), brackets[1]), None));
    all
}

/// The lines without blank ones at the start or end.
fn trimmed(mut lines: Vec<String>, at_start: bool, at_end: bool) -> Vec<String> {
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    if at_start && lines.first().is_some_and(String::is_empty) {
        lines.remove(0);
    }
    if at_end && lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Whether comments stand within a value or around it.
fn has_comment(value: &Value) -> bool {
    let around = value.decor();
    is_comment(decor::prefix(around)) || is_comment(decor::suffix(around)) || has_inner_comment(value)
}

fn has_inner_comment(value: &Value) -> bool {
    match value {
        Value::Array(array) => {
            is_comment(array.trailing().as_str().unwrap_or_default()) || array.iter().any(has_comment)
        }
        Value::InlineTable(table) => {
            is_comment(table.trailing().as_str().unwrap_or_default())
                || table.get_values().iter().any(|(path, value)| {
                    let before = path.last().map(|key| decor::prefix(key.leaf_decor())).unwrap_or_default();
                    is_comment(before) || has_comment(value)
                })
        }
        _ => false,
    }
}

fn is_comment(raw: &str) -> bool {
    raw.contains('#')
}
