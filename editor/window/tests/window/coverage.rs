use hasse_ui::{Results, Views};
use i_slint_backend_testing::AccessibleRole;
use slint::ComponentHandle;
use slint::platform::Key;

use super::views::record_of;
use crate::common::Driver;

/// `Left` is never reached: `Fork` sends to the right alone.
const FORK: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = [
  "Fork.left -> Left.n",
  "Fork.right -> Right.n",
]

[graph.g.uc.Fork]
out = { left = "int", right = "int" }
start = true
do = "let n = 3;"
route = ["left <- n if n > 5", "right <- n if n <= 5"]

[graph.g.uc.Left]
in = { n = "int" }
fire = ["n -> n"]

[graph.g.uc.Right]
in = { n = "int" }
fire = ["n -> n"]

[layout.g]
Fork = [0, 0]
Left = [240, 0]
Right = [240, 160]
"#;

fn opened() -> Driver {
    let hand = Driver::of(FORK);
    record_of(FORK, &hand.file("run.trace"));
    hand.ctrl('o');
    hand.click("record run.trace");
    hand.key(Key::Return);
    hand.wait("the record", |hand| hand.opened.window.global::<Views>().get_has_record());
    hand
}

#[test]
fn rules_that_were_never_taken_are_marked_in_the_form() {
    let hand = opened();
    hand.click_at(hand.node_at("Fork"));
    hand.wait("counts", |hand| hand.reads("not taken"));
    assert!(hand.reads("taken once"), "{:?}", hand.labels(AccessibleRole::Text));
    // Another program has other rules.
    hand.click_at(hand.nowhere());
    hand.type_text("a");
    hand.key(Key::Return);
    hand.click_at(hand.node_at("Fork"));
    assert!(!hand.reads("not taken"), "{}", hand.program());
}

#[test]
fn what_was_never_used_is_faint_while_it_is_switched_on() {
    let hand = opened();
    hand.wait("the count", |hand| hand.told_of("Right").contains("idle"));
    assert!(!hand.told_of("Left").contains("never executed"));
    hand.click("View menu");
    hand.wait("the count", |hand| hand.item("Coverage by the record").accessible_enabled() == Some(true));
    hand.click("Coverage by the record");
    assert!(hand.told_of("Left").contains("never executed"), "{}", hand.told_of("Left"));
    assert_eq!(hand.status(), "2 of 4 rules were never taken; 1 of 2 arcs was never used");
    let faint = hand.snapshot();
    hand.command("Coverage by the record");
    assert!(!hand.told_of("Left").contains("never executed"));
    assert_ne!(hand.snapshot(), faint, "the arc and the node have their colors again");
}

#[test]
fn results_say_how_much_of_the_program_was_used() {
    let hand = opened();
    hand.command("Results");
    let said = |hand: &Driver| hand.opened.window.global::<Results>().get_coverage().to_string();
    hand.wait("the count", |hand| said(hand).starts_with("2 of 4 rules were never taken"));
    hand.click("Show on the picture");
    assert!(hand.told_of("Left").contains("never executed"));
}
