//! The state at a moment is that of a run which is stopped there, whatever way led to it.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

use hasse::moment::{State, Timeline};
use hasse_model::snapshot::Snapshot;
use hasse_model::trace::TraceReader;
use hasse_runtime::control::Control;
use hasse_runtime::run::{Run, RunOptions};
use proptest::prelude::*;

use crate::faults::natives;
use crate::generator::Dice;
use crate::recording::{compile_with, lines, record_with, replay_record};
use crate::snapshots::{generated, some_options};
use crate::{n_programs, write};

/// Memory in which no state has to give way.
const PLENTY: usize = 1 << 30;

/// Number of executions and of waiting values by action.
type Counts = BTreeMap<String, (u64, u64)>;

fn counts_of(snapshot: &Snapshot, timeline: &Timeline<'_>) -> Counts {
    let names = timeline.names_at(snapshot);
    let action = |state: &hasse_model::snapshot::ActionState| {
        let n_waiting = state.queues.iter().map(|queue| queue.values.len() as u64).sum();
        (names.action(state.record.action).to_string(), (state.count, n_waiting))
    };
    snapshot.actions.iter().map(action).collect()
}

/// Counts of the actions of a run at a moment, as a debugger sees them.
fn counts_at(timeline: &Timeline<'_>, position: u64) -> Counts {
    let control = Control::new();
    let base = timeline.approach(position).unwrap();
    control.begin();
    let options = RunOptions { control: Some(control.clone()), ..timeline.options() };
    thread::scope(|scope| {
        let staying = scope.spawn(|| {
            let stayed = timeline.stay(position, base.as_deref(), &options, &mut |_| {});
            control.end();
            stayed
        });
        control.wait_for_rest();
        let (sender, actions) = mpsc::channel();
        control.ask(move |inspector| sender.send(inspector.actions()).unwrap()).unwrap();
        control.release();
        let report = staying.join().unwrap().unwrap();
        timeline.checked(&report, position).unwrap();
        let actions = actions.recv().unwrap().into_iter();
        actions.map(|action| (action.path, (action.count, action.n_queued))).collect()
    })
}

fn go_about(seed: u64, size: usize) {
    let plan = compile_with(&generated(seed, size), &natives(None).functions().unwrap());
    let mut dice = Dice::new(!seed);
    let run = record_with(&plan, &some_options(&mut dice));
    let bytes = write(&plan, &run.batches);
    let timeline = || {
        let recorded = hasse::Recorded::read(TraceReader::open(&bytes[..]).unwrap()).unwrap();
        Timeline::new(
            &plan,
            recorded,
            &RunOptions { natives: natives(None), ..some_options(&mut Dice::new(seed)) },
            PLENTY,
        )
        .unwrap()
    };
    let distance = 1 + dice.below(8) as u64;
    let there = timeline().with_distance(distance);
    let n_events = there.moments().n_events();
    for _ in 0..5 {
        let position = dice.below(n_events as usize + 1) as u64;
        let state = there.state(position).unwrap();
        let options = RunOptions { reclaim_above: u64::MAX, ..some_options(&mut dice) };
        let cut = there.moments().cut(position);
        let record = replay_record(&plan, &run.batches);
        let mut stopped = Run::at_cut(&plan, &options, record, &cut, lines().1).unwrap().into_snapshot();
        there.put_in_order(&mut stopped);
        // Ids of what has not executed depend on who came first: nobody sees them.
        assert_eq!(State::of(&there, position, &state), State::of(&there, position, &stopped));
        assert_eq!(counts_at(&there, position), counts_of(&state, &there));
        // There and back again, and on a way of one's own.
        let n_steps = dice.below(4) as u64;
        let _ = there.state(position.saturating_sub(n_steps)).unwrap();
        assert_eq!(there.state(position).unwrap(), state);
        let other = timeline().with_distance(1 + dice.below(8) as u64);
        assert_eq!(State::at(&other, position).unwrap(), State::of(&there, position, &state));
    }
}

proptest! {
    // Each of them is replayed some thirty times.
    #![proptest_config(ProptestConfig { cases: n_programs().div_ceil(4), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_moment_has_the_state_of_a_run_that_stops_there(seed: u64, size in 1_usize..12) {
        go_about(seed, size);
    }
}
