//! Runs that are stopped, looked at and continued at random lose nothing and replay as if nothing had happened.

use hasse_model::plan::Plan;
use hasse_runtime::control::breakpoint::{Breakpoint, Place, Reaction};
use hasse_runtime::control::{ActionState, Control, GlobalState, Inspector};
use hasse_runtime::report::RunOutcome;
use hasse_runtime::run::Recording;

use super::generator::{self, Dice};
use super::recording::{compile, digest, options, record, replay_of, replay_with};
use super::{driven, driven_as};

/// Stop, query and continue, altogether: `HASSE_STOPS` where it is set.
fn n_rounds() -> usize {
    std::env::var("HASSE_STOPS").ok().and_then(|number| number.parse().ok()).unwrap_or(2_000)
}

/// Looks at an action in all ways.
fn look(inspector: &mut dyn Inspector, which: usize) {
    let actions = inspector.actions();
    let Some(action) = actions.get(which % actions.len().max(1)) else { return };
    if let Ok(view) = inspector.action(&action.path) {
        assert_eq!(view.summary.path, action.path);
    }
    if let Ok(explanation) = inspector.explain(&action.path) {
        assert_eq!(explanation.action, action.path);
    }
    inspector.objects();
}

/// Drives a run to its end; gives the number of rounds.
fn disturb(control: &Control, dice: &mut Dice) -> usize {
    let mut n_rounds = 0;
    loop {
        if dice.below(4) > 0 {
            control.stop();
        }
        let state = control.wait_for_rest();
        let which = dice.below(1000);
        if control.ask(move |inspector| look(inspector, which)).is_err() {
            return n_rounds;
        }
        let stopped: Vec<String> = control
            .ask(|inspector| inspector.actions())
            .unwrap()
            .into_iter()
            .filter(|action| matches!(action.state, ActionState::Stopped(_)))
            .map(|action| action.path)
            .collect();
        if stopped.is_empty() && control.report().is_some() {
            let now = control.state();
            assert!(matches!(state, GlobalState::Finished | GlobalState::Waiting), "{state:?}, now {now:?}");
            return n_rounds;
        }
        n_rounds += 1;
        let one = stopped.get(dice.below(stopped.len().max(1))).cloned();
        match (dice.below(8), one) {
            (5..8, Some(path)) => drop(control.ask(move |inspector| inspector.step(&path))),
            (0, Some(path)) => drop(control.ask(move |inspector| inspector.resume(&path, false))),
            (1, Some(path)) => drop(control.ask(move |inspector| inspector.resume(&path, true))),
            (2, _) => drop(control.ask(|inspector| inspector.resume_all(true))),
            _ => drop(control.ask(|inspector| inspector.resume_all(false))),
        }
    }
}

#[test]
fn a_disturbed_run_loses_nothing_and_replays() {
    let mut n_done = 0;
    let mut seed = 0;
    while n_done < n_rounds() {
        seed += 1;
        let mut dice = Dice::new(seed);
        let text = generator::program(seed, 4 + dice.below(9));
        let plan = compile(&text);
        let noise = (dice.below(2) > 0).then_some(seed);
        let control = Control::new();
        let (n_rounds, recorded) = driven(&plan, &options(8, noise), &control, Recording::Full, |control| {
            disturb(control, &mut dice)
        });
        n_done += n_rounds;
        let n_recorded: usize = recorded.batches.iter().map(|batch| batch.n_events()).sum();
        assert_eq!(n_recorded as u64, recorded.report.n_events, "{text}");
        assert_ne!(recorded.report.outcome, RunOutcome::Stopped);
        let replayed = replay_of(&plan, &recorded.batches, 2, None);
        assert_eq!(replayed.report.divergence, None, "{text}");
        assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches), "{text}");
        assert_eq!(replayed.report.n_events, recorded.report.n_events, "{text}");
        assert_eq!(replayed.lines, recorded.lines, "{text}");
    }
    println!("{n_done} stops in {seed} programs");
}

/// Breakpoints at some lines of some bodies.
fn break_at_lines(plan: &Plan, control: &Control, dice: &mut Dice) {
    for (number, script) in (1..).zip(&plan.scripts) {
        let n_lines = script.text.lines().count().max(1);
        if dice.below(3) == 0 {
            let line = script.at.line + dice.below(n_lines) as u32;
            let reaction = if dice.below(4) == 0 { Reaction::Once } else { Reaction::Stop };
            let breakpoint = Breakpoint {
                within: None,
                place: Place::Line(line),
                condition: None,
                n_ignored: dice.below(4) as u64,
                reaction,
            };
            control.set_breakpoint(plan, number, breakpoint).unwrap();
        }
    }
}

#[test]
fn stepping_through_bodies_changes_nothing() {
    let mut n_done = 0;
    let mut seed = 1_000_000;
    while n_done < n_rounds() {
        seed += 1;
        let mut dice = Dice::new(seed);
        let text = generator::program(seed, 3 + dice.below(6));
        let plan = compile(&text);
        let n_workers = [1, 2, 8][dice.below(3)];
        let recorded = record(&plan, 2, Some(seed));
        let undisturbed = replay_of(&plan, &recorded.batches, n_workers, None);
        let noise = (dice.below(2) > 0).then_some(seed);
        let control = Control::new();
        break_at_lines(&plan, &control, &mut dice);
        let (n_rounds, stepped) = driven_as(
            &options(n_workers, noise),
            &control,
            |options| replay_with(&plan, options, &recorded.batches),
            |control| disturb(control, &mut dice),
        );
        n_done += n_rounds;
        assert_eq!(stepped.report.divergence, None, "{text}");
        assert_eq!(digest(&plan, &stepped.batches), digest(&plan, &undisturbed.batches), "{text}");
        assert_eq!(stepped.report.n_events, undisturbed.report.n_events, "{text}");
        assert_eq!(stepped.report.outcome, undisturbed.report.outcome, "{text}");
        assert_eq!(stepped.lines, undisturbed.lines, "{text}");
        let told = |errors: &[hasse_runtime::report::RunError]| {
            let mut told: Vec<_> =
                errors.iter().map(|error| (error.event.clone(), error.message.clone(), error.at)).collect();
            told.sort_by(|left, right| left.0.cmp(&right.0));
            told
        };
        assert_eq!(told(&stepped.report.errors), told(&undisturbed.report.errors), "{text}");
    }
    println!("{n_done} rounds in {} programs", seed - 1_000_000);
}
