//! The state of a run at a cut is all that the rest of the run depends on: a run that goes on from its bytes, with any number
//! of workers, does what the undisturbed one does; and if its choices are free, what was before the cut and what it
//! records are one record.

use std::collections::BTreeSet;

use hasse_model::event::{EventBatch, EventRecord, QueueChange};
use hasse_model::id::{EventId, GraphInstanceId};
use hasse_model::plan::Plan;
use hasse_model::record_options::ResolvedOptions;
use hasse_model::snapshot::{Cut, Snapshot};
use hasse_model::value::Value;
use hasse_runtime::run::{MinimalRecord, Recording, ReplayRecord, Run, RunOptions, RuntimeError};
use proptest::prelude::*;

use crate::bounds::without_room;
use crate::faults::natives;
use crate::generator::{self, Dice};
use crate::recording::{
    MemorySink, Recorded, compile, compile_with, digest, lines, options, record_with, replay_record,
    replay_with, sorted,
};
use crate::{WORKER_COUNTS, digest_with_names, faulty, flows, n_programs};

pub fn generated(seed: u64, size: usize) -> String {
    match seed % 4 {
        0 => flows::program(seed, size),
        1 => faulty::program(seed),
        _ => generator::program(seed, size),
    }
}

pub fn some_options(dice: &mut Dice) -> RunOptions {
    let noise = (dice.below(4) > 0).then(|| dice.below(1 << 30) as u64);
    RunOptions { natives: natives(None), ..options(WORKER_COUNTS[dice.below(4)], noise) }
}

/// The events of a record in an order in which each comes after all that are before it, drawn by dice.
fn some_order(batches: &[EventBatch], dice: &mut Dice) -> Vec<EventRecord> {
    let mut batches = batches.to_vec();
    for place in (1..batches.len()).rev() {
        batches.swap(place, dice.below(place + 1));
    }
    sorted(&batches).0
}

/// A run at a cut that knows nothing but the bytes of another one.
fn revived<'p>(plan: &'p Plan, options: &RunOptions, run: Run<'p>) -> Run<'p> {
    let mut bytes = Vec::new();
    run.snapshot().write(&mut bytes).unwrap();
    drop(run);
    Run::from_snapshot(plan, options, Snapshot::read(&mut bytes.as_slice()).unwrap()).unwrap()
}

/// The record of these events, which are all events before a cut.
fn record_before(batches: &[EventBatch], events: &[EventRecord]) -> EventBatch {
    let mut before = EventBatch::default();
    let actions: BTreeSet<_> = events.iter().map(|event| event.id.action).collect();
    let known = batches.iter().flat_map(|batch| &batch.actions);
    before.actions = known.filter(|known| actions.contains(&known.action)).cloned().collect();
    let objects: BTreeSet<_> =
        events.iter().flat_map(|event| &event.shared).map(|access| access.object).collect();
    let known = batches.iter().flat_map(|batch| &batch.objects);
    before.objects = known.filter(|known| objects.contains(&known.object)).cloned().collect();
    let graphs: Vec<_> = batches.iter().flat_map(|batch| &batch.graphs).collect();
    let mut open: Vec<GraphInstanceId> = before.actions.iter().map(|known| known.graph).collect();
    open.extend(before.objects.iter().map(|known| known.graph));
    let mut named = BTreeSet::new();
    while let Some(graph) = open.pop() {
        if named.insert(graph) {
            open.extend(graphs.iter().filter(|known| known.graph == graph).map(|known| known.parent));
        }
    }
    before.graphs = graphs.into_iter().filter(|known| named.contains(&known.graph)).cloned().collect();
    events.iter().cloned().for_each(|mut event| before.push(&mut event));
    for mut edit in batches.iter().flat_map(|batch| &batch.edits).cloned() {
        let own = (edit.template, edit.graph, edit.index.clone());
        if let QueueChange::NoRoom(dropped) = &mut edit.change {
            let is_before = |id| events.iter().any(|event| event.id == id);
            let receiver = before
                .actions
                .iter()
                .find(|known| (known.template, known.graph, &known.index) == (own.0, own.1, &own.2));
            // It may have taken a value that was behind one that was dropped.
            let has_taken = |sender| {
                events.iter().any(|event| {
                    receiver.is_some_and(|receiver| receiver.action == event.id.action)
                        && event.flow.contains(&sender)
                })
            };
            dropped.retain(|dropped| {
                is_before(dropped.sender) && (is_before(dropped.by) || has_taken(dropped.sender))
            });
        }
        before.edits.push(edit);
    }
    before
}

