//! Tables with their headers, keys and comments: a file is cut into sections, these are sorted, and
//! each is written anew.

use toml_edit::{DocumentMut, Item, Key, Table, Value};

use super::decor::{self, Gap, comment, lines};
use super::order;
use super::rows::{Row, text_of};
use super::rules::Notation;
use super::value::{self, Style};

/// A table with what stands in front of it.
struct Section<'d> {
    path: Vec<&'d Key>,
    table: &'d Table,
    is_array: bool,
    position: isize,
    before: Vec<String>,
}

/// A key with its value.
struct Entry<'d> {
    path: Vec<&'d Key>,
    value: &'d Value,
    before: Vec<String>,
}

/// The text of a document in canonical form.
pub(super) fn document_text(document: &DocumentMut) -> String {
    let mut sections = Vec::new();
    collect(document.as_table(), &mut Vec::new(), false, &mut sections);
    let mut last_position = -1;
    for section in &mut sections {
        last_position = section.table.position().unwrap_or(last_position);
        section.position = if section.path.is_empty() { -1 } else { last_position };
    }
    sections.sort_by_key(|section| section.position);
    let mut all: Vec<(Section<'_>, Vec<Entry<'_>>)> = sections
        .into_iter()
        .map(|section| {
            let entries = entries_of(&section);
            (section, entries)
        })
        .collect();
    all.retain(|(section, entries)| !section.path.is_empty() || !entries.is_empty());
    let head = take_head(&mut all);
    let all = sorted(all);

    let mut parts = Vec::new();
    if !head.is_empty() {
        parts.push(format!("{}\n", head.join("\n")));
    }
    parts.extend(all.iter().map(|(section, entries)| section_text(section, entries)));
    let trailing = lines(document.trailing().as_str().unwrap_or_default());
    let has_blank = trailing.first().is_some_and(String::is_empty);
    let trailing = without_blank_ends(trailing);
    let mut text = parts.join("\n");
    if !trailing.is_empty() {
        if has_blank && !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&trailing.join("\n"));
        text.push('\n');
    }
    text
}

/// All tables that are written with a header, and the top of the file.
fn collect<'d>(table: &'d Table, path: &mut Vec<&'d Key>, is_array: bool, sections: &mut Vec<Section<'d>>) {
    let is_written = !table.is_implicit() || !table.get_values().is_empty();
    if path.is_empty() || (!table.is_dotted() && is_written) {
        let before = if path.is_empty() { Vec::new() } else { lines(decor::prefix(table.decor())) };
        sections.push(Section { path: path.clone(), table, is_array, position: 0, before });
    }
    for (name, item) in table.iter() {
        let Some(key) = table.key(name) else { continue };
        path.push(key);
        match item {
            Item::Table(inner) => collect(inner, path, false, sections),
            Item::ArrayOfTables(tables) => {
                tables.iter().for_each(|inner| collect(inner, path, true, sections))
            }
            Item::None | Item::Value(_) => {}
        }
        path.pop();
    }
}

fn entries_of<'d>(section: &Section<'d>) -> Vec<Entry<'d>> {
    let entries = section.table.get_values().into_iter().map(|(path, value)| {
        let before = path.last().map(|key| decor::prefix(key.leaf_decor())).unwrap_or_default();
        Entry { before: lines(before), path, value }
    });
    entries.collect()
}

/// Takes the comments that stand in front of everything, with a blank line behind them.
fn take_head(all: &mut [(Section<'_>, Vec<Entry<'_>>)]) -> Vec<String> {
    let Some((section, entries)) = all.first_mut() else { return Vec::new() };
    let before = match entries.first_mut() {
        Some(entry) if section.path.is_empty() => &mut entry.before,
        _ => &mut section.before,
    };
    let Some(last_blank) = before.iter().rposition(String::is_empty) else { return Vec::new() };
    let attached = before.split_off(last_blank);
    without_blank_ends(std::mem::replace(before, without_blank_ends(attached)))
}

/// Puts sections and keys in order. Arrays of tables, of which programs have none, depend on the order
/// of the file and keep it.
fn sorted<'d>(all: Vec<(Section<'d>, Vec<Entry<'d>>)>) -> Vec<(Section<'d>, Vec<Entry<'d>>)> {
    let paths: Vec<Vec<&str>> = all.iter().map(|(section, _)| names(&section.path)).collect();
    let mut ranked: Vec<_> = order::table_ranks(&paths).into_iter().zip(all).collect();
    if !ranked.iter().any(|(_, (section, _))| section.is_array) {
        ranked.sort_by(|(one, _), (other, _)| one.cmp(other));
    }
    let mut all: Vec<_> = ranked.into_iter().map(|(_, section)| section).collect();
    for (section, entries) in &mut all {
        let path = names(&section.path);
        entries.sort_by_key(|entry| order::key_rank(&path, entry.path.first().map_or("", |key| key.get())));
    }
    all
}

