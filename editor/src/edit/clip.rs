//! Copies of nodes as text, for the clipboard of the system, and duplicates.
//!
//! A copy is a small program text of one graph: the nodes with their comments, the lines between them, their
//! positions. Pasting gives the nodes free names and writes the lines accordingly. What the nodes need beside, types and
//! parameters, is not copied.

use std::collections::BTreeMap;

use hasse_compiler::{family, link_ends};
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use super::error::EditError;
use super::identifier::check_name;
use super::node::{FORMALS, SECTIONS, entries_mut, found, free_name, missing};
use super::parts::{detach, graph_of, lines, renamed};
use super::place::{self, Position};
use super::rows;
use super::tables::{below_mut, graph_mut, insert_entry, new_table};
use super::words::fresh;

/// The text of nodes, shared objects, calls and formal ports (`in.a`) of a graph. Names that it does not have are passed
/// over.
pub fn copy(document: &DocumentMut, graph: &str, nodes: &[&str]) -> String {
    let mut fragment = DocumentMut::new();
    fragment.insert("hasse", value(1));
    let mut part = new_table();
    let mut positions = Table::new();
    if let Some(table) = graph_of(document, graph) {
        for section in FORMALS {
            for (section, key) in chosen(table, nodes).into_iter().filter(|(found, _)| *found == section) {
                if let Some(item) = table.get(section).and_then(|held| held.get(&key)).cloned()
                    && let Ok(held) = entries_mut(&mut part, &[], section)
                {
                    insert_entry(held, &key, item);
                }
            }
        }
        for line in
            lines(table).into_iter().filter(|line| is_between(&line.text, |node| nodes.contains(&node)))
        {
            // A table of its own, with arrays of its own: nothing can be in the way.
            let _ = rows::append(&mut part, &["graph", graph], line.list.key(), &line.text, &line.comments);
        }
        for section in SECTIONS {
            for (section, key) in chosen(table, nodes).into_iter().filter(|(found, _)| *found == section) {
                if let Some(mut item) = table.get(section).and_then(|held| held.get(&key)).cloned()
                    && let Ok(held) = below_mut(&mut part, section)
                {
                    detach(&mut item);
                    held.insert(&key, item);
                }
            }
        }
    }
    for (node, position) in place::positions(document, graph) {
        if nodes.contains(&&*node) {
            positions.insert(&node, value(toml_edit::Array::from_iter(position)));
        }
    }
    for (key, table) in [("graph", part), ("layout", positions)] {
        if (key == "graph" || !table.is_empty())
            && let Ok(held) = below_mut(fragment.as_table_mut(), key)
        {
            let mut table = table;
            table.decor_mut().set_prefix("\n");
            held.insert(graph, Item::Table(table));
        }
    }
    fragment.to_string()
}

/// Sections and keys of the nodes, in the order of the file.
fn chosen(graph: &dyn TableLike, nodes: &[&str]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for section in FORMALS.into_iter().chain(SECTIONS) {
        let is_formal = FORMALS.contains(&section);
        let held = graph.get(section).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
        for (key, _) in held {
            let name = if is_formal { format!("{section}.{}", family(key).0) } else { key.to_owned() };
            if nodes.contains(&&*name) {
                found.push((section, key.to_owned()));
            }
        }
    }
    found
}

fn is_between(line: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    link_ends(line).is_some_and(|(source, target)| is_meant(&source.node) && is_meant(&target.node))
}

/// Adds what was copied, moved by an offset. Gives the names that the nodes have now, those of formal ports as `in.a`.
///
/// # Errors
/// The graph is not there, or the text is none that [`copy`] gives.
pub fn paste(
    document: &mut DocumentMut,
    graph: &str,
    text: &str,
    offset: Position,
) -> Result<Vec<String>, EditError> {
    Ok(paste_as(document, graph, text, offset)?.into_iter().map(|(_, new)| new).collect())
}

