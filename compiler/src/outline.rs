//! What a program's graphs consist of, as far as it can be read: nodes, arcs and share lines by name.
//! For pictures, which are wanted of unfinished programs, too; nothing is checked here.

use std::collections::HashSet;
use std::ops::Range;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::UNITS_OF_TIME;
use toml_edit::{Document, Item, TableLike};

use crate::grammar::rules::is_after;
use crate::grammar::token::{Token, tokens};

/// A graph of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphOutline {
    /// Its name.
    pub name: String,
    /// Its `label`, shown instead of the name; empty without one.
    pub label: String,
    /// Whether the program begins with it.
    pub is_main: bool,
    /// Nodes, shared objects and formal ports, in the order of the file, each kind by itself.
    pub nodes: Vec<NodeOutline>,
    /// Arcs, then share lines, in the order of the file; those that cannot be read are left out.
    pub links: Vec<LinkOutline>,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A unit of computation.
    Unit {
        /// Whether it is a start node.
        is_start: bool,
        /// Whether it is the stop node.
        is_stop: bool,
    },
    /// A shared object, with its type as far as it is said.
    Shared(String),
    /// A call, with the name of the graph called as far as it is said.
    Call(String),
    /// A formal input port of the graph, with its type.
    Input(String),
    /// A formal output port of the graph, with its type.
    Output(String),
    /// A formal shared object of the graph, with its type.
    InOut(String),
    /// Nothing that the graph has: an arc or share line names it.
    Missing,
}

/// A node, a shared object or a formal port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOutline {
    /// Its name; that of a formal port is written as in arcs, `in.a`.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// Its index names.
    pub index: Vec<String>,
    /// Ports of a unit of computation, and the names by which it uses shared objects, in the order of the file. What a
    /// call has stands with the graph that it calls.
    pub ports: Vec<PortOutline>,
    /// Its `doc`; empty without one.
    pub doc: String,
    /// Its `label`, shown instead of the name; empty without one.
    pub label: String,
}

impl NodeOutline {
    /// The shown name: its label, or its name.
    pub fn shown_name(&self) -> &str {
        if self.label.is_empty() { &self.name } else { &self.label }
    }
}

/// What a port of a unit of computation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// Values come in.
    Input,
    /// Values go out.
    Output,
    /// A shared object is used; it is changed where `is_write`.
    Shared {
        /// Whether the unit may change the object.
        is_write: bool,
    },
}

/// A port, or the name by which a unit uses a shared object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortOutline {
    /// What it is for.
    pub kind: PortKind,
    /// Its name, without the brackets of a family.
    pub name: String,
    /// Index names of a port family.
    pub elements: Vec<String>,
    /// Its type as it is written; empty for a shared object, whose type stands with the object.
    pub ty: String,
}

/// What leads from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// An arc: values go from the source to the target.
    Arc,
    /// A share line: the target uses the source, a shared object.
    Share {
        /// Whether the target may change the object.
        is_write: bool,
    },
}

/// An arc or share line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOutline {
    /// What it is.
    pub kind: LinkKind,
    /// Which of the graph's `arcs`, or of its `share` lines, it is, from 0.
    pub row: usize,
    /// Where it begins.
    pub source: EndOutline,
    /// Where it ends.
    pub target: EndOutline,
}

/// An end of an arc or share line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndOutline {
    /// Name of a node of the outline.
    pub node: String,
    /// What stands in the brackets behind the node.
    pub index: Vec<String>,
    /// The port or shared name; empty where the node is one itself.
    pub port: String,
    /// What stands in the brackets behind the port.
    pub elements: Vec<String>,
    /// Where the node's name stands in the line, in bytes.
    pub node_range: Range<usize>,
    /// Where the port's name stands; where the node's does for one that is a port itself. Of a formal port: `p` of
    /// `in.p`.
    pub port_range: Range<usize>,
}

/// The graphs of a program, or why the text cannot be read.
///
/// Whatever is not there or of the wrong kind is passed over; only a text that is no TOML is refused,
/// with the diagnostics of [`compile`](crate::compile).
pub fn outline(text: &str) -> Result<Vec<GraphOutline>, Vec<Diagnostic>> {
    let Ok(document) = Document::parse(text) else {
        let mut diagnostics = Vec::new();
        crate::pass::read::read(text, &mut diagnostics);
        return Err(diagnostics);
    };
    let root = document.as_table();
    let main = string(root, "main");
    let graphs = tables(root, "graph")
        .map(|(name, graph)| GraphOutline { is_main: name == main, ..graph_outline(name, graph) });
    Ok(graphs.collect())
}

