//! What is drawn of graphs and where: places, hits, layouts and connections, through the crate's interface.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::fmt::Write as _;

use hasse_compiler::{GraphOutline, outline};
use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::drawing::hit::visible;
use hasse_editor::drawing::index::SpatialIndex;
use hasse_editor::drawing::scene::{Layout, PortPlace, Scene};
use hasse_editor::drawing::tidy::tidy;
use hasse_editor::edit::link::LinkList;
use proptest::prelude::*;
use toml_edit::DocumentMut;

/// Ports and types.
#[path = "drawing/connect.rs"]
mod connect;
/// Bends, comments and frames in the file.
#[path = "drawing/edits.rs"]
mod edits;
/// Hits, culling and rubber bands.
#[path = "drawing/hits.rs"]
mod hits;
/// What lies on what.
#[path = "drawing/overlap.rs"]
mod overlap;
/// Boxes in line, and layouts.
#[path = "drawing/tidy.rs"]
mod tidy_boxes;
/// Views and the minimap.
#[path = "drawing/views.rs"]
mod views;

const PROGRAM: &str = r#"hasse = 1
main = "g"

[graph.g]
in = { a = "int" }
out = { "r[k]" = "real" }
arcs = [
  "in.a -> A.a",
  "A.x -> Mult[0].y",
  "Mult[i].on -> Mult[i + 1].y",
  "Mult[i].done[j] -> Sub[j].p[i]",
  "Sub[i].q -> out.r[i]",
  "A.again -> A.a",
  "A.x -> Gone.z",
]
share = ["t -- Mult[i].total", "t -- Sub[i].acct"]

[graph.g.shared.t]
type = "real"

[graph.g.call.Sub]
graph = "h"
index = ["i"]

[graph.g.uc.A]
start = true
in = { a = "int" }
out = { x = "int", again = "int" }

[graph.g.uc.Mult]
index = ["i"]
in = { y = "real" }
out = { on = "real", "done[j]" = "vector" }
shared = { total = "write" }

[graph.h]
in = { "p[j]" = "vector" }
out = { q = "real" }
inout = { acct = "real" }

[layout.g]
"in.a" = [0, 40]
A = [120, 20]   # first
Mult = [300, 0]
Sub = [520, 0]
t = [320, 200]
out.r = [700, 20]
"A.x -> Mult[0].y" = [[260, 100], [280, 140]]  # around
"comment 3" = { at = [0, 300], text = "reads\nand adds" }
"frame 1" = { at = [290, -40], size = [200, 220], title = "Work", color = "green" }
"#;

fn graphs(text: &str) -> Vec<GraphOutline> {
    outline(text).expect("it is TOML")
}

fn scene_of(text: &str) -> Scene {
    let graphs = graphs(text);
    let tables: DocumentMut = text.parse().unwrap();
    Scene::new(&graphs[0], &graphs, &Layout::read(&tables, &graphs[0].name))
}

fn shown_point(point: Point) -> String {
    format!("{:.0},{:.0}", point.x, point.y)
}

fn shown_rect(area: Rect) -> String {
    format!("{} {:.0}x{:.0}", shown_point(area.min), area.width(), area.height())
}

fn shown(scene: &Scene) -> String {
    let mut text = String::new();
    for node in &scene.boxes {
        let placed = if node.is_placed { "" } else { " (put)" };
        let area = shown_rect(node.area);
        let _ = writeln!(text, "{} \"{}\" {:?} at {area}{placed}", node.title(), node.note, node.kind);
        for port in &node.ports {
            let known = if port.is_declared { "" } else { " undeclared" };
            let anchor = shown_point(port.anchor);
            let _ = writeln!(text, "  {:?} `{}` {} at {anchor}{known}", port.edge, port.label, port.ty);
        }
    }
    for link in &scene.links {
        let end = |place: PortPlace| {
            let name = scene.port_name(place).unwrap();
            format!("{}.{}", name.node, name.port)
        };
        let label = link.label_area.map(|area| format!(" \"{}\" at {}", link.label, shown_rect(area)));
        let label = label.unwrap_or_default();
        let (source, target) = (end(link.source), end(link.target));
        let _ = writeln!(text, "{} {} {source} to {target}{label}", link.list.key(), link.row);
        for curve in &link.path.curves {
            let [from, first, second, to] =
                [curve.from, curve.first, curve.second, curve.to].map(shown_point);
            let _ = writeln!(text, "  {from} ({first} {second}) {to}");
        }
    }
    for comment in &scene.comments {
        let _ =
            writeln!(text, "comment {} {:?} at {}", comment.number, comment.text, shown_rect(comment.area));
    }
    for frame in &scene.frames {
        let _ = writeln!(
            text,
            "frame {} {} {} at {}",
            frame.number,
            frame.title,
            frame.color,
            shown_rect(frame.area)
        );
    }
    text
}

