//! The sections of what has no form: links, comments, frames, and several things.

use hasse_compiler::{EndOutline, GraphOutline, NodeKind, link_ends};

use super::build::{Built, line};
use super::section::{Cell, CellId, CellKind, Section};
use crate::edit::link::LinkList;
use crate::edit::note;
use crate::panels::code::CodeKind;
use crate::target::Target;

pub(super) fn of_link(graphs: &[GraphOutline], graph: &str, list: LinkList, row: usize, text: &str) -> Built {
    let target = Target::of_link(graph, list, row);
    let (kind, sign, code) = match list {
        LinkList::Arcs => ("arc", "->", CodeKind::Arc),
        LinkList::Shares => ("share line", "--", CodeKind::Share),
    };
    let cell =
        |key, place, kind, text: &str| Cell::new(CellId::new(key, 0, place), kind, text, target.clone());
    let example = format!("Split.part[i] {sign} Work[i].part");
    let help = "The line as it stands in the file: from where to where, with index numbers in brackets.";
    let whole = cell("line", 0, CellKind::Code(code), text);
    let mut sections = vec![Section::single("line", "Line", help, &example, whole)];
    if let Some((source, to)) = link_ends(text) {
        let places = end_places(graphs, graph);
        for (key, label, end) in [("source", "From", source), ("target", "To", to)] {
            let [place, index, elements] = end_texts(&end);
            let mut cells =
                vec![cell(key, 0, CellKind::Line, &place).committed().offering(places.iter().cloned())];
            cells.push(cell(key, 1, CellKind::Line, &index).labeled("index").committed());
            if !end.port.is_empty() {
                cells.push(cell(key, 2, CellKind::Line, &elements).labeled("element").committed());
            }
            let help = "Node and port, the index of the instance, and of a port family the element.";
            let mut section = Section::single(key, label, help, "Work.part", cells.remove(0));
            section.rows[0].cells.extend(cells);
            sections.push(section);
        }
    }
    Built { kind, title: text.to_owned(), sections }
}

/// The place, the index and the element of an end, as they are shown.
pub(super) fn end_texts(end: &EndOutline) -> [String; 3] {
    let place = if end.port.is_empty() { end.node.clone() } else { format!("{}.{}", end.node, end.port) };
    [place, end.index.join(", "), end.elements.join(", ")]
}

/// All nodes with their ports.
fn end_places(graphs: &[GraphOutline], graph: &str) -> Vec<String> {
    let mut places = Vec::new();
    let nodes = graphs.iter().find(|known| known.name == graph).map(|graph| graph.nodes.as_slice());
    for node in nodes.unwrap_or_default() {
        let ports = crate::ports::ports(graphs, node);
        if ports.is_empty() && !matches!(node.kind, NodeKind::Unit { .. } | NodeKind::Call(_)) {
            places.push(node.name.clone());
        }
        places.extend(ports.iter().map(|port| format!("{}.{}", node.name, port.name)));
    }
    places
}

pub(super) fn of_comment(text: &str) -> Built {
    let mut cell = line("text", text, Target::default());
    cell.kind = CellKind::Lines;
    let help = "Free text in the picture, for readers.";
    let section = Section::single("text", "Text", help, "Each worker takes one part.", cell);
    Built {
        kind: "comment",
        title: text.lines().next().unwrap_or_default().to_owned(),
        sections: vec![section],
    }
}

pub(super) fn of_frame(frame: &note::Frame) -> Built {
    let title = line("title", &frame.title, Target::default());
    let mut color = line("color", &frame.color, Target::default());
    color.kind = CellKind::Choice;
    color.choices = note::FRAME_COLORS.map(str::to_owned).to_vec();
    let sections = vec![
        Section::single("title", "Title", "What stands above the frame.", "Solvers", title),
        Section::single("color", "Color", "The color of the frame.", "blue", color),
    ];
    Built { kind: "frame", title: frame.title.clone(), sections }
}

pub(super) fn of_several(n_nodes: usize, n_links: usize, n_notes: usize) -> Built {
    let part = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{n} {many}")),
    };
    let parts = [
        part(n_nodes, "node", "nodes"),
        part(n_links, "link", "links"),
        part(n_notes, "comment or frame", "comments and frames"),
    ];
    let title = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    Built { kind: "selection", title, sections: Vec::new() }
}
