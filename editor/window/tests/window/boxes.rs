use slint::platform::Key;

use crate::common::programs::PROGRAM;
use crate::common::{At, Driver};

#[test]
fn a_program_is_shown_with_its_boxes() {
    let hand = Driver::of(PROGRAM);
    for title in ["A", "B", "C", "D", "E", "H", "total"] {
        assert!(hand.node(title).is_some(), "{title}");
    }
    assert_eq!((hand.title(), hand.path()), ("a.hasse".to_owned(), vec!["g".to_owned()]));
    assert!(hand.told_of("A").contains("start"), "{}", hand.told_of("A"));
    assert!(hand.told_of("C").contains("stop"));
    assert!(hand.told_of("H").contains("call"));
    assert!(hand.told_of("total").contains("shared object"));
    assert!(hand.has("frame group") && hand.has("comment says one or two words"));
}

#[test]
fn clicks_select_and_a_click_on_nothing_does_not() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("A"));
    assert_eq!(hand.selected(), ["A"]);
    hand.click_with(Key::Shift, hand.node_at("B"));
    assert_eq!(hand.selected(), ["A", "B"]);
    hand.click_with(Key::Control, hand.node_at("A"));
    assert_eq!(hand.selected(), ["B"]);
    hand.click_at(hand.nowhere());
    assert_eq!(hand.selected(), Vec::<String>::new());
    hand.key(Key::Tab);
    assert_eq!(hand.selected(), ["A"]);
    hand.ctrl('l');
    assert_eq!(hand.selected(), ["A", "B", "C"]);
    hand.ctrl('i');
    assert_eq!(hand.selected(), ["D", "E", "H", "total"]);
    hand.ctrl('a');
    assert_eq!(hand.selected().len(), 7);
    hand.key(Key::Escape);
    assert_eq!(hand.selected(), Vec::<String>::new());
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn a_band_takes_in_what_it_holds_and_to_the_left_what_it_touches() {
    let hand = Driver::of(PROGRAM);
    let (a, b) = (hand.node_at("A"), hand.node_at("B"));
    let half = (b[0] - a[0]) / 2.0;
    let beside = |at: At, x: f32, y: f32| [at[0] + x, at[1] + y];
    hand.drag(hand.nowhere(), beside(a, half, half * 0.8));
    assert_eq!(hand.selected(), ["A"]);
    hand.drag(beside(b, 20.0, half * 0.8), beside(a, 10.0, -40.0 * hand.zoom()));
    assert_eq!(hand.selected(), ["A", "B"]);
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn a_is_for_add_and_what_is_typed_is_found() {
    let hand = Driver::empty();
    let before = hand.program();
    hand.type_text("a");
    assert!(hand.has("palette") && hand.has("Read lines"));
    hand.type_text("start");
    hand.key(Key::Return);
    assert!(!hand.has("palette"));
    assert_eq!(hand.selected(), ["node"]);
    assert!(hand.program().contains("[graph.main.uc.node]\nstart = true"), "{}", hand.program());
    assert_eq!(hand.status(), "Added node");
    hand.ctrl('z');
    assert_eq!((hand.program(), hand.node("node").is_none()), (before, true));
    hand.ctrl('y');
    assert!(hand.node("node").is_some());
}

#[test]
fn a_double_click_on_nothing_adds_there_and_the_palette_can_be_left() {
    let hand = Driver::of(PROGRAM);
    let at = hand.nowhere();
    hand.double_click(at);
    assert!(hand.reads("Add to the graph"));
    hand.key(Key::Escape);
    assert!(!hand.has("palette"));
    let other = [at[0] + 40.0, at[1]];
    hand.double_click(other);
    hand.key(Key::DownArrow);
    hand.key(Key::UpArrow);
    hand.type_text("shared int");
    hand.click("shared int");
    let object = hand.node("object").unwrap();
    let place = object.absolute_position();
    assert!((place.x - other[0]).abs() < 12.0 && (place.y - other[1]).abs() < 12.0, "{place:?} {other:?}");
    assert!(hand.program().contains("[graph.g.shared.object]"));
}

#[test]
fn boxes_are_moved_on_the_grid_by_mouse_and_keys() {
    let hand = Driver::of(PROGRAM);
    let zoom = hand.zoom();
    hand.click_at(hand.node_at("A"));
    hand.click_with(Key::Shift, hand.node_at("B"));
    let from = hand.node_at("A");
    hand.drag(from, [from[0] + 43.0 * zoom, from[1] + 78.0 * zoom]);
    assert_eq!(hand.since(PROGRAM), ["-A = [0, 0]", "-B = [200, 0]", "+A = [40, 80]", "+B = [240, 80]"]);
    assert_eq!(hand.selected(), ["A", "B"]);
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
    let from = hand.node_at("E");
    hand.pull(from, [from[0] - 60.0, from[1] + 20.0]);
    hand.key(Key::Escape);
    hand.up();
    assert_eq!(hand.program(), PROGRAM);
    hand.click_at(hand.node_at("D"));
    hand.key(Key::RightArrow);
    hand.key_with(Key::Shift, Key::DownArrow);
    assert!(hand.since(PROGRAM).len() <= 2, "{:?}", hand.since(PROGRAM));
}

#[test]
fn what_is_selected_is_deleted_and_arcs_are_joined_on_request() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("B"));
    hand.key(Key::Delete);
    assert!(hand.node("B").is_none() && !hand.program().contains("->  C.x"));
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
    hand.click_at(hand.node_at("B"));
    hand.key_with(Key::Control, Key::Delete);
    assert!(hand.program().contains("\"A.x -> C.x\""), "{}", hand.program());
    hand.click("Undo (Ctrl+Z)");
    assert_eq!(hand.program(), PROGRAM);
    hand.click("Redo (Ctrl+Shift+Z)");
    assert!(hand.program().contains("\"A.x -> C.x\""));
}

#[test]
fn copies_go_through_the_clipboard_and_duplicates_do_not() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("A"));
    hand.click_with(Key::Shift, hand.node_at("B"));
    hand.ctrl('c');
    hand.move_to(hand.nowhere());
    hand.ctrl('v');
    assert_eq!(hand.selected(), ["A2", "B2"]);
    assert!(hand.program().contains("\"A2.x -> B2.x\""), "{}", hand.program());
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
    hand.click_at(hand.node_at("D"));
    hand.ctrl('x');
    assert!(hand.node("D").is_none());
    hand.ctrl('v');
    assert!(hand.node("D").is_some());
    hand.ctrl('z');
    hand.ctrl('z');
    hand.click_at(hand.node_at("E"));
    hand.ctrl('d');
    assert_eq!(hand.selected(), ["E2"]);
    assert!(hand.program().contains("[graph.g.uc.E2]"));
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn boxes_are_aligned_and_tidied() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("A"));
    hand.click_with(Key::Shift, hand.node_at("D"));
    hand.alt('w');
    assert_eq!(hand.since(PROGRAM), ["-D = [200, 200]", "+D = [200, 0]"]);
    hand.ctrl('z');
    hand.click("Tidy all (L)");
    assert_ne!(hand.program(), PROGRAM);
    assert!(hand.since(PROGRAM).iter().all(|line| line.contains(" = [") || line.contains(" = {")));
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}
