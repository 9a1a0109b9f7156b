//! Ports of units of computation, and the names by which they use shared objects.

use hasse_compiler::{family, rule_ports};
use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::error::EditError;
use super::identifier::check_name;
use super::link::line::{End, Part};
use super::link::{remove_where, rename_ends};
use super::node::{entries_mut, node_mut};
use super::tables::{graph_mut, insert_entry, rename_key};
use super::texts::set_text;
use super::{route, rows};
use crate::forms::entry::set_entry_text;

/// The side of a unit that a port is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// `in`
    Input,
    /// `out`
    Output,
    /// `shared`: a name for a shared object.
    Shared,
}

impl Side {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Input, Self::Output, Self::Shared];

    /// Its key in the file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Input => "in",
            Self::Output => "out",
            Self::Shared => "shared",
        }
    }

    /// The ends of lines that name ports of this side: an input and an output may have one name.
    fn end(self) -> End {
        match self {
            Self::Input | Self::Shared => End::Target,
            Self::Output => End::Source,
        }
    }

    /// The rules that name ports of this side.
    fn rules(self) -> &'static [&'static str] {
        match self {
            Self::Input => &["fire"],
            Self::Output => &["route", "on_error"],
            Self::Shared => &[],
        }
    }
}

fn key_of(held: &dyn TableLike, port: &str) -> Option<String> {
    held.iter().map(|(key, _)| key).find(|key| family(key).0 == port).map(str::to_owned)
}

/// Adds a port: its name, `p` or `p[i]`, and its type; of a shared name `read` or `write`.
///
/// # Errors
/// The node is not there, or the name is taken on this side or cannot be one.
pub fn add(
    document: &mut DocumentMut,
    graph: &str,
    unit: &str,
    side: Side,
    port: &str,
    ty: &str,
) -> Result<(), EditError> {
    let name = family(port).0;
    check_name(&name)?;
    let (table, section) = node_mut(document, graph, unit)?;
    let held = entries_mut(table, &["graph", graph, section, unit], side.key())?;
    if key_of(held, &name).is_some() {
        return Err(EditError::Taken { name });
    }
    insert_entry(held, port, Item::Value(Value::from(ty)));
    Ok(())
}

/// Gives a port another type; a shared name another access.
///
/// # Errors
/// The node or the port is not there.
pub fn set_type(
    document: &mut DocumentMut,
    graph: &str,
    unit: &str,
    side: Side,
    port: &str,
    ty: &str,
) -> Result<(), EditError> {
    let (table, section) = node_mut(document, graph, unit)?;
    let held = entries_mut(table, &["graph", graph, section, unit], side.key())?;
    let key = key_of(held, port).ok_or_else(|| missing(port))?;
    if let Some(item) = held.get_mut(&key) {
        set_entry_text(item, ty);
    }
    Ok(())
}

fn missing(port: &str) -> EditError {
    EditError::Missing { what: "port", name: port.to_owned() }
}

/// Renames a port: where it is declared, in the unit's rules, in arcs and share lines. `new` says the whole family,
/// `p[i]`, where it is one. Texts of bodies are left alone, also for a shared name.
///
/// # Errors
/// The node or the port is not there, or the name is taken on this side or cannot be one.
pub fn rename(
    document: &mut DocumentMut,
    graph: &str,
    unit: &str,
    side: Side,
    port: &str,
    new: &str,
) -> Result<(), EditError> {
    let name = family(new).0;
    check_name(&name)?;
    let (table, section) = node_mut(document, graph, unit)?;
    let path = ["graph", graph, section, unit];
    let held = entries_mut(table, &path, side.key())?;
    let key = key_of(held, port).ok_or_else(|| missing(port))?;
    if name != port && key_of(held, &name).is_some() {
        return Err(EditError::Taken { name });
    }
    rename_key(held, &key, new);
    let renamed_rule = |rule: &str| {
        let mut text = rule.to_owned();
        for range in rule_ports(rule).into_iter().rev().filter(|range| rule[range.clone()] == *port) {
            text.replace_range(range, &name);
        }
        (text != rule).then_some(text)
    };
    for rules in side.rules() {
        for (row, rule) in rows::rows(table, rules) {
            if let Some(text) = renamed_rule(&rule) {
                rows::replace(table, &path, rules, row, &text)?;
            }
        }
        // One rule may be alone, without an array.
        if let Some(rule) = table.get_mut(rules).and_then(Item::as_value_mut)
            && let Some(text) = rule.as_str().and_then(renamed_rule)
        {
            set_text(rule, &text);
        }
    }
    let renamed = |node: &str, known: &str| (node == unit && known == port).then(|| name.clone());
    rename_ends(graph_mut(document, graph)?, graph, Part::Port, side.end(), renamed)?;
    route::rename_ends(document, graph, Part::Port, side.end(), renamed);
    Ok(())
}

/// Removes a port with its arcs or share lines. Rules that name it stay, for the compiler to point at.
///
/// # Errors
/// The node or the port is not there.
pub fn remove(
    document: &mut DocumentMut,
    graph: &str,
    unit: &str,
    side: Side,
    port: &str,
) -> Result<(), EditError> {
    let (table, section) = node_mut(document, graph, unit)?;
    let held = entries_mut(table, &["graph", graph, section, unit], side.key())?;
    let key = key_of(held, port).ok_or_else(|| missing(port))?;
    held.remove(&key);
    if held.is_empty() {
        table.remove(side.key());
    }
    let is_gone = |node: &str, known: &str| node == unit && known == port;
    remove_where(graph_mut(document, graph)?, graph, side.end(), is_gone)?;
    route::remove_where(document, graph, side.end(), is_gone);
    Ok(())
}