struct Cuts<'r> {
    plan: &'r Plan,
    recorded: &'r Recorded,
    order: Vec<EventRecord>,
}

impl Cuts<'_> {
    fn cut(&self, n_events: usize) -> Cut {
        Cut::after(self.order[..n_events].iter().map(|event| event.id))
    }

    /// Replays what comes after a cut, and compares it with the recorded run.
    fn assert_same(&self, run: &Run<'_>, n_before: usize, mut written: Vec<String>) {
        let (sink, (more, output)) = (MemorySink::default(), lines());
        let record = replay_record(self.plan, &self.recorded.batches);
        let report = run.replay(record, Some(Box::new(sink.clone())), output).unwrap();
        let (expected, batches) = (&self.recorded.report, sink.batches());
        assert_eq!(report.divergence, None);
        written.extend(more.lock().unwrap().iter().cloned());
        assert_eq!(written, self.recorded.lines);
        let events =
            self.order[..n_before].iter().cloned().chain(batches.iter().flat_map(EventBatch::events));
        let events: Vec<_> = events.collect();
        assert_eq!(
            digest_with_names(self.plan, &self.recorded.batches, &events),
            digest(self.plan, &self.recorded.batches)
        );
        assert_eq!(report.results, expected.results);
        assert_eq!(report.outcome, expected.outcome);
        assert_eq!(report.errors, expected.errors);
        assert_eq!(without_room(&report), without_room(expected));
        assert_eq!(report.n_events, expected.n_events);
        assert_eq!(report.n_actions, expected.n_actions);
    }

    /// Goes on freely, and replays the record of the whole.
    fn assert_whole(&self, run: &Run<'_>, n_before: usize, mut written: Vec<String>, n_workers: usize) {
        let (sink, (more, output)) = (MemorySink::default(), lines());
        let report = run.run(Recording::Full(Box::new(sink.clone())), output).unwrap();
        written.extend(more.lock().unwrap().iter().cloned());
        let mut batches = vec![record_before(&self.recorded.batches, &self.order[..n_before])];
        batches.extend(sink.batches());
        let options = RunOptions { natives: natives(None), ..options(n_workers, None) };
        let replayed = replay_with(self.plan, &options, &batches);
        assert_eq!(replayed.report.divergence, None);
        assert_eq!(replayed.lines, written);
        assert_eq!(digest(self.plan, &replayed.batches), digest(self.plan, &batches));
        assert_eq!(replayed.report.results, report.results);
        assert_eq!(replayed.report.outcome, report.outcome);
        assert_eq!(replayed.report.errors, report.errors);
        assert_eq!(replayed.report.n_events, report.n_events);
    }
}

