//! A selection that becomes a graph of its own, with a call in its place.
//!
//! Arcs that cross the border go through formal ports. What comes in goes to one formal port for each port inside, a
//! family with all index numbers of node and port. What goes out leaves by one formal port for each *pattern* of index
//! numbers: the pattern stays inside, so that exactly the values that took the arc come out. Shared objects that stay
//! outside become formal ones, and parameters of the graph that the nodes' texts name become parameters of the new one.

/// Formal ports and objects for lines that cross the border.
mod border;

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use super::error::EditError;
use super::identifier::check_name;
use super::node::{FORMALS, SECTIONS, found, missing};
use super::obstacle::Obstacle;
use super::parts::{detach, entries, graph_of, lines, node_of};
use super::place::{self, Position};
use super::tables::{align, below_mut, graph_mut, new_table};
use super::texts::{has_unknown_body, rust_body, texts};
use super::{route, rows, words};
use crate::rust_text::mentions;
use border::{Border, Crossing};

/// Moves nodes to a new graph and calls it where they were. Gives the name of the call: that of the graph, or the next one
/// that is free.
///
/// # Errors
/// A node is not there, the graph's name is taken or cannot be one, or an [`Obstacle`]: ports of the graph itself, start and
/// stop nodes, and shared objects that others use, too, cannot be moved. Selectors in `[record]` stay as they are.
pub fn collapse(
    document: &mut DocumentMut,
    graph: &str,
    nodes: &[&str],
    name: &str,
) -> Result<String, EditError> {
    check_name(name)?;
    if graph_of(document, name).is_some() {
        return Err(EditError::Taken { name: name.to_owned() });
    }
    let table = graph_mut(document, graph)?;
    check_selection(table, nodes)?;
    let sends_errors = |node: &&str| {
        found(table, node).is_some_and(|(section, _)| section == "uc")
            && node_of(table, node).is_some_and(|node| !node.contains_key("on_error"))
    };
    if table.contains_key("on_error") && nodes.iter().any(sends_errors) {
        return Err(Obstacle::SendsErrors { graph: graph.to_owned() }.into());
    }
    let table = graph_of(document, graph).ok_or_else(|| missing(graph))?;
    let mut border = Border::new(document, graph, nodes, name);
    let mut inner = Vec::new();
    let mut changes = Vec::new();
    for line in lines(table) {
        match border.cross(&line)? {
            Crossing::Outside => {}
            Crossing::Inside => {
                changes.push((line.list, line.row, None));
                inner.push((line.list, line.text, line.comments));
            }
            Crossing::Across { outer, inner: within } => {
                let comments = if outer.is_none() { line.comments } else { rows::Comments::default() };
                changes.push((line.list, line.row, outer));
                inner.extend(within.map(|text| (line.list, text, comments)));
            }
        }
    }
    let params = params_used(table, nodes, inner.iter().map(|(_, text, _)| &**text));
    let (call, inputs, outputs, objects) =
        (border.call.clone(), border.inputs(), border.outputs(), border.objects());
    let mut made = new_table();
    let names = |list: &[(String, String)]| {
        list.iter().map(|(name, ty)| (name.as_str(), Value::from(ty.as_str()))).collect::<InlineTable>()
    };
    for (key, list) in [("params", &params[..]), ("in", &inputs), ("out", &outputs), ("inout", &objects)] {
        if !list.is_empty() {
            made.insert(key, value(names(list)));
        }
    }
    align(&mut made);
    for (list, text, comments) in inner {
        rows::append(&mut made, &["graph", name], list.key(), &text, &comments)?;
    }
    let table = graph_mut(document, graph)?;
    move_nodes(table, nodes, &mut made)?;
    changes.sort_by_key(|(list, row, _)| (*list, std::cmp::Reverse(*row)));
    for (list, row, text) in changes {
        match text {
            Some(text) => rows::replace(table, &["graph", graph], list.key(), row, &text)?,
            None => rows::remove(table, &["graph", graph], list.key(), row)?,
        }
    }
    let mut node: Table = new_table();
    node.insert("graph", value(name));
    if !params.is_empty() {
        let args = params.iter().map(|(name, _)| (name.as_str(), Value::from(name.as_str())));
        node.insert("args", value(args.collect::<InlineTable>()));
    }
    align(&mut node);
    below_mut(table, "call")?.insert(&call, Item::Table(node));
    below_mut(document.as_table_mut(), "graph")?.insert(name, Item::Table(made));
    move_positions(document, graph, nodes, name, &call)?;
    // Bends of lines that moved or changed.
    route::prune(document, graph);
    Ok(call)
}

