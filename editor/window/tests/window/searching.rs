use hasse_ui::Views;
use i_slint_backend_testing::AccessibleRole;
use slint::ComponentHandle;
use slint::platform::Key;

use super::values::Valued;
use super::views::opened;
use crate::common::{Driver, middle};

fn note(hand: &Driver) -> String {
    hand.opened.window.global::<Views>().get_search_note().into()
}

fn has_fact(hand: &Driver, text: &str) -> bool {
    hand.labels(AccessibleRole::ListItem).iter().any(|label| label.contains(text))
}

#[test]
fn history_is_searched_where_it_has_the_keys() {
    let hand = opened();
    hand.ctrl('f');
    assert!(!hand.has("search in the history"), "the picture has the keys: the program is searched");
    hand.command("Event history");
    hand.ctrl('f');
    assert!(hand.has("search in the history"));
    hand.type_text("b[1");
    hand.wait("what fits", |hand| note(hand).starts_with("1 match"));
    hand.key(Key::Return);
    assert!(note(&hand).starts_with("1 of 1"), "{}", note(&hand));
    assert!(has_fact(&hand, "/B[1]:1"), "{:?}", hand.labels(AccessibleRole::ListItem));
    hand.ctrl('a');
    hand.type_text("node:b");
    hand.wait("what fits", |hand| note(hand).ends_with("of 3"));
    let first = note(&hand);
    hand.click("Next match (Enter)");
    hand.click("Match before (Shift+Enter)");
    assert_eq!(note(&hand), first);
    hand.key_with(Key::Shift, Key::Return);
    assert_ne!(note(&hand), first);
    hand.key(Key::Escape);
    assert!(!hand.has("search in the history"));
    assert_eq!(note(&hand), "");
}

#[test]
fn events_that_fit_are_marked_in_the_picture() {
    let hand = opened();
    hand.command("Event history");
    hand.move_to(hand.nowhere());
    let before = hand.snapshot();
    let count = |(_, _, pixels): &(u32, u32, Vec<u8>)| {
        pixels.chunks(4).filter(|pixel| pixel[..3] == [0x4d, 0xe0, 0xe8]).count()
    };
    assert_eq!(count(&before), 0);
    hand.ctrl('f');
    hand.type_text("node:end");
    hand.wait("what fits", |hand| note(hand).starts_with("1 match"));
    hand.move_to(middle(&hand.item("search in the history")));
    assert!(count(&hand.snapshot()) > 10, "the event has the color of what is found");
}

#[test]
fn history_is_searched_for_values_that_a_replay_makes_again() {
    let valued = Valued::open();
    let hand = &valued.hand;
    hand.command("Search in the history");
    hand.type_text("took:1");
    assert!(valued.is_asked());
    hand.wait("the reason", |hand| note(hand) == "no match; values are being made again by a replay");
    valued.answer();
    hand.wait("what fits", |hand| note(hand).starts_with("4 matches"));
}
