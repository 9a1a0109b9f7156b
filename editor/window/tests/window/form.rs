use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::PROGRAM;

/// A window that is high enough for all fields, with a node selected.
fn form_of(node: &str) -> Driver {
    let hand = Driver::of(PROGRAM);
    hand.resize(1400.0, 1400.0);
    hand.key(Key::Home);
    hand.click_at(hand.node_at(node));
    assert_eq!(hand.selected(), [node]);
    hand
}

#[test]
fn a_name_is_taken_with_enter_and_the_program_follows() {
    let hand = form_of("B");
    assert_eq!(hand.value("Name"), "B");
    hand.write("Name", "Next");
    assert_eq!(hand.program(), PROGRAM, "not before Enter");
    hand.key(Key::Return);
    assert!(hand.program().contains("\"A.x -> Next.x\""), "{:?}", hand.since(PROGRAM));
    assert_eq!(hand.selected(), ["Next"]);
    hand.click("Undo (Ctrl+Z)");
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn texts_and_flags_are_taken_as_they_are_typed() {
    let hand = form_of("D");
    hand.write("Description", "adds");
    assert_eq!(hand.since(PROGRAM), ["+doc = \"adds\""]);
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM, "one visit of a field is one step");
    hand.click("Start node");
    assert_eq!(hand.since(PROGRAM), ["+start = true"]);
    assert!(hand.told_of("D").contains("start"));
    hand.press("Start node");
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn rows_are_added_filled_and_removed() {
    let hand = form_of("E");
    hand.click("Add to Input ports");
    hand.type_text("more");
    hand.key(Key::Return);
    assert_eq!(hand.since(PROGRAM), ["-in = { a = \"int\" }", "+in = { a = \"int\", more = \"any\" }"]);
    hand.click("Remove Output ports b");
    assert!(!hand.program().contains("\nout = { b = \"int\" }"));
    hand.click_at(hand.nowhere());
    while hand.app().get_can_undo() {
        hand.ctrl('z');
    }
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn keys_in_a_field_never_edit_the_graph() {
    let hand = form_of("B");
    hand.click("Description");
    hand.type_text("a cut");
    hand.key(Key::Backspace);
    hand.key(Key::Delete);
    hand.ctrl('a');
    hand.ctrl('d');
    hand.ctrl('l');
    hand.key(Key::Home);
    hand.type_text("lhfux");
    assert_eq!(hand.selected(), ["B"]);
    assert_eq!(hand.since(PROGRAM), ["+doc = \"lhfuxa cu\""]);
    hand.ctrl('a');
    hand.key(Key::Delete);
    assert!(hand.node("B").is_some());
    hand.key(Key::Escape);
    hand.key(Key::Delete);
    assert!(hand.node("B").is_none(), "the picture has the keys again");
}

#[test]
fn what_can_be_put_is_offered_and_chosen_by_keys() {
    let hand = form_of("H");
    hand.click("Graph");
    assert!(hand.find(AccessibleRole::List, "suggestions").is_some());
    hand.key(Key::Tab);
    assert_eq!(hand.program(), PROGRAM, "a field that is only passed keeps its text");
    assert!(hand.find(AccessibleRole::List, "suggestions").is_none());
    hand.write("Graph", "x");
    assert!(hand.find(AccessibleRole::List, "suggestions").is_none(), "nothing fits");
    hand.key(Key::Backspace);
    assert!(hand.has("g") && hand.has("h"));
    hand.key(Key::DownArrow);
    hand.key(Key::UpArrow);
    hand.key(Key::Return);
    assert!(hand.find(AccessibleRole::List, "suggestions").is_none());
    assert_eq!(hand.since(PROGRAM), ["-graph = \"h\"", "+graph = \"g\""]);
    assert_eq!(hand.value("Graph"), "g");
}

#[test]
fn problems_are_told_at_fields_and_on_boxes() {
    let hand = form_of("C");
    assert!(hand.find(AccessibleRole::TextInput, "Firing rules").is_some());
    hand.write("Firing rules", "y -> x");
    hand.check();
    let told = "`C` has no input port `y`";
    assert!(hand.reads(&format!("E0105: {told}")), "at the field");
    assert!(hand.told_of("C").contains(told), "on the box");
    assert!(hand.reads("3 errors"), "in the bar");
    hand.click("Problems");
    let row = format!("E0105 {told}, g.C fire row 1 · line 36");
    assert!(hand.has(&row), "{:?}", hand.labels(AccessibleRole::ListItem));
    hand.click_at(hand.nowhere());
    hand.click(&row);
    assert_eq!(hand.selected(), ["C"]);
    hand.write("Firing rules", "x -> x");
    hand.check();
    assert!(!hand.has(&row) && hand.reads("2 errors"));
    hand.key(Key::Escape);
    hand.key(Key::F8);
    assert_eq!(hand.selected(), ["total"], "the next problem of the program");
}

#[test]
fn a_long_section_is_shown_in_parts() {
    let arcs: String = (0..70).map(|number| format!("  \"A.x{number} -> B.x{number}\",\n")).collect();
    let hand = Driver::of(&PROGRAM.replace("  \"A.x -> B.x\",\n", &arcs));
    // So high that all of it is in sight.
    hand.resize(1400.0, 9000.0);
    let shown = || {
        let fields = hand.all(AccessibleRole::TextInput);
        fields.iter().filter(|field| field.accessible_label().as_deref() == Some("Arcs")).count()
    };
    assert_eq!(shown(), 60);
    hand.press("11 more of 71");
    assert_eq!((shown(), hand.has("11 more of 71")), (71, false));
    hand.press("Add to Arcs");
    assert_eq!(shown(), 72);
    // Another subject, and back.
    hand.press("A");
    hand.key(Key::Escape);
    hand.click_at(hand.nowhere());
    assert_eq!(shown(), 60);
}

#[test]
fn enter_takes_rule_as_typed_and_tab_completes_it() {
    let hand = form_of("A");
    hand.write("Routing rules", "x <- x for i in 0..n");
    hand.key(Key::Return);
    assert!(hand.program().contains("route = [\"x <- x for i in 0..n\"]"), "{:?}", hand.since(PROGRAM));
    hand.write("Routing rules", "x <- ab");
    hand.key(Key::Tab);
    assert!(hand.program().contains("route = [\"x <- abs()\"]"), "{:?}", hand.since(PROGRAM));
}

#[test]
fn type_of_new_port_is_selected_when_tab_enters_it() {
    let hand = form_of("E");
    hand.click("Add to Input ports");
    hand.type_text("more");
    hand.key(Key::Tab);
    hand.type_text("int");
    hand.key(Key::Return);
    assert_eq!(hand.since(PROGRAM), ["-in = { a = \"int\" }", "+in = { a = \"int\", more = \"int\" }"]);
}

#[test]
fn edited_index_of_arc_keeps_it_selected() {
    let hand = Driver::of(PROGRAM);
    hand.resize(1400.0, 1400.0);
    let (from, to) = (hand.output("A", "x"), hand.input("B", "x"));
    hand.click_at([(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0]);
    assert_eq!(hand.value("Line"), "A.x -> B.x");
    hand.write("To index", "0");
    hand.key(Key::Return);
    assert_eq!(hand.since(PROGRAM), ["-  \"A.x -> B.x\",", "+  \"A.x -> B[0].x\","]);
    assert_eq!(hand.value("Line"), "A.x -> B[0].x", "the arc is still shown");
    // Letter by letter, with texts on the way that are no arcs.
    hand.write("Line", "A.x[i] -> B[i].x");
    assert_eq!(hand.value("Line"), "A.x[i] -> B[i].x");
    assert!(hand.program().contains("\"A.x[i] -> B[i].x\""), "{:?}", hand.since(PROGRAM));
}

#[test]
fn long_rule_is_shown_in_several_lines_and_enter_ends_it() {
    let hand = form_of("A");
    let height = |hand: &Driver| hand.item("Routing rules").size().height;
    let before = height(&hand);
    let rule = "x <- x + 100000 + 200000 + 300000 + 400000 + 500000 + 600000 + 700000 + 800000";
    hand.write("Routing rules", rule);
    hand.key(Key::Return);
    assert!(height(&hand) > before + 10.0, "{} after {before}", height(&hand));
    assert!(hand.program().contains(&format!("route = [\"{rule}\"]")), "{:?}", hand.since(PROGRAM));
    assert_eq!(hand.value("Routing rules"), rule);
}

#[test]
fn hint_with_an_edit_is_applied_at_the_field() {
    let hand = form_of("C");
    hand.write("Firing rules", "xx -> x");
    hand.check();
    hand.click("Replace xx by x");
    assert_eq!(hand.program(), PROGRAM, "the rule is as it was");
    assert_eq!(hand.value("Firing rules"), "x -> x");
    assert_eq!(hand.status(), "Replace xx by x");
    hand.check();
    assert!(!hand.has("Replace xx by x"));
    hand.key(Key::Escape);
    hand.ctrl('z');
    assert!(hand.program().contains("xx -> x"), "it is one step");
    hand.check();
    hand.click("Problems");
    let row = hand.labels(AccessibleRole::ListItem).into_iter().find(|label| label.starts_with("E0105"));
    hand.press(&row.unwrap());
    hand.press("Replace xx by x");
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn field_under_the_mouse_stays_where_it_is() {
    let hand = form_of("C");
    hand.write("Firing rules", "xx -> x");
    let top = |hand: &Driver| hand.item("Add to Routing rules").absolute_position().y;
    let before = top(&hand);
    hand.move_to(crate::common::middle(&hand.item("Add to Routing rules")));
    hand.settle();
    let head = hand.item("Add to Input ports").absolute_position().y;
    hand.check();
    assert!(hand.has("Replace xx by x"), "a problem with a button stands above it now");
    assert!((top(&hand) - before).abs() < 1.0, "{} after {before}", top(&hand));
    assert!(hand.item("Add to Input ports").absolute_position().y < head - 20.0, "the rest gave way");
    // With the mouse elsewhere, the form is what moves.
    hand.move_to(hand.nowhere());
    hand.settle();
    hand.ctrl('z');
    hand.check();
    assert!(!hand.has("Replace xx by x"));
}

#[test]
fn buttons_of_the_tool_bar_stay_where_they_are() {
    let (hand, session) = crate::common::session::Session::open(crate::common::programs::RUNNING);
    let places = |hand: &Driver| {
        ["Save (Ctrl+S)", "Show all (H)", "Run (F5)", "End the run (Shift+F5)"]
            .map(|button| hand.item(button).absolute_position().x)
    };
    let before = places(&hand);
    use hasse_editor::run::{RunState, Told};
    for state in
        [RunState::Opening, RunState::Running, RunState::Stopping, RunState::Waiting, RunState::Ending]
    {
        session.tell(&hand, Told::State(state));
        assert_eq!(places(&hand), before, "{state:?}");
    }
    hand.click_at(hand.node_at("A"));
    hand.key(Key::RightArrow);
    assert_eq!(places(&hand), before, "a program that is not saved");
}

#[test]
fn types_are_offered_when_the_keyboard_comes_to_an_empty_field() {
    let hand = form_of("A");
    let offered = |hand: &Driver| hand.find(AccessibleRole::List, "suggestions").is_some();
    // The first of the input ports, and of the variables.
    for section in ["Input ports", "Variables"] {
        hand.click(&format!("Add to {section}"));
        hand.type_text("fresh");
        hand.key(Key::Tab);
        assert!(offered(&hand) && hand.has("matrix"), "{section}");
        hand.type_text("int");
        hand.key(Key::Return);
    }
    assert!(hand.program().contains("in = { fresh = \"int\" }"), "{:?}", hand.since(PROGRAM));
    assert!(hand.program().contains("vars = { fresh = \"int\" }"), "{:?}", hand.since(PROGRAM));
}
