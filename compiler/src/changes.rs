//! What differs in meaning between two program texts.
//!
//! A recorded run can be replayed only with the program that it was recorded with. Both texts are
//! flattened to pairs of a path and a value, without comments, formatting, documentation and layout,
//! and compared path by path. Rules, arcs and share lines are compared by position, because a log
//! names them by position, and token by token.

use std::collections::BTreeMap;

use toml_edit::{Document, Item, TableLike, Value};

use crate::format::token_texts;
use crate::text::Source;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What differs, in the user's terms: `node Mult of graph bts: routing rule 0 differs`.
    pub what: String,
    /// Line in the new text, from 1; `None` where the thing is gone.
    pub line: Option<u32>,
}

/// What differs in meaning between two program texts; empty where they mean the same.
///
/// A text that is not readable TOML differs from every other text.
pub fn changes(old_text: &str, new_text: &str) -> Vec<Change> {
    if old_text == new_text {
        return Vec::new();
    }
    let (Some(old), Some(new)) = (flatten(old_text), flatten(new_text)) else {
        return vec![Change { what: "the whole text: it is not readable TOML".to_owned(), line: None }];
    };
    let mut changes = Vec::new();
    for (path, (value, line)) in &new {
        let what = describe(path);
        match old.get(path) {
            None => changes.push(Change { what: format!("{what} is new"), line: Some(*line) }),
            Some((old_value, _)) if old_value != value => {
                changes.push(Change { what: format!("{what} differs"), line: Some(*line) });
            }
            Some(_) => {}
        }
    }
    let gone = old.keys().filter(|path| !new.contains_key(*path));
    changes.extend(gone.map(|path| Change { what: format!("{} is gone", describe(path)), line: None }));
    changes.sort_by_key(|change| (change.line.is_none(), change.line));
    changes
}

/// Paths with their values and lines.
type Flat = BTreeMap<Vec<String>, (String, u32)>;

fn flatten(text: &str) -> Option<Flat> {
    let document = Document::parse(text).ok()?;
    let source = Source::new(text);
    let mut flat = Flat::new();
    let root = document.as_table();
    for (name, item) in root.iter().filter(|(name, _)| !["layout", "record"].contains(name)) {
        flatten_item(item, line_of(&source, root, name), &mut vec![name.to_owned()], &source, &mut flat);
    }
    order_tables(root, &source, &mut flat);
    Some(flat)
}

fn line_of(source: &Source, table: &dyn TableLike, name: &str) -> u32 {
    let span = table.key(name).and_then(|key| key.span());
    source.location(span.unwrap_or(0..0)).line
}

fn flatten_item(item: &Item, line: u32, path: &mut Vec<String>, source: &Source, flat: &mut Flat) {
    // Descriptions, and the order in which instances are served.
    let is_no_meaning = |name: &String| matches!(name.as_str(), "doc" | "label" | "priority");
    if path.last().is_some_and(is_no_meaning) && path.len() >= 3 {
        return;
    }
    // `left = "ok"` says how a run is judged, and nothing of what happens in it.
    let is_port = path.len() == 6 && path[2] == "uc" && path[4] == "in";
    let item = match item.as_table_like().and_then(|port| port.get("type")) {
        Some(ty) if is_port => ty,
        _ => item,
    };
    if let Some(table) = item.as_table_like() {
        // Keys of a table of nodes or names have an order of their own; see `order_tables`.
        for (name, item) in table.iter() {
            path.push(name.to_owned());
            flatten_item(item, line_of(source, table, name), path, source, flat);
            path.pop();
        }
        if table.is_empty() && path.len() != 1 {
            flat.insert(path.clone(), (String::new(), line));
        }
    } else if let Some(array) = item.as_array() {
        for (value_idx, value) in array.iter().enumerate() {
            path.push(value_idx.to_string());
            let line = source.location(value.span().unwrap_or(0..0)).line;
            let meaning = match value {
                Value::String(text) if is_of_rules(path) => format!("rule {:?}", token_texts(text.value())),
                value => meaning_of(value),
            };
            flat.insert(path.clone(), (meaning, line));
            path.pop();
        }
    } else if let Some(value) = item.as_value() {
        flat.insert(path.clone(), (meaning_of(value), line));
    } else {
        flat.insert(path.clone(), (item.to_string(), line));
    }
}

/// Whether an element of an array, by its path, is an arc, a share line or a rule.
fn is_of_rules(path: &[String]) -> bool {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(
        parts[..],
        ["graph", _, "arcs" | "share", _] | ["graph", _, "uc", _, "fire" | "route" | "on_error", _]
    )
}

