use hasse_editor::run::Request;
use hasse_ui::Code;
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

use crate::common::programs::PROGRAM;
use crate::common::session::Session;
use crate::common::{Driver, middle};

const BODY: &str = "body of B";

fn body_of_b() -> Driver {
    let hand = Driver::of(PROGRAM);
    hand.double_click(hand.node_at("B"));
    assert_eq!(hand.value(BODY).trim(), "let y = x + 1;");
    hand
}

#[test]
fn a_double_click_on_a_unit_opens_its_body_for_typing() {
    let hand = body_of_b();
    hand.key_with(Key::Control, Key::End);
    hand.type_text("let z = 2;");
    assert!(hand.value(BODY).contains("let z = 2;"));
    assert!(hand.program().contains("let z = 2;"));
    assert_eq!(hand.selected(), ["B"]);
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM, "one visit is one step");
    assert_eq!(hand.value(BODY).trim(), "let y = x + 1;");
}

#[test]
fn a_body_becomes_one_in_rust_and_is_edited_as_such() {
    let hand = body_of_b();
    hand.resize(1400.0, 1400.0);
    assert_eq!(hand.value("Body kind"), "Rhai");
    hand.click("Body kind");
    hand.click_at(middle(&hand.item("Rust")));
    assert_eq!(hand.since(PROGRAM), ["-do = '''", "-'''", "+do = { rust = '''", "+''' }"]);
    assert_eq!(
        (hand.value("Body kind"), hand.value("body of B, in Rust").trim()),
        ("Rust".to_owned(), "let y = x + 1;")
    );
    hand.command("Write the body");
    hand.key_with(Key::Control, Key::End);
    hand.type_text("context.ch");
    assert!(hand.find(AccessibleRole::List, "completions").is_some());
    hand.key(Key::Tab);
    hand.type_text("?;");
    assert!(
        hand.program().contains("\nlet y = x + 1;\ncontext.check_stop()?;\n''' }\n"),
        "{}",
        hand.program()
    );
    hand.key(Key::F9);
    assert!(hand.status().contains("no run stops within a body in Rust"), "{}", hand.status());
    hand.ctrl('z');
    hand.ctrl('z');
    assert_eq!(hand.program(), PROGRAM);
    assert_eq!(hand.value(BODY).trim(), "let y = x + 1;");
}

#[test]
fn lines_are_indented_and_commented_by_keys() {
    let hand = body_of_b();
    hand.key_with(Key::Control, Key::Home);
    hand.key(Key::Tab);
    hand.key_with(Key::Shift, Key::Backtab);
    hand.ctrl('/');
    hand.key(Key::End);
    hand.type_text(" {");
    hand.key(Key::Return);
    assert_eq!(hand.selected(), ["B"], "keys of the text are not keys of the picture");
    assert!(hand.node("B").is_some());
}

#[test]
fn names_are_completed() {
    let hand = body_of_b();
    hand.key_with(Key::Control, Key::End);
    hand.type_text("let w = ab");
    assert!(hand.find(AccessibleRole::List, "completions").is_some());
    hand.key(Key::Tab);
    assert!(hand.find(AccessibleRole::List, "completions").is_none());
    hand.key(Key::Escape);
    assert!(hand.selected() == ["B"]);
}

#[test]
fn a_problem_is_told_at_its_line_and_jumped_to() {
    let text = PROGRAM.replace("let y = x + 1;", "let y = x + 1;\nlet v = nothing_like_it(y);");
    let hand = Driver::of(&text);
    assert!(hand.told_of("B").contains("undefined function"));
    hand.command("Show problems");
    let list = hand.labels(AccessibleRole::ListItem);
    let row = list.iter().find(|label| label.contains("nothing_like_it")).unwrap();
    hand.double_click(middle(&hand.item(row)));
    assert_eq!(hand.selected(), ["B"]);
    hand.key(Key::Home);
    hand.type_text("// ");
    assert!(hand.program().contains("// let v"), "{:?}", hand.since(&text));
    hand.check();
    assert!(!hand.told_of("B").contains("nothing_like_it"));
}

#[test]
fn caret_at_end_of_long_body_is_in_view() {
    let lines: String = (0..60).map(|number| format!("let v{number} = x + {number};\n")).collect();
    let hand = Driver::of(&PROGRAM.replace("let y = x + 1;\n", &format!("{lines}let y = x + 1;\n")));
    hand.double_click(hand.node_at("B"));
    let code = hand.opened.window.global::<Code>();
    for key in [Key::End, Key::Home, Key::End] {
        hand.key_with(Key::Control, key);
        let last = code.get_lines().iter().map(|line| line.number).max().unwrap();
        let first = code.get_lines().iter().map(|line| line.number).min().unwrap();
        let caret = if key == Key::End { 62 } else { 1 };
        assert!(first <= caret && caret <= last, "{key:?}: lines {first} to {last}");
    }
    // Eleven lines are seen above the one that names the caret's place, and line 62 is the last of them.
    let first = code.get_lines().iter().map(|line| line.number).min().unwrap();
    assert!(first >= 51, "the first line is {first}");
}

