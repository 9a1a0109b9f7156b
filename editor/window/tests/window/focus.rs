//! Where keys go: a field that is gone or hidden keeps none of them.

use hasse_editor::run::Told;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::{PROGRAM, RUNNING};
use crate::common::session::{Session, facts};

/// Tabs of the lower panel, in their order.
const TABS: [&str; 11] = [
    "Body",
    "Problems",
    "Find",
    "History",
    "Elaborated",
    "Time-line",
    "Actions",
    "Breakpoints",
    "Console",
    "Log",
    "Findings",
];

/// Fields of the lower panel by the tab that holds them.
const FIELDS: [(&str, &str); 6] = [
    ("Body", "body of B"),
    ("Find", "find"),
    ("Breakpoints", "condition"),
    ("Console", "command"),
    ("Log", "search the log"),
    ("Findings", "check"),
];

/// Asserts that a key reaches the window: `Ctrl+Shift+P` opens the commands, one of which shows a panel.
#[track_caller]
fn assert_keys_arrive(hand: &Driver, situation: &str) {
    hand.command("Show problems");
    assert_eq!(hand.app().get_panel(), 1, "{situation}");
}

#[test]
fn tab_chosen_with_caret_in_field_leaves_keyboard_alive() {
    let hand = Driver::of(PROGRAM);
    hand.double_click(hand.node_at("B"));
    for (tab, field) in FIELDS {
        for to in TABS {
            hand.click(tab);
            hand.click(field);
            hand.click(to);
            assert_keys_arrive(&hand, &format!("from {field} of {tab} to {to}"));
        }
    }
}

#[test]
fn left_tab_chosen_with_caret_in_field_leaves_keyboard_alive() {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    hand.click("Run");
    hand.click("workers");
    hand.click("Graphs");
    assert_keys_arrive(&hand, "from the options to the graphs");
}

#[test]
fn panel_hidden_with_caret_in_field_leaves_keyboard_alive() {
    let hand = Driver::of(PROGRAM);
    hand.click("Console");
    hand.click("command");
    hand.command("Lower panel");
    assert_keys_arrive(&hand, "the lower panel is hidden");
    hand.click_at(hand.node_at("B"));
    hand.click("Description");
    hand.command("Inspector");
    assert_keys_arrive(&hand, "the inspector is hidden");
}

#[test]
fn chosen_tab_with_one_field_takes_what_is_typed() {
    let hand = Driver::of(PROGRAM);
    hand.click("Find");
    hand.type_text("int");
    assert_eq!(hand.value("find"), "int");
    hand.click("Problems");
    hand.click_at(hand.node_at("B"));
    hand.key(Key::Delete);
    assert!(hand.node("B").is_none(), "the picture has the keys");
}
