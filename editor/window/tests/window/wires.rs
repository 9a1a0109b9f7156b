use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::PROGRAM;

#[test]
fn a_wire_is_drawn_from_port_to_port() {
    let hand = Driver::of(PROGRAM);
    hand.drag(hand.output("A", "x"), hand.input("D", "a"));
    assert_eq!(hand.since(PROGRAM), ["+  \"A.x -> D.a\","]);
    hand.ctrl('z');
    hand.drag(hand.input("E", "a"), hand.output("B", "y"));
    assert_eq!(hand.since(PROGRAM), ["+  \"B.y -> E.a\","]);
    hand.ctrl('z');
    hand.drag(hand.output("D", "s"), hand.node_at("E"));
    assert!(hand.program().contains("\"D.s -> E.s\""), "{:?}", hand.since(PROGRAM));
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn a_refused_wire_says_why() {
    let hand = Driver::of(PROGRAM);
    let why = "`D.s` sends `string`, but `E.a` takes `int`.";
    hand.pull(hand.output("D", "s"), hand.input("E", "a"));
    assert!(hand.reads(why), "beside the mouse");
    assert_eq!(hand.status(), why);
    hand.up();
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn a_wire_that_is_dropped_on_nothing_asks_for_what_takes_it() {
    let hand = Driver::of(PROGRAM);
    let from = hand.output("D", "s");
    hand.drag(from, [from[0] + 90.0, from[1] + 60.0]);
    assert!(hand.reads("Connect a wire of type string"));
    assert!(hand.has("unit") && hand.has("Read lines.path"));
    assert!(!hand.has("E.a") && !hand.has("shared int"), "only what takes a string");
    hand.type_text("unit");
    hand.key(Key::Return);
    let program = hand.program();
    assert!(program.contains("\"D.s -> node.a\"") && program.contains("[graph.g.uc.node]"), "{program}");
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn the_end_of_a_wire_is_plugged_into_another_port() {
    let hand = Driver::of(PROGRAM);
    let (from, to) = (hand.input("C", "x"), hand.input("E", "a"));
    let begin = hand.arc_end(from);
    hand.drag(begin, to);
    assert_eq!(hand.since(PROGRAM), ["-  \"B.y -> C.x\",", "+  \"B.y -> E.a\","]);
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn a_wire_is_selected_bent_and_deleted() {
    let hand = Driver::of(PROGRAM);
    let middle = hand.opened.arc_at(1).unwrap();
    hand.click_at(middle);
    assert!(hand.reads("arc"), "the inspector shows it");
    hand.key(Key::Delete);
    assert_eq!(hand.since(PROGRAM), ["-  \"B.y -> C.x\","]);
    hand.ctrl('z');
    let middle = hand.opened.arc_at(0).unwrap();
    hand.double_click(middle);
    hand.drag(middle, [middle[0], middle[1] + 40.0]);
    assert!(hand.program().contains("\"A.x -> B.x\" = [["), "{:?}", hand.since(PROGRAM));
    while hand.app().get_can_undo() {
        hand.ctrl('z');
    }
    assert_eq!(hand.program(), PROGRAM);
}
