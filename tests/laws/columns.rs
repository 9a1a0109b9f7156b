//! Modes of recording where integers go in columns: what a run notes of many events together is what it notes of each by
//! itself. The scheduler has no seed here, as a run with a seed serves events one by one.

use std::collections::BTreeMap;
use std::fmt::Write;

use hasse_runtime::run::Recording;
use proptest::prelude::*;

use crate::generator::{self, Dice};
use crate::minimal::{assert_same_run, minimize_full, replay_minimal, rows};
use crate::recording::{compile, digest, names, options, record_as, record_restricted, record_with, sorted};
use crate::restricted::{self, choose, events_in, restricted_by_reference};
use crate::{WORKER_COUNTS, flows, n_programs};

/// A program whose events do not depend on the schedule: each port has one sender, but for those on which an action also finds
/// what it has sent to itself. Values are integers.
fn determinate(seed: u64, size: usize) -> String {
    let mut dice = Dice::new(seed);
    let n_values = 20 + dice.below(400);
    let (mut nodes, mut arcs) = (String::new(), Vec::new());
    let mut outputs = Vec::new();
    for source in 0..1 + dice.below(2) {
        // One event sends all, or each event sends one.
        let _ = match dice.below(2) {
            0 => write!(
                nodes,
                "\n[graph.g.uc.Src{source}]\nout = {{ y = \"int\" }}\nstart = true\nroute = [\"y <- k for k in 0..{n_values}\"]\n"
            ),
            _ => {
                arcs.push(format!("Begin{source}.go -> Src{source}.go"));
                arcs.push(format!("Src{source}.again -> Src{source}.go"));
                write!(
                    nodes,
                    "\n[graph.g.uc.Begin{source}]\nout = {{ go = \"int\" }}\nstart = true\nroute = [\"go <- 0\"]\n\
                     \n[graph.g.uc.Src{source}]\nin = {{ go = \"int\" }}\nout = {{ y = \"int\", again = \"int\" }}\n\
                     fire = [\"go -> n\"]\ndo = 'let m = n + 1;'\nroute = [\"y <- n\", \"again <- m if m < {n_values}\"]\n"
                )
            }
        };
        outputs.push((format!("Src{source}.y"), 0));
    }
    for node in 0..1 + dice.below(size) {
        let mut input = |dice: &mut Dice, port: &str, arcs: &mut Vec<String>| {
            let chosen = dice.below(outputs.len());
            outputs[chosen].1 += 1;
            arcs.push(format!("{} -> N{node}.{port}", outputs[chosen].0));
        };
        input(&mut dice, "x", &mut arcs);
        let (more_in, more_out, rest) = match dice.below(8) {
            0 => ("", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
            1 => ("", "", "fire = [\"x -> x\"]\ndo = 'let z = x + 1;'\nroute = [\"y <- z\"]"),
            2 => (
                "",
                "",
                "vars = { total = \"int\" }\nfire = [\"x -> x\"]\ndo = 'total = (total + x) % 1000; let z = total;'\nroute = [\"y <- z\"]",
            ),
            3 => ("", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if count % 3 != 0\"]"),
            4 => ("", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\", \"y <- x if count % 5 == 0\"]"),
            5 => ("", "", "fire = [\"x -> x\"]\nroute = [\"y <- x + 1\"]"),
            6 => {
                input(&mut dice, "w", &mut arcs);
                (", w = \"int\"", "", "fire = [\"x -> x, w -> w\"]\nroute = [\"y <- w\"]")
            }
            _ => {
                arcs.push(format!("Own{node}.s -> N{node}.s"));
                arcs.push(format!("N{node}.t -> N{node}.s"));
                let _ = write!(
                    nodes,
                    "\n[graph.g.uc.Own{node}]\nout = {{ s = \"int\" }}\nstart = true\nroute = [\"s <- 1\"]\n"
                );
                (
                    ", s = \"int\"",
                    ", t = \"int\"",
                    "fire = [\"x -> x, s -> s\"]\ndo = 'let z = (x + s) % 1000;'\nroute = [\"y <- z\", \"t <- z\"]",
                )
            }
        };
        let _ = write!(
            nodes,
            "\n[graph.g.uc.N{node}]\nin = {{ x = \"int\"{more_in} }}\nout = {{ y = \"int\"{more_out} }}\n{rest}\n"
        );
        outputs.push((format!("N{node}.y"), 0));
    }
    for (nth, (output, _)) in outputs.iter().filter(|(_, n_receivers)| *n_receivers == 0).enumerate() {
        arcs.push(format!("{output} -> Sink{nth}.x"));
        let _ = write!(nodes, "\n[graph.g.uc.Sink{nth}]\nin = {{ x = \"int\" }}\nfire = [\"x -> _x\"]\n");
    }
    let arcs: Vec<String> = arcs.iter().map(|arc| format!("  \"{arc}\",\n")).collect();
    format!("hasse = 1\nmain = \"g\"\n\n[graph.g]\narcs = [\n{}]\n{nodes}", arcs.concat())
}

/// A program of one of several generators.
fn any_program(dice: &mut Dice, seed: u64, size: usize) -> String {
    match dice.below(3) {
        0 => determinate(seed, size),
        1 => flows::program(seed, size),
        _ => generator::program(seed, size),
    }
}

/// A merge of two ports by two rules, and of two senders on one port.
const MERGE: &str = r#"
hasse = 1
main = "g"

[graph.g]
arcs = [
  "A.y -> Merge.a", "B.y -> Merge.b", "A.y -> Mixed.x", "B.y -> Mixed.x", "Merge.y -> Sink.x", "Mixed.y -> Sink.x",
]

[graph.g.uc.A]
out = { y = "int" }
start = true
route = ["y <- k for k in 0..300"]

[graph.g.uc.B]
out = { y = "int" }
start = true
route = ["y <- k for k in 0..300"]

[graph.g.uc.Merge]
in = { a = "int", b = "int" }
out = { y = "int" }
fire = ["a -> v", "b -> v"]
route = ["y <- v"]

[graph.g.uc.Mixed]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
do = 'let z = x + 1;'
route = ["y <- z"]

[graph.g.uc.Sink]
in = { x = "int" }
fire = ["x -> _x"]
"#;

/// A minimal record has the rows and the digest of what `minimize` makes of the full record of the same run.
fn assert_minimal(text: &str, n_workers: usize) -> Result<(), TestCaseError> {
    let plan = compile(text);
    let recorded = record_as(&plan, &options(n_workers, None), Recording::Minimal);
    let replayed = replay_minimal(&plan, &options(2, None), &recorded, &recorded.batches);
    assert_same_run(&replayed, &recorded, text);
    let minimized = minimize_full(&plan, &options(1, None), &replayed.batches);
    prop_assert_eq!(&minimized.report.divergence, &None, "{}", text);
    prop_assert_eq!(rows(&plan, &minimized.batches), rows(&plan, &recorded.batches), "{}", text);
    prop_assert_eq!(minimized.report.digest, recorded.report.digest, "{}", text);
    Ok(())
}

#[test]
fn minimal_record_of_merge_is_as_small_as_can_be() {
    for n_workers in WORKER_COUNTS {
        assert_minimal(MERGE, n_workers).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn minimal_record_is_the_minimized_one(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        assert_minimal(&text, WORKER_COUNTS[dice.below(4)])?;
    }

    #[test]
    fn minimal_record_of_columns_tells_nothing_where_nothing_is_free(seed: u64, size in 1_usize..10) {
        let text = determinate(seed, size);
        let plan = compile(&text);
        let one = record_as(&plan, &options(1, None), Recording::Minimal);
        let many = record_as(&plan, &options(4, None), Recording::Minimal);
        prop_assert_eq!(one.report.digest, many.report.digest, "{}", text);
        prop_assert_eq!(rows(&plan, &one.batches), rows(&plan, &many.batches), "{}", text);
    }

    #[test]
    fn restricted_record_of_columns_is_the_full_one_restricted(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = determinate(seed, size);
        let plan = compile(&text);
        let selected = choose(&mut dice, &plan, true).resolve(&plan).unwrap();
        let full = record_with(&plan, &options(WORKER_COUNTS[dice.below(4)], None));
        let found = record_restricted(&plan, &options(WORKER_COUNTS[dice.below(4)], None), &selected);
        let (expected, full_names) = restricted_by_reference(&plan, &full.batches, &selected);
        let found_names = names(&plan, &found.batches);
        prop_assert_eq!(
            restricted::digest(events_in(&found.batches), &found_names),
            restricted::digest(expected, &full_names),
            "{}", text
        );
    }

    #[test]
    fn perf_record_of_columns_is_the_full_one(seed: u64, size in 1_usize..10) {
        let plan = compile(&determinate(seed, size));
        let full = record_with(&plan, &options(1, None));
        let timed = record_as(&plan, &options(4, None), Recording::Perf);
        prop_assert_eq!(digest(&plan, &timed.batches), digest(&plan, &full.batches));
    }

    #[test]
    fn times_of_worker_do_not_overlap_and_senders_end_first(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        let n_workers = WORKER_COUNTS[dice.below(4)];
        let timed = record_as(&compile(&text), &options(n_workers, None), Recording::Perf);
        let (events, n_left) = sorted(&timed.batches);
        prop_assert_eq!(n_left, 0);
        let mut ends = BTreeMap::new();
        let mut by_worker: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        for event in &events {
            let timing = event.timing.unwrap();
            prop_assert!(timing.start <= timing.end && (timing.worker as usize) < n_workers);
            for sender in &event.flow {
                prop_assert!(ends[sender] <= timing.start, "{}", text);
            }
            ends.insert(event.id, timing.end);
            // What waits for a lock goes on among others.
            if event.shared.is_empty() {
                by_worker.entry(timing.worker).or_default().push((timing.start, timing.end));
            }
        }
        for times in by_worker.values_mut() {
            times.sort_unstable();
            prop_assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{}", text);
        }
    }
}
