//! Runs that are killed while an action is stopped, at each phase of an execution: what they have recorded replays.

use hasse_model::plan::Plan;
use hasse_runtime::control::breakpoint::{Breakpoint, Place, Reaction};
use hasse_runtime::control::expression::Expression;
use hasse_runtime::control::{Control, GlobalState};
use hasse_runtime::natives::Natives;
use hasse_runtime::run::{Recording, RunOptions, StopSignal};

use super::driven;
use super::faulty;
use super::generator::Dice;
use super::recording::{compile_with, digest, options, replay_with};

/// Bodies are never halted: the debugger kills them.
fn natives() -> Natives {
    let mut natives = Natives::new();
    natives.function("halt", || 0_i64);
    natives
}

fn breakpoint(place: Place, count: usize) -> Breakpoint {
    let condition = Expression::parse(&format!("ExecCnt == {count}")).unwrap();
    Breakpoint { within: None, place, condition: Some(condition), n_ignored: 0, reaction: Reaction::Stop }
}

/// Kills a run when an action has stopped, and replays what it has recorded; tells whether one had.
fn is_killed(plan: &Plan, place: Place, dice: &mut Dice, text: &str) -> bool {
    let control = Control::new();
    control.set_breakpoint(plan, 1, breakpoint(place, 1 + dice.below(3))).unwrap();
    let stop = StopSignal::default();
    let calm = RunOptions { natives: natives(), ..options(1 + dice.below(4), None) };
    let options = RunOptions { stop: stop.clone(), ..calm.clone() };
    let (has_stopped, recorded) = driven(plan, &options, &control, Recording::Full, |control| {
        let has_stopped = control.wait_for_rest() == GlobalState::Waiting && control.report().is_none();
        stop.stop();
        control.wake();
        has_stopped
    });
    let replayed = replay_with(plan, &calm, &recorded.batches);
    assert_eq!(replayed.report.divergence, None, "{text}");
    assert_eq!(digest(plan, &replayed.batches), digest(plan, &recorded.batches), "{text}");
    assert_eq!(replayed.lines, recorded.lines, "{text}");
    has_stopped
}

#[test]
fn a_run_that_is_killed_at_a_stop_point_replays() {
    let places = [Place::Befcomp, Place::Aftcomp, Place::Send, Place::Failed];
    let mut n_killed = [0; 4];
    for seed in 0..40 {
        let text = faulty::program(seed);
        let plan = compile_with(&text, &natives().functions().unwrap());
        let mut dice = Dice::new(!seed);
        for (place, n_killed) in places.iter().zip(&mut n_killed) {
            *n_killed += u32::from(is_killed(&plan, place.clone(), &mut dice, &text));
        }
    }
    assert!(n_killed.iter().all(|n_killed| *n_killed >= 5), "{n_killed:?}");
}
