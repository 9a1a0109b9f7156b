//! How long drawing and editing a graph of 2,000 units and 3,000 arcs takes: `cargo bench -p hasse-editor --bench drawing`.
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
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Button, Modifiers, PointerEvent};
use hasse_editor::state::{Config, Editor};
use toml_edit::DocumentMut;

const N_UNITS: usize = 2_000;

fn program(n_units: usize, n_arcs: usize) -> String {
    let mut text = String::from("hasse = 1\nmain = \"g\"\n\n[graph.g]\narcs = [\n");
    for arc in 0..n_arcs {
        let source = arc * 7 % n_units;
        writeln!(text, "  \"U{source}.y -> U{}.x\",", (source + 1 + arc * 13 % 4) % n_units).unwrap();
    }
    text.push_str("]\n");
    for unit in 0..n_units {
        writeln!(text, "\n[graph.g.uc.U{unit}]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}").unwrap();
    }
    text.push_str("\n[layout.g]\n");
    for unit in 0..n_units {
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
    let text = program(N_UNITS, 3_000);
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
    editor(&text);
    let large = program(3_000, 4_500);
    timed("3,000 boxes opened", || opened(&large));
}

fn opened(text: &str) -> Editor {
    let mut editor = Editor::of_text(Config::default(), text);
    editor.resize(Point::new(1600.0, 1000.0));
    editor.picture();
    editor
}

/// What a window does with the same graph.
fn editor(text: &str) {
    let mut editor = timed("editor opened", || opened(text));
    // 500 boxes are 25 by 20 of the 50 by 40 that stand 200 and 150 apart.
    for (what, zoom) in [("500 boxes", 0.46), ("titles of 500 boxes", 0.4)] {
        editor.resize(Point::new(25.0 * 200.0 * zoom, 20.0 * 150.0 * zoom));
        editor.set_zoom(zoom);
        let picture = timed(what, || editor.picture());
        println!(
            "    {} boxes, {} ports, {} looks",
            picture.nodes.len(),
            picture.ports.len(),
            picture.wires.len()
        );
        timed(&format!("{what}, again"), || editor.picture());
    }
    editor.resize(Point::new(1600.0, 1000.0));
    editor.set_zoom(0.1);
    timed("all as blocks", || editor.picture());
    editor.set_zoom(0.46);
    let at = Point::new(300.0, 300.0);
    timed("100 steps of the wheel", || {
        for step in 0..100 {
            let delta = Point::new(0.0, if step % 2 == 0 { 20.0 } else { -20.0 });
            editor.pointer(PointerEvent::Wheel { at, delta, modifiers: Modifiers::NONE });
            black_box(editor.picture());
        }
    });
    editor.check_now();
    timed("with what is wrong", || editor.picture());
    let title = editor.node_area("U1000").map(|area| Point::new(area.center().x, area.min.y + 4.0)).unwrap();
    let (button, modifiers) = (Button::Left, Modifiers::NONE);
    editor.pointer(PointerEvent::Down { at: title, button, modifiers, clicks: 1 });
    timed("100 steps of a drag", || {
        for step in 1..=100 {
            let at = Point::new(title.x + f64::from(step), title.y);
            editor.pointer(PointerEvent::Move { at, modifiers });
            black_box(editor.picture());
        }
    });
    let at = Point::new(title.x + 100.0, title.y);
    timed("its end", || editor.pointer(PointerEvent::Up { at, button, modifiers }));
    timed("undone", || editor.act(Action::Undo));
}
