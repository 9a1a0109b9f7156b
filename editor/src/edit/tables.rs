//! Finding and making the tables of graphs and nodes.

use hasse_compiler::keys_of;
use toml_edit::{DocumentMut, Item, Key, Table, TableLike};

use super::error::EditError;

fn form(path: &[&str]) -> EditError {
    EditError::Form { path: path.join(".") }
}

/// The table of a graph.
pub(crate) fn graph_mut<'d>(
    document: &'d mut DocumentMut,
    name: &str,
) -> Result<&'d mut dyn TableLike, EditError> {
    let missing = || EditError::Missing { what: "graph", name: name.to_owned() };
    let graphs = document.get_mut("graph").ok_or_else(missing)?;
    let graphs = graphs.as_table_like_mut().ok_or_else(|| form(&["graph"]))?;
    let graph = graphs.get_mut(name).ok_or_else(missing)?;
    graph.as_table_like_mut().ok_or_else(|| form(&["graph", name]))
}

/// The table below another one, made where it is not there; without a header of its own while only tables are in it.
pub(crate) fn below_mut<'t>(
    table: &'t mut dyn TableLike,
    key: &str,
) -> Result<&'t mut dyn TableLike, EditError> {
    if table.get(key).is_none() {
        let mut made = Table::new();
        made.set_implicit(true);
        table.insert(key, Item::Table(made));
    }
    let held = table.get_mut(key).and_then(Item::as_table_like_mut);
    held.ok_or_else(|| form(&[key]))
}

/// An empty table with a header and a blank line before it.
pub(crate) fn new_table() -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    table
}

/// Sets a key of the table at a path: in place where it is there, with the comments around it, else where the canonical
/// order of keys has it.
pub(crate) fn set(table: &mut dyn TableLike, path: &[&str], key: &str, item: Item) {
    if let Some(held) = table.get_mut(key) {
        let decor = held.as_value().map(|value| value.decor().clone());
        *held = item;
        if let (Some(value), Some(decor)) = (held.as_value_mut(), decor) {
            *value.decor_mut() = decor;
        }
        return;
    }
    let keys = keys_of(path);
    let rank = |key: &str| keys.iter().position(|known| *known == key).unwrap_or(keys.len());
    let own = rank(key);
    let later: Vec<String> =
        table.iter().map(|(key, _)| key.to_owned()).filter(|key| rank(key) > own).collect();
    let mut moved = Vec::new();
    for key in later {
        let written = table.key(&key).cloned();
        if let (Some(written), Some(item)) = (written, table.remove(&key)) {
            moved.push((written, item));
        }
    }
    table.insert(key, item);
    for (written, item) in moved {
        table.entry_format(&written).or_insert(item);
    }
}

/// Renames a key in its place.
pub(crate) fn rename_key(table: &mut dyn TableLike, key: &str, new: &str) {
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for known in keys.iter().skip_while(|known| *known != key) {
        let written = table.key(known).cloned();
        let (Some(mut written), Some(item)) = (written, table.remove(known)) else { continue };
        if known == key {
            let renamed = Key::new(new).with_leaf_decor(written.leaf_decor().clone());
            written = renamed.with_dotted_decor(written.dotted_decor().clone());
        }
        table.entry_format(&written).or_insert(item);
    }
}

/// Where the last table of the file stands.
pub(crate) fn last_position(table: &dyn TableLike) -> isize {
    let below = table.iter().filter_map(|(_, item)| match item {
        Item::Table(table) => Some(table.position().unwrap_or(0).max(last_position(table))),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table.position().unwrap_or(0)).max(),
        Item::Value(_) | Item::None => None,
    });
    below.max().unwrap_or(0)
}

/// Adds an entry to a table; in one that is written in braces, with a space before the brace only.
pub(crate) fn insert_entry(table: &mut dyn TableLike, key: &str, item: Item) {
    let is_inline = table.iter().all(|(_, held)| held.is_value());
    if let (true, Some((_, Item::Value(last)))) = (is_inline, table.iter_mut().last()) {
        let suffix = last.decor().suffix().and_then(|suffix| suffix.as_str()).unwrap_or_default();
        if suffix.trim().is_empty() && !suffix.contains('\n') {
            last.decor_mut().set_suffix("");
        }
    }
    table.insert(key, item);
}

/// Lines the equal signs of a new table up, as the canonical spelling has them.
pub(super) fn align(table: &mut Table) {
    let is_short = |item: &Item| item.as_value().is_some_and(|value| !value.is_array());
    let keys: Vec<String> =
        table.iter().filter(|(_, item)| is_short(item)).map(|(key, _)| key.to_owned()).collect();
    let n_most = keys.iter().map(String::len).max().unwrap_or(0);
    for key in &keys {
        if let Some(mut written) = table.key_mut(key) {
            written.leaf_decor_mut().set_suffix(" ".repeat(n_most - key.len() + 1));
        }
    }
}
