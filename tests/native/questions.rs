//! Compiled bodies that ask the world outside: each question is asked once, and recorded as by the interpreter.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hasse::{Natives, Options, Program, RecordingMode, ScriptTiers};
use hasse_model::plan::routine::Lowering;
use hasse_runtime::lowering::{Tier, explain};

use super::{failure, run};

const TIERS: [ScriptTiers; 4] =
    [ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native, ScriptTiers::Auto];

/// `Src` sends the numbers from 0 on through two nodes with this body, which sets `z` from `x`, and `Sum` adds them up.
fn chain(n: i64, body: &str) -> String {
    let node = |name: &str| {
        format!(
            "\n[graph.main.uc.{name}]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}\nfire = [\"x -> x\"]\ndo = \'\'\'\n{body}\n\'\'\'\nroute = [\"y <- z\"]\n"
        )
    };
    format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\"Src.x -> A.x\", \"A.y -> B.x\", \"B.y -> Sum.x\"]\n\n\
         [graph.main.uc.Src]\nout = {{ x = \"int\" }}\nstart = true\nroute = [\"x <- k for k in 0..{n}\"]\n{}{}\n\
         [graph.main.uc.Sum]\nin = {{ x = \"int\" }}\nvars = {{ total = \"int\" }}\nfire = [\"x -> x\"]\n\
         do = \'total += x; if count == {n} {{ result(\"total\", total); }}\'\n",
        node("A"),
        node("B")
    )
}

/// The program, whose bodies are compiled.
fn compiled(text: &str, natives: &Natives) -> Program {
    let program = Program::from_text(text, natives).unwrap();
    let lowered: Vec<_> = program.plan().lowerings.iter().flatten().collect();
    assert!(lowered.iter().all(|lowering| matches!(lowering, Lowering::Routine { .. })), "{lowered:?}");
    program
}

const RANDOM: &str = "let z = 0;\nfor k in 0..x % 4 { if random() < 0.5 { z += random_int(k, 9); } }\n\
                      if random_normal() > random_normal(0.5, 2.0) || time() < elapsed() { z += 1; }";

fn total(run: &hasse::Run) -> i64 {
    run.result::<i64>("total").unwrap()
}

#[test]
fn records_of_questions_replay_in_all_modes_and_tiers() {
    let program = compiled(&chain(300, RANDOM), &Natives::new());
    let quiet = || Options::new().output(|_| {});
    for recorded_by in TIERS {
        for mode in [RecordingMode::Full, RecordingMode::Minimal, RecordingMode::Perf] {
            let options = quiet().workers(1 + usize::from(mode == RecordingMode::Perf)).scripts(recorded_by);
            let (run, trace) = program.record(&options.mode(mode)).unwrap();
            let expected = total(&run.finished().unwrap());
            for replayed_by in TIERS {
                let what = format!("{recorded_by:?}, {mode:?}, {replayed_by:?}");
                let options = quiet().workers(2).scripts(replayed_by);
                let (run, again) = program.replay_recorded(&trace, &options).unwrap();
                assert_eq!(run.report().divergence, None, "{what}");
                assert_eq!(total(&run), expected, "{what}");
                if mode == RecordingMode::Full {
                    assert_eq!(again.digest().unwrap(), trace.digest().unwrap(), "{what}");
                }
            }
        }
    }
}

/// With one seed all tiers draw the same numbers, and record the same.
#[test]
fn numbers_depend_on_the_seed_alone() {
    let body = RANDOM.replace("time() < elapsed()", "random() < 0.1");
    let program = compiled(&chain(200, &body), &Natives::new());
    for mode in [RecordingMode::Full, RecordingMode::Minimal] {
        let of = |tiers: ScriptTiers| {
            let options = Options::new().workers(1).seed(7).scripts(tiers).mode(mode);
            let (run, trace) = program.record(&options).unwrap();
            let (_, again) = program.replay_recorded(&trace, &Options::new()).unwrap();
            (total(&run), again.digest().unwrap())
        };
        let expected = of(ScriptTiers::Interpreted);
        let unrecorded = |tiers| total(&program.run(&Options::new().seed(7).scripts(tiers)).unwrap());
        for tiers in TIERS {
            assert_eq!(of(tiers), expected, "{tiers:?}, {mode:?}");
            assert_eq!(unrecorded(tiers), expected.0, "{tiers:?}");
        }
    }
}

