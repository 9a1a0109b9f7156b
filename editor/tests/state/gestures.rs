use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::Request;
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Button, Key, Modifiers, PointerEvent};
use hasse_editor::state::picture::WireStyle;
use hasse_editor::state::prompt::Purpose;
use hasse_editor::state::selection::Selection;
use hasse_editor::target::Part;

use super::{Hand, PROGRAM};

#[test]
fn boxes_are_moved_together_on_the_grid_and_in_one_step() {
    let mut hand = Hand::new();
    hand.select(&["A", "B"]);
    let from = hand.title("A");
    hand.drag(from, Point::new(from.x + 43.0, from.y + 78.0));
    assert_eq!(hand.since(PROGRAM), "-A = [0, 0]\n-B = [200, 0]\n+A = [40, 80]\n+B = [240, 80]\n");
    assert_eq!(hand.selected(), ["A", "B"]);
    assert_eq!(hand.editor.label(Action::Undo), "Undo: move 2 things");
    hand.undo_to(PROGRAM);
    assert_eq!(hand.title("A"), from);
    hand.editor.act(Action::Redo);
    assert_eq!(hand.title("A"), Point::new(from.x + 40.0, from.y + 80.0));
}

#[test]
fn with_alt_boxes_go_where_the_mouse_does() {
    let mut hand = Hand::new();
    let from = hand.title("A");
    hand.drag_as(Button::Left, from, Point::new(from.x - 33.0, from.y - 27.0), Modifiers::ALT);
    assert_eq!(hand.since(PROGRAM), "-A = [0, 0]\n+A = [-33, -27]\n");
    assert_eq!(hand.selected(), ["A"]);
}

#[test]
fn boxes_off_the_grid_are_put_in_line_with_their_neighbors() {
    let text = PROGRAM.replace("E = [600, 200]", "E = [603, 207]");
    let mut hand = Hand::of(&text);
    let from = hand.title("total");
    hand.pull(from, Point::new(from.x - 16.0, from.y + 8.0));
    let picture = hand.editor.picture();
    let upper = hand.at(0.0, 207.0).y;
    let is_level = |guide: &[Point; 2]| guide[0].y == upper && guide[1].y == upper;
    assert!(picture.guides.iter().any(is_level), "{:?}", picture.guides);
    hand.up(Point::new(from.x - 16.0, from.y + 8.0));
    assert!(hand.since(&text).contains(", 207]\n"), "{}", hand.since(&text));
}

#[test]
fn escape_leaves_the_program_as_it_was_in_the_middle_of_any_gesture() {
    let mut hand = Hand::new();
    let before = hand.editor.picture();
    let (title, port) = (hand.title("B"), hand.output("A", "x"));
    let wire = hand.editor.link_middle((hasse_editor::edit::link::LinkList::Arcs, 0)).unwrap();
    let places = [
        (Button::Left, title, Modifiers::NONE),
        (Button::Left, port, Modifiers::NONE),
        (Button::Left, wire, Modifiers::NONE),
        (Button::Left, hand.at(-50.0, -50.0), Modifiers::NONE),
        (Button::Right, hand.at(-50.0, -50.0), Modifiers::CTRL),
        (Button::Left, hand.at(320.0, 300.0), Modifiers::NONE),
        (Button::Left, hand.at(250.0, 160.0), Modifiers::NONE),
        (Button::Left, hand.at(620.0, 10.0), Modifiers::NONE),
    ];
    for (button, from, modifiers) in places {
        let to = Point::new(from.x + 63.0, from.y + 41.0);
        hand.pull_as(button, from, to, modifiers);
        assert!(hand.editor.is_gesture());
        assert_ne!(hand.editor.picture().version, before.version);
        hand.key(Key::Escape);
        assert!(!hand.editor.is_gesture());
        hand.up(to);
        hand.editor.pointer(PointerEvent::Leave);
        hand.key(Key::Escape);
        let after = hand.editor.picture();
        assert_eq!((hand.text(), hand.editor.document().next_undo()), (PROGRAM, None));
        assert_eq!((&after.nodes, &after.wires), (&before.nodes, &before.wires), "{from:?}");
        assert_eq!((&after.frames, &after.comments), (&before.frames, &before.comments), "{from:?}");
    }
}

