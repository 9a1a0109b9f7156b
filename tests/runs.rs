//! What a run does beyond the laws: errors of the program, quiescence, results, ends, sinks.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "laws/recording.rs"]
mod recording;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hasse_model::event::{EventBatch, Outcome};
use hasse_model::id::{ActionId, EventId};
use hasse_model::value::Value;
use hasse_runtime::report::{Divergence, RunOutcome, RunReport};
use hasse_runtime::run::{EventSink, Recording, RuntimeError, replay, run};
use recording::{compile, options, record, replay_of, replay_record};

fn program(arcs: &str, nodes: &str) -> String {
    format!("hasse = 1\nmain = \"main\"\n[graph.main]\n{arcs}\n{nodes}")
}

/// One start node that sends 0, 1, ... to `Work.a`, and the given attributes of `Work`.
fn one_node(n_values: usize, work: &str) -> String {
    program(
        "arcs = [\"Start.o -> Work.a\"]",
        &format!(
            "[graph.main.uc.Start]\nstart = true\nout = {{ o = \"int\" }}\nroute = [\"o <- k for k in 0..{n_values}\"]\n\
             [graph.main.uc.Work]\nin = {{ a = \"int\" }}\n{work}"
        ),
    )
}

fn silent() -> Box<dyn FnMut(&str) + Send> {
    Box::new(|_| {})
}

fn report(text: &str) -> RunReport {
    let plan = compile(text);
    run(&plan, &options(2, None), Recording::None, silent()).unwrap()
}

#[track_caller]
fn assert_fails(text: &str, code: &str, message: &str) {
    let report = report(text);
    assert_eq!(report.outcome, RunOutcome::Failed);
    let error = &report.errors[0];
    assert_eq!(error.code, code, "{error:?}");
    assert!(error.message.contains(message), "{error:?}");
}

#[test]
fn an_error_in_a_body_names_event_line_and_values() {
    let text = one_node(5, "fire = [\"a -> v\"]\ndo = '''\nlet half = 10 / (2 - v);\n'''\n");
    let report = report(&text);
    let error = &report.errors[0];
    assert_eq!((error.code, error.event.as_str()), ("R0001", "/Work:3"));
    let line = 1 + text.lines().position(|line| line.contains("10 /")).unwrap();
    assert_eq!(error.at.line as usize, line);
    let seen = error.values.iter().find(|seen| seen.name == "v").unwrap();
    assert_eq!((&*seen.text, &seen.value), ("2", &Some(Value::Int(2))), "{error:?}");
    // The instance is stopped: later values stay where they are.
    assert_eq!(report.n_events, 4);
}

#[test]
fn a_failed_event_keeps_nothing_that_it_wrote_and_is_recorded() {
    let text = program(
        "arcs = [\"Start.o -> Work.a\"]\nshare = [\"s -- Work.s\", \"s -- Look.s\"]",
        "[graph.main.shared.s]\ntype = \"int\"\ninit = \"5\"\n\
         [graph.main.uc.Start]\nstart = true\nout = { o = \"int\" }\nroute = [\"o <- 1\"]\n\
         [graph.main.uc.Look]\nstart = true\nshared = { s = \"read\" }\ndo = 'result(\"s\", s);'\n\
         [graph.main.uc.Work]\nin = { a = \"int\" }\nshared = { s = \"write\" }\nfire = [\"a -> v\"]\n\
         do = 's = 6; throw \"no\";'\n",
    );
    let recorded = record(&compile(&text), 1, None);
    assert_eq!(recorded.report.results, vec![("s".to_owned(), Value::Int(5))]);
    let failed: Vec<_> = recorded
        .batches
        .iter()
        .flat_map(EventBatch::events)
        .filter(|event| event.outcome == Outcome::Failed)
        .collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0].error.as_deref().is_some_and(|error| error.contains("no")), "{failed:?}");
}

