//! Bends of links: points that an arc or share line is drawn through, in `[layout.G]`.
//!
//! The key is the line itself, `"A.x[i] -> B[i].y" = [[200, 100], [240, 120]]`: a person who reads the file sees what
//! is meant. The key follows the line when a node or port in it is renamed or the line is changed, and goes with it.
//! Spacing does not count, so that formatting the file loses nothing.

use hasse_compiler::{EndOutline, link_ends};
use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use super::error::EditError;
use super::link::line::{End, LinkList, Part};
use super::place::{self, Position, array_position, position_value, put};
use super::rows;
use super::tables::{graph_mut, rename_key};

/// A line with the points it is drawn through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The line as the layout has it; compare by [`is_line`].
    pub line: String,
    /// From the source to the target.
    pub bends: Vec<Position>,
}

/// Whether two lines are the same but for spacing.
pub fn is_line(one: &str, other: &str) -> bool {
    let letters = |line: &'_ str| line.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    letters(one) == letters(other)
}

/// The bends of all lines of a graph, in the order of the file.
pub fn routes(document: &DocumentMut, graph: &str) -> Vec<Route> {
    let entries = place::entries(document, graph);
    entries
        .filter_map(|(line, item)| Some(Route { line: line.to_owned(), bends: bends_of(line, item)? }))
        .collect()
}

fn bends_of(line: &str, item: &Item) -> Option<Vec<Position>> {
    link_ends(line)?;
    let points = item.as_array()?.iter();
    Some(points.filter_map(|point| point.as_array().and_then(array_position)).collect())
}

/// The line at a position.
fn line_at(document: &mut DocumentMut, graph: &str, list: LinkList, row: usize) -> Result<String, EditError> {
    let lines = rows::rows(graph_mut(document, graph)?, list.key());
    let line = lines.into_iter().find(|(known, _)| *known == row).map(|(_, line)| line);
    line.ok_or_else(|| EditError::NoRow { key: list.key().to_owned(), row })
}

/// The bends of a line, from its source to its target.
///
/// # Errors
/// The graph or the line is not there.
pub fn bends(
    document: &mut DocumentMut,
    graph: &str,
    list: LinkList,
    row: usize,
) -> Result<Vec<Position>, EditError> {
    let line = line_at(document, graph, list, row)?;
    let route = routes(document, graph).into_iter().find(|route| is_line(&route.line, &line));
    Ok(route.map(|route| route.bends).unwrap_or_default())
}

/// Sets the bends of a line; with none, it is drawn as if there never were any.
///
/// # Errors
/// The graph or the line is not there, or `layout` has another form than that of the language.
pub fn set_bends(
    document: &mut DocumentMut,
    graph: &str,
    list: LinkList,
    row: usize,
    bends: &[Position],
) -> Result<(), EditError> {
    let line = line_at(document, graph, list, row)?;
    let known = routes(document, graph).into_iter().find(|route| is_line(&route.line, &line));
    if known.as_ref().map_or(&[][..], |route| &route.bends) == bends {
        return Ok(());
    }
    let key = known.map_or(line, |route| route.line);
    if bends.is_empty() {
        place::forget(document, graph, &key);
        return Ok(());
    }
    let points: Array = bends.iter().map(|bend| position_value(*bend)).collect();
    put(place::table_mut(document, graph)?, &key, Value::Array(points));
    Ok(())
}

/// Puts a bend into a line, before the one at a place; behind all where there are not so many.
///
/// # Errors
/// As for [`set_bends`].
pub fn add_bend(
    document: &mut DocumentMut,
    graph: &str,
    list: LinkList,
    row: usize,
    place: usize,
    bend: Position,
) -> Result<(), EditError> {
    let mut held = bends(document, graph, list, row)?;
    held.insert(place.min(held.len()), bend);
    set_bends(document, graph, list, row, &held)
}

