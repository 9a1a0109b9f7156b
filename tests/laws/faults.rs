//! Laws of runs in which events fail in any phase, are interrupted, or come when the stop node has executed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hasse_model::event::{EventBatch, EventRecord, Outcome};
use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::{Access, Plan};
use hasse_runtime::decision::{Chooser, Chosen, Rest};
use hasse_runtime::natives::Natives;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, EventSink, Idle, Recording, RunOptions, StopSignal};
use proptest::prelude::*;

use crate::WORKER_COUNTS;
use crate::decisions::assert_is_decided;
use crate::faulty;
use crate::generator::Dice;
use crate::minimal::{minimal_of, replay_minimal};
use crate::recording::{
    Recorded, compile, compile_with, digest, names, options, record_as, replay_with, sorted,
};

/// A function `halt` that sets a signal when it is called for the n-th time, and tells whether it is set.
pub fn natives(halt: Option<(StopSignal, usize)>) -> Natives {
    let mut natives = Natives::new();
    let n_calls = AtomicUsize::new(0);
    natives.function("halt", move || match &halt {
        Some((stop, at)) => {
            if n_calls.fetch_add(1, Ordering::Relaxed) + 1 == *at {
                stop.stop();
            }
            i64::from(stop.is_set())
        }
        None => 0_i64,
    });
    natives
}

fn faulty_plan(text: &str) -> Plan {
    compile_with(text, &natives(None).functions().unwrap())
}

fn options_with(dice: &mut Dice, natives: Natives) -> RunOptions {
    let noise = (dice.below(2) > 0).then(|| dice.below(1 << 30) as u64);
    RunOptions { natives, ..options(WORKER_COUNTS[dice.below(4)], noise) }
}

fn assert_same(plan: &Plan, replayed: &Recorded, recorded: &Recorded, text: &str) {
    assert_eq!(replayed.report.divergence, None, "{text}");
    assert_eq!(digest(plan, &replayed.batches), digest(plan, &recorded.batches), "{text}");
    assert_eq!(replayed.lines, recorded.lines, "{text}");
    assert_eq!(replayed.report.errors, recorded.report.errors, "{text}");
    assert_eq!(replayed.report.handled, recorded.report.handled, "{text}");
    assert_eq!(replayed.report.results, recorded.report.results, "{text}");
}

/// A sink that keeps what was created and never executed.
#[derive(Clone, Default)]
struct IdleSink(Arc<Mutex<(Vec<EventBatch>, Idle)>>);

impl EventSink for IdleSink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.0.lock().unwrap().0.push(batch.clone());
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, idle: &Idle) -> io::Result<()> {
        self.0.lock().unwrap().1 = idle.clone();
        Ok(())
    }
}