#[test]
fn values_that_do_not_fit_are_errors_of_the_event() {
    assert_fails(
        &one_node(1, "vars = { n = \"int\" }\nfire = [\"a -> v\"]\ndo = 'n = 1; n = \"text\";'\n"),
        "R0003",
        "var `n` of type int",
    );
    let sends_text = program(
        "arcs = [\"Start.o -> Work.a\"]",
        "[graph.main.uc.Start]\nstart = true\nout = { o = \"int\" }\ndo = 'let x = \"text\";'\nroute = [\"o <- x\"]\n\
         [graph.main.uc.Work]\nin = { a = \"int\" }\nfire = [\"a -> v\"]\n",
    );
    assert_fails(&sends_text, "R0003", "output port `o` of type int cannot hold the string \"text\"");
}

#[test]
fn a_value_that_no_arc_takes_is_an_error_that_names_its_origin() {
    let text = program(
        "arcs = [\"Start.o[0] -> Work.a\"]",
        "[graph.main.uc.Start]\nstart = true\nout = { \"o[j]\" = \"int\" }\nroute = [\"o[j] <- j for j in 0..2\"]\n\
         [graph.main.uc.Work]\nin = { a = \"int\" }\nfire = [\"a -> v\"]\n",
    );
    assert_fails(&text, "R0004", "no arc takes the value 1 that /Start sends on o[1]");
    // Everything or nothing: the value that an arc would take is not sent either.
    assert_eq!(report(&text).n_events, 1);
}

/// The receivers of one of the values are found before an event sends it, those of the other one when it does.
#[test]
fn a_value_that_no_arc_takes_fails_its_event_whatever_else_that_sends() {
    let text = program(
        "arcs = [\"Start.o[k] -> L[k].x\", \"L[0].a -> Sink.x\", \"L[i].b -> Family.f[i]\"]",
        "[graph.main.uc.Start]\nstart = true\nout = { \"o[k]\" = \"int\" }\nroute = [\"o[1] <- k for k in 0..5\"]\n\
         [graph.main.uc.L]\nindex = [\"i\"]\nin = { x = \"int\" }\nout = { a = \"int\", b = \"int\" }\nfire = [\"x -> x\"]\n\
         route = [\"b <- x, a <- x\"]\n\
         [graph.main.uc.Sink]\nin = { x = \"int\" }\nfire = [\"x -> _x\"]\n\
         [graph.main.uc.Family]\nin = { \"f[k]\" = \"int\" }\nfire = [\"f[1] -> _x\"]\n",
    );
    assert_fails(&text, "R0004", "no arc takes the value 0 that /L[1] sends on a");
    assert_eq!(report(&text).n_events, 2);
}

#[test]
fn guards_and_bounds_that_fail_are_errors() {
    assert_fails(
        &one_node(1, "vars = { n = \"int\" }\nfire = [\"a -> v if 1 / n == 1\"]\n"),
        "R0005",
        "divided by zero",
    );
}

#[test]
fn an_instance_without_a_share_line_is_an_error() {
    let text = program(
        "arcs = [\"Start.o[j] -> Work[j].a\"]\nshare = [\"s -- Work[0].s\"]",
        "[graph.main.shared.s]\ntype = \"int\"\n\
         [graph.main.uc.Start]\nstart = true\nout = { \"o[j]\" = \"int\" }\nroute = [\"o[j] <- j for j in 0..2\"]\n\
         [graph.main.uc.Work]\nindex = [\"i\"]\nin = { a = \"int\" }\nshared = { s = \"write\" }\nfire = [\"a -> v\"]\n",
    );
    assert_fails(&text, "R0006", "no share line gives `s` an object");
}

