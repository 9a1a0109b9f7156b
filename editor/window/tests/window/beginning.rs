//! The first minutes: start page, tour, ready nodes, the book, no errors before the first edit, the text.

use std::fs;

use hasse_editor::gallery::{EXAMPLES, TEMPLATES};
use hasse_editor::run::{Request, Subject, Told};
use hasse_ui::{Book, ProgramText, Start, Tour};
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

use crate::common::Driver;
use crate::common::programs::PROGRAM;
use crate::common::session::{Session, facts, finished};

#[test]
fn start_page_offers_templates_and_examples_with_pictures() {
    let hand = Driver::start();
    assert!(hand.has("start page"));
    for template in &TEMPLATES {
        assert!(hand.has(template.title), "{}", template.title);
    }
    let start = hand.opened.window.global::<Start>();
    assert_eq!(start.get_examples().row_count(), EXAMPLES.len());
    for card in start.get_templates().iter().chain(start.get_examples().iter()) {
        assert!(card.picture.size().width > 100, "{}", card.title);
    }
    // Letters do nothing to the program below.
    hand.type_text("a");
    assert!(!hand.has("palette"));
    hand.click("Pipeline");
    assert!(!hand.has("start page"));
    assert_eq!(hand.title(), "pipeline.hasse (not saved)");
    assert_eq!(hand.program(), TEMPLATES[1].text);
    hand.check();
    assert_eq!(hand.app().get_problems(), "no problems");
    hand.ctrl('s');
    assert!(hand.value("path").ends_with("pipeline.hasse"), "{}", hand.value("path"));
    hand.key(Key::Escape);
    hand.command("Start page");
    assert!(hand.has("start page"));
    hand.key(Key::Escape);
    assert!(!hand.has("start page"));
    assert_eq!(hand.program(), TEMPLATES[1].text);
}

#[test]
fn start_page_is_used_by_keys() {
    let hand = Driver::start();
    let selected = || hand.opened.window.global::<Start>().get_selected();
    hand.key(Key::RightArrow);
    hand.key(Key::DownArrow);
    assert!(selected() >= 5, "{}", selected());
    hand.key(Key::UpArrow);
    assert_eq!(selected(), 1);
    hand.key(Key::Return);
    assert_eq!(hand.title(), "pipeline.hasse (not saved)");
    let hand = Driver::start();
    hand.key(Key::Return);
    assert_eq!((hand.title(), hand.has("start page")), ("New program".to_owned(), false));
}

#[test]
fn start_page_opens_recent_files() {
    let hand = Driver::start();
    let path = hand.file("a.hasse");
    fs::write(&path, PROGRAM).unwrap();
    hand.ctrl('o');
    hand.ctrl('a');
    hand.type_text(&path.display().to_string());
    hand.key(Key::Return);
    assert!(!hand.has("start page"));
    hand.ctrl('n');
    hand.command("Start page");
    let recent = hand.labels(AccessibleRole::ListItem);
    assert!(recent.iter().any(|label| label.starts_with("a.hasse, ")), "{recent:?}");
    hand.press(recent.iter().find(|label| label.starts_with("a.hasse, ")).unwrap());
    assert_eq!((hand.program(), hand.has("start page")), (PROGRAM.to_owned(), false));
}

#[test]
fn unsaved_changes_are_asked_about_before_a_template_is_opened() {
    let hand = Driver::empty();
    hand.type_text("a");
    hand.key(Key::Return);
    let text = hand.program();
    hand.command("Start page");
    hand.click("Loop");
    assert!(hand.has("Cancel") && hand.has("start page"));
    hand.click("Cancel");
    assert_eq!(hand.program(), text);
}

#[test]
fn session_is_told_of_each_program_that_is_opened() {
    let session = Session::default();
    let own = session.clone();
    let hand = Driver::with(None, Some(Box::new(move |_| Box::new(own))));
    hand.opened.tick();
    session.sent();
    let told = |hand: &Driver| {
        hand.opened.tick();
        let programs = session.sent().into_iter().filter_map(|request| match request {
            Request::Describe(Subject::Program { path, text }) => Some((path, text.to_string())),
            _ => None,
        });
        programs.last().unwrap()
    };
    hand.command("Start page");
    hand.click("Loop");
    assert_eq!(told(&hand), (None, TEMPLATES[4].text.to_owned()), "nothing was edited since");
    hand.command("Start page");
    // Below what is seen of the page.
    let wordcount = EXAMPLES.iter().position(|example| example.name == "wordcount").unwrap();
    let card = i32::try_from(TEMPLATES.len() + wordcount).unwrap();
    hand.opened.window.global::<Start>().invoke_chosen(card);
    hand.settle();
    let (path, text) = told(&hand);
    assert!(path.unwrap().with_file_name("gettysburg.txt").exists(), "its files can be read");
    assert!(text.contains("Map, shuffle and reduce"));
    // Saved, it is looked for elsewhere.
    hand.ctrl('s');
    hand.ctrl('a');
    let saved = hand.file("words.hasse");
    hand.type_text(&saved.display().to_string());
    hand.key(Key::Return);
    assert_eq!(told(&hand).0, Some(saved));
    assert!(hand.file("gettysburg.txt").exists());
}

