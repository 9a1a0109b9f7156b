use hasse_editor::run::{Breakpoint, Told};
use hasse_editor::target::Target;
use hasse_ui::{App, Views};
use i_slint_backend_testing::{AccessibleRole, ElementHandle, ElementQuery};
use slint::platform::{Key, PointerEventButton, WindowEvent};
use slint::{ComponentHandle, Image, Model};

use crate::common::programs::{PROGRAM, RUNNING};
use crate::common::session::{Session, facts};
use crate::common::{Driver, middle};

use super::values::Valued;

fn tabs(hand: &Driver) -> Vec<String> {
    let labels = hand.labels(AccessibleRole::Tab);
    labels.into_iter().filter(|label| label == "g" || label == "H (h)").collect()
}

fn pixels(image: &Image) -> Vec<u8> {
    image.to_rgba8_premultiplied().unwrap().as_bytes().to_vec()
}

#[test]
fn graphs_are_open_in_tabs_above_the_picture() {
    let hand = Driver::of(PROGRAM);
    assert!(tabs(&hand).is_empty(), "one graph needs no tab");
    let at = hand.node_at("A");
    hand.click_at(hand.node_at("H"));
    hand.key_with(Key::Control, Key::Return);
    assert_eq!(
        (tabs(&hand), hand.path()),
        (vec!["g".to_owned(), "H (h)".to_owned()], vec!["g".to_owned(), "H (h)".to_owned()])
    );
    hand.click("g");
    assert_eq!(hand.path(), ["g"]);
    assert_eq!(hand.node_at("A")[1], at[1] + 26.0, "the picture begins below the tabs");
    hand.click_at(hand.node_at("A"));
    assert_eq!(hand.selected(), ["A"], "where it is seen, it is hit");
    hand.press("close the tab H (h)");
    assert!(tabs(&hand).is_empty());
    assert_eq!(hand.node_at("A"), at);
}

#[test]
fn two_graphs_are_side_by_side_and_change_roles_by_a_click() {
    let hand = Driver::of(PROGRAM);
    hand.click_at(hand.node_at("H"));
    hand.command("Two graphs side by side");
    let other = hand.item("graph H (h) in the second pane");
    let graph = hand.item("graph");
    assert!(graph.absolute_position().x < other.absolute_position().x);
    assert!((graph.size().width - other.size().width).abs() < 3.0, "each has half of the room");
    let image = hand.app().get_second_picture();
    assert!(image.size().width > 100, "{:?}", image.size());
    let drawn = pixels(&image);
    assert!(drawn.chunks(4).any(|pixel| pixel != &drawn[..4]), "something is drawn");

    hand.click_at(middle(&other));
    assert_eq!(hand.path(), ["g", "H (h)"]);
    let other = hand.item("graph g in the second pane");
    assert!(
        other.absolute_position().x < hand.item("graph").absolute_position().x,
        "both stay where they are"
    );
    let before = pixels(&hand.app().get_second_picture());
    hand.ctrl('z');
    hand.command("Dark");
    assert_ne!(pixels(&hand.app().get_second_picture()), before, "it follows the theme");
    hand.command("Two graphs side by side");
    assert!(!hand.has("graph g in the second pane"));
}

/// The panels in windows of their own.
fn apart_panels(hand: &Driver) -> Vec<i32> {
    let panels: Vec<i32> = hand.app().get_second_panels().iter().collect();
    hand.opened.apart().iter().map(|window| panels[window.get_apart_tab() as usize]).collect()
}

