//! A program's text as plain parts to be compared.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Diagnostic;
use toml_edit::{Document, Item, TableLike, Value};

use crate::format::token_texts;
use crate::text::Source;

/// A field of a part.
#[derive(Clone, Debug)]
pub(super) struct FieldText {
    pub(super) name: String,
    /// As a person reads it.
    pub(super) text: String,
    /// Without its spelling.
    pub(super) meaning: String,
}

/// A node, shared object or formal port.
#[derive(Debug)]
pub(super) struct NodeText {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) fields: Vec<FieldText>,
    /// Its place in the picture, as it is written; empty without one.
    pub(super) place: String,
    pub(super) line: u32,
}

/// An arc or share line.
#[derive(Debug)]
pub(super) struct LinkText {
    pub(super) is_arc: bool,
    pub(super) text: String,
    pub(super) row: usize,
    pub(super) line: u32,
}

#[derive(Debug)]
pub(super) struct GraphText {
    pub(super) name: String,
    pub(super) fields: Vec<FieldText>,
    pub(super) nodes: Vec<NodeText>,
    pub(super) links: Vec<LinkText>,
    /// Comments, frames and bends.
    pub(super) layout: Vec<FieldText>,
    pub(super) line: u32,
}

#[derive(Debug)]
pub(super) struct ProgramText {
    pub(super) fields: Vec<FieldText>,
    pub(super) graphs: Vec<GraphText>,
}

/// Content of a part, by which it is known when its name is another one.
pub(super) struct Content {
    pub(super) kind: &'static str,
    pub(super) parts: BTreeSet<String>,
}

impl NodeText {
    pub(super) fn content(&self) -> Content {
        let part = |field: &FieldText| format!("{}: {}", field.name, field.meaning);
        Content { kind: self.kind, parts: self.fields.iter().map(part).collect() }
    }
}

impl GraphText {
    pub(super) fn content(&self) -> Content {
        let nodes = self.nodes.iter().map(|node| format!("node {}", node.name));
        let links = self.links.iter().map(|link| format!("link {}", token_texts(&link.text).join(" ")));
        Content { kind: "graph", parts: nodes.chain(links).collect() }
    }
}

/// Kinds of nodes with the keys of their tables in a graph.
const NODES: [(&str, &str); 6] = [
    ("in", "input"),
    ("inout", "inout"),
    ("out", "output"),
    ("uc", "unit"),
    ("call", "call"),
    ("shared", "shared object"),
];

/// Reads a text.
pub(super) fn read(text: &str) -> Result<ProgramText, Vec<Diagnostic>> {
    let Ok(document) = Document::parse(text) else {
        let mut diagnostics = Vec::new();
        crate::pass::read::read(text, &mut diagnostics);
        return Err(diagnostics);
    };
    let source = Source::new(text);
    let root = document.as_table();
    let mut fields = Vec::new();
    for (name, item) in root.iter().filter(|(name, _)| !["graph", "layout"].contains(name)) {
        put_fields(name, item, &mut fields);
    }
    let layouts = table(root, "layout");
    let graphs = tables(root, "graph").map(|(name, graph)| {
        let layout = layouts.and_then(|layouts| table(layouts, name));
        let line = table(root, "graph").map_or(0, |graphs| line_of(&source, graphs, name));
        graph_text(name, graph, layout, line, &source)
    });
    Ok(ProgramText { fields, graphs: graphs.collect() })
}

fn graph_text(
    name: &str,
    graph: &dyn TableLike,
    layout: Option<&dyn TableLike>,
    line: u32,
    source: &Source,
) -> GraphText {
    let (mut fields, mut nodes) = (Vec::new(), Vec::new());
    let place = |node: &str| {
        let entry = layout.and_then(|layout| {
            layout.get(node).or_else(|| {
                let (side, port) = node.split_once('.')?;
                layout.get(side)?.as_table_like()?.get(port)
            })
        });
        entry.map(|entry| meaning_of_item(entry).1).unwrap_or_default()
    };
    for (key, kind) in NODES {
        let Some(named) = table(graph, key) else { continue };
        for (declared, item) in named.iter() {
            let is_port = matches!(key, "in" | "inout" | "out");
            let bare = declared.split('[').next().unwrap_or(declared).trim();
            let name = if is_port { format!("{key}.{bare}") } else { declared.to_owned() };
            let mut own = Vec::new();
            if is_port && declared != bare {
                own.push(field("declared", declared));
            }
            match item.as_table_like() {
                Some(node) => node.iter().for_each(|(key, item)| put_node_field(key, item, &mut own)),
                None => put_fields("type", item, &mut own),
            }
            let (place, line) = (place(&name), line_of(source, named, declared));
            nodes.push(NodeText { kind, name, fields: own, place, line });
        }
    }
    let mut links = Vec::new();
    for (key, is_arc) in [("arcs", true), ("share", false)] {
        let rows = graph.get(key).and_then(Item::as_array).into_iter().flatten().enumerate();
        for (row, value) in rows {
            let text = value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned);
            let line = source.location(value.span().unwrap_or(0..0)).line;
            links.push(LinkText { is_arc, text, row, line });
        }
    }
    let is_field =
        |key: &str| !matches!(key, "arcs" | "share") && NODES.iter().all(|(table, _)| *table != key);
    for (key, item) in graph.iter().filter(|(key, _)| is_field(key)) {
        put_node_field(key, item, &mut fields);
    }
    let is_node = |key: &str| {
        matches!(key, "in" | "inout" | "out") || nodes.iter().any(|node: &NodeText| node.name == key)
    };
    let mut drawn = Vec::new();
    for (key, item) in layout.into_iter().flat_map(TableLike::iter).filter(|(key, _)| !is_node(key)) {
        let (text, meaning) = meaning_of_item(item);
        drawn.push(FieldText { name: key.to_owned(), text, meaning });
    }
    GraphText { name: name.to_owned(), fields, nodes, links, layout: drawn, line }
}

