use std::collections::BTreeSet;

use hasse_editor::drawing::arrange::{Align, Distribute};
use hasse_editor::keymap::Keymap;
use hasse_editor::palette;
use hasse_editor::state::Request;
use hasse_editor::state::action::{ACTIONS, Action, Category, Direction};
use hasse_editor::state::input::{Key, Modifiers};
use hasse_editor::state::menu::ItemKind;
use hasse_editor::state::prompt::Purpose;

use super::{Hand, PROGRAM};

#[test]
fn the_table_has_each_action_once_and_no_key_twice() {
    let mut names = BTreeSet::new();
    let mut keys = BTreeSet::new();
    let keymap = Keymap::usual([]);
    for info in ACTIONS {
        assert!(names.insert((info.category, info.name)), "{}", info.name);
        assert_eq!(info.action.info().unwrap().name, info.name);
        for shortcut in info.shortcuts {
            assert!(keys.insert(shortcut.to_string()), "{shortcut} of {}", info.name);
            assert_eq!(keymap.action(shortcut.key, shortcut.modifiers), Some(info.action), "{shortcut}");
        }
    }
    assert_eq!(keymap.first("Redo"), "Ctrl+Shift+Z");
    let upper = Modifiers { shift: true, ..Modifiers::CTRL };
    assert_eq!(keymap.action(Key::Char('Z'), upper), Some(Action::Redo));
    assert_eq!(keymap.action(Key::Char('+'), upper), Some(Action::ZoomIn), "of signs, Shift does not count");
    assert_eq!(keymap.action(Key::Char('q'), Modifiers::NONE), None);
}

#[test]
fn what_cannot_be_done_does_nothing() {
    let mut hand = Hand::new();
    for action in
        [Action::Delete, Action::Undo, Action::Unpack, Action::GoUp, Action::Collapse, Action::AddFrame]
    {
        assert!(!hand.editor.is_enabled(action), "{action:?}");
        assert!(!hand.editor.act(action));
    }
    assert!(!hand.key(Key::Char('q')));
    assert!(hand.key(Key::Delete), "a key with a meaning is taken");
    assert_eq!(hand.text(), PROGRAM);
    assert_eq!(hand.requests(), []);
}

#[test]
fn every_action_is_undone_byte_for_byte() {
    for info in ACTIONS.iter().filter(|info| info.action != Action::New) {
        let mut hand = Hand::new();
        hand.select(&["A", "B", "D", "H"]);
        hand.editor.act(info.action);
        let n_requests = hand.requests().len();
        let undone = hand.text() != PROGRAM;
        while hand.editor.act(Action::Undo) {}
        assert_eq!(hand.text(), PROGRAM, "{}", info.name);
        let is_edit = matches!(info.category, Category::Arrange)
            || matches!(info.action, Action::Delete | Action::Duplicate | Action::Cut | Action::ToggleStop);
        if is_edit && !matches!(info.action, Action::TidyAll | Action::Align(Align::Top)) {
            assert!(undone, "{} changes something", info.name);
        }
        assert!(n_requests <= 1, "{}", info.name);
    }
}

#[test]
fn copies_go_through_the_clipboard_to_the_cursor() {
    let mut hand = Hand::new();
    hand.select(&["A", "B"]);
    hand.key_as(Key::Char('c'), Modifiers::CTRL);
    let Some(Request::SetClipboard(text)) = hand.requests().pop() else { panic!("a text") };
    assert!(text.contains("A.x -> B.x") && !text.contains("B.y"));
    hand.moves(hand.at(300.0, 400.0));
    hand.key_as(Key::Char('v'), Modifiers::CTRL);
    assert_eq!(hand.requests(), [Request::Paste]);
    assert!(hand.editor.paste(&text));
    assert_eq!(hand.selected(), ["A2", "B2"]);
    let pasted = hand.since(PROGRAM);
    for line in ["+  \"A2.x -> B2.x\",", "+A2 = [300, 400]\n", "+B2 = [500, 400]\n"] {
        assert!(pasted.contains(line), "{pasted}");
    }
    assert!(hand.editor.paste(&text), "again, beside");
    assert!(hand.text().contains("\nA3 = [320, 420]\n"));
    hand.editor.act(Action::Undo);
    hand.undo_to(PROGRAM);
    assert!(!hand.editor.paste("no nodes"));
    assert!(hand.editor.status().is_refusal);
    assert_eq!(hand.text(), PROGRAM);
    hand.select(&["C"]);
    hand.key_as(Key::Char('x'), Modifiers::CTRL);
    assert!(matches!(&hand.requests()[..], [Request::SetClipboard(text)] if text.contains("uc.C")));
    assert!(!hand.text().contains("uc.C"));
    hand.undo_to(PROGRAM);
}

