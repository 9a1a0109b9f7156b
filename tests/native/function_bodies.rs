//! Bodies that are functions: they do what bodies that look up their names do, for one event or for many at a time.

use std::fmt::Write as _;

use hasse::{NativeBody, Natives, NativesError, Options, Program, RunOutcome, Type};
use proptest::prelude::*;

use super::{failure, one_node, pipeline, run};

/// Where something is out of the ordinary.
#[derive(Clone, Copy, Debug)]
struct Odd {
    /// The values that a body fails, or panics, for.
    fails: i64,
    panics: i64,
    /// A guard overflows when a total comes so near to the greatest integer.
    near: i64,
}

const NOTHING: Odd = Odd { fails: -1, panics: -1, near: 1_000_000_000 };

type Both = Result<(i64, i64), String>;

fn map(odd: Odd, x: i64) -> Result<i64, String> {
    assert_ne!(x, odd.panics, "no way on");
    if x == odd.fails { Err(format!("{x} is too much")) } else { Ok(3 * x + 1) }
}

fn fold(x: i64, total: i64) -> (i64, i64) {
    (total + x, x ^ total)
}

fn again(odd: Odd, x: i64, sum: i64) -> Both {
    map(odd, x).map(|y| (sum + y, x + 1))
}

fn weigh([a, b, c, weight]: [i64; 4]) -> [i64; 2] {
    [a + 2 * b + 3 * c + weight, weight + a % 5]
}

/// The bodies, as functions or with names looked up.
fn natives(odd: Odd, as_functions: bool) -> Natives {
    let int = |name: &'static str| (name, Type::Int);
    let mut natives = Natives::new();
    if as_functions {
        natives.function_body("map", ["x"], ["y"], move |x| map(odd, x));
        natives.function_body("fold", ["x", "total"], ["total", "y"], fold);
        natives.function_body("again", ["x", "sum"], ["sum", "y"], move |x, sum| again(odd, x, sum));
        natives.function_body("weigh", ["a", "b", "c", "weight"], ["w", "weight"], weigh);
        return natives;
    }
    natives.body(NativeBody::new("map").needs([int("x")]).lets([int("y")]), move |context| {
        context.set("y", map(odd, context.get("x")?)?)
    });
    natives.body(NativeBody::new("fold").needs([int("x"), int("total")]).lets([int("y")]), |context| {
        let (total, y) = fold(context.get("x")?, context.get("total")?);
        context.set("total", total)?;
        context.set("y", y)
    });
    natives.body(NativeBody::new("again").needs([int("x"), int("sum")]).lets([int("y")]), move |context| {
        let (sum, y) = again(odd, context.get("x")?, context.get("sum")?)?;
        context.set("sum", sum)?;
        context.set("y", y)
    });
    let names = ["a", "b", "c", "weight"];
    natives.body(NativeBody::new("weigh").needs(names.map(int)).lets([int("w")]), move |context| {
        let mut values = [0; 4];
        for (value, name) in values.iter_mut().zip(names) {
            *value = context.get(name)?;
        }
        let [w, weight] = weigh(values);
        context.set("w", w)?;
        context.set("weight", weight)
    });
    natives
}

