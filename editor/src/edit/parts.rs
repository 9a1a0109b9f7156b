//! Reading and moving parts of graphs: whole tables, lines with their comments, declared types.

use std::collections::{BTreeMap, BTreeSet};

use hasse_compiler::{family, link_ends};
use toml_edit::{DocumentMut, Item, TableLike};

use super::link::line::LinkList;
use super::node::{FORMALS, SECTIONS, found};
use super::rows::{self, Comments};
use crate::forms::entry::entry_text;

/// A line of a graph.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) list: LinkList,
    pub(super) row: usize,
    pub(super) text: String,
    pub(super) comments: Comments,
}

/// The table of a graph, for looking.
pub(super) fn graph_of<'d>(document: &'d DocumentMut, name: &str) -> Option<&'d dyn TableLike> {
    document.get("graph")?.get(name)?.as_table_like()
}

/// The lines of a graph, arcs first.
pub(super) fn lines(graph: &dyn TableLike) -> Vec<Line> {
    let mut lines = Vec::new();
    for list in LinkList::ALL {
        for (row, text) in rows::rows(graph, list.key()) {
            lines.push(Line { list, row, text, comments: rows::comments(graph, list.key(), row) });
        }
    }
    lines
}

/// Makes an item one that can be put into another place.
pub(super) fn detach(item: &mut Item) {
    match item {
        Item::Table(table) => {
            table.set_position(None);
            table.iter_mut().for_each(|(_, below)| detach(below));
        }
        Item::ArrayOfTables(tables) => {
            for table in tables.iter_mut() {
                table.set_position(None);
                table.iter_mut().for_each(|(_, below)| detach(below));
            }
        }
        Item::Value(_) | Item::None => {}
    }
}

/// A line with other names of nodes, of formal ports with the port's other name.
pub(super) fn renamed(line: &str, names: &BTreeMap<String, String>) -> String {
    let mut text = line.to_owned();
    let Some((source, target)) = link_ends(line) else { return text };
    for end in [target, source] {
        if let Some(name) = names.get(&end.node) {
            let is_formal = end.node.contains('.');
            text.replace_range(if is_formal { end.port_range } else { end.node_range }, name);
        }
    }
    text
}

/// The table of a node, for looking.
pub(super) fn node_of<'g>(graph: &'g dyn TableLike, node: &str) -> Option<&'g dyn TableLike> {
    let (section, key) = found(graph, node).filter(|(section, _)| SECTIONS.contains(section))?;
    graph.get(section)?.get(&key)?.as_table_like()
}

/// The index names of a node.
pub(super) fn index_of(graph: &dyn TableLike, node: &str) -> Vec<String> {
    let array = node_of(graph, node).and_then(|table| table.get("index")).and_then(Item::as_array);
    array.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Names and types of a section with entries: of formal ports, of ports, of parameters. Names as they are declared.
pub(super) fn entries(table: &dyn TableLike, key: &str) -> Vec<(String, String)> {
    let entries = table.get(key).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
    entries.filter_map(|(name, item)| Some((name.to_owned(), entry_text(item)?.to_owned()))).collect()
}

/// What values come out of (`is_source`) or go into: the ports of a node, or of the graph that it calls, as they are
/// declared, each with its type.
pub(super) fn ports_of(
    document: &DocumentMut,
    graph: &str,
    node: &str,
    is_source: bool,
) -> Vec<(String, String)> {
    let key = if is_source { "out" } else { "in" };
    let Some(table) = graph_of(document, graph) else { return Vec::new() };
    match found(table, node) {
        Some(("uc", _)) => node_of(table, node).map(|unit| entries(unit, key)).unwrap_or_default(),
        Some(("call", _)) => {
            let called = node_of(table, node).and_then(|call| call.get("graph")?.as_str());
            let called = called.and_then(|called| graph_of(document, called));
            called.map(|called| entries(called, key)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// A port's index names and type, at an end of an arc.
pub(super) fn port_of(
    document: &DocumentMut,
    graph: &str,
    node: &str,
    port: &str,
    is_source: bool,
) -> Option<(Vec<String>, String)> {
    let ports = match node.split_once('.') {
        Some((section, _)) => {
            entries(graph_of(document, graph)?, FORMALS.into_iter().find(|known| *known == section)?)
        }
        None => ports_of(document, graph, node, is_source),
    };
    let name = node.split_once('.').map_or(port, |(_, name)| name);
    let (declared, ty) = ports.into_iter().find(|(declared, _)| family(declared).0 == name)?;
    Some((family(&declared).1, ty))
}

/// The creation parameters of a graph.
pub(super) fn params_of(document: &DocumentMut, graph: &str) -> BTreeSet<String> {
    let params = graph_of(document, graph).map(|table| entries(table, "params")).unwrap_or_default();
    params.into_iter().map(|(name, _)| name).collect()
}
