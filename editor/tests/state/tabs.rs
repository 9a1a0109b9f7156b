use hasse_editor::drawing::geometry::Point;
use hasse_editor::marks::{ActionMark, Marks, NodeMarks};
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Button, Key, Modifiers};
use hasse_editor::state::picture::Picture;
use hasse_editor::target::Target;

use super::{Hand, PROGRAM};

const PANE: Point = Point::new(1200.0, 800.0);

fn keys(picture: &Picture) -> Vec<&str> {
    picture.nodes.iter().map(|node| node.key.as_str()).collect()
}

#[test]
fn call_is_opened_in_a_tab_and_each_tab_keeps_path_and_view() {
    let mut hand = Hand::new();
    assert_eq!(hand.editor.tabs(), ["g"]);
    assert!(!hand.editor.act(Action::CloseTab), "one tab stays");
    let outer = hand.editor.view();
    hand.select(&["H"]);
    hand.key_as(Key::Enter, Modifiers::CTRL);
    assert_eq!(
        (hand.editor.tabs(), hand.editor.current_tab()),
        (vec!["g".to_owned(), "H (h)".to_owned()], 1)
    );
    assert_eq!(hand.editor.graph(), "h");
    hand.drag_as(Button::Middle, Point::new(0.0, 0.0), Point::new(70.0, 30.0), Modifiers::NONE);
    let inner = hand.editor.view();
    hand.key_as(Key::Tab, Modifiers::CTRL);
    assert_eq!((hand.editor.graph(), hand.editor.view()), ("g", outer));
    hand.key_as(Key::Tab, Modifiers { shift: true, ..Modifiers::CTRL });
    assert_eq!((hand.editor.graph(), hand.editor.view(), hand.editor.crumbs().len()), ("h", inner, 2));
    hand.key_as(Key::Char('w'), Modifiers::CTRL);
    assert_eq!((hand.editor.tabs(), hand.editor.graph()), (vec!["g".to_owned()], "g"));
}

#[test]
fn tabs_of_one_graph_have_views_of_their_own() {
    let mut hand = Hand::new();
    hand.editor.act(Action::OpenTab);
    assert_eq!(hand.editor.tabs(), ["g", "g"]);
    let view = hand.editor.view();
    hand.editor.set_zoom(0.6);
    hand.editor.choose_tab(0);
    assert_eq!(hand.editor.view(), view);
    hand.editor.choose_tab(1);
    assert!((hand.editor.view().zoom() - 0.6).abs() < 1e-9);
    hand.editor.choose_tab(7);
    assert_eq!(hand.editor.current_tab(), 1);
}

#[test]
fn second_pane_shows_another_graph_and_a_click_makes_it_the_current_one() {
    let mut hand = Hand::new();
    assert!(hand.editor.second_picture(PANE).is_none());
    hand.select(&["H"]);
    hand.editor.act(Action::SideBySide);
    assert_eq!((hand.editor.graph(), hand.editor.second_graph()), ("g", Some("h")));
    assert!(!hand.editor.is_second_left());
    let before = (hand.editor.picture(), hand.editor.view(), hand.editor.size());
    let second = hand.editor.second_picture(PANE).unwrap();
    assert_eq!(second.graph, "h");
    assert!(keys(&second).contains(&"in.p"));
    let pane = hasse_editor::drawing::geometry::Rect::new(0.0, 0.0, PANE.x, PANE.y);
    assert!(second.nodes.iter().all(|node| pane.contains_rect(node.area)), "all of it is seen");
    assert_eq!((hand.editor.picture(), hand.editor.view(), hand.editor.size()), before);
    assert_eq!(hand.selected(), ["H"]);

    hand.editor.choose_tab(hand.editor.second_tab().unwrap());
    assert_eq!((hand.editor.graph(), hand.editor.second_graph()), ("h", Some("g")));
    assert!(hand.editor.is_second_left(), "both stay where they are");
    assert_eq!(keys(&hand.editor.second_picture(PANE).unwrap()).len(), 7);
    hand.editor.act(Action::SideBySide);
    assert_eq!((hand.editor.second_tab(), hand.editor.tabs().len()), (None, 2));
    hand.editor.act(Action::SideBySide);
    assert_eq!(hand.editor.second_graph(), Some("g"), "the tab that is there");
    hand.editor.act(Action::CloseTab);
    assert_eq!((hand.editor.graph(), hand.editor.second_tab()), ("g", None));
}

