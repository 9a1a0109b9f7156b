use hasse_editor::run::{
    Breakpoint, Completion, Ended, LogLine, Mode, QueueChange, Request, RunState, Source, Told,
};
use hasse_editor::target::Target;
use hasse_model::value::Value;
use hasse_runtime::control::{ActionState, ActionView, NamedValue, PortView, Queued, StopPoint};
use hasse_runtime::report::RunOutcome;
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::RUNNING;
use crate::common::session::{Session, facts, finished, instance, rest};

/// A window whose session has begun.
fn opened() -> (Driver, Session) {
    let (hand, session) = Session::open(RUNNING);
    session.tell(&hand, Told::Opened(facts(RUNNING)));
    session.tell(&hand, Told::State(RunState::Ready));
    session.sent();
    (hand, session)
}

fn view() -> ActionView {
    ActionView {
        summary: instance(1, ActionState::Stopped(StopPoint::Befcomp)),
        names: vec![NamedValue { name: "a".to_owned(), kind: "bound", value: Ok(Value::Int(5)) }],
        ports: Vec::new(),
        empty_ports: Vec::new(),
        rule: Some(1),
        predecessors: vec!["/A:1".to_owned()],
        objects: Vec::new(),
        sends: Vec::new(),
        reasons: Vec::new(),
        at: None,
        line_text: None,
    }
}

#[test]
fn without_a_host_nothing_can_be_run() {
    let hand = Driver::of(RUNNING);
    assert_eq!(hand.item("Run (F5)").accessible_enabled(), Some(false));
    hand.key(Key::F5);
    hand.click("Run menu");
    assert_eq!(hand.item("Console").accessible_enabled(), Some(false));
}

#[test]
fn the_buttons_are_those_of_the_state() {
    let (hand, session) = opened();
    let buttons = [
        "Run (F5)",
        "Stop all actions (F6)",
        "Next: one event of each stopped action (F10)",
        "Continue (F7)",
        "End the run (Shift+F5)",
    ];
    let enabled = |hand: &Driver| buttons.map(|button| hand.item(button).accessible_enabled() == Some(true));
    assert_eq!(enabled(&hand), [true, false, false, false, false]);
    hand.click("Run (F5)");
    assert!(matches!(&session.sent()[..], [.., Request::Open(..), Request::Run]));
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Running));
    assert_eq!(enabled(&hand), [true, true, true, false, true]);
    assert!(hand.reads("run: running"));
    hand.key(Key::F6);
    assert!(session.sent().contains(&Request::Stop(None)));
    session.tell(&hand, Told::State(RunState::Stopped));
    assert_eq!(enabled(&hand), [true, false, true, true, true]);
    hand.click(buttons[2]);
    hand.key(Key::F7);
    hand.key_with(Key::Shift, Key::F5);
    let sent = session.sent();
    assert!(sent.ends_with(&[Request::Next(None), Request::Cont(None), Request::End]), "{sent:?}");
    session.tell(&hand, Told::State(RunState::Over { is_open: true }));
    assert_eq!(enabled(&hand), [true, false, false, false, false]);
    assert!(hand.reads("run: over"));
}

#[test]
fn end_of_run_names_outcome_and_reason() {
    let (hand, session) = opened();
    let cycle = || vec!["/A".to_owned()];
    let ends = [
        (RunOutcome::Finished, Vec::new(), "", "run: finished", "the run finished"),
        (
            RunOutcome::Failed,
            Vec::new(),
            "/B[1]:1 failed: boom",
            "run: failed",
            "the run failed: /B[1]:1 failed: boom",
        ),
        (
            RunOutcome::Quiescent,
            Vec::new(),
            "/B[0] waits",
            "run: quiescent",
            "the run is quiescent: /B[0] waits",
        ),
        (RunOutcome::Quiescent, cycle(), "/A -> /A", "run: deadlock", "the run is deadlocked: /A -> /A"),
        (RunOutcome::Stopped, Vec::new(), "", "run: ended", "the run was ended"),
    ];
    for (outcome, cycle, reason, pill, status) in ends {
        session.end(&hand, Ended { outcome, cycle, reason: reason.to_owned(), ..finished() });
        assert!(hand.reads(pill), "{pill}");
        assert_eq!(hand.status(), status);
    }
}

