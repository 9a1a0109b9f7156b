//! Events of the short way, and those that leave it in their midst: both are the same events.

use std::sync::{Arc, Mutex};

use hasse::{NativeBody, Natives, Options, Program, RecordingMode, RunOutcome, Type};

const N: i64 = 500;

/// Four adders call themselves again, write one object, and send to a sink that takes by two rules; now and then one of
/// them prints, which is done in the general way between two events of the short one. A `real` port takes an `int`.
fn tallies() -> Program {
    let int = |name| (name, Type::Int);
    let mut natives = Natives::new();
    let add = NativeBody::new("add").needs([int("x"), int("sum")]).lets([int("y"), int("seen")]);
    natives.body(add, |context| {
        let (x, sum): (i64, i64) = (context.get("x")?, context.get("sum")?);
        context.set("sum", sum + x)?;
        context.set("seen", sum)?;
        if x % 100 == 0 {
            context.print(x);
        }
        context.set("y", x + 1)
    });
    let note = NativeBody::new("note").needs([("v", Type::Real), int("n_even"), int("n_odd")]);
    natives.body(note, |context| {
        let value: f64 = context.get("v")?;
        assert_eq!(value.fract(), 0.0);
        let name = if context.rule() == 0 { "n_even" } else { "n_odd" };
        let known: i64 = context.get(name)?;
        context.set(name, known + 1)
    });
    let adders: String = (0..4)
        .map(|n| {
            format!(
                "[graph.main.uc.Add{n}]\nin = {{ a = \"int\" }}\nout = {{ again = \"int\", o = \"int\" }}\n\
                 shared = {{ sum = \"write\" }}\nfire = [\"a -> x\"]\ndo = {{ native = \"add\" }}\n\
                 route = [\"again <- y if y < {N}\", \"o <- x\"]\n"
            )
        })
        .collect();
    let each = |line: fn(u32) -> String| (0..4).map(line).collect::<Vec<_>>().join(", ");
    let arcs =
        each(|n| format!("\"Start.go -> Add{n}.a\", \"Add{n}.again -> Add{n}.a\", \"Add{n}.o -> Sink.a\""));
    let share = each(|n| format!("\"sum -- Add{n}.sum\""));
    let all = 4 * N;
    let text = format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [{arcs}, \"Sink.s -> Stop.s\"]\nshare = [{share}, \"sum -- Stop.sum\"]\n\
         [graph.main.shared.sum]\ntype = \"int\"\n\
         [graph.main.uc.Start]\nout = {{ go = \"int\" }}\nstart = true\nroute = [\"go <- 0\"]\n{adders}\
         [graph.main.uc.Sink]\nin = {{ a = \"real\" }}\nout = {{ s = \"int\" }}\n\
         vars = {{ n_even = \"int\", n_odd = \"int\" }}\n\
         fire = [\"a -> v if count % 2 == 0\", \"a -> v if count % 2 != 0\"]\ndo = {{ native = \"note\" }}\n\
         route = [\"s <- n_even - n_odd if count == {all}\"]\n\
         [graph.main.uc.Stop]\nin = {{ s = \"int\" }}\nshared = {{ sum = \"read\" }}\nstop = true\nfire = [\"s -> s\"]\n\
         do = 'result(\"difference\", s); result(\"sum\", sum);'\n"
    );
    Program::from_text(&text, &natives).unwrap()
}

#[test]
fn what_the_lane_records_is_replayed_event_by_event() {
    let program = tallies();
    for mode in [RecordingMode::Full, RecordingMode::Minimal] {
        for n_workers in [1, 2, 4] {
            let lines = Arc::new(Mutex::new(0));
            let counted = Arc::clone(&lines);
            let options = Options::new().workers(n_workers).mode(mode);
            let options = options.output(move |_| *counted.lock().unwrap() += 1);
            let (run, trace) = program.record(&options).unwrap();
            let run = run.finished().unwrap();
            assert_eq!(run.result::<i64>("sum").unwrap(), 4 * (0..N).sum::<i64>());
            assert_eq!(run.result::<i64>("difference").unwrap(), 0);
            assert_eq!(run.report().n_events, 1 + 4 * N as u64 + 4 * N as u64 + 1);
            assert_eq!(*lines.lock().unwrap(), 4 * N / 100);
            let (replayed, again) = program.replay_recorded(&trace, &Options::new().workers(2)).unwrap();
            assert_eq!(replayed.finished().unwrap().results(), run.results());
            if mode == RecordingMode::Full {
                assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
            }
        }
    }
}

