//! Debugging where one points: menus, dots and badges of the picture, and menus of the views.

use std::sync::Arc;

use hasse_editor::run::{Breakpoint, Mode, Request, RunState, Snapshot, TemplateCount, Told};
use hasse_editor::target::Target;
use hasse_editor::views::record::AskedRecord;
use hasse_model::id::{Index, TemplateId};
use hasse_runtime::control::{ActionState, ActionSummary, StopPoint};
use hasse_ui::{Graph, Legend, Views};
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

use super::views::{opened as with_record, place, record};
use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts, rest};

fn opened() -> (Driver, Session) {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::State(RunState::Ready));
    session.sent();
    (hand, session)
}

fn held(number: u64, command: &str, node: &str, is_enabled: bool) -> Breakpoint {
    Breakpoint {
        number,
        command: command.to_owned(),
        targets: vec![Target::of_node("g", node)],
        line: None,
        condition: String::new(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled,
        is_log_point: false,
    }
}

fn set(command: &str) -> Request {
    Request::SetBreakpoint(command.to_owned())
}

/// A corner of a box: where its badges are.
fn corner(hand: &Driver, title: &str, is_lower: bool) -> [f32; 2] {
    let node = hand.node(title).unwrap();
    let (at, size) = (node.absolute_position(), node.size());
    [at.x, if is_lower { at.y + size.height } else { at.y }]
}

#[test]
fn menu_of_a_node_sets_and_removes_breakpoints() {
    let (hand, session) = opened();
    hand.right_click(hand.node_at("B[i]"));
    hand.click("Break before the body");
    assert_eq!(session.sent(), [set("stop in B at befcomp")]);
    hand.right_click(hand.node_at("B[i]"));
    hand.click("Break after the body");
    assert_eq!(session.sent(), [set("stop in B at aftcomp")]);
    session.tell(&hand, Told::Breakpoints(vec![held(1, "stop in B at aftcomp", "B", true)]));
    hand.right_click(hand.node_at("B[i]"));
    hand.click("Break after the body");
    assert_eq!(session.sent(), [Request::DeleteBreakpoint(1)], "it is there");
    hand.right_click(hand.node_at("B[i]"));
    assert!(hand.has("Edit #1: stop in B at aftcomp"));
    hand.click("Switch the breakpoint off");
    assert_eq!(session.sent(), [Request::EnableBreakpoint(1, false)]);
    hand.right_click(hand.node_at("B[i]"));
    hand.click("Remove the breakpoint");
    assert_eq!(session.sent(), [Request::DeleteBreakpoint(1)]);
    hand.right_click(hand.node_at("total"));
    assert!(!hand.has("Break after the body"));
    hand.click("Break at a write");
    assert_eq!(session.sent(), [set("stop on shared total write")]);
}

#[test]
fn condition_is_typed_with_names_completed() {
    let (hand, session) = opened();
    hand.right_click(hand.node_at("B[i]"));
    hand.click("Break when...");
    assert!(hand.has("Breakpoint on B"));
    hand.type_text("tot");
    assert!(hand.find(AccessibleRole::List, "suggestions").is_some());
    hand.key(Key::Tab);
    assert_eq!(hand.value("break when"), "total");
    hand.type_text(" > 2 && cuont");
    assert!(hand.reads("no name `cuont`"));
    assert_eq!(hand.item("Set breakpoint").accessible_enabled(), Some(false));
    for _ in 0.."cuont".len() {
        hand.key(Key::Backspace);
    }
    hand.type_text("count == 2");
    hand.key(Key::Return);
    let command = "stop in B at befcomp if total > 2 && count == 2";
    assert_eq!(session.sent(), [set(command)]);
    let placed = |result| Told::Placed { command: command.to_owned(), result };
    session.tell(&hand, placed(Err("it is refused".to_owned())));
    assert!(hand.reads("it is refused") && hand.has("Breakpoint on B"), "it is there to be mended");
    hand.key(Key::Return);
    session.sent();
    session.tell(&hand, placed(Ok(())));
    assert!(!hand.has("Breakpoint on B"));
    hand.command("Show problems");
    assert_eq!(hand.app().get_panel(), 1, "the picture has the keys");
}

#[test]
fn line_is_written_at_an_arc_and_the_form_left_with_escape() {
    let (hand, session) = opened();
    hand.right_click(hand.opened.arc_at(1).unwrap());
    assert!(hand.has("Break when a value is sent"));
    hand.click("Write a line...");
    assert!(hand.has("Breakpoint on B[i].c -> End.c[i]"));
    hand.type_text("sent {val");
    hand.key(Key::Tab);
    hand.type_text("}");
    hand.key(Key::Return);
    assert!(session.sent().contains(&set("when on arc B[i].c -> End.c[i] { log \"sent {value}\" }")));
    // A field that goes keeps no keys.
    hand.click("what it does: Stop");
    hand.type_text("value > 1");
    assert_eq!(hand.value("break when"), "value > 1");
    hand.key(Key::Escape);
    assert!(!hand.has("Breakpoint on B[i].c -> End.c[i]"));
    hand.command("Show problems");
    assert_eq!(hand.app().get_panel(), 1);
}

#[test]
fn badge_of_a_breakpoint_switches_it_and_edits_it() {
    let (hand, session) = opened();
    session.tell(&hand, Told::Breakpoints(vec![held(1, "stop in A if count == 1", "A", true)]));
    let badge = corner(&hand, "A", false);
    hand.click_at(badge);
    assert_eq!(session.sent(), [Request::EnableBreakpoint(1, false)]);
    assert_eq!(hand.selected(), Vec::<String>::new(), "the badge takes the click");
    session.tell(&hand, Told::Breakpoints(vec![held(1, "stop in A if count == 1", "A", false)]));
    assert!(hand.told_of("A").contains("breakpoint, switched off"), "{}", hand.told_of("A"));
    hand.click_at(badge);
    assert_eq!(session.sent(), [Request::EnableBreakpoint(1, true)]);
    hand.right_click(badge);
    assert!(hand.has("Breakpoint #1 on A"));
    assert_eq!(hand.value("break when"), "count == 1");
    hand.write("break when", "count == 3");
    hand.key(Key::Return);
    let command = "stop in A at befcomp if count == 3".to_owned();
    assert_eq!(session.sent(), [Request::SetBreakpoint(command.clone())]);
    session.tell(&hand, Told::Placed { command, result: Ok(()) });
    assert_eq!(session.sent(), [Request::DeleteBreakpoint(1)], "the new one takes its place");
    hand.right_click(badge);
    hand.click("Remove breakpoint");
    assert_eq!(session.sent(), [Request::DeleteBreakpoint(1)]);
    // What cannot be put into fields is a text.
    session.tell(&hand, Told::Breakpoints(vec![held(2, "watch total in B", "B", true)]));
    hand.right_click(corner(&hand, "B[i]", false));
    assert_eq!(hand.value("breakpoint command"), "watch total in B");
    assert_eq!(hand.program(), RUNNING);
}

#[test]
fn badge_of_a_problem_leads_to_it() {
    let hand = Driver::of(&RUNNING.replace("fire = [\"a -> a\"]", "fire = [\"aa -> a\"]"));
    let node = hand.node("B[i]").unwrap();
    let (at, size) = (node.absolute_position(), node.size());
    hand.click_at([at.x + size.width, at.y]);
    assert_eq!(hand.app().get_panel(), 1);
    let mut rows = hand.all(AccessibleRole::ListItem).into_iter();
    let is_current = |row: &i_slint_backend_testing::ElementHandle| {
        row.accessible_item_selected() == Some(true)
            && row.accessible_label().unwrap_or_default().starts_with("E0105")
    };
    assert!(rows.any(|row| is_current(&row)), "{:?}", hand.labels(AccessibleRole::ListItem));
    assert_eq!(hand.selected(), Vec::<String>::new());
    hand.click("Replace aa by a");
    assert_eq!(hand.program(), RUNNING);
}

#[test]
fn checks_are_made_of_selected_nodes_and_shown_on_them() {
    let hand = with_record();
    hand.click_at(hand.node_at("A"));
    hand.click_with(Key::Shift, hand.node_at("End"));
    hand.right_click(hand.node_at("End"));
    assert!(hand.has("Check: End before A") && hand.has("Check: A and End never concurrent"));
    hand.click("Check: A before End");
    let rows = |hand: &Driver, word: &str| {
        hand.labels(AccessibleRole::ListItem).iter().filter(|label| label.starts_with(word)).count()
    };
    hand.wait("the verdict", |hand| rows(hand, "holds") == 1);
    assert!(hand.told_of("A").contains("checks hold") && hand.told_of("End").contains("checks hold"));
    assert!(!hand.told_of("B[i]").contains("check"));
    hand.right_click(hand.opened.arc_at(0).unwrap());
    hand.click("Check: A and B concurrent");
    hand.wait("the second verdict", |hand| rows(hand, "violated") == 1);
    assert!(hand.told_of("B[i]").contains("check violated"));
    let labels: Vec<String> = {
        let graph = hand.opened.window.global::<Graph>();
        graph.get_labels().iter().map(|label| label.text.to_string()).collect()
    };
    assert!(labels.iter().any(|text| text.starts_with('\u{2717}')), "{labels:?}");
    // The badge leads to the verdict.
    hand.command("Log");
    hand.click_at(corner(&hand, "B[i]", true));
    assert_eq!(hand.app().get_panel(), 10);
    let current = hand.all(AccessibleRole::ListItem).into_iter();
    let mut current = current.filter(|row| row.accessible_item_selected() == Some(true));
    assert!(current.any(|row| row.accessible_label().unwrap_or_default().starts_with("violated")));
}

#[test]
fn check_without_a_record_is_marked_as_not_decided() {
    let (hand, _) = opened();
    hand.right_click(hand.node_at("B[i]"));
    hand.click("Check: events of B never concurrent");
    assert!(hand.told_of("B[i]").contains("check not decided"), "{}", hand.told_of("B[i]"));
    hand.click("Findings");
    let row = hand.labels(AccessibleRole::ListItem).into_iter().find(|label| label.starts_with("unknown"));
    hand.click(&row.unwrap());
    hand.click("Remove");
    assert!(!hand.told_of("B[i]").contains("check"));
}

/// A window with a session and the record of a run.
fn with_session() -> (Driver, Session) {
    let (hand, session) = opened();
    let trace = hand.file("run.trace");
    let events = Arc::new(record(&trace));
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Over { is_open: false }));
    session.tell(&hand, Told::Recorded(trace.clone()));
    hand.wait("the record", |hand| hand.opened.window.global::<Views>().get_has_record());
    hand.command("Values at this moment");
    session.tell(&hand, Told::Values { of: AskedRecord::File(trace), result: Ok(events) });
    session.sent();
    (hand, session)
}