/// Events that are causally after `first`, which is one of them, by the definition of causal order.
fn events_after(delivered: &[EventRecord], first: EventId) -> Vec<EventId> {
    let mut after = BTreeSet::from([first]);
    let mut readers: BTreeMap<(ObjectId, Option<EventId>), Vec<EventId>> = BTreeMap::new();
    let mut found = Vec::new();
    for event in delivered {
        let mut before: Vec<EventId> = event.flow.clone();
        if event.id.count > 1 {
            before.push(EventId { action: event.id.action, count: event.id.count - 1 });
        }
        for access in &event.shared {
            before.extend(access.writer);
            let readers = readers.entry((access.object, access.writer)).or_default();
            match access.access {
                Access::Read => readers.push(event.id),
                Access::Write => before.extend(readers.iter().copied()),
            }
        }
        if before.iter().any(|id| after.contains(id)) && after.insert(event.id) {
            found.push(event.id);
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_whose_events_fail_replays(seed: u64) {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let mut dice = Dice::new(!seed);
        // Who is reclaimed, and so not reported as waiting for nothing, depends on the schedule.
        let mut options = || {
            let options = options_with(&mut dice, natives(None));
            RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..options }
        };
        let recorded = record_as(&plan, &options(), Recording::Full);
        let replayed = replay_with(&plan, &options(), &recorded.batches);
        assert_same(&plan, &replayed, &recorded, &text);
        prop_assert_eq!(&replayed.report.quiescence, &recorded.report.quiescence, "{}", text);
    }

    #[test]
    fn every_run_whose_events_fail_is_a_sequence_of_decisions(seed: u64) {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let mut dice = Dice::new(!seed);
        let (reclaim_above, natives) = (DEFAULT_RECLAIM_ABOVE, natives(None));
        let options = options(WORKER_COUNTS[dice.below(4)], Some(seed));
        let options = RunOptions { reclaim_above, natives, ..options };
        let recorded = record_as(&plan, &options, Recording::Full);
        assert_is_decided(&plan, &recorded, &options, &text);
    }

    #[test]
    fn decided_runs_whose_events_fail_replay(seed: u64) {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let mut dice = Dice::new(!seed);
        let chosen = Chosen::new([]).rest(Rest::Random(seed));
        let chooser = Some(Chooser::from(&chosen));
        let options = RunOptions { n_workers: 1, seed: Some(seed), chooser, ..options_with(&mut dice, natives(None)) };
        let full = record_as(&plan, &options, Recording::Full);
        let taken = chosen.taken();
        let replayed = replay_with(&plan, &options_with(&mut dice, natives(None)), &full.batches);
        assert_same(&plan, &replayed, &full, &text);
        let minimal = record_as(&plan, &options, Recording::Minimal);
        prop_assert_eq!(chosen.taken(), taken, "{}", text);
        let replayed =
            replay_minimal(&plan, &options_with(&mut dice, natives(None)), &minimal, &minimal.batches);
        assert_same(&plan, &replayed, &full, &text);
    }

    #[test]
    fn a_minimal_record_of_events_that_fail_replays(seed: u64) {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let mut dice = Dice::new(!seed);
        let recorded = record_as(&plan, &options_with(&mut dice, natives(None)), Recording::Choices);
        let kept = minimal_of(&recorded.batches);
        let replayed = replay_minimal(&plan, &options_with(&mut dice, natives(None)), &recorded, &kept);
        assert_same(&plan, &replayed, &recorded, &text);
        let written = record_as(&plan, &options_with(&mut dice, natives(None)), Recording::Minimal);
        let first = replay_minimal(&plan, &options_with(&mut dice, natives(None)), &written, &written.batches);
        let second = replay_minimal(&plan, &options_with(&mut dice, natives(None)), &written, &written.batches);
        prop_assert_eq!(&first.report.divergence, &None, "{}", text);
        prop_assert_eq!(&first.report.errors, &written.report.errors, "{}", text);
        prop_assert_eq!(&first.lines, &written.lines, "{}", text);
        prop_assert_eq!(digest(&plan, &first.batches), digest(&plan, &second.batches), "{}", text);
    }

    #[test]
    fn every_event_but_those_of_start_nodes_has_a_cause(seed: u64) {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let recorded = record_as(&plan, &options_with(&mut Dice::new(!seed), natives(None)), Recording::Full);
        let names = names(&plan, &recorded.batches);
        for event in recorded.batches.iter().flat_map(EventBatch::events) {
            let has_cause = event.id.count > 1 || !event.flow.is_empty() || !event.shared.is_empty();
            let name = names.event(event.id).to_string();
            prop_assert!(has_cause || name.starts_with("/Start"), "{} has no cause\n{}", name, text);
        }
        let (delivered, n_left) = sorted(&recorded.batches);
        prop_assert_eq!(n_left, 0, "{}", text);
        prop_assert_eq!(delivered.len() as u64, recorded.report.n_events);
    }

    #[test]
    fn an_event_that_fails_creates_no_receiver(seed: u64) {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let sink = IdleSink::default();
        let options = options_with(&mut Dice::new(!seed), natives(None));
        let output = Box::new(|_: &str| {});
        let report =
            hasse_runtime::run::run(&plan, &options, Recording::Full(Box::new(sink.clone())), output).unwrap();
        let kept = sink.0.lock().unwrap();
        let far = plan.templates.iter().position(|template| template.name == "Far").unwrap();
        let executed = kept.0.iter().flat_map(|batch| &batch.actions);
        let mut all = executed.chain(&kept.1.actions);
        prop_assert!(all.all(|action| action.template.idx() != far), "{}", text);
        prop_assert!(report.quiescence.iter().all(|waiting| !waiting.action.starts_with("/Far")), "{}", text);
    }

    #[test]
    fn a_run_that_is_interrupted_in_a_body_replays(seed: u64) {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let mut dice = Dice::new(!seed);
        for is_minimal in [false, true] {
            let stop = StopSignal::default();
            let halting = natives(Some((stop.clone(), 1 + dice.below(20))));
            let options = RunOptions { stop, ..options_with(&mut dice, halting) };
            let recording = if is_minimal { Recording::Choices } else { Recording::Full };
            let recorded = record_as(&plan, &options, recording);
            let calm = options_with(&mut dice, natives(None));
            let replayed = match is_minimal {
                true => replay_minimal(&plan, &calm, &recorded, &minimal_of(&recorded.batches)),
                false => replay_with(&plan, &calm, &recorded.batches),
            };
            prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
            prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches), "{}", text);
            prop_assert_eq!(&replayed.lines, &recorded.lines, "{}", text);
        }
    }

    #[test]
    fn a_replay_of_bodies_that_print_more_or_less_loses_and_scrambles_no_line(seed: u64) {
        let mut dice = Dice::new(!seed);
        let before = [0; 4].map(|_: usize| dice.below(3));
        let after = [0; 4].map(|_: usize| dice.below(4));
        let (plan, text) = (compile(&faulty::printing(seed, before)), faulty::printing(seed, after));
        let changed = compile(&text);
        let recorded = record_as(&plan, &options_with(&mut dice, natives(None)), Recording::Choices);
        let delivered = sorted(&recorded.batches).0;
        let full = replay_with(&changed, &options_with(&mut dice, natives(None)), &recorded.batches);
        let kept = minimal_of(&recorded.batches);
        let minimal = replay_minimal(&changed, &options_with(&mut dice, natives(None)), &recorded, &kept);
        let names = names(&plan, &recorded.batches);
        let n_lines = |id: EventId| {
            let path = names.event(id).to_string();
            let of = ["/Start", "/Node", "/Merge", "/Sink"].iter().position(|node| path.starts_with(node)).unwrap();
            (0..after[of]).map(move |line| format!("{path} {line}"))
        };
        let mut expected: Vec<String> = delivered.iter().flat_map(|event| n_lines(event.id)).collect();
        expected.sort_unstable();
        for replayed in [&full, &minimal] {
            prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
            let mut lines = replayed.lines.clone();
            lines.sort_unstable();
            prop_assert_eq!(&lines, &expected, "{}", text);
            let place_of: BTreeMap<&String, usize> = replayed.lines.iter().zip(0..).collect();
            for event in &delivered {
                let Some(last) = n_lines(event.id).map(|line| place_of[&line]).max() else { continue };
                for later in events_after(&delivered, event.id) {
                    let first = n_lines(later).map(|line| place_of[&line]).min();
                    prop_assert!(first.is_none_or(|first| last < first), "{:?}\n{}", replayed.lines, text);
                }
            }
        }
        let firsts = |lines: &[String]| -> Vec<String> {
            let firsts = lines.iter().filter_map(|line| line.strip_suffix(" 0")).map(str::to_owned);
            firsts.collect()
        };
        let (was, is) = (firsts(&recorded.lines), firsts(&full.lines));
        let (was_in, is_in): (BTreeSet<_>, BTreeSet<_>) = (was.iter().collect(), is.iter().collect());
        let was_both: Vec<_> = was.iter().filter(|event| is_in.contains(event)).collect();
        let is_both: Vec<_> = is.iter().filter(|event| was_in.contains(event)).collect();
        prop_assert_eq!(was_both, is_both, "{}", text);
    }

    #[test]
    fn no_event_is_after_that_of_the_stop_node(seed: u64) {
        let text = faulty::stopping(seed);
        let plan = faulty_plan(&text);
        let mut dice = Dice::new(!seed);
        let recorded = record_as(&plan, &options_with(&mut dice, natives(None)), Recording::Full);
        let (delivered, n_left) = sorted(&recorded.batches);
        prop_assert_eq!(n_left, 0, "{}", text);
        let names = names(&plan, &recorded.batches);
        let shown = |id: EventId| names.event(id).to_string();
        let stop = delivered.iter().find(|event| shown(event.id) == "/Stop:1");
        let Some(stop) = stop.map(|event| event.id) else { return Ok(()) };
        let after: Vec<_> = events_after(&delivered, stop).into_iter().map(shown).collect();
        prop_assert_eq!(&after, &Vec::<String>::new(), "{}", text);
        let replayed = replay_with(&plan, &options_with(&mut dice, natives(None)), &recorded.batches);
        assert_same(&plan, &replayed, &recorded, &text);
        let choices = record_as(&plan, &options_with(&mut dice, natives(None)), Recording::Choices);
        let kept = minimal_of(&choices.batches);
        let replayed = replay_minimal(&plan, &options_with(&mut dice, natives(None)), &choices, &kept);
        assert_same(&plan, &replayed, &choices, &text);
    }
}

