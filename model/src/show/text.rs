//! Values as lines: on one line what fits there, else a head and what stands below it.

use crate::value::{Matrix, Value};

use super::number::{aligned, rounded};
use super::{Limits, Summary};

/// A head and lines below it.
struct Block {
    head: String,
    below: Vec<Line>,
}

/// One line below a head, with how far it is indented.
struct Line {
    level: usize,
    text: String,
}

/// Text of a vector or a matrix within a line of text, as `${x}` makes it: the numbers, of many of them the first and
/// the last ones. Other values as `Display` writes them.
///
/// ```
/// use std::sync::Arc;
///
/// use hasse_model::show::in_text;
/// use hasse_model::value::{Matrix, Value};
///
/// let matrix = Matrix::from_columns(2, 2, vec![1.0, 3.0, 2.0, 4.0]).unwrap();
/// assert_eq!(in_text(&Value::Matrix(Arc::new(matrix))), "matrix [[1.0, 2.0], [3.0, 4.0]]");
/// let long = Value::Vector(Arc::new((0..1000).map(f64::from).collect()));
/// assert_eq!(in_text(&long), "vector of 1000 entries [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, .., 997.0, 998.0, 999.0]");
/// ```
pub fn in_text(value: &Value) -> String {
    let limits = Limits::default();
    match value {
        Value::Vector(entries) => {
            let whole = entries.len() <= limits.items;
            let head = if whole { "vector".to_owned() } else { short(value) };
            format!("{head} {}", ends(entries, &limits, |entry| rounded(*entry, limits.digits)))
        }
        Value::Matrix(matrix) if matrix.entries().is_empty() => short(value),
        Value::Matrix(matrix) => {
            let most = limits.items / 2;
            let is_whole = matrix.n_rows() <= most && matrix.n_cols() <= most;
            let head = if is_whole { "matrix".to_owned() } else { short(value) };
            let entry = |row: usize, col: Option<usize>| match col {
                Some(col) => rounded(matrix.get(row, col).unwrap_or(f64::NAN), limits.digits),
                None => "..".to_owned(),
            };
            let row = |row: Option<usize>| match row {
                Some(row) => {
                    let entries = picked(matrix.n_cols(), most).into_iter().map(|col| entry(row, col));
                    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
                }
                None => "..".to_owned(),
            };
            let rows: Vec<String> = picked(matrix.n_rows(), most).into_iter().map(row).collect();
            format!("{head} [{}]", rows.join(", "))
        }
        _ => value.to_string(),
    }
}

/// The lines of a value.
pub(super) fn lines(value: &Value, limits: &Limits) -> Vec<String> {
    if let Some(text) = one_line(value, limits) {
        return vec![text];
    }
    if limits.lines <= 1 {
        return vec![brief(value, limits)];
    }
    let mut budget = limits.lines - 1;
    let block = block(value, limits, limits.levels, &mut budget);
    let below = block.below.into_iter().map(|line| format!("{}{}", "  ".repeat(line.level), line.text));
    std::iter::once(block.head).chain(below).collect()
}

/// A value that does not fit on a line, on a line: its shape with figures, or its fields by their shapes.
fn brief(value: &Value, limits: &Limits) -> String {
    let figures = match value {
        Value::Vector(entries) => {
            Some(Summary::of(entries.iter().copied()).text(limits.digits, |at| at.to_string()))
        }
        Value::Matrix(matrix) => Some(matrix_summary(matrix, limits)),
        Value::Array(items) => {
            Summary::of_items(items).map(|summary| summary.text(limits.digits, |at| at.to_string()))
        }
        _ => None,
    };
    let told = match (figures, value) {
        (Some(figures), _) => format!("{}: {figures}", short(value)),
        (None, Value::Struct(held)) => {
            let field = |(name, value): (&str, &Value)| {
                let whole = Limits { width: limits.width / 4, ..limits.clone() };
                format!("{name}: {}", one_line(value, &whole).unwrap_or_else(|| short(value)))
            };
            let fields: Vec<String> = held.entries().map(field).collect();
            format!("{} {{ {} }}", held.shape().name, fields.join(", "))
        }
        (None, _) => short(value),
    };
    if told.chars().count() <= limits.width { told } else { short(value) }
}

/// The value on one line, if all of it fits there.
fn one_line(value: &Value, limits: &Limits) -> Option<String> {
    let mut text = String::new();
    write_whole(value, limits, limits.levels, &mut text)?;
    let is_alone = matches!(value, Value::String(_));
    (is_alone || text.chars().count() <= limits.width).then_some(text)
}

