//! Programs that the editor carries with it: templates, the shipped examples, and graphs for the palette.

/// A program to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Title as shown.
    pub title: &'static str,
    /// Name of the file in which it would be saved, without extension.
    pub name: &'static str,
    /// Program text.
    pub text: &'static str,
}

/// A shipped example.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Name of its folder and file.
    pub name: &'static str,
    /// One line that says what it shows.
    pub line: &'static str,
    /// Program text.
    pub text: &'static str,
    /// Files that the program reads, by their paths beside it.
    pub files: &'static [(&'static str, &'static [u8])],
}

/// A graph that the palette offers: inserting it copies the graph into the program and adds a call of it.
#[derive(Clone, Copy, Debug)]
pub struct ReadyNode {
    /// Title as shown and searched.
    pub title: &'static str,
    /// Name of the graph in the text.
    pub graph: &'static str,
    /// A program that holds the graph and shows its use.
    pub text: &'static str,
}

impl Template {
    /// One line that says what it shows.
    pub fn line(&self) -> &'static str {
        first_line(self.text)
    }
}

impl ReadyNode {
    /// One line that says what it does.
    pub fn line(&self) -> &'static str {
        first_line(self.text)
    }
}

/// Text of the comment in the first line, without the name before its colon.
fn first_line(text: &'static str) -> &'static str {
    let line = text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
    line.split_once(": ").map_or(line, |(_, line)| line)
}

const fn template(title: &'static str, name: &'static str, text: &'static str) -> Template {
    Template { title, name, text }
}

const fn ready(title: &'static str, graph: &'static str, text: &'static str) -> ReadyNode {
    ReadyNode { title, graph, text }
}

/// Programs to begin with; the empty one is first.
pub const TEMPLATES: [Template; 6] = [
    template("Empty", "program", "# One graph without nodes.\n"),
    template("Pipeline", "pipeline", include_str!("../templates/pipeline.hasse")),
    template("Fork and join", "fork_join", include_str!("../templates/fork_join.hasse")),
    template("Producer and consumer", "shared_object", include_str!("../templates/shared_object.hasse")),
    template("Loop", "loop", include_str!("../templates/loop.hasse")),
    template("Graph within a graph", "called_graph", include_str!("../templates/called_graph.hasse")),
];

/// The shipped examples, by name.
pub const EXAMPLES: &[Example] = &include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// Graphs for the palette, in the order in which they are offered.
pub const READY_NODES: [ReadyNode; 12] = [
    ready("Read lines", "ReadLines", include_str!("../palette/read_lines.hasse")),
    ready("Read CSV", "ReadCsv", include_str!("../palette/read_csv.hasse")),
    ready("Map", "Map", include_str!("../palette/map.hasse")),
    ready("Filter", "Filter", include_str!("../palette/filter.hasse")),
    ready("Fold", "Fold", include_str!("../palette/fold.hasse")),
    ready("Split", "Split", include_str!("../palette/split.hasse")),
    ready("Gather", "Gather", include_str!("../palette/gather.hasse")),
    ready("Merge in order", "MergeInOrder", include_str!("../palette/merge_in_order.hasse")),
    ready("Batch", "Batch", include_str!("../palette/batch.hasse")),
    ready("Plot", "Plot", include_str!("../palette/plot.hasse")),
    ready("Print", "Print", include_str!("../palette/print.hasse")),
    ready("Write lines", "WriteLines", include_str!("../palette/write_lines.hasse")),
];

/// The ready node of a graph's name.
pub fn ready_node(graph: &str) -> Option<&'static ReadyNode> {
    READY_NODES.iter().find(|node| node.graph == graph)
}
