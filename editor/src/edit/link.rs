//! Arcs and share lines: adding, changing, removing.

/// The lists of lines, and the ends of a line.
pub(super) mod line;

use hasse_compiler::link_ends;
use toml_edit::{DocumentMut, TableLike};

use super::error::EditError;
use super::tables::graph_mut;
use super::{route, rows};
pub use line::LinkList;
use line::{End, Part};

/// Adds a line such as `A.x[i] -> B[i].y` or `total -- Teller[i].total`: at the end, or, where comments divide the list,
/// behind the last one from the same node. Gives its position.
///
/// # Errors
/// The graph is not there.
pub fn add(document: &mut DocumentMut, graph: &str, list: LinkList, text: &str) -> Result<usize, EditError> {
    let table = graph_mut(document, graph)?;
    let source = |text: &str| link_ends(text).map(|(source, _)| source.node);
    let own = source(text);
    let lines = rows::rows(table, list.key());
    let is_divided = own.is_some() && rows::is_divided(table, list.key());
    let last = lines.iter().rfind(|(_, line)| is_divided && source(line) == own);
    let row = last.map_or(usize::MAX, |(row, _)| row + 1);
    rows::insert(table, &["graph", graph], list.key(), row, text)
}

/// Changes a line.
///
/// # Errors
/// The graph or the line is not there.
pub fn set(
    document: &mut DocumentMut,
    graph: &str,
    list: LinkList,
    row: usize,
    text: &str,
) -> Result<(), EditError> {
    let table = graph_mut(document, graph)?;
    let old = rows::rows(table, list.key()).into_iter().find(|(known, _)| *known == row);
    rows::replace(table, &["graph", graph], list.key(), row, text)?;
    if let Some((_, old)) = old {
        route::line_changed(document, graph, &old, text);
    }
    Ok(())
}

/// Removes a line.
///
/// # Errors
/// The graph or the line is not there.
pub fn remove(document: &mut DocumentMut, graph: &str, list: LinkList, row: usize) -> Result<(), EditError> {
    let table = graph_mut(document, graph)?;
    let old = rows::rows(table, list.key()).into_iter().find(|(known, _)| *known == row);
    rows::remove(table, &["graph", graph], list.key(), row)?;
    if let Some((_, old)) = old {
        route::line_removed(document, graph, &old);
    }
    Ok(())
}

/// Removes all lines of a graph of which an end is for `is_gone`: node and port (empty where the node is one itself).
pub(super) fn remove_where(
    table: &mut dyn TableLike,
    graph: &str,
    ends: End,
    is_gone: impl Fn(&str, &str) -> bool,
) -> Result<(), EditError> {
    for list in LinkList::ALL {
        for (row, line) in rows::rows(table, list.key()).into_iter().rev() {
            if ends.of(&line).iter().any(|end| is_gone(&end.node, &end.port)) {
                rows::remove(table, &["graph", graph], list.key(), row)?;
            }
        }
    }
    Ok(())
}

/// Renames ends in all lines of a graph. `renamed` is given node and port of each end, and gives what is to stand in place
/// of the name that `part` says.
pub(super) fn rename_ends(
    table: &mut dyn TableLike,
    graph: &str,
    part: Part,
    ends: End,
    renamed: impl Fn(&str, &str) -> Option<String>,
) -> Result<(), EditError> {
    for list in LinkList::ALL {
        for (row, line) in rows::rows(table, list.key()) {
            let text = ends.renamed(&line, part, &renamed);
            if text != line {
                rows::replace(table, &["graph", graph], list.key(), row, &text)?;
            }
        }
    }
    Ok(())
}
