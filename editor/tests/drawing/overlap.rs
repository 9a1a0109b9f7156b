//! Nothing of a picture lies on anything else: boxes, wires on boxes, and the texts at wires.

use std::fs;
use std::path::{Path, PathBuf};

use hasse_compiler::LinkKind;
use hasse_editor::drawing::geometry::Rect;
use hasse_editor::drawing::scene::{Layout, Link, Scene};
use hasse_editor::drawing::tidy::tidy;
use proptest::prelude::*;
use toml_edit::DocumentMut;

use crate::{any_graph, graphs, scene_of};

/// Texts next to a link that are always drawn.
fn texts(link: &Link) -> impl Iterator<Item = (&'static str, Rect)> {
    let label = link.label_area.filter(|_| !link.is_label_crowded).map(|area| ("label", area));
    let badge = link.badge_area.filter(|_| !link.is_badge_crowded).map(|area| ("badge", area));
    label.into_iter().chain(badge)
}

fn named(scene: &Scene, idx: usize) -> String {
    let link = &scene.links[idx];
    let name = |place: usize| scene.boxes[place].name.clone();
    format!("{} -> {} (row {})", name(link.source.box_idx), name(link.target.box_idx), link.row)
}

/// Texts that wires run through, a line for each pair. Share lines carry no values, so that nothing is counted at them.
fn crossings(scene: &Scene) -> Vec<String> {
    let mut found = Vec::new();
    for (idx, link) in scene.links.iter().enumerate() {
        let is_seen = |what: &str| what == "label" || link.kind == LinkKind::Arc;
        for (what, text) in texts(link).filter(|(what, _)| is_seen(what)) {
            for (wire_idx, _) in scene.links.iter().enumerate().filter(|(_, wire)| wire.path.meets(text)) {
                found.push(format!("{} through {what} of {}", named(scene, wire_idx), named(scene, idx)));
            }
        }
    }
    found
}

/// What overlaps in a scene, a line for each pair.
fn overlaps(scene: &Scene) -> Vec<String> {
    let mut found = Vec::new();
    for (idx, node) in scene.boxes.iter().enumerate() {
        for other in &scene.boxes[..idx] {
            if node.area.intersects(other.area) {
                found.push(format!("{} on {}", node.name, other.name));
            }
        }
    }
    let named = |idx: usize| named(scene, idx);
    for (idx, link) in scene.links.iter().enumerate() {
        // Who has bent a wire has said where it goes.
        if link.bends.is_empty() {
            for (box_idx, node) in scene.boxes.iter().enumerate() {
                let is_end = box_idx == link.source.box_idx || box_idx == link.target.box_idx;
                if link.path.meets(node.area.grown(if is_end { -1.5 } else { 0.0 })) {
                    found.push(format!("{} through {}", named(idx), node.name));
                }
            }
        }
        for (what, text) in texts(link) {
            for node in &scene.boxes {
                if node.area.overlap(text) > 0.0 {
                    found.push(format!("{what} of {} on {}", named(idx), node.name));
                }
            }
            for (other_idx, other) in scene.links[..idx].iter().enumerate() {
                for (other_what, _) in texts(other).filter(|(_, other)| other.overlap(text) > 0.0) {
                    found.push(format!("{what} of {} on {other_what} of {}", named(idx), named(other_idx)));
                }
            }
        }
        if let [(_, label), (_, badge)] = texts(link).collect::<Vec<_>>()[..]
            && label.overlap(badge) > 0.0
        {
            found.push(format!("label of {} on its badge", named(idx)));
        }
    }
    found
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "hasse") {
            found.push(path);
        }
    }
}

#[test]
fn examples_have_no_overlaps_as_they_are_shipped_and_tidied() {
    let mut paths = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"), &mut paths);
    paths.sort();
    assert!(paths.len() > 20);
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let graphs = graphs(&text);
        let tables: DocumentMut = text.parse().unwrap();
        for graph in &graphs {
            let mut scene = Scene::new(graph, &graphs, &Layout::read(&tables, &graph.name));
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let named_line = |how: &str, line: String| format!("{name} {} {how}: {line}", graph.name);
            found.extend(overlaps(&scene).into_iter().map(|line| named_line("shipped", line)));
            found.extend(crossings(&scene).into_iter().map(|line| named_line("shipped", line)));
            let places = tidy(&scene, None);
            scene.move_boxes(&places);
            scene.settle();
            found.extend(overlaps(&scene).into_iter().map(|line| named_line("tidied", line)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn texts_of_nested_back_arcs_are_next_to_their_wires() {
    let unit = |name: &str| {
        format!(
            "[graph.g.uc.{name}]\nindex = [\"i\"]\nin = {{ a = \"int\", b = \"int\", c = \"int\" }}\n\
             out = {{ x = \"int\", y = \"int\", z = \"int\" }}\n\n"
        )
    };
    let units: String = ["A", "B", "C", "D"].iter().map(|name| unit(name)).collect();
    let arcs = [
        "A[i].x -> B[i].a",
        "B[i].x -> C[i].a",
        "C[i].x -> D[i].a",
        "D[i].y -> A[i - 1].b",
        "C[i].y -> A[i + 1].c",
        "D[i].z -> B[i - 2].c",
        "B[i].y -> A[i - 3].a",
    ];
    let arcs: String = arcs.iter().map(|arc| format!("  \"{arc}\",\n")).collect();
    let mut scene = scene_of(&format!("hasse = 1\n\n[graph.g]\narcs = [\n{arcs}]\n\n{units}"));
    let places = tidy(&scene, None);
    scene.move_boxes(&places);
    scene.settle();
    assert_eq!(overlaps(&scene), [""; 0]);
    let leads_back = |link: &Link| {
        let left = |idx: usize| scene.boxes[idx].area.min.x;
        left(link.target.box_idx) < left(link.source.box_idx)
    };
    let mut n_back = 0;
    for (idx, link) in scene.links.iter().enumerate().filter(|(_, link)| leads_back(link)) {
        assert!(!link.is_label_crowded, "no room for the text of {}", named(&scene, idx));
        let area = link.label_area.unwrap();
        assert!(link.path.meets(area.grown(3.0)), "{} is far from its text {area:?}", named(&scene, idx));
        n_back += 1;
    }
    assert_eq!(n_back, 4);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn tidied_graphs_have_no_overlaps(graph in any_graph(24)) {
        let mut scene = scene_of(&graph.text());
        let places = tidy(&scene, None);
        scene.move_boxes(&places);
        scene.settle();
        let found = overlaps(&scene);
        prop_assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
