//! What typing into a cell changes in the program.

use hasse_compiler::{family, link_ends};
use toml_edit::{DocumentMut, Item, Value};

use super::body;
use super::drawn::end_texts;
use super::section::Section;
use crate::edit::identifier::check_name;
use crate::edit::link::LinkList;
use crate::edit::tables::{graph_mut, rename_key, set as set_key};
use crate::edit::{EditError, fit, graph, link, name, node, note, port, rows};
use crate::forms::{FieldKind, FieldValue, set};
use crate::panels::subject::Subject;

/// Why what was typed is not in the program yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("a line cannot be empty: remove it instead")]
    EmptyLine,
    #[error("a name is needed")]
    NoName,
    #[error("a body is one of Rhai, Rust and native")]
    NoBodyKind,
    #[error("write a line as `{0}`")]
    NoLink(&'static str),
}

/// The side of a unit that a section lists.
fn side(key: &str) -> Option<port::Side> {
    port::Side::ALL.into_iter().find(|side| side.key() == key)
}

fn list_of(subject: &Subject, key: &str) -> Option<LinkList> {
    LinkList::ALL.into_iter().find(|list| matches!(subject, Subject::Graph(_)) && list.key() == key)
}

/// Graph and node, as forms name them.
pub(super) fn form_of(subject: &Subject) -> Option<(&str, Option<&str>)> {
    match subject {
        Subject::Graph(graph) => Some((graph, None)),
        Subject::Node { graph, node } => Some((graph, Some(node))),
        _ => None,
    }
}

fn gone() -> EditError {
    EditError::Missing { what: "selection", name: String::new() }
}

/// The rows of a section that are in the program, as a field's value.
pub(super) fn value_of(section: &Section) -> FieldValue {
    let held = section.rows.iter().filter(|row| !row.is_draft);
    let base =
        |row: &super::Row, cell: usize| row.cells.get(cell).map_or(String::new(), |cell| cell.base.clone());
    if section.kind == FieldKind::Rows {
        return FieldValue::List(held.map(|row| base(row, 0)).collect());
    }
    FieldValue::Entries(held.map(|row| (base(row, 0), base(row, 1))).collect())
}

pub(super) fn set_field(
    tables: &mut DocumentMut,
    subject: &Subject,
    key: &str,
    value: &FieldValue,
) -> Result<(), EditError> {
    let (graph, node) = form_of(subject).ok_or_else(gone)?;
    set(tables, graph, node, key, value)
}

/// Writes a text that is typed letter by letter.
pub(super) fn type_into(
    tables: &mut DocumentMut,
    subject: &Subject,
    section: &Section,
    row: usize,
    text: &str,
) -> Result<(), EditError> {
    let key = section.key.as_str();
    match subject {
        Subject::Comment { graph, number } => return note::set_comment(tables, graph, *number, text),
        Subject::Frame { graph, number } => {
            let mut frames = note::frames(tables, graph).into_iter();
            let mut frame = frames.find(|frame| frame.number == *number).ok_or_else(gone)?;
            match key {
                "title" => frame.title = text.to_owned(),
                _ => frame.color = text.to_owned(),
            }
            return note::set_frame(tables, graph, &frame);
        }
        Subject::Link { graph, list, row } => return link::set(tables, graph, *list, *row, text),
        Subject::Graph(graph) if key == "main" => {
            return set_main(tables, graph, text == "true");
        }
        _ => {}
    }
    if let (Some(list), Subject::Graph(graph)) = (list_of(subject, key), subject) {
        return link::set(tables, graph, list, row, text);
    }
    let value = match section.kind {
        FieldKind::Flag => FieldValue::Flag(text == "true"),
        FieldKind::Names => {
            let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            let names: Vec<String> = names.map(str::to_owned).collect();
            names.iter().try_for_each(|name| check_name(name))?;
            if let (Subject::Node { graph, node }, "index") = (subject, key) {
                fit::add_index(tables, graph, node, &names)?;
            }
            FieldValue::List(names)
        }
        FieldKind::Body => body::typed(section, text)?,
        FieldKind::Line | FieldKind::Type | FieldKind::Graph => FieldValue::Text(text.to_owned()),
        FieldKind::Rows | FieldKind::Entries | FieldKind::Accesses | FieldKind::Arguments => {
            match value_of(section) {
                FieldValue::List(mut lines) => {
                    put(&mut lines, row, text.to_owned());
                    FieldValue::List(lines)
                }
                FieldValue::Entries(mut entries) => {
                    if let Some((_, held)) = entries.get_mut(row) {
                        text.clone_into(held);
                    }
                    FieldValue::Entries(entries)
                }
                other => other,
            }
        }
    };
    set_field(tables, subject, key, &value)
}