/// Takes a run to three cuts, writes its state, goes on from the bytes, and compares.
fn go_on_from_bytes(seed: u64, size: usize) {
    let plan = compile_with(&generated(seed, size), &natives(None).functions().unwrap());
    let mut dice = Dice::new(!seed);
    let recorded = record_with(&plan, &some_options(&mut dice));
    let order = some_order(&recorded.batches, &mut dice);
    let cuts = Cuts { plan: &plan, recorded: &recorded, order };
    let mut places = [0; 3].map(|_| dice.below(cuts.order.len() + 1));
    places.sort_unstable();
    let mut at: Option<(Run<'_>, Vec<String>)> = None;
    for n_before in places {
        let options = some_options(&mut dice);
        let (cut, record) = (cuts.cut(n_before), replay_record(&plan, &recorded.batches));
        let (more, output) = lines();
        // From the beginning, or from the cut before.
        let (run, mut written) = match at.take().filter(|_| dice.below(2) > 0) {
            Some((run, written)) => (run.replay_to(record, &cut, output).unwrap(), written),
            None => (Run::at_cut(&plan, &options, record, &cut, output).unwrap(), Vec::new()),
        };
        written.extend(more.lock().unwrap().iter().cloned());
        let run = revived(&plan, &options, run);
        cuts.assert_same(&run, n_before, written.clone());
        cuts.assert_whole(&run, n_before, written.clone(), WORKER_COUNTS[dice.below(4)]);
        at = Some((run, written));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_run_goes_on_from_its_bytes(seed: u64, size in 1_usize..12) {
        go_on_from_bytes(seed, size);
    }
}

const RING: &str = r#"hasse = 1
main = "main"
[graph.main]
arcs = ["A.o -> B.a", "B.o -> A.a"]
share = ["s -- B.s"]
[graph.main.shared.s]
type = "int"
[graph.main.uc.A]
start = true
in = { a = "int" }
out = { o = "int" }
vars = { n = "int" }
fire = ["a -> v"]
do = "n += 1;"
route = ["o <- n if n < 5"]
[graph.main.uc.B]
in = { a = "int" }
out = { o = "int" }
vars = { m = "int" }
shared = { s = "write" }
fire = ["a -> v"]
do = "m += v; s += m; result(\"m\", m);"
route = ["o <- m"]
"#;

/// A ring of two actions, the events of its run in causal order, and its record.
struct Ring {
    plan: Plan,
    order: Vec<EventRecord>,
    record: ReplayRecord,
}

impl Ring {
    fn new() -> Self {
        let plan = compile(RING);
        let recorded = record_with(&plan, &options(2, None));
        let (order, record) = (sorted(&recorded.batches).0, replay_record(&plan, &recorded.batches));
        Self { plan, order, record }
    }

    fn run_at(&self, cut: &Cut) -> Result<Run<'_>, RuntimeError> {
        Run::at_cut(&self.plan, &options(2, None), self.record.clone(), cut, lines().1)
    }

    fn at(&self, n_events: usize) -> Run<'_> {
        self.run_at(&Cut::after(self.order[..n_events].iter().map(|event| event.id))).unwrap()
    }
}

fn refusal<T>(result: Result<T, RuntimeError>) -> String {
    result.err().expect("it is refused").to_string()
}

#[test]
fn a_run_at_a_cut_shows_its_state() {
    let ring = Ring::new();
    let run = ring.at(4);
    let snapshot = run.snapshot();
    assert_eq!(snapshot.n_events, 4);
    let vars = snapshot.actions.iter().flat_map(|action| action.vars.iter().flatten());
    let named: Vec<_> = vars.map(|(name, value)| format!("{name} = {value}")).collect();
    assert_eq!(named, ["n = 2", "m = 3"]);
    assert_eq!(snapshot.objects[0].value, Value::Int(4));
    assert_eq!(snapshot.objects[0].writer, Some(ring.order[3].id));
    let waiting: Vec<_> = snapshot.actions.iter().flat_map(|action| &action.queues).collect();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].port.as_str(), waiting[0].values[0].sender), ("a", Some(ring.order[3].id)));
}