#[test]
fn questions_of_the_library_run_in_columns_alone() {
    let mut natives = Natives::new();
    natives.effect("peek", |x: i64| x + 1);
    let options = super::functions::options(&natives, ScriptTiers::Auto);
    for (body, code) in [
        (RANDOM, None),
        ("let z = peek(x);", Some("body-asks")),
        ("let z = random_int(x, x); print(z);", Some("body-asks")),
    ] {
        let program = compiled(&chain(3, body), &natives);
        let (_, trace) = program.record(&Options::new().output(|_| {})).unwrap();
        assert!(!trace.digest().unwrap().is_empty());
        let nodes = explain(program.plan(), &options);
        for node in nodes.iter().filter(|node| matches!(node.node.as_str(), "A" | "B")) {
            let tier = if code.is_some() { Tier::Single } else { Tier::Columns };
            assert_eq!(node.tier, tier, "{node:?}");
            let codes = node.parts.iter().flat_map(|part| &part.reasons).map(|reason| reason.code);
            assert!(codes.clone().all(|found| Some(found) == code), "{node:?}");
        }
    }
}

/// Without a record, too, whether values come many at a time or one after the other.
#[test]
fn unrecorded_answers_are_those_of_their_events() {
    let body = "let z = 0;\nfor k in 0..x % 5 { z += random_int(k, k); }\nz += random_int(x, x);";
    let once = |x: i64| (0..x % 5).sum::<i64>() + x;
    for n in [1, 2, 1_000, 10_000] {
        let expected: i64 = (0..n).map(|x| once(once(x))).sum();
        let program = compiled(&chain(n, body), &Natives::new());
        for (tiers, n_workers) in TIERS.into_iter().zip([1, 2, 1, 2]) {
            let run = program.run(&Options::new().workers(n_workers).scripts(tiers)).unwrap();
            assert_eq!((total(&run), run.report().n_events), (expected, 3 * n as u64 + 1), "{n}, {tiers:?}");
        }
    }
}

/// An effect that gives the number of times that it was asked, and fails each time that is a multiple.
fn counting(fails_at: i64) -> (Natives, Arc<AtomicI64>) {
    let asked = Arc::new(AtomicI64::new(0));
    let mut natives = Natives::new();
    let counter = Arc::clone(&asked);
    natives.effect("next", move |most: i64| {
        let number = counter.fetch_add(1, Ordering::Relaxed);
        if number == fails_at { Err(format!("{number} is refused")) } else { Ok(number.min(most)) }
    });
    (natives, asked)
}

/// A body that leaves compiled code after a question gets the same answer from the interpreter.
#[test]
fn effect_is_asked_once_where_the_interpreter_takes_over() {
    let body = "let z = next(1000000);\nif z % 3 == 1 { let text = \"beyond\"; z += text.len - 6; }";
    for tiers in TIERS {
        for mode in [None, Some(RecordingMode::Full), Some(RecordingMode::Minimal)] {
            let (natives, asked) = counting(-1);
            let program = compiled(&chain(100, body), &natives);
            let options = Options::new().workers(1).scripts(tiers);
            let what = format!("{tiers:?}, {mode:?}");
            let Some(mode) = mode else {
                program.run(&options).unwrap().finished().unwrap();
                assert_eq!(asked.load(Ordering::Relaxed), 200, "{what}");
                continue;
            };
            let (run, trace) = program.record(&options.mode(mode)).unwrap();
            let expected = total(&run.finished().unwrap());
            assert_eq!(asked.load(Ordering::Relaxed), 200, "{what}");
            for replayed_by in TIERS {
                let (run, _) =
                    program.replay_recorded(&trace, &Options::new().workers(2).scripts(replayed_by)).unwrap();
                assert_eq!((total(&run), &run.report().divergence), (expected, &None), "{what}");
            }
            assert_eq!(asked.load(Ordering::Relaxed), 200, "a replay asks nothing: {what}");
        }
    }
}

/// Answers that are not recorded are kept for a restart, up to a limit; each question is asked once all the same.
#[test]
fn effect_is_asked_once_in_long_loops() {
    let body =
        "let z = 0;\nfor k in 0..3000 { z += next(1); }\nif x == 1 { let text = `${z}`; z += text.len; }";
    for tiers in TIERS {
        let (natives, asked) = counting(-1);
        let program = compiled(&chain(2, body), &natives);
        program.run(&Options::new().workers(1).scripts(tiers)).unwrap().finished().unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), 12_000, "{tiers:?}");
    }
    let body = body.replace("3000", "9000");
    let (natives, asked) = counting(-1);
    run(&chain(2, &body), &natives).finished().unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 36_000);
}

