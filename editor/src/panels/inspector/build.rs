//! The sections of what is selected, as the program has them.

use hasse_compiler::{GraphOutline, NodeKind, NodeOutline, family, outline};
use toml_edit::DocumentMut;

use super::drawn::{of_comment, of_frame, of_link, of_several};
use super::section::{Cell, CellId, CellKind, Row, Section};
use crate::edit::link::LinkList;
use crate::edit::note;
use crate::edit::rows;
use crate::edit::tables::graph_mut;
use crate::forms::{BodyKind, Field, FieldKind, FieldValue, TYPES, form};
use crate::panels::code::CodeKind;
use crate::panels::subject::Subject;
use crate::target::{Attribute, Target};

/// What is shown of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Built {
    pub(super) kind: &'static str,
    pub(super) title: String,
    pub(super) sections: Vec<Section>,
}

impl Built {
    pub(super) fn cell(&self, id: &CellId) -> Option<&Cell> {
        self.sections.iter().find(|section| section.key == id.key)?.cell(id.row, id.cell)
    }
}

/// What of the program sections need to know.
pub(super) struct Facts {
    graphs: Vec<GraphOutline>,
    types: Vec<String>,
}

/// Why nothing can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotBuilt {
    NotReadable,
    Missing,
}

/// Reads the sections. Cost: reads the whole text.
pub(super) fn build(text: &str, subject: &Subject) -> Result<Built, NotBuilt> {
    if *subject == Subject::Nothing {
        return Ok(Built::default());
    }
    let mut tables: DocumentMut = text.parse().map_err(|_| NotBuilt::NotReadable)?;
    let facts = Facts { graphs: outline(text).unwrap_or_default(), types: types(&tables) };
    let found = match subject {
        Subject::Nothing => None,
        Subject::Graph(graph) => of_graph(text, &facts, graph),
        Subject::Node { graph, node } => of_node(text, &facts, graph, node),
        Subject::Link { graph, list, row } => {
            let table = graph_mut(&mut tables, graph).map_err(|_| NotBuilt::Missing)?;
            let held = rows::rows(table, list.key());
            let line = held.into_iter().find(|(known, _)| known == row);
            line.map(|(_, line)| of_link(&facts.graphs, graph, *list, *row, &line))
        }
        Subject::Comment { graph, number } => {
            let held = note::comments(&tables, graph);
            held.into_iter()
                .find(|comment| comment.number == *number)
                .map(|comment| of_comment(&comment.text))
        }
        Subject::Frame { graph, number } => {
            let held = note::frames(&tables, graph);
            held.into_iter().find(|frame| frame.number == *number).map(|frame| of_frame(&frame))
        }
        Subject::Several { nodes, n_links, n_notes, .. } => Some(of_several(nodes.len(), *n_links, *n_notes)),
    };
    found.ok_or(NotBuilt::Missing)
}

pub(super) fn line(key: &str, text: &str, target: Target) -> Cell {
    Cell::new(CellId::new(key, 0, 0), CellKind::Line, text, target)
}

fn name_section(what: &str, name: &str, target: Target) -> Section {
    let help = format!("What the {what} is called; what refers to it follows when it is renamed.");
    Section::single("name", "Name", &help, "Solve", line("name", name, target).committed())
}

fn of_graph(text: &str, facts: &Facts, graph: &str) -> Option<Built> {
    let fields = form(text, graph, None)?;
    let is_main = facts.graphs.iter().any(|known| known.name == graph && known.is_main);
    let mut sections = vec![name_section("graph", graph, Target::of_graph(graph))];
    let mut cell = line("main", bool_text(is_main), Target::default().with(Attribute::of("main")));
    cell.kind = CellKind::Flag;
    let mut main = Section::single("main", "Main graph", "The program begins with this graph.", "true", cell);
    main.kind = FieldKind::Flag;
    sections.push(main);
    let subject = Subject::Graph(graph.to_owned());
    sections.extend(fields.iter().map(|field| section(field, &subject, facts)));
    Some(Built { kind: "graph", title: graph.to_owned(), sections })
}

