//! What is drawn of graphs and where: places, hits, layouts and connections, through the crate's interface.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::fmt::Write as _;

use hasse_compiler::{GraphOutline, PortKind, outline};
use hasse_editor::document::Document;
use hasse_editor::drawing::arrange::{Align, Distribute, GRID, aligned, distributed, snapped};
use hasse_editor::drawing::color::{DARK_PAPER, LIGHT_PAPER, Rgb, Shape, type_token};
use hasse_editor::drawing::connect::{PortName, may_connect};
use hasse_editor::drawing::geometry::{Cubic, Path, Point, Rect};
use hasse_editor::drawing::hit::{Band, Hit, TOLERANCE, Things, banded, hit, port_radius, visible};
use hasse_editor::drawing::index::SpatialIndex;
use hasse_editor::drawing::measure::{PORT_RADIUS, TITLE_HEIGHT};
use hasse_editor::drawing::minimap::Minimap;
use hasse_editor::drawing::scene::{Layout, PortPlace, Scene};
use hasse_editor::drawing::tidy::tidy;
use hasse_editor::drawing::view::{MAX_ZOOM, MIN_ZOOM, View};
use hasse_editor::edit::link::{self, LinkList};
use hasse_editor::edit::note::{self, Frame};
use hasse_editor::edit::port::{self, Side};
use hasse_editor::edit::{EditError, graph, node, place, route};
use hasse_model::function::FunctionTable;
use proptest::prelude::*;
use toml_edit::DocumentMut;

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
        let _ = writeln!(text, "comment {} {:?} at {}", comment.number, comment.text, shown_rect(comment.area));
    }
    for frame in &scene.frames {
        let _ = writeln!(text, "frame {} {} {} at {}", frame.number, frame.title, frame.color, shown_rect(frame.area));
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

// ---------------------------------------------------------------------------------------------------------------- edits

/// Lines that are gone and lines that are new; the text formatted has the same layout.
fn edited(edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> String {
    let mut document = Document::new(PROGRAM);
    document.edit("edit", edit).unwrap();
    let text = document.text().to_owned();
    let formatted = hasse_compiler::format(&text).unwrap();
    let read = |text: &str| Layout::read(&text.parse().unwrap(), "g");
    assert_eq!(read(&formatted), read(&text), "{formatted}");
    document.undo();
    assert_eq!(document.text(), PROGRAM);
    let diff = similar::TextDiff::from_lines(PROGRAM, &text);
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

fn refused(edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> String {
    Document::new(PROGRAM).edit("edit", edit).unwrap_err().to_string()
}

fn a_frame(number: u64) -> Frame {
    Frame { number, at: [0, 0], size: [300, 200], title: "Reads \"a\"".to_owned(), color: "blue".to_owned() }
}

#[test]
fn bends_comments_and_frames_are_edited() {
    const ARCS: LinkList = LinkList::Arcs;
    let changes = [
        edited(|tables| route::add_bend(tables, "g", ARCS, 1, 1, [270, 120])),
        edited(|tables| route::move_bend(tables, "g", ARCS, 1, 0, [1, 2])),
        edited(|tables| route::remove_bend(tables, "g", ARCS, 1, 1)),
        edited(|tables| route::set_bends(tables, "g", ARCS, 1, &[])),
        edited(|tables| route::set_bends(tables, "g", ARCS, 1, &[[260, 100], [280, 140]])),
        edited(|tables| route::add_bend(tables, "g", LinkList::Shares, 0, 9, [5, 6])),
        edited(|tables| note::add_comment(tables, "g", [7, 8], "two\nlines").map(drop)),
        edited(|tables| note::add_comment(tables, "h", [7, 8], "x").map(drop)),
        edited(|tables| note::set_comment(tables, "g", 3, "writes")),
        edited(|tables| note::move_comment(tables, "g", 3, [9, 9])),
        edited(|tables| note::remove_comment(tables, "g", 3)),
        edited(|tables| note::add_frame(tables, "g", &a_frame(0)).map(drop)),
        edited(|tables| note::set_frame(tables, "g", &a_frame(1))),
        edited(|tables| note::move_frame(tables, "g", 1, [9, 9])),
        edited(|tables| note::remove_frame(tables, "g", 1)),
        refused(|tables| route::add_bend(tables, "g", ARCS, 70, 0, [0, 0])),
        refused(|tables| route::add_bend(tables, "z", ARCS, 0, 0, [0, 0])),
        refused(|tables| route::move_bend(tables, "g", ARCS, 1, 2, [0, 0])),
        refused(|tables| route::remove_bend(tables, "g", ARCS, 0, 0)),
        refused(|tables| note::set_comment(tables, "g", 1, "x")),
        refused(|tables| note::move_comment(tables, "h", 1, [0, 0])),
        refused(|tables| note::remove_comment(tables, "g", 1)),
        refused(|tables| note::set_frame(tables, "g", &a_frame(2))),
        refused(|tables| note::move_frame(tables, "g", 2, [0, 0])),
        refused(|tables| note::remove_frame(tables, "g", 2)),
    ];
    insta::assert_snapshot!(changes.join("\n"));
}

#[test]
fn bends_follow_their_line() {
    let changes = [
        edited(|tables| node::rename(tables, "g", "Mult", "Times")),
        edited(|tables| port::rename(tables, "g", "A", Side::Output, "x", "first")),
        edited(|tables| link::set(tables, "g", LinkList::Arcs, 1, "A.x -> Mult[1].y")),
        edited(|tables| link::set(tables, "g", LinkList::Arcs, 1, "A.x  ->  Mult[0].y")),
        edited(|tables| link::remove(tables, "g", LinkList::Arcs, 1)),
        edited(|tables| node::remove(tables, "g", &["A"])),
        edited(|tables| port::remove(tables, "g", "A", Side::Output, "x")),
        edited(|tables| graph::rename(tables, "g", "k")),
        edited(|tables| {
            tables["graph"]["g"].as_table_mut().unwrap().remove("arcs");
            assert_eq!(route::prune(tables, "g"), 1);
            assert_eq!(route::prune(tables, "g"), 0);
            Ok(())
        }),
    ];
    insta::assert_snapshot!(changes.join("\n"));
}

#[test]
fn bends_of_equal_lines_stay_with_the_one_that_is_left() {
    let text = "[graph.g]\narcs = ['A.x -> B.y', 'A.x->B.y']\n[layout.g]\n'A.x -> B.y' = [[1, 2]]\n";
    let mut tables: DocumentMut = text.parse().unwrap();
    link::remove(&mut tables, "g", LinkList::Arcs, 0).unwrap();
    assert_eq!(route::bends(&mut tables, "g", LinkList::Arcs, 0), Ok(vec![[1, 2]]));
    link::set(&mut tables, "g", LinkList::Arcs, 0, "A.x -> C.y").unwrap();
    assert_eq!(route::bends(&mut tables, "g", LinkList::Arcs, 0), Ok(vec![[1, 2]]));
    link::remove(&mut tables, "g", LinkList::Arcs, 0).unwrap();
    assert!(!tables.to_string().contains("layout"), "{tables}");
}

#[test]
fn formal_ports_have_places_as_keys_and_as_tables() {
    let tables: DocumentMut = PROGRAM.parse().unwrap();
    let names: Vec<String> = place::positions(&tables, "g").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["in.a", "A", "Mult", "Sub", "t", "out.r"]);
}

#[test]
fn formal_ports_in_a_table_are_moved_renamed_and_removed_there() {
    let changes = [
        edited(|tables| place::set(tables, "g", &[("out.r", [1, 2])])),
        edited(|tables| node::rename(tables, "g", "out.r", "s")),
        edited(|tables| node::remove(tables, "g", &["out.r"])),
    ];
    insta::assert_snapshot!(changes.join("\n"));
}

// ------------------------------------------------------------------------------------------------------ random programs

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
        self.arcs.iter().for_each(|arc| drop(writeln!(text, "{},", line(arc))));
        text.push_str("]\nshare = [\n");
        for (object, user) in &self.shares {
            let _ = writeln!(text, "'s{object} -- U{}.s{object}',", user % n);
        }
        text.push_str("]\n");
        for idx in 0..n {
            let start = if idx == 0 { "start = true\n" } else { "" };
            let _ = writeln!(text, "[graph.g.uc.U{idx}]\n{start}in = {{ in0 = 'int' }}\nout = {{ out0 = 'int' }}");
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

fn any_graph(most_units: usize, are_placed: bool) -> impl Strategy<Value = AnyGraph> {
    let n_places = if are_placed { most_units..most_units + 1 } else { 0..most_units };
    (
        1..=most_units,
        prop::collection::vec((0..most_units, 0..most_units), 0..most_units * 2),
        prop::collection::vec((0..3_usize, 0..most_units), 0..8),
        prop::collection::vec((-900..900_i64, -600..600_i64), n_places),
        prop::collection::vec((0..most_units * 2, -900..900_i64, -600..600_i64), 0..6),
    )
        .prop_map(|(n_units, arcs, shares, places, bends)| AnyGraph { n_units, arcs, shares, places, bends })
}

// ------------------------------------------------------------------------------------------------ hits, culling, banding

/// What [`hit`] has to give, by looking at everything.
fn hit_by_all(scene: &Scene, at: Point, zoom: f64) -> Option<Hit> {
    let nearest = |found: Vec<(f64, Hit)>, most: f64| {
        let within = found.into_iter().filter(|(distance, _)| *distance <= most);
        // Of equal ones the last.
        within.reduce(|best, next| if next.0 <= best.0 { next } else { best }).map(|(_, hit)| hit)
    };
    let top = (0..scene.boxes.len()).filter(|&idx| scene.boxes[idx].area.contains(at)).max();
    let mut ports = Vec::new();
    for box_idx in (0..scene.boxes.len()).filter(|&idx| Some(idx) >= top) {
        for (port_idx, port) in scene.boxes[box_idx].ports.iter().enumerate() {
            ports.push((port.anchor.distance(at), Hit::Port(PortPlace { box_idx, port_idx })));
        }
    }
    let tolerance = TOLERANCE / zoom;
    let box_hit = top.map(|idx| {
        let is_title = at.y - scene.boxes[idx].area.min.y <= TITLE_HEIGHT;
        if is_title { Hit::Title(idx) } else { Hit::Box(idx) }
    });
    let mut bends = Vec::new();
    let mut links = Vec::new();
    for (link_idx, link) in scene.links.iter().enumerate() {
        for (bend_idx, bend) in link.bends.iter().enumerate() {
            bends.push((bend.distance(at), Hit::Bend { link_idx, bend_idx }));
        }
        let is_label = link.label_area.is_some_and(|area| area.contains(at));
        links.push((if is_label { 0.0 } else { link.path.distance(at) }, Hit::Link(link_idx)));
    }
    nearest(ports, port_radius(zoom))
        .or(box_hit)
        .or_else(|| nearest(bends, tolerance))
        .or_else(|| nearest(links, tolerance))
        .or_else(|| scene.comments[0].area.contains(at).then_some(Hit::Comment(0)))
        .or_else(|| {
            let area = scene.frames[0].area;
            let is_at = |edge: f64, value: f64| (edge - value).abs() <= tolerance;
            let sides = [
                is_at(area.min.x, at.x),
                is_at(area.min.y, at.y),
                is_at(area.max.x, at.x),
                is_at(area.max.y, at.y),
            ];
            let is_near = area.grown(tolerance).contains(at);
            let edge = sides.contains(&true).then_some(Hit::FrameEdge { frame_idx: 0, sides });
            let title = (at.y - area.min.y <= 22.0).then_some(Hit::FrameTitle(0));
            edge.or(title).filter(|_| is_near)
        })
}

fn banded_by_all(scene: &Scene, area: Rect, band: Band) -> Things {
    let takes = |own: Rect| if band == Band::Touch { area.intersects(own) } else { area.contains_rect(own) };
    let takes_path = |path: &Path| {
        let mut points = path.curves.iter().flat_map(|curve| curve.points());
        match band {
            Band::Touch => path.curves.iter().any(|curve| {
                let points: Vec<Point> = curve.points().collect();
                points.windows(2).any(|pair| area.meets_segment(pair[0], pair[1]))
            }),
            Band::Contain => points.all(|point| area.contains(point)),
        }
    };
    let frame = scene.frames[0].area;
    let is_inside = frame.grown(-1e-9).contains_rect(area) && frame.min != area.min && frame.max != area.max;
    let takes_frame = takes(frame) && !(is_inside && band == Band::Touch);
    Things {
        boxes: (0..scene.boxes.len()).filter(|&idx| takes(scene.boxes[idx].area)).collect(),
        links: (0..scene.links.len()).filter(|&idx| takes_path(&scene.links[idx].path)).collect(),
        comments: if takes(scene.comments[0].area) { vec![0] } else { Vec::new() },
        frames: if takes_frame { vec![0] } else { Vec::new() },
    }
}

/// Points that are worth a look: of the scene's own things and elsewhere.
fn probes(scene: &Scene, more: &[(f64, f64)]) -> Vec<Point> {
    let mut probes: Vec<Point> = more.iter().map(|(x, y)| Point::new(*x, *y)).collect();
    for (idx, (dx, dy)) in more.iter().enumerate() {
        let near = Point::new(dx / 100.0, dy / 100.0);
        let node = &scene.boxes[idx % scene.boxes.len()];
        probes.push(node.area.min.shifted(near));
        probes.extend(node.ports.first().map(|port| port.anchor.shifted(near)));
        if let Some(curve) = scene.links.get(idx).and_then(|link| link.path.curves.first()) {
            probes.push(curve.at(0.3).shifted(near));
            probes.push(curve.to.shifted(near));
        }
        probes.push(scene.frames[0].area.min.shifted(near));
        probes.push(scene.comments[0].area.center().shifted(near));
    }
    probes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_hit_banded_and_visible_is_what_looking_at_all_gives(
        graph in any_graph(24, false),
        points in prop::collection::vec((-1200.0..1200.0, -900.0..900.0), 12),
        zoom in 0.1..3.0_f64,
        moves in prop::collection::vec((0..27_usize, -900..900_i64, -600..600_i64), 0..5),
    ) {
        let mut scene = scene_of(&graph.text());
        let mut index = SpatialIndex::new(&scene);
        let moves: Vec<(usize, [i64; 2])> =
            moves.into_iter().filter(|(idx, ..)| *idx < scene.boxes.len()).map(|(idx, x, y)| (idx, [x, y])).collect();
        for round in 0..2 {
            for at in probes(&scene, &points) {
                prop_assert_eq!(hit(&scene, &index, at, zoom), hit_by_all(&scene, at, zoom), "{:?}", at);
            }
            for pair in points.windows(2) {
                let corner = |(x, y): (f64, f64)| Point::new(x, y);
                let area = Rect::spanned(corner(pair[0]), corner(pair[1]));
                for band in [Band::Touch, Band::Contain] {
                    prop_assert_eq!(banded(&scene, &index, area, band), banded_by_all(&scene, area, band));
                }
                // Nothing that has a point in the part is left out, nothing far away is in.
                let seen = visible(&scene, &index, area);
                let touched = banded_by_all(&scene, area, Band::Touch);
                prop_assert!(touched.boxes.iter().all(|idx| seen.boxes.contains(idx)));
                prop_assert!(touched.links.iter().all(|idx| seen.links.contains(idx)));
                prop_assert!(touched.comments.iter().all(|idx| seen.comments.contains(idx)));
                prop_assert!(touched.frames.iter().all(|idx| seen.frames.contains(idx)));
                let around = area.grown(PORT_RADIUS);
                prop_assert!(seen.boxes.iter().all(|&idx| scene.boxes[idx].area.intersects(around)));
                for (link_idx, link) in scene.links.iter().enumerate() {
                    let label = link.label_area.is_some_and(|label| label.intersects(area));
                    prop_assert!(!label || seen.links.contains(&link_idx));
                    let is_far = link.path.bounds().is_some_and(|bounds| !bounds.intersects(around));
                    prop_assert!(!(is_far && seen.links.contains(&link_idx)) || label);
                }
            }
            if round == 0 {
                let links = scene.move_boxes(&moves);
                let boxes: Vec<usize> = moves.iter().map(|(idx, _)| *idx).collect();
                index.update(&scene, &boxes, &links);
            }
        }
        // What was moved is drawn as if it had always been there.
        let mut anew = scene.clone();
        let all: Vec<(usize, [i64; 2])> = scene.boxes.iter().enumerate()
            .map(|(idx, node)| (idx, [node.area.min.x as i64, node.area.min.y as i64])).collect();
        anew.move_boxes(&all);
        prop_assert_eq!(anew, scene);
    }

    #[test]
    fn pieces_hold_their_curve_and_distances_are_those_of_its_points(
        numbers in prop::array::uniform10(-500.0..500.0_f64),
    ) {
        let point = |idx: usize| Point::new(numbers[idx], numbers[idx + 1]);
        let curve = Cubic { from: point(0), first: point(2), second: point(4), to: point(6) };
        let path = Path { curves: vec![curve] };
        let pieces: Vec<Rect> = curve.piece_bounds().map(|piece| piece.grown(1e-9)).collect();
        let mut least = f64::INFINITY;
        for step in 0..=2000 {
            let place = f64::from(step) / 2000.0;
            let on_it = curve.at(place);
            let piece = pieces[((place * pieces.len() as f64) as usize).min(pieces.len() - 1)];
            prop_assert!(piece.contains(on_it), "{:?} {:?}", place, piece);
            least = least.min(on_it.distance(point(8)));
        }
        // The straight lines are off by less than half of what a person may miss by.
        prop_assert!((path.distance(point(8)) - least).abs() < TOLERANCE / 2.0);
        prop_assert_eq!(curve.at(0.0), curve.from);
    }

    // ------------------------------------------------------------------------------------------------------------ views

    #[test]
    fn views_go_there_and_back(
        origin in (-1e5..1e5_f64, -1e5..1e5_f64),
        zoom in 0.001..100.0_f64,
        cursor in (0.0..2000.0_f64, 0.0..2000.0_f64),
        steps in prop::collection::vec((0.2..5.0_f64, -500.0..500.0_f64, -500.0..500.0_f64), 0..6),
    ) {
        let is_near = |one: Point, other: Point| one.distance(other) < 1e-6;
        let cursor = Point::new(cursor.0, cursor.1);
        let mut view = View::new(Point::new(origin.0, origin.1), zoom);
        for (factor, x, y) in steps {
            let held = view.world_from_screen(cursor);
            view.zoom_at(cursor, factor);
            prop_assert!(is_near(view.world_from_screen(cursor), held));
            view.pan(Point::new(x, y));
            prop_assert!(is_near(view.screen_from_world(held), cursor.shifted(Point::new(x, y))));
            prop_assert!((MIN_ZOOM..=MAX_ZOOM).contains(&view.zoom()));
            prop_assert!(is_near(view.world_from_screen(view.screen_from_world(held)), held));
            let spot = view.screen_from_world(view.world_from_screen(cursor));
            prop_assert!(is_near(spot, cursor));
        }
    }

    #[test]
    fn what_is_fitted_is_seen_whole(
        corner in (-1e4..1e4_f64, -1e4..1e4_f64),
        size in (0.0..9000.0_f64, 0.0..9000.0_f64),
        canvas in (500.0..3000.0_f64, 500.0..3000.0_f64),
    ) {
        let bounds = Rect::new(corner.0, corner.1, size.0, size.1);
        let canvas = Point::new(canvas.0, canvas.1);
        let view = View::fit(bounds, canvas, 20.0);
        let drawn = view.screen_rect_from_world(bounds);
        prop_assert!(drawn.center().distance(Rect::new(0.0, 0.0, canvas.x, canvas.y).center()) < 1e-6);
        if view.zoom() > MIN_ZOOM {
            let room = Rect::new(0.0, 0.0, canvas.x, canvas.y).grown(-20.0 + 1e-6);
            prop_assert!(room.contains_rect(drawn));
            let fills = (drawn.width() - room.width()).abs() < 1e-3 || (drawn.height() - room.height()).abs() < 1e-3;
            prop_assert!(fills || view.zoom() == 1.0);
            prop_assert!(view.visible(canvas).contains_rect(bounds));
        }
    }

    #[test]
    fn the_minimap_holds_all_and_leads_back(graph in any_graph(12, false), at in (-900.0..900.0_f64, -900.0..900.0_f64)) {
        let scene = scene_of(&graph.text());
        let map_area = Rect::new(10.0, 20.0, 200.0, 120.0);
        let seen = Rect::new(at.0, at.1, 800.0, 600.0);
        let map = Minimap::new(&scene, seen, map_area);
        let room = map_area.grown(1e-6);
        prop_assert!(map.boxes(&scene).into_iter().all(|area| room.contains_rect(area)));
        prop_assert!(room.contains_rect(map.map_rect_from_world(seen)));
        let point = Point::new(at.0, at.1);
        prop_assert!(map.world_from_map(map.map_from_world(point)).distance(point) < 1e-6);
    }

    // --------------------------------------------------------------------------------------------------------- arranging

    #[test]
    fn boxes_come_in_line(
        boxes in prop::collection::vec((-500..500_i64, -500..500_i64, 1..20_i64, 1..20_i64), 1..9),
    ) {
        let boxes: Vec<Rect> = boxes
            .into_iter()
            .map(|(x, y, width, height)| Rect::new(x as f64, y as f64, 20.0 * width as f64, 20.0 * height as f64))
            .collect();
        let moved = |positions: Vec<[i64; 2]>| -> Vec<Rect> {
            let at = |(area, [x, y]): (&Rect, [i64; 2])| Rect::new(x as f64, y as f64, area.width(), area.height());
            boxes.iter().zip(positions).map(at).collect()
        };
        let all = boxes.iter().copied().reduce(Rect::union).unwrap();
        for align in Align::ALL {
            let line = |area: &Rect| match align {
                Align::Left => area.min.x,
                Align::Center => area.center().x,
                Align::Right => area.max.x,
                Align::Top => area.min.y,
                Align::Middle => area.center().y,
                Align::Bottom => area.max.y,
            };
            for (area, old) in moved(aligned(&boxes, align)).iter().zip(&boxes) {
                prop_assert!((line(area) - line(&all)).abs() <= 0.5);
                let is_across = matches!(align, Align::Left | Align::Center | Align::Right);
                let stays = if is_across { area.min.y == old.min.y } else { area.min.x == old.min.x };
                prop_assert!(stays);
            }
        }
        for direction in [Distribute::Horizontally, Distribute::Vertically] {
            let mut after = moved(distributed(&boxes, direction));
            let span = |area: &Rect| match direction {
                Distribute::Horizontally => (area.min.x, area.max.x),
                Distribute::Vertically => (area.min.y, area.max.y),
            };
            after.sort_by(|one, other| (span(one).0 + span(one).1).total_cmp(&(span(other).0 + span(other).1)));
            let gaps: Vec<f64> = after.windows(2).map(|pair| span(&pair[1]).0 - span(&pair[0]).1).collect();
            if boxes.len() > 2 && gaps.iter().all(|gap| *gap >= 0.0) {
                prop_assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() <= 2.0), "{:?}", gaps);
            }
        }
    }

    // -------------------------------------------------------------------------------------------------------------- tidy

    #[test]
    fn tidy_boxes_keep_clear_of_each_other(graph in any_graph(60, false), part in prop::collection::vec(0..63_usize, 0..20)) {
        let mut scene = scene_of(&graph.text());
        // Where the file says nothing, there is room.
        let placed: Vec<usize> = (0..scene.boxes.len()).filter(|&idx| scene.boxes[idx].is_placed).collect();
        let loose: Vec<usize> = (0..scene.boxes.len()).filter(|&idx| !scene.boxes[idx].is_placed).collect();
        check_clear(&scene, &loose, &placed)?;
        for which in [Some(&part[..]), None] {
            let places = tidy(&scene, which);
            prop_assert_eq!(&places, &tidy(&scene.clone(), which));
            prop_assert!(places.iter().all(|(_, [x, y])| x % GRID == 0 && y % GRID == 0));
            let mut chosen: Vec<usize> = places.iter().map(|(idx, _)| *idx).collect();
            chosen.sort_unstable();
            let mut wanted: Vec<usize> =
                which.map_or((0..scene.boxes.len()).collect(), |part| part.iter().copied().filter(|&idx| idx < scene.boxes.len()).collect());
            wanted.sort_unstable();
            wanted.dedup();
            prop_assert_eq!(&chosen, &wanted);
            scene.move_boxes(&places);
            let others: Vec<usize> = (0..scene.boxes.len()).filter(|idx| !chosen.contains(idx)).collect();
            check_clear(&scene, &chosen, &others)?;
        }
    }

    #[test]
    fn arcs_of_tidy_chains_lead_to_the_right(n_units in 2..30_usize, skips in prop::collection::vec((0..30_usize, 0..30_usize), 0..20)) {
        let mut arcs: Vec<(usize, usize)> = (1..n_units).map(|idx| (idx - 1, idx)).collect();
        arcs.extend(skips.into_iter().map(|(one, other)| (one % n_units, other % n_units)).filter(|(one, other)| one < other));
        let graph = AnyGraph { n_units, arcs, shares: vec![(0, 0)], places: Vec::new(), bends: Vec::new() };
        let scene = scene_of(&graph.text());
        let area = |idx: usize| scene.boxes[scene.box_named(&format!("U{idx}")).unwrap()].area;
        for (source, target) in graph.arcs {
            prop_assert!(area(source).max.x < area(target).min.x);
        }
        let object = scene.boxes[scene.box_named("s0").unwrap()].area;
        prop_assert!(object.min.y >= area(0).max.y && (object.center().x - area(0).center().x).abs() <= 320.0);
    }
}

/// Boxes do not overlap each other, nor others.
fn check_clear(scene: &Scene, boxes: &[usize], others: &[usize]) -> Result<(), TestCaseError> {
    for (place, &box_idx) in boxes.iter().enumerate() {
        for &other in boxes[..place].iter().chain(others) {
            let (one, two) = (&scene.boxes[box_idx], &scene.boxes[other]);
            prop_assert!(!one.area.intersects(two.area), "{} and {}", one.name, two.name);
        }
    }
    Ok(())
}

#[test]
fn places_are_snapped() {
    assert_eq!(snapped(14.9, -15.1), [10, -20]);
    assert_eq!(snapped(f64::NAN, 1e300)[0], 0);
    assert_eq!(aligned(&[], Align::Left), Vec::<[i64; 2]>::new());
    assert_eq!(distributed(&[Rect::new(1.0, 2.0, 3.0, 4.0)], Distribute::Vertically), [[1, 2]]);
}

#[test]
fn a_program_is_tidied() {
    let mut scene = scene_of(PROGRAM);
    let places = tidy(&scene, None);
    scene.move_boxes(&places);
    let lines = scene.boxes.iter().map(|node| format!("{} {}\n", node.name, shown_rect(node.area)));
    insta::assert_snapshot!(lines.collect::<String>());
}

// ------------------------------------------------------------------------------------------------------- types and ports

/// Contrast of two colors (WCAG 2.2).
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let luminance = |color: Rgb| {
        let [red, green, blue] = color.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

const TYPES: [&str; 9] = ["int", "real", "bool", "char", "string", "bytes", "vector", "matrix", "any"];

#[test]
fn types_are_told_apart_without_colors_and_seen_on_both_papers() {
    let names: Vec<String> = (0..40).map(|number| format!("Block{number}")).collect();
    let all = TYPES.iter().copied().chain(names.iter().map(String::as_str)).chain(["", "9x"]);
    for ty in all {
        let token = type_token(ty);
        assert!(contrast(token.light, LIGHT_PAPER) >= 3.0, "{ty} on light paper");
        assert!(contrast(token.dark, DARK_PAPER) >= 3.0, "{ty} on dark paper");
        let array = type_token(&format!(" {ty} [ ][]"));
        assert_eq!((array.shape, array.n_arrays, array.light), (token.shape, 2, token.light));
        let n_alike = TYPES.iter().filter(|other| type_token(other).shape == token.shape).count();
        assert_eq!(n_alike, usize::from(TYPES.contains(&ty)), "{ty}");
    }
    assert_eq!(type_token("Block").shape, Shape::Hexagon);
    let colors: std::collections::BTreeSet<Rgb> = names.iter().map(|name| type_token(name).light).collect();
    assert_eq!(colors.len(), 6, "names spread over all colors");
}

const PORTS: &str = r#"hasse = 1
main = "g"

[graph.g]
in = { a = "int", "many[k]" = "vector" }
out = { r = "real", "rows[k]" = "vector" }
inout = { "acct[i]" = "real" }
arcs = ["A.x -> B[0].y"]
share = ["t -- A.t"]

[graph.g.shared.t]
type = "real"

[graph.g.shared.log]
type = "string"
index = ["k"]

[graph.g.call.Sub]
graph = "h"
index = ["i"]

[graph.g.call.Lost]
graph = "nowhere"

[graph.g.uc.A]
start = true
in = { a = "int", any = "any", s = "Block" }
out = { x = "int", any = "any", "parts[i]" = "int[]", s = "Block" }
shared = { t = "write" }

[graph.g.uc.B]
index = ["j"]
in = { y = "real", "rows[i, j]" = "real[]", word = "string", go = "int" }
out = { "done[j]" = "vector", x = "real" }
shared = { t = "read", log = "write" }

[graph.h]
in = { "p[j]" = "vector" }
out = { q = "int" }
inout = { acct = "real" }
"#;

fn port_name(text: &str) -> PortName {
    // `A.x>`, `A.x<`, `A.x=`: output, input, shared; formal ports and objects without a port.
    let (name, sign) = text.split_at(text.len() - 1);
    let side = match sign {
        ">" => Side::Output,
        "<" => Side::Input,
        _ => Side::Shared,
    };
    let is_formal = ["in.", "out.", "inout."].iter().any(|start| name.starts_with(start));
    let (node, port) = if is_formal { (name, "") } else { name.split_once('.').unwrap_or((name, "")) };
    PortName { node: node.to_owned(), side, port: port.to_owned() }
}

#[test]
fn connections_are_offered_or_refused_with_a_reason() {
    let graphs = graphs(PORTS);
    let mut lines = String::new();
    for (from, to) in [
        ("A.x>", "B.go<"),
        ("B.go<", "A.x>"),
        ("A.x>", "B.y<"),
        ("A.parts>", "B.y<"),
        ("A.parts>", "B.rows<"),
        ("B.done>", "Sub.p<"),
        ("B.done>", "out.rows<"),
        ("in.many>", "Sub.p<"),
        ("Sub.q>", "out.r<"),
        ("in.a>", "A.any<"),
        ("A.any>", "A.a<"),
        ("A.any>", "A.any<"),
        ("A.s>", "A.s<"),
        ("A.s>", "A.a<"),
        ("B.x>", "A.a<"),
        ("A.x>", "B.word<"),
        ("A.x>", "B.x>"),
        ("A.a<", "B.y<"),
        ("in.a>", "A.x>"),
        ("t=", "B.t="),
        ("B.log=", "log="),
        ("inout.acct=", "Sub.acct="),
        ("log=", "Sub.acct="),
        ("t=", "A.t="),
        ("log=", "A.t="),
        ("t=", "log="),
        ("A.t=", "B.t="),
        ("t=", "A.a<"),
        ("A.x>", "B.t="),
        ("A.z>", "B.y<"),
        ("Z.x>", "B.y<"),
        ("Lost.x>", "B.y<"),
    ] {
        let said = match may_connect(&graphs[0], &graphs, &port_name(from), &port_name(to)) {
            Ok(link) => format!("{} {}", link.list.key(), link.text),
            Err(refusal) => refusal.to_string(),
        };
        let _ = writeln!(lines, "{from} {to}: {said}");
    }
    insta::assert_snapshot!(lines);
}

/// All pairs of ports: what is offered is right for the compiler, what is refused for types is wrong for it, too.
#[test]
fn the_compiler_agrees() {
    const CODES: [&str; 10] =
        ["E0104", "E0105", "E0203", "E0301", "E0302", "E0303", "E0304", "E0305", "E0601", "E0602"];
    let text = PORTS.replace("[graph.g.call.Lost]\ngraph = \"nowhere\"\n", "").replace(
        "[graph.g]",
        "[type.Block]\nrow = \"int\"\n[graph.g]",
    );
    let graphs = graphs(&text);
    let scene = Scene::new(&graphs[0], &graphs, &Layout::default());
    let mut places = Vec::new();
    for (box_idx, node) in scene.boxes.iter().enumerate() {
        places.extend((0..node.ports.len()).map(|port_idx| PortPlace { box_idx, port_idx }));
    }
    let faults = |list: LinkList, line: &str| -> Vec<&'static str> {
        let mut tables: DocumentMut = text.parse().unwrap();
        link::add(&mut tables, "g", list, line).unwrap();
        let compiled = hasse_compiler::compile(&tables.to_string(), &FunctionTable::default());
        let codes = compiled.diagnostics.iter().map(|diagnostic| diagnostic.code);
        codes.filter(|code| CODES.contains(code) || *code == "E0705" || *code == "E0606").collect()
    };
    let (mut n_offered, mut n_refused) = (0, 0);
    for &from in &places {
        for &to in &places {
            let names = [from, to].map(|place| scene.port_name(place).unwrap());
            match may_connect(&graphs[0], &graphs, &names[0], &names[1]) {
                Ok(link) => {
                    assert_eq!(faults(link.list, &link.text), Vec::<&str>::new(), "{}", link.text);
                    n_offered += 1;
                }
                Err(refusal) if refusal.to_string().contains(" sends `") => {
                    let is_source = |place: PortPlace| scene.port(place).unwrap().kind == PortKind::Output;
                    let (source, target) = if is_source(from) { (0, 1) } else { (1, 0) };
                    let line = format!("{} -> {}", end(&names[source]), end(&names[target]));
                    // Indices may be missing, too; the types are wrong whatever they are.
                    assert!(faults(LinkList::Arcs, &line).contains(&"E0203"), "{line}");
                    n_refused += 1;
                }
                Err(_) => {}
            }
        }
    }
    assert!(n_offered > 50 && n_refused > 50, "{n_offered} {n_refused}");
}

fn end(name: &PortName) -> String {
    if name.port.is_empty() { name.node.clone() } else { format!("{}.{}", name.node, name.port) }
}

/// How long large graphs take; not part of the tests: `cargo test -- --ignored --nocapture large`.
#[test]
#[ignore = "measures"]
fn large_graphs_are_fast() {
    let n_units = 2_000;
    let arcs = (0..3_000).map(|idx| (idx * 7 % n_units, (idx * 7 + 1 + idx * 13 % 40) % n_units)).collect();
    let places = (0..n_units as i64).map(|idx| (idx % 50 * 200, idx / 50 * 150)).collect();
    let graph = AnyGraph { n_units, arcs, shares: Vec::new(), places, bends: Vec::new() };
    let text = graph.text();
    let timed = |what: &str, start: std::time::Instant| println!("{what}: {:?}", start.elapsed());
    let start = std::time::Instant::now();
    let graphs = graphs(&text);
    timed("outline", start);
    let tables: DocumentMut = text.parse().unwrap();
    let layout = Layout::read(&tables, "g");
    let start = std::time::Instant::now();
    let mut scene = Scene::new(&graphs[0], &graphs, &layout);
    timed("scene", start);
    let start = std::time::Instant::now();
    let mut index = SpatialIndex::new(&scene);
    timed("index", start);
    let start = std::time::Instant::now();
    let seen = visible(&scene, &index, Rect::new(2000.0, 1500.0, 1280.0, 800.0));
    timed("visible", start);
    println!("{} boxes and {} links seen", seen.boxes.len(), seen.links.len());
    let start = std::time::Instant::now();
    for step in 0..1000 {
        hit(&scene, &index, Point::new(f64::from(step) * 9.0, f64::from(step) * 5.0), 1.0);
    }
    timed("1,000 hits", start);
    let start = std::time::Instant::now();
    let links = scene.move_boxes(&[(1000, [5, 5])]);
    index.update(&scene, &[1000], &links);
    timed("one box moved", start);
    for n_boxes in [200, 1000, 2000] {
        let part: Vec<usize> = (0..n_boxes).collect();
        let start = std::time::Instant::now();
        tidy(&scene, Some(&part));
        timed(&format!("tidy of {n_boxes}"), start);
    }
}
