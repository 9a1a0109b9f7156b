//! The laws of the debugging model, over generated programs, worker counts and injected noise.
//!
//! 2. and 3. stand in `laws/restricted.rs`.
//!
//! 1. A replay has the digest, the output and the results of the recorded run, with any number of
//!    workers. 4. Delivery is causal. 5. No event is lost or delivered twice; what a killed run leaves is a
//!    causally closed prefix that replays. 6. is in `laws/order.rs`, 7. in `laws/expansion.rs`, that of moments in `laws/moments.rs`,
//!    8., of decisions from outside, in `laws/decisions.rs`.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

#[path = "laws/bounds.rs"]
mod bounds;
#[path = "laws/columns.rs"]
mod columns;
#[path = "laws/decisions.rs"]
mod decisions;
#[path = "laws/drops.rs"]
mod drops;
#[path = "laws/expansion.rs"]
mod expansion;
#[path = "laws/faults.rs"]
mod faults;
#[path = "laws/faulty.rs"]
mod faulty;
#[path = "laws/flows.rs"]
mod flows;
#[path = "laws/fork.rs"]
mod fork;
#[path = "laws/generator.rs"]
mod generator;
#[path = "laws/holes.rs"]
mod holes;
#[path = "laws/isolation.rs"]
mod isolation;
#[path = "laws/minimal.rs"]
mod minimal;
#[path = "laws/moments.rs"]
mod moments;
#[path = "laws/order.rs"]
mod order;
#[path = "laws/recording.rs"]
mod recording;
#[path = "laws/restricted.rs"]
mod restricted;
#[path = "laws/resume.rs"]
mod resume;
#[path = "laws/settled.rs"]
mod settled;
#[path = "laws/snapshots.rs"]
mod snapshots;

use std::collections::{BTreeMap, BTreeSet};

use generator::Dice;
use hasse_debugger::read::for_each_in_order;
use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::{EventId, GraphInstanceId, ObjectId};
use hasse_model::plan::Access;
use hasse_model::trace::{RecordingMode, TraceHeader, TraceReader, TraceWriter};
use hasse_runtime::run::{Recording, RunOptions};
use proptest::prelude::*;
use recording::{compile, digest, options, record, record_with, replay_of, sorted};

