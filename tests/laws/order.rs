//! Law 6: values that one action sends to one port of another one, or of itself, are taken in the order in which they were
//! sent, whatever is recorded, with any number of workers, with and without noise, and however bodies are executed.
//!
//! Two judges look for a value that was passed: the program itself ([`flows`](crate::flows)), which works without a record,
//! too, and the record, of nodes that compare nothing.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::{ActionId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::record_options::{RecordOption, RecordOptions};
use hasse_model::value::Value;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{Recording, RunOptions, ScriptTiers, run};
use proptest::prelude::*;

use crate::generator::Dice;
use crate::minimal::replay_minimal;
use crate::recording::{Recorded, compile, lines, names, options, record_as, replay_with};
use crate::{WORKER_COUNTS, flows, n_programs};

/// A program that has not ended by then never will: the fault is reported as one that can be found.
const NEVER: Duration = Duration::from_secs(300);

const TIERS: [ScriptTiers; 4] =
    [ScriptTiers::Auto, ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native];

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_of_one_sender_are_taken_in_order(seed: u64, size in 1_usize..6) {
        let text = flows::program(seed, size);
        let plan = compile(&text);
        let mut dice = Dice::new(!seed);
        for nth in 0..3 {
            // Noise comes with a scheduler of its own, which serves fewer events on the fast path.
            let noise = (nth > 0 && dice.chance(25)).then(|| dice.below(1 << 30) as u64);
            let n_workers = WORKER_COUNTS[if nth == 0 { 0 } else { dice.below(4) }];
            let reclaim_above = if dice.chance(50) { 0 } else { u64::MAX };
            let tiers = TIERS[if nth == 0 { 0 } else { dice.below(4) }];
            let options = RunOptions { tiers, reclaim_above, ..options(n_workers, noise) };
            judge(&text, &plan, &options, &mut dice)?;
        }
    }
}

/// Runs a program in one recording mode, and replays it if it can be replayed.
fn judge(text: &str, plan: &Plan, options: &RunOptions, dice: &mut Dice) -> Result<(), TestCaseError> {
    let how = format!("{} workers, seed {:?}, {:?}", options.n_workers, options.seed, options.tiers);
    let judged = |recorded: &Recorded, mode: &str| {
        assert_in_order(&recorded.report, text, &format!("{mode}, {how}"))?;
        assert_record_in_order(plan, &recorded.batches, text, &format!("{mode}, {how}"))
    };
    let other_options = |dice: &mut Dice| RunOptions {
        n_workers: WORKER_COUNTS[dice.below(4)],
        seed: dice.chance(30).then(|| dice.below(1 << 30) as u64),
        ..options.clone()
    };
    match dice.below(7) {
        0 | 1 => {
            let report = ended(options, || run(plan, options, Recording::None, lines().1).unwrap());
            assert_in_order(&report, text, &format!("nothing recorded, {how}"))?;
        }
        2 | 3 => {
            let recorded = ended(options, || record_as(plan, options, Recording::Full));
            judged(&recorded, "full")?;
            let replay_options = other_options(dice);
            let replayed = ended(&replay_options, || replay_with(plan, &replay_options, &recorded.batches));
            prop_assert_eq!(&replayed.report.divergence, &None, "{}\n{}", how, text);
            judged(&replayed, "replay of a full record")?;
        }
        4 => {
            let recorded = ended(options, || record_as(plan, options, Recording::Minimal));
            assert_in_order(&recorded.report, text, &format!("minimal, {how}"))?;
            let replay_options = other_options(dice);
            let replayed = ended(&replay_options, || {
                replay_minimal(plan, &replay_options, &recorded, &recorded.batches)
            });
            prop_assert_eq!(&replayed.report.divergence, &None, "{}\n{}", how, text);
            prop_assert_eq!(replayed.report.n_events, recorded.report.n_events, "{}\n{}", how, text);
            judged(&replayed, "replay of a minimal record")?;
        }
        5 => {
            let selected = RecordOptions::restricted().set("Judge", RecordOption::Full);
            let selected = selected.unwrap().resolve(plan).unwrap();
            let restricted = |sink| Recording::Restricted(sink, selected.clone());
            let recorded = ended(options, || record_as(plan, options, restricted));
            assert_in_order(&recorded.report, text, &format!("restricted, {how}"))?;
        }
        _ => judged(&ended(options, || record_as(plan, options, Recording::Perf)), "perf")?,
    }
    Ok(())
}

