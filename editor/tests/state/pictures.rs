use std::fmt::Write as _;

use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::edit::link::LinkList;
use hasse_editor::marks::{ActionMark, BreakpointMark, Highlight, LinkMarks, Marks, NodeMarks};
use hasse_editor::state::input::{Button, Key, Modifiers, PointerEvent};
use hasse_editor::state::picture::{Cursor, Picture, WireStyle};
use hasse_editor::state::selection::Selection;

use super::{Hand, PROGRAM};

fn keys(picture: &Picture) -> Vec<&str> {
    picture.nodes.iter().map(|node| &*node.key).collect()
}

/// The numbers of a path, in pairs.
fn points(commands: &str) -> Vec<Point> {
    let words = commands.split(|letter: char| letter.is_alphabetic() || letter == ' ');
    let numbers: Vec<f64> = words.filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect();
    assert_eq!(numbers.len() % 2, 0, "{commands}");
    numbers.chunks(2).map(|pair| Point::new(pair[0], pair[1])).collect()
}

#[test]
fn graph_that_is_seen_whole_stays_so_when_the_canvas_shrinks() {
    let mut hand = Hand::new();
    let sees_all = |hand: &mut Hand| {
        let (size, picture) = (hand.editor.size(), hand.editor.picture());
        let canvas = Rect::new(0.0, 0.0, size.x, size.y);
        picture.nodes.len() == 7 && picture.nodes.iter().all(|node| canvas.contains_rect(node.area))
    };
    assert!(sees_all(&mut hand));
    // Also after an edit, and with a node selected.
    hand.drag(hand.title("A"), Point::new(hand.title("A").x, hand.title("A").y + 20.0));
    assert!(!hand.editor.selection().is_empty());
    hand.editor.resize(Point::new(500.0, 300.0));
    assert!(sees_all(&mut hand));
    let view = hand.editor.view();
    hand.editor.resize(Point::new(800.0, 500.0));
    assert!(sees_all(&mut hand) && hand.editor.view().zoom() > view.zoom(), "and uses the room it gets back");
}

#[test]
fn only_what_is_seen_is_told() {
    let mut hand = Hand::new();
    assert_eq!(keys(&hand.editor.picture()).len(), 7);
    let aside = |hand: &mut Hand, x: f64| {
        let (at, delta) = (Point::new(100.0, 100.0), Point::new(0.0, x));
        hand.editor.pointer(PointerEvent::Wheel { at, delta, modifiers: Modifiers::SHIFT });
    };
    // A graph that was not seen whole keeps its view.
    aside(&mut hand, -2_000.0);
    hand.editor.resize(Point::new(250.0, 250.0));
    aside(&mut hand, 2_000.0);
    let picture = hand.editor.picture();
    assert_eq!(keys(&picture), ["A"]);
    let first = &picture.ports[0];
    assert_eq!((picture.ports.len(), first.node_idx, first.at), (1, 0, hand.output("A", "x")));
    assert!(first.is_connected && first.label == "x" && first.label_at.x < first.at.x);
    assert_eq!(picture.wires.len(), 1);
}

#[test]
fn box_hides_ports_and_labels_of_the_box_below_it() {
    let mut hand = Hand::new();
    let state = |hand: &mut Hand, node: &str| {
        let picture = hand.editor.picture();
        let own = picture.nodes.iter().position(|known| known.key == node).unwrap();
        let ports = picture.ports.iter().filter(|port| port.node_idx == own);
        ports.map(|port| (port.label.clone(), port.is_covered, port.is_label_covered)).collect::<Vec<_>>()
    };
    assert_eq!(state(&mut hand, "A"), [("x".to_owned(), false, false)]);
    // B is drawn after A: its title goes to the output of A.
    let (from, to) = (hand.title("B"), hand.output("A", "x"));
    hand.drag_as(Button::Left, from, to, Modifiers::ALT);
    assert_eq!(state(&mut hand, "A"), [("x".to_owned(), true, true)]);
    assert!(state(&mut hand, "B").iter().all(|(_, is_covered, is_label)| !is_covered && !is_label));
    let hit = hand.editor.target_at(hand.output("A", "x"));
    assert_eq!(hit.node(), Some("B"), "what is seen is what is clicked");
}

#[test]
fn wires_of_a_look_are_one_path_within_its_rectangle() {
    let mut hand = Hand::new();
    let picture = hand.editor.picture();
    let [group] = &picture.wires[..] else { panic!("one look") };
    assert_eq!((group.style, group.is_share), (WireStyle::Normal, false));
    assert_eq!(group.commands.matches('M').count(), 4, "two wires, each with an arrow head");
    let points = points(&group.commands);
    // Half of the widest stroke is inside, too: the rest is clipped.
    let room = Rect::new(0.0, 0.0, group.area.width(), group.area.height()).grown(-1.5);
    assert!(points.iter().all(|point| room.contains(*point)), "{} {:?}", group.commands, group.area);
    let begin = points[0].shifted(group.area.min);
    assert!(begin.distance(hand.output("A", "x")) < 0.1);
    hand.editor.set_zoom(0.1);
    let far = hand.editor.picture();
    let [group] = &far.wires[..] else { panic!("one look") };
    assert!(group.commands.is_empty() && group.segments.len() == 2, "{group:?}");
    assert!(group.segments[0][0].distance(hand.output("A", "x")) < 0.1);
    assert!(far.ports.is_empty() && far.nodes[0].title.is_empty());
}