#[test]
fn concurrent_results_are_an_error_with_both_events_and_ordered_ones_are_not() {
    let text = |second: &str| {
        program(
            "arcs = [\"A.o -> B.a\", \"A.o -> C.a\", \"B.o -> C.b\"]",
            &format!(
                "[graph.main.uc.A]\nstart = true\nout = {{ o = \"int\" }}\nroute = [\"o <- 1\"]\n\
                 [graph.main.uc.B]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\nfire = [\"a -> v\"]\n\
                 do = 'result(\"r\", 1);'\nroute = [\"o <- 1\"]\n\
                 [graph.main.uc.C]\nin = {{ a = \"int\", b = \"int\" }}\nfire = [\"{second}\"]\ndo = 'result(\"r\", 2);'\n"
            ),
        )
    };
    for seed in 0..20 {
        let ordered = record(&compile(&text("a -> v, b -> w")), 2, Some(seed)).report;
        assert_eq!(ordered.results, vec![("r".to_owned(), Value::Int(2))]);
        let concurrent = record(&compile(&text("a -> v")), 2, Some(seed)).report;
        let conflict = concurrent.errors.iter().find(|error| error.code == "R0002").unwrap();
        assert!(conflict.message.contains("/B:1") && conflict.message.contains("/C:1"), "{conflict:?}");
    }
    // Without a record the order is known as well.
    assert_eq!(report(&text("a -> v, b -> w")).results, vec![("r".to_owned(), Value::Int(2))]);
}

#[test]
fn quiescence_names_who_waits_for_what_and_the_cycle() {
    // Two nodes that each wait for the other before they send.
    let text = program(
        "arcs = [\"Start.o -> P.a\", \"Start.o -> Q.a\", \"P.give -> Q.token\", \"Q.give -> P.token\", \"P.done -> End.a\"]",
        "[graph.main.uc.Start]\nstart = true\nout = { o = \"int\" }\nroute = [\"o <- 1\"]\n\
         [graph.main.uc.P]\nin = { a = \"int\", token = \"int\" }\nout = { give = \"int\", done = \"int\" }\n\
         vars = { k = \"int\" }\nfire = [\"a -> v, token -> t\", \"a -> v if k > 0\"]\nroute = [\"give <- 1\", \"done <- 1\"]\n\
         [graph.main.uc.Q]\nin = { a = \"int\", token = \"int\" }\nout = { give = \"int\" }\n\
         fire = [\"a -> v, token -> t\"]\nroute = [\"give <- 1\"]\n\
         [graph.main.uc.End]\nstop = true\nin = { a = \"int\" }\nfire = [\"a -> v\"]\n",
    );
    let report = report(&text);
    assert_eq!(report.outcome, RunOutcome::Quiescent);
    assert_eq!(report.wait_cycle, ["/P", "/Q"]);
    let waiting = report.quiescence.iter().find(|waiting| waiting.action == "/P").unwrap();
    assert_eq!(waiting.queued, [("a".to_owned(), 1)]);
    assert_eq!(waiting.rules[0].missing, ["token"]);
    assert_eq!(waiting.rules[0].guard, None);
    assert_eq!(waiting.rules[1].guard, Some(Ok(false)));
    // The stop node waits too, though nothing was ever sent to it.
    assert!(report.quiescence.iter().any(|waiting| waiting.action == "/End"), "{report:?}");
}

#[test]
fn a_program_without_stop_node_finishes_when_nothing_is_left_over() {
    let text = one_node(3, "fire = [\"a -> v\"]\n");
    assert_eq!(report(&text).outcome, RunOutcome::Finished);
    let leaves_values = one_node(3, "vars = { k = \"int\" }\nfire = [\"a -> v if k == 1\"]\n");
    let report = report(&leaves_values);
    assert_eq!(report.outcome, RunOutcome::Quiescent);
    assert_eq!(report.quiescence[0].queued, [("a".to_owned(), 3)]);
    assert!(report.wait_cycle.is_empty());
}