/// Carries out a run; one that does not end is stopped, and ends as stopped.
fn ended<R>(options: &RunOptions, run: impl FnOnce() -> R) -> R {
    let (over, is_over) = mpsc::channel::<()>();
    let stop = options.stop.clone();
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_over.recv_timeout(NEVER) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.stop();
            }
        });
        let done = run();
        drop(over);
        done
    })
}

fn assert_in_order(report: &RunReport, text: &str, how: &str) -> Result<(), TestCaseError> {
    let broken = report.results.iter().find(|(name, _)| name == "broken");
    prop_assert_eq!(broken, None, "a value was passed: {}\n{}", how, text);
    let outcome = report.outcome.name();
    prop_assert!(outcome != "stopped", "the program does not end: {}\n{}", how, text);
    Ok(())
}

/// Of each port, the senders of the values that its action takes: of each of them, later events come later.
fn assert_record_in_order(
    plan: &Plan,
    batches: &[EventBatch],
    text: &str,
    how: &str,
) -> Result<(), TestCaseError> {
    let names = names(plan, batches);
    let mut events: Vec<EventRecord> = batches.iter().flat_map(EventBatch::events).collect();
    events.sort_by_key(|event| event.id);
    let mut last: BTreeMap<(ActionId, usize, ActionId), u64> = BTreeMap::new();
    for event in &events {
        let Some(template) = names.template_of(event.id.action) else { continue };
        for (port, sender) in ports_of(plan, template, event.rule).zip(&event.flow) {
            let last = last.entry((event.id.action, port, sender.action)).or_default();
            let is_later = *last <= sender.count;
            let event = names.event(event.id).to_string();
            prop_assert!(is_later, "{} takes a value that was passed: {}\n{}", event, how, text);
            *last = sender.count;
        }
    }
    Ok(())
}

/// The ports that a firing rule takes from, in its order; none where they are those of a family.
fn ports_of(plan: &Plan, template: TemplateId, rule: i32) -> impl Iterator<Item = usize> {
    let rule = usize::try_from(rule).ok().and_then(|rule| plan.template(template).fire.get(rule));
    let takes = rule.map_or(&[][..], |rule| &rule.takes);
    let is_plain = takes.iter().all(|take| take.loops.is_empty() && take.elements.is_empty());
    takes.iter().filter(move |_| is_plain).map(|take| take.port)
}

/// Named results of a run.
type Results = Vec<(String, Value)>;

/// Runs a program several times with 1 and 2 workers, and gives what it printed and its results.
fn outputs(text: &str, n_runs: usize) -> Vec<(Vec<String>, Results)> {
    let plan = compile(text);
    let outputs = (0..n_runs).map(|nth| {
        let options = options(1 + nth % 2, None);
        let (printed, output) = lines();
        let report = ended(&options, || run(&plan, &options, Recording::None, output).unwrap());
        assert_ne!(report.outcome.name(), "stopped", "the program does not end");
        (printed.lock().unwrap().clone(), report.results)
    });
    outputs.collect()
}

#[test]
fn self_loop_values_keep_their_order() {
    for (text, n_runs) in [
        (include_str!("../cases/order/shared-object.hasse"), 4),
        (include_str!("../cases/order/two-senders.hasse"), 20),
    ] {
        for (printed, _) in outputs(text, n_runs) {
            assert_eq!(printed, [""; 0]);
        }
    }
}

#[test]
fn first_events_of_an_instance_keep_the_order_of_later_ones() {
    let text = include_str!("../cases/order/first-events.hasse");
    let plan = compile(text);
    for _ in 0..10 {
        let recorded = record_as(&plan, &options(1, None), Recording::Full);
        assert_record_in_order(&plan, &recorded.batches, text, "full, 1 worker").unwrap();
    }
}

#[test]
fn events_that_print_keep_the_order_of_others() {
    for (_, results) in outputs(include_str!("../cases/order/printing.hasse"), 4) {
        assert_eq!(results, []);
    }
}

#[test]
fn self_loop_does_not_keep_other_values_waiting() {
    for (_, results) in outputs(include_str!("../cases/order/two-rounds.hasse"), 4) {
        assert_eq!(results, [("rounds".to_owned(), Value::Int(101))]);
    }
    for (_, results) in outputs(include_str!("../cases/order/another-port.hasse"), 4) {
        assert_eq!(results, [("ended by".to_owned(), Value::Int(1))]);
    }
}