/// Opens the menu of an event of the history that fits, and returns where.
fn event_menu(hand: &Driver, has: &str) -> [f32; 2] {
    hand.command("Event history");
    hand.wait("its pictures", |hand| {
        hand.opened.window.global::<Views>().get_history().image.size().width > 0
    });
    place(hand, "event history", |hand, at| {
        hand.right_click(at);
        let is_found = hand.has(has);
        if !is_found {
            hand.key(Key::Escape);
        }
        is_found
    })
}

#[test]
fn menu_of_an_event_leads_everywhere_and_breaks_there() {
    let (hand, session) = with_session();
    let at = event_menu(&hand, "Go to /B[0]:1, before it");
    assert!(hand.has("Copy /End:1"));
    hand.click("Break here in the next run");
    assert!(session.sent().contains(&set("stop in /End if count == 1")));
    hand.right_click(at);
    hand.click("Select its predecessors");
    assert_eq!(hand.selected(), ["B[i]"], "the nodes of its predecessors");
    hand.right_click(at);
    hand.click("Show in the elaborated graph");
    assert_eq!(hand.app().get_panel(), 4);
    hand.command("Event history");
    hand.right_click(at);
    hand.click("Values");
    assert_eq!(hand.app().get_panel(), 12);
    assert!(hand.reads("EXECUTE /End:1 ALONE"), "{:?}", hand.labels(AccessibleRole::Text));
    hand.command("Event history");
    hand.right_click(at);
    hand.click("Show on the picture");
    assert_eq!(hand.selected(), ["End"]);
    hand.right_click(at);
    hand.click("Copy /End:1");
    assert_eq!(hand.status(), "copied /End:1");
    session.sent();
    hand.right_click(at);
    hand.click("Replay to here");
    let sent = session.sent();
    let [.., Request::Open(_, options), Request::Run] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(options.mode, Mode::Replay);
    assert!(sent.contains(&set("once in /End if count == 1")), "{sent:?}");
}

