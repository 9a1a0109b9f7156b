//! Positions of what is drawn: `[layout.G]`.

use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use super::error::EditError;
use super::tables::{below_mut, last_position, new_table, rename_key};

/// Where a node's upper left corner is, in whole units of the picture at its own size, x to the right and y down.
pub type Position = [i64; 2];

/// The positions that a graph's nodes have, in the order of the file. Those of formal ports may be written as keys,
/// `"in.a"`, or as a table, `in.a`.
pub fn positions(document: &DocumentMut, graph: &str) -> Vec<(String, Position)> {
    let mut positions = Vec::new();
    for (name, item) in entries(document, graph) {
        match (position_of(item), item.as_table_like()) {
            (Some(position), _) => positions.push((name.to_owned(), position)),
            (None, Some(ports)) if matches!(name, "in" | "out" | "inout") => {
                let ports = ports
                    .iter()
                    .filter_map(|(port, item)| Some((format!("{name}.{port}"), position_of(item)?)));
                positions.extend(ports);
            }
            (None, _) => {}
        }
    }
    positions
}

/// What stands in the table of a graph's layout.
pub(super) fn entries<'d>(
    document: &'d DocumentMut,
    graph: &str,
) -> impl Iterator<Item = (&'d str, &'d Item)> {
    let table = document.get("layout").and_then(|layout| layout.get(graph)).and_then(Item::as_table_like);
    table.into_iter().flat_map(TableLike::iter)
}

/// A position of two numbers.
pub(super) fn position_of(item: &Item) -> Option<Position> {
    item.as_array().and_then(array_position)
}

/// A position of two numbers.
pub(super) fn array_position(array: &Array) -> Option<Position> {
    let number = |idx: usize| {
        let value = array.get(idx)?;
        value.as_integer().or_else(|| value.as_float().map(|number| number.round() as i64))
    };
    (array.len() == 2).then_some([number(0)?, number(1)?])
}

/// Moves nodes.
///
/// # Errors
/// `layout` has another form than that of the language.
pub fn set(document: &mut DocumentMut, graph: &str, moved: &[(&str, Position)]) -> Result<(), EditError> {
    if moved.is_empty() {
        return Ok(());
    }
    let table = table_mut(document, graph)?;
    for (name, position) in moved {
        let (table, key) = slot_mut(table, name);
        match table.get(key) {
            Some(held) if position_of(held) == Some(*position) => {}
            _ => put(table, key, position_value(*position)),
        }
    }
    Ok(())
}

/// Where the position of a node stands, or is to stand: a formal port's may be written as a table, `in.a`.
fn slot_mut<'t, 'n>(table: &'t mut dyn TableLike, name: &'n str) -> (&'t mut dyn TableLike, &'n str) {
    let below = name.split_once('.').filter(|_| !table.contains_key(name)).filter(|(section, port)| {
        let held = table.get(section).and_then(Item::as_table_like);
        held.is_some_and(|held| held.contains_key(port))
    });
    let Some((section, port)) = below else { return (table, name) };
    let held = table.get_mut(section).and_then(Item::as_table_like_mut);
    (held.expect("the table was looked into above"), port)
}

/// The table of a graph's layout, made at the end of the file where it is not there.
pub(super) fn table_mut<'d>(
    document: &'d mut DocumentMut,
    graph: &str,
) -> Result<&'d mut dyn TableLike, EditError> {
    let last = last_position(document.as_table());
    let layout = below_mut(document.as_table_mut(), "layout")?;
    if layout.get(graph).is_none() {
        let mut table = new_table();
        table.set_position(Some(last + 1));
        layout.insert(graph, Item::Table(table));
    }
    below_mut(layout, graph)
}

/// A position as it is written.
pub(super) fn position_value([x, y]: Position) -> Value {
    Value::Array(Array::from_iter([x, y]))
}

/// Sets a key, with the comments around it where it is there.
pub(super) fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key) {
        Some(held) => {
            if let Some(decor) = held.as_value().map(|value| value.decor().clone()) {
                *value.decor_mut() = decor;
            }
            *held = Item::Value(value);
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}

pub(super) fn graph_mut<'d>(document: &'d mut DocumentMut, graph: &str) -> Option<&'d mut dyn TableLike> {
    document.get_mut("layout")?.get_mut(graph)?.as_table_like_mut()
}

/// A node has another name. The old one and the new one are both names of formal ports, or both not.
pub(super) fn rename(document: &mut DocumentMut, graph: &str, name: &str, new: &str) {
    let Some(table) = graph_mut(document, graph) else { return };
    let (table, key) = slot_mut(table, name);
    if table.contains_key(key) {
        let new_key = if key == name { new } else { new.split_once('.').map_or(new, |(_, port)| port) };
        // A position that no node had any more gives way.
        table.remove(new_key);
        rename_key(table, key, new_key);
    }
}

/// A node is gone, and the table where nothing else is in it.
pub(super) fn forget(document: &mut DocumentMut, graph: &str, name: &str) {
    let Some(table) = graph_mut(document, graph) else { return };
    let (held, key) = slot_mut(table, name);
    held.remove(key);
    if let Some((section, _)) = name.split_once('.').filter(|_| key != name && held.is_empty()) {
        table.remove(section);
    }
    drop_empty(document, graph);
}

/// The table goes where nothing is in it.
pub(super) fn drop_empty(document: &mut DocumentMut, graph: &str) {
    let Some(table) = graph_mut(document, graph) else { return };
    if table.is_empty()
        && let Some(layout) = document.get_mut("layout").and_then(Item::as_table_like_mut)
    {
        layout.remove(graph);
        if layout.is_empty() {
            document.remove("layout");
        }
    }
}
