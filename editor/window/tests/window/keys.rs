use std::fs;

use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::PROGRAM;

fn with_keys(keys: &str) -> Driver {
    Driver::prepared(Some(PROGRAM), None, |folder| fs::write(folder.join("keys.toml"), keys).unwrap())
}

#[test]
fn keys_of_the_users_file_hold_in_place_of_the_usual_ones() {
    let hand = with_keys(
        "\"Add a node\" = \"Ctrl+T\"\n\"Left panel\" = [\"Ctrl+B\", \"Alt+1\"]\n\"Save picture\" = \"Ctrl+E\"\nsave = [\"Ctrl+S\", \"F12\"]\n",
    );
    assert!(hand.has("Add a node (Ctrl+T)") && hand.has("Save (Ctrl+S)"), "buttons name the keys that hold");
    hand.type_text("a");
    assert!(!hand.has("palette"), "the usual key means nothing any more");
    hand.ctrl('t');
    assert!(hand.has("palette"));
    hand.key(Key::Escape);
    assert!(hand.app().get_has_left());
    hand.ctrl('b');
    assert!(!hand.app().get_has_left());
    hand.alt('1');
    assert!(hand.app().get_has_left());
    hand.ctrl('e');
    assert_eq!(hand.value("path"), "a.svg");
    hand.key(Key::Escape);
    // Menus and the list of keys say what holds.
    hand.click("File menu");
    assert!(hand.reads("Ctrl+E"));
    hand.key(Key::Escape);
    hand.key(Key::F1);
    assert!(hand.has("Save, Ctrl+S, F12"), "the list of keys");
}

#[test]
fn file_of_keys_that_cannot_be_followed_is_told_with_its_line() {
    let hand = with_keys("\"Tidy all\" = \"Ctrl+T\"\n\"Tidy none\" = \"Ctrl+U\"\nUndo = \"Hyper+Z\"\n");
    let status = hand.status();
    assert!(status.contains("keys.toml, line 2: there is no command `Tidy none`"), "{status}");
    assert!(status.contains("(and 1 more"), "{status}");
    // What can be followed is, and what cannot changes nothing.
    hand.click_at(hand.node_at("E"));
    hand.key(Key::RightArrow);
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
    hand.key(Key::F1);
    assert!(hand.reads("line 3: `Hyper+Z` is no key"));
}

#[test]
fn usual_keys_hold_without_a_file() {
    let hand = Driver::of(PROGRAM);
    hand.type_text("a");
    assert!(hand.has("palette"));
}

#[test]
fn wide_window_has_words_at_the_buttons_of_the_tool_bar() {
    let hand = Driver::of(PROGRAM);
    for button in ["Save (Ctrl+S)", "Show all (H)", "Stop all actions (F6)"] {
        hand.resize(1280.0, 800.0);
        let narrow = hand.item(button).size().width;
        hand.resize(1700.0, 1000.0);
        assert!(hand.item(button).size().width > narrow + 15.0, "{button}");
    }
}
