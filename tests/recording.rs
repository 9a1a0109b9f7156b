//! What is recorded, by the library: options and their effect (table 5-4 of the dissertation), annotations, values,
//! times, and records of replays.
#![allow(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hasse::{
    Captured, Error, EventSink, Natives, Options, Program, RecordOption, RecordingMode, Trace, Value, build,
};
use hasse_debugger::read::for_each_in_order;
use hasse_model::event::{EventBatch, EventRecord, LocalState};
use hasse_model::trace::{Names, TraceReader};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::Idle;

/// `Before` writes the log; each `Inner` of three calls takes a value from it and writes the log, too; `After`
/// reads it.
const PROGRAM: &str = r#"
hasse = 1
main = "outer"

[graph.outer]
arcs = ["Before.go[i] -> call[i].go", "call[i].done -> After.done[i]"]
share = ["log -- Before.log", "log -- call[i].log", "log -- After.log"]

[graph.outer.shared.log]
type = "int"

[graph.outer.call.call]
graph = "Called"
index = ["i"]

[graph.outer.uc.Before]
out = { "go[i]" = "int" }
shared = { log = "write" }
start = true
do = "log += 1;"
route = ["go[i] <- i for i in 0..3"]

[graph.outer.uc.After]
in = { "done[i]" = "int" }
shared = { log = "read" }
fire = ["done[i] -> all[i] for i in 0..3"]
do = 'result("log", log);'

[graph.Called]
in = { go = "int" }
out = { done = "int" }
inout = { log = "int" }
arcs = ["in.go -> Inner.go", "Inner.done -> out.done"]
share = ["inout.log -- Inner.log"]

[graph.Called.uc.Inner]
in = { go = "int" }
out = { done = "int" }
vars = { seen = "int = 7" }
shared = { log = "write" }
fire = ["go -> v"]
do = "log += 10; seen += v;"
route = ["done <- v * v"]
"#;

fn program() -> Program {
    Program::from_text(PROGRAM, &Natives::new()).unwrap()
}

fn quiet() -> Options {
    Options::new().workers(2).output(|_| {})
}

/// The events of a trace in causal order, each with its name.
fn events(trace: &Trace) -> Vec<(String, EventRecord, Names)> {
    let mut events = Vec::new();
    let reader = TraceReader::open(trace.bytes()).unwrap();
    let summary = for_each_in_order(reader, |event, names| {
        events.push((names.event(event.id).to_string(), event, names.clone()));
    });
    assert_eq!(summary.unwrap().n_dropped, 0);
    events
}

/// What a trace tells of its events: name, flow predecessors, and shared ones with their objects.
fn told(trace: &Trace) -> Vec<String> {
    let told = events(trace).into_iter().map(|(name, event, names)| {
        let flow: Vec<String> = event.flow.iter().map(|&sender| names.event(sender).to_string()).collect();
        let relayed = event
            .relayed
            .iter()
            .map(|access| format!("{}@{}", names.event(access.event), names.object(access.object)));
        format!("{name} < {} | {}", flow.join(" "), relayed.collect::<Vec<_>>().join(" "))
    });
    told.collect()
}

#[test]
fn options_are_effective_as_table_5_4_says() {
    use RecordOption::{Full, Off, Restrict};
    let program = program();
    for root in [Full, Restrict, Off] {
        for call in [Full, Restrict, Off] {
            for inner in [Full, Restrict, Off] {
                let options = quiet()
                    .mode(RecordingMode::Restricted)
                    .record_option("/", root)
                    .record_option("/Before", Full)
                    .record_option("/call[1]", call)
                    .record_option("/call[1]/Inner", inner);
                let (run, trace) = program.record(&options).unwrap();
                assert_eq!(run.finished().unwrap().result::<i64>("log").unwrap(), 31);
                let told = told(&trace);
                let of_inner = told.iter().find(|line| line.starts_with("/call[1]/Inner"));
                let effective = inner.effective(call.effective(root));
                match (of_inner, effective) {
                    (None, Off) => {}
                    (Some(line), Restrict) => {
                        assert_eq!(line, "/call[1]/Inner:1 < /Before:1 | ", "{root:?} {call:?} {inner:?}");
                    }
                    (Some(line), Full) => {
                        assert!(line.starts_with("/call[1]/Inner:1 < /Before:1 | "), "{line}");
                        assert!(root == Full || line.ends_with("| /Before:1@/log"), "{line}");
                    }
                    (found, _) => panic!("{root:?} {call:?} {inner:?}: {found:?}"),
                }
                let n_others = told.iter().filter(|line| !line.starts_with("/call[1]")).count();
                let n_expected = match root {
                    Full => 4,
                    Restrict => 1,
                    Off => 0,
                };
                assert_eq!(n_others, n_expected, "{root:?} {call:?} {inner:?}: {told:?}");
            }
        }
    }
}

