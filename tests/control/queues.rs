//! Values that wait are dropped, replaced and added at random while a run is stopped: its record replays to the same run.

use std::sync::Arc;

use hasse_model::event::EventBatch;
use hasse_model::plan::Plan;
use hasse_runtime::control::expression::Expression;
use hasse_runtime::control::{Control, InspectError, Inspector, QueueOrder};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{MinimalRecord, Recording, ReplayRecord, minimize, replay};

use super::generator::{self, Dice};
use super::recording::{
    MemorySink, Recorded, compile, digest, lines, names, options, replay_of, replay_record,
};
use super::{driven, driven_as};

/// Programs that are tried in each mode: `HASSE_EDITED_PROGRAMS` where it is set.
fn n_programs() -> u64 {
    std::env::var("HASSE_EDITED_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(150)
}

/// The first of them: `HASSE_FIRST_EDITED` where it is set.
fn first_program() -> u64 {
    std::env::var("HASSE_FIRST_EDITED").ok().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Changes that were made: dropped, replaced, added, added to an action that did not exist.
type Tally = [usize; 4];

/// The path of an action that may not exist: one of any node of the main graph, or of a graph that it calls.
fn any_path(plan: &Plan, dice: [usize; 4]) -> String {
    let index = |n_indices: usize, dice: usize| match n_indices {
        0 => String::new(),
        n_indices => format!("[{}]", vec![(dice % 4).to_string(); n_indices].join(",")),
    };
    let calls = plan.calls.iter().filter(|call| call.owner == plan.main);
    let called =
        calls.map(|call| (call.graph, format!("/{}{}", call.name, index(call.index_names.len(), dice[0]))));
    let graphs: Vec<_> = std::iter::once((plan.main, String::new())).chain(called).collect();
    let (graph, path) = &graphs[dice[1] % graphs.len()];
    let nodes: Vec<_> = plan.templates.iter().filter(|template| template.graph == *graph).collect();
    let node = nodes[dice[2] % nodes.len()];
    format!("{path}/{}{}", node.name, index(node.n_indices, dice[3]))
}

/// Adds a value to an action that may not exist; returns whether it did not.
fn create(inspector: &mut dyn Inspector, plan: &Plan, dice: [usize; 4]) -> bool {
    let path = any_path(plan, dice);
    let name = path.rsplit('/').next().unwrap();
    let template = plan.templates.iter().find(|known| known.name == name.split('[').next().unwrap()).unwrap();
    let existed = inspector.action(&path).is_ok();
    let Some(port) = template.inputs.iter().find(|port| port.n_indices == 0) else { return false };
    let value = Expression::parse(&(dice[2] % 8).to_string()).unwrap();
    match inspector.edit_queue(&path, &port.name, &QueueOrder::Add { value }) {
        Ok(_) => !existed,
        Err(InspectError::Queue { .. } | InspectError::Busy { .. }) => false,
        Err(error) => panic!("{path}: {error}"),
    }
}

/// Changes one queue in one of three ways; returns the way.
fn edit(inspector: &mut dyn Inspector, plan: &Plan, dice: [usize; 4]) -> Option<usize> {
    if dice[0].is_multiple_of(4) {
        return create(inspector, plan, dice).then_some(3);
    }
    let actions = inspector.actions();
    let action = actions.get(dice[0] % actions.len().max(1))?;
    let view = inspector.action(&action.path).ok()?;
    let plain = plan.template(action.template).inputs.iter().filter(|port| port.n_indices == 0);
    let mut ports: Vec<(String, usize)> = plain.map(|port| (port.name.clone(), 0)).collect();
    for port in view.ports {
        ports.retain(|(name, _)| *name != port.name);
        ports.push((port.name, port.queued.len()));
    }
    let (port, n_waiting) = ports.get(dice[1] % ports.len().max(1))?;
    let value = || Expression::parse(&(dice[2] % 8).to_string()).unwrap();
    let position = dice[2] % n_waiting.max(&1);
    let (way, order) = match dice[3] % 3 {
        0 => (0, QueueOrder::Drop { position }),
        1 => (1, QueueOrder::Replace { position, value: value() }),
        _ => (2, QueueOrder::Add { value: value() }),
    };
    match inspector.edit_queue(&action.path, port, &order) {
        Ok(changed) => {
            let n_expected = [n_waiting.wrapping_sub(1), *n_waiting, n_waiting + 1][way];
            assert_eq!(changed.n_waiting, n_expected);
            Some(way)
        }
        Err(InspectError::Queue { .. } | InspectError::Busy { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Drives a run to its end.
fn disturb(control: &Control, plan: &Arc<Plan>, dice: &mut Dice) -> Tally {
    let mut tally = Tally::default();
    for n_rounds in 0.. {
        // At the end it is left alone, so that it ends.
        let is_disturbed = n_rounds < 40;
        if is_disturbed {
            control.stop();
        }
        control.wait_for_rest();
        for _ in 0..if is_disturbed { dice.below(3) } else { 0 } {
            let (plan, dice) = (Arc::clone(plan), [(); 4].map(|()| dice.below(1 << 20)));
            match control.ask(move |inspector| edit(inspector, &plan, dice)) {
                Ok(Some(way)) => tally[way] += 1,
                Ok(None) => {}
                Err(_) => return tally,
            }
        }
        if control.report().is_some() || control.ask(|inspector| inspector.resume_all(false)).is_err() {
            return tally;
        }
    }
    tally
}

fn minimal_record(plan: &Plan, batches: &[EventBatch], report: &RunReport) -> ReplayRecord {
    let cut = batches.iter().filter_map(|batch| batch.cut.clone()).next_back().unwrap_or_default();
    let (n_executed, digest) = (Some(report.n_events), report.digest);
    let minimal = Some(MinimalRecord { cut, n_executed, digest, is_empty: false });
    ReplayRecord { minimal, ..replay_record(plan, batches) }
}

fn assert_same_run(replayed: &Recorded, recorded: &Recorded, text: &str) {
    let edits: Vec<_> = recorded.batches.iter().flat_map(|batch| &batch.edits).collect();
    assert_eq!(replayed.report.divergence, None, "{edits:#?}\n{text}");
    assert_eq!(replayed.report.n_events, recorded.report.n_events, "{text}");
    assert_eq!(replayed.lines, recorded.lines, "{text}");
    assert_eq!(replayed.report.results, recorded.report.results, "{text}");
    assert_eq!(replayed.report.outcome, recorded.report.outcome, "{text}");
}

fn replayed(plan: &Plan, n_workers: usize, record: ReplayRecord) -> Recorded {
    let (sink, (lines, output)) = (MemorySink::default(), lines());
    let report =
        replay(plan, &options(n_workers, None), record, Some(Box::new(sink.clone())), output).unwrap();
    Recorded { report, lines: lines.lock().unwrap().clone(), batches: sink.batches() }
}

#[test]
fn full_record_with_edits_replays_on_any_number_of_workers() {
    let mut tally = Tally::default();
    for seed in first_program()..n_programs() {
        let mut dice = Dice::new(!seed);
        println!("program {seed}");
        let text = generator::program(seed, 2 + dice.below(8));
        let plan = Arc::new(compile(&text));
        let noise = (dice.below(2) > 0).then_some(seed);
        let options = options([1, 2, 4][dice.below(3)], noise);
        let (found, recorded) = driven(&plan, &options, &Control::new(), Recording::Full, |control| {
            disturb(control, &plan, &mut dice)
        });
        tally.iter_mut().zip(found).for_each(|(sum, more)| *sum += more);
        let expected = digest(&plan, &recorded.batches);
        for n_workers in [1, 4] {
            let again = replay_of(&plan, &recorded.batches, n_workers, None);
            assert_same_run(&again, &recorded, &text);
            assert_eq!(digest(&plan, &again.batches), expected, "{text}");
            // The record of a replay tells of the changes, too.
            let third = replay_of(&plan, &again.batches, 1, None);
            assert_same_run(&third, &recorded, &text);
            assert_eq!(digest(&plan, &third.batches), expected, "{text}");
        }
        let (sink, (_, output)) = (MemorySink::default(), lines());
        let record = replay_record(&plan, &recorded.batches);
        let report =
            minimize(&plan, &super::recording::options(2, None), record, Box::new(sink.clone()), output)
                .unwrap();
        assert_eq!(report.divergence, None, "{text}");
        let minimal = replayed(&plan, 2, minimal_record(&plan, &sink.batches(), &report));
        assert_same_run(&minimal, &recorded, &text);
        assert_eq!(digest(&plan, &minimal.batches), expected, "{text}");
    }
    assert!(tally.iter().all(|n_changes| *n_changes > 50), "{tally:?}");
}

#[test]
fn minimal_record_with_edits_replays_on_any_number_of_workers() {
    let mut tally = Tally::default();
    for seed in first_program()..n_programs() {
        let mut dice = Dice::new(!seed ^ 0x5555);
        println!("program {seed}");
        let text = generator::program(seed, 2 + dice.below(8));
        let plan = Arc::new(compile(&text));
        let noise = (dice.below(2) > 0).then_some(seed);
        let options = options([1, 2, 4][dice.below(3)], noise);
        let (found, recorded) = driven(&plan, &options, &Control::new(), Recording::Minimal, |control| {
            disturb(control, &plan, &mut dice)
        });
        tally.iter_mut().zip(found).for_each(|(sum, more)| *sum += more);
        let mut digests = Vec::new();
        for n_workers in [1, 4] {
            // The digest of the run is compared by the replay itself.
            let record = minimal_record(&plan, &recorded.batches, &recorded.report);
            let again = replayed(&plan, n_workers, record);
            assert_same_run(&again, &recorded, &text);
            digests.push(digest(&plan, &again.batches));
        }
        assert_eq!(digests[0], digests[1], "{text}");
    }
    assert!(tally.iter().all(|n_changes| *n_changes > 50), "{tally:?}");
}

#[test]
fn replay_admits_no_edits() {
    let text = generator::program(3, 4);
    let plan = Arc::new(compile(&text));
    let recorded = super::recording::record(&plan, 1, Some(3));
    let control = Control::new();
    let mut dice = Dice::new(3);
    let (tally, again) = driven_as(
        &options(1, None),
        &control,
        |options| super::recording::replay_with(&plan, options, &recorded.batches),
        |control| disturb(control, &plan, &mut dice),
    );
    assert_eq!(tally, Tally::default());
    assert_same_run(&again, &recorded, &text);
    assert_eq!(names(&plan, &again.batches).n_actions(), names(&plan, &recorded.batches).n_actions());
}
