//! Stops of runs, and runs that do not begin: what is shown of them, and that nothing of an earlier run is left.

use std::sync::Arc;

use hasse_editor::run::{Ended, LinkQueue, Mode, Page, Request, RunState, Snapshot, TemplateCount, Told};
use hasse_model::id::{Index, TemplateId};
use hasse_model::value::Value;
use hasse_runtime::control::{
    ActionState, ActionSummary, ActionView, CycleStep, Explanation, NamedValue, StopPoint, Why,
};
use hasse_runtime::report::RunOutcome;
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts, finished, instance, rest};

/// A window whose session has begun.
fn opened(text: &str) -> (Driver, Session) {
    let (hand, session) = Session::open(text);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::State(RunState::Ready));
    session.sent();
    (hand, session)
}

/// State of a run that is over and of which `/A` can be asked.
fn over(ended: Ended) -> Snapshot {
    Snapshot {
        state: RunState::Over { is_open: true },
        ended: Some(ended),
        templates: vec![TemplateCount::of(0, [&start(ActionState::Idle)])],
        ..Snapshot::default()
    }
}

fn begun() -> (Driver, Session) {
    let (hand, session) = opened(RUNNING);
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Running));
    (hand, session)
}

/// The only action of the unit `A`.
fn start(state: ActionState) -> ActionSummary {
    ActionSummary {
        path: "/A".to_owned(),
        template: TemplateId::from_idx(0),
        graph: String::new(),
        index: Index::default(),
        count: 1,
        state,
        n_queued: 0,
    }
}

fn view(summary: ActionSummary) -> ActionView {
    ActionView {
        summary,
        names: Vec::new(),
        ports: Vec::new(),
        empty_ports: Vec::new(),
        rule: None,
        predecessors: Vec::new(),
        objects: Vec::new(),
        sends: Vec::new(),
        reasons: Vec::new(),
        at: None,
        line_text: None,
    }
}

fn looked_at(view: ActionView) -> Told {
    Told::Action(view.summary.path.clone(), Ok(Box::new(view)))
}

fn stopped() -> ActionState {
    ActionState::Stopped(StopPoint::Befcomp)
}

fn breakpoint() -> Why {
    Why::Breakpoint { number: 1, detail: String::new() }
}

#[test]
fn stop_is_announced_with_its_reason() {
    let (hand, session) = begun();
    assert_eq!(hand.status(), "the run has begun");
    session.tell(&hand, rest());
    assert!(hand.reads("run: stopped"));
    assert_eq!(hand.status(), "Stopped at /B[1]");
    let reasons = vec![breakpoint(), breakpoint()];
    session.tell(&hand, looked_at(ActionView { reasons, ..view(instance(1, stopped())) }));
    assert_eq!(hand.status(), "Stopped at /B[1]: breakpoint 1");
    assert!(hand.told_of("B[i]").contains("stopped"));
    hand.ctrl('s');
    assert!(hand.status().starts_with("Saved"), "{}", hand.status());
    session.tell(&hand, Told::State(RunState::Running));
    assert_eq!(hand.status(), "the run goes on");
    hand.ctrl('s');
    session.tell(&hand, rest());
    assert_eq!(hand.status(), "Stopped at /B[1]", "a stop is said whatever was said before");
}

#[test]
fn reason_is_named_once_and_words_are_not_doubled() {
    let (hand, session) = begun();
    session.tell(&hand, rest());
    hand.command("Show actions");
    let name = |name: &str, kind, value| NamedValue { name: name.to_owned(), kind, value: Ok(value) };
    let names = vec![
        name("rule", "rule", Value::Unit),
        name("count", "count", Value::Int(10)),
        name("n", "parameter", Value::Int(3)),
    ];
    let reasons = vec![breakpoint(); 4];
    session.tell(&hand, looked_at(ActionView { names, reasons, ..view(instance(1, stopped())) }));
    let texts = hand.labels(AccessibleRole::Text);
    let has = |text: &str| texts.iter().any(|known| known == text);
    assert!(has("breakpoint 1") && has("stopped before its body"), "{texts:?}");
    assert!(has("10") && has("3   parameter") && !has("rule"), "{texts:?}");
    let explanation = Explanation {
        action: "/B[1]".to_owned(),
        state: stopped(),
        count: 1,
        reasons: vec![breakpoint(); 4],
        holders: Vec::new(),
        inputs: Vec::new(),
        queued: Vec::new(),
        held_back: Vec::new(),
        n_delayed: 0,
        rules: Vec::new(),
    };
    session.tell(&hand, Told::Why("/B[1]".to_owned(), Ok(Box::new(explanation))));
    assert!(hand.reads("is stopped because of breakpoint 1"));
    assert!(!hand.reads("breakpoint 1; breakpoint 1"));
}