#[test]
fn a_seeded_run_does_the_same_without_the_lane() {
    let program = tallies();
    let run = program.run(&Options::new().seed(3)).unwrap().finished().unwrap();
    assert_eq!(run.result::<i64>("sum").unwrap(), 4 * (0..N).sum::<i64>());
    assert_eq!(run.result::<i64>("difference").unwrap(), 0);
}

/// The 42nd event sends on two ports and fails on the third.
#[test]
fn an_event_that_fails_behind_a_sending_sends_nothing() {
    let natives = Natives::new();
    let text = "hasse = 1\nmain = \"main\"\n\n[graph.main]\n\
                arcs = [\"Start.go -> Work.a\", \"Work.o -> Sink.a\", \"Work.again -> Work.a\", \"Work.sum -> Sink.a\"]\n\
                [graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n\
                [graph.main.uc.Work]\nin = { a = \"int\" }\nout = { o = \"int\", again = \"int\", sum = \"int\" }\n\
                fire = [\"a -> x\"]\nroute = [\"o <- x\", \"again <- x + 1\", \"sum <- x if count + 9223372036854775766 > 0\"]\n\
                [graph.main.uc.Sink]\nin = { a = \"int\" }\nfire = [\"a -> _a\"]\n";
    let program = Program::from_text(text, &natives).unwrap();
    for options in [Options::new().workers(1), Options::new().workers(2), Options::new().seed(1)] {
        let run = program.run(&options).unwrap();
        assert_eq!(run.outcome(), RunOutcome::Failed);
        let [error] = &run.report().errors[..] else { panic!("{:?}", run.report()) };
        assert!(error.event == "/Work:42" && error.message.contains("overflows"), "{error:?}");
        // Start, 42 of Work, and two values of each of 41 for the sink.
        assert_eq!(run.report().n_events, 1 + 42 + 82);
    }
}

#[test]
fn a_native_body_that_fails_in_the_lane_leaves_the_object_as_it_was() {
    let int = |name| (name, Type::Int);
    let mut natives = Natives::new();
    let body = NativeBody::new("raise").needs([int("x"), int("level")]).lets([int("y")]);
    natives.body(body, |context| {
        let (x, level): (i64, i64) = (context.get("x")?, context.get("level")?);
        context.set("level", level + 1)?;
        context.set("y", x + 1)?;
        if x == 30 { Err("enough".into()) } else { Ok(()) }
    });
    let text = "hasse = 1\nmain = \"main\"\n\n[graph.main]\n\
                arcs = [\"Start.go -> Work.a\", \"Work.again -> Work.a\", \"Start.later -> Look.a\"]\n\
                share = [\"level -- Work.level\", \"level -- Look.level\"]\n[graph.main.shared.level]\ntype = \"int\"\n\
                [graph.main.uc.Start]\nout = { go = \"int\", later = \"int\" }\nstart = true\nroute = [\"go <- 0\", \"later <- 1000\"]\n\
                [graph.main.uc.Work]\nin = { a = \"int\" }\nout = { again = \"int\" }\nshared = { level = \"write\" }\n\
                fire = [\"a -> x\"]\ndo = { native = \"raise\" }\nroute = [\"again <- y\"]\n\
                [graph.main.uc.Look]\nin = { a = \"int\" }\nout = { again = \"int\" }\nshared = { level = \"read\" }\n\
                fire = [\"a -> x\"]\ndo = 'if level > 30 { throw \"level \" + level; }'\nroute = [\"again <- x - 1 if x > 0\"]\n";
    let text =
        text.replace("\"Start.later -> Look.a\"]", "\"Start.later -> Look.a\", \"Look.again -> Look.a\"]");
    let program = Program::from_text(&text, &natives).unwrap();
    for n_workers in [1, 2] {
        let run = program.run(&Options::new().workers(n_workers)).unwrap();
        let [error] = &run.report().errors[..] else { panic!("{:?}", run.report()) };
        assert!(error.event == "/Work:31" && error.message.contains("enough"), "{error:?}");
    }
}

