//! Where keys go: a field that is gone or hidden keeps none of them.

use hasse_editor::run::Told;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

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

/// Puts the caret into a field of the form of `B`.
fn in_form() -> Driver {
    let hand = Driver::of(PROGRAM);
    hand.resize(1400.0, 1400.0);
    hand.click_at(hand.node_at("B"));
    hand.click("Description");
    hand.type_text("x");
    hand
}

#[test]
fn field_of_the_form_that_goes_leaves_keyboard_alive() {
    type Step = (&'static str, fn(&Driver));
    let steps: [Step; 9] = [
        ("another node", |hand| hand.click_at(hand.node_at("total"))),
        ("nothing", |hand| hand.click_at(hand.nowhere())),
        ("another graph", |hand| hand.click_at(crate::common::middle(&hand.row("h")))),
        ("a problem", |hand| {
            hand.click("Problems");
            let row = hand.labels(i_slint_backend_testing::AccessibleRole::ListItem);
            let row = row.into_iter().find(|label| label.starts_with('W') || label.starts_with('E'));
            hand.click(&row.unwrap());
        }),
        ("the row itself", |hand| {
            hand.press("Add to Input ports");
            hand.type_text("more");
            hand.press("Remove Input ports more");
        }),
        ("undo", |hand| {
            hand.press("Add to Input ports");
            hand.type_text("more");
            hand.click("Undo (Ctrl+Z)");
            hand.click("Undo (Ctrl+Z)");
        }),
        ("the book", |hand| {
            hand.command("The book");
            hand.key(Key::Escape);
        }),
        ("a menu", |hand| {
            hand.click("Edit menu");
            hand.key(Key::Escape);
        }),
        ("the legend", |hand| hand.click("Legend: what the signs mean (Ctrl+F1)")),
    ];
    for (situation, step) in steps {
        let hand = in_form();
        step(&hand);
        assert_keys_arrive(&hand, situation);
    }
}

#[test]
fn field_that_is_scrolled_out_of_sight_leaves_keyboard_alive() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("B"));
    hand.resize(1200.0, 420.0);
    let at = crate::common::middle(&hand.item("Description"));
    hand.click("Description");
    hand.wheel(at, -3_000.0);
    assert!(!hand.has("Description"), "it is out of sight");
    hand.opened.keep_keyboard();
    let has_bottom = hand.app().get_has_bottom();
    hand.alt('3');
    assert_ne!(hand.app().get_has_bottom(), has_bottom, "keys arrive");
}

#[test]
fn keys_of_the_window_are_no_letters_of_a_field() {
    let hand = in_form();
    let before = hand.program();
    let has_bottom = hand.app().get_has_bottom();
    hand.alt('3');
    assert_ne!(hand.app().get_has_bottom(), has_bottom);
    assert_eq!(hand.program(), before);
}

#[test]
fn tab_selects_all_of_a_field() {
    let hand = Driver::of(PROGRAM);
    hand.resize(1400.0, 1400.0);
    hand.click_at(hand.node_at("B"));
    hand.click("Name");
    hand.key(Key::Tab);
    hand.type_text("first");
    hand.key_with(Key::Shift, Key::Backtab);
    hand.type_text("Next");
    hand.key(Key::Tab);
    hand.type_text("second");
    let lines = hand.since(PROGRAM);
    assert!(lines.contains(&"+doc = \"second\"".to_owned()), "{lines:?}");
    assert!(hand.node("Next").is_some(), "{lines:?}");
}

#[test]
fn caret_is_in_view_in_every_kind_of_field() {
    // A field of one line scrolls with its caret.
    let hand = Driver::of(PROGRAM);
    hand.resize(1400.0, 1400.0);
    hand.click_at(hand.node_at("B"));
    let seen = |hand: &Driver, label: &str| {
        let field = hand.item(label);
        (field.absolute_position().x, field.size().width)
    };
    hand.ctrl('f');
    let (left, room) = seen(&hand, "find");
    hand.type_text(&"what is looked for ".repeat(20));
    let (x, width) = seen(&hand, "find");
    assert!(x < left, "the beginning is scrolled out: {x}");
    assert!(x + width <= left + room + 1.0, "the end is in view: {x} + {width}");
    hand.key(Key::Home);
    assert!(seen(&hand, "find").0 >= left, "and the beginning again");
    // A description is as high as its text.
    let height = |hand: &Driver| hand.item("Description").size().height;
    let low = height(&hand);
    hand.write("Description", &"a long description ".repeat(8));
    assert!(height(&hand) > 2.0 * low, "{} after {low}", height(&hand));
    // The text of the program follows its caret over its whole length.
    hand.alt('4');
    hand.click("text of the program");
    let lines = |hand: &Driver| {
        let text = hand.opened.window.global::<hasse_ui::ProgramText>();
        let numbers: Vec<i32> = text.get_lines().iter().map(|line| line.number).collect();
        (numbers.iter().min().copied().unwrap_or(0), numbers.iter().max().copied().unwrap_or(0))
    };
    let n_lines = i32::try_from(PROGRAM.lines().count()).unwrap();
    hand.resize(1400.0, 500.0);
    hand.key_with(Key::Control, Key::End);
    assert!(lines(&hand).1 >= n_lines, "{:?} of {n_lines}", lines(&hand));
    hand.key_with(Key::Control, Key::Home);
    assert_eq!(lines(&hand).0, 1);
}
