//! Stepping through bodies, breakpoints at their lines, and what can be asked of an action in the middle of its body.

use std::str::FromStr;

use hasse_model::plan::Plan;
use hasse_model::record_options::Selector;
use hasse_model::value::{Type, Value};
use hasse_runtime::control::breakpoint::{Breakpoint, LogPart, Place, PointCommand, Reaction};
use hasse_runtime::control::expression::Expression;
use hasse_runtime::control::{
    ActionState, ActionView, Control, GlobalState, InspectError, News, Part, Printed, Said, StopPoint, Why,
    statement_line,
};
use hasse_runtime::natives::{NativeBody, Natives};
use hasse_runtime::report::RunOutcome;
use hasse_runtime::run::{Recording, RunOptions};

use super::recording::{Recorded, compile, digest, options, replay_of, replay_with};
use super::{driven, driven_as};

/// `Work` counts, calls a function and reads a total; `Other` has work on one line; `Last` ends the run.
const PROGRAM: &str = r#"hasse = 1
main  = "steps"
[graph.steps]
arcs = ["Open.go[i] -> Work[i].go", "Work[i].done -> Other.done[i]", "Other.all -> Last.all"]
share = ["total -- Work[i].total"]
[graph.steps.shared.total]
type = "int"
init = "100"
[graph.steps.uc.Open]
out   = { "go[i]" = "int" }
start = true
route = ["go[i] <- i + 1 for i in 0..2"]
[graph.steps.uc.Work]
index  = ["i"]
in     = { go = "int" }
out    = { done = "int" }
vars   = { sum = "int" }
shared = { total = "read" }
fire   = ["go -> amount"]
do     = '''
fn twice(n) {
    let result = n * 2;
    result
}

let k = 1;
while k <= 2 {
    sum +=
        twice(k) + amount;
    k += 1;
}
let after = total + sum;
print(`sum ${sum}`);
'''
route  = ["done <- sum"]
[graph.steps.uc.Other]
in     = { "done[i]" = "int" }
out    = { all = "int" }
fire   = ["done[i] -> seen[i] for i in 0..2"]
do     = "let all = 0; for x in seen { all += x; } result(\"all\", all);"
route  = ["all <- all"]
[graph.steps.uc.Last]
in     = { all = "int" }
stop   = true
fire   = ["all -> v"]
"#;

/// The line of the program on which a text stands.
fn line_of(text: &str) -> u32 {
    let found = PROGRAM.lines().position(|line| line.contains(text)).unwrap();
    found as u32 + 1
}

fn expression(text: &str) -> Expression {
    Expression::parse(text).unwrap()
}

fn breakpoint(within: &str, place: Place, condition: &str, reaction: Reaction) -> Breakpoint {
    Breakpoint {
        within: (!within.is_empty()).then(|| Selector::from_str(within).unwrap()),
        place,
        condition: (!condition.is_empty()).then(|| expression(condition)),
        n_ignored: 0,
        reaction,
    }
}

fn befcomp(within: &str) -> Breakpoint {
    breakpoint(within, Place::Befcomp, "", Reaction::Stop)
}

fn at_line(text: &str, condition: &str) -> Breakpoint {
    breakpoint("", Place::Line(line_of(text)), condition, Reaction::Stop)
}

/// Runs the program with breakpoints.
fn drive<R>(
    n_workers: usize,
    breakpoints: Vec<Breakpoint>,
    drive: impl FnOnce(&Control) -> R,
) -> (R, Plan, Recorded) {
    let plan = compile(PROGRAM);
    let control = Control::new();
    for (number, breakpoint) in (1..).zip(breakpoints) {
        control.set_breakpoint(&plan, number, breakpoint).unwrap();
    }
    let (driven, recorded) = driven(&plan, &options(n_workers, Some(3)), &control, Recording::Full, drive);
    (driven, plan, recorded)
}

/// The run replays, and ended as without a debugger.
fn is_as_ever(plan: &Plan, recorded: &Recorded) {
    let replayed = replay_of(plan, &recorded.batches, 2, None);
    assert_eq!(replayed.report.divergence, None);
    assert_eq!(digest(plan, &replayed.batches), digest(plan, &recorded.batches));
    assert_eq!(replayed.lines, recorded.lines);
    assert_eq!(recorded.report.results, [("all".to_owned(), Value::Int(8 + 10))]);
}