/// `Never` is sent nothing, and so there is none, in the lane as in a replay.
#[test]
fn a_node_that_is_sent_nothing_has_no_instance() {
    let text = "hasse = 1\nmain = \"main\"\n\n[graph.main]\n\
                arcs = [\"Start.go -> Work.a\", \"Work.o -> Sink.a\", \"Work.more -> Never.a\"]\n\
                [graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- k for k in 0..10\"]\n\
                [graph.main.uc.Work]\nin = { a = \"int\" }\nout = { o = \"int\", more = \"int\" }\n\
                fire = [\"a -> x\"]\nroute = [\"o <- x\", \"more <- x if count > 10\"]\n\
                [graph.main.uc.Sink]\nin = { a = \"int\" }\nfire = [\"a -> _a\"]\n\
                [graph.main.uc.Never]\nin = { a = \"int\" }\nfire = [\"a -> _a\"]\n";
    let program = Program::from_text(text, &Natives::new()).unwrap();
    let (run, trace) = program.record(&Options::new().workers(1)).unwrap();
    let replayed = program.replay(&trace, &Options::new().workers(1)).unwrap();
    assert_eq!(run.report().n_actions, 3, "{:?}", run.report());
    assert_eq!(replayed.report().n_actions, 3);
}

/// Events with integers alone, of which some print, take a var out and set it again, panic, leave a name unset, or route by
/// what overflows: `ends` says how the last one ends.
fn oddities(ends: &'static str) -> Program {
    let int = |name| (name, Type::Int);
    let mut natives = Natives::new();
    let body = NativeBody::new("walk").needs([int("x"), int("total")]).lets([int("y")]);
    natives.body(body, move |context| {
        let x: i64 = context.get("x")?;
        let total: i64 = if x % 30 == 0 { context.take("total")? } else { context.get("total")? };
        context.set("total", total + x)?;
        if x % 50 == 7 {
            context.print(format_args!("at {x}"));
        }
        assert!(x < 400 || ends != "panics", "far enough");
        if x == 400 && ends == "fails" {
            return Err("far enough".into());
        }
        if x < 400 || ends != "unset" {
            context.set("y", if x == 400 && ends == "overflows" { i64::MAX } else { x + 1 })?;
        }
        Ok(())
    });
    let text = "hasse = 1\nmain = \"main\"\n\n[graph.main]\n\
                arcs = [\"Start.go -> Walk.a\", \"Walk.again -> Walk.a\", \"Walk.o -> Sink.a\", \"Walk.far -> Sink.b\"]\n\
                [graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n\
                [graph.main.uc.Walk]\nin = { a = \"int\" }\nout = { again = \"int\", o = \"int\", far = \"int\" }\n\
                vars = { total = \"int\" }\nfire = [\"a -> x\"]\ndo = { native = \"walk\" }\n\
                route = [\"o <- x\", \"again <- y if y + 1 <= 500\", \"far <- total if x % 2 == 0\"]\n\
                [graph.main.uc.Sink]\nin = { a = \"int\", b = \"int\" }\nvars = { pairs = \"int\" }\n\
                fire = [\"a -> _a, b -> _b\"]\ndo = 'pairs += 1; result(\"pairs\", pairs);'\n";
    Program::from_text(text, &natives).unwrap()
}