#[test]
fn node_clicked_in_the_elaborated_graph_is_selected_everywhere() {
    let (hand, _) = with_session();
    hand.command("Elaborated graph");
    hand.wait("its picture", |hand| {
        hand.opened.window.global::<Views>().get_elaborated().image.size().width > 0
    });
    let at = place(&hand, "elaborated graph", |hand, at| {
        hand.right_click(at);
        let is_found = hand.has("Copy /B[1]");
        hand.key(Key::Escape);
        is_found
    });
    hand.click_at(at);
    let highlight = |hand: &Driver, title: &str| {
        let graph = hand.opened.window.global::<Graph>();
        graph.get_nodes().iter().find(|node| node.title == title).unwrap().highlight
    };
    assert_eq!((highlight(&hand, "B[i]"), highlight(&hand, "End")), (1, 0), "it is marked on the picture");
    hand.command("Event history");
    assert!(hand.find(AccessibleRole::List, "selected event").is_some(), "its last event is told about");
    hand.command("Elaborated graph");
    hand.right_click(at);
    hand.click("Show this action alone");
    assert!(hand.opened.window.global::<Views>().get_is_restricted());
    hand.right_click(at);
    hand.click("Show all actions");
    assert!(!hand.opened.window.global::<Views>().get_is_restricted());
}

