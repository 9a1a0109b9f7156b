//! A run that goes on from a moment has the beginning of the recorded one, and its record replays like any other; so does one whose
//! record holds the state at the moment.

use hasse::continuation::{Fork, sink_of_replay};
use hasse::moment::Timeline;
use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::trace::{TraceHeader, TraceReader, TraceWriter};
use hasse_runtime::run::{RunOptions, replay};
use proptest::prelude::*;

use crate::faults::natives;
use crate::generator::Dice;
use crate::recording::{MemorySink, compile_with, digest, lines, options, record_with, replay_with, sorted};
use crate::snapshots::{generated, some_options};
use crate::{n_programs, write};

/// Memory in which no state has to give way.
const PLENTY: usize = 1 << 30;

/// The records of the first events, without what differs from run to run.
fn beginning(batches: &[EventBatch], n_events: u64) -> Vec<EventRecord> {
    let events = sorted(batches).0;
    assert!(events.len() as u64 >= n_events);
    events.into_iter().take(n_events as usize).collect()
}

/// Gives a var its own value. Returns false where there is none.
fn set_to_itself(fork: &mut Fork<'_>) -> bool {
    let held = fork.state().actions.iter().find_map(|action| {
        let (name, value) = action.vars.as_ref()?.first()?;
        Some((format!("{}.{name}", fork.names().action(action.record.action)), value.clone()))
    });
    let Some((name, value)) = held else { return false };
    fork.set(&name, value).unwrap();
    true
}

fn go_on(seed: u64, size: usize) {
    let plan = compile_with(&generated(seed, size), &natives(None).functions().unwrap());
    let mut dice = Dice::new(!seed);
    let run = record_with(&plan, &some_options(&mut dice));
    let bytes = write(&plan, &run.batches);
    let recorded = hasse::Recorded::read_events(TraceReader::open(&bytes[..]).unwrap()).unwrap();
    let replaying = RunOptions { natives: natives(None), ..some_options(&mut dice) };
    let timeline = Timeline::new(&plan, recorded.clone(), &replaying, PLENTY).unwrap();
    for _ in 0..3 {
        let position = dice.below(timeline.moments().n_events() as usize + 1) as u64;
        let mut fork = Fork::new(&timeline, &recorded, position).unwrap();
        let going_on = some_options(&mut dice);
        let sink = MemorySink::default();
        let report = fork.run(&going_on, Some(Box::new(sink.clone())), lines().1).unwrap();
        let batches = sink.batches();
        assert_eq!(beginning(&batches, position), beginning(&recorded.record.batches, position));
        let replayed = replay_with(&plan, &replaying, &batches);
        assert_eq!(replayed.report.divergence, None);
        assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &batches));
        assert_eq!(replayed.report.results, report.results);
        assert_eq!(replayed.report.errors, report.errors);
        assert_eq!(replayed.report.n_events, report.n_events);
        a_seed_gives_one_run(&fork, &plan, dice.below(1 << 20) as u64);
        if set_to_itself(&mut fork) {
            from_base(&fork, &plan, (&going_on, &replaying));
        }
    }
}

/// Goes on twice with one worker and one seed.
fn a_seed_gives_one_run(fork: &Fork<'_>, plan: &hasse_model::plan::Plan, seed: u64) {
    let [one, other] = [(); 2].map(|()| {
        let options = RunOptions { natives: natives(None), ..options(1, Some(seed)) };
        let sink = MemorySink::default();
        let report = fork.run(&options, Some(Box::new(sink.clone())), lines().1).unwrap();
        (digest(plan, &sink.batches()), report.results)
    });
    assert_eq!(one, other);
}

/// Writes a record that holds the state of its moment, and replays it from there.
fn from_base(
    fork: &Fork<'_>,
    plan: &hasse_model::plan::Plan,
    (going_on, replaying): (&RunOptions, &RunOptions),
) {
    let sink = MemorySink::default();
    let (written, output) = lines();
    let report = fork.run(going_on, Some(Box::new(sink.clone())), output).unwrap();
    let header: TraceHeader = fork.header("generated", "", going_on).unwrap();
    assert!(header.base.is_some());
    let mut writer = TraceWriter::new(Vec::new(), &header).unwrap();
    sink.batches().iter().for_each(|batch| writer.write_batch(batch).unwrap());
    let bytes = writer.into_inner();
    let recorded = hasse::Recorded::read_events(TraceReader::open(&bytes[..]).unwrap()).unwrap();
    let again = MemorySink::default();
    let (repeated, output) = lines();
    let to = sink_of_replay(&recorded, Box::new(again.clone())).unwrap();
    let replayed = replay(plan, replaying, recorded.record.clone(), Some(to), output).unwrap();
    assert_eq!(replayed.divergence, None);
    assert_eq!(replayed.results, report.results);
    assert_eq!(replayed.errors, report.errors);
    assert_eq!(replayed.n_events, report.n_events);
    assert_eq!(*repeated.lock().unwrap(), *written.lock().unwrap());
    assert_eq!(digest(plan, &again.batches()), digest(plan, &sink.batches()));
    let end = fork.position() + (report.n_events - fork.position()) / 2;
    let timeline = Timeline::new(plan, recorded, replaying, PLENTY).unwrap();
    assert_eq!(timeline.state(end).unwrap().n_events, end);
    assert_eq!(timeline.state(report.n_events).unwrap().n_events, report.n_events);
    assert_eq!(timeline.state(fork.position()).unwrap().n_events, fork.position());
}

proptest! {
    // Each of them is run some fifteen times.
    #![proptest_config(ProptestConfig { cases: n_programs().div_ceil(4), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fork_has_the_beginning_of_the_record_and_replays(seed: u64, size in 1_usize..12) {
        go_on(seed, size);
    }
}