#[test]
fn events_with_integers_leave_the_short_loop_and_come_back() {
    for (ends, told) in [
        ("fails", "far enough"),
        ("panics", "far enough"),
        ("unset", "an int or bool is needed"),
        ("overflows", "overflows"),
    ] {
        let program = oddities(ends);
        for n_workers in [1, 2] {
            let lines = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&lines);
            let options = Options::new().workers(n_workers).output(move |line| {
                kept.lock().unwrap().push(line.to_owned());
            });
            let (run, trace) = program.record(&options).unwrap();
            let [error] = &run.report().errors[..] else { panic!("{ends}: {:?}", run.report()) };
            assert!(error.event == "/Walk:401" && error.message.contains(told), "{ends}: {error:?}");
            assert_eq!(run.result::<i64>("pairs").unwrap(), 200, "{ends}");
            assert_eq!(run.report().n_events, 1 + 401 + 200, "{ends}");
            let expected: Vec<String> = (0..8).map(|n| format!("at {}", 50 * n + 7)).collect();
            assert_eq!(*lines.lock().unwrap(), expected, "{ends}");
            let (replayed, again) = program.replay_recorded(&trace, &Options::new()).unwrap();
            assert_eq!(replayed.report().errors, run.report().errors, "{ends}");
            assert_eq!(again.digest().unwrap(), trace.digest().unwrap(), "{ends}");
        }
    }
}

/// Two nodes send each other a value for ever; a third one, which one of them makes ready, ends the run.
#[test]
fn an_exchange_without_end_keeps_nobody_waiting() {
    let text = "hasse = 1\nmain = \"main\"\n\n[graph.main]\n\
                arcs = [\"Start.go -> Ping.a\", \"Ping.o -> Pong.a\", \"Pong.o -> Ping.a\", \"Pong.far -> Stop.s\", \"Ping.log -> Log.a\"]\n\
                [graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n\
                [graph.main.uc.Ping]\nin = { a = \"int\" }\nout = { o = \"int\", log = \"int\" }\nfire = [\"a -> x\"]\nroute = [\"o <- x\", \"log <- x\"]\n\
                [graph.main.uc.Pong]\nin = { a = \"int\" }\nout = { o = \"int\", far = \"int\" }\nfire = [\"a -> x\"]\n\
                route = [\"o <- x + 1\", \"far <- x if x == 100\"]\n\
                [graph.main.uc.Log]\nin = { a = \"int\" }\nfire = [\"a -> _a\"]\n\
                [graph.main.uc.Stop]\nin = { s = \"int\" }\nstop = true\nfire = [\"s -> _s\"]\n";
    let program = Program::from_text(text, &Natives::new()).unwrap();
    let run = program.run(&Options::new().workers(1)).unwrap();
    assert_eq!(run.outcome(), RunOutcome::Finished, "{:?}", run.report());
    // Three events for each round; with one worker the schedule is always the same.
    let n_rounds = run.report().n_events / 3;
    assert!((100..150).contains(&n_rounds), "{n_rounds} rounds");
}

const SIDE: i64 = 12;