#[test]
fn what_is_selected_is_deleted_and_arcs_are_joined_on_request() {
    let mut hand = Hand::new();
    hand.select(&["B"]);
    hand.key(Key::Delete);
    assert!(!hand.text().contains("->"));
    hand.undo_to(PROGRAM);
    assert_eq!(hand.selected(), Vec::<&str>::new());
    hand.select(&["B"]);
    hand.key_as(Key::Delete, Modifiers::CTRL);
    assert!(hand.text().contains("A.x -> C.x"), "{}", hand.since(PROGRAM));
    hand.undo_to(PROGRAM);
    hand.key_as(Key::Char('a'), Modifiers::CTRL);
    assert_eq!(hand.editor.selection().len(), 7 + 2 + 1 + 1);
    hand.key(Key::Backspace);
    assert!(!hand.text().contains("graph.g.uc") && !hand.text().contains("layout"), "{}", hand.text());
    hand.undo_to(PROGRAM);
}

#[test]
fn selections_are_inverted_and_grow_along_wires() {
    let mut hand = Hand::new();
    hand.select(&["A"]);
    hand.key_as(Key::Char('l'), Modifiers::CTRL);
    assert_eq!(hand.selected(), ["A", "B", "C"]);
    assert_eq!(hand.editor.selection().links.len(), 2);
    hand.key_as(Key::Char('i'), Modifiers::CTRL);
    assert_eq!(hand.selected(), ["D", "E", "H", "total"]);
    assert_eq!(hand.editor.selection().links.len(), 0);
    hand.key(Key::Escape);
    assert!(hand.editor.selection().is_empty());
}

#[test]
fn arrows_move_by_the_grid_as_one_step_and_without_a_selection_the_picture() {
    let mut hand = Hand::new();
    hand.select(&["A"]);
    for _ in 0..3 {
        hand.key(Key::Right);
    }
    hand.key_as(Key::Down, Modifiers::SHIFT);
    assert_eq!(hand.since(PROGRAM), "-A = [0, 0]\n+A = [30, 100]\n");
    hand.undo_to(PROGRAM);
    hand.editor.select(Default::default());
    let before = hand.title("A");
    hand.key(Key::Left);
    assert_eq!(hand.title("A").x, before.x + 40.0);
    assert_eq!(hand.text(), PROGRAM);
}

#[test]
fn tab_walks_the_boxes_as_they_are_read() {
    let mut hand = Hand::new();
    let mut seen = Vec::new();
    for _ in 0..8 {
        hand.key(Key::Tab);
        seen.push(hand.selected().join(" "));
    }
    assert_eq!(seen, ["A", "B", "C", "H", "D", "total", "E", "A"]);
    hand.key_as(Key::Tab, Modifiers::SHIFT);
    assert_eq!(hand.selected(), ["E"]);
}

#[test]
fn units_become_start_and_stop_nodes_and_back() {
    let mut hand = Hand::new();
    hand.select(&["B", "H"]);
    hand.key_as(Key::Char('S'), Modifiers::SHIFT);
    assert_eq!(hand.since(PROGRAM), "+start = true\n");
    hand.key_as(Key::Char('S'), Modifiers::SHIFT);
    assert_eq!(hand.text(), PROGRAM);
    hand.key_as(Key::Char('X'), Modifiers::SHIFT);
    assert!(hand.editor.picture().nodes.iter().any(|node| node.key == "B" && node.is_stop));
}

#[test]
fn boxes_are_aligned_distributed_and_tidied() {
    let mut hand = Hand::new();
    hand.select(&["A", "D"]);
    hand.editor.act(Action::Align(Align::Top));
    assert_eq!(hand.since(PROGRAM), "-D = [200, 200]\n+D = [200, 0]\n");
    hand.undo_to(PROGRAM);
    hand.select(&["A", "B", "E"]);
    hand.editor.act(Action::Distribute(Distribute::Horizontally));
    assert_eq!(hand.since(PROGRAM), "-B = [200, 0]\n+B = [300, 0]\n");
    hand.undo_to(PROGRAM);
    hand.select(&["A", "C"]);
    hand.editor.act(Action::TidySelection);
    assert!(
        hand.since(PROGRAM).lines().all(|line| line[1..].starts_with("A =") || line[1..].starts_with("C ="))
    );
    hand.editor.act(Action::Nudge(Direction::Up));
    hand.editor.act(Action::TidyAll);
    while hand.editor.act(Action::Undo) {}
    assert_eq!(hand.text(), PROGRAM);
}

#[test]
fn nodes_are_collapsed_and_the_call_unpacked() {
    let mut hand = Hand::new();
    hand.select(&["B", "C"]);
    hand.editor.act(Action::Collapse);
    let Some(Request::Prompt(prompt)) = hand.requests().pop() else { panic!("a field") };
    assert_eq!((&prompt.purpose, &*prompt.text), (&Purpose::Collapse, "Part"));
    assert!(!hand.editor.answer_prompt(&prompt.purpose, "h"), "taken");
    assert!(hand.editor.status().is_refusal);
    assert!(hand.editor.answer_prompt(&prompt.purpose, "Part"));
    assert_eq!(hand.selected(), ["Part"]);
    hand.key(Key::Enter);
    assert_eq!(hand.editor.graph(), "Part");
    hand.key(Key::Char('u'));
    assert_eq!(hand.selected(), ["Part"]);
    hand.key_as(Key::Char('U'), Modifiers { shift: true, ..Modifiers::CTRL });
    assert_eq!(hand.selected(), ["B", "C"]);
    hand.editor.act(Action::Undo);
    hand.undo_to(PROGRAM);
}

