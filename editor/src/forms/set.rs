//! Setting a field: only what differs is written, so that comments stay beside what they are about.

use hasse_compiler::family;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value};

use super::entry::{BOUND, FULL, LEFT, NUMBERS, entry_text, option_value, set_entry_text};
use super::field::FieldValue;
use crate::edit::identifier::check_name;
use crate::edit::node::node_mut;
use crate::edit::tables::{graph_mut, insert_entry, set as set_key};
use crate::edit::{EditError, rows};
use crate::rust_text::rust_of;

/// Keys whose arrays have one rule or arc a line.
const ROWS: [&str; 5] = ["fire", "route", "on_error", "arcs", "share"];
/// Keys that hold bodies.
const BODIES: [&str; 2] = ["init", "do"];

/// Sets a field of a node, or with `None` of a graph; an empty value removes the key. Names of ports and parameters that
/// are gone from a list are not followed elsewhere: to rename one, use [`port::rename`](crate::edit::port::rename).
///
/// # Errors
/// The graph or the node is not there, what it has under the key is of another form, or a name stands twice or cannot be
/// one.
pub fn set(
    document: &mut DocumentMut,
    graph: &str,
    node: Option<&str>,
    key: &str,
    value: &FieldValue,
) -> Result<(), EditError> {
    if let Some((section, port)) = node.and_then(|node| node.split_once('.')) {
        return set_formal(document, graph, section, port, value);
    }
    let (table, path): (&mut dyn TableLike, Vec<&str>) = match node {
        None => (graph_mut(document, graph)?, vec!["graph", graph]),
        Some(name) => {
            let (table, section) = node_mut(document, graph, name)?;
            (table, vec!["graph", graph, section, name])
        }
    };
    if key == LEFT {
        let FieldValue::List(ports) = value else {
            return Err(EditError::Form { path: [&path[..], &["in"]].concat().join(".") });
        };
        return set_left(table, ports);
    }
    if [BOUND, FULL].contains(&key) {
        let entries = match value {
            FieldValue::Entries(entries) => entries.clone(),
            value if value.is_empty() => Vec::new(),
            _ => return Err(EditError::Form { path: [&path[..], &["in"]].concat().join(".") }),
        };
        return set_options(table, key, &entries);
    }
    if value.is_empty() {
        table.remove(key);
        return Ok(());
    }
    match value {
        FieldValue::List(list) if ROWS.contains(&key) => set_rows(table, &path, key, list),
        FieldValue::Entries(entries) => set_entries(table, &path, key, entries),
        FieldValue::List(list) => set_value(table, &path, key, Value::Array(Array::from_iter(list))),
        FieldValue::Flag(flag) => set_value(table, &path, key, Value::from(*flag)),
        FieldValue::Text(text) if BODIES.contains(&key) => {
            let held = table.get(key).and_then(Item::as_str);
            if held == Some(text) {
                return Ok(());
            }
            // What stands on one line may stay there; an expression does so from the beginning.
            let is_short = held.map_or(path.get(2) == Some(&"shared"), |held| !held.contains('\n'));
            set_value(table, &path, key, body(text, is_short))
        }
        FieldValue::Text(text) if NUMBERS.contains(&key) => set_value(table, &path, key, option_value(text)),
        FieldValue::Text(text) => set_value(table, &path, key, Value::from(text)),
        FieldValue::Rust(text) => set_rust(table, &path, key, text),
        FieldValue::Native(name) => {
            let native = InlineTable::from_iter([("native", name.as_str())]);
            set_value(table, &path, key, Value::InlineTable(native))
        }
    }
}

/// Leaves the spelling of a value alone that is the same already.
fn set_value(table: &mut dyn TableLike, path: &[&str], key: &str, value: Value) -> Result<(), EditError> {
    let is_same = table.get(key).and_then(Item::as_value).is_some_and(|held| match (held, &value) {
        (Value::String(held), Value::String(new)) => held.value() == new.value(),
        (Value::Boolean(held), Value::Boolean(new)) => held.value() == new.value(),
        (Value::Array(held), Value::Array(new)) => {
            held.len() == new.len() && held.iter().zip(new).all(|(held, new)| held.as_str() == new.as_str())
        }
        _ => false,
    });
    if !is_same {
        set_key(table, path, key, Item::Value(value));
    }
    Ok(())
}

