use std::fs;

use hasse_editor::files::autosave;
use hasse_ui::ProgramText;
use hasse_window::{Opened, Setup};
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

use crate::common::Driver;
use crate::common::programs::PROGRAM;

const DIRTY: &str = "\u{25cf} a.hasse";

fn nudge(hand: &Driver, node: &str) {
    hand.click_at(hand.node_at(node));
    hand.key(Key::RightArrow);
}

#[test]
fn a_program_is_saved_and_the_title_tells_whether_it_is() {
    let hand = Driver::of(PROGRAM);
    nudge(&hand, "E");
    assert_eq!(hand.title(), DIRTY);
    hand.ctrl('s');
    assert_eq!(hand.title(), "a.hasse");
    assert_eq!(fs::read_to_string(hand.file("a.hasse")).unwrap(), hand.program());
    hand.ctrl('z');
    assert_eq!(hand.title(), DIRTY);
    hand.click("Save (Ctrl+S)");
    assert_eq!(fs::read_to_string(hand.file("a.hasse")).unwrap(), PROGRAM);
}

#[test]
fn file_that_is_not_there_is_made() {
    let hand = Driver::empty();
    let path = hand.file("sums.hasse");
    let setup = || Setup {
        file: Some(path.clone()),
        host: None,
        functions: hasse_body::functions(),
        state_folder: Some(hand.file("state")),
        keys_file: None,
    };
    let opened = Opened::new(setup()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), opened.program());
    // Opened again, it is the same, and nothing is written over.
    fs::write(&path, PROGRAM).unwrap();
    assert_eq!(Opened::new(setup()).unwrap().program(), PROGRAM);
}

#[test]
fn a_new_program_is_saved_to_the_path_that_is_typed() {
    let hand = Driver::empty();
    assert_eq!(hand.title(), "New program");
    hand.type_text("a");
    hand.key(Key::Return);
    hand.ctrl('s');
    assert!(hand.has("path"));
    hand.ctrl('a');
    let path = hand.file("new.hasse");
    hand.type_text(&path.display().to_string());
    hand.key(Key::Return);
    assert!(!hand.has("path"), "{}", hand.status());
    assert_eq!(hand.title(), "new.hasse");
    assert_eq!(fs::read_to_string(&path).unwrap(), hand.program());
    hand.ctrl_shift('s');
    hand.ctrl('a');
    let other = hand.file("other.hasse");
    fs::write(&other, "hasse = 1\n").unwrap();
    hand.type_text(&other.display().to_string());
    hand.key(Key::Return);
    assert!(hand.reads("is there already"), "a file is not written over unasked");
    assert_eq!(fs::read_to_string(&other).unwrap(), "hasse = 1\n");
    hand.click("Write over it");
    assert_eq!(fs::read_to_string(&other).unwrap(), hand.program());
}

#[test]
fn a_program_is_opened_from_the_list_or_by_its_path() {
    let hand = Driver::of(PROGRAM);
    fs::write(hand.file("b.hasse"), PROGRAM.replace("uc.E]", "uc.Other]").replace("E = [", "Other = ["))
        .unwrap();
    hand.ctrl('o');
    hand.click("program b.hasse");
    hand.click("Open");
    assert_eq!(hand.title(), "b.hasse");
    assert!(hand.node("Other").is_some() && hand.node("E").is_none());
    hand.ctrl('o');
    hand.ctrl('a');
    hand.type_text(&hand.file("a.hasse").display().to_string());
    hand.key(Key::Return);
    assert_eq!(hand.title(), "a.hasse");
    hand.ctrl('o');
    hand.type_text("nothing");
    hand.key(Key::Return);
    assert!(hand.has("path"), "the dialog stays");
    hand.key(Key::Escape);
    assert_eq!((hand.title(), hand.has("path")), ("a.hasse".to_owned(), false));
}

#[test]
fn unsaved_changes_are_asked_about() {
    let hand = Driver::of(PROGRAM);
    nudge(&hand, "E");
    let changed = hand.program();
    hand.ctrl('n');
    assert!(hand.reads("a.hasse is not saved"));
    hand.click("Cancel");
    assert_eq!((hand.program(), hand.reads("a.hasse is not saved")), (changed.clone(), false));
    hand.ctrl('q');
    assert!(hand.reads("a.hasse is not saved"));
    hand.key(Key::Delete);
    hand.key(Key::Escape);
    assert_eq!(hand.program(), changed);
    hand.ctrl('n');
    hand.click("Do not save");
    assert_eq!(hand.title(), "New program");
    assert_eq!(fs::read_to_string(hand.file("a.hasse")).unwrap(), PROGRAM);
    assert!(hand.node("A").is_none());
}