#[test]
fn a_graph_is_drawn() {
    let scene = scene_of(PROGRAM);
    insta::assert_snapshot!(shown(&scene));
    assert_eq!(scene.boxes_in(0), [scene.box_named("Mult").unwrap()]);
    assert_eq!(scene.link_at_row(LinkList::Shares, 1), Some(8));
}

#[test]
fn anything_readable_is_drawn() {
    for text in [
        "",
        "[graph.g]\narcs = ['A.x -> A.x', 'A.x -> B', 'in.q -> out.q', 'out.q -> in.q', 't -- A.t']",
        "[graph.g]\nshare = ['A.x -- B.y', 'in.a -- out.b']\n[graph.g.call.C]\ngraph = 'g'",
        "[graph.g.call.C]\n[graph.g.uc.C]\n[graph.g.shared.C]\n[layout.g]\nC = [9223372036854775807, -1e300]",
        "[graph.g.uc.A]\n[layout]\ng = 5",
        "[graph.g]\narcs=['A.x -> B.y']\n[layout.g]\nA = [inf, nan]\n'A.x->B.y' = [[1, 2], [3], 'x']\n'comment x' = 1\n\
         'comment 1' = { text = 'no place' }\n'frame 1' = { at = [0, 0], size = [0, -5] }",
    ] {
        let graphs = graphs(text);
        let tables: DocumentMut = text.parse().unwrap();
        for graph in &graphs {
            let scene = Scene::new(graph, &graphs, &Layout::read(&tables, &graph.name));
            let drawn = shown(&scene);
            assert!(!drawn.contains("NaN") && !drawn.contains("inf "), "{drawn}");
            assert!(scene.frames.is_empty() && scene.comments.is_empty());
            let index = SpatialIndex::new(&scene);
            let all = scene.bounds().unwrap_or_default();
            assert_eq!(visible(&scene, &index, all).boxes.len(), scene.boxes.len());
            tidy(&scene, None);
        }
    }
}

/// A program of one graph with any arcs, loops and parallel ones included, shared objects and bends.
#[derive(Clone, Debug)]
struct AnyGraph {
    n_units: usize,
    arcs: Vec<(usize, usize)>,
    shares: Vec<(usize, usize)>,
    /// Places of the first units; the others have none.
    places: Vec<(i64, i64)>,
    bends: Vec<(usize, i64, i64)>,
}

impl AnyGraph {
    fn text(&self) -> String {
        let n = self.n_units;
        let mut text = "hasse = 1\nmain = 'g'\n[graph.g]\narcs = [\n".to_owned();
        let line = |(source, target): &(usize, usize)| {
            format!("'U{}.out{} -> U{}.in{}'", source % n, target % 2, target % n, source % 3)
        };
        self.arcs.iter().for_each(|arc| text.push_str(&format!("{},\n", line(arc))));
        text.push_str("]\nshare = [\n");
        for (object, user) in &self.shares {
            let _ = writeln!(text, "'s{object} -- U{}.s{object}',", user % n);
        }
        text.push_str("]\n");
        for idx in 0..n {
            let start = if idx == 0 { "start = true\n" } else { "" };
            let _ = writeln!(
                text,
                "[graph.g.uc.U{idx}]\n{start}in = {{ in0 = 'int' }}\nout = {{ out0 = 'int' }}"
            );
        }
        for object in 0..3 {
            let _ = writeln!(text, "[graph.g.shared.s{object}]\ntype = 'int'");
        }
        text.push_str("[layout.g]\n");
        for (idx, (x, y)) in self.places.iter().take(n).enumerate() {
            let _ = writeln!(text, "U{idx} = [{x}, {y}]");
        }
        let mut keys = std::collections::BTreeSet::new();
        for (arc_idx, x, y) in &self.bends {
            if let Some(key) = self.arcs.get(*arc_idx).map(line).filter(|key| keys.insert(key.clone())) {
                let _ = writeln!(text, "{key} = [[{x}, {y}], [{y}, {x}]]");
            }
        }
        text.push_str("'comment 1' = { at = [100, 100], text = 'here' }\n");
        text.push_str("'frame 1' = { at = [-200, -100], size = [900, 700], title = 'all', color = 'red' }\n");
        text
    }
}

fn any_graph(most_units: usize) -> impl Strategy<Value = AnyGraph> {
    (
        1..=most_units,
        prop::collection::vec((0..most_units, 0..most_units), 0..most_units * 2),
        prop::collection::vec((0..3_usize, 0..most_units), 0..8),
        prop::collection::vec((-900..900_i64, -600..600_i64), 0..most_units),
        prop::collection::vec((0..most_units * 2, -900..900_i64, -600..600_i64), 0..6),
    )
        .prop_map(|(n_units, arcs, shares, places, bends)| AnyGraph {
            n_units,
            arcs,
            shares,
            places,
            bends,
        })
}