/// Replays of minimal records bring the value of a sender to the front of a long queue. A guard that fails before the value is
/// taken has this sender as its cause, not the first of the queue.
#[test]
fn a_guard_that_fails_on_a_long_queue_has_the_same_cause_in_replays() {
    let mut text = String::from("hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\n");
    (0..3).for_each(|start| text.push_str(&format!("  \"Start{start}.o[k] -> Node.a\",\n")));
    text.push_str("]\n");
    for start in 0..3 {
        text.push_str(&format!(
            "\n[graph.main.uc.Start{start}]\nstart = true\nout = {{ \"o[k]\" = \"int\" }}\n\
             route = [\"o[k] <- k for k in 0..40\"]\n"
        ));
    }
    text.push_str(
        "\n[graph.main.uc.Node]\nin = { a = \"int\" }\nvars = { k = \"int\" }\n\
         fire = [\"a -> x if 12 / (1 - k) < 100\"]\ndo = 'k += 1;'\n",
    );
    let plan = faulty_plan(&text);
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let recorded = record_as(&plan, &options_with(&mut dice, natives(None)), Recording::Choices);
        assert_eq!(recorded.report.errors.len(), 1);
        let kept = minimal_of(&recorded.batches);
        let replayed = replay_minimal(&plan, &options_with(&mut dice, natives(None)), &recorded, &kept);
        assert_same(&plan, &replayed, &recorded, &text);
    }
}