/// Sets a body in Rust; of one that is in Rust already, no more than the text.
fn set_rust(table: &mut dyn TableLike, path: &[&str], key: &str, text: &str) -> Result<(), EditError> {
    let held = table.get(key).and_then(rust_of);
    if held == Some(text) {
        return Ok(());
    }
    let new = body(text, held.is_some_and(|held| !held.is_empty() && !held.contains('\n')));
    if held.is_some()
        && let Some(value) =
            table.get_mut(key).and_then(Item::as_table_like_mut).and_then(|held| held.get_mut("rust"))
    {
        let decor = value.as_value().map(|value| value.decor().clone());
        *value = Item::Value(new);
        if let (Some(value), Some(decor)) = (value.as_value_mut(), decor) {
            *value.decor_mut() = decor;
        }
        return Ok(());
    }
    set_value(table, path, key, Value::InlineTable(InlineTable::from_iter([("rust", new)])))
}

/// Sets the input ports of a unit on which values may be left.
fn set_left(unit: &mut dyn TableLike, ports: &[String]) -> Result<(), EditError> {
    let wanted: Vec<(String, Value)> = ports.iter().map(|port| (family(port).0, Value::from("ok"))).collect();
    set_option(unit, LEFT, &wanted)
}

/// Sets the bounds of input ports.
fn set_options(unit: &mut dyn TableLike, key: &str, options: &[(String, String)]) -> Result<(), EditError> {
    let wanted: Vec<(String, Value)> =
        options.iter().map(|(port, option)| (family(port).0, option_value(option))).collect();
    set_option(unit, key, &wanted)
}

/// Sets an option of input ports, and removes it from all others. A port with nothing but a type is written as that type.
fn set_option(unit: &mut dyn TableLike, key: &str, wanted: &[(String, Value)]) -> Result<(), EditError> {
    let inputs = unit.get_mut("in").and_then(Item::as_table_like_mut);
    let is_known = |port: &String| {
        inputs.as_ref().is_some_and(|inputs| inputs.iter().any(|(name, _)| family(name).0 == *port))
    };
    if let Some((unknown, _)) = wanted.iter().find(|(port, _)| !is_known(port)) {
        return Err(EditError::Missing { what: "input port", name: unknown.clone() });
    }
    for (name, item) in inputs.into_iter().flat_map(TableLike::iter_mut) {
        let value = wanted.iter().find(|(port, _)| *port == family(&name).0).map(|(_, value)| value);
        let is_inline = item.is_inline_table();
        let Some(port) = item.as_table_like_mut() else {
            if let (Some(ty), Some(value)) = (item.as_str(), value) {
                let option = [("type", Value::from(ty)), (key, value.clone())];
                replace(item, Value::InlineTable(InlineTable::from_iter(option)));
            }
            continue;
        };
        let Some(value) = value else {
            let was_last = port.iter().last().is_some_and(|(last, _)| last == key);
            port.remove(key);
            if was_last && let Some((_, Item::Value(last))) = port.iter_mut().last() {
                // The space before the brace went with it.
                let suffix = last.decor().suffix().and_then(|suffix| suffix.as_str());
                if is_inline && suffix == Some("") {
                    last.decor_mut().set_suffix(" ");
                }
            }
            if port.len() == 1
                && let Some(ty) = port.get("type").and_then(Item::as_str)
            {
                let ty = Value::from(ty);
                replace(item, ty);
            }
            continue;
        };
        let is_same = |held: &Value| held.to_string().trim() == value.to_string().trim();
        match port.get_mut(key) {
            Some(held) if held.as_value().is_some_and(is_same) => {}
            Some(held) => replace(held, value.clone()),
            None => insert_entry(port, key, Item::Value(value.clone())),
        }
    }
    Ok(())
}

/// Replaces a value, and keeps the whitespace and comments around it.
fn replace(item: &mut Item, mut value: Value) {
    if let Some(held) = item.as_value() {
        *value.decor_mut() = held.decor().clone();
    }
    *item = Item::Value(value);
}

fn set_formal(
    document: &mut DocumentMut,
    graph: &str,
    section: &str,
    port: &str,
    value: &FieldValue,
) -> Result<(), EditError> {
    let missing = || EditError::Missing { what: "node", name: format!("{section}.{port}") };
    let FieldValue::Text(ty) = value else {
        return Err(EditError::Form { path: format!("graph.{graph}.{section}.{port}") });
    };
    let held = graph_mut(document, graph)?.get_mut(section).and_then(Item::as_table_like_mut);
    let held = held.ok_or_else(missing)?;
    let key = held.iter().map(|(key, _)| key.to_owned()).find(|key| family(key).0 == port);
    set_key(held, &["graph", graph, section], &key.ok_or_else(missing)?, Item::Value(Value::from(ty)));
    Ok(())
}