#[test]
fn a_change_on_the_disk_is_merged_on_request() {
    let hand = Driver::of(PROGRAM);
    nudge(&hand, "E");
    fs::write(hand.file("a.hasse"), PROGRAM.replace("C = [400, 0]", "C = [410, 10]")).unwrap();
    hand.ctrl('s');
    assert!(hand.reads("a.hasse was changed on the disk"));
    hand.click("Merge: keep both changes");
    let merged = hand.program();
    assert!(
        merged.contains("C = [410, 10]") && merged.contains("E = [610, 200]"),
        "{:?}",
        hand.since(PROGRAM)
    );
    hand.ctrl('s');
    assert_eq!(fs::read_to_string(hand.file("a.hasse")).unwrap(), merged);
}

#[test]
fn what_was_not_saved_before_a_crash_is_offered() {
    let kept = PROGRAM.replace("E = [600, 200]", "E = [620, 240]");
    let crashed = || {
        Driver::prepared(Some(PROGRAM), None, |folder| {
            autosave::keep(&folder.join("state"), &folder.join("a.hasse"), &kept, Some(PROGRAM), 1).unwrap();
        })
    };
    let hand = crashed();
    assert!(hand.reads("There are changes of a.hasse that were not saved"));
    hand.click("Take them over");
    assert_eq!((hand.program(), hand.title()), (kept.clone(), DIRTY.to_owned()));
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
    let hand = crashed();
    hand.click("Throw them away");
    assert_eq!((hand.program(), hand.title()), (PROGRAM.to_owned(), "a.hasse".to_owned()));
}

#[test]
fn a_file_that_is_gone_can_be_written_again() {
    let hand = Driver::of(PROGRAM);
    fs::remove_file(hand.file("a.hasse")).unwrap();
    hand.wait("the question", |hand| hand.reads("a.hasse is gone from the disk"));
    hand.click("Write it again");
    assert_eq!(fs::read_to_string(hand.file("a.hasse")).unwrap(), PROGRAM);
}

#[test]
fn saved_drawing_is_in_canonical_form() {
    let hand = Driver::empty();
    // A unit with ports, a rule and a body, as a first user draws it.
    hand.resize(1400.0, 1400.0);
    hand.type_text("a");
    hand.type_text("start unit");
    hand.key(Key::Return);
    hand.click("Add to Output ports");
    hand.type_text("number");
    hand.key(Key::Return);
    hand.click("Add to Routing rules");
    hand.type_text("number<-1");
    hand.key(Key::Return);
    hand.ctrl('s');
    hand.ctrl('a');
    hand.type_text(&hand.file("new.hasse").display().to_string());
    hand.key(Key::Return);
    let saved = fs::read_to_string(hand.file("new.hasse")).unwrap();
    assert_eq!(Ok(&saved), hasse_compiler::format(&saved).as_ref().map_err(Vec::len));
    assert_eq!((saved, hand.title().as_str()), (hand.program(), "new.hasse"));
    // A file that a person laid out otherwise remains so.
    let hand = Driver::of(&PROGRAM.replace("main = ", "main    = "));
    nudge(&hand, "E");
    hand.ctrl('s');
    assert!(fs::read_to_string(hand.file("a.hasse")).unwrap().contains("main    = "));
}

#[test]
fn conflict_with_the_file_shows_the_differences() {
    let hand = Driver::of(PROGRAM);
    nudge(&hand, "E");
    fs::write(hand.file("a.hasse"), PROGRAM.replace("E = [600, 200]", "E = [700, 300]")).unwrap();
    hand.ctrl('s');
    assert!(hand.reads("In 1 place both sides changed the same lines."));
    let rows = hand.labels(AccessibleRole::ListItem);
    let both = "mine E = [610, 200], theirs E = [700, 300]";
    let at = rows.iter().position(|row| row == both).unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(rows[at - 1], "both D = [200, 200]");
    for button in ["Merge: mine where both changed", "Take theirs", "Keep mine", "Decide later"] {
        assert!(hand.has(button), "{button}");
    }
    hand.click("Merge: theirs where both changed");
    assert!(hand.program().contains("E = [700, 300]"));
    assert!(!hand.has(both));
}

