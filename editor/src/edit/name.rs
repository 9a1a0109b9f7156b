//! Renaming creation parameters, variables and shared names in all texts that use them.
//!
//! A text that binds the name itself means something else by it, and is left alone.

use std::collections::BTreeMap;
use std::ops::Range;

use hasse_compiler::link_ends;
use toml_edit::{DocumentMut, Item, TableLike};

use super::error::EditError;
use super::identifier::check_name;
use super::link::line::LinkList;
use super::node::{SECTIONS, node_mut};
use super::tables::{graph_mut, rename_key};
use super::texts::{rewrite, rewrite_rust};
use super::words::{bound, substitute, substitute_index};
use super::{port, route, rows};
use crate::rust_text;

fn entries_mut<'t>(
    table: &'t mut dyn TableLike,
    key: &str,
    what: &'static str,
    name: &str,
) -> Result<&'t mut dyn TableLike, EditError> {
    let held = table.get_mut(key).and_then(Item::as_table_like_mut);
    let held = held.filter(|held| held.contains_key(name));
    held.ok_or_else(|| EditError::Missing { what, name: name.to_owned() })
}

/// Renames where the name is declared; refuses one that is taken.
fn declare(
    table: &mut dyn TableLike,
    key: &str,
    what: &'static str,
    name: &str,
    new: &str,
) -> Result<(), EditError> {
    check_name(new)?;
    let held = entries_mut(table, key, what, name)?;
    if name != new && held.contains_key(new) {
        return Err(EditError::Taken { name: new.to_owned() });
    }
    rename_key(held, name, new);
    Ok(())
}

/// The text with the name changed wherever it means the value.
fn renamed(text: &str, kept: &[Range<usize>], map: &BTreeMap<String, String>) -> String {
    let own = bound(text);
    if map.keys().any(|name| own.contains(name)) { text.to_owned() } else { substitute(text, kept, map) }
}

/// Renames a variable of a unit: where it is declared, and in the unit's bodies, rules and expressions.
///
/// # Errors
/// The node or the variable is not there, or the new name is taken or cannot be one.
pub fn rename_var(
    document: &mut DocumentMut,
    graph: &str,
    unit: &str,
    name: &str,
    new: &str,
) -> Result<(), EditError> {
    let (table, _) = node_mut(document, graph, unit)?;
    declare(table, "vars", "variable", name, new)?;
    let map = BTreeMap::from([(name.to_owned(), new.to_owned())]);
    rewrite(table, |text, kept| renamed(text, kept, &map));
    rewrite_rust(table, |text| rust_text::renamed(text, name, new));
    Ok(())
}

/// Renames the name by which a unit uses a shared object: where it is declared, in share lines, and in the unit's bodies,
/// rules and expressions.
///
/// # Errors
/// As for [`port::rename`].
pub fn rename_shared(
    document: &mut DocumentMut,
    graph: &str,
    unit: &str,
    name: &str,
    new: &str,
) -> Result<(), EditError> {
    port::rename(document, graph, unit, port::Side::Shared, name, new)?;
    let (table, _) = node_mut(document, graph, unit)?;
    let map = BTreeMap::from([(name.to_owned(), new.to_owned())]);
    rewrite(table, |text, kept| renamed(text, kept, &map));
    rewrite_rust(table, |text| rust_text::renamed(text, name, new));
    Ok(())
}

/// Renames a creation parameter of a graph: where it is declared, in the texts of the graph's nodes, in its arcs and
/// share lines, and in the arguments of calls of the graph.
///
/// # Errors
/// The graph or the parameter is not there, or the new name is taken or cannot be one.
pub fn rename_param(document: &mut DocumentMut, graph: &str, name: &str, new: &str) -> Result<(), EditError> {
    let table = graph_mut(document, graph)?;
    declare(table, "params", "parameter", name, new)?;
    let map = BTreeMap::from([(name.to_owned(), new.to_owned())]);
    for section in SECTIONS {
        let nodes = table.get_mut(section).and_then(Item::as_table_like_mut);
        for (_, node) in nodes.into_iter().flat_map(|nodes| nodes.iter_mut()) {
            let Some(node) = node.as_table_like_mut().filter(|node| !declares(*node, name)) else { continue };
            rewrite(node, |text, kept| renamed(text, kept, &map));
            rewrite_rust(node, |text| rust_text::renamed(text, name, new));
        }
    }
    for list in LinkList::ALL {
        for (row, line) in rows::rows(graph_mut(document, graph)?, list.key()) {
            let text = renamed_line(&line, name, &map);
            if text != line {
                rows::replace(graph_mut(document, graph)?, &["graph", graph], list.key(), row, &text)?;
                route::line_changed(document, graph, &line, &text);
            }
        }
    }
    let graphs = document.get_mut("graph").and_then(Item::as_table_like_mut);
    for (_, caller) in graphs.into_iter().flat_map(|graphs| graphs.iter_mut()) {
        let calls = caller.get_mut("call").and_then(Item::as_table_like_mut);
        for (_, call) in calls.into_iter().flat_map(|calls| calls.iter_mut()) {
            if call.get("graph").and_then(Item::as_str) == Some(graph)
                && let Some(args) = call.get_mut("args").and_then(Item::as_table_like_mut)
                && args.contains_key(name)
                && !args.contains_key(new)
            {
                rename_key(args, name, new);
            }
        }
    }
    Ok(())
}

/// Whether a node has a name of its own that hides the parameter.
fn declares(node: &dyn TableLike, name: &str) -> bool {
    let is_key =
        |key| node.get(key).and_then(Item::as_table_like).is_some_and(|held| held.contains_key(name));
    let index = node.get("index").and_then(Item::as_array);
    is_key("vars") || is_key("shared") || index.into_iter().flatten().any(|own| own.as_str() == Some(name))
}

/// A line with the name changed in its brackets. A creation parameter that stands alone in a bracket on the left is no
/// variable there, and is renamed, too.
fn renamed_line(line: &str, name: &str, map: &BTreeMap<String, String>) -> String {
    if !line.contains(name) || link_ends(line).is_none() {
        return line.to_owned();
    }
    let mut text = String::new();
    let mut rest = line;
    // Brackets in pairs; what is in them is an expression.
    while let Some(open) = rest.find('[') {
        let Some(close) = closing(&rest[open..]) else { break };
        text.push_str(&rest[..=open]);
        text.push_str(&substitute_index(&rest[open + 1..open + close], map));
        rest = &rest[open + close..];
    }
    text + rest
}

/// Where the bracket closes that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut n_open = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => n_open += 1,
            ']' => {
                n_open -= 1;
                if n_open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
