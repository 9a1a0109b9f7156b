//! Lowered bodies and expressions do what the interpreter does: generated programs give equal output, equal errors at equal
//! places and equal records in the interpreter, in the evaluator, in machine code, and where one takes over from another.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

#[path = "laws/dice.rs"]
mod dice;
#[path = "lowering/generator.rs"]
mod generator;
#[path = "lowering/program.rs"]
mod program;

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::thread;

use hasse::{Captured, Options, Program, Run, ScriptTiers, Trace};
use hasse_model::plan::routine::Lowering;
use program::BODIES_EACH;

/// Generated bodies: `HASSE_BODIES` where it is set, as `.ci/run` does.
fn n_bodies() -> usize {
    std::env::var("HASSE_BODIES").ok().and_then(|number| number.parse().ok()).unwrap_or(600)
}

/// Everything that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    outcome: String,
    lines: Vec<String>,
    results: Vec<String>,
    errors: Vec<String>,
    n_events: u64,
    digest: Option<String>,
}

fn seen(run: &Run, lines: &Arc<Mutex<Vec<String>>>, digest: Option<String>) -> Seen {
    let report = run.report();
    Seen {
        outcome: format!("{:?}", report.outcome),
        lines: std::mem::take(&mut lines.lock().unwrap()),
        results: report.results.iter().map(|result| format!("{result:?}")).collect(),
        errors: report.errors.iter().map(|error| format!("{error:?}")).collect(),
        n_events: report.n_events,
        digest,
    }
}

fn options(tiers: ScriptTiers, n_workers: usize) -> (Options, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&lines);
    let write = move |line: &str| to.lock().unwrap().push(line.to_owned());
    (Options::new().workers(n_workers).seed(1).scripts(tiers).output(write), lines)
}

fn recorded(program: &Program, tiers: ScriptTiers) -> (Seen, Trace) {
    let (options, lines) = options(tiers, 1);
    let (run, trace) = program.record(&options).unwrap();
    let digest = trace.digest().unwrap();
    (seen(&run, &lines, Some(digest)), trace)
}

const COMPILED: [ScriptTiers; 3] = [ScriptTiers::Evaluated, ScriptTiers::Native, ScriptTiers::Auto];

/// How many bodies there were, and how many errors.
#[derive(Default)]
struct Counted {
    n_bodies: usize,
    n_failed: usize,
}

#[test]
fn generated_bodies_are_executed_alike_in_all_ways() {
    let n_programs = (n_bodies() / BODIES_EACH) as u64;
    // One half each: this takes longest of all tests.
    let half = |first: u64| {
        let mut counted = Counted::default();
        (first..n_programs).step_by(2).for_each(|seed| try_program(seed, &mut counted));
        counted
    };
    let halves =
        thread::scope(|scope| [0, 1].map(|first| scope.spawn(move || half(first))).map(|half| half.join()));
    let halves = halves.map(|half| half.unwrap_or_else(|panic| resume_unwind(panic)));
    let n_bodies: usize = halves.iter().map(|half| half.n_bodies).sum();
    let n_failed: usize = halves.iter().map(|half| half.n_failed).sum();
    assert!(n_failed > 0 && n_failed < n_bodies, "{n_failed} of {n_bodies} instances fail");
}