#[test]
fn breakpoints_are_set_on_what_is_selected_and_listed() {
    let (hand, session) = opened();
    hand.click_at(hand.node_at("A"));
    hand.key(Key::F9);
    assert_eq!(session.sent(), [Request::SetBreakpoint("stop in A at befcomp".to_owned())]);
    session.tell(
        &hand,
        Told::Breakpoints(vec![Breakpoint {
            number: 1,
            command: "stop in A at befcomp".to_owned(),
            targets: vec![Target::of_node("g", "A")],
            line: None,
            condition: String::new(),
            n_ignored: 0,
            n_hits: 2,
            is_enabled: true,
            is_log_point: false,
        }]),
    );
    assert!(hand.told_of("A").contains("breakpoint"));
    hand.command("Show breakpoints");
    assert!(hand.reads("stop in A at befcomp") && hand.reads("2 hits"));
    hand.write("condition", "in B if a > 1");
    hand.key(Key::Return);
    let command = "stop in B if a > 1".to_owned();
    assert_eq!(session.sent(), [Request::SetBreakpoint(command.clone())]);
    let placed = |result| Told::Placed { command: command.clone(), result };
    session.tell(&hand, placed(Err("there is no name `a` here".to_owned())));
    assert!(hand.reads("there is no name `a` here"));
    assert_eq!(hand.value("condition"), "in B if a > 1", "it is there to be mended");
    hand.type_text("0");
    assert!(!hand.reads("there is no name `a` here"));
    hand.key(Key::Return);
    let command = "stop in B if a > 10".to_owned();
    assert_eq!(session.sent(), [Request::SetBreakpoint(command.clone())]);
    session.tell(&hand, Told::Placed { command, result: Ok(()) });
    assert_eq!(hand.value("condition"), "");
    // The box beside it switches it off.
    hand.click("on");
    assert_eq!(session.sent(), [Request::EnableBreakpoint(1, false)]);
    hand.click("Delete breakpoint #1");
    assert_eq!(session.sent(), [Request::DeleteBreakpoint(1)]);
    hand.click_at(hand.opened.arc_at(1).unwrap());
    hand.key(Key::F9);
    let command = "stop on arc B[i].c -> End.c[i]".to_owned();
    assert!(session.sent().contains(&Request::SetBreakpoint(command)));
}

#[test]
fn what_is_stopped_is_seen_and_its_values_are_assigned() {
    let (hand, session) = opened();
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, rest());
    assert!(hand.told_of("B[i]").contains("stopped"), "{}", hand.told_of("B[i]"));
    assert!(!hand.told_of("A").contains("stopped"));
    hand.command("Show actions");
    assert!(hand.reads("1 stopped"));
    let row = "stopped before its body /B[1], count 1";
    assert!(hand.has(row), "{:?}", hand.labels(AccessibleRole::ListItem));
    hand.click(row);
    assert_eq!(hand.selected(), ["B[i]"]);
    assert!(session.sent().contains(&Request::Look(Some("/B[1]".to_owned()))));
    session.tell(&hand, Told::Action("/B[1]".to_owned(), Ok(Box::new(view()))));
    assert_eq!(hand.value("value of a"), "5");
    hand.write("value of a", "7");
    hand.key(Key::Return);
    let assigned =
        Request::Assign { action: "/B[1]".to_owned(), name: "a".to_owned(), value: "7".to_owned() };
    assert_eq!(session.sent(), [assigned]);
    hand.click("Next");
    hand.click("Continue");
    let own = || Some("/B[1]".to_owned());
    assert_eq!(session.sent(), [Request::Next(own()), Request::Cont(own())]);
    hand.click("Why?");
    assert_eq!(session.sent(), [Request::Why("/B[1]".to_owned())]);
    session.tell(&hand, Told::Why("/B[1]".to_owned(), Err("It is stopped.".to_owned())));
    assert!(hand.reads("It is stopped."));
}

#[test]
fn values_that_wait_are_changed_dropped_and_added() {
    let (hand, session) = opened();
    session.tell(&hand, Told::Begun(Mode::Full));
    session.tell(&hand, Told::State(RunState::Waiting));
    session.tell(&hand, rest());
    hand.command("Show actions");
    hand.click("stopped before its body /B[1], count 1");
    let queued =
        |value| Queued { value: Value::Int(value), sender: Some("/A:1".to_owned()), is_by_hand: false };
    let ports = vec![PortView { name: "x[2]".to_owned(), queued: vec![queued(5)] }];
    let looked =
        || Told::Action("/B[1]".to_owned(), Ok(Box::new(ActionView { ports: ports.clone(), ..view() })));
    session.tell(&hand, looked());
    session.sent();
    let edit = |change| Request::EditQueue { action: "/B[1]".to_owned(), port: "x[2]".to_owned(), change };
    assert_eq!(hand.value("value 1 at port x[2]"), "5");
    hand.write("value 1 at port x[2]", "7");
    hand.key(Key::Return);
    assert_eq!(session.sent(), [edit(QueueChange::Set(1, "7".to_owned()))]);
    hand.click("Drop value 1 at port x[2]");
    assert_eq!(session.sent(), [edit(QueueChange::Drop(1))]);
    hand.write("value to add at port x[2]", "8");
    hand.key(Key::Return);
    assert_eq!(session.sent(), [edit(QueueChange::Add("8".to_owned()))]);
    let problem = "port `x` of type int cannot hold \"a\"".to_owned();
    session.tell(&hand, Told::QueueEdited { action: "/B[1]".to_owned(), result: Err(problem.clone()) });
    assert!(hand.reads(&problem));
    // A port at which nothing waits takes a value, too.
    let nothing_waits = ActionView { empty_ports: vec!["go".to_owned()], ..view() };
    session.tell(&hand, Told::Action("/B[1]".to_owned(), Ok(Box::new(nothing_waits))));
    hand.write("value to add at port go", "true");
    hand.key(Key::Return);
    let (action, port) = ("/B[1]".to_owned(), "go".to_owned());
    let change = QueueChange::Add("true".to_owned());
    assert_eq!(session.sent(), [Request::EditQueue { action, port, change }]);
    // A replay follows its record.
    session.tell(&hand, Told::Begun(Mode::Replay));
    session.tell(&hand, looked());
    assert!(!hand.has("Drop value 1 at port x[2]"));
}

