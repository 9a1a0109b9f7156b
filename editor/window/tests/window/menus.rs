use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::PROGRAM;

#[test]
fn the_menu_bar_is_used_by_mouse() {
    let hand = Driver::of(PROGRAM);
    hand.click("Edit menu");
    assert!(hand.item("Undo").accessible_enabled() == Some(false));
    hand.click("Select all");
    assert!(!hand.has("Select all"), "the menu is closed");
    assert_eq!(hand.selected().len(), 7);
    hand.click("Graph menu");
    hand.click_at(hand.node_at("E"));
    assert!(!hand.has("Add a node..."), "a click beside it closes it");
    for menu in ["File", "Edit", "Graph", "Arrange", "View", "Go", "Run", "Record", "Window", "Help"] {
        hand.press(&format!("{menu} menu"));
        assert!(hand.find(AccessibleRole::List, "menu").is_some(), "{menu}");
        hand.key(Key::Escape);
    }
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn the_menu_bar_is_used_by_keys() {
    let hand = Driver::of(PROGRAM);
    hand.click("File menu");
    hand.key(Key::RightArrow);
    assert!(hand.has("Select all"));
    hand.key(Key::LeftArrow);
    assert!(hand.has("Save as..."));
    hand.key(Key::LeftArrow);
    assert!(hand.has("About Hasse..."));
    hand.key(Key::RightArrow);
    hand.key(Key::RightArrow);
    // Undo, redo, cut, copy, duplicate and delete need something: the first that can be done is to paste.
    hand.key(Key::DownArrow);
    hand.key(Key::DownArrow);
    hand.key(Key::Return);
    assert_eq!(hand.selected().len(), 7, "{}", hand.status());
    hand.click("View menu");
    hand.type_text("a");
    assert!(!hand.has("palette"), "letters do nothing to the graph");
    hand.key(Key::Escape);
    assert!(!hand.has("menu"));
}

#[test]
fn a_right_click_offers_what_can_be_done_there() {
    let hand = Driver::of(PROGRAM);
    hand.right_click(hand.node_at("B"));
    assert_eq!(hand.selected(), ["B"]);
    assert!(hand.has("Start node") && !hand.has("Unpack the call"));
    hand.click("Start node");
    assert_eq!(hand.since(PROGRAM).len(), 1, "{:?}", hand.since(PROGRAM));
    hand.ctrl('z');
    hand.right_click(hand.node_at("H"));
    assert!(hand.has("Unpack the call"));
    hand.key(Key::Escape);
    hand.right_click(hand.nowhere());
    hand.click("Add a comment...");
    assert!(hand.has("OK"));
    hand.click("Close");
    assert!(!hand.has("OK"));
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn commands_are_found_by_a_few_letters() {
    let hand = Driver::of(PROGRAM);
    hand.ctrl_shift('p');
    hand.type_text("seall");
    assert!(hand.has("Edit: Select all"));
    hand.key(Key::Return);
    assert_eq!(hand.selected().len(), 7);
    hand.command("Show problems");
    assert!(hand.find(AccessibleRole::List, "problems").is_some());
    hand.command("Dark");
    hand.ctrl_shift('p');
    hand.click_at(hand.nowhere());
    assert!(!hand.has("palette"), "a click beside it closes it");
}

#[test]
fn keys_are_listed_and_there_is_something_about_the_program() {
    let hand = Driver::of(PROGRAM);
    hand.key(Key::F1);
    assert!(hand.reads("Keys"));
    assert!(hand.labels(AccessibleRole::ListItem).iter().any(|label| label == "New program, Ctrl+N"));
    hand.key(Key::Delete);
    assert_eq!(hand.program(), PROGRAM);
    hand.key(Key::Escape);
    assert!(!hand.labels(AccessibleRole::ListItem).iter().any(|label| label == "New program, Ctrl+N"));
    hand.click("Help menu");
    hand.click("About Hasse...");
    assert!(hand.reads(env!("CARGO_PKG_VERSION")));
    hand.click("Close");
    assert!(!hand.reads("debugged by cause"));
}