#[test]
fn a_drag_back_to_where_it_began_is_no_step() {
    let mut hand = Hand::new();
    let from = hand.title("A");
    hand.pull(from, Point::new(from.x + 60.0, from.y));
    hand.moves(from);
    hand.up(from);
    assert_eq!((hand.text(), hand.editor.document().next_undo()), (PROGRAM, None));
    assert_eq!(hand.title("A"), from);
}

#[test]
fn clicks_select_one_add_and_toggle() {
    let mut hand = Hand::new();
    let (a, b, c) = (hand.title("A"), hand.title("B"), hand.title("C"));
    hand.click(a);
    assert_eq!(hand.selected(), ["A"]);
    hand.click_as(b, Modifiers::SHIFT);
    assert_eq!(hand.selected(), ["A", "B"]);
    hand.click_as(c, Modifiers::CTRL);
    hand.click_as(a, Modifiers::CTRL);
    assert_eq!(hand.selected(), ["B", "C"]);
    hand.click(b);
    assert_eq!(hand.selected(), ["B"]);
    hand.click(hand.at(-60.0, -60.0));
    assert!(hand.editor.selection().is_empty());
    let wire = hand.editor.link_middle((hasse_editor::edit::link::LinkList::Arcs, 1)).unwrap();
    hand.click(wire);
    assert_eq!(hand.editor.selected_target().unwrap().to_string(), "g arcs row 2");
    assert_eq!(hand.text(), PROGRAM);
}

#[test]
fn a_band_to_the_right_takes_in_wholes_and_to_the_left_what_it_touches() {
    let mut hand = Hand::new();
    hand.drag(hand.at(-30.0, -30.0), hand.at(220.0, 120.0));
    assert_eq!(hand.selected(), ["A"]);
    hand.drag(hand.at(350.0, -30.0), hand.at(100.0, 120.0));
    assert_eq!(hand.selected(), ["B"]);
    assert_eq!(hand.editor.selection().links.len(), 2);
    let corner = hand.at(-30.0, -30.0);
    hand.drag_as(Button::Left, corner, hand.at(150.0, 120.0), Modifiers::SHIFT);
    assert_eq!(hand.selected(), ["A", "B"]);
    hand.pull(hand.at(350.0, 120.0), hand.at(450.0, 120.0));
    assert!(!hand.editor.picture().band.unwrap().is_touching);
    hand.key(Key::Escape);
    assert_eq!(hand.selected(), ["A", "B"]);
}

#[test]
fn a_frame_moves_with_what_stands_in_it_and_alone_at_its_edges() {
    let mut hand = Hand::new();
    let title = hand.at(250.0, 160.0);
    hand.drag(title, Point::new(title.x + 20.0, title.y + 300.0));
    let moved = hand.since(PROGRAM);
    assert!(moved.contains("+D = [220, 500]\n"), "{moved}");
    assert!(
        moved.contains("+\"frame 1\" = { at = [200, 450], size = [140, 160], title = \"group\" }\n"),
        "{moved}"
    );
    hand.undo_to(PROGRAM);
    hand.drag(hand.at(320.0, 310.0), hand.at(402.0, 418.0));
    assert_eq!(
        hand.since(PROGRAM),
        "-\"frame 1\" = { at = [180, 150], size = [140, 160], title = \"group\" }\n\
         +\"frame 1\" = { at = [180, 150], size = [220, 270], title = \"group\" }\n"
    );
    hand.undo_to(PROGRAM);
}