#[test]
fn a_cut_that_is_not_consistent_is_refused() {
    let ring = Ring::new();
    let without_sender = Cut::after(ring.order.iter().skip(1).take(1).map(|event| event.id));
    assert_eq!(
        refusal(ring.run_at(&without_sender)),
        "the state of the run cannot be taken: the cut is not consistent: at / the replay expected 1 event and found 0 events"
    );
    let beyond = Cut::after(ring.order.iter().map(|event| EventId { count: 9, ..event.id }));
    assert_eq!(
        refusal(ring.run_at(&beyond)),
        "the state of the run cannot be taken: the record does not have all 18 events before the cut"
    );
}

#[test]
fn a_record_that_does_not_tell_every_event_is_refused() {
    let ring = Ring::new();
    let minimal = Some(MinimalRecord::default());
    let record = ReplayRecord { minimal, ..ring.record.clone() };
    let run = Run::at_cut(&ring.plan, &options(1, None), record.clone(), &Cut::default(), lines().1);
    let message = "the record cannot be replayed: a minimal record has choices only; replay it with full recording first";
    assert_eq!(refusal(run), message);
    assert_eq!(refusal(ring.at(2).replay(record, None, lines().1)), message);
}

#[test]
fn a_recording_that_needs_the_past_is_refused() {
    let ring = Ring::new();
    let message = "the run cannot go on from the snapshot: minimal and restricted recording need the past of each value, which a \
                   snapshot does not have";
    let sink = || Box::new(MemorySink::default());
    assert_eq!(refusal(ring.at(2).run(Recording::Minimal(sink()), lines().1)), message);
    assert_eq!(refusal(ring.at(2).run(Recording::Choices(sink()), lines().1)), message);
    let restricted = Recording::Restricted(sink(), ResolvedOptions::full(&ring.plan));
    assert_eq!(refusal(ring.at(2).run(restricted, lines().1)), message);
}

#[test]
fn a_snapshot_of_another_program_is_refused() {
    let ring = Ring::new();
    let run = ring.at(4);
    let go_on = |text: String| {
        let plan = compile(&text);
        let other = Run::from_snapshot(&plan, &options(1, None), run.snapshot().clone());
        refusal(other.and_then(|other| other.run(Recording::None, lines().1)))
    };
    let texts = [
        RING.replace("B.", "C.").replace("uc.B", "uc.C"),
        RING.replace("m = \"int\"", "m = \"string\"")
            .replace("m += v; s += m;", "m += `${v}`; s += v;")
            .replace("o <- m", "o <- v"),
        RING.replace("n = \"int\"", "n = \"int\", k = \"int\""),
        RING.replace("type = \"int\"", "type = \"string\"").replace("s += m;", "s += `${m}`;"),
        RING.replace("in = { a = \"int\" }", "in = { b = \"int\" }")
            .replace(".a\"", ".b\"")
            .replace("a -> v", "b -> v"),
    ];
    insta::assert_snapshot!(texts.map(go_on).join("\n"), @r"
    the run cannot go on from the snapshot: the program has no node `B`
    the run cannot go on from the snapshot: var `m` of `B` is of type string and cannot hold a value of type int
    the run cannot go on from the snapshot: it has no var `k` of `A`
    the run cannot go on from the snapshot: shared object `s` is of type string and cannot hold a value of type int
    the run cannot go on from the snapshot: `A` has no input port `a`
    ");
}

#[test]
fn a_run_goes_on_without_a_record() {
    let ring = Ring::new();
    for recording in [Recording::None, Recording::Off, Recording::Perf(Box::new(MemorySink::default()))] {
        let report = ring.at(5).run(recording, lines().1).unwrap();
        assert_eq!(report.results, [("m".to_owned(), Value::Int(10))]);
        assert_eq!(report.n_events, ring.order.len() as u64);
    }
}

/// Values of one event wait on a port that drops the oldest one. Cuts lie between what was taken next and the event for which
/// room was made.
#[test]
fn value_that_was_taken_behind_a_dropped_one_stays_the_same() {
    for _ in 0..30 {
        go_on_from_bytes(12_196_273_481_496_175_515, 1);
    }
}
