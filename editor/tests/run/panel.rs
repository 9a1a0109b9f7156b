//! Buttons, options, the action under debug, what is asked when.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hasse_editor::edit::link::LinkList;
use hasse_editor::run::{
    Breakpoint, BreakpointSpec, Button, Counters, FieldId, Mode, Options, Place, Request, RunState, Snapshot,
    Subject, TemplateCount, Told,
};
use hasse_editor::target::Target;
use hasse_runtime::control::{ActionState, ActionSummary, CycleStep};

use super::fake::{TEXT, action, panel, stopped};

const BEGIN: Duration = Duration::ZERO;

#[track_caller]
fn enabled(state: RunState, mode: Mode, expected: &[Button]) {
    let (mut panel, fake) = panel();
    fake.tell(Told::Begun(mode));
    fake.tell(Told::State(state));
    panel.tick(BEGIN);
    let found: Vec<Button> = Button::ALL.into_iter().filter(|&button| panel.is_enabled(button)).collect();
    assert_eq!(found, expected);
}

#[test]
fn buttons_are_those_of_the_state() {
    use Button::{Cont, End, Next, Run, Stop};
    enabled(RunState::Ready, Mode::Full, &[Run]);
    enabled(RunState::Opening, Mode::Full, &[]);
    enabled(RunState::Running, Mode::Full, &[Run, Stop, Next, End]);
    enabled(RunState::Stopping, Mode::Full, &[Run, End]);
    enabled(RunState::Nexting, Mode::Full, &[Run, Stop, End]);
    enabled(RunState::Waiting, Mode::Full, &[Run, Cont, Next, End]);
    enabled(RunState::Stopped, Mode::Replay, &[Run, Cont, Next, End]);
    enabled(RunState::Ending, Mode::Full, &[]);
    enabled(RunState::Over { is_open: true }, Mode::Full, &[Run]);
    // A timed run has no control.
    enabled(RunState::Running, Mode::Perf, &[Run, End]);
}

#[test]
fn a_button_that_is_not_enabled_sends_nothing() {
    let (mut panel, fake) = panel();
    fake.sent();
    panel.press(Button::Cont);
    panel.press(Button::WhyAction);
    panel.press(Button::Run);
    assert_eq!(fake.sent(), []);
    assert_eq!(panel.problem(), "size: int: a value is needed");
    panel.type_option(&FieldId::Param("size".to_owned()), "3");
    panel.press(Button::Run);
    let subject = Subject::Program { path: None, text: Arc::from(TEXT) };
    let options = Box::new(panel.options().clone());
    assert_eq!(fake.sent(), [Request::Open(subject, options), Request::Run]);
}

#[test]
fn a_run_that_goes_on_is_asked_for_counters_alone_and_one_at_a_time() {
    let (mut panel, fake) = panel();
    fake.tell(Told::State(RunState::Running));
    fake.sent();
    panel.tick(Duration::from_millis(1000));
    assert_eq!(fake.sent(), [Request::Counters]);
    panel.tick(Duration::from_millis(2000));
    assert_eq!(fake.sent(), [], "the answer has not come");
    fake.tell(Told::Counters(Counters { n_events: vec![3, 4], ..Counters::default() }));
    panel.tick(Duration::from_millis(2001));
    assert_eq!(fake.sent(), [Request::Counters]);
    assert_eq!(panel.n_events(), 7);
    fake.tell(Told::Counters(Counters::default()));
    panel.tick(Duration::from_millis(2050));
    assert_eq!(fake.sent(), [], "twenty times a second");
    panel.tick(Duration::from_millis(2051));
    assert_eq!(fake.sent(), [Request::Counters]);
    fake.tell(Told::State(RunState::Waiting));
    panel.tick(Duration::from_millis(9000));
    assert_eq!(fake.sent(), []);
}

fn rest(actions: &[hasse_runtime::control::ActionSummary]) -> Told {
    let is_stopped = |action: &&hasse_runtime::control::ActionSummary| action.state == stopped();
    let of = |template: usize| actions.iter().filter(move |action| action.template.idx() == template);
    Told::Rest(Arc::new(Snapshot {
        state: RunState::Waiting,
        templates: (0..2).map(|template| TemplateCount::of(template, of(template))).collect(),
        stopped: actions.iter().filter(is_stopped).cloned().collect(),
        n_stopped: actions.iter().filter(is_stopped).count(),
        ..Snapshot::default()
    }))
}

