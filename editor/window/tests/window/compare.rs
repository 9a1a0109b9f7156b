use std::fs;

use hasse_ui::Compare;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

use super::views::record;
use crate::common::Driver;
use crate::common::programs::{PROGRAM, RUNNING};

/// The list of differences: badge, part, detail.
fn differences(hand: &Driver) -> Vec<String> {
    let lines = hand.opened.window.global::<Compare>().get_lines();
    let text = |line: hasse_ui::LineOfList| format!("{} {} {}", line.badge, line.text, line.detail);
    lines.iter().map(text).map(|text| text.trim().to_owned()).collect()
}

fn compare(hand: &Driver, name: &str) {
    hand.click("File menu");
    hand.click("Compare with...");
    hand.type_text(name);
    hand.key(Key::Return);
}

#[test]
fn differences_from_a_file_are_marked_and_listed() {
    let hand = Driver::of(PROGRAM);
    // The other version has a unit more, an arc less, another body, and one name is another one.
    let other = PROGRAM
        .replace("  \"B.y -> C.x\",\n", "  \"E.b -> Old.a\",\n")
        .replace("let y = x + 1;", "let y = x - 1;")
        .replace("[graph.g.uc.E]", "[graph.g.uc.Old]\nin = { a = \"int\", old = \"bool\" }\n\n[graph.g.uc.E]")
        .replace("D = [200, 200]", "D = [200, 240]\nOld = [600, 320]");
    fs::write(hand.file("other.hasse"), other).unwrap();
    compare(&hand, "other.hasse");
    assert_eq!(
        differences(&hand),
        ["graph g", "changed B do", "moved D", "gone Old", "new B.y -> C.x", "gone E.b -> Old.a"],
    );
    assert!(hand.told_of("B").contains("do"), "{}", hand.told_of("B"));
    assert!(hand.told_of("D").contains("moved"), "{}", hand.told_of("D"));
    assert!(hand.told_of("Old").contains("removed"), "what is gone is drawn where it was");
    assert_eq!(hand.status(), "Compared with other.hasse: 5 differences");
    // A line of the list leads to the part.
    hand.click("changed B, do");
    assert_eq!(hand.selected(), ["B"]);
    hand.press("End the comparison");
    assert!(hand.node("Old").is_none());
    assert!(!hand.told_of("D").contains("moved"));
    assert_eq!(hand.program(), PROGRAM, "comparing changes nothing");
}

#[test]
fn line_of_what_is_gone_leads_to_where_it_was() {
    let hand = Driver::of(PROGRAM);
    let far = format!("{PROGRAM}\n[graph.g.uc.Far]\nstart = true\n")
        .replace("[layout.g]\n", "[layout.g]\nFar = [9000, 4000]\n");
    fs::write(hand.file("far.hasse"), far).unwrap();
    compare(&hand, "far");
    assert!(hand.node("Far").is_none(), "it is not seen from here");
    hand.press("gone Far");
    assert!(hand.told_of("Far").contains("removed"));
}

#[test]
fn edits_are_compared_with_the_saved_version_until_it_is_saved() {
    let hand = Driver::of(PROGRAM);
    hand.command("Compare with the saved version");
    assert_eq!(differences(&hand), Vec::<String>::new());
    hand.click_at(hand.node_at("E"));
    hand.key(Key::Delete);
    assert_eq!(differences(&hand), ["graph g", "gone E"]);
    hand.ctrl('z');
    assert_eq!(differences(&hand), Vec::<String>::new());
    hand.click_at(hand.node_at("C"));
    hand.key(Key::Delete);
    assert_eq!(differences(&hand), ["graph g", "gone C", "gone B.y -> C.x"]);
    hand.ctrl('s');
    assert_eq!(differences(&hand), Vec::<String>::new(), "it is the saved version now");
    hand.command("Compare with the saved version");
    assert!(!hand.opened.window.global::<Compare>().get_is_open());
}

#[test]
fn program_is_compared_with_that_of_a_record() {
    let hand = Driver::of(&RUNNING.replace("total += a;", "total += 2 * a;"));
    record(&hand.file("run.trace"));
    compare(&hand, "run.trace");
    assert_eq!(differences(&hand), ["graph g", "changed B do"]);
    compare(&hand, "nowhere.hasse");
    assert!(hand.reads("there is no file"));
}
