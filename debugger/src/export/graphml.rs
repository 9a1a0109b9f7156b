//! GraphML, which networkx, igraph, yEd and Gephi read: nodes and edges with typed attributes.
//!
//! Nodes and edges alternate as events come; every edge stands behind its two nodes. The element structure is that of
//! the GraphML primer (Brandes et al., <http://graphml.graphdrawing.org>).

use std::fmt::Display;
use std::io::{self, Write};

use hasse_model::event::EventRecord;
use hasse_model::trace::{Names, TraceHeader};

use super::edges::Edges;
use super::exporter::{ExportError, Exporter};
use super::fold::Level;
use super::folded::{FoldedExport, title};
use super::wording::{Rules, graph_path, routes_text, template_name};
use crate::read::Summary;

/// Keys of the event history: what has it, name, type.
const EVENT_KEYS: [(&str, &str, &str); 16] = [
    ("node", "event", "string"),
    ("node", "action", "string"),
    ("node", "template", "string"),
    ("node", "graph", "string"),
    ("node", "index", "string"),
    ("node", "count", "long"),
    ("node", "rule", "int"),
    ("node", "rule_text", "string"),
    ("node", "routes", "string"),
    ("node", "outcome", "string"),
    ("node", "error", "string"),
    ("node", "worker", "int"),
    ("node", "start", "long"),
    ("node", "end", "long"),
    ("edge", "kind", "string"),
    ("edge", "object", "string"),
];

/// Keys of the folded graphs.
const FOLDED_KEYS: [(&str, &str, &str); 10] = [
    ("node", "name", "string"),
    ("node", "template", "string"),
    ("node", "graph", "string"),
    ("node", "index", "string"),
    ("node", "actions", "long"),
    ("node", "events", "long"),
    ("node", "failed", "long"),
    ("node", "stopped", "long"),
    ("edge", "kind", "string"),
    ("edge", "count", "long"),
];

/// Writes the event history.
pub struct Events<W> {
    out: W,
    rules: Rules,
    edges: Edges,
    begins: Option<String>,
}

impl<W: Write> Events<W> {
    /// Nothing is written yet.
    pub fn new(header: &TraceHeader, rules: Rules, out: W) -> Self {
        let begins = Some(beginning("event history", header, &EVENT_KEYS));
        Self { out, rules, edges: Edges::of_mode(header.mode), begins }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.begins.take().map_or(Ok(()), |text| self.out.write_all(text.as_bytes()))
    }
}

impl<W: Write> Exporter for Events<W> {
    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        self.begin()?;
        let (number, edges) = self.edges.event(event).map_err(ExportError::inconsistent(names))?;
        let out = &mut self.out;
        let action = event.id.action;
        write!(out, "    <node id=\"e{number}\">")?;
        put(out, "node_event", names.event(event.id))?;
        put(out, "node_action", names.action(action))?;
        put(out, "node_template", template_name(event, names))?;
        put(out, "node_graph", graph_path(event, names))?;
        if let Some(index) = names.index_of(action) {
            put(out, "node_index", index)?;
        }
        put(out, "node_count", event.id.count)?;
        put(out, "node_rule", event.rule)?;
        if let Some(text) = self.rules.text(names.template_of(action), event.rule) {
            put(out, "node_rule_text", text)?;
        }
        put(out, "node_routes", routes_text(event))?;
        put(out, "node_outcome", event.outcome.name())?;
        if let Some(error) = &event.error {
            put(out, "node_error", error)?;
        }
        if let Some(timing) = event.timing {
            put(out, "node_worker", timing.worker)?;
            put(out, "node_start", timing.start)?;
            put(out, "node_end", timing.end)?;
        }
        writeln!(out, "</node>")?;
        for edge in edges {
            write!(out, "    <edge source=\"e{}\" target=\"e{number}\">", edge.from_number)?;
            put(out, "edge_kind", edge.kind.name())?;
            if let Some(object) = edge.object {
                put(out, "edge_object", names.object(object))?;
            }
            writeln!(out, "</edge>")?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> Result<(), ExportError> {
        self.begin()?;
        Ok(end(&mut self.out)?)
    }
}

/// Writes the elaborated or the program graph, once all events have come.
pub fn folded<W: Write>(header: &TraceHeader, level: Level, out: W) -> FoldedExport<W> {
    let beginning = beginning(title(level), header, &FOLDED_KEYS);
    FoldedExport::new(out, header.mode, level, beginning, |out, graph, _| {
        for (at, node) in graph.nodes.iter().enumerate() {
            write!(out, "    <node id=\"n{at}\">")?;
            put(out, "node_name", &node.name)?;
            put(out, "node_template", &node.template)?;
            put(out, "node_graph", &node.graph)?;
            put(out, "node_index", &node.index)?;
            put(out, "node_actions", node.tally.n_actions)?;
            put(out, "node_events", node.tally.n_events)?;
            put(out, "node_failed", node.tally.n_failed)?;
            put(out, "node_stopped", node.tally.n_stopped)?;
            writeln!(out, "</node>")?;
        }
        for edge in &graph.edges {
            write!(out, "    <edge source=\"n{}\" target=\"n{}\">", edge.source, edge.target)?;
            put(out, "edge_kind", edge.kind.name())?;
            put(out, "edge_count", edge.n_edges)?;
            writeln!(out, "</edge>")?;
        }
        end(out)
    })
}

fn beginning(what: &str, header: &TraceHeader, keys: &[(&str, &str, &str)]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        .to_owned();
    for (of, name, kind) in keys {
        text +=
            &format!("  <key id=\"{of}_{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n");
    }
    for name in ["what", "program", "mode"] {
        text += &format!("  <key id=\"{name}\" for=\"graph\" attr.name=\"{name}\" attr.type=\"string\"/>\n");
    }
    text += "  <graph id=\"G\" edgedefault=\"directed\">\n";
    for (name, value) in [("what", what), ("program", &header.program_path), ("mode", header.mode.name())] {
        text += &format!("    <data key=\"{name}\">{}</data>\n", escaped(value));
    }
    text
}

fn end(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  </graph>\n</graphml>")?;
    out.flush()
}

/// Writes an attribute of a node or an edge, by the id of its key.
fn put(out: &mut impl Write, key: &str, value: impl Display) -> io::Result<()> {
    write!(out, "<data key=\"{key}\">{}</data>", escaped(&value.to_string()))
}

/// Character data. What XML 1.0 does not allow is replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            '\r' => escaped.push_str("&#13;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            letter if letter < ' ' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