#[test]
fn a_comment_is_wrapped_at_its_edge() {
    let mut hand = Hand::new();
    let area = hand.editor.picture().comments[0].area;
    let edge = Point::new(area.max.x, area.center().y);
    hand.drag(edge, Point::new(area.min.x + 90.0, edge.y));
    assert!(hand.since(PROGRAM).contains("text = \"says one or\\ntwo words\""), "{}", hand.since(PROGRAM));
    hand.undo_to(PROGRAM);
    let inside = Point::new(area.min.x + 20.0, area.center().y);
    hand.drag_as(Button::Left, inside, Point::new(inside.x + 51.0, inside.y + 50.0), Modifiers::ALT);
    assert!(hand.text().contains("at = [651, 50]"));
    hand.undo_to(PROGRAM);
}

#[test]
fn the_wheel_zooms_at_the_cursor_and_moves_the_picture() {
    let mut hand = Hand::new();
    let at = hand.title("C");
    let held = hand.editor.view().world_from_screen(at);
    let mut wheel = |delta: Point, modifiers| {
        hand.editor.pointer(PointerEvent::Wheel { at, delta, modifiers });
        hand.editor.view()
    };
    let view = wheel(Point::new(0.0, 120.0), Modifiers::NONE);
    assert!(view.zoom() > 1.1 && view.screen_from_world(held).distance(at) < 1e-6);
    let closer = wheel(Point::new(0.0, 120.0), Modifiers::CTRL);
    assert!(closer.zoom() > view.zoom());
    let aside = wheel(Point::new(0.0, 50.0), Modifiers::SHIFT);
    assert_eq!(aside.zoom(), closer.zoom());
    assert!((aside.screen_from_world(held).x - at.x - 50.0).abs() < 1e-6);
    let down = wheel(Point::new(0.0, -30.0), Modifiers::ALT);
    assert!((down.screen_from_world(held).y - at.y + 30.0).abs() < 1e-6);
    let pinched = wheel(Point::new(f64::NAN, f64::INFINITY), Modifiers::NONE);
    assert_eq!(pinched, down);
}

#[test]
fn the_picture_is_moved_with_the_middle_button_and_with_space() {
    let mut hand = Hand::new();
    let from = hand.title("A");
    hand.drag_as(Button::Middle, from, Point::new(from.x + 30.0, from.y - 20.0), Modifiers::NONE);
    assert_eq!(hand.title("A"), Point::new(from.x + 30.0, from.y - 20.0));
    hand.key(Key::Space);
    hand.drag(hand.title("A"), from);
    assert_eq!(hand.title("A"), from);
    hand.editor.key_up(Key::Space);
    hand.drag(from, Point::new(from.x + 30.0, from.y));
    assert!(hand.text().contains("\nA = [30, 0]\n"));
}

#[test]
fn the_picture_moves_while_something_is_held_at_the_border() {
    let mut hand = Hand::new();
    let from = hand.title("A");
    let border = Point::new(1195.0, 400.0);
    hand.pull(from, border);
    assert!(hand.editor.is_busy());
    let origin = hand.editor.view().origin();
    hand.wait(0);
    for _ in 0..10 {
        assert!(hand.wait(50));
    }
    let moved = hand.editor.view().origin();
    assert!(moved.x > origin.x + 50.0 && moved.y == origin.y, "{origin:?} {moved:?}");
    let area = hand.editor.node_area("A").unwrap();
    assert!((area.center().x - border.x).abs() < 10.0, "the box stays at the cursor");
    hand.key(Key::Escape);
    let seen = hand.editor.view();
    hand.wait(50);
    assert_eq!(hand.editor.view(), seen);
    assert_eq!(hand.text(), PROGRAM);
}

