//! The values of an event are the same from a replay of its past, from a replay of the whole run, and from a minimal
//! record; and an event that is executed alone does what it did.

use std::collections::BTreeMap;

use hasse::event::{self, EventValues, Ground};
use hasse::{Natives, Options, Program, Recorded, RecordingMode, Trace};
use hasse_debugger::event_path::EventPath;
use hasse_debugger::past::History;
use hasse_model::event::{EventRecord, LocalState, Outcome};
use hasse_model::id::TemplateId;
use hasse_model::trace::{Names, TraceReader};
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::run::{RunOptions, replay};
use proptest::prelude::*;

use crate::generator::{self, Dice};
use crate::recording::{MemorySink, lines, options};
use crate::{WORKER_COUNTS, n_programs};

fn read(trace: &Trace) -> Recorded {
    Recorded::read_events(TraceReader::open(trace.bytes()).unwrap()).unwrap()
}

/// Every event of a whole replay with all of its values, by path.
fn whole(program: &Program, recorded: &Recorded) -> BTreeMap<String, EventRecord> {
    let plan = program.plan();
    let mut capture = Capture::none();
    for template in 0..plan.templates.len() {
        capture.add(TemplateId::from_idx(template), Captured::ALL);
    }
    let sink = MemorySink::default();
    let run_options = RunOptions { capture, ..options(2, None) };
    let output = lines().1;
    let report =
        replay(plan, &run_options, recorded.record.clone(), Some(Box::new(sink.clone())), output).unwrap();
    assert_eq!(report.divergence, None);
    let batches = sink.batches();
    let mut names = Names::new(&recorded.header);
    batches.iter().for_each(|batch| names.read(batch));
    let events = batches.iter().flat_map(|batch| batch.events());
    events.map(|event| (names.event(event.id).to_string(), event)).collect()
}

type Named = Vec<(String, Value)>;

/// What of an event's values does not depend on who is asked.
fn parts(local: &LocalState) -> [Named; 9] {
    let local = local.clone();
    let lines = local.lines.into_iter().map(|line| (line, Value::Unit)).collect();
    let receivers = local.receivers.into_iter().map(|(at, port)| (port, Value::Int(at as i64))).collect();
    let LocalState { took, before, after, sent, found, shared_before, lets, results, .. } = local;
    let mut shared = shared_before;
    shared.extend(local.shared_after);
    let before = [found, before].concat();
    [took, before, after, sent, shared, lets, results, lines, receivers]
}

fn local_of(values: &EventValues) -> LocalState {
    let mut local = LocalState {
        took: values.took.iter().map(|taken| (taken.port.clone(), taken.value.clone())).collect(),
        sent: values.sent.iter().map(|sent| (sent.port.clone(), sent.value.clone())).collect(),
        lets: values.lets.clone(),
        lines: values.lines.clone(),
        results: values.results.clone(),
        ..LocalState::default()
    };
    for var in &values.vars {
        let put = |list: &mut Named, value: &Option<Value>| {
            list.extend(value.clone().map(|value| (var.name.clone(), value)));
        };
        put(&mut local.found, &var.found);
        put(&mut local.before, &var.before);
        put(&mut local.after, &var.after);
    }
    for shared in &values.shared {
        local.shared_before.push((shared.name.clone(), shared.before.clone()));
        local.shared_after.extend(shared.after.clone().map(|after| (shared.name.clone(), after)));
    }
    for (at, sent) in values.sent.iter().enumerate() {
        local.receivers.extend(sent.to.iter().map(|to| (at, to.clone())));
    }
    local
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs().div_ceil(10), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_event_alone_is_what_it_was(seed: u64, size in 1_usize..10) {
        let text = generator::program(seed, size);
        let program = Program::from_text(&text, &Natives::new()).unwrap();
        let mut dice = Dice::new(!seed);
        let asked = Options::new().workers(WORKER_COUNTS[dice.below(4)]).seed(seed).output(|_| {});
        let (_, trace) = program.record(&asked).unwrap();
        let (_, minimal) = program.replay_recorded(&trace, &asked.clone().mode(RecordingMode::Minimal)).unwrap();
        let (recorded, minimal) = (read(&trace), read(&minimal));
        let run_options = options(WORKER_COUNTS[dice.below(4)], None);
        let ground = Ground { plan: program.plan(), recorded: &recorded, options: &run_options };
        let events = whole(&program, &recorded);
        prop_assume!(!events.is_empty());
        let paths: Vec<&String> = events.keys().collect();
        for _ in 0..4 {
            let path = paths[dice.below(paths.len())];
            let expected = events[path].local.as_deref().cloned().unwrap_or_default();
            let values = event::values(ground, path).unwrap();
            prop_assert_eq!(&values.event, path);
            prop_assert_eq!(parts(&local_of(&values)), parts(&expected), "{} of\n{}", path, text);
            prop_assert_eq!(values.took.len(), events[path].flow.len());
            prop_assert_eq!(values.shared.len(), expected.shared_before.len());
            prop_assert!(values.replayed.n_replayed <= events.len() as u64);

            let of_minimal = event::values(Ground { recorded: &minimal, ..ground }, path).unwrap();
            prop_assert_eq!(parts(&local_of(&of_minimal)), parts(&expected), "{} of\n{}", path, text);
            let senders = |values: &EventValues| values.took.iter().map(|taken| taken.sender.clone()).collect::<Vec<_>>();
            prop_assert_eq!(senders(&of_minimal), senders(&values));

            let (isolation, _) = event::isolate(ground, path).unwrap();
            let kept = event::Isolation::from_json(&isolation.to_json()).unwrap();
            prop_assert_eq!(&kept, &isolation);
            let executed = kept.execute(program.plan(), &run_options, false, 2).unwrap();
            let differences = executed.differences.clone().unwrap_or_default();
            prop_assert!(differences.is_empty(), "{} of\n{}\n{:#?}", path, text, differences);
            prop_assert!(executed.not_repeated.is_empty());
            prop_assert_eq!(executed.differences.is_none(), events[path].outcome == Outcome::Stopped);
        }
    }

    /// What is before an event is replayed, and nothing else.
    #[test]
    fn the_past_alone_is_replayed(seed: u64, size in 1_usize..10) {
        let program = Program::from_text(&generator::program(seed, size), &Natives::new()).unwrap();
        let (_, trace) = program.record(&Options::new().workers(4).seed(seed).output(|_| {})).unwrap();
        let recorded = read(&trace);
        let history = History::new(&recorded.record.batches);
        let mut names = Names::new(&recorded.header);
        recorded.record.batches.iter().for_each(|batch| names.read(batch));
        let run_options = options(2, None);
        let ground = Ground { plan: program.plan(), recorded: &recorded, options: &run_options };
        let mut dice = Dice::new(seed);
        let (action, n_events) = history.actions()[dice.below(history.actions().len())];
        let path = format!("{}:{}", names.action(action), 1 + dice.below(n_events as usize));
        let id = EventPath::parse(&path).unwrap().find(&names, history.actions()).unwrap();
        let values = event::values(ground, &path).unwrap();
        prop_assert_eq!(values.replayed.n_replayed, history.past(id).len() as u64);
        prop_assert_eq!(values.replayed.n_recorded, Some(history.n_events() as u64));
        let why = event::why(ground, &path, 3, true).unwrap();
        prop_assert_eq!(why.replayed.unwrap().n_replayed, history.past(id).len() as u64);
        let without = event::why(ground, &path, 3, false).unwrap();
        prop_assert_eq!(without.explained.causes.len(), why.explained.causes.len());
    }
}