fn view(control: &Control, path: &'static str) -> ActionView {
    control.ask(move |inspector| inspector.action(path)).unwrap().unwrap()
}

fn value(control: &Control, path: &'static str, text: &str) -> Result<Value, InspectError> {
    let expression = expression(text);
    control.ask(move |inspector| inspector.evaluate(path, &expression)).unwrap()
}

fn step(control: &Control, path: &'static str) -> Result<(), InspectError> {
    let stepped = control.ask(move |inspector| inspector.step(path)).unwrap();
    control.wait_for_rest();
    stepped
}

fn go(control: &Control) -> GlobalState {
    control.ask(|inspector| inspector.resume_all(false)).unwrap();
    control.wait_for_rest()
}

/// Where an action is, as text: the line of its body at which it is stopped.
fn place(control: &Control, path: &'static str) -> String {
    let view = view(control, path);
    match (view.summary.state, view.at, view.line_text) {
        (ActionState::Stopped(StopPoint::Line), Some(at), Some(text)) => {
            let stands = PROGRAM.lines().nth(at.line as usize - 1).unwrap();
            assert!(stands.contains(&text), "{stands}: {text}");
            format!("{}:{}", text, at.column)
        }
        (state, None, None) => format!("{state:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_body_is_stepped_through_with_its_functions() {
    for n_workers in [1, 2] {
        let (places, plan, recorded) = drive(n_workers, vec![befcomp("/Work[1]")], |control| {
            assert_eq!(control.wait_for_rest(), GlobalState::Waiting);
            let mut places = Vec::new();
            while places.len() < 40
                && places.last().is_none_or(|place: &String| !place.starts_with("Stopped"))
            {
                step(control, "/Work[1]").unwrap();
                places.push(place(control, "/Work[1]"));
            }
            assert_eq!(view(control, "/Work[1]").reasons, [Why::Step]);
            let behind = step(control, "/Work[1]").unwrap_err();
            assert!(matches!(behind, InspectError::Step { .. }), "{behind}");
            assert_eq!(go(control), GlobalState::Finished);
            places
        });
        insta::allow_duplicates! {
            insta::assert_snapshot!("stepped_body", places.join("\n"));
        }
        is_as_ever(&plan, &recorded);
    }
}

#[test]
fn in_the_middle_of_a_body_its_names_are_seen() {
    let stop = at_line("k += 1", "k == 2 && NodeIndex == 0");
    let ((), plan, recorded) = drive(2, vec![stop], |control| {
        control.wait_for_rest();
        let news = control.take_news();
        let expected = Said::Stopped(vec![Why::Breakpoint { number: 1, detail: String::new() }]);
        assert_eq!(news.len(), 1);
        assert_eq!(
            (news[0].event.as_str(), news[0].point, &news[0].said),
            ("/Work[0]:1", StopPoint::Line, &expected)
        );
        assert_eq!(news[0].at.unwrap().line, line_of("k += 1"));
        assert_eq!(
            value(control, "/Work[0]", "[k, sum, amount, ExecCnt]").unwrap().to_string(),
            "[2, 8, 1, 1]"
        );
        assert_eq!(value(control, "/Work[0]", "Pred[0]"), Ok(Value::String("/Open:1".into())));
        let unknown = value(control, "/Work[0]", "result").unwrap_err();
        assert!(matches!(unknown, InspectError::Value { .. }), "{unknown}");
        let view = view(control, "/Work[0]");
        let names: Vec<_> = view.names.iter().map(|name| format!("{} {}", name.kind, name.name)).collect();
        assert!(names.contains(&"let k".to_owned()) && names.contains(&"var sum".to_owned()), "{names:?}");
        assert!(view.objects[0].is_held && view.objects[0].object == "/total", "{:?}", view.objects);
        assert_eq!((view.rule, view.summary.count), (Some(0), 1));
        assert_eq!(view.predecessors[0], "/Open:1");
        let objects = control.ask(|inspector| inspector.objects()).unwrap();
        assert!(objects[0].holders.contains(&"/Work[0]".to_owned()), "{objects:?}");
        let why = control.ask(|inspector| inspector.explain("/Work[0]")).unwrap().unwrap();
        assert_eq!(why.state, ActionState::Stopped(StopPoint::Line));
        assert_eq!(why.reasons, view.reasons);
        let refused = control.ask(|inspector| inspector.assign("/Work[0]", "k", &expression("7"))).unwrap();
        assert!(refused.unwrap_err().to_string().contains("in the middle of a body"));
        assert_eq!(go(control), GlobalState::Finished);
    });
    is_as_ever(&plan, &recorded);
}

#[test]
fn a_breakpoint_goes_to_the_first_statement_at_or_behind_its_line() {
    let plan = compile(PROGRAM);
    let line = |text: &str| statement_line(&plan, line_of(text)).map(|(_, line)| line);
    assert_eq!(line("fn twice"), Some(line_of("let result")));
    assert_eq!(line("let result"), Some(line_of("let result")));
    assert_eq!(line("twice(k) + amount"), Some(line_of("k += 1")));
    assert_eq!(line("sum +="), Some(line_of("sum +=")));
    assert_eq!(line("let all"), Some(line_of("let all")));
    assert_eq!(line("print"), Some(line_of("print")));
    assert_eq!(line("route  = [\"done"), None);
    assert_eq!(statement_line(&plan, 0), None);
    assert_eq!(statement_line(&plan, u32::MAX), None);
    let (unit, _) = statement_line(&plan, line_of("k += 1")).unwrap();
    assert_eq!(plan.template(unit).name, "Work");

    // All statements that begin on the line count, those of functions too.
    let stops = |stop: Breakpoint, n_expected: usize| {
        let ((), plan, recorded) = drive(2, vec![stop], |control| {
            let mut n_stops = 0;
            while control.wait_for_rest() != GlobalState::Finished {
                let stopped = |news: &News| matches!(news.said, Said::Stopped(_));
                n_stops += control.take_news().iter().filter(|news| stopped(news)).count();
                go(control);
            }
            assert_eq!(n_stops, n_expected);
        });
        is_as_ever(&plan, &recorded);
    };
    stops(at_line("fn twice", ""), 4);
    stops(at_line("fn twice", "n == 2"), 2);
    stops(at_line("let all", ""), 5);
    stops(at_line("let all", "all == 8"), 2);
    stops(breakpoint("/Work[0]", Place::Line(line_of("k += 1")), "", Reaction::Stop), 2);
    stops(breakpoint("", Place::Line(line_of("k += 1")), "", Reaction::Once), 1);
    stops(Breakpoint { n_ignored: 3, ..at_line("k += 1", "") }, 1);
    stops(breakpoint("/Other", Place::Line(line_of("k += 1")), "", Reaction::Stop), 0);
    // A condition that cannot be evaluated stops, as elsewhere.
    stops(at_line("k += 1", "k + \"x\" > nothing"), 4);
}

#[test]
fn breakpoints_at_lines_print_log_and_watch() {
    let line = Place::Line(line_of("k += 1"));
    let commands = vec![
        PointCommand::Print(expression("k")),
        PointCommand::Log(vec![LogPart::Text("sum is ".to_owned()), LogPart::Value(expression("sum"))]),
        PointCommand::Dump,
        PointCommand::Where,
        PointCommand::Assign { name: "k".to_owned(), value: expression("9") },
    ];
    let when = breakpoint("/Work[0]", line.clone(), "k == 1", Reaction::When(commands));
    let watch =
        breakpoint("/Work[1]", line, "", Reaction::Watch(vec![expression("k"), expression("amount")]));
    let ((), plan, recorded) = drive(2, vec![when, watch], |control| {
        assert_eq!(control.wait_for_rest(), GlobalState::Finished);
        let mut of_when = Vec::new();
        let mut changes = Vec::new();
        for news in control.take_news() {
            assert_eq!((news.point, news.at.map(|at| at.line)), (StopPoint::Line, Some(line_of("k += 1"))));
            match news.said {
                Said::Printed { breakpoint: 1, printed } => of_when.push(printed),
                Said::Printed { printed: Printed::Changed { expression, before, value }, .. } => {
                    changes.push((expression, before, value.unwrap()));
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(matches!(&of_when[0], Printed::Value { value: Ok(Value::Int(1)), .. }), "{of_when:?}");
        let log = [Part::Text("sum is ".to_owned()), Part::Value(Ok(Value::Int(3)))];
        assert_eq!(of_when[1], Printed::Log(log.to_vec()));
        assert!(matches!(&of_when[2], Printed::Names(names) if names.iter().any(|name| name.name == "k")));
        assert_eq!(of_when[3], Printed::Where);
        assert!(matches!(&of_when[4], Printed::Assigned { value: Err(_), .. }), "{of_when:?}");
        let int = |number| Value::Int(number);
        let expected = [
            ("k".to_owned(), None, int(1)),
            ("amount".to_owned(), None, int(2)),
            ("k".to_owned(), Some(int(1)), int(2)),
        ];
        assert_eq!(changes, expected);
        assert_eq!(control.breakpoints()[1].n_hits, 2);
    });
    is_as_ever(&plan, &recorded);
}

#[test]
fn next_in_a_body_stops_behind_it_and_deleting_lets_it_run() {
    let ((), plan, recorded) =
        drive(2, vec![at_line("let k", "NodeIndex == 0"), at_line("k += 1", "")], |control| {
            control.wait_for_rest();
            assert!(control.delete_breakpoint(2));
            control.ask(|inspector| inspector.resume("/Work[0]", true)).unwrap().unwrap();
            control.wait_for_rest();
            assert_eq!(view(control, "/Work[0]").summary.state, ActionState::Stopped(StopPoint::Aftcomp));
            assert_eq!(view(control, "/Work[0]").reasons, [Why::Next]);
            go(control);
            while control.wait_for_rest() != GlobalState::Finished {
                go(control);
            }
        });
    is_as_ever(&plan, &recorded);
}

#[test]
fn a_single_worker_that_waits_in_a_body_leaves_the_run_at_rest() {
    let stops = vec![at_line("let k", "NodeIndex == 0"), befcomp("/Work[1]")];
    let ((), plan, recorded) = drive(1, stops, |control| {
        assert_eq!(control.wait_for_rest(), GlobalState::Waiting);
        assert_eq!(view(control, "/Work[0]").summary.state, ActionState::Stopped(StopPoint::Line));
        control.stop();
        assert_eq!(control.state(), GlobalState::Stopped);
        let actions = control.ask(|inspector| inspector.actions()).unwrap();
        let is_held = actions.iter().any(|action| {
            action.path == "/Work[1]" && action.state == ActionState::Stopped(StopPoint::Befcomp)
        });
        if is_held {
            let refused = step(control, "/Work[1]").unwrap_err();
            assert_eq!(refused.to_string(), "no worker is free for `/Work[1]`: let /Work[0] go on first");
            let refused = control.ask(|inspector| inspector.resume("/Work[1]", false)).unwrap().unwrap_err();
            assert!(matches!(refused, InspectError::NoWorker { .. }));
        }
        while go(control) != GlobalState::Finished {}
    });
    is_as_ever(&plan, &recorded);
}

#[test]
fn other_actions_go_on_while_one_waits_in_its_body() {
    // With two workers, one of which waits, everything that does not need it is done.
    let ((), plan, recorded) = drive(2, vec![at_line("let k", "NodeIndex == 0")], |control| {
        assert_eq!(control.wait_for_rest(), GlobalState::Waiting);
        let open = view(control, "/Open");
        assert_eq!((open.summary.state, open.summary.count), (ActionState::Idle, 1));
        assert_eq!(go(control), GlobalState::Finished);
    });
    is_as_ever(&plan, &recorded);
}

#[test]
fn a_run_that_waits_in_a_body_can_be_ended() {
    for n_workers in [1, 2, 8] {
        let plan = compile(PROGRAM);
        let control = Control::new();
        control.set_breakpoint(&plan, 1, at_line("k += 1", "")).unwrap();
        let options = options(n_workers, None);
        let stop = options.stop.clone();
        let ((), recorded) = driven(&plan, &options, &control, Recording::Full, |control| {
            control.wait_for_rest();
            stop.stop();
            control.wake();
            assert_eq!(control.wait_for_rest(), GlobalState::Finished);
        });
        assert_eq!(recorded.report.outcome, RunOutcome::Stopped);
    }
}

#[test]
fn what_cannot_be_stepped_through_is_told() {
    let mut natives = Natives::new();
    natives.body(NativeBody::new("double").needs([("v", Type::Int)]).lets([("w", Type::Int)]), |context| {
        let v: i64 = context.take("v")?;
        context.set("w", 2 * v)
    });
    let text = r#"hasse = 1
main = "main"
[graph.main]
arcs = ["Open.go -> Native.go", "Native.done -> End.done"]
[graph.main.uc.Open]
out = { go = "int" }
start = true
route = ["go <- 1"]
[graph.main.uc.Native]
in = { go = "int" }
out = { done = "int" }
fire = ["go -> v"]
do = { native = "double" }
route = ["done <- w"]
[graph.main.uc.End]
in = { done = "int" }
stop = true
fire = ["done -> w"]
"#;
    let plan = hasse_compiler::compile(text, &natives.functions().unwrap()).plan.unwrap();
    let control = Control::new();
    control.set_breakpoint(&plan, 1, befcomp("Open")).unwrap();
    control.set_breakpoint(&plan, 2, befcomp("Native")).unwrap();
    let options = RunOptions { natives, ..options(2, None) };
    driven(&plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
        let told = |path| step(control, path).unwrap_err().to_string();
        assert_eq!(told("/Open"), "`/Open` has no body to step through");
        assert_eq!(told("/Native"), "there is no action `/Native`");
        go(control);
        assert_eq!(told("/Native"), "the body of `/Native` is native: `next` executes all of it");
        assert_eq!(told("/Open"), "`/Open` is not stopped");
        assert_eq!(go(control), GlobalState::Finished);
    });
}

#[test]
fn errors_are_the_same_when_stepped_through() {
    let text = PROGRAM.replace("k += 1;", "k += 1; let q = [1, 2]; q.map(|x| x + q[k]);");
    let plan = compile(&text);
    let plain = super::recording::record(&plan, 2, None);
    assert_eq!(plain.report.errors.len(), 2);
    let control = Control::new();
    control.set_breakpoint(&plan, 1, befcomp("/Work[0]")).unwrap();
    let ((), stepped) = driven(&plan, &options(2, None), &control, Recording::Full, |control| {
        control.wait_for_rest();
        while step(control, "/Work[0]").is_ok() {}
        go(control);
    });
    let told = |recorded: &Recorded| {
        let mut told: Vec<_> = recorded
            .report
            .errors
            .iter()
            .map(|error| {
                (error.event.clone(), error.code, error.message.clone(), error.at, error.values.len())
            })
            .collect();
        told.sort();
        told
    };
    assert_eq!(told(&stepped), told(&plain));
}

#[test]
fn a_replay_is_stepped_through() {
    let plan = compile(PROGRAM);
    let recorded = super::recording::record(&plan, 2, None);
    for n_workers in [1, 2, 8] {
        let control = Control::new();
        control.set_breakpoint(&plan, 1, befcomp("Work")).unwrap();
        let (n_steps, stepped) = driven_as(
            &options(n_workers, None),
            &control,
            |options| replay_with(&plan, options, &recorded.batches),
            |control| {
                let mut n_steps = 0;
                control.wait_for_rest();
                for path in ["/Work[0]", "/Work[1]", "/Work[0]"] {
                    while step(control, path).is_ok() {
                        n_steps += 1;
                    }
                    go(control);
                }
                while go(control) != GlobalState::Finished {}
                n_steps
            },
        );
        assert!(n_steps > 10, "{n_steps}");
        assert_eq!(stepped.report.divergence, None);
        assert_eq!(digest(&plan, &stepped.batches), digest(&plan, &recorded.batches));
        assert_eq!(stepped.lines, recorded.lines);
    }
}
