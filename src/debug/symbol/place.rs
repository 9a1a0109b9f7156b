//! Places in a program's text of what the plan does not say the place of: vars and indices.

use std::ops::Range;

use hasse_model::diagnostic::Location;
use toml_edit::{Document, TableLike};

/// Where a key of a unit's table, such as a var in `vars`, is written.
pub(super) fn key(text: &str, graph: &str, unit: &str, section: &str, name: &str) -> Option<Location> {
    let document = Document::parse(text).ok()?;
    let table = unit_table(document.as_table(), graph, unit)?.get(section)?.as_table_like()?;
    // A var may have an index in its name.
    let is_it = |key: &str| key == name || key.split('[').next().map(str::trim) == Some(name);
    let (found, _) = table.iter().find(|(key, _)| is_it(key))?;
    table.get_key_value(found).and_then(|(key, _)| key.span()).map(|span| location(text, span))
}

/// Where an index name of a unit is written.
pub(super) fn index(text: &str, graph: &str, unit: &str, name: &str) -> Option<Location> {
    let document = Document::parse(text).ok()?;
    let names = unit_table(document.as_table(), graph, unit)?.get("index")?.as_array()?;
    let found = names.iter().find(|value| value.as_str() == Some(name))?;
    found.span().map(|span| location(text, span))
}

fn unit_table<'d>(root: &'d dyn TableLike, graph: &str, unit: &str) -> Option<&'d dyn TableLike> {
    let graph = root.get("graph")?.as_table_like()?.get(graph)?.as_table_like()?;
    graph.get("uc")?.as_table_like()?.get(unit)?.as_table_like()
}

fn location(text: &str, span: Range<usize>) -> Location {
    let before = &text[..span.start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Location { start: number(span.start), end: number(span.end), line: number(line), column: number(column) }
}
