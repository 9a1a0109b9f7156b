use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use hasse::event::{EventError, Isolation};
use hasse::{BodyContext, Error, NativeBody, Natives, Options, Program, RecordingMode, Type, Value};
use hasse_debugger::why::{Cause, Told};
use proptest::prelude::*;

use super::support::TELLERS;

fn quiet() -> Options {
    Options::new().workers(2).output(|_| {})
}

/// A body in Rust that asks the world and sets what is sent.
const NATIVE: &str = r#"hasse = 1
main  = "main"

[graph.main]
arcs = ["Make.n -> Add.n"]

[graph.main.uc.Make]
start = true
out   = { n = "int" }
route = ["n <- k for k in 1..4"]

[graph.main.uc.Add]
in     = { n = "int" }
vars   = { total = "int" }
fire   = ["n -> n"]
do     = { native = "add" }
"#;

fn asking(answer: &Arc<AtomicI64>) -> Natives {
    let mut natives = Natives::new();
    let answer = Arc::clone(answer);
    let body =
        NativeBody::new("add").needs([("n", Type::Int), ("total", Type::Int)]).lets([("more", Type::Int)]);
    natives.body(body, move |context: &mut BodyContext<'_>| {
        let asked: i64 = context.effect(|| Ok::<_, String>(answer.load(Ordering::Relaxed)))?;
        let (n, total): (i64, i64) = (context.take("n")?, context.get("total")?);
        context.set("more", asked)?;
        context.set("total", total + n * asked)
    });
    natives
}

#[test]
fn native_bodies_have_values_and_run_alone_with_their_answers() {
    let answer = Arc::new(AtomicI64::new(10));
    let program = Program::from_text(NATIVE, &asking(&answer)).unwrap();
    let (_, trace) = program.record(&quiet()).unwrap();
    answer.store(1000, Ordering::Relaxed);

    let values = program.values(&trace, "/Add:3", &quiet()).unwrap();
    assert_eq!(values.lets, [("more".to_owned(), Value::Int(10))]);
    assert_eq!(
        (&values.vars[0].before, &values.vars[0].after),
        (&Some(Value::Int(30)), &Some(Value::Int(60)))
    );
    assert_eq!(values.answers[0].question, "Native");

    let mut isolation = program.isolate(&trace, "/Add:3", &quiet()).unwrap();
    let executed = program.execute(&isolation, &quiet(), 3).unwrap();
    assert_eq!(executed.differences, Some(Vec::new()));
    assert!(executed.not_repeated.is_empty());
    isolation.set(program.plan(), "port n", Value::Int(7)).unwrap();
    assert_eq!(
        program.execute(&isolation, &quiet(), 1).unwrap().vars,
        [("total".to_owned(), Value::Int(100))]
    );
    // Another answer than the recorded one shows.
    isolation.given.answers.clear();
    let executed = program.execute(&isolation, &quiet(), 1).unwrap();
    assert_eq!(executed.vars, [("total".to_owned(), Value::Int(7030))]);
}

#[test]
fn a_replay_that_leaves_the_record_is_told_of() {
    let mut natives = Natives::new();
    let flag = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&flag);
    // What the function gives is not a function of what it is given: that is not allowed.
    natives.function("moody", move || held.load(Ordering::Relaxed));
    let text = TELLERS.replace("\"done <- total\"", "\"done <- total if moody()\"");
    let program = Program::from_text(&text, &natives).unwrap();
    let (_, trace) = program.record(&quiet()).unwrap();
    flag.store(false, Ordering::Relaxed);
    let error = program.values(&trace, "/Audit:1", &quiet()).unwrap_err();
    let Error::Event(EventError::Diverged { event, .. }) = &error else { panic!("{error}") };
    assert!(event.starts_with("/Teller["), "{error}");
    // What comes before is not concerned.
    assert!(program.values(&trace, "/Open:1", &quiet()).is_ok());
}

#[test]
fn an_event_that_is_not_a_function_of_its_inputs_shows() {
    let mut natives = Natives::new();
    let calls = AtomicI64::new(0);
    natives.function("next", move || calls.fetch_add(1, Ordering::Relaxed));
    let text = TELLERS.replace("total += amount", "total += next()");
    let program = Program::from_text(&text, &natives).unwrap();
    let (_, trace) = program.record(&quiet().workers(1)).unwrap();
    let isolation = program.isolate(&trace, "/Teller[0]:1", &quiet()).unwrap();
    let executed = program.execute(&isolation, &quiet(), 2).unwrap();
    let shown: Vec<_> = executed.not_repeated.iter().map(|difference| difference.what.as_str()).collect();
    assert_eq!(shown, ["shared total", "sent done"]);
}