#[test]
fn selected_node_has_its_action_looked_at_while_the_run_is_at_rest() {
    let (hand, session) = begun();
    let actions = [start(ActionState::Idle), instance(0, ActionState::Idle), instance(1, stopped())];
    session.tell(
        &hand,
        Told::Rest(Arc::new(Snapshot {
            state: RunState::Waiting,
            templates: vec![TemplateCount::of(0, [&actions[0]]), TemplateCount::of(1, actions[1..].iter())],
            stopped: vec![actions[2].clone()],
            n_stopped: 1,
            ..Snapshot::default()
        })),
    );
    assert!(session.sent().contains(&Request::Look(Some("/B[1]".to_owned()))));
    hand.click_at(hand.node_at("A"));
    assert!(session.sent().contains(&Request::Look(Some("/A".to_owned()))));
    hand.click_at(hand.node_at("B[i]"));
    assert!(session.sent().contains(&Request::Look(Some("/B[1]".to_owned()))), "the stopped one of two");
}

#[test]
fn step_key_that_can_do_nothing_says_why() {
    let (hand, session) = opened(RUNNING);
    hand.key(Key::F11);
    assert_eq!(hand.status(), "Next statement of the body: no run is under way: F5 begins one");
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Running));
    hand.key(Key::F11);
    assert_eq!(hand.status(), "Next statement of the body: nothing is stopped yet: F6 stops the run");
    session.tell(&hand, rest());
    hand.click_at(hand.node_at("B[i]"));
    hand.click("instances: B[1], one of 2");
    hand.click("/B[0]   idle");
    session.tell(&hand, looked_at(view(instance(0, ActionState::Idle))));
    hand.key(Key::F11);
    let text = "/B[0] is not stopped: choose an action that is, such as /B[1]";
    assert_eq!(hand.status(), format!("Next statement of the body: {text}"));
    session.tell(&hand, Told::Refused("/B[1] is stopped after its body".to_owned()));
    assert_eq!(hand.status(), "/B[1] is stopped after its body");
    session.tell(&hand, Told::State(RunState::Over { is_open: false }));
    hand.key(Key::F10);
    let name = "Next event of each stopped action";
    assert_eq!(hand.status(), format!("{name}: the run is over: F5 begins another one"));
    session.tell(&hand, Told::Begun(Mode::Perf));
    session.tell(&hand, Told::State(RunState::Running));
    hand.key(Key::F6);
    assert_eq!(hand.status(), "Stop all actions: a run in the mode perf cannot be stopped");
}

#[test]
fn new_run_shows_nothing_of_the_deadlock_before_it() {
    let (hand, session) = begun();
    let step = |action: &str, port: &str, arc: &str| CycleStep {
        action: action.to_owned(),
        port: port.to_owned(),
        arc: arc.to_owned(),
        is_full: false,
    };
    let cycle = vec![step("/A", "x", "B[i].c -> End.c[i]"), step("/B[0]", "a", "A.b[i] -> B[i].a")];
    let ended = Ended { outcome: RunOutcome::Quiescent, cycle: vec!["/A".to_owned()], ..finished() };
    session.tell(&hand, Told::Rest(Arc::new(Snapshot { cycle, ..over(ended) })));
    hand.click("Show the cycle");
    assert!(hand.reads("Wait-for cycle") && hand.told_of("A").contains("waits on x for B[0]"));
    assert!(hand.reads("Nothing is stopped. Type the name of a node to list its instances."));
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Waiting));
    assert!(!hand.reads("Wait-for cycle") && !hand.told_of("A").contains("waits"));
    session.tell(&hand, rest());
    assert!(!hand.reads("Wait-for cycle") && !hand.told_of("A").contains("waits"));
    assert!(hand.told_of("B[i]").contains("stopped"));
}

#[test]
fn action_that_the_end_has_interrupted_reads_cut_off() {
    let (hand, session) = begun();
    let ended = Ended { outcome: RunOutcome::Stopped, ..finished() };
    let cut_off = vec!["/A".to_owned()];
    session.tell(&hand, Told::Rest(Arc::new(Snapshot { cut_off, ..over(ended) })));
    let told = hand.told_of("A");
    assert!(told.contains("cut off by the end of the run") && !told.contains("failed"), "{told}");
    hand.command("Show actions");
    hand.click_at(hand.node_at("A"));
    assert!(session.sent().contains(&Request::Look(Some("/A".to_owned()))), "the only action of the node");
    session.tell(&hand, looked_at(view(start(ActionState::Failed))));
    assert!(hand.reads("cut off by the end of the run") && !hand.reads("failed"));
}