/// A grid whose cells are reached by index numbers: beside, on the diagonal, at one edge, and two by one sending. The
/// parameter `edge` is the column that says that it is one.
fn grid() -> Program {
    let int = |name| (name, Type::Int);
    let mut natives = Natives::new();
    natives.body(NativeBody::new("cell").needs([int("a"), int("b")]).lets([int("c")]), |context| {
        let (a, b): (i64, i64) = (context.get("a")?, context.get("b")?);
        context.set("c", (a + b) % 1_000_003)
    });
    natives.body(NativeBody::new("square").needs([int("x")]).lets([int("y")]), |context| {
        let (x, k): (i64, i64) = (context.get("x")?, context.get("k")?);
        context.set("y", x + k)
    });
    natives.body(NativeBody::new("log").needs([int("x"), int("sum")]), |context| {
        let (x, sum): (i64, i64) = (context.get("x")?, context.get("sum")?);
        context.set("sum", sum + x)
    });
    let n_logged = SIDE * (SIDE - 1) + SIDE + SIDE - 1;
    let text = format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\nparams = {{ size = \"int\", edge = \"int\" }}\narcs = [\n\
         \"Start.north[j] -> Cell[0][j].north\", \"Start.west[i] -> Cell[i][0].west\",\n\
         \"Cell[i][j].south -> Cell[i + 1][j].north\", \"Cell[i][j].south -> Log.a\",\n\
         \"Cell[i][j].east -> Cell[i][j + 1].west\", \"Cell[k][k].square -> Square[k - 1].a\",\n\
         \"Cell[i][0].edge -> Log.a\", \"Square[k].o -> Log.a\", \"Log.s -> Stop.s\" ]\n\
         [graph.main.uc.Start]\nout = {{ \"north[j]\" = \"int\", \"west[i]\" = \"int\" }}\nstart = true\n\
         route = [\"north[j] <- 1 for j in 0..size\", \"west[i] <- 1 for i in 0..size\"]\n\
         [graph.main.uc.Cell]\nindex = [\"i\", \"j\"]\nin = {{ north = \"int\", west = \"int\" }}\n\
         out = {{ south = \"int\", east = \"int\", square = \"int\", edge = \"int\" }}\n\
         fire = [\"north -> a, west -> b\"]\ndo = {{ native = \"cell\" }}\n\
         route = [\"south <- c if i < size - 1\", \"east <- c if j < size - 1\", \"square <- c if i == j\", \"edge <- c if j == edge\"]\n\
         [graph.main.uc.Square]\nindex = [\"k\"]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\n\
         fire = [\"a -> x\"]\ndo = {{ native = \"square\" }}\nroute = [\"o <- y if k >= 0\"]\n\
         [graph.main.uc.Log]\nin = {{ a = \"int\" }}\nout = {{ s = \"int\" }}\nvars = {{ sum = \"int\" }}\nfire = [\"a -> x\"]\n\
         do = {{ native = \"log\" }}\nroute = [\"s <- sum if count == {n_logged}\"]\n\
         [graph.main.uc.Stop]\nin = {{ s = \"int\" }}\nstop = true\nfire = [\"s -> s\"]\ndo = 'result(\"sum\", s);'\n"
    );
    Program::from_text(&text, &natives).unwrap()
}

#[test]
fn values_find_instances_by_index_numbers() {
    let program = grid();
    let mut expected = 0;
    let mut row = vec![1; SIDE as usize];
    for i in 0..SIDE {
        let mut west = 1;
        for (j, cell) in row.iter_mut().enumerate() {
            *cell = (*cell + west) % 1_000_003;
            west = *cell;
            let j = j as i64;
            expected += if i < SIDE - 1 { west } else { 0 };
            expected += if j == 0 { west } else { 0 };
            expected += if i == j && i > 0 { west + i - 1 } else { 0 };
        }
    }
    for mode in [RecordingMode::Full, RecordingMode::Minimal] {
        for n_workers in [1, 2, 4] {
            let options = Options::new().workers(n_workers).mode(mode).set("size", SIDE).set("edge", 0);
            let (run, trace) = program.record(&options).unwrap();
            let run = run.finished().unwrap();
            assert_eq!(run.result::<i64>("sum").unwrap(), expected);
            let (replayed, again) = program.replay_recorded(&trace, &Options::new().workers(2)).unwrap();
            assert_eq!(replayed.finished().unwrap().results(), run.results());
            if mode == RecordingMode::Full {
                assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
            }
        }
    }
}

/// No arc takes what the cells of the second column send.
#[test]
fn a_value_that_no_index_number_fits_is_an_error() {
    let program = grid();
    let run = program.run(&Options::new().workers(1).set("size", SIDE).set("edge", 1)).unwrap();
    assert_eq!(run.outcome(), RunOutcome::Failed);
    let errors = &run.report().errors;
    assert!(!errors.is_empty(), "{:?}", run.report());
    for error in errors {
        assert!(error.code == "R0004" && error.event.ends_with("[1]:1"), "{error:?}");
        assert!(error.message.contains("no arc takes the value"), "{error:?}");
    }
}

/// One value goes round from Gate by A and B; B prints, takes its value away, and in the end does what the mode says.
fn round(ends: &'static str) -> Program {
    let int = |name| (name, Type::Int);
    let mut natives = Natives::new();
    natives.body(NativeBody::new("a").needs([int("x")]).lets([int("y")]), |context| {
        let x: i64 = context.get("x")?;
        context.set("y", x + 1)
    });
    natives.body(NativeBody::new("b").needs([int("x")]).lets([int("y")]), move |context| {
        let x: i64 = if context.count() % 20 == 3 { context.take("x")? } else { context.get("x")? };
        if context.count() % 50 == 7 {
            context.print(format!("at {}", context.count()));
        }
        match (context.count(), ends) {
            (301, "fails") => Err("far enough".into()),
            (301, "panics") => panic!("far enough"),
            (301, "unset") => Ok(()),
            _ => context.set("y", x + 1),
        }
    });
    let node = |name: &str| {
        format!(
            "[graph.main.uc.{name}]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\nfire = [\"a -> x\"]\n\
             do = {{ native = \"{}\" }}\nroute = [\"o <- y\"]\n",
            name.to_lowercase()
        )
    };
    let text = format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\n\
         arcs = [\"Start.go -> Gate.a\", \"Gate.o -> A.a\", \"A.o -> B.a\", \"B.o -> Gate.a\", \"Gate.s -> Stop.s\"]\n\
         [graph.main.uc.Start]\nout = {{ go = \"int\" }}\nstart = true\nroute = [\"go <- 0\"]\n\
         [graph.main.uc.Gate]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\", s = \"int\" }}\nfire = [\"a -> x\"]\n\
         route = [\"o <- x if x < 800\", \"s <- x if x >= 800\"]\n{}{}\
         [graph.main.uc.Stop]\nin = {{ s = \"int\" }}\nstop = true\nfire = [\"s -> s\"]\ndo = 'result(\"s\", s);'\n",
        node("A"),
        node("B")
    );
    Program::from_text(&text, &natives).unwrap()
}

#[test]
fn a_value_that_goes_round_leaves_the_short_way_and_comes_back() {
    for (ends, told) in [
        ("well", None),
        ("fails", Some("far enough")),
        ("panics", Some("far enough")),
        ("unset", Some("of type int cannot hold ()")),
    ] {
        let program = round(ends);
        for n_workers in [1, 2] {
            let lines = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&lines);
            let options = Options::new().workers(n_workers).output(move |line| {
                kept.lock().unwrap().push(line.to_owned());
            });
            let n_rounds = if told.is_some() { 301 } else { 400 };
            for records in [false, true] {
                lines.lock().unwrap().clear();
                let (run, trace) = if records {
                    let (run, trace) = program.record(&options).unwrap();
                    (run, Some(trace))
                } else {
                    (program.run(&options).unwrap(), None)
                };
                let report = run.report();
                match (told, &report.errors[..]) {
                    (None, []) => assert_eq!(run.result::<i64>("s").unwrap(), 800),
                    (Some(told), [error]) => {
                        assert!(error.event == "/B:301" && error.message.contains(told), "{ends}: {error:?}");
                    }
                    _ => panic!("{ends}: {report:?}"),
                }
                // Start; in the end Gate once more, and Stop.
                let n_ends = if told.is_none() { 2 } else { 0 };
                assert_eq!(report.n_events, 1 + 3 * n_rounds + n_ends, "{ends}");
                let n_lines = (n_rounds - 7) / 50 + 1;
                let expected: Vec<String> = (0..n_lines).map(|n| format!("at {}", 50 * n + 7)).collect();
                assert_eq!(*lines.lock().unwrap(), expected, "{ends}");
                let Some(trace) = trace else { continue };
                let (replayed, again) = program.replay_recorded(&trace, &Options::new()).unwrap();
                assert_eq!(replayed.report().errors, run.report().errors, "{ends}");
                assert_eq!(again.digest().unwrap(), trace.digest().unwrap(), "{ends}");
            }
        }
    }
}