#[test]
fn legend_draws_what_the_picture_draws() {
    let hand = Driver::of(RUNNING);
    hand.key_with(Key::Control, Key::F1);
    assert!(hand.has("legend"));
    let items: Vec<_> = hand.opened.window.global::<Legend>().get_items().iter().collect();
    assert_eq!(items.len(), hasse_editor::state::picture::legend().len());
    for kind in ["title", "node", "wire", "port", "dot", "badge"] {
        assert!(items.iter().any(|item| item.kind == kind), "{kind}");
    }
    // The arc of the legend has the color of the picture's arcs, which carry numbers, too.
    let wires: Vec<_> = hand.opened.window.global::<Graph>().get_wires().iter().collect();
    let arc = items.iter().find(|item| item.text.starts_with("arc:")).unwrap();
    assert!(wires.iter().any(|wire| wire.color == arc.wire.color && wire.thickness == arc.wire.thickness));
    hand.key(Key::Escape);
    assert!(!hand.has("legend"));
    hand.click("Legend: what the signs mean (Ctrl+F1)");
    assert!(hand.has("legend"));
    hand.click("Close the legend");
    assert!(!hand.has("legend"));
    hand.click("Help menu");
    hand.click("Legend of the picture");
    assert!(hand.has("legend"));
}

/// Where the dots of the picture are in the window.
fn dots(hand: &Driver) -> Vec<[f32; 2]> {
    let canvas = hand.item("graph").absolute_position();
    let dots = hand.opened.window.global::<Graph>().get_dots();
    dots.iter().map(|dot| [canvas.x + dot.x + dot.size / 2.0, canvas.y + dot.y + dot.size / 2.0]).collect()
}

