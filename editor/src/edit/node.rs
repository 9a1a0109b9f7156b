//! Nodes, shared objects, calls and formal ports of a graph.

use std::collections::BTreeSet;

use hasse_compiler::family;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::error::EditError;
use super::identifier::check_name;
use super::link::line::{End, Part};
use super::link::{remove_where, rename_ends};
use super::tables::{below_mut, graph_mut, insert_entry, new_table, rename_key, set};
use super::texts::set_text;
use super::{place, route};

/// What can be added to a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NewNode<'t> {
    /// A unit of computation.
    Unit,
    /// A shared object of a type.
    Shared(&'t str),
    /// A call of a graph.
    Call(&'t str),
    /// A formal input port of a type.
    Input(&'t str),
    /// A formal output port of a type.
    Output(&'t str),
    /// A formal shared object of a type.
    InOut(&'t str),
}

/// Sections of a graph that hold nodes with tables.
pub(super) const SECTIONS: [&str; 3] = ["uc", "call", "shared"];
/// Sections that hold formal ports.
pub(super) const FORMALS: [&str; 3] = ["in", "out", "inout"];

impl NewNode<'_> {
    fn section(self) -> &'static str {
        match self {
            Self::Unit => "uc",
            Self::Shared(_) => "shared",
            Self::Call(_) => "call",
            Self::Input(_) => "in",
            Self::Output(_) => "out",
            Self::InOut(_) => "inout",
        }
    }
}

/// Names of nodes and shared objects, which have to differ.
fn names(graph: &dyn TableLike) -> BTreeSet<String> {
    let sections = SECTIONS.iter().filter_map(|section| graph.get(section)?.as_table_like());
    sections.flat_map(|section| section.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()).collect()
}

/// A name that no node of the graph has: the one given, else with the first number behind it that makes it so.
pub fn free_name(document: &DocumentMut, graph: &str, wanted: &str) -> String {
    let table = document.get("graph").and_then(|graphs| graphs.get(graph)).and_then(Item::as_table_like);
    let taken = table.map(names).unwrap_or_default();
    if !taken.contains(wanted) {
        return wanted.to_owned();
    }
    let stem = wanted.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let stem = if stem.is_empty() { "node" } else { stem };
    (2..).map(|number: u64| format!("{stem}{number}")).find(|name| !taken.contains(name)).unwrap_or_default()
}

/// Adds a node. A formal port's name may say a family: `p[i]`.
///
/// # Errors
/// The graph is not there, or the name is taken or cannot be one.
pub fn add(document: &mut DocumentMut, graph: &str, name: &str, new: NewNode<'_>) -> Result<(), EditError> {
    let taken = || EditError::Taken { name: name.to_owned() };
    let table = graph_mut(document, graph)?;
    let section = new.section();
    check_name(&family(name).0)?;
    match new {
        NewNode::Input(ty) | NewNode::Output(ty) | NewNode::InOut(ty) => {
            let is_there =
                |held: &dyn TableLike| held.iter().any(|(known, _)| family(known).0 == family(name).0);
            if table.get(section).and_then(Item::as_table_like).is_some_and(is_there) {
                return Err(taken());
            }
            let held = entries_mut(table, &["graph", graph], section)?;
            insert_entry(held, name, Item::Value(Value::from(ty)));
        }
        NewNode::Unit | NewNode::Shared(_) | NewNode::Call(_) => {
            if names(table).contains(name) {
                return Err(taken());
            }
            let mut made: Table = new_table();
            match new {
                NewNode::Shared(ty) => drop(made.insert("type", Item::Value(Value::from(ty)))),
                NewNode::Call(called) => drop(made.insert("graph", Item::Value(Value::from(called)))),
                _ => {}
            }
            below_mut(table, section)?.insert(name, Item::Table(made));
        }
    }
    Ok(())
}

/// A table of names and types, made inline where it is not there.
pub(super) fn entries_mut<'t>(
    table: &'t mut dyn TableLike,
    path: &[&str],
    key: &str,
) -> Result<&'t mut dyn TableLike, EditError> {
    if table.get(key).is_none() {
        set(table, path, key, Item::Value(Value::InlineTable(InlineTable::new())));
    }
    let held = table.get_mut(key).and_then(Item::as_table_like_mut);
    held.ok_or_else(|| EditError::Form { path: [path, &[key]].concat().join(".") })
}

