//! A record that is cut has the kept events as they were, and a replay of it alone repeats them: their rules, predecessors, values
//! taken and sent, lines and results, with any number of workers.

use std::collections::{BTreeMap, BTreeSet};

use hasse::continuation::sink_of_replay;
use hasse::event::Ground;
use hasse::holes::{Cut, CutError, without_holes};
use hasse::moment::Timeline;
use hasse_model::event::{EventBatch, EventRecord, LocalState};
use hasse_model::id::{EventId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::record_options::{NamedOptions, RecordOption, RecordOptions};
use hasse_model::trace::{RecordingMode, TraceReader};
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::run::{ReplayRecord, RunOptions, replay};
use proptest::prelude::*;

use crate::faults::natives;
use crate::generator::Dice;
use crate::recording::{MemorySink, compile_with, digest, lines, names, record_with, replay_record};
use crate::snapshots::{generated, some_options};
use crate::{n_programs, write};

/// Memory in which no state has to give way.
const PLENTY: usize = 1 << 30;

/// What an event took, sent, printed and gave as results.
type Values = (Vec<(String, Value)>, Vec<(String, Value)>, Vec<String>, Vec<(String, Value)>);

fn values_of(local: &LocalState) -> Values {
    (local.took.clone(), local.sent.clone(), local.lines.clone(), local.results.clone())
}

/// Selectors of some graph instances and nodes that have executed.
fn some_selectors(plan: &Plan, batches: &[EventBatch], dice: &mut Dice) -> Vec<String> {
    let names = names(plan, batches);
    let mut known = BTreeSet::new();
    for action in batches.iter().flat_map(|batch| &batch.actions) {
        known.insert(plan.template_label(plan.template(action.template)));
        known.insert(names.action(action.action).to_string());
        let around = names.graph_path(action.graph).to_string();
        // Calls are what is to be tried most.
        known.extend((!around.is_empty()).then_some(around));
    }
    let known: Vec<String> = known.into_iter().collect();
    let n_chosen = 1 + dice.below(known.len().min(4));
    (0..n_chosen).map(|_| known[dice.below(known.len())].clone()).collect()
}

fn keeps_all(plan: &Plan) -> Capture {
    let mut capture = Capture::none();
    (0..plan.templates.len())
        .for_each(|template_idx| capture.add(TemplateId::from_idx(template_idx), Captured::ALL));
    capture
}

/// Replays a record, with the values of each event.
fn values(plan: &Plan, options: &RunOptions, record: ReplayRecord) -> BTreeMap<EventId, Values> {
    let sink = MemorySink::default();
    let options = RunOptions { capture: keeps_all(plan), ..options.clone() };
    let report = replay(plan, &options, record, Some(Box::new(sink.clone())), lines().1).unwrap();
    assert_eq!(report.divergence, None);
    let events = sink.batches().into_iter().flat_map(|batch| batch.events().collect::<Vec<_>>());
    events.map(|event| (event.id, event.local.as_deref().map(values_of).unwrap_or_default())).collect()
}

/// Compares a kept event with the one that was recorded.
fn assert_same(kept: &EventRecord, full: &EventRecord, keeps: impl Fn(EventId) -> bool) {
    let facts = |event: &EventRecord| {
        let EventRecord { id, rule, flow, flow_successors, outcome, .. } = event.clone();
        (id, rule, event.routes.clone(), flow, flow_successors, outcome, event.error.clone())
    };
    assert_eq!(facts(kept), facts(full));
    assert_eq!(kept.shared.len(), full.shared.len());
    for (kept, full) in kept.shared.iter().zip(&full.shared) {
        assert_eq!((kept.object, kept.access), (full.object, full.access));
        match full.writer.filter(|writer| !keeps(*writer)) {
            None => assert_eq!(kept.writer, full.writer),
            Some(_) => assert!(kept.writer.is_none_or(&keeps)),
        }
    }
}

fn cut_and_replay(seed: u64, size: usize) {
    let functions = natives(None).functions().unwrap();
    let plan = compile_with(&generated(seed, size), &functions);
    let mut dice = Dice::new(seed ^ 0x401e5);
    let run = record_with(&plan, &some_options(&mut dice));
    let bytes = write(&plan, &run.batches);
    let recorded = hasse::Recorded::read_events(TraceReader::open(&bytes[..]).unwrap()).unwrap();
    let selectors = some_selectors(&plan, &run.batches, &mut dice);
    let replaying = some_options(&mut dice);
    let ground = Ground { plan: &plan, recorded: &recorded, options: &replaying };
    let cut = match Cut::new(ground, &selectors) {
        // In some programs ports drop values.
        Err(CutError::Drops { .. }) => return,
        cut => cut.unwrap(),
    };
    let mut trace = Vec::new();
    cut.write(&mut trace).unwrap();
    let part = hasse::Recorded::read_events(TraceReader::open(&trace[..]).unwrap()).unwrap();
    assert_eq!(part.header.mode, RecordingMode::Holes);
    let chosen = selectors.iter().try_fold(RecordOptions::restricted(), |options, text| options.select(text));
    let mut named = NamedOptions::new(chosen.unwrap().resolve(&plan).unwrap());
    let all_names = names(&plan, &run.batches);
    let full = run.batches.iter().flat_map(EventBatch::events).map(|event| (event.id, event));
    let mut full: BTreeMap<EventId, EventRecord> = full.collect();
    full.retain(|id, _| named.action(id.action, &all_names) == RecordOption::Full);
    let n_before = part.header.base.as_ref().unwrap().cut();
    let events = part.record.batches.iter().flat_map(EventBatch::events);
    let kept: Vec<EventRecord> =
        events.filter(|event| event.id.count > n_before.count(event.id.action)).collect();
    assert_eq!(kept.len(), full.len());
    kept.iter().for_each(|event| assert_same(event, &full[&event.id], |id| full.contains_key(&id)));
    // The whole is followed in one replay, the part with some numbers of workers.
    let of_whole = values(&plan, &replaying, replay_record(&plan, &run.batches));
    let mut bare = compile_with(&generated(seed, size), &functions);
    without_holes(&mut bare, part.header.kept.as_deref().unwrap());
    for _ in 0..3 {
        let options = some_options(&mut dice);
        let of_part = values(&bare, &options, part.record.clone());
        assert!(of_part.keys().eq(full.keys()));
        of_part.iter().for_each(|(id, values)| assert_eq!(*values, of_whole[id], "{}", all_names.event(*id)));
        let again = MemorySink::default();
        let to = sink_of_replay(&part, Box::new(again.clone())).unwrap();
        let report = replay(&bare, &options, part.record.clone(), Some(to), lines().1).unwrap();
        assert_eq!(report.divergence, None);
        assert_eq!(digest(&plan, &again.batches()), digest(&plan, &part.record.batches));
    }
    let timeline = Timeline::new(&bare, part, &replaying, PLENTY).unwrap();
    let last = timeline.moments().n_events();
    assert_eq!(timeline.state(last).unwrap().n_events, last);
    let middle = n_before.n_events() + (last - n_before.n_events()) / 2;
    assert_eq!(timeline.state(middle).unwrap().n_events, middle);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs().div_ceil(2), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replay_of_a_cut_record_equals_the_kept_part_of_the_run(seed: u64, size in 1_usize..12) {
        cut_and_replay(seed, size);
    }
}
