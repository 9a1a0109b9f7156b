use std::sync::Arc;

use hasse::{BodyError, NativeBody, Natives, Options, Program, StopSignal, Type, Value};

use super::{failure, one_node, pipeline, run};

/// A body that squares `x` for the routing rules.
fn square() -> Natives {
    let mut natives = Natives::new();
    let body = NativeBody::new("square").needs([("x", Type::Int)]).lets([("y", Type::Int)]);
    natives.body(body, |context| {
        let x: i64 = context.get("x")?;
        context.set("y", x * x)
    });
    natives
}

/// One node whose body is `run`, which may set results `a` and `b` and the name `y`.
fn only(run: impl Fn(&mut hasse::BodyContext<'_>) -> hasse::BodyResult + Send + Sync + 'static) -> Natives {
    let mut natives = Natives::new();
    natives.body(NativeBody::new("only").lets([("y", Type::Real)]).results(["a", "b"]), run);
    natives
}

const ONLY: &str = "vars = { k = 'int = 7', v = 'vector' }\ndo = { native = \"only\" }";

#[test]
fn a_body_sets_names_that_lowered_rules_send() {
    let text = pipeline("do    = { native = \"square\" }\nroute = [\"o <- y if y >= 0\"]");
    assert_eq!(run(&text, &square()).finished().unwrap().result::<i64>("total").unwrap(), 14);
}

#[test]
fn a_body_sets_names_that_rules_in_rhai_see() {
    let text = pipeline("do    = { native = \"square\" }\nroute = [\"o <- [y, x].len() + y * y - i\"]");
    assert_eq!(run(&text, &square()).finished().unwrap().result::<i64>("total").unwrap(), 98 + 8 - 6);
}

#[test]
fn a_body_sees_vars_shared_names_params_index_rule_and_count() {
    let text = r#"hasse = 1
main  = "main"

[graph.main]
params = { n = "int = 3" }
arcs = ["Start.go -> Work[2].go"]
share = ["log -- Work[i].log", "base -- Work[i].base"]

[graph.main.shared.log]
type = "int[]"
init = "[5]"

[graph.main.shared.base]
type = "int"
init = "100"

[graph.main.uc.Start]
start = true
out   = { go = "int" }
route = ["go <- i for i in 0..2"]

[graph.main.uc.Work]
index  = ["i"]
in     = { go = "int" }
vars   = { k = "int = 10" }
shared = { log = "write", base = "read" }
fire   = ["go -> other if count > 100", "go -> g"]
do     = { native = "work" }
"#;
    let mut natives = Natives::new();
    natives.body(NativeBody::new("work").results(["log"]), |context| {
        assert_eq!((context.index(), context.rule()), (&[2][..], 1));
        assert!(context.is_set("g") && !context.is_set("other"));
        assert_eq!(context.get::<Option<i64>>("other")?, None);
        let base: i64 = context.get("base")?;
        let (n, i, g, k): (i64, i64, i64, i64) =
            (context.get("n")?, context.get("i")?, context.take("g")?, context.get("k")?);
        context.set("k", k + 1)?;
        let mut log: Vec<i64> = context.take("log")?;
        log.push(base * n + k * i + g + context.count() as i64);
        context.print(format!("{log:?}\nnext"));
        context.result("log", log.clone())?;
        context.set("log", log)
    });
    let lines = Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let options = Options::new().workers(2).output(move |line| sink.lock().unwrap().push(line.to_owned()));
    let run = Program::from_text(text, &natives).unwrap().run(&options).unwrap().finished().unwrap();
    assert_eq!(run.result::<Vec<i64>>("log").unwrap(), [5, 321, 325]);
    assert_eq!(*lines.lock().unwrap(), ["[5, 321]", "next", "[5, 321, 325]", "next"]);
}

#[test]
fn what_does_not_fit_is_an_error_with_the_type() {
    type Try = fn(&mut hasse::BodyContext<'_>) -> hasse::BodyResult;
    let cases: &[(&str, &str, Try)] = &[
        ("R0003", "`k`: expected string, found the int 7", |context| context.get::<String>("k").map(|_| ())),
        ("R0003", "`k` of type int cannot hold the real 0.5", |context| context.set("k", 0.5)),
        ("R0001", "the node has no name `w`", |context| context.set("w", 1_i64)),
        ("R0001", "`n` cannot be set: it is a creation parameter", |context| context.set("n", 1_i64)),
        ("R0001", "`count` cannot be set: it is part of the execution", |context| {
            context.set("count", 1_i64)
        }),
        ("R0003", "`k` of type int cannot hold nothing", |context| context.set("k", Value::Unit)),
        ("R0001", "the result `c` is not declared by the body", |context| context.result("c", 1_i64)),
        ("R0001", "the native body `only` panicked: oh no", |_| panic!("oh no")),
        ("R0001", "native body `only`: invalid digit found in string", |_| {
            "x".parse::<i64>()?;
            Ok(())
        }),
        ("R0001", "native body `only`: said so", |_| Err("said so".into())),
        ("R0003", "var `k` of type int cannot hold ()", |context| context.take::<i64>("k").map(|_| ())),
    ];
    for &(code, message, attempt) in cases {
        let found = failure(&one_node(ONLY), &only(attempt));
        assert!(found.contains(&format!("{code} at /Only:1 ")) && found.contains(message), "{found}");
        assert!(message.contains("hold ()") || found.contains("((text):10)"), "{found}");
    }
}

#[test]
fn a_shared_object_that_is_read_cannot_be_set() {
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\nshare = [\"s -- Only.s\"]\n\
                [graph.main.shared.s]\ntype = \"int\"\n\
                [graph.main.uc.Only]\nstart = true\nshared = { s = \"read\" }\ndo = { native = \"only\" }\n";
    let found = failure(text, &only(|context| context.set("s", 1_i64)));
    assert!(found.contains("`s` cannot be set: it is a shared object declared as `read`"), "{found}");
}

#[test]
fn a_name_that_was_not_set_cannot_be_sent() {
    let mut natives = Natives::new();
    natives.body(NativeBody::new("forget").lets([("y", Type::Int)]), |_| Ok(()));
    let found = failure(&pipeline("do = { native = \"forget\" }\nroute = [\"o <- y\"]"), &natives);
    assert!(found.contains("R0003") && found.contains("output port `o` of type int"), "{found}");
}

#[test]
fn a_name_is_forgotten_between_executions() {
    let mut natives = Natives::new();
    natives.body(NativeBody::new("once").lets([("y", Type::Int)]).results(["seen"]), |context| {
        let is_set = context.is_set("y");
        context.result("seen", is_set)?;
        context.set("y", 1_i64)
    });
    let text = "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [\"Again.o -> Again.a\"]\n\
                [graph.main.uc.Again]\nstart = true\nin = { a = \"int\" }\nout = { o = \"int\" }\n\
                fire = [\"a -> x\"]\ndo = { native = \"once\" }\nroute = [\"o <- y if count < 5\"]\n";
    assert!(!run(text, &natives).finished().unwrap().result::<bool>("seen").unwrap());
}

#[test]
fn taking_a_var_gives_it_without_a_copy() {
    let mut natives = Natives::new();
    natives.body(NativeBody::new("only").results(["same"]), |context| {
        let v: Arc<Vec<f64>> = context.take("v")?;
        let mut v = Arc::try_unwrap(v).map_err(|_| "somebody else holds the vector")?;
        v.push(1.0);
        context.set("v", v)?;
        context.result("same", true)
    });
    run(&one_node(ONLY), &natives).finished().unwrap();
}

#[test]
fn effects_and_random_numbers_of_a_body_are_replayed() {
    let natives = only(|context| {
        let host = context.effect::<String, _, _>(|| format!("{:?}", std::time::Instant::now()))?;
        let refused = context.effect::<i64, _, _>(|| Err::<i64, _>("no")).unwrap_err().to_string();
        assert_eq!(refused, "no");
        let random = context.random()?;
        context.result("a", host)?;
        context.result("b", random)
    });
    let program = Program::from_text(&one_node(ONLY), &natives).unwrap();
    let (run, trace) = program.record(&Options::new()).unwrap();
    let replayed = program.replay(&trace, &Options::new().workers(8)).unwrap().finished().unwrap();
    assert_eq!(replayed.results(), run.finished().unwrap().results());
    let seeded = || program.run(&Options::new().seed(3)).unwrap().result::<f64>("b").unwrap();
    assert_eq!(seeded(), seeded());
}

#[test]
fn a_body_can_be_interrupted() {
    let stop = StopSignal::default();
    let signal = stop.clone();
    let natives = only(move |context| {
        signal.stop();
        let error = context.check_stop().unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&BodyError::Interrupted));
        Err(error)
    });
    let program = Program::from_text(&one_node(ONLY), &natives).unwrap();
    let run = program.run(&Options::new().stop(stop)).unwrap();
    assert_eq!(run.outcome(), hasse::RunOutcome::Stopped);
}