fn step(hand: &Driver) -> i32 {
    hand.opened.window.global::<Tour>().get_n_done() + 1
}

#[test]
fn tour_is_walked_from_the_start_page_to_a_result() {
    let session = Session::default();
    let own = session.clone();
    let hand = Driver::with(None, Some(Box::new(move |_| Box::new(own))));
    hand.command("Start page");
    hand.click("Tour: a first program in eight steps");
    assert!(hand.reads("Step 1 of 8: A node that starts"));
    hand.type_text("a");
    hand.type_text("start");
    hand.key(Key::Return);
    assert_eq!(step(&hand), 2);
    hand.click("Add to Output ports");
    hand.type_text("number");
    hand.key(Key::Return);
    assert!(hand.reads("Step 3 of 8: A second node"), "{}", hand.program());
    let from = hand.output("node", "number");
    hand.drag(from, [from[0] + 150.0, from[1]]);
    hand.type_text("unit");
    hand.key(Key::Return);
    assert_eq!(step(&hand), 4, "{}", hand.program());
    hand.click_at(hand.node_at("node"));
    assert!(hand.reads("number <- i for i in 0..4"));
    hand.click("Add to Routing rules");
    hand.type_text("number <- i for i in 0..4");
    hand.key(Key::Return);
    assert_eq!(step(&hand), 5, "{}", hand.program());
    // Left, and taken up again where the program stands.
    hand.click("Leave the tour; Help goes on with it");
    assert!(!hand.has("tour"));
    hand.click("Help menu");
    hand.click("Tour: a first program");
    assert!(hand.reads("Step 5 of 8"), "{}", hand.program());
    // What is left is typed as text.
    let rest = hand.program().replace("[graph.main.uc.node2]", "[graph.main.uc.node2]\nfire = [\"a -> x\"]\nout = { square = \"int\" }\nroute = [\"square <- x * x\"]");
    type_program(&hand, &rest);
    assert_eq!(step(&hand), 6, "{}", hand.program());
    // Names that the next steps use are unused yet.
    hand.check();
    assert!(!hand.app().get_problems().contains("warning"), "{}", hand.app().get_problems());
    let rest = hand.program().replace("node2.a\"", "node2.a\", \"node2.square -> Sum.a\"")
        + "\n[graph.main.uc.Sum]\nin = { a = \"int\" }\nvars = { total = \"int\" }\nfire = [\"a -> s\"]\ndo = 'total += s; if count == 4 { result(\"total\", total); }'\n";
    type_program(&hand, &rest);
    assert_eq!(step(&hand), 8, "{}", hand.program());
    hand.check();
    assert_eq!(hand.app().get_problems(), "no problems");
    session.tell(&hand, Told::Opened(facts(&hand.program())));
    session.end(&hand, finished());
    assert!(hand.reads("Done"));
    // What is edited now is a program of one's own.
    hand.click_at(hand.node_at("Sum"));
    hand.key(Key::Delete);
    assert!(hand.reads("Done"));
}

/// Puts a text in place of the program, through the text view.
fn type_program(hand: &Driver, text: &str) {
    let ui = hand.opened.window.global::<ProgramText>();
    ui.invoke_edited(text.into(), 0);
    hand.settle();
}

#[test]
fn ready_node_is_found_by_a_few_letters_and_opened() {
    let hand = Driver::empty();
    hand.type_text("a");
    hand.type_text("merge in");
    assert!(hand.labels(AccessibleRole::ListItem).iter().any(|label| label == "Merge in order"));
    assert!(hand.reads("Passes on items in the order of their numbers"));
    hand.key(Key::Return);
    assert_eq!(hand.selected(), ["MergeInOrder"]);
    hand.key(Key::Return);
    assert_eq!(hand.path(), ["main", "MergeInOrder"]);
    assert!(hand.node("Order").is_some());
}

#[test]
fn nothing_is_red_before_the_first_edit() {
    let hand = Driver::empty();
    assert!(hand.app().get_hint().starts_with("Next: "), "{}", hand.app().get_hint());
    hand.type_text("a");
    hand.key(Key::Return);
    hand.check();
    assert_eq!(hand.app().get_problems_tone(), 0, "{}", hand.app().get_problems());
    assert!(hand.app().get_hint().contains("input port"), "{}", hand.app().get_hint());
    hand.click("Add to Input ports");
    hand.type_text("x");
    hand.key(Key::Return);
    hand.check();
    assert!(hand.app().get_problems_tone() > 0, "{}", hand.program());
}

