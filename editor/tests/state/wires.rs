use hasse_editor::drawing::geometry::Point;
use hasse_editor::edit::link::LinkList;
use hasse_editor::palette::{self, WireEnd};
use hasse_editor::state::Request;
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Button, Key, Modifiers};
use hasse_editor::state::picture::{PortState, WireStyle};

use super::{Hand, PROGRAM};

fn middle(hand: &Hand, row: usize) -> Point {
    hand.editor.link_middle((LinkList::Arcs, row)).unwrap()
}

#[test]
fn a_wire_is_drawn_from_port_to_port_in_either_direction() {
    let mut hand = Hand::new();
    hand.drag(hand.output("A", "x"), hand.input("D", "a"));
    assert_eq!(hand.since(PROGRAM), "+  \"A.x -> D.a\",\n");
    assert_eq!(hand.editor.selected_target().unwrap().to_string(), "g arcs row 3");
    hand.undo_to(PROGRAM);
    hand.drag(hand.input("E", "a"), hand.output("B", "y"));
    assert_eq!(hand.since(PROGRAM), "+  \"B.y -> E.a\",\n");
    hand.undo_to(PROGRAM);
    hand.drag(hand.shared("C", "sum"), hand.shared("total", ""));
    assert!(hand.text().contains("\"total -- C.sum\""));
    hand.undo_to(PROGRAM);
    let inside = hand.title("E");
    hand.drag(hand.output("D", "b"), inside);
    assert_eq!(hand.since(PROGRAM), "+  \"D.b -> E.a\",\n");
}

#[test]
fn a_unit_without_a_port_that_takes_a_wire_gets_one() {
    let mut hand = Hand::new();
    hand.pull(hand.output("D", "s"), hand.title("E"));
    let ghost = hand.editor.picture().ghost.unwrap();
    assert_eq!((ghost.takes, &*ghost.text), (Some(true), "A new port of E"));
    hand.up(hand.title("E"));
    assert_eq!(
        hand.since(PROGRAM),
        "+  \"D.s -> E.s\",\n-in = { a = \"int\" }\n+in = { a = \"int\", s = \"string\" }\n"
    );
    hand.undo_to(PROGRAM);
    hand.drag(hand.shared("total", ""), hand.title("E"));
    assert_eq!(
        hand.since(PROGRAM),
        "+share = [\n+  \"total -- E.total\",\n+]\n+shared = { total = \"write\" }\n"
    );
    hand.undo_to(PROGRAM);
    hand.drag(hand.shared("C", "sum"), hand.title("E"));
    assert_eq!(hand.text(), PROGRAM, "a unit is no shared object");
}

#[test]
fn a_wire_says_what_it_will_be_and_why_it_is_refused() {
    let mut hand = Hand::new();
    let (from, wrong) = (hand.output("D", "s"), hand.input("E", "a"));
    hand.pull(from, wrong);
    let ghost = hand.editor.picture().ghost.unwrap();
    assert_eq!((ghost.takes, ghost.to), (Some(false), wrong));
    assert_eq!(ghost.text, "`D.s` sends `string`, but `E.a` takes `int`.");
    assert!(hand.editor.status().is_refusal);
    let state = |hand: &mut Hand, at: Point| {
        let picture = hand.editor.picture();
        picture.ports.iter().find(|port| port.at == at).unwrap().state
    };
    assert_eq!(state(&mut hand, wrong), PortState::Refused);
    assert_eq!(state(&mut hand, from), PortState::Begin);
    hand.up(wrong);
    assert_eq!(hand.text(), PROGRAM);

    hand.pull(hand.output("D", "b"), wrong);
    let ghost = hand.editor.picture().ghost.unwrap();
    assert_eq!((ghost.takes, &*ghost.text), (Some(true), "D.b -> E.a"));
    let (free, own) = (hand.input("B", "x"), hand.output("A", "x"));
    assert_eq!(state(&mut hand, wrong), PortState::Chosen);
    assert_eq!(state(&mut hand, free), PortState::Candidate);
    assert_eq!(state(&mut hand, own), PortState::Refused);
    hand.key(Key::Escape);
    assert_eq!(hand.editor.picture().ghost, None);
}

