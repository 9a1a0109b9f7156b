use std::fs;
use std::io;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hasse::{
    Error, EventSink, NativeBody, Natives, Options, Program, RecordingMode, RunOutcome, Trace, Type,
};
use hasse_model::event::EventBatch;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::Idle;

use super::{one_node, pipeline};

fn squares() -> Program {
    let mut natives = Natives::new();
    let body = NativeBody::new("square").needs([("x", Type::Int)]).lets([("y", Type::Int)]);
    natives.body(body, |context| {
        let x: i64 = context.get("x")?;
        context.set("y", x * x)
    });
    let text = pipeline("do = { native = \"square\" }\nroute = [\"o <- y\"]");
    Program::from_text(&text, &natives).unwrap()
}

#[test]
fn records_are_replayed_with_any_number_of_workers() {
    let program = squares();
    for n_workers in [1, 2, 8] {
        let options = Options::new().workers(n_workers).set("n", 200_i64);
        let (run, trace) = program.record(&options).unwrap();
        let total: i64 = run.finished().unwrap().result("total").unwrap();
        assert_eq!(total, (0..200).map(|x| x * x).sum::<i64>());
        for n_workers in [1, 8] {
            let replayed = program.replay(&trace, &Options::new().workers(n_workers)).unwrap();
            assert_eq!(replayed.finished().unwrap().result::<i64>("total").unwrap(), total);
        }
    }
}

#[test]
fn minimal_records_are_replayed_and_have_no_digest() {
    let program = squares();
    let minimal = Options::new().workers(4).mode(RecordingMode::Minimal);
    let (run, trace) = program.record(&minimal.clone().set("n", 200_i64)).unwrap();
    let total: i64 = run.finished().unwrap().result("total").unwrap();
    let replayed = program.replay(&trace, &Options::new().workers(2)).unwrap();
    assert_eq!(replayed.finished().unwrap().result::<i64>("total").unwrap(), total);
    assert!(matches!(trace.digest(), Err(Error::OnlyChoices)));

    let (_, again) = program.replay_recorded(&trace, &Options::new()).unwrap();
    let (_, minimized) = program.replay_recorded(&again, &minimal).unwrap();
    let (_, once_more) = program.replay_recorded(&minimized, &Options::new()).unwrap();
    assert_eq!(again.digest().unwrap(), once_more.digest().unwrap());
}

#[test]
fn a_trace_goes_through_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.trace");
    let program = squares();
    let options = Options::new().workers(1).seed(5);
    program.record_to_file(&options, &path).unwrap().finished().unwrap();
    let from_file = Trace::read(&path).unwrap();
    let (_, in_memory) = program.record(&options).unwrap();
    assert_eq!(from_file.digest().unwrap(), in_memory.digest().unwrap());
    in_memory.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), in_memory.bytes());
    program.replay(&from_file, &options).unwrap().finished().unwrap();

    // The command reads it, too.
    let hasse = |args: &[&str]| {
        let ran = Command::new(env!("CARGO_BIN_EXE_hasse")).args(args).arg(&path).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    assert_eq!(hasse(&["trace", "digest"]).trim(), in_memory.digest().unwrap());
    assert!(hasse(&["trace", "info"]).contains("(text)"));
}

#[test]
fn a_program_is_read_from_a_file_with_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.hasse");
    fs::write(folder.path().join("data.txt"), "hello").unwrap();
    let text = one_node("do = 'result(\"text\", read_text(\"data.txt\"));'");
    fs::write(&path, &text).unwrap();
    let program = Program::from_file(&path, &Natives::new()).unwrap();
    let run = program.run(&Options::new()).unwrap().finished().unwrap();
    assert_eq!(run.result::<String>("text").unwrap(), "hello");
    // A text has no folder: it may read what it is granted.
    let program = Program::from_text(&text, &Natives::new()).unwrap();
    let denied = program.run(&Options::new()).unwrap().finished().unwrap_err().to_string();
    assert!(denied.contains("R0011"), "{denied}");
    let missing = Program::from_file(folder.path().join("none"), &Natives::new()).unwrap_err();
    assert!(matches!(missing, Error::Read { .. }), "{missing}");
}

