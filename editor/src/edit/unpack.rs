//! A graph in place of a call of it: the reverse of [`collapse`](crate::edit::collapse).
//!
//! Nodes move to the caller under free names, arguments are written in place of parameters, and arcs and share lines
//! are joined through the interface. A call with index stands for many instances of its graph, so all its nodes get the
//! call's index numbers in front of their own.

/// Arguments in place of parameters.
mod arguments;
/// Lines joined through the interface.
mod interface;

use std::collections::BTreeMap;

use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use super::error::EditError;
use super::node::{SECTIONS, found, free_name, missing};
use super::obstacle::Obstacle;
use super::parts::{detach, graph_of, index_of, lines, node_of, params_of};
use super::place::{self, Position};
use super::tables::{below_mut, graph_mut, set};
use super::texts::rewrite;
use super::words::substitute;
use super::{graph as graphs, route, rows};
use arguments::Arguments;
use interface::Inner;

/// Puts the nodes of the graph that a call calls in its place. The graph goes where nothing else calls it and the program
/// does not begin with it. Gives the names that the nodes have now.
///
/// # Errors
/// The node is not there, or an [`Obstacle`]: it is no call, calls the graph that it stands in, or the graph has start or
/// stop nodes; an argument or name would mean something else; two lines cannot be joined to one.
pub fn unpack(document: &mut DocumentMut, graph: &str, call: &str) -> Result<Vec<String>, EditError> {
    let table = graph_mut(document, graph)?;
    if !matches!(found(table, call).ok_or_else(|| missing(call))?, ("call", _)) {
        return Err(Obstacle::NoCall { node: call.to_owned() }.into());
    }
    let table = graph_of(document, graph).ok_or_else(|| missing(graph))?;
    let called = node_of(table, call).and_then(|node| node.get("graph")?.as_str()).unwrap_or_default();
    let called = called.to_owned();
    if called == graph {
        return Err(Obstacle::Recursive { node: call.to_owned() }.into());
    }
    let missing_graph = || EditError::Missing { what: "graph", name: called.clone() };
    let callee = document.get("graph").and_then(|graphs| graphs.get(&called)).cloned();
    let callee = callee.ok_or_else(missing_graph)?;
    let callee = callee.as_table_like().ok_or_else(missing_graph)?;
    for (held, name) in [(callee, &*called), (table, graph)] {
        if held.contains_key("on_error") {
            return Err(Obstacle::SendsErrors { graph: name.to_owned() }.into());
        }
    }
    let arguments = Arguments::new(document, graph, call, callee)?;
    let params = params_of(document, graph);
    let outer = lines(table);
    let calls_index = index_of(table, call);

    let table = graph_mut(document, graph)?;
    let calls = below_mut(table, "call")?;
    calls.remove(call);
    if calls.is_empty() {
        table.remove("call");
    }
    let names = move_nodes(document, graph, callee, &arguments)?;
    let inner = Inner::new(callee, &arguments, &names, &params)?;
    let joined = interface::join_lines(call, calls_index.len(), &outer, &inner, &params)?;
    let table = graph_mut(document, graph)?;
    for (list, row, texts) in joined.outer.into_iter().rev() {
        let mut texts = texts.into_iter();
        match texts.next() {
            Some(text) => rows::replace(table, &["graph", graph], list.key(), row, &text)?,
            None => rows::remove(table, &["graph", graph], list.key(), row)?,
        }
        for (offset, text) in texts.enumerate() {
            rows::insert(table, &["graph", graph], list.key(), row + 1 + offset, &text)?;
        }
    }
    for (list, text, comments) in joined.inner {
        rows::append(table, &["graph", graph], list.key(), &text, &comments)?;
    }
    move_positions(document, graph, call, &called, &names)?;
    // Bends of lines that went through the interface.
    route::prune(document, graph);
    if !is_used(document, &called) {
        graphs::remove(document, &called)?;
    }
    Ok(names.into_values().collect())
}

/// Whether the program begins with a graph, or calls it.
fn is_used(document: &DocumentMut, name: &str) -> bool {
    let graphs = document.get("graph").and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
    let mut calls = graphs
        .filter_map(|(_, graph)| graph.get("call")?.as_table_like())
        .flat_map(TableLike::iter)
        .filter_map(|(_, call)| call.get("graph")?.as_str());
    document.get("main").and_then(Item::as_str) == Some(name) || calls.any(|called| called == name)
}

/// Copies the nodes of a graph to the caller. Gives old and new names.
fn move_nodes(
    document: &mut DocumentMut,
    graph: &str,
    callee: &dyn TableLike,
    arguments: &Arguments,
) -> Result<BTreeMap<String, String>, EditError> {
    let mut names = BTreeMap::new();
    for section in SECTIONS.iter().rev() {
        let held = callee.get(section).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
        for (name, item) in held {
            let mut item = item.clone();
            detach(&mut item);
            let new = free_name(document, graph, name);
            if let Some(node) = item.as_table_like_mut() {
                rewrite(node, |text, kept| substitute(text, kept, &arguments.values));
                if !arguments.index.is_empty() {
                    let own = index_of(callee, name);
                    let index = Array::from_iter(arguments.index.iter().chain(&own).map(String::as_str));
                    set(node, &["graph", graph, section, &new], "index", Item::Value(Value::Array(index)));
                }
            }
            below_mut(graph_mut(document, graph)?, section)?.insert(&new, item);
            names.insert(name.to_owned(), new);
        }
    }
    Ok(names)
}

/// The nodes are drawn as in the graph that they come from, its upper left corner where the call was.
fn move_positions(
    document: &mut DocumentMut,
    graph: &str,
    call: &str,
    called: &str,
    names: &BTreeMap<String, String>,
) -> Result<(), EditError> {
    let own = place::positions(document, graph).into_iter().find(|(node, _)| node == call);
    place::forget(document, graph, call);
    let positions: Vec<(&str, Position)> = place::positions(document, called)
        .iter()
        .filter_map(|(node, position)| Some((names.get(node)?.as_str(), *position)))
        .collect();
    let corner = |axis: usize| positions.iter().map(|(_, position)| position[axis]).min().unwrap_or(0);
    let shift = own.map_or([0, 0], |(_, [x, y])| [x.saturating_sub(corner(0)), y.saturating_sub(corner(1))]);
    let moved: Vec<(&str, Position)> = positions
        .iter()
        .map(|(node, [x, y])| (*node, [x.saturating_add(shift[0]), y.saturating_add(shift[1])]))
        .collect();
    place::set(document, graph, &moved)
}