#[test]
fn the_console_takes_lines_and_has_them_again() {
    let (hand, session) = opened();
    hand.ctrl('`');
    hand.type_text("status");
    hand.key(Key::Return);
    assert_eq!(session.sent(), [Request::Console("status".to_owned())]);
    session.tell(&hand, Told::Answer(vec!["3 actions".to_owned()], true));
    assert!(hand.reads("3 actions"));
    assert_eq!(hand.value("command"), "");
    hand.key(Key::UpArrow);
    assert_eq!(hand.value("command"), "status");
    hand.key(Key::DownArrow);
    hand.type_text("sto");
    hand.key(Key::Tab);
    assert_eq!(session.sent(), [Request::Complete { line: "sto".to_owned(), at: 3 }]);
    let candidates = vec!["stop".to_owned()];
    let completion = Completion { line: "sto".to_owned(), start: 0, end: 3, candidates };
    session.tell(&hand, Told::Completed(completion));
    assert_eq!(hand.value("command"), "stop");
    hand.ctrl('a');
    hand.type_text("st");
    hand.key(Key::Tab);
    let candidates = vec!["status".to_owned(), "stop".to_owned()];
    let completion = Completion { line: "st".to_owned(), start: 0, end: 2, candidates };
    session.tell(&hand, Told::Completed(completion));
    assert_eq!(hand.value("command"), "st");
    assert!(hand.reads("status  stop"), "what there is to choose from");
    hand.ctrl('a');
    hand.key(Key::Delete);
    assert_eq!(hand.program(), RUNNING, "keys of the console are not keys of the picture");
    hand.key(Key::Escape);
    hand.ctrl('a');
    assert_eq!(hand.selected().len(), 4);
}

#[test]
fn the_log_tells_who_says_what() {
    let (hand, session) = opened();
    let line = |source, text: &str| LogLine { source, text: text.to_owned(), event: None };
    session
        .tell(&hand, Told::Log(vec![line(Source::Program, "64 unknowns"), line(Source::Findings, "1 race")]));
    hand.command("Log");
    assert!(hand.reads("64 unknowns") && hand.reads("1 race"));
    assert!(hand.reads("program") && hand.reads("findings"));
    hand.click("lines of: Findings");
    assert!(!hand.reads("64 unknowns") && hand.reads("1 race"));
    session.tell(&hand, Told::Log(vec![line(Source::Findings, "verdict"), line(Source::Program, "more")]));
    assert!(hand.reads("verdict") && !hand.reads("more"));
    hand.click("lines of: All");
    assert!(hand.reads("64 unknowns") && hand.reads("more"));
    hand.write("search the log", "race");
    assert!(hand.reads("1 race") && !hand.reads("64 unknowns"));
    session.tell(&hand, Told::Log(vec![line(Source::Findings, "no race"), line(Source::Program, "2 ways")]));
    assert!(hand.reads("no race") && !hand.reads("2 ways"));
}

#[test]
fn options_go_with_the_run() {
    let (hand, session) = opened();
    hand.click("Run");
    let modes = hand.labels(AccessibleRole::RadioButton);
    assert_eq!(modes.len(), Mode::ALL.len());
    hand.click("perf: with times");
    assert_eq!(hand.item("perf: with times").accessible_checked(), Some(true));
    assert_eq!(hand.item("full: all events").accessible_checked(), Some(false));
    hand.write("workers", "2");
    hand.write("seed", "7");
    hand.write("n", "4");
    session.sent();
    hand.key(Key::Escape);
    hand.key(Key::F5);
    let sent = session.sent();
    let [.., Request::Open(_, options), Request::Run] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((options.mode, options.n_workers, options.seed), (Mode::Perf, Some(2), Some(7)));
    assert_eq!(options.params.get("n").map(String::as_str), Some("4"));
    assert_eq!(hand.program(), RUNNING);
}
