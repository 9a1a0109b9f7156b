use i_slint_backend_testing::AccessibleRole;
use slint::ComponentHandle;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::views::opened;

/// The lines of the findings.
fn findings(hand: &Driver) -> Vec<String> {
    hand.labels(AccessibleRole::ListItem)
}

fn begins(hand: &Driver, word: &str) -> bool {
    findings(hand).iter().any(|label| label.starts_with(word))
}

#[test]
fn a_drawn_model_is_checked_written_on_and_kept() {
    let hand = opened();
    hand.click_at(hand.node_at("A"));
    hand.click_with(Key::Shift, hand.node_at("B[i]"));
    assert_eq!(hand.selected(), ["A", "B[i]"]);
    hand.click("Findings");
    hand.click("Model of selection");
    hand.wait("the verdict", |hand| begins(hand, "holds"));
    assert!(findings(&hand).iter().any(|label| label.contains("model_1")), "{:?}", findings(&hand));
    let text = hand.value("model");
    assert!(text.starts_with("[model.model_1]") && text.contains("A -> B"), "{text}");
    assert!(text.contains("shared = false"), "the object is not selected: {text}");
    assert_eq!(hand.item("Accept").accessible_enabled(), Some(false));

    // What cannot be read is said while it is written, and not taken.
    hand.item("model").set_accessible_value("[model.model_1]\nnodes = 1");
    hand.settle();
    assert!(!hand.opened.window.global::<hasse_ui::Findings>().get_model_fault().is_empty());
    assert_eq!(hand.item("Accept").accessible_enabled(), Some(false));
    hand.click("Revert");
    assert_eq!(hand.value("model"), text);
    let wrong = "[model.half]\nnodes = [\"A\", \"B\", \"End\"]\narcs = [\"A -> B\"]\n";
    hand.item("model").set_accessible_value(wrong);
    hand.settle();
    hand.click("Accept");
    hand.wait("the other verdict", |hand| begins(hand, "violated"));
    assert_eq!(hand.value("model"), wrong, "it stays selected");

    // Into the file beside the program, and never over what somebody else wrote.
    let file = hand.file("a.model");
    hand.click("Save models");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), wrong);
    assert_eq!(hand.item("Save models").accessible_enabled(), Some(false));
    std::fs::write(&file, text.replace("model_1", "other")).unwrap();
    hand.item("model").set_accessible_value(&*text);
    hand.settle();
    hand.click("Accept");
    hand.click("Save models");
    assert!(std::fs::read_to_string(&file).unwrap().contains("other"));
    assert!(hand.opened.window.global::<hasse_ui::Findings>().get_status().contains("Save again"));
    hand.click("Save models");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);

    hand.click("Remove");
    hand.wait("nothing", |hand| findings(hand).iter().all(|label| !label.contains("model")));
    assert_eq!(hand.program(), RUNNING);
}

#[test]
fn models_beside_a_program_are_opened_with_it() {
    let hand = opened();
    std::fs::write(hand.file("b.hasse"), RUNNING).unwrap();
    let text = "[model.one]\nnodes = [\"A\", \"B\"]\narcs = [\"A -> B\"]\nshared = false\n";
    std::fs::write(hand.file("b.model"), text).unwrap();
    hand.ctrl('o');
    hand.click("program b.hasse");
    hand.click("Open");
    hand.click("Findings");
    hand.wait("the model", |hand| begins(hand, "unknown"));
    let open_record = || {
        hand.ctrl('o');
        hand.click("record run.trace");
        hand.key(Key::Return);
        hand.click("Findings");
    };
    open_record();
    hand.wait("its verdict", |hand| begins(hand, "holds"));
    hand.click("Races");
    hand.wait("the races", |hand| begins(hand, "race"));
    hand.ctrl('o');
    hand.click("program a.hasse");
    hand.click("Open");
    hand.wait("a.hasse without models", |hand| !begins(hand, "holds"));
    open_record();
    hand.wait("the races", |hand| begins(hand, "race"));
}

#[test]
fn nothing_selected_and_no_record_are_told() {
    let hand = Driver::of(RUNNING);
    hand.click("Findings");
    hand.click("Model of selection");
    assert!(hand.reads("Select the nodes and arcs"));
    hand.click_at(hand.node_at("A"));
    hand.click("Model of selection");
    assert!(begins(&hand, "unknown"), "{:?}", findings(&hand));
    assert!(findings(&hand).iter().any(|label| label.contains("there is no record")));
}

#[test]
fn models_that_are_not_saved_are_asked_about() {
    let hand = Driver::of(RUNNING);
    hand.click_at(hand.node_at("A"));
    hand.click("Findings");
    hand.click("Model of selection");
    hand.ctrl('q');
    assert!(hand.reads("The models of a.hasse are not saved"));
    hand.click("Cancel");
    assert!(!hand.file("a.model").exists());
    // What is typed and cannot be taken stays, too.
    let text = hand.value("model");
    hand.item("model").set_accessible_value("[model.model_1]\nnodes = 1");
    hand.settle();
    hand.ctrl('q');
    hand.click("Save");
    assert!(!hand.opened.window.global::<hasse_ui::Findings>().get_model_fault().is_empty());
    assert_eq!(
        std::fs::read_to_string(hand.file("a.model")).unwrap(),
        text,
        "what was taken before is saved"
    );
    hand.ctrl('q');
    assert!(hand.reads("The models of a.hasse are not saved"), "what is typed is not");
    hand.click("Cancel");
    hand.click("Revert");
    hand.ctrl('q');
    assert!(!hand.reads("are not saved"));
}