/// As [`paste`]; gives old and new names.
fn paste_as(
    document: &mut DocumentMut,
    graph: &str,
    text: &str,
    offset: Position,
) -> Result<Vec<(String, String)>, EditError> {
    graph_mut(document, graph)?;
    let fragment: DocumentMut = text.replace("\r\n", "\n").parse().map_err(|_| EditError::NotAFragment)?;
    let (name, part) = only_graph(&fragment).ok_or(EditError::NotAFragment)?;
    let mut names = Vec::new();
    for section in FORMALS.into_iter().chain(SECTIONS) {
        let Some(held) = part.get(section) else { continue };
        let held = held.as_table_like().ok_or(EditError::NotAFragment)?;
        for (key, item) in held.iter() {
            let mut item = item.clone();
            detach(&mut item);
            let old = family(key).0;
            check_name(&old).map_err(|_| EditError::NotAFragment)?;
            if FORMALS.contains(&section) {
                if item.as_str().is_none() {
                    return Err(EditError::NotAFragment);
                }
                let held = entries_mut(graph_mut(document, graph)?, &["graph", graph], section)?;
                let new = fresh(&old, |name| held.iter().any(|(key, _)| family(key).0 == name));
                insert_entry(held, &key.replacen(&old, &new, 1), item);
                names.push((format!("{section}.{old}"), format!("{section}.{new}")));
            } else {
                if !item.is_table_like() {
                    return Err(EditError::NotAFragment);
                }
                let new = free_name(document, graph, &old);
                below_mut(graph_mut(document, graph)?, section)?.insert(&new, item);
                names.push((old, new));
            }
        }
    }
    let known: BTreeMap<String, String> =
        names.iter().map(|(old, new)| (old.clone(), own_name(new))).collect();
    for line in lines(part).into_iter().filter(|line| is_between(&line.text, |node| known.contains_key(node)))
    {
        let text = renamed(&line.text, &known);
        let table = graph_mut(document, graph)?;
        rows::append(table, &["graph", graph], line.list.key(), &text, &line.comments)?;
    }
    let mut places = Vec::new();
    for (node, [x, y]) in place::positions(&fragment, &name) {
        if let Some((_, new)) = names.iter().find(|(old, _)| *old == node) {
            places.push((&**new, [x.saturating_add(offset[0]), y.saturating_add(offset[1])]));
        }
    }
    place::set(document, graph, &places)?;
    Ok(names)
}

/// The name without the section of a formal port.
fn own_name(name: &str) -> String {
    name.split_once('.').map_or(name, |(_, port)| port).to_owned()
}

/// The graph of a text that is a copy.
fn only_graph(fragment: &DocumentMut) -> Option<(String, &dyn TableLike)> {
    let is_copy =
        fragment.get("hasse").and_then(Item::as_integer) == Some(1) && !fragment.contains_key("main");
    let mut graphs = fragment.get("graph")?.as_table_like()?.iter();
    let (name, graph) = graphs.next().filter(|_| is_copy)?;
    if graphs.next().is_some() {
        return None;
    }
    Some((name.to_owned(), graph.as_table_like()?))
}

/// What [`duplicate`] does beside copying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DuplicateOptions {
    /// How far from the nodes the copies are put.
    pub offset: Position,
    /// Whether arcs and share lines that come into the nodes from others come into the copies, too.
    pub keeps_wires: bool,
}

/// Copies nodes beside themselves. Gives the names of the copies, as [`paste`] does.
///
/// # Errors
/// The graph or a node is not there.
pub fn duplicate(
    document: &mut DocumentMut,
    graph: &str,
    nodes: &[&str],
    options: DuplicateOptions,
) -> Result<Vec<String>, EditError> {
    let table = graph_mut(document, graph)?;
    for node in nodes {
        found(table, node).ok_or_else(|| missing(node))?;
    }
    let text = copy(document, graph, nodes);
    let names = paste_as(document, graph, &text, options.offset)?;
    if options.keeps_wires {
        let known: BTreeMap<String, String> =
            names.iter().map(|(old, new)| (old.clone(), own_name(new))).collect();
        let table = graph_mut(document, graph)?;
        for line in lines(table) {
            let Some((source, target)) = link_ends(&line.text) else { continue };
            if known.contains_key(&source.node) || !known.contains_key(&target.node) {
                continue;
            }
            let text = renamed(&line.text, &known);
            rows::append(table, &["graph", graph], line.list.key(), &text, &rows::Comments::default())?;
        }
    }
    Ok(names.into_iter().map(|(_, new)| new).collect())
}