#[test]
fn a_wire_dropped_on_nothing_asks_for_the_palette_and_is_connected() {
    let mut hand = Hand::new();
    hand.drag(hand.output("D", "s"), hand.at(100.0, 400.0));
    let [Request::Palette { place, wire: Some((wire, from)), .. }] = &hand.requests()[..] else {
        panic!("one request")
    };
    assert_eq!((*place, wire.from, &*wire.ty), ([100, 400], WireEnd::Source, "string"));
    assert_eq!(hand.text(), PROGRAM);
    let entries = palette::entries(hand.text(), "g", Some(wire));
    let unit = entries.iter().find(|entry| entry.action == palette::Action::UnitWithPort).unwrap();
    let name = hand.editor.insert(&unit.action, *place, Some(from)).unwrap();
    let done = hand.since(PROGRAM);
    for line in ["+  \"D.s -> node.a\",\n", "+in = { a = \"string\" }\n", "+node = [100, 400]\n"] {
        assert!(done.contains(line), "{done}");
    }
    assert_eq!(hand.selected(), [name]);
    hand.undo_to(PROGRAM);
    for entry in &entries {
        if hand.editor.insert(&entry.action, *place, Some(from)).is_some() {
            assert!(hand.text().contains("D.s -> "), "{}", entry.label);
            hand.undo_to(PROGRAM);
        } else {
            assert!(hand.editor.status().is_refusal && hand.text() == PROGRAM, "{}", entry.label);
        }
    }
}

#[test]
fn the_end_of_a_wire_is_led_elsewhere_or_dropped() {
    let mut hand = Hand::new();
    let end = hand.input("C", "x");
    let near = Point::new(end.x - 18.0, end.y);
    hand.pull(near, hand.input("E", "a"));
    assert!(hand.editor.picture().wires.iter().any(|group| group.style == WireStyle::Dimmed));
    hand.up(hand.input("E", "a"));
    assert_eq!(hand.since(PROGRAM), "-  \"B.y -> C.x\",\n+  \"B.y -> E.a\",\n");
    hand.undo_to(PROGRAM);

    hand.click(middle(&hand, 1));
    hand.drag(hand.output("B", "y"), hand.output("D", "b"));
    assert_eq!(hand.since(PROGRAM), "-  \"B.y -> C.x\",\n+  \"D.b -> C.x\",\n", "the selected wire's end");
    hand.undo_to(PROGRAM);

    hand.drag(near, hand.at(350.0, 450.0));
    assert_eq!(hand.since(PROGRAM), "-  \"B.y -> C.x\",\n");
    hand.undo_to(PROGRAM);
    hand.drag(near, hand.title("total"));
    assert_eq!(hand.text(), PROGRAM);
    hand.drag(near, end);
    assert_eq!((hand.text(), hand.editor.document().next_undo()), (PROGRAM, None), "where it was");
}

#[test]
fn wires_are_bent_by_pulling_and_by_double_clicks() {
    let mut hand = Hand::new();
    let at = middle(&hand, 0);
    hand.drag(at, Point::new(at.x + 2.0, at.y + 60.0));
    let world = hand.editor.view().world_from_screen(Point::new(at.x, at.y + 60.0));
    assert!(hand.since(PROGRAM).starts_with("+\"A.x -> B.x\" = [["), "{}", hand.since(PROGRAM));
    let bent = hand.text().to_owned();
    let bend = hand.editor.picture().bends[0].at;
    assert!(hand.editor.view().world_from_screen(bend).distance(world) < 10.0);
    hand.key(Key::Escape);
    hand.moves(Point::new(1.0, 1.0));
    assert!(hand.editor.picture().bends.is_empty(), "shown for what is selected");
    hand.click(bend);
    assert_eq!(hand.editor.selection().bends.len(), 1);
    assert_eq!(hand.editor.picture().bends.len(), 1);
    hand.drag(bend, Point::new(bend.x, bend.y + 20.0));
    assert_ne!(hand.text(), bent);
    hand.undo_to(&bent);
    hand.double_click(bend);
    assert!(!hand.text().contains("\"A.x -> B.x\" = [["));
    hand.undo_to(&bent);
    hand.click(bend);
    hand.key(Key::Delete);
    assert!(!hand.text().contains("\"A.x -> B.x\" = [["));
    hand.undo_to(&bent);
    hand.undo_to(PROGRAM);

    hand.double_click(middle(&hand, 0));
    assert!(hand.text().contains("\"A.x -> B.x\" = [["));
    hand.editor.act(Action::RemoveBends);
    assert!(hand.editor.selection().links.is_empty());
    hand.click(hand.output("A", "x"));
    hand.select(&["A", "B"]);
    hand.editor.act(Action::RemoveBends);
    assert!(!hand.text().contains("\"A.x -> B.x\" = [["));
}