#[test]
fn instance_is_chosen_at_its_node() {
    let (hand, session) = opened();
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, rest());
    session.sent();
    hand.click_at(hand.node_at("B[i]"));
    hand.click("instances: B[1], one of 2");
    assert!(hand.has("/B[1]   stopped"));
    hand.click("/B[0]   idle");
    assert!(session.sent().contains(&Request::Look(Some("/B[0]".to_owned()))));
    assert!(hand.has("instances: B[0], one of 2"));
    // The dots do the same.
    let places = dots(&hand);
    hand.click_at(places[1]);
    assert!(session.sent().contains(&Request::Look(Some("/B[1]".to_owned()))));
    assert_eq!(hand.selected(), ["B[i]"], "the selection stays");
    hand.right_click(places[0]);
    hand.click("Why is it not firing?");
    assert!(session.sent().contains(&Request::Why("/B[0]".to_owned())));
    assert_eq!(hand.app().get_panel(), 6);
    hand.right_click(places[0]);
    hand.click("Break before its body");
    assert_eq!(session.sent(), [set("stop in /B[0] at befcomp")]);
}

#[test]
fn instance_of_a_record_is_chosen_at_its_node() {
    let hand = with_record();
    hand.click_at(hand.node_at("B[i]"));
    hand.click("instances: 3 instances");
    hand.click("/B[2]");
    assert!(hand.has("instances: B[2], one of 3"));
    assert!(hand.find(AccessibleRole::List, "selected event").is_some(), "its last event is told about");
    hand.click_at(hand.node_at("A"));
    assert!(!hand.opened.window.global::<Graph>().get_has_chooser(), "it has one instance");
}

/// `H[0]` and `H[1]` are calls of a graph with one unit.
const CALLS: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = [
  "A.x[k] -> H[k].p",
  "H[k].q -> End.y[k]",
]

[graph.g.uc.A]
out = { "x[k]" = "int" }
start = true
route = ["x[k] <- k for k in 0..2"]

[graph.g.uc.End]
in = { "y[k]" = "int" }
stop = true
fire = ["y[k] -> all[k] for k in 0..2"]

[graph.g.call.H]
index = ["k"]
graph = "h"

[graph.h]
in = { p = "int" }
out = { q = "int" }
arcs = [
  "in.p -> W.p",
  "W.q -> out.q",
]

[graph.h.uc.W]
in = { p = "int" }
out = { q = "int" }
fire = ["p -> p"]
route = ["q <- p"]

[layout.g]
A = [0, 0]
End = [440, 0]
H = [220, 0]
"#;

#[test]
fn instance_of_a_call_is_chosen_and_its_graph_shows_it_alone() {
    let (hand, session) = Session::open(CALLS);
    let known = facts(CALLS);
    let template = known.template_of("h", "W").unwrap();
    session.tell(&hand, Told::Opened(known));
    let work = |call: i64, state| ActionSummary {
        path: format!("/H[{call}]/W"),
        template: TemplateId::from_idx(template),
        graph: format!("/H[{call}]"),
        index: Index::default(),
        count: 1,
        state,
        n_queued: 0,
    };
    let actions = [work(0, ActionState::Idle), work(1, ActionState::Stopped(StopPoint::Befcomp))];
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(
        &hand,
        Told::Rest(Arc::new(Snapshot {
            state: RunState::Waiting,
            templates: vec![TemplateCount::of(template, actions.iter())],
            stopped: vec![actions[1].clone()],
            n_stopped: 1,
            ..Snapshot::default()
        })),
    );
    session.sent();
    hand.click_at(hand.node_at("H[k]"));
    hand.click("instances: 2 instances");
    assert!(hand.has("/H[1]   stopped"));
    hand.click("/H[0]   idle");
    assert_eq!(hand.path(), ["g", "H (h)"]);
    assert!(session.sent().contains(&Request::Look(Some("/H[0]/W".to_owned()))), "the panels follow");
    assert_eq!(dots(&hand).len(), 1, "the other instance is not seen");
    assert!(!hand.told_of("W").contains("stopped"), "{}", hand.told_of("W"));
    hand.click("instances: /H[0] alone");
    hand.click("All instances");
    assert_eq!(dots(&hand).len(), 2);
    assert!(hand.told_of("W").contains("stopped"));
}