#[test]
fn several_panels_have_windows_of_their_own_at_the_same_time() {
    let valued = Valued::open();
    let hand = &valued.hand;
    let panels = [("History", 3), ("Elaborated", 4), ("Time-line", 5), ("Values", 12)];
    for (tab, _) in panels {
        hand.press(tab);
        hand.command("Panel in a window of its own");
        hand.settle();
    }
    assert_eq!(apart_panels(hand), panels.map(|(_, panel)| panel));
    let windows = hand.opened.apart();
    let titles: Vec<String> = windows.iter().map(|window| window.get_title_shown().into()).collect();
    assert_eq!(titles[0], "History of a.hasse", "{titles:?}");
    // All of them are of the same record.
    hand.settle();
    for (window, label) in
        windows.iter().zip(["event history", "elaborated graph", "time-line", "values at this moment"])
    {
        assert!(ElementHandle::find_by_accessible_label(window, label).next().is_some(), "{label}");
    }
    assert!(windows[0].global::<Views>().get_history().image.size().width > 0);
    // A panel that another window has is exchanged for it.
    let tab = ElementHandle::find_by_accessible_label(&windows[0], "Values");
    let tab = tab.filter(|found| found.accessible_role() == Some(AccessibleRole::Tab)).last().unwrap();
    tab.invoke_accessible_default_action();
    hand.settle();
    assert_eq!(apart_panels(hand), [12, 4, 5, 3]);
    // One is closed, the others stay.
    windows[1].window().dispatch_event(WindowEvent::CloseRequested);
    hand.settle();
    assert_eq!(apart_panels(hand), [12, 5, 3]);
}

#[test]
fn panel_that_is_shown_moves_into_a_window_of_its_own() {
    let hand = Driver::of(RUNNING);
    for (tab, panel) in [("Time-line", 5), ("Findings", 10), ("Actions", 6)] {
        hand.press(tab);
        hand.command("Panel in a window of its own");
        hand.settle();
        assert_eq!((apart_panels(&hand), hand.app().get_panel()), (vec![panel], 0), "{tab}");
        hand.command("Panel in a window of its own");
        hand.settle();
        assert_eq!((apart_panels(&hand), hand.app().get_panel()), (Vec::new(), panel), "{tab}");
    }
}

#[test]
fn panel_is_in_a_window_of_its_own_until_that_is_closed() {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    assert!(hand.opened.apart().is_empty());
    hand.command("Panel in a window of its own");
    hand.settle();
    let apart = hand.opened.apart().pop().expect("another window");
    let has = |label: &str| ElementHandle::find_by_accessible_label(&apart, label).next().is_some();
    assert!(has("panels of this window"));
    assert!(!has("graph"), "the panel alone");
    let chosen = |name: &str| {
        let tabs = ElementHandle::find_by_accessible_label(&apart, name);
        let tab = tabs.filter(|found| found.accessible_role() == Some(AccessibleRole::Tab)).last();
        tab.unwrap_or_else(|| panic!("no tab {name}"))
    };
    assert_eq!(chosen("History").accessible_item_selected(), Some(true));

    // What is chosen there is known here, and what happens is shown there.
    chosen("Breakpoints").invoke_accessible_default_action();
    hand.settle();
    assert_eq!(apart_panels(&hand), [7]);
    let breakpoint = Breakpoint {
        number: 4,
        command: "stop in B".to_owned(),
        targets: vec![Target::of_node("g", "B")],
        line: None,
        condition: String::new(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled: true,
        is_log_point: false,
    };
    session.tell(&hand, Told::Breakpoints(vec![breakpoint]));
    hand.settle();
    let row = ElementQuery::from_root(&apart)
        .match_accessible_role(AccessibleRole::ListItem)
        .find_all()
        .into_iter()
        .find(|row| row.accessible_label().unwrap_or_default().contains("stop in B"))
        .expect("the breakpoint is listed there");
    let at = middle(&row);
    let window = apart.window();
    let position = slint::LogicalPosition::new(at[0], at[1]);
    let button = PointerEventButton::Left;
    window.dispatch_event(WindowEvent::PointerMoved { position });
    window.dispatch_event(WindowEvent::PointerPressed { position, button });
    window.dispatch_event(WindowEvent::PointerReleased { position, button });
    hand.settle();
    assert_eq!(hand.selected(), ["B[i]"], "a line there leads to the picture here");
    hand.press("Breakpoints");
    hand.settle();
    assert!(has("It is shown in the main window."), "a panel is shown once");
    let here = ElementHandle::find_by_accessible_label(&apart, "Show it here").next().unwrap();
    here.invoke_accessible_default_action();
    hand.settle();
    assert!(!has("It is shown in the main window."));
    assert_eq!(hand.app().get_panel(), 0, "the main window goes back to the body");
    let app = apart.global::<App>();
    assert_eq!(app.get_panel(), hand.app().get_panel());

    apart.window().dispatch_event(WindowEvent::CloseRequested);
    hand.settle();
    assert!(hand.opened.apart().is_empty());
}