#[test]
fn a_knife_cuts_what_it_crosses() {
    let mut hand = Hand::new();
    let (above, below) = (hand.at(150.0, -60.0), hand.at(150.0, 140.0));
    hand.pull_as(Button::Right, above, below, Modifiers::CTRL);
    let picture = hand.editor.picture();
    assert!(picture.knife.len() >= 2);
    assert_eq!(picture.wires.iter().filter(|group| group.style == WireStyle::Refused).count(), 1);
    hand.key(Key::Escape);
    hand.drag_as(Button::Right, above, below, Modifiers::CTRL);
    assert_eq!(hand.since(PROGRAM), "-  \"A.x -> B.x\",  # first\n");
    hand.undo_to(PROGRAM);
    hand.drag_as(Button::Right, hand.at(-50.0, 60.0), hand.at(-40.0, 400.0), Modifiers::CTRL);
    assert_eq!(hand.editor.document().next_undo(), None);
}

#[test]
fn a_box_dropped_on_a_wire_is_put_into_it() {
    let mut hand = Hand::new();
    let (from, area) = (hand.title("E"), hand.editor.node_area("E").unwrap());
    let at = middle(&hand, 1);
    let to = Point::new(at.x, at.y - area.height() / 2.0 + (from.y - area.min.y));
    hand.pull(from, to);
    assert!(hand.editor.picture().wires.iter().any(|group| group.style == WireStyle::Hovered));
    hand.up(to);
    let done = hand.since(PROGRAM);
    assert!(done.contains("+  \"B.y -> E.a\",\n") && done.contains("+  \"E.b -> C.x\",\n"), "{done}");
    hand.undo_to(PROGRAM);
    assert_eq!(hand.editor.node_area("E"), Some(area));
}

#[test]
fn a_wire_is_made_by_keys_alone() {
    let mut hand = Hand::new();
    hand.select(&["D"]);
    hand.key(Key::Char('c'));
    assert!(hand.editor.status().text.starts_with("Wire from D.b:"), "{}", hand.editor.status().text);
    hand.key(Key::Tab);
    assert!(hand.editor.status().text.starts_with("Wire from D.s:"));
    hand.key_as(Key::Tab, Modifiers::SHIFT);
    hand.key(Key::Enter);
    let mut seen = Vec::new();
    for _ in 0..5 {
        let ghost = hand.editor.picture().ghost.unwrap();
        seen.push(ghost.text);
        hand.key(Key::Down);
    }
    seen.sort();
    assert_eq!(seen, ["D.b -> B.x", "D.b -> C.x", "D.b -> D.a", "D.b -> E.a", "D.b -> H.p"]);
    while hand.editor.picture().ghost.unwrap().text != "D.b -> H.p" {
        hand.key(Key::Right);
    }
    hand.key(Key::Enter);
    assert_eq!(hand.since(PROGRAM), "+  \"D.b -> H.p\",\n");
    hand.undo_to(PROGRAM);
    hand.select(&["D"]);
    hand.key(Key::Char('c'));
    hand.key(Key::Enter);
    hand.key(Key::Escape);
    assert_eq!((hand.editor.picture().ghost, hand.selected()), (None, vec!["D"]));
}