fn of_node(text: &str, facts: &Facts, graph: &str, node: &str) -> Option<Built> {
    let fields = form(text, graph, Some(node))?;
    let outline = facts.graphs.iter().find(|known| known.name == graph);
    let found = outline.and_then(|outline| outline.nodes.iter().find(|known| known.name == node));
    let kind = match found.map(|node| &node.kind) {
        Some(NodeKind::Unit { .. }) => "unit",
        Some(NodeKind::Shared(_)) => "shared object",
        Some(NodeKind::Call(_)) => "call",
        Some(NodeKind::Input(_)) => "input",
        Some(NodeKind::Output(_)) => "output",
        Some(NodeKind::InOut(_)) => "formal shared object",
        Some(NodeKind::Missing) | None => "node",
    };
    let bare = node.split_once('.').map_or(node, |(_, port)| port);
    let shown = match found {
        Some(found) if node.contains('.') && !found.index.is_empty() => {
            format!("{bare}[{}]", found.index.join(", "))
        }
        _ => bare.to_owned(),
    };
    let mut sections = vec![name_section(kind, &shown, Target::of_node(graph, node))];
    let subject = Subject::Node { graph: graph.to_owned(), node: node.to_owned() };
    sections.extend(fields.iter().map(|field| section(field, &subject, facts)));
    Some(Built { kind, title: node.to_owned(), sections })
}

/// A field of a form as a section.
fn section(field: &Field, subject: &Subject, facts: &Facts) -> Section {
    let key = field.key;
    let id = |row, cell| CellId::new(key, row, cell);
    let whole = target(subject, key, None, None);
    let single =
        |kind: CellKind, text: &str| vec![Row::of(vec![Cell::new(id(0, 0), kind, text, whole.clone())])];
    let (mut rows, is_list): (Vec<Row>, bool) = match (field.kind, &field.value) {
        (_, None) if field.is_foreign => (Vec::new(), false),
        (FieldKind::Flag, value) => {
            let is_set = *value == Some(FieldValue::Flag(true));
            (single(CellKind::Flag, bool_text(is_set)), false)
        }
        (FieldKind::Body, Some(FieldValue::Native(name))) => {
            let mut row = single(CellKind::Line, name);
            let native = Attribute { entry: Some("native".to_owned()), ..Attribute::of(key) };
            row[0].cells[0].target = whole.with(native);
            (row, false)
        }
        (FieldKind::Body, value) => {
            let code = CellKind::Code(match value {
                Some(FieldValue::Rust(_)) => CodeKind::Rust,
                _ if is_expression(subject, facts, key) => CodeKind::Expression,
                _ => CodeKind::Body,
            });
            (single(code, text_of(value)), false)
        }
        (FieldKind::Names, value) => {
            let names = match value {
                Some(FieldValue::List(names)) => names.join(", "),
                _ => String::new(),
            };
            (single(CellKind::Line, &names), false)
        }
        (FieldKind::Rows, value) => {
            let lines = match value {
                Some(FieldValue::List(lines)) => lines.as_slice(),
                _ => &[],
            };
            let code = CellKind::Code(code_of_rows(key));
            let row = |(row, line): (usize, &String)| {
                Row::of(vec![Cell::new(id(row, 0), code, line, target(subject, key, None, Some(row)))])
            };
            (lines.iter().enumerate().map(row).collect(), true)
        }
        (FieldKind::Entries | FieldKind::Accesses | FieldKind::Arguments, value) => {
            let entries = match value {
                Some(FieldValue::Entries(entries)) => entries.as_slice(),
                _ => &[],
            };
            let row = |(row, (name, text)): (usize, &(String, String))| {
                Row::of(entry_cells(
                    subject,
                    field.kind,
                    key,
                    row,
                    [name, text],
                    text_choices(field.kind, key, facts),
                ))
            };
            (entries.iter().enumerate().map(row).collect(), true)
        }
        (FieldKind::Line | FieldKind::Type | FieldKind::Graph, value) => {
            let mut row = single(CellKind::Line, text_of(value));
            let choices = match field.kind {
                FieldKind::Type => facts.types.clone(),
                FieldKind::Graph => facts.graphs.iter().map(|graph| graph.name.clone()).collect(),
                _ => Vec::new(),
            };
            row[0].cells[0].choices = choices;
            (row, false)
        }
    };
    if is_list {
        let n_rows = rows.len();
        for (place, row) in rows.iter_mut().enumerate() {
            row.can_remove = true;
            row.can_move_up = place > 0;
            row.can_move_down = place + 1 < n_rows;
        }
    } else if let [row] = &mut rows[..] {
        let is_needed = matches!(field.kind, FieldKind::Type | FieldKind::Graph | FieldKind::Flag);
        row.can_remove = field.value.is_some() && !is_needed;
        if key == "do" {
            let kind = BodyKind::of(field.value.as_ref()).name();
            let kinds = BodyKind::ALL.map(|kind| kind.name().to_owned());
            let cell = Cell::new(id(0, 1), CellKind::Choice, kind, whole).labeled("kind");
            row.cells.push(cell.committed().offering(kinds));
        }
    }
    Section {
        key: key.to_owned(),
        label: field.label.to_owned(),
        help: field.help.to_owned(),
        example: field.example.to_owned(),
        kind: field.kind,
        rows,
        problems: Vec::new(),
        choices: text_choices(field.kind, key, facts),
        can_add: is_list,
        is_foreign: field.is_foreign,
    }
}