#[test]
fn enabled_rules_take_turns() {
    let text = one_node(
        4,
        "out = { o = \"int\", b = \"int\" }\nvars = { order = \"string\" }\n\
         fire = [\"a -> v\", \"b -> v\"]\ndo = '''\norder += rule;\nresult(\"order\", order);\n'''\nroute = []\n",
    )
    .replace("in = { a = \"int\" }", "in = { a = \"int\", b = \"int\" }")
    .replace("out = { o = \"int\", b = \"int\" }\n", "")
    .replace("\"Start.o -> Work.a\"", "\"Start.o -> Work.a\", \"Start.o -> Work.b\"");
    let report = run(&compile(&text), &options(1, None), Recording::None, silent()).unwrap();
    assert_eq!(report.results, vec![("order".to_owned(), Value::String("01010101".into()))]);
}

/// Work of two kinds is there before any of it is done; the second kind is preferred.
fn preferred(keys: &str, rules: &str) -> String {
    program(
        "arcs = [\"Start.a -> Work.a\", \"Start.b -> Work.b\"]",
        &format!(
            "[graph.main.uc.Start]\nstart = true\nout = {{ a = \"int\", b = \"int\" }}\n\
             route = [\"a <- k for k in 0..100\", \"b <- k for k in 0..100\"]\n\
             [graph.main.uc.Work]\nin = {{ a = \"int\", b = \"int\" }}\n{keys}\nfire = [{rules}]\n"
        ),
    )
}

#[test]
fn preferred_rules_go_first_in_every_tier() {
    let plain = "\"b -> v\", \"a -> v\"";
    let guarded = "\"b -> v if count > 0\", \"a -> v if count % 2 < 2\"";
    let bodies = ["", "do = 'let z = v + 1;'", "do = 'let z = `${v}`;'"];
    for (rules, body) in [plain, guarded].into_iter().flat_map(|rules| bodies.map(|body| (rules, body))) {
        for seed in [None, Some(1), Some(2)] {
            let text = preferred(&format!("prefer = true\n{body}"), rules);
            let recorded = record(&compile(&text), 1, seed);
            let rules = |recorded: &recording::Recorded| {
                let (events, _) = recording::sorted(&recorded.batches);
                events.iter().map(|event| event.rule).filter(|rule| *rule >= 0).collect::<Vec<_>>()
            };
            let in_order = [vec![0; 100], vec![1; 100]].concat();
            assert_eq!(rules(&recorded), in_order, "{text}");
            let replayed = replay_of(&compile(&text), &recorded.batches, 2, None);
            assert_eq!(rules(&replayed), in_order, "{text}");
            let free = record(&compile(&preferred(body, plain)), 1, seed);
            assert_ne!(rules(&free), in_order, "{text}");
        }
    }
}

#[test]
fn rules_of_one_port_that_are_preferred_take_no_turns() {
    let text = program(
        "arcs = [\"Start.a -> Work.a\"]",
        "[graph.main.uc.Start]\nstart = true\nout = { a = \"int\" }\nroute = [\"a <- k for k in 0..90\"]\n\
         [graph.main.uc.Work]\nin = { a = \"int\" }\nprefer = true\n\
         fire = [\"a -> v if count % 3 == 0\", \"a -> v if count % 3 < 2\", \"a -> v\"]",
    );
    for n_workers in [1, 2] {
        let recorded = record(&compile(&text), n_workers, None);
        let (events, _) = recording::sorted(&recorded.batches);
        for event in events.iter().filter(|event| event.rule >= 0) {
            assert_eq!(event.rule, [0, 1, 2][event.id.count as usize % 3], "{event:?}");
        }
    }
}