#[test]
fn nodes_graphs_and_frames_get_names() {
    let mut hand = Hand::new();
    hand.select(&["A"]);
    hand.key(Key::F(2));
    let Some(Request::Prompt(prompt)) = hand.requests().pop() else { panic!("a field") };
    assert!(!hand.editor.answer_prompt(&prompt.purpose, "1 2"));
    assert!(hand.editor.answer_prompt(&prompt.purpose, "Begin"));
    assert_eq!(hand.selected(), ["Begin"]);
    hand.undo_to(PROGRAM);
    assert!(hand.editor.answer_prompt(&Purpose::RenameGraph("g".to_owned()), "first"));
    assert_eq!((hand.editor.graph(), hand.editor.crumbs().len()), ("first", 1));
    assert_eq!(hand.editor.picture().nodes.len(), 7);
    hand.undo_to(PROGRAM);
    assert_eq!(hand.editor.graph(), "g");
    hand.select(&["D", "E"]);
    hand.key_as(Key::Char('g'), Modifiers::CTRL);
    let Some(Request::Prompt(prompt)) = hand.requests().pop() else { panic!("a field") };
    assert!(hand.editor.answer_prompt(&prompt.purpose, "both"));
    assert!(hand.text().contains("\"frame 2\" = { at = [180, 160]"), "{}", hand.since(PROGRAM));
    assert!(hand.text().contains("title = \"both\""));
    hand.editor.color_frames("blue");
    assert!(hand.text().contains("color = \"blue\""));
}

#[test]
fn commands_are_found_by_a_few_letters() {
    let mut hand = Hand::new();
    let first = |hand: &Hand, typed: &str| hand.editor.command_palette(typed)[0].clone();
    assert_eq!(first(&hand, "tidyall").action, Action::TidyAll);
    assert_eq!(first(&hand, "align left").label, "Arrange: Align left edges");
    assert!(!first(&hand, "undo").is_enabled);
    hand.select(&["A"]);
    hand.key(Key::Right);
    assert_eq!(first(&hand, "undo").label, "Edit: Undo: move by keys");
    assert!(first(&hand, "undo").is_enabled);
    assert_eq!(hand.editor.command_palette("").len(), ACTIONS.len());
    let items: usize = Category::ALL.iter().map(|category| hand.editor.menu(*category).len()).sum();
    assert_eq!(items, ACTIONS.len() - 8, "all but the arrows");
    let menu = hand.editor.menu(Category::Edit);
    assert_eq!((menu[0].kind, &*menu[0].shortcut), (ItemKind::Action(Action::Undo), "Ctrl+Z"));
}

#[test]
fn whatever_the_palette_offers_can_be_added() {
    let mut hand = Hand::new();
    let entries = palette::entries(PROGRAM, "g", None);
    let mut names = BTreeSet::new();
    for entry in &entries {
        let name = hand.editor.insert(&entry.action, [800, 400], None).unwrap();
        assert_eq!(hand.selected(), [&*name]);
        assert_eq!(hand.editor.node_area(&name).unwrap().min, hand.at(800.0, 400.0), "{}", entry.label);
        names.insert(name);
        let text = hand.text().to_owned();
        let again = hand.editor.insert(&entry.action, [800, 500], None).unwrap();
        assert!(!names.contains(&again), "another name");
        hand.undo_to(&text);
        hand.undo_to(PROGRAM);
    }
    assert!(names.len() >= 5, "{names:?}");
}

#[test]
fn typing_after_a_pause_is_a_step_by_itself() {
    let mut hand = Hand::new();
    let typed = |hand: &mut Hand, old: &str, new: &str| {
        let text = hand.text().replace(old, new);
        hand.editor.type_text(&text);
    };
    typed(&mut hand, "# first", "# first of");
    hand.wait(100);
    hand.wait(200);
    typed(&mut hand, "# first of", "# first of all");
    let before = hand.text().to_owned();
    hand.wait(100);
    assert!(hand.editor.is_busy(), "the pause is waited for");
    hand.wait(2000);
    typed(&mut hand, "# first of all", "# first of all three");
    hand.undo_to(&before);
    hand.undo_to(PROGRAM);
}

#[test]
fn typing_at_another_place_is_a_step_by_itself() {
    let mut hand = Hand::new();
    let first = hand.text().replace("# first", "# first of");
    hand.editor.type_text(&first);
    let second = first.replace("# für sich", "# für sich allein");
    hand.editor.type_text(&second);
    hand.undo_to(&first);
    hand.undo_to(PROGRAM);
}
