//! The state at a moment is that of a run which is stopped there, whatever way led to it.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

use hasse::moment::{State, Timeline, Variable, Wanted, Watched};
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
    let from = position - position % 3;
    let base = timeline.state(from).unwrap();
    control.begin();
    let options = RunOptions { control: Some(control.clone()), ..timeline.options() };
    thread::scope(|scope| {
        let staying = scope.spawn(|| {
            let stayed = timeline.stay(Some(&base), (from, position), &options, &mut |_| {});
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
        // An action is the same without the others.
        if let Some(asked) = state.actions.get(dice.below(state.actions.len().max(1))) {
            let part = there.part(position, &Wanted::action(asked.record.action)).unwrap();
            let found = part.actions.iter().find(|found| found.record.action == asked.record.action);
            assert_eq!(found, Some(asked));
            assert_eq!(part.objects, state.objects);
        }
        // There and back again, and on a way of one's own.
        let n_steps = dice.below(4) as u64;
        let _ = there.state(position.saturating_sub(n_steps)).unwrap();
        assert_eq!(there.state(position).unwrap(), state);
        let other = timeline().with_distance(1 + dice.below(8) as u64);
        let mut index = Vec::new();
        there.write_index(&mut index, b"key").unwrap();
        let indexed = timeline();
        indexed.read_index(&index[..], b"key").unwrap();
        assert_eq!(State::at(&indexed, position).unwrap(), State::of(&there, position, &state));
        assert_eq!(State::at(&other, position).unwrap(), State::of(&there, position, &state));
    }
}

/// Maximum number of states that are looked at one after the other.
const MOST_STATES: u64 = 60;

/// All vars of actions and all objects that a state has.
fn variables_of(snapshot: &Snapshot, timeline: &Timeline<'_>) -> Vec<Variable> {
    let vars = snapshot.actions.iter().flat_map(|state| {
        let action = state.record.action;
        let template = timeline.names().template_of(action).unwrap_or(state.record.template);
        let names = state.vars.iter().flatten().map(|(name, _)| name.clone());
        names.map(move |name| Variable::Var { action, template, name })
    });
    let objects = snapshot.objects.iter().map(|state| Variable::Object(state.record.object));
    vars.chain(objects).collect()
}

/// The moments at which a variable begins to have a value are those that a look at each state finds.
fn go_through(seed: u64, size: usize) {
    let plan = compile_with(&generated(seed, size), &natives(None).functions().unwrap());
    let mut dice = Dice::new(!seed);
    let run = record_with(&plan, &some_options(&mut dice));
    let bytes = write(&plan, &run.batches);
    let recorded = hasse::Recorded::read(TraceReader::open(&bytes[..]).unwrap()).unwrap();
    let options = RunOptions { natives: natives(None), ..some_options(&mut dice) };
    let timeline = Timeline::new(&plan, recorded, &options, PLENTY).unwrap();
    let timeline = timeline.with_distance(1 + dice.below(8) as u64);
    let n_events = timeline.moments().n_events();
    let end = timeline.state(n_events).unwrap();
    let variables = variables_of(&end, &timeline);
    if n_events > MOST_STATES || variables.is_empty() {
        return;
    }
    let watched: Vec<Watched> = variables.into_iter().map(Watched::Variable).collect();
    let states: Vec<_> = (0..=n_events).map(|at| timeline.values_at(&watched, at).unwrap()).collect();
    for _ in 0..3 {
        let asked = dice.below(watched.len());
        let Some(value) = &states[dice.below(states.len())][asked] else { continue };
        let from = dice.below(n_events as usize + 1);
        let to = from + dice.below(n_events as usize + 1 - from);
        let between = (from as u64, to as u64);
        let of_one = std::slice::from_ref(&watched[asked]);
        let found =
            timeline.holding(of_one, between, &mut |values| values[0].as_ref() == Some(value)).unwrap();
        let holds = |at: usize| states[at][asked].as_ref() == Some(value);
        assert_eq!(found.from_beginning, holds(from));
        let begins = (from + 1..=to).filter(|&at| holds(at) && !holds(at - 1));
        assert_eq!(
            found.begins,
            begins.map(|at| at as u64).collect::<Vec<_>>(),
            "{:?} == {value}",
            watched[asked]
        );
    }
}

proptest! {
    // Each of them is replayed some thirty times.
    #![proptest_config(ProptestConfig { cases: n_programs().div_ceil(4), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_moment_has_the_state_of_a_run_that_stops_there(seed: u64, size in 1_usize..12) {
        go_about(seed, size);
    }

    #[test]
    fn a_condition_begins_to_hold_where_a_look_at_each_state_says(seed: u64, size in 1_usize..12) {
        go_through(seed, size);
    }
}
