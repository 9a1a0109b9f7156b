//! The editor without a window: gestures, keys, actions, files, pictures, through the crate's interface.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::time::Duration;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::edit::port::Side;
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Button, Key, Modifiers, PointerEvent};
use hasse_editor::state::selection::Selection;
use hasse_editor::state::{Config, Editor, Request};

/// What the table of actions does.
#[path = "state/actions.rs"]
mod actions;
/// The first minutes.
#[path = "state/beginning.rs"]
mod beginning;
/// A program that is drawn from nothing.
#[path = "state/drawing.rs"]
mod drawing;
/// Files and questions about them.
#[path = "state/files.rs"]
mod files;
/// What the mouse does.
#[path = "state/gestures.rs"]
mod gestures;
/// Graphs, views and problems.
#[path = "state/navigate.rs"]
mod navigate;
/// What a window draws.
#[path = "state/pictures.rs"]
mod pictures;
/// Anything in any order.
#[path = "state/random.rs"]
mod random;
/// Several open graphs.
#[path = "state/tabs.rs"]
mod tabs;
/// Wires drawn, led elsewhere and cut.
#[path = "state/wires.rs"]
mod wires;

const PROGRAM: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = [
  "A.x -> B.x",  # first
  "B.y -> C.x",
]

[graph.g.shared.total]
type = "int"

[graph.g.call.H]
graph = "h"

[graph.g.uc.A]
start = true
out = { x = "int" }

[graph.g.uc.B]
in = { x = "int" }
out = { y = "int" }

[graph.g.uc.C]
in = { x = "int" }
shared = { sum = "write" }

[graph.g.uc.D]  # für sich
in = { a = "int" }
out = { b = "int", s = "string" }

[graph.g.uc.E]
in = { a = "int" }
out = { b = "int" }

[graph.h]
in = { p = "int" }

[layout.g]
A = [0, 0]
B = [200, 0]
C = [400, 0]
D = [200, 200]
E = [600, 200]
H = [0, 200]
total = [400, 200]
"comment 1" = { at = [600, 0], text = "says one or two words" }
"frame 1" = { at = [180, 150], size = [140, 160], title = "group" }
"#;

/// An editor with a mouse and a keyboard.
struct Hand {
    editor: Editor,
    now: Duration,
}

impl Hand {
    /// At the picture's own size, with the world's origin at (100, 100) of the canvas.
    fn of(text: &str) -> Self {
        let mut editor = Editor::of_text(Config::default(), text);
        editor.resize(Point::new(1200.0, 800.0));
        let mut hand = Self { editor, now: Duration::ZERO };
        hand.editor.set_zoom(1.0);
        let origin = hand.editor.view().screen_from_world(Point::new(-100.0, -100.0));
        hand.drag_as(Button::Middle, origin, Point::new(0.0, 0.0), Modifiers::NONE);
        hand.editor.pointer(PointerEvent::Leave);
        hand.editor.take_requests();
        hand
    }

    fn new() -> Self {
        Self::of(PROGRAM)
    }

    fn text(&self) -> &str {
        self.editor.document().text()
    }

    /// Where a world point is on the canvas.
    fn at(&self, x: f64, y: f64) -> Point {
        self.editor.view().screen_from_world(Point::new(x, y))
    }

    fn down_as(&mut self, at: Point, button: Button, modifiers: Modifiers, clicks: u8) {
        self.editor.pointer(PointerEvent::Down { at, button, modifiers, clicks });
    }

    fn moves(&mut self, at: Point) {
        self.editor.pointer(PointerEvent::Move { at, modifiers: Modifiers::NONE });
    }

    fn up(&mut self, at: Point) {
        self.editor.pointer(PointerEvent::Up { at, button: Button::Left, modifiers: Modifiers::NONE });
    }

    fn click_as(&mut self, at: Point, modifiers: Modifiers) {
        self.down_as(at, Button::Left, modifiers, 1);
        self.editor.pointer(PointerEvent::Up { at, button: Button::Left, modifiers });
    }

    fn click(&mut self, at: Point) {
        self.click_as(at, Modifiers::NONE);
    }

    fn double_click(&mut self, at: Point) {
        self.click(at);
        self.down_as(at, Button::Left, Modifiers::NONE, 2);
        self.up(at);
    }

    /// Presses, moves there in three steps, and does not let go.
    fn pull_as(&mut self, button: Button, from: Point, to: Point, modifiers: Modifiers) {
        self.down_as(from, button, modifiers, 1);
        for part in [0.3, 0.7, 1.0] {
            let at = Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
            self.editor.pointer(PointerEvent::Move { at, modifiers });
        }
    }

    fn drag_as(&mut self, button: Button, from: Point, to: Point, modifiers: Modifiers) {
        self.pull_as(button, from, to, modifiers);
        self.editor.pointer(PointerEvent::Up { at: to, button, modifiers });
    }

    fn pull(&mut self, from: Point, to: Point) {
        self.pull_as(Button::Left, from, to, Modifiers::NONE);
    }

    fn drag(&mut self, from: Point, to: Point) {
        self.drag_as(Button::Left, from, to, Modifiers::NONE);
    }

    /// The middle of a box's title.
    fn title(&self, node: &str) -> Point {
        let area = self.editor.node_area(node).unwrap();
        Point::new(area.center().x, area.min.y + 12.0)
    }

    fn output(&self, node: &str, port: &str) -> Point {
        self.editor.port_at_name(node, Side::Output, port).unwrap()
    }

    fn input(&self, node: &str, port: &str) -> Point {
        self.editor.port_at_name(node, Side::Input, port).unwrap()
    }

    fn shared(&self, node: &str, port: &str) -> Point {
        self.editor.port_at_name(node, Side::Shared, port).unwrap()
    }

    fn key(&mut self, key: Key) -> bool {
        self.editor.key(key, Modifiers::NONE)
    }

    fn key_as(&mut self, key: Key, modifiers: Modifiers) -> bool {
        self.editor.key(key, modifiers)
    }

    fn select(&mut self, nodes: &[&str]) {
        let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
        self.editor.select(Selection { nodes, ..Selection::default() });
    }

    fn selected(&self) -> Vec<&str> {
        self.editor.selection().nodes.iter().map(String::as_str).collect()
    }

    fn requests(&mut self) -> Vec<Request> {
        self.editor.take_requests()
    }

    /// Lets time pass.
    fn wait(&mut self, millis: u64) -> bool {
        self.now += Duration::from_millis(millis);
        self.editor.tick(self.now)
    }

    /// The lines that are gone and new since a text.
    fn since(&self, text: &str) -> String {
        let diff = similar::TextDiff::from_lines(text, self.text());
        let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
        changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
    }

    /// Checks that all since the text was one step, and undoes it.
    fn undo_to(&mut self, text: &str) {
        assert_ne!(self.text(), text, "something was done");
        self.editor.act(Action::Undo);
        assert_eq!(self.text(), text, "one step");
    }
}