#[test]
fn book_is_read_beside_the_picture() {
    let hand = Driver::of(PROGRAM);
    hand.click("Help menu");
    hand.click("The book");
    assert!(hand.reads("Introduction"));
    let chapters = hand.labels(AccessibleRole::ListItem);
    assert!(chapters.iter().any(|label| label == "Firing rules"), "{chapters:?}");
    hand.press("Firing rules");
    assert!(hand.reads("A rule is enabled if each port that it names holds a value"));
    let book = hand.opened.window.global::<Book>();
    book.invoke_followed("choices.md".into());
    hand.settle();
    assert_eq!(book.get_title(), "Free choices and replay");
    hand.click("Back to the page before");
    assert_eq!(book.get_title(), "Firing rules");
    book.invoke_followed("https://rhai.rs/book".into());
    hand.settle();
    assert!(hand.status().contains("on the clipboard"), "{}", hand.status());
    // The picture beside it is at work.
    hand.click_at(hand.node_at("A"));
    assert_eq!(hand.selected(), ["A"]);
    hand.click("Close the book");
    assert!(!hand.has("contents"));
    hand.key_with(Key::Shift, Key::F1);
    assert_eq!(book.get_title(), "Firing rules", "the page that was shown last");
    hand.key(Key::Escape);
    assert!(!hand.has("contents"));
}

#[test]
fn book_is_searched_by_ctrl_f() {
    let hand = Driver::of(PROGRAM);
    hand.key_with(Key::Shift, Key::F1);
    hand.ctrl('f');
    hand.type_text("deadlock");
    let rows = hand.labels(AccessibleRole::ListItem);
    assert!(rows.iter().any(|row| row.to_lowercase().contains("deadlock")), "{rows:?}");
    assert!(!rows.iter().any(|row| row == "Firing rules"), "{rows:?}");
    hand.key(Key::Return);
    let book = hand.opened.window.global::<Book>();
    let first = usize::try_from(book.get_first()).unwrap();
    let shown = book.get_blocks().row_data(first).unwrap();
    assert_eq!(shown.kind, 0);
    assert!(shown.text.to_lowercase().contains("deadlock"), "{}", shown.text);
    // Escape leaves the search, then the book.
    hand.key(Key::Escape);
    assert!(hand.labels(AccessibleRole::ListItem).iter().any(|row| row == "Firing rules"));
    // From the picture, too.
    hand.click_at(hand.node_at("A"));
    hand.ctrl('f');
    hand.type_text("guard");
    assert_eq!(hand.value("search the book"), "guard");
}

const SHORT: &str = "hasse = 1\nmain = \"g\"\n\n[graph.g.uc.A]\nstart = true\n\n[layout.g]\nA = [60, 60]\n";

#[test]
fn text_and_picture_follow_each_other() {
    let hand = Driver::of(SHORT);
    hand.alt('4');
    assert_eq!(hand.value("text of the program"), SHORT);
    // Edited on the picture, it changes in the text.
    hand.click_at(hand.node_at("A"));
    hand.key(Key::RightArrow);
    assert_ne!(hand.program(), SHORT);
    assert_eq!(hand.value("text of the program"), hand.program());
    hand.ctrl('z');
    assert_eq!(hand.value("text of the program"), SHORT);
    // What is selected is marked.
    let is_marked = |hand: &Driver| {
        let lines = hand.opened.window.global::<ProgramText>().get_lines();
        lines.iter().any(|line| line.is_current)
    };
    assert!(is_marked(&hand));
    // Where the caret goes, the selection follows.
    hand.ctrl_shift('a');
    assert!(hand.selected().is_empty());
    hand.click("text of the program");
    hand.key_with(Key::Control, Key::Home);
    (0..4).for_each(|_| hand.key(Key::DownArrow));
    assert_eq!(hand.selected(), ["A"]);
    // Typed in the text, it changes the picture.
    hand.click("text of the program");
    hand.key_with(Key::Control, Key::End);
    hand.type_text("\n[graph.g.uc.New]\nstart = ");
    assert!(hand.node("A").is_some(), "what cannot be read leaves the picture as it is");
    hand.type_text("true\n");
    assert!(hand.node("New").is_some(), "{}", hand.program());
    assert_eq!(hand.selected(), ["New"], "what the caret is at is selected");
    // One step of the same history.
    hand.key(Key::Escape);
    hand.ctrl('z');
    assert_eq!((hand.program(), hand.node("New").is_some()), (SHORT.to_owned(), false));
    assert_eq!(hand.value("text of the program"), SHORT);
    hand.alt('4');
    assert!(!hand.app().get_has_text());
}