fn graph_outline(name: &str, graph: &dyn TableLike) -> GraphOutline {
    let mut nodes = Vec::new();
    for (key, kind) in [
        ("in", NodeKind::Input as fn(String) -> NodeKind),
        ("inout", NodeKind::InOut),
        ("out", NodeKind::Output),
    ] {
        let Some(ports) = graph.get(key).and_then(Item::as_table_like) else { continue };
        for (port, item) in ports.iter() {
            let (port, index) = family(port);
            nodes.push(NodeOutline {
                name: format!("{key}.{port}"),
                kind: kind(item.as_str().unwrap_or_default().to_owned()),
                index,
                ports: Vec::new(),
                doc: String::new(),
                label: String::new(),
            });
        }
    }
    for (name, unit) in tables(graph, "uc") {
        let flag = |key| unit.get(key).and_then(Item::as_bool).unwrap_or(false);
        let is_start = flag("start") || ["every", "after"].iter().any(|key| unit.contains_key(key));
        let kind = NodeKind::Unit { is_start, is_stop: flag("stop") };
        nodes.push(NodeOutline { ports: ports(unit), ..node(name, kind, unit) });
    }
    for (name, call) in tables(graph, "call") {
        let kind = NodeKind::Call(string(call, "graph"));
        nodes.push(node(name, kind, call));
    }
    for (name, shared) in tables(graph, "shared") {
        let kind = NodeKind::Shared(string(shared, "type"));
        nodes.push(node(name, kind, shared));
    }
    let mut links = Vec::new();
    for (row, line) in rows(graph, "arcs") {
        if let Some((source, target)) = ends(line, "->") {
            links.push(LinkOutline { kind: LinkKind::Arc, row, source, target });
        }
    }
    for (row, line) in rows(graph, "share") {
        if let Some((source, target)) = ends(line, "--") {
            let kind = LinkKind::Share { is_write: writes(graph, &target) };
            links.push(LinkOutline { kind, row, source, target });
        }
    }
    let mut known: HashSet<String> = nodes.iter().map(|node| node.name.clone()).collect();
    for end in links.iter().flat_map(|link| [&link.source, &link.target]) {
        if known.insert(end.node.clone()) {
            nodes.push(NodeOutline {
                name: end.node.clone(),
                kind: NodeKind::Missing,
                index: Vec::new(),
                ports: Vec::new(),
                doc: String::new(),
                label: String::new(),
            });
        }
    }
    GraphOutline { name: name.to_owned(), label: string(graph, "label"), is_main: false, nodes, links }
}

fn node(name: &str, kind: NodeKind, table: &dyn TableLike) -> NodeOutline {
    NodeOutline {
        name: name.to_owned(),
        kind,
        index: strings(table, "index"),
        ports: Vec::new(),
        doc: string(table, "doc"),
        label: string(table, "label"),
    }
}

fn ports(unit: &dyn TableLike) -> Vec<PortOutline> {
    let mut ports = Vec::new();
    for key in ["in", "out", "shared"] {
        let Some(entries) = unit.get(key).and_then(Item::as_table_like) else { continue };
        for (port, item) in entries.iter() {
            let (name, elements) = family(port);
            // `{ type = "int", left = "ok" }` in place of the type alone.
            let typed = item.as_table_like().and_then(|port| port.get("type"));
            let said = typed.unwrap_or(item).as_str().unwrap_or_default();
            let (kind, ty) = match key {
                "in" => (PortKind::Input, said),
                "out" => (PortKind::Output, said),
                _ => (PortKind::Shared { is_write: said != "read" }, ""),
            };
            ports.push(PortOutline { kind, name, elements, ty: ty.to_owned() });
        }
    }
    ports
}

/// The name of a port as it is declared, `p` or `p[i, j]`, and its index names.
pub fn family(declared: &str) -> (String, Vec<String>) {
    let (name, index) = declared.split_once('[').unwrap_or((declared, ""));
    let names = index.trim_end().trim_end_matches(']').split(',').map(|name| name.trim().to_owned());
    (name.trim().to_owned(), names.filter(|name| !name.is_empty()).collect())
}