/// The section that holds a node, with the key that it has there. `name` is as in an outline: `Mult`, `in.a`.
pub(super) fn found(graph: &dyn TableLike, name: &str) -> Option<(&'static str, String)> {
    if let Some((section, port)) = name.split_once('.') {
        let section = FORMALS.into_iter().find(|known| *known == section)?;
        let held = graph.get(section)?.as_table_like()?;
        return held.iter().find(|(key, _)| family(key).0 == port).map(|(key, _)| (section, key.to_owned()));
    }
    let holds = |section: &&str| graph.get(section).and_then(|held| held.get(name)).is_some();
    SECTIONS.into_iter().find(holds).map(|section| (section, name.to_owned()))
}

pub(super) fn missing(name: &str) -> EditError {
    EditError::Missing { what: "node", name: name.to_owned() }
}

/// Renames a node, here, in arcs and share lines, and where it is drawn. Comments and the place in the file stay.
///
/// # Errors
/// The node is not there, or the new name is taken or cannot be one. A formal port's new name is without `in.`.
pub fn rename(document: &mut DocumentMut, graph: &str, name: &str, new: &str) -> Result<(), EditError> {
    check_name(new)?;
    let table = graph_mut(document, graph)?;
    let (section, key) = found(table, name).ok_or_else(|| missing(name))?;
    let is_formal = FORMALS.contains(&section);
    let new_path = if is_formal { format!("{section}.{new}") } else { new.to_owned() };
    if new_path == name {
        return Ok(());
    }
    if found(table, &new_path).is_some() {
        return Err(EditError::Taken { name: new.to_owned() });
    }
    let new_key = key.replacen(&family(&key).0, new, 1);
    rename_key(below_mut(table, section)?, &key, &new_key);
    if section == "out"
        && let Some(errors) = table.get_mut("on_error").and_then(Item::as_value_mut)
        && errors.as_str() == Some(&family(&key).0)
    {
        set_text(errors, new);
    }
    let part = if is_formal { Part::Port } else { Part::Node };
    let renamed = |node: &str, _: &str| (node == name).then(|| new.to_owned());
    rename_ends(table, graph, part, End::Both, renamed)?;
    route::rename_ends(document, graph, part, End::Both, renamed);
    place::rename(document, graph, name, &new_path);
    Ok(())
}

/// Removes nodes with their arcs and share lines, and from the picture.
///
/// # Errors
/// One of them is not there.
pub fn remove(document: &mut DocumentMut, graph: &str, nodes: &[&str]) -> Result<(), EditError> {
    let table = graph_mut(document, graph)?;
    for name in nodes {
        let (section, key) = found(table, name).ok_or_else(|| missing(name))?;
        let held = below_mut(table, section)?;
        held.remove(&key);
        if held.is_empty() {
            table.remove(section);
        }
    }
    let is_gone = |node: &str, _: &str| nodes.contains(&node);
    remove_where(table, graph, End::Both, is_gone)?;
    route::remove_where(document, graph, End::Both, is_gone);
    for name in nodes {
        place::forget(document, graph, name);
    }
    Ok(())
}

/// Sets or, with `None`, removes an attribute of a node: `doc`, `init`, `do`, `start`, `graph`, `type`, ..
///
/// # Errors
/// The node is not there.
pub fn set_attribute(
    document: &mut DocumentMut,
    graph: &str,
    node: &str,
    key: &str,
    value: Option<Value>,
) -> Result<(), EditError> {
    let table = graph_mut(document, graph)?;
    let (section, name) = found(table, node).ok_or_else(|| missing(node))?;
    let held = below_mut(below_mut(table, section)?, &name)?;
    match value {
        Some(value) => set(held, &["graph", graph, section, node], key, Item::Value(value)),
        None => drop(held.remove(key)),
    }
    Ok(())
}

/// The table of a node, with the path to it.
pub(crate) fn node_mut<'d>(
    document: &'d mut DocumentMut,
    graph: &str,
    node: &str,
) -> Result<(&'d mut dyn TableLike, &'static str), EditError> {
    let table = graph_mut(document, graph)?;
    let (section, name) = found(table, node).ok_or_else(|| missing(node))?;
    Ok((below_mut(below_mut(table, section)?, &name)?, section))
}
