use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hasse::{Matrix, Natives, Options, Program, Value};

use super::{failure, one_node, run};

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
    assert!(message.contains("`half`: argument 1 is a map, which is no value"), "{message}");
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