/// Writes all of a value; `None` as soon as it does not fit on a line.
fn write_whole(value: &Value, limits: &Limits, levels_left: usize, text: &mut String) -> Option<()> {
    if text.len() > 4 * limits.width {
        return None;
    }
    match value {
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => {
            text.push_str(&value.to_string());
        }
        Value::String(held) => text.push_str(&string(held, limits)),
        Value::Bytes(bytes) => text.push_str(&bytes_text(bytes, limits)),
        Value::Vector(entries) => {
            if entries.len() > limits.items {
                return None;
            }
            let entries: Vec<String> = entries.iter().map(|entry| rounded(*entry, limits.digits)).collect();
            text.push_str(&format!("vector [{}]", entries.join(", ")));
        }
        Value::Matrix(matrix) => {
            if !matrix.entries().is_empty() {
                return None;
            }
            text.push_str(&short(value));
        }
        Value::Array(items) => {
            if items.len() > limits.items || (levels_left == 0 && !items.is_empty()) {
                return None;
            }
            text.push('[');
            for (item_idx, item) in items.iter().enumerate() {
                text.push_str(if item_idx == 0 { "" } else { ", " });
                write_whole(item, limits, levels_left.saturating_sub(1), text)?;
            }
            text.push(']');
        }
        Value::Struct(held) => {
            let name = &held.shape().name;
            if held.fields().is_empty() {
                text.push_str(&format!("{name} {{}}"));
                return Some(());
            }
            let levels_left = levels_left.checked_sub(1)?;
            for (field_idx, (field, value)) in held.entries().enumerate() {
                let before = if field_idx == 0 { format!("{name} {{ ") } else { ", ".to_owned() };
                text.push_str(&format!("{before}{field}: "));
                write_whole(value, limits, levels_left, text)?;
            }
            text.push_str(" }");
        }
        Value::Map(entries) => {
            if entries.len() > limits.items || (levels_left == 0 && !entries.is_empty()) {
                return None;
            }
            text.push_str("#{");
            for (entry_idx, (key, value)) in entries.iter().enumerate() {
                text.push_str(if entry_idx == 0 { "" } else { ", " });
                text.push_str(&format!("{}: ", string(key, limits)));
                write_whole(value, limits, levels_left.saturating_sub(1), text)?;
            }
            text.push('}');
        }
    }
    Some(())
}

/// Type and extent.
fn short(value: &Value) -> String {
    let counted = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    match value {
        Value::Vector(entries) => format!("vector of {}", counted(entries.len(), "entry", "entries")),
        Value::Matrix(matrix) => format!("matrix {} x {}", matrix.n_rows(), matrix.n_cols()),
        Value::Array(items) => format!("array of {}", counted(items.len(), "item", "items")),
        Value::Struct(held) => format!("{} {{ .. }}", held.shape().name),
        Value::Map(entries) => format!("map of {}", counted(entries.len(), "key", "keys")),
        Value::String(_) | Value::Bytes(_) => value.shape_text(),
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => value.to_string(),
    }
}

/// A string in quotes; of a long one its start and its length.
fn string(held: &str, limits: &Limits) -> String {
    let most = limits.letters.max(4);
    match held.char_indices().nth(most) {
        None => format!("{held:?}"),
        Some((cut, _)) => format!("{:?}.. ({} characters)", &held[..cut], held.chars().count()),
    }
}

fn bytes_text(bytes: &[u8], limits: &Limits) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let shape = if bytes.len() == 1 { "1 byte".to_owned() } else { format!("{} bytes", bytes.len()) };
    let most = limits.items.max(4);
    if bytes.is_empty() {
        shape
    } else if bytes.len() <= most {
        format!("{shape}: {}", hex(bytes))
    } else {
        let (n_first, n_last) = limits.ends();
        format!("{shape}: {} .. {}", hex(&bytes[..n_first]), hex(&bytes[bytes.len() - n_last..]))
    }
}

/// Takes lines from what is left of them; tells whether there are so many.
fn take(budget: &mut usize, n_lines: usize) -> bool {
    let is_enough = *budget >= n_lines;
    *budget = budget.saturating_sub(n_lines);
    is_enough
}

/// A value that does not fit on a line.
fn block(value: &Value, limits: &Limits, levels_left: usize, budget: &mut usize) -> Block {
    let mut below = Vec::new();
    let mut add = |text: String, budget: &mut usize| {
        if take(budget, 1) {
            below.push(Line { level: 1, text });
        }
    };
    match value {
        Value::Vector(entries) => {
            let summary = Summary::of(entries.iter().copied());
            add(summary.text(limits.digits, |at| at.to_string()), budget);
            add(ends(entries, limits, |entry| rounded(*entry, limits.digits)), budget);
        }
        Value::Matrix(matrix) => {
            let is_whole = matrix.n_rows() <= limits.items && matrix.n_cols() <= limits.items;
            let rows = if is_whole { None } else { Some(matrix_summary(matrix, limits)) };
            for line in rows.into_iter().chain(matrix_rows(matrix, limits)) {
                add(line, budget);
            }
        }
        Value::Array(items) => match Summary::of_items(items) {
            Some(summary) => {
                add(summary.text(limits.digits, |at| at.to_string()), budget);
                add(ends(items, limits, ToString::to_string), budget);
            }
            None => {
                let labeled = items.iter().enumerate().map(|(at, item)| (format!("[{at}] "), item));
                return Block {
                    head: short(value),
                    below: children(labeled.collect(), limits, levels_left, budget),
                };
            }
        },
        Value::Struct(held) => {
            let labeled = held.entries().map(|(name, field)| (format!("{name}: "), field)).collect();
            let head = if levels_left == 0 { short(value) } else { held.shape().name.to_string() };
            return Block { head, below: children(labeled, limits, levels_left, budget) };
        }
        Value::Map(entries) => {
            let labeled = entries.iter().map(|(key, value)| (format!("{}: ", string(key, limits)), value));
            return Block {
                head: short(value),
                below: children(labeled.collect(), limits, levels_left, budget),
            };
        }
        Value::String(_)
        | Value::Bytes(_)
        | Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Char(_) => {}
    }
    Block { head: short(value), below }
}

