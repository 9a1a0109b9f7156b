//! Breakpoints, commands to single actions, and what can be asked of stopped actions.

use std::str::FromStr;

use hasse_model::plan::Access;
use hasse_model::record_options::Selector;
use hasse_model::value::Value;
use hasse_runtime::control::breakpoint::{Breakpoint, LogPart, Place, PointCommand, Reaction};
use hasse_runtime::control::expression::Expression;
use hasse_runtime::control::{
    ActionState, Control, GlobalState, InspectError, News, Part, Printed, Said, StopPoint, Why,
};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions};

use super::driven;
use super::recording::{self, Recorded, compile, digest, replay_of};

/// Three tellers add to a total, one after the other as the lock is granted; an auditor looks when all are done.
const TELLERS: &str = r#"hasse = 1
main  = "tellers"
[graph.tellers]
arcs = ["Open.go[i] -> Teller[i].go", "Teller[i].done -> Audit.done[i]"]
share = ["total -- Teller[i].total", "total -- Audit.total"]
[graph.tellers.shared.total]
type = "int"
init = "100"
[graph.tellers.uc.Open]
out   = { "go[i]" = "int" }
start = true
route = ["go[i] <- i + 1 for i in 0..3"]
[graph.tellers.uc.Teller]
index  = ["i"]
in     = { go = "int" }
out    = { done = "int" }
vars   = { sum = "int" }
shared = { total = "write" }
fire   = ["go -> amount"]
do     = "let doubled = 2 * amount; sum += doubled; total += amount;"
route  = ["done <- sum + 0 * doubled"]
[graph.tellers.uc.Audit]
in     = { "done[i]" = "int" }
shared = { total = "read" }
stop   = true
fire   = ["done[i] -> seen[i] for i in 0..3"]
do     = 'result("total", total); result("seen", seen); if total > 1000 { throw "too much" }'
"#;

/// Options of runs that let go of no action: they are asked when they are over, too.
fn options(n_workers: usize, seed: Option<u64>) -> RunOptions {
    RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..recording::options(n_workers, seed) }
}

fn expression(text: &str) -> Expression {
    Expression::parse(text).unwrap()
}

pub fn breakpoint(within: &str, place: Place, condition: &str, reaction: Reaction) -> Breakpoint {
    Breakpoint {
        within: (!within.is_empty()).then(|| Selector::from_str(within).unwrap()),
        place,
        condition: (!condition.is_empty()).then(|| expression(condition)),
        n_ignored: 0,
        reaction,
    }
}

/// Runs the tellers with breakpoints on two workers.
fn tellers<R>(breakpoints: Vec<Breakpoint>, drive: impl FnOnce(&Control) -> R) -> (R, Recorded) {
    let plan = compile(TELLERS);
    let control = Control::new();
    for (number, breakpoint) in (1..).zip(breakpoints) {
        control.set_breakpoint(&plan, number, breakpoint).unwrap();
    }
    driven(&plan, &options(2, Some(7)), &control, Recording::Full, drive)
}

/// Waits for rest; gives who has stopped where, and why.
fn stops(control: &Control) -> Vec<(String, StopPoint, Vec<Why>)> {
    control.wait_for_rest();
    let stopped = |news: News| match news.said {
        Said::Stopped(reasons) => Some((news.event, news.point, reasons)),
        Said::Printed { .. } => None,
    };
    control.take_news().into_iter().filter_map(stopped).collect()
}

fn printed(control: &Control) -> Vec<(String, Printed)> {
    control.wait_for_rest();
    let told = |news: News| match news.said {
        Said::Printed { printed, .. } => Some((news.event, printed)),
        Said::Stopped(_) => None,
    };
    control.take_news().into_iter().filter_map(told).collect()
}

fn go(control: &Control) {
    control.ask(|inspector| inspector.resume_all(false)).unwrap();
}

fn at(number: u64) -> Vec<Why> {
    vec![Why::Breakpoint { number, detail: String::new() }]
}

fn value(control: &Control, path: &'static str, text: &str) -> Result<Value, InspectError> {
    let expression = expression(text);
    control.ask(move |inspector| inspector.evaluate(path, &expression)).unwrap()
}