fn field(name: &str, text: &str) -> FieldText {
    FieldText { name: name.to_owned(), text: text.to_owned(), meaning: text.to_owned() }
}

/// A field of a node: a rule each, a port or name each, or the field as a whole.
fn put_node_field(key: &str, item: &Item, fields: &mut Vec<FieldText>) {
    match (key, item.as_array(), item.as_table_like()) {
        ("fire" | "route" | "on_error", Some(rules), _) => {
            for rule in rules.iter() {
                let text = rule.as_str().map_or_else(|| rule.to_string(), str::to_owned);
                let meaning = token_texts(&text).join(" ");
                fields.push(FieldText { name: key.to_owned(), text, meaning });
            }
        }
        ("do", _, Some(body)) => {
            for (kind, item) in body.iter() {
                let (text, meaning) = meaning_of_item(item);
                let text = if kind == "rust" { text } else { format!("{kind} {text}") };
                fields.push(FieldText { name: key.to_owned(), text, meaning: format!("{kind} {meaning}") });
            }
        }
        (_, _, Some(named)) => {
            for (name, item) in named.iter() {
                let (text, meaning) = meaning_of_item(item);
                fields.push(FieldText { name: format!("{key} {name}"), text, meaning });
            }
        }
        _ => put_fields(key, item, fields),
    }
}

/// A field of the file, with dots between the keys that lead to it.
fn put_fields(name: &str, item: &Item, fields: &mut Vec<FieldText>) {
    match item.as_table_like() {
        Some(below) => {
            below.iter().for_each(|(key, item)| put_fields(&format!("{name}.{key}"), item, fields));
        }
        None => {
            let (text, meaning) = meaning_of_item(item);
            fields.push(FieldText { name: name.to_owned(), text, meaning });
        }
    }
}

/// An item as a person reads it, and without its spelling.
fn meaning_of_item(item: &Item) -> (String, String) {
    match (item.as_str(), item.as_value()) {
        (Some(text), _) => (text.to_owned(), text.to_owned()),
        (None, Some(value)) => (spelled(value), spelled(value)),
        (None, None) => {
            let text = item.to_string().trim().to_owned();
            (text.clone(), text)
        }
    }
}

fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{:?}", text.value()),
        Value::Integer(number) => number.value().to_string(),
        Value::Float(number) => number.value().to_string(),
        Value::Boolean(flag) => flag.value().to_string(),
        Value::Datetime(time) => time.value().to_string(),
        Value::Array(array) => {
            format!("[{}]", array.iter().map(spelled).collect::<Vec<_>>().join(", "))
        }
        Value::InlineTable(table) => {
            let mut parts: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", spelled(value))).collect();
            parts.sort();
            format!("{{ {} }}", parts.join(", "))
        }
    }
}

fn table<'t>(table: &'t dyn TableLike, key: &str) -> Option<&'t dyn TableLike> {
    table.get(key).and_then(Item::as_table_like)
}

fn tables<'t>(root: &'t dyn TableLike, key: &str) -> impl Iterator<Item = (&'t str, &'t dyn TableLike)> {
    let entries = table(root, key).into_iter().flat_map(TableLike::iter);
    entries.filter_map(|(name, item)| item.as_table_like().map(|inner| (name, inner)))
}

fn line_of(source: &Source, table: &dyn TableLike, name: &str) -> u32 {
    let span = table.key(name).and_then(|key| key.span());
    source.location(span.unwrap_or(0..0)).line
}
