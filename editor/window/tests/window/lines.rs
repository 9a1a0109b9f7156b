use hasse_editor::run::{
    Breakpoint, LineSpot, Mode, Order, Page, PageQuery, Queue, QueuedValue, Request, RunState, Snapshot,
    TemplateCount, Told,
};
use hasse_editor::target::Target;
use hasse_model::diagnostic::Location;
use hasse_model::value::Value;
use hasse_runtime::control::{ActionState, ActionSummary, ActionView, StopPoint};
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts, instance};

fn program() -> String {
    RUNNING.replace("do = \"total += a;\"", "do = '''\ntotal += a;\nlet k = 1;\n'''")
}

fn line_of(text: &str, part: &str) -> u32 {
    text.lines().position(|line| line.contains(part)).unwrap() as u32 + 1
}

/// A place in the margin beside a line of the body of `B`.
fn margin(hand: &Driver, line: usize) -> [f32; 2] {
    let input = hand.item("body of B").absolute_position();
    [input.x - 14.0, input.y + 8.0 + 17.0 * (line as f32 - 1.0)]
}

fn at_line(line: u32, is_enabled: bool) -> Told {
    Told::Breakpoints(vec![Breakpoint {
        number: 4,
        command: format!("stop at line {line}"),
        targets: vec![Target::of_node("g", "B")],
        line: Some(LineSpot { asked: line, statement: line }),
        condition: String::new(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled,
        is_log_point: false,
    }])
}

fn rest(actions: &[ActionSummary]) -> Told {
    let is_stopped = |action: &&ActionSummary| matches!(action.state, ActionState::Stopped(_));
    let stopped: Vec<ActionSummary> = actions.iter().filter(is_stopped).cloned().collect();
    Told::Rest(std::sync::Arc::new(Snapshot {
        state: RunState::Waiting,
        templates: vec![TemplateCount::of(1, actions)],
        n_stopped: stopped.len(),
        stopped,
        ..Snapshot::default()
    }))
}

#[test]
fn a_click_in_the_margin_sets_a_breakpoint_and_removes_it() {
    let text = program();
    let (hand, session) = Session::open(&text);
    hand.double_click(hand.node_at("B[i]"));
    session.sent();
    hand.click_at(margin(&hand, 2));
    let sent = session.sent();
    assert!(matches!(&sent[..], [.., Request::Open(..)]), "a session is opened for it: {sent:?}");
    assert!(hand.has("breakpoint at line 2, not in force"));
    session.tell(&hand, Told::Opened(facts(&text)));
    session.tell(&hand, Told::State(RunState::Ready));
    let line = line_of(&text, "let k = 1;");
    assert_eq!(session.sent(), [Request::SetBreakpoint(format!("stop at line {line}"))]);
    session.tell(&hand, at_line(line, true));
    assert!(hand.has("breakpoint at line 2"));
    assert!(hand.told_of("B[i]").contains("breakpoint"));
    // A line is put in above it.
    hand.key_with(Key::Control, Key::Home);
    hand.type_text("// first");
    hand.key(Key::Return);
    assert!(hand.program().contains("// first\ntotal"), "{:?}", hand.since(&text));
    assert!(hand.has("breakpoint at line 3") && !hand.has("breakpoint at line 2"));
    session.tell(&hand, at_line(line, false));
    assert!(hand.has("breakpoint at line 3, not in force"));
    session.sent();
    hand.key(Key::DownArrow);
    hand.key(Key::F9);
    assert!(session.sent().contains(&Request::DeleteBreakpoint(4)));
}

#[test]
fn the_line_at_which_an_action_is_stopped_is_shown() {
    let text = program();
    let (hand, session) = Session::open(&text);
    session.tell(&hand, Told::Opened(facts(&text)));
    session.tell(&hand, Told::Begun(Mode::Full));
    let stopped = instance(1, ActionState::Stopped(StopPoint::Line));
    session.tell(&hand, rest(std::slice::from_ref(&stopped)));
    let at = |line: u32| Location { start: 0, end: 0, line, column: 1 };
    let view = |line: u32| ActionView {
        summary: stopped.clone(),
        names: Vec::new(),
        ports: Vec::new(),
        empty_ports: Vec::new(),
        rule: Some(1),
        predecessors: Vec::new(),
        objects: Vec::new(),
        sends: Vec::new(),
        reasons: Vec::new(),
        at: Some(at(line)),
        line_text: Some("total += a;".to_owned()),
    };
    let line = line_of(&text, "total += a;");
    session.tell(&hand, Told::Action("/B[1]".to_owned(), Ok(Box::new(view(line)))));
    assert_eq!(hand.selected(), ["B[i]"], "its body is shown");
    hand.settle();
    let panels = |hand: &Driver| (hand.app().get_panel(), hand.app().get_second());
    assert_eq!(panels(&hand), (0, 6), "with the values of the action next to it");
    assert!(hand.has("body of B") && hand.has("template or path"));
    hand.app().set_second_tab(1);
    assert!(hand.has("stopped at line 1"));
    session.sent();
    hand.key(Key::F11);
    assert_eq!(session.sent(), [Request::Step("/B[1]".to_owned())]);
    session.tell(&hand, rest(std::slice::from_ref(&stopped)));
    session.tell(&hand, Told::Action("/B[1]".to_owned(), Ok(Box::new(view(line + 1)))));
    assert!(hand.has("stopped at line 2") && !hand.has("stopped at line 1"));
    assert_eq!(panels(&hand), (0, 12), "what a person has chosen stays");
    session.sent();
    hand.key(Key::F5);
    assert_eq!(session.sent(), [Request::Cont(None)], "a run that is stopped goes on");
    session.tell(&hand, Told::State(RunState::Running));
    assert!(!hand.has("stopped at line 2"));
    session.tell(&hand, Told::State(RunState::Over { is_open: false }));
    assert_eq!(panels(&hand), (0, -1), "one panel, as before the stop");
}

#[test]
fn a_table_of_many_instances_is_scrolled_sorted_and_filtered() {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, rest(&[instance(0, ActionState::Idle)]));
    hand.command("Show actions");
    session.sent();
    hand.write("template or path", "B");
    let asked = |session: &Session| -> Vec<PageQuery> {
        let pages = session.sent().into_iter().filter_map(|request| match request {
            Request::Page(query) => Some(query),
            _ => None,
        });
        pages.collect()
    };
    let answer = |query: PageQuery| {
        let rows = (query.start..query.start + query.n_rows).map(|row| row as i64);
        let rows = rows.map(|row| instance(row, ActionState::Idle)).collect();
        session.tell(&hand, Told::Page(Page { query, n_total: 100_000, rows }));
    };
    answer(asked(&session).pop().unwrap());
    assert!(hand.reads("100000 instances of B"));
    assert!(hand.has("idle /B[3], count 1"));
    let list = hand.item("idle /B[3], count 1").absolute_position();
    for _ in 0..20 {
        hand.wheel([list.x + 40.0, list.y + 10.0], -400.0);
    }
    let query = asked(&session).pop().unwrap();
    assert!(query.start > 100, "{query:?}");
    let shown = query.start + query.n_rows / 2;
    answer(query);
    assert!(hand.has(&format!("idle /B[{shown}], count 1")));
    hand.click("sort by: State");
    assert_eq!(asked(&session).pop().unwrap().order, Order::State);
    hand.click("sort by: State");
    assert!(asked(&session).pop().unwrap().is_descending);
    hand.write("template or path", "B[7");
    assert_eq!(asked(&session).pop().unwrap().filter, "B[7");
}

#[test]
fn what_waits_at_a_selected_arc_is_listed() {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, rest(&[instance(0, ActionState::Idle)]));
    session.sent();
    hand.click_at(hand.opened.arc_at(0).unwrap());
    hand.settle();
    assert!(session.sent().contains(&Request::Queue(Some(0))));
    let held = QueuedValue {
        action: "/B[1]".to_owned(),
        port: "a".to_owned(),
        value: Value::Int(41),
        sender: Some("/A:1".to_owned()),
    };
    session.tell(&hand, Told::Queue(0, Ok(Queue { n_values: 3, values: vec![held] })));
    hand.command("Show actions");
    assert!(hand.reads("/B[1] a") && hand.reads("/A:1   41") && hand.reads("2 more"));
    hand.click_at(hand.node_at("A"));
    hand.settle();
    assert!(session.sent().contains(&Request::Queue(None)));
    assert!(!hand.reads("/A:1   41"));
}