#[test]
fn a_replay_refuses_another_program_and_a_trace_that_is_none() {
    let program = squares();
    let (_, trace) = program.record(&Options::new()).unwrap();
    let other = Program::from_text(&one_node("do = 'print(1);'"), &Natives::new()).unwrap();
    let Error::ProgramChanged { changes } = other.replay(&trace, &Options::new()).unwrap_err() else {
        panic!("a changed program")
    };
    assert!(changes.iter().any(|change| change.contains("node Work of graph main")), "{changes:?}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    fs::write(&path, "no trace").unwrap();
    let error = program.replay(&Trace::read(&path).unwrap(), &Options::new()).unwrap_err();
    assert!(matches!(error, Error::Trace(_)), "{error}");
}

#[test]
fn another_native_body_is_named_as_the_change() {
    let old = pipeline("do = { native = \"a\" }\nroute = [\"o <- i\"]");
    let changes = hasse_compiler::changes(&old, &old.replace("\"a\" }\nroute", "\"b\" }\nroute"));
    let whats: Vec<_> = changes.iter().map(|change| change.what.as_str()).collect();
    assert_eq!(whats, ["node Work of graph main: native body differs"]);
}

#[test]
fn a_native_body_that_computes_something_else_is_a_divergence() {
    let program_of = |k: i64| {
        let mut natives = Natives::new();
        natives.body(NativeBody::new("pick").lets([("y", Type::Int)]), move |context| context.set("y", k));
        let text =
            pipeline("do = { native = \"pick\" }\nroute = [\"o <- 0 if y == 0\", \"o <- y if y > 0\"]");
        Program::from_text(&text, &natives).unwrap()
    };
    let (_, trace) = program_of(0).record(&Options::new()).unwrap();
    let replayed = program_of(1).replay(&trace, &Options::new()).unwrap();
    let error = replayed.finished().unwrap_err().to_string();
    assert!(error.contains("the replay leaves the record at /Work["), "{error}");
}

#[test]
fn parameters_and_results_are_checked() {
    let program = squares();
    let unknown = program.run(&Options::new().set("m", 1_i64)).unwrap_err();
    assert_eq!(unknown.to_string(), "the program has no parameter `m`");
    let misfit = program.record(&Options::new().set("n", "x")).unwrap_err();
    assert_eq!(misfit.to_string(), "parameter `n` is of type int, which \"x\" does not fit");
    let run = program.run(&Options::new()).unwrap();
    let missing = run.result::<i64>("sum").unwrap_err();
    assert_eq!(missing.to_string(), "the run has no result `sum`; it has total");
    let mistyped = run.result::<String>("total").unwrap_err();
    assert_eq!(mistyped.to_string(), "result `total`: expected string, found the int 14");
}

#[test]
fn a_run_that_comes_to_a_halt_says_who_waits() {
    let text = pipeline("route = [\"o <- i\"]")
        .replace("fire = [\"a -> x\"]\ndo", "fire = [\"a -> x if total < 1\"]\ndo");
    let run = Program::from_text(&text, &Natives::new()).unwrap().run(&Options::new()).unwrap();
    assert_eq!(run.outcome(), RunOutcome::Quiescent);
    let error = run.finished().unwrap_err().to_string();
    assert!(error.contains("came to a halt") && error.contains("/Sum waits"), "{error}");
}

/// Fails at the first batch.
struct Full;

impl EventSink for Full {
    fn take_batch(&mut self, _: &EventBatch) -> io::Result<()> {
        Err(io::Error::other("full"))
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_sink_that_fails_ends_the_run() {
    let error = squares().record_to_sink(&Options::new(), Box::new(Full)).unwrap_err();
    assert_eq!(error.to_string(), "the record could not be written");
    let error = squares().record_to_file(&Options::new(), "/nowhere/at/all").unwrap_err();
    assert!(matches!(error, Error::Write { .. }), "{error}");
}

/// `/dev/full` takes nothing: a disk without room.
#[cfg(target_os = "linux")]
#[test]
fn record_that_is_cut_off_keeps_the_run() {
    let options = Options::new().workers(2).set("n", 200_i64);
    let error = squares().record_to_file(&options, "/dev/full").unwrap_err();
    assert_eq!(error.to_string(), "cannot write /dev/full: the record ends before its run");
    let Error::RecordCutOff { source, run, .. } = error else { panic!("{error}") };
    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    let expected = squares().run(&options).unwrap();
    assert_eq!(run.report().results, expected.report().results);
    assert_eq!(run.report().n_events, expected.report().n_events);
    run.finished().unwrap();
}

#[test]
fn a_plan_does_not_run_without_its_native_bodies() {
    let program = squares();
    let options = hasse_runtime::run::RunOptions {
        n_workers: 1,
        seed: None,
        params: Vec::new(),
        program_folder: std::path::PathBuf::new(),
        sandbox: Default::default(),
        natives: Natives::new(),
        stop: Default::default(),
        reclaim_above: 1,
        tiers: Default::default(),
        capture: Default::default(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let run = |options| {
        let none = hasse_runtime::run::Recording::None;
        hasse_runtime::run::run(program.plan(), &options, none, Box::new(|_| {})).unwrap_err().to_string()
    };
    assert_eq!(run(options.clone()), "node `Work` has the native body `square`, which is not registered");
    let mut others = Natives::new();
    others.body(NativeBody::new("square"), |_| Ok(()));
    let error = run(hasse_runtime::run::RunOptions { natives: others, ..options });
    assert!(error.ends_with("sets other names than when the program was compiled"), "{error}");
}

#[test]
fn no_more_instances_execute_at_once_than_a_node_admits() {
    let (executing, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut natives = Natives::new();
    let (seen, highest) = (Arc::clone(&executing), Arc::clone(&most));
    natives.body(NativeBody::new("work"), move |_| {
        highest.fetch_max(seen.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        (0..100).for_each(|_| std::thread::yield_now());
        seen.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    });
    let text = "hasse = 1
main = \"main\"
[graph.main]
params = { most = \"int\" }
arcs = [\"Src.o[i, j] -> In[i].a[j]\", \"In[i].done -> Count.a\"]
[graph.main.uc.Src]
start = true
out = { \"o[i, j]\" = \"int\" }
route = [\"o[k / 10, k % 10] <- k for k in 0..100\"]
[graph.main.call.In]
graph = \"inner\"
index = [\"i\"]
args = { most = \"most\" }
[graph.inner]
params = { most = \"int\" }
in = { \"a[j]\" = \"int\" }
out = { done = \"int\" }
arcs = [\"in.a[j] -> Work[j].a\", \"Work[j].done -> out.done\"]
[graph.inner.uc.Work]
index = [\"j\"]
in = { a = \"int\" }
out = { done = \"int\" }
at_once = \"most\"
fire = [\"a -> v\"]
do = { native = \"work\" }
route = [\"done <- v\"]
[graph.main.uc.Count]
in = { a = \"int\" }
fire = [\"a -> _v\"]
do = 'result(\"n\", count);'
";
    let program = Program::from_text(text, &natives).unwrap();
    for bound in 1..4 {
        most.store(0, Ordering::SeqCst);
        let options = Options::new().workers(6).set("most", bound as i64);
        let run = program.run(&options).unwrap().finished().unwrap();
        assert_eq!(run.result::<i64>("n").unwrap(), 100);
        assert!(most.load(Ordering::SeqCst) <= bound, "{bound}");
    }
    let none = program.run(&Options::new().set("most", 0_i64)).unwrap();
    assert!(format!("{:?}", none.report()).contains("at least one instance must be able to execute"));
}

/// A program that waits for days takes no time, and is the same each time where one worker has a seed.
#[test]
fn virtual_time_is_an_option() {
    let text = "hasse = 1
main = \"days\"
[graph.days]
arcs = [\"Tick[i].next -> Tick[i].next\", \"Begin.go[i] -> Tick[i].next\", \"Tick[i].day -> Log.day\"]
[graph.days.uc.Begin]
start = true
out = { \"go[i]\" = \"int\" }
route = [\"go[i] <- 0 after i h for i in 0..3\"]
[graph.days.uc.Tick]
index = [\"i\"]
in = { next = \"int\" }
out = { next = \"int\", day = \"int\" }
fire = [\"next -> day\"]
do = \"let wait = random();\"
route = [\"day <- 10 * day + i\", \"next <- day + 1 after wait d if day < 5\"]
[graph.days.uc.Log]
in = { day = \"int\" }
vars = { order = \"int[]\" }
fire = [\"day -> d\"]
do = 'order.push(d); result(\"order\", order); result(\"days\", elapsed() / 86400.0);'
";
    let program = Program::from_text(text, &Natives::new()).unwrap();
    let run = |seed| {
        let run =
            program.run(&Options::new().workers(1).seed(seed).virtual_time()).unwrap().finished().unwrap();
        (run.result::<Vec<i64>>("order").unwrap(), run.result::<f64>("days").unwrap())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    assert!(run(1).1 > 1.0 && run(1).0.len() == 18, "{:?}", run(1));
}