/// Where a firing or routing rule names ports, in bytes. Of what cannot be read as a rule: what looks like it.
pub fn rule_ports(rule: &str) -> Vec<Range<usize>> {
    let all = tokens(rule);
    let text = |token: &Token| &rule[token.range.clone()];
    let is_comma = |token: &Token| token.depth == 0 && text(token) == ",";
    let parts = all.split(is_comma).filter_map(|part| {
        let (first, rest) = part.split_first()?;
        let behind = rest.iter().find(|token| token.depth == 0 && !matches!(text(token), "[" | "]"))?;
        matches!(text(behind), "->" | "<-").then(|| first.range.clone())
    });
    parts.collect()
}

/// Keywords of delays in a routing rule, `after` and units of time, in bytes. Of what cannot be read as a rule: what looks like them.
pub fn delay_keywords(rule: &str) -> Vec<Range<usize>> {
    let all = tokens(rule);
    let text = |token: &Token| &rule[token.range.clone()];
    let ends_delay = |token: &Token| token.depth == 0 && matches!(text(token), "," | "for" | "if");
    let mut keywords = Vec::new();
    for after_idx in (0..all.len()).filter(|&token_idx| is_after(rule, &all, token_idx)) {
        let rest = &all[after_idx + 1..];
        let n_tokens = rest.iter().position(ends_delay).unwrap_or(rest.len());
        let unit = rest[..n_tokens]
            .last()
            .filter(|unit| unit.depth == 0 && UNITS_OF_TIME.iter().any(|(name, _)| *name == text(unit)));
        keywords.push(all[after_idx].range.clone());
        keywords.extend(unit.map(|unit| unit.range.clone()));
    }
    keywords
}

/// The ends of an arc (`->`) or share line (`--`); `None` for what cannot be read.
pub fn link_ends(line: &str) -> Option<(EndOutline, EndOutline)> {
    ends(line, "->").or_else(|| ends(line, "--"))
}

/// Whether the user of a shared object may change it; calls may.
fn writes(graph: &dyn TableLike, user: &EndOutline) -> bool {
    let units = graph.get("uc").and_then(Item::as_table_like);
    let unit = units.and_then(|units| units.get(&user.node)).and_then(Item::as_table_like);
    let shared = unit.and_then(|unit| unit.get("shared")).and_then(Item::as_table_like);
    shared.is_none_or(|shared| string(shared, &user.port) != "read")
}

/// The two ends of a line.
fn ends(line: &str, sign: &str) -> Option<(EndOutline, EndOutline)> {
    let all = tokens(line);
    let text = |token: &Token| &line[token.range.clone()];
    let middle = all.iter().position(|token| token.depth == 0 && text(token) == sign)?;
    Some((end(line, &all[..middle])?, end(line, &all[middle + 1..])?))
}

/// `Node[i].port[j]`, `object[i]` or `in.port[j]`.
fn end(line: &str, tokens: &[Token]) -> Option<EndOutline> {
    let dot = tokens.iter().position(|token| token.depth == 0 && &line[token.range.clone()] == ".");
    let (first, second) = match dot {
        Some(dot) => (&tokens[..dot], &tokens[dot + 1..]),
        None => (tokens, &[][..]),
    };
    let (node, index) = name_and_brackets(line, first)?;
    let (port, elements) = name_and_brackets(line, second).unwrap_or_default();
    let node_range = first[0].range.clone();
    let port_range = second.first().map_or_else(|| node_range.clone(), |token| token.range.clone());
    let is_formal = matches!(&*node, "in" | "out" | "inout") && !port.is_empty();
    Some(if is_formal {
        EndOutline {
            node: format!("{node}.{port}"),
            index: elements,
            port: String::new(),
            elements: Vec::new(),
            node_range,
            port_range,
        }
    } else {
        EndOutline { node, index, port, elements, node_range, port_range }
    })
}

fn name_and_brackets(line: &str, tokens: &[Token]) -> Option<(String, Vec<String>)> {
    let text = |token: &Token| &line[token.range.clone()];
    let (name, rest) = tokens.split_first()?;
    let mut brackets = Vec::new();
    let mut start = None;
    for token in rest {
        match text(token) {
            "[" if token.depth == 0 => start = Some(token.range.end),
            "," | "]" if token.depth == usize::from(text(token) == ",") => {
                let from = start.replace(token.range.end)?;
                brackets.push(line[from..token.range.start].trim().to_owned());
            }
            _ => {}
        }
    }
    Some((text(name).to_owned(), brackets))
}