#[test]
fn conflict_keeps_keys_from_the_field_that_had_the_keyboard() {
    let hand = Driver::of(PROGRAM);
    hand.resize(1400.0, 1400.0);
    nudge(&hand, "E");
    fs::write(hand.file("a.hasse"), PROGRAM.replace("E = [600, 200]", "E = [700, 300]")).unwrap();
    hand.click_at(hand.node_at("B"));
    hand.click("Description");
    hand.type_text("what");
    hand.ctrl('s');
    assert!(hand.reads("In 1 place both sides changed the same lines."));
    hand.type_text("77");
    assert_eq!(hand.value("Description"), "what");
}

#[test]
fn dialog_shows_its_folder_and_follows_a_typed_path() {
    let hand = Driver::of(PROGRAM);
    fs::create_dir(hand.file("sub")).unwrap();
    fs::write(hand.file("sub/inner.hasse"), PROGRAM).unwrap();
    hand.ctrl('o');
    let folder = hand.folder.display().to_string();
    assert!(hand.reads(&folder));
    let rows = |hand: &Driver| hand.labels(AccessibleRole::ListItem);
    assert!(rows(&hand).contains(&"folder ..".to_owned()), "{:?}", rows(&hand));
    hand.type_text(&format!("{}/", hand.file("sub").display()));
    assert!(rows(&hand).contains(&"program inner.hasse".to_owned()), "{:?}", rows(&hand));
    hand.click("program inner.hasse");
    hand.key(Key::Return);
    assert_eq!(hand.title(), "inner.hasse");
    hand.ctrl('o');
    hand.key(Key::DownArrow);
    hand.key(Key::Return);
    assert!(rows(&hand).contains(&"program a.hasse".to_owned()), "up: {:?}", rows(&hand));
}

#[test]
fn proposed_name_is_typed_over_and_recent_files_are_listed() {
    let hand = Driver::of(PROGRAM);
    hand.ctrl_shift('s');
    assert_eq!(hand.value("path"), "a.hasse");
    hand.type_text("copy");
    assert_eq!(hand.value("path"), "copy");
    hand.key(Key::Return);
    assert_eq!(hand.title(), "copy.hasse");
    hand.ctrl('n');
    hand.ctrl('r');
    assert!(hand.reads("Open a recent file"));
    let rows = hand.labels(AccessibleRole::ListItem);
    let names: Vec<&String> = rows.iter().filter(|row| row.starts_with("program ")).collect();
    assert!(
        names[0].starts_with("program copy.hasse") && names[1].starts_with("program a.hasse"),
        "{rows:?}"
    );
    hand.key(Key::DownArrow);
    hand.key(Key::Return);
    assert_eq!(hand.title(), "a.hasse");
}

#[test]
fn dialog_that_is_closed_leaves_the_program_where_it_is() {
    let hand = Driver::empty();
    hand.type_text("a");
    hand.key(Key::Return);
    hand.ctrl('n');
    hand.click("Save");
    assert!(hand.has("path"));
    hand.key(Key::Escape);
    let text = hand.program();
    hand.ctrl('s');
    hand.type_text(&hand.file("mine.hasse").display().to_string());
    hand.key(Key::Return);
    assert_eq!((hand.title(), hand.program() == text), ("mine.hasse".to_owned(), true), "no new program");
}

#[test]
fn empty_rest_after_the_last_line_feed_has_no_number() {
    let hand = Driver::of(PROGRAM);
    hand.resize(1400.0, 1400.0);
    hand.alt('4');
    hand.settle();
    let lines = hand.opened.window.global::<ProgramText>().get_lines();
    let n_lines = i32::try_from(PROGRAM.lines().count()).unwrap();
    let numbered: Vec<i32> = lines.iter().filter(|line| !line.is_end).map(|line| line.number).collect();
    assert_eq!(numbered.last(), Some(&n_lines), "{numbered:?}");
    assert!(lines.iter().any(|line| line.is_end && line.number == n_lines + 1));
}
