use hasse_editor::drawing::geometry::Point;
use hasse_editor::edit::link::LinkList;
use hasse_editor::marks::{ActionMark, Marks, NodeMarks};
use hasse_editor::state::action::Action;
use hasse_editor::state::input::{Key, Modifiers, PointerEvent};
use hasse_editor::state::picture::Detail;
use hasse_editor::state::selection::Selection;
use hasse_editor::state::{Config, Editor, Request};
use hasse_editor::target::{Attribute, Target};

use super::{Hand, PROGRAM};

#[test]
fn calls_are_entered_and_left_and_each_graph_keeps_its_view() {
    let mut hand = Hand::new();
    let view = hand.editor.view();
    hand.double_click(hand.title("H"));
    let labels: Vec<String> = hand.editor.crumbs().iter().map(|crumb| crumb.label()).collect();
    assert_eq!(labels, ["g", "H (h)"]);
    let node = hand.editor.node_area("in.p").unwrap();
    assert_eq!(node.center(), Point::new(600.0, 400.0), "all of it, in the middle");
    hand.editor.pointer(PointerEvent::Wheel {
        at: Point::new(0.0, 0.0),
        delta: Point::new(0.0, 90.0),
        modifiers: Modifiers::NONE,
    });
    let inner = hand.editor.view();
    hand.key(Key::Char('u'));
    assert_eq!((hand.editor.graph(), hand.editor.view(), hand.selected()), ("g", view, vec!["H"]));
    hand.key(Key::Enter);
    assert_eq!((hand.editor.graph(), hand.editor.view()), ("h", inner));
    hand.editor.go_to_crumb(0);
    assert_eq!(hand.editor.graph(), "g");
    hand.editor.go_to_crumb(7);
    assert_eq!(hand.editor.graph(), "g");
    assert!(!hand.editor.act(Action::GoUp));
}

#[test]
fn a_target_is_shown_selected_and_in_sight() {
    let mut hand = Hand::new();
    let target = Target::of_node("h", "in.p");
    hand.editor.show(&target);
    assert_eq!((hand.editor.graph(), hand.selected()), ("h", vec!["in.p"]));
    assert_eq!(hand.editor.crumbs()[1].call.as_deref(), Some("H"));
    assert_eq!(hand.requests(), [Request::Show(target)]);
    let link = Target::of_link("g", LinkList::Arcs, 1);
    hand.editor.show(&link);
    assert_eq!(hand.editor.selected_target(), Some(link));
    hand.drag_as(
        hasse_editor::state::input::Button::Middle,
        Point::new(0.0, 0.0),
        Point::new(5000.0, 0.0),
        Modifiers::NONE,
    );
    let field = Target::of_node("g", "B").with(Attribute { line: Some(2), ..Attribute::of("do") });
    hand.editor.show(&field);
    let area = hand.editor.node_area("B").unwrap();
    assert!(area.center().distance(Point::new(600.0, 400.0)) < 1.0, "in the middle");
    assert_eq!(hand.requests().pop(), Some(Request::Show(field)));
    hand.editor.show(&Target::of_node("nowhere", "X"));
    assert_eq!(hand.editor.graph(), "g");
}

#[test]
fn what_is_shown_stays_a_graph_of_the_program() {
    let mut hand = Hand::new();
    hand.editor.enter("H");
    hand.editor.replace_text("typed", &PROGRAM.replace("[graph.h]\nin = { p = \"int\" }\n", ""));
    assert_eq!(hand.editor.graph(), "g");
    hand.editor.enter("H");
    assert_eq!((hand.editor.graph(), hand.editor.status().is_refusal), ("g", true));
    hand.editor.act(Action::Undo);
    hand.editor.replace_text("typed", "[graph");
    assert_eq!(hand.editor.picture().nodes.len(), 7, "what was drawn stays");
    hand.select(&["A"]);
    hand.key(Key::Delete);
    assert!(hand.editor.status().is_refusal);
    assert_eq!(hand.text(), "[graph");
    hand.editor.replace_text("typed", "");
    assert_eq!(hand.editor.graph(), "");
    assert!(hand.editor.picture().nodes.is_empty());
    for key in [Key::Tab, Key::Delete, Key::Enter, Key::Char('a'), Key::Char('h'), Key::Char('l')] {
        hand.key(key);
    }
    hand.double_click(Point::new(10.0, 10.0));
    hand.editor.act(Action::Undo);
    hand.editor.act(Action::Undo);
    assert_eq!(hand.text(), PROGRAM);
    assert_eq!(hand.editor.picture().nodes.len(), 7);
}