#[test]
fn problems_stand_below_the_body_with_their_hints() {
    let text =
        PROGRAM.replace("let y = x + 1;", "let y = x + 1;\nlet v = lenn([y]);\nlet w = nothing_like_it(y);");
    let hand = Driver::of(&text);
    hand.double_click(hand.node_at("B"));
    let list = hand.find(AccessibleRole::List, "problems of the body of B").unwrap();
    let code = hand.item("body of B");
    assert!(list.absolute_position().y > code.absolute_position().y);
    let rows = hand.labels(AccessibleRole::ListItem);
    let told = |line: &str| rows.iter().find(|row| row.starts_with(line)).unwrap();
    assert!(told("line 2").contains("lenn") && told("line 3").contains("nothing_like_it"), "{rows:?}");
    hand.press(told("line 3"));
    hand.key(Key::Home);
    hand.type_text("// ");
    assert!(hand.program().contains("\n// let w = nothing_like_it(y);"), "{:?}", hand.since(&text));
    hand.click("Replace lenn by len");
    assert!(hand.program().contains("let v = len([y]);"), "{:?}", hand.since(&text));
    assert!(hand.value("body of B").contains("let v = len([y]);"));
    hand.check();
    assert!(hand.find(AccessibleRole::List, "problems of the body of B").is_none());
    hand.type_text("z");
    assert_ne!(hand.program(), text, "the body has the keys");
}

#[test]
fn run_and_other_place_begin_a_step_of_the_history() {
    let (hand, session) = Session::open(PROGRAM);
    hand.opened.tick();
    hand.double_click(hand.node_at("B"));
    hand.key_with(Key::Control, Key::End);
    hand.type_text("let z = 2;");
    let first = hand.program();
    hand.key(Key::F5);
    assert!(session.sent().contains(&Request::Run));
    hand.type_text("let w = 3;");
    let second = hand.program();
    hand.key_with(Key::Control, Key::Home);
    hand.type_text("let v = 4;");
    assert_ne!(hand.program(), second);
    for text in [&second, &first, PROGRAM] {
        hand.ctrl('z');
        assert_eq!(hand.program(), *text);
    }
    hand.ctrl_shift('z');
    assert_eq!(hand.program(), first);
}

#[test]
fn undo_in_a_body_shows_a_step_that_was_elsewhere() {
    let hand = Driver::of(PROGRAM);
    hand.double_click(hand.node_at("A"));
    hand.key_with(Key::Control, Key::End);
    hand.type_text("let q = 1;");
    hand.key(Key::Escape);
    hand.double_click(hand.node_at("B"));
    hand.key_with(Key::Control, Key::End);
    hand.type_text("let z = 2;");
    hand.ctrl('z');
    assert_eq!((hand.selected(), hand.status().as_str()), (vec!["B".to_owned()], "Undone: edit body"));
    hand.ctrl('z');
    assert_eq!((hand.selected(), hand.status().as_str()), (vec!["A".to_owned()], "Undone: edit body"));
    assert_eq!(hand.program(), PROGRAM);
    assert_eq!(hand.value("body of A").trim(), "let x = 1;");
    hand.ctrl('z');
    assert_eq!(hand.status(), "Nothing is left to undo.");
}

#[test]
fn accepted_function_shows_its_parameters_and_takes_the_caret() {
    let hand = body_of_b();
    hand.key_with(Key::Control, Key::End);
    hand.type_text("let w = sub_st");
    let rows = hand.labels(AccessibleRole::ListItem);
    assert!(rows.contains(&"sub_string".to_owned()), "{rows:?}");
    hand.key(Key::Tab);
    let signature = "sub_string(s: string, from: int, len: int) -> string";
    assert!(hand.reads(signature), "{:?}", hand.labels(AccessibleRole::Text));
    hand.type_text("\"abc\", 1");
    assert!(hand.program().contains("let w = sub_string(\"abc\", 1)"), "the caret was in the parentheses");
    assert!(hand.reads(signature), "it stays while arguments are typed");
    hand.key(Key::Escape);
    assert!(!hand.reads(signature));
    hand.type_text(", ");
    assert!(hand.program().contains("1, )"), "Escape has left the caret in the body");
}