/// Generated programs on which each of the laws 1 to 5 is tried: `HASSE_LAW_PROGRAMS` where it is set, as `.ci/run`
/// does.
fn n_programs() -> u32 {
    std::env::var("HASSE_LAW_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(300)
}

const WORKER_COUNTS: [usize; 4] = [1, 2, 4, 8];

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_repeats_the_recorded_run(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        let plan = compile(&text);
        let mut dice = Dice::new(!seed);
        let noise = (dice.below(4) > 0).then_some(seed ^ 1);
        let recorded = record(&plan, WORKER_COUNTS[dice.below(4)], noise);
        let digest_recorded = digest(&plan, &recorded.batches);
        bounds::assert_full_where_values_wait(&recorded.report, &text);
        for _ in 0..2 {
            let noise = (dice.below(3) > 0).then(|| dice.below(1 << 30) as u64);
            let replayed = replay_of(&plan, &recorded.batches, WORKER_COUNTS[dice.below(4)], noise);
            prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
            prop_assert_eq!(digest(&plan, &replayed.batches), digest_recorded, "{}", text);
            prop_assert_eq!(&replayed.lines, &recorded.lines, "{}", text);
            prop_assert_eq!(&replayed.report.results, &recorded.report.results, "{}", text);
            prop_assert_eq!(replayed.report.outcome, recorded.report.outcome, "{}", text);
            prop_assert_eq!(&replayed.report.errors, &recorded.report.errors, "{}", text);
            prop_assert_eq!(bounds::without_room(&replayed.report), bounds::without_room(&recorded.report), "{}", text);
        }
    }

    #[test]
    fn delivery_is_causal_and_complete(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let mut dice = Dice::new(seed);
        let mut recorded = record(&plan, WORKER_COUNTS[dice.below(4)], Some(seed));
        let events: Vec<_> = recorded.batches.iter().flat_map(EventBatch::events).collect();
        let ids: BTreeSet<_> = events.iter().map(|event| event.id).collect();
        prop_assert_eq!(ids.len(), events.len(), "an event was recorded twice");
        prop_assert_eq!(events.len() as u64, recorded.report.n_events);
        // Any order of arrival gives a linear extension.
        for place in (1..recorded.batches.len()).rev() {
            recorded.batches.swap(place, dice.below(place + 1));
        }
        let (delivered, n_left) = sorted(&recorded.batches);
        prop_assert_eq!(n_left, 0);
        prop_assert_eq!(delivered.len(), events.len());
        assert_linear_extension(&delivered);
    }

    #[test]
    fn a_cut_off_trace_replays_its_prefix(seed: u64, size in 1_usize..12, cut in 0.0_f64..1.0) {
        let plan = compile(&generator::program(seed, size));
        let mut dice = Dice::new(seed);
        let recorded = record(&plan, WORKER_COUNTS[dice.below(4)], Some(seed));
        // Small batches, as if the run had been slow, interleaved as workers would.
        let batches = split(&recorded.batches, 1 + dice.below(6));
        let bytes = write(&plan, &batches);
        let kept = &bytes[..(bytes.len() as f64 * cut) as usize];
        let Ok(reader) = TraceReader::open(kept) else { return Ok(()) };
        let mut prefix = EventBatch::default();
        let mut delivered = Vec::new();
        let summary = for_each_in_order(reader, |mut event, names| {
            for (action, template) in
                [(event.id.action, names.template_of(event.id.action))]
            {
                if let (1, Some(template)) = (event.id.count, template) {
                    let index = names.index_of(action).cloned().unwrap_or_default();
                    let graph = names.graph_of(action).unwrap_or(GraphInstanceId::MAIN);
                    prefix.actions.push(hasse_model::event::ActionRecord { action, template, graph, index });
                }
            }
            delivered.push(event.clone());
            prefix.push(&mut event);
        });
        prefix.edits = summary.unwrap().edits;
        for batch in &batches {
            prefix.graphs.extend(batch.graphs.iter().cloned());
            prefix.objects.extend(batch.objects.iter().cloned());
        }
        assert_linear_extension(&delivered);
        let replayed = replay_of(&plan, std::slice::from_ref(&prefix), 1 + dice.below(3), None);
        prop_assert_eq!(&replayed.report.divergence, &None);
        let expected = digest_with_names(&plan, &batches, &delivered);
        prop_assert_eq!(digest(&plan, &replayed.batches), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reclaiming_changes_nothing(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let digest_with = |reclaim_above| {
            let recorded = record_with(&plan, &RunOptions { reclaim_above, ..options(1, Some(seed)) });
            (digest(&plan, &recorded.batches), recorded.lines, recorded.report.n_actions, recorded.report.results)
        };
        prop_assert_eq!(digest_with(0), digest_with(u64::MAX));
    }

    #[test]
    fn one_worker_and_one_seed_give_one_run(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let first = record(&plan, 1, Some(seed));
        let second = record(&plan, 1, Some(seed));
        prop_assert_eq!(digest(&plan, &first.batches), digest(&plan, &second.batches));
        prop_assert_eq!(first.lines, second.lines);
    }

    #[test]
    fn recording_does_not_change_what_one_seed_gives(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let recorded = record(&plan, 1, Some(seed));
        let output = Box::new(|_: &str| {});
        let plain =
            hasse_runtime::run::run(&plan, &options(1, Some(seed)), Recording::None, output).unwrap();
        prop_assert_eq!(plain.results, recorded.report.results);
        prop_assert_eq!(plain.n_events, recorded.report.n_events);
        prop_assert_eq!(plain.outcome, recorded.report.outcome);
    }
}

#[test]
fn merge_orders_differ_from_run_to_run() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\n\"A.o -> M.a\",\n\"B.o -> M.a\",\n]\n\
        [graph.main.uc.A]\nstart = true\nout = { o = \"int\" }\nroute = [\"o <- k for k in 0..20\"]\n\
        [graph.main.uc.B]\nstart = true\nout = { o = \"int\" }\nroute = [\"o <- 100 + k for k in 0..20\"]\n\
        [graph.main.uc.M]\nin = { a = \"int\" }\nvars = { n = \"int\" }\nfire = [\"a -> v\"]\n\
        do = 'n = (n * 31 + v) % 1000003; result(\"n\", n);'\n";
    let plan = compile(text);
    let results: BTreeSet<String> =
        (0..20).map(|seed| format!("{:?}", record(&plan, 4, Some(seed)).report.results)).collect();
    assert!(results.len() > 1, "noise never changed the order of a merge");
}

/// Checks delivery against the definition of causal order, spelt out once more and independently of
/// `order` and the sorter: an event must come after its sequence, flow and shared predecessors, and
/// a writer after all readers of the version that it overwrites.
fn assert_linear_extension(delivered: &[EventRecord]) {
    let place_of: BTreeMap<EventId, usize> =
        delivered.iter().enumerate().map(|(place, event)| (event.id, place)).collect();
    let mut readers_of: BTreeMap<(ObjectId, Option<EventId>), Vec<usize>> = BTreeMap::new();
    for (place, event) in delivered.iter().enumerate() {
        for access in event.shared.iter().filter(|access| access.access == Access::Read) {
            readers_of.entry((access.object, access.writer)).or_default().push(place);
        }
    }
    for (place, event) in delivered.iter().enumerate() {
        if event.id.count > 1 {
            let before = EventId { action: event.id.action, count: event.id.count - 1 };
            assert!(place_of[&before] < place, "sequence edge");
        }
        assert!(event.flow.iter().all(|sender| place_of[sender] < place), "flow edge");
        for access in &event.shared {
            assert!(access.writer.is_none_or(|writer| place_of[&writer] < place), "shared edge");
            if access.access == Access::Write {
                let readers = readers_of.get(&(access.object, access.writer)).cloned().unwrap_or_default();
                assert_eq!(readers.len() as u64, access.readers, "reader count");
                assert!(readers.iter().all(|reader| *reader < place), "reader to writer edge");
            }
        }
    }
}

/// The same events in batches of at most `size`, each announcing what it names first.
fn split(batches: &[EventBatch], size: usize) -> Vec<EventBatch> {
    let mut small = Vec::new();
    for batch in batches {
        let events: Vec<_> = batch.events().collect();
        if events.is_empty() && !batch.edits.is_empty() {
            small.push(EventBatch::clone(batch));
        }
        for (position, events) in events.chunks(size).enumerate() {
            let mut part = EventBatch::default();
            if position == 0 {
                part.edits.clone_from(&batch.edits);
            }
            let has_first =
                |action| events.iter().any(|event| event.id.action == action && event.id.count == 1);
            part.actions.extend(batch.actions.iter().filter(|known| has_first(known.action)).cloned());
            let reaches =
                |object| events.iter().flat_map(|event| &event.shared).any(|access| access.object == object);
            let known = batches.iter().flat_map(|batch| &batch.objects);
            part.graphs.extend(batches.iter().flat_map(|batch| &batch.graphs).cloned());
            part.objects.extend(known.filter(|known| reaches(known.object)).cloned());
            events.iter().cloned().for_each(|mut event| part.push(&mut event));
            small.push(part);
        }
    }
    small
}

fn write(plan: &hasse_model::plan::Plan, batches: &[EventBatch]) -> Vec<u8> {
    let header = TraceHeader {
        program_path: "generated.hasse".to_owned(),
        program_text: String::new(),
        mode: RecordingMode::Full,
        n_workers: 1,
        seed: None,
        params: Vec::new(),
        templates: plan.template_labels(),
        shared: plan.shared_labels(),
        calls: plan.call_labels(),
        hasse_version: "0".to_owned(),
        n_before: 0,
        base: None,
        kept: None,
    };
    let mut writer = TraceWriter::new(Vec::new(), &header).unwrap();
    batches.iter().for_each(|batch| writer.write_batch(batch).unwrap());
    let footer = hasse_model::trace::TraceFooter {
        outcome: "finished".to_owned(),
        n_events: 0,
        n_executed: 0,
        n_actions: 0,
        idle_graphs: Vec::new(),
        idle_actions: Vec::new(),
        digest: None,
    };
    writer.finish(&footer).unwrap()
}

fn digest_with_names(
    plan: &hasse_model::plan::Plan,
    batches: &[EventBatch],
    events: &[EventRecord],
) -> hasse_model::digest::Digest {
    let names = recording::names(plan, batches);
    let mut digester = hasse_model::digest::Digester::new();
    events.iter().for_each(|event| digester.add(event, &names));
    digester.finish()
}
