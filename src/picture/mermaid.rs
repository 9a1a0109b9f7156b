//! Mermaid, which READMEs on code hosts show as pictures: a subgraph for each graph.

use std::fmt::Write as _;

use super::scene::{Cluster, Node, Scene, Shape, Stroke};

/// The picture as Mermaid.
pub(crate) fn write(scene: &Scene) -> String {
    let mut text = "flowchart LR\n".to_owned();
    for (cluster_idx, cluster) in scene.clusters.iter().enumerate() {
        write_cluster(&mut text, cluster, cluster_idx);
    }
    text.push_str("  classDef start stroke:#1f7a4d,stroke-width:3px\n");
    text.push_str("  classDef stop stroke:#b03a2e,stroke-width:3px\n");
    text.push_str("  classDef missing stroke:#c0392b,stroke-dasharray:4 3\n");
    text
}

fn write_cluster(text: &mut String, cluster: &Cluster, cluster_idx: usize) {
    let id = |node_idx: usize| format!("g{cluster_idx}n{node_idx}");
    let _ = writeln!(text, "  subgraph g{cluster_idx}[{}]", quoted(&cluster.title));
    for (node_idx, node) in cluster.boxes.iter().enumerate() {
        let _ = writeln!(text, "    {}{}{}", id(node_idx), shape(node), class(node));
    }
    for link in &cluster.links {
        let (line, arrow) = match link.stroke {
            Stroke::Arc => ("--", "-->"),
            Stroke::Possible | Stroke::Read => ("-.", ".->"),
            Stroke::Write => ("<-.", ".->"),
        };
        let (source, target) = (id(link.source), id(link.target));
        let _ = match (link.stroke, link.label.is_empty()) {
            (_, false) => writeln!(text, "    {source} {line} {} {arrow} {target}", quoted(&link.label)),
            (Stroke::Arc, true) => writeln!(text, "    {source} --> {target}"),
            (Stroke::Possible | Stroke::Read, true) => writeln!(text, "    {source} -.-> {target}"),
            (Stroke::Write, true) => writeln!(text, "    {source} <-.-> {target}"),
        };
    }
    text.push_str("  end\n");
}

fn shape(node: &Node) -> String {
    let note = if node.note.is_empty() { String::new() } else { format!("<br>{}", node.note) };
    let label = quoted(&format!("{}{note}", node.title));
    match node.shape {
        Shape::Unit | Shape::Missing => format!("({label})"),
        Shape::Shared => format!("[({label})]"),
        Shape::Call => format!("[[{label}]]"),
        Shape::Port => format!(">{label}]"),
    }
}

fn class(node: &Node) -> &'static str {
    match (node.is_start, node.is_stop, node.shape) {
        (true, _, _) => ":::start",
        (_, true, _) => ":::stop",
        (_, _, Shape::Missing) => ":::missing",
        _ => "",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('#', "#35;").replace('"', "#quot;"))
}
