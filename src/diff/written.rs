use std::fmt::Write;

use hasse_compiler::{
    FieldDifference, GraphDifference, LinkDifference, NodeDifference, Presence, ProgramDifference, Side,
    side_by_side,
};
use serde_json::{Value as Json, json};

/// The difference for a person: a line for each part, below it what is gone (`-`) and what is new (`+`).
pub(super) fn to_text(found: &ProgramDifference) -> String {
    let mut text = String::new();
    if found.is_empty() {
        text.push_str("both programs are the same\n");
    }
    put_fields(&mut text, &found.fields, "");
    for graph in &found.graphs {
        put_graph(&mut text, graph);
    }
    text
}

fn was(old_name: Option<&String>) -> String {
    old_name.map(|name| format!(", was {name}")).unwrap_or_default()
}

fn put_graph(text: &mut String, graph: &GraphDifference) {
    let what = match graph.presence {
        Presence::Changed => String::new(),
        presence => format!(" {}, line {}", presence.name(), graph.line),
    };
    let _ = writeln!(text, "graph {}{what}{}", graph.name, was(graph.old_name.as_ref()));
    put_fields(text, &graph.fields, "  ");
    for node in &graph.nodes {
        put_node(text, node);
    }
    for link in &graph.links {
        put_link(text, link);
    }
    for layout in &graph.layout {
        let what = match (&layout.old, &layout.new) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        let _ = writeln!(text, "  {} {what} in the picture", layout.field);
    }
}

fn put_node(text: &mut String, node: &NodeDifference) {
    let (kind, name) = (node.kind, &node.name);
    let what = match (node.presence, &node.old_name) {
        (Presence::Changed, Some(old)) => format!("renamed, was {old}"),
        (presence, _) => presence.name().to_owned(),
    };
    let moved = if node.is_moved && node.presence == Presence::Changed { ", moved" } else { "" };
    let _ = writeln!(text, "  {kind} {name} {what}{moved}, line {}", node.line);
    put_fields(text, &node.fields, "    ");
}

fn put_link(text: &mut String, link: &LinkDifference) {
    let kind = if link.is_arc { "arc" } else { "share line" };
    let _ = writeln!(text, "  {kind} {}, line {}", link.presence.name(), link.line);
    for (sign, side) in [('-', &link.old), ('+', &link.new)] {
        if let Some((line, _)) = side {
            let _ = writeln!(text, "    {sign} {line}");
        }
    }
}

fn put_fields(text: &mut String, fields: &[FieldDifference], indent: &str) {
    let mut last = None;
    for field in fields {
        if last != Some(&field.field) {
            let _ = writeln!(text, "{indent}{}", field.field);
            last = Some(&field.field);
        }
        let lines = |side: &Option<String>| -> Vec<String> {
            side.iter().flat_map(|side| side.lines().map(str::to_owned)).collect()
        };
        let (old, new) = (lines(&field.old), lines(&field.new));
        for side in side_by_side(&old, &new) {
            let (gone, fresh) = match side {
                Side::Same(..) => (None, None),
                Side::Removed(at) => (old.get(at), None),
                Side::Added(at) => (None, new.get(at)),
                Side::Changed(from, to) => (old.get(from), new.get(to)),
            };
            for (sign, line) in [('-', gone), ('+', fresh)] {
                if let Some(line) = line {
                    let _ = writeln!(text, "{indent}  {sign} {line}");
                }
            }
        }
    }
}

/// The difference as data.
pub(super) fn to_json(found: &ProgramDifference) -> Json {
    json!({
        "same": found.is_empty(),
        "fields": fields_json(&found.fields),
        "graphs": found.graphs.iter().map(graph_json).collect::<Vec<_>>(),
    })
}

fn fields_json(fields: &[FieldDifference]) -> Vec<Json> {
    let field = |field: &FieldDifference| json!({ "field": field.field, "old": field.old, "new": field.new });
    fields.iter().map(field).collect()
}

fn graph_json(graph: &GraphDifference) -> Json {
    json!({
        "graph": graph.name,
        "old_name": graph.old_name,
        "change": graph.presence.name(),
        "line": graph.line,
        "fields": fields_json(&graph.fields),
        "nodes": graph.nodes.iter().map(node_json).collect::<Vec<_>>(),
        "links": graph.links.iter().map(link_json).collect::<Vec<_>>(),
        "layout": fields_json(&graph.layout),
    })
}

fn node_json(node: &NodeDifference) -> Json {
    json!({
        "node": node.name,
        "old_name": node.old_name,
        "kind": node.kind,
        "change": node.presence.name(),
        "moved": node.is_moved,
        "line": node.line,
        "fields": fields_json(&node.fields),
    })
}

fn link_json(link: &LinkDifference) -> Json {
    json!({
        "kind": if link.is_arc { "arc" } else { "share" },
        "change": link.presence.name(),
        "old": link.old.as_ref().map(|(text, _)| text),
        "new": link.new.as_ref().map(|(text, _)| text),
        "line": link.line,
    })
}
