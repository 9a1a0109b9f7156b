//! Positions of what is drawn: `[layout.G]`.

use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use super::EditError;
use super::tables::{below_mut, last_position, new_table, rename_key};

/// Where a node's upper left corner is, in whole units of the picture at its own size, x to the right and y down.
pub type Position = [i64; 2];

/// The positions that a graph's nodes have, in the order of the file.
pub fn positions(document: &DocumentMut, graph: &str) -> Vec<(String, Position)> {
    let table = document.get("layout").and_then(|layout| layout.get(graph)).and_then(Item::as_table_like);
    let entries = table.into_iter().flat_map(TableLike::iter);
    entries.filter_map(|(name, item)| Some((name.to_owned(), position_of(item)?))).collect()
}

fn position_of(item: &Item) -> Option<Position> {
    let array = item.as_array()?;
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
    let last = last_position(document.as_table());
    let layout = below_mut(document.as_table_mut(), "layout")?;
    if layout.get(graph).is_none() {
        let mut table = new_table();
        table.set_position(Some(last + 1));
        layout.insert(graph, Item::Table(table));
    }
    let table = below_mut(layout, graph)?;
    for (name, [x, y]) in moved {
        let position = Value::Array(Array::from_iter([*x, *y]));
        match table.get_mut(name) {
            Some(held) if position_of(held) == Some([*x, *y]) => {}
            Some(held) => {
                let decor = held.as_value().map(|value| value.decor().clone());
                *held = Item::Value(position);
                if let (Some(value), Some(decor)) = (held.as_value_mut(), decor) {
                    *value.decor_mut() = decor;
                }
            }
            None => drop(table.insert(name, Item::Value(position))),
        }
    }
    Ok(())
}

fn graph_mut<'d>(document: &'d mut DocumentMut, graph: &str) -> Option<&'d mut dyn TableLike> {
    document.get_mut("layout")?.get_mut(graph)?.as_table_like_mut()
}

/// A node has another name.
pub(super) fn rename(document: &mut DocumentMut, graph: &str, name: &str, new: &str) {
    if let Some(table) = graph_mut(document, graph)
        && table.contains_key(name)
    {
        rename_key(table, name, new);
    }
}

/// A node is gone. The table goes where nothing else is in it.
pub(super) fn forget(document: &mut DocumentMut, graph: &str, name: &str) {
    let Some(table) = graph_mut(document, graph) else { return };
    table.remove(name);
    if table.is_empty()
        && let Some(layout) = document.get_mut("layout").and_then(Item::as_table_like_mut)
    {
        layout.remove(graph);
        if layout.is_empty() {
            document.remove("layout");
        }
    }
}