/// Waves of values through `Map`, which only maps, `Fold`, which sends by guards, one of which can overflow, and `Plain`,
/// which has no body; `Loop` sends to itself and writes an object, alone or together with a second one; `Join` takes from
/// three ports.
fn program(odd: Odd, n_loops: usize) -> String {
    let mut text = r#"hasse = 1
main = "main"

[graph.main]
params = { n = "int", step = "int = 3" }
arcs = [
  "Start.go -> Map.a", "Map.o -> Fold.a", "Map.o -> Plain.a", "Fold.left -> Sink.left", "Fold.right -> Sink.right",
  "Plain.o -> Join.a", "Fold.all -> Join.b", "Map.o -> Join.c", "Join.o -> Sink.left", "Join.some -> Sink.right",
"#
    .to_owned();
    for k in 0..n_loops {
        let _ = writeln!(
            text,
            "  \"Start.first -> Loop{k}.a\", \"Loop{k}.again -> Loop{k}.a\", \"Loop{k}.o -> Sink.right\","
        );
    }
    let shares: Vec<_> = (0..n_loops).map(|k| format!("\"sum -- Loop{k}.sum\"")).collect();
    let shares = shares.join(", ");
    let room = i64::MAX - odd.near;
    let _ = write!(
        text,
        r#"]
share = [{shares}]
[graph.main.shared.sum]
type = "int"
[graph.main.uc.Start]
out = {{ go = "int", first = "int" }}
start = true
route = ["go <- k for k in 0..n", "first <- 0"]
[graph.main.uc.Map]
in = {{ a = "int" }}
out = {{ o = "int" }}
fire = ["a -> x"]
do = {{ native = "map" }}
route = ["o <- y"]
[graph.main.uc.Fold]
in = {{ a = "int" }}
out = {{ left = "int", right = "int", all = "int" }}
vars = {{ total = "int" }}
fire = ["a -> x"]
do = {{ native = "fold" }}
route = [
  "left <- total if count % 7 == 0 && y > step",
  "right <- y if total + {room} > 0 && count != 12",
  "all <- total",
]
[graph.main.uc.Plain]
in = {{ a = "int" }}
out = {{ o = "int" }}
fire = ["a -> x"]
route = ["o <- x"]
[graph.main.uc.Join]
in = {{ a = "int", b = "int", c = "int" }}
out = {{ o = "int", some = "int" }}
vars = {{ weight = "int = 2" }}
fire = ["a -> a, b -> b, c -> c"]
do = {{ native = "weigh" }}
route = ["o <- w", "some <- weight if a != b || weight == 4"]
[graph.main.uc.Sink]
in = {{ left = "int", right = "int" }}
vars = {{ lefts = "int", rights = "int" }}
fire = ["left -> l", "right -> r"]
do = 'if rule == 0 {{ lefts = (lefts + l * 31) % 1000003; }} else {{ rights = (rights + r * 17) % 1000003; }} result("left", lefts); result("right", rights);'
"#
    );
    for k in 0..n_loops {
        let _ = write!(
            text,
            r#"
[graph.main.uc.Loop{k}]
in = {{ a = "int" }}
out = {{ again = "int", o = "int" }}
shared = {{ sum = "write" }}
fire = ["a -> x"]
do = {{ native = "again" }}
route = ["again <- y if y < n", "o <- x if x % 3 == 1"]
"#
        );
    }
    text
}

/// What a run comes to: how it ends, events, results, errors.
fn outcome(
    odd: Odd,
    n_loops: usize,
    as_functions: bool,
    options: &Options,
) -> (RunOutcome, u64, String, Vec<String>) {
    let program = Program::from_text(&program(odd, n_loops), &natives(odd, as_functions)).unwrap();
    let run = program.run(options).unwrap();
    let errors = run.report().errors.iter().map(|error| {
        // Which of several writes an object first is not known.
        let values = if n_loops == 1 { &error.values[..] } else { &[] };
        format!("{} {} {:?} {values:?}", error.event, error.message, error.at)
    });
    let mut errors: Vec<_> = errors.collect();
    errors.sort();
    (run.outcome(), run.report().n_events, format!("{:?}", run.results()), errors)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// In the lane, whether one event is served at a time or many, and in the general way, which seeded runs take.
    #[test]
    fn functions_do_what_bodies_do(
        n in 1..400_i64,
        n_loops in 1..3_usize,
        fails in prop_oneof![Just(-1), 0..400_i64],
        panics in prop_oneof![3 => Just(-1), 1 => 0..400_i64],
        near in prop_oneof![Just(NOTHING.near), 0..60_000_i64],
    ) {
        let odd = Odd { fails, panics, near };
        for options in [Options::new().workers(1), Options::new().workers(2), Options::new().seed(5)] {
            let options = options.set("n", n);
            let expected = outcome(odd, n_loops, false, &options);
            prop_assert_eq!(outcome(odd, n_loops, true, &options), expected);
        }
    }
}

#[test]
fn what_they_record_is_replayed() {
    for (odd, n_loops) in [(NOTHING, 1), (NOTHING, 2), (Odd { fails: 77, panics: 90, near: 5000 }, 2)] {
        let program = Program::from_text(&program(odd, n_loops), &natives(odd, true)).unwrap();
        for n_workers in [1, 2] {
            let options = Options::new().workers(n_workers).set("n", 200);
            let (run, trace) = program.record(&options).unwrap();
            let (replayed, again) = program.replay_recorded(&trace, &Options::new().workers(2)).unwrap();
            assert_eq!(replayed.results(), run.results());
            assert_eq!(replayed.report().n_events, run.report().n_events);
            assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
        }
    }
}

#[test]
fn the_first_that_fails_ends_as_it_would_alone() {
    let odd = Odd { fails: 77, ..NOTHING };
    for options in [Options::new().workers(1), Options::new().seed(1)] {
        let (ended, _, _, errors) = outcome(odd, 1, true, &options.set("n", 200));
        assert_eq!(ended, RunOutcome::Failed);
        let has = |event: &str, what: &str| errors.iter().any(|e| e.contains(event) && e.contains(what));
        assert!(has("/Map:78", "native body `map`: 77 is too much"), "{errors:?}");
        assert!(has("/Loop0:78", "native body `again`: 77 is too much"), "{errors:?}");
    }
}

/// One node after another, in which a single value goes round: that is served without loops.
#[test]
fn one_value_goes_round_until_a_function_fails() {
    let ring = |body: &str| {
        let mut text = "hasse = 1\nmain = \"main\"\n[graph.main]\nparams = { by = 'int = 1' }\narcs = [\"Start.go -> N0.a\"".to_owned();
        for k in 0..5 {
            let _ = write!(text, ", \"N{k}.o -> N{}.a\"", (k + 1) % 5);
        }
        text += "]\n[graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n";
        for k in 0..5 {
            let _ = write!(
                text,
                "[graph.main.uc.N{k}]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\nfire = [\"a -> x\"]\n\
                 do = {{ native = \"{body}\" }}\nroute = [\"o <- y\"]\n"
            );
        }
        text
    };
    let mut natives = Natives::new();
    natives.function_body("up", ["x"], ["y"], |x: i64| {
        assert!(x < 5004, "far enough");
        x + 1
    });
    natives.function_body(
        "up_by",
        ["x", "by"],
        ["y"],
        |x: i64, by: i64| {
            if x < 5004 { Ok(x + by) } else { Err("far enough") }
        },
    );
    // An argument that cannot hold all integers.
    natives.function_body("small", ["x"], ["y"], |x: u8| u32::from(x) + 1);
    for (body, last, what) in [
        ("up", "/N4:1001", "the native body `up` panicked: far enough"),
        ("up_by", "/N4:1001", "native body `up_by`: far enough"),
        ("small", "/N1:52", "native body `small`: `x`: expected int within 0..=255, found the int 256"),
    ] {
        let program = Program::from_text(&ring(body), &natives).unwrap();
        for n_workers in [1, 2] {
            let (run, trace) = program.record(&Options::new().workers(n_workers)).unwrap();
            let [error] = &run.report().errors[..] else { panic!("{:?}", run.report()) };
            assert_eq!((error.event.as_str(), error.message.as_str()), (last, what));
            let (replayed, again) = program.replay_recorded(&trace, &Options::new()).unwrap();
            assert_eq!(replayed.report().errors, run.report().errors);
            assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
        }
    }
}

#[test]
fn arguments_and_answers_have_all_types() {
    let mut natives = Natives::new();
    natives.function_body("norm", ["x", "v", "k"], ["k", "o"], |x: i64, v: Vec<f64>, k: f64| {
        (k + x as f64, v.iter().map(|entry| entry * k).sum::<f64>() as i32)
    });
    let body = "vars = { v = 'vector = vector([1.0, 2.0])', k = 'real = 1' }\ndo = { native = \"norm\" }\nroute = [\"o <- o + k.to_int()\"]";
    let run = run(&pipeline(body), &natives);
    assert_eq!(run.finished().unwrap().result::<i64>("total").unwrap(), 4 * 3 + 4 + 6);
    natives.function_body("none", [""; 0], [""; 0], || ());
    natives.function_body("many", ["a", "b"], ["a"], |[a, b]: [String; 2]| [format!("{a}{b}")]);
    let text = one_node(
        "vars = { a = 'string = \"to\"', b = 'string = \"gether\"' }\ndo = { native = \"many\" }\nroute = []",
    );
    assert!(super::run(&text, &natives).finished().is_ok());
    assert!(super::run(&one_node("do = { native = \"none\" }"), &natives).finished().is_ok());
}

#[test]
fn what_may_not_be_set_is_told() {
    let mut natives = Natives::new();
    natives.function_body("more", ["x"], ["x"], |x: i64| x + 1);
    let text = pipeline("do = { native = \"more\" }\nroute = [\"o <- x\"]");
    insta::assert_snapshot!(failure(&text, &natives), @r"
    the program failed
      R0001 at /Work[0]:1 ((text):21): native body `more`: `x` cannot be set: it is bound by firing rules
      R0001 at /Work[1]:1 ((text):21): native body `more`: `x` cannot be set: it is bound by firing rules
      R0001 at /Work[2]:1 ((text):21): native body `more`: `x` cannot be set: it is bound by firing rules
      R0001 at /Work[3]:1 ((text):21): native body `more`: `x` cannot be set: it is bound by firing rules
    ");
}

#[test]
fn names_must_be_as_many_as_values() {
    let wrong = |natives: &Natives| natives.functions().unwrap_err();
    let mut natives = Natives::new();
    natives.function_body("sum", ["x", "y"], ["z"], |x: i64| x);
    assert_eq!(
        wrong(&natives),
        NativesError::NameCount { body: "sum".to_owned(), verb: "takes", n_values: 1, n_names: 2 }
    );
    insta::assert_snapshot!(wrong(&natives), @"the native body `sum` names 2 of what it takes, and its function has 1");
    let mut natives = Natives::new();
    natives.function_body("sum", ["x"], [""; 0], |x: i64| x);
    insta::assert_snapshot!(wrong(&natives), @"the native body `sum` names 0 of what it gives, and its function has 1");
    let mut natives = Natives::new();
    natives.function_body("sum", ["x"], ["x", "x"], |x: i64| (x, x));
    insta::assert_snapshot!(wrong(&natives), @"the native body `sum` declares `x` twice");
    let mut natives = Natives::new();
    natives.function_body("sum", ["x", "x"], ["y"], |x: i64, y: i64| x + y);
    insta::assert_snapshot!(wrong(&natives), @"the native body `sum` declares `x` twice");
    let mut natives = Natives::new();
    natives.function_body("sum", ["x"], ["y"], |x: i64| x).body(NativeBody::new("sum"), |_| Ok(()));
    insta::assert_snapshot!(wrong(&natives), @"the native body `sum` is registered twice");
}

/// Values that come one by one, in a program in which two workers can be on the way with one each, do not overtake each other.
#[test]
fn values_that_are_relayed_stay_in_order() {
    let mut text = "hasse = 1\nmain = \"main\"\n[graph.main]\nparams = { n = 'int' }\n\
                    arcs = [\"Start.go -> Source.a\", \"Source.again -> Source.a\", \"Source.o -> N0.a\", \"N9.o -> Sink.a\""
        .to_owned();
    for k in 0..9 {
        let _ = write!(text, ", \"N{k}.o -> N{}.a\"", k + 1);
    }
    text += "]\n[graph.main.uc.Start]\nout = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n\
             [graph.main.uc.Source]\nin = { a = \"int\" }\nout = { again = \"int\", o = \"int\" }\nfire = [\"a -> x\"]\n\
             do = { native = \"slow\" }\nroute = [\"again <- y if y < n\", \"o <- x\"]\n\
             [graph.main.uc.Sink]\nin = { a = \"int\" }\nvars = { next = \"int\" }\nfire = [\"a -> x\"]\n\
             do = { native = \"expect\" }\n";
    for k in 0..10 {
        let _ = write!(
            text,
            "[graph.main.uc.N{k}]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\nfire = [\"a -> x\"]\n\
             do = {{ native = \"pass\" }}\nroute = [\"o <- y\"]\n"
        );
    }
    let mut natives = Natives::new();
    natives.function_body("slow", ["x"], ["y"], |x: i64| {
        (0..x % 7 * 300).for_each(|_| std::hint::spin_loop());
        x + 1
    });
    natives.function_body("pass", ["x"], ["y"], |x: i64| x);
    natives.function_body("expect", ["x", "next"], ["next"], |x: i64, next: i64| {
        if x == next { Ok(next + 1) } else { Err(format!("{x} came where {next} was next")) }
    });
    let program = Program::from_text(&text, &natives).unwrap();
    for n_workers in [1, 2, 3] {
        let run = program.run(&Options::new().workers(n_workers).set("n", 5000)).unwrap().finished().unwrap();
        assert_eq!(run.report().n_events, 1 + 12 * 5000);
    }
}

/// Bodies that are functions of numbers run in columns; the reason why others do not is named.
#[test]
fn tiers_of_bodies_in_rust_are_explained() {
    let mut natives = Natives::new();
    natives.function_body("twice", ["x"], ["z"], |x: i64| 2 * x);
    natives.body(NativeBody::new("looks").lets([("z", Type::Int)]), |context| context.set("z", 1));
    let node = |name: &str, body: &str, ty: &str| {
        format!(
            "\n[graph.main.uc.{name}]\nin = {{ x = \"int\" }}\nout = {{ y = \"{ty}\" }}\nfire = [\"x -> x\"]\n\
             do = {{ native = \"{body}\" }}\nroute = [\"y <- z\"]\n"
        )
    };
    let text = format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\"Src.x -> Twice.x\", \"Src.x -> Looks.x\", \"Twice.y -> Looks.x\", \"Looks.y -> Twice.x\"]\n\n\
         [graph.main.uc.Src]\nout = {{ x = \"int\" }}\nstart = true\nroute = [\"x <- 1\"]\n{}{}",
        node("Twice", "twice", "int"),
        node("Looks", "looks", "int")
    );
    let program = Program::from_text(&text, &natives).unwrap();
    let reasons = |natives: &Natives| {
        let options = super::functions::options(natives, Default::default());
        let nodes = hasse_runtime::lowering::explain(program.plan(), &options);
        let body = |node: &hasse_runtime::lowering::NodeLowering| {
            let reason = node.parts[1].reasons.first().map_or("", |reason| reason.code);
            format!("{} {}: {reason}", node.node, node.parts[1].tier.name())
        };
        nodes[1..].iter().map(body).collect::<Vec<_>>()
    };
    let expected = ["Twice columns: ", "Looks single: rust-body"];
    assert_eq!(reasons(&natives), expected);
    // Code that is not there is taken to be any.
    let expected = ["Twice single: rust-body", "Looks single: rust-body"];
    assert_eq!(reasons(&Natives::new()), expected);
}
