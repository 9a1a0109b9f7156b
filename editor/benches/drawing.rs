//! How long the drawing of a graph of 2,000 units and 3,000 arcs takes: `cargo bench -p hasse-editor --bench drawing`.
//! One run each, printed; for comparison within one run.
#![allow(clippy::unwrap_used, reason = "a bench stops where anything fails")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use hasse_compiler::outline;
use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::drawing::hit::{hit, visible};
use hasse_editor::drawing::index::SpatialIndex;
use hasse_editor::drawing::scene::{Layout, Scene};
use hasse_editor::drawing::tidy::tidy;
use toml_edit::DocumentMut;

const N_UNITS: usize = 2_000;

fn program() -> String {
    let mut text = String::from("hasse = 1\nmain = \"g\"\n\n[graph.g]\narcs = [\n");
    for arc in 0..3_000 {
        let source = arc * 7 % N_UNITS;
        writeln!(text, "  \"U{source}.y -> U{}.x\",", (source + 1 + arc * 13 % 4) % N_UNITS).unwrap();
    }
    text.push_str("]\n");
    for unit in 0..N_UNITS {
        writeln!(text, "\n[graph.g.uc.U{unit}]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}").unwrap();
    }
    text.push_str("\n[layout.g]\n");
    for unit in 0..N_UNITS {
        writeln!(text, "U{unit} = [{}, {}]", unit % 50 * 200, unit / 50 * 150).unwrap();
    }
    text
}

fn timed<R>(what: &str, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let done = black_box(work());
    println!("{what:<24}{:>10.3} ms", start.elapsed().as_secs_f64() * 1e3);
    done
}

fn main() {
    let text = program();
    let graphs = timed("outline", || outline(&text).unwrap());
    let tables: DocumentMut = timed("tables", || text.parse().unwrap());
    let layout = timed("layout", || Layout::read(&tables, "g"));
    let mut scene = timed("scene", || Scene::new(&graphs[0], &graphs, &layout));
    let mut index = timed("index", || SpatialIndex::new(&scene));
    timed("visible", || visible(&scene, &index, Rect::new(2000.0, 1500.0, 1280.0, 800.0)));
    timed("1,000 hits", || {
        for step in 0..1000 {
            black_box(hit(&scene, &index, Point::new(f64::from(step) * 9.0, f64::from(step) * 5.0), 1.0));
        }
    });
    timed("one box moved", || {
        let links = scene.move_boxes(&[(1000, [5, 5])]);
        index.update(&scene, &[1000], &links);
    });
    for n_boxes in [200, 1000, 2000] {
        let part: Vec<usize> = (0..n_boxes).collect();
        timed(&format!("tidy of {n_boxes}"), || tidy(&scene, Some(&part)));
    }
}