#[test]
fn selectors_name_what_they_say() {
    let program = program();
    let recorded = |selectors: &[&str]| {
        let options = selectors.iter().fold(quiet(), |options, selector| options.select(selector));
        let (_, trace) = program.record(&options).unwrap();
        let mut names: Vec<String> = events(&trace).into_iter().map(|(name, ..)| name).collect();
        names.sort();
        names.join(" ")
    };
    let all_inner = "/call[0]/Inner:1 /call[1]/Inner:1 /call[2]/Inner:1";
    for selector in ["Inner", "Called.Inner", "/call/Inner", "/call[*]/*", "call", "/call[0..3]", "/*/Inner"]
    {
        assert_eq!(recorded(&[selector]), all_inner, "{selector}");
    }
    assert_eq!(recorded(&["/call[1..3]/Inner"]), "/call[1]/Inner:1 /call[2]/Inner:1");
    assert_eq!(recorded(&["/call[2]"]), "/call[2]/Inner:1");
    assert_eq!(recorded(&["call[5]"]), "");
    assert_eq!(recorded(&["Before", "/After"]), "/After:1 /Before:1");
    assert_eq!(recorded(&["/"]), format!("/After:1 /Before:1 {all_inner}"));
}

#[test]
fn what_is_off_relays() {
    let options = quiet().select("Before").select("After");
    let (_, trace) = program().record(&options).unwrap();
    assert_eq!(told(&trace), ["/Before:1 <  | ", "/After:1 < /Before:1 | /Before:1@/log"]);
}

#[test]
fn later_options_win() {
    let options = quiet().select("Inner").record_option("/call[1]/*", RecordOption::Off).select("Before");
    let (_, trace) = program().record(&options).unwrap();
    assert_eq!(told(&trace).len(), 3);
}

#[test]
fn the_program_says_what_is_recorded() {
    let annotated = format!(
        "{PROGRAM}\n[record]\nmode = 'restrict'\noptions = {{ '*' = 'restrict', '/call[0]/*' = 'full', After = 'off' }}\n"
    );
    let program = Program::from_text(&annotated, &Natives::new()).unwrap();
    assert!(program.plan().record.is_restricted);
    let (_, trace) = program.record(&quiet()).unwrap();
    let mut found = told(&trace);
    found.sort();
    let shapes: Vec<&str> = found.iter().map(|line| line.split(" | ").next().unwrap()).collect();
    assert_eq!(
        shapes,
        [
            "/Before:1 < ",
            "/call[0]/Inner:1 < /Before:1",
            "/call[1]/Inner:1 < /Before:1",
            "/call[2]/Inner:1 < /Before:1",
        ]
    );
    // What is asked for in a run comes behind, and another mode sets all of it aside.
    let (_, trace) = program.record(&quiet().record_option("*", RecordOption::Off).select("After")).unwrap();
    assert_eq!(told(&trace), ["/After:1 <  | "]);
    let (_, trace) = program.record(&quiet().mode(RecordingMode::Full)).unwrap();
    assert_eq!(events(&trace).len(), 5);
    // A record does not depend on how the program asks to be recorded.
    program.replay(&self::program().record(&quiet()).unwrap().1, &quiet()).unwrap().finished().unwrap();
}

#[test]
fn a_built_program_says_it_too() {
    let unit = build::Unit::new("Work").start().body("print(1);");
    let built = build::Program::new("main")
        .graph(build::Graph::new("main").unit(unit))
        .records_selected()
        .record_option("/Work", RecordOption::Full);
    let record = "[record]\nmode    = \"restrict\"\noptions = { \"/Work\" = \"full\" }\n";
    assert!(built.text().ends_with(record), "{}", built.text());
    let program = built.compile(&Natives::new()).unwrap();
    assert_eq!(told(&program.record(&quiet()).unwrap().1), ["/Work:1 <  | "]);
}