#[test]
fn action_under_debug_is_one_that_stopped_until_the_next_stop_or_run() {
    let (mut panel, fake) = panel();
    let actions = [action(0, "A", &[], ActionState::Idle), action(1, "B", &[3], stopped())];
    fake.tell(rest(&actions));
    fake.sent();
    panel.tick(BEGIN);
    assert_eq!(panel.selected(), Some("/B[3]"));
    assert_eq!(fake.sent(), [Request::Look(Some("/B[3]".to_owned()))]);
    assert_eq!(panel.action_state("/B[3]"), Some(&stopped()));
    assert_eq!((panel.n_stops(), panel.stop_action()), (1, Some("/B[3]")));
    // Another one stops, too: it stays as long as it is stopped.
    let actions = [action(0, "A", &[], stopped()), action(1, "B", &[3], stopped())];
    fake.tell(rest(&actions));
    panel.tick(BEGIN);
    assert_eq!((panel.selected(), panel.n_stops()), (Some("/B[3]"), 2));
    fake.tell(rest(&[action(0, "A", &[], stopped()), action(1, "B", &[3], ActionState::Idle)]));
    panel.tick(BEGIN);
    assert_eq!((panel.selected(), panel.n_stops()), (Some("/B[3]"), 2), "nothing has stopped since");
    fake.tell(Told::State(RunState::Running));
    fake.tell(rest(&[action(0, "A", &[], stopped()), action(1, "B", &[3], ActionState::Idle)]));
    panel.tick(BEGIN);
    assert_eq!((panel.selected(), panel.stop_action()), (Some("/A"), Some("/A")));
    // An action that a person has chosen stays while a rest is read again, as after an assignment.
    panel.select(Some("/B[3]"));
    fake.tell(rest(&[action(0, "A", &[], stopped()), action(1, "B", &[3], ActionState::Idle)]));
    panel.tick(BEGIN);
    assert_eq!(panel.selected(), Some("/B[3]"));
    fake.tell(Told::Begun(Mode::Full));
    panel.tick(BEGIN);
    assert_eq!(panel.selected(), None, "a choice belongs to its run");
    fake.tell(rest(&[]));
    panel.tick(BEGIN);
    assert_eq!(panel.selected(), None);
}

#[test]
fn stop_shows_an_action_of_the_preferred_node() {
    let (mut panel, fake) = panel();
    let all = || [action(0, "A", &[], stopped()), action(1, "B", &[3], stopped())];
    panel.set_preferred_node(Some(Target::of_node("g", "B")));
    fake.tell(Told::Begun(Mode::Full));
    fake.tell(rest(&all()));
    panel.tick(BEGIN);
    assert_eq!(panel.selected(), Some("/B[3]"));
    panel.select_of_node(&Target::of_node("g", "B"));
    assert_eq!(panel.selected(), Some("/B[3]"), "one of its actions is chosen already");
    panel.select_of_node(&Target::of_node("g", "A"));
    assert_eq!(panel.selected(), Some("/A"));
    // While it runs, and of a node without actions, nothing is chosen.
    panel.select_of_node(&Target::of_node("h", "C"));
    fake.tell(Told::State(RunState::Running));
    panel.tick(BEGIN);
    panel.select_of_node(&Target::of_node("g", "B"));
    assert_eq!(panel.selected(), Some("/A"));
}

#[test]
fn new_run_clears_what_the_last_one_has_shown() {
    let (mut panel, fake) = panel();
    let step = CycleStep {
        action: "/A".to_owned(),
        port: "c".to_owned(),
        arc: "B[i].c -> A.c".to_owned(),
        is_full: false,
    };
    let over = Snapshot {
        state: RunState::Over { is_open: true },
        templates: vec![TemplateCount::of(0, [&action(0, "A", &[], ActionState::Failed)])],
        cycle: vec![step],
        ..Snapshot::default()
    };
    fake.tell(Told::Begun(Mode::Full));
    fake.tell(Told::Rest(Arc::new(over)));
    panel.tick(BEGIN);
    panel.select(Some("/A"));
    fake.tell(Told::Why("/A".to_owned(), Err("of A".to_owned())));
    panel.tick(BEGIN);
    assert_eq!((panel.cycle().len(), panel.why().len()), (1, 1));
    assert!(!panel.marks("g").nodes.is_empty());
    // A run that stops at once is never seen going on.
    fake.tell(Told::Begun(Mode::Full));
    fake.tell(Told::State(RunState::Waiting));
    panel.tick(BEGIN);
    assert_eq!((panel.cycle().len(), panel.why().len(), panel.selected()), (0, 0, None));
    assert!(panel.marks("g").nodes.is_empty(), "{:?}", panel.marks("g"));
}

