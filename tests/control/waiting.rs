//! Who waits for whom, against brute force over small generated programs, and in programs from reports.

use std::collections::BTreeSet;
use std::str::FromStr;

use hasse_model::plan::Plan;
use hasse_model::record_options::Selector;
use hasse_model::value::Value;
use hasse_runtime::control::breakpoint::{Breakpoint, Place, Reaction};
use hasse_runtime::control::{
    ActionState, ActionSummary, ActionView, Control, CycleStep, Deadlock, MissingValue, StopPoint,
};
use hasse_runtime::report::{RunOutcome, RunReport, WaitCause};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions};

use super::driven;
use super::nets::{Net, State};
use super::recording::{self, compile, record, record_with};

/// The state of a run at rest, the node that is stopped with its rule, and the circle that is named.
fn at_rest(
    net: &Net,
    plan: &Plan,
    breakpoint: Option<usize>,
    n_workers: usize,
) -> (State, Option<(usize, usize)>, Deadlock, RunReport) {
    let control = Control::new();
    if let Some(node) = breakpoint {
        let within = Some(Selector::from_str(&net.nodes[node].path).unwrap());
        let stop = Breakpoint {
            within,
            place: Place::Befcomp,
            condition: None,
            n_ignored: 0,
            reaction: Reaction::Stop,
        };
        control.set_breakpoint(plan, 1, stop).unwrap();
    }
    let options = RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..recording::options(n_workers, None) };
    let (found, recorded) = driven(plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
        let found = control
            .ask(|inspector| {
                let actions = inspector.actions();
                let views = actions.iter().map(|action| inspector.action(&action.path).unwrap()).collect();
                (actions, views, inspector.deadlock(&|| false).unwrap())
            })
            .unwrap();
        control.delete_breakpoint(1);
        control.ask(|inspector| inspector.resume_all(false)).unwrap();
        control.wait_for_rest();
        found
    });
    let (actions, views, deadlock): (Vec<ActionSummary>, Vec<ActionView>, Deadlock) = found;
    let mut state = net.nothing();
    let mut stopped = None;
    for (action, view) in actions.iter().zip(&views) {
        let Some(node) = net.node_of(&action.path) else { continue };
        state.counts[node] = action.count;
        state.failed[node] = action.state == ActionState::Failed;
        if matches!(action.state, ActionState::Stopped(_)) {
            stopped = Some((node, view.rule.unwrap() as usize));
        }
        for port in &view.ports {
            let position = net.nodes[node].ports.iter().position(|name| *name == port.name).unwrap();
            state.queued[node][position] = port.queued.len() as u64;
        }
    }
    (state, stopped, deadlock, recorded.report)
}

/// Each action of a circle misses a value on the port that is named, and the next one sends there.
fn assert_waits(net: &Net, state: &State, cycle: &[CycleStep]) {
    let text = &net.text;
    for (step, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let node_of = |action: &str| net.node_of(action).unwrap_or_else(|| panic!("{action}\n{text}"));
        let (node, next) = (node_of(&step.action), node_of(&next.action));
        let port = net.nodes[node].ports.iter().position(|port| *port == step.port).unwrap();
        assert_eq!(state.queued[node][port], 0, "{step:?}\n{text}");
        let leads = net.nodes[next].arcs.iter().any(|(target, to, _)| (*target, *to) == (node, port));
        assert!(leads, "{step:?}\n{text}");
    }
}

/// Failed events that are named have failed, and those that wait for them do wait.
fn assert_failed(net: &Net, state: &State, deadlock: &Deadlock, fires: &BTreeSet<usize>) {
    for cause in &deadlock.failed {
        let WaitCause::Failed { event, action, .. } = cause else { panic!("{cause:?}") };
        let (path, count) = event.rsplit_once(':').unwrap();
        let node = net.node_of(path).unwrap();
        assert!(state.failed[node] && count == state.counts[node].to_string(), "{cause:?}\n{}", net.text);
        assert!(!fires.contains(&net.node_of(action).unwrap()), "{cause:?}\n{}", net.text);
    }
}