#[test]
fn what_is_under_the_mouse_is_shown() {
    let mut hand = Hand::new();
    hand.moves(hand.editor.link_middle((hasse_editor::edit::link::LinkList::Arcs, 0)).unwrap());
    let picture = hand.editor.picture();
    let hovered: Vec<_> = picture.ports.iter().filter(|port| port.is_hovered).map(|port| port.at).collect();
    assert_eq!(hovered, [hand.output("A", "x"), hand.input("B", "x")]);
    assert!(
        picture.wires.iter().any(|group| group.style == hasse_editor::state::picture::WireStyle::Hovered)
    );
    hand.moves(hand.title("C"));
    let picture = hand.editor.picture();
    let hovered: Vec<_> =
        picture.nodes.iter().filter(|node| node.is_hovered).map(|node| &*node.key).collect();
    assert_eq!(hovered, ["C"]);
    hand.editor.pointer(PointerEvent::Leave);
    assert!(!hand.editor.picture().nodes.iter().any(|node| node.is_hovered));
}

#[test]
fn double_clicks_open_what_is_under_them() {
    let mut hand = Hand::new();
    hand.double_click(hand.title("B"));
    let [Request::Show(target)] = &hand.requests()[..] else { panic!("one request") };
    assert_eq!(target.to_string(), "g.B do");
    hand.double_click(hand.at(-70.0, -70.0));
    let [Request::Palette { place, wire: None, .. }] = hand.requests()[..] else { panic!("one request") };
    assert_eq!(place, [-70, -70]);
    hand.double_click(hand.at(610.0, 8.0));
    let [Request::Prompt(prompt)] = &hand.requests()[..] else { panic!("one request") };
    assert_eq!((&prompt.purpose, &*prompt.text), (&Purpose::Comment(1), "says one or two words"));
    assert!(hand.editor.answer_prompt(&Purpose::Comment(1), "new"));
    assert!(hand.text().contains("text = \"new\""));
    hand.undo_to(PROGRAM);
    hand.double_click(hand.title("H"));
    assert_eq!(hand.editor.graph(), "h");
}

#[test]
fn a_right_click_selects_and_asks_for_the_menu_of_what_is_there() {
    let mut hand = Hand::new();
    let at = hand.title("B");
    hand.down_as(at, Button::Right, Modifiers::NONE, 1);
    hand.editor.pointer(PointerEvent::Up { at, button: Button::Right, modifiers: Modifiers::NONE });
    assert_eq!(hand.requests(), [Request::Menu { at }]);
    assert_eq!(hand.selected(), ["B"]);
    let menu = hand.editor.context(at);
    assert_eq!(menu.target.part, Part::Node("B".to_owned()));
    let labels: Vec<&str> = menu.items.iter().map(|item| &*item.label).collect();
    assert!(labels.contains(&"Start node") && !labels.contains(&"Unpack the call"), "{labels:?}");
    let port = hand.input("B", "x");
    assert_eq!(hand.editor.context(port).target.to_string(), "g.B in x");
    let menu = hand.editor.context(hand.at(-70.0, -70.0));
    assert_eq!((menu.target.part, hand.selected()), (Part::Graph, vec!["B"]));
    hand.editor.select(Selection::default());
}

#[test]
fn bends_go_with_the_boxes_of_their_wire() {
    let text = PROGRAM.to_owned() + "\"A.x -> B.x\" = [[150, 100]]\n";
    let mut hand = Hand::of(&text);
    let from = hand.title("A");
    let to = Point::new(from.x, from.y - 50.0);
    hand.drag(from, to);
    assert_eq!(hand.since(&text), "-A = [0, 0]\n+A = [0, -50]\n", "only one of its boxes");
    hand.undo_to(&text);
    hand.select(&["A", "B"]);
    hand.drag(from, to);
    assert!(hand.since(&text).contains("+\"A.x -> B.x\" = [[150, 50]]\n"), "{}", hand.since(&text));
    hand.undo_to(&text);
    hand.pull(from, to);
    hand.key(Key::Escape);
    hand.up(to);
    hand.key(Key::Escape);
    hand.editor.pointer(PointerEvent::Leave);
    let mut fresh = Hand::of(&text);
    assert_eq!(hand.editor.picture().wires, fresh.editor.picture().wires);
}