/// Sets an element, or adds one behind the last.
fn put(lines: &mut Vec<String>, row: usize, text: String) {
    match lines.get_mut(row) {
        Some(held) => *held = text,
        None => lines.push(text),
    }
}

fn set_main(tables: &mut DocumentMut, graph: &str, is_main: bool) -> Result<(), EditError> {
    let held = tables.get("main").and_then(Item::as_str);
    if is_main == (held == Some(graph)) {
        return Ok(());
    }
    if is_main {
        set_key(tables.as_table_mut(), &[], "main", Item::Value(Value::from(graph)));
    } else {
        tables.remove("main");
    }
    Ok(())
}

/// Adds a row with its texts at the end of a section.
pub(super) fn insert(
    tables: &mut DocumentMut,
    subject: &Subject,
    section: &Section,
    texts: &[String],
) -> Result<(), EditError> {
    let first = texts.first().map(String::as_str).unwrap_or_default();
    if let (Some(_), Subject::Graph(graph)) = (list_of(subject, &section.key), subject) {
        let table = graph_mut(tables, graph)?;
        return rows::insert(table, &["graph", graph], &section.key, usize::MAX, first).map(drop);
    }
    let value = match value_of(section) {
        FieldValue::Entries(mut entries) => {
            let first = declared(first)?;
            let second = texts.get(1).filter(|text| !text.trim().is_empty());
            let second = second.cloned().unwrap_or_else(|| first_text(section).to_owned());
            entries.push((first, second));
            FieldValue::Entries(entries)
        }
        FieldValue::List(mut lines) => {
            lines.push(first.to_owned());
            FieldValue::List(lines)
        }
        other => other,
    };
    set_field(tables, subject, &section.key, &value)
}

/// What a new entry says until something else is typed.
fn first_text(section: &Section) -> &'static str {
    match (section.kind, section.key.as_str()) {
        (FieldKind::Accesses, _) => "read",
        (FieldKind::Arguments, "bound") => "8",
        (FieldKind::Arguments, "full") => "drop-oldest",
        (FieldKind::Arguments, _) => "0",
        (_, "inout" | "params" | "vars") => "int",
        _ => "any",
    }
}

/// Takes a row out, with the arcs of a port.
pub(super) fn remove(
    tables: &mut DocumentMut,
    subject: &Subject,
    section: &Section,
    row: usize,
) -> Result<(), EditError> {
    let key = section.key.as_str();
    if !section.is_list() {
        return set_field(tables, subject, key, &FieldValue::Text(String::new()));
    }
    let name = section.cell(row, 0).map(|cell| family(&cell.base).0).unwrap_or_default();
    if let (Some(list), Subject::Graph(graph)) = (list_of(subject, key), subject) {
        return link::remove(tables, graph, list, row);
    }
    if section.is_of_entries() {
        match (subject, side(key)) {
            (Subject::Node { graph, node }, Some(side)) => {
                return port::remove(tables, graph, node, side, &name);
            }
            (Subject::Graph(graph), _) if matches!(key, "in" | "out" | "inout") => {
                return node::remove(tables, graph, &[&format!("{key}.{name}")]);
            }
            _ => {}
        }
    }
    let value = match value_of(section) {
        FieldValue::List(mut lines) if row < lines.len() => {
            lines.remove(row);
            FieldValue::List(lines)
        }
        FieldValue::Entries(mut entries) if row < entries.len() => {
            entries.remove(row);
            FieldValue::Entries(entries)
        }
        other => other,
    };
    set_field(tables, subject, key, &value)
}

/// Exchanges a row with the one below it.
pub(super) fn swap(
    tables: &mut DocumentMut,
    subject: &Subject,
    section: &Section,
    row: usize,
) -> Result<(), EditError> {
    let mut value = value_of(section);
    match &mut value {
        FieldValue::List(lines) if row + 1 < lines.len() => lines.swap(row, row + 1),
        FieldValue::Entries(entries) if row + 1 < entries.len() => entries.swap(row, row + 1),
        _ => {}
    }
    set_field(tables, subject, &section.key, &value)
}