#[test]
fn problems_are_marked_also_at_calls_and_walked_through() {
    let text = PROGRAM.replace("\"A.x -> B.x\",", "\"A.x -> B.zz\",").replace("p = \"int\"", "p = \"intt\"");
    let mut hand = Hand::of(&text);
    assert!(hand.editor.is_busy());
    hand.editor.check_now();
    assert!(!hand.editor.is_busy());
    let picture = hand.editor.picture();
    let call = picture.nodes.iter().find(|node| node.key == "H").unwrap();
    assert!(call.error.counts.n_errors_inside > 0 && call.error.message.contains("intt"), "{:?}", call.error);
    assert!(
        picture
            .badges
            .iter()
            .any(|badge| badge.key == (LinkList::Arcs, 0) && badge.error.counts.n_errors > 0)
    );
    let [n_errors, n_warnings] = hand.editor.problem_counts();
    let mut seen = Vec::new();
    for _ in 0..n_errors + n_warnings {
        hand.key(Key::F(8));
        let Some(Request::Show(target)) = hand.requests().pop() else { panic!("a target") };
        seen.push((target, hand.editor.graph().to_owned()));
    }
    for (target, graph) in &seen {
        assert!(target.graph.is_empty() || target.graph == *graph, "{target}");
    }
    assert!(seen.iter().any(|(_, graph)| graph == "h") && seen.iter().any(|(_, graph)| graph == "g"));
    hand.key_as(Key::F(8), Modifiers::SHIFT);
    let Some(Request::Show(target)) = hand.requests().pop() else { panic!("a target") };
    assert_eq!(target, seen[seen.len() - 2].0);
}

#[test]
fn the_program_is_compiled_beside_once_it_rests() {
    let mut hand = Hand::new();
    while hand.editor.is_busy() {
        hand.wait(1);
        std::thread::yield_now();
    }
    let before = hand.editor.problems().unwrap().list().len();
    hand.drag(hand.output("A", "x"), hand.input("D", "a"));
    hand.wait(10);
    hand.wait(10);
    assert!(hand.editor.is_busy(), "it may go on");
    while hand.editor.is_busy() {
        hand.wait(50);
        std::thread::yield_now();
    }
    assert!(hand.editor.problems().unwrap().list().len() < before);
}

#[test]
fn zooming_shows_less_and_the_minimap_leads() {
    let mut hand = Hand::new();
    let details: Vec<Detail> = [1.0, 0.44, 0.14]
        .into_iter()
        .map(|zoom| {
            hand.editor.set_zoom(zoom);
            hand.editor.picture().detail
        })
        .collect();
    assert_eq!(details, [Detail::Full, Detail::Titles, Detail::Blocks]);
    hand.key(Key::Char('h'));
    let picture = hand.editor.picture();
    assert_eq!(picture.nodes.len(), 7);
    assert!(!hand.editor.minimap(Point::new(200.0, 150.0)).extends_beyond_view, "all is seen");
    hand.key_as(Key::Char('0'), Modifiers::CTRL);
    assert_eq!(hand.editor.view().zoom(), 1.0);
    hand.key(Key::Char('+'));
    assert_eq!(hand.editor.view().zoom(), 1.25);
    let size = Point::new(200.0, 150.0);
    let map = hand.editor.minimap(size);
    assert_eq!((map.nodes.len(), map.frames.len()), (7, 1));
    let place = map.nodes[0].center();
    hand.editor.pointer_on_minimap(place, size);
    let first = hand.editor.picture().nodes[0].key.clone();
    let area = hand.editor.node_area(&first).unwrap();
    assert!(area.center().distance(Point::new(600.0, 400.0)) < 5.0);
    hand.select(&["E"]);
    hand.key(Key::Char('f'));
    assert!(hand.editor.node_area("E").unwrap().center().distance(Point::new(600.0, 400.0)) < 1.0);
    hand.editor.set_zoom(3.0);
    assert!(hand.editor.minimap(size).extends_beyond_view);
}

#[test]
fn a_program_without_a_canvas_is_no_trouble() {
    let mut editor = Editor::of_text(Config::default(), PROGRAM);
    editor.picture();
    editor.key(Key::Char('h'), Modifiers::NONE);
    editor.key(Key::Tab, Modifiers::NONE);
    editor.minimap(Point::default());
    editor.pointer_on_minimap(Point::new(1.0, 1.0), Point::default());
    editor.resize(Point::new(800.0, 600.0));
    assert!(editor.view().zoom() > 0.0 && editor.view().origin().x.is_finite());
}