/// Moves a bend.
///
/// # Errors
/// As for [`set_bends`], or the line has no such bend.
pub fn move_bend(
    document: &mut DocumentMut,
    graph: &str,
    list: LinkList,
    row: usize,
    place: usize,
    to: Position,
) -> Result<(), EditError> {
    let mut held = bends(document, graph, list, row)?;
    *held.get_mut(place).ok_or_else(|| missing(place))? = to;
    set_bends(document, graph, list, row, &held)
}

/// Removes a bend.
///
/// # Errors
/// As for [`move_bend`].
pub fn remove_bend(
    document: &mut DocumentMut,
    graph: &str,
    list: LinkList,
    row: usize,
    place: usize,
) -> Result<(), EditError> {
    let mut held = bends(document, graph, list, row)?;
    if place >= held.len() {
        return Err(missing(place));
    }
    held.remove(place);
    set_bends(document, graph, list, row, &held)
}

fn missing(place: usize) -> EditError {
    EditError::Missing { what: "bend", name: place.to_string() }
}

/// Removes the bends of lines that the graph does not have: what a text edited by hand leaves behind. Tells how many.
pub fn prune(document: &mut DocumentMut, graph: &str) -> usize {
    let lines = lines(document, graph);
    let is_stray = |route: &Route| !lines.iter().any(|line| is_line(line, &route.line));
    let stray: Vec<Route> = routes(document, graph).into_iter().filter(is_stray).collect();
    stray.iter().for_each(|route| place::forget(document, graph, &route.line));
    stray.len()
}

/// All lines of a graph.
fn lines(document: &mut DocumentMut, graph: &str) -> Vec<String> {
    let Ok(table) = graph_mut(document, graph) else { return Vec::new() };
    let table: &dyn TableLike = table;
    LinkList::ALL.iter().flat_map(|list| rows::rows(table, list.key())).map(|(_, line)| line).collect()
}

/// A line is another one now.
pub(super) fn line_changed(document: &mut DocumentMut, graph: &str, old: &str, new: &str) {
    if is_line(old, new) || lines(document, graph).iter().any(|line| is_line(line, old)) {
        return;
    }
    follow(document, graph, |line| is_line(line, old).then(|| new.to_owned()));
}

/// A line is gone.
pub(super) fn line_removed(document: &mut DocumentMut, graph: &str, old: &str) {
    if !lines(document, graph).iter().any(|line| is_line(line, old)) {
        forget_where(document, graph, |line| is_line(line, old));
    }
}

/// Ends of lines have other names: as [`rename_ends`](super::link::rename_ends).
pub(super) fn rename_ends(
    document: &mut DocumentMut,
    graph: &str,
    part: Part,
    ends: End,
    renamed: impl Fn(&str, &str) -> Option<String>,
) {
    follow(document, graph, |line| Some(ends.renamed(line, part, &renamed)).filter(|new| new != line));
}

/// Lines with an end for which `is_gone` holds are gone: as [`remove_where`](super::link::remove_where).
pub(super) fn remove_where(
    document: &mut DocumentMut,
    graph: &str,
    ends: End,
    is_gone: impl Fn(&str, &str) -> bool,
) {
    let end_is_gone = |end: &EndOutline| is_gone(&end.node, &end.port);
    forget_where(document, graph, |line| ends.of(line).iter().any(end_is_gone));
}

fn follow(document: &mut DocumentMut, graph: &str, renamed: impl Fn(&str) -> Option<String>) {
    let known = routes(document, graph);
    let Some(table) = place::graph_mut(document, graph) else { return };
    for Route { line, .. } in known {
        if let Some(new) = renamed(&line) {
            // Bends that no line had any more give way.
            table.remove(&new);
            rename_key(table, &line, &new);
        }
    }
}

fn forget_where(document: &mut DocumentMut, graph: &str, is_gone: impl Fn(&str) -> bool) {
    for route in routes(document, graph).into_iter().filter(|route| is_gone(&route.line)) {
        place::forget(document, graph, &route.line);
    }
}
