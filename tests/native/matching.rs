//! Instances whose values wait in the matching store: they do what other instances do, which those are whose bodies look up
//! their names.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use hasse::{NativeBody, Natives, Options, Program, RunOutcome, Type};
use proptest::prelude::*;

/// Where something is out of the ordinary.
#[derive(Clone, Copy, Debug)]
struct Odd {
    /// Rows and columns.
    n: i64,
    /// Values that come to each row and column, some before the ones before them are through.
    waves: i64,
    /// What a body fails, or panics, for.
    fails: i64,
    panics: i64,
    /// A guard overflows when a value comes so near to the greatest integer.
    near: i64,
    /// How far away from a row a value is sent: far away, nobody takes it, or a number overflows.
    shift: i64,
}

const MODULUS: i64 = 10_007;

fn cell(odd: Odd, a: i64, b: i64, i: i64) -> Result<i64, String> {
    let c = (3 * a + b + i) % MODULUS;
    assert_ne!(c, odd.panics, "no way on");
    if c == odd.fails { Err(format!("{c} is too much")) } else { Ok(c) }
}

/// The bodies, as functions or with names looked up.
fn natives(odd: Odd, as_functions: bool) -> Natives {
    let int = |name: &'static str| (name, Type::Int);
    let mut natives = Natives::new();
    if as_functions {
        natives.function_body("cell", ["a", "b", "i"], ["c"], move |a, b, i| cell(odd, a, b, i));
        natives.function_body("half", ["x"], ["h", "rest"], |x: i64| (x / 2, x % 2));
        return natives;
    }
    let body = NativeBody::new("cell").needs(["a", "b", "i"].map(int)).lets([int("c")]);
    natives.body(body, move |context| {
        let c = cell(odd, context.get("a")?, context.get("b")?, context.get("i")?)?;
        context.set("c", c)
    });
    natives.body(NativeBody::new("half").needs([int("x")]).lets([int("h"), int("rest")]), |context| {
        let x: i64 = context.get("x")?;
        context.set("h", x / 2)?;
        context.set("rest", x % 2)
    });
    natives
}

/// `Cell` is a grid that values go through from two sides; the source runs ahead. `Line` takes what comes from a diagonal,
/// and sends to itself, now and then twice; `Cube` has three numbers, and no body; the second port of `Pair` is filled for some alone; `Once`
/// takes what only some of the grid send.
fn text(odd: Odd) -> String {
    let room = i64::MAX - odd.near;
    format!(
        r#"hasse = 1
main = "main"

[graph.main]
params = {{ n = "int", waves = "int", shift = "int" }}
arcs = [
  "Start.go -> Source.go", "Source.again -> Source.go",
  "Source.north[j] -> Cell[0][j].north", "Source.west[i] -> Cell[i][0].west",
  "Cell[i][j].south -> Cell[i + 1][j].north", "Cell[i][j].east -> Cell[i][j + 1].west",
  "Cell[i][j].line -> Line[j].a", "Line[i].again -> Line[i].a", "Line[i].twice -> Line[i].a", "Line[i].o -> Pair[i - 3].a",
  "Line[i].o -> Cube[i][2][i].a", "Cube[i][j][k].o -> Sum.a", "Cell[i][2].pair -> Pair[i - 3].b",
  "Cell[i][j].pair -> Pair[1000].b", "Pair[i].o -> Sum.a", "Pair[i].far -> Line[i + shift].a",
  "Cell[1][j].once -> Once[j].a", "Cell[0][0].once -> Once[77].a", "Once[i].o -> Sum.a",
]
[graph.main.uc.Start]
out = {{ go = "int" }}
start = true
route = ["go <- 0"]
[graph.main.uc.Source]
in = {{ go = "int" }}
out = {{ "north[j]" = "int", "west[i]" = "int", again = "int" }}
fire = ["go -> g"]
route = [
  "north[j] <- g + j for j in 0..n", "west[i] <- i * 7 for i in 0..n", "again <- g + 11 if count < waves",
]
[graph.main.uc.Cell]
index = ["i", "j"]
in = {{ north = "int", west = "int" }}
out = {{ south = "int", east = "int", line = "int", pair = "int", once = "int" }}
fire = ["north -> a, west -> b"]
do = {{ native = "cell" }}
route = [
  "south <- c if i < n - 1", "east <- c if j < n - 1 && c + {room} > 0", "line <- c if c % 3 == 0 || i == 1",
  "pair <- a if j == 2 && count < 3", "once <- c if i == 1 && count == 1", "once <- b if i + j == 0 && count == waves",
]
[graph.main.uc.Line]
index = ["i"]
in = {{ a = "int" }}
out = {{ again = "int", twice = "int", o = "int" }}
fire = ["a -> x"]
do = {{ native = "half" }}
route = ["again <- h if h > 100", "twice <- rest if h > 4000", "o <- rest if h <= 100"]
[graph.main.uc.Cube]
index = ["i", "j", "k"]
in = {{ a = "int" }}
out = {{ o = "int" }}
fire = ["a -> x"]
route = ["o <- x", "o <- 1000", "o <- k"]
[graph.main.uc.Pair]
index = ["i"]
in = {{ a = "int", b = "int" }}
out = {{ o = "int", far = "int" }}
fire = ["a -> x, b -> y"]
route = ["o <- y", "far <- y if i > 1 && count == 1 && y < 9000"]
[graph.main.uc.Once]
index = ["i"]
in = {{ a = "int" }}
out = {{ o = "int" }}
fire = ["a -> x"]
route = ["o <- x"]
[graph.main.uc.Sum]
in = {{ a = "int" }}
vars = {{ total = "int" }}
fire = ["a -> x"]
do = 'total = (total + x * 31) % 1000003; result("total", total); result("count", count);'
"#
    )
}

