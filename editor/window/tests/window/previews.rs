//! The elaborated graph before a run, in its panel.

use hasse_editor::run::{RunState, Told};
use hasse_ui::Views;
use slint::ComponentHandle;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts};
use crate::views::{opened, place};

fn has_preview(hand: &Driver) -> bool {
    hand.opened.window.global::<Views>().get_has_preview()
}

fn told(hand: &Driver) -> String {
    hand.opened.window.global::<Views>().get_elaborated().told.into()
}

#[test]
fn preview_follows_the_program_and_the_run_form() {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::State(RunState::Ready));
    hand.click("Run");
    hand.command("Preview of instances");
    hand.wait("the preview", has_preview);
    assert_eq!(told(&hand), "Before a run: 5 instances may come to be with n = 3");
    assert!(hand.has("preview of the elaborated graph"));
    hand.write("n", "5");
    hand.wait("that of another parameter", |hand| {
        told(hand).contains("7 instances") && told(hand).contains("n = 5")
    });
    hand.write("n", "many");
    hand.wait("what is wrong", |hand| told(hand).contains("`n` is of type int, which `many` is not"));
    assert!(!has_preview(&hand));
    hand.write("n", "2");
    hand.wait("the preview again", |hand| has_preview(hand) && told(hand).contains("n = 2"));
}

#[test]
fn instance_clicked_in_a_preview_selects_its_node() {
    let hand = Driver::of(RUNNING);
    hand.click("Elaborated");
    hand.wait("the preview", has_preview);
    assert_eq!(hand.selected(), Vec::<String>::new());
    place(&hand, "preview of the elaborated graph", |hand, at| {
        hand.click_at(at);
        hand.selected() == ["B[i]"]
    });
    assert_eq!(hand.program(), RUNNING);
}

#[test]
fn program_with_errors_has_no_preview_but_a_next_step() {
    let hand = Driver::of(&RUNNING.replace("B[i].a", "C[i].a"));
    hand.click("Elaborated");
    hand.wait("the reason", |hand| told(hand).starts_with("The program has errors: see Problems"));
    assert!(!has_preview(&hand));
    assert!(hand.reads("The program has errors"));
}

#[test]
fn preview_takes_the_place_of_a_record_and_gives_it_back() {
    let hand = opened();
    hand.click("Elaborated");
    hand.wait("its graph", |hand| told(hand).contains("6 instances, 9 arcs"));
    assert!(!has_preview(&hand));
    hand.click("Preview");
    hand.wait("the preview", has_preview);
    hand.click("Preview");
    hand.wait("its graph", |hand| told(hand).contains(" arcs"));
}