/// Senders that wait for room, at whatever moment the run is stopped, neither go on nor keep it from its end.
#[test]
fn a_run_whose_senders_wait_for_room_is_stopped_from_outside() {
    let text = program(
        "arcs = [\"A.next -> A.next\", \"A.x -> R.x\", \"B.next -> B.next\", \"B.x[i] -> R.x\"]",
        "[graph.main.uc.A]\nstart = true\nin = { next = \"int\" }\nout = { next = \"int\", x = \"int\" }\n\
         fire = [\"next -> _k\"]\nroute = [\"x <- count\", \"next <- count\"]\n\
         [graph.main.uc.B]\nstart = true\nin = { next = \"int\" }\nout = { next = \"int\", \"x[i]\" = \"int\" }\n\
         fire = [\"next -> _k\"]\nroute = [\"x[k] <- k for k in 0..3\", \"next <- count\"]\n\
         [graph.main.uc.R]\nin = { x = { type = \"int\", bound = 2 } }\nfire = [\"x -> v\"]\ndo = 'print(v);'",
    );
    let plan = compile(&text);
    for round in 0..60 {
        let options = options(1 + round % 3, (round % 4 == 0).then_some(round as u64));
        let (stop, mut n_lines) = (options.stop.clone(), 0);
        let output = Box::new(move |_: &str| {
            n_lines += 1;
            if n_lines == 10 + 7 * round {
                stop.stop();
            }
        });
        let report = run(&plan, &options, Recording::None, output).unwrap();
        assert_eq!(report.outcome, RunOutcome::Stopped);
    }
}

#[test]
fn a_body_that_runs_for_ever_is_stopped_from_outside() {
    let text = one_node(1, "fire = [\"a -> v\"]\ndo = '''\nprint(\"going\");\nwhile true {}\n'''\n").replace(
        "[graph.main.uc.Work]",
        "[graph.main.uc.Say]\nstart = true\ndo = 'print(\"here\");'\n[graph.main.uc.Work]",
    );
    let plan = compile(&text);
    let options = options(2, None);
    let stop = options.stop.clone();
    // The line of the other start node is the sign that the run is under way.
    let report = run(&plan, &options, Recording::None, Box::new(move |_| stop.stop())).unwrap();
    assert_eq!(report.outcome, RunOutcome::Stopped);
}

#[test]
fn parameters_are_checked_before_the_run() {
    let plan = compile(
        &one_node(1, "fire = [\"a -> v\"]\n")
            .replace("[graph.main]\n", "[graph.main]\nparams = { n = \"int\", m = \"real = n + 1\" }\n"),
    );
    let with = |params: &[(&str, Value)]| {
        let mut options = options(1, None);
        options.params = params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        run(&plan, &options, Recording::None, silent())
    };
    assert!(matches!(with(&[]), Err(RuntimeError::MissingParam { .. })));
    assert!(matches!(with(&[("n", Value::Bool(true))]), Err(RuntimeError::ParamType { .. })));
    assert!(matches!(
        with(&[("n", Value::Int(1)), ("x", Value::Int(1))]),
        Err(RuntimeError::UnknownParam { .. })
    ));
    assert!(matches!(with(&[("n", Value::Int(i64::MAX))]), Err(RuntimeError::Initial { .. })));
    assert_eq!(with(&[("n", Value::Int(1))]).unwrap().outcome, RunOutcome::Finished);
}

/// A sink that counts, and fails after some batches.
struct Counting {
    n_events: Arc<AtomicU64>,
    n_batches_left: u32,
}