/// Values that one event sends have one sender: they are several all the same, each time that they come.
#[test]
fn a_burst_is_not_taken_for_a_single_value() {
    let text = "hasse = 1\nmain = \"main\"\n\n[graph.main]\nparams = { n = \"int\" }\n\
                arcs = [\"Start.go -> Burst.a\", \"Burst.o -> A.a\", \"A.o -> Sink.a\", \"Sink.next -> Burst.a\", \"Sink.s -> Stop.s\"]\n\
                [graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n\
                [graph.main.uc.Burst]\nin = { a = \"int\" }\nout = { o = \"int\" }\nfire = [\"a -> _a\"]\nroute = [\"o <- k for k in 0..n\"]\n\
                [graph.main.uc.A]\nin = { a = \"int\" }\nout = { o = \"int\" }\nfire = [\"a -> x\"]\nroute = [\"o <- x\"]\n\
                [graph.main.uc.Sink]\nin = { a = \"int\" }\nout = { next = \"int\", s = \"int\" }\nfire = [\"a -> x\"]\n\
                route = [\"next <- x if count % n == 0 && count < 40 * n\", \"s <- count if count == 40 * n\"]\n\
                [graph.main.uc.Stop]\nin = { s = \"int\" }\nstop = true\nfire = [\"s -> s\"]\ndo = 'result(\"s\", s);'\n";
    let program = Program::from_text(text, &Natives::new()).unwrap();
    for n in [1, 2, 3, 100] {
        for n_workers in [1, 2] {
            let options = Options::new().workers(n_workers).set("n", n);
            let (run, trace) = program.record(&options).unwrap();
            assert_eq!(run.result::<i64>("s").unwrap(), 40 * n, "{:?}", run.report());
            assert_eq!(run.report().n_events, (1 + 40 + 2 * 40 * n + 1) as u64);
            let (replayed, _) = program.replay_recorded(&trace, &Options::new()).unwrap();
            assert_eq!(replayed.report().n_events, run.report().n_events);
            assert_eq!(program.run(&options).unwrap().result::<i64>("s").unwrap(), 40 * n);
        }
    }
}