#[test]
fn causes_are_plain_data() {
    let program = Program::from_text(TELLERS, &Natives::new()).unwrap();
    for mode in [RecordingMode::Full, RecordingMode::Minimal, RecordingMode::Perf] {
        let (_, trace) = program.record(&quiet().mode(mode)).unwrap();
        let why = program.why(&trace, "/Audit:1", 1, &quiet()).unwrap().explained;
        let ports: Vec<String> = why
            .causes
            .iter()
            .filter_map(|cause| match cause {
                Cause::Value { ways, sender, .. } => {
                    assert_eq!(sender.told, Told::Deeper);
                    Some(ways[0].port.clone())
                }
                _ => None,
            })
            .collect();
        assert_eq!(ports, ["done"; 3], "{mode:?}");
        let Some(Cause::Object { object, writer, writes, .. }) = why.causes.last() else { panic!("{why:?}") };
        assert_eq!((object.as_str(), *writes), ("/total", false));
        assert!(writer.as_ref().is_some_and(|writer| writer.node == "Teller"));
    }
}

#[test]
fn a_stopped_replay_has_no_values() {
    let program = Program::from_text(TELLERS, &Natives::new()).unwrap();
    let (_, trace) = program.record(&quiet()).unwrap();
    let stop = hasse::StopSignal::default();
    stop.stop();
    let error = program.values(&trace, "/Audit:1", &quiet().stop(stop)).unwrap_err();
    assert!(matches!(error, Error::Event(EventError::Stopped { .. })), "{error}");
}

/// A minimal record is followed until the event has ended, and the user's signal is left alone.
#[test]
fn a_minimal_record_is_followed_no_further_than_needed() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"A.o -> B.i\", \"B.o -> B.i\"]\n\
        [graph.main.uc.A]\nstart = true\nout = { o = \"int\" }\nroute = [\"o <- 100000\"]\n\
        [graph.main.uc.B]\nin = { i = \"int\" }\nout = { o = \"int\" }\nfire = [\"i -> v\"]\nroute = [\"o <- v - 1 if v > 0\"]\n";
    let program = Program::from_text(text, &Natives::new()).unwrap();
    let (_, trace) = program.record(&quiet().mode(RecordingMode::Minimal)).unwrap();
    let stop = hasse::StopSignal::default();
    let values = program.values(&trace, "/B:3", &quiet().stop(stop.clone())).unwrap();
    assert_eq!(values.took[0].value, Value::Int(99_998));
    assert_eq!(values.replayed.n_recorded, Some(100_002));
    assert!(values.replayed.n_replayed < 100_002, "{:?}", values.replayed);
    assert!(!stop.is_set());
}

static ISOLATION: LazyLock<(Program, Isolation)> = LazyLock::new(|| {
    let program = Program::from_text(TELLERS, &Natives::new()).unwrap();
    let (_, trace) = program.record(&quiet()).unwrap();
    let isolation = program.isolate(&trace, "/Teller[1]:1", &quiet()).unwrap();
    (program, isolation)
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a file holds, reading and executing it ends, with an event or an error.
    #[test]
    fn a_damaged_file_does_no_harm(place: prop::sample::Index, kind in 0_usize..7, number: i64) {
        let (program, isolation) = &*ISOLATION;
        let mut file: serde_json::Value = serde_json::from_str(&isolation.to_json()).unwrap();
        let mut leaves = Vec::new();
        collect(&file, String::new(), &mut leaves);
        let leaf = &leaves[place.index(leaves.len())];
        *file.pointer_mut(leaf).unwrap() = match kind {
            0 => serde_json::Value::Null,
            1 => number.into(),
            2 => "Teller".into(),
            3 => serde_json::json!([]),
            4 => serde_json::json!({}),
            5 => serde_json::json!([number]),
            _ => (number as f64).into(),
        };
        if let Ok(damaged) = Isolation::from_json(&file.to_string()) {
            let _ = program.execute(&damaged, &quiet(), 1);
        }
    }
}

/// The way to each part of a JSON value but the whole.
fn collect(json: &serde_json::Value, path: String, leaves: &mut Vec<String>) {
    let inner: Vec<(String, &serde_json::Value)> = match json {
        serde_json::Value::Object(object) => object.iter().map(|(key, item)| (key.clone(), item)).collect(),
        serde_json::Value::Array(items) => {
            items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    for (key, item) in inner {
        let path = format!("{path}/{key}");
        leaves.push(path.clone());
        collect(item, path, leaves);
    }
}