/// A body as a block between `'''`, so that its lines are lines of the file; where it cannot be, as a string with
/// escapes.
fn body(text: &str, is_short: bool) -> Value {
    let text = &text.replace("\r\n", "\n");
    if is_short && !text.contains('\n') {
        return Value::from(text);
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let spelled = format!("'''\n{text}{end}'''");
    let parsed = spelled.parse::<Value>().ok().filter(|_| !text.contains("'''"));
    parsed.unwrap_or_else(|| Value::from(text))
}

/// Makes an array's rows those of a list, by the fewest insertions, removals and changes in place.
fn set_rows(table: &mut dyn TableLike, path: &[&str], key: &str, list: &[String]) -> Result<(), EditError> {
    // One row may be alone, without an array.
    if let Some(text) = table.get(key).and_then(Item::as_str).map(str::to_owned) {
        set_key(table, path, key, Item::Value(Value::Array(Array::from_iter([text]))));
    }
    let held = rows::rows(table, key);
    let is_array = table.get(key).is_none_or(|item| {
        item.as_array().is_some_and(|array| array.iter().all(|value| value.as_str().is_some()))
    });
    if !is_array {
        return Err(EditError::Form { path: [path, &[key]].concat().join(".") });
    }
    let held: Vec<&str> = held.iter().map(|(_, row)| row.as_str()).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &held, &list);
    // From behind, so that positions before stay what they are.
    for op in ops.into_iter().rev() {
        let (_, old, new) = op.as_tag_tuple();
        if old.len() == new.len() && held[old.clone()] == list[new.clone()] {
            continue;
        }
        let n_both = old.len().min(new.len());
        for (row, text) in old.clone().zip(&list[new.clone()]) {
            rows::replace(table, path, key, row, text)?;
        }
        for row in (old.start + n_both..old.end).rev() {
            rows::remove(table, path, key, row)?;
        }
        for text in list[new.start + n_both..new.end].iter().rev() {
            rows::insert(table, path, key, old.start + n_both, text)?;
        }
    }
    Ok(())
}

/// Makes a table's entries those of a list: what stays keeps its comments, what is new stands at the end; where the
/// order is another one, the entries are written anew.
fn set_entries(
    table: &mut dyn TableLike,
    path: &[&str],
    key: &str,
    entries: &[(String, String)],
) -> Result<(), EditError> {
    if table.get(key).is_none() {
        set_key(table, path, key, Item::Value(Value::InlineTable(InlineTable::new())));
    }
    let form = || EditError::Form { path: [path, &[key]].concat().join(".") };
    let held = table.get_mut(key).and_then(Item::as_table_like_mut).ok_or_else(form)?;
    for (place, (name, _)) in entries.iter().enumerate() {
        let bare = family(name).0;
        if held.get(name).is_none() {
            check_name(&bare)?;
        }
        if entries[..place].iter().any(|(other, _)| family(other).0 == bare) {
            return Err(EditError::Taken { name: bare });
        }
    }
    let is_wanted = |name: &str| entries.iter().any(|(wanted, _)| wanted == name);
    let gone: Vec<String> =
        held.iter().map(|(name, _)| name.to_owned()).filter(|name| !is_wanted(name)).collect();
    for name in gone {
        held.remove(&name);
    }
    let kept: Vec<String> = held.iter().map(|(name, _)| name.to_owned()).collect();
    let mut said: Vec<(String, Item)> = Vec::new();
    if !entries.iter().map(|(name, _)| name).zip(&kept).all(|(wanted, kept)| wanted == kept) {
        for name in kept {
            // A port may say more than its type.
            if let Some(item) = held.remove(&name).filter(|item| item.as_str().is_none()) {
                said.push((name, item));
            }
        }
    }
    for (name, text) in entries {
        if held.get(name).is_none()
            && let Some(position) = said.iter().position(|(known, _)| known == name)
        {
            insert_entry(held, name, said.swap_remove(position).1);
        }
        match held.get_mut(name) {
            Some(item) if entry_text(item) == Some(text) => {}
            Some(item) => set_entry_text(item, text),
            None => insert_entry(held, name, Item::Value(Value::from(text))),
        }
    }
    Ok(())
}