#[test]
fn a_replay_records_what_a_restricted_run_would_have() {
    let program = program();
    let (_, full) = program.record(&quiet()).unwrap();
    let options = quiet().select("Before").select("After");
    let (run, restricted) = program.replay_recorded(&full, &options).unwrap();
    run.finished().unwrap();
    assert_eq!(told(&restricted), ["/Before:1 <  | ", "/After:1 < /Before:1 | /Before:1@/log"]);
    let (_, again) = program.replay_recorded(&full, &quiet()).unwrap();
    assert_eq!(again.digest().unwrap(), full.digest().unwrap());
}

#[test]
fn what_does_not_fit_is_refused() {
    let program = program();
    let shown = |error: Error| error.to_string();
    let (_, restricted) = program.record(&quiet().select("Inner")).unwrap();
    let faults = [
        shown(program.record(&quiet().select("Iner")).unwrap_err()),
        shown(program.record(&quiet().select("Inner[0]")).unwrap_err()),
        shown(program.record(&quiet().select("/call[0/Inner")).unwrap_err()),
        shown(program.record(&quiet().select("/call/call")).unwrap_err()),
        shown(program.record(&quiet().mode(RecordingMode::Perf).select("Inner")).unwrap_err()),
        shown(program.replay(&restricted, &quiet()).unwrap_err()),
        shown(program.run(&quiet().capture("Iner", Captured::ALL)).unwrap_err()),
    ];
    insta::assert_snapshot!(faults.join("\n"));
}

#[test]
fn a_perf_record_has_times_and_replays() {
    let program = program();
    let (_, trace) = program.record(&quiet().mode(RecordingMode::Perf)).unwrap();
    let timed = events(&trace);
    assert_eq!(timed.len(), 5);
    for (name, event, _) in &timed {
        let timing = event.timing.unwrap();
        assert!(timing.start <= timing.end && timing.worker < 2, "{name}");
    }
    let (run, again) = program.replay_recorded(&trace, &quiet()).unwrap();
    run.finished().unwrap();
    assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
}

/// Keeps what it is given, and notes whether anything came before the end.
#[derive(Clone, Default)]
struct Keeper(Arc<Mutex<Vec<EventRecord>>>);

impl EventSink for Keeper {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.0.lock().unwrap().extend(batch.events());
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}

fn named(pairs: &[(&str, Value)]) -> Vec<(String, Value)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[test]
fn values_are_kept_where_they_are_asked_for() {
    let program = program();
    let captured = |what: Captured| {
        let keeper = Keeper::default();
        let options = quiet().workers(1).capture("Called.Inner", what);
        program.record_to_sink(&options, Box::new(keeper.clone())).unwrap().finished().unwrap();
        let events = keeper.0.lock().unwrap();
        let mut locals: Vec<LocalState> =
            events.iter().filter_map(|event| event.local.as_deref().cloned()).collect();
        locals.sort_by_key(|local| format!("{local:?}"));
        locals
    };
    let all = captured(Captured::ALL);
    assert_eq!(all.len(), 3, "values of Inner alone");
    for (v, local) in (0..).zip(&all) {
        let expected = LocalState {
            took: named(&[("go", Value::Int(v))]),
            before: named(&[("seen", Value::Int(7))]),
            after: named(&[("seen", Value::Int(7 + v))]),
            sent: named(&[("done", Value::Int(v * v))]),
            found: named(&[("seen", Value::Int(7))]),
            bound: named(&[("v", Value::Int(v))]),
            receivers: vec![(0, format!("/After.done[{v}]"))],
            ..LocalState::default()
        };
        // What the objects hold depends on who comes first.
        let (before, after) = (&local.shared_before, &local.shared_after);
        assert_eq!((before.len(), before[0].0.as_str(), after[0].0.as_str()), (1, "log", "log"));
        let local = LocalState { shared_before: Vec::new(), shared_after: Vec::new(), ..local.clone() };
        assert_eq!(local, expected);
    }
    for local in captured(Captured { before: true, ..Captured::NONE }) {
        assert_eq!(local, LocalState { before: named(&[("seen", Value::Int(7))]), ..LocalState::default() });
    }
    assert!(captured(Captured::NONE).is_empty());
}

