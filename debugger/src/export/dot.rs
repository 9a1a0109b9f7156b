//! Graphs for Graphviz: nodes in clusters by graph instance, edges styled by kind.
//!
//! Statements are written as events come. A cluster is opened again for each node in it, which Graphviz takes as more of
//! the same one, so that nothing waits for the end. Beside what Graphviz draws, nodes and edges carry attributes of
//! their own (`action`, `count`, `rule`, `kind`, ...) that `dot -Tjson`, `gvpr` and pydot pass on.

use std::io::{self, Write};

use hasse_model::event::{EventRecord, Outcome};
use hasse_model::id::GraphInstanceId;
use hasse_model::quantity::counted;
use hasse_model::table::IdTable;
use hasse_model::trace::{Names, TraceHeader};

use super::edges::{EdgeKind, Edges};
use super::exporter::{ExportError, Exporter};
use super::fold::{Level, Node};
use super::folded::{FoldedExport, title};
use super::wording::{Rules, routes_text, template_name};
use crate::read::Summary;

/// Writes the event history.
pub struct Events<W> {
    out: W,
    rules: Rules,
    edges: Edges,
    begins: Option<String>,
    has_label: IdTable<bool>,
}

impl<W: Write> Events<W> {
    /// Nothing is written yet.
    pub fn new(header: &TraceHeader, rules: Rules, out: W) -> Self {
        let begins = Some(beginning("event history", header));
        Self { out, rules, edges: Edges::of_mode(header.mode), begins, has_label: IdTable::new() }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.begins.take().map_or(Ok(()), |text| self.out.write_all(text.as_bytes()))
    }

    /// Opens the clusters around an action, outermost first; returns how many.
    fn open_clusters(&mut self, event: &EventRecord, names: &Names) -> io::Result<usize> {
        let innermost = names.graph_of(event.id.action).unwrap_or(GraphInstanceId::MAIN);
        let steps = std::iter::successors(Some(innermost), |inner| Some(names.graph(*inner)?.parent));
        let mut steps: Vec<_> = steps.take_while(|step| *step != GraphInstanceId::MAIN).collect();
        steps.reverse();
        for step in &steps {
            let path = names.graph_path(*step).to_string();
            write!(self.out, "subgraph {} {{ ", quoted(&format!("cluster{path}")))?;
            if !std::mem::replace(self.has_label.slot(step.0), true) {
                write!(self.out, "label={}; ", quoted(&path))?;
            }
        }
        Ok(steps.len())
    }
}

