//! Decisions from outside in a run that a debugger controls.

use hasse_runtime::control::breakpoint::{Place, Reaction};
use hasse_runtime::control::{Control, GlobalState};
use hasse_runtime::decision::{Chooser, Chosen};
use hasse_runtime::run::{Recording, RunOptions};

use super::breakpoints::breakpoint;
use super::driven;
use super::recording::{compile, digest, options, replay_of};

const WRITERS: &str = r#"hasse = 1
main = "main"
[graph.main]
arcs  = ["A.o -> M.v", "B.o -> M.v", "C.o -> M.v"]
share = ["s -- A.s", "s -- B.s"]
[graph.main.shared.s]
type = "int"
[graph.main.uc.A]
start  = true
out    = { o = "int" }
shared = { s = "write" }
do     = "s += 1;"
route  = ["o <- s"]
[graph.main.uc.B]
start  = true
out    = { o = "int" }
shared = { s = "write" }
do     = "s *= 3;"
route  = ["o <- s"]
[graph.main.uc.C]
start  = true
out    = { o = "int" }
route  = ["o <- 7"]
[graph.main.uc.M]
in   = { v = "int" }
fire = ["v -> v"]
do   = 'result("last", v);'
"#;

#[test]
fn stopped_execution_keeps_its_object_and_goes_on_when_it_is_chosen() {
    let plan = compile(WRITERS);
    let chosen = Chosen::new([]);
    for recording in [Recording::Full, Recording::Minimal] {
        let control = Control::new();
        let stop = breakpoint("A", Place::Befcomp, "", Reaction::Stop);
        control.set_breakpoint(&plan, 1, stop).unwrap();
        let options = RunOptions { chooser: Some(Chooser::from(&chosen)), ..options(1, None) };
        let (is_stopped, recorded) = driven(&plan, &options, &control, recording, |control| {
            let state = control.wait_for_rest();
            control.ask(|inspector| inspector.resume_all(false)).unwrap();
            assert_eq!(control.wait_for_rest(), GlobalState::Finished);
            state != GlobalState::Finished
        });
        assert!(is_stopped);
        let points: Vec<String> = chosen.points().iter().map(ToString::to_string).collect();
        let expected = [
            "0: the next execution: /A:1 of /A:1, /B:1, /C:1",
            // A has been stopped, and B would have to wait.
            "1: the next execution: /C:1 of /C:1",
            "2: the next execution: /M:1 of /M:1",
            "3: the next execution: /A:1 goes on of /A:1 goes on",
            "4: the next execution: /B:1 of /B:1, /M:2",
        ];
        assert_eq!(points[..5], expected);
        let events = recorded.report.n_events;
        assert_eq!(events, 6);
        if recorded.report.digest.is_none() {
            let replayed = replay_of(&plan, &recorded.batches, 2, None);
            assert_eq!(replayed.report.divergence, None);
            assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches));
        }
    }
}

#[test]
fn stop_of_a_chooser_ends_a_controlled_run() {
    let plan = compile(WRITERS);
    let chosen = Chosen::new([]).limit(2);
    let control = Control::new();
    let options = RunOptions { chooser: Some(Chooser::from(&chosen)), ..options(1, None) };
    let ((), recorded) = driven(&plan, &options, &control, Recording::Full, |control| {
        control.wait_for_rest();
    });
    assert_eq!(recorded.report.stopped_at.unwrap().position, 2);
}