#[test]
fn a_selected_action_stops_before_its_body_on_its_condition() {
    let stop = breakpoint("Teller", Place::Befcomp, "NodeIndex == 1 && ExecCnt == 1", Reaction::Stop);
    let ((), recorded) = tellers(vec![stop], |control| {
        assert_eq!(stops(control), [("/Teller[1]:1".to_owned(), StopPoint::Befcomp, at(1))]);
        assert_eq!(control.state(), GlobalState::Waiting);
        assert_eq!(value(control, "/Teller[1]", "amount"), Ok(Value::Int(2)));
        assert_eq!(value(control, "/Teller[1]", "Pred[0]"), Ok(Value::String("/Open:1".into())));
        let missing = value(control, "/Teller[1]", "doubled").unwrap_err();
        assert!(matches!(missing, InspectError::Value { .. }), "{missing}");
        let view = control.ask(|inspector| inspector.action("/Teller[1]")).unwrap().unwrap();
        assert_eq!(view.summary.state, ActionState::Stopped(StopPoint::Befcomp));
        assert_eq!(view.predecessors[0], "/Open:1");
        assert!(view.objects[0].is_held);
        go(control);
        assert_eq!(control.wait_for_rest(), GlobalState::Finished);
    });
    assert_eq!(recorded.report.n_events, 5);
    assert_eq!(recorded.report.results[1], ("total".to_owned(), Value::Int(106)));
}

#[test]
fn after_the_body_its_own_names_are_seen_and_nothing_is_sent() {
    let stop = breakpoint("/Teller[2]", Place::Aftcomp, "doubled == 6", Reaction::Stop);
    tellers(vec![stop], |control| {
        assert_eq!(stops(control), [("/Teller[2]:1".to_owned(), StopPoint::Aftcomp, at(1))]);
        assert_eq!(value(control, "/Teller[2]", "[doubled, sum]").unwrap().to_string(), "[6, 6]");
        go(control);
        control.wait_for_rest();
    });
}

#[test]
fn next_goes_to_the_end_of_the_body_and_then_to_the_receivers() {
    let stop = breakpoint("Open", Place::Befcomp, "", Reaction::Stop);
    tellers(vec![stop], |control| {
        assert_eq!(stops(control), [("/Open:1".to_owned(), StopPoint::Befcomp, at(1))]);
        control.ask(|inspector| inspector.resume("/Open", true)).unwrap().unwrap();
        assert_eq!(stops(control), [("/Open:1".to_owned(), StopPoint::Aftcomp, vec![Why::Next])]);
        control.ask(|inspector| inspector.resume("/Open", true)).unwrap().unwrap();
        // The tellers have one total to write to: the lock is held by the first that has stopped.
        let first = stops(control);
        assert_eq!(first.len(), 1, "{first:?}");
        assert_eq!(first[0].1, StopPoint::Befcomp);
        assert_eq!(first[0].2, [Why::Next]);
        let waiting = control.ask(|inspector| inspector.actions()).unwrap();
        let n_waiting = waiting.iter().filter(|known| known.state == ActionState::WaitsFor("/total".into()));
        assert_eq!(n_waiting.count(), 2);
        control.ask(|inspector| inspector.resume_all(true)).unwrap();
        assert_eq!(stops(control)[0].1, StopPoint::Aftcomp);
        while control.wait_for_rest() != GlobalState::Finished {
            go(control);
        }
    });
}

#[test]
fn stop_stops_all_and_a_single_action_goes_alone() {
    let first = breakpoint("Open", Place::Befcomp, "", Reaction::Once);
    tellers(vec![first], |control| {
        control.wait_for_rest();
        assert_eq!(control.breakpoints().len(), 0, "it was hit once");
        control.stop();
        assert_eq!(control.state(), GlobalState::Stopped);
        control.take_news();
        control.ask(|inspector| inspector.resume("/Open", false)).unwrap().unwrap();
        let next = stops(control);
        assert_eq!(control.state(), GlobalState::Stopped);
        assert_eq!(next[0].2, [Why::Everything]);
        let error = control.ask(|inspector| inspector.resume("/Audit", false)).unwrap().unwrap_err();
        assert!(matches!(error, InspectError::NoAction { .. } | InspectError::NotStopped { .. }), "{error}");
        go(control);
        assert_eq!(control.wait_for_rest(), GlobalState::Finished);
    });
}

#[test]
fn an_action_that_does_not_exist_yet_is_told_to_stop() {
    let plan = compile(TELLERS);
    let control = Control::new();
    let first = breakpoint("Open", Place::Befcomp, "", Reaction::Stop);
    control.set_breakpoint(&plan, 1, first).unwrap();
    driven(&plan, &options(2, None), &control, Recording::Full, |control| {
        control.wait_for_rest();
        control.stop_action("/Teller[2]");
        control.take_news();
        go(control);
        assert_eq!(stops(control), [("/Teller[2]:1".to_owned(), StopPoint::Befcomp, vec![Why::Command])]);
        go(control);
        assert_eq!(control.wait_for_rest(), GlobalState::Finished);
    });
}

