use hasse_editor::drawing::geometry::Point;
use hasse_editor::palette;
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Button, Key, Modifiers};
use hasse_editor::state::{Config, Editor, Request};

use super::Hand;

/// Chooses in the palette as a person does who types a few letters.
fn choose(hand: &mut Hand, typed: &str) -> String {
    let requests = hand.requests();
    let Some(Request::Palette { place, wire, .. }) = requests.last() else {
        panic!("the palette: {requests:?}")
    };
    let (text, graph) = (hand.text().to_owned(), hand.editor.graph().to_owned());
    let entries = palette::entries(&text, &graph, wire.as_ref().map(|(wire, _)| wire));
    let ranked = palette::rank(&entries, typed, &[]);
    let from = wire.as_ref().map(|(_, from)| from);
    hand.editor.insert(&ranked[0].entry.action, *place, from).unwrap()
}

/// Renames what is selected.
fn rename(hand: &mut Hand, name: &str) {
    hand.key(Key::F(2));
    let requests = hand.requests();
    let Some(Request::Prompt(prompt)) = requests.last() else { panic!("a field") };
    assert!(hand.editor.answer_prompt(&prompt.purpose, name));
}

#[test]
fn a_graph_of_three_nodes_is_drawn_by_mouse_and_keys() {
    let mut editor = Editor::new(Config::default());
    editor.resize(Point::new(1000.0, 600.0));
    let mut hand = Hand { editor, now: std::time::Duration::ZERO };
    let first = hand.editor.document().text().to_owned();
    // A formal port by a double click.
    hand.double_click(hand.at(-200.0, -100.0));
    choose(&mut hand, "input int");
    rename(&mut hand, "n");
    let from = hand.output("in.n", "");
    // A wire to nothing makes a unit with a port.
    hand.drag(from, hand.at(0.0, -100.0));
    choose(&mut hand, "unit");
    rename(&mut hand, "Double");
    hand.key_as(Key::Char('S'), Modifiers::SHIFT);
    // Another formal port by a key.
    hand.moves(hand.at(0.0, 100.0));
    hand.key(Key::Char('a'));
    choose(&mut hand, "output int");
    rename(&mut hand, "twice");
    hand.drag(hand.title("Double"), {
        let title = hand.title("Double");
        Point::new(title.x, title.y + 40.0)
    });
    // A wire to a unit gives it a port; another one by keys.
    hand.drag(hand.input("out.twice", ""), hand.title("Double"));
    hand.key_as(Key::Char('a'), Modifiers::CTRL);
    hand.key(Key::Escape);
    for _ in 0..3 {
        hand.key(Key::Tab);
    }
    hand.key(Key::Char('c'));
    hand.key(Key::Enter);
    while hand.editor.picture().ghost.unwrap().text != "in.n -> out.twice" {
        hand.key(Key::Tab);
    }
    hand.key(Key::Enter);
    hand.key(Key::Escape);
    hand.key_as(Key::Char('/'), Modifiers::CTRL);
    let Some(Request::Prompt(prompt)) = hand.requests().pop() else { panic!("a field") };
    assert!(hand.editor.answer_prompt(&prompt.purpose, "doubles"));
    insta::assert_snapshot!(hand.text());
    while hand.editor.act(Action::Undo) {}
    assert_eq!(hand.text(), first);
    hand.drag_as(Button::Middle, Point::new(10.0, 10.0), Point::new(20.0, 20.0), Modifiers::NONE);
    assert_eq!(hand.editor.title(), "New program");
}
