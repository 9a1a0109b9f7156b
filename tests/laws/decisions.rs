//! Law 8: a run whose choices are decided from outside is a function of these decisions, its records replay, and every run is
//! one of those that decisions make.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::plan::Plan;
use hasse_model::trace::Names;
use hasse_runtime::decision::{
    ChoiceKind, ChoicePoint, Choose, Chooser, Chosen, ExecutedEvent, Logged, Possibility, Rest, Stop,
};
use hasse_runtime::report::RunOutcome;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions, run};
use proptest::prelude::*;

use crate::generator::{self, Dice};
use crate::minimal::{assert_same_run, replay_minimal};
use crate::recording::{
    Recorded, compile, digest, names, options, record, record_as, record_restricted, record_with, replay_of,
    sorted,
};
use crate::restricted::choose;
use crate::{WORKER_COUNTS, assert_linear_extension, n_programs};

fn decided(chosen: &Chosen, seed: u64) -> RunOptions {
    RunOptions { chooser: Some(Chooser::from(chosen)), ..options(1, Some(seed)) }
}

fn events(recorded: &Recorded) -> Vec<EventRecord> {
    recorded.batches.iter().flat_map(EventBatch::events).collect()
}

/// Checks the executions of a log against the full record of the run.
fn assert_log_is_as_recorded(log: &[Logged], recorded: &Recorded, plan: &Plan, text: &str) {
    let names = names(plan, &recorded.batches);
    let executed: Vec<&ExecutedEvent> = log
        .iter()
        .filter_map(|logged| match logged {
            Logged::Executed(event) => Some(event),
            Logged::Decision(_) => None,
        })
        .collect();
    let events = events(recorded);
    assert_eq!(executed.len(), events.len(), "{text}");
    for (executed, event) in executed.iter().zip(&events) {
        let named = |id| names.event(id).to_string();
        assert_eq!(executed.event.to_string(), named(event.id), "{text}");
        assert_eq!((executed.rule, executed.outcome), (event.rule, event.outcome), "{text}");
        let took = executed.took.iter().map(|taken| taken.sender.as_ref().unwrap().to_string());
        let flow: Vec<_> = event.flow.iter().map(|&sender| named(sender)).collect();
        assert_eq!(took.collect::<Vec<_>>(), flow, "{text}");
        let objects = executed.objects.iter().map(|used| (used.object.to_string(), used.access));
        let accesses =
            event.shared.iter().map(|access| (names.object(access.object).to_string(), access.access));
        assert_eq!(objects.collect::<Vec<_>>(), accesses.collect::<Vec<_>>(), "{text}");
        assert_eq!(executed.sent.len() as u64, event.flow_successors, "{text}");
        assert_eq!(executed.asks, event.effects.iter().any(|effect| effect.kind.is_question()), "{text}");
    }
}

/// Follows a record: chooses its events one after the other, each with its rule and its senders.
struct Follower {
    /// Events in a causal order.
    events: VecDeque<EventRecord>,
    /// The event that is executing.
    current: Option<EventRecord>,
    names: Names,
    /// The first point at which what is recorded was not possible.
    failure: Option<String>,
}

impl Follower {
    fn wanted(&mut self, kind: &ChoiceKind) -> Option<String> {
        match kind {
            ChoiceKind::Next => {
                self.current = self.events.pop_front();
                self.current.as_ref().map(|event| self.names.event(event.id).to_string())
            }
            ChoiceKind::Arrival { value, .. } => {
                self.current.as_ref()?.flow.get(*value).map(|&sender| self.names.event(sender).to_string())
            }
            _ => self.current.as_ref().map(|event| event.rule.to_string()),
        }
    }
}

impl Choose for Follower {
    fn choose(&mut self, point: &ChoicePoint<'_>) -> Result<usize, Stop> {
        let wanted = self.wanted(point.kind);
        let is_wanted = |possibility: &Possibility| match possibility {
            Possibility::Begin { event, .. } => Some(event.to_string()),
            Possibility::Value { sender, .. } => sender.as_ref().map(ToString::to_string),
            Possibility::Rule { rule, .. } => Some(rule.to_string()),
            _ => None,
        };
        let position =
            wanted.is_some().then(|| point.possible.iter().position(|item| is_wanted(item) == wanted));
        position.flatten().ok_or_else(|| {
            let failure = format!("{}: {wanted:?} is none of {:?}", point.kind, point.possible);
            self.failure = Some(failure.clone());
            Stop::new(failure)
        })
    }
}

