//! Models of expected behavior, drawn by selecting nodes and arcs of a graph.
//!
//! A model selects nodes and says which dependences are expected between them. Its text is that of a file of models, as a
//! program's file has no place for them; a person may write on it before it is checked.

use std::collections::BTreeSet;
use std::fmt::Write;

use hasse_compiler::{GraphOutline, LinkKind, LinkOutline, NodeKind};
use hasse_debugger::check;
use hasse_model::name::{begins_name, is_of_name};

/// The models of a person, and their file.
mod list;

pub use list::{ModelList, Saved};

/// A model's text and what to know of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// What of the selection is not part of it, in words.
    pub notes: Vec<String>,
}

/// The model of nodes and arcs that are selected in a graph: by names of nodes and rows of arcs. The nodes at both ends
/// of an arc are part of it. Where none is selected, all arcs between the nodes selected are. Orderings by shared objects
/// count where an object is selected.
pub fn draft(name: &str, graph: &GraphOutline, nodes: &BTreeSet<String>, rows: &BTreeSet<usize>) -> Draft {
    let mut draft = Draft::default();
    let is_unit = |name: &str| {
        let node = graph.nodes.iter().find(|node| node.name == name);
        node.is_some_and(|node| matches!(node.kind, NodeKind::Unit { .. }))
    };
    let arcs = graph.links.iter().filter(|link| link.kind == LinkKind::Arc);
    let chosen: Vec<&LinkOutline> = match rows.is_empty() {
        true => arcs
            .filter(|link| nodes.contains(&link.source.node) && nodes.contains(&link.target.node))
            .collect(),
        false => arcs.filter(|link| rows.contains(&link.row)).collect(),
    };
    let (drawn, others): (Vec<&LinkOutline>, Vec<&LinkOutline>) =
        chosen.into_iter().partition(|link| is_unit(&link.source.node) && is_unit(&link.target.node));
    for link in others {
        let (source, target) = (&link.source.node, &link.target.node);
        draft.notes.push(format!("`{source} -> {target}` is left out: models speak of units of computation"));
    }
    let ends = drawn.iter().flat_map(|link| [&link.source.node, &link.target.node]);
    let wanted: BTreeSet<&String> = nodes.iter().chain(ends).collect();
    let (units, others): (Vec<&String>, Vec<&String>) = wanted.into_iter().partition(|name| is_unit(name));
    draft
        .notes
        .extend(others.iter().map(|name| format!("`{name}` is left out: it is no unit of computation")));
    // Nodes of other graphs than the main one are told by their graph.
    let spec = |name: &str| if graph.is_main { name.to_owned() } else { format!("{}.{name}", graph.name) };
    let mut lines: Vec<String> = Vec::new();
    for link in drawn {
        let line = arc(link, &spec);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let list = |texts: Vec<String>| texts.join(", ");
    let quoted = units.iter().map(|name| format!("\"{}\"", spec(name))).collect();
    let text = &mut draft.text;
    // A string takes every write.
    let _ = writeln!(text, "[model.{}]\nnodes = [{}]", key(name), list(quoted));
    let _ = writeln!(text, "arcs = [");
    lines.iter().for_each(|line| {
        let _ = writeln!(text, "  \"{line}\",");
    });
    let _ = writeln!(text, "]");
    // Who selects no object means values alone.
    let shares = graph.links.iter().filter(|link| matches!(link.kind, LinkKind::Share { .. }));
    let own: Vec<&LinkOutline> = shares.filter(|link| units.contains(&&link.target.node)).collect();
    if !own.is_empty() && !own.iter().any(|link| nodes.contains(&link.source.node)) {
        let _ = writeln!(text, "shared = false");
    }
    draft
}

/// The line of an arc. Where the source's index is of names alone, the map of the index is part of it.
fn arc(link: &LinkOutline, spec: &impl Fn(&str) -> String) -> String {
    let (source, target) = (&link.source, &link.target);
    let is_name = |text: &String| text.starts_with(begins_name) && text.chars().all(is_of_name);
    let brackets = |index: &[String]| index.iter().map(|item| format!("[{item}]")).collect::<String>();
    // A name at the target that the source does not bind stands for an element of a port family.
    let words = |text: &String| -> Vec<String> {
        let split = text.split(|letter: char| !is_of_name(letter));
        split.map(str::to_owned).filter(is_name).collect()
    };
    let is_bound = target.index.iter().flat_map(words).all(|name| source.index.contains(&name));
    if source.index.iter().all(is_name) && is_bound {
        let source = format!("{}{}", spec(&source.node), brackets(&source.index));
        return format!("{source} -> {}{}", spec(&target.node), brackets(&target.index));
    }
    format!("{} -> {}", spec(&source.node), spec(&target.node))
}

/// A name as a key of a table.
fn key(name: &str) -> String {
    let letters = name.trim().chars();
    let key: String =
        letters.map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    let starts_well = key.starts_with(|first: char| first.is_ascii_alphabetic());
    if starts_well { key } else { format!("m{key}") }
}

/// What is wrong with a text of models; `None` where it can be read.
pub fn fault(text: &str) -> Option<String> {
    check::model::parse(text).err().map(|error| error.to_string())
}