fn program(odd: Odd, as_functions: bool) -> Program {
    let natives = natives(odd, as_functions);
    Program::from_text(&text(odd), &natives).unwrap()
}

fn options(odd: Odd) -> Options {
    Options::new().set("n", odd.n).set("waves", odd.waves).set("shift", odd.shift)
}

/// What a run comes to: how it ends, events and actions, results, errors, who waits and for what.
fn outcome(
    odd: Odd,
    as_functions: bool,
    options: &Options,
) -> (RunOutcome, [u64; 3], String, Vec<String>, String) {
    let run = program(odd, as_functions).run(options).unwrap();
    let report = run.report();
    let errors = report.errors.iter().map(|error| {
        // What came first from several others is not known.
        let values = if error.event.starts_with("/Cell") { &error.values[..] } else { &[] };
        format!("{} {} {:?} {values:?}", error.event, error.message, error.at)
    });
    let counts = [report.n_events, report.n_actions, report.n_waiting];
    (
        run.outcome(),
        counts,
        format!("{:?}", run.results()),
        errors.collect(),
        format!("{:?}", report.quiescence),
    )
}

fn odds() -> impl Strategy<Value = Odd> {
    let rare = || prop_oneof![3 => Just(-1), 1 => 0..MODULUS];
    let near = prop_oneof![3 => Just(1_000_000), 1 => 0..MODULUS];
    let shift = prop_oneof![3 => -2..3_i64, 1 => Just(i64::MAX)];
    (1..14_i64, 1..6_i64, rare(), rare(), near, shift)
        .prop_map(|(n, waves, fails, panics, near, shift)| Odd { n, waves, fails, panics, near, shift })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn entries_do_what_instances_do(odd in odds()) {
        // Values meet in an order of their own on a line, and what is sent then may depend on it.
        let expected = outcome(odd, false, &options(odd).workers(1));
        let has_failed = !expected.3.is_empty();
        for n_workers in [1, 2, 4] {
            let found = outcome(odd, true, &options(odd).workers(n_workers));
            prop_assert_eq!(found.0, expected.0);
            prop_assert_eq!(&found.3, &expected.3);
            if !has_failed {
                prop_assert_eq!(found, expected.clone());
            }
        }
    }

    #[test]
    fn what_they_record_is_replayed(odd in odds(), n_workers in 1..4_usize) {
        let program = program(odd, true);
        let (run, trace) = program.record(&options(odd).workers(n_workers)).unwrap();
        // Who was served in the general way has recorded the same.
        for as_functions in [true, false] {
            let program = self::program(odd, as_functions);
            for n_workers in [1, 2] {
                let again = Options::new().workers(n_workers);
                let (replayed, again) = program.replay_recorded(&trace, &again).unwrap();
                prop_assert_eq!(replayed.results(), run.results());
                prop_assert_eq!(replayed.report().n_events, run.report().n_events);
                prop_assert_eq!(again.digest().unwrap(), trace.digest().unwrap());
            }
        }
    }
}