impl<W: Write> Exporter for Events<W> {
    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        self.begin()?;
        write!(self.out, "  ")?;
        let n_clusters = self.open_clusters(event, names)?;
        let (number, edges) = self.edges.event(event).map_err(ExportError::inconsistent(names))?;
        let path = names.event(event.id).to_string();
        let words = self.rules.words(event, names);
        let out = &mut self.out;
        write!(out, "e{number} [label={}, action=", quoted(&format!("{path}\n{words}")))?;
        write!(out, "{}, count={}", quoted(&names.action(event.id.action).to_string()), event.id.count)?;
        write!(out, ", template={}, rule={}", quoted(&template_name(event, names)), event.rule)?;
        write!(out, ", routes={}", quoted(&routes_text(event)))?;
        write!(out, ", outcome={}{}", event.outcome.name(), style_of(event.outcome))?;
        if let Some(timing) = event.timing {
            write!(out, ", worker={}, start={}, end={}", timing.worker, timing.start, timing.end)?;
        }
        if let Some(error) = &event.error {
            write!(out, ", error={}, tooltip={}", quoted(error), quoted(error))?;
        }
        write!(out, "]")?;
        (0..n_clusters).try_for_each(|_| write!(out, " }}"))?;
        writeln!(out)?;
        for edge in edges {
            write!(out, "  e{} -> e{number} [kind={}", edge.from_number, edge.kind.name())?;
            if let Some(object) = edge.object {
                write!(out, ", object={}", quoted(&names.object(object).to_string()))?;
            }
            writeln!(out, "{}]", line_of(edge.kind))?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> Result<(), ExportError> {
        self.begin()?;
        writeln!(self.out, "}}")?;
        Ok(self.out.flush()?)
    }
}

/// Writes the elaborated or the program graph, once all events have come.
pub fn folded<W: Write>(header: &TraceHeader, level: Level, out: W) -> FoldedExport<W> {
    FoldedExport::new(out, header.mode, level, beginning(title(level), header), |out, graph, level| {
        for (at, node) in graph.nodes.iter().enumerate() {
            put_node(out, at, node, level)?;
        }
        for edge in &graph.edges {
            let (kind, n_edges) = (edge.kind, edge.n_edges);
            write!(out, "  n{} -> n{} [kind={}, count={n_edges}", edge.source, edge.target, kind.name())?;
            writeln!(out, ", label=\"{n_edges}\"{}]", line_of(kind))?;
        }
        writeln!(out, "}}")?;
        out.flush()
    })
}

fn put_node(out: &mut impl Write, at: usize, node: &Node, level: Level) -> io::Result<()> {
    write!(out, "  ")?;
    // Graph instances nest, so do their clusters; graphs of a program do not.
    let clusters: Vec<&str> = match level {
        Level::Elaborated => {
            let ends = node.graph.match_indices('/').map(|(at, _)| at).skip(1).chain([node.graph.len()]);
            ends.filter(|&end| end > 0).map(|end| &node.graph[..end]).collect()
        }
        Level::Events | Level::Program => {
            Some(&*node.graph).filter(|graph| !graph.is_empty()).into_iter().collect()
        }
    };
    for cluster in &clusters {
        write!(out, "subgraph {} {{ ", quoted(&format!("cluster{cluster}")))?;
        write!(out, "label={}; ", quoted(cluster))?;
    }
    let tally = node.tally;
    let mut label = format!("{}\n{}", node.name, counted(tally.n_events, "event"));
    if level != Level::Elaborated {
        label += &format!(", {}", counted(tally.n_actions, "action"));
    }
    write!(out, "n{at} [label={}, name={}", quoted(&label), quoted(&node.name))?;
    write!(out, ", template={}, events={}", quoted(&node.template), tally.n_events)?;
    write!(out, ", actions={}, failed={}, stopped={}", tally.n_actions, tally.n_failed, tally.n_stopped)?;
    let worst = match (tally.n_failed, tally.n_stopped) {
        (0, 0) => Outcome::Done,
        (0, _) => Outcome::Stopped,
        _ => Outcome::Failed,
    };
    write!(out, "{}]", style_of(worst))?;
    clusters.iter().try_for_each(|_| write!(out, " }}"))?;
    writeln!(out)
}

fn beginning(what: &str, header: &TraceHeader) -> String {
    let title = quoted(&format!("{what} of {}", header.program_path));
    format!(
        "digraph {title} {{\n  graph [label={title}, labelloc=t, fontname=\"sans-serif\"]\n  \
         node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=10]\n  \
         edge [fontname=\"sans-serif\", fontsize=9]\n"
    )
}

fn style_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "",
        Outcome::Failed => ", color=\"#c0392b\", fontcolor=\"#c0392b\", penwidth=2",
        Outcome::Stopped => ", color=\"#7f8c8d\", fontcolor=\"#7f8c8d\", style=\"rounded,dashed\"",
    }
}

fn line_of(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Flow => "",
        EdgeKind::Sequence => ", style=dotted, color=\"#7f8c8d\"",
        EdgeKind::Read | EdgeKind::Write | EdgeKind::Relayed => ", style=dashed, color=\"#2471a3\"",
        EdgeKind::Overwrite => ", style=dashed, color=\"#2471a3\", arrowhead=empty",
    }
}

/// A quoted identifier. A backslash would begin an escape of labels; a line end becomes one.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            letter if letter.is_control() => quoted.push('\u{fffd}'),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