#[test]
fn marks_are_shown_where_they_belong() {
    let mut hand = Hand::new();
    let version = hand.editor.version();
    hand.editor.set_marks("g", Marks::default());
    assert_eq!(hand.editor.version(), version);
    let mut marks = Marks::default();
    let waiting = NodeMarks { state: Some(ActionMark::Waiting), n_events: Some(3), ..NodeMarks::default() };
    marks.nodes.insert("B".to_owned(), waiting.clone());
    let link = LinkMarks {
        n_queued: Some(2),
        breakpoint: Some(BreakpointMark::Hit),
        highlights: vec![Highlight::Related, Highlight::Race],
        pulse: Some(0.0),
        ..LinkMarks::default()
    };
    marks.links.insert((LinkList::Arcs, 0), link);
    marks.links.insert((LinkList::Arcs, 1), LinkMarks { is_dimmed: true, ..LinkMarks::default() });
    hand.editor.set_marks("g", marks.clone());
    assert!(hand.editor.version() > version);
    let picture = hand.editor.picture();
    assert_eq!(picture.nodes.iter().find(|node| node.key == "B").unwrap().marks, waiting);
    let styles: Vec<WireStyle> = picture.wires.iter().map(|group| group.style).collect();
    assert_eq!(styles, [WireStyle::Dimmed, WireStyle::Highlight(Highlight::Race)]);
    let [badge] = &picture.badges[..] else { panic!("one badge") };
    assert_eq!(
        (badge.key, badge.n_queued, badge.breakpoint),
        ((LinkList::Arcs, 0), Some(2), Some(BreakpointMark::Hit))
    );
    let middle = hand.editor.link_middle((LinkList::Arcs, 0)).unwrap();
    let at = badge.area.center();
    assert!((8.0..30.0).contains(&at.distance(middle)), "next to the wire: {at:?}");
    assert_eq!(picture.pulses[0].at, hand.output("A", "x"));
    let pulse = |place: f32| LinkMarks { pulse: Some(place), ..LinkMarks::default() };
    for (place, at) in
        [(1.0, hand.input("B", "x")), (7.0, hand.input("B", "x")), (f32::NAN, hand.output("A", "x"))]
    {
        marks.links.insert((LinkList::Arcs, 0), pulse(place));
        hand.editor.set_marks("g", marks.clone());
        assert!(hand.editor.picture().pulses[0].at.distance(at) < 1e-6);
    }
    let version = hand.editor.version();
    hand.editor.set_marks("h", marks);
    assert_eq!(hand.editor.version(), version, "of a graph that is not shown");
    hand.editor.set_marks("g", Marks::default());
    assert!(hand.editor.picture().badges.is_empty());
}

#[test]
fn the_version_changes_with_what_is_seen_and_not_without() {
    let mut hand = Hand::new();
    hand.editor.check_now();
    let still = hand.editor.version();
    let at = hand.at(-60.0, -60.0);
    hand.moves(at);
    hand.moves(Point::new(at.x + 3.0, at.y));
    hand.editor.resize(Point::new(1200.0, 800.0));
    hand.key(Key::Char('q'));
    hand.wait(500);
    assert_eq!(hand.editor.version(), still);
    let mut last = still;
    let mut changed = |hand: &Hand, what: &str| {
        assert!(hand.editor.version() > last, "{what}");
        last = hand.editor.version();
    };
    hand.click(hand.title("A"));
    changed(&hand, "a selection");
    hand.editor.pointer(PointerEvent::Wheel { at, delta: Point::new(0.0, 10.0), modifiers: Modifiers::NONE });
    changed(&hand, "the view");
    hand.key(Key::Right);
    changed(&hand, "the program");
}

#[test]
fn the_grid_goes_with_the_picture_and_stays_coarse() {
    let mut hand = Hand::new();
    for zoom in [0.05, 0.3, 1.0, 4.0] {
        hand.editor.set_zoom(zoom);
        let picture = hand.editor.picture();
        let (grid, origin) = (picture.grid, hand.at(0.0, 0.0));
        assert!(grid.step >= 12.0 && grid.offset.x < grid.step && grid.offset.y >= 0.0);
        let steps = (origin.x - grid.offset.x) / grid.step;
        assert!((steps - steps.round()).abs() < 1e-6, "a line goes through the origin");
    }
}

