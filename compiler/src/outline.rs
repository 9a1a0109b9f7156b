//! What a program's graphs consist of, as far as it can be read: nodes, arcs and share lines by name.
//! For pictures, which are wanted of unfinished programs, too; nothing is checked here.

use hasse_model::diagnostic::Diagnostic;
use toml_edit::{Document, Item, TableLike};

use crate::grammar::token::{Token, tokens};

/// A graph of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphOutline {
    /// Its name.
    pub name: String,
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
            let (port, index) = port.split_once('[').unwrap_or((port, ""));
            let index = index.trim_end_matches(']').split(',').map(|name| name.trim().to_owned());
            nodes.push(NodeOutline {
                name: format!("{key}.{}", port.trim()),
                kind: kind(item.as_str().unwrap_or_default().to_owned()),
                index: index.filter(|name| !name.is_empty()).collect(),
            });
        }
    }
    for (name, unit) in tables(graph, "uc") {
        let flag = |key| unit.get(key).and_then(Item::as_bool).unwrap_or(false);
        let kind = NodeKind::Unit { is_start: flag("start"), is_stop: flag("stop") };
        nodes.push(NodeOutline { name: name.to_owned(), kind, index: strings(unit, "index") });
    }
    for (name, call) in tables(graph, "call") {
        let kind = NodeKind::Call(string(call, "graph"));
        nodes.push(NodeOutline { name: name.to_owned(), kind, index: strings(call, "index") });
    }
    for (name, shared) in tables(graph, "shared") {
        let kind = NodeKind::Shared(string(shared, "type"));
        nodes.push(NodeOutline { name: name.to_owned(), kind, index: strings(shared, "index") });
    }
    let mut links = Vec::new();
    for line in strings(graph, "arcs") {
        if let Some((source, target)) = ends(&line, "->") {
            links.push(LinkOutline { kind: LinkKind::Arc, source, target });
        }
    }
    for line in strings(graph, "share") {
        if let Some((source, target)) = ends(&line, "--") {
            let kind = LinkKind::Share { is_write: writes(graph, &target) };
            links.push(LinkOutline { kind, source, target });
        }
    }
    for end in links.iter().flat_map(|link| [&link.source, &link.target]) {
        if !nodes.iter().any(|node| node.name == end.node) {
            nodes.push(NodeOutline { name: end.node.clone(), kind: NodeKind::Missing, index: Vec::new() });
        }
    }
    GraphOutline { name: name.to_owned(), is_main: false, nodes, links }
}

/// Whether the user of a shared object may change it; calls may.
fn writes(graph: &dyn TableLike, user: &EndOutline) -> bool {
    let unit = tables(graph, "uc").find(|(name, _)| *name == user.node);
    let shared = unit.and_then(|(_, unit)| unit.get("shared")).and_then(Item::as_table_like);
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
    let is_formal = matches!(&*node, "in" | "out" | "inout") && !port.is_empty();
    Some(if is_formal {
        EndOutline {
            node: format!("{node}.{port}"),
            index: elements,
            port: String::new(),
            elements: Vec::new(),
        }
    } else {
        EndOutline { node, index, port, elements }
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

#[cfg(test)]
mod tests {
    use super::*;

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
        }
        for line in ["", "A.x", "-> B.y", "A.x ->", "A]x -> ]["] {
            let _ = ends(line, "->");
        }
        assert!(ends("A.x -- B.y", "->").is_none());
    }
}