impl EventSink for Counting {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.n_batches_left = self.n_batches_left.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        self.n_events.fetch_add(batch.n_events() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &hasse_runtime::run::Idle) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_sink_that_fails_ends_the_run_with_its_error() {
    let plan = compile(&one_node(100_000, "fire = [\"a -> v\"]\n"));
    let n_events = Arc::new(AtomicU64::new(0));
    let sink = Counting { n_events: Arc::clone(&n_events), n_batches_left: 2 };
    let outcome = run(&plan, &options(2, None), Recording::Full(Box::new(sink)), silent());
    assert!(matches!(outcome, Err(RuntimeError::Sink(error)) if error.kind() == io::ErrorKind::StorageFull));
    assert!(n_events.load(Ordering::Relaxed) < 100_000);
}

#[test]
fn no_event_is_lost_when_the_sink_is_slow() {
    let plan = compile(&one_node(100_000, "fire = [\"a -> v\"]\n"));
    let n_events = Arc::new(AtomicU64::new(0));
    let sink = Counting { n_events: Arc::clone(&n_events), n_batches_left: u32::MAX };
    let report = run(&plan, &options(4, None), Recording::Full(Box::new(sink)), silent()).unwrap();
    assert_eq!(report.n_events, 100_001);
    assert_eq!(n_events.load(Ordering::Relaxed), report.n_events);
}

#[test]
fn a_replay_of_another_program_stops_at_the_first_event_that_differs() {
    let text = one_node(3, "fire = [\"a -> v\"]\ndo = '''\nif v == 1 { print(\"one\"); }\n'''\n");
    let recorded = record(&compile(&text), 2, None);
    let changed = text.replace("print(\"one\");", "throw \"one\";");
    let replayed = replay_of(&compile(&changed), &recorded.batches, 2, None);
    let divergence = replayed.report.divergence.unwrap();
    assert_eq!(divergence.event, "/Work:2");
    assert_eq!(divergence.expected, "outcome done");
    assert!(divergence.found.contains("one"), "{divergence:?}");

    let sends_less = text.replace("0..3", "0..2");
    let replayed = replay_of(&compile(&sends_less), &recorded.batches, 2, None);
    let divergence = replayed.report.divergence.unwrap();
    assert_eq!((divergence.event.as_str(), divergence.found.as_str()), ("/Start:1", "2 values sent"));
}

/// Its events wait for each other, so that none of them is the first that does not come.
#[test]
fn a_replay_of_events_that_contradict_each_other_has_other_events() {
    let plan = compile(&one_node(2, "fire = [\"a -> v\"]\n"));
    let mut batches = record(&plan, 1, None).batches;
    for batch in &mut batches {
        let mut events: Vec<_> = batch.events().collect();
        let twisted = events.iter_mut().find(|event| event.id.count == 1 && !event.flow.is_empty());
        let first = twisted.expect("one has taken a value");
        first.flow = vec![EventId { count: 2, ..first.id }];
        let names = (std::mem::take(&mut batch.actions), std::mem::take(&mut batch.objects));
        batch.clear();
        (batch.actions, batch.objects) = names;
        events.iter_mut().for_each(|event| batch.push(event));
    }
    for n_workers in [1, 2] {
        let divergence = replay_of(&plan, &batches, n_workers, None).report.divergence.unwrap();
        let Divergence { event, expected, found, .. } = divergence;
        assert_eq!((event.as_str(), expected.as_str(), found.as_str()), ("/", "3 events", "1 event"));
    }
}

#[test]
fn answers_of_the_world_are_replayed() {
    let text = one_node(
        50,
        "fire = [\"a -> v\"]\ndo = '''\nprint(random_int(0, 1000000000));\nprint(time());\n'''\n",
    );
    let plan = compile(&text);
    let recorded = record(&plan, 2, None);
    assert_eq!(recorded.lines.len(), 100);
    let replayed = replay_of(&plan, &recorded.batches, 1, Some(3));
    assert_eq!(replayed.lines, recorded.lines);
    // A body that asks another question than recorded has diverged.
    let changed = compile(&text.replace("print(time());", "print(random());"));
    let divergence = replay_of(&changed, &recorded.batches, 1, None).report.divergence.unwrap();
    assert_eq!(divergence.event, "/Work:1");
    assert!(divergence.found.contains("Random"), "{divergence:?}");
}

#[test]
fn a_shared_object_keeps_readers_and_writers_apart() {
    // Writers leave the two halves unequal in between; a reader that saw that would fail.
    let text = program(
        "arcs = [\"Start.o[j] -> W[j].a\", \"Start.o[j] -> R[j].a\"]\nshare = [\"s -- W[i].s\", \"s -- R[i].s\"]",
        "[graph.main.shared.s]\ntype = \"int[]\"\ninit = \"[0, 0]\"\n\
         [graph.main.uc.Start]\nstart = true\nout = { \"o[j]\" = \"int\" }\nroute = [\"o[k % 4] <- k for k in 0..400\"]\n\
         [graph.main.uc.W]\nindex = [\"i\"]\nin = { a = \"int\" }\nshared = { s = \"write\" }\nfire = [\"a -> v\"]\n\
         do = '''\ns[0] += 1;\nfor x in 0..20 {}\ns[1] += 1;\n'''\n\
         [graph.main.uc.R]\nindex = [\"i\"]\nin = { a = \"int\" }\nshared = { s = \"read\" }\nfire = [\"a -> v\"]\n\
         do = '''\nif s[0] != s[1] { throw \"torn\"; }\n'''\n",
    );
    let plan = compile(&text);
    for seed in [None, Some(1), Some(2)] {
        let recorded = record(&plan, 4, seed);
        assert_eq!(recorded.report.outcome, RunOutcome::Finished, "{:?}", recorded.report.errors);
        assert_eq!(recorded.report.n_events, 801);
        let replayed = replay_of(&plan, &recorded.batches, 4, Some(9));
        assert_eq!(replayed.report.divergence, None);
    }
}

#[test]
fn a_record_that_gives_an_instance_two_ids_is_refused() {
    let plan = compile(&one_node(3, "fire = [\"a -> v\"]\ndo = 'print(v);'\n"));
    let mut batches = record(&plan, 1, None).batches;
    let mut second = batches.iter().flat_map(|batch| &batch.actions).last().unwrap().clone();
    second.action = ActionId(99);
    batches[0].actions.push(second);
    let refused = replay(&plan, &options(1, None), replay_record(&plan, &batches), None, silent());
    let message = refused.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("an instance of `Work` has two ids"), "{message}");
}