#[test]
fn a_box_that_does_not_take_what_a_wire_sends_is_moved_alone() {
    // `S` takes and gives strings.
    let text = PROGRAM.replace(
        "[graph.h]",
        "[graph.g.uc.S]\nin = { a = \"string\" }\nout = { b = \"string\" }\n\n[graph.h]",
    );
    let text = text.replace("H = [0, 200]", "H = [0, 200]\nS = [0, 400]");
    let mut hand = Hand::of(&text);
    let (title, area) = (hand.title("S"), hand.editor.node_area("S").unwrap());
    let at = hand.editor.link_middle((hasse_editor::edit::link::LinkList::Arcs, 0)).unwrap();
    hand.drag(title, Point::new(at.x, at.y - area.height() / 2.0 + 12.0));
    assert!(!hand.editor.status().is_refusal);
    assert!(hand.text().contains("A.x -> B.x") && !hand.text().contains("S = [0, 400]"));
    hand.undo_to(&text);
}

#[test]
fn boxes_without_a_place_stay_when_others_are_moved() {
    let text = PROGRAM.replace("E = [600, 200]\n", "").replace("H = [0, 200]\n", "");
    let mut hand = Hand::of(&text);
    let areas = |hand: &Hand| ["E", "H"].map(|node| hand.editor.node_area(node).unwrap());
    let before = areas(&hand);
    let from = hand.title("total");
    hand.drag(from, Point::new(from.x, from.y + 300.0));
    assert_eq!(areas(&hand), before);
    hand.undo_to(&text);
    assert_eq!(areas(&hand), before);
}

#[test]
fn another_button_gives_up_what_was_begun() {
    let mut hand = Hand::new();
    let from = hand.title("A");
    let to = Point::new(from.x + 100.0, from.y + 100.0);
    hand.pull(from, to);
    hand.down_as(to, Button::Right, Modifiers::NONE, 1);
    assert!(!hand.editor.is_gesture());
    hand.editor.pointer(PointerEvent::Up { at: to, button: Button::Right, modifiers: Modifiers::NONE });
    hand.up(to);
    assert_eq!((hand.title("A"), hand.text()), (from, PROGRAM));
    assert!(hand.requests().is_empty());
}

/// Two units with a wire from one to the other that goes around a box, and a free unit.
const LONG_WIRE: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = ["A.x -> C.x"]

[graph.g.uc.A]
start = true
out = { x = "int" }

[graph.g.uc.B]

[graph.g.uc.C]
in = { x = "int" }

[graph.g.uc.E]
in = { a = "int" }
out = { b = "int" }

[layout.g]
A = [0, 0]
B = [300, 0]
C = [700, 300]
E = [0, 500]
"#;

#[test]
fn box_is_put_onto_a_wire_anywhere_along_it() {
    let mut hand = Hand::of(LONG_WIRE);
    for share in [0.2, 0.35, 0.5, 0.65, 0.8] {
        let at = hand.editor.link_at_share((hasse_editor::edit::link::LinkList::Arcs, 0), share).unwrap();
        // The pointer holds the title, which is on the wire.
        let from = hand.title("E");
        hand.pull_as(Button::Left, from, at, Modifiers::ALT);
        let picture = hand.editor.picture();
        assert!(
            picture.wires.iter().any(|group| group.style == WireStyle::Hovered),
            "the wire is highlighted at {share}"
        );
        hand.up(at);
        let since = hand.since(LONG_WIRE);
        assert!(since.contains("A.x -> E.a") && since.contains("E.b -> C.x"), "at {share}: {since}");
        hand.undo_to(LONG_WIRE);
    }
    // Next to a wire a box is free.
    let at = hand.editor.link_at_share((hasse_editor::edit::link::LinkList::Arcs, 0), 0.5).unwrap();
    let from = hand.title("E");
    hand.drag(from, Point::new(at.x - 150.0, at.y + 120.0));
    assert!(!hand.since(LONG_WIRE).contains("E.b -> C.x"));
}
