//! DOT, the language of Graphviz: a cluster for each graph.

use std::fmt::Write as _;

use super::scene::{Cluster, Node, Scene, Shape, Stroke};

/// The picture as DOT.
pub(crate) fn write(scene: &Scene, name: &str) -> String {
    let mut text = format!("digraph {} {{\n", quoted(name));
    text.push_str("  graph [rankdir=LR, fontname=\"Helvetica\", fontsize=13, nodesep=0.4]\n");
    text.push_str("  node [fontname=\"Helvetica\", fontsize=12, style=\"filled\", fillcolor=\"#ffffff\"]\n");
    text.push_str("  edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.7]\n");
    for (cluster_idx, cluster) in scene.clusters.iter().enumerate() {
        write_cluster(&mut text, cluster, cluster_idx);
    }
    text.push_str("}\n");
    text
}

fn write_cluster(text: &mut String, cluster: &Cluster, cluster_idx: usize) {
    let id = |node_idx: usize| quoted(&format!("{}/{}", cluster.name, cluster.boxes[node_idx].name));
    let _ = writeln!(text, "  subgraph cluster_{cluster_idx} {{");
    let _ = writeln!(
        text,
        "    label={}; labeljust=l; style=\"rounded\"; color=\"#9aa4b2\"",
        quoted(&cluster.title)
    );
    for (node_idx, node) in cluster.boxes.iter().enumerate() {
        let label = [&node.title, &node.note].map(String::as_str).join("\n");
        let _ = writeln!(text, "    {} [label={}, {}]", id(node_idx), quoted(label.trim_end()), looks(node));
    }
    for link in &cluster.links {
        let stroke = match link.stroke {
            Stroke::Arc => "",
            Stroke::Possible => ", style=dashed",
            Stroke::Read => ", style=dashed, color=\"#8a6d1f\"",
            Stroke::Write => ", style=dashed, color=\"#8a6d1f\", dir=both",
        };
        let (source, target) = (id(link.source), id(link.target));
        let _ = writeln!(text, "    {source} -> {target} [label={}{stroke}]", quoted(&link.label));
    }
    text.push_str("  }\n");
}

fn looks(node: &Node) -> String {
    let shape = match node.shape {
        Shape::Unit => "shape=box, style=\"rounded,filled\"",
        Shape::Shared => "shape=cylinder, fillcolor=\"#fdf3d7\"",
        Shape::Call => "shape=component, fillcolor=\"#eae6fb\"",
        Shape::Port => "shape=cds, fillcolor=\"#e6eef8\"",
        Shape::Missing => "shape=box, style=dashed, color=\"#c0392b\"",
    };
    let start = if node.is_start { ", penwidth=2.5, color=\"#1f7a4d\"" } else { "" };
    let stop = if node.is_stop { ", peripheries=2" } else { "" };
    format!("{shape}{start}{stop}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