#[test]
fn an_event_that_failed_keeps_what_it_had() {
    let text = PROGRAM.replace("log += 10;", "log += 10; if v == 2 { throw v; }");
    let program = Program::from_text(&text, &Natives::new()).unwrap();
    let keeper = Keeper::default();
    let options = quiet().capture("Before", Captured::ALL).capture("Called.Inner", Captured::ALL);
    program.record_to_sink(&options, Box::new(keeper.clone())).unwrap();
    let events = keeper.0.lock().unwrap();
    let failed = events.iter().find(|event| event.error.is_some()).unwrap().local.as_deref().unwrap();
    assert_eq!(failed.took, named(&[("go", Value::Int(2))]));
    assert!(failed.after.is_empty() && failed.sent.is_empty(), "it has no end");
    let before = events.iter().find(|event| event.flow.is_empty()).unwrap().local.as_deref().unwrap();
    let expected = named(&[("go[0]", Value::Int(0)), ("go[1]", Value::Int(1)), ("go[2]", Value::Int(2))]);
    assert_eq!(before.sent, expected);
}

/// Holds batches back until the workers get no further, and notes the most events that had been executed and had not come.
struct Dam {
    n_executed: Arc<AtomicU64>,
    n_taken: u64,
    most: Arc<AtomicU64>,
}

impl Dam {
    /// Waits until the workers have executed as much as they may, as far as can be seen: nothing for many looks.
    fn fill(&self, most: u64) -> u64 {
        let (mut n_executed, mut n_looks) = (0, 0);
        while n_looks < 2000 && n_executed < most {
            let now = self.n_executed.load(Ordering::SeqCst);
            n_looks = if now == n_executed { n_looks + 1 } else { 0 };
            n_executed = now;
            std::thread::yield_now();
        }
        n_executed
    }
}

impl EventSink for Dam {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let n_executed = self.fill(self.n_taken + 2 * MOST_IN_FLIGHT);
        self.most.fetch_max(n_executed.saturating_sub(self.n_taken), Ordering::SeqCst);
        self.n_taken += batch.n_events() as u64;
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}

/// Events of a perf record that wait for the sink at most: the batches of the circle of one worker, that of the worker and that of the sink.
const MOST_IN_FLIGHT: u64 = (64 + 2 + 2) * 8192;

/// Memory of a run with times does not grow with the run: where the sink is slow, workers wait.
#[test]
fn timed_events_in_flight_are_bounded() {
    const N_EVENTS: u64 = 5 * MOST_IN_FLIGHT;
    let n_executed = Arc::new(AtomicU64::new(0));
    let mut natives = Natives::new();
    natives.function_body("step", ["k"], ["next"], {
        let n_executed = Arc::clone(&n_executed);
        move |k: i64| {
            n_executed.fetch_add(1, Ordering::SeqCst);
            k + 1
        }
    });
    let text = format!(
        "hasse = 1\nmain = 'm'\n[graph.m]\narcs = ['Start.go[i] -> Turn.go', 'Turn.go -> Turn.go']\n\
         [graph.m.uc.Start]\nout = {{ 'go[i]' = 'int' }}\nstart = true\nroute = ['go[i] <- 0 for i in 0..64']\n\
         [graph.m.uc.Turn]\nin = {{ go = 'int' }}\nout = {{ go = 'int' }}\nfire = ['go -> k']\n\
         do = {{ native = 'step' }}\nroute = ['go <- next if next < {}']\n",
        N_EVENTS / 64
    );
    let program = Program::from_text(&text, &natives).unwrap();
    let most = Arc::new(AtomicU64::new(0));
    let dam = Dam { n_executed: Arc::clone(&n_executed), n_taken: 0, most: Arc::clone(&most) };
    let options = Options::new().workers(1).mode(RecordingMode::Perf);
    program.record_to_sink(&options, Box::new(dam)).unwrap().finished().unwrap();
    assert!(n_executed.load(Ordering::SeqCst) >= N_EVENTS - 64);
    // Those of the last turn, too, up to 256, which are recorded when all of them have been computed.
    assert!(most.load(Ordering::SeqCst) <= MOST_IN_FLIGHT + 256, "{most:?} of {N_EVENTS}");
}