fn check_selection(table: &dyn TableLike, nodes: &[&str]) -> Result<(), EditError> {
    if nodes.is_empty() {
        return Err(Obstacle::Nothing.into());
    }
    for node in nodes {
        let (section, _) = found(table, node).ok_or_else(|| missing(node))?;
        if FORMALS.contains(&section) {
            return Err(Obstacle::FormalPort { node: (*node).to_owned() }.into());
        }
        let is_set = |key| node_of(table, node).and_then(|node| node.get(key)?.as_bool()) == Some(true);
        let begins_later = |key| node_of(table, node).is_some_and(|node| node.contains_key(key));
        if is_set("start") || is_set("stop") || ["every", "after"].into_iter().any(begins_later) {
            return Err(Obstacle::StartOrStop { node: (*node).to_owned() }.into());
        }
        let inputs = node_of(table, node).and_then(|node| node.get("in")?.as_table_like());
        let has_initial = |port: &Item| port.as_table_like().is_some_and(|port| port.contains_key("initial"));
        if inputs.is_some_and(|inputs| inputs.iter().any(|(_, port)| has_initial(port))) {
            return Err(Obstacle::InitialValues { node: (*node).to_owned() }.into());
        }
    }
    Ok(())
}

/// Parameters of the graph, with their types, that nodes or lines name. A native body may use any of them, a text in Rust
/// those whose names stand anywhere in it.
fn params_used<'t>(
    table: &dyn TableLike,
    nodes: &[&str],
    lines: impl Iterator<Item = &'t str>,
) -> Vec<(String, String)> {
    let held = nodes.iter().filter_map(|node| node_of(table, node));
    let is_native = held.clone().any(has_unknown_body);
    let in_rust: Vec<&str> = held.clone().filter_map(rust_body).collect();
    let texts: Vec<String> = held.flat_map(texts).chain(lines.map(str::to_owned)).collect();
    let is_used = |name: &str| {
        is_native
            || texts.iter().any(|text| words::names(text, name))
            || in_rust.iter().any(|text| mentions(text, name))
    };
    let params = entries(table, "params").into_iter().filter(|(name, _)| is_used(name));
    params.map(|(name, said)| (name, said.split('=').next().unwrap_or_default().trim().to_owned())).collect()
}

fn move_nodes(table: &mut dyn TableLike, nodes: &[&str], made: &mut Table) -> Result<(), EditError> {
    for section in SECTIONS.iter().rev() {
        let Some(held) = table.get_mut(section).and_then(Item::as_table_like_mut) else { continue };
        let keys: Vec<String> = held.iter().map(|(key, _)| key.to_owned()).collect();
        for key in keys.iter().filter(|key| nodes.contains(&key.as_str())) {
            if let Some(mut item) = held.remove(key) {
                detach(&mut item);
                below_mut(made, section)?.insert(key, item);
            }
        }
        if held.is_empty() {
            table.remove(section);
        }
    }
    Ok(())
}

/// The nodes keep their places, in the picture of the new graph; the call stands where their upper left corner was.
fn move_positions(
    document: &mut DocumentMut,
    graph: &str,
    nodes: &[&str],
    name: &str,
    call: &str,
) -> Result<(), EditError> {
    let positions = place::positions(document, graph);
    let moved: Vec<(&str, Position)> = positions
        .iter()
        .filter(|(node, _)| nodes.contains(&node.as_str()))
        .map(|(node, position)| (node.as_str(), *position))
        .collect();
    for (node, _) in &moved {
        place::forget(document, graph, node);
    }
    let corner = |axis: usize| moved.iter().map(|(_, position)| position[axis]).min();
    if let (Some(x), Some(y)) = (corner(0), corner(1)) {
        place::set(document, graph, &[(call, [x, y])])?;
    }
    place::set(document, name, &moved)
}