#[test]
fn second_pane_follows_edits_and_marks() {
    let mut hand = Hand::new();
    hand.select(&["H"]);
    hand.editor.act(Action::OpenTab);
    hand.editor.act(Action::SideBySide);
    assert_eq!((hand.editor.graph(), hand.editor.second_graph()), ("h", Some("g")));
    let version = hand.editor.version();
    let mut marks = Marks::default();
    let waiting = NodeMarks { state: Some(ActionMark::Waiting), ..NodeMarks::default() };
    marks.nodes.insert("B".to_owned(), waiting.clone());
    hand.editor.set_marks("g", marks);
    assert!(hand.editor.version() > version);
    let second = hand.editor.second_picture(PANE).unwrap();
    assert_eq!(second.nodes.iter().find(|node| node.key == "B").unwrap().marks, waiting);
    hand.editor.replace_text("typed", &PROGRAM.replace("[graph.g.uc.B]", "[graph.g.uc.B]\nstart = true"));
    let second = hand.editor.second_picture(PANE).unwrap();
    assert!(second.nodes.iter().any(|node| node.key == "B" && node.is_start));
    assert!(hand.editor.rename_graph("g", "top"));
    assert_eq!((hand.editor.second_graph(), hand.editor.tabs()[0].as_str()), (Some("top"), "top"));
}

#[test]
fn drag_goes_on_while_the_second_pane_is_drawn() {
    let mut hand = Hand::new();
    hand.select(&["H"]);
    hand.editor.act(Action::SideBySide);
    let (from, text) = (hand.title("A"), hand.text().to_owned());
    hand.pull(from, Point::new(from.x + 60.0, from.y + 40.0));
    let dragged = hand.editor.picture();
    hand.editor.second_picture(PANE).unwrap();
    assert_eq!(hand.editor.picture(), dragged);
    hand.key(Key::Escape);
    assert_eq!(hand.text(), text);
    assert_eq!(hand.title("A"), from, "given up: it is where it was");
}

#[test]
fn tab_of_a_graph_that_is_gone_is_closed() {
    let mut hand = Hand::new();
    hand.select(&["H"]);
    hand.editor.act(Action::SideBySide);
    hand.editor.replace_text("typed", &PROGRAM.replace("[graph.h]\nin = { p = \"int\" }\n", ""));
    assert_eq!((hand.editor.tabs(), hand.editor.second_tab()), (vec!["g".to_owned()], None));
}

#[test]
fn target_of_a_graph_that_is_open_is_shown_in_its_tab() {
    let mut hand = Hand::new();
    hand.select(&["H"]);
    hand.editor.act(Action::OpenTab);
    hand.editor.show(&Target::of_node("g", "B"));
    assert_eq!((hand.editor.current_tab(), hand.selected()), (0, vec!["B"]));
    assert_eq!(hand.editor.tabs().len(), 2);
}

#[test]
fn graph_that_is_seen_whole_stays_whole_in_a_narrower_pane() {
    let mut hand = Hand::new();
    hand.editor.act(Action::FitAll);
    hand.editor.act(Action::SideBySide);
    let half = Point::new(600.0, 800.0);
    hand.editor.resize(half);
    let pane = hasse_editor::drawing::geometry::Rect::new(0.0, 0.0, half.x, half.y);
    for picture in [hand.editor.picture(), hand.editor.second_picture(half).unwrap()] {
        assert_eq!(picture.nodes.len(), 7);
        assert!(picture.nodes.iter().all(|node| pane.contains_rect(node.area)));
    }
    hand.editor.set_zoom(2.0);
    let view = hand.editor.view();
    hand.editor.act(Action::SideBySide);
    hand.editor.resize(Point::new(1200.0, 800.0));
    assert_eq!(hand.editor.view(), view, "a part that was chosen stays");
}