#[test]
fn run_of_a_program_with_errors_says_so_in_the_banner() {
    let text = RUNNING.replace("let one = 1;", "let one = zz;");
    let (hand, session) = opened(&text);
    session.end(&hand, finished());
    assert!(hand.reads("Finished"));
    hand.key(Key::F5);
    session.tell(&hand, Told::State(RunState::Opening));
    session.tell(&hand, Told::NotOpened("error[E0502]: undefined name `zz`".to_owned()));
    session.tell(&hand, Told::State(RunState::Closed));
    assert!(hand.reads("Not run") && !hand.reads("Finished"));
    assert!(hand.reads("undefined name `zz`"));
    assert!(hand.status().starts_with("Not run: E0502"), "{}", hand.status());
    hand.click("Show the error");
    assert_eq!(hand.selected(), ["A"]);
    assert_eq!(hand.app().get_panel(), 0, "the body is shown");
    hand.click("Close the outcome");
    hand.wait("the banner to go", |hand| !hand.has("outcome: Not run"));
    hand.key(Key::F5);
    session.tell(&hand, Told::NotOpened("error[E0502]: undefined name `zz`".to_owned()));
    assert!(hand.has("outcome: Not run"));
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Running));
    hand.wait("the banner to go", |hand| !hand.has("outcome: Not run"));
    assert_eq!(hand.status(), "the run has begun");
}

#[test]
fn look_at_a_record_says_that_nothing_was_executed() {
    let (hand, session) = opened(RUNNING);
    session.end(&hand, finished());
    hand.click("Run");
    hand.click("post-mortem: the record");
    hand.key(Key::Escape);
    hand.key(Key::F5);
    session.tell(&hand, Told::Begun(Mode::PostMortem));
    session.tell(&hand, Told::State(RunState::Over { is_open: false }));
    assert!(hand.reads("Nothing was executed") && hand.reads("The mode is post-mortem"));
    session.sent();
    hand.click("Run normally");
    let sent = session.sent();
    let [.., Request::Open(_, options), Request::Run] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(options.mode, Mode::Full);
}

#[test]
fn banner_leads_to_the_values_that_are_left() {
    let (hand, session) = begun();
    session.tell(
        &hand,
        Told::Rest(Arc::new(Snapshot {
            state: RunState::Over { is_open: true },
            ended: Some(finished()),
            queues: vec![LinkQueue { arc: 0, n_values: 3, fill: None }],
            ..Snapshot::default()
        })),
    );
    hand.click("3 values left");
    assert_eq!(hand.app().get_panel(), 12);
    session.end(&hand, finished());
    assert!(!hand.has("3 values left"));
}

#[test]
fn caption_of_values_that_wait_leads_to_them() {
    let (hand, session) = begun();
    let waiting = ActionSummary { n_queued: 2, ..start(ActionState::Idle) };
    session.tell(
        &hand,
        Told::Rest(Arc::new(Snapshot {
            state: RunState::Stopped,
            templates: vec![TemplateCount::of(0, [&waiting])],
            ..Snapshot::default()
        })),
    );
    assert_eq!(hand.status(), "Stopped: no action is executing");
    assert!(hand.told_of("A").contains("2 values waiting"), "{}", hand.told_of("A"));
    session.sent();
    let (at, size) = (hand.node("A").unwrap().absolute_position(), hand.node("A").unwrap().size());
    hand.click_at([at.x + 20.0, at.y + size.height + 17.0 * hand.zoom()]);
    assert_eq!((hand.app().get_panel(), hand.selected()), (6, vec!["A".to_owned()]));
    assert!(session.sent().contains(&Request::Look(Some("/A".to_owned()))));
}

#[test]
fn action_with_some_input_is_waiting_in_all_places() {
    let (hand, session) = begun();
    let waiting = ActionSummary { n_queued: 2, ..start(ActionState::Idle) };
    session.tell(
        &hand,
        Told::Rest(Arc::new(Snapshot {
            state: RunState::Stopped,
            templates: vec![TemplateCount::of(0, [&waiting])],
            ..Snapshot::default()
        })),
    );
    assert!(hand.told_of("A").contains("waiting, 2 values waiting"), "{}", hand.told_of("A"));
    hand.press("Actions");
    hand.item("template or path").set_accessible_value("A");
    hand.settle();
    let page = session.sent().into_iter().find_map(|request| match request {
        Request::Page(query) => Some(query),
        _ => None,
    });
    let page = Page { query: page.expect("a page is asked for"), n_total: 1, rows: vec![waiting] };
    session.tell(&hand, Told::Page(page));
    let rows = hand.labels(AccessibleRole::ListItem);
    assert!(rows.iter().any(|row| row.starts_with("waiting /A")), "{rows:?}");
}