/// The generators do what they are for: events fail in each phase and are stopped, and values are left to a stop node.
#[test]
fn the_generated_faults_occur() {
    let mut failed: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut n_stopped, mut n_ends, mut n_handled, mut n_retries) = (0, 0, 0, 0);
    for seed in 0..300 {
        let text = faulty::program(seed);
        let plan = faulty_plan(&text);
        let stop = StopSignal::default();
        let halting = natives(Some((stop.clone(), 5)));
        let recorded =
            record_as(&plan, &RunOptions { stop, natives: halting, ..options(2, None) }, Recording::Full);
        let events = recorded.batches.iter().flat_map(EventBatch::events);
        let is_stopped = |event: &EventRecord| event.outcome == Outcome::Stopped && !event.effects.is_empty();
        n_stopped += events.filter(is_stopped).count();
        for handled in &recorded.report.handled {
            n_handled += handled.n_events;
            n_retries += handled.n_retries;
        }
        for error in &recorded.report.errors {
            let node = plan.templates.iter().find(|template| template.name == "Node").unwrap();
            let has_rule = error.values.iter().any(|seen| seen.name == "rule" && seen.text != "-1");
            let phase = match () {
                () if !has_rule => "init",
                () if error.code == "R0004" => "arc",
                () if node.fire.iter().any(|rule| rule.at == error.at) => "guard",
                () if node.route.iter().any(|rule| rule.at == error.at) => "route",
                () => "body",
            };
            *failed.entry(phase).or_default() += 1;
        }
        let plan = faulty_plan(&faulty::stopping(seed));
        let recorded = record_as(&plan, &options(2, None), Recording::Full);
        n_ends += u32::from(recorded.report.outcome == hasse_runtime::report::RunOutcome::Finished);
    }
    let phases: Vec<_> = failed.keys().copied().collect();
    assert_eq!(phases, ["arc", "body", "guard", "init", "route"], "{failed:?}");
    assert!(
        failed.values().all(|n_failed| *n_failed >= 5) && n_stopped >= 5,
        "{failed:?}, {n_stopped} stopped"
    );
    assert!(n_ends >= 100, "{n_ends}");
    assert!(n_handled >= 30 && n_retries >= 10, "{n_handled} handled, {n_retries} retries");
}