#[test]
fn a_large_graph_is_moved_by_one_box_without_the_others() {
    let mut text = "hasse = 1\nmain = \"g\"\n\n[graph.g]\narcs = [\n".to_owned();
    for unit in 0..299 {
        writeln!(text, "  \"U{unit}.y -> U{}.x\",", unit + 1).unwrap();
    }
    text.push_str("]\n");
    for unit in 0..300 {
        writeln!(text, "\n[graph.g.uc.U{unit}]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}").unwrap();
    }
    text.push_str("\n[layout.g]\n");
    for unit in 0..300 {
        writeln!(text, "U{unit} = [{}, {}]", unit % 20 * 200, unit / 20 * 150).unwrap();
    }
    let mut hand = Hand::of(&text);
    let from = hand.title("U21");
    hand.drag(from, Point::new(from.x + 20.0, from.y + 30.0));
    assert_eq!(hand.since(&text), "-U21 = [200, 150]\n+U21 = [220, 180]\n");
    // What was moved by hand is what is drawn of the text.
    let picture = hand.editor.picture();
    let seen: Vec<_> = picture.nodes.iter().map(|node| (node.key.clone(), node.area)).collect();
    let mut fresh = Hand::of(hand.text());
    let other: Vec<_> =
        fresh.editor.picture().nodes.iter().map(|node| (node.key.clone(), node.area)).collect();
    assert_eq!(seen, other);
    hand.moves(Point::new(1.0, 1.0));
    hand.key(Key::Escape);
    assert_eq!(hand.editor.picture().wires, fresh.editor.picture().wires);
    assert_ne!(PROGRAM, hand.text());
}

#[test]
fn the_mouse_says_what_it_can_do_and_rests_on() {
    let mut hand = Hand::of(&PROGRAM.replace("start = true", "start = true\ndoc = \"begins\""));
    hand.editor.check_now();
    let wire = hand.editor.link_middle((LinkList::Arcs, 0)).unwrap();
    let places = [
        (hand.output("D", "s"), Cursor::Crosshair, Some("D.s: string")),
        (wire, Cursor::Pointer, Some("A.x \u{2192} B.x")),
        (hand.title("A"), Cursor::Default, Some("begins")),
        (hand.at(-70.0, -70.0), Cursor::Default, None),
        (hand.at(320.0, 310.0), Cursor::ResizeDown, None),
        (hand.at(180.0, 310.0), Cursor::ResizeUp, None),
        (hand.at(180.0, 280.0), Cursor::ResizeColumn, None),
        (hand.at(230.0, 310.0), Cursor::ResizeRow, None),
        (hand.at(230.0, 150.0), Cursor::Move, None),
    ];
    for (at, cursor, tip) in places {
        hand.moves(at);
        assert_eq!(hand.editor.picture().cursor, cursor, "{at:?}");
        let said = hand.editor.tip();
        assert_eq!(said.as_deref().and_then(|said| said.lines().next()), tip, "{at:?}");
    }
    hand.moves(hand.title("D"));
    assert_eq!(
        hand.editor.tip().as_deref(),
        Some("`D` can never execute: it has no firing rules and is no start node")
    );
    hand.pull(hand.output("D", "s"), hand.input("E", "a"));
    assert_eq!(hand.editor.picture().cursor, Cursor::NotAllowed);
    hand.moves(hand.at(100.0, 400.0));
    assert_eq!((hand.editor.picture().cursor, &*hand.editor.status().text), (Cursor::Crosshair, ""));
    hand.key(Key::Escape);
    hand.key(Key::Space);
    assert_eq!(hand.editor.picture().cursor, Cursor::Grab);
}

#[test]
fn labels_leave_boxes_and_each_other_readable() {
    let ports = "a = \"int\", b = \"int\", c = \"int\", x = \"int\", y = \"int\", d = \"int\", e = \"int\", f = \"int\"";
    let nodes = format!(
        "[graph.g.uc.A]\nindex = [\"i\"]\nstart = true\nout = {{ {ports} }}\n\n[graph.g.uc.B]\nindex = [\"i\"]\nin = {{ \
         {ports} }}\n"
    );
    let arcs = "arcs = [\n  \"A[i].x -> B[i + 1].x\",\n  \"A[i].y -> B[i + 2].y\",\n]\n";
    let program = |x: i64| {
        format!(
            "hasse = 1\nmain = \"g\"\n\n[graph.g]\n{arcs}\n{nodes}\n[layout.g]\nA = [0, 0]\nB = [{x}, 0]\n"
        )
    };
    let labels = |picture: &Picture| -> Vec<String> {
        picture.labels.iter().map(|label| label.text.clone()).collect()
    };
    let mut hand = Hand::of(&program(400));
    let picture = hand.editor.picture();
    let told = labels(&picture);
    assert_eq!(told.first().map(String::as_str), Some("i \u{2192} i + 1"));
    for (at, label) in picture.labels.iter().enumerate() {
        assert!(picture.nodes.iter().all(|node| node.area.overlap(label.area) <= 0.0), "{}", label.text);
        let others = &picture.labels[at + 1..];
        assert!(others.iter().all(|other| other.area.overlap(label.area) <= 0.0), "{}", label.text);
    }
    // Where there is no room, they are for the asking.
    let mut hand = Hand::of(&program(140));
    assert_eq!(labels(&hand.editor.picture()), [""; 0]);
    let mut selection = Selection::default();
    selection.links.insert((LinkList::Arcs, 1));
    hand.editor.select(selection);
    assert_eq!(labels(&hand.editor.picture()), ["i \u{2192} i + 2"]);
}