/// A value without its spelling.
fn meaning_of(value: &Value) -> String {
    match value {
        Value::String(text) => format!("string {}", text.value()),
        Value::Integer(number) => number.value().to_string(),
        Value::Boolean(flag) => flag.value().to_string(),
        other => other.to_string().trim().to_owned(),
    }
}

/// Last step of the path of a thing's position.
const ORDER: &str = ":order";

/// The order of parameters, nodes, shared objects, ports and names decides the positions that a log
/// and the order of sends name.
fn order_tables(root: &dyn TableLike, source: &Source, flat: &mut Flat) {
    let Some(graphs) = root.get("graph").and_then(Item::as_table_like) else { return };
    for (graph_name, graph) in tables(graphs) {
        let graph_path = ["graph".to_owned(), graph_name.to_owned()];
        for what in ["params", "in", "out", "inout", "uc", "shared", "call"] {
            let Some(named) = graph.get(what).and_then(Item::as_table_like) else { continue };
            order_table(named, &[&graph_path[..], &[what.to_owned()]].concat(), source, flat);
        }
        for (node_name, node) in graph.get("uc").and_then(Item::as_table_like).into_iter().flat_map(tables) {
            for what in ["in", "out", "vars", "shared"] {
                let Some(named) = node.get(what).and_then(Item::as_table_like) else { continue };
                let rest = ["uc", node_name, what].map(str::to_owned);
                order_table(named, &[&graph_path[..], &rest].concat(), source, flat);
            }
        }
    }
}

fn tables(table: &dyn TableLike) -> impl Iterator<Item = (&str, &dyn TableLike)> {
    table.iter().filter_map(|(name, item)| item.as_table_like().map(|inner| (name, inner)))
}

fn order_table(named: &dyn TableLike, path: &[String], source: &Source, flat: &mut Flat) {
    for (place, (name, _)) in named.iter().enumerate() {
        let path = [path, &[name.to_owned(), ORDER.to_owned()]].concat();
        flat.insert(path, (place.to_string(), line_of(source, named, name)));
    }
}

/// A path in the user's terms, the larger thing first.
fn describe(path: &[String]) -> String {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    match parts[..] {
        ["hasse"] => "the format number".to_owned(),
        ["main"] => "the name of the main graph".to_owned(),
        ["graph", graph] => format!("graph {graph}"),
        ["graph", graph, "params", name] => format!("graph {graph}: parameter {name}"),
        ["graph", graph, "params", name, ORDER] => format!("graph {graph}: position of parameter {name}"),
        ["graph", graph, "arcs", place] => format!("graph {graph}: arc {}", unpadded(place)),
        ["graph", graph, "share", place] => format!("graph {graph}: share line {}", unpadded(place)),
        ["graph", graph, "uc", node, ref rest @ ..] => {
            describe_attribute(&format!("node {node} of graph {graph}"), rest)
        }
        ["graph", graph, "call", call, ref rest @ ..] => {
            describe_attribute(&format!("call {call} of graph {graph}"), rest)
        }
        ["graph", graph, part @ ("in" | "out" | "inout"), port] => {
            format!("graph {graph}: port {part}.{port}")
        }
        ["graph", graph, part @ ("in" | "out" | "inout"), port, ORDER] => {
            format!("graph {graph}: position of port {part}.{port}")
        }
        ["graph", graph, "shared", object, ref rest @ ..] => {
            describe_attribute(&format!("shared object {object} of graph {graph}"), rest)
        }
        ["graph", graph, ref rest @ ..] => format!("graph {graph}: {}", rest.join(".")),
        _ => parts.join("."),
    }
}

fn describe_attribute(thing: &str, rest: &[&str]) -> String {
    let attribute = match *rest {
        [] => return thing.to_owned(),
        [ORDER] => "position".to_owned(),
        ["fire", place] => format!("firing rule {}", unpadded(place)),
        ["route", place] => format!("routing rule {}", unpadded(place)),
        ["on_error", place] => format!("routing rule {} of failed events", unpadded(place)),
        ["index", place] => format!("index name {}", unpadded(place)),
        ["in", port] => format!("input port {port}"),
        ["out", port] => format!("output port {port}"),
        ["vars", name] => format!("var {name}"),
        ["shared", name] => format!("shared name {name}"),
        ["args", name] => format!("argument {name}"),
        [part, name, ORDER] => format!("position of {name} in `{part}`"),
        ["do"] => "body".to_owned(),
        ["do", "native"] => "native body".to_owned(),
        ["do", "rust"] => "body".to_owned(),
        _ => format!("`{}`", rest.join(".")),
    };
    format!("{thing}: {attribute}")
}

/// A position as rules are counted everywhere: from 0.
fn unpadded(place: &str) -> usize {
    place.parse().unwrap_or(0)
}