/// Makes a name, or an end of a link, what was typed. Gives the subject where that is named otherwise now.
pub(super) fn commit(
    tables: &mut DocumentMut,
    subject: &Subject,
    section: &Section,
    (row, cell): (usize, usize),
    text: &str,
) -> Result<Option<Subject>, Refusal> {
    let text = text.trim();
    if let Subject::Link { graph, list, row } = subject {
        let line = linked(tables, graph, *list, *row, section, cell, text)?;
        link::set(tables, graph, *list, *row, &line)?;
        return Ok(None);
    }
    if text.is_empty() {
        return Err(Refusal::NoName);
    }
    let key = section.key.as_str();
    let base = section.cell(row, cell).map(|cell| cell.base.as_str()).unwrap_or_default();
    let old = family(base).0;
    match (subject, key) {
        (Subject::Graph(name), "name") => {
            graph::rename(tables, name, text)?;
            return Ok(Some(Subject::Graph(text.to_owned())));
        }
        (Subject::Node { graph, node }, "name") => {
            let Some((formals, _)) = node.split_once('.') else {
                node::rename(tables, graph, node, text)?;
                return Ok(Some(Subject::Node { graph: graph.clone(), node: text.to_owned() }));
            };
            rename_formal(tables, graph, formals, base, text)?;
            let node = format!("{formals}.{}", family(text).0);
            return Ok(Some(Subject::Node { graph: graph.clone(), node }));
        }
        (Subject::Node { .. }, "do") => body::set_kind(tables, subject, section, text)?,
        (Subject::Graph(graph), "in" | "out" | "inout") => rename_formal(tables, graph, key, base, text)?,
        (Subject::Graph(graph), "params") => name::rename_param(tables, graph, base, text)?,
        (Subject::Node { graph, node }, "vars") => name::rename_var(tables, graph, node, base, text)?,
        (Subject::Node { graph, node }, "shared") => name::rename_shared(tables, graph, node, base, text)?,
        (Subject::Node { graph, node }, _) if side(key).is_some() => {
            let side = side(key).unwrap_or(port::Side::Input);
            port::rename(tables, graph, node, side, &old, &declared(text)?)?;
        }
        _ => {
            let mut value = value_of(section);
            if let FieldValue::Entries(entries) = &mut value
                && let Some((name, _)) = entries.get_mut(row)
            {
                check_name(text)?;
                text.clone_into(name);
            }
            set_field(tables, subject, key, &value)?;
        }
    }
    Ok(None)
}

/// A name as it is declared, `p` or `p[i]`, from what was typed.
fn declared(text: &str) -> Result<String, EditError> {
    let (name, index) = family(text);
    std::iter::once(&name).chain(&index).try_for_each(|name| check_name(name))?;
    Ok(if index.is_empty() { name } else { format!("{name}[{}]", index.join(", ")) })
}

/// Renames a formal port, and says its family anew: `base` and `new` are as declared, `p[i]`.
fn rename_formal(
    tables: &mut DocumentMut,
    graph: &str,
    section: &str,
    base: &str,
    new: &str,
) -> Result<(), EditError> {
    let (old_name, old_index) = family(base);
    let (name, index) = family(new);
    node::rename(tables, graph, &format!("{section}.{old_name}"), &name)?;
    if index == old_index {
        return Ok(());
    }
    let declared = declared(new)?;
    let held =
        graph_mut(tables, graph)?.get_mut(section).and_then(Item::as_table_like_mut).ok_or_else(gone)?;
    let key = held.iter().map(|(key, _)| key.to_owned()).find(|key| family(key).0 == name);
    rename_key(held, &key.ok_or_else(gone)?, &declared);
    Ok(())
}

/// The line with one part of an end changed.
fn linked(
    tables: &mut DocumentMut,
    graph: &str,
    list: LinkList,
    row: usize,
    section: &Section,
    cell: usize,
    text: &str,
) -> Result<String, Refusal> {
    let (sign, example) = match list {
        LinkList::Arcs => ("->", "Split.part[i] -> Work[i].part"),
        LinkList::Shares => ("--", "total -- Work[i].total"),
    };
    let held = rows::rows(graph_mut(tables, graph)?, list.key());
    let line = held.into_iter().find(|(known, _)| *known == row).map(|(_, line)| line).unwrap_or_default();
    let (source, target) = link_ends(&line).ok_or(Refusal::NoLink(example))?;
    let changed = |end, key: &str| {
        let mut texts = end_texts(end);
        if section.key == key && cell < texts.len() {
            text.clone_into(&mut texts[cell]);
        }
        end_text(&texts)
    };
    let line = format!("{} {sign} {}", changed(&source, "source"), changed(&target, "target"));
    match link_ends(&line) {
        Some(_) => Ok(line),
        None => Err(Refusal::NoLink(example)),
    }
}

/// An end as it is written.
fn end_text([place, index, elements]: &[String; 3]) -> String {
    let bracketed =
        |text: &str| if text.trim().is_empty() { String::new() } else { format!("[{}]", text.trim()) };
    let is_formal = |node: &str| matches!(node, "in" | "out" | "inout");
    match place.split_once('.') {
        Some((node, port)) if is_formal(node) => format!("{node}.{port}{}", bracketed(index)),
        Some((node, port)) => format!("{node}{}.{port}{}", bracketed(index), bracketed(elements)),
        None => format!("{place}{}", bracketed(index)),
    }
}
