use slint::platform::Key;

use crate::common::programs::PROGRAM;
use crate::common::{At, Driver};

fn way(from: At, to: At) -> f32 {
    (from[0] - to[0]).hypot(from[1] - to[1])
}

#[test]
fn the_wheel_zooms_at_the_cursor() {
    let hand = Driver::of(PROGRAM);
    let (at, other, zoom) = (hand.node_at("B"), hand.node_at("E"), hand.zoom());
    hand.wheel(at, 120.0);
    assert!(hand.zoom() > zoom * 1.05, "{} {zoom}", hand.zoom());
    assert!(way(hand.node_at("B"), at) < 3.0, "what is at the cursor stays");
    assert!(way(hand.node_at("E"), at) > way(other, at));
    hand.wheel(at, -120.0);
    assert!((hand.zoom() - zoom).abs() < 0.01);
    assert_eq!(hand.program(), PROGRAM);
}

#[test]
fn everything_is_shown_again() {
    let hand = Driver::of(PROGRAM);
    hand.resize(900.0, 560.0);
    hand.key(Key::Home);
    let (at, zoom) = (hand.node_at("B"), hand.zoom());
    for _ in 0..3 {
        hand.wheel(at, 240.0);
    }
    assert!(hand.node("E").is_none(), "out of sight");
    hand.click("Show all (H)");
    assert!(hand.node("E").is_some());
    assert!((hand.zoom() - zoom).abs() < 0.01);
    hand.click_at(hand.node_at("B"));
    hand.type_text("f");
    assert!(hand.zoom() > zoom && hand.node("B").is_some(), "{} {zoom}", hand.zoom());
    hand.key(Key::Home);
    assert!((hand.zoom() - zoom).abs() < 0.01);
    hand.ctrl('0');
    assert!((hand.zoom() - 1.0).abs() < 1e-6);
    assert!(hand.reads("100 %"));
    hand.type_text("+");
    assert!(hand.zoom() > 1.05);
}

#[test]
fn a_click_on_the_overview_goes_there() {
    let hand = Driver::of(PROGRAM);
    for _ in 0..2 {
        hand.wheel(hand.node_at("A"), 240.0);
    }
    assert!(hand.node("E").is_none());
    let map = hand.item("overview");
    let (at, size) = (map.absolute_position(), map.size());
    hand.click_at([at.x + size.width * 0.9, at.y + size.height * 0.6]);
    assert!(hand.node("E").is_some());
    hand.command("Overview");
    assert!(!hand.has("overview"));
}

#[test]
fn picture_keeps_two_thirds_of_a_small_screen() {
    let hand = Driver::of(PROGRAM);
    let size = hand.item("graph").size();
    assert!(size.width >= 1280.0 * 2.0 / 3.0, "{}", size.width);
    assert!(size.height >= 800.0 * 2.0 / 3.0, "{}", size.height);
}

#[test]
fn panels_are_hidden_and_their_borders_moved() {
    let hand = Driver::of(PROGRAM);
    let width = |hand: &Driver| hand.item("graph").size().width;
    let before = width(&hand);
    hand.alt('1');
    assert!(width(&hand) > before + 160.0);
    hand.alt('1');
    hand.alt('2');
    assert!(width(&hand) > before + 240.0);
    hand.alt('2');
    let border = crate::common::middle(&hand.item("border of the left panel"));
    hand.drag(border, [border[0] + 50.0, border[1]]);
    assert!((width(&hand) - before + 50.0).abs() < 3.0, "{} {before}", width(&hand));
    let high = hand.item("graph").size().height;
    hand.alt('3');
    assert!(hand.item("graph").size().height > high + 190.0);
}