/// More events at a time than are served side by side, with some in between that fail, or none.
#[test]
fn a_wide_front_does_what_instances_do() {
    // The third cell of the first row comes to 9.
    for (fails, near) in [(-1, 1_000_000), (9, 1_000_000), (-1, 77)] {
        let odd = Odd { n: 90, waves: 1, fails, panics: -1, near, shift: 1 };
        let expected = outcome(odd, false, &options(odd).workers(1));
        assert_eq!(expected.3.is_empty(), fails < 0 && near > MODULUS);
        for n_workers in [1, 2] {
            let found = outcome(odd, true, &options(odd).workers(n_workers));
            assert_eq!((&found.0, &found.3), (&expected.0, &expected.3));
            if expected.3.is_empty() {
                // Whether an idle instance that nothing can come to still waits when the run is over, or has been reclaimed, depends
                // on when that was looked at.
                assert_eq!((&found.1[..2], &found.2), (&expected.1[..2], &expected.2));
            }
        }
    }
}

/// While the first event of `A` is under way, two more values come to it: `C` says so, by which time they have come.
#[test]
fn more_comes_while_an_event_is_under_way() {
    let text = r#"hasse = 1
main = "main"

[graph.main]
arcs = [
  "Start.go -> A[0].a", "Start.p -> P.a", "Start.p -> Q.a", "P.x -> A[0].a", "P.y -> A[0].a", "Q.x -> A[0].a",
  "Q.y -> A[0].a", "P.c -> C.a", "Q.c -> C.a", "A[i].o -> Sum.a",
]
[graph.main.uc.Start]
out = { go = "int", p = "int" }
start = true
route = ["go <- 0", "p <- 1", "p <- 1"]
[graph.main.uc.A]
index = ["i"]
in = { a = "int" }
out = { o = "int" }
fire = ["a -> x"]
do = { native = "wait" }
route = ["o <- y"]
[graph.main.uc.P]
in = { a = "int" }
out = { x = "int", y = "int", c = "int" }
fire = ["a -> v"]
route = ["x <- 10", "y <- 100", "c <- v"]
[graph.main.uc.Q]
in = { a = "int" }
out = { x = "int", y = "int", c = "int" }
fire = ["a -> v"]
route = ["x <- 1000", "y <- 10000", "c <- v"]
[graph.main.uc.C]
in = { a = "int" }
fire = ["a -> v"]
do = { native = "say" }
[graph.main.uc.Sum]
in = { a = "int" }
vars = { total = "int" }
fire = ["a -> x"]
do = 'total += x; result("total", total);'
"#;
    for fails in [false, true] {
        let have_come = Arc::new((Mutex::new(false), Condvar::new()));
        let mut natives = Natives::new();
        let said = Arc::clone(&have_come);
        natives.function_body("say", ["v"], [""; 0], move |_: i64| {
            *said.0.lock().unwrap() = true;
            said.1.notify_all();
        });
        natives.function_body("wait", ["x"], ["y"], move |x: i64| {
            let (said, waits) = &*have_come;
            let said = said.lock().unwrap();
            let (said, _) = waits.wait_timeout_while(said, Duration::from_secs(60), |said| !*said).unwrap();
            assert!(*said, "somebody else serves P and Q");
            if fails && x == 0 { Err("it was 0") } else { Ok(x) }
        });
        let program = Program::from_text(text, &natives).unwrap();
        let run = program.run(&Options::new().workers(2)).unwrap();
        let errors: Vec<_> =
            run.report().errors.iter().map(|error| (&error.event[..], &error.message[..])).collect();
        if fails {
            assert_eq!(errors, [("/A[0]:1", "native body `wait`: it was 0")]);
        } else {
            // All of P, Q and C have executed twice, and A once for each value.
            assert_eq!((errors.len(), run.report().n_events), (0, 1 + 2 + 2 + 4 + 2 * (1 + 8)));
            assert_eq!(run.result::<i64>("total").unwrap(), 2 * 11_110);
        }
    }
}