#[test]
fn a_graph_that_nobody_has_moved_stays_fitted() {
    let mut editor = Editor::of_text(Config::default(), PROGRAM);
    editor.resize(Point::new(400.0, 300.0));
    let small = editor.view().zoom();
    editor.resize(Point::new(800.0, 600.0));
    let large = editor.view();
    assert!(large.zoom() > small, "{small} {}", large.zoom());
    let (at, modifiers) = (Point::new(1.0, 1.0), Modifiers::NONE);
    editor.pointer(PointerEvent::Wheel { at, delta: Point::new(0.0, 10.0), modifiers });
    let moved = editor.view();
    assert_ne!(moved, large);
    editor.resize(Point::new(1600.0, 1200.0));
    assert_eq!(editor.view(), moved);
}

#[test]
fn what_is_undone_in_another_graph_is_shown() {
    let mut hand = Hand::new();
    hand.editor.enter("H");
    let done = hand.editor.insert(&hasse_editor::palette::Action::Shared("int".to_owned()), [0, 200], None);
    assert_eq!(done.as_deref(), Some("object"));
    hand.key(Key::Char('u'));
    hand.editor.act(Action::Undo);
    assert_eq!((hand.text(), hand.editor.graph()), (PROGRAM, "h"));
    hand.editor.go_up();
    hand.editor.act(Action::Redo);
    assert_eq!(hand.editor.graph(), "h");
    assert!(hand.editor.node_area("object").is_some());
}

#[test]
fn enter_opens_what_is_selected() {
    let mut hand = Hand::new();
    hand.select(&["total"]);
    hand.key(Key::Enter);
    hand.select(&["A"]);
    hand.key(Key::Enter);
    let [Request::Show(object), Request::Show(body)] = &hand.requests()[..] else { panic!("two requests") };
    assert_eq!([object.to_string(), body.to_string()], ["g.total", "g.A do"]);
    hand.select(&["H"]);
    hand.key(Key::Enter);
    assert!(hand.requests().is_empty());
    assert_eq!(hand.editor.graph(), "h");
}

#[test]
fn low_canvas_shows_a_readable_part_of_a_large_graph() {
    let mut text = "hasse = 1\nmain = \"g\"\n\n[graph.g]\n".to_owned();
    let mut places = String::new();
    for row in 0..12 {
        text += &format!("\n[graph.g.uc.N{row}]\nin = {{ a = \"int\" }}\n");
        places += &format!("N{row} = [{}, {}]\n", 200 * row, 200 * row);
    }
    text += &format!("\n[layout.g]\n{places}");
    let mut editor = Editor::of_text(Config::default(), &text);
    editor.resize(Point::new(1200.0, 2400.0));
    let is_seen = |editor: &Editor, node: &str| {
        let (area, size) = (editor.node_area(node).unwrap(), editor.size());
        area.min.x >= 0.0 && area.min.y >= 0.0 && area.max.x <= size.x && area.max.y <= size.y
    };
    assert!(is_seen(&editor, "N0") && is_seen(&editor, "N11"), "all of it");
    editor.resize(Point::new(1200.0, 160.0));
    assert!(editor.view().zoom() >= 0.4, "{}", editor.view().zoom());
    assert!(is_seen(&editor, "N0"), "the upper left corner");
    // All of it again where there is room.
    editor.resize(Point::new(1200.0, 2400.0));
    assert!(is_seen(&editor, "N0") && is_seen(&editor, "N11"));
    // A node in which something is stopped comes before the corner, and what is selected before that.
    let mut marks = Marks::default();
    let stopped = NodeMarks { state: Some(ActionMark::Stopped), ..NodeMarks::default() };
    marks.nodes.insert("N7".to_owned(), stopped);
    editor.set_marks("g", marks);
    editor.resize(Point::new(1200.0, 160.0));
    assert!(is_seen(&editor, "N7") && editor.view().zoom() >= 0.4);
    editor.select(Selection { nodes: ["N9".to_owned()].into(), ..Selection::default() });
    editor.resize(Point::new(1200.0, 170.0));
    assert!(is_seen(&editor, "N9"));
    // Asked for, all of it is shown, however small.
    editor.act(Action::FitAll);
    assert!(editor.view().zoom() < 0.4 && is_seen(&editor, "N11"));
}