#[test]
fn explanation_is_of_the_rest_at_which_it_was_asked_for() {
    let (mut panel, fake) = panel();
    let idle = [action(0, "A", &[], stopped()), action(1, "B", &[3], ActionState::Idle)];
    fake.tell(rest(&idle));
    panel.tick(BEGIN);
    fake.tell(Told::Why("/A".to_owned(), Err("of A".to_owned())));
    fake.tell(rest(&idle));
    panel.tick(BEGIN);
    assert_eq!(panel.why(), ["of A"], "nothing has changed");
    let more = ActionSummary { count: 2, ..idle[1].clone() };
    fake.tell(rest(&[idle[0].clone(), more]));
    panel.tick(BEGIN);
    assert!(panel.why().is_empty());
}

#[test]
fn run_that_does_not_begin_says_why() {
    let (mut panel, fake) = panel();
    panel.type_option(&FieldId::Param("size".to_owned()), "3");
    // A session that is opened for a breakpoint is no run.
    fake.tell(Told::NotOpened("E0502: undefined name".to_owned()));
    panel.tick(BEGIN);
    assert_eq!(panel.not_run(), "");
    panel.press(Button::Run);
    fake.tell(Told::NotOpened("E0502: undefined name".to_owned()));
    panel.tick(BEGIN);
    assert_eq!(panel.not_run(), "the program has errors");
    panel.press(Button::Run);
    fake.tell(Told::Refused("there is no record".to_owned()));
    panel.tick(BEGIN);
    assert_eq!(panel.not_run(), "there is no record");
    fake.tell(Told::Begun(Mode::Full));
    panel.tick(BEGIN);
    assert_eq!(panel.not_run(), "");
}

#[test]
fn program_in_canonical_form_is_the_same_program() {
    let (mut panel, fake) = panel();
    let on_arc = Breakpoint { targets: vec![Target::of_link("g", LinkList::Arcs, 1)], ..breakpoint() };
    fake.tell(Told::Breakpoints(vec![on_arc]));
    panel.tick(BEGIN);
    let formatted = hasse_compiler::format(TEXT).unwrap();
    assert_ne!(formatted, TEXT);
    panel.set_subject(Subject::Program { path: None, text: Arc::from(&*formatted) }, false);
    assert!(panel.is_of_program() && !panel.is_current());
    assert_eq!(panel.marks("g").links.len(), 1);
    let other = formatted.replace("b <- 1", "b <- 2");
    panel.set_subject(Subject::Program { path: None, text: Arc::from(other) }, false);
    assert!(!panel.is_of_program());
    assert_eq!(panel.marks("g").links.len(), 0);
}

#[test]
fn mode_that_was_chosen_stays_when_the_program_is_changed() {
    let (mut panel, _) = panel();
    let options = Options { mode: Mode::PostMortem, ..panel.options().clone() };
    panel.set_options(options);
    panel.set_subject(Subject::Program { path: None, text: Arc::from(format!("{TEXT}\n")) }, false);
    assert_eq!(panel.options().mode, Mode::PostMortem);
}

#[test]
fn what_belongs_to_another_action_is_not_shown() {
    let (mut panel, fake) = panel();
    panel.select(Some("/A"));
    fake.tell(Told::Action("/B[1]".to_owned(), Err("of B".to_owned())));
    fake.tell(Told::Why("/B[1]".to_owned(), Err("of B".to_owned())));
    panel.tick(BEGIN);
    assert_eq!((panel.inspector().problem(), panel.why().len()), ("", 0));
    fake.tell(Told::Why("/A".to_owned(), Err("of A".to_owned())));
    panel.tick(BEGIN);
    assert_eq!(panel.why(), ["of A"]);
}