/// Generated programs on which the law is tried.
fn n_programs() -> u64 {
    std::env::var("HASSE_LAW_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(300)
}

/// Nets in which nothing can fire: what is named is there.
fn judge_quiescent(make: fn(u64) -> Net) {
    let (mut n_circles, mut n_failed) = (0, 0);
    for seed in 0..n_programs() {
        let net = make(seed);
        let text = &net.text;
        let plan = compile(text);
        let (state, _, deadlock, report) = at_rest(&net, &plan, None, 1 + seed as usize % 2);
        assert!(net.may_still_fire(state.clone()).is_empty(), "{state:?}\n{text}");
        let (cycle, has_circle) = (&deadlock.cycle, net.has_circle(&state));
        assert_eq!(cycle.is_empty(), !has_circle, "seed {seed}: {cycle:?} {state:?}\n{text}");
        assert_waits(&net, &state, cycle);
        assert_failed(&net, &state, &deadlock, &BTreeSet::new());
        let (names_failed, waits_for_failed) = (!deadlock.failed.is_empty(), net.waits_for_failed(&state));
        assert_eq!(names_failed, waits_for_failed, "seed {seed}: {deadlock:?} {state:?}\n{text}");
        // The report names what the session names.
        let named: Vec<&String> = cycle.iter().map(|step| &step.action).collect();
        let warns = hasse_compiler::compile(text, &hasse_body::functions()).diagnostics;
        let always_leaves = warns.iter().any(|found| found.code == "W0006");
        assert!(!always_leaves || report.outcome != RunOutcome::Finished, "{text}");
        if report.outcome != RunOutcome::Finished {
            assert_eq!(report.wait_cycle.iter().collect::<Vec<_>>(), named, "{text}");
            let is_failed = |cause: &&WaitCause| matches!(cause, WaitCause::Failed { .. });
            let failed: Vec<_> = report.wait_causes.iter().filter(is_failed).collect();
            assert_eq!(deadlock.failed.iter().collect::<Vec<_>>(), failed, "{text}");
        }
        n_circles += usize::from(!cycle.is_empty());
        n_failed += usize::from(!deadlock.failed.is_empty());
    }
    assert!(n_circles > 0, "of {} programs", n_programs());
    // Few programs have one.
    assert!(n_failed > 0 || n_programs() < 1000, "of {} programs", n_programs());
}

#[test]
fn circles_are_those_of_the_definition_where_nothing_can_fire() {
    judge_quiescent(Net::new);
}

#[test]
fn circles_of_families_and_calls_are_found() {
    judge_quiescent(Net::of_families);
}

/// Nets in which an action is stopped: nothing that is named as blocked fires in any continuation.
fn judge_stopped(make: fn(u64) -> Net) {
    let mut n_circles = 0;
    for seed in 0..n_programs() {
        let net = make(seed);
        let text = &net.text;
        let plan = compile(text);
        for node in 0..net.nodes.len() {
            let (mut state, stopped, deadlock, _) = at_rest(&net, &plan, Some(node), 1);
            let cycle = &deadlock.cycle;
            assert_waits(&net, &state, cycle);
            let seen = state.clone();
            if let Some((node, rule)) = stopped {
                net.end(&mut state, node, rule);
                // It would still be stopped when the circle is looked for.
                assert!(cycle.iter().all(|step| step.action != net.nodes[node].path), "{text}");
            }
            let fires = net.may_still_fire(state);
            for step in cycle {
                let number = net.node_of(&step.action);
                assert!(number.is_some_and(|node| !fires.contains(&node)), "seed {seed}: {cycle:?}\n{text}");
            }
            assert_failed(&net, &seen, &deadlock, &fires);
            n_circles += usize::from(!cycle.is_empty() && stopped.is_some());
        }
    }
    assert!(n_circles > 0);
}

#[test]
fn no_action_of_a_circle_fires_in_any_continuation() {
    judge_stopped(Net::new);
}

#[test]
fn no_action_of_a_circle_of_families_and_calls_fires_in_any_continuation() {
    judge_stopped(Net::of_families);
}

fn report(name: &str) -> RunReport {
    let text = std::fs::read_to_string(format!("tests/cases/waiting/{name}.hasse")).unwrap();
    record(&compile(&text), 2, None).report
}

fn failed(report: &RunReport) -> Vec<&str> {
    let causes = report.wait_causes.iter().filter_map(|cause| match cause {
        WaitCause::Failed { event, .. } => Some(event.as_str()),
        WaitCause::NoSender { .. } | WaitCause::Full { .. } => None,
    });
    causes.collect()
}

#[test]
fn circle_goes_through_actions_that_do_not_exist() {
    assert_eq!(report("cycle-through-uncreated").wait_cycle, ["/A", "/B"]);
    // Where one group gets both places, all groups come to their end.
    let semaphore = report("no-cycle-semaphore");
    if semaphore.results.is_empty() {
        // Which tasks wait is a free choice; how they wait for each other is not.
        let nodes: Vec<&str> =
            semaphore.wait_cycle.iter().map(|path| path.split(['/', '[']).nth(1).unwrap()).collect();
        assert_eq!(nodes, ["Semaphore", "Post", "Common", "Pre"], "{:?}", semaphore.wait_cycle);
    }
}

#[test]
fn loop_that_has_ended_is_no_circle() {
    assert!(report("false-cycle").wait_cycle.is_empty());
    assert!(report("false-self-cycle").wait_cycle.is_empty());
}

#[test]
fn failed_event_is_the_cause_of_those_that_wait_for_it() {
    let leak = report("failing");
    assert_eq!(failed(&leak).len(), 2, "{leak:?}");
    assert!(failed(&leak).iter().all(|event| event.starts_with("/B[")), "{leak:?}");
    assert!(leak.wait_cycle.is_empty());
    let squares = report("failed-then-quiescent");
    // What failed is not said to be able to go on.
    assert!(squares.quiescence.iter().all(|waiting| !waiting.has_failed || waiting.rules.is_empty()));
}

#[test]
fn deadlock_names_failed_event_and_can_be_interrupted() {
    let plan = compile(&std::fs::read_to_string("tests/cases/waiting/failing.hasse").unwrap());
    let control = Control::new();
    driven(&plan, &kept_options(), &control, Recording::Full, |control| {
        control.wait_for_rest();
        let found = control.ask(|inspector| inspector.deadlock(&|| false)).unwrap().unwrap();
        assert!(found.cycle.is_empty(), "{found:?}");
        let [WaitCause::Failed { event, n_others: 1, .. }, _] = found.failed.as_slice() else {
            panic!("{found:?}")
        };
        assert!(event.starts_with("/B["), "{found:?}");
        assert_eq!(control.ask(|inspector| inspector.deadlock(&|| true)).unwrap(), None);
    });
}

/// The only worker is kept by an action that is stopped in its body: another one that could fire waits for it.
#[test]
fn ready_action_without_a_worker_waits_for_one() {
    let plan = compile(
        r#"hasse = 1
main = "main"
[graph.main]
arcs = ["S.go[i] -> A[i].go"]
[graph.main.uc.S]
start = true
out = { "go[i]" = "int" }
route = ["go[i] <- i for i in 0..2"]
[graph.main.uc.A]
index = ["i"]
in = { go = "int" }
fire = ["go -> x"]
do = """
let y = x + 1;
let z = y + 1;
"""
"#,
    );
    let line = 15;
    let control = Control::new();
    let stop = Breakpoint {
        within: None,
        place: Place::Line(line),
        condition: None,
        n_ignored: 0,
        reaction: Reaction::Stop,
    };
    control.set_breakpoint(&plan, 1, stop).unwrap();
    let options = recording::options(1, None);
    driven(&plan, &options, &control, Recording::Full, |control| {
        let actions = loop {
            let actions = control.ask(|inspector| inspector.actions()).unwrap();
            if actions.iter().any(|action| action.state == ActionState::Stopped(StopPoint::Line)) {
                break actions;
            }
            std::thread::yield_now();
        };
        let states: Vec<&ActionState> =
            actions.iter().filter(|action| action.path != "/S").map(|action| &action.state).collect();
        let (stopped, ready) = (&ActionState::Stopped(StopPoint::Line), &ActionState::Ready);
        assert!([[stopped, ready], [ready, stopped]].iter().any(|both| both == &states[..]), "{states:?}");
        let waits = actions.iter().find(|action| action.state == ActionState::Ready).unwrap().path.clone();
        let why = control.ask(move |inspector| inspector.explain(&waits)).unwrap().unwrap();
        assert_eq!((why.state, why.count), (ActionState::Ready, 0));
        control.delete_breakpoint(1);
        control.ask(|inspector| inspector.resume_all(false)).unwrap();
        control.wait_for_rest();
    });
}

#[test]
fn value_that_nothing_sends_is_the_cause() {
    let merge = report("ifmerge");
    let [WaitCause::NoSender { action, port, senders }] = merge.wait_causes.as_slice() else {
        panic!("{merge:?}")
    };
    assert_eq!((action.as_str(), port.as_str()), ("/Merge", "no"));
    let senders: Vec<_> = senders.iter().map(|sender| (sender.action.as_str(), sender.n_executed)).collect();
    assert_eq!(senders, [("/Route", Some(1))]);
}

#[test]
fn instances_that_wait_alike_are_one_class() {
    let text = std::fs::read_to_string("tests/cases/waiting/fan.hasse").unwrap();
    let text = text.replace("int = 200000", "int = 2000").replace("int = -1", "int = 7");
    let fan = record(&compile(&text), 2, None).report;
    assert_eq!(fan.outcome, RunOutcome::Quiescent);
    let [class] = fan.waiting_classes.as_slice() else { panic!("{fan:?}") };
    assert_eq!((class.n_actions, class.first.queued.len(), class.first.n_more_queued), (1, 100, 1899));
    let [WaitCause::NoSender { port, senders, .. }] = fan.wait_causes.as_slice() else { panic!("{fan:?}") };
    assert_eq!((port.as_str(), senders[0].action.as_str()), ("y[7]", "/Task[7]"));
}

#[test]
fn values_that_may_be_left_do_not_make_a_run_quiescent() {
    let text = std::fs::read_to_string("tests/cases/waiting/leftover-credits.hasse").unwrap();
    assert_eq!(record(&compile(&text), 2, None).report.outcome, RunOutcome::Quiescent);
    let text = text.replace(
        "place = \"bool\" }\nout   = { job = \"int\" }\nfire",
        "place = { type = \"bool\", left = \"ok\" } }\nout   = { job = \"int\" }\nfire",
    );
    let report = record(&compile(&text), 2, None).report;
    assert_eq!(report.outcome, RunOutcome::Finished, "{text}");
    assert!(report.quiescence.is_empty());
}

/// Two senders and a receiver that takes nothing: who has room, and who waits for it.
const FULL: &str = "hasse = 1\nmain = \"main\"

[graph.main]
arcs = [\"A.x -> R.x\", \"A.again -> A.again\", \"Open.y -> R.y\"]

[graph.main.uc.Open]
start = true
out = { y = \"int\" }
route = [\"y <- 1 if false\"]

[graph.main.uc.A]
start = true
in = { again = \"int\" }
out = { again = \"int\", x = \"int\" }
fire = [\"again -> _k\"]
route = [\"x <- count\", \"again <- count if count < 9\"]

[graph.main.uc.R]
in = { x = { type = \"int\", bound = 2 }, y = \"int\" }
fire = [\"x -> _x, y -> _y\"]
";

#[test]
fn action_that_waits_for_room_says_so() {
    let plan = compile(FULL);
    let control = Control::new();
    let options = recording::options(2, None);
    let (found, recorded) = driven(&plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
        let asked = control.ask(|inspector| {
            let (explained, actions) = (inspector.explain("/A").unwrap(), inspector.actions());
            (explained, actions, inspector.deadlock(&|| false).unwrap())
        });
        asked.unwrap()
    });
    let (explained, actions, deadlock) = found;
    assert_eq!((explained.state.clone(), explained.count), (ActionState::WaitsForRoom("/R.x".into()), 3));
    let held: Vec<_> =
        explained.held_back.iter().map(|held| (held.port.as_str(), held.n_values, held.bound)).collect();
    assert_eq!(held, [("/R.x", 1, 2)]);
    assert!(actions.iter().any(|action| action.state == explained.state), "{actions:?}");
    assert!(deadlock.cycle.is_empty(), "{deadlock:?}");
    // Nobody sends what `R` misses: the bound is not what keeps it.
    let report = recorded.report;
    assert_eq!(report.outcome, RunOutcome::Quiescent);
    let [WaitCause::Full { action, held }] = report.wait_causes.as_slice() else { panic!("{report:?}") };
    assert_eq!((action.as_str(), held.arc.as_str()), ("/A", "A.x -> R.x"));
}

#[test]
fn circle_over_a_full_port_is_named_with_its_arc() {
    let text = std::fs::read_to_string("tests/cases/waiting/mux.hasse").unwrap();
    let plan = compile(&text);
    let report = record(&plan, 2, None).report;
    assert_eq!(report.wait_cycle, ["/Demux", "/Mux"]);
    let [WaitCause::Full { held, .. }] = report.wait_causes.as_slice() else { panic!("{report:?}") };
    assert_eq!(
        (held.port.as_str(), held.bound, held.arc.as_str()),
        ("/Mux.video", 2, "Demux.video -> Mux.video")
    );
    let control = Control::new();
    let (found, _) = driven(&plan, &recording::options(1, None), &control, Recording::Full, |control| {
        control.wait_for_rest();
        control.ask(|inspector| inspector.deadlock(&|| false).unwrap()).unwrap()
    });
    let steps: Vec<_> =
        found.cycle.iter().map(|step| (step.action.as_str(), step.port.as_str(), step.is_full)).collect();
    assert_eq!(steps, [("/Demux", "/Mux.video", true), ("/Mux", "audio", false)]);
}

/// A run that lets go of no action.
fn kept(text: &str) -> RunReport {
    record_with(&compile(text), &kept_options()).report
}

fn kept_options() -> RunOptions {
    RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..recording::options(2, None) }
}

/// A recursion of thousands of levels ends in the time that it takes to run it.
#[test]
fn end_of_a_deep_recursion_is_looked_at_once() {
    let text = std::fs::read_to_string("tests/cases/waiting/deep.hasse").unwrap();
    let text = text.replace("int = 100000", "int = 3000");
    assert_eq!(kept(&text).outcome, RunOutcome::Finished);
    // The same with a value left at each level.
    let text = text
        .replace("F.down -> R.i\"", "F.down -> R.i\", \"F.down -> F.never\"")
        .replace("in = { i = \"int\" }\nout = { down", "in = { i = \"int\", never = \"int\" }\nout = { down");
    let text =
        text.replace("fire = [\"i -> x\"]\nroute", "fire = [\"i -> x\", \"never -> y if count > 9\"]\nroute");
    let left = kept(&text);
    assert_eq!((left.outcome, left.n_waiting), (RunOutcome::Quiescent, 3000), "{text}");
}

/// Nodes and calls that nothing has been sent to are explained, too.
#[test]
fn node_that_does_not_exist_is_explained() {
    let plan = compile(&std::fs::read_to_string("tests/cases/waiting/deep.hasse").unwrap());
    let control = Control::new();
    let within = Some(Selector::from_str("A").unwrap());
    let stop =
        Breakpoint { within, place: Place::Befcomp, condition: None, n_ignored: 0, reaction: Reaction::Stop };
    control.set_breakpoint(&plan, 1, stop).unwrap();
    let options = RunOptions { params: vec![("n".to_owned(), Value::Int(2))], ..kept_options() };
    driven(&plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
        let why = |path: &'static str| control.ask(move |inspector| inspector.explain(path)).unwrap();
        let senders = |missing: &MissingValue| -> Vec<String> {
            missing.senders.iter().map(|sender| sender.action.clone()).collect()
        };
        let call = why("/R").unwrap();
        assert_eq!((call.state, call.inputs[0].port.as_str()), (ActionState::NotCreated, "i"));
        assert_eq!(senders(&call.inputs[0]), ["/A"]);
        let first = why("/R/F").unwrap();
        assert_eq!(senders(&first.rules[0].missing[0]), ["/A"]);
        let second = why("/R/R/F").unwrap();
        assert_eq!(senders(&second.rules[0].missing[0]), ["/R/F"]);
        assert_eq!(second.rules[0].missing[0].senders[0].state, ActionState::NotCreated);
        assert!(why("/Nobody").is_err() && why("/R[3]").is_err());
        assert_eq!(control.ask(|inspector| inspector.wait_cycle()).unwrap(), []);
        control.delete_breakpoint(1);
        control.ask(|inspector| inspector.resume_all(false)).unwrap();
        control.wait_for_rest();
    });
}