#[test]
fn values_on_arcs_objects_and_creations_are_caught() {
    let plan = compile(TELLERS);
    let arc = plan.arcs.iter().find(|arc| arc.text.contains("done")).unwrap();
    let on_arc = breakpoint("", Place::Arc(vec![plan.arc_id(arc)]), "value == 4", Reaction::Stop);
    let shared = Place::Shared { shared: vec![hasse_model::id::SharedId(0)], access: Some(Access::Read) };
    let on_object = breakpoint("", shared, "", Reaction::Stop);
    let created = Place::Creation(Some(Selector::from_str("Audit").unwrap()));
    let on_creation = breakpoint("", created, "", Reaction::Stop);
    tellers(vec![on_arc, on_object, on_creation], |control| {
        let mut seen = Vec::new();
        while control.wait_for_rest() != GlobalState::Finished {
            seen.extend(stops(control));
            go(control);
        }
        let details: Vec<_> = seen
            .iter()
            .flat_map(|(event, point, reasons)| {
                reasons.iter().map(move |why| match why {
                    Why::Breakpoint { number, detail } => {
                        format!("{event} {} {number}: {detail}", point.name())
                    }
                    other => panic!("{other:?}"),
                })
            })
            .collect();
        assert!(
            details.contains(&"/Teller[1]:1 send 1: Teller[i].done -> Audit.done[i]".to_owned()),
            "{details:?}"
        );
        assert!(details.contains(&"/Audit:1 befcomp 2: it reads /total".to_owned()), "{details:?}");
        assert_eq!(details.iter().filter(|detail| detail.ends_with("send 3: it creates /Audit")).count(), 1);
    });
}

#[test]
fn commands_at_a_breakpoint_print_log_and_count() {
    let commands = vec![
        PointCommand::Print(expression("total - amount")),
        PointCommand::Log(vec![LogPart::Text("teller ".into()), LogPart::Value(expression("i"))]),
    ];
    let mut when = breakpoint("Teller", Place::Befcomp, "", Reaction::When(commands));
    when.n_ignored = 2;
    let bad = breakpoint("Audit", Place::Befcomp, "nothing > 1", Reaction::Stop);
    tellers(vec![when, bad], |control| {
        let told = printed(control);
        assert_eq!(told.len(), 2, "two hits are passed over: {told:?}");
        assert!(matches!(&told[0].1, Printed::Value { value: Ok(Value::Int(_)), .. }), "{told:?}");
        let Printed::Log(parts) = &told[1].1 else { panic!("{told:?}") };
        assert_eq!(parts[0], Part::Text("teller ".into()));
        assert_eq!(control.breakpoints()[0].n_hits, 3);
        // A condition that cannot be evaluated stops the action, and says so.
        let view = control.ask(|inspector| inspector.action("/Audit")).unwrap().unwrap();
        assert!(matches!(&view.reasons[..], [Why::Condition { number: 2, .. }]), "{:?}", view.reasons);
        go(control);
        control.wait_for_rest();
    });
}

#[test]
fn watched_values_are_told_when_they_change() {
    let watch = breakpoint("Audit", Place::Befcomp, "", Reaction::Watch(vec![expression("total")]));
    let ((), _) = tellers(vec![watch], |control| {
        let told = printed(control);
        let changed =
            Printed::Changed { expression: "total".into(), before: None, value: Ok(Value::Int(106)) };
        assert_eq!(told, [("/Audit:1".to_owned(), changed)]);
    });
}

#[test]
fn what_is_assigned_is_recorded_and_replayed() {
    let stop = breakpoint("Teller[0]", Place::Befcomp, "", Reaction::Stop);
    let assign = PointCommand::Assign { name: "sum".into(), value: expression("sum + 1000") };
    let when = breakpoint("Teller[1]", Place::Aftcomp, "", Reaction::When(vec![assign]));
    let ((), recorded) = tellers(vec![stop, when], |control| {
        control.wait_for_rest();
        let assign = |name: &'static str, text: &str| {
            let value = expression(text);
            control.ask(move |inspector| inspector.assign("/Teller[0]", name, &value)).unwrap()
        };
        assert_eq!(assign("amount", "amount * 50"), Ok(Value::Int(50)));
        assert_eq!(assign("total", "7"), Ok(Value::Int(7)));
        for (name, text) in [("amount", "\"x\""), ("i", "3"), ("nothing", "3")] {
            assert!(assign(name, text).is_err(), "{name}");
        }
        let no_stop =
            control.ask(|inspector| inspector.assign("/Teller[2]", "sum", &Expression::parse("1").unwrap()));
        assert!(no_stop.unwrap().is_err());
        go(control);
        control.wait_for_rest();
    });
    let seen = &recorded.report.results[0].1;
    assert_eq!(seen.to_string(), "[100, 1004, 6]");
    let plan = compile(TELLERS);
    let replayed = replay_of(&plan, &recorded.batches, 2, None);
    assert_eq!(replayed.report.divergence, None);
    assert_eq!(replayed.report.results, recorded.report.results);
    assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches));
    assert_eq!(replay_of(&plan, &replayed.batches, 1, None).report.results, recorded.report.results);
}