#[test]
fn breakpoints_are_sent_as_commands() {
    let (mut panel, fake) = panel();
    fake.tell(Told::State(RunState::Ready));
    panel.tick(BEGIN);
    let facts = Arc::clone(panel.facts().unwrap());
    let arc = facts.arcs.iter().position(|arc| arc.text == "in.x -> C.x").unwrap();
    let mut spec = BreakpointSpec::at("B[2]", Place::Arcs(vec![arc]));
    spec.condition = "a > 1".to_owned();
    spec.n_ignored = 3;
    fake.sent();
    panel.set_breakpoint(&spec);
    spec.place = Place::Object("total".to_owned());
    (spec.condition, spec.n_ignored, spec.log) = (String::new(), 0, Some("a \"is\" {a}".to_owned()));
    panel.set_breakpoint(&spec);
    panel.toggle_breakpoint(&Target::of_node("g", "A"));
    panel.toggle_breakpoint(&Target::of_node("g", "total"));
    panel.toggle_breakpoint(&Target::of_link("g", hasse_editor::edit::link::LinkList::Arcs, 1));
    let commands: Vec<String> = fake
        .sent()
        .into_iter()
        .map(|request| match request {
            Request::SetBreakpoint(command) => command,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        commands,
        [
            "stop in B[2] on arc h.in.x -> C.x if a > 1 after 3",
            "when in B[2] on shared total { log \"a \\\"is\\\" {a}\" }",
            "stop in A at befcomp",
            "stop on shared total",
            "stop on arc B[i].c -> A.c",
        ]
    );
}

#[test]
fn a_trace_is_looked_at_and_a_program_is_run() {
    let (mut panel, _) = panel();
    panel.set_subject(Subject::Trace("x.trace".into()), false);
    assert_eq!(panel.options().mode, Mode::PostMortem);
    panel.set_subject(Subject::Program { path: None, text: Arc::from(TEXT) }, false);
    assert_eq!(panel.options().mode, Mode::Full);
}

#[test]
fn the_form_knows_parameters_with_their_types_and_defaults() {
    let (panel, _) = panel();
    let params = panel.facts().unwrap().params.iter();
    let params: Vec<(&str, &str, Option<&str>)> =
        params.map(|param| (param.name.as_str(), param.ty.as_str(), param.default.as_deref())).collect();
    assert_eq!(params, [("n", "int", Some("4")), ("name", "string", Some("x")), ("size", "int", None)]);
}

#[test]
fn what_the_views_are_told_comes_in_order_and_once() {
    let (mut panel, fake) = panel();
    fake.tell(Told::Begun(Mode::Full));
    fake.tell(Told::BatchesLeftOut);
    fake.tell(Told::Recorded("a.trace".into()));
    panel.tick(BEGIN);
    let told = panel.take_for_views();
    assert!(matches!(told[..], [Told::Begun(Mode::Full), Told::BatchesLeftOut, Told::Recorded(_)]));
    assert!(panel.take_for_views().is_empty());
}

#[test]
fn program_that_is_left_comes_back_with_its_options_and_breakpoints() {
    let (mut panel, fake) = panel();
    let subject =
        |name: &str, text: &str| Subject::Program { path: Some(PathBuf::from(name)), text: Arc::from(text) };
    panel.set_subject(subject("a.hasse", TEXT), false);
    panel.type_option(&FieldId::Param("size".to_owned()), "3");
    panel.set_options(Options {
        mode: Mode::Replay,
        checks: vec!["races".to_owned()],
        ..panel.options().clone()
    });
    fake.tell(Told::Breakpoints(vec![breakpoint()]));
    fake.tell(Told::Begun(Mode::Replay));
    fake.tell(Told::State(RunState::Running));
    panel.tick(BEGIN);
    fake.sent();

    panel.leave_program();
    assert_eq!(fake.sent().last(), Some(&Request::Close));
    assert_eq!((panel.state(), panel.runs().count(), panel.breakpoints().len()), (RunState::Closed, 0, 0));
    // There is no record to be replayed, and the checks were of the other program.
    assert_eq!((panel.options().mode, panel.options().checks.len()), (Mode::Full, 0));
    panel.set_subject(subject("b.hasse", TEXT), false);
    assert!(panel.options().params.is_empty());
    // What the session told before it was closed is not taken in.
    fake.tell(Told::Rest(Arc::new(Snapshot { state: RunState::Waiting, ..Snapshot::default() })));
    fake.tell(Told::Breakpoints(vec![breakpoint()]));
    panel.tick(BEGIN);
    assert_eq!((panel.state(), panel.breakpoints().len()), (RunState::Closed, 0));
    fake.tell(Told::Left);
    fake.tell(Told::State(RunState::Ready));
    panel.tick(BEGIN);
    assert_eq!(panel.state(), RunState::Ready);

    panel.leave_program();
    fake.tell(Told::Left);
    panel.tick(BEGIN);
    fake.sent();
    panel.set_subject(subject("a.hasse", TEXT), false);
    assert_eq!(panel.options().params.get("size").map(String::as_str), Some("3"));
    assert_eq!((panel.options().mode, panel.options().checks.len()), (Mode::Full, 1));
    assert!(matches!(&fake.sent()[..], [Request::Open(..)]), "its breakpoints are set again");
}

fn breakpoint() -> Breakpoint {
    Breakpoint {
        number: 1,
        command: "stop in A".to_owned(),
        targets: vec![Target::of_node("g", "A")],
        line: None,
        condition: String::new(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled: true,
        is_log_point: false,
    }
}