#[test]
fn error_of_effect_is_asked_for_once_and_recorded() {
    let body = "let z = next(5);\nz += next(6);";
    for tiers in TIERS {
        let (natives, asked) = counting(5);
        let program = compiled(&chain(4, body), &natives);
        let (run, trace) = program.record(&Options::new().workers(1).seed(3).scripts(tiers)).unwrap();
        let message = run.finished().unwrap_err().to_string();
        assert!(message.contains("Runtime error: `next`: 5 is refused"), "{tiers:?}: {message}");
        let n_asked = asked.load(Ordering::Relaxed);
        for replayed_by in TIERS {
            let (run, again) =
                program.replay_recorded(&trace, &Options::new().workers(1).scripts(replayed_by)).unwrap();
            assert_eq!(run.report().divergence, None, "{tiers:?}, {replayed_by:?}");
            assert_eq!(again.digest().unwrap(), trace.digest().unwrap(), "{tiers:?}, {replayed_by:?}");
        }
        assert_eq!(asked.load(Ordering::Relaxed), n_asked, "{tiers:?}");
    }
    let (natives, _) = counting(5);
    assert!(failure(&chain(4, body), &natives).contains("5 is refused"));
}

/// Lines and answers of one event go together, and are the interpreter's.
#[test]
fn what_is_printed_of_answers_is_printed_once() {
    let body = "let z = random_int(0, 99);\nprint(`drawn ${z}`);\nif z % 2 == 0 { let text = \"even\"; print(text.len + z); }";
    let program = compiled(&chain(50, body), &Natives::new());
    let lines = |tiers: ScriptTiers| {
        let lines = Arc::new(std::sync::Mutex::new(Vec::new()));
        let to = Arc::clone(&lines);
        let write = move |line: &str| to.lock().unwrap().push(line.to_owned());
        let options = Options::new().workers(1).seed(11).scripts(tiers).output(write);
        program.run(&options).unwrap().finished().unwrap();
        std::mem::take(&mut *lines.lock().unwrap())
    };
    let expected = lines(ScriptTiers::Interpreted);
    assert!(expected.len() > 100);
    for tiers in TIERS {
        assert_eq!(lines(tiers), expected, "{tiers:?}");
    }
}

/// The number of arguments and their types are those of the interpreter.
#[test]
fn questions_that_do_not_fit_are_left_to_the_interpreter() {
    for (body, message) in [
        ("let z = random_int(3, 1);", "`random_int` of 3 and 1"),
        ("let z = 1; if random_normal(0.0, -1.0) > 0.0 { z = 2; }", "a deviation of -1"),
    ] {
        for tiers in TIERS {
            let program = compiled(&chain(2, body), &Natives::new());
            let run = program.run(&Options::new().workers(1).scripts(tiers)).unwrap();
            let found = run.finished().unwrap_err().to_string();
            assert!(found.contains(message), "{tiers:?}: {found}");
        }
    }
    let program = Program::from_text(
        &chain(2, "let z = if random_normal(0, 1) > 9.0 { 1 } else { 0 };"),
        &Natives::new(),
    )
    .unwrap();
    let shown = format!("{:?}", program.plan().lowerings);
    assert!(shown.contains("`random_normal` is compiled for arguments of type real, real"), "{shown}");
}

/// The interpreter evaluates the arguments of a chain before its left side. A chain in which that shows stays with it.
#[test]
fn chain_with_effects_on_both_sides_is_interpreted() {
    let chains = [
        "let z = random_int(0, 99).max(random_int(0, 99));",
        "fn said(x) { print(x); x }\nlet z = said(x).max(said(x + 1));",
        "fn set(x) { result(\"last\", x); x }\nlet z = set(x).max(set(x + 1));",
    ];
    for body in chains {
        let program = Program::from_text(&chain(3, body), &Natives::new()).unwrap();
        let shown = format!("{:?}", program.plan().lowerings);
        assert!(
            shown.contains("both sides of this chain ask the world outside, print or set a result"),
            "{body}: {shown}"
        );
    }
    let one_side = "fn said(x) { print(x); x }\nlet y = said(x);\nlet z = y.max(random_int(0, 99));";
    compiled(&chain(3, one_side), &Natives::new());
}
