//! Two panels next to each other, each in half of the room.

use i_slint_backend_testing::{ElementHandle, ElementQuery};

use super::values::Valued;
use crate::common::Driver;

fn find(hand: &Driver, component: &str) -> Vec<ElementHandle> {
    ElementQuery::from_root(&hand.opened.window).match_inherits(component).find_all()
}

/// Left and right edge.
fn edges(found: &ElementHandle) -> (f32, f32) {
    let left = found.absolute_position().x;
    (left, left + found.size().width)
}

/// Names of tabs that are seen and are not whole.
fn cut_tabs(hand: &Driver) -> Vec<String> {
    let mut cut = Vec::new();
    for strip in find(hand, "TabStrip") {
        let (left, right) = edges(&strip);
        let labels = find(hand, "Label").into_iter();
        let (top, bottom) = (strip.absolute_position().y, strip.absolute_position().y + strip.size().height);
        let names: Vec<ElementHandle> = labels
            .filter(|label| {
                let (at, (from, to)) = (label.absolute_position().y, edges(label));
                at >= top - 1.0 && at < bottom - 10.0 && to > left + 0.5 && from < right - 0.5
            })
            .collect();
        assert!(!names.is_empty(), "a strip without names");
        for name in names.iter().filter(|name| name.size().width > 0.5) {
            let (from, to) = edges(name);
            if from < left || to > right {
                cut.push(format!("{:?} at {from} to {to} in {left} to {right}", name.accessible_label()));
            }
        }
    }
    cut
}

/// Names of the lower tabs that are seen.
fn names(hand: &Driver) -> Vec<String> {
    let border = hand.item("border between the lower panels").absolute_position();
    let labels = find(hand, "Label").into_iter();
    let seen = labels.filter(|label| {
        let at = label.absolute_position();
        (at.y - border.y).abs() < 14.0 && label.size().width > 0.5
    });
    let side = |label: &ElementHandle| if label.absolute_position().x < border.x { "left" } else { "right" };
    seen.map(|label| {
        let name = label.accessible_label().unwrap_or_default();
        format!("{name} at the {}", side(&label))
    })
    .collect()
}

/// Buttons of the two lower panels that reach out of their panel.
fn cut_buttons(hand: &Driver) -> Vec<String> {
    let border = hand.item("border between the lower panels").absolute_position();
    let app = hand.app();
    let left = app.get_left_width();
    let right = 1280.0 - app.get_right_width();
    let mut cut = Vec::new();
    for component in ["PushButton", "IconButton", "DropDown", "Segments"] {
        for button in find(hand, component) {
            let (from, to) = edges(&button);
            let is_lower = button.absolute_position().y >= border.y + 28.0 && from >= left && from < right;
            let most = if from < border.x { border.x } else { right };
            if is_lower && to > most + 0.5 {
                cut.push(format!("{:?} ends at {to}, the panel at {most}", button.accessible_label()));
            }
        }
    }
    cut
}

#[test]
fn tabs_and_buttons_of_split_panels_are_whole() {
    let valued = Valued::open();
    let hand = &valued.hand;
    hand.command("Two lower panels");
    let settle = || {
        hand.settle();
        hand.settle();
    };
    for tab in 0..13 {
        hand.app().set_panel(tab);
        settle();
        assert_eq!((cut_tabs(hand), cut_buttons(hand)), (Vec::new(), Vec::new()), "tab {tab} at the left");
    }
    hand.app().set_panel(0);
    for tab in 0..10 {
        hand.app().set_second_tab(tab);
        settle();
        assert_eq!((cut_tabs(hand), cut_buttons(hand)), (Vec::new(), Vec::new()), "tab {tab} at the right");
    }
    // The arrows lead to tabs that do not fit.
    hand.app().set_second_tab(0);
    settle();
    assert!(names(hand).iter().all(|name| name != "Problems at the right"), "{:?}", names(hand));
    hand.press("more tabs");
    assert!(names(hand).iter().any(|name| name == "Problems at the right"), "{:?}", names(hand));
}

#[test]
fn order_of_the_history_is_chosen_from_a_list_in_a_split_panel() {
    let valued = Valued::open();
    let hand = &valued.hand;
    hand.command("Two lower panels");
    hand.press("History");
    let choice = "order of the history: Actions by order";
    hand.click(choice);
    let entry = ElementHandle::find_by_accessible_label(&hand.opened.window, "Actions by level").next();
    entry.expect("the list is open").invoke_accessible_default_action();
    hand.settle();
    assert!(hand.has("order of the history: Actions by level"));
}
