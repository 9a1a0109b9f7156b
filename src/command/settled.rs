//! The program of an executable: what its builder made, with places in the file that it was generated from as long as both say the
//! same.

use std::sync::Arc;

use hasse_runtime::natives::{Natives, PanicPlace, keep_panic_places};
use toml_edit::{Document, DocumentMut, InlineTable, Item, TableLike, Value};

use crate::generate::place;
use crate::message;

/// A node whose body in Rust stands in the program file, and is registered under a name.
struct TextBody {
    graph: String,
    node: String,
    native: String,
}

/// The text that is compiled. Where the builder and the program file say the same, it is that of the file, and native
/// bodies are told as those whose texts stand in it.
///
/// `bodies` is the text of `src/bodies.rs`, whose comments say where its lines come from.
pub(super) fn text(
    (path, source): (&str, &'static str),
    built: String,
    bodies: &'static str,
    natives: &mut Natives,
) -> String {
    if source.is_empty() {
        return built;
    }
    let found = text_bodies(source, &built);
    let changes = match with_natives(source, &found) {
        Some(file) => hasse_compiler::changes(&file, &built),
        None => return built,
    };
    if let Some(first) = changes.first() {
        message::print(&format!(
            "note: `src/program.rs` says something else than {path} ({}): messages name lines of the program as built\n",
            first.what
        ));
        return built;
    }
    keep_panic_places();
    let file = std::path::Path::new(path);
    let file: Arc<str> = crate::generate::bodies::file_name(file).into();
    for TextBody { graph, node, native } in found {
        let file = Arc::clone(&file);
        let place_of = move |panic: &PanicPlace| {
            let is_body = panic.file.ends_with("bodies.rs");
            is_body.then(|| place::in_program(bodies, &file, source, (panic.line, panic.column)))?
        };
        natives.body_of_text(&format!("{graph}.{node}"), &native, place_of);
    }
    source.to_owned()
}

/// Nodes that have a text in Rust in the file, and a native body in what was built.
fn text_bodies(source: &str, built: &str) -> Vec<TextBody> {
    let (Ok(file), Ok(built)) = (Document::parse(source), Document::parse(built)) else { return Vec::new() };
    let mut found = Vec::new();
    for (graph, nodes) in units(file.as_table()) {
        for (node, unit) in nodes {
            let is_text = unit.get("do").and_then(|body| body.get("rust")).is_some();
            let native = || {
                let body = built.get("graph")?.get(&graph)?.get("uc")?.get(&node)?.get("do")?;
                body.get("native")?.as_str().map(str::to_owned)
            };
            if is_text && let Some(native) = native() {
                found.push(TextBody { graph: graph.clone(), node, native });
            }
        }
    }
    found
}

/// The units of each graph of a file.
fn units(root: &dyn TableLike) -> Vec<(String, Vec<(String, &Item)>)> {
    let graphs = root.get("graph").and_then(Item::as_table_like);
    let graphs = graphs.into_iter().flat_map(|graphs| graphs.iter());
    graphs
        .filter_map(|(graph, item)| {
            let units = item.get("uc").and_then(Item::as_table_like)?;
            Some((graph.to_owned(), units.iter().map(|(node, unit)| (node.to_owned(), unit)).collect()))
        })
        .collect()
}

/// The text of the file, with bodies in Rust by their names.
fn with_natives(source: &str, found: &[TextBody]) -> Option<String> {
    let mut file: DocumentMut = source.parse().ok()?;
    for TextBody { graph, node, native } in found {
        let unit = file.get_mut("graph")?.get_mut(graph)?.get_mut("uc")?.get_mut(node)?;
        let body = InlineTable::from_iter([("native", native.as_str())]);
        unit.as_table_like_mut()?.insert("do", Item::Value(Value::InlineTable(body)));
    }
    Some(file.to_string())
}
