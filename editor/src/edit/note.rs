//! Comments and frames: what is drawn for readers, without meaning for the program, in `[layout.G]`.
//!
//! `"comment 1" = { at = [40, 300], text = "reads" }` and
//! `"frame 1" = { at = [0, 0], size = [400, 300], title = "Solvers", color = "blue" }`: keys with a space, which no node
//! has. They hang on no node or arc, so that renaming and removing those leaves them as they are.

use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use super::error::EditError;
use super::place::{self, Position, array_position, position_value, put};

/// Free text at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its number in the graph, which it keeps.
    pub number: u64,
    /// The upper left corner.
    pub at: Position,
    /// What it says; may have several lines.
    pub text: String,
}

/// A rectangle with a title behind boxes that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its number in the graph, which it keeps.
    pub number: u64,
    /// The upper left corner.
    pub at: Position,
    /// Width and height; both above 0.
    pub size: [i64; 2],
    /// What stands above it; may be empty.
    pub title: String,
    /// Name of its color, as of [`FRAME_COLORS`]; others stay in the file and are drawn as the first of those.
    pub color: String,
}

/// Names of the colors that frames can have.
pub const FRAME_COLORS: [&str; 7] = ["gray", "blue", "green", "yellow", "orange", "red", "purple"];

const COMMENT: &str = "comment";
const FRAME: &str = "frame";

/// The comments of a graph, in the order of the file.
pub fn comments(document: &DocumentMut, graph: &str) -> Vec<Comment> {
    let read = |number, table: &dyn TableLike| {
        Some(Comment { number, at: position(table, "at")?, text: text(table, "text") })
    };
    noted(document, graph, COMMENT, read)
}

/// The frames of a graph, in the order of the file.
pub fn frames(document: &DocumentMut, graph: &str) -> Vec<Frame> {
    let read = |number, table: &dyn TableLike| {
        let size = position(table, "size").filter(|size| size.iter().all(|extent| *extent > 0))?;
        let (title, color) = (text(table, "title"), text(table, "color"));
        Some(Frame { number, at: position(table, "at")?, size, title, color })
    };
    noted(document, graph, FRAME, read)
}

fn noted<N>(
    document: &DocumentMut,
    graph: &str,
    kind: &str,
    read: impl Fn(u64, &dyn TableLike) -> Option<N>,
) -> Vec<N> {
    let entries = place::entries(document, graph);
    let notes = entries.filter_map(|(key, item)| read(number_of(key, kind)?, item.as_table_like()?));
    notes.collect()
}

fn number_of(key: &str, kind: &str) -> Option<u64> {
    key.strip_prefix(kind)?.strip_prefix(' ')?.parse().ok()
}

fn key_of(kind: &str, number: u64) -> String {
    format!("{kind} {number}")
}

fn position(table: &dyn TableLike, key: &str) -> Option<Position> {
    array_position(table.get(key)?.as_array()?)
}

fn text(table: &dyn TableLike, key: &str) -> String {
    table.get(key).and_then(Item::as_str).unwrap_or_default().to_owned()
}

/// A text as it is written: on one line, with line breaks as `\n`, so that a note is a line of the file.
fn one_line(text: &str) -> Value {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let mut written = String::from('"');
    for letter in text.chars() {
        match letter {
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '"' | '\\' => written.extend(['\\', letter]),
            _ if letter.is_control() => written.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ => written.push(letter),
        }
    }
    written.push('"');
    written.parse().unwrap_or_else(|_| text.into())
}

/// Adds a comment; gives its number.
///
/// # Errors
/// `layout` has another form than that of the language.
pub fn add_comment(
    document: &mut DocumentMut,
    graph: &str,
    at: Position,
    text: &str,
) -> Result<u64, EditError> {
    add(document, graph, COMMENT, [("at", position_value(at)), ("text", one_line(text))])
}

/// Gives a comment another text.
///
/// # Errors
/// There is no such comment.
pub fn set_comment(
    document: &mut DocumentMut,
    graph: &str,
    number: u64,
    text: &str,
) -> Result<(), EditError> {
    change(document, graph, COMMENT, number, [("text", one_line(text))])
}

