use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hasse::{Matrix, Natives, Options, Program, ScriptTiers, Value};
use hasse_model::plan::routine::{Lowering, Obstacle};
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions};

use super::{failure, one_node, pipeline, run};

const TIERS: [ScriptTiers; 4] =
    [ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native, ScriptTiers::Auto];

fn natives() -> Natives {
    let mut natives = Natives::new();
    natives.function("scale", |v: Vec<f64>, k: f64| -> Vec<f64> { v.iter().map(|x| k * x).collect() });
    natives.function("half", |n: i64| if n % 2 == 0 { Ok(n / 2) } else { Err(format!("{n} is odd")) });
    natives.function("explode", |n: i64| -> i64 { panic!("no {n}") });
    natives.function("answer", || 42_i64);
    natives
}

#[test]
fn every_type_goes_into_a_function_and_comes_back() {
    let mut natives = Natives::new();
    natives.function("n_int", |x: i64| x + 1);
    natives.function("n_small", |x: u8, y: usize| i64::from(x) + y as i64);
    natives.function("n_real", |x: f64| x / 2.0);
    natives.function("n_bool", |x: bool| !x);
    natives.function("n_char", |x: char| x.to_ascii_uppercase());
    natives.function("n_text", |x: String| x + "!");
    natives.function("n_bytes", |x: Vec<u8>| x.into_iter().rev().collect::<Vec<u8>>());
    natives.function("n_vector", |x: Arc<Vec<f64>>| x);
    natives.function("n_matrix", |mut x: Matrix| {
        x.entries_mut().iter_mut().for_each(|entry| *entry *= 2.0);
        x
    });
    natives.function("n_ints", |x: Vec<i64>| x.into_iter().rev().collect::<Vec<_>>());
    natives.function("n_rows", |x: Vec<Vec<f64>>| x.len() as i64);
    natives.function("n_any", |x: Value| x);
    natives.function("n_option", |x: Option<i64>| x.map(|x| x + 1));
    natives.function("n_six", |a: i64, b: i64, c: i64, d: i64, e: i64, f: i64| [a, b, c, d, e, f].to_vec());
    let body = r#"do = '''
let ok = [
  n_int(1) == 2,
  n_small(2, 3) == 5,
  n_real(1) == 0.5,
  n_bool(false),
  n_char('x') == 'X',
  n_text("a") == "a!",
  n_bytes(blob(2, 7)) == blob(2, 7),
  n_vector(vector([1.0, 2.0])) == vector([1.0, 2.0]),
  n_matrix(identity(2)) == 2 * identity(2),
  n_ints([1, 2]) == [2, 1],
  n_rows([vector(2), vector(3)]) == 2,
  n_any("x") == "x",
  n_option(()) == (),
  n_option(1) == 2,
  n_six(1, 2, 3, 4, 5, 6) == [1, 2, 3, 4, 5, 6],
  7.n_int() == 8,
];
result("ok", ok);
'''"#;
    let run = run(&one_node(body), &natives).finished().unwrap();
    assert_eq!(run.result::<Vec<bool>>("ok").unwrap(), [true; 16]);
}

#[test]
fn functions_can_be_called_in_rules_and_init() {
    let node = "vars = { k = 'int = half(8)', m = 'int' }\ninit = 'm = half(k);'\n\
                do = 'result(\"m\", m); result(\"v\", scale(vector([1.0]), m));'";
    let run = run(&one_node(node), &natives()).finished().unwrap();
    assert_eq!(run.result::<i64>("m").unwrap(), 2);
    assert_eq!(run.result::<Vec<f64>>("v").unwrap(), [2.0]);
}

#[test]
fn an_error_of_a_function_is_one_of_the_event_at_its_line() {
    let text = one_node("do = '''\nlet x = answer();\nlet y = half(x + 1);\n'''");
    assert_eq!(
        failure(&text, &natives()),
        "the program failed\n  R0001 at /Only:1 ((text):11): Runtime error: `half`: 43 is odd"
    );
}

#[test]
fn an_argument_of_another_type_is_named() {
    let text = one_node("do = 'scale(vector(2), \"x\");'");
    let message = failure(&text, &natives());
    assert!(message.contains("`scale`: argument 2: expected real, found the string \"x\""), "{message}");
    let message = failure(&one_node("do = 'half(#{a: 1});'"), &natives());
    assert!(message.contains("`half`: argument 1: expected int, found the map #{\"a\": 1}"), "{message}");
    let message = failure(&one_node("do = 'half(|x| x);'"), &natives());
    assert!(message.contains("`half`: argument 1 is a Fn, which is no value"), "{message}");
}

#[test]
fn a_panic_is_an_error_of_the_event() {
    let message = failure(&one_node("do = '''\n\nexplode(3);\n'''"), &natives());
    assert_eq!(
        message,
        "the program failed\n  R0001 at /Only:1 ((text):11): Runtime error: `explode` panicked: no 3"
    );
}

#[test]
fn a_replay_answers_effects_from_the_record() {
    let asked = Arc::new(AtomicI64::new(0));
    let mut natives = Natives::new();
    let counter = Arc::clone(&asked);
    natives.effect("next", move || counter.fetch_add(1, Ordering::Relaxed));
    natives.effect("refuse", |why: String| Err::<i64, _>(format!("refused: {why}")));
    natives.effect("burst", || -> i64 { panic!("burst") });
    let body = "do = '''\nlet seen = [next(), next()];\nfor f in [|| refuse(\"x\"), || burst()] {\n  \
                try { f.call(); } catch (error) { seen += error.to_string(); }\n}\nresult(\"seen\", seen);\n'''";
    let program = Program::from_text(&one_node(body), &natives).unwrap();
    let options = Options::new().workers(1);
    let (run, trace) = program.record(&options).unwrap();
    let seen: Vec<Value> = run.finished().unwrap().result("seen").unwrap();
    assert_eq!(seen[..2], [Value::Int(0), Value::Int(1)]);
    let shown = format!("{} {}", seen[2], seen[3]);
    assert!(shown.contains("`refuse`: refused: x") && shown.contains("`burst` panicked: burst"), "{shown}");

    let replayed = program.replay(&trace, &options).unwrap().finished().unwrap();
    assert_eq!(replayed.result::<Vec<Value>>("seen").unwrap(), seen);
    assert_eq!(asked.load(Ordering::Relaxed), 2, "the replay asks nothing");
}

/// What became of the scripts of a program, but for those that set results.
fn lowerings(program: &Program) -> Vec<&Lowering> {
    let plan = program.plan();
    let scripts = plan.scripts.iter().zip(&plan.lowerings);
    scripts
        .filter(|(script, _)| !script.text.contains("result("))
        .filter_map(|(_, lowering)| lowering.as_ref())
        .collect()
}

/// What is in the way of the one script of a program.
#[track_caller]
fn obstacle(attributes: &str, natives: &Natives) -> Obstacle {
    let program = Program::from_text(&one_node(attributes), natives).unwrap();
    match lowerings(&program)[..] {
        [Lowering::Interpreted(obstacle)] => obstacle.clone(),
        ref other => panic!("{other:?}"),
    }
}

/// The errors of a run in each way, which are the same.
#[track_caller]
fn errors(program: &Program) -> Vec<String> {
    let ran = TIERS.map(|tiers| {
        let run = program.run(&Options::new().workers(1).seed(1).scripts(tiers)).unwrap();
        (format!("{:?}", run.report().outcome), format!("{:?}", run.report().errors), run)
    });
    for (outcome, errors, _) in &ran[1..] {
        assert_eq!((outcome, errors), (&ran[0].0, &ran[0].1));
    }
    ran[0].2.report().errors.iter().map(|error| format!("{}: {}", error.at.line, error.message)).collect()
}

#[test]
fn calls_of_functions_on_scalars_are_compiled() {
    let mut natives = natives();
    natives.function("blend", |x: f64, n: u8, flag: bool| if flag { x + f64::from(n) } else { x });
    natives.function("is_above", |x: f64, least: i64| x > least as f64);
    natives.function("half", |n: i64, by: i32| n / i64::from(by));
    let text = pipeline(
        "do = '''\nfn twice(k) { 2 * half(k * 2) }\nlet y = half(4 * x) + half(9, 3) + answer();\n\
         let z = blend(x, 3, is_above(x, 1)) + x.half(2);\nlet w = to_int(z) + twice(x);\n'''\n\
         route = [\"o <- half(2 * w) + y if is_above(0.5, 0) || half(3) == 1\"]",
    );
    let program = Program::from_text(&text, &natives).unwrap();
    let all = lowerings(&program);
    assert!(all.len() == 3 && all.iter().all(|lowering| lowering.routine().is_some()), "{all:?}");
    for tiers in TIERS {
        for (n_workers, n) in [(1, 4), (2, 4_000)] {
            let options = Options::new().workers(n_workers).scripts(tiers).set("n", n);
            let (run, trace) = program.record(&options).unwrap();
            let replayed = program.replay(&trace, &Options::new()).unwrap().finished().unwrap();
            let total: i64 = run.finished().unwrap().result("total").unwrap();
            assert_eq!(replayed.result::<i64>("total").unwrap(), total);
            // y = 2x + 45, z = x + (3 if x > 1) + x / 2, w = z + 2x
            let expected = (0..n).map(|x| 2 * x + 45 + x + if x > 1 { 3 } else { 0 } + x / 2 + 2 * x);
            assert_eq!(total, expected.sum::<i64>(), "{tiers:?}");
        }
    }
}

#[test]
fn what_a_function_has_against_its_arguments_is_told_alike_in_all_ways() {
    let mut natives = natives();
    natives.function("narrow", |n: u8, m: usize| i64::from(n) + m as i64);
    natives.function("root", |x: f64| if x < 0.0 { Err("it is negative") } else { Ok(x.sqrt()) });
    let of_body = |line: &str| {
        let body = format!(
            "vars = {{ k = 'int', v = 'vector' }}\ninit = 'v = vector(2);'\ndo = '''\nk += 2;\nv[1] = 5;\n{line}\n'''"
        );
        let program = Program::from_text(&one_node(&body), &natives).unwrap();
        let is_lowered = lowerings(&program).iter().any(|lowering| lowering.routine().is_some());
        assert!(is_lowered, "{line}: {:?}", lowerings(&program));
        errors(&program)
    };
    assert_eq!(of_body("half(k + 1);"), ["14: Runtime error: `half`: 3 is odd"]);
    assert_eq!(of_body("k = explode(k);"), ["14: Runtime error: `explode` panicked: no 2"]);
    let out_of_range =
        ["14: Runtime error: `narrow`: argument 1: expected int within 0..=255, found the int 300"];
    assert_eq!(of_body("k = narrow(150 * k, 1);"), out_of_range);
    let out_of_range = of_body("k = narrow(k, -k);");
    assert!(out_of_range[0].contains("argument 2: expected int within 0..="), "{out_of_range:?}");
    assert_eq!(of_body("v[0] = root(-k);"), ["14: Runtime error: `root`: it is negative"]);
    assert_eq!(of_body("k = half(narrow(k, 6));"), [""; 0]);
}

#[test]
fn a_rule_that_a_function_fails_in_is_told_alike_in_all_ways() {
    let mut natives = natives();
    natives.function("is_small", |n: i64| if n < 3 { Ok(n < 2) } else { Err("it is large") });
    for (route, message) in [
        ("o <- i if is_small(i)", "21: Runtime error: `is_small`: it is large"),
        ("o <- half(i) if i != 1", "21: Runtime error: `half`: 3 is odd"),
    ] {
        let program = Program::from_text(&pipeline(&format!("route = [\"{route}\"]")), &natives).unwrap();
        assert!(lowerings(&program).iter().all(|lowering| lowering.routine().is_some()), "{route}");
        assert_eq!(errors(&program), [message]);
    }
}

/// Of parameters, index names, constants, items, entries and loop variables, too, none of which it changes.
#[test]
fn functions_called_as_methods_do_the_same_in_all_ways() {
    let mut natives = Natives::new();
    natives.function("less", |n: i64| n - 1);
    natives.function("over", |n: i64, by: i64| n / by);
    natives.function("twice", |x: f64| 2.0 * x);
    for (line, value) in [
        ("let y = n.less();", 0),
        ("let y = i.less() + x.less();", -2),
        ("let y = 8.less();", 7),
        ("const K = 6; let y = K.less();", 5),
        ("let y = a[1].less() + a[-1].less();", 14),
        ("let y = to_int(v[0].twice()) + to_int(v[1].twice().twice());", 11),
        ("let y = count.less() + rule.less();", -1),
        ("let y = 0; for k in 2..4 { y += k.less(); }", 3),
        ("fn less_twice(k) { k.less().less() } let y = less_twice(5);", 3),
        ("let y = p.a.less();", 2),
        ("let y = to_int(w[0].twice());", 7),
        ("let y = to_int(w[0].floor());", 3),
        ("let y = b[1].less();", 4),
    ] {
        let attributes = format!(
            "vars = {{ v = 'vector', a = 'int[]', p = 'Pt' }}\n\
             init = 'v = vector([1.5, 2]); a = [4, 8]; p.a = 3;'\ndo = '{line}'\n\
             route = [\"o <- y.over(2) * 2 + y % 2\"]"
        );
        let text = pipeline(&attributes)
            .replace("\"int = 4\"", "\"int = 4\", w = \"vector = vector([3.5])\", b = \"int[] = [1, 5]\"")
            .replace("[graph.main]", "[type.Pt]\na = \"int\"\n\n[graph.main]");
        let program = Program::from_text(&text, &natives).unwrap();
        assert!(lowerings(&program).iter().all(|lowering| lowering.routine().is_some()), "{line}");
        for tiers in TIERS {
            let run = program.run(&Options::new().scripts(tiers).set("n", 1)).unwrap();
            let total: i64 = run.finished().unwrap().result("total").unwrap();
            assert_eq!(total, value, "{line} {tiers:?}");
        }
    }
}

/// Functions that take or give vectors, matrices, arrays and text are compiled, too; what they have against their arguments is
/// told alike in all ways.
#[test]
fn calls_of_functions_on_objects_are_compiled() {
    let mut natives = natives();
    natives.function("shifted", |v: Vec<f64>, by: f64| v.iter().map(|x| x + by).collect::<Vec<f64>>());
    natives.function("total", |a: Vec<i64>| a.iter().sum::<i64>());
    natives.function("grid", |n: u8| (0..n).map(|row| vec![i64::from(row); 2]).collect::<Vec<Vec<i64>>>());
    natives.function("spelled", |n: i64| format!("<{n}>"));
    natives.function("longest", |text: String, v: Arc<Vec<f64>>| (text.len() as f64).max(v.len() as f64));
    natives.function("corner", |m: Matrix| Matrix::from_columns(1, 1, m.entries()[..1].to_vec()).unwrap());
    let ran = |lines: &str| {
        let body = format!(
            "vars = {{ k = 'int', v = 'vector', m = 'matrix', n_done = 'int' }}\n\
             init = 'v = vector([1, 2]); m = identity(2);'\ndo = '''\nn_done += 1;\n{lines}\n'''"
        );
        let program = Program::from_text(&one_node(&body), &natives).unwrap();
        let all = lowerings(&program);
        assert!(all.iter().any(|lowering| lowering.routine().is_some()), "{lines}: {all:?}");
        errors(&program)
    };
    for line in [
        "v = shifted(v, 2); if v[1] != 4.0 || v.shifted(1.0)[0] != 4.0 { throw 1; }",
        "let g = grid(3); g[1].push(7); if total(g[1]) != 9 || g.len != 3 { throw 2; }",
        "if spelled(4) != spelled(2 + 2) || spelled(1) == spelled(2) { throw 3; }",
        "if longest(spelled(12), v) != 4.0 || corner(m).get(0, 0) != 1.0 { throw 4; }",
    ] {
        assert_eq!(ran(line), [""; 0], "{line}");
    }
    for (line, expected) in [
        ("shifted(v[0] > 0.0, 1);", "`shifted`: argument 1: expected vector"),
        ("grid(300);", "`grid`: argument 1"),
        ("v[1] = 5;\ncorner(matrix(0, 0));", "`corner` panicked"),
    ] {
        let errors = ran(line);
        assert!(errors.len() == 1 && errors[0].contains(expected), "{line}: {errors:?}");
    }
}

#[test]
fn calls_that_are_not_compiled_are_told_with_their_reason() {
    let mut natives = natives();
    natives.effect("now", || "noon".to_owned());
    natives.function("maybe", |n: i64| (n > 0).then_some(n));
    natives.function("any_of", |a: Vec<Value>| a.first().cloned().unwrap_or_default());
    let told = |body: &str| {
        let obstacle = obstacle(&format!("do = '{body}'"), &natives);
        (obstacle.message, obstacle.help.is_some(), obstacle.at.column)
    };
    let other = |name: &str| format!("what `{name}` gives is not known to compiled code");
    assert_eq!(told("let k = any_of([1, 2]);"), (other("any_of"), true, 15));
    assert_eq!(told("let k = 3; maybe(k);"), (other("maybe"), true, 18));
    assert_eq!(told("let k = 3; k.maybe();"), (other("maybe"), true, 20));
    assert_eq!(told("let k = half(2.0);"), ("argument 1 of `half` is real, not int".into(), true, 15));
    assert_eq!(told("let k = half(true);"), ("argument 1 of `half` is bool, not int".into(), false, 15));
    assert_eq!(told("let k = now();"), ("`now` is not compiled".into(), false, 15));
}

/// A plan is run with other functions than it was compiled with: the interpreter decides.
#[test]
fn a_plan_is_run_with_the_functions_of_the_run() {
    let text = one_node("vars = { k = 'int' }\ndo = 'k = half(8); if k != 4 { throw k; }'");
    let program = Program::from_text(&text, &natives()).unwrap();
    assert!(lowerings(&program)[0].routine().is_some());
    let mut others = Natives::new();
    others.function("half", |n: i64| n / 2 + 1);
    let mut of_reals = Natives::new();
    of_reals.function("half", |x: f64| x / 2.0);
    for _ in 0..2 {
        for tiers in TIERS {
            let errors = |natives: &Natives| {
                let options = options(natives, tiers);
                let report =
                    hasse_runtime::run::run(program.plan(), &options, Recording::Off, Box::new(|_| ()))
                        .unwrap();
                report.errors.iter().map(|error| error.message.clone()).collect::<String>()
            };
            assert_eq!(errors(&natives()), "", "{tiers:?}");
            assert_eq!(errors(&others), "Runtime error: 5", "{tiers:?}");
            assert!(errors(&Natives::new()).contains("half"), "{tiers:?}");
            let refused = "var `k` of type int cannot hold the real 4.0; `to_int(x)` makes an int of a real, where \
                           `int(x)` gives a real";
            assert_eq!(errors(&of_reals), refused, "{tiers:?}");
        }
    }
}

pub(crate) fn options(natives: &Natives, tiers: ScriptTiers) -> RunOptions {
    RunOptions {
        n_workers: 1,
        seed: None,
        params: Vec::new(),
        program_folder: PathBuf::from("."),
        sandbox: Default::default(),
        natives: natives.clone(),
        stop: Default::default(),
        tiers,
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        capture: Default::default(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    }
}