/// Fields, or the first and last items.
fn children(
    labeled: Vec<(String, &Value)>,
    limits: &Limits,
    levels_left: usize,
    budget: &mut usize,
) -> Vec<Line> {
    let mut below = Vec::new();
    let Some(levels_left) = levels_left.checked_sub(1) else { return below };
    let n_items = labeled.len();
    let (n_first, n_last) = limits.ends();
    let is_left_out = |at: usize| n_items > limits.items.max(4) && at >= n_first && at < n_items - n_last;
    for (at, (label, value)) in labeled.into_iter().enumerate() {
        if is_left_out(at) {
            if at == n_first && take(budget, 1) {
                let n_left_out = n_items - n_first - n_last;
                below.push(Line { level: 1, text: format!(".. {n_left_out} more") });
            }
            continue;
        }
        // The last line says that more was to come.
        if !take(budget, 1) {
            break;
        }
        if *budget == 0 && at + 1 < n_items {
            below.push(Line { level: 1, text: format!(".. {} more; ask for a part", n_items - at) });
            break;
        }
        let line_limits =
            Limits { levels: levels_left, width: limits.width.saturating_sub(label.len()), ..limits.clone() };
        match one_line(value, &line_limits) {
            Some(text) => below.push(Line { level: 1, text: format!("{label}{text}") }),
            None => {
                let inner = block(value, limits, levels_left, budget);
                below.push(Line { level: 1, text: format!("{label}{}", inner.head) });
                below.extend(inner.below.into_iter().map(|line| Line { level: line.level + 1, ..line }));
            }
        }
    }
    below
}

/// The first and the last items, or all where there are few; as many as fit on a line.
fn ends<T>(items: &[T], limits: &Limits, text: impl Fn(&T) -> String) -> String {
    let (mut n_first, mut n_last) = limits.ends();
    if items.len() <= limits.items {
        n_first = items.len().saturating_sub(n_last);
        n_last = items.len() - n_first;
    }
    // Fewer than at both ends are shown where limits allow less than that.
    n_first = n_first.min(items.len());
    n_last = n_last.min(items.len() - n_first);
    loop {
        let first = items[..n_first].iter().map(&text);
        let dots = (n_first + n_last < items.len()).then(|| "..".to_owned());
        let last = items[items.len() - n_last..].iter().map(&text);
        let line = format!("[{}]", first.chain(dots).chain(last).collect::<Vec<_>>().join(", "));
        if line.chars().count() <= limits.width || n_first + n_last <= 2 {
            return line;
        }
        if n_first > 1 {
            n_first -= 1;
        } else {
            n_last -= 1;
        }
    }
}

fn matrix_summary(matrix: &Matrix, limits: &Limits) -> String {
    let summary = Summary::of(matrix.entries().iter().copied());
    let n_rows = matrix.n_rows().max(1);
    summary.text(limits.digits, |at| format!("[{}, {}]", at % n_rows, at / n_rows))
}

/// All rows of a small matrix, the corners of a large one; the columns are aligned.
fn matrix_rows(matrix: &Matrix, limits: &Limits) -> Vec<String> {
    let mut most_cols = limits.items;
    loop {
        let rows = picked(matrix.n_rows(), limits.items);
        let cols = picked(matrix.n_cols(), most_cols);
        let entry = |row: Option<usize>, col: Option<usize>| match (row, col) {
            (Some(row), Some(col)) => rounded(matrix.get(row, col).unwrap_or(f64::NAN), limits.digits),
            _ => "..".to_owned(),
        };
        let row = |row: &Option<usize>| cols.iter().map(|col| entry(*row, *col)).collect::<Vec<_>>();
        let lines = aligned(&rows.iter().map(row).collect::<Vec<_>>());
        let is_wide = lines.iter().any(|line| line.chars().count() + 2 > limits.width);
        if !is_wide || most_cols <= 2 {
            return lines.into_iter().map(|line| format!("[{line}]")).collect();
        }
        most_cols = most_cols.min(matrix.n_cols()).saturating_sub(1).max(2);
    }
}

/// Positions that are shown of a dimension, with `None` for those between.
fn picked(n_items: usize, most: usize) -> Vec<Option<usize>> {
    let most = most.max(2);
    if n_items <= most {
        return (0..n_items).map(Some).collect();
    }
    let n_last = (most / 4).max(1);
    let first = (0..(most / 2).max(1)).map(Some);
    first.chain([None]).chain((n_items - n_last..n_items).map(Some)).collect()
}