/// The numbers of values that come first, in three forms, and the values of a family: one rule waits for as many of them as an
/// array or a vector has items, at first for none.
#[test]
fn lengths_of_arrays_and_vectors_bound_the_loops_of_firing_rules() {
    for (ty, of, length) in [
        ("int[]", "[5, 5, 5]", "ids.len"),
        ("int[]", "[5, 5, 5]", "len(ids)"),
        ("vector", "vector(3)", "ids.len()"),
    ] {
        let text = program(
            "arcs = [\"Start.ids -> Work.ids\", \"Start.o[k] -> Work.a[k]\"]",
            &format!(
                "[graph.main.uc.Start]\nstart = true\nout = {{ ids = \"{ty}\", \"o[k]\" = \"int\" }}\n\
                 route = [\"ids <- {of}\", \"o[k] <- 10 * k for k in 0..4\"]\n\
                 [graph.main.uc.Work]\nin = {{ ids = \"{ty}\", \"a[k]\" = \"int\" }}\nvars = {{ ids = \"{ty}\" }}\n\
                 fire = [\"ids -> ids if count == 1\", \"a[k] -> v[k] for k in 0..=({length}) * 1 if count == 2\"]\n\
                 do = 'if rule == 1 {{ result(\"v\", v); }}'\n"
            ),
        );
        let plan = compile(&text);
        for n_workers in [1, 2] {
            let recorded = record(&plan, n_workers, None);
            let result = recorded.report.results.iter().find(|(name, _)| name == "v");
            assert_eq!(result.unwrap().1.to_string(), "[0, 10, 20, 30]", "{text}");
            let replayed = replay_of(&plan, &recorded.batches, n_workers, None);
            assert_eq!(replayed.report.divergence, None);
            assert_eq!(replayed.report.results, recorded.report.results);
        }
    }
}