/// What four producers send is taken in an order that the record tells, from far behind where it must be.
#[test]
fn values_of_many_senders_are_taken_in_the_recorded_order() {
    let int = |name| (name, Type::Int);
    let mut natives = Natives::new();
    for producer in 0..4_i64 {
        let body = NativeBody::new(&format!("next{producer}")).needs([int("x")]).lets([int("y"), int("v")]);
        natives.body(body, move |context| {
            let x: i64 = context.get("x")?;
            context.set("v", 4 * x + producer)?;
            context.set("y", x + 1)
        });
    }
    natives.body(NativeBody::new("fold").needs([int("v"), int("fold")]), |context| {
        let (v, fold): (i64, i64) = (context.get("v")?, context.get("fold")?);
        if v == 1_001 {
            context.print("here");
        }
        context.set("fold", fold.wrapping_mul(31).wrapping_add(v) % 1_000_003)
    });
    let producers: String = (0..4)
        .map(|n| {
            format!(
                "[graph.main.uc.P{n}]\nin = {{ a = \"int\" }}\nout = {{ again = \"int\", o = \"int\" }}\n\
                 fire = [\"a -> x\"]\ndo = {{ native = \"next{n}\" }}\n\
                 route = [\"again <- y if y < {N}\", \"o <- v\"]\n"
            )
        })
        .collect();
    let arcs = |n| format!("\"Start.go -> P{n}.a\", \"P{n}.again -> P{n}.a\", \"P{n}.o -> Fold.v\"");
    let arcs = (0..4).map(arcs).collect::<Vec<_>>().join(", ");
    let all = 4 * N;
    let text = format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [{arcs}, \"Fold.s -> Stop.s\"]\n\
         [graph.main.uc.Start]\nout = {{ go = \"int\" }}\nstart = true\nroute = [\"go <- 0\"]\n{producers}\
         [graph.main.uc.Fold]\nin = {{ v = \"int\" }}\nout = {{ s = \"int\" }}\nvars = {{ fold = \"int\" }}\n\
         fire = [\"v -> v\"]\ndo = {{ native = \"fold\" }}\nroute = [\"s <- fold if count == {all}\"]\n\
         [graph.main.uc.Stop]\nin = {{ s = \"int\" }}\nstop = true\nfire = [\"s -> s\"]\ndo = 'result(\"fold\", s);'\n"
    );
    let program = Program::from_text(&text, &natives).unwrap();
    for (seed, n_workers) in [(None, 4), (None, 1), (Some(7), 4), (Some(8), 2)] {
        let options = Options::new().workers(n_workers);
        let options = seed.map_or(options.clone(), |seed| options.seed(seed));
        let (run, trace) = program.record(&options).unwrap();
        let run = run.finished().unwrap();
        for n_workers in [1, 2, 4] {
            let options = Options::new().workers(n_workers);
            let (replayed, again) = program.replay_recorded(&trace, &options).unwrap();
            assert_eq!(replayed.finished().unwrap().results(), run.results());
            assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
        }
    }
}