#[test]
fn a_failure_is_caught_with_its_values() {
    let text = TELLERS.replace("total > 1000", "total > 100");
    let plan = compile(&text);
    let control = Control::new();
    control.set_breakpoint(&plan, 1, breakpoint("", Place::Failed, "", Reaction::Stop)).unwrap();
    let ((), recorded) = driven(&plan, &options(2, None), &control, Recording::Full, |control| {
        assert_eq!(stops(control), [("/Audit:1".to_owned(), StopPoint::Failed, at(1))]);
        assert_eq!(value(control, "/Audit", "total"), Ok(Value::Int(106)));
        go(control);
        assert_eq!(control.wait_for_rest(), GlobalState::Finished);
    });
    assert_eq!(recorded.report.errors.len(), 1);
}

#[test]
fn a_run_without_a_record_and_a_replay_are_controlled_too() {
    let plan = compile(TELLERS);
    let control = Control::new();
    control
        .set_breakpoint(&plan, 1, breakpoint("Audit", Place::Befcomp, "Pred.len() >= 3", Reaction::Stop))
        .unwrap();
    let drive = |control: &Control| {
        assert_eq!(stops(control), [("/Audit:1".to_owned(), StopPoint::Befcomp, at(1))]);
        go(control);
        assert_eq!(control.wait_for_rest(), GlobalState::Finished);
        // The actions are still there to be asked.
        assert_eq!(value(control, "/Teller[2]", "sum"), Ok(Value::Int(6)));
    };
    let ((), recorded) = driven(&plan, &options(2, None), &control, Recording::Full, drive);
    let ((), none) = driven(&plan, &options(2, None), &control, |_| Recording::Off, drive);
    assert_eq!(none.report.results, recorded.report.results);
    assert!(none.batches.is_empty());
    driven(&plan, &options(2, None), &control, Recording::Minimal, drive);
}

#[test]
fn a_stopped_run_can_be_ended() {
    let plan = compile(TELLERS);
    let control = Control::new();
    control.set_breakpoint(&plan, 1, breakpoint("Open", Place::Befcomp, "", Reaction::Stop)).unwrap();
    let options = options(2, None);
    let stop = options.stop.clone();
    let ((), recorded) = driven(&plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
        stop.stop();
        control.wake();
        assert_eq!(control.wait_for_rest(), GlobalState::Finished);
    });
    assert_eq!(recorded.report.outcome, hasse_runtime::report::RunOutcome::Stopped);
}

#[test]
fn who_waits_for_whom_is_told() {
    let text = std::fs::read_to_string("examples/philosophers/philosophers-bug.hasse").unwrap();
    let plan = compile(&text);
    let control = Control::new();
    driven(&plan, &options(2, None), &control, Recording::Full, |control| {
        assert_eq!(control.wait_for_rest(), GlobalState::Waiting);
        let cycle = control.ask(|inspector| inspector.wait_cycle()).unwrap();
        let told: Vec<_> = cycle.iter().map(|step| format!("{} {}", step.action, step.port)).collect();
        assert_eq!(told.len(), 5, "{told:?}");
        assert!(told.iter().all(|step| step.ends_with("left")), "{told:?}");
        let first = control.ask(|inspector| inspector.explain("/Philosopher[0]")).unwrap().unwrap();
        assert_eq!(first.state, ActionState::Idle);
        assert_eq!(first.queued, [("right".to_owned(), 1)]);
        let [missing] = first.rules[0].missing.as_slice() else { panic!("{first:?}") };
        assert_eq!(missing.port, "left");
        let senders: Vec<_> = missing.senders.iter().map(|sender| sender.action.as_str()).collect();
        assert_eq!(senders, ["/Philosopher[4]"]);
        // An element of a family is missed from whoever sends to it.
        let host = control.ask(|inspector| inspector.explain("/Host")).unwrap().unwrap();
        let missing = &host.rules[0].missing[2];
        let senders: Vec<_> = missing.senders.iter().map(|sender| sender.action.as_str()).collect();
        assert_eq!((missing.port.as_str(), senders), ("full[2]", vec!["/Philosopher[2]"]));
    });
}
