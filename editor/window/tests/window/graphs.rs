use slint::platform::Key;

use crate::common::programs::PROGRAM;
use crate::common::{Driver, middle};

#[test]
fn calls_are_entered_and_left() {
    let hand = Driver::of(PROGRAM);
    hand.double_click(hand.node_at("H"));
    assert_eq!(hand.path(), ["g", "H (h)"]);
    assert!(hand.node("A").is_none());
    hand.type_text("u");
    assert_eq!(hand.path(), ["g"]);
    hand.click_at(hand.node_at("H"));
    hand.key(Key::Return);
    assert_eq!(hand.path(), ["g", "H (h)"]);
    hand.click("go to g");
    assert_eq!(hand.path(), ["g"]);
}

#[test]
fn graphs_are_chosen_in_the_tree_and_added() {
    let hand = Driver::of(PROGRAM);
    let row = hand.row("h");
    hand.click_at(middle(&row));
    assert_eq!(hand.path(), ["g", "H (h)"], "by the call of it");
    hand.click("Add a graph");
    assert!(hand.program().contains("[graph.graph]"), "{}", hand.program());
    assert_eq!(hand.path(), ["graph"]);
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn comments_and_frames_are_asked_for_and_retitled() {
    let hand = Driver::of(PROGRAM);
    hand.ctrl('/');
    assert!(hand.has("Comment"));
    hand.type_text("why\nso");
    hand.click("OK");
    assert!(hand.program().contains("text = \"why\\nso\""), "{:?}", hand.since(PROGRAM));
    hand.ctrl('z');
    hand.double_click(middle(&hand.item("comment says one or two words")));
    hand.ctrl('a');
    hand.type_text("new");
    hand.key_with(Key::Shift, Key::Return);
    assert!(hand.has("comment new"));
    hand.ctrl('z');
    hand.click_at(hand.node_at("A"));
    hand.ctrl('g');
    assert!(hand.has("name"), "the title of the frame is asked for");
    hand.type_text("first");
    hand.key(Key::Return);
    assert!(hand.has("frame first"), "{:?}", hand.since(PROGRAM));
    while hand.app().get_can_undo() {
        hand.ctrl('z');
    }
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn boxes_are_renamed_and_a_name_that_is_taken_is_refused() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("A"));
    hand.key(Key::F2);
    assert_eq!(hand.value("name"), "A");
    hand.ctrl('a');
    hand.type_text("B");
    hand.key(Key::Return);
    assert!(hand.has("name"), "the field stays");
    assert_eq!(hand.program(), PROGRAM);
    hand.type_text("ig");
    hand.key(Key::Return);
    assert!(!hand.has("name"));
    assert_eq!(hand.selected(), ["Big"]);
    assert!(hand.program().contains("\"Big.x -> B.x\""));
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn boxes_are_collapsed_into_a_graph_and_unpacked() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("A"));
    hand.ctrl_shift('g');
    hand.key(Key::Return);
    assert!(hand.status().starts_with("`A` is a start or stop node"), "{}", hand.status());
    hand.key(Key::Escape);
    hand.click_at(hand.node_at("B"));
    hand.click_with(Key::Shift, hand.node_at("E"));
    hand.ctrl_shift('g');
    assert_eq!(hand.value("name"), "Part");
    hand.key(Key::Return);
    let program = hand.program();
    assert!(program.contains("[graph.Part]"), "{} {}", hand.status(), hand.app().get_status_tone());
    assert!(hand.node("B").is_none());
    hand.ctrl_shift('u');
    assert!(hand.node("B").is_some() && hand.node("E").is_some());
    hand.ctrl('z');
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn a_frame_is_moved_with_what_it_holds_and_resized_by_its_edge() {
    let hand = Driver::of(PROGRAM);
    let frame = || {
        let item = hand.item("frame group");
        let (at, size) = (item.absolute_position(), item.size());
        ([at.x, at.y], [at.x + size.width, at.y + size.height])
    };
    let grid = 40.0 * hand.zoom();
    let (_, end) = frame();
    hand.drag([end[0] - 1.0, end[1] - 1.0], [end[0] - 1.0 + grid, end[1] - 1.0 + grid]);
    let size = hand.since(PROGRAM);
    assert!(size.len() == 2 && size[1].contains("at = [180, 150], size = [180, 200]"), "{size:?}");
    hand.ctrl('z');
    let (begin, _) = frame();
    // Its title, which stands at the left.
    let title = [begin[0] + 14.0 * hand.zoom(), begin[1] + 10.0 * hand.zoom()];
    hand.drag(title, [title[0] + grid, title[1]]);
    let moved = hand.since(PROGRAM).join("\n");
    assert!(
        moved.contains("+D = [240, 200]") && moved.contains("at = [220, 150], size = [140, 160]"),
        "{moved}"
    );
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn graph_out_of_sight_says_how_to_see_it() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.nowhere());
    for _ in 0..20 {
        if hand.reads("out of sight") {
            break;
        }
        hand.key_with(Key::Shift, Key::RightArrow);
    }
    assert!(hand.reads("The graph is out of sight. Press H to show all of it."));
    assert!(!hand.reads("Press A or double click"));
    hand.type_text("h");
    assert!(!hand.reads("out of sight"));
    let empty = Driver::empty();
    assert!(empty.reads("Press A or double click to add a node."));
}