/// Moves a comment.
///
/// # Errors
/// There is no such comment.
pub fn move_comment(
    document: &mut DocumentMut,
    graph: &str,
    number: u64,
    to: Position,
) -> Result<(), EditError> {
    change(document, graph, COMMENT, number, [("at", position_value(to))])
}

/// Removes a comment.
///
/// # Errors
/// There is no such comment.
pub fn remove_comment(document: &mut DocumentMut, graph: &str, number: u64) -> Result<(), EditError> {
    remove(document, graph, COMMENT, number)
}

/// Adds a frame; its own number does not count. Gives the number that it has then.
///
/// # Errors
/// `layout` has another form than that of the language.
pub fn add_frame(document: &mut DocumentMut, graph: &str, frame: &Frame) -> Result<u64, EditError> {
    add(document, graph, FRAME, frame_values(frame))
}

/// Gives the frame with its number place, size, title and color.
///
/// # Errors
/// There is no such frame.
pub fn set_frame(document: &mut DocumentMut, graph: &str, frame: &Frame) -> Result<(), EditError> {
    change(document, graph, FRAME, frame.number, frame_values(frame))
}

fn frame_values(frame: &Frame) -> [(&'static str, Value); 4] {
    [
        ("at", position_value(frame.at)),
        ("size", position_value(frame.size.map(|extent| extent.max(1)))),
        ("title", one_line(&frame.title)),
        ("color", one_line(&frame.color)),
    ]
}

/// Moves a frame; what stands in it stays where it is.
///
/// # Errors
/// There is no such frame.
pub fn move_frame(
    document: &mut DocumentMut,
    graph: &str,
    number: u64,
    to: Position,
) -> Result<(), EditError> {
    change(document, graph, FRAME, number, [("at", position_value(to))])
}

/// Removes a frame; what stands in it stays.
///
/// # Errors
/// There is no such frame.
pub fn remove_frame(document: &mut DocumentMut, graph: &str, number: u64) -> Result<(), EditError> {
    remove(document, graph, FRAME, number)
}

fn add<const N: usize>(
    document: &mut DocumentMut,
    graph: &str,
    kind: &str,
    values: [(&'static str, Value); N],
) -> Result<u64, EditError> {
    let table = place::table_mut(document, graph)?;
    let numbers = table.iter().filter_map(|(key, _)| number_of(key, kind));
    let number = numbers.max().unwrap_or(0).saturating_add(1);
    let note: InlineTable = values.into_iter().collect();
    put(table, &key_of(kind, number), Value::InlineTable(note));
    Ok(number)
}

fn change<const N: usize>(
    document: &mut DocumentMut,
    graph: &str,
    kind: &'static str,
    number: u64,
    values: [(&'static str, Value); N],
) -> Result<(), EditError> {
    let missing = || EditError::Missing { what: kind, name: number.to_string() };
    let table = place::graph_mut(document, graph).ok_or_else(missing)?;
    let note = table.get_mut(&key_of(kind, number)).ok_or_else(missing)?;
    let note = note.as_table_like_mut().ok_or_else(missing)?;
    for (key, value) in values {
        let is_same = match (note.get(key).and_then(Item::as_value), &value) {
            (Some(Value::String(held)), Value::String(new)) => held.value() == new.value(),
            (Some(Value::Array(held)), Value::Array(new)) => array_position(held) == array_position(new),
            // What is empty need not be said.
            (None, Value::String(new)) => new.value().is_empty(),
            _ => false,
        };
        if !is_same {
            put(note, key, value);
        }
    }
    Ok(())
}

fn remove(document: &mut DocumentMut, graph: &str, kind: &'static str, number: u64) -> Result<(), EditError> {
    let missing = || EditError::Missing { what: kind, name: number.to_string() };
    let key = key_of(kind, number);
    let table = place::graph_mut(document, graph).filter(|table| table.contains_key(&key));
    table.ok_or_else(missing)?;
    place::forget(document, graph, &key);
    Ok(())
}