/// The events of a record one after the other, as a run could execute them: that of the stop node last, as none begins after.
fn one_by_one(plan: &Plan, recorded: &Recorded) -> VecDeque<EventRecord> {
    let names = names(plan, &recorded.batches);
    let (delivered, _) = sorted(&recorded.batches);
    let is_last = |event: &EventRecord| {
        let template = names.template_of(event.id.action);
        event.id.count == 1 && template.is_some_and(|template| plan.template(template).is_stop)
    };
    let (last, mut first): (VecDeque<_>, VecDeque<_>) = delivered.into_iter().partition(is_last);
    first.extend(last);
    first
}

/// Runs a program by decisions that follow a record.
fn follow(plan: &Plan, recorded: &Recorded, options: &RunOptions) -> (Recorded, Option<String>) {
    let follower = Follower {
        events: one_by_one(plan, recorded),
        current: None,
        names: names(plan, &recorded.batches),
        failure: None,
    };
    let follower = Arc::new(Mutex::new(follower));
    let chooser = Some(Chooser::new(Arc::clone(&follower)));
    let followed = record_with(plan, &RunOptions { chooser, n_workers: 1, ..options.clone() });
    let failure = follower.lock().unwrap().failure.take();
    (followed, failure)
}

pub fn assert_is_decided(plan: &Plan, recorded: &Recorded, options: &RunOptions, text: &str) {
    let (followed, failure) = follow(plan, recorded, options);
    assert_eq!(failure, None, "{text}");
    assert_eq!(digest(plan, &followed.batches), digest(plan, &recorded.batches), "{text}");
    assert_eq!(followed.report.outcome, recorded.report.outcome, "{text}");
    assert_eq!(followed.report.results, recorded.report.results, "{text}");
    assert_eq!(followed.report.errors, recorded.report.errors, "{text}");
    assert_eq!(followed.report.quiescence, recorded.report.quiescence, "{text}");
    let sorted = |lines: &[String]| {
        let mut lines = lines.to_vec();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&followed.lines), sorted(&recorded.lines), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn same_decisions_give_the_same_run(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        let plan = compile(&text);
        let chosen = Chosen::new([]).rest(Rest::Random(!seed));
        let first = record_with(&plan, &decided(&chosen, seed));
        let log = chosen.log();
        assert_log_is_as_recorded(&log, &first, &plan, &text);
        let taken = chosen.taken();
        prop_assert_eq!(chosen.n_unused(), 0);

        // From its own log.
        let again = Chosen::new(taken).rest(Rest::Stop);
        let second = record_with(&plan, &decided(&again, seed));
        prop_assert_eq!(&again.log(), &log, "{}", text);
        prop_assert_eq!(again.n_unused(), 0);
        prop_assert_eq!(events(&second), events(&first), "{}", text);
        prop_assert_eq!(digest(&plan, &second.batches), digest(&plan, &first.batches), "{}", text);
        assert_same_run(&second, &first, &text);
        prop_assert_eq!(&second.report.stopped_at, &None);

        // Whatever is recorded.
        let output = Box::new(|_: &str| {});
        let report = run(&plan, &decided(&again, seed), Recording::None, output).unwrap();
        prop_assert_eq!(&again.log(), &log, "{}", text);
        prop_assert_eq!(&report.results, &first.report.results);
        let selected = choose(&mut Dice::new(seed), &plan, true).resolve(&plan).unwrap();
        let restricted = record_restricted(&plan, &decided(&again, seed), &selected);
        prop_assert_eq!(&again.log(), &log, "{}", text);
        assert_same_run(&restricted, &first, &text);
        let recording = [Recording::Minimal, Recording::Choices, Recording::Perf][seed as usize % 3];
        let recorded = record_as(&plan, &decided(&again, seed), recording);
        prop_assert_eq!(&again.log(), &log, "{}", text);
        assert_same_run(&recorded, &first, &text);
    }

    #[test]
    fn decided_runs_replay(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        let plan = compile(&text);
        let mut dice = Dice::new(seed);
        let chosen = Chosen::new([]).rest(Rest::Random(seed));
        let full = record_with(&plan, &decided(&chosen, seed));
        assert_linear_extension(&events(&full));
        let replayed = replay_of(&plan, &full.batches, WORKER_COUNTS[dice.below(4)], None);
        assert_same_run(&replayed, &full, &text);
        prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &full.batches), "{}", text);
        let minimal = record_as(&plan, &decided(&chosen, seed), Recording::Minimal);
        let options = options(WORKER_COUNTS[dice.below(4)], Some(!seed));
        let replayed = replay_minimal(&plan, &options, &minimal, &minimal.batches);
        assert_same_run(&replayed, &full, &text);
        prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &full.batches), "{}", text);
    }

    #[test]
    fn stopped_runs_replay_their_prefix(seed: u64, size in 1_usize..12, at in 0.0_f64..1.0) {
        let text = generator::program(seed, size);
        let plan = compile(&text);
        let mut dice = Dice::new(seed);
        let whole = Chosen::new([]).rest(Rest::Random(seed));
        let full = record_with(&plan, &decided(&whole, seed));
        let mut taken = whole.taken();
        taken.truncate((taken.len() as f64 * at) as usize);
        let n_points = taken.len();
        let prefix = Chosen::new(taken).rest(Rest::Stop);
        let stopped = record_with(&plan, &decided(&prefix, seed));
        prop_assert_eq!(stopped.report.outcome, RunOutcome::Stopped);
        let stopped_at = stopped.report.stopped_at.clone().unwrap();
        prop_assert_eq!(stopped_at.position, n_points);
        let decision = &whole.points()[n_points];
        prop_assert_eq!((&stopped_at.kind, &stopped_at.possible), (&decision.kind, &decision.possible));
        let n_events = stopped.report.n_events as usize;
        prop_assert_eq!(&events(&stopped)[..], &events(&full)[..n_events], "{}", text);
        let replayed = replay_of(&plan, &stopped.batches, WORKER_COUNTS[dice.below(4)], None);
        prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
        prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &stopped.batches), "{}", text);
        let minimal = record_as(&plan, &decided(&prefix, seed), Recording::Minimal);
        let replayed = replay_minimal(&plan, &options(2, Some(seed)), &minimal, &minimal.batches);
        prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
        prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &stopped.batches), "{}", text);
    }

    #[test]
    fn every_run_is_a_sequence_of_decisions(seed: u64, size in 1_usize..12) {
        // With bounds, not every causal order of the events can be executed one by one.
        let text = generator::unbounded_program(seed, size);
        let plan = compile(&text);
        let mut dice = Dice::new(!seed);
        // Who is reclaimed, and so not reported as waiting, depends on the schedule.
        let options = RunOptions { reclaim_above: DEFAULT_RECLAIM_ABOVE, ..options(WORKER_COUNTS[dice.below(4)], Some(seed)) };
        let recorded = record_with(&plan, &options);
        assert_is_decided(&plan, &recorded, &options, &text);
    }

    #[test]
    fn every_run_of_cycles_is_a_sequence_of_decisions(seed: u64, size in 1_usize..6) {
        let text = crate::flows::program(seed, size);
        let plan = compile(&text);
        let mut dice = Dice::new(!seed);
        let recorded = record(&plan, WORKER_COUNTS[dice.below(4)], (dice.below(2) > 0).then_some(seed));
        let (followed, failure) = follow(&plan, &recorded, &options(1, Some(seed)));
        prop_assert_eq!(failure, None, "{}", text);
        prop_assert_eq!(digest(&plan, &followed.batches), digest(&plan, &recorded.batches), "{}", text);
    }
}

#[test]
fn possibilities_are_sorted_and_differ() {
    for seed in 0..u64::from(n_programs().min(40)) {
        let plan = compile(&generator::program(seed, 8));
        let chosen = Chosen::new([]).rest(Rest::Random(seed));
        record_with(&plan, &decided(&chosen, seed));
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for point in chosen.points() {
            let shown: Vec<_> = point.possible.iter().map(ToString::to_string).collect();
            let mut distinct = shown.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), shown.len(), "{shown:?}");
            assert!(shown.len() > 1 || point.kind == ChoiceKind::Next);
            *seen.entry(point.kind.to_string()).or_default() += 1;
        }
        assert!(!seen.is_empty());
    }
}
