//! A run that was cut off goes on from what is left of its record, and the record of the whole is that of one run; the state of a run
//! that is taken while it goes on is that of a consistent cut.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hasse::{Options, Program, Trace};
use hasse_model::event::{EventRecord, Outcome};
use hasse_model::snapshot::Snapshot;
use hasse_model::trace::TraceReader;
use hasse_runtime::run::{Checkpoint, Checkpoints, Run, RunOptions};
use proptest::prelude::*;

use crate::faults::natives;
use crate::generator::Dice;
use crate::recording::{MemorySink, compile_with, lines, record_with, replay_record, sorted};
use crate::snapshots::{generated, some_options};
use crate::{WORKER_COUNTS, n_programs};

/// The events of a trace in causal order, as far as they are complete.
fn events(trace: &Trace) -> Vec<EventRecord> {
    let mut reader = TraceReader::open(trace.bytes()).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        batches.push(batch);
    }
    sorted(&batches).0
}

fn some_run_options(dice: &mut Dice) -> Options {
    let options = Options::new().workers(WORKER_COUNTS[dice.below(4)]);
    if dice.below(4) > 0 { options.seed(dice.below(1 << 30) as u64).virtual_time() } else { options }
}

/// Cuts the record of a run off at any byte, as a kill does, once more while the run goes on, and goes on to the end.
fn goes_on_from_any_byte(seed: u64, size: usize) {
    let program = Program::from_text(&generated(seed, size), &natives(None)).unwrap();
    let mut dice = Dice::new(!seed);
    let (_, mut trace) = program.record(&some_run_options(&mut dice)).unwrap();
    let n_header_bytes = TraceReader::open(trace.bytes()).unwrap().offset() as usize;
    for _ in 0..2 {
        let n_bytes = n_header_bytes + dice.below(trace.bytes().len() - n_header_bytes + 1);
        let cut_off = Trace::from_bytes(&trace.bytes()[..n_bytes]);
        let (run, whole) = program.resume(&cut_off, &some_run_options(&mut dice)).unwrap();
        let (before, after) = (events(&cut_off), events(&whole));
        for event in before.iter().filter(|event| event.outcome != Outcome::Stopped) {
            assert!(after.iter().any(|known| known == event), "an event of the record is lost: {event:?}");
        }
        assert_eq!(after.len() as u64, run.report().n_events);
        let (replayed, again) = program.replay_recorded(&whole, &some_run_options(&mut dice)).unwrap();
        assert_eq!(replayed.report().divergence, None);
        assert_eq!(again.digest().unwrap(), whole.digest().unwrap());
        assert_eq!(replayed.report().results, run.report().results);
        assert_eq!(replayed.report().outcome, run.report().outcome);
        assert_eq!(replayed.report().errors, run.report().errors);
        trace = whole;
    }
}

/// Takes the state of a run whenever that can be, and goes on from each as recorded.
fn states_of_a_run_that_goes_on(seed: u64, size: usize) {
    let plan = compile_with(&generated(seed, size), &natives(None).functions().unwrap());
    let mut dice = Dice::new(!seed);
    let taken: Arc<Mutex<Vec<Snapshot>>> = Arc::default();
    let to = Arc::clone(&taken);
    let keeper = move |Checkpoint { snapshot, .. }: Checkpoint| to.lock().unwrap().push(snapshot);
    let checkpoints = Some(Checkpoints { period: Duration::ZERO, keeper: Arc::new(keeper) });
    let run = record_with(&plan, &RunOptions { checkpoints, ..some_options(&mut dice) });
    let taken = taken.lock().unwrap().clone();
    let some = (0..taken.len().min(4)).map(|_| &taken[dice.below(taken.len())]).collect::<Vec<_>>();
    for snapshot in some {
        let mut bytes = Vec::new();
        snapshot.write(&mut bytes).unwrap();
        let snapshot = Snapshot::read(&mut bytes.as_slice()).unwrap();
        let (n_before, from) = (snapshot.n_events, some_options(&mut dice));
        let from = Run::from_snapshot(&plan, &from, snapshot).unwrap();
        let sink = MemorySink::default();
        let record = replay_record(&plan, &run.batches);
        let report = from.replay(record, Some(Box::new(sink.clone())), lines().1).unwrap();
        assert_eq!(report.divergence, None);
        assert_eq!(report.results, run.report.results);
        assert_eq!(report.errors, run.report.errors);
        assert_eq!(report.n_events, run.report.n_events);
        let after: u64 = sink.batches().iter().map(|batch| batch.n_events() as u64).sum();
        assert_eq!(n_before + after, run.report.n_events);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs().div_ceil(2), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_goes_on_from_any_byte_of_its_record(seed: u64, size in 1_usize..12) {
        goes_on_from_any_byte(seed, size);
    }

    #[test]
    fn the_state_of_a_run_that_goes_on_is_that_of_a_cut(seed: u64, size in 1_usize..12) {
        states_of_a_run_that_goes_on(seed, size);
    }
}