fn tables<'t>(table: &'t dyn TableLike, key: &str) -> impl Iterator<Item = (&'t str, &'t dyn TableLike)> {
    let named = table.get(key).and_then(Item::as_table_like);
    let entries = named.into_iter().flat_map(TableLike::iter);
    entries.filter_map(|(name, item)| item.as_table_like().map(|inner| (name, inner)))
}

fn string(table: &dyn TableLike, key: &str) -> String {
    table.get(key).and_then(Item::as_str).unwrap_or_default().to_owned()
}

fn strings(table: &dyn TableLike, key: &str) -> Vec<String> {
    let array = table.get(key).and_then(Item::as_array);
    array.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The texts of an array with their positions in it.
fn rows<'t>(table: &'t dyn TableLike, key: &str) -> impl Iterator<Item = (usize, &'t str)> {
    let array = table.get(key).and_then(Item::as_array);
    let values = array.into_iter().flatten().enumerate();
    values.filter_map(|(row, value)| value.as_str().map(|text| (row, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_rules_are_found() {
        for (rule, expected) in [
            ("b -> v, seg[j] -> parts[j] for j in 0..n if k == 0", vec!["b", "seg"]),
            ("seg[j, k] <- f(a, b) for j in 0..n, done <- x if y", vec!["seg", "done"]),
            ("done <- if a { b } else { c }", vec!["done"]),
            ("", vec![]),
            ("a + b", vec![]),
            ("] -> [", vec!["]"]),
        ] {
            let found: Vec<_> = rule_ports(rule).into_iter().map(|range| &rule[range]).collect();
            assert_eq!(found, expected, "{rule}");
        }
    }

    #[test]
    fn ports_of_units_are_listed() {
        let text = r#"
            [graph.g.uc.A]
            doc = "adds"
            in = { a = "int", "b[i, j]" = "real" }
            out = { c = "any" }
            shared = { t = "read", u = "write" }
        "#;
        let graphs = outline(text).expect("it is TOML");
        let ports: Vec<String> = graphs[0].nodes[0]
            .ports
            .iter()
            .map(|port| format!("{:?} {}{:?} {}", port.kind, port.name, port.elements, port.ty))
            .collect();
        assert_eq!(
            ports,
            [
                r#"Input a[] int"#,
                r#"Input b["i", "j"] real"#,
                r#"Output c[] any"#,
                r#"Shared { is_write: false } t[] "#,
                r#"Shared { is_write: true } u[] "#,
            ]
        );
        assert_eq!(graphs[0].nodes[0].doc, "adds");
    }

    fn shown(end: &EndOutline) -> String {
        format!("{}{:?}.{}{:?}", end.node, end.index, end.port, end.elements)
    }

    #[test]
    fn ends_are_cut_into_their_parts() {
        for (line, sign, expected) in [
            ("A.x->B.y", "->", r#"A[].x[] B[].y[]"#),
            ("A[i][j].x[k] -> B[i + 1, f(j, k)].y", "->", r#"A["i", "j"].x["k"] B["i + 1", "f(j, k)"].y[]"#),
            ("in.a[i] -> B.y", "->", r#"in.a["i"].[] B[].y[]"#),
            ("money[i - 1] -- Pay[i].till", "--", r#"money["i - 1"].[] Pay["i"].till[]"#),
            ("inout.acct -- Sub[k].acct", "--", r#"inout.acct[].[] Sub["k"].acct[]"#),
        ] {
            let (source, target) = ends(line, sign).expect("both ends can be read");
            assert_eq!(format!("{} {}", shown(&source), shown(&target)), expected);
            for end in [source, target] {
                let port = if end.port.is_empty() { &end.node } else { &end.port };
                assert!(port.ends_with(&line[end.port_range]), "{line}");
                assert!(end.node.starts_with(&line[end.node_range]), "{line}");
            }
        }
        for line in ["", "A.x", "-> B.y", "A.x ->", "A]x -> ]["] {
            let _ = ends(line, "->");
        }
        assert!(ends("A.x -- B.y", "->").is_none());
    }
}