fn try_program(seed: u64, counted: &mut Counted) {
    let text = program::program(seed, true);
    let program = Program::from_text(&text, &generator::natives::natives())
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let plan = program.plan();
    let bodies = plan.templates.iter().filter(|template| template.name.starts_with('N'));
    for body in bodies.filter_map(|template| template.body_script()) {
        counted.n_bodies += 1;
        let lowering = &plan.lowerings[body.idx()];
        let is_lowered = matches!(lowering, Some(Lowering::Routine { .. }));
        // The interpreter evaluates the arguments of a chain first: where both sides draw numbers, the body is left to it.
        let draws_twice = matches!(lowering, Some(Lowering::Interpreted(obstacle))
            if obstacle.message == "both sides of this chain ask the world outside, print or set a result");
        assert!(is_lowered || draws_twice, "{lowering:?}\n{}", plan.scripts[body.idx()].text);
    }
    let (expected, trace) = recorded(&program, ScriptTiers::Interpreted);
    counted.n_failed += expected.errors.len();
    for tiers in COMPILED {
        let (found, other_trace) = recorded(&program, tiers);
        assert_same(&found, &expected, &format!("seed {seed}, {tiers:?}"), &text);
        // Without a record, and the records of each other replayed.
        let (of_run, lines) = options(tiers, 1);
        let run = program.run(&of_run).unwrap();
        let found = Seen { digest: expected.digest.clone(), ..seen(&run, &lines, None) };
        assert_same(&found, &expected, &format!("seed {seed}, {tiers:?}, not recorded"), &text);
        let (of_replay, lines) = options(tiers, 2);
        let (run, again) = program.replay_recorded(&trace, &of_replay).unwrap();
        assert_eq!(run.report().divergence, None, "seed {seed}, {tiers:?}\n{text}");
        let found = seen(&run, &lines, Some(again.digest().unwrap()));
        assert_same(&found, &expected, &format!("seed {seed}, {tiers:?}, replayed"), &text);
        let (of_replay, lines) = options(ScriptTiers::Interpreted, 2);
        let (run, again) = program.replay_recorded(&other_trace, &of_replay).unwrap();
        let found = seen(&run, &lines, Some(again.digest().unwrap()));
        assert_same(&found, &expected, &format!("seed {seed}, recorded by {tiers:?}"), &text);
    }
    // Values around each event, which are kept in the general way.
    if seed.is_multiple_of(8) {
        let all = |tiers| {
            let (options, _) = options(tiers, 1);
            let options = options.capture("N0", Captured::ALL).capture("N1", Captured::ALL);
            let sink = recording::Kept::default();
            let _ = program.record_to_sink(&options, Box::new(sink.clone())).unwrap();
            sink.shown()
        };
        let expected = all(ScriptTiers::Interpreted);
        for tiers in COMPILED {
            assert_eq!(all(tiers), expected, "seed {seed}, {tiers:?}\n{text}");
        }
    }
}

fn assert_same(found: &Seen, expected: &Seen, what: &str, text: &str) {
    if found == expected {
        return;
    }
    let lines = found.lines.iter().zip(&expected.lines).position(|(found, expected)| found != expected);
    let around = lines.map(|place| (place, &found.lines[place], &expected.lines[place]));
    panic!(
        "{what}: first line that differs: {around:?}, {} and {} lines, {} and {} events\nfound {:#?}\nexpected {:#?}\n{text}",
        found.lines.len(),
        expected.lines.len(),
        found.n_events,
        expected.n_events,
        (&found.outcome, &found.errors, &found.digest),
        (&expected.outcome, &expected.errors, &expected.digest),
    );
}

/// Events with the values that were kept.
mod recording {
    use std::io;
    use std::sync::{Arc, Mutex};

    use hasse::EventSink;
    use hasse_model::event::EventBatch;
    use hasse_runtime::report::RunReport;
    use hasse_runtime::run::Idle;

    #[derive(Clone, Default)]
    pub struct Kept(Arc<Mutex<Vec<String>>>);

    impl Kept {
        /// Values of events, in a stable order.
        pub fn shown(&self) -> Vec<String> {
            let mut shown = std::mem::take(&mut *self.0.lock().unwrap());
            shown.sort();
            shown
        }
    }

    impl EventSink for Kept {
        fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
            let shown = batch.events().filter(|event| event.local.is_some());
            self.0.lock().unwrap().extend(shown.map(|event| format!("{:?} {:?}", event.id, event.local)));
            Ok(())
        }

        fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
            Ok(())
        }
    }
}