fn names<'d>(path: &[&'d Key]) -> Vec<&'d str> {
    path.iter().map(|key| key.get()).collect()
}

fn section_text(section: &Section<'_>, entries: &[Entry<'_>]) -> String {
    let path = names(&section.path);
    let is_top = path.is_empty();
    let mut rows: Vec<Row> = without_blank_start(section.before.clone()).into_iter().map(Row::Own).collect();
    if !is_top {
        let [open, close] = if section.is_array { ["[[", "]]"] } else { ["[", "]"] };
        let code = format!("{open}{}{close}", value::key_text(&section.path));
        rows.push(Row::Code { code, comment: comment(decor::suffix(section.table.decor())), group: None });
    }
    let mut run: Vec<Shown<'_, '_>> = Vec::new();
    for (entry_idx, entry) in entries.iter().enumerate() {
        let shown = Shown::new(entry, entry_idx, &path);
        if shown.begins_block || !shown.is_one_line() {
            flush(&mut run, &mut rows);
        }
        let is_one_line = shown.is_one_line();
        run.push(shown);
        if !is_one_line {
            flush(&mut run, &mut rows);
        }
    }
    flush(&mut run, &mut rows);
    text_of(&rows)
}

/// An entry with the rows of its value.
struct Shown<'e, 'd> {
    entry: &'e Entry<'d>,
    key: String,
    rows: Vec<Row>,
    /// Comments in front, and blank lines between them.
    before: Vec<String>,
    /// Whether a blank line and a comment set it off from what comes before.
    begins_block: bool,
    /// The group of its own comment, if it is the first of a run.
    group: usize,
}

impl<'e, 'd> Shown<'e, 'd> {
    fn new(entry: &'e Entry<'d>, entry_idx: usize, path: &[&str]) -> Self {
        let key = value::key_text(&entry.path);
        let name = entry.path.first().map_or("", |key| key.get());
        let holds_lines = entry.path.len() == 1 && order::holds_lines(path, name);
        let style = Style {
            notation: holds_lines.then(|| Notation::of_key(name)),
            column: key.chars().count() + 3,
            indentation: 0,
            group: 2 * entry_idx + 1,
        };
        let has_comment = entry.before.iter().any(|line| !line.is_empty());
        let before = match entry_idx {
            _ if !has_comment => Vec::new(),
            0 => without_blank_start(entry.before.clone()),
            _ => entry.before.clone(),
        };
        let begins_block = before.iter().any(String::is_empty);
        let rows = value::rows(entry.value, style);
        Self { entry, key, rows, before, begins_block, group: 2 * entry_idx }
    }

    fn is_one_line(&self) -> bool {
        matches!(&self.rows[..], [Row::Code { code, .. }] if !code.contains('\n'))
    }
}

/// Writes entries with their equals signs in one column, and the comments behind them in another.
fn flush(run: &mut Vec<Shown<'_, '_>>, rows: &mut Vec<Row>) {
    let width = run.iter().map(|shown| shown.key.chars().count()).max().unwrap_or(0);
    let group_of_run = run.first().map(|shown| shown.group);
    for mut shown in run.drain(..) {
        rows.extend(shown.before.into_iter().map(Row::Own));
        let n_spaces = width - shown.key.chars().count();
        if let Some(Row::Code { code, .. }) = shown.rows.first_mut() {
            code.insert_str(0, &format!("{}{} = ", shown.key, " ".repeat(n_spaces)));
        }
        let is_one_row = shown.rows.len() == 1;
        if let Some(Row::Code { comment, group, .. }) = shown.rows.last_mut() {
            *group = group_of_run.filter(|_| is_one_row);
            *comment = Gap::behind_value(decor::suffix(shown.entry.value.decor())).behind;
        }
        rows.extend(shown.rows);
    }
}

fn without_blank_start(mut lines: Vec<String>) -> Vec<String> {
    if lines.first().is_some_and(String::is_empty) {
        lines.remove(0);
    }
    lines
}

fn without_blank_ends(lines: Vec<String>) -> Vec<String> {
    let mut lines = without_blank_start(lines);
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}