fn bool_text(flag: bool) -> &'static str {
    if flag { "true" } else { "false" }
}

fn text_of(value: &Option<FieldValue>) -> &str {
    match value {
        Some(FieldValue::Text(text) | FieldValue::Rust(text)) => text,
        _ => "",
    }
}

pub(super) fn code_of_rows(key: &str) -> CodeKind {
    match key {
        "fire" => CodeKind::Firing,
        "route" | "on_error" => CodeKind::Routing,
        "share" => CodeKind::Share,
        _ => CodeKind::Arc,
    }
}

/// Whether a body is a single expression: the first value of a shared object.
fn is_expression(subject: &Subject, facts: &Facts, key: &str) -> bool {
    let Subject::Node { graph, node } = subject else { return false };
    let held = facts.graphs.iter().find(|known| known.name == *graph).map(|graph| graph.nodes.as_slice());
    let is_shared = |known: &NodeOutline| known.name == *node && matches!(known.kind, NodeKind::Shared(_));
    key == "init" && held.unwrap_or_default().iter().any(is_shared)
}

/// The cells of a name with a text.
pub(super) fn entry_cells(
    subject: &Subject,
    kind: FieldKind,
    key: &str,
    row: usize,
    [name, text]: [&str; 2],
    choices: Vec<String>,
) -> Vec<Cell> {
    let bare = family(name).0;
    let named = target(subject, key, None, None);
    let held = target(subject, key, Some(&bare), None);
    let kind = match kind {
        FieldKind::Accesses => CellKind::Choice,
        FieldKind::Arguments => CellKind::Code(CodeKind::Expression),
        _ if matches!(key, "vars" | "params") => CellKind::Code(CodeKind::Declaration),
        _ => CellKind::Line,
    };
    vec![
        Cell::new(CellId::new(key, row, 0), CellKind::Line, name, named).committed(),
        Cell::new(CellId::new(key, row, 1), kind, text, held).offering(choices),
    ]
}

/// What the second cell of an entry can be.
pub(super) fn text_choices(kind: FieldKind, key: &str, facts: &Facts) -> Vec<String> {
    match (kind, key) {
        (FieldKind::Accesses, _) => vec!["read".to_owned(), "write".to_owned()],
        (FieldKind::Entries, "in" | "out" | "inout") => facts.types.clone(),
        _ => Vec::new(),
    }
}

/// Struct types of the program, then built-in ones.
fn types(tables: &DocumentMut) -> Vec<String> {
    let held = tables.get("type").and_then(|types| types.as_table_like());
    let own = held.into_iter().flat_map(|held| held.iter().map(|(name, _)| name.to_owned()));
    own.chain(TYPES.map(|(name, _)| name.to_owned())).collect()
}

/// What a cell is in the program.
pub(super) fn target(subject: &Subject, key: &str, entry: Option<&str>, row: Option<usize>) -> Target {
    let attribute =
        |entry: Option<&str>| Attribute { entry: entry.map(str::to_owned), row, ..Attribute::of(key) };
    match (subject, key) {
        (Subject::Graph(graph), "arcs") if row.is_some() => {
            Target::of_link(graph, LinkList::Arcs, row.unwrap_or(0))
        }
        (Subject::Graph(graph), "share") if row.is_some() => {
            Target::of_link(graph, LinkList::Shares, row.unwrap_or(0))
        }
        (Subject::Graph(graph), "in" | "out" | "inout") if entry.is_some() => {
            Target::of_node(graph, &format!("{key}.{}", entry.unwrap_or_default()))
                .with(Attribute::of("type"))
        }
        (Subject::Graph(graph), _) => Target::of_graph(graph).with(attribute(entry)),
        (Subject::Node { graph, node }, _) => Target::of_node(graph, node).with(attribute(entry)),
        (Subject::Link { graph, list, row }, _) => Target::of_link(graph, *list, *row),
        _ => Target::default(),
    }
}
