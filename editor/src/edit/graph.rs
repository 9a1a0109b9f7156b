//! Graphs of a program.

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::error::EditError;
use super::identifier::check_name;
use super::parts::detach;
use super::tables::{below_mut, graph_mut, new_table, rename_key};
use super::words::fresh;

/// Tables of a graph or unit that hold types of values.
const TYPED: [&str; 3] = ["in", "out", "vars"];

/// The text of a program with one empty graph.
pub fn new_program(main: &str) -> String {
    format!("hasse = 1\nmain  = \"{main}\"\n\n[graph.{main}]\n")
}

/// Adds an empty graph.
///
/// # Errors
/// The name is taken or cannot be one.
pub fn add(document: &mut DocumentMut, name: &str) -> Result<(), EditError> {
    check_name(name)?;
    let graphs = below_mut(document.as_table_mut(), "graph")?;
    if graphs.contains_key(name) {
        return Err(EditError::Taken { name: name.to_owned() });
    }
    graphs.insert(name, Item::Table(new_table()));
    Ok(())
}

/// Copies a graph of another program under a name that is free, with `item` in place of the type `any`. Returns the
/// name.
///
/// # Errors
/// The other program has no such graph, or the graphs of this one have another form than that of the language.
pub fn adopt(
    document: &mut DocumentMut,
    program: &str,
    graph: &str,
    item: Option<&str>,
) -> Result<String, EditError> {
    let program: DocumentMut = program.parse().map_err(|_| EditError::NotReadable)?;
    let missing = || EditError::Missing { what: "graph", name: graph.to_owned() };
    let mut adopted = program.get("graph").and_then(|graphs| graphs.get(graph)).ok_or_else(missing)?.clone();
    detach(&mut adopted);
    if let (Some(item), Some(table)) = (item, adopted.as_table_like_mut()) {
        set_item_type(table, item);
        for (_, unit) in table
            .get_mut("uc")
            .and_then(Item::as_table_like_mut)
            .into_iter()
            .flat_map(|units| units.iter_mut())
        {
            if let Some(unit) = unit.as_table_like_mut() {
                set_item_type(unit, item);
            }
        }
    }
    let graphs = below_mut(document.as_table_mut(), "graph")?;
    let name = fresh(graph, |name| graphs.contains_key(name));
    graphs.insert(&name, adopted);
    Ok(name)
}

/// Replaces the type `any`, also within arrays, where values are declared.
fn set_item_type(table: &mut dyn TableLike, item: &str) {
    for key in TYPED {
        let Some(held) = table.get_mut(key).and_then(Item::as_table_like_mut) else { continue };
        for (_, declared) in held.iter_mut() {
            let Some(brackets) = declared.as_str().and_then(|ty| ty.strip_prefix("any")) else { continue };
            if brackets.is_empty() || brackets.starts_with("[]") {
                let ty = format!("{item}{brackets}");
                if let Some(value) = declared.as_value_mut() {
                    let decor = value.decor().clone();
                    *value = Value::from(ty);
                    *value.decor_mut() = decor;
                }
            }
        }
    }
}

/// Renames a graph: also where it is called, where the program begins, and where it is drawn.
///
/// # Errors
/// The graph is not there, or the new name is taken or cannot be one.
pub fn rename(document: &mut DocumentMut, name: &str, new: &str) -> Result<(), EditError> {
    check_name(new)?;
    graph_mut(document, name)?;
    let graphs = below_mut(document.as_table_mut(), "graph")?;
    if name != new && graphs.contains_key(new) {
        return Err(EditError::Taken { name: new.to_owned() });
    }
    rename_key(graphs, name, new);
    let all: Vec<String> = graphs.iter().map(|(graph, _)| graph.to_owned()).collect();
    for graph in all {
        let calls = graphs.get_mut(&graph).and_then(|graph| graph.get_mut("call"));
        let Some(calls) = calls.and_then(Item::as_table_like_mut) else { continue };
        for (_, call) in calls.iter_mut() {
            if let Some(called) = call.get_mut("graph") {
                replace_text(called, name, new);
            }
        }
    }
    if let Some(main) = document.get_mut("main") {
        replace_text(main, name, new);
    }
    if let Some(layout) = document.get_mut("layout").and_then(Item::as_table_like_mut)
        && layout.contains_key(name)
    {
        rename_key(layout, name, new);
    }
    Ok(())
}

/// Removes a graph; calls of it stay, for the compiler to point at.
///
/// # Errors
/// The graph is not there.
pub fn remove(document: &mut DocumentMut, name: &str) -> Result<(), EditError> {
    graph_mut(document, name)?;
    below_mut(document.as_table_mut(), "graph")?.remove(name);
    if let Some(layout) = document.get_mut("layout").and_then(Item::as_table_like_mut) {
        layout.remove(name);
        if layout.is_empty() {
            document.remove("layout");
        }
    }
    Ok(())
}

fn replace_text(item: &mut Item, text: &str, new: &str) {
    if let Some(value) = item.as_value_mut().filter(|value| value.as_str() == Some(text)) {
        let decor = value.decor().clone();
        *value = Value::from(new);
        *value.decor_mut() = decor;
    }
}
